//! What is wrong with a file, where, and what to do about it.

use std::fmt;
use std::rc::Rc;

/// Where something stands in a file: line and column, both from 1.
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
    /// A file of that name with that text.
    pub fn new(name: &str, text: &str) -> Self {
        Self { name: name.into(), text: text.into() }
    }

    /// A file with those bytes as its text.
    ///
    /// # Errors
    /// Where the first byte stands that is no UTF-8.
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
        let what = format!("this is not text: the byte {byte:#04x} is no UTF-8");
        let source = Self::new(name, &String::from_utf8_lossy(bytes));
        Err(source.diagnostic(Place { line, column }, what))
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// A line of it, from 1; empty behind the end.
    pub(super) fn line(&self, line: usize) -> &str {
        line.checked_sub(1).and_then(|index| self.text.lines().nth(index)).unwrap_or_default()
    }

    /// Something wrong at a place of it.
    pub fn diagnostic(&self, place: Place, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            file: self.name.to_string(),
            place,
            message: message.into(),
            line: self.line(place.line).to_owned(),
        }
    }
}

/// Something wrong with a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
pub struct Diagnostic {
    /// The file's name.
    pub file: String,
    /// Where in it.
    pub place: Place,
    /// What is wrong, and what may have been meant.
    pub message: String,
    /// The line itself.
    pub line: String,
}

impl fmt::Display for Diagnostic {
    /// `file:line:column: message`, then the line, and a mark under the column.
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

/// What is wrong with files, while they are read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Diagnostics(Vec<Diagnostic>);

impl Diagnostics {
    /// One more, unless it was told before.
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

    /// All of them, by file and place.
    pub(crate) fn sorted(mut self) -> Vec<Diagnostic> {
        self.0.sort();
        self.0
    }
}

/// The most names that a message lists.
const LISTED: usize = 24;
/// The shortest name that is looked for within others.
const LOOKED_FOR: usize = 3;

/// How unlike two names are, in single changes; none where they are not alike.
fn unlikeness(name: &str, known: &str) -> Option<usize> {
    let distance = strsim::osa_distance(known, name);
    let longest = known.chars().count().max(name.chars().count());
    // Of short names, one letter too many or too few is much, and yet easily done.
    let alike =
        name.len() > 1 && known.len() > 1 && distance <= (longest.saturating_add(2) / 4).max(1);
    alike.then_some(distance)
}

/// Whether the words of a name are words of another, in that order; the last may be cut short.
fn contains(known: &str, name: &str) -> bool {
    if name.len() < LOOKED_FOR {
        return false;
    }
    let mut words = known.split(['_', '-']);
    let mut wanted = name.split(['_', '-']).peekable();
    while let Some(word) = wanted.next() {
        let last = wanted.peek().is_none();
        if !words.any(|it| it == word || (last && it.starts_with(word))) {
            return false;
        }
    }
    true
}

/// The known name that is most like another, if one is like it: spelt nearly so, or else the first
/// that has its words.
pub(crate) fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let known: Vec<&str> = known.into_iter().collect();
    let alike = known.iter().filter_map(|it| Some((unlikeness(name, it)?, *it)));
    let nearest = alike.min_by_key(|(unlikeness, _)| *unlikeness).map(|(_, known)| known);
    nearest.or_else(|| known.iter().copied().find(|it| contains(it, name)))
}

/// `what` with what may have been meant: the nearest known name, or all of them.
pub(crate) fn unknown(what: &str, name: &str, known: &[&str]) -> String {
    unknown_of(what, name, known, "warpscope conform schema")
}

/// As [`unknown`]; where the names are too many for a message, this command lists all of them.
pub(crate) fn unknown_of(what: &str, name: &str, known: &[&str], lists: &str) -> String {
    match (nearest(name, known.iter().copied()), known.get(..LISTED)) {
        (Some(near), _) => format!("{what}; did you mean `{near}`?"),
        (None, Some(first)) if known.len() > LISTED => {
            let (first, more) = (first.join(", "), known.len() - LISTED);
            format!("{what}; there are {first}, and {more} more: `{lists}` lists all")
        }
        (None, _) if known.is_empty() => format!("{what}; there are none"),
        (None, _) => format!("{what}; there are {}", known.join(", ")),
    }
}
