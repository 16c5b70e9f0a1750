//! `warpscope flows`: the connections of captures, as a table, one block each, JSON or CSV.

use crate::cli::{FlowsArguments, TableFormat};
use crate::decoding::{Decoding, Scanned, Status, json_files, scan};
use crate::parallel::{Jobs, Part, files};
use crate::table::{Look, Table};
use crate::terminal::print;
use anyhow::{Result, anyhow, bail};
use owo_colors::Style;
use serde::{Serialize, Serializer};
use std::convert::Infallible;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use warpscope_dissector::format::{end, loss_took, losses, role, sides, silences, span};
use warpscope_dissector::mpa::{SetupFacts, Side};
use warpscope_dissector::statistics::{Flow, Flows, FollowEnd, Mark, Range};
use warpscope_dissector::table::{
    Column, CsvLines, FLOWS, FlowObject, InFile, LATENCIES, LatencyRow, OPCODES, OpcodeRow,
    Rows as _, heads, ready_to_receive, span_text, values,
};
use warpscope_text::{counted, some, suggest, wrap};
use warpscope_wire::mpa::NOT_NEGOTIATED;

pub(crate) fn run(arguments: &FlowsArguments) -> Result<ExitCode> {
    let decoding = Decoding::new(&arguments.input.decoding)?;
    let only = match (arguments.details.flatten(), arguments.flow) {
        (Some(one), Some(other)) if one != other => {
            bail!("--details={one} and --flow {other} name different flows: use only one of them")
        }
        (one, other) => one.or(other),
    };
    let headings = arguments.input.captures.len() > 1;
    let sort = arguments.sort.as_deref().map(column).transpose()?;
    let mut status = Status::default();
    let read = |path: &PathBuf, jobs| {
        let (scanned, mut flows) = scan(path, &decoding.pipeline, jobs, || Flows::new(only));
        flows.finish();
        if let Some(column) = sort {
            let value = |flow: &Flow| column.value(flow, &InFile::default());
            flows.sort_by(|one, other| value(one).compare(&value(other), arguments.reverse));
        }
        (scanned, flows)
    };
    let print = |files: &mut dyn Iterator<Item = (Scanned, Flows)>| {
        let mut files = files.inspect(|(scanned, _)| status.take(scanned));
        print(|out, look| match arguments.format {
            TableFormat::Text => files.try_for_each(|(scanned, flows)| {
                if headings {
                    scanned.heading(look, out)?;
                }
                if arguments.details.is_some() {
                    Details { look, only }.file(&scanned, &flows, out)
                } else {
                    overview(look, only, &scanned, &flows, out)
                }
            }),
            TableFormat::Json => json_files(files.map(FlowsFile::from), out),
            TableFormat::Csv => csv(files, out),
        })
    };
    files(&arguments.input.captures, Jobs::new(arguments.jobs.jobs), read, print)?;
    Ok(status.code())
}

/// Returns the column that `--sort` names, by its name in data or in the printed table.
fn column(name: &str) -> Result<&'static Column<Flow>> {
    let columns = || FLOWS.iter().filter_map(|it| Some((it.shape?.name, it))).skip(1);
    let headed = |it: &Column<Flow>| it.heading.is_some_and(|heading| heading.text == name);
    let named = columns().find(|it| it.0 == name).or_else(|| columns().find(|it| headed(it.1)));
    named.map(|it| it.1).ok_or_else(|| {
        let parts: Vec<&str> = columns().map(|it| it.0).filter(|it| it.contains(name)).collect();
        let advice = match suggest(name, columns().map(|it| it.0)) {
            _ if !parts.is_empty() => format!("similar names are {}", parts.join(", ")),
            Some(nearest) => format!("did you mean {nearest}?"),
            None => "the first line of `warpscope flows --format csv` lists all".to_owned(),
        };
        anyhow!("--sort {name}: no such column; {advice}")
    })
}

impl Part for Flows {
    type Found = Infallible;

    fn take(&mut self, _found: &mut Vec<Infallible>) {}

    fn join(&mut self, other: Self) -> bool {
        Self::join(self, other)
    }
}

/// Writes one row for each connection, all files in one table.
fn csv(mut files: impl Iterator<Item = (Scanned, Flows)>, out: &mut dyn Write) -> io::Result<()> {
    let mut lines = CsvLines::new(&heads(FLOWS), out)?;
    files.try_for_each(|(scanned, flows)| {
        let file = InFile { name: &scanned.name, first_time: flows.first_time() };
        flows.flows().try_for_each(|flow| lines.row(&values(FLOWS, flow, &file)))
    })?;
    Box::new(lines).finish()
}

/// A file with its flows, as docs/statistics.md describes it.
#[derive(Serialize)]
struct FlowsFile {
    file: String,
    frames: u64,
    error: Option<String>,
    first_time: Option<i64>,
    other_connections: u64,
    omitted_flows: u64,
    #[serde(serialize_with = "flow_objects")]
    flows: Flows,
}

impl From<(Scanned, Flows)> for FlowsFile {
    fn from((scanned, flows): (Scanned, Flows)) -> Self {
        Self {
            file: scanned.name,
            frames: scanned.frames,
            error: scanned.error,
            first_time: flows.first_time(),
            other_connections: flows.others(),
            omitted_flows: flows.omitted(),
            flows,
        }
    }
}

fn flow_objects<S: Serializer>(flows: &Flows, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(flows.flows().map(|flow| FlowObject(flow)))
}

/// Prints one line for each connection.
pub(crate) fn overview(
    look: Look,
    only: Option<u32>,
    scanned: &Scanned,
    flows: &Flows,
    out: &mut dyn Write,
) -> io::Result<()> {
    let file = InFile { name: &scanned.name, first_time: flows.first_time() };
    let mut table = Table::of(0, FLOWS, &file, &[]);
    flows.flows().for_each(|flow| table.row(FLOWS, &file, flow));
    if flows.flows().next().is_some() {
        table.print(look, out)?;
    }
    for flow in flows.flows() {
        for seen in &flow.terminates {
            let Some(why) = &seen.explanation else { continue };
            let text = format!("Flow {}, frame {}: {why}.", flow.info.number, seen.mark.frame);
            for line in wrap(&text, look.width.unwrap_or(usize::MAX)) {
                writeln!(out, "{line}")?;
            }
        }
    }
    footing(only, scanned, flows, out)
}

/// Reports what is not in the list.
fn footing(
    only: Option<u32>,
    scanned: &Scanned,
    flows: &Flows,
    out: &mut dyn Write,
) -> io::Result<()> {
    if scanned.frames == 0 {
        return Ok(());
    }
    let shown = flows.flows().count() as u64;
    match (only, shown) {
        (Some(number), 0) => {
            return writeln!(
                out,
                "No iWARP was found in flow {number}; `warpscope flows FILE` lists the flows."
            );
        }
        (Some(_), _) => return Ok(()),
        (None, 0) => writeln!(
            out,
            "No iWARP was found in {}; use -d tcp.port==PORT,iwarp to decode a port as iWARP.",
            counted(flows.others(), "TCP connection")
        )?,
        (None, _) => match flows.others() {
            0 => {}
            others => {
                writeln!(out, "{} without iWARP not listed.", counted(others, "TCP connection"))?;
            }
        },
    }
    match flows.omitted() {
        0 => Ok(()),
        omitted => writeln!(out, "{omitted} more flows were left out: too many to keep."),
    }
}

/// Bytes of the enhanced data, which PD_Length counts (RFC 6581 section 9).
const ENHANCED: u16 = 4;

/// Spaces before a table.
const INDENT: usize = 4;
/// Characters before a text, including its word.
const TEXT: usize = 14;

/// Prints one block for each connection.
#[derive(Debug)]
struct Details {
    look: Look,
    only: Option<u32>,
}

impl Details {
    fn file(&self, scanned: &Scanned, flows: &Flows, out: &mut dyn Write) -> io::Result<()> {
        for flow in flows.flows() {
            self.flow(flow, flows.first_time(), out)?;
            writeln!(out)?;
        }
        footing(self.only, scanned, flows, out)
    }

    fn flow(&self, flow: &Flow, first_time: Option<i64>, out: &mut dyn Write) -> io::Result<()> {
        let [one, other] = sides(flow)
            .map(|side| format!("{} ({})", flow.info.ends[side.index()], role(flow, side)));
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

    /// Prints a text after a word; further lines of the text have an empty word.
    fn line(&self, word: &str, text: &str, out: &mut dyn Write) -> io::Result<()> {
        let word = self.look.styled(&format!("{word:10}"), Style::new().cyan());
        let room = self.look.width.map_or(usize::MAX, |width| width.saturating_sub(TEXT));
        let lines = wrap(text, room);
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
                Some(seen) => setup_frame(seen),
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
        self.line("", &format!("result: {crc}, {}", markers.join(", ")), out)
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
            let why = terminate.explanation.as_deref().unwrap_or("cannot be read");
            events.push((terminate.mark.frame, format!("Terminate of {of}: {why}")));
        }
        events.sort();
        for (frame, what) in events {
            self.line("", &format!("frame {frame}: {what}"), out)?;
        }
        match flow.left {
            FollowEnd::CaptureEnded => Ok(()),
            FollowEnd::EndsUsedAgain => self.line("", "then its ports were reused", out),
            FollowEnd::TableFull => {
                self.line("", "then it was no longer followed: too many connections at once", out)
            }
        }
    }

    fn messages(&self, flow: &Flow, out: &mut dyn Write) -> io::Result<()> {
        if flow.opcodes.rows().next().is_none() {
            return self.line("messages", "none", out);
        }
        self.line("messages", "", out)?;
        let both = sides(flow).map(|side| (side, role(flow, side)));
        let table =
            Table::of(INDENT, OPCODES, &InFile::default(), &OpcodeRow::of(&flow.opcodes, both));
        table.print(self.look, out)
    }

    fn operations(&self, flow: &Flow, out: &mut dyn Write) -> io::Result<()> {
        if flow.operations.is_empty() {
            return self.line("operations", "none", out);
        }
        self.line("operations", "", out)?;
        let rows = flow
            .operations
            .iter()
            .map(|counts| LatencyRow::of(counts, role(flow, counts.requester)));
        let rows: Vec<LatencyRow> = rows.collect();
        let table = Table::of(INDENT, LATENCIES, &InFile::default(), &rows).without("mean");
        table.print(self.look, out)
    }

    fn in_flight(&self, flow: &Flow, out: &mut dyn Write) -> io::Result<()> {
        let of = |side: Side| {
            let direction = flow.side(side);
            let limit = flow.negotiation.depth(side);
            let limit = limit
                .map_or(", limit not known".to_owned(), |limit| format!(" of the {limit} allowed"));
            let over = some(direction.over_depth, |over| {
                format!(" ({} beyond it)", counted(over, "request"))
            });
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
                some(calls.over_grant, |over| format!(
                    " ({} beyond the grant)",
                    counted(over, "call")
                ))
            );
            self.line("", &credits, out)?;
        }
        Ok(())
    }

    fn losses(&self, flow: &Flow, out: &mut dyn Write) -> io::Result<()> {
        let mut word = "losses";
        if let Some(text) = loss_took(flow) {
            self.line(word, &text, out)?;
            word = "";
        }
        for side in sides(flow) {
            let text = losses(flow.side(side));
            self.line(word, &format!("{}: {text}", role(flow, side)), out)?;
            word = "";
        }
        let mut word = "silence";
        for text in silences(flow) {
            self.line(word, &text, out)?;
            word = "";
        }
        Ok(())
    }
}

fn range(range: Option<Range>) -> String {
    range.map_or_else(|| "-".to_owned(), span_text)
}

/// Formats an IRD or ORD.
fn depth(depth: u16) -> String {
    if depth == NOT_NEGOTIATED { "not negotiated".to_owned() } else { depth.to_string() }
}

fn setup_frame(seen: &SetupFacts) -> String {
    let mut words = vec![format!("revision {}", seen.revision)];
    if seen.rejected {
        words.push("rejects the connection".to_owned());
    }
    words.push(if seen.crc { "wants CRC" } else { "no CRC" }.to_owned());
    words.push(if seen.markers { "wants markers" } else { "no markers" }.to_owned());
    if let Some(enhanced) = &seen.enhanced {
        words.push(format!("IRD {}, ORD {}", depth(enhanced.ird), depth(enhanced.ord)));
        if enhanced.peer_to_peer {
            let kinds = ready_to_receive(enhanced);
            let kinds = if kinds.is_empty() { "none".to_owned() } else { kinds.join(" or ") };
            words.push(format!("peer-to-peer, Ready To Receive by {kinds}"));
        }
    }
    let enhanced = if seen.enhanced.is_some() { ENHANCED } else { 0 };
    let private = seen.private_data_length.saturating_sub(enhanced);
    match (private, &seen.rdma_private) {
        (0, _) => {}
        (length, None) => words.push(format!("{} of private data", counted(length.into(), "byte"))),
        (length, Some(sizes)) => words.push(format!(
            "{length} bytes of private data (RPC-over-RDMA: inline sends of {}, receives of {} bytes{})",
            sizes.send_size,
            sizes.receive_size,
            if sizes.remote_invalidation { ", remote invalidation" } else { "" }
        )),
    }
    words.join(", ")
}
