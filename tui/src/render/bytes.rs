//! The bytes of the chosen frame, those of the chosen field lit up.

use super::canvas::Canvas;
use crate::layout::OFFSET;
use crate::look::Tone;
use crate::state::{BYTES_IN_ROW, State};
use ratatui::layout::Rect;

/// Draws the bytes.
pub(super) fn draw(state: &State, canvas: &mut Canvas<'_>, area: Rect, has_keys: bool) {
    let pane = &state.messages.tree;
    let bytes = pane.bytes();
    let sources = pane.tree().map_or(0, |tree| tree.sources.len());
    let source = pane.tree().and_then(|tree| tree.sources.get(usize::from(pane.source.0)));
    let name = source.map_or("", |source| &source.name);
    let lit = pane.lit();
    let mut head = format!("{name}, {} bytes", bytes.len());
    if sources > 1 {
        head.push_str(&format!(" (s: {} of {sources})", usize::from(pane.source.0) + 1));
    }
    for run in &lit {
        head.push_str(&format!("  {} to {}", run.start, run.end.saturating_sub(1)));
    }
    let lit = |at: usize| lit.iter().any(|run| run.contains(&at));
    canvas.head(area, &head, has_keys);
    let characters = area.x + OFFSET + 3 * BYTES_IN_ROW as u16 + 1;
    let rows = bytes.chunks(BYTES_IN_ROW).enumerate().skip(pane.bytes_top);
    for ((row, chunk), y) in rows.zip(area.y + 1..area.bottom()) {
        let start = row * BYTES_IN_ROW;
        canvas.text(area.x + 1, y, OFFSET, &format!("{start:06x}"), Tone::Dim);
        for (index, byte) in chunk.iter().enumerate() {
            let at = start + index;
            let (column, step) = (index as u16, 3);
            let mut style = canvas.look.style(Tone::Plain);
            if *byte == 0 {
                style = canvas.look.style(Tone::Dim);
            }
            if lit(at) {
                style = canvas.look.lit();
            }
            if has_keys && at == pane.byte {
                style = style.patch(canvas.look.chosen(true));
                style = style.add_modifier(ratatui::style::Modifier::UNDERLINED);
            }
            let x = area.x + OFFSET + column * step;
            let room = area.right().saturating_sub(x);
            canvas.styled(x, y, room.min(2), &format!("{byte:02x}"), style);
            let joined = lit(at) && lit(at + 1) && index + 1 < chunk.len();
            if joined && room > 2 {
                canvas.styled(x + 2, y, 1, " ", canvas.look.lit());
            }
            let shown = if (0x20..0x7f).contains(byte) { char::from(*byte) } else { '.' };
            let x = characters + column;
            let mut text = [0; 4];
            canvas.styled(
                x,
                y,
                area.right().saturating_sub(x),
                shown.encode_utf8(&mut text),
                style,
            );
        }
    }
}
