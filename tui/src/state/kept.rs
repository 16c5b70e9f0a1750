//! What is remembered from session to session.

use super::State;
use crate::look::Theme;
use serde_json::{Value, json};

/// Lines of history that are remembered.
const HISTORY: usize = 100;
/// The longest of them, in bytes.
const LONGEST: usize = 4096;

impl State {
    /// What is to be remembered, as JSON: theme, characters, columns, and what was filtered by and
    /// searched for.
    pub fn kept(&self) -> String {
        let kept = json!({
            "theme": self.look.theme.name(),
            "ascii": self.look.ascii,
            "columns": self.messages.columns.kept(),
            "filters": self.filter.editor.history,
            "searches": self.search.editor.history,
        });
        format!("{kept:#}\n")
    }

    /// Takes what was remembered; what is not understood is left out. Theme and characters are taken
    /// only where the user's flags leave them open.
    pub fn remember(&mut self, kept: &str, theme: bool, ascii: bool) {
        let Ok(kept) = serde_json::from_str::<Value>(kept) else { return };
        if let Some(found) = kept.get("theme").and_then(Value::as_str).and_then(Theme::find)
            && theme
        {
            self.look.theme = found;
        }
        if let Some(found) = kept.get("ascii").and_then(Value::as_bool)
            && ascii
        {
            self.look.ascii = found;
        }
        if let Some(names) = kept.get("columns").and_then(Value::as_array) {
            let names: Vec<&str> = names.iter().filter_map(Value::as_str).collect();
            self.messages.columns.recall(&names);
        }
        self.filter.editor.history = lines(&kept, "filters");
        self.search.editor.history = lines(&kept, "searches");
    }
}

fn lines(kept: &Value, name: &str) -> Vec<String> {
    let all = kept.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let plain = |text: &&str| text.len() <= LONGEST && !text.chars().any(char::is_control);
    let kept = all.iter().rev().filter_map(Value::as_str).filter(plain).take(HISTORY);
    let mut lines: Vec<String> = kept.map(str::to_owned).collect();
    lines.reverse();
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::look::Look;

    #[test]
    fn what_is_kept_is_taken_again() {
        let mut one = State::new("one", (80, 24), Look { theme: Theme::Light, ascii: true });
        one.messages.columns.toggle(2);
        one.messages.columns.toggle(8);
        one.messages
            .columns
            .add(warpscope_dissector::field::find("iwarp_ddp.stag").unwrap(), false);
        one.messages.columns.cursor = Default::default();
        one.filter.editor.set("tcp.stream == 1");
        one.filter.editor.remember();
        one.search.editor.set("read");
        one.search.editor.remember();
        let mut other = State::new("other", (80, 24), Look::default());
        other.remember(&one.kept(), true, true);
        assert_eq!((other.look, &other.messages.columns), (one.look, &one.messages.columns));
        assert_eq!(other.filter.editor.history, ["tcp.stream == 1"]);
        assert_eq!(other.search.editor.history, ["read"]);
        let mut flags = State::new("flags", (80, 24), Look::default());
        flags.remember(&one.kept(), false, false);
        assert_eq!(flags.look, Look::default());
    }

    #[test]
    fn nonsense_is_left_out() {
        for kept in
            ["", "[]", "{\"theme\": 7, \"columns\": []}", "{\"filters\": [1, \"a\\u001b\"]}"]
        {
            let mut state = State::new("x", (80, 24), Look::default());
            let before = state.messages.columns.clone();
            state.remember(kept, true, true);
            assert_eq!(state.messages.columns, before);
            assert!(state.filter.editor.history.is_empty() && state.look == Look::default());
        }
    }
}
