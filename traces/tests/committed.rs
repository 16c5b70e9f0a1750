//! The committed captures are what the generator writes, and the table of them is complete.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "these are tests")]

use std::collections::BTreeSet;
use std::path::Path;
use warpscope_traces::bench;
use warpscope_traces::scenario::{self, Scenario};

fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The scenarios, and the folder of their files.
fn folders() -> [(&'static str, Vec<&'static Scenario>); 2] {
    [("synthetic", scenario::all().collect()), ("violations", scenario::with_breaches().collect())]
}

#[test]
fn files_are_what_the_generator_writes() {
    for (folder, scenarios) in folders() {
        let mut expected = BTreeSet::new();
        for scenario in scenarios {
            let name = scenario.file_name();
            let committed = std::fs::read(here().join(folder).join(&name)).unwrap();
            assert!(committed == scenario.file_bytes().unwrap(), "{name} differs");
            assert!(expected.insert(name.clone()), "{name} is there twice");
        }
        let entries = std::fs::read_dir(here().join(folder)).unwrap();
        let there: BTreeSet<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        assert_eq!(there, expected);
    }
}

#[test]
fn files_are_small() {
    let bytes: u64 = scenario::all()
        .chain(scenario::with_breaches())
        .map(|scenario| scenario.file_bytes().unwrap().len() as u64)
        .sum();
    assert!(bytes < 3_000_000, "{bytes} bytes");
}

#[test]
fn every_file_is_in_the_table() {
    let readme = std::fs::read_to_string(here().join("README.md")).unwrap();
    for (folder, scenario) in folders()
        .into_iter()
        .flat_map(|(folder, all)| all.into_iter().map(move |scenario| (folder, scenario)))
    {
        let row = format!(
            "| `{folder}/{}` | {} | {} | `make-traces {folder}` |",
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
        bench::write(&mut file, 1_000_000, acknowledge, None).unwrap();
        file
    };
    let with = write(true);
    assert!((1_000_000..1_300_000).contains(&with.len()), "{} bytes", with.len());
    assert!(with == write(true));
    assert!(with != write(false));
}
