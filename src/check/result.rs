//! What was found in a file, counted, with the first findings of each rule.

use super::found::Found;
use warpscope_dissector::rules::{Level, Rule};

/// Findings, by what follows from them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Counts {
    /// Broken MUSTs that are not waived.
    pub(super) must: u64,
    /// Broken SHOULDs that are not waived.
    pub(super) should: u64,
    /// Waived ones.
    pub(super) waived: u64,
}

impl Counts {
    /// Counts a finding.
    pub(super) fn take(&mut self, found: &Found) {
        match (&found.waived, found.finding.rule.level) {
            (Some(_), _) => self.waived += 1,
            (None, Level::Must) => self.must += 1,
            (None, Level::Should) => self.should += 1,
        }
    }

    /// Adds other counts.
    pub(super) fn add(&mut self, other: Self) {
        self.must += other.must;
        self.should += other.should;
        self.waived += other.waived;
    }

    /// Findings that are not waived.
    pub(super) fn standing(&self) -> u64 {
        self.must + self.should
    }

    /// Findings that make the check fail.
    pub(super) fn failing(&self, strict: bool) -> u64 {
        if strict { self.standing() } else { self.must }
    }

    /// The counts in words: `3 findings (2 MUST, 1 SHOULD), 1 waived`.
    pub(super) fn describe(&self) -> String {
        let standing = self.standing();
        let levels = match (self.must, self.should) {
            (0, 0) => String::new(),
            (must, 0) => format!(" ({must} MUST)"),
            (0, should) => format!(" ({should} SHOULD)"),
            (must, should) => format!(" ({must} MUST, {should} SHOULD)"),
        };
        let waived = match self.waived {
            0 => String::new(),
            waived => format!(", {waived} waived"),
        };
        match standing {
            0 if waived.is_empty() => "nothing found".to_owned(),
            0 => format!("nothing found{waived}"),
            1 => format!("1 finding{levels}{waived}"),
            _ => format!("{standing} findings{levels}{waived}"),
        }
    }
}

/// What breaks one rule in a file.
#[derive(Debug)]
pub(super) struct RuleResult {
    /// The rule.
    pub(super) rule: &'static Rule,
    /// All findings of it.
    pub(super) counts: Counts,
    /// The first of those that are not waived.
    pub(super) standing: Vec<Found>,
    /// The first of those that are waived.
    pub(super) waived: Vec<Found>,
}

impl RuleResult {
    /// Findings that are kept, in the order of their frames.
    pub(super) fn kept(&self) -> Vec<&Found> {
        let mut kept: Vec<&Found> = self.standing.iter().chain(&self.waived).collect();
        kept.sort_by_key(|found| found.finding.place.frame);
        kept
    }

    /// Findings that are only counted.
    pub(super) fn rest(&self) -> u64 {
        let all = self.counts.standing() + self.counts.waived;
        all.saturating_sub((self.standing.len() + self.waived.len()) as u64)
    }
}

/// What was found in a file.
#[derive(Debug)]
pub(super) struct FileResult {
    /// Its name as it was given.
    pub(super) name: String,
    /// Frames that were read.
    pub(super) frames: u64,
    /// Connections in which iWARP was found.
    pub(super) connections: u64,
    /// All findings.
    pub(super) counts: Counts,
    /// The rules that were broken, in the order of the rules.
    pub(super) rules: Vec<RuleResult>,
    /// Why it could not be read to its end.
    pub(super) error: Option<String>,
    limit: usize,
}

impl FileResult {
    /// Of a file of which nothing is read yet; of each rule this many findings are kept.
    pub(super) fn new(name: String, limit: usize) -> Self {
        let (counts, rules) = (Counts::default(), Vec::new());
        Self { name, frames: 0, connections: 0, counts, rules, error: None, limit }
    }

    /// Counts a finding, and keeps it if it is among the first of its rule.
    pub(super) fn take(&mut self, found: Found, position: impl Fn(&Rule) -> Option<usize>) {
        self.counts.take(&found);
        let rule = found.finding.rule;
        let index = match self.rules.iter().position(|known| known.rule == rule) {
            Some(index) => index,
            None => {
                let place = position(rule);
                let index = self.rules.partition_point(|known| position(known.rule) < place);
                let counts = Counts::default();
                let new = RuleResult { rule, counts, standing: Vec::new(), waived: Vec::new() };
                self.rules.insert(index, new);
                index
            }
        };
        let Some(of_rule) = self.rules.get_mut(index) else { return };
        of_rule.counts.take(&found);
        let kept = match found.waived {
            Some(_) => &mut of_rule.waived,
            None => &mut of_rule.standing,
        };
        if kept.len() < self.limit {
            kept.push(found);
        }
    }
}

/// Everything that was found.
#[derive(Debug, Default)]
pub(super) struct Summary {
    /// Files that were given.
    pub(super) files: u64,
    /// Those that could not be read to their end.
    pub(super) unreadable: u64,
    /// All findings.
    pub(super) counts: Counts,
    /// What is wrong with waivers that were not used, with file and line.
    pub(super) unused_waivers: Vec<String>,
}

impl Summary {
    /// Adds a file.
    pub(super) fn take(&mut self, file: &FileResult) {
        self.files += 1;
        self.unreadable += u64::from(file.error.is_some());
        self.counts.add(file.counts);
    }
}
