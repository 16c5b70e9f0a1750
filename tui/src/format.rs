//! The state as text: title, help, copied text, and written files.

use crate::action::{self, Scope};
use crate::layout::{Pane, View};
use crate::look::Tone;
use crate::settings::in_force;
use crate::state::{
    CALL_COLUMNS, FLOW_COLUMNS, FindingLine, Interval, LadderLine, OPERATION_COLUMNS, State,
    TableColumn, TableView, TreePane,
};
use crate::text::{TextLine, piece, plain};
use serde_json::Value;
use std::borrow::{Borrow, Cow};
use unicode_width::UnicodeWidthStr as _;
use warpscope_dissector::format::{push_node, seconds};
use warpscope_text::{counted, escaped, wrap};

/// The least columns of the title for the capture's name.
const NAME: usize = 12;

/// Returns the names of the views with their first columns.
pub fn tabs(state: &State) -> Vec<(u16, String, View)> {
    let mut room: usize = View::ALL.iter().map(|view| view.name().len() + 3).sum();
    let mut short = Vec::new();
    // Shorten names one after the other until the capture's name fits.
    for view in [View::Statistics, View::Operations, View::Findings, View::Messages] {
        if room + NAME > usize::from(state.size.0) {
            room -= view.name().len() - view.short().len();
            short.push(view);
        }
    }
    let mut x: u16 = 1;
    let mut tabs = Vec::new();
    for (index, view) in View::ALL.iter().copied().enumerate() {
        let name = if short.contains(&view) { view.short() } else { view.name() };
        let text = format!("{} {name}", (index + 1) % 10);
        let width = u16::try_from(text.len()).unwrap_or(0);
        tabs.push((x, text, view));
        x = x.saturating_add(width + 1);
    }
    tabs
}

/// Returns the help for the current view's keys.
pub fn help(state: &State) -> Vec<TextLine> {
    let view = state.view;
    let mut lines =
        vec![vec![piece(Tone::Heading, format!("Keys in {}", view.name()))], Vec::new()];
    let special = |scope: Scope| !matches!(scope, Scope::Everywhere);
    let holds = |scope: Scope| Pane::ALL.iter().any(|pane| scope.holds(view, *pane));
    let of_view = action::all().iter().filter(|it| special(it.scope) && holds(it.scope));
    let everywhere = action::all().iter().filter(|binding| !special(binding.scope));
    let widest = |width: fn(&State, &action::Binding) -> usize| {
        let shown = of_view.clone().chain(everywhere.clone());
        shown.map(|binding| width(state, binding)).max().unwrap_or(0)
    };
    let keys_width = widest(|state, binding| state.keymap.words(binding).width());
    let words_width = widest(|_, binding| binding.words.width());
    let line = |binding: &action::Binding| {
        let keys = state.keymap.words(binding);
        vec![
            piece(Tone::Accent, format!("  {keys:<keys_width$} ")),
            piece(Tone::Plain, format!("{:<words_width$}  ", binding.words)),
            piece(Tone::Dim, format!(":{}", binding.name)),
        ]
    };
    let before = lines.len();
    lines.extend(of_view.clone().map(line));
    if lines.len() > before {
        lines.push(Vec::new());
    }
    lines.push(vec![piece(Tone::Heading, "Everywhere")]);
    lines.push(Vec::new());
    lines.extend(everywhere.clone().map(line));
    lines.push(Vec::new());
    let notes = [
        "A number in the palette goes to that frame as it is typed: :5142.",
        "Filter: Tab completes, Up and Down recall, Enter applies, Esc cancels.",
        "Search: text in any case, ~regex or 0xhex; in the tree, among its lines.",
        "Mouse: click to select, again to open; the wheel scrolls.",
    ];
    lines.extend(notes.map(|note| vec![piece(Tone::Dim, format!("  {note}"))]));
    lines
}

/// Returns the settings in use, and the origin of each.
pub fn settings(state: &State) -> Vec<TextLine> {
    let file = state.settings_file.as_deref().unwrap_or("none");
    let dim = |text: String| vec![piece(Tone::Dim, text)];
    let mut lines = vec![
        vec![piece(Tone::Dim, "settings file  "), piece(Tone::Plain, escaped(file))],
        dim("`warpscope config` prints one with all settings; T, A, C, u, v, { and } change them here".into()),
        Vec::new(),
    ];
    let rows = in_force(state);
    let widest = rows.iter().map(|(name, ..)| name.len()).max().unwrap_or(0);
    let room = usize::from(state.size.0).saturating_sub(widest + 6);
    let mut last = "";
    for (name, value, whence) in rows {
        let name = if std::mem::replace(&mut last, name) == name { "" } else { name };
        let value = wrap(&escaped(&value), room);
        for (at, part) in value.iter().enumerate() {
            let name = if at == 0 { name } else { "" };
            let mut line = vec![
                piece(Tone::Accent, format!("  {name:<widest$}  ")),
                piece(Tone::Plain, part.clone()),
            ];
            if at + 1 == value.len() {
                line.push(piece(Tone::Dim, format!("  ({whence})")));
            }
            lines.push(line);
        }
    }
    lines
}

/// The text of an empty list after the capture is read.
pub const NONE: &str = "there are none in this capture";

/// Returns the text of an empty list.
pub fn nothing(state: &State) -> Cow<'static, str> {
    let progress = &state.capture.progress;
    let filtered = state.filter.active();
    Cow::Borrowed(match (progress.ended, progress.frames) {
        (false, _) => "nothing yet",
        _ if state.filtering() => "nothing yet: the filter has not checked all frames",
        (true, 0) if progress.error.is_none() => "the capture has no packets",
        (true, _) if filtered && state.filter.matched.is_empty() => {
            "the filter matches nothing here; x clears it"
        }
        (true, _) => match state.flow.filter(|_| state.view != View::Flows) {
            Some(flow) if filtered => {
                return format!("the filter matches none in flow {flow}; t shows all flows").into();
            }
            Some(flow) => return format!("flow {flow} has none; t shows all flows").into(),
            None if filtered => "the filter matches nothing here; x clears it",
            None => NONE,
        },
    })
}

// Copied text.

/// Returns the tree, one line per node.
pub fn tree_text(pane: &TreePane) -> String {
    let Some(tree) = pane.tree() else { return String::new() };
    let mut out = String::new();
    for node in tree.nodes.iter().filter(|node| !node.field.is_alias()) {
        out.push_str(&"    ".repeat(usize::from(node.depth)));
        push_node(tree, node, &mut out);
        out.push('\n');
    }
    out
}

/// Returns the selected row, its columns separated by tabs.
pub fn row_text(state: &State) -> String {
    let (cursor, _) = state.cursor();
    let mut columns = row_cells(state, cursor.selected);
    // For an entry of a run, show all details.
    if let (View::Run, Some(entry)) = (state.view, state.run.chosen()) {
        columns.extend(entry.details.iter().map(plain));
    }
    columns.join("\t")
}

/// Returns the texts of a row in the current view, by columns.
pub fn row_cells(state: &State, row: usize) -> Vec<String> {
    words_of(state, row).unwrap_or_default()
}

fn words_of(state: &State, row: usize) -> Option<Vec<String>> {
    let capture = &state.capture;
    let first = capture.frames.first_time();
    Some(match state.view {
        View::Flows => texts(FLOW_COLUMNS, &capture.flows, &state.flows, row, first)?,
        View::Operations => {
            texts(OPERATION_COLUMNS, &capture.operations, &state.operations, row, None)?
        }
        View::Calls => texts(CALL_COLUMNS, &capture.calls, &state.calls, row, None)?,
        View::Findings => match state.findings.lines.get(row)? {
            FindingLine::Rule(rule, count) => {
                vec![rule.id.to_owned(), count.to_string(), rule.title.to_owned()]
            }
            FindingLine::Place(index) => {
                let row = capture.found.get(*index)?;
                vec![row.rule.id.to_owned(), row.frame.to_string(), row.explanation.clone()]
            }
        },
        View::Ladder => {
            let line = state.ladder.lines.get(row)?;
            let row = state.ladder.at_hand()?.rows.get(line.row()?)?;
            match line {
                LadderLine::Note(_, note) => vec![row.notes.get(*note)?.clone()],
                LadderLine::Finding(_, at) => {
                    let finding = row.findings.get(*at)?;
                    vec![finding.rule.to_string(), finding.explanation.clone()]
                }
                _ => {
                    let mut columns = vec![row.frames.1.to_string(), row.label.clone()];
                    columns.extend(row.notes.iter().cloned());
                    columns
                }
            }
        }
        View::Messages => {
            let frame = state.messages.rows.frame(row)?;
            message_text(state, frame)?
        }
        View::Fields => {
            let field = state.fields.fields.get(row)?;
            vec![field.name.to_owned(), field.label.to_owned(), field.doc.to_owned()]
        }
        View::Statistics => vec![plain(state.statistics.lines.get(row)?)],
        View::Graph => state.graph.words(row, first)?,
        View::Run => {
            let entry = state.run.entries.get(*state.run.visible.get(row)?)?;
            vec![entry.name.clone(), entry.verdict.clone()]
        }
    })
}

/// Returns the texts of a row in a sortable table.
fn texts<R>(
    columns: &[TableColumn<R>],
    rows: &[impl Borrow<R>],
    view: &TableView,
    row: usize,
    first: Option<i64>,
) -> Option<Vec<String>> {
    let row = rows.get(*view.order.get(row)? as usize)?;
    Some(TableColumn::texts(columns, row.borrow(), first))
}

/// Returns the texts of a frame in the list: number, ends, protocol, the fields that are columns, and info.
pub(super) fn message_text(state: &State, frame: u32) -> Option<Vec<String>> {
    let row = state.messages.lines.get(&frame)?;
    let line = &row.line;
    let [source, destination] = [line.source.clone(), line.destination.clone()];
    let mut words = vec![frame.to_string(), source, destination, line.protocol.to_owned()];
    let fields = state.messages.columns.fields();
    words.extend(fields.map(|field| row.value(field).unwrap_or("").to_owned()));
    words.push(line.info.clone());
    Some(words)
}

/// Returns the selected value: a field's in the messages view, else the name of the row.
pub fn value_text(state: &State) -> String {
    match state.view {
        View::Messages => {
            let pane = &state.messages.tree;
            let mut out = String::new();
            if let (Some(node), Some(tree)) = (pane.node(), pane.tree()) {
                tree.value_text(node, &mut out);
            }
            out
        }
        View::Findings => match state.findings.lines.get(state.findings.cursor.selected) {
            Some(FindingLine::Rule(rule, _)) => rule.id.to_owned(),
            Some(FindingLine::Place(index)) => {
                let found = state.capture.found.get(*index);
                found.map_or(String::new(), |row| row.explanation.clone())
            }
            None => String::new(),
        },
        View::Fields => state.fields.chosen().map_or(String::new(), |field| field.name.to_owned()),
        View::Run => state.run.chosen().map_or(String::new(), |entry| entry.name.clone()),
        _ => state.meant_flow().map_or(String::new(), |flow| format!("tcp.stream == {flow}")),
    }
}

// Text for files.

/// Returns a default file name for an export of the current view.
pub fn export_name(state: &State) -> String {
    if state.export_marked {
        return "marked.pcapng".to_owned();
    }
    let flow = match (state.view, state.flow) {
        (View::Ladder, _) => state.ladder.flow,
        (_, flow) => flow,
    };
    let flow = flow.map_or(String::new(), |flow| format!("-flow{flow}"));
    format!("{}{flow}{}", state.view.name(), endings(state).first().unwrap_or(&""))
}

/// Returns the allowed extensions of such a file, the one that suits the view first.
pub fn endings(state: &State) -> &'static [&'static str] {
    match state.view {
        _ if state.export_marked => &[".pcapng"],
        View::Messages => &[".pcapng", ".md", ".json"],
        View::Ladder => &[".md", ".json", ".svg", ".html", ".pcapng"],
        View::Statistics | View::Fields | View::Run | View::Graph => &[".md", ".json"],
        _ => &[".md", ".json", ".pcapng"],
    }
}

/// Describes briefly what would be written to a file with that name.
pub fn export_text(state: &State, name: &str) -> String {
    if name.ends_with(".pcapng") {
        return format!("{} as a capture", counted(state.meant_frames().len() as u64, "frame"));
    }
    match state.view {
        View::Messages => "the rows on the screen",
        View::Ladder => "the ladder",
        View::Fields => "the selected field",
        View::Statistics | View::Run | View::Graph => "everything",
        _ => "the whole list",
    }
    .to_owned()
}

/// Returns the current view as text: a Markdown table, or JSON if the name ends with `.json`.
pub fn exported(state: &State, name: &str) -> String {
    let (names, rows) = table(state);
    if name.ends_with(".json") { json(&names, &rows) } else { markdown(&names, &rows) }
}

type Table = (Vec<&'static str>, Vec<Vec<String>>);

fn table(state: &State) -> Table {
    let capture = &state.capture;
    let all =
        |view: &TableView| (0..view.order.len()).filter_map(|row| words_of(state, row)).collect();
    match state.view {
        View::Flows => (TableColumn::names(FLOW_COLUMNS), all(&state.flows)),
        View::Operations => (TableColumn::names(OPERATION_COLUMNS), all(&state.operations)),
        View::Calls => (TableColumn::names(CALL_COLUMNS), all(&state.calls)),
        View::Findings => {
            let rows = capture.found.iter().filter(|row| state.passing().found(row));
            let row = |row: &crate::index::FoundRow| {
                let (rule, section) = (row.rule.id.to_owned(), row.rule.section());
                let place = [row.flow.to_string(), row.frame.to_string()];
                let [flow, frame] = place;
                vec![rule, section, flow, frame, row.explanation.clone()]
            };
            (vec!["rule", "section", "flow", "frame", "explanation"], rows.map(row).collect())
        }
        View::Ladder => {
            let rows = state.ladder.at_hand().map_or(&[][..], |ladder| &ladder.rows);
            let row = |row: &warpscope_dissector::ladder::Row| {
                let way = if row.from.index() == 0 { "→" } else { "←" }.to_owned();
                vec![row.frames.1.to_string(), way, row.label.clone(), row.notes.join("; ")]
            };
            (vec!["frame", "way", "message", "notes"], rows.iter().map(row).collect())
        }
        View::Messages => {
            // Only the lines on the screen, because lines are dissected when they are seen.
            let (top, page) = (state.messages.cursor.top, state.page());
            let frames = (top..top + page).filter_map(|row| state.messages.rows.frame(row));
            let mut names = vec!["frame", "source", "destination", "protocol"];
            names.extend(state.messages.columns.fields().map(|field| field.name));
            names.push("info");
            (names, frames.filter_map(|frame| message_text(state, frame)).collect())
        }
        View::Fields => (
            vec!["name", "label", "meaning"],
            vec![row_text(state).split('\t').map(str::to_owned).collect()],
        ),
        View::Statistics => {
            let lines = state.statistics.lines.iter();
            (vec!["statistics"], lines.map(|line| vec![plain(line)]).collect())
        }
        View::Graph => {
            let intervals = state.graph.intervals.iter().enumerate();
            let row = |(at, it): (usize, &Interval)| {
                let start = seconds(Some(state.graph.begins(at)), capture.frames.first_time());
                let loads = [it.operations, it.ios];
                let loads = loads.map(|load| [load.answered, load.longest, load.in_flight]);
                let numbers = [it.frames, it.bytes].into_iter().chain(loads.into_iter().flatten());
                std::iter::once(start).chain(numbers.map(|number| number.to_string())).collect()
            };
            let names = [
                "seconds",
                "frames",
                "bytes",
                "operations answered",
                "longest (ns)",
                "in flight",
                "I/Os answered",
                "longest I/O (ns)",
                "I/Os in flight",
            ];
            (names.to_vec(), intervals.map(row).collect())
        }
        View::Run => {
            let row = |entry: &crate::state::RunEntry| {
                vec!["  ".repeat(entry.depth.into()) + &entry.name, entry.verdict.clone()]
            };
            (vec!["case", "verdict"], state.run.entries.iter().map(row).collect())
        }
    }
}

fn markdown(names: &[&str], rows: &[Vec<String>]) -> String {
    let mut out = format!("| {} |\n|{}\n", names.join(" | "), "---|".repeat(names.len()));
    for row in rows {
        let cells: Vec<String> = row.iter().map(|cell| cell.replace('|', "\\|")).collect();
        out.push_str(&format!("| {} |\n", cells.join(" | ")));
    }
    out
}

fn json(names: &[&str], rows: &[Vec<String>]) -> String {
    let cell = |(name, cell): (&&str, &String)| ((*name).to_owned(), Value::from(cell.as_str()));
    let object = |row: &Vec<String>| names.iter().zip(row).map(cell).collect::<Value>();
    format!("{:#}\n", rows.iter().map(object).collect::<Value>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_written_as_markdown_and_json() {
        let rows = [vec!["1".to_owned(), "a|b".to_owned()]];
        assert_eq!(markdown(&["n", "what"], &rows), "| n | what |\n|---|---|\n| 1 | a\\|b |\n");
        let value: serde_json::Value = serde_json::from_str(&json(&["n", "what"], &rows)).unwrap();
        assert_eq!(value[0]["what"], "a|b");
    }
}
