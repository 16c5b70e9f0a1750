//! Reads the capture and draws.

use super::{page, text};
use crate::cli::FollowArguments;
use crate::decoding::{self, Decoding};
use crate::failure::{OutputError, ReadError, report};
use crate::terminal::{Progress, standard_output};
use anyhow::{Context as _, Result, bail};
use owo_colors::OwoColorize as _;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use warpscope_dissector::capture::CaptureError;
use warpscope_dissector::ladder::{Builder, Flow, FlowList, Ladder, Selection, role};
use warpscope_dissector::mpa::Side;
use warpscope_dissector::pipeline::{Pipeline, Sink};
use warpscope_text::push_escaped;

/// The most arrows in a picture or page, when the user does not say.
const DRAWN: usize = 2000;
/// Columns of text where no terminal says how wide it is.
const COLUMNS: usize = 120;

/// Lists the connections, or draws one.
pub(crate) fn run(arguments: &FollowArguments) -> Result<ExitCode> {
    let Some(connection) = arguments.flow else { return list(arguments) };
    let drawn = arguments.svg.is_some() || arguments.html.is_some();
    let to = arguments.to.unwrap_or(u64::MAX);
    if to < arguments.from {
        bail!("--to {to} is before --from {}: no frame is between them", arguments.from);
    }
    let most = arguments.limit.unwrap_or(if drawn { DRAWN } else { usize::MAX });
    let mut builder = Builder::new(Selection { connection, frames: arguments.from..=to, most });
    let damage = read(arguments, &mut builder)?;
    let Some(ladder) = builder.finish() else {
        bail!(
            "there is no connection {connection} in the capture; `warpscope follow {}` lists \
             what there is",
            arguments.file.display()
        );
    };
    let file = arguments.file.display().to_string();
    if let Some(path) = &arguments.svg {
        save(path, |out| page::draw(&ladder, &file, out))?;
    }
    if let Some(path) = &arguments.html {
        save(path, |out| page::write(&ladder, &file, out))?;
    }
    if !drawn {
        print(arguments, &ladder)?;
    }
    Ok(damage.map_or(ExitCode::SUCCESS, |error| report(&ReadError::from(error).into())))
}

fn list(arguments: &FollowArguments) -> Result<ExitCode> {
    let mut list = FlowList::default();
    let damage = read(arguments, &mut list)?;
    let (mut out, coloured) = standard_output();
    print_flows(&list, &arguments.file, coloured, &mut *out).map_err(OutputError)?;
    Ok(damage.map_or(ExitCode::SUCCESS, |error| report(&ReadError::from(error).into())))
}

fn read(arguments: &FollowArguments, sink: &mut dyn Sink) -> Result<Option<CaptureError>> {
    let decoding = Decoding::new(&arguments.decoding)?;
    let (mut reader, bytes) = decoding::open(&arguments.file).map_err(ReadError::from)?;
    let mut pipeline = Pipeline::new(decoding.pipeline);
    let progress = Progress::of_silence(bytes);
    let mut frames = 0;
    let damage = loop {
        match reader.next_frame() {
            Ok(Some(frame)) => pipeline.frame(&frame, sink),
            Ok(None) => break None,
            Err(error) => break Some(error),
        }
        frames += 1;
        progress.at(frames, || reader.bytes_read());
    };
    progress.clear();
    pipeline.finish(sink);
    Ok(damage)
}

fn print(arguments: &FollowArguments, ladder: &Ladder) -> Result<()> {
    let (mut out, coloured) = standard_output();
    let terminal = terminal_size::terminal_size_of(std::io::stdout());
    let terminal = terminal.map(|(width, _)| usize::from(width.0));
    let width = arguments.width.or(terminal).unwrap_or(COLUMNS);
    text::print(ladder, width, coloured, &mut *out).map_err(OutputError)?;
    out.flush().map_err(OutputError)?;
    Ok(())
}

/// Writes a ladder as a picture or a page, by the end of the file's name; `None` when it is neither's.
pub(crate) fn save_ladder(ladder: &Ladder, file: &str, path: &Path) -> Option<Result<()>> {
    match path.extension()?.to_str()? {
        "svg" => Some(save(path, |out| page::draw(ladder, file, out))),
        "html" => Some(save(path, |out| page::write(ladder, file, out))),
        _ => None,
    }
}

fn save(path: &Path, write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> Result<()> {
    let file = std::fs::File::create(path).with_context(|| {
        format!("cannot write {}: check the folder and its permissions", path.display())
    })?;
    let mut out = std::io::BufWriter::new(file);
    write(&mut out).and_then(|()| out.flush()).map_err(OutputError)?;
    Ok(())
}

// The list of connections, to choose one from.

pub(super) fn print_flows(
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
    push_escaped(&file.display().to_string(), &mut name);
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

// Times for people.

/// Seconds since the first packet of the connection, with six decimal digits.
pub(super) fn since(time: Option<i64>, first: Option<i64>) -> Option<String> {
    let span = time?.checked_sub(first?)?;
    let sign = if span < 0 { "-" } else { "" };
    let micros = span.unsigned_abs() / 1000;
    let mut out = String::new();
    let _ = write!(out, "{sign}{}.{:06}", micros / 1_000_000, micros % 1_000_000);
    Some(out)
}

pub(super) fn frames((first, last): (u64, u64)) -> String {
    if first == last { last.to_string() } else { format!("{first}\u{2013}{last}") }
}

#[cfg(test)]
mod tests {

    #[test]
    fn seconds_with_six_digits() {
        assert_eq!(super::since(Some(1_500_000_999), Some(0)).as_deref(), Some("1.500000"));
        assert_eq!(super::since(Some(0), Some(2_000)).as_deref(), Some("-0.000002"));
        assert_eq!(super::since(None, Some(2_000)), None);
    }
}
