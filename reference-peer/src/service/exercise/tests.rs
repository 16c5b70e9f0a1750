//! Two sides in a pipe.

use super::{Exercise, ExerciseOptions};
use crate::connection::{Config, Role};
use crate::memory::{Accessor, Memory};
use crate::service::Service;
use crate::streams::{Pipe, Streams};
use std::net::{Ipv4Addr, SocketAddr};
use warpscope_wire::rdmap::Profile;

fn exercise(profile: Profile, change: impl Fn(&mut Config)) -> [Exercise; 2] {
    let mut config = Config::new(Role::Initiator, Accessor { stream: 0, protection_domain: 1 });
    config.profile = profile;
    config.atomic_swap = true;
    change(&mut config);
    let side = |seed: u32| {
        let mut number = seed;
        Streams::new(Memory::new(move || {
            number = number.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            number
        }))
    };
    let mut pipe = Pipe::new([side(1), side(2)], [config.clone(), config.clone()]);
    pipe.sides[0].connect(SocketAddr::new(Ipv4Addr::LOCALHOST.into(), 1), config, false);
    let mut sides = [ExerciseOptions::default(), ExerciseOptions::default()].map(Exercise::new);
    let [left, right] = &mut sides;
    pipe.run(&mut [left, right]);
    assert_eq!(pipe.sides.each_ref().map(Streams::count), [0, 0], "{sides:?}");
    sides
}

#[test]
fn every_profile_is_exercised_both_ways() {
    for (name, profile) in Profile::NAMES {
        let sides = exercise(*profile, |_| {});
        for side in &sides {
            assert_eq!(side.failure(), None, "{name}");
            assert!(side.steps >= 15 && side.streams == 1, "{name}: {side:?}");
        }
        assert_eq!(sides[0].steps, sides[1].steps);
    }
}

#[test]
fn a_peer_that_changes_bytes_is_noticed() {
    let sides = exercise(Profile::ALL, |config| {
        config.bugs = "fetch-add-carries".parse().unwrap();
    });
    assert!(sides.iter().any(|side| side.failure().is_some()));
}
