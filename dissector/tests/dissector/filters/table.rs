//! The tables: expressions with their counts, and the differences that are accepted.

use crate::prelude::*;
use std::fmt;

/// How many frames of a capture pass.
#[derive(Debug)]
pub(crate) struct Expected {
    /// The capture's name without endings.
    pub(crate) capture: String,
    /// As tshark counts.
    pub(crate) theirs: usize,
    /// As this project counts.
    pub(crate) ours: usize,
}

/// One expression.
#[derive(Debug)]
pub(crate) struct Row {
    /// The display filter.
    pub(crate) expression: String,
    /// The captures and counts.
    pub(crate) expected: Vec<Expected>,
}

impl Row {
    /// Whether another analyzer knows its fields.
    pub(crate) fn is_shared(&self) -> bool {
        !self.expression.contains("warpscope.")
    }

    pub(crate) fn of(&self, capture: &str) -> Option<&Expected> {
        self.expected.iter().find(|expected| expected.capture == capture)
    }
}

/// The lines of a table without comments.
fn lines(table: &'static str) -> impl Iterator<Item = &'static str> {
    table.lines().filter(|line| !line.is_empty() && !line.starts_with('#'))
}

/// The expressions of `table.tsv`.
pub(crate) fn rows() -> Vec<Row> {
    lines(include_str!("table.tsv")).map(row).collect()
}

fn row(line: &str) -> Row {
    let columns: Vec<&str> = line.split('\t').collect();
    let [_group, expression, counts] = columns[..] else { panic!("three columns: {line}") };
    let expected = counts.split(' ').map(|count| {
        let (capture, counts) = count.split_once(':').unwrap_or_else(|| panic!("{line}"));
        let (theirs, ours) = counts.split_once('/').unwrap_or((counts, counts));
        let number = |text: &str| text.parse().unwrap_or_else(|_| panic!("{text} in {line}"));
        Expected { capture: capture.to_owned(), theirs: number(theirs), ours: number(ours) }
    });
    Row { expression: expression.to_owned(), expected: expected.collect() }
}

/// One accepted kind of difference.
pub(crate) struct Accepted {
    captures: &'static str,
    expressions: &'static str,
    /// Frames may pass here that do not pass with tshark.
    pub(crate) more_here: bool,
    /// Frames may pass with tshark that do not pass here.
    pub(crate) more_there: bool,
    reason: &'static str,
}

impl fmt::Debug for Accepted {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} `{}`: {}", self.captures, self.expressions, self.reason)
    }
}

impl Accepted {
    /// Whether the entry speaks of this expression on this capture.
    pub(crate) fn is_about(&self, capture: &str, expression: &str) -> bool {
        self.captures.split(' ').any(|pattern| fits(pattern, capture))
            && fits(self.expressions, expression)
    }
}

/// The entries of `accepted.tsv`.
pub(crate) fn accepted() -> Vec<Accepted> {
    lines(include_str!("accepted.tsv"))
        .map(|line| {
            let columns: Vec<&str> = line.split('\t').collect();
            let [captures, expressions, side, reason] = columns[..] else {
                panic!("four columns: {line}")
            };
            let (more_here, more_there) = match side {
                "here" => (true, false),
                "tshark" => (false, true),
                "both" => (true, true),
                other => panic!("{other} is none of here, tshark, both"),
            };
            Accepted { captures, expressions, more_here, more_there, reason }
        })
        .collect()
}
