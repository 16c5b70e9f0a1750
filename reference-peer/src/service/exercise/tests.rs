//! Two sides in a pipe; `tests/peer/loopback.rs` exercises every profile.

use super::{Exercise, ExerciseOptions};
use crate::service::program::tests::{ADDRESS, config, pipe};
use crate::streams::{Service, Streams};
use warpscope_wire::rdmap::Profile;

#[test]
fn a_peer_that_changes_bytes_is_noticed() {
    let mut config = config();
    config.profile = Profile::ALL;
    config.bugs = "fetch-add-carries".parse().unwrap();
    let mut pipe = pipe(&config);
    pipe.sides[0].connect(ADDRESS, config, false);
    let mut sides = [(); 2].map(|()| Exercise::new(ExerciseOptions::default()));
    let [left, right] = &mut sides;
    pipe.run(&mut [left, right]);
    assert_eq!(pipe.sides.each_ref().map(Streams::count), [0, 0], "{sides:?}");
    assert!(sides.iter().any(|side| side.failure().is_some()));
}
