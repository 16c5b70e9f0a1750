//! What is accepted, with reasons: `mutants-accepted.yaml`.

use crate::yaml::{Placed, YamlError, read, unknown};
use anyhow::{Context as _, Result};
use serde::Deserialize;
use std::path::Path;
use warpscope_conformance::builtin::MUTANTS_ACCEPTED;
use warpscope_peer::bug::Bug;

/// What is accepted: ids, each with its reason.
#[derive(Debug, Default)]
pub(super) struct Accepted {
    /// Bugs that no case kills.
    pub(super) survivors: Vec<(String, String)>,
    /// Cases that kill no bug.
    pub(super) idle: Vec<(String, String)>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    #[serde(default)]
    survivors: Vec<Entry>,
    #[serde(default)]
    idle: Vec<Entry>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    id: Placed<String>,
    reason: Placed<String>,
}

impl Accepted {
    /// Reads a file, or what is built in.
    ///
    /// # Errors
    /// When it cannot be read, names what there is not, or has no reason; with the place.
    pub(super) fn take(file: Option<&Path>, cases: &[&str]) -> Result<Self> {
        match file {
            None => Ok(Self::parse(Path::new("mutants-accepted.yaml"), MUTANTS_ACCEPTED, cases)?),
            Some(file) => {
                let text = std::fs::read_to_string(file)
                    .with_context(|| format!("cannot read {}; check the name", file.display()))?;
                Ok(Self::parse(file, &text, cases)?)
            }
        }
    }

    fn parse(file: &Path, text: &str, cases: &[&str]) -> Result<Self, YamlError> {
        let written: Written = read(file, text)?;
        let bugs: Vec<&str> = warpscope_peer::bug::TABLE.iter().map(|row| row.name).collect();
        let known = |list: Vec<Entry>, names: &[&str]| {
            list.into_iter()
                .map(|entry| {
                    if !names.contains(&entry.id.value.as_str()) {
                        let what = unknown(&entry.id.value, names);
                        return Err(YamlError::new(file, entry.id.place, what));
                    }
                    if entry.reason.value.trim().is_empty() {
                        return Err(YamlError::new(file, entry.reason.place, "say why"));
                    }
                    Ok((entry.id.value, entry.reason.value))
                })
                .collect::<Result<Vec<_>, _>>()
        };
        Ok(Self { survivors: known(written.survivors, &bugs)?, idle: known(written.idle, cases)? })
    }

    /// Why a bug may survive.
    pub(super) fn survivor(&self, bug: Bug) -> Option<&str> {
        let name = bug.row().name;
        self.survivors.iter().find(|(id, _)| id == name).map(|(_, reason)| reason.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_built_in_can_be_read_and_mistakes_have_places() {
        Accepted::take(None, &case_ids()).unwrap();
        let parse = |text: &str| Accepted::parse(Path::new("a.yaml"), text, &["mpa-crc"]);
        let accepted = parse("survivors: [{id: crc-unchecked, reason: x}]").unwrap();
        assert_eq!(accepted.survivor(Bug::by_name("crc-unchecked").unwrap()), Some("x"));
        for (text, told) in [
            ("survivors: [{id: crc-uncheckd, reason: x}]", "a.yaml:1:18: `crc-uncheckd` means"),
            ("idle: [{id: mpa, reason: x}]", "a.yaml:1:13: `mpa` means nothing here"),
            ("idle: [{id: mpa-crc, reason: ' '}]", "a.yaml:1:30: say why"),
        ] {
            let error = parse(text).unwrap_err().to_string();
            assert!(error.starts_with(told), "{error}");
        }
    }

    fn case_ids() -> Vec<&'static str> {
        let ids = warpscope_conformance::builtin::CASE_FILES.iter();
        ids.filter_map(|(_, text)| text.lines().find_map(|line| line.strip_prefix("id: ")))
            .collect()
    }
}
