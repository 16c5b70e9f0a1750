//! The findings view: rules that are broken, each with its places.

use super::index::FoundRow;
use super::{Capture, Cursor};
use std::collections::HashSet;
use warpscope_dissector::rules::Rule;

/// A line of the findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FindingLine {
    /// A rule, and how often it was broken.
    Rule(&'static Rule, usize),
    /// A place: an index into the findings.
    Place(usize),
}

/// The findings view.
#[derive(Debug, Clone, Default)]
pub struct FindingsView {
    /// The chosen line, and what is seen.
    pub cursor: Cursor,
    /// The lines.
    pub lines: Vec<FindingLine>,
    /// Rules whose places are shown, by their names.
    pub open: HashSet<&'static str>,
}

impl FindingsView {
    /// Lists anew: MUSTs before SHOULDs, and what was broken most often first.
    pub fn list(&mut self, found: &[FoundRow], flow: Option<u32>, page: usize) {
        let mut rules: Vec<(&'static Rule, Vec<usize>)> = Vec::new();
        let wanted = |row: &FoundRow| flow.is_none_or(|flow| row.flow == flow);
        for (index, row) in found.iter().enumerate().filter(|(_, row)| wanted(row)) {
            match rules.iter_mut().find(|(rule, _)| *rule == row.rule) {
                Some((_, places)) => places.push(index),
                None => rules.push((row.rule, vec![index])),
            }
        }
        rules.sort_by(|(one, places), (other, others)| {
            other.level.cmp(&one.level).then(others.len().cmp(&places.len()))
        });
        self.lines.clear();
        for (rule, places) in rules {
            self.lines.push(FindingLine::Rule(rule, places.len()));
            if self.open.contains(rule.id) {
                self.lines.extend(places.into_iter().map(FindingLine::Place));
            }
        }
        self.cursor.choose(self.cursor.selected, self.lines.len(), page);
    }

    /// The chosen place; of a rule the first one.
    pub fn chosen<'a>(&self, capture: &'a Capture) -> Option<&'a FoundRow> {
        match self.lines.get(self.cursor.selected)? {
            FindingLine::Place(index) => capture.found.get(*index),
            FindingLine::Rule(rule, _) => capture.found.iter().find(|row| row.rule == *rule),
        }
    }

    /// The chosen rule.
    pub fn rule(&self, capture: &Capture) -> Option<&'static Rule> {
        match self.lines.get(self.cursor.selected)? {
            FindingLine::Rule(rule, _) => Some(rule),
            FindingLine::Place(index) => capture.found.get(*index).map(|row| row.rule),
        }
    }
}
