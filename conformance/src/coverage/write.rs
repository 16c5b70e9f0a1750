//! Writes the coverage as text, Markdown and JSON.

use super::model::{Coverage, CoverageStatus, RequirementCoverage, SectionCoverage, Tally};
use owo_colors::{OwoColorize as _, Style};
use serde_json::{Value, json};
use std::io::{self, Write};
use warpscope_requirements::{Judged, Level, document_name};

/// Options of the text output.
#[derive(Debug, Clone, Copy, Default)]
pub struct TextOptions {
    /// Whether to use colours, as ANSI escapes.
    pub coloured: bool,
    /// Whether to list every requirement with what judges it, and not only those that nothing judges.
    pub all: bool,
}

/// The headings of the columns of counts.
const HEADS: [&str; 5] = ["MUST, active", "MUST, passive", "SHOULD", "MAY", "unobservable"];

/// Writes a table by document and section, then the requirements of each section: those that nothing judges,
/// or all.
pub fn write_text(
    coverage: &Coverage,
    options: TextOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    let bold = |text: &str| styled(text, Style::new().bold(), options.coloured);
    let mut head = format!("{:14}", "");
    HEADS.iter().for_each(|name| head.push_str(&format!("  {name:>13}")));
    writeln!(out, "{}", bold(head.trim_end()))?;
    for document in &coverage.documents {
        let name = document_name(&document.document.id);
        text_row(&bold(&format!("{name:14}")), &document.tally(), options, out)?;
        for section in &document.sections {
            let number = format!("  {:12}", section.number);
            text_row(&number, &section.tally(), options, out)?;
        }
    }
    text_row(&bold(&format!("{:14}", "All")), &coverage.tally(), options, out)?;
    for document in &coverage.documents {
        let sections = document.sections.iter().flat_map(|section| &section.requirements);
        let listed: Vec<&RequirementCoverage> =
            sections.filter(|it| options.all || is_open(it)).collect();
        if listed.is_empty() {
            continue;
        }
        let what = if options.all { "" } else { ": not judged" };
        writeln!(out, "\n{}", bold(&format!("{}{what}", document_name(&document.document.id))))?;
        for it in listed {
            text_requirement(it, options, out)?;
        }
    }
    for unknown in &coverage.unknown {
        let words = unknown.to_string();
        writeln!(out, "{}", styled(&words, Style::new().red(), options.coloured))?;
    }
    Ok(())
}

/// Whether a requirement is a gap: a MUST or SHOULD that could be judged but is not.
fn is_open(it: &RequirementCoverage) -> bool {
    let open = matches!(it.status(), CoverageStatus::Uncovered | CoverageStatus::Waived);
    open && it.requirement.level != Level::May
}

/// Describes what judges a requirement.
fn judged_by(it: &RequirementCoverage) -> String {
    let mut words = Vec::new();
    let s = |count: usize| if count == 1 { "" } else { "s" };
    if !it.cases.is_empty() {
        words.push(format!("case{} {}", s(it.cases.len()), it.cases.join(", ")));
    }
    if !it.rules.is_empty() {
        words.push(format!("rule{} {}", s(it.rules.len()), it.rules.join(", ")));
    }
    if let Some(reason) = &it.waived {
        words.push(format!("waived: {}", reason.trim()));
    }
    match (words.is_empty(), it.requirement.judged) {
        (false, _) => {}
        (true, Judged::Unobservable) => words.push("not observable".to_owned()),
        (true, _) => words.push("nothing".to_owned()),
    }
    if it.cases.is_empty() && !it.same.is_empty() {
        words.push(format!("cases cover {}, which says the same", it.same.join(", ")));
    }
    words.join("; ")
}

fn text_row(
    name: &str,
    tally: &Tally,
    options: TextOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    write!(out, "{name}")?;
    for share in [tally.active_must, tally.passive_must, tally.should, tally.may] {
        let style = match (share.total, share.open(), share.waived) {
            (0, ..) => Style::new().dimmed(),
            (_, 0, 0) => Style::new().green(),
            _ => Style::new().yellow(),
        };
        write!(out, "  {}", styled(&format!("{share:>13}"), style, options.coloured))?;
    }
    match tally.unobservable {
        0 => writeln!(out, "  {:>13}", "-"),
        count => writeln!(out, "  {count:>13}"),
    }
}

fn text_requirement(
    it: &RequirementCoverage,
    options: TextOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    let style = match it.status() {
        CoverageStatus::Covered => Style::new().green(),
        CoverageStatus::Waived => Style::new().yellow(),
        CoverageStatus::Uncovered if it.is_active_must() => Style::new().red(),
        CoverageStatus::Uncovered => Style::new().yellow(),
        CoverageStatus::Unobservable => Style::new().dimmed(),
    };
    let wanted = &it.requirement;
    let (level, judged) = (wanted.level.word(), wanted.judged.word());
    let id = styled(&format!("{:18}", wanted.id), style, options.coloured);
    writeln!(out, "  {id}  {level:10}  {judged:12}  {}", judged_by(it))?;
    if is_open(it) && !options.all {
        writeln!(out, "      {}", wanted.text)?;
    }
    Ok(())
}

fn styled(text: &str, style: Style, coloured: bool) -> String {
    if coloured { text.style(style).to_string() } else { text.to_owned() }
}

/// Writes a table of counts by document, and for each document a table of its sections and one of its
/// requirements: those that nothing judges, or all.
pub fn write_markdown(coverage: &Coverage, all: bool, out: &mut dyn Write) -> io::Result<()> {
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
        let listed: Vec<&RequirementCoverage> = sections.filter(|it| all || is_open(it)).collect();
        if listed.is_empty() {
            continue;
        }
        writeln!(out, "\n| Requirement | Level | Judged | By | What is required |")?;
        writeln!(out, "| --- | --- | --- | --- | --- |")?;
        for it in listed {
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

fn cell(text: &str) -> String {
    text.replace('|', "\\|").split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The name and version of the object.
const FORMAT: &str = "warpscope-conformance-coverage/1";

/// Writes the coverage as JSON.
///
/// | key | what |
/// |---|---|
/// | `format` | `warpscope-conformance-coverage/1` |
/// | `tally` | counts of all: `active_must`, `passive_must`, `should`, `may` (each `total`, `covered`, `waived`), `unobservable` |
/// | `documents` | a list: `id`, `title`, `tally`, `sections` |
/// | `sections` | a list: `section`, `tally`, `uncovered` (ids of MUSTs and SHOULDs that nothing judges), `requirements` |
/// | `requirements` | a list: `id`, `level`, `judged`, `text`, `standing` (`covered`, `waived`, `uncovered`, `unobservable`), `cases`, `rules`, `said_elsewhere`, `waived` (the reason) |
/// | `unknown` | ids that cases and rules name and no requirement has: `by`, `id`, `nearest` |
pub fn write_json(coverage: &Coverage, out: &mut dyn Write) -> io::Result<()> {
    let documents: Vec<Value> = coverage
        .documents
        .iter()
        .map(|it| {
            json!({
                "id": it.document.id,
                "title": it.document.title,
                "tally": it.tally(),
                "sections": it.sections.iter().map(section).collect::<Vec<_>>(),
            })
        })
        .collect();
    let unknown: Vec<Value> = coverage
        .unknown
        .iter()
        .map(|it| json!({ "by": it.by, "id": it.error.id, "nearest": it.error.nearest }))
        .collect();
    let whole = json!({
        "format": FORMAT,
        "tally": coverage.tally(),
        "documents": documents,
        "unknown": unknown,
    });
    serde_json::to_writer_pretty(&mut *out, &whole)?;
    writeln!(out)
}

fn section(section: &SectionCoverage) -> Value {
    let open = section.requirements.iter().filter(|it| is_open(it));
    json!({
        "section": section.number,
        "tally": section.tally(),
        "uncovered": open.map(|it| it.requirement.id.as_str()).collect::<Vec<_>>(),
        "requirements": section.requirements.iter().map(requirement).collect::<Vec<_>>(),
    })
}

fn requirement(it: &RequirementCoverage) -> Value {
    json!({
        "id": it.requirement.id,
        "level": it.requirement.level.word(),
        "judged": it.requirement.judged.word(),
        "text": it.requirement.text,
        "standing": it.status(),
        "cases": it.cases,
        "rules": it.rules,
        "said_elsewhere": it.same,
        "waived": it.waived,
    })
}
