//! The user's data of a flow, in both directions, message by message.

use super::Cursor;
use crate::index::StreamPart;
use crate::look::Tone;
use crate::text::{TextLine, piece};
use warpscope_dissector::mpa::Side;
use warpscope_text::{counted, hexadecimal};

/// The view of the data.
#[derive(Debug, Clone, Default)]
pub struct StreamView {
    /// The flow.
    pub flow: u32,
    /// The visible part; no line is selected.
    pub cursor: Cursor,
    /// The lines; none while they are awaited.
    pub lines: Option<Vec<TextLine>>,
}

/// The bytes of a line: as in a row of the byte pane.
const ROW: usize = super::BYTES_IN_ROW;

impl StreamView {
    /// Sets the data from a worker; `first` is the flow's first side, `left_out` counts bytes left out.
    pub fn take(&mut self, parts: &[StreamPart], first: Side, left_out: u64) {
        let mut lines = Vec::new();
        for part in parts {
            let own = part.side == first;
            let (arrow, tone) = if own { ("→", Tone::Request) } else { ("←", Tone::Response) };
            let StreamPart { number, name, frame, bytes, .. } = part;
            let length = counted(bytes.len() as u64, "byte");
            let head = format!("{arrow} {name} #{number}, frame {frame}: {length}");
            lines.push(vec![piece(Tone::Strong, head)]);
            for (row, chunk) in bytes.chunks(ROW).enumerate() {
                let hexadecimal = hexadecimal(chunk, " ");
                let printable = |byte: &u8| (0x20..0x7f).contains(byte);
                let text = chunk.iter().map(|it| if printable(it) { char::from(*it) } else { '.' });
                lines.push(vec![
                    piece(Tone::Dim, format!("  {:06x}  ", row * ROW)),
                    piece(tone, format!("{hexadecimal:<48} {}", text.collect::<String>())),
                ]);
            }
        }
        if left_out > 0 {
            let words =
                format!("{} more; e in the messages view writes all", counted(left_out, "byte"));
            lines.push(vec![piece(Tone::Warn, words)]);
        }
        if lines.is_empty() {
            lines.push(vec![piece(Tone::Dim, "no message with data was captured")]);
        }
        self.lines = Some(lines);
    }
}
