//! Coverage as Markdown: tables.

use super::Tally;
use super::model::{Coverage, RequirementCoverage};
use super::text::{HEADS, is_open, judged_by};
use crate::report::document_name;
use std::io::{self, Write};

/// Writes a table of counts by document, and for each document one of its sections and one of the
/// requirements: those that nothing judges, or all.
///
/// # Errors
/// Those of the output.
pub fn write(coverage: &Coverage, all: bool, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "# Coverage\n")?;
    head("Document", out)?;
    for document in &coverage.documents {
        row(&document_name(&document.document.id), &document.tally(), out)?;
    }
    row("All", &coverage.tally(), out)?;
    for document in &coverage.documents {
        writeln!(out, "\n## {}\n", document_name(&document.document.id))?;
        head("Section", out)?;
        for section in &document.sections {
            row(&section.number, &section.tally(), out)?;
        }
        let sections = document.sections.iter().flat_map(|section| &section.requirements);
        let told: Vec<&RequirementCoverage> = sections.filter(|it| all || is_open(it)).collect();
        if told.is_empty() {
            continue;
        }
        writeln!(out, "\n| Requirement | Level | Judged | By | What is demanded |")?;
        writeln!(out, "| --- | --- | --- | --- | --- |")?;
        for it in told {
            let wanted = &it.requirement;
            let (level, judged) = (wanted.level, wanted.judged);
            let (by, text) = (cell(&judged_by(it)), cell(&wanted.text));
            writeln!(out, "| `{}` | {level} | {judged} | {by} | {text} |", wanted.id)?;
        }
    }
    Ok(())
}

fn head(first: &str, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "| {first} | {} |\n| --- | ---: | ---: | ---: | ---: | ---: |", HEADS.join(" | "))
}

fn row(name: &str, tally: &Tally, out: &mut dyn Write) -> io::Result<()> {
    let Tally { active_must, passive_must, should, may, unobservable } = tally;
    writeln!(out, "| {name} | {active_must} | {passive_must} | {should} | {may} | {unobservable} |")
}

/// Text in a cell.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").split_whitespace().collect::<Vec<_>>().join(" ")
}
