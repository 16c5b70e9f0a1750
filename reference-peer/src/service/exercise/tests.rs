//! Two sides in a pipe.

use super::{Exercise, ExerciseOptions};
use crate::service::program::tests::{ADDRESS, config, pipe};
use crate::streams::{Service, Streams};
use warpscope_wire::rdmap::Profile;

fn exercise(profile: Profile, bugs: &str) -> [Exercise; 2] {
    let mut config = config();
    (config.profile, config.atomic_swap) = (profile, true);
    config.bugs = bugs.parse().unwrap();
    let mut pipe = pipe(&config);
    pipe.sides[0].connect(ADDRESS, config, false);
    let mut sides = [ExerciseOptions::default(), ExerciseOptions::default()].map(Exercise::new);
    let [left, right] = &mut sides;
    pipe.run(&mut [left, right]);
    assert_eq!(pipe.sides.each_ref().map(Streams::count), [0, 0], "{sides:?}");
    sides
}

#[test]
fn every_profile_is_exercised_both_ways() {
    for (name, profile) in Profile::NAMES {
        let sides = exercise(*profile, "");
        for side in &sides {
            assert_eq!(side.failure(), None, "{name}");
            assert!(side.steps >= 15 && side.streams == 1, "{name}: {side:?}");
        }
        assert_eq!(sides[0].steps, sides[1].steps);
    }
}

#[test]
fn a_peer_that_changes_bytes_is_noticed() {
    let sides = exercise(Profile::ALL, "fetch-add-carries");
    assert!(sides.iter().any(|side| side.failure().is_some()));
}
