use super::*;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use warpscope_requirements::Catalogue;

#[test]
fn every_bug_breaks_a_requirement_that_there_is() {
    let catalogue = Catalogue::builtin().unwrap();
    let unknown: Vec<_> = TABLE
        .iter()
        .filter_map(|row| catalogue.find(row.requirement).err().map(|error| (&row.name, error)))
        .collect();
    assert!(unknown.is_empty(), "{unknown:#?}");
}

#[test]
fn every_bug_has_a_name_of_its_own_and_one_line() {
    let names: BTreeSet<_> = TABLE.iter().map(|row| &row.name).collect();
    assert_eq!(names.len(), TABLE.len());
    for (at, row) in TABLE.iter().enumerate() {
        assert_eq!(SeededBug::by_name(&row.name).map(Switch::number), Some(at));
        assert!(row.meaning.len() < 120 && !row.meaning.ends_with('.'), "{}", row.name);
        if row.condition.is_some() {
            continue;
        }
        assert_eq!(row.bug as usize, at);
        let mut variant = String::new();
        for part in row.name.split('-') {
            variant.push_str(&part[..1].to_uppercase());
            variant.push_str(&part[1..]);
        }
        assert_eq!(format!("{:?}", row.bug), variant);
    }
}

/// Source files, without those of this module and of tests.
fn sources(directory: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let left_out =
            ["bug", "bug.rs", "tests", "tests.rs"].iter().any(|name| path.ends_with(name));
        if path.is_dir() && !left_out {
            sources(&path, files);
        } else if !left_out && path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

/// A bug is one question at one place.
#[test]
fn every_bug_is_used_exactly_once() {
    let (mut files, mut text) = (Vec::new(), String::new());
    for folder in ["src", "nfs/src"] {
        sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder), &mut files);
    }
    for file in files {
        text.push_str(&std::fs::read_to_string(file).unwrap());
    }
    let is_part = |next: char| next.is_alphanumeric() || next == '_';
    let mut wrong = Vec::new();
    for row in table::always() {
        let name = format!("Bug::{:?}", row.bug);
        let uses = text.match_indices(&name);
        let uses = uses.filter(|(at, _)| !text[at + name.len()..].starts_with(is_part)).count();
        if uses != 1 {
            wrong.push(format!("{name}: {uses} times"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
