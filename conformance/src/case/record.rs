//! Named arguments: of connects, orders and reports, whose keys are tables of the grammar.

use std::time::Duration;

use super::value::{Bytes, Region, Value};

/// An argument.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Argument {
    /// A number.
    Number(Value),
    /// On or off.
    Flag(bool),
    /// A word of those that its key takes.
    Word(&'static str),
    /// Several of them.
    Words(Vec<&'static str>),
    /// Bytes.
    Bytes(Bytes),
    /// A buffer.
    Region(Region),
    /// A time.
    Time(Duration),
    /// The name of a stream of the case, or another name.
    Stream(String),
}

/// A name, and arguments by key. Only keys of its table are in it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Record {
    /// What it is: the order's name, the report's kind; empty for options.
    pub(crate) name: &'static str,
    /// What was said.
    pub(crate) arguments: Vec<(&'static str, Argument)>,
}

impl Record {
    /// The argument of a key, if it was said.
    pub(crate) fn argument(&self, key: &str) -> Option<&Argument> {
        self.arguments.iter().find(|(known, _)| *known == key).map(|(_, argument)| argument)
    }

    /// The number of a key.
    pub(crate) fn number(&self, key: &str) -> Option<&Value> {
        match self.argument(key)? {
            Argument::Number(value) => Some(value),
            _ => None,
        }
    }

    /// Whether a key is on.
    pub(crate) fn flag(&self, key: &str) -> Option<bool> {
        match self.argument(key)? {
            Argument::Flag(flag) => Some(*flag),
            _ => None,
        }
    }

    /// The word of a key.
    pub(crate) fn word(&self, key: &str) -> Option<&'static str> {
        match self.argument(key)? {
            Argument::Word(word) => Some(word),
            _ => None,
        }
    }

    /// The words of a key; none, if it was not said.
    pub(crate) fn words(&self, key: &str) -> &[&'static str] {
        match self.argument(key) {
            Some(Argument::Words(words)) => words,
            _ => &[],
        }
    }

    /// The bytes of a key.
    pub(crate) fn bytes(&self, key: &str) -> Option<&Bytes> {
        match self.argument(key)? {
            Argument::Bytes(bytes) => Some(bytes),
            _ => None,
        }
    }

    /// The buffer of a key.
    pub(crate) fn region(&self, key: &str) -> Option<&Region> {
        match self.argument(key)? {
            Argument::Region(region) => Some(region),
            _ => None,
        }
    }

    /// The text of a key.
    pub(crate) fn text(&self, key: &str) -> Option<&str> {
        match self.argument(key)? {
            Argument::Stream(text) => Some(text),
            _ => None,
        }
    }

    /// The time of a key.
    pub(crate) fn time(&self, key: &str) -> Option<Duration> {
        match self.argument(key)? {
            Argument::Time(time) => Some(*time),
            _ => None,
        }
    }
}
