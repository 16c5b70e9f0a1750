//! `conform list`: the cases like a table of contents.

use super::cases::{Known, complain_of_broken, library};
use super::selection::Selection;
use crate::cli::{ListArguments, ListFormat};
use crate::failure::OutputError;
use crate::terminal::standard_output;
use anyhow::Result;
use owo_colors::OwoColorize as _;
use serde_json::{Value, json};
use std::io::{self, Write};
use std::process::ExitCode;
use warpscope_conformance::case::Cases;
use warpscope_conformance::listing::Card;
use warpscope_conformance::report::document_name;
use warpscope_dissector::format::counted;
use warpscope_requirements::Catalogue;

/// Prints the list.
///
/// # Errors
/// When no case fits, the folder cannot be read, or the output failed.
pub(super) fn run(arguments: &ListArguments) -> Result<ExitCode> {
    let known = Known::builtin()?;
    let catalogue = &known.catalogue;
    let library = library(&arguments.cases, catalogue)?;
    complain_of_broken(&library);
    let selection = Selection::new(&arguments.selection, catalogue)?;
    let cards = selection.cards(&library, catalogue)?;
    let list = List { catalogue, expanded: &library.expanded(known.context()) };
    let (mut out, coloured) = standard_output();
    let printed = match arguments.format {
        ListFormat::Text => list.text(&cards, coloured, &mut *out),
        ListFormat::Json => list.json(&cards, &mut *out),
        ListFormat::Markdown => list.markdown(&cards, &mut *out),
    };
    printed.and_then(|()| out.flush()).map_err(OutputError)?;
    Ok(ExitCode::SUCCESS)
}

/// The document and the section of a case, as headings.
fn headings(card: &Card) -> (String, String) {
    let document = match card.document.as_str() {
        "" => "Elsewhere".to_owned(),
        id => document_name(id),
    };
    (document, format!("{} {}", card.section, card.section_title).trim().to_owned())
}

/// Calls back at each document and section that begins, and at each case.
fn contents(
    cards: &[&Card],
    mut begin: impl FnMut(Heading<'_>) -> io::Result<()>,
    mut case: impl FnMut(&Card) -> io::Result<()>,
) -> io::Result<()> {
    let mut before: Option<(String, String)> = None;
    for card in cards {
        let (document, section) = headings(card);
        let same = before.as_ref().is_some_and(|(known, _)| *known == document);
        if !same {
            begin(Heading::Document(&document, before.is_none()))?;
        }
        if !same || before.as_ref().is_none_or(|(_, known)| *known != section) {
            begin(Heading::Section(&section))?;
        }
        case(card)?;
        before = Some((document, section));
    }
    Ok(())
}

enum Heading<'a> {
    /// A document, and whether it is the first.
    Document(&'a str, bool),
    Section(&'a str),
}

/// What a list is made with.
struct List<'a> {
    catalogue: &'a Catalogue,
    /// The cases that nothing is wrong with.
    expanded: &'a Cases,
}

impl List<'_> {
    /// The number of a case's instances; none where something is wrong with its file.
    fn count(&self, card: &Card) -> Option<usize> {
        Some(self.expanded.find(&card.id)?.instances.len())
    }

    fn text(&self, cards: &[&Card], coloured: bool, out: &mut dyn Write) -> io::Result<()> {
        let ids = cards.iter().map(|card| card.id.len()).max().unwrap_or(0);
        let out = std::cell::RefCell::new(out);
        let begin = |heading: Heading<'_>| {
            let mut out = out.borrow_mut();
            match heading {
                Heading::Document(name, first) => {
                    let before = if first { "" } else { "\n" };
                    match coloured {
                        true => writeln!(out, "{before}{}", name.bold()),
                        false => writeln!(out, "{before}{name}"),
                    }
                }
                Heading::Section("") => Ok(()),
                Heading::Section(name) => writeln!(out, "  {name}"),
            }
        };
        contents(cards, begin, |card| {
            let (id, level, title) = (&card.id, card.level(self.catalogue), &card.title);
            let count = self.count(card).map_or_else(|| "?".to_owned(), |count| count.to_string());
            writeln!(out.borrow_mut(), "    {id:ids$}  {level:6}  {count:>5}  {title}")
        })?;
        let instances = cards.iter().filter_map(|card| self.count(card)).sum::<usize>();
        let unread = cards.iter().filter(|card| self.count(card).is_none()).count() as u64;
        let unread = match unread {
            0 => String::new(),
            count => format!("; {} with mistakes (?), see `conform lint`", counted(count, "case")),
        };
        let mut out = out.borrow_mut();
        let (cases, instances) =
            (counted(cards.len() as u64, "case"), counted(instances as u64, "instance"));
        writeln!(out, "\n{cases}, {instances}{unread}")
    }

    fn markdown(&self, cards: &[&Card], out: &mut dyn Write) -> io::Result<()> {
        let cell = |text: &str| text.replace('|', "\\|");
        let out = std::cell::RefCell::new(out);
        let begin = |heading: Heading<'_>| {
            let mut out = out.borrow_mut();
            match heading {
                Heading::Document(name, first) => {
                    writeln!(out, "{}## {name}", if first { "" } else { "\n" })
                }
                Heading::Section(name) => {
                    if !name.is_empty() {
                        writeln!(out, "\n### {name}")?;
                    }
                    writeln!(out, "\n| Case | Level | What must be so | Covers |")?;
                    writeln!(out, "| --- | --- | --- | --- |")
                }
            }
        };
        contents(cards, begin, |card| {
            let (level, title, covers) =
                (card.level(self.catalogue), cell(&card.title), card.covers.join(", "));
            writeln!(out.borrow_mut(), "| `{}` | {level} | {title} | {covers} |", card.id)
        })
    }

    fn json(&self, cards: &[&Card], out: &mut dyn Write) -> io::Result<()> {
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
        let list: Vec<Value> = cards.iter().map(entry).collect();
        serde_json::to_writer_pretty(&mut *out, &list)?;
        writeln!(out)
    }
}
