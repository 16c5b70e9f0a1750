//! The user's actions: a table of them, and their keys.

use crate::layout::{Pane, View};
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use std::fmt;

// A key in the notation of the table.

/// A pressed key: `j`, `Ctrl-d`, `PageDown`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Key {
    /// The key itself; a letter in the case in which it is typed.
    pub code: KeyCode,
    /// Whether Ctrl is held.
    pub control: bool,
    /// Whether Alt is held.
    pub alt: bool,
}

const NAMED: [(&str, KeyCode); 17] = [
    ("Enter", KeyCode::Enter),
    ("Esc", KeyCode::Esc),
    ("Tab", KeyCode::Tab),
    ("BackTab", KeyCode::BackTab),
    ("Backspace", KeyCode::Backspace),
    ("Delete", KeyCode::Delete),
    ("Up", KeyCode::Up),
    ("Down", KeyCode::Down),
    ("Left", KeyCode::Left),
    ("Right", KeyCode::Right),
    ("Home", KeyCode::Home),
    ("End", KeyCode::End),
    ("PageUp", KeyCode::PageUp),
    ("PageDown", KeyCode::PageDown),
    ("Space", KeyCode::Char(' ')),
    ("F1", KeyCode::F(1)),
    ("F5", KeyCode::F(5)),
];

impl Key {
    /// Creates a character without Ctrl or Alt.
    pub fn character(character: char) -> Self {
        Self { code: KeyCode::Char(character), control: false, alt: false }
    }

    /// Creates a key without Ctrl or Alt.
    pub fn plain(code: KeyCode) -> Self {
        Self { code, control: false, alt: false }
    }

    /// Returns the key that a word names; `None` if it names none.
    pub fn parse(word: &str) -> Option<Self> {
        let (control, rest) = match word.strip_prefix("Ctrl-") {
            Some(rest) => (true, rest),
            None => (false, word),
        };
        let (alt, rest) = match rest.strip_prefix("Alt-") {
            Some(rest) => (true, rest),
            None => (false, rest),
        };
        let named = NAMED.iter().find(|(name, _)| *name == rest).map(|(_, code)| *code);
        let code = named.or_else(|| {
            let mut characters = rest.chars();
            let one = characters.next()?;
            characters.next().is_none().then_some(KeyCode::Char(one))
        })?;
        Some(Self { code, control, alt })
    }
}

impl From<KeyEvent> for Key {
    fn from(event: KeyEvent) -> Self {
        let control = event.modifiers.contains(KeyModifiers::CONTROL);
        let alt = event.modifiers.contains(KeyModifiers::ALT);
        let shift = event.modifiers.contains(KeyModifiers::SHIFT);
        let code = match event.code {
            KeyCode::Tab if shift => KeyCode::BackTab,
            code => code,
        };
        Self { code, control, alt }
    }
}

impl fmt::Display for Key {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}", if self.control { "Ctrl-" } else { "" })?;
        write!(out, "{}", if self.alt { "Alt-" } else { "" })?;
        match NAMED.iter().find(|(_, code)| *code == self.code) {
            Some((name, _)) => write!(out, "{name}"),
            None => match self.code {
                KeyCode::Char(character) => write!(out, "{character}"),
                other => write!(out, "{other}"),
            },
        }
    }
}

// The table of actions, from which keys, help and the command palette are generated.

/// Where an action is available.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// In every view.
    Everywhere,
    /// In these views.
    Views(&'static [View]),
    /// In these views, if that pane is active.
    Pane(&'static [View], Pane),
}

impl Scope {
    /// Whether the scope includes this place.
    pub fn holds(self, view: View, pane: Pane) -> bool {
        match self {
            Self::Everywhere => true,
            Self::Views(views) => views.contains(&view),
            Self::Pane(views, of) => views.contains(&view) && of == pane,
        }
    }

    /// Whether both scopes include the same place.
    pub fn meets(self, other: Self) -> bool {
        let both = |view, pane| self.holds(view, pane) && other.holds(view, pane);
        View::ALL.iter().any(|view| Pane::ALL.iter().any(|pane| both(*view, *pane)))
    }
}

/// A row of the table.
#[derive(Debug)]
pub struct Binding {
    /// The action.
    pub action: Action,
    /// Its name in the command palette.
    pub name: &'static str,
    /// The keys that trigger it.
    pub keys: &'static [&'static str],
    /// Where these keys work.
    pub scope: Scope,
    /// A short description.
    pub words: &'static str,
}

const MESSAGES: Scope = Scope::Views(&[View::Messages]);
const WRONG: Scope = Scope::Views(&[View::Messages, View::Run]);
const FLOWED: Scope = Scope::Views(&[
    View::Flows,
    View::Messages,
    View::Operations,
    View::Calls,
    View::Ladder,
    View::Findings,
    View::Statistics,
    View::Graph,
]);
/// Views with a value to filter by.
const VALUED: Scope = Scope::Views(&[
    View::Flows,
    View::Messages,
    View::Operations,
    View::Calls,
    View::Ladder,
    View::Findings,
    View::Statistics,
]);
/// Views whose rows belong to frames.
const FRAMED: Scope =
    Scope::Views(&[View::Messages, View::Operations, View::Calls, View::Ladder, View::Findings]);
/// Views with a field to select.
const FIELDS: Scope = Scope::Views(&[View::Messages, View::Fields]);
const GRAPH: Scope = Scope::Views(&[View::Graph]);
const SORTED: Scope = Scope::Views(&[View::Flows, View::Operations, View::Calls]);
const LADDER: Scope = Scope::Views(&[View::Ladder]);
const TREE: Scope = Scope::Pane(&[View::Messages], Pane::Tree);
const E: Scope = Scope::Everywhere;

const fn show(
    view: View,
    name: &'static str,
    keys: &'static [&'static str],
    words: &'static str,
) -> Binding {
    Binding { action: Action::Show(view), name, keys, scope: E, words }
}

/// Declares the actions: for each its name in the command palette, its keys, where these work, and a short
/// description.
macro_rules! actions {
    ($($action:ident $name:literal $keys:tt $scope:ident $words:literal;)*) => {
        /// An action of the user. Typed text is no action: it goes to the line editor.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Action {
            #[doc = "Goes to a view."]
            Show(View),
            $(#[doc = $words] $action,)*
        }

        static TABLE: &[Binding] = &[
            show(View::Flows, "flows", &["1"], "connections"),
            show(View::Messages, "messages", &["2"], "messages, with tree and bytes"),
            show(View::Operations, "operations", &["3"], "requests with their responses"),
            show(View::Calls, "calls", &["4"], "I/O: RPC, NVMe, iSCSI, SMB"),
            show(View::Ladder, "ladder", &["5"], "the conversation of the flow"),
            show(View::Findings, "findings", &["6"], "broken rules"),
            show(View::Statistics, "statistics", &["7"], "opcodes, latencies, throughput"),
            show(View::Fields, "fields", &["8"], "fields to filter by"),
            show(View::Run, "run", &["9"], "results of a conformance run"),
            show(View::Graph, "graph", &["0"], "rate, latency, operations over time"),
            $(Binding {
                action: Action::$action,
                name: $name,
                keys: &$keys,
                scope: $scope,
                words: $words,
            },)*
        ];
    };
}

actions! {
    Down "down" ["j", "Down"] E "a row down";
    Up "up" ["k", "Up"] E "a row up";
    PageDown "page-down" ["PageDown", "Ctrl-f", "Space"] E "a page down";
    PageUp "page-up" ["PageUp", "Ctrl-b"] E "a page up";
    HalfDown "half-page-down" ["Ctrl-d"] E "half a page down";
    HalfUp "half-page-up" ["Ctrl-u"] E "half a page up";
    First "first" ["g", "Home"] E "the first row";
    Last "last" ["G", "End"] E "the last row";
    LastFrame "last-frame" ["L"] E "the last frame of the capture";
    Left "left" ["h", "Left"] E "fold; previous byte; left";
    Right "right" ["l", "Right"] E "unfold; next byte; right";
    Open "open" ["Enter"] E "open the selected item";
    Back "back" ["Esc", "Backspace"] E "go back";
    NextPane "next-pane" ["Tab"] E "the next pane";
    PreviousPane "previous-pane" ["BackTab"] E "the previous pane";
    NextView "next-view" [">"] E "the next view";
    PreviousView "previous-view" ["<"] E "the previous view";
    Filter "filter" ["f"] E "edit the display filter";
    ClearFilter "clear-filter" ["x"] E "clear filter, flow and search";
    FilterValue "filter-value" ["="] VALUED "filter by the selected value";
    FilterOut "filter-out" ["!"] VALUED "exclude the selected value";
    FilterSteeringTag "filter-stag" ["S"] FRAMED "filter by its STag";
    FilterTransaction "filter-xid" ["X"] FRAMED "filter by its XID";
    ThisFlow "this-flow" ["t"] FLOWED "this flow only, or all";
    Search "search" ["/"] E "search: text, ~regex, 0xhex";
    NextFound "next-found" ["n"] E "the next match";
    PreviousFound "previous-found" ["N"] E "the previous match";
    Partner "partner" ["p"] FRAMED "request to response, and back";
    Exchange "exchange" ["b"] FRAMED "filter by its RPC, with chunks";
    Cause "cause" ["c"] MESSAGES "go to what a Terminate refuses";
    NextFinding "next-finding" ["]"] WRONG "the next problem";
    PreviousFinding "previous-finding" ["["] WRONG "the previous problem";
    Connections "connections" ["W"] E "conversations over TCP, iWARP or not";
    Density "density" ["v"] MESSAGES "messages, iWARP frames, all frames";
    Detail "detail" ["d"] MESSAGES "show or hide tree and bytes";
    Alone "alone" ["Z"] MESSAGES "the selected pane only, or all";
    NextSource "source" ["s"] WRONG "bytes: next source; run: scroll";
    FoldAll "fold-all" ["z"] TREE "fold or unfold all";
    Sort "sort" ["o"] SORTED "sort by the next column";
    Reverse "reverse" ["O"] SORTED "reverse the sort order";
    Mark "mark" ["m"] FRAMED "mark or unmark the frame";
    NextMark "next-mark" ["."] FRAMED "the next marked frame";
    PreviousMark "previous-mark" [","] FRAMED "the previous marked frame";
    ExportMarked "export-marked" ["E"] E "write the marked frames to a file";
    Time "time" ["u"] MESSAGES "times: relative, absolute, delta";
    Reference "time-reference" ["r"] MESSAGES "count times from here, or stop";
    Metric "metric" ["o"] GRAPH "rate, latency, requests in flight";
    Closer "closer" ["+"] GRAPH "zoom in on the selected interval";
    Wider "wider" ["-"] GRAPH "undo the last zoom";
    CopyFilter "copy-filter" ["Alt-y"] VALUED "copy a filter for the selected value";
    Stream "stream" ["B"] FLOWED "the bytes of the flow's messages";
    Smaller "smaller-list" ["{"] E "a smaller list, more below it";
    Larger "larger-list" ["}"] E "a larger list, less below it";
    Comment "comment" [";"] FRAMED "comment on the frame";
    Columns "columns" ["C"] MESSAGES "choose and move columns";
    FieldColumn "column" ["a"] FIELDS "add or remove the field as a column";
    AddColumn "add-column" ["+"] MESSAGES "add a column by field name";
    Scale "scale" ["w"] LADDER "time to scale, or compact";
    Follow "follow" ["F"] E "stay at the end as it grows";
    Pause "pause" ["P"] E "pause or resume the screen";
    Reload "reload" ["R"] E "read the file again";
    CopyValue "copy-value" ["y"] E "copy the selected value";
    CopyRow "copy-row" ["Y"] E "copy the selected row";
    CopyTree "copy-tree" ["Ctrl-y"] MESSAGES "copy the tree";
    Export "export" ["e"] E "write what is shown to a file";
    Theme "theme" ["T"] E "dark, light, contrast, no colours";
    Ascii "ascii" ["A"] E "ASCII or Unicode";
    Settings "settings" ["I"] E "the current settings";
    NextCapture "next-capture" ["Ctrl-n"] E "the next capture";
    PreviousCapture "previous-capture" ["Ctrl-p"] E "the previous capture";
    Redraw "redraw" ["Ctrl-l", "F5"] E "redraw the screen";
    Suspend "suspend" ["Ctrl-z"] E "suspend to the shell; fg resumes";
    Palette "palette" [":"] E "commands; a number goes to a frame";
    Help "help" ["?", "F1"] E "what the keys do here";
    Quit "quit" ["q", "Ctrl-c"] E "quit";
}

/// Returns every action.
pub fn all() -> &'static [Binding] {
    TABLE
}

/// The keys in use: those of the table, with the changes of the settings file.
#[derive(Debug, Clone, Default)]
pub struct Keymap {
    own: Vec<(&'static Binding, Vec<Key>)>,
}

impl Keymap {
    /// Assigns exactly these keys to an action; other actions lose them.
    pub fn set(&mut self, binding: &'static Binding, keys: Vec<Key>) {
        self.own.push((binding, keys));
    }

    /// Returns the actions with keys from the settings file, and these keys.
    pub fn own(&self) -> &[(&'static Binding, Vec<Key>)] {
        &self.own
    }

    /// Returns the action that already has a key in an overlapping scope.
    pub fn taken(&self, key: Key, scope: Scope) -> Option<&'static Binding> {
        let has = |(binding, keys): &&(&'static Binding, Vec<Key>)| {
            keys.contains(&key) && binding.scope.meets(scope)
        };
        self.own.iter().find(has).map(|(binding, _)| *binding)
    }

    /// Returns the keys of an action.
    pub fn keys(&self, binding: &Binding) -> Vec<Key> {
        if let Some((_, keys)) = self.own.iter().find(|(own, _)| own.action == binding.action) {
            return keys.clone();
        }
        let keys = binding.keys.iter().filter_map(|word| Key::parse(word));
        keys.filter(|key| self.taken(*key, binding.scope).is_none()).collect()
    }

    /// Returns the action of a key in a view and pane.
    pub fn action(&self, key: Key, view: View, pane: Pane) -> Option<Action> {
        let asked = |it: &&Binding| it.scope.holds(view, pane) && self.keys(it).contains(&key);
        TABLE.iter().find(asked).map(|binding| binding.action)
    }

    /// Returns the names of an action's keys, separated by spaces.
    pub fn words(&self, binding: &Binding) -> String {
        let keys: Vec<String> = self.keys(binding).iter().map(Key::to_string).collect();
        keys.join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_read_as_they_are_written() {
        for word in ["j", "G", "Ctrl-d", "PageDown", "Tab", "BackTab", "Enter", "?", "Alt-x", "F1"]
        {
            assert_eq!(Key::parse(word).map(|key| key.to_string()).as_deref(), Some(word));
        }
        assert_eq!(Key::parse("Hyper"), None);
        let shifted = KeyEvent::new(KeyCode::Tab, KeyModifiers::SHIFT);
        assert_eq!(Key::from(shifted), Key::plain(KeyCode::BackTab));
    }

    #[test]
    fn every_key_is_one_and_no_key_asks_for_two_things() {
        for binding in TABLE {
            for word in binding.keys {
                assert!(Key::parse(word).is_some(), "{word} is no key");
            }
            assert!(!binding.keys.is_empty() && binding.words.len() <= 40, "{}", binding.name);
            assert_eq!(TABLE.iter().filter(|other| other.name == binding.name).count(), 1);
        }
        for view in View::ALL.iter().copied() {
            for pane in Pane::ALL {
                let here: Vec<_> = TABLE
                    .iter()
                    .filter(|binding| binding.scope.holds(view, pane))
                    .flat_map(|binding| binding.keys)
                    .collect();
                for key in &here {
                    let times = here.iter().filter(|other| *other == key).count();
                    assert_eq!(times, 1, "{key} in {view:?} {pane:?}");
                }
            }
        }
    }
}
