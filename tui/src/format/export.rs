//! What is written to files.

use super::copy::message_words;
use super::row_text;
use crate::state::{CALL_COLUMNS, FLOW_COLUMNS, OPERATION_COLUMNS, State, View};

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
            let row = |row: &std::sync::Arc<_>| {
                FLOW_COLUMNS.iter().map(|(column, _)| column.text(row, first)).collect()
            };
            (FLOW_COLUMNS.iter().map(|(_, name)| *name).collect(), rows.map(row).collect())
        }
        View::Operations => {
            let order = state.operations.order.iter();
            let rows = order.filter_map(|row| capture.operations.get(*row as usize));
            let row = |row| OPERATION_COLUMNS.iter().map(|(column, _)| column.text(row)).collect();
            (OPERATION_COLUMNS.iter().map(|(_, name)| *name).collect(), rows.map(row).collect())
        }
        View::Calls => {
            let rows = state.calls.order.iter().filter_map(|row| capture.calls.get(*row as usize));
            let row = |row| CALL_COLUMNS.iter().map(|(column, _)| column.text(row)).collect();
            (CALL_COLUMNS.iter().map(|(_, name)| *name).collect(), rows.map(row).collect())
        }
        View::Findings => {
            let wanted = |flow: u32| state.flow.is_none_or(|only| only == flow);
            let rows = capture.found.iter().filter(|row| wanted(row.flow));
            let row = |row: &crate::state::index::FoundRow| {
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

fn text(lines: &[crate::state::TextLine]) -> Vec<Vec<String>> {
    let line = |line: &crate::state::TextLine| {
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
