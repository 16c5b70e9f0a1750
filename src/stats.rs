//! `warpscope stats`: distributions over captures, one table for each section.

use crate::cli::{Section, StatsArguments, TableFormat};
use crate::decoding::{Decoding, Scanned, Status, json_files, scan};
use crate::parallel::{Jobs, Part, files};
use crate::table::{Cell, Look, Table};
use crate::terminal::print;
use anyhow::{Result, bail};
use clap::ValueEnum as _;
use owo_colors::Style;
use serde::Serialize;
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use warpscope_dissector::format::share;
use warpscope_dissector::statistics::{Calls, Counts, Depths, Range, Statistics};
use warpscope_dissector::table::{
    self, CREDITS, CsvLines, DEPTHS, DepthRow, FILE, INTERVALS, IO_COUNTS, InFile, IntervalRow,
    IoRow, LATENCIES, LatencyRow, OPCODES, OpcodeRow, PROCEDURES, ProcedureRow, ROLE_COUNTS, ROLES,
    RoleRow, Rows as _, SIZES, SLOWEST, SizeRow, SlowRow, span_text, start_text,
};
use warpscope_text::{counted, some};

/// The most intervals if the user chose no interval.
const MOST_INTERVALS: u64 = 40;
/// The most consecutive empty intervals that get a row each; more share one row.
const MANY_EMPTY: i64 = 4;
/// Spaces before a table.
const INDENT: usize = 2;

pub(crate) fn run(arguments: &StatsArguments) -> Result<ExitCode> {
    let decoding = Decoding::new(&arguments.input.decoding)?;
    let interval = arguments.interval.as_deref().map(parse).transpose()?;
    let wanted = |section: &Section| arguments.only.is_empty() || arguments.only.contains(section);
    let all = Section::value_variants().iter().copied();
    let sections: Vec<Section> = all.filter(wanted).collect();
    let headings = arguments.input.captures.len() > 1;
    let mut status = Status::default();
    let read = |path: &PathBuf, jobs| {
        scan(path, &decoding.pipeline, jobs, || Statistics::new(arguments.flow, interval))
    };
    let print = |files: &mut dyn Iterator<Item = (Scanned, Statistics)>| {
        let mut files = files.inspect(|(scanned, _)| status.take(scanned));
        print(|out, look| match arguments.format {
            TableFormat::Text => files.try_for_each(|(scanned, statistics)| {
                if headings {
                    scanned.heading(look, out)?;
                }
                let text = Text { look, counts: statistics.counts(), interval };
                text.file(&sections, &scanned, out)?;
                if headings && text.counts.connections > 0 { writeln!(out) } else { Ok(()) }
            }),
            TableFormat::Json => {
                let file = |(scanned, statistics): (Scanned, Statistics)| {
                    StatsFile::new(&sections, scanned, statistics.counts())
                };
                json_files(files.map(file), out)
            }
            TableFormat::Csv => csv(&sections, files, out),
        })
    };
    files(&arguments.input.captures, Jobs::new(arguments.jobs.jobs), read, print)?;
    Ok(status.code())
}

impl Part for Statistics {
    type Found = Infallible;

    fn take(&mut self, _found: &mut Vec<Infallible>) {}

    fn join(&mut self, other: Self) -> bool {
        Self::join(self, other)
    }
}

fn rows(section: Section, counts: &Counts) -> table::Table {
    use table::Table;
    match section {
        Section::Opcodes => Table::of(OPCODES, &OpcodeRow::of_counts(counts)),
        Section::Sizes => Table::of(SIZES, &SizeRow::of_counts(counts)),
        Section::Latency => Table::of(LATENCIES, &LatencyRow::of_counts(counts)),
        Section::Slowest => Table::of(SLOWEST, &SlowRow::of_counts(counts)),
        Section::Procedures => Table::of(PROCEDURES, &ProcedureRow::of_counts(counts)),
        Section::Io => Table::of(IO_COUNTS, &IoRow::of_counts(counts)),
        Section::Throughput => {
            Table::of(INTERVALS, &IntervalRow::of_counts(counts, MOST_INTERVALS))
        }
        Section::Depth => Table::of(DEPTHS, &DepthRow::of_counts(counts)),
        Section::Credits => Table::of(CREDITS, &IntervalRow::with_calls(counts, MOST_INTERVALS)),
    }
}

/// Writes one table for each section, with all files in it, and an empty line between two tables.
fn csv(
    sections: &[Section],
    files: impl Iterator<Item = (Scanned, Statistics)>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut tables = Vec::new();
    for section in sections {
        let columns = rows(*section, Statistics::new(None, None).counts()).columns;
        let columns: Vec<_> = std::iter::once(FILE).chain(columns).collect();
        tables.push((*section, CsvLines::new(&columns, Vec::new())?));
    }
    for (scanned, statistics) in files {
        for (section, lines) in &mut tables {
            for row in rows(*section, statistics.counts()).rows {
                let file = table::Value::from(scanned.name.clone());
                lines.row(&std::iter::once(file).chain(row).collect::<Vec<_>>())?;
            }
        }
    }
    for (index, (_, lines)) in tables.into_iter().enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        out.write_all(&lines.into_inner()?)?;
    }
    Ok(())
}

/// A file with its sections, as docs/statistics.md describes it.
#[derive(Serialize)]
struct StatsFile {
    file: String,
    frames: u64,
    error: Option<String>,
    connections: u64,
    incomplete_messages: u64,
    roles: table::Table,
    #[serde(flatten)]
    sections: BTreeMap<String, table::Table>,
}

impl StatsFile {
    fn new(sections: &[Section], scanned: Scanned, counts: &Counts) -> Self {
        let table = |section: &Section| {
            let name = section.to_possible_value()?.get_name().to_owned();
            Some((name, rows(*section, counts)))
        };
        Self {
            file: scanned.name,
            frames: scanned.frames,
            error: scanned.error,
            connections: counts.connections,
            incomplete_messages: counts.sizes.incomplete,
            roles: table::Table::of(ROLE_COUNTS, &RoleRow::of_counts(counts)),
            sections: sections.iter().filter_map(table).collect(),
        }
    }
}

/// Prints the sections of a file as tables, with bars.
pub(crate) struct Text<'a> {
    pub(crate) look: Look,
    pub(crate) counts: &'a Counts,
    /// The interval that the user chose, in nanoseconds.
    pub(crate) interval: Option<u64>,
}

impl Text<'_> {
    pub(crate) fn file(
        &self,
        sections: &[Section],
        scanned: &Scanned,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        if scanned.frames == 0 {
            return Ok(());
        }
        if self.counts.connections == 0 {
            return writeln!(
                out,
                "No iWARP was found; use -d tcp.port==PORT,iwarp to decode a port as iWARP."
            );
        }
        for (index, section) in sections.iter().enumerate() {
            if index > 0 {
                writeln!(out)?;
            }
            match section {
                Section::Opcodes => self.opcodes(out)?,
                Section::Sizes => self.sizes(out)?,
                Section::Latency => self.latency(out)?,
                Section::Slowest => {
                    let rows = SlowRow::of_counts(self.counts);
                    self.table(
                        "Slowest operations",
                        SLOWEST,
                        &rows,
                        "no latency was measured",
                        out,
                    )?;
                }
                Section::Procedures => {
                    let rows = ProcedureRow::of_counts(self.counts);
                    self.table("RPC procedures", PROCEDURES, &rows, "no call was seen", out)?;
                }
                Section::Io => {
                    let rows = IoRow::of_counts(self.counts);
                    self.table("I/O by operation", IO_COUNTS, &rows, "no I/O was seen", out)?;
                }
                Section::Throughput => self.throughput(out)?,
                Section::Depth => self.depth(out)?,
                Section::Credits => self.credits(out)?,
            }
        }
        Ok(())
    }

    /// Prints a heading and a table; `none` if the table has no rows.
    fn table<R>(
        &self,
        heading: &str,
        columns: &[table::Column<R>],
        rows: &[R],
        none: &str,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        writeln!(out, "{}", self.look.heading(heading))?;
        if rows.is_empty() {
            return writeln!(out, "  {none}");
        }
        Table::of(INDENT, columns, &InFile::default(), rows).print(self.look, out)
    }

    fn opcodes(&self, out: &mut dyn Write) -> io::Result<()> {
        let heading = format!("Opcodes, {}", counted(self.counts.connections, "connection"));
        let total = self.counts.opcodes.total();
        let mut rows = OpcodeRow::of_counts(self.counts);
        rows.iter_mut().for_each(|row| row.total = Some(total));
        if !rows.is_empty() {
            let name = "all".to_owned();
            rows.push(OpcodeRow { opcode: None, name, from: "", sent: total, total: None });
        }
        self.table(&heading, OPCODES, &rows, "no segment was seen", out)
    }

    fn sizes(&self, out: &mut dyn Write) -> io::Result<()> {
        let rows = SizeRow::of_counts(self.counts);
        let none = "no whole Send, Write or Read Response";
        self.table("Sizes of messages in bytes", SIZES, &rows, none, out)?;
        match self.counts.sizes.incomplete {
            0 => Ok(()),
            cut => writeln!(out, "  not counted: {} not captured whole", counted(cut, "message")),
        }
    }

    fn latency(&self, out: &mut dyn Write) -> io::Result<()> {
        let rows = LatencyRow::of_counts(self.counts);
        self.table("Latencies of operations", LATENCIES, &rows, "no operation was seen", out)?;
        if rows.is_empty() {
            return Ok(());
        }
        writeln!(
            out,
            "  with a response: last segment of the request to last segment of the response;\n  \
             without: first to last segment"
        )
    }

    fn depth(&self, out: &mut dyn Write) -> io::Result<()> {
        let heading = "Requests in flight when one was sent";
        let rows = DepthRow::summed(self.counts);
        self.table(heading, DEPTHS, &rows, "no request was seen", out)?;
        for (depths, role) in self.counts.depths.iter().zip(ROLES) {
            if !depths.requests.is_empty() {
                writeln!(out, "  {role}: {}", limit(depths))?;
            }
        }
        Ok(())
    }

    /// Prints messages and bytes by interval, and retransmissions.
    fn throughput(&self, out: &mut dyn Write) -> io::Result<()> {
        let rows = IntervalRow::of_counts(self.counts, MOST_INTERVALS);
        self.intervals("Throughput", INTERVALS, &rows, |row| row.start, out)?;
        for (role, (repeated, payload)) in
            ROLES.iter().zip(self.counts.repeated.into_iter().zip(self.counts.payload))
        {
            let share = share(repeated, payload);
            writeln!(
                out,
                "  {role} sent {repeated} of {payload} bytes of TCP payload again ({share})"
            )?;
        }
        Ok(())
    }

    /// Prints credits granted and in use by interval.
    fn credits(&self, out: &mut dyn Write) -> io::Result<()> {
        if !self.counts.calls.iter().any(Calls::any) {
            writeln!(out, "{}", self.look.heading("Credits"))?;
            return writeln!(out, "  no call was seen");
        }
        let rows = IntervalRow::with_calls(self.counts, MOST_INTERVALS);
        self.intervals("Credits", CREDITS, &rows, |row| row.start, out)?;
        for (calls, role) in self.counts.calls.iter().zip(ROLES) {
            if !calls.any() {
                continue;
            }
            let over = some(calls.over_grant, |over| {
                format!(", {} beyond the grant", counted(over, "call"))
            });
            let frame = some(calls.most_in_flight_frame, |frame| format!(" (frame {frame})"));
            let range = |range: Option<Range>| range.map_or_else(|| "-".to_owned(), span_text);
            writeln!(
                out,
                "  {role}: asked for {}, was granted {}, had at most {} in flight{frame}{over}",
                range(calls.credits_asked),
                range(calls.credits_granted),
                counted(calls.most_in_flight.into(), "call"),
            )?;
        }
        Ok(())
    }

    /// Prints one row for each interval. Empty intervals have a row too; a long series of them shares one.
    fn intervals<R>(
        &self,
        what: &str,
        columns: &[table::Column<R>],
        rows: &[R],
        start: fn(&R) -> i64,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let (length, _) = self.counts.timeline.intervals(MOST_INTERVALS);
        let grown = match self.interval {
            Some(chosen) if chosen != length => format!(" ({} had too many)", whole(chosen)),
            _ => String::new(),
        };
        let heading = format!("{what} in intervals of {}{grown}", whole(length));
        writeln!(out, "{}", self.look.heading(&heading))?;
        let step = i64::try_from(length).unwrap_or(i64::MAX);
        let mut table = Table::of(INDENT, columns, &InFile::default(), &[]);
        let mut expected = None;
        for row in rows {
            let from = expected.unwrap_or_else(|| start(row));
            let empty = start(row).saturating_sub(from) / step;
            if empty > MANY_EMPTY {
                table.push(vec![Cell::styled(format!("{empty} empty"), Style::new().dimmed())]);
            } else {
                for index in 0..empty {
                    table.push(vec![start_text(from.saturating_add(index * step), length).into()]);
                }
            }
            expected = Some(start(row).saturating_add(step));
            table.row(columns, &InFile::default(), row);
        }
        table.print(self.look, out)
    }
}

/// Formats the greatest depth of a side against its limit.
fn limit(depths: &Depths) -> String {
    let most = format!("at most {} in flight (frame {})", depths.most(), depths.most_frame);
    let limit = match depths.limits {
        None => return format!("{most}, limit not known"),
        Some(Range { least, most }) if least == most => format!("{most} allowed"),
        Some(Range { least, most }) => format!("{least} to {most} allowed"),
    };
    let over = some(depths.over, |over| format!(", {} beyond the limit", counted(over, "request")));
    let unknown = some(depths.without_limit, |unknown| {
        format!(", {} without a known limit", counted(unknown, "request"))
    });
    format!("{most}, {limit}{over}{unknown}")
}

/// Formats a chosen duration with the largest unit that gives an integer: `50 ms`.
fn whole(nanoseconds: u64) -> String {
    const UNITS: [(u64, &str); 4] =
        [(1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "µs"), (1, "ns")];
    let unit = UNITS.iter().find(|(unit, _)| nanoseconds.is_multiple_of(*unit));
    let (unit, name) = unit.unwrap_or(&(1, "ns"));
    format!("{} {name}", nanoseconds / unit)
}

const UNITS: [(&str, f64); 7] =
    [("ns", 1.0), ("us", 1e3), ("µs", 1e3), ("ms", 1e6), ("s", 1e9), ("m", 60e9), ("h", 3600e9)];
/// The longest interval, in nanoseconds: a hundred years.
const LONGEST: f64 = 3.15e18;

/// Parses a duration such as `100ms`; returns nanoseconds.
fn parse(text: &str) -> Result<u64> {
    let advice = "write a number and a unit (ns, us, ms, s, m, h), such as 100ms";
    let split = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let Ok(number) = number.parse::<f64>() else { bail!("--interval {text}: {advice}") };
    let Some((_, factor)) = UNITS.iter().find(|(name, _)| *name == unit.trim()) else {
        bail!("--interval {text}: {advice}");
    };
    let nanoseconds = (number * factor).round();
    if !(1.0..=LONGEST).contains(&nanoseconds) {
        bail!("--interval {text}: an interval is from 1 ns to a hundred years");
    }
    Ok(nanoseconds as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_whole() {
        let all = [1, 1_500, 2_000, 50_000_000, 1_500_000_000, 60_000_000_000].map(whole);
        assert_eq!(all, ["1 ns", "1500 ns", "2 µs", "50 ms", "1500 ms", "60 s"]);
    }

    #[test]
    fn lengths_have_units() {
        for (text, nanoseconds) in [
            ("1s", 1_000_000_000),
            ("100ms", 100_000_000),
            ("0.5 ms", 500_000),
            ("7us", 7_000),
            ("7µs", 7_000),
            ("3ns", 3),
            ("2m", 120_000_000_000),
            ("1h", 3_600_000_000_000),
        ] {
            assert_eq!(parse(text).unwrap(), nanoseconds, "{text}");
        }
        for text in ["", "1", "s", "1.2.3s", "-1s", "0s", "0.1ns", "1 day", "99999999999h"] {
            let refused = parse(text).unwrap_err().to_string();
            assert!(refused.starts_with(&format!("--interval {text}: ")), "{refused}");
        }
    }
}
