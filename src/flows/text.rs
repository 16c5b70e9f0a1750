//! A line for each connection.

use super::format;
use super::run::Print;
use crate::decoding::Scanned;
use crate::quantity::share;
use crate::table::{Cell, Column, Look, Table};
use owo_colors::Style;
use std::io::{self, Write};
use warpscope_dissector::format::{counted, end, push_shown, setup, sides, span};
use warpscope_dissector::statistics::{End, Flow, Flows};

/// The columns; in a narrow terminal those of the highest rank go first.
const COLUMNS: [Column; 15] = [
    Column::right("flow", 0),
    Column::left("initiator", 0),
    Column::left("responder", 0),
    Column::right("start", 5),
    Column::right("duration", 4),
    Column::left("MPA", 10),
    Column::right("messages", 3),
    Column::right("bytes", 1),
    Column::right("in flight", 11),
    Column::right("RPC calls", 9),
    Column::right("again", 7),
    Column::right("skipped", 6),
    Column::right("bad CRC", 8),
    Column::left("end", 0),
    Column::right("findings", 2),
];

/// A line for each connection.
#[derive(Debug)]
pub(super) struct Overview {
    pub(super) look: Look,
    pub(super) only: Option<u32>,
    pub(super) headings: bool,
}

impl Print for Overview {
    fn file(&mut self, scanned: &Scanned, flows: &Flows, out: &mut dyn Write) -> io::Result<()> {
        heading(self.look, scanned, self.headings, out)?;
        let mut table = Table::new(0, COLUMNS);
        for flow in flows.flows() {
            table.push(row(flow, flows.first_time()));
        }
        if flows.flows().next().is_some() {
            table.print(self.look, out)?;
        }
        footing(self.only, scanned, flows, out)
    }
}

/// The file's name, when there are several.
pub(super) fn heading(
    look: Look,
    scanned: &Scanned,
    wanted: bool,
    out: &mut dyn Write,
) -> io::Result<()> {
    if !wanted {
        return Ok(());
    }
    let mut name = String::new();
    push_shown(&scanned.name, &mut name);
    let cut = if scanned.error.is_some() { " (not read to its end)" } else { "" };
    let frames = counted(scanned.frames, "frame");
    writeln!(out, "{}: {frames}{cut}", look.heading(&name))
}

/// What is not in the list.
pub(super) fn footing(
    only: Option<u32>,
    scanned: &Scanned,
    flows: &Flows,
    out: &mut dyn Write,
) -> io::Result<()> {
    if scanned.frames == 0 && scanned.error.is_some() {
        return Ok(());
    }
    let shown = flows.flows().count() as u64;
    match (only, shown) {
        (Some(number), 0) => {
            return writeln!(
                out,
                "There is no iWARP in a flow {number}; `warpscope flows FILE` lists the flows."
            );
        }
        (Some(_), _) => return Ok(()),
        (None, 0) => writeln!(
            out,
            "No iWARP was found in {}; -d tcp.port==PORT,iwarp takes a port for iWARP.",
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
        omitted => writeln!(out, "{omitted} more flows were too many to keep."),
    }
}

fn row(flow: &Flow, first_time: Option<i64>) -> Vec<Cell> {
    let known = flow.initiator().is_some();
    let [one, other] = sides(flow).map(|side| {
        let address = format::address(flow, side);
        if known { address } else { format!("{address}?") }
    });
    let start = flow.first.time.zip(first_time).map(|(start, first)| start.saturating_sub(first));
    let start = start.map(|start| format!("{:.6}", start as f64 / 1e9)).unwrap_or_default();
    let (payload, repeated) = flow.payload_and_repeated();
    let again = if repeated == 0 { String::new() } else { share(repeated, payload) };
    let skipped = some(flow.sides.iter().map(|side| side.skipped_bytes()).sum());
    let bad = some(flow.sides.iter().map(|side| side.crc[1]).sum());
    let total = flow.opcodes.total();
    vec![
        flow.info.number.into(),
        one.into(),
        other.into(),
        start.into(),
        span(flow.duration()).into(),
        setup(flow).into(),
        total.messages.into(),
        flow.opcodes.data().into(),
        in_flight(flow).into(),
        some(flow.sides.iter().map(|side| side.calls.calls).sum()).into(),
        Cell::styled(again, Style::new().yellow()),
        Cell::styled(skipped, Style::new().yellow()),
        Cell::styled(bad, Style::new().red()),
        Cell::styled(end(flow), style(flow)),
        findings(flow),
    ]
}

/// A number that is shown when it is not 0.
fn some(number: u64) -> String {
    if number == 0 { String::new() } else { number.to_string() }
}

/// The most requests in flight of the side that had the most, and its limit: `4/16`.
fn in_flight(flow: &Flow) -> String {
    let most = sides(flow).into_iter().max_by_key(|side| {
        // The first of two that are equal.
        (flow.side(*side).most_outstanding, u8::from(*side == flow.first_side()))
    });
    let Some((side, most)) =
        most.map(|side| (side, flow.side(side).most_outstanding)).filter(|(_, most)| *most > 0)
    else {
        return String::new();
    };
    match flow.negotiation.depth(side) {
        Some(limit) => format!("{most}/{limit}"),
        None => most.to_string(),
    }
}

fn findings(flow: &Flow) -> Cell {
    let counts = flow.findings;
    match counts.must + counts.should {
        0 => Cell::from(""),
        all if counts.must > 0 => Cell::styled(all.to_string(), Style::new().red().bold()),
        all => Cell::styled(all.to_string(), Style::new().yellow()),
    }
}

/// The colour of an end.
fn style(flow: &Flow) -> Style {
    match flow.end() {
        End::Rejected | End::Terminated(_) => Style::new().red(),
        End::Reset(_) | End::HalfClosed(_) => Style::new().yellow(),
        End::Finished(_) | End::Open => Style::new(),
    }
}
