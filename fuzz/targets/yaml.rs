//! YAML: any text is a case, a fragment, or expectations, or what is wrong with it has a place.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::path::Path;
use std::sync::LazyLock;
use warpscope_conformance::case::{Cases, Context};
use warpscope_conformance::layout::Layouts;
use warpscope_conformance::yaml::Source;
use warpscope_replay::Expectations;
use warpscope_requirements::Catalogue;

static LAYOUTS: LazyLock<Layouts> = LazyLock::new(|| Layouts::builtin().unwrap());
static CATALOGUE: LazyLock<Catalogue> = LazyLock::new(|| Catalogue::builtin().unwrap());

fuzz_target!(|text: &str| {
    let context = Context { layouts: &LAYOUTS, catalogue: &CATALOGUE, bugs: None };
    let lines = text.lines().count().max(1) as u32;
    if let Err(wrong) = Cases::read(&[Source::new("fuzz.yaml", text)], context) {
        assert!(!wrong.is_empty());
        for diagnostic in wrong {
            assert!(diagnostic.to_string().starts_with("fuzz.yaml"), "{diagnostic} ({lines} lines)");
        }
    }
    if let Err(error) = Expectations::read(Path::new("fuzz.expect.yaml"), text) {
        assert!(error.to_string().contains("fuzz.expect.yaml"), "{error}");
    }
});
