//! The list of connections, to choose one from.

use super::time::since;
use owo_colors::OwoColorize as _;
use std::io::{self, Write};
use std::path::Path;
use warpscope_dissector::format::push_shown;
use warpscope_dissector::ladder::{Flow, FlowList, role};
use warpscope_dissector::mpa::Side;

/// Prints the connections, and how to choose one.
pub(super) fn print(
    list: &FlowList,
    file: &Path,
    coloured: bool,
    out: &mut dyn Write,
) -> io::Result<()> {
    let head = ["flow", "initiator or first", "responder or second", "frames", "seconds"];
    let mut rows: Vec<[String; 6]> = Vec::new();
    for flow in list.flows() {
        rows.push(row(flow));
    }
    if rows.is_empty() {
        return writeln!(out, "no TCP connection is in the capture");
    }
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column)).map(String::len);
        cells.max().unwrap_or(0).max(head.get(column).map_or(0, |head| head.len()))
    };
    let widths = [width(0), width(1), width(2), width(3), width(4)];
    let [a, b, c, d, e] = widths;
    let [flow, one, other, frames, seconds] = head;
    let heading =
        format!("{flow:>a$}  {one:b$}  {other:c$}  {frames:>d$}  {seconds:>e$}  what was found");
    if coloured {
        writeln!(out, "{}", heading.bold())?;
    } else {
        writeln!(out, "{heading}")?;
    }
    for [flow, one, other, frames, seconds, found] in &rows {
        writeln!(out, "{flow:>a$}  {one:b$}  {other:c$}  {frames:>d$}  {seconds:>e$}  {found}")?;
    }
    if list.unlisted() > 0 {
        writeln!(out, "{} frames are of connections beyond these", list.unlisted())?;
    }
    let mut name = String::new();
    push_shown(&file.display().to_string(), &mut name);
    writeln!(out, "\nChoose one by its number: warpscope follow {name} FLOW")
}

fn row(flow: &Flow) -> [String; 6] {
    let first = flow.negotiation.initiator().unwrap_or(Side(0));
    let end = |side: Side| flow.connection.ends[side.index()].to_string();
    let mut found = Vec::new();
    if flow.iwarp {
        let initiated = role(&flow.negotiation, first) == "initiator";
        let sum: u64 = flow.messages.iter().sum();
        found.push(format!("iWARP, {sum} messages"));
        if !initiated {
            found.push("no setup frames".to_owned());
        }
    } else {
        found.push("no iWARP".to_owned());
    }
    if flow.negotiation.rejected() {
        found.push("rejected".to_owned());
    }
    let counts = [
        (flow.rpcs, "RPC messages"),
        (flow.terminates, if flow.terminates == 1 { "Terminate" } else { "Terminates" }),
        (flow.skipped, "bytes skipped"),
    ];
    for (count, what) in counts {
        if count > 0 {
            found.push(format!("{count} {what}"));
        }
    }
    [
        flow.connection.number.to_string(),
        end(first),
        end(first.peer()),
        flow.packets.to_string(),
        since(flow.times.1, flow.times.0).unwrap_or_default(),
        found.join(", "),
    ]
}
