//! Diagnostics: what is wrong with a file, where, and what to do about it.

use serde_saphyr::granit_parser::{ErrorKind, ScanError};
use std::fmt;
use std::rc::Rc;
use warpscope_text::suggest;

/// A position in a file: line and column, both from 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The line.
    pub line: usize,
    /// The column, in characters.
    pub column: usize,
}

/// A file: its name for people, and its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    name: Rc<str>,
    text: Rc<str>,
}

impl Source {
    /// Returns a file with this name and text.
    pub fn new(name: &str, text: &str) -> Self {
        Self { name: name.into(), text: text.into() }
    }

    /// Returns a file with these bytes as its text.
    ///
    /// # Errors
    /// Returns where the first byte is that is not UTF-8.
    pub fn of_bytes(name: &str, bytes: Vec<u8>) -> Result<Self, Diagnostic> {
        let error = match String::from_utf8(bytes) {
            Ok(text) => return Ok(Self::new(name, &text)),
            Err(error) => error,
        };
        let (good, bytes) = (error.utf8_error().valid_up_to(), error.as_bytes());
        let before = String::from_utf8_lossy(bytes.get(..good).unwrap_or_default());
        let (line, column) = before
            .split('\n')
            .zip(1..)
            .last()
            .map_or((1, 1), |(last, line)| (line, last.chars().count() + 1));
        let byte = bytes.get(good).copied().unwrap_or_default();
        let what = format!("this is not text: the byte {byte:#04x} is not UTF-8");
        let source = Self::new(name, &String::from_utf8_lossy(bytes));
        Err(source.diagnostic(Place { line, column }, what))
    }

    /// Returns the file's name, as diagnostics show it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns its text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns a line of it, counted from 1; empty after the end.
    pub(super) fn line(&self, line: usize) -> &str {
        line.checked_sub(1).and_then(|index| self.text.lines().nth(index)).unwrap_or_default()
    }

    /// Returns a diagnostic for a place in the file.
    pub fn diagnostic(&self, place: Place, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            file: self.name.to_string(),
            place,
            message: message.into(),
            line: self.line(place.line).to_owned(),
        }
    }
}

/// A diagnostic about a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
pub struct Diagnostic {
    /// The file's name.
    pub file: String,
    /// The place in the file.
    pub place: Place,
    /// What is wrong, and what may have been meant.
    pub message: String,
    /// The text of the line.
    pub line: String,
}

impl fmt::Display for Diagnostic {
    /// Formats as `file:line:column: message`, then the line, and a mark under the column.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Place { line, column } = self.place;
        writeln!(formatter, "{}:{line}:{column}: {}", self.file, self.message)?;
        let number = line.to_string();
        writeln!(formatter, "  {number} | {}", self.line)?;
        let before = column.saturating_sub(1).min(self.line.chars().count());
        let blanks: String =
            self.line.chars().take(before).map(|it| if it == '\t' { it } else { ' ' }).collect();
        write!(formatter, "  {} | {blanks}^", " ".repeat(number.len()))
    }
}

/// The diagnostics collected while files are read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Diagnostics(Vec<Diagnostic>);

impl Diagnostics {
    /// Adds a diagnostic, unless it was reported before.
    pub(crate) fn push(&mut self, diagnostic: Diagnostic) {
        if !self.0.contains(&diagnostic) {
            self.0.push(diagnostic);
        }
    }

    pub(crate) fn extend(&mut self, more: impl IntoIterator<Item = Diagnostic>) {
        more.into_iter().for_each(|diagnostic| self.push(diagnostic));
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns all of them, by file and place.
    pub(crate) fn sorted(mut self) -> Vec<Diagnostic> {
        self.0.sort();
        self.0
    }
}

/// The maximum number of names that a message lists.
const LISTED: usize = 24;

/// Returns `what` with a suggestion: the nearest known name, or all of them.
pub(crate) fn unknown(what: &str, name: &str, known: &[&str]) -> String {
    unknown_of(what, name, known, "warpscope conform schema")
}

/// Like [`unknown`]; if there are too many names for a message, this command lists all of them.
pub(crate) fn unknown_of(what: &str, name: &str, known: &[&str], lists: &str) -> String {
    match (suggest(name, known.iter().copied()), known.get(..LISTED)) {
        (Some(near), _) => format!("{what}; did you mean `{near}`?"),
        (None, Some(first)) if known.len() > LISTED => {
            let (first, more) = (first.join(", "), known.len() - LISTED);
            format!("{what}; expected one of {first}, or {more} others: `{lists}` lists all")
        }
        (None, _) if known.is_empty() => format!("{what}; there are none"),
        (None, _) => format!("{what}; expected one of {}", known.join(", ")),
    }
}

/// The number of lines before the place of an error in which a blank may be missing.
const ABOVE: usize = 2;

/// An open bracket or quote.
struct Opened {
    character: char,
    place: Place,
}

/// Returns what is open in a text up to a place, the innermost last. Comments do not count.
fn opened(text: &str, until: Place) -> Vec<Opened> {
    let mut opened: Vec<Opened> = Vec::new();
    for (line, number) in text.lines().zip(1..) {
        let mut before = ' ';
        for (character, column) in line.chars().zip(1..) {
            let place = Place { line: number, column };
            if place >= until {
                return opened;
            }
            let quote = opened.last().map(|it| it.character).filter(|it| "'\"".contains(*it));
            match (quote, character) {
                (Some(quote), it) if it == quote && (quote == '\'' || before != '\\') => {
                    opened.pop();
                }
                (Some(_), _) => {}
                (None, '#') if before.is_whitespace() => break,
                // A quote within a word, or an apostrophe, opens nothing.
                (None, '\'' | '"') if before.is_whitespace() || "{[,:".contains(before) => {
                    opened.push(Opened { character, place });
                }
                (None, '{' | '[') => opened.push(Opened { character, place }),
                (None, '}' | ']') => drop(opened.pop()),
                _ => {}
            }
            before = character;
        }
    }
    opened
}

/// Returns where a text may be wrong and how, for an error of the scanner; or the scanner's words if there is
/// nothing better to say.
pub(super) fn hint(source: &Source, error: &ScanError, at: Place) -> (Place, String) {
    use ErrorKind as Kind;
    let text = source.text();
    let end = Place { line: usize::MAX, column: 1 };
    let info = error.info().replace('\n', " ");
    let found = match error.kind() {
        Kind::UnclosedQuotedScalar | Kind::DocumentIndicatorInQuotedScalar => {
            opened(text, end).pop().map(unclosed)
        }
        Kind::InvalidQuotedScalarIndent => opened(text, at).pop().map(unclosed),
        Kind::InvalidTrailingSingleQuotedScalar => {
            let what = "the text in quotes ends before this: inside '...', write '' for a quote, \
                        or put the text in \"...\"";
            Some((at, what.to_owned()))
        }
        Kind::InvalidTrailingDoubleQuotedScalar => {
            let what =
                "the text in quotes ends before this: inside \"...\", write \\\" for a quote";
            Some((at, what.to_owned()))
        }
        Kind::UnclosedFlowCollection { open: character }
        | Kind::MismatchedFlowCollectionEnd { open: character, .. } => {
            Some(unclosed(Opened { character: *character, place: at }))
        }
        Kind::UnexpectedEofFlowSequence
        | Kind::UnexpectedEofFlowMapping
        | Kind::UnexpectedEofImplicitFlowMapping
        | Kind::ExpectedFlowMappingSeparator
        | Kind::ExpectedFlowSequenceSeparator
        | Kind::InvalidFlowScalarIndent
        | Kind::InvalidColonPlacement
        | Kind::FlowMappingValueAdjacentCollection
        | Kind::BlockEntryInFlowCollection => open(text, at),
        Kind::MisplacedFlowCollectionEnd => {
            let what = || (at, "this closes a bracket that was not opened".to_owned());
            Some(without_blank(source, at).unwrap_or_else(what))
        }
        Kind::TabNotAllowed
        | Kind::TabInBlockIndentation
        | Kind::TabInIndentation
        | Kind::TabInPlainScalar => Some((at, "found a tab: indent with spaces".to_owned())),
        Kind::UnexpectedCharacter { character } => {
            Some((at, format!("text that begins with `{character}` must be in quotes")))
        }
        Kind::MappingValueNotAllowed
        | Kind::ExpectedBlockMappingKey
        | Kind::ExpectedBlockSequenceEntry
        | Kind::BlockSequenceEntryNotAllowed
        | Kind::SimpleKeyExpected
        | Kind::InvalidSimpleKey
        | Kind::MappingKeyNotAllowed
        | Kind::UnexpectedEofBlockMapping
        | Kind::InvalidIndentation
        | Kind::ExpectedDocumentStart
        | Kind::ExpectedNodeContent => {
            let within = !opened(text, at).is_empty();
            let known = || without_blank(source, at).or_else(|| without_colon(source, at));
            let first = source.line(at.line).chars().position(|it| !it.is_whitespace());
            let place = Place { column: first.map_or(at.column, |first| first + 1), ..at };
            match (within, colon_before(source.line(at.line), at.column)) {
                (true, _) => open(text, at),
                (false, true) => Some((at, "text that contains `: ` must be in quotes".to_owned())),
                (false, false) => known().or_else(|| {
                    let what = "the indentation does not match the lines around it";
                    Some((place, what.to_owned()))
                }),
            }
        }
        _ => None,
    };
    match found {
        Some((place, what)) => (place, format!("this is not YAML: {what}")),
        None => (at, format!("this is not YAML: {info}")),
    }
}

fn open(text: &str, at: Place) -> Option<(Place, String)> {
    let innermost = opened(text, at).pop()?;
    // If it is closed in its own line, something else is missing.
    let behind = Place { line: innermost.place.line + 1, column: 1 };
    let closed = |until| !opened(text, until).iter().any(|it| it.place == innermost.place);
    if at.line == innermost.place.line && closed(behind) {
        return Some((at, "missing a comma or a bracket before this".to_owned()));
    }
    Some(unclosed(innermost))
}

fn unclosed(opened: Opened) -> (Place, String) {
    let what = match opened.character {
        '{' => "this `{` is not closed",
        '[' => "this `[` is not closed",
        _ => "this quote is not closed",
    };
    (opened.place, what.to_owned())
}

/// Returns the keys at the beginning of its line or one above it: where each ends, and the text after it.
fn keys(source: &Source, at: Place) -> impl Iterator<Item = (Place, &str)> {
    (at.line.saturating_sub(ABOVE)..=at.line).rev().filter_map(|number| {
        let line = source.line(number);
        let start = line.len() - line.trim_start_matches([' ', '-']).len();
        let key = line.get(start..)?;
        let none = |it: char| !(it.is_ascii_alphanumeric() || "_-$.".contains(it));
        let end = start + key.find(none).unwrap_or(key.len());
        let column = line.get(..end)?.chars().count() + 1;
        let behind = line.get(end..)?;
        (end > start).then_some((Place { line: number, column }, behind))
    })
}

/// Finds a colon after a key without a blank after it: `title:A`.
fn without_blank(source: &Source, at: Place) -> Option<(Place, String)> {
    let no_blank = |behind: &str| {
        let next = behind.strip_prefix(':').and_then(|behind| behind.chars().next());
        next.is_some_and(|it| !it.is_whitespace())
    };
    let (place, _) = keys(source, at).find(|(_, behind)| no_blank(behind))?;
    Some((place, "missing a space after the `:`".to_owned()))
}

/// Finds a line with a single word where a key is required: `steps`.
fn without_colon(source: &Source, at: Place) -> Option<(Place, String)> {
    let indented = |line: &str| line.len() - line.trim_start().len();
    let here = indented(source.line(at.line));
    let lone = |place: Place, behind: &str| {
        let line = source.line(place.line);
        !behind.contains(':') && !line.trim_start().starts_with('-') && indented(line) == here
    };
    let (place, _) = keys(source, at).find(|(place, behind)| lone(*place, behind))?;
    Some((place, "missing a `:` here".to_owned()))
}

/// Whether there is a `: ` before a column of a line, so that what follows is a text.
fn colon_before(line: &str, column: usize) -> bool {
    let before: String = line.chars().take(column.saturating_sub(1)).collect();
    before.contains(": ")
}
