//! What a user can do: a table of actions, and the keys that ask for them.

use crate::layout::{Pane, View};
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use std::fmt;

// A key as the table writes it.

/// A key that was pressed: `j`, `Ctrl-d`, `PageDown`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Key {
    /// The key itself; a letter as it would be written.
    pub code: KeyCode,
    /// HeldEvents with Ctrl.
    pub control: bool,
    /// HeldEvents with Alt.
    pub alt: bool,
}

/// Keys with names.
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
    /// A character without Ctrl or Alt.
    pub fn character(character: char) -> Self {
        Self { code: KeyCode::Char(character), control: false, alt: false }
    }

    /// A key without Ctrl or Alt.
    pub fn plain(code: KeyCode) -> Self {
        Self { code, control: false, alt: false }
    }

    /// The key that a word names; `None` when it names none.
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

// The table of actions: keys, help and the command palette come from it.

/// What a user can do. Text that is typed is no action: it goes to the line that is being edited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Action {
    /// Leaves the program.
    Quit,
    /// Shows what the keys of the view do.
    Help,
    /// Opens the command palette.
    Palette,
    /// Goes to a view.
    Show(View),
    /// Goes to the view before, or closes what is open above it.
    Back,
    /// Moves down by a row.
    Down,
    /// Moves up by a row.
    Up,
    /// Moves down by a page.
    PageDown,
    /// Moves up by a page.
    PageUp,
    /// Moves down by half a page.
    HalfDown,
    /// Moves up by half a page.
    HalfUp,
    /// Goes to the first row.
    First,
    /// Goes to the last row.
    Last,
    /// Moves left: folds, the byte before, columns.
    Left,
    /// Moves right: unfolds, the next byte, columns.
    Right,
    /// Opens what is chosen.
    Open,
    /// Goes to the next pane.
    NextPane,
    /// Goes to the pane before.
    PreviousPane,
    /// Shows or hides tree and bytes.
    Detail,
    /// Shows messages, frames of iWARP, or all frames.
    Density,
    /// Shows the messages of the chosen flow, or of all flows.
    ThisFlow,
    /// Edits the display filter.
    Filter,
    /// Takes the display filter away.
    ClearFilter,
    /// Filters by the chosen value.
    FilterValue,
    /// Leaves out what has the chosen value.
    FilterOut,
    /// Filters by the STag of what is chosen.
    FilterSteeringTag,
    /// Filters by the transaction ID of what is chosen.
    FilterTransaction,
    /// Shows the RPC exchange that what is chosen is part of: call, reply, and what moved its chunks.
    Exchange,
    /// Searches for text, bytes (`0x…`) or a regular expression (`~…`).
    Search,
    /// Goes to the next place found.
    NextFound,
    /// Goes to the place found before.
    PreviousFound,
    /// Goes to the request of a response, or to the response of a request.
    Partner,
    /// Goes to the segment that a Terminate refuses, or to the chosen field's frame.
    Cause,
    /// Goes to the next thing that is wrong.
    NextFinding,
    /// Goes to the thing before that is wrong.
    PreviousFinding,
    /// Shows the bytes of another source: the frame, without markers, put together.
    NextSource,
    /// Folds or unfolds all.
    FoldAll,
    /// Sorts by the next column.
    Sort,
    /// Sorts the other way round.
    Reverse,
    /// Chooses the columns.
    Columns,
    /// Makes the chosen field a column; when it is one, no more.
    FieldColumn,
    /// Makes a field a column that is named.
    AddColumn,
    /// Draws time to scale, or every row alike.
    Scale,
    /// Stays at the end as the capture grows.
    Follow,
    /// Makes the screen pause while more comes, or go on.
    Pause,
    /// Reads the file again.
    Reload,
    /// Copies the chosen value.
    CopyValue,
    /// Copies the chosen row.
    CopyRow,
    /// Copies the tree.
    CopyTree,
    /// Writes what is shown to a file.
    Export,
    /// Takes the next theme.
    Theme,
    /// Draws with ASCII alone, or with Unicode.
    Ascii,
    /// Draws the screen again.
    Redraw,
    /// Gives the terminal to the shell for a while.
    Suspend,
}

/// Where an action can be asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// In every view.
    Everywhere,
    /// In these views.
    Views(&'static [View]),
    /// In these views, when that pane is chosen.
    Pane(&'static [View], Pane),
}

impl Scope {
    /// Whether it is there.
    pub fn holds(self, view: View, pane: Pane) -> bool {
        match self {
            Self::Everywhere => true,
            Self::Views(views) => views.contains(&view),
            Self::Pane(views, of) => views.contains(&view) && of == pane,
        }
    }
}

/// A row of the table.
#[derive(Debug)]
pub struct Binding {
    /// The action.
    pub action: Action,
    /// Its name in the command palette.
    pub name: &'static str,
    /// The keys that ask for it.
    pub keys: &'static [&'static str],
    /// Where they do.
    pub scope: Scope,
    /// What it does, in a few words.
    pub words: &'static str,
}

const fn row(
    action: Action,
    name: &'static str,
    keys: &'static [&'static str],
    scope: Scope,
    words: &'static str,
) -> Binding {
    Binding { action, name, keys, scope, words }
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
]);
/// Views that have a value to filter by.
const VALUED: Scope = Scope::Views(&[
    View::Flows,
    View::Messages,
    View::Operations,
    View::Calls,
    View::Ladder,
    View::Findings,
]);
/// Views whose rows are of frames.
const FRAMED: Scope =
    Scope::Views(&[View::Messages, View::Operations, View::Calls, View::Ladder, View::Findings]);
/// Views that have a field to choose.
const FIELDS: Scope = Scope::Views(&[View::Messages, View::Fields]);
const SORTED: Scope = Scope::Views(&[View::Flows, View::Operations, View::Calls]);
const E: Scope = Scope::Everywhere;

static TABLE: &[Binding] = &[
    row(Action::Show(View::Flows), "flows", &["1"], E, "connections"),
    row(Action::Show(View::Messages), "messages", &["2"], E, "messages, with tree and bytes"),
    row(Action::Show(View::Operations), "operations", &["3"], E, "requests with their responses"),
    row(Action::Show(View::Calls), "calls", &["4"], E, "RPC calls with their replies"),
    row(Action::Show(View::Ladder), "ladder", &["5"], E, "the conversation of the flow"),
    row(Action::Show(View::Findings), "findings", &["6"], E, "rules that are broken"),
    row(Action::Show(View::Statistics), "statistics", &["7"], E, "opcodes, latencies, throughput"),
    row(Action::Show(View::Fields), "fields", &["8"], E, "fields that filters know"),
    row(Action::Show(View::Run), "run", &["9"], E, "results of a conformance run"),
    row(Action::Down, "down", &["j", "Down"], E, "a row down"),
    row(Action::Up, "up", &["k", "Up"], E, "a row up"),
    row(Action::PageDown, "page-down", &["PageDown", "Ctrl-f", "Space"], E, "a page down"),
    row(Action::PageUp, "page-up", &["PageUp", "Ctrl-b"], E, "a page up"),
    row(Action::HalfDown, "half-page-down", &["Ctrl-d"], E, "half a page down"),
    row(Action::HalfUp, "half-page-up", &["Ctrl-u"], E, "half a page up"),
    row(Action::First, "first", &["g", "Home"], E, "the first row"),
    row(Action::Last, "last", &["G", "End"], E, "the last row"),
    row(Action::Left, "left", &["h", "Left"], E, "fold; the byte before; leftward"),
    row(Action::Right, "right", &["l", "Right"], E, "unfold; the next byte; rightward"),
    row(Action::Open, "open", &["Enter"], E, "open what is chosen"),
    row(Action::Back, "back", &["Esc", "Backspace"], E, "back to the view before"),
    row(Action::NextPane, "next-pane", &["Tab"], E, "the next pane"),
    row(Action::PreviousPane, "previous-pane", &["BackTab"], E, "the pane before"),
    row(Action::Filter, "filter", &["f"], E, "edit the display filter"),
    row(Action::ClearFilter, "clear-filter", &["x"], E, "take filter and flow away"),
    row(Action::FilterValue, "filter-value", &["="], VALUED, "filter by the chosen value"),
    row(Action::FilterOut, "filter-out", &["!"], VALUED, "leave the chosen value out"),
    row(Action::FilterSteeringTag, "filter-stag", &["S"], FRAMED, "filter by its STag"),
    row(Action::FilterTransaction, "filter-xid", &["X"], FRAMED, "filter by its XID"),
    row(Action::ThisFlow, "this-flow", &["t"], FLOWED, "this flow alone, or all"),
    row(Action::Search, "search", &["/"], E, "search: text, ~regex, 0xhex"),
    row(Action::NextFound, "next-found", &["n"], E, "the next place found"),
    row(Action::PreviousFound, "previous-found", &["N"], E, "the place found before"),
    row(Action::Partner, "partner", &["p"], FRAMED, "request: its response, and back"),
    row(Action::Exchange, "exchange", &["b"], FRAMED, "its RPC: call, reply, what moved chunks"),
    row(Action::Cause, "cause", &["c"], MESSAGES, "what a Terminate refuses"),
    row(Action::NextFinding, "next-finding", &["]"], WRONG, "the next thing that is wrong"),
    row(Action::PreviousFinding, "previous-finding", &["["], WRONG, "the one before"),
    row(Action::Density, "density", &["v"], MESSAGES, "messages, iWARP frames, all frames"),
    row(Action::Detail, "detail", &["d"], MESSAGES, "show or hide tree and bytes"),
    row(Action::NextSource, "source", &["s"], WRONG, "bytes: next source; run: scroll below"),
    row(
        Action::FoldAll,
        "fold-all",
        &["z"],
        Scope::Pane(&[View::Messages], Pane::Tree),
        "fold or unfold all",
    ),
    row(Action::Sort, "sort", &["o"], SORTED, "sort by the next column"),
    row(Action::Reverse, "reverse", &["O"], SORTED, "sort the other way round"),
    row(Action::Columns, "columns", &["C"], MESSAGES, "choose columns, move them"),
    row(Action::FieldColumn, "column", &["a"], FIELDS, "the chosen field as a column, or not"),
    row(Action::AddColumn, "add-column", &["+"], MESSAGES, "add a column by its field's name"),
    row(Action::Scale, "scale", &["w"], Scope::Views(&[View::Ladder]), "time to scale, or compact"),
    row(Action::Follow, "follow", &["F"], E, "stay at the end as it grows"),
    row(Action::Pause, "pause", &["P"], E, "pause the screen; go on"),
    row(Action::Reload, "reload", &["R"], E, "read the file again"),
    row(Action::CopyValue, "copy-value", &["y"], E, "copy the chosen value"),
    row(Action::CopyRow, "copy-row", &["Y"], E, "copy the chosen row"),
    row(Action::CopyTree, "copy-tree", &["Ctrl-y"], MESSAGES, "copy the tree"),
    row(Action::Export, "export", &["e"], E, "write what is shown to a file"),
    row(Action::Theme, "theme", &["T"], E, "dark, light, no colours"),
    row(Action::Ascii, "ascii", &["A"], E, "ASCII or Unicode"),
    row(Action::Redraw, "redraw", &["Ctrl-l", "F5"], E, "draw the screen again"),
    row(Action::Suspend, "suspend", &["Ctrl-z"], E, "back to the shell; fg comes back"),
    row(Action::Palette, "palette", &[":"], E, "commands by name"),
    row(Action::Help, "help", &["?", "F1"], E, "what the keys do here"),
    row(Action::Quit, "quit", &["q", "Ctrl-c"], E, "leave"),
];

/// Every action.
pub fn all() -> &'static [Binding] {
    TABLE
}

/// The action of that name.
pub fn find(name: &str) -> Option<&'static Binding> {
    TABLE.iter().find(|binding| binding.name == name)
}

/// The action that a key asks for in a view and pane.
pub fn for_key(key: Key, view: View, pane: Pane) -> Option<Action> {
    let asked = |binding: &&Binding| {
        binding.scope.holds(view, pane)
            && binding.keys.iter().any(|word| Key::parse(word) == Some(key))
    };
    TABLE.iter().find(asked).map(|binding| binding.action)
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
        for view in View::ALL {
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
