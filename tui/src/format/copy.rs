//! What is copied.

use crate::state::{
    CALL_COLUMNS, FLOW_COLUMNS, FindingLine, LadderLine, OPERATION_COLUMNS, State, TreePane, View,
};
use warpscope_dissector::format::push_node;

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
    // Of a run's entry all is told that is known.
    if let (View::Run, Some(entry)) = (state.view, state.run.chosen()) {
        let lines = entry.details.iter();
        columns.extend(lines.map(|line| line.iter().map(|piece| piece.text.as_str()).collect()));
    }
    columns.join("\t")
}

/// What stands in a row of the view at hand, by columns.
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
            FLOW_COLUMNS.iter().map(|(it, _)| it.text(row, first)).collect()
        }
        View::Operations => {
            let row = capture.operations.get(index(&state.operations.order)?)?;
            OPERATION_COLUMNS.iter().map(|(it, _)| it.text(row)).collect()
        }
        View::Calls => {
            let row = capture.calls.get(index(&state.calls.order)?)?;
            CALL_COLUMNS.iter().map(|(it, _)| it.text(row)).collect()
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

fn line(lines: &[crate::state::TextLine], at: usize) -> Option<Vec<String>> {
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
