//! Compares what is expected with what was found.

use super::expectations::Expectations;
use super::observed::Observed;
use std::collections::BTreeMap;
use warpscope_yaml::{Entries, Place, Placed};

/// A difference between what is expected and what was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The keys that lead to it in the file, joined by dots.
    pub path: String,
    /// Its place in the file; `None` if the file does not mention it.
    pub place: Option<Place>,
    /// What is expected.
    pub expected: String,
    /// What was found.
    pub found: String,
}

impl Difference {
    fn new(
        path: String,
        place: Option<Place>,
        expected: impl ToString,
        found: impl ToString,
    ) -> Self {
        Self { path, place, expected: expected.to_string(), found: found.to_string() }
    }

    /// Whether `--bless` does not write it, because it is written by hand.
    pub fn by_hand(&self) -> bool {
        ["fields.", "waived.", "capture"].iter().any(|start| self.path.starts_with(start))
    }
}

/// Returns the differences, in the order of the file's sections.
pub fn differences(
    capture: &str,
    expectations: &Expectations,
    observed: &Observed,
) -> Vec<Difference> {
    let mut differences = Vec::new();
    if let Some(named) = expectations.capture.as_ref().filter(|named| named.value != capture) {
        let (path, place) = ("capture".to_owned(), Some(named.place));
        differences.push(Difference::new(path, place, &named.value, capture));
    }
    for (name, expected) in &expectations.numbers {
        let found = observed.counts.number(name);
        if found != expected.value {
            let (path, place) = (format!("counts.{name}"), Some(expected.place));
            differences.push(Difference::new(path, place, expected.value, found));
        }
    }
    let nothing = BTreeMap::new();
    for (name, expected) in &expectations.maps {
        let found = observed.counts.maps.get(name).unwrap_or(&nothing);
        map(&format!("counts.{name}"), expected, found, &mut differences);
    }
    findings(expectations, observed, &mut differences);
    for expected in &expectations.fields {
        let (frame, field) = (expected.frame, expected.field.name);
        let found = observed.fields.get(&(frame, field)).map_or(&[][..], Vec::as_slice);
        let is_there = frame <= observed.counts.number("frames");
        if !is_there || !expected.values.fits(found) {
            let found: Vec<&str> = found.iter().map(|value| value.text.as_str()).collect();
            let found = match (is_there, found.is_empty()) {
                (false, _) => "no such frame".to_owned(),
                (true, true) => "no value".to_owned(),
                (true, false) => found.join(", "),
            };
            let path = format!("fields.{frame}.{field}");
            let expected = (Some(expected.place), expected.values.shown());
            differences.push(Difference::new(path, expected.0, expected.1, found));
        }
    }
    differences
}

/// Compares counts by kind. A kind that is not named is expected not to occur.
fn map(
    path: &str,
    expected: &Entries<Placed<u64>>,
    found: &BTreeMap<String, u64>,
    differences: &mut Vec<Difference>,
) {
    for (kind, count) in &expected.0 {
        let found = found.get(&kind.value).copied().unwrap_or(0);
        if found != count.value {
            let path = format!("{path}.{}", kind.value);
            differences.push(Difference::new(path, Some(count.place), count.value, found));
        }
    }
    for (kind, count) in found.iter().filter(|(kind, _)| expected.of(kind).is_none()) {
        differences.push(Difference::new(format!("{path}.{kind}"), None, 0, count));
    }
}

/// Compares findings. A waived rule may find any number of things, but at least one; if it also has a count,
/// it must find that many.
fn findings(expectations: &Expectations, observed: &Observed, differences: &mut Vec<Difference>) {
    let expected = expectations.findings.as_ref();
    let is_counted = |rule: &str| expected.is_some_and(|expected| expected.of(rule).is_some());
    if let Some(expected) = expected {
        let mut counted = observed.findings.clone();
        counted.retain(|rule, _| expectations.waived.of(rule).is_none() || is_counted(rule));
        map("findings", expected, &counted, differences);
    }
    for (rule, reason) in &expectations.waived.0 {
        let found = observed.findings.get(&rule.value).copied().unwrap_or(0);
        if found == 0 && !is_counted(&rule.value) {
            let path = format!("waived.{}", rule.value);
            let expected = format!("findings ({})", reason.value);
            differences.push(Difference::new(path, Some(rule.place), expected, "none"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn compared(text: &str, observed: &Observed) -> Vec<String> {
        let expectations = Expectations::read(Path::new("a"), text).unwrap();
        differences("c.pcap", &expectations, observed)
            .into_iter()
            .map(|difference| {
                format!("{}: {} / {}", difference.path, difference.expected, difference.found)
            })
            .collect()
    }

    fn observed() -> Observed {
        let mut observed = Observed::default();
        observed.counts.numbers.insert("frames", 7);
        let sends = [("Send".to_owned(), 2)];
        observed.counts.maps.insert("messages", sends.into_iter().collect());
        observed.findings = [("A-1".to_owned(), 3), ("B-2".to_owned(), 1)].into_iter().collect();
        observed
    }

    #[test]
    fn what_is_not_named_is_not_compared_and_a_map_names_all_its_kinds() {
        assert!(compared("# nothing\n", &observed()).is_empty());
        assert!(compared("counts:\n  frames: 7\n  messages: {Send: 2}\n", &observed()).is_empty());
        assert_eq!(compared("counts: {frames: 8}", &observed()), ["counts.frames: 8 / 7"]);
        assert_eq!(
            compared("counts:\n  messages:\n    Write: 1\n", &observed()),
            ["counts.messages.Write: 1 / 0", "counts.messages.Send: 0 / 2"]
        );
        assert_eq!(compared("capture: d.pcap", &observed()), ["capture: d.pcap / c.pcap"]);
    }

    #[test]
    fn findings_are_counted_or_waived() {
        assert_eq!(
            compared("findings: {}", &observed()),
            ["findings.A-1: 0 / 3", "findings.B-2: 0 / 1"]
        );
        assert!(compared("findings: {A-1: 3, B-2: 1}", &observed()).is_empty());
        assert!(compared("findings: {B-2: 1}\nwaived: {A-1: known}", &observed()).is_empty());
        assert_eq!(
            compared("findings: {A-1: 4, B-2: 1}\nwaived: {A-1: known}", &observed()),
            ["findings.A-1: 4 / 3"]
        );
        assert_eq!(
            compared("findings: {A-1: 3, B-2: 1}\nwaived: {C-3: old}", &observed()),
            ["waived.C-3: findings (old) / none"]
        );
        assert_eq!(
            compared("waived: {C-3: old}", &observed()),
            ["waived.C-3: findings (old) / none"]
        );
    }
}
