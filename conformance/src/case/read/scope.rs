//! What is known at a step, and how mistakes are reported.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::str::FromStr;
use strum::VariantNames;

use crate::case::files::{Buffer, Context, Fragment};
use crate::case::grammar::{self, Key};
use crate::case::step::Step;
use crate::case::value::Region;
use crate::yaml::{self, Data, Diagnostics, Node, Place, Source};

/// Reading stopped because of a mistake, which has been reported.
#[derive(Debug)]
pub(in crate::case) struct Reported;

pub(in crate::case) type Read<T> = Result<T, Reported>;

/// Limits, so that no file can exhaust the machine's memory.
pub(in crate::case) struct Limit;

impl Limit {
    pub(in crate::case) const INSTANCES: usize = 2_000;
    pub(in crate::case) const STEPS: usize = 20_000;
    /// How many times one step may be done.
    pub(in crate::case) const TIMES: u64 = 100_000;
    /// Mistakes in a file after which no more instances are read.
    pub(in crate::case) const MISTAKES: usize = 100;
    /// The maximum nesting of fragments and loops, and of values that refer to values.
    pub(in crate::case) const DEPTH: usize = 8;
}

/// The state of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::case) enum State {
    Open,
    /// We have closed our direction.
    Half,
    Ended,
}

/// What is known at a step.
#[derive(Clone, Debug, Default)]
pub(in crate::case) struct Scope {
    /// Axes, parameters and loop variables, which are known before the run.
    pub(in crate::case) constants: Vec<(String, Node)>,
    /// Numbers that steps have bound.
    pub(in crate::case) numbers: BTreeSet<String>,
    /// Bytes that steps have bound.
    pub(in crate::case) bytes: BTreeSet<String>,
    pub(in crate::case) buffers: Vec<Buffer>,
    /// The buffers that steps name; the others are not registered.
    pub(in crate::case) named: BTreeSet<Region>,
    pub(in crate::case) streams: BTreeMap<String, State>,
    /// The names of sends.
    pub(in crate::case) sent: BTreeSet<String>,
}

/// Reads one instance of a case.
pub(in crate::case) struct Reader<'a> {
    pub(in crate::case) context: Context<'a>,
    pub(in crate::case) fragments: &'a [Fragment],
    pub(in crate::case) source: Source,
    pub(in crate::case) wrong: Diagnostics,
    pub(in crate::case) scope: Scope,
    pub(in crate::case) steps: Vec<Step>,
    pub(in crate::case) depth: usize,
    /// Fragments that have been used.
    pub(in crate::case) used: BTreeSet<String>,
}

impl<'a> Reader<'a> {
    pub(in crate::case) fn new(
        context: Context<'a>,
        fragments: &'a [Fragment],
        source: &Source,
    ) -> Self {
        Self {
            context,
            fragments,
            source: source.clone(),
            wrong: Diagnostics::default(),
            scope: Scope::default(),
            steps: Vec::new(),
            depth: 0,
            used: BTreeSet::new(),
        }
    }

    pub(in crate::case) fn report(&mut self, place: Place, what: impl Into<String>) -> Reported {
        self.wrong.push(self.source.diagnostic(place, what));
        Reported
    }

    /// Reports an unknown name, with a suggestion.
    pub(in crate::case) fn unknown(
        &mut self,
        place: Place,
        what: &str,
        name: &str,
        known: impl IntoIterator<Item: AsRef<str>>,
    ) -> Reported {
        let known: Vec<_> = known.into_iter().collect();
        let known: Vec<&str> = known.iter().map(AsRef::as_ref).collect();
        self.report(place, yaml::unknown(what, name, &known))
    }

    /// Checks keys against the tables of the grammar, and reports those that are in none of them. `about`
    /// says what is wrong with a key.
    pub(in crate::case) fn check_keys(
        &mut self,
        map: &[(yaml::Key, Node)],
        tables: &[&[Key]],
        about: impl Fn(&str) -> String,
    ) -> Read<()> {
        let known: Vec<&str> = tables.iter().flat_map(|keys| grammar::names(keys)).collect();
        let mut good = true;
        for (key, _) in map.iter().filter(|(key, _)| !known.contains(&key.name.as_str())) {
            self.unknown(key.place, &about(&key.name), &key.name, &known);
            good = false;
        }
        if good { Ok(()) } else { Err(Reported) }
    }

    /// Reports the required keys of a table that are missing.
    pub(in crate::case) fn check_needed(
        &mut self,
        place: Place,
        map: &[(yaml::Key, Node)],
        keys: &[Key],
    ) -> Read<()> {
        let mut good = true;
        for key in keys.iter().filter(|key| key.needed) {
            if value_of(map, key.name).is_none() {
                self.report(place, format!("the key `{}` is missing", key.name));
                good = false;
            }
        }
        if good { Ok(()) } else { Err(Reported) }
    }

    /// Reads the value of a key, if the key is there.
    pub(in crate::case) fn optional<T>(
        &mut self,
        map: &[(yaml::Key, Node)],
        name: &str,
        read: impl FnOnce(&mut Self, &Node) -> Read<T>,
    ) -> Read<Option<T>> {
        value_of(map, name).map(|node| read(self, node)).transpose()
    }

    /// Returns the value that a node stands for: the node itself, or the value with this name that is known
    /// before the run.
    pub(in crate::case) fn resolve<'n>(&self, node: &'n Node) -> Cow<'n, Node> {
        let mut resolved = Cow::Borrowed(node);
        for _ in 0..Limit::DEPTH {
            let Some(path) = resolved.plain().and_then(|text| text.strip_prefix('$')) else {
                break;
            };
            let Some(found) = self.constant(path) else { break };
            // A value from another file has no place of its own here.
            resolved = Cow::Owned(if found.place.line == 0 {
                found.moved(node.place)
            } else {
                Node { place: node.place, data: found.data.clone() }
            });
        }
        resolved
    }

    /// Returns what is known before the run under a path such as `axis` or `axis.key`.
    pub(in crate::case) fn constant(&self, path: &str) -> Option<&Node> {
        let mut parts = path.split('.');
        let first = parts.next()?;
        let mut node = &self.scope.constants.iter().rev().find(|(name, _)| name == first)?.1;
        for part in parts {
            node = node.of(part)?;
        }
        Some(node)
    }

    pub(in crate::case) fn text(&mut self, node: &Node, what: &str) -> Read<String> {
        let resolved = self.resolve(node);
        match resolved.text().filter(|text| !text.trim().is_empty()) {
            Some(text) => Ok(text.to_owned()),
            None => {
                Err(self.report(node.place, format!("{what} is a word, not {}", resolved.kind())))
            }
        }
    }

    /// Returns the elements that a node stands for. A single word is a list of one.
    pub(in crate::case) fn list(&mut self, node: &Node) -> Vec<Node> {
        let resolved = self.resolve(node);
        match &resolved.data {
            Data::List(list) => list.clone(),
            Data::Plain(text) if text.is_empty() => Vec::new(),
            _ => vec![resolved.into_owned()],
        }
    }

    /// Returns the word that a node stands for, which must be one of these.
    pub(in crate::case) fn word(
        &mut self,
        node: &Node,
        known: &[&'static str],
    ) -> Read<&'static str> {
        let text = self.text(node, "this")?;
        match known.iter().find(|word| **word == text) {
            Some(word) => Ok(word),
            None => {
                Err(self.unknown(node.place, &format!("`{text}` is not valid here"), &text, known))
            }
        }
    }

    /// Reads each element of the list that a node stands for.
    pub(in crate::case) fn each<T>(
        &mut self,
        node: &Node,
        mut read: impl FnMut(&mut Self, &Node) -> Read<T>,
    ) -> Read<Vec<T>> {
        self.list(node).iter().map(|element| read(self, element)).collect()
    }

    /// Returns the choice that a word names.
    pub(in crate::case) fn choice<E: FromStr + VariantNames>(&mut self, node: &Node) -> Read<E> {
        self.word(node, E::VARIANTS)?.parse().map_err(|_| Reported)
    }

    pub(in crate::case) fn map(&mut self, node: &Node, what: &str) -> Read<Vec<(yaml::Key, Node)>> {
        let resolved = self.resolve(node);
        let kind = resolved.kind();
        match &resolved.data {
            Data::Map(map) => Ok(map.clone()),
            Data::Plain(text) if text.is_empty() => Ok(Vec::new()),
            _ => Err(self.report(node.place, format!("{what} has keys with values, not {kind}"))),
        }
    }

    pub(in crate::case) fn buffer(&self, region: &Region) -> Option<&Buffer> {
        self.scope.buffers.iter().find(|buffer| buffer.region == *region)
    }
}

pub(in crate::case) fn value_of<'n>(map: &'n [(yaml::Key, Node)], name: &str) -> Option<&'n Node> {
    map.iter().find(|(key, _)| key.name == name).map(|(_, node)| node)
}

/// Returns the message that a key is not allowed where it is.
pub(in crate::case) fn means_nothing(name: &str) -> String {
    format!("`{name}` is not valid here")
}
