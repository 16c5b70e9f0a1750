//! What came of it: a table, the differences, and JUnit for machines.

use super::compare::Difference;
use super::run::{Outcome, Record};
use anyhow::{Context as _, Result};
use comfy_table::{CellAlignment, Table, presets};
use owo_colors::{AnsiColors, OwoColorize as _};
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};
use std::io::{self, Write};
use std::path::Path;
use warpscope_text::{counted, push_escaped};

const COLUMNS: [&str; 9] = [
    "capture",
    "frames",
    "connections",
    "FPDUs",
    "messages",
    "CRC bad",
    "skipped",
    "findings",
    "result",
];

/// Prints the table, then what is wrong, then the sums.
pub(crate) fn print(records: &[Record], coloured: bool, out: &mut dyn Write) -> io::Result<()> {
    let mut folder = None;
    for group in records.chunk_by(|one, next| one.case.folder == next.case.folder) {
        if let Some(first) = group.first() {
            let gap = if folder.is_some() { "\n" } else { "" };
            writeln!(out, "{gap}{}", first.case.folder.display())?;
            folder = Some(&first.case.folder);
        }
        for line in table(group, coloured).lines() {
            // The style puts a blank in front.
            writeln!(out, " {}", line.trim_end())?;
        }
    }
    for record in records.iter().filter(|record| !record.passed()) {
        writeln!(out, "\n{}", explanation(record))?;
    }
    writeln!(out, "\n{}", sums(records))
}

fn table(records: &[Record], coloured: bool) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(COLUMNS);
    for record in records {
        let mut cells = vec![record.case.name()];
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
                cells.extend(numbers.map(|number| number.to_string()));
            }
            None => cells.extend(std::iter::repeat_n("-".to_owned(), COLUMNS.len() - 2)),
        }
        let (words, colour) = result(record);
        cells.push(if coloured { words.color(colour).to_string() } else { words });
        table.add_row(cells);
    }
    for column in 1..COLUMNS.len() - 1 {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table.to_string()
}

fn result(record: &Record) -> (String, AnsiColors) {
    match &record.outcome {
        Outcome::Expected => ("as expected".to_owned(), AnsiColors::Green),
        Outcome::Differs(differences) => {
            (counted(differences.len() as u64, "difference"), AnsiColors::Red)
        }
        Outcome::Unexpected => ("no expectations".to_owned(), AnsiColors::Red),
        Outcome::Blessed { written: true } => ("blessed".to_owned(), AnsiColors::Yellow),
        Outcome::Blessed { written: false } => ("unchanged".to_owned(), AnsiColors::Green),
        Outcome::Broken(_) => ("broken".to_owned(), AnsiColors::Red),
    }
}

/// What is wrong with a case, and what can be done.
fn explanation(record: &Record) -> String {
    let name = record.case.name();
    match &record.outcome {
        Outcome::Differs(differences) => {
            let file = record.case.expectations.display();
            let mut text = format!("{name} is not as {file} expects:\n");
            text.push_str(&lines(differences));
            if differences.iter().all(Difference::by_hand) {
                text.push_str("\n  What is written by hand is corrected by hand");
            } else {
                text.push_str("\n  If that is right: warpscope replay --bless ");
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

/// The differences, aligned.
fn lines(differences: &[Difference]) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    for difference in differences {
        let place = difference.place.map_or(String::new(), |place| format!("line {}", place.line));
        table.add_row([
            difference.path.clone(),
            place,
            format!("expected {}", shown(&difference.expected)),
            format!("found {}", shown(&difference.found)),
        ]);
    }
    let lines: Vec<String> = table.lines().map(|line| format!("  {}", line.trim_end())).collect();
    lines.join("\n")
}

/// What a capture or a file holds, without control characters.
fn shown(text: &str) -> String {
    let mut out = String::new();
    push_escaped(text, &mut out);
    out
}

/// How many came out how.
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

/// Writes the outcome as JUnit XML: a suite for each folder, a case for each capture.
pub(crate) fn junit(records: &[Record], file: &Path) -> Result<()> {
    let mut report = Report::new("warpscope replay");
    for group in records.chunk_by(|one, next| one.case.folder == next.case.folder) {
        let Some(first) = group.first() else { continue };
        let folder = first.case.folder.display().to_string();
        let mut suite = TestSuite::new(folder.clone());
        for record in group {
            let mut case = TestCase::new(record.case.name(), status(record));
            case.set_classname(folder.clone());
            case.set_time(record.duration);
            suite.add_test_case(case);
        }
        report.add_test_suite(suite);
    }
    let failed = || format!("{}: the report cannot be written", file.display());
    let text = report.to_string().with_context(failed)?;
    std::fs::write(file, text).with_context(failed)
}

fn status(record: &Record) -> TestCaseStatus {
    if record.passed() {
        return TestCaseStatus::success();
    }
    let kind = match record.outcome {
        Outcome::Broken(_) => NonSuccessKind::Error,
        _ => NonSuccessKind::Failure,
    };
    let mut status = TestCaseStatus::non_success(kind);
    status.set_message(result(record).0);
    status.set_description(explanation(record));
    status
}
