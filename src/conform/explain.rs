//! `conform explain`: a case in words, or what judges a requirement.

use super::cases::{Known, complain_of_broken, library};
use super::unknown::neither;
use crate::cli::ExplainArguments;
use crate::failure::OutputError;
use crate::terminal::standard_output;
use anyhow::Result;
use owo_colors::OwoColorize as _;
use std::io::{self, Write};
use std::process::ExitCode;
use warpscope_conformance::case::{Case, Cases};
use warpscope_conformance::listing::{Card, Library};
use warpscope_conformance::report::document_name;
use warpscope_dissector::rules;
use warpscope_peer::bug::Bug;
use warpscope_requirements::{Catalogue, Requirement};

/// Instances that are shown of a case.
const SHOWN: usize = 8;

/// Prints the explanation.
///
/// # Errors
/// When there is no such case or requirement, the folder cannot be read, or the output failed.
pub(super) fn run(arguments: &ExplainArguments) -> Result<ExitCode> {
    let known = Known::builtin()?;
    let catalogue = &known.catalogue;
    let library = library(&arguments.cases, catalogue)?;
    complain_of_broken(&library);
    let (mut out, coloured) = standard_output();
    let page = Page { catalogue, expanded: &library.expanded(known.context()), coloured };
    // Of an instance, the case is explained.
    let case = arguments.id.split('[').next().unwrap_or_default();
    let printed = match (library.find(case), catalogue.find(&arguments.id)) {
        (Some(card), _) => page.case(card, &library, &mut *out),
        (None, Ok(requirement)) => page.requirement(requirement, &library, &mut *out),
        (None, Err(_)) => return Err(neither(&arguments.id, &library, catalogue)),
    };
    printed.and_then(|()| out.flush()).map_err(OutputError)?;
    Ok(ExitCode::SUCCESS)
}

struct Page<'a> {
    catalogue: &'a Catalogue,
    expanded: &'a Cases,
    coloured: bool,
}

impl Page<'_> {
    fn case(&self, card: &Card, library: &Library, out: &mut dyn Write) -> io::Result<()> {
        self.heading(&card.id, out)?;
        writeln!(out, "  {}\n", card.title)?;
        let place = format!(
            "{} section {} {}",
            document_name(&card.document),
            card.section,
            card.section_title
        );
        told("Place", &[place.trim_end().to_owned()], out)?;
        told("File", std::slice::from_ref(&card.file), out)?;
        told("Level", &[card.level(self.catalogue)], out)?;
        told("Runner", &role(card), out)?;
        told("Needs", &joined(&card.needs), out)?;
        told("Tags", &joined(&card.tags), out)?;
        let demanded = card.covers.iter().map(|id| match self.catalogue.find(id) {
            Ok(requirement) => demanded(requirement),
            Err(error) => error.to_string(),
        });
        told("Demanded", &demanded.collect::<Vec<_>>(), out)?;
        told("Steps", &numbered(&card.steps), out)?;
        told("Fragments", &fragments(card, library), out)?;
        told("Across", &across(card), out)?;
        told("Instances", &instances(self.expanded.find(&card.id)), out)?;
        let bug = |name: &String| match Bug::by_name(name) {
            Some(bug) => format!("{name}: {}", bug.row().meaning),
            None => format!("{name}: the reference peer has no such bug"),
        };
        told("Catches", &card.kills.iter().map(bug).collect::<Vec<_>>(), out)
    }

    fn requirement(
        &self,
        requirement: &Requirement,
        library: &Library,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        self.heading(&requirement.id, out)?;
        writeln!(out, "  {}\n", requirement.text)?;
        let place =
            format!("{} section {}", document_name(&requirement.document), requirement.section);
        told("Place", &[place], out)?;
        told("Level", &[requirement.level.to_string()], out)?;
        told("Judged", &[format!("{}: {}", requirement.judged, requirement.how)], out)?;
        told("Same as", &joined(&requirement.same_as), out)?;
        let id = &requirement.id;
        let cases = library.cards.iter().filter(|card| card.covers.contains(id));
        let cases: Vec<String> = cases.map(|card| format!("{}: {}", card.id, card.title)).collect();
        told("Cases", &or_none(cases), out)?;
        let rules = rules::all().filter(|rule| rule.requirements.contains(&id.as_str()));
        let rules: Vec<String> = rules.map(|rule| format!("{}: {}", rule.id, rule.title)).collect();
        told("Rules", &or_none(rules), out)
    }

    fn heading(&self, text: &str, out: &mut dyn Write) -> io::Result<()> {
        if self.coloured { writeln!(out, "{}", text.bold()) } else { writeln!(out, "{text}") }
    }
}

/// The lines, or that there is none.
fn or_none(lines: Vec<String>) -> Vec<String> {
    if lines.is_empty() { vec!["none".to_owned()] } else { lines }
}

/// A name and lines; nothing where there are no lines.
fn told(name: &str, lines: &[String], out: &mut dyn Write) -> io::Result<()> {
    let mut name = name;
    for line in lines {
        writeln!(out, "  {name:10} {line}")?;
        name = "";
    }
    Ok(())
}

fn joined(words: &[String]) -> Vec<String> {
    if words.is_empty() { Vec::new() } else { vec![words.join(", ")] }
}

fn demanded(requirement: &Requirement) -> String {
    let (document, section) = (document_name(&requirement.document), &requirement.section);
    let (id, level, text) = (&requirement.id, requirement.level, &requirement.text);
    format!("{id} ({level}, {document} section {section}): {text}")
}

fn role(card: &Card) -> Vec<String> {
    let role = match card.role.as_deref() {
        Some("both") => "is initiator and, in other instances, responder",
        Some("responder") => "is the responder",
        _ => "is the initiator",
    };
    vec![role.to_owned()]
}

/// Steps with their numbers; those within a step have none.
fn numbered(steps: &[String]) -> Vec<String> {
    let mut number = 0;
    let line = |step: &String| {
        if step.starts_with(' ') {
            return format!("    {step}");
        }
        number += 1;
        format!("{number:>2}. {step}")
    };
    steps.iter().map(line).collect()
}

/// The number of instances, and the first of them.
fn instances(case: Option<&Case>) -> Vec<String> {
    let Some(case) = case else {
        return vec!["not known: `conform lint` says what is wrong with the file".to_owned()];
    };
    let count = case.instances.len();
    let mut lines = vec![count.to_string()];
    if count > 1 {
        let shown = case.instances.iter().take(SHOWN);
        lines.extend(shown.map(|instance| format!("  {}", instance.id)));
    }
    if count > SHOWN {
        lines.push(format!("  and {} more: `conform list --format json`", count - SHOWN));
    }
    lines
}

/// What the fragments do that the case uses.
fn fragments(card: &Card, library: &Library) -> Vec<String> {
    let mut lines = Vec::new();
    for name in &card.fragments {
        let Some((title, steps)) = library.fragment(name) else {
            lines.push(format!("{name}: there is none of that name"));
            continue;
        };
        lines.push(format!("{name}: {title}"));
        lines.extend(numbered(&steps));
    }
    lines
}

/// What the case is multiplied by: a line an axis, or, where its values are long, a line a value.
fn across(card: &Card) -> Vec<String> {
    let mut lines = Vec::new();
    for (name, values) in &card.axes {
        let long = values.iter().any(|value| value.contains(' '));
        if long {
            lines.push(format!("{name}:"));
            lines.extend(values.iter().map(|value| format!("  {value}")));
        } else {
            lines.push(format!("{name} {}", values.join(" | ")));
        }
    }
    lines
}
