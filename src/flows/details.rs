//! A block for each connection: all that is known of it.

use super::format;
use super::run::Print;
use super::text::{footing, heading};
use crate::decoding::Scanned;
use crate::quantity::share;
use crate::table::{Cell, Column, Look, Table, wrapped};
use owo_colors::Style;
use std::io::{self, Write};
use warpscope_dissector::format::{counted, duration, end, role, sides, span};
use warpscope_dissector::mpa::{CrcVerdict, Side};
use warpscope_dissector::operation::meaning;
use warpscope_dissector::statistics::{
    DirectionCounts, Flow, Flows, Left, Mark, OperationCounts, Range,
};

/// Blanks before a table.
const INDENT: usize = 4;
/// Characters before a text, the word that stands there included.
const TEXT: usize = 14;

/// A block for each connection.
#[derive(Debug)]
pub(super) struct Details {
    pub(super) look: Look,
    pub(super) only: Option<u32>,
    pub(super) headings: bool,
}

impl Print for Details {
    fn file(&mut self, scanned: &Scanned, flows: &Flows, out: &mut dyn Write) -> io::Result<()> {
        heading(self.look, scanned, self.headings, out)?;
        for flow in flows.flows() {
            self.flow(flow, flows.first_time(), out)?;
            writeln!(out)?;
        }
        footing(self.only, scanned, flows, out)
    }
}

impl Details {
    fn flow(&self, flow: &Flow, first_time: Option<i64>, out: &mut dyn Write) -> io::Result<()> {
        let [one, other] = sides(flow)
            .map(|side| format!("{} ({})", format::address(flow, side), role(flow, side)));
        let arrow = if flow.initiator().is_some() { '→' } else { '↔' };
        let title = format!("Flow {}: {one} {arrow} {other}", flow.info.number);
        writeln!(out, "{}", self.look.heading(&title))?;
        self.time(flow, first_time, out)?;
        self.setup(flow, out)?;
        self.end(flow, out)?;
        self.messages(flow, out)?;
        self.operations(flow, out)?;
        self.in_flight(flow, out)?;
        self.calls(flow, out)?;
        self.losses(flow, out)?;
        let findings = flow.findings;
        let words = match findings.must + findings.should {
            0 => "none".to_owned(),
            _ => format!("{} MUST, {} SHOULD", findings.must, findings.should),
        };
        self.line("findings", &words, out)
    }

    /// A line with a word before it; the word is empty in the lines that follow.
    fn line(&self, word: &str, text: &str, out: &mut dyn Write) -> io::Result<()> {
        let word = self.look.styled(&format!("{word:10}"), Style::new().cyan());
        let room = self.look.width.map_or(usize::MAX, |width| width.saturating_sub(TEXT));
        let lines = wrapped(text, room);
        for (index, line) in lines.iter().enumerate() {
            let before = if index == 0 { format!("  {word}  ") } else { " ".repeat(TEXT) };
            writeln!(out, "{}", format!("{before}{line}").trim_end())?;
        }
        Ok(())
    }

    fn time(&self, flow: &Flow, first_time: Option<i64>, out: &mut dyn Write) -> io::Result<()> {
        let since = |mark: Mark| span(mark.time.zip(first_time).map(|(at, from)| at - from));
        let frames: u64 = flow.sides.iter().map(|side| side.tcp.frames).sum();
        let wire: u64 = flow.sides.iter().map(|side| side.tcp.wire).sum();
        let text = format!(
            "frames {} to {}: {}, {wire} bytes; {} long, from {} to {} of the capture{}",
            flow.first.frame,
            flow.last.frame,
            counted(frames, "frame"),
            span(flow.duration()),
            since(flow.first),
            since(flow.last),
            if flow.from_the_start() { "" } else { "; begins before the capture does" },
        );
        self.line("time", &text, out)
    }

    fn setup(&self, flow: &Flow, out: &mut dyn Write) -> io::Result<()> {
        let mut word = "setup";
        for side in sides(flow) {
            let text = match flow.negotiation.seen(side) {
                Some(seen) => format::frame(seen),
                None => "no setup frame was seen".to_owned(),
            };
            self.line(word, &format!("{}: {text}", role(flow, side)), out)?;
            word = "";
        }
        let crc = match flow.negotiation.crc() {
            Some(true) => "CRC in use",
            Some(false) => "CRC not in use",
            None => "use of CRC not known",
        };
        let markers = sides(flow).map(|side| {
            let role = role(flow, side);
            match flow.negotiation.markers_from(side) {
                Some(true) => format!("markers from {role}"),
                Some(false) => format!("no markers from {role}"),
                None => format!("markers from {role} not known"),
            }
        });
        self.line("", &format!("so: {crc}, {}", markers.join(", ")), out)
    }

    fn end(&self, flow: &Flow, out: &mut dyn Write) -> io::Result<()> {
        self.line("end", &end(flow), out)?;
        let mut events: Vec<(u64, String)> = Vec::new();
        for side in sides(flow) {
            let tcp = &flow.side(side).tcp;
            for (what, mark) in [("FIN", tcp.fin), ("RST", tcp.reset)] {
                let Some(mark) = mark else { continue };
                events.push((mark.frame, format!("{what} of {}", role(flow, side))));
            }
        }
        for terminate in &flow.terminates {
            let of = role(flow, terminate.by);
            let what = terminate.error.map_or_else(
                || "that cannot be read".to_owned(),
                |(layer, kind, code)| meaning(layer, kind, code),
            );
            events.push((terminate.mark.frame, format!("Terminate of {of}: {what}")));
        }
        events.sort();
        for (frame, what) in events {
            self.line("", &format!("frame {frame}: {what}"), out)?;
        }
        match flow.left {
            Left::CaptureEnded => Ok(()),
            Left::EndsUsedAgain => self.line("", "then its ports were used again", out),
            Left::TableFull => {
                self.line("", "then it was given up: too many connections at once", out)
            }
        }
    }

    fn messages(&self, flow: &Flow, out: &mut dyn Write) -> io::Result<()> {
        if flow.opcodes.rows().next().is_none() {
            return self.line("messages", "none", out);
        }
        self.line("messages", "", out)?;
        let mut table = Table::new(
            INDENT,
            [
                Column::left("opcode", 0),
                Column::left("from", 0),
                Column::right("messages", 0),
                Column::right("segments", 1),
                Column::right("bytes", 0),
            ],
        );
        for (opcode, counts) in flow.opcodes.rows() {
            for side in sides(flow) {
                let sent = &counts[side.index()];
                if sent.segments == 0 {
                    continue;
                }
                table.push(vec![
                    opcode.name().into(),
                    role(flow, side).into(),
                    sent.messages.into(),
                    sent.segments.into(),
                    sent.bytes.into(),
                ]);
            }
        }
        table.print(self.look, out)
    }

    fn operations(&self, flow: &Flow, out: &mut dyn Write) -> io::Result<()> {
        if flow.operations.is_empty() {
            return self.line("operations", "none", out);
        }
        self.line("operations", "", out)?;
        let mut table = Table::new(
            INDENT,
            [
                Column::left("operation", 0),
                Column::left("by", 0),
                Column::right("begun", 0),
                Column::right("completed", 2),
                Column::right("unanswered", 3),
                Column::right("refused", 3),
                Column::right("lost", 3),
                Column::right("bytes", 1),
                Column::right("p50", 0),
                Column::right("p90", 4),
                Column::right("p99", 0),
                Column::right("max", 0),
            ],
        );
        for counts in &flow.operations {
            table.push(operation(flow, counts));
        }
        table.print(self.look, out)
    }

    fn in_flight(&self, flow: &Flow, out: &mut dyn Write) -> io::Result<()> {
        let of = |side: Side| {
            let direction = flow.side(side);
            let limit = flow.negotiation.depth(side);
            let limit = limit
                .map_or(", limit not known".to_owned(), |limit| format!(" of the {limit} allowed"));
            let over = match direction.over_depth {
                0 => String::new(),
                over => format!(" ({} beyond it)", counted(over, "request")),
            };
            let most = counted(direction.most_outstanding.into(), "request");
            format!("{}: at most {most} at once{limit}{over}", role(flow, side))
        };
        let [one, other] = sides(flow).map(of);
        self.line("in flight", &one, out)?;
        self.line("", &other, out)
    }

    fn calls(&self, flow: &Flow, out: &mut dyn Write) -> io::Result<()> {
        let mut word = "RPC";
        for side in sides(flow) {
            let calls = &flow.side(side).calls;
            if !calls.any() {
                continue;
            }
            let mut text = format!(
                "{}: {}, {} ({} refused), {}, {} unanswered",
                role(flow, side),
                counted(calls.calls, "call"),
                if calls.replies == 1 {
                    "1 reply".to_owned()
                } else {
                    format!("{} replies", calls.replies)
                },
                calls.refused,
                counted(calls.errors, "RDMA_ERROR"),
                calls.unanswered(),
            );
            if calls.unmatched > 0 {
                text.push_str(&format!(", {} to calls that were not seen", calls.unmatched));
            }
            self.line(word, &text, out)?;
            word = "";
            let credits = format!(
                "credits: {} asked for, {} granted, at most {} in flight{}",
                range(calls.credits_asked),
                range(calls.credits_granted),
                counted(calls.most_in_flight.into(), "call"),
                match calls.over_grant {
                    0 => String::new(),
                    over => format!(" ({} beyond the grant)", counted(over, "call")),
                }
            );
            self.line("", &credits, out)?;
        }
        Ok(())
    }

    fn losses(&self, flow: &Flow, out: &mut dyn Write) -> io::Result<()> {
        let mut word = "losses";
        for side in sides(flow) {
            let text = losses(flow.side(side));
            self.line(word, &format!("{}: {text}", role(flow, side)), out)?;
            word = "";
        }
        Ok(())
    }
}

fn range(range: Option<Range>) -> String {
    match range {
        None => "-".to_owned(),
        Some(Range { least, most }) if least == most => most.to_string(),
        Some(Range { least, most }) => format!("{least} to {most}"),
    }
}

/// What was lost of a direction, or came again.
fn losses(direction: &DirectionCounts) -> String {
    let tcp = &direction.tcp;
    let mut words = vec![match tcp.repeated {
        0 if tcp.payload == 0 => "no bytes".to_owned(),
        0 => format!("none of {} bytes sent again", tcp.payload),
        repeated => format!(
            "{repeated} of {} bytes sent again ({}, {})",
            tcp.payload,
            share(repeated, tcp.payload),
            counted(tcp.repeated_segments, "segment"),
        ),
    }];
    if tcp.out_of_order > 0 {
        words.push(format!("{} out of order", counted(tcp.out_of_order, "segment")));
    }
    for (reason, skips) in &direction.skipped {
        let times =
            if skips.times == 1 { "once".to_owned() } else { format!("{} times", skips.times) };
        words.push(format!("{} bytes {} ({times})", skips.bytes, reason.describe()));
    }
    for (verdict, what) in [
        (CrcVerdict::Bad, "with a bad CRC"),
        (CrcVerdict::Unchecked, "with a CRC that could not be checked"),
    ] {
        let count = direction.with_crc(verdict);
        if count > 0 {
            words.push(format!("{} {what}", counted(count, "FPDU")));
        }
    }
    if direction.marker_mismatches > 0 {
        words.push(format!("{} with a wrong marker", counted(direction.marker_mismatches, "FPDU")));
    }
    words.join("; ")
}

fn operation(flow: &Flow, counts: &OperationCounts) -> Vec<Cell> {
    let some = |number: u64| if number == 0 { String::new() } else { number.to_string() };
    let latency = |pick: fn(&[u64; 3]) -> u64| {
        let ranks = counts.latency.and_then(|latency| latency.ranks);
        ranks.map(|ranks| duration(pick(&ranks))).unwrap_or_default()
    };
    let bad = Style::new().yellow();
    vec![
        counts.kind.name().into(),
        role(flow, counts.requester).into(),
        counts.begun.into(),
        counts.completed.into(),
        Cell::styled(some(counts.unanswered), bad),
        Cell::styled(some(counts.refused), bad),
        Cell::styled(some(counts.lost), bad),
        counts.bytes.into(),
        latency(|ranks| ranks[0]).into(),
        latency(|ranks| ranks[1]).into(),
        latency(|ranks| ranks[2]).into(),
        counts.latency.map(|latency| duration(latency.maximum)).unwrap_or_default().into(),
    ]
}
