//! Text for the screen: lines of pieces, numbers, times, values of fields.

use crate::look::Tone;
use std::borrow::Cow;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};
use warpscope_dissector::field::{Field, Kind};
use warpscope_dissector::format::digits;
use warpscope_dissector::tree::{Node, Tree, Value};
use warpscope_text::{push_escaped, push_hexadecimal, wrap};

/// A piece of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// Its meaning, for the colour.
    pub tone: Tone,
    /// The text.
    pub text: String,
}

/// A line.
pub type TextLine = Vec<Piece>;

/// Creates a piece.
pub fn piece(tone: Tone, text: impl Into<String>) -> Piece {
    Piece { tone, text: text.into() }
}

/// Returns the text of a line.
pub fn plain(line: &TextLine) -> String {
    line.iter().map(|piece| piece.text.as_str()).collect()
}

/// The most bytes of a value that are shown.
const BYTES: u32 = 16;
/// The length of text in bytes after which values are left out.
const LONGEST: usize = 120;

/// Returns the values of a field in a frame, separated by commas: names of numbers if they have one. For a
/// layer or a heading, returns its text in the tree. Empty if the frame does not have the field.
pub fn field_text(tree: &Tree, field: &'static Field) -> String {
    let mut out = String::new();
    for node in tree.nodes.iter().filter(|node| node.field == field) {
        if !out.is_empty() {
            out.push(',');
        }
        if out.len() > LONGEST {
            out.push('…');
            break;
        }
        push_value(tree, node, &mut out);
    }
    out
}

fn push_value(tree: &Tree, node: &Node, out: &mut String) {
    match (&node.value, node.field.kind) {
        (Value::Unsigned(number), kind) => match node.field.value_name(*number) {
            Some(name) => out.push_str(name),
            None if kind == Kind::Boolean => {
                out.push_str(if *number != 0 { "True" } else { "False" });
            }
            None => tree.value_text(node, out),
        },
        (Value::Bytes { start, length }, _) => {
            let value = Value::Bytes { start: *start, length: BYTES.min(*length) };
            push_hexadecimal(tree.value_bytes(&value), "", out);
            if *length > BYTES {
                out.push('…');
            }
        }
        (Value::Text(text), _) => push_escaped(text, out),
        (Value::None, _) => push_escaped(node.note.as_deref().unwrap_or(node.field.label), out),
        _ => tree.value_text(node, out),
    }
}

/// Returns the head of a field's column: its name without the protocol's.
pub fn column_head(field: &'static Field) -> &'static str {
    field.name.split_once('.').map_or(field.name, |(_, rest)| rest)
}

// Text pictures from a report, fitted to the screen.

/// The characters of a ladder's two ends.
const EDGES: [char; 2] = ['\u{2502}', '\u{250a}'];
/// The characters between words and edges.
const FILLERS: [char; 2] = ['\u{2500}', ' '];
/// The heads of arrows, and the mark for a missing one.
const MARKS: [char; 3] = ['\u{25b6}', '\u{25c0}', '\u{d7}'];
/// The fewest columns between the two ends.
const NARROWEST: usize = 16;

/// Fits a picture of a ladder into lines of at most `columns` columns: arrows become shorter, and words
/// that do not fit continue below. Lines that cannot be shortened stay as they are.
pub fn fitted(lines: &[TextLine], columns: usize) -> Vec<TextLine> {
    let mut fitted = Vec::new();
    for line in lines {
        let text = plain(line);
        let Some(excess) = text.width().checked_sub(columns).filter(|excess| *excess > 0) else {
            fitted.push(line.clone());
            continue;
        };
        let tone = line.first().map(|piece| piece.tone).unwrap_or_default();
        let narrow = narrowed(&text, excess).unwrap_or_else(|| vec![text]);
        fitted.extend(narrow.into_iter().map(|text| vec![piece(tone, text)]));
    }
    fitted
}

/// Shortens a line by `excess` columns; none if that is impossible.
fn narrowed(text: &str, excess: usize) -> Option<Vec<String>> {
    let right = text.chars().next_back().filter(|edge| EDGES.contains(edge));
    let (Some(right), Some(at)) = (right, text.find(EDGES)) else {
        // The head with the names of both ends.
        return shorter(text, excess).map(|text| vec![text]);
    };
    let left = text.get(at..)?.chars().next()?;
    let margin = text.get(..at)?;
    let inside = text.get(at + left.len_utf8()..text.len() - right.len_utf8())?;
    let framed = |margin: &str, inside: &str| format!("{margin}{left}{inside}{right}");
    if let Some(inside) = shorter(inside, excess) {
        return Some(vec![framed(margin, &inside)]);
    }
    let lane = inside.width().checked_sub(excess).filter(|lane| *lane >= NARROWEST)?;
    let arrow = inside.contains([MARKS[0], MARKS[1]]);
    let rightward = inside.starts_with([FILLERS[0], MARKS[2]])
        || inside.starts_with("   ") && !inside.starts_with("    ");
    let words = inside.trim_matches(|it| FILLERS.contains(&it) || MARKS.contains(&it));
    let beside = |words: &str| {
        let blank = " ".repeat(lane.saturating_sub(words.width() + 3));
        if rightward { format!("   {words}{blank}") } else { format!("{blank}{words}   ") }
    };
    let blank = " ".repeat(margin.width());
    let mut lines = Vec::new();
    for (index, words) in wrap(words, lane.saturating_sub(6)).iter().enumerate() {
        let line = lane.saturating_sub(words.width() + 4);
        let dashes = FILLERS[0].to_string().repeat(line);
        lines.push(match (index, arrow, rightward) {
            (0, true, true) => {
                framed(margin, &format!("{} {words} {dashes}{}", FILLERS[0], MARKS[0]))
            }
            (0, true, false) => {
                framed(margin, &format!("{}{dashes} {words} {}", MARKS[1], FILLERS[0]))
            }
            (0, false, _) => framed(margin, &beside(words)),
            _ => framed(&blank, &beside(words)),
        });
    }
    Some(lines)
}

/// Removes `excess` characters from the longest run of fillers; none if the run is not longer than that.
fn shorter(text: &str, excess: usize) -> Option<String> {
    let mut longest = 0..0;
    let mut run = 0..0;
    let mut of = None;
    for (at, character) in text.char_indices() {
        let filler = Some(character).filter(|it| FILLERS.contains(it) && it.width() == Some(1));
        if filler.is_none() || filler != of {
            run = at..at;
        }
        run.end = at + character.len_utf8();
        if filler.is_some() && run.len() > longest.len() {
            longest = run.clone();
        }
        of = filler;
    }
    let filler = text.get(longest.clone())?.chars().next()?;
    let kept = (longest.len() / filler.len_utf8()).checked_sub(excess).filter(|kept| *kept > 0)?;
    let (before, behind) = (text.get(..longest.start)?, text.get(longest.end..)?);
    Some(format!("{before}{}{behind}", filler.to_string().repeat(kept)))
}

// Numbers and text in readable form.

/// Formats bytes in about four characters: `1.5 M`.
pub fn bytes(count: u64) -> String {
    const UNITS: [(u64, &str); 4] =
        [(1 << 40, "T"), (1 << 30, "G"), (1 << 20, "M"), (1 << 10, "k")];
    match UNITS.iter().find(|(unit, _)| count >= *unit) {
        Some((unit, name)) => format!("{} {name}", digits(count as f64 / *unit as f64)),
        None => count.to_string(),
    }
}

/// Formats a number; empty for 0.
pub fn some(number: u64) -> String {
    if number == 0 { String::new() } else { number.to_string() }
}

/// Wraps a line of pieces that is too long: the text of its last piece continues below its start.
pub fn wrap_line(line: &TextLine, columns: usize) -> Vec<TextLine> {
    let Some((last, before)) = line.split_last() else { return vec![Vec::new()] };
    let indent: usize = before.iter().map(|piece| piece.text.width()).sum();
    if indent + last.text.width() <= columns {
        return vec![line.clone()];
    }
    let mut lines: Vec<TextLine> = Vec::new();
    for text in wrap(&last.text, columns.saturating_sub(indent).max(1)) {
        let mut line = match lines.is_empty() {
            true => before.to_vec(),
            false => vec![piece(last.tone, " ".repeat(indent))],
        };
        line.push(piece(last.tone, text));
        lines.push(line);
    }
    lines
}

/// Truncates a text that does not fit, with a mark.
pub fn cut(text: &str, columns: u16) -> Cow<'_, str> {
    let room = usize::from(columns);
    if text.width() <= room {
        return Cow::Borrowed(text);
    }
    let mut taken = 0;
    let fits = |character: &char| {
        taken += character.width().unwrap_or(0);
        taken < room
    };
    let mut kept: String = text.chars().take_while(fits).collect();
    kept.push('…');
    Cow::Owned(kept)
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpscope_dissector::field;
    use warpscope_dissector::tree::SourceId;

    #[test]
    fn values_are_named_cut_and_joined() {
        let mut tree = Tree::default();
        let bytes: Vec<u8> = (0..40).collect();
        assert_eq!(tree.add_source("Frame", &bytes), SourceId::FRAME);
        let field = |name| field::find(name).unwrap();
        let mut push = |name, value| tree.push_generated(1, field(name), value);
        push("iwarp_rdma.opcode", Value::Unsigned(3));
        push("iwarp_rdma.opcode", Value::Unsigned(15));
        push("iwarp_rdma.opcode", Value::Unsigned(0x1f));
        push("iwarp_ddp.last_flag", Value::Unsigned(1));
        push("iwarp_ddp.stag", Value::Unsigned(0xbeef));
        push("tcp.payload", Value::Bytes { start: 0, length: 40 });
        push("iwarp_ddp.malformed", Value::Text("a\u{1b}b".into()));
        push("iwarp_ddp", Value::None);
        for _ in 0..100 {
            push("tcp.seq", Value::Unsigned(4_000_000_000));
        }
        let text = |name| field_text(&tree, field(name));
        assert_eq!(text("iwarp_rdma.opcode"), "Send,Verify Response,0x1f");
        assert_eq!((text("iwarp_ddp.last_flag"), text("iwarp_ddp.stag")).1, "0x0000beef");
        assert_eq!(text("iwarp_ddp.last_flag"), "True");
        assert_eq!(text("tcp.payload"), "000102030405060708090a0b0c0d0e0f…");
        assert_eq!(text("iwarp_ddp.malformed"), "a\\u{1b}b");
        assert_eq!((text("iwarp_ddp"), text("iwarp_mpa")), ("DDP header".into(), String::new()));
        assert!(text("tcp.seq").ends_with(",…") && text("tcp.seq").len() < 2 * LONGEST);
        assert_eq!(column_head(field("iwarp_rdma.atomic.remote_stag")), "atomic.remote_stag");
        assert_eq!(column_head(field("iwarp_mpa")), "iwarp_mpa");
    }

    const LADDER: [&str; 9] = [
        "connection 0",
        "frame   seconds  127.0.0.1:45290                        127.0.0.1:41183",
        "    1  0.000000  │─ TCP SYN: asks for the connection ────────────────▶│",
        "    5  0.000416  │◀────────────────── MPA Reply Rev=1 CRC Private=19 ─│",
        "                 │      ! mpa-setup-reserved: the reserved bits are   │",
        "                 │                                              set   │",
        "    6  0.000971  │─ Send with Invalidate #1: of ever so many bytes ─▶│",
        "                 ┊                     2.00 s later                   ┊",
        "    7            │                             [nothing of it came] × │",
    ];

    fn at(columns: usize) -> Vec<String> {
        let lines = LADDER.map(|line| vec![piece(Tone::Plain, line)]);
        fitted(&lines, columns).iter().map(plain).collect()
    }

    #[test]
    fn a_picture_that_fits_stays() {
        assert_eq!(at(80), LADDER);
    }

    #[test]
    fn arrows_become_shorter_and_words_go_on_below() {
        let lines = at(56);
        let expected = [
            "connection 0",
            "frame   seconds  127.0.0.1:45290         127.0.0.1:41183",
            "    1  0.000000  │─ TCP SYN: asks for the connection ─▶│",
            "    5  0.000416  │◀─── MPA Reply Rev=1 CRC Private=19 ─│",
        ];
        assert_eq!(lines[..4], expected, "{lines:#?}");
        assert!(lines.iter().all(|line| line.width() <= 56), "{lines:#?}");
        let inside = |line: &&String| line.ends_with(EDGES);
        assert!(lines.iter().filter(inside).all(|line| line.width() == 56), "{lines:#?}");
        let words: String = lines.join(" ");
        for word in ["! mpa-setup-reserved:", "bits", "are", "set", "ever", "bytes", "[nothing"] {
            assert!(words.contains(word), "{word} in {lines:#?}");
        }
        assert_eq!(lines.len(), LADDER.len() + 2, "{lines:#?}");
    }

    #[test]
    fn what_is_far_too_narrow_stays_as_it_is() {
        assert_eq!(at(20).len(), LADDER.len());
    }

    #[test]
    fn quantities_have_the_unit_that_suits() {
        assert_eq!((bytes(1023), bytes(1536)), ("1023".to_owned(), "1.50 k".to_owned()));
    }

    #[test]
    fn what_is_cut_says_so() {
        assert_eq!((cut("0x1234", 6), cut("0x12345", 6)), ("0x1234".into(), "0x123…".into()));
        assert_eq!((cut("äöü", 2), cut("日本語", 4)), ("ä…".into(), "日…".into()));
    }
}
