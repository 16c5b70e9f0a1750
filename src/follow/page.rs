//! The ladder as a page for a browser: one file that needs nothing else.

use super::markup::{COLOURS, class, escaped};
use super::text::beyond;
use super::time::{frames, since};
use std::fmt::Write as _;
use std::io::{self, Write};
use warpscope_dissector::ladder::{FindingNote, Kind, Ladder, LeftOut, Row, parameters, role};
use warpscope_dissector::mpa::Side;
use warpscope_dissector::rules::Level;
use warpscope_dissector::tree::Duration;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");
/// A time without messages that is told, in nanoseconds.
pub(super) const PAUSE: i64 = 1_000_000_000;

/// Writes the page of a ladder from this file.
pub(super) fn write(ladder: &Ladder, file: &str, out: &mut dyn Write) -> io::Result<()> {
    let connection = ladder.connection.number;
    let title = escaped(&format!("{file}, connection {connection}"));
    write!(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
         <title>{title}</title>\n<style>\n{COLOURS}{STYLE}"
    )?;
    for kind in Kind::ALL {
        let class = class(kind);
        writeln!(
            out,
            "body:has(#show-{class}:not(:checked)) .row.{class}:not(:target) {{ display: none; }}"
        )?;
    }
    let drawn = ladder.rows.len();
    let s = if drawn == 1 { "" } else { "s" };
    writeln!(
        out,
        "</style>\n</head>\n<body>\n<h1>{title}</h1>\n\
         <p class=\"what\">{drawn} arrow{s}, one a message. A click on an arrow shows more; #n is \
         the number of an operation.</p>"
    )?;
    if let Some(words) = left_out(&ladder.left_out) {
        writeln!(out, "<p class=\"left-out\">{}</p>", escaped(&words))?;
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
        writeln!(out, "<p class=\"left-out\">{}</p>", escaped(&words))?;
    }
    writeln!(out, "<script>\n{SCRIPT}</script>\n</body>\n</html>")
}

/// What is not on the page, in words.
pub(super) fn left_out(left_out: &LeftOut) -> Option<String> {
    let mut words = Vec::new();
    if left_out.before > 0 {
        words.push(format!("{} before the first frame asked for", left_out.before));
    }
    let beyond = beyond(&left_out.beyond);
    if !beyond.is_empty() {
        words.push(format!("{beyond} behind these (--limit draws more)"));
    }
    if left_out.after > 0 {
        words.push(format!("{} behind the last frame asked for", left_out.after));
    }
    (!words.is_empty()).then(|| format!("Left out: {}.", words.join("; ")))
}

fn legend(ladder: &Ladder, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "<fieldset class=\"legend\">")?;
    for kind in Kind::ALL {
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
        let (name, value) = (escaped(name), escaped(&value));
        writeln!(out, "<div><dt>{name}</dt><dd>{value}</dd></div>")?;
    }
    let left = left_side(ladder);
    let end = |side: Side| {
        let end = escaped(&ladder.connection.ends[side.index()].to_string());
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

/// The side that stands on the left.
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
    let time = since(row.time, ladder.first_time).unwrap_or_default();
    write!(
        out,
        "<li class=\"{classes}\" id=\"r{index}\"{with}><details><summary class=\"grid\">\
         <span class=\"frame\">{}</span><span class=\"time\">{time}</span><span class=\"lane\">\
         <span class=\"label\">{}</span><span class=\"arrow\"></span>",
        frames(row.frames),
        escaped(&row.label)
    )?;
    let answer = row.answers.map(|answer| format!("answers frame {}", answer.frame));
    for note in &row.notes {
        let mut note = escaped(note);
        // The words of an answer lead to what is answered.
        if let (Some(words), Some(request)) = (&answer, request)
            && note.starts_with(words.as_str())
        {
            note = note.replacen(words, &format!("<a href=\"#r{request}\">{words}</a>"), 1);
        }
        write!(out, "<span class=\"note\">{note}</span>")?;
    }
    for finding in &row.findings {
        out.write_all(found(finding).as_bytes())?;
    }
    write!(out, "</span></summary><dl class=\"details\">")?;
    if let Some(answered) = row.answered_by.and_then(|by| Some((by, ladder.rows.get(by)?))) {
        let (by, words) = (answered.0, frames(answered.1.frames));
        write!(out, "<dt>Answered in</dt><dd><a href=\"#r{by}\">frame {words}</a></dd>")?;
    }
    for detail in &row.details {
        let (name, value) = (escaped(detail.name), escaped(&detail.value));
        write!(out, "<dt>{name}</dt><dd>{value}</dd>")?;
    }
    writeln!(out, "</dl></details></li>")
}

fn found(finding: &FindingNote) -> String {
    let level = match finding.level {
        Level::Must => "MUST",
        Level::Should => "SHOULD",
    };
    let (rule, words) = (escaped(finding.rule), escaped(&finding.explanation));
    let mut out = String::new();
    let _ = write!(out, "<span class=\"found\"><b>{rule}</b> ({level}): {words}</span>");
    out
}
