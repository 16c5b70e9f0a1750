//! Reads the capture and draws the ladder.

use super::{page, text};
use crate::cli::FollowArguments;
use crate::decoding::{self, Decoding, feed, report_empty};
use crate::failure::{ReadError, complain, report};
use crate::output::write_file;
use crate::table::{Cell, Column, Look, Table};
use crate::terminal::print;
use anyhow::{Result, bail};
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use warpscope_dissector::capture::CaptureError;
use warpscope_dissector::format::seconds;
use warpscope_dissector::ladder::{Builder, Flow, FlowList, Ladder, Selection, role};
use warpscope_dissector::mpa::Side;
use warpscope_dissector::pipeline::Sink;
use warpscope_text::{counted, escaped, wrap};

/// The most arrows in a picture or page if the user gives no limit.
const DRAWN: usize = 2000;
/// The most arrows in a text: each takes about 2 KiB until it is printed.
const PRINTED: usize = 50_000;
/// The width of text in columns if there is no terminal.
const COLUMNS: usize = 120;

/// Lists the connections, or draws one of them.
pub(crate) fn run(arguments: &FollowArguments) -> Result<ExitCode> {
    let Some(connection) = arguments.flow else { return list(arguments) };
    let drawn = arguments.svg.is_some() || arguments.html.is_some();
    let to = arguments.to.unwrap_or(u64::MAX);
    if to < arguments.from {
        bail!("--to {to} is before --from {}: no frame is between them", arguments.from);
    }
    let most = arguments.limit.unwrap_or(if drawn { DRAWN } else { PRINTED });
    let mut builder = Builder::new(Selection { connection, frames: arguments.from..=to, most });
    let damage = read(arguments, &mut builder)?;
    let Some(ladder) = builder.finish() else {
        let status = damage.map(|error| report(&ReadError::from(error).into()));
        let part = if status.is_some() { "the part that could be read" } else { "the capture" };
        let missing = format!(
            "there is no connection {connection} in {part}; `warpscope follow {}` lists the \
             connections",
            arguments.file.display()
        );
        let Some(status) = status else { bail!(missing) };
        complain(&missing);
        return Ok(status);
    };
    let (file, replace) = (arguments.file.display().to_string(), arguments.existing.force);
    if let Some(path) = &arguments.svg {
        write_file(path, &[&arguments.file], replace, |out| page::draw(&ladder, &file, out))?;
    }
    if let Some(path) = &arguments.html {
        write_file(path, &[&arguments.file], replace, |out| page::write(&ladder, &file, out))?;
    }
    if !drawn {
        print(|out, look| {
            let width = arguments.width.or(look.width).unwrap_or(COLUMNS);
            text::print(&ladder, width, look.coloured, out)
        })?;
    }
    Ok(damage.map_or(ExitCode::SUCCESS, |error| report(&ReadError::from(error).into())))
}

fn list(arguments: &FollowArguments) -> Result<ExitCode> {
    let mut list = FlowList::default();
    let damage = read(arguments, &mut list)?;
    print(|out, look| print_flows(&list, &arguments.file, look, out))?;
    Ok(damage.map_or(ExitCode::SUCCESS, |error| report(&ReadError::from(error).into())))
}

fn read<S: Sink>(arguments: &FollowArguments, sink: &mut S) -> Result<Option<CaptureError>> {
    let options = Decoding::new(&arguments.decoding)?.pipeline;
    let opened = decoding::open(&arguments.file).map_err(ReadError::from)?;
    let (frames, damage) = feed(opened, &options, sink, |_| anyhow::Ok(()))?;
    if frames == 0 && damage.is_none() {
        report_empty(&arguments.file);
    }
    Ok(damage)
}

/// Writes a ladder as a picture or a page, by the file's extension; `None` for any other extension.
pub(crate) fn save_ladder(ladder: &Ladder, file: &str, path: &Path) -> Option<Result<()>> {
    match path.extension()?.to_str()? {
        "svg" => Some(write_file(path, &[file], false, |out| page::draw(ladder, file, out))),
        "html" => Some(write_file(path, &[file], false, |out| page::write(ladder, file, out))),
        _ => None,
    }
}

// The list of connections, to choose one from.

fn print_flows(list: &FlowList, file: &Path, look: Look, out: &mut dyn Write) -> io::Result<()> {
    let columns = [
        Column::right("flow", 0),
        Column::left("initiator or first", 0),
        Column::left("responder or second", 0),
        Column::right("frames", 0),
        Column::right("seconds", 0),
        Column::left("what was found", 0),
    ];
    let mut table = Table::new(0, columns);
    list.flows().for_each(|flow| table.push(row(flow).map(Cell::from).into()));
    if list.flows().next().is_none() {
        return writeln!(out, "the capture has no TCP connection");
    }
    table.print(look, out)?;
    for (flow, why) in list.flows().filter_map(|flow| Some((flow, flow.why.as_ref()?))) {
        let text = format!("Flow {}: {why}.", flow.connection.number);
        for line in wrap(&escaped(&text), look.width.unwrap_or(usize::MAX)) {
            writeln!(out, "{line}")?;
        }
    }
    if list.unlisted() > 0 {
        writeln!(out, "{} of connections beyond these", counted(list.unlisted(), "frame"))?;
    }
    let name = escaped(&file.display().to_string());
    writeln!(out, "\nChoose one by its number: warpscope follow {name} FLOW")
}

fn row(flow: &Flow) -> [String; 6] {
    let first = flow.negotiation.initiator().unwrap_or(Side(0));
    let end = |side: Side| flow.connection.ends[side.index()].to_string();
    let mut found = Vec::new();
    if flow.iwarp {
        let initiated = role(&flow.negotiation, first) == "initiator";
        let sum: u64 = flow.messages.iter().sum();
        found.push(format!("iWARP, {}", counted(sum, "message")));
        if !initiated {
            found.push("no setup frames".to_owned());
        }
    } else {
        found.push("no iWARP".to_owned());
    }
    if flow.negotiation.rejected() {
        found.push("rejected".to_owned());
    }
    if let Some(ulp) = flow.ulp {
        found.push(format!("{} of {}", counted(flow.ios, "I/O"), ulp.title()));
    }
    let counts = [
        (flow.rpcs, "RPC message", ""),
        (flow.terminates, "Terminate", ""),
        (flow.skipped, "byte", " skipped"),
    ];
    let counts = counts.iter().filter(|(count, ..)| *count > 0);
    found.extend(counts.map(|(count, noun, then)| counted(*count, noun) + then));
    [
        flow.connection.number.to_string(),
        end(first),
        end(first.peer()),
        flow.packets.to_string(),
        seconds(flow.times.1, flow.times.0),
        found.join(", "),
    ]
}

pub(super) fn frames((first, last): (u64, u64)) -> String {
    if first == last { last.to_string() } else { format!("{first}\u{2013}{last}") }
}
