//! What docs/tui.md shows and says is what there is. `UPDATE_DOCS=1` writes it anew.

use crate::prelude::*;
use warpscope_tui::action::Scope;

/// The size of the screens in the document.
const SIZE: (u16, u16) = (100, 24);
/// Keys that a task takes at most.
const MOST_KEYS: usize = 5;

fn document() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../docs/tui.md")
}

/// The document with its screens and its table made anew.
fn made_anew(text: &str) -> String {
    let mut out = String::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        out.push_str(line);
        out.push('\n');
        let marker = line.strip_prefix("<!-- ").and_then(|rest| rest.strip_suffix(" -->"));
        let made = match marker {
            Some("keys") => Some(keys()),
            Some(marker) => marker.strip_prefix("screen: ").map(screen),
            None => None,
        };
        let Some(made) = made else { continue };
        // What stood there before goes: up to the next heading, or the next text.
        if lines.peek().is_some_and(|line| line.starts_with("```")) {
            lines.next();
            for line in lines.by_ref() {
                if line.starts_with("```") {
                    break;
                }
            }
        } else {
            while lines.peek().is_some_and(|line| line.starts_with('|')) {
                lines.next();
            }
        }
        out.push_str(&made);
    }
    out
}

/// The screen that a marker asks for.
fn screen(marker: &str) -> String {
    let (capture, keys) = marker.split_once("; keys: ").unwrap();
    let mut driven = open(capture, SIZE);
    let mut pressed = 0;
    // Text between quotation marks is typed.
    for (index, part) in keys.split('"').enumerate() {
        if index % 2 == 1 {
            driven.type_text(part);
        } else {
            pressed += part.split_whitespace().count();
            driven.press(part);
        }
    }
    assert!(pressed <= MOST_KEYS, "{keys} are {pressed} keys");
    format!("```text\n{}```\n", driven.screen())
}

/// The table of actions as Markdown.
fn keys() -> String {
    let mut out = "| keys | name | what it does | where |\n|---|---|---|---|\n".to_owned();
    for binding in action::all() {
        let keys: Vec<String> = binding.keys.iter().map(|key| format!("`{key}`")).collect();
        let views = match binding.scope {
            Scope::Everywhere => "everywhere".to_owned(),
            Scope::Views(views) | Scope::Pane(views, _) => {
                views.iter().map(|view: &View| view.name()).collect::<Vec<_>>().join(", ")
            }
        };
        let (keys, name) = (keys.join(" "), binding.name);
        out.push_str(&format!("| {keys} | `{name}` | {} | {views} |\n", binding.words));
    }
    out
}

#[test]
fn screens_and_keys_are_as_they_are_told() {
    let text = std::fs::read_to_string(document()).unwrap();
    let anew = made_anew(&text);
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(document(), anew).unwrap();
        return;
    }
    let screens = text.matches("<!-- screen: ").count();
    assert_eq!(screens, 11, "the tour has ten tasks, and there is a graph");
    for (line, (is, was)) in anew.lines().zip(text.lines()).enumerate() {
        assert_eq!(is, was, "line {}; UPDATE_DOCS=1 writes the document anew", line + 1);
    }
    assert_eq!(anew.len(), text.len());
}
