//! A part of a YAML file, with its place.

use super::Place;

/// A key of a mapping.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Key {
    pub(crate) place: Place,
    pub(crate) name: String,
}

/// A value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Node {
    pub(crate) place: Place,
    pub(crate) data: Data,
}

/// What a value is.
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
    /// What it is, for people.
    pub(crate) fn kind(&self) -> &'static str {
        match &self.data {
            Data::Plain(text) if text.is_empty() => "nothing",
            Data::Plain(_) | Data::Quoted(_) => "a word",
            Data::List(_) => "a list",
            Data::Map(_) => "keys with values",
        }
    }

    /// Its text, if it is a word or a text.
    pub(crate) fn text(&self) -> Option<&str> {
        match &self.data {
            Data::Plain(text) | Data::Quoted(text) => Some(text),
            Data::List(_) | Data::Map(_) => None,
        }
    }

    /// Its text, if it is a word without quotes.
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

    /// Itself with another place, in all of its parts.
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

    /// The value of a key.
    pub(crate) fn of(&self, name: &str) -> Option<&Node> {
        self.map()?.iter().find(|(key, _)| key.name == name).map(|(_, value)| value)
    }

    /// The number that its text is.
    pub(crate) fn number(&self) -> Option<u64> {
        number(self.plain()?)
    }

    /// The truth value that its text is.
    pub(crate) fn truth(&self) -> Option<bool> {
        truth(self.plain()?)
    }
}

/// A number: decimal, 0x or 0b, with underlines.
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

/// `on`, `true`, `yes`, or their opposites.
pub(crate) fn truth(text: &str) -> Option<bool> {
    match text {
        "on" | "true" | "yes" => Some(true),
        "off" | "false" | "no" => Some(false),
        _ => None,
    }
}
