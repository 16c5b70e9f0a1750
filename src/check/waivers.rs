//! Tolerated findings: a YAML list of waivers, each with its reason.

use super::run::{Selection, named};
use anyhow::{Context as _, Result, anyhow, bail};
use glob::{MatchOptions, Pattern};
use serde::Deserialize;
use std::path::Path;
use warpscope_dissector::rules::{Finding, Rule};
use warpscope_yaml::{self as yaml, Placed};

/// A wildcard does not match a slash.
const GLOB: MatchOptions = MatchOptions {
    case_sensitive: true,
    require_literal_separator: true,
    require_literal_leading_dot: false,
};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    rule: Placed<String>,
    file: Option<Placed<String>>,
    connection: Option<u32>,
    frame: Option<u64>,
    reason: Placed<String>,
}

#[derive(Debug)]
struct Waiver {
    rules: Vec<&'static Rule>,
    file: Option<Pattern>,
    connection: Option<u32>,
    frame: Option<u64>,
    reason: String,
    /// The rule and the other conditions, for a message.
    shown: String,
    line: u64,
    used: bool,
}

impl Waiver {
    fn covers(&self, file: &str, finding: &Finding) -> bool {
        let place = &finding.place;
        self.rules.contains(&finding.rule)
            && self.connection.is_none_or(|number| number == place.connection.number)
            && self.frame.is_none_or(|number| number == place.frame)
            && self.file.as_ref().is_none_or(|pattern| matches(pattern, file))
    }
}

/// Whether a pattern matches a file: only its last component if the pattern has no slash.
fn matches(pattern: &Pattern, file: &str) -> bool {
    let name = match pattern.as_str().contains('/') {
        true => file.strip_prefix("./").unwrap_or(file),
        false => file.rsplit('/').next().unwrap_or(file),
    };
    pattern.matches_with(name, GLOB)
}

#[derive(Debug, Default)]
pub(super) struct Waivers {
    name: String,
    list: Vec<Waiver>,
}

impl Waivers {
    pub(super) fn read(path: &Path, all: &[&'static Rule]) -> Result<Self> {
        let name = path.display().to_string();
        let text = crate::input::read_text(path)
            .with_context(|| format!("--waivers {name}: cannot read the file; check its name"))?;
        Self::parse(&name, &text, all)
    }

    pub(super) fn parse(name: &str, text: &str, all: &[&'static Rule]) -> Result<Self> {
        let entries: Option<Vec<Entry>> = yaml::read(Path::new(name), text).map_err(|error| {
            anyhow!("{error}; waivers are a YAML list, each with rule and reason")
        })?;
        let (mut list, mut faults) = (Vec::new(), Vec::new());
        for entry in entries.into_iter().flatten() {
            match waiver(entry, all) {
                Ok(waiver) => list.push(waiver),
                Err((line, column, what)) => faults.push(format!("{name}:{line}:{column}: {what}")),
            }
        }
        if faults.is_empty() {
            return Ok(Self { name: name.to_owned(), list });
        }
        bail!("{}", faults.join("\n"))
    }

    /// Returns the reason why a finding is tolerated, if it is. Every waiver that covers it counts as used.
    pub(super) fn reason(&mut self, file: &str, finding: &Finding) -> Option<String> {
        let mut reason = None;
        for waiver in self.list.iter_mut().filter(|waiver| waiver.covers(file, finding)) {
            waiver.used = true;
            reason.get_or_insert_with(|| waiver.reason.clone());
        }
        reason
    }

    /// Describes waivers that covered nothing although their rules were judged.
    pub(super) fn unused(&self, selection: &Selection) -> Vec<String> {
        let judged = |rule: &&'static Rule| selection.position(rule).is_some();
        self.list
            .iter()
            .filter(|waiver| !waiver.used && waiver.rules.iter().any(judged))
            .map(|waiver| {
                let (name, line) = (&self.name, waiver.line);
                format!("{name}:{line}: the waiver of {} was not used; remove it", waiver.shown)
            })
            .collect()
    }
}

/// Returns a waiver from its entry; or line and column, and the mistake there.
fn waiver(entry: Entry, all: &[&'static Rule]) -> Result<Waiver, (u64, u64, String)> {
    fn at<T>(value: &Placed<T>, what: String) -> (u64, u64, String) {
        (value.place.line, value.place.column, what)
    }
    let rules = named(all, &entry.rule.value)
        .map_err(|unknown| at(&entry.rule, format!("{}: {unknown}", entry.rule.value)))?;
    if entry.reason.value.trim().is_empty() {
        return Err(at(&entry.reason, "the reason is empty; say why this is tolerated".to_owned()));
    }
    let mut shown = entry.rule.value.clone();
    let file = match &entry.file {
        Some(file) => {
            shown.push_str(" in ");
            shown.push_str(&file.value);
            let text = file.value.strip_prefix("./").unwrap_or(&file.value);
            let pattern = Pattern::new(text).map_err(|error| {
                at(file, format!("{}: not a file pattern: {}", file.value, error.msg))
            })?;
            Some(pattern)
        }
        None => None,
    };
    for (word, number) in
        [(" in connection ", entry.connection.map(u64::from)), (" in frame ", entry.frame)]
    {
        if let Some(number) = number {
            shown.push_str(word);
            shown.push_str(&number.to_string());
        }
    }
    Ok(Waiver {
        rules,
        file,
        connection: entry.connection,
        frame: entry.frame,
        reason: entry.reason.value.trim().to_owned(),
        shown,
        line: entry.rule.place.line,
        used: false,
    })
}
