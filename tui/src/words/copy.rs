//! What is copied.

use super::node_text;
use crate::state::{
    CALL_COLUMNS, FLOW_COLUMNS, FindingLine, OPERATION_COLUMNS, State, TreePane, View,
};

/// The tree, every node a line.
pub fn tree_text(pane: &TreePane) -> String {
    let Some(tree) = pane.tree() else { return String::new() };
    let mut out = String::new();
    for node in tree.nodes.iter().filter(|node| !node.field.is_alias()) {
        out.push_str(&"    ".repeat(usize::from(node.depth)));
        out.push_str(&node_text(tree, node));
        out.push('\n');
    }
    out
}

/// The chosen row, its columns apart by tabs.
pub fn row_text(state: &State) -> String {
    let capture = &state.capture;
    let columns: Vec<String> = match state.view {
        View::Flows => {
            let row = state.flows.chosen().and_then(|row| capture.flows.get(row));
            let first = capture.frames.first_time();
            row.map(|row| FLOW_COLUMNS.iter().map(|(it, _)| it.text(row, first)).collect())
        }
        View::Operations => {
            let row = state.operations.chosen().and_then(|row| capture.operations.get(row));
            row.map(|row| OPERATION_COLUMNS.iter().map(|(it, _)| it.text(row)).collect())
        }
        View::Calls => {
            let row = state.calls.chosen().and_then(|row| capture.calls.get(row));
            row.map(|row| CALL_COLUMNS.iter().map(|(it, _)| it.text(row)).collect())
        }
        View::Findings => state.findings.chosen(capture).map(|row| {
            vec![row.rule.id.to_owned(), row.frame.to_string(), row.explanation.clone()]
        }),
        View::Ladder => state.ladder.chosen().and_then(|row| {
            let row = state.ladder.at_hand()?.rows.get(row)?;
            let mut columns = vec![row.frames.1.to_string(), row.label.clone()];
            columns.extend(row.notes.iter().cloned());
            Some(columns)
        }),
        View::Messages => {
            let frame = state.chosen_frame();
            state.messages.lines.get(&frame).map(|line| {
                let protocol = line.protocol.to_owned();
                let ends = [line.source.clone(), line.destination.clone()];
                let [source, destination] = ends;
                vec![frame.to_string(), source, destination, protocol, line.info.clone()]
            })
        }
        View::Fields => state
            .fields
            .chosen()
            .map(|field| vec![field.name.to_owned(), field.label.to_owned(), field.doc.to_owned()]),
        View::Statistics => line(&state.statistics.lines, state.statistics.cursor.top),
        View::Run => state.run.chosen().map(|entry| {
            let mut columns = vec![entry.name.clone(), entry.verdict.clone()];
            let lines = entry.details.iter();
            columns
                .extend(lines.map(|line| line.iter().map(|piece| piece.text.as_str()).collect()));
            columns
        }),
    }
    .unwrap_or_default();
    columns.join("\t")
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
