//! The ladder as an HTML page: one file without external resources.

use super::run::frames;
use super::text::beyond;
use std::fmt::Write as _;
use std::io::{self, Write};
use unicode_width::UnicodeWidthStr as _;
use warpscope_dissector::format::seconds;
use warpscope_dissector::ladder::{FindingNote, Kind, Ladder, LeftOut, Row, parameters, role};
use warpscope_dissector::mpa::Side;
use warpscope_text::Duration;
use warpscope_text::{counted, markup, wrap_cut};

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");
/// The shortest time without messages that is shown as a pause, in nanoseconds.
pub(super) const PAUSE: i64 = 1_000_000_000;

pub(super) fn write(ladder: &Ladder, file: &str, out: &mut dyn Write) -> io::Result<()> {
    let connection = ladder.connection.number;
    let title = markup(&format!("{file}, connection {connection}"));
    write!(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
         <title>{title}</title>\n<style>\n{COLOURS}{STYLE}"
    )?;
    for kind in Kind::ALL.iter().copied() {
        let class = class(kind);
        writeln!(
            out,
            "body:has(#show-{class}:not(:checked)) .row.{class}:not(:target) {{ display: none; }}"
        )?;
    }
    let drawn = counted(ladder.rows.len() as u64, "arrow");
    writeln!(
        out,
        "</style>\n\
         </head>\n\
         <body>\n\
         <h1>{title}</h1>\n\
         <p class=\"what\">{drawn}, one per message. Click an arrow to show more; #n is the \
         number of an operation.</p>"
    )?;
    if let Some(words) = left_out(&ladder.left_out) {
        writeln!(out, "<p class=\"left-out\">{}</p>", markup(&words))?;
    }
    legend(ladder, out)?;
    head(ladder, out)?;
    writeln!(out, "<ol class=\"ladder\">")?;
    let mut before = None;
    for (index, row) in ladder.rows.iter().enumerate() {
        pause(before, row.time, out)?;
        before = row.time.or(before);
        self::row(ladder, index, row, out)?;
    }
    writeln!(out, "</ol>")?;
    if let Some(words) = left_out(&ladder.left_out) {
        writeln!(out, "<p class=\"left-out\">{}</p>", markup(&words))?;
    }
    writeln!(out, "<script>\n{SCRIPT}</script>\n</body>\n</html>")
}

/// Describes what is not on the page.
pub(super) fn left_out(left_out: &LeftOut) -> Option<String> {
    let mut words = Vec::new();
    if left_out.before > 0 {
        words.push(format!("{} before the first frame asked for", left_out.before));
    }
    let beyond = beyond(&left_out.beyond);
    if !beyond.is_empty() {
        words.push(format!("{beyond} after these (--limit draws more)"));
    }
    if left_out.after > 0 {
        words.push(format!("{} after the last frame asked for", left_out.after));
    }
    (!words.is_empty()).then(|| format!("Left out: {}.", words.join("; ")))
}

fn legend(ladder: &Ladder, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "<fieldset class=\"legend\">")?;
    for kind in Kind::ALL.iter().copied() {
        let count = ladder.rows.iter().filter(|row| row.kind == kind).count();
        if count > 0 {
            let (class, name) = (class(kind), kind.name());
            writeln!(
                out,
                "<label class=\"{class}\"><input type=\"checkbox\" id=\"show-{class}\" \
                 checked=\"checked\"/><i></i>{name} <small>{count}</small></label>"
            )?;
        }
    }
    let marked = ladder.rows.iter().filter(|row| row.marked()).count();
    if marked > 0 {
        writeln!(
            out,
            "<label><input type=\"checkbox\" id=\"only\"/>only what is wrong \
             <small>{marked}</small></label>"
        )?;
    }
    writeln!(out, "</fieldset>")
}

fn head(ladder: &Ladder, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "<header class=\"head\">\n<dl class=\"parameters\">")?;
    for (name, value) in parameters(&ladder.negotiation) {
        let (name, value) = (markup(name), markup(&value));
        writeln!(out, "<div><dt>{name}</dt><dd>{value}</dd></div>")?;
    }
    let left = left_side(ladder);
    let end = |side: Side| {
        let end = markup(&ladder.connection.ends[side.index()].to_string());
        format!("<div><b>{end}</b><small>{}</small></div>", role(&ladder.negotiation, side))
    };
    writeln!(
        out,
        "</dl>\n<div class=\"grid names\"><span>frame</span><span>seconds</span>\
         <div class=\"ends\">{}{}</div></div>\n</header>",
        end(left),
        end(left.peer())
    )
}

pub(super) fn left_side(ladder: &Ladder) -> Side {
    ladder.negotiation.initiator().unwrap_or(Side(0))
}

fn pause(before: Option<i64>, now: Option<i64>, out: &mut dyn Write) -> io::Result<()> {
    let (Some(before), Some(now)) = (before, now) else { return Ok(()) };
    let span = now.saturating_sub(before);
    if span < PAUSE {
        return Ok(());
    }
    writeln!(
        out,
        "<li class=\"pause grid\"><div></div><div></div><div>{} later</div></li>",
        Duration(span)
    )
}

fn row(ladder: &Ladder, index: usize, row: &Row, out: &mut dyn Write) -> io::Result<()> {
    let side = if row.from == left_side(ladder) { "right" } else { "left" };
    let mut classes = format!("row {} {side}", class(row.kind));
    for (set, name) in [(!row.arrow, " here"), (row.alarm, " alarm"), (row.marked(), " marked")] {
        classes.push_str(if set { name } else { "" });
    }
    let request = row.answers.and_then(|answer| answer.row);
    let with: Vec<String> =
        [request, row.answered_by].into_iter().flatten().map(|row| format!("r{row}")).collect();
    let with = match with.is_empty() {
        true => String::new(),
        false => format!(" data-with=\"{}\"", with.join(" ")),
    };
    let time = seconds(row.time, ladder.first_time);
    write!(
        out,
        "<li class=\"{classes}\" id=\"r{index}\"{with}><details><summary class=\"grid\">\
         <span class=\"frame\">{}</span><span class=\"time\">{time}</span><span class=\"lane\">\
         <span class=\"label\">{}</span><span class=\"arrow\"></span>",
        frames(row.frames),
        markup(&row.label)
    )?;
    let answer = row.answers.map(|answer| format!("answers frame {}", answer.frame));
    for note in &row.notes {
        let mut note = markup(note);
        // Link the text of an answer to its request.
        if let (Some(words), Some(request)) = (&answer, request)
            && note.starts_with(words.as_str())
        {
            note = note.replacen(words, &format!("<a href=\"#r{request}\">{words}</a>"), 1);
        }
        write!(out, "<span class=\"note\">{note}</span>")?;
    }
    for finding in &row.findings {
        write!(out, "{}", found(finding))?;
    }
    write!(out, "</span></summary><dl class=\"details\">")?;
    if let Some(answered) = row.answered_by.and_then(|by| Some((by, ladder.rows.get(by)?))) {
        let (by, words) = (answered.0, frames(answered.1.frames));
        write!(out, "<dt>Answered in</dt><dd><a href=\"#r{by}\">frame {words}</a></dd>")?;
    }
    for detail in &row.details {
        let (name, value) = (markup(detail.name), markup(&detail.value));
        write!(out, "<dt>{name}</dt><dd>{value}</dd>")?;
    }
    writeln!(out, "</dl></details></li>")
}

fn found(finding: &FindingNote) -> String {
    let (rule, words) = (markup(finding.rule), markup(&finding.explanation));
    format!("<span class=\"found\"><b>{rule}</b> ({}): {words}</span>", finding.level)
}

// The ladder as a picture: SVG without external resources.

const PICTURE_STYLE: &str = include_str!("picture.css");
/// The picture's width, and the positions of its columns and ends, in pixels.
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

pub(crate) fn draw(ladder: &Ladder, file: &str, out: &mut dyn Write) -> io::Result<()> {
    let mut body = String::new();
    let top = picture_head(ladder, file, &mut body);
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
         <style>\n{COLOURS}{PICTURE_STYLE}</style>\n\
         <rect class=\"paper\" width=\"{WIDTH}\" height=\"{height}\"/>\n{body}{edges}</svg>\n",
        markup(&format!("{file}, connection {}", ladder.connection.number)),
    )
}

/// Writes a line of text; `anchor` is `start`, `middle` or `end`.
fn text(class: &str, x: usize, y: usize, anchor: &str, words: &str, out: &mut String) {
    let words = markup(words);
    let _ = writeln!(
        out,
        "<text class=\"{class}\" x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\">{words}</text>"
    );
}

/// Returns how many characters, with a width in hundredths of a pixel, fit into `pixels`.
fn fitting(pixels: usize, character: usize) -> usize {
    pixels * 100 / character
}

/// Draws the head above the rows; returns the position of the first row.
fn picture_head(ladder: &Ladder, file: &str, out: &mut String) -> usize {
    let mut y = MARGIN + 14;
    let title = format!("{file}, connection {}", ladder.connection.number);
    text("title", MARGIN, y, "start", &title, out);
    let parameters = parameters(&ladder.negotiation);
    let words: Vec<String> =
        parameters.iter().map(|(name, value)| format!("{name} {value}")).collect();
    let lines = wrap_cut(&words.join("  \u{b7}  "), fitting(RIGHT - MARGIN, LABEL_CHARACTER));
    for line in lines.iter().filter(|line| !line.is_empty()) {
        y += 20;
        text("faint", MARGIN, y, "start", line, out);
    }
    let words = left_out(&ladder.left_out).unwrap_or_default();
    for line in wrap_cut(&words, fitting(RIGHT - MARGIN, LABEL_CHARACTER)) {
        if !line.is_empty() {
            y += 20;
            text("loss label", MARGIN, y, "start", &line, out);
        }
    }
    y += 24;
    let mut x = MARGIN;
    for kind in Kind::ALL.iter().copied() {
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

fn draw_row(ladder: &Ladder, row: &Row, top: usize, out: &mut String) -> usize {
    let rightward = row.from == left_side(ladder);
    let lane = RIGHT - LEFT;
    let labels = wrap_cut(&row.label, fitting(lane - 40, LABEL_CHARACTER));
    let columns = fitting(lane - 40, NOTE_CHARACTER);
    let mut below: Vec<(&str, String)> = Vec::new();
    for note in &row.notes {
        below.extend(wrap_cut(note, columns).into_iter().map(|line| ("note", line)));
    }
    for finding in &row.findings {
        let words = format!("! {}: {}", finding.rule, finding.explanation);
        below.extend(wrap_cut(&words, columns).into_iter().map(|line| ("found", line)));
    }
    let line = top + 8 + labels.len() * LINE;
    let bottom = line + (ROW - LINE - 8) + below.len() * LINE;
    let mut classes = class(row.kind);
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
    let time = seconds(row.time, ladder.first_time);
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

// Shared by page and picture: escaping, classes and colours.

/// Returns the class of a kind's rows: one word.
fn class(kind: Kind) -> String {
    format!("{kind:?}").to_lowercase()
}

/// The colours, light and dark, as custom properties.
pub(super) const COLOURS: &str = include_str!("colours.css");
