//! What a listing needs of a case.

use crate::yaml::{Data, Diagnostic, Node, Place, Source, parse};
use std::str::FromStr as _;
use warpscope_requirements::{Catalogue, Level, Section};

/// What a listing needs of a case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Card {
    /// The file, as named to the user.
    pub file: String,
    /// The id of the case.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Its document: `RFC5044`; empty if neither the folder nor `covers` gives it.
    pub document: String,
    /// Its section: `7.1`.
    pub section: String,
    /// The topic of the section, from the name of the folder: `setup`.
    pub section_title: String,
    /// The ids of the requirements that it covers.
    pub covers: Vec<String>,
    /// The seeded bugs that it must catch.
    pub kills: Vec<String>,
    /// The abilities that the target must have.
    pub needs: Vec<String>,
    /// Words to select it by.
    pub tags: Vec<String>,
    /// The level that the case states, in capitals. Without it, the level of its requirements counts.
    pub(crate) stated_level: Option<String>,
    /// The runner's role, in the case's word.
    pub role: Option<String>,
    /// The axes that multiply it, with their values.
    pub axes: Vec<(String, Vec<String>)>,
    /// The fragments that its steps use, each once.
    pub fragments: Vec<String>,
    /// Its steps in words, one per line. Steps within a step are indented by two blanks.
    pub steps: Vec<String>,
}

impl Card {
    /// Reads a file, given its path below the folder of cases and its text. Returns `None` for a fragment,
    /// which cases share.
    ///
    /// # Errors
    /// Fails if the text is not YAML, or a case has no id or title. The reader of cases reports other
    /// mistakes.
    pub fn read(path: &str, text: &str) -> Result<Option<Self>, Diagnostic> {
        let source = Source::new(path, text);
        let root = parse(&source)?;
        if root.of("fragment").is_some() {
            return Ok(None);
        }
        let needed = |key: &str| {
            let place =
                if root.map().is_some() { root.place } else { Place { line: 1, column: 1 } };
            let missing = || source.diagnostic(place, format!("the key `{key}` is missing"));
            root.of(key).and_then(Node::text).map(str::to_owned).ok_or_else(missing)
        };
        let (id, title) = (needed("id")?, needed("title")?);
        let texts = |key: &str| root.of(key).map(texts).unwrap_or_default();
        let covers = texts("covers");
        let (document, section, section_title) = place(path, &covers);
        let axes = root.of("across").and_then(Node::map).unwrap_or_default();
        Ok(Some(Self {
            file: path.to_owned(),
            id,
            title: title.split_whitespace().collect::<Vec<_>>().join(" "),
            document,
            section,
            section_title,
            covers,
            kills: texts("kills"),
            needs: texts("needs"),
            tags: texts("tags"),
            stated_level: root.of("level").and_then(Node::text).map(str::to_uppercase),
            role: root.of("role").and_then(Node::text).map(str::to_owned),
            axes: axes
                .iter()
                .map(|(key, values)| (key.name.clone(), display_values(values)))
                .collect(),
            fragments: fragments(&root),
            steps: root.of("steps").map(in_words).unwrap_or_default(),
        }))
    }

    /// Returns how strongly it is required: the level of the case, or the strongest of its requirements;
    /// `MUST`, `SHOULD` or `MAY`.
    pub fn level(&self, catalogue: &Catalogue) -> String {
        if let Some(stated) = &self.stated_level {
            return stated.clone();
        }
        let word = match catalogue.strongest(&self.covers).unwrap_or(Level::May) {
            Level::Must | Level::MustNot => "MUST",
            Level::Should | Level::ShouldNot => "SHOULD",
            Level::May => "MAY",
        };
        word.to_owned()
    }
}

/// Returns the names of the fragments that a tree uses.
fn fragments(node: &Node) -> Vec<String> {
    fn walk(node: &Node, found: &mut Vec<String>) {
        for (key, value) in node.map().unwrap_or_default() {
            if key.name == "use" {
                let named = value.of("fragment").map_or_else(|| texts(value), texts);
                let new: Vec<String> = named.into_iter().filter(|it| !found.contains(it)).collect();
                found.extend(new);
            }
            walk(value, found);
        }
        node.list().unwrap_or_default().iter().for_each(|value| walk(value, found));
    }
    let mut found = Vec::new();
    walk(node, &mut found);
    found
}

/// Returns a list of texts, or a single one.
fn texts(node: &Node) -> Vec<String> {
    let alone = std::slice::from_ref(node);
    node.list().unwrap_or(alone).iter().filter_map(Node::text).map(str::to_owned).collect()
}

/// Returns the values of an axis in words.
fn display_values(values: &Node) -> Vec<String> {
    let alone = std::slice::from_ref(values);
    values.list().unwrap_or(alone).iter().map(value).collect()
}

/// Returns the document, the section and the section's title: from the folders
/// (`rfc5044/7.1-setup/key.yaml`), or if they do not give them, from the first requirement.
fn place(path: &str, covers: &[String]) -> (String, String, String) {
    let folders: Vec<&str> = path.split('/').rev().skip(1).take(2).collect();
    if let [section, document] = folders.as_slice() {
        let (number, title) = section.split_once('-').unwrap_or((section, ""));
        if Section::from_str(number).is_ok() {
            return (document.to_uppercase(), number.to_owned(), title.replace('-', " "));
        }
    }
    let mut parts = covers.first().map(|id| id.splitn(3, '-')).into_iter().flatten();
    let mut part = || parts.next().unwrap_or_default().to_owned();
    (part(), part(), String::new())
}

/// The keys of steps: the verbs.
const VERBS: [&str; 12] = [
    "connect", "send", "expect", "target", "serve", "wait", "hear", "close", "ready", "set",
    "repeat", "use",
];

/// Appends steps in words, one per line. Steps within a step are indented by two blanks.
pub(crate) fn steps(node: &Node, depth: usize, out: &mut Vec<String>) {
    for step in node.list().unwrap_or_default() {
        let verb = VERBS.iter().find_map(|verb| Some((*verb, step.of(verb)?)));
        let Some((verb, what)) = verb else {
            line(depth, value(step), out);
            continue;
        };
        let mut words = head(verb, what);
        let beside = step.map().unwrap_or_default().iter();
        let beside: Vec<String> = beside
            .filter(|(key, _)| key.name != verb && key.name != "note")
            .map(|(key, node)| format!("{} {}", named(&key.name), value(node)))
            .collect();
        if !beside.is_empty() {
            words.push_str(&format!("; {}", beside.join(", ")));
        }
        if let Some(note) = step.of("note").and_then(Node::text) {
            words
                .push_str(&format!(" ({})", note.split_whitespace().collect::<Vec<_>>().join(" ")));
        }
        line(depth, words, out);
        if verb == "repeat"
            && let Some(inner) = what.of("steps")
        {
            steps(inner, depth + 1, out);
        }
    }
}

/// Returns the steps of a case in words: the value of its key `steps`.
pub(crate) fn in_words(node: &Node) -> Vec<String> {
    let mut out = Vec::new();
    steps(node, 0, &mut out);
    out
}

fn line(depth: usize, words: String, out: &mut Vec<String>) {
    out.push(format!("{}{words}", "  ".repeat(depth)));
}

/// Returns what a step does.
fn head(verb: &str, what: &Node) -> String {
    let empty = matches!(&what.data, Data::Plain(text) if text.is_empty())
        || what.map().is_some_and(<[_]>::is_empty);
    match verb {
        "connect" if empty => "Set the stream up".to_owned(),
        "connect" => format!("Set the stream up with {}", value(what)),
        "send" => format!("Send {}", value(what)),
        "expect" => format!("Expect {}", value(what)),
        "target" => format!("Have the target do {}", value(what)),
        "serve" if empty => "Answer the target's calls".to_owned(),
        "serve" => format!("Answer the target's calls {}", value(what)),
        "wait" => format!("Wait {}", value(what)),
        "hear" => format!("Read what the target sends: {}", value(what)),
        "close" => format!("Close our side: {}", value(what)),
        "set" => {
            let entries = what.map().unwrap_or_default().iter();
            let set: Vec<String> =
                entries.map(|(key, node)| format!("${} to {}", key.name, value(node))).collect();
            format!("Set {}", set.join(", "))
        }
        "repeat" => {
            let of = |key| what.of(key).map(value).unwrap_or_default();
            format!("For each ${} of {}:", of("for"), of("in"))
        }
        "use" => match (what.of("fragment"), what.of("with")) {
            (Some(name), Some(with)) => {
                format!("Do the steps of {} with {}", value(name), value(with))
            }
            (Some(name), None) => format!("Do the steps of {}", value(name)),
            _ => format!("Do the steps of {}", value(what)),
        },
        other => format!("{other} {}", value(what)),
    }
}

/// Returns a value on one line: `terminate (layer rdmap, code invalid_stag)`.
pub(crate) fn value(node: &Node) -> String {
    match &node.data {
        Data::Plain(text) if text.is_empty() => "nothing".to_owned(),
        Data::Plain(text) => named(text),
        Data::Quoted(text) => format!("\"{}\"", text.escape_debug()),
        Data::List(list) => {
            let all: Vec<String> = list.iter().map(value).collect();
            format!("[{}]", all.join(", "))
        }
        Data::Map(map) => {
            let entry = |(key, node): &(crate::yaml::Key, Node)| match &node.data {
                Data::Map(inner) if inner.is_empty() => named(&key.name),
                Data::Plain(text) if text.is_empty() => named(&key.name),
                Data::Map(_) => format!("{} ({})", named(&key.name), value(node)),
                _ => format!("{} {}", named(&key.name), value(node)),
            };
            map.iter().map(entry).collect::<Vec<_>>().join(", ")
        }
    }
}

/// Returns a readable name: blanks for underscores, but not within variables and expressions.
fn named(name: &str) -> String {
    let word = name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
    if word { name.replace('_', " ") } else { name.to_owned() }
}
