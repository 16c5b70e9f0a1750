//! The ladder as a picture: SVG that needs nothing else.

use super::markup::{COLOURS, class, escaped};
use super::page::{left_out, left_side};
use super::time::{frames, since};
use super::wrap::wrap;
use std::fmt::Write as _;
use std::io::{self, Write};
use unicode_width::UnicodeWidthStr as _;
use warpscope_dissector::ladder::{Kind, Ladder, Row, parameters, role};

const STYLE: &str = include_str!("picture.css");
/// The picture's width, and the places of its columns and ends, in pixels.
const WIDTH: usize = 1200;
const MARGIN: usize = 20;
const FRAME: usize = 120;
const TIME: usize = 205;
const LEFT: usize = 225;
const RIGHT: usize = WIDTH - MARGIN;
/// The widths of a character of labels and of notes, in hundredths of a pixel: the font is monospaced.
const LABEL_CHARACTER: usize = 740;
const NOTE_CHARACTER: usize = 680;
/// The heights of a row without notes, and of a line of notes.
const ROW: usize = 34;
const LINE: usize = 15;

/// Draws the picture of a ladder from this file.
pub(crate) fn draw(ladder: &Ladder, file: &str, out: &mut dyn Write) -> io::Result<()> {
    let mut body = String::new();
    let top = head(ladder, file, &mut body);
    let mut y = top + 14;
    for row in &ladder.rows {
        y = draw_row(ladder, row, y, &mut body);
    }
    let mut edges = String::new();
    for x in [LEFT, RIGHT] {
        let _ = writeln!(
            edges,
            "<line class=\"edge\" x1=\"{x}\" y1=\"{top}\" x2=\"{x}\" y2=\"{}\"/>",
            y + 6
        );
    }
    let height = y + MARGIN;
    write!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" \
         width=\"{WIDTH}\" height=\"{height}\" role=\"img\">\n<title>{}</title>\n\
         <style>\n{COLOURS}{STYLE}</style>\n\
         <rect class=\"paper\" width=\"{WIDTH}\" height=\"{height}\"/>\n{body}{edges}</svg>\n",
        escaped(&format!("{file}, connection {}", ladder.connection.number)),
    )
}

/// A line of text; `anchor` is `start`, `middle` or `end`.
fn text(class: &str, x: usize, y: usize, anchor: &str, words: &str, out: &mut String) {
    let words = escaped(words);
    let _ = writeln!(
        out,
        "<text class=\"{class}\" x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\">{words}</text>"
    );
}

/// How many characters of hundredths of a pixel fit into pixels.
fn fitting(pixels: usize, character: usize) -> usize {
    pixels * 100 / character
}

/// Draws what stands above the rows; returns where the rows begin.
fn head(ladder: &Ladder, file: &str, out: &mut String) -> usize {
    let mut y = MARGIN + 14;
    let title = format!("{file}, connection {}", ladder.connection.number);
    text("title", MARGIN, y, "start", &title, out);
    let parameters = parameters(&ladder.negotiation);
    let words: Vec<String> =
        parameters.iter().map(|(name, value)| format!("{name} {value}")).collect();
    let lines = wrap(&words.join("  \u{b7}  "), fitting(RIGHT - MARGIN, LABEL_CHARACTER));
    for line in lines.iter().filter(|line| !line.is_empty()) {
        y += 20;
        text("faint", MARGIN, y, "start", line, out);
    }
    let words = left_out(&ladder.left_out).unwrap_or_default();
    for line in wrap(&words, fitting(RIGHT - MARGIN, LABEL_CHARACTER)) {
        if !line.is_empty() {
            y += 20;
            text("loss label", MARGIN, y, "start", &line, out);
        }
    }
    y += 24;
    let mut x = MARGIN;
    for kind in Kind::ALL {
        if ladder.rows.iter().any(|row| row.kind == kind) {
            let (class, name) = (class(kind), kind.name());
            let (from, to) = (x, x + 22);
            let line = y - 4;
            let _ = writeln!(
                out,
                "<g class=\"{class}\"><line class=\"line\" x1=\"{from}\" y1=\"{line}\" x2=\"{to}\" \
                 y2=\"{line}\"/></g>"
            );
            text("faint", x + 28, y, "start", name, out);
            x += 28 + name.width() * LABEL_CHARACTER / 100 + 18;
        }
    }
    y += 34;
    text("faint", FRAME, y, "end", "frame", out);
    text("faint", TIME, y, "end", "seconds", out);
    let left = left_side(ladder);
    for (side, x, anchor) in [(left, LEFT, "start"), (left.peer(), RIGHT, "end")] {
        let end = ladder.connection.ends[side.index()].to_string();
        text("end", x, y - 16, anchor, &end, out);
        text("faint", x, y, anchor, role(&ladder.negotiation, side), out);
    }
    y + 10
}

/// Draws a row; returns where the next one begins.
fn draw_row(ladder: &Ladder, row: &Row, top: usize, out: &mut String) -> usize {
    let rightward = row.from == left_side(ladder);
    let lane = RIGHT - LEFT;
    let labels = wrap(&row.label, fitting(lane - 40, LABEL_CHARACTER));
    let columns = fitting(lane - 40, NOTE_CHARACTER);
    let mut below: Vec<(&str, String)> = Vec::new();
    for note in &row.notes {
        below.extend(wrap(note, columns).into_iter().map(|line| ("note", line)));
    }
    for finding in &row.findings {
        let words = format!("! {}: {}", finding.rule, finding.explanation);
        below.extend(wrap(&words, columns).into_iter().map(|line| ("found", line)));
    }
    let line = top + 8 + labels.len() * LINE;
    let bottom = line + (ROW - LINE - 8) + below.len() * LINE;
    let mut classes = class(row.kind).to_owned();
    for (set, name) in [(!row.arrow, " here"), (row.alarm, " alarm")] {
        classes.push_str(if set { name } else { "" });
    }
    let _ = writeln!(out, "<g class=\"{classes}\">");
    if row.marked() {
        let height = bottom - top - 2;
        let _ = writeln!(
            out,
            "<rect class=\"tint\" x=\"{LEFT}\" y=\"{top}\" width=\"{lane}\" height=\"{height}\"/>"
        );
    }
    let middle = line + 4;
    text("faint", FRAME, middle, "end", &frames(row.frames), out);
    let time = since(row.time, ladder.first_time).unwrap_or_default();
    text("faint", TIME, middle, "end", &time, out);
    let (at, anchor) = if rightward { (LEFT + 16, "start") } else { (RIGHT - 16, "end") };
    for (index, words) in labels.iter().enumerate() {
        text("label", at, top + 2 + (index + 1) * LINE, anchor, words, out);
    }
    arrow(row, rightward, line, out);
    for (index, (class, words)) in below.iter().enumerate() {
        text(class, at, line + 1 + (index + 1) * LINE, anchor, words, out);
    }
    out.push_str("</g>\n");
    bottom
}

fn arrow(row: &Row, rightward: bool, y: usize, out: &mut String) {
    let (mut from, mut to) = (LEFT + 1, RIGHT - 1);
    if !row.arrow {
        let reach = (RIGHT - LEFT) * 2 / 5;
        (from, to) = if rightward { (from, from + reach) } else { (to - reach, to) };
    }
    let _ = writeln!(out, "<line class=\"line\" x1=\"{from}\" y1=\"{y}\" x2=\"{to}\" y2=\"{y}\"/>");
    if row.arrow {
        let (tip, back) = if rightward { (to, to - 10) } else { (from, from + 10) };
        let (above, below) = (y - 5, y + 5);
        let _ = writeln!(
            out,
            "<polygon class=\"tip\" points=\"{tip},{y} {back},{above} {back},{below}\"/>"
        );
    }
}
