//! The results: a table, the differences, and JUnit XML.

use super::run::{Outcome, Record};
use crate::table::{Cell, Column, Look, Table};
use anyhow::Result;
use owo_colors::Style;
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};
use std::io::{self, Write};
use warpscope_replay::Difference;
use warpscope_text::{counted, escaped};

/// Prints the table, then the problems, then the totals.
pub(crate) fn print(
    records: &[Record],
    required: bool,
    look: Look,
    out: &mut dyn Write,
) -> io::Result<()> {
    // Regardless of the terminal's width.
    let look = Look { width: None, ..look };
    for (index, group) in groups(records).enumerate() {
        let gap = if index > 0 { "\n" } else { "" };
        writeln!(out, "{gap}{}", folder(group))?;
        table(group, required).print(look, out)?;
    }
    for record in records.iter().filter(|record| !record.passed(required)) {
        writeln!(out, "\n{}", explanation(record))?;
    }
    writeln!(out, "\n{}", sums(records))
}

/// Returns the records by folder.
fn groups(records: &[Record]) -> impl Iterator<Item = &[Record]> {
    records.chunk_by(|one, next| one.case.folder == next.case.folder)
}

fn folder(group: &[Record]) -> String {
    group.first().map_or(String::new(), |first| first.case.folder.display().to_string())
}

fn table(records: &[Record], required: bool) -> Table {
    let numbers = ["frames", "connections", "FPDUs", "messages", "CRC bad", "skipped", "findings"];
    let mut columns = vec![Column::left("capture", 0)];
    columns.extend(numbers.map(|name| Column::right(name, 0)));
    columns.push(Column::left("result", 0));
    let mut table = Table::new(2, columns);
    for record in records {
        let mut cells = vec![Cell::from(record.case.name())];
        match &record.observed {
            Some(observed) => {
                let counts = &observed.counts;
                let crc = counts.map("crc");
                let bad = crc.iter().find(|(verdict, _)| *verdict == "bad").map_or(0, |bad| bad.1);
                let numbers = [
                    counts.number("frames"),
                    counts.number("connections"),
                    counts.number("fpdus"),
                    counts.sum("messages"),
                    bad,
                    counts.sum("skipped_bytes"),
                    observed.findings.values().sum(),
                ];
                cells.extend(numbers.map(Cell::from));
            }
            None => cells.extend(numbers.map(|_| Cell::from("-"))),
        }
        let (words, style) = result(record, required);
        cells.push(Cell::styled(words, style));
        table.push(cells);
    }
    table
}

fn result(record: &Record, required: bool) -> (String, Style) {
    let (green, red) = (Style::new().green(), Style::new().red());
    match &record.outcome {
        Outcome::Expected => ("as expected".to_owned(), green),
        Outcome::Differs(differences) => (counted(differences.len() as u64, "difference"), red),
        Outcome::Unexpected => {
            ("no expectations".to_owned(), if required { red } else { Style::new().dimmed() })
        }
        Outcome::Blessed { written: true } => ("blessed".to_owned(), Style::new().yellow()),
        Outcome::Blessed { written: false } => ("unchanged".to_owned(), green),
        Outcome::Broken(_) => ("broken".to_owned(), red),
    }
}

/// Describes the problem of a case, with advice.
fn explanation(record: &Record) -> String {
    let name = record.case.name();
    match &record.outcome {
        Outcome::Differs(differences) => {
            let file = record.case.expectations.display();
            let mut text = format!("{name} differs from what {file} expects:\n");
            text.push_str(&lines(differences));
            if differences.iter().all(Difference::by_hand) {
                text.push_str("\n  Correct by hand what was written by hand");
            } else {
                text.push_str("\n  If this is correct: warpscope replay --bless ");
                text.push_str(&path(record));
            }
            text
        }
        Outcome::Unexpected => format!(
            "{name} has no expectations: write them with\n  warpscope replay --bless {}\n  and read {} before you keep it",
            path(record),
            record.case.expectations.display()
        ),
        Outcome::Broken(reason) => reason.clone(),
        Outcome::Expected | Outcome::Blessed { .. } => String::new(),
    }
}

fn path(record: &Record) -> String {
    let capture = record.case.captures.first().unwrap_or(&record.case.expectations);
    capture.display().to_string()
}

/// Formats the differences, aligned.
fn lines(differences: &[Difference]) -> String {
    let mut table = Table::new(2, [Column::left("", 0); 4]);
    for difference in differences {
        let place = difference.place.map_or(String::new(), |place| format!("line {}", place.line));
        let expected = format!("expected {}", escaped(&difference.expected));
        let found = format!("found {}", escaped(&difference.found));
        table.push([difference.path.clone(), place, expected, found].map(Cell::from).into());
    }
    let mut lines = Vec::new();
    // Writing to memory does not fail.
    let _ = table.print(Look { coloured: false, width: None }, &mut lines);
    String::from_utf8_lossy(&lines).trim_end().to_owned()
}

/// Counts the outcomes.
fn sums(records: &[Record]) -> String {
    let count =
        |fits: fn(&Outcome) -> bool| records.iter().filter(|record| fits(&record.outcome)).count();
    let parts = [
        (count(|outcome| matches!(outcome, Outcome::Expected)), "as expected"),
        (count(|outcome| matches!(outcome, Outcome::Blessed { written: true })), "blessed"),
        (count(|outcome| matches!(outcome, Outcome::Blessed { written: false })), "unchanged"),
        (count(|outcome| matches!(outcome, Outcome::Differs(_))), "different"),
        (count(|outcome| matches!(outcome, Outcome::Unexpected)), "without expectations"),
        (count(|outcome| matches!(outcome, Outcome::Broken(_))), "broken"),
    ];
    let parts: Vec<String> = parts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, words)| format!("{count} {words}"))
        .collect();
    format!("{}: {}", counted(records.len() as u64, "capture"), parts.join(", "))
}

/// Returns the outcome as JUnit XML: a suite for each folder, a case for each capture.
pub(crate) fn junit(records: &[Record], required: bool) -> Result<String> {
    let mut report = Report::new("warpscope replay");
    for group in groups(records) {
        let folder = folder(group);
        let mut suite = TestSuite::new(folder.clone());
        for record in group {
            let mut case = TestCase::new(record.case.name(), status(record, required));
            case.set_classname(folder.clone());
            case.set_time(record.duration);
            suite.add_test_case(case);
        }
        report.add_test_suite(suite);
    }
    Ok(report.to_string()?)
}

fn status(record: &Record, required: bool) -> TestCaseStatus {
    if matches!(record.outcome, Outcome::Unexpected) && !required {
        return TestCaseStatus::skipped();
    }
    if record.passed(required) {
        return TestCaseStatus::success();
    }
    let kind = match record.outcome {
        Outcome::Broken(_) => NonSuccessKind::Error,
        _ => NonSuccessKind::Failure,
    };
    let mut status = TestCaseStatus::non_success(kind);
    status.set_message(result(record, required).0);
    status.set_description(explanation(record));
    status
}
