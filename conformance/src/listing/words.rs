//! Steps of a case in words.

use crate::yaml::{Data, Node};

/// The keys of a step that are told otherwise than beside the verb.
const VERBS: [&str; 12] = [
    "connect", "send", "expect", "target", "serve", "wait", "hear", "close", "ready", "set",
    "repeat", "use",
];

/// Steps in words, a line each; those within a step stand deeper by two blanks.
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

/// The steps of a case in words: the value of its key `steps`.
pub(crate) fn in_words(node: &Node) -> Vec<String> {
    let mut out = Vec::new();
    steps(node, 0, &mut out);
    out
}

fn line(depth: usize, words: String, out: &mut Vec<String>) {
    out.push(format!("{}{words}", "  ".repeat(depth)));
}

/// What a step does.
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

/// A value in a line: `terminate (layer rdmap, code invalid_stag)`.
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

/// A name as people read it: blanks for underlines, but not within variables and expressions.
fn named(name: &str) -> String {
    let word = name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
    if word { name.replace('_', " ") } else { name.to_owned() }
}
