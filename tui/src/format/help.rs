//! The title and the help, from the table of actions.

use crate::action::{self, Scope};
use crate::look::Tone;
use crate::state::{Pane, State, TextLine, View, piece};

/// The names of the views with the columns that they begin in.
pub fn tabs(state: &State) -> Vec<(u16, String, View)> {
    let room = state.size.0;
    let long: usize = View::ALL.iter().map(|view| view.name().len() + 3).sum();
    let short = long + 2 > usize::from(room);
    let mut x: u16 = 1;
    let mut tabs = Vec::new();
    for (index, view) in View::ALL.into_iter().enumerate() {
        let name = if short { view.short() } else { view.name() };
        let text = format!("{} {name}", index + 1);
        let width = u16::try_from(text.len()).unwrap_or(0);
        tabs.push((x, text, view));
        x = x.saturating_add(width + 1);
    }
    tabs
}

/// What the keys do in the view at hand.
pub fn help(state: &State) -> Vec<TextLine> {
    let view = state.view;
    let mut lines =
        vec![vec![piece(Tone::Heading, format!("Keys in {}", view.name()))], Vec::new()];
    let special = |scope: Scope| !matches!(scope, Scope::Everywhere);
    let holds = |scope: Scope| Pane::ALL.iter().any(|pane| scope.holds(view, *pane));
    let of_view = action::all().iter().filter(|it| special(it.scope) && holds(it.scope));
    let everywhere = action::all().iter().filter(|binding| !special(binding.scope));
    let line = |binding: &action::Binding| {
        let keys = binding.keys.join(" ");
        vec![
            piece(Tone::Accent, format!("  {keys:<21} ")),
            piece(Tone::Plain, format!("{:<38} ", binding.words)),
            piece(Tone::Dim, format!(":{}", binding.name)),
        ]
    };
    let before = lines.len();
    lines.extend(of_view.map(line));
    if lines.len() > before {
        lines.push(Vec::new());
    }
    lines.push(vec![piece(Tone::Heading, "Everywhere")]);
    lines.push(Vec::new());
    lines.extend(everywhere.map(line));
    lines.push(Vec::new());
    let notes = [
        "Filter: Tab completes, Up and Down recall, Enter applies, Esc leaves it as it was.",
        "Search: text in any case; ~ begins a regular expression, 0x bytes.",
        "Mouse: press to choose, again to open; the wheel scrolls.",
    ];
    lines.extend(notes.map(|note| vec![piece(Tone::Dim, format!("  {note}"))]));
    lines
}
