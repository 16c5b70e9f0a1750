//! The tree of the chosen frame.

use super::canvas::Canvas;
use crate::look::Tone;
use crate::state::State;
use ratatui::layout::Rect;
use warpscope_dissector::format::push_node;

/// Draws the tree.
pub(super) fn draw(state: &State, canvas: &mut Canvas<'_>, area: Rect, has_keys: bool) {
    let pane = &state.messages.tree;
    let name = match (&pane.found, pane.node()) {
        (Some((frame, _)), Some(node)) => format!("frame {frame}: {}", node.field.name),
        (Some((frame, _)), None) => format!("frame {frame}"),
        (None, _) => "tree".to_owned(),
    };
    canvas.head(area, &name, has_keys);
    if let Some((_, Err(why))) = &pane.found {
        canvas.text(area.x + 1, area.y + 1, area.width.saturating_sub(1), why, Tone::Bad);
    }
    let Some(tree) = pane.tree() else { return };
    let lines = pane.visible.iter().enumerate().skip(pane.cursor.top);
    for ((row, index), y) in lines.zip(area.y + 1..area.bottom()) {
        let Some(node) = tree.nodes.get(*index) else { continue };
        let fold = match (pane.has_children(*index), pane.folded.contains(node.field.name)) {
            (false, _) => " ",
            (true, true) => canvas.look.either("▸", "+"),
            (true, false) => canvas.look.either("▾", "-"),
        };
        let x = area.x + u16::from(node.depth) * 2;
        let room = area.right().saturating_sub(x);
        let x = canvas.text(x, y, room, fold, Tone::Accent);
        let tone = match (node.depth, node.generated) {
            (0, _) => Tone::Strong,
            (_, true) => Tone::Dim,
            _ => Tone::Plain,
        };
        let room = area.right().saturating_sub(x + 1);
        let mut line = String::new();
        push_node(tree, node, &mut line);
        canvas.text(x + 1, y, room, &line, tone);
        if row == pane.cursor.selected {
            canvas.lay(area, y, canvas.look.chosen(has_keys));
        }
    }
}
