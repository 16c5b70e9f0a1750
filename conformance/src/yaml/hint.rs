//! What may be wrong with a text that is not YAML, in words of who writes it.

use super::{Place, Source};
use serde_saphyr::granit_parser::{ErrorKind, ScanError};

/// Lines before the place of an error in which a blank may be missing.
const ABOVE: usize = 2;

/// A bracket that is open, or a quote.
struct Opened {
    character: char,
    place: Place,
}

/// What stands open in a text up to a place, the innermost last. Comments do not count.
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
                // A quote within a word, or an apostrophe, begins nothing.
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

/// Where a text may be wrong and how, for an error of the scanner; its own words where there is
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
            let what = "the text in quotes ends before this: within '...' write '' for a quote, or \
                        put the text into \"...\"";
            Some((at, what.to_owned()))
        }
        Kind::InvalidTrailingDoubleQuotedScalar => {
            let what = "the text in quotes ends before this: within \"...\" write \\\" for a quote";
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
            let what = || (at, "nothing is open here that this closes".to_owned());
            Some(without_blank(source, at).unwrap_or_else(what))
        }
        Kind::TabNotAllowed
        | Kind::TabInBlockIndentation
        | Kind::TabInIndentation
        | Kind::TabInPlainScalar => {
            Some((at, "a tab stands here: use blanks to indent".to_owned()))
        }
        Kind::UnexpectedCharacter { character } => {
            Some((at, format!("a text that begins with `{character}` stands in quotes")))
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
                (false, true) => Some((at, "a text with `: ` in it stands in quotes".to_owned())),
                (false, false) => known().or_else(|| {
                    let what = "this stands further left or right than the lines it belongs to";
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

/// What stands open at a place.
fn open(text: &str, at: Place) -> Option<(Place, String)> {
    let innermost = opened(text, at).pop()?;
    // What is closed in its own line lacks something else.
    let behind = Place { line: innermost.place.line + 1, column: 1 };
    let closed = |until| !opened(text, until).iter().any(|it| it.place == innermost.place);
    if at.line == innermost.place.line && closed(behind) {
        return Some((at, "a comma is missing before this, or a bracket".to_owned()));
    }
    Some(unclosed(innermost))
}

fn unclosed(opened: Opened) -> (Place, String) {
    let what = match opened.character {
        '{' => "this `{` has no `}`",
        '[' => "this `[` has no `]`",
        _ => "this quote has no end",
    };
    (opened.place, what.to_owned())
}

/// A key that its line, or one above it, begins with: where it ends, and what stands behind it.
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

/// A colon behind a key with no blank behind it: `title:A`.
fn without_blank(source: &Source, at: Place) -> Option<(Place, String)> {
    let no_blank = |behind: &str| {
        let next = behind.strip_prefix(':').and_then(|behind| behind.chars().next());
        next.is_some_and(|it| !it.is_whitespace())
    };
    let (place, _) = keys(source, at).find(|(_, behind)| no_blank(behind))?;
    Some((place, "a blank is missing behind the `:`".to_owned()))
}

/// A line that is a word alone, where a key must be: `steps`.
fn without_colon(source: &Source, at: Place) -> Option<(Place, String)> {
    let indented = |line: &str| line.len() - line.trim_start().len();
    let here = indented(source.line(at.line));
    let lone = |place: Place, behind: &str| {
        let line = source.line(place.line);
        !behind.contains(':') && !line.trim_start().starts_with('-') && indented(line) == here
    };
    let (place, _) = keys(source, at).find(|(place, behind)| lone(*place, behind))?;
    Some((place, "a `:` is missing here".to_owned()))
}

/// Whether a `: ` stands before a column of a line, which makes what follows a text.
fn colon_before(line: &str, column: usize) -> bool {
    let before: String = line.chars().take(column.saturating_sub(1)).collect();
    before.contains(": ")
}
