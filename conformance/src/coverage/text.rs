//! Coverage for people: a table, and what nothing judges.

use super::Tally;
use super::model::{Coverage, RequirementCoverage, Standing};
use crate::report::document_name;
use owo_colors::{OwoColorize as _, Style};
use std::io::{self, Write};
use warpscope_requirements::{Judged, Level};

/// What is printed.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    /// With colours, as ANSI escapes.
    pub coloured: bool,
    /// Every requirement with what judges it, and not only those that nothing judges.
    pub all: bool,
}

/// The heads of the columns of counts.
pub(super) const HEADS: [&str; 5] =
    ["MUST, active", "MUST, passive", "SHOULD", "MAY", "unobservable"];

/// Writes a table by document and section, then the requirements: each section's that nothing judges,
/// or all.
///
/// # Errors
/// Those of the output.
pub fn write(coverage: &Coverage, options: Options, out: &mut dyn Write) -> io::Result<()> {
    let bold = |text: &str| styled(text, Style::new().bold(), options.coloured);
    let mut head = format!("{:14}", "");
    HEADS.iter().for_each(|name| head.push_str(&format!("  {name:>13}")));
    writeln!(out, "{}", bold(head.trim_end()))?;
    for document in &coverage.documents {
        let name = document_name(&document.document.id);
        row(&bold(&format!("{name:14}")), &document.tally(), options, out)?;
        for section in &document.sections {
            let number = format!("  {:12}", section.number);
            row(&number, &section.tally(), options, out)?;
        }
    }
    row(&bold(&format!("{:14}", "All")), &coverage.tally(), options, out)?;
    for document in &coverage.documents {
        let sections = document.sections.iter().flat_map(|section| &section.requirements);
        let told: Vec<&RequirementCoverage> =
            sections.filter(|it| options.all || is_open(it)).collect();
        if told.is_empty() {
            continue;
        }
        let what = if options.all { "" } else { ": not judged" };
        writeln!(out, "\n{}", bold(&format!("{}{what}", document_name(&document.document.id))))?;
        for it in told {
            requirement(it, options, out)?;
        }
    }
    for unknown in &coverage.unknown {
        let words = unknown.to_string();
        writeln!(out, "{}", styled(&words, Style::new().red(), options.coloured))?;
    }
    Ok(())
}

/// Whether a requirement is a gap: a MUST or SHOULD that could be judged, and is not.
pub(super) fn is_open(it: &RequirementCoverage) -> bool {
    let open = matches!(it.standing(), Standing::Uncovered | Standing::Waived);
    open && it.requirement.level != Level::May
}

/// What judges a requirement, in words.
pub(super) fn judged_by(it: &RequirementCoverage) -> String {
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

fn row(name: &str, tally: &Tally, options: Options, out: &mut dyn Write) -> io::Result<()> {
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

fn requirement(it: &RequirementCoverage, options: Options, out: &mut dyn Write) -> io::Result<()> {
    let style = match it.standing() {
        Standing::Covered => Style::new().green(),
        Standing::Waived => Style::new().yellow(),
        Standing::Uncovered if it.is_active_must() => Style::new().red(),
        Standing::Uncovered => Style::new().yellow(),
        Standing::Unobservable => Style::new().dimmed(),
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
