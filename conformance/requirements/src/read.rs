//! Reads one file of the catalogue, and checks what can be checked without the other files.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_saphyr::Spanned;

use crate::{Document, Fault, Judged, Level, Party, Requirement, Section, Stated};

/// The maximum length of a text or a `how`, in characters.
const MOST_CHARACTERS: usize = 400;

/// A file, as written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    document: Spanned<String>,
    title: Spanned<String>,
    requirements: Vec<Entry>,
}

/// A requirement, as written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    id: Spanned<String>,
    level: Level,
    binds: Spanned<Vec<Party>>,
    text: Spanned<String>,
    judged: Judged,
    how: Spanned<String>,
    #[serde(default)]
    same_as: Vec<Spanned<String>>,
    #[serde(default)]
    stated: Stated,
}

/// A file that could be read, and what is wrong with it nonetheless.
pub(crate) struct ReadFile {
    pub(crate) document: Document,
    /// The line that names the document.
    pub(crate) line: u64,
    /// Its requirements, each with the line of its id.
    pub(crate) requirements: Vec<(Requirement, u64)>,
    /// The references to other requirements, each with its line.
    pub(crate) references: Vec<(String, u64)>,
    /// What is wrong.
    pub(crate) faults: Vec<Fault>,
}

/// Reads the file `name`, whose text is `text`.
///
/// # Errors
///
/// Fails if the text is not YAML, or is YAML of another form.
pub(crate) fn read(name: &str, text: &str) -> Result<ReadFile, Fault> {
    let file: File = serde_saphyr::from_str(text).map_err(|error| Fault {
        file: name.to_owned(),
        line: error.location().map_or(1, |location| location.line()),
        what: error.without_snippet().to_string(),
    })?;
    let mut reader = Reader { name, faults: Vec::new(), last: None, count: BTreeMap::new() };
    let document = Document { id: file.document.value, title: file.title.value };
    let line = file.document.referenced.line();
    if document.id.is_empty() || !document.id.bytes().all(|it| it.is_ascii_alphanumeric()) {
        reader.fault(line, "a document's id is made of letters and digits".to_owned());
    }
    reader.one_line("title", file.title.referenced.line(), &document.title);
    if file.requirements.is_empty() {
        reader.fault(line, "the document has no requirements".to_owned());
    }
    let mut requirements = Vec::with_capacity(file.requirements.len());
    let mut references = Vec::new();
    for entry in file.requirements {
        let line = entry.id.referenced.line();
        references.extend(entry.same_as.iter().map(|it| (it.value.clone(), it.referenced.line())));
        if let Some(requirement) = reader.requirement(&document, entry) {
            requirements.push((requirement, line));
        }
    }
    Ok(ReadFile { document, line, requirements, references, faults: reader.faults })
}

/// The state while the entries of a file are read.
struct Reader<'a> {
    name: &'a str,
    faults: Vec<Fault>,
    /// The section of the previous entry.
    last: Option<Section>,
    /// The number of the last entry of each section.
    count: BTreeMap<Section, u32>,
}

impl Reader<'_> {
    fn fault(&mut self, line: u64, what: String) {
        self.faults.push(Fault { file: self.name.to_owned(), line, what });
    }

    /// Checks an entry. Returns `None` if its id cannot be parsed.
    fn requirement(&mut self, document: &Document, entry: Entry) -> Option<Requirement> {
        let line = entry.id.referenced.line();
        let id = entry.id.value;
        self.one_line("text", entry.text.referenced.line(), &entry.text.value);
        self.one_line("how", entry.how.referenced.line(), &entry.how.value);
        self.parties(entry.binds.referenced.line(), &entry.binds.value);
        if entry.same_as.iter().any(|it| it.value == id) {
            self.fault(line, format!("{id} says that it is the same as itself"));
        }
        let section = match section_and_number(&document.id, &id) {
            Ok((section, number)) => {
                self.place(line, &id, &section, number);
                section
            }
            Err(what) => {
                self.fault(line, what);
                return None;
            }
        };
        Some(Requirement {
            id,
            document: document.id.clone(),
            section,
            level: entry.level,
            binds: entry.binds.value,
            text: entry.text.value,
            judged: entry.judged,
            how: entry.how.value,
            same_as: entry.same_as.into_iter().map(|it| it.value).collect(),
            stated: entry.stated,
        })
    }

    /// Checks that an entry is where its id says: sections in the order of the text, and consecutive numbers
    /// within a section.
    fn place(&mut self, line: u64, id: &str, section: &Section, number: u32) {
        if let Some(last) = &self.last
            && section < last
        {
            let what = format!("{id} comes after section {last}: keep the order of the text");
            self.fault(line, what);
        }
        let count = self.count.entry(section.clone()).or_insert(0);
        let next = count.saturating_add(1);
        *count = number;
        if number != next {
            let what = format!("{id} should have the number {next:02}: count on without a hole");
            self.fault(line, what);
        }
        self.last = Some(section.clone());
    }

    /// Checks a text for people: not empty, on one line, and not too long.
    fn one_line(&mut self, what: &str, line: u64, text: &str) {
        let length = text.chars().count();
        if text.trim().is_empty() {
            self.fault(line, format!("the {what} is empty"));
        } else if text.contains('\n') || text.trim() != text {
            self.fault(line, format!("the {what} has line ends or outer blanks: write it with >-"));
        } else if length > MOST_CHARACTERS {
            let most = format!("{MOST_CHARACTERS} is the most");
            self.fault(line, format!("the {what} has {length} characters, and {most}"));
        }
    }

    /// Checks the parties that are bound: at least one, and none twice.
    fn parties(&mut self, line: u64, parties: &[Party]) {
        if parties.is_empty() {
            self.fault(line, "the requirement binds nobody".to_owned());
        }
        for (index, party) in parties.iter().enumerate() {
            if parties.iter().take(index).any(|it| it == party) {
                self.fault(line, format!("{party} is bound twice"));
            }
        }
    }
}

/// Parses the id of a requirement of `document`: its section and its running number.
fn section_and_number(document: &str, id: &str) -> Result<(Section, u32), String> {
    let form = || format!("the id {id} should read like {document}-4.8-03");
    let rest = id.strip_prefix(document).and_then(|it| it.strip_prefix('-')).ok_or_else(form)?;
    let (section, digits) = rest.split_once('-').ok_or_else(form)?;
    let section = section.parse().map_err(|error| format!("the id {id}: {error}"))?;
    let number = digits.parse().map_err(|_| form())?;
    if digits == format!("{number:02}") { Ok((section, number)) } else { Err(form()) }
}
