//! What is shown of the state as text: the title and the help, what is copied, what is written to files.

use crate::action::{self, Scope};
use crate::layout::{Pane, View};
use crate::look::Tone;
use crate::state::{
    CALL_COLUMNS, FLOW_COLUMNS, FindingLine, LadderLine, OPERATION_COLUMNS, State, TableColumn,
    TreePane,
};
use crate::text::{TextLine, piece};
use warpscope_dissector::format::push_node;

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

// What is copied.

/// The tree, every node a line.
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

/// The chosen row, its columns apart by tabs.
pub fn row_text(state: &State) -> String {
    let row = state.cursor().map_or(
        0,
        |(cursor, _)| {
            if state.scrolls() { cursor.top } else { cursor.selected }
        },
    );
    let mut columns = row_words(state, row);
    // Of a run's entry all that is known is shown.
    if let (View::Run, Some(entry)) = (state.view, state.run.chosen()) {
        let lines = entry.details.iter();
        columns.extend(lines.map(|line| line.iter().map(|piece| piece.text.as_str()).collect()));
    }
    columns.join("\t")
}

/// What is in a row of the view at hand, by columns.
pub fn row_words(state: &State, row: usize) -> Vec<String> {
    words_of(state, row).unwrap_or_default()
}

fn words_of(state: &State, row: usize) -> Option<Vec<String>> {
    let capture = &state.capture;
    let index = |order: &[u32]| order.get(row).map(|index| *index as usize);
    Some(match state.view {
        View::Flows => {
            let row = capture.flows.get(index(&state.flows.order)?)?;
            let first = capture.frames.first_time();
            TableColumn::texts(FLOW_COLUMNS, row, first)
        }
        View::Operations => {
            let row = capture.operations.get(index(&state.operations.order)?)?;
            TableColumn::texts(OPERATION_COLUMNS, row, None)
        }
        View::Calls => {
            let row = capture.calls.get(index(&state.calls.order)?)?;
            TableColumn::texts(CALL_COLUMNS, row, None)
        }
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
            message_words(state, frame)?
        }
        View::Fields => {
            let field = state.fields.fields.get(row)?;
            vec![field.name.to_owned(), field.label.to_owned(), field.doc.to_owned()]
        }
        View::Statistics => line(&state.statistics.lines, row)?,
        View::Run => {
            let entry = state.run.entries.get(*state.run.visible.get(row)?)?;
            vec![entry.name.clone(), entry.verdict.clone()]
        }
    })
}

/// What is known of a frame in the list: number, ends, protocol, the fields that are columns, and what it says.
pub(super) fn message_words(state: &State, frame: u32) -> Option<Vec<String>> {
    let row = state.messages.lines.get(&frame)?;
    let line = &row.line;
    let [source, destination] = [line.source.clone(), line.destination.clone()];
    let mut words = vec![frame.to_string(), source, destination, line.protocol.to_owned()];
    let fields = state.messages.columns.fields();
    words.extend(fields.map(|field| row.value(field).unwrap_or("").to_owned()));
    words.push(line.info.clone());
    Some(words)
}

fn line(lines: &[crate::text::TextLine], at: usize) -> Option<Vec<String>> {
    let line = lines.get(at)?;
    Some(vec![line.iter().map(|piece| piece.text.as_str()).collect()])
}

/// The chosen value: a field's in the messages view, else what names the row.
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
            Some(FindingLine::Place(index)) => state
                .capture
                .found
                .get(*index)
                .map(|row| row.explanation.clone())
                .unwrap_or_default(),
            None => String::new(),
        },
        View::Fields => state.fields.chosen().map_or(String::new(), |field| field.name.to_owned()),
        View::Run => state.run.chosen().map_or(String::new(), |entry| entry.name.clone()),
        _ => state.meant_flow().map_or(String::new(), |flow| format!("tcp.stream == {flow}")),
    }
}

// What is written to files.

/// A name for the file that the view at hand would be written to.
pub fn export_name(state: &State) -> String {
    let flow = match (state.view, state.flow) {
        (View::Ladder, _) => state.ladder.flow,
        (_, flow) => flow,
    };
    let flow = flow.map_or(String::new(), |flow| format!("-flow{flow}"));
    format!("{}{flow}.md", state.view.name())
}

/// The view at hand as text: a table in Markdown, or JSON for a name that ends with `.json`.
pub fn exported(state: &State, name: &str) -> String {
    let (names, rows) = table(state);
    if name.ends_with(".json") { json(&names, &rows) } else { markdown(&names, &rows) }
}

type Table = (Vec<&'static str>, Vec<Vec<String>>);

fn table(state: &State) -> Table {
    let capture = &state.capture;
    match state.view {
        View::Flows => {
            let first = capture.frames.first_time();
            let rows = state.flows.order.iter().filter_map(|row| capture.flows.get(*row as usize));
            let rows = rows.map(|row| TableColumn::texts(FLOW_COLUMNS, row, first));
            (TableColumn::names(FLOW_COLUMNS), rows.collect())
        }
        View::Operations => {
            let order = state.operations.order.iter();
            let rows = order.filter_map(|row| capture.operations.get(*row as usize));
            let rows = rows.map(|row| TableColumn::texts(OPERATION_COLUMNS, row, None));
            (TableColumn::names(OPERATION_COLUMNS), rows.collect())
        }
        View::Calls => {
            let rows = state.calls.order.iter().filter_map(|row| capture.calls.get(*row as usize));
            let rows = rows.map(|row| TableColumn::texts(CALL_COLUMNS, row, None));
            (TableColumn::names(CALL_COLUMNS), rows.collect())
        }
        View::Findings => {
            let wanted = |flow: u32| state.flow.is_none_or(|only| only == flow);
            let rows = capture.found.iter().filter(|row| wanted(row.flow));
            let row = |row: &crate::index::FoundRow| {
                let (rule, section) = (row.rule.id.to_owned(), row.rule.section.to_owned());
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
            // What the screen has: lines are dissected as they are seen.
            let (top, page) = (state.messages.cursor.top, state.page());
            let frames = (top..top + page).filter_map(|row| state.messages.rows.frame(row));
            let mut names = vec!["frame", "source", "destination", "protocol"];
            names.extend(state.messages.columns.fields().map(|field| field.name));
            names.push("info");
            (names, frames.filter_map(|frame| message_words(state, frame)).collect())
        }
        View::Fields => (
            vec!["name", "label", "meaning"],
            vec![row_text(state).split('\t').map(str::to_owned).collect()],
        ),
        View::Statistics => (vec!["statistics"], text(&state.statistics.lines)),
        View::Run => {
            let row = |entry: &crate::state::RunEntry| {
                vec!["  ".repeat(entry.depth.into()) + &entry.name, entry.verdict.clone()]
            };
            (vec!["case", "verdict"], state.run.entries.iter().map(row).collect())
        }
    }
}

fn text(lines: &[crate::text::TextLine]) -> Vec<Vec<String>> {
    let line = |line: &crate::text::TextLine| {
        vec![line.iter().map(|piece| piece.text.as_str()).collect::<String>()]
    };
    lines.iter().map(line).collect()
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
    let rows: Vec<serde_json::Value> = rows
        .iter()
        .map(|row| {
            let cells = names.iter().zip(row);
            let cell = |(name, cell): (&&str, &String)| {
                ((*name).to_owned(), serde_json::Value::String(cell.clone()))
            };
            cells.map(cell).collect()
        })
        .collect();
    let mut out = serde_json::to_string_pretty(&rows).unwrap_or_default();
    out.push('\n');
    out
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
