//! A part of a YAML file, with its place.

use super::diagnostic::hint;
use super::{Diagnostic, Place, Source};
use serde_saphyr::granit_parser::{Event, Parser, ScalarStyle, Span};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Key {
    pub(crate) place: Place,
    pub(crate) name: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Node {
    pub(crate) place: Place,
    pub(crate) data: Data,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Data {
    /// A word, a number, an expression, or nothing.
    Plain(String),
    /// A text in quotes, or a block of text.
    Quoted(String),
    List(Vec<Node>),
    Map(Vec<(Key, Node)>),
}

impl Node {
    pub(crate) fn kind(&self) -> &'static str {
        match &self.data {
            Data::Plain(text) if text.is_empty() => "nothing",
            Data::Plain(_) | Data::Quoted(_) => "a word",
            Data::List(_) => "a list",
            Data::Map(_) => "keys with values",
        }
    }

    /// Returns its text, if it is a word or a text.
    pub(crate) fn text(&self) -> Option<&str> {
        match &self.data {
            Data::Plain(text) | Data::Quoted(text) => Some(text),
            Data::List(_) | Data::Map(_) => None,
        }
    }

    /// Returns its text, if it is a word without quotes.
    pub(crate) fn plain(&self) -> Option<&str> {
        match &self.data {
            Data::Plain(text) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn list(&self) -> Option<&[Node]> {
        match &self.data {
            Data::List(list) => Some(list),
            _ => None,
        }
    }

    pub(crate) fn map(&self) -> Option<&[(Key, Node)]> {
        match &self.data {
            Data::Map(map) => Some(map),
            _ => None,
        }
    }

    /// Returns the node with another place, in all of its parts.
    pub(crate) fn moved(&self, place: Place) -> Node {
        let data = match &self.data {
            Data::List(list) => Data::List(list.iter().map(|it| it.moved(place)).collect()),
            Data::Map(map) => Data::Map(
                map.iter()
                    .map(|(key, value)| (Key { place, name: key.name.clone() }, value.moved(place)))
                    .collect(),
            ),
            data => data.clone(),
        };
        Node { place, data }
    }

    /// Returns the value of a key.
    pub(crate) fn of(&self, name: &str) -> Option<&Node> {
        self.map()?.iter().find(|(key, _)| key.name == name).map(|(_, value)| value)
    }

    pub(crate) fn number(&self) -> Option<u64> {
        number(self.plain()?)
    }

    pub(crate) fn truth(&self) -> Option<bool> {
        truth(self.plain()?)
    }
}

/// Parses a number: decimal, 0x or 0b, with underscores.
pub(crate) fn number(text: &str) -> Option<u64> {
    let text = text.replace('_', "");
    let digits = |text: &str| text.chars().next().is_some_and(|first| first.is_ascii_hexdigit());
    if let Some(rest) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        return if digits(rest) { u64::from_str_radix(rest, 16).ok() } else { None };
    }
    if let Some(rest) = text.strip_prefix("0b") {
        return if digits(rest) { u64::from_str_radix(rest, 2).ok() } else { None };
    }
    if digits(&text) { text.parse().ok() } else { None }
}

/// Parses `on`, `true`, `yes`, or their opposites.
pub(crate) fn truth(text: &str) -> Option<bool> {
    match text {
        "on" | "true" | "yes" => Some(true),
        "off" | "false" | "no" => Some(false),
        _ => None,
    }
}

/// The maximum nesting that is read.
const DEEPEST: usize = 40;
/// The maximum number of keys in a mapping: each is compared with those before it.
const MOST_KEYS: usize = 1024;

/// A list or mapping whose end has not come yet.
enum Open {
    List(Place, Vec<Node>),
    Map(Place, Vec<(Key, Node)>, Option<Key>),
}

/// Reads a file that holds one YAML document.
///
/// # Errors
/// Fails if it is not YAML, or uses features that the suite's files do not need: anchors, tags, several
/// documents.
pub(crate) fn parse(source: &Source) -> Result<Node, Diagnostic> {
    let mut stack: Vec<Open> = Vec::new();
    let mut root: Option<Node> = None;
    for item in Parser::new_from_str(source.text()) {
        let (event, span) = item.map_err(|error| {
            let place = place(error.marker().line(), error.marker().col());
            let (place, what) = hint(source, &error, place);
            source.diagnostic(place, what)
        })?;
        let at = start(&span);
        let wrong = |what: &str| source.diagnostic(at, what);
        if stack.len() > DEEPEST {
            return Err(wrong("this is nested too deeply"));
        }
        let done = match event {
            Event::Scalar(text, style, anchor, tag) => {
                if anchor != 0 || tag.is_some() {
                    return Err(wrong(
                        "anchors and tags are not supported: share steps with `use`",
                    ));
                }
                let text = text.into_owned();
                Node { place: at, data: scalar(text, style) }
            }
            Event::SequenceStart(_, anchor, tag) | Event::MappingStart(_, anchor, tag)
                if anchor != 0 || tag.is_some() =>
            {
                return Err(wrong("anchors and tags are not supported: share steps with `use`"));
            }
            Event::SequenceStart(..) => {
                stack.push(Open::List(at, Vec::new()));
                continue;
            }
            Event::MappingStart(..) => {
                stack.push(Open::Map(at, Vec::new(), None));
                continue;
            }
            Event::SequenceEnd | Event::MappingEnd => match stack.pop() {
                Some(Open::List(place, list)) => Node { place, data: Data::List(list) },
                Some(Open::Map(place, map, _)) => Node { place, data: Data::Map(map) },
                None => return Err(wrong("an end without a beginning")),
            },
            Event::Alias(_) => {
                return Err(wrong("aliases are not supported: share steps with `use`"));
            }
            Event::DocumentStart(..) if root.is_some() => {
                return Err(wrong("a second document begins here: a file holds only one"));
            }
            _ => continue,
        };
        match stack.last_mut() {
            None => root = Some(done),
            Some(Open::List(_, list)) => list.push(done),
            Some(Open::Map(_, map, key)) => match key.take() {
                Some(name) => map.push((name, done)),
                None => {
                    let Some(name) = done.text().map(str::to_owned) else {
                        return Err(source.diagnostic(done.place, "a key must be a word"));
                    };
                    if map.len() >= MOST_KEYS {
                        return Err(source.diagnostic(done.place, "a mapping has too many keys"));
                    }
                    if map.iter().any(|(known, _)| known.name == name) {
                        let what = format!("duplicate key `{name}`");
                        return Err(source.diagnostic(done.place, what));
                    }
                    *key = Some(Key { place: done.place, name });
                }
            },
        }
    }
    root.ok_or_else(|| source.diagnostic(Place { line: 1, column: 1 }, "the file is empty"))
}

fn scalar(text: String, style: ScalarStyle) -> Data {
    match style {
        ScalarStyle::Plain if text == "~" || text == "null" => Data::Plain(String::new()),
        ScalarStyle::Plain => Data::Plain(text),
        _ => Data::Quoted(text),
    }
}

fn start(span: &Span) -> Place {
    place(span.start.line(), span.start.col())
}

/// Returns a place from a line counted from 1 and a column counted from 0.
fn place(line: usize, column: usize) -> Place {
    Place { line: line.max(1), column: column.saturating_add(1) }
}
