//! `--format text`: a table for each section, with bars.

use super::run::{INTERVALS, Print};
use crate::cli::Section;
use crate::decoding::Scanned;
use crate::quantity::{length as words, share};
use crate::table::{Cell, Column, Look, Table};
use owo_colors::Style;
use std::io;
use std::io::Write;
use warpscope_dissector::format::{counted, duration, push_shown};
use warpscope_dissector::mpa::Side;
use warpscope_dissector::statistics::{
    Calls, Counts, Depths, Interval, Percentiles, ProcedureKey, Range,
};

/// Blanks before a table.
pub(super) const INDENT: usize = 2;

/// A table for each section.
#[derive(Debug)]
pub(super) struct Text {
    pub(super) look: Look,
    pub(super) sections: Vec<Section>,
    pub(super) headings: bool,
    /// The interval that the user chose, in nanoseconds.
    pub(super) interval: Option<u64>,
}

impl Print for Text {
    fn file(&mut self, scanned: &Scanned, counts: &Counts, out: &mut dyn Write) -> io::Result<()> {
        if self.headings {
            let mut name = String::new();
            push_shown(&scanned.name, &mut name);
            let cut = if scanned.error.is_some() { " (not read to its end)" } else { "" };
            let frames = counted(scanned.frames, "frame");
            writeln!(out, "{}: {frames}{cut}", self.look.heading(&name))?;
        }
        if scanned.frames == 0 && scanned.error.is_some() {
            return Ok(());
        }
        if counts.connections == 0 {
            return writeln!(
                out,
                "No iWARP was found; -d tcp.port==PORT,iwarp takes a port for iWARP."
            );
        }
        for (index, section) in self.sections.iter().enumerate() {
            if index > 0 {
                writeln!(out)?;
            }
            match section {
                Section::Opcodes => self.opcodes(counts, out)?,
                Section::Sizes => self.sizes(counts, out)?,
                Section::Latency => self.latency(counts, out)?,
                Section::Procedures => self.procedures(counts, out)?,
                Section::Throughput => {
                    throughput(self.look, counts, self.interval, out)?;
                }
                Section::Depth => self.depth(counts, out)?,
                Section::Credits => credits(self.look, counts, self.interval, out)?,
            }
        }
        if self.headings {
            writeln!(out)?;
        }
        Ok(())
    }
}

impl Text {
    fn opcodes(&self, counts: &Counts, out: &mut dyn Write) -> io::Result<()> {
        let title = format!("Opcodes, {}", counted(counts.connections, "connection"));
        writeln!(out, "{}", self.look.heading(&title))?;
        let total = counts.opcodes.total();
        if total.segments == 0 {
            return writeln!(out, "  no segment was seen");
        }
        let mut table = Table::new(
            INDENT,
            [
                Column::left("opcode", 0),
                Column::left("from", 0),
                Column::right("messages", 0),
                Column::right("segments", 0),
                Column::right("bytes", 0),
                Column::right("of messages", 2),
                Column::right("of bytes", 1),
            ],
        );
        for (opcode, sides) in counts.opcodes.rows() {
            for (sent, role) in sides.iter().zip(ROLES) {
                if sent.segments == 0 {
                    continue;
                }
                table.push(vec![
                    opcode.name().into(),
                    role.into(),
                    sent.messages.into(),
                    sent.segments.into(),
                    sent.bytes.into(),
                    share(sent.messages, total.messages).into(),
                    share(sent.bytes, total.bytes).into(),
                ]);
            }
        }
        table.push(vec![
            "all".into(),
            "".into(),
            total.messages.into(),
            total.segments.into(),
            total.bytes.into(),
        ]);
        table.print(self.look, out)
    }

    fn sizes(&self, counts: &Counts, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}", self.look.heading("Sizes of messages in bytes"))?;
        let mut table = Table::new(
            INDENT,
            [
                Column::right("from", 0),
                Column::right("to", 0),
                Column::right("Sends", 0),
                Column::right("Writes", 0),
                Column::right("Read Responses", 0),
                Column::right("bytes", 2),
                Column::left("messages", 1),
            ],
        );
        let sum = |messages: &[u64; 3]| messages.iter().sum::<u64>();
        let greatest = counts.sizes.buckets().map(|(.., each)| sum(&each.messages)).max();
        for (least, most, bucket) in counts.sizes.buckets() {
            let [sends, writes, reads] = bucket.messages.map(some);
            table.push(vec![
                least.into(),
                most.into(),
                sends.into(),
                writes.into(),
                reads.into(),
                some(bucket.bytes).into(),
                Cell::styled(
                    bar(sum(&bucket.messages), greatest.unwrap_or(0)),
                    Style::new().green(),
                ),
            ]);
        }
        if greatest.is_some() {
            table.print(self.look, out)?;
        } else {
            writeln!(out, "  no whole Send, Write or Read Response")?;
        }
        match counts.sizes.incomplete {
            0 => Ok(()),
            cut => writeln!(out, "  not counted: {} not captured whole", counted(cut, "message")),
        }
    }

    fn latency(&self, counts: &Counts, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}", self.look.heading("Latencies of operations"))?;
        let mut table = Table::new(
            INDENT,
            [
                Column::left("operation", 0),
                Column::left("by", 0),
                Column::right("begun", 0),
                Column::right("completed", 3),
                Column::right("unanswered", 4),
                Column::right("refused", 4),
                Column::right("lost", 4),
                Column::right("bytes", 5),
                Column::right("p50", 0),
                Column::right("p90", 1),
                Column::right("p99", 0),
                Column::right("max", 0),
                Column::right("mean", 2),
            ],
        );
        let operations = counts.operations();
        if operations.is_empty() {
            return writeln!(out, "  no operation was seen");
        }
        for row in operations {
            let [p50, p90, p99, max, mean] = times(row.latency.as_ref());
            table.push(vec![
                row.kind.name().into(),
                role(row.requester).into(),
                row.begun.into(),
                row.completed.into(),
                some(row.unanswered).into(),
                some(row.refused).into(),
                some(row.lost).into(),
                row.bytes.into(),
                p50,
                p90,
                p99,
                max,
                mean,
            ]);
        }
        table.print(self.look, out)?;
        writeln!(
            out,
            "  with a response: last segment of the request to last segment of the response;\n  \
             without: first to last segment"
        )
    }

    fn procedures(&self, counts: &Counts, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}", self.look.heading("RPC procedures"))?;
        let mut table = Table::new(
            INDENT,
            [
                Column::left("program", 0),
                Column::left("procedure", 0),
                Column::right("calls", 0),
                Column::right("replies", 3),
                Column::right("refused", 5),
                Column::right("errors", 5),
                Column::right("unanswered", 4),
                Column::right("p50", 0),
                Column::right("p90", 2),
                Column::right("p99", 0),
                Column::right("max", 1),
                Column::right("mean", 6),
                Column::right("call bytes", 7),
                Column::right("reply bytes", 7),
            ],
        );
        let mut any = false;
        for (key, row) in counts.procedures.rows() {
            any = true;
            let [p50, p90, p99, max, mean] = times(row.latency().as_ref());
            table.push(vec![
                program(key).into(),
                procedure(key).into(),
                row.calls.into(),
                row.replies.into(),
                some(row.refused).into(),
                some(row.errors).into(),
                some(row.unanswered()).into(),
                p50,
                p90,
                p99,
                max,
                mean,
                row.call_bytes.into(),
                row.reply_bytes.into(),
            ]);
        }
        if any { table.print(self.look, out) } else { writeln!(out, "  no call was seen") }
    }

    fn depth(&self, counts: &Counts, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}", self.look.heading("Requests in flight when one was sent"))?;
        let [one, other] = &counts.depths;
        let mut depths: Vec<u32> =
            one.requests.keys().chain(other.requests.keys()).copied().collect();
        depths.sort_unstable();
        depths.dedup();
        if depths.is_empty() {
            return writeln!(out, "  no request was seen");
        }
        let mut table = Table::new(
            INDENT,
            [
                Column::right("in flight", 0),
                Column::right("initiator", 0),
                Column::right("responder", 0),
                Column::left("requests", 1),
            ],
        );
        let rows = ranges(&depths).into_iter().map(|(least, most)| {
            let of =
                |depths: &Depths| depths.requests.range(least..=most).map(|(_, count)| count).sum();
            (least, most, [one, other].map(of))
        });
        let rows: Vec<(u32, u32, [u64; 2])> = rows.collect();
        let greatest =
            rows.iter().map(|(.., counts)| counts.iter().sum::<u64>()).max().unwrap_or(0);
        for (least, most, counts) in rows {
            let [initiator, responder] = counts.map(some);
            let name = if least == most { least.to_string() } else { format!("{least} to {most}") };
            table.push(vec![
                name.into(),
                initiator.into(),
                responder.into(),
                Cell::styled(bar(counts.iter().sum(), greatest), Style::new().green()),
            ]);
        }
        table.print(self.look, out)?;
        for (depths, role) in counts.depths.iter().zip(ROLES) {
            if !depths.requests.is_empty() {
                writeln!(out, "  {role}: {}", limit(depths))?;
            }
        }
        Ok(())
    }
}

/// The greatest depth of a side against its limit.
fn limit(depths: &Depths) -> String {
    let most = format!("at most {} in flight", depths.most());
    let limit = match depths.limits {
        None => return format!("{most}, limit not known"),
        Some(Range { least, most }) if least == most => format!("{most} allowed"),
        Some(Range { least, most }) => format!("{least} to {most} allowed"),
    };
    let over = match depths.over {
        0 => String::new(),
        over => format!(", {} beyond the limit", counted(over, "request")),
    };
    let unknown = match depths.without_limit {
        0 => String::new(),
        unknown => format!(", {} without a known limit", counted(unknown, "request")),
    };
    format!("{most}, {limit}{over}{unknown}")
}

/// Depths as rows: each alone while they are few or small, then by powers of two.
fn ranges(depths: &[u32]) -> Vec<(u32, u32)> {
    const ALONE: u32 = 16;
    let mut ranges: Vec<(u32, u32)> = depths
        .iter()
        .map(|depth| match *depth {
            depth if depths.len() <= 32 || depth <= ALONE => (depth, depth),
            depth => {
                let least = (1_u32 << depth.ilog2()).max(ALONE + 1);
                let most = (2_u32 << depth.ilog2()).wrapping_sub(1);
                (least, most)
            }
        })
        .collect();
    ranges.dedup();
    ranges
}

/// A number that is shown when it is not 0.
pub(super) fn some(number: u64) -> String {
    if number == 0 { String::new() } else { number.to_string() }
}

/// p50, p90, p99, maximum and mean.
fn times(latency: Option<&Percentiles>) -> [Cell; 5] {
    let Some(latency) = latency else { return Default::default() };
    let ranks = latency.ranks.map_or([None; 3], |ranks| ranks.map(Some));
    let [p50, p90, p99] = ranks;
    [p50, p90, p99, Some(latency.maximum), Some(latency.mean)]
        .map(|time| time.map(duration).unwrap_or_default().into())
}

// Bars of text.

/// Characters of the longest bar.
pub(super) const LONGEST: usize = 24;
const EIGHTHS: [char; 8] = [' ', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/// A bar for a number, where the greatest number has the longest. Any number but 0 shows something.
pub(super) fn bar(number: u64, greatest: u64) -> String {
    if number == 0 || greatest == 0 {
        return String::new();
    }
    let eighths = u128::from(number) * (LONGEST * 8) as u128 / u128::from(greatest);
    let eighths = usize::try_from(eighths).unwrap_or(LONGEST * 8).clamp(1, LONGEST * 8);
    let mut bar = "█".repeat(eighths / 8);
    if eighths % 8 > 0 {
        bar.extend(EIGHTHS.get(eighths % 8));
    }
    bar
}

// The sections over time: throughput and credits.

/// Intervals with nothing in them that have a row each; more have one together.
const MANY_EMPTY: i64 = 4;

/// Messages and bytes by interval, and what was sent again.
pub(super) fn throughput(
    look: Look,
    counts: &Counts,
    chosen: Option<u64>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let (length, intervals) = counts.timeline.intervals(INTERVALS);
    heading(look, "Throughput", length, chosen, out)?;
    let mut table = Table::new(
        INDENT,
        [
            Column::right("from", 0),
            Column::right("frames", 4),
            Column::right("wire bytes", 3),
            Column::right("messages", 2),
            Column::right("data bytes", 0),
            Column::right("Mbit/s", 1),
            Column::right("sent again", 5),
            Column::left("data", 1),
        ],
    );
    let greatest = intervals.iter().map(|(_, what)| what.data).max().unwrap_or(0);
    rows(&mut table, length, &intervals, |what| {
        let megabits = what.data as f64 * 8e3 / length as f64;
        vec![
            what.frames.into(),
            what.wire.into(),
            what.messages.into(),
            what.data.into(),
            format!("{megabits:.2}").into(),
            if what.repeated == 0 { "".into() } else { share(what.repeated, what.payload).into() },
            Cell::styled(bar(what.data, greatest), Style::new().green()),
        ]
    });
    table.print(look, out)?;
    for (column, role) in ROLES.into_iter().enumerate() {
        let of = |bytes: &[u64; 2]| bytes.get(column).copied().unwrap_or(0);
        let (repeated, payload) = (of(&counts.repeated), of(&counts.payload));
        let share = share(repeated, payload);
        writeln!(
            out,
            "  {role} sent {repeated} of {payload} bytes of TCP payload again ({share})"
        )?;
    }
    Ok(())
}

/// Credits granted and in use by interval.
pub(super) fn credits(
    look: Look,
    counts: &Counts,
    chosen: Option<u64>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let (length, intervals) = counts.timeline.intervals(INTERVALS);
    if !counts.calls.iter().any(Calls::any) {
        writeln!(out, "{}", look.heading("Credits"))?;
        return writeln!(out, "  no call was seen");
    }
    heading(look, "Credits", length, chosen, out)?;
    let intervals: Vec<(i64, Interval)> = intervals
        .into_iter()
        .filter(|(_, what)| what.calls > 0 || what.granted.is_some())
        .collect();
    let mut table = Table::new(
        INDENT,
        [
            Column::right("from", 0),
            Column::right("calls", 0),
            Column::right("granted", 0),
            Column::right("in use", 0),
            Column::left("", 1),
        ],
    );
    let greatest = intervals.iter().map(|(_, what)| what.in_use).max().unwrap_or(0);
    rows(&mut table, length, &intervals, |what| {
        let used = u64::from(what.in_use);
        vec![
            some(what.calls).into(),
            what.granted.map(range).unwrap_or_default().into(),
            some(used).into(),
            Cell::styled(bar(used, greatest.into()), Style::new().green()),
        ]
    });
    table.print(look, out)?;
    for (calls, role) in counts.calls.iter().zip(ROLES) {
        if !calls.any() {
            continue;
        }
        let over = match calls.over_grant {
            0 => String::new(),
            over => format!(", {} beyond the grant", counted(over, "call")),
        };
        writeln!(
            out,
            "  {role}: asked for {}, was granted {}, had at most {} in flight{over}",
            calls.credits_asked.map_or_else(|| "-".to_owned(), range),
            calls.credits_granted.map_or_else(|| "-".to_owned(), range),
            counted(calls.most_in_flight.into(), "call"),
        )?;
    }
    Ok(())
}

fn range(range: Range) -> String {
    if range.least == range.most {
        range.most.to_string()
    } else {
        format!("{} to {}", range.least, range.most)
    }
}

fn heading(
    look: Look,
    what: &str,
    length: u64,
    chosen: Option<u64>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let grown = match chosen {
        Some(chosen) if chosen != length => {
            format!(" ({} gave too many)", words(chosen))
        }
        _ => String::new(),
    };
    let title = format!("{what} in intervals of {}{grown}", words(length));
    writeln!(out, "{}", look.heading(&title))
}

/// A row an interval, with the seconds at which it begins before. Intervals with nothing in them have
/// a row too, or when there are many, one together.
fn rows(
    table: &mut Table,
    length: u64,
    intervals: &[(i64, Interval)],
    cells: impl Fn(&Interval) -> Vec<Cell>,
) {
    // As many digits as tell two intervals apart.
    let digits = (0..9).find(|digits| length.is_multiple_of(10_u64.pow(9 - digits))).unwrap_or(9);
    let length = i64::try_from(length).unwrap_or(i64::MAX);
    let at = |start: i64| format!("{:.*}", digits as usize, start as f64 / 1e9);
    let mut expected = None;
    for (start, what) in intervals {
        let from = expected.unwrap_or(*start);
        let empty = start.saturating_sub(from) / length;
        if empty > MANY_EMPTY {
            let words = format!("{empty} empty");
            table.push(vec![Cell::styled(words, Style::new().dimmed())]);
        } else {
            for index in 0..empty {
                table.push(vec![Cell::from(at(from.saturating_add(index * length)))]);
            }
        }
        expected = Some(start.saturating_add(length));
        let mut row = vec![Cell::from(at(*start))];
        row.extend(cells(what));
        table.push(row);
    }
}

// What sections, sides and procedures are called.

/// Every section, in the order in which they are printed.
pub(super) const SECTIONS: [Section; 7] = [
    Section::Opcodes,
    Section::Sizes,
    Section::Latency,
    Section::Procedures,
    Section::Throughput,
    Section::Depth,
    Section::Credits,
];

/// What the two columns of the counts are.
pub(super) const ROLES: [&str; 2] = ["initiator", "responder"];

/// The role that a column of the counts stands for.
pub(super) fn role(column: Side) -> &'static str {
    ROLES[column.index()]
}

/// Program and version: `NFS 4`.
pub(super) fn program(key: &ProcedureKey) -> String {
    match (key, key.names().0) {
        (ProcedureKey::Known { version, .. }, Some(name)) => format!("{name} {version}"),
        (ProcedureKey::Known { program, version, .. }, None) => format!("{program} {version}"),
        (ProcedureKey::Unknown, _) => "not known".to_owned(),
        (ProcedureKey::Others, _) => "others".to_owned(),
    }
}

/// The procedure, with the operation that a COMPOUND is about: `COMPOUND: READ`.
pub(super) fn procedure(key: &ProcedureKey) -> String {
    let ProcedureKey::Known { procedure, operation, .. } = key else { return String::new() };
    let name = key.names().1.map_or_else(|| procedure.to_string(), str::to_owned);
    match operation {
        Some(operation) => format!("{name}: {operation}"),
        None => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_depths_are_put_together() {
        assert_eq!(ranges(&[1, 5, 200]), [(1, 1), (5, 5), (200, 200)]);
        let many: Vec<u32> = (1..=100).collect();
        let ranges = ranges(&many);
        assert_eq!(ranges.first(), Some(&(1, 1)));
        assert_eq!(ranges[15..], [(16, 16), (17, 31), (32, 63), (64, 127)]);
    }

    #[test]
    fn bars_are_as_long_as_numbers_are_great() {
        assert_eq!(bar(0, 5), "");
        assert_eq!(bar(0, 0), "");
        assert_eq!(bar(5, 5), "█".repeat(LONGEST));
        assert_eq!(bar(1, 2), "█".repeat(LONGEST / 2));
        assert_eq!(bar(1, u64::MAX), "▏");
        assert_eq!(bar(u64::MAX, u64::MAX).chars().count(), LONGEST);
        // 1 of 16: one and a half of 24 characters.
        assert_eq!(bar(1, 16), "█▌");
    }
}
