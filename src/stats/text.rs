//! `--format text`: a table for each section, with bars.

use super::bar::bar;
use super::names;
use super::run::Print;
use super::time_text;
use crate::cli::Section;
use crate::quantity::share;
use crate::scan::Scanned;
use crate::table::{Cell, Column, Look, Table};
use owo_colors::Style;
use std::io::{self, Write};
use warpscope_dissector::format::{counted, duration, push_shown};
use warpscope_dissector::statistics::{Counts, Depths, Percentiles, Range};

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
                    time_text::throughput(self.look, counts, self.interval, out)?;
                }
                Section::Depth => self.depth(counts, out)?,
                Section::Credits => time_text::credits(self.look, counts, self.interval, out)?,
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
            for (sent, role) in sides.iter().zip(names::ROLES) {
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
                names::role(row.requester).into(),
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
                names::program(key).into(),
                names::procedure(key).into(),
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
        for (depths, role) in counts.depths.iter().zip(names::ROLES) {
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
}
