//! `conform explain`: a case in words, or what judges a requirement.

use super::cases::{complain_of_broken, library};
use crate::check::nearest;
use crate::cli::ExplainArguments;
use crate::failure::OutputError;
use crate::terminal::standard_output;
use anyhow::Result;
use owo_colors::OwoColorize as _;
use std::io::{self, Write};
use std::process::ExitCode;
use warpscope_conformance::listing::{Card, Library};
use warpscope_conformance::report::document_name;
use warpscope_dissector::rules;
use warpscope_peer::bug::Bug;
use warpscope_requirements::{Catalogue, Requirement};

/// Prints the explanation.
///
/// # Errors
/// When there is no such case or requirement, the folder cannot be read, or the output failed.
pub(super) fn run(arguments: &ExplainArguments) -> Result<ExitCode> {
    let catalogue = Catalogue::builtin()?;
    let library = library(&arguments.cases, &catalogue)?;
    complain_of_broken(&library);
    let (mut out, coloured) = standard_output();
    let page = Page { catalogue: &catalogue, coloured };
    // Of an instance, the case is explained.
    let case = arguments.id.split('[').next().unwrap_or_default();
    let printed = match (library.find(case), catalogue.find(&arguments.id)) {
        (Some(card), _) => page.case(card, &mut *out),
        (None, Ok(requirement)) => page.requirement(requirement, &library, &mut *out),
        (None, Err(_)) => return Err(unknown(&arguments.id, &library, &catalogue)),
    };
    printed.and_then(|()| out.flush()).map_err(OutputError)?;
    Ok(ExitCode::SUCCESS)
}

fn unknown(id: &str, library: &Library, catalogue: &Catalogue) -> anyhow::Error {
    let cases = library.cards.iter().map(|card| card.id.as_str());
    let known = cases.chain(catalogue.all().iter().map(|it| it.id.as_str()));
    match nearest(id, known) {
        Some(near) => {
            anyhow::anyhow!("no case or requirement is called {id}; did you mean {near}?")
        }
        None => anyhow::anyhow!(
            "no case or requirement is called {id}; `warpscope conform list` lists the cases"
        ),
    }
}

struct Page<'a> {
    catalogue: &'a Catalogue,
    coloured: bool,
}

impl Page<'_> {
    fn case(&self, card: &Card, out: &mut dyn Write) -> io::Result<()> {
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
        told("Instances", &instances(card), out)?;
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

/// What the case is multiplied by.
fn instances(card: &Card) -> Vec<String> {
    if card.axes.is_empty() {
        return Vec::new();
    }
    let axis = |(name, values): &(String, Vec<String>)| format!("{name} {}", values.join(" | "));
    card.axes.iter().map(axis).collect()
}
