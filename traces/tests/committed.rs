//! The committed captures are what the generator writes, and the table of them is complete.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "these are tests")]

use std::collections::BTreeSet;
use std::path::Path;
use warpscope_traces::{bench, scenario};

fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn files_are_what_the_generator_writes() {
    let mut expected = BTreeSet::new();
    for scenario in scenario::all() {
        let name = scenario.file_name();
        let committed = std::fs::read(here().join("synthetic").join(&name)).unwrap();
        assert!(committed == scenario.file_octets().unwrap(), "{name} differs");
        assert!(expected.insert(name.clone()), "{name} is there twice");
    }
    let entries = std::fs::read_dir(here().join("synthetic")).unwrap();
    let there: BTreeSet<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    assert_eq!(there, expected);
}

#[test]
fn files_are_small() {
    let octets: u64 =
        scenario::all().map(|scenario| scenario.file_octets().unwrap().len() as u64).sum();
    assert!(octets < 3_000_000, "{octets} octets");
}

#[test]
fn every_file_is_in_the_table() {
    let readme = std::fs::read_to_string(here().join("README.md")).unwrap();
    for scenario in scenario::all() {
        let row = format!(
            "| `synthetic/{}` | {} | {} | `make-traces synthetic` |",
            scenario.file_name(),
            scenario.contains,
            scenario.purpose
        );
        assert!(readme.contains(&row), "{} is not in README.md as it is", scenario.name);
    }
}

#[test]
fn the_benchmark_capture_has_the_size_asked_for_and_is_the_same_again() {
    let write = |acknowledge| {
        let mut file = Vec::new();
        bench::write(&mut file, 1_000_000, acknowledge).unwrap();
        file
    };
    let with = write(true);
    assert!((1_000_000..1_300_000).contains(&with.len()), "{} octets", with.len());
    assert!(with == write(true));
    assert!(with != write(false));
}
