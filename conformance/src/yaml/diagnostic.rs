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

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// A line of it, from 1; empty behind the end.
    fn line(&self, line: usize) -> &str {
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

/// The known name that is most like another, if one is like it.
pub(crate) fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let likeness = |known: &str| {
        let spelling = strsim::jaro_winkler(known, name);
        // Of short names, one letter too many or too few is much, and yet easily done.
        let one_off = name.len() > 1 && known.len() > 1 && strsim::osa_distance(known, name) == 1;
        if one_off { spelling.max(0.9) } else { spelling }
    };
    known
        .into_iter()
        .map(|known| (likeness(known), known))
        .filter(|(likeness, _)| *likeness > 0.74)
        .max_by(|one, other| one.0.total_cmp(&other.0))
        .map(|(_, known)| known)
}

/// `what` with what may have been meant: the nearest known name, or all of them.
pub(crate) fn unknown(what: &str, name: &str, known: &[&str]) -> String {
    match nearest(name, known.iter().copied()) {
        Some(near) => format!("{what}; did you mean `{near}`?"),
        None if known.is_empty() => format!("{what}; there are none"),
        None if known.len() > 24 => {
            format!("{what}; there are {}, ...", known.get(..24).unwrap_or(known).join(", "))
        }
        None => format!("{what}; there are {}", known.join(", ")),
    }
}
