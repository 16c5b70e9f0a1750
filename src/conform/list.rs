//! `conform list`: the cases as a table of contents.

use super::cases::{Known, Selection, complain_of_broken, library, neither, text};
use crate::cli::{CoverageArguments, ExplainArguments, ListArguments, ListFormat};
use crate::failure::complain;
use crate::table::{self, Look};
use crate::terminal::print;
use anyhow::{Result, anyhow, bail};
use serde_json::{Value, json};
use std::io::{self, Write};
use std::process::ExitCode;
use warpscope_conformance::case::{Case, Cases};
use warpscope_conformance::coverage::{
    TextOptions, Waivers, builtin_waivers, coverage, matrix, write_json, write_markdown, write_text,
};
use warpscope_conformance::listing::{Card, Library};
use warpscope_dissector::rules;
use warpscope_peer::bug::SeededBug;
use warpscope_peer::switch::Switch as _;
use warpscope_requirements::{Catalogue, Fault, Requirement, document_name};
use warpscope_text::{counted, some};

pub(super) fn list(arguments: &ListArguments) -> Result<ExitCode> {
    let known = Known::builtin()?;
    let catalogue = &known.catalogue;
    let library = library(&arguments.cases, catalogue)?;
    complain_of_broken(&library);
    let selection = Selection::new(&arguments.selection, catalogue)?;
    let cards = selection.cards(&library, catalogue)?;
    let list = List { catalogue, expanded: &library.expanded(known.context()) };
    print(|out, look| match arguments.format {
        ListFormat::Text => list.text(&cards, look, out),
        ListFormat::Json => table::json(&list.entries(&cards), out),
        ListFormat::Markdown => list.markdown(&cards, out),
    })
}

/// Returns the document and the section of a case, as headings.
fn headings(card: &Card) -> (String, String) {
    let document = match card.document.as_str() {
        "" => "Elsewhere".to_owned(),
        id => document_name(id),
    };
    (document, format!("{} {}", card.section, card.section_title).trim().to_owned())
}

/// Returns the cases of each document, grouped by section.
fn contents<'c, 'a>(cards: &'c [&'a Card]) -> impl Iterator<Item = (String, Vec<&'c [&'a Card]>)> {
    let documents = cards.chunk_by(|one, other| headings(one).0 == headings(other).0);
    documents.map(|cards| {
        let name = cards.first().map_or(String::new(), |card| headings(card).0);
        (name, cards.chunk_by(|one, other| headings(one).1 == headings(other).1).collect())
    })
}

fn section(cards: &[&Card]) -> String {
    cards.first().map_or(String::new(), |card| headings(card).1)
}

struct List<'a> {
    catalogue: &'a Catalogue,
    /// The cases without mistakes.
    expanded: &'a Cases,
}

impl List<'_> {
    /// Returns the number of a case's instances; none if its file has a mistake.
    fn count(&self, card: &Card) -> Option<usize> {
        Some(self.expanded.find(&card.id)?.instances.len())
    }

    fn text(&self, cards: &[&Card], look: Look, out: &mut dyn Write) -> io::Result<()> {
        let ids = cards.iter().map(|card| card.id.len()).max().unwrap_or(0);
        for (index, (document, sections)) in contents(cards).enumerate() {
            writeln!(out, "{}{}", if index > 0 { "\n" } else { "" }, look.heading(&document))?;
            for cards in sections {
                match section(cards).as_str() {
                    "" => {}
                    name => writeln!(out, "  {name}")?,
                }
                for card in cards {
                    let (id, level, title) = (&card.id, card.level(self.catalogue), &card.title);
                    let count = self.count(card).map_or("?".to_owned(), |count| count.to_string());
                    writeln!(out, "    {id:ids$}  {level:6}  {count:>5}  {title}")?;
                }
            }
        }
        let instances = cards.iter().filter_map(|card| self.count(card)).sum::<usize>();
        let unread = cards.iter().filter(|card| self.count(card).is_none()).count() as u64;
        let unread = some(unread, |count| {
            format!("; {} with mistakes (?): see `conform lint`", counted(count, "case"))
        });
        let (cases, instances) =
            (counted(cards.len() as u64, "case"), counted(instances as u64, "instance"));
        writeln!(out, "\n{cases}, {instances}{unread}")
    }

    fn markdown(&self, cards: &[&Card], out: &mut dyn Write) -> io::Result<()> {
        for (index, (document, sections)) in contents(cards).enumerate() {
            writeln!(out, "{}## {document}", if index > 0 { "\n" } else { "" })?;
            for cards in sections {
                match section(cards).as_str() {
                    "" => writeln!(out)?,
                    name => writeln!(out, "\n### {name}\n")?,
                }
                let row = |card: &&Card| {
                    let (id, level) = (format!("`{}`", card.id), card.level(self.catalogue));
                    vec![id, level, card.title.clone(), card.covers.join(", ")]
                };
                let columns = ["Case", "Level", "What must hold", "Covers"];
                table::markdown(&columns, &cards.iter().map(row).collect::<Vec<_>>(), out)?;
            }
        }
        Ok(())
    }

    fn entries(&self, cards: &[&Card]) -> Vec<Value> {
        let entry = |card: &&Card| {
            let axes: Vec<Value> = card
                .axes
                .iter()
                .map(|(name, values)| json!({ "name": name, "values": values }))
                .collect();
            json!({
                "id": card.id,
                "title": card.title,
                "document": card.document,
                "section": card.section,
                "section_title": card.section_title,
                "level": card.level(self.catalogue),
                "covers": card.covers,
                "kills": card.kills,
                "needs": card.needs,
                "tags": card.tags,
                "axes": axes,
                "instances": self.expanded.find(&card.id).map(|case| {
                    case.instances.iter().map(|instance| instance.id.as_str()).collect::<Vec<_>>()
                }),
                "file": card.file,
            })
        };
        cards.iter().map(entry).collect()
    }
}

/// The most instances of a case that are shown.
const SHOWN: usize = 8;

pub(super) fn explain(arguments: &ExplainArguments) -> Result<ExitCode> {
    let known = Known::builtin()?;
    let catalogue = &known.catalogue;
    let library = library(&arguments.cases, catalogue)?;
    complain_of_broken(&library);
    let page = Page { catalogue, expanded: &library.expanded(known.context()), library: &library };
    // For an instance, explain its case.
    let case = arguments.id.split('[').next().unwrap_or_default();
    match (library.find(case), catalogue.find(&arguments.id)) {
        (Some(card), _) => print(|out, look| page.case(card, look, out)),
        (None, Ok(requirement)) => print(|out, look| page.requirement(requirement, look, out)),
        (None, Err(_)) => Err(neither(&arguments.id, &library, catalogue)),
    }
}

struct Page<'a> {
    catalogue: &'a Catalogue,
    expanded: &'a Cases,
    library: &'a Library,
}

impl Page<'_> {
    fn case(&self, card: &Card, look: Look, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}\n  {}\n", look.heading(&card.id), card.title)?;
        let place = format!(
            "{} section {} {}",
            document_name(&card.document),
            card.section,
            card.section_title
        );
        entry("Place", &[place.trim_end().to_owned()], out)?;
        entry("File", std::slice::from_ref(&card.file), out)?;
        entry("Level", &[card.level(self.catalogue)], out)?;
        entry("Runner", &role(card), out)?;
        entry("Needs", &joined(&card.needs), out)?;
        entry("Tags", &joined(&card.tags), out)?;
        let demanded = card.covers.iter().map(|id| match self.catalogue.find(id) {
            Ok(requirement) => demanded(requirement),
            Err(error) => error.to_string(),
        });
        entry("Demanded", &demanded.collect::<Vec<_>>(), out)?;
        entry("Steps", &numbered(&card.steps), out)?;
        entry("Fragments", &fragments(card, self.library), out)?;
        entry("Across", &across(card), out)?;
        entry("Instances", &instances(self.expanded.find(&card.id)), out)?;
        let bug = |name: &String| match SeededBug::by_name(name) {
            Some(bug) => format!("{name}: {}", bug.row().meaning),
            None => format!("{name}: the reference peer has no such bug"),
        };
        entry("Catches", &card.kills.iter().map(bug).collect::<Vec<_>>(), out)
    }

    fn requirement(
        &self,
        requirement: &Requirement,
        look: Look,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        writeln!(out, "{}\n  {}\n", look.heading(&requirement.id), requirement.text)?;
        let place =
            format!("{} section {}", document_name(&requirement.document), requirement.section);
        entry("Place", &[place], out)?;
        entry("Level", &[requirement.level.to_string()], out)?;
        entry("Judged", &[format!("{}: {}", requirement.judged, requirement.how)], out)?;
        entry("Same as", &joined(&requirement.same_as), out)?;
        let id = &requirement.id;
        let cases = self.library.cards.iter().filter(|card| card.covers.contains(id));
        let cases: Vec<String> = cases.map(|card| format!("{}: {}", card.id, card.title)).collect();
        entry("Cases", &or_none(cases), out)?;
        let rules = rules::all().filter(|rule| rule.requirements.contains(&id.as_str()));
        let rules: Vec<String> = rules.map(|rule| format!("{}: {}", rule.id, rule.title)).collect();
        entry("Rules", &or_none(rules), out)
    }
}

fn or_none(lines: Vec<String>) -> Vec<String> {
    if lines.is_empty() { vec!["none".to_owned()] } else { lines }
}

/// Prints a name and its lines; nothing if there are no lines.
fn entry(name: &str, lines: &[String], out: &mut dyn Write) -> io::Result<()> {
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
        Some("both") => "is the initiator in some instances and the responder in others",
        Some("responder") => "is the responder",
        _ => "is the initiator",
    };
    vec![role.to_owned()]
}

/// Numbers the steps; nested steps have no number.
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

/// Describes the number of instances, and the first of them.
fn instances(case: Option<&Case>) -> Vec<String> {
    let Some(case) = case else {
        return vec!["unknown: run `conform lint` to see what is wrong with the file".to_owned()];
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

/// Describes the fragments that the case uses.
fn fragments(card: &Card, library: &Library) -> Vec<String> {
    let mut lines = Vec::new();
    for name in &card.fragments {
        let Some((title, steps)) = library.fragment(name) else {
            lines.push(format!("{name}: no such fragment"));
            continue;
        };
        lines.push(format!("{name}: {title}"));
        lines.extend(numbered(&steps));
    }
    lines
}

/// Describes the axes of the case: one line per axis, or, for long values, one line per value.
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

/// Prints the coverage; returns 1 if an id is unknown, a waiver matches nothing, or an active MUST has
/// neither case nor waiver.
pub(super) fn print_coverage(arguments: &CoverageArguments) -> Result<ExitCode> {
    if arguments.matrix {
        return print_matrix(arguments);
    }
    let catalogue = Catalogue::builtin()?;
    let library = library(&arguments.cases, &catalogue)?;
    complain_of_broken(&library);
    let mut coverage = coverage(&library.cards, &catalogue, rules::all());
    let waivers = match &arguments.waivers {
        Some(file) => Waivers::read(&file.display().to_string(), &text(file)?, &catalogue),
        None => builtin_waivers(&catalogue),
    };
    let mut wrong: Vec<String> = Vec::new();
    wrong.extend(coverage.unknown.iter().map(ToString::to_string));
    let idle = coverage.waive(&waivers.map_err(in_lines)?);
    wrong.extend(idle.iter().map(ToString::to_string));
    wrong.extend(coverage.missing().map(|it| format!("{}: no case covers it", it.requirement.id)));
    if let Some(wanted) = &arguments.document {
        let ids: Vec<String> =
            coverage.documents.iter().map(|it| it.document.id.to_lowercase()).collect();
        if !ids.contains(&wanted.to_lowercase()) {
            bail!("--document {wanted}: expected one of {}", ids.join(", "));
        }
        coverage.documents.retain(|it| it.document.id.eq_ignore_ascii_case(wanted));
    }
    print(|out, look| match arguments.format {
        ListFormat::Text => {
            let options = TextOptions { coloured: look.coloured, all: arguments.all };
            write_text(&coverage, options, out)
        }
        ListFormat::Json => write_json(&coverage, out),
        ListFormat::Markdown => write_markdown(&coverage, arguments.all, out),
    })?;
    wrong.iter().for_each(|it| complain(it));
    Ok(if wrong.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// Prints the matrix; returns 1 if a cell has neither case nor reason, or a reason applies to no cell.
fn print_matrix(arguments: &CoverageArguments) -> Result<ExitCode> {
    let known = Known::builtin()?;
    let library = library(&arguments.cases, &known.catalogue)?;
    complain_of_broken(&library);
    let (matrix, idle) = matrix(&library.expanded(known.context()), &known.layouts)?;
    print(|out, _| match arguments.format {
        ListFormat::Text => matrix.write_text(arguments.all, out),
        ListFormat::Json => matrix.write_json(out),
        ListFormat::Markdown => matrix.write_markdown(out),
    })?;
    let wrong: Vec<String> = idle.iter().map(ToString::to_string).chain(matrix.missing()).collect();
    wrong.iter().for_each(|it| complain(it));
    Ok(if wrong.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

fn in_lines(faults: Vec<Fault>) -> anyhow::Error {
    let lines: Vec<String> = faults.iter().map(ToString::to_string).collect();
    anyhow!("{}", lines.join("\n"))
}
