//! `--format csv`: a table for each section, all files in it; an empty line between two tables.

use super::run::{INTERVALS, Print};
use super::text;
use crate::cli::Section;
use crate::decoding::Scanned;
use std::io::{self, Write};
use warpscope_dissector::statistics::{Counts, Percentiles};

/// The tables under construction.
#[derive(Debug)]
pub(super) struct Csv {
    tables: Vec<(Section, csv::Writer<Vec<u8>>)>,
}

impl Csv {
    /// Tables of these sections.
    pub(super) fn new(sections: &[Section]) -> Self {
        let writer = |section: &Section| {
            let mut writer = csv::Writer::from_writer(Vec::new());
            // Writing to memory does not fail.
            let _ = writer.write_record(std::iter::once("file").chain(header(*section)));
            (*section, writer)
        };
        Self { tables: sections.iter().map(writer).collect() }
    }
}

impl Print for Csv {
    fn file(&mut self, scanned: &Scanned, counts: &Counts, _out: &mut dyn Write) -> io::Result<()> {
        for (section, writer) in &mut self.tables {
            for row in rows(*section, counts) {
                writer.write_record(std::iter::once(scanned.name.clone()).chain(row))?;
            }
        }
        Ok(())
    }

    fn end(&mut self, out: &mut dyn Write) -> io::Result<()> {
        for (index, (_, writer)) in self.tables.drain(..).enumerate() {
            if index > 0 {
                writeln!(out)?;
            }
            let table = writer.into_inner().map_err(|error| io::Error::other(error.to_string()))?;
            out.write_all(&table)?;
        }
        Ok(())
    }
}

/// The names of a section's columns.
fn header(section: Section) -> impl Iterator<Item = &'static str> {
    let names = match section {
        Section::Opcodes => "opcode,name,from,messages,segments,bytes",
        Section::Sizes => "least,greatest,sends,writes,read_responses,bytes",
        Section::Latency => {
            "operation,by,begun,completed,unanswered,refused,lost,unsolicited,bytes,\
             count,min,mean,p50,p90,p99,max"
        }
        Section::Procedures => {
            "program,procedure,calls,replies,refused,errors,unanswered,call_bytes,reply_bytes,\
             count,min,mean,p50,p90,p99,max"
        }
        Section::Throughput => {
            "start,interval,frames,wire_bytes,payload_bytes,repeated_bytes,messages,data_bytes"
        }
        Section::Depth => "in_flight,initiator,responder",
        Section::Credits => "start,interval,calls,granted_least,granted_most,in_use",
    };
    names.split(',')
}

fn rows(section: Section, counts: &Counts) -> Vec<Vec<String>> {
    match section {
        Section::Opcodes => opcodes(counts),
        Section::Sizes => sizes(counts),
        Section::Latency => latency(counts),
        Section::Procedures => procedures(counts),
        Section::Throughput | Section::Credits => intervals(section, counts),
        Section::Depth => depths(counts),
    }
}

fn numbers(values: impl IntoIterator<Item = u64>) -> impl Iterator<Item = String> {
    values.into_iter().map(|value| value.to_string())
}

fn opcodes(counts: &Counts) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    for (opcode, sides) in counts.opcodes.rows() {
        for (sent, role) in sides.iter().zip(text::ROLES) {
            if sent.segments == 0 {
                continue;
            }
            let number = opcode.number().map(|number| number.to_string()).unwrap_or_default();
            let mut row = vec![number, opcode.name(), role.to_owned()];
            row.extend(numbers([sent.messages, sent.segments, sent.bytes]));
            rows.push(row);
        }
    }
    rows
}

fn sizes(counts: &Counts) -> Vec<Vec<String>> {
    let row =
        |(least, greatest, bucket): (u64, u64, &warpscope_dissector::statistics::SizeBucket)| {
            let [sends, writes, reads] = bucket.messages;
            numbers([least, greatest, sends, writes, reads, bucket.bytes]).collect()
        };
    counts.sizes.buckets().map(row).collect()
}

fn percentiles(latency: Option<Percentiles>) -> Vec<String> {
    let Some(latency) = latency else {
        return ["0", "", "", "", "", "", ""].map(str::to_owned).to_vec();
    };
    let mut row: Vec<String> = numbers([latency.count, latency.minimum, latency.mean]).collect();
    match latency.ranks {
        Some(ranks) => row.extend(numbers(ranks)),
        None => row.extend(["", "", ""].map(str::to_owned)),
    }
    row.push(latency.maximum.to_string());
    row
}

fn latency(counts: &Counts) -> Vec<Vec<String>> {
    let row = |row: warpscope_dissector::statistics::OperationCounts| {
        let mut cells = vec![row.kind.name().to_owned(), text::role(row.requester).to_owned()];
        let counted = [row.begun, row.completed, row.unanswered, row.refused, row.lost];
        cells.extend(numbers(counted));
        cells.extend(numbers([row.unsolicited, row.bytes]));
        cells.extend(percentiles(row.latency));
        cells
    };
    counts.operations().into_iter().map(row).collect()
}

fn procedures(counts: &Counts) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    for (key, row) in counts.procedures.rows() {
        let mut cells = vec![text::program(key), text::procedure(key)];
        let answered = [row.calls, row.replies, row.refused, row.errors, row.unanswered()];
        cells.extend(numbers(answered));
        cells.extend(numbers([row.call_bytes, row.reply_bytes]));
        cells.extend(percentiles(row.latency()));
        rows.push(cells);
    }
    rows
}

fn intervals(section: Section, counts: &Counts) -> Vec<Vec<String>> {
    let (length, intervals) = counts.timeline.intervals(INTERVALS);
    let mut rows = Vec::new();
    for (start, what) in intervals {
        let mut cells = vec![start.to_string(), length.to_string()];
        if section == Section::Throughput {
            cells.extend(numbers([what.frames, what.wire, what.payload, what.repeated]));
            cells.extend(numbers([what.messages, what.data]));
        } else if what.calls > 0 || what.granted.is_some() {
            cells.push(what.calls.to_string());
            match what.granted {
                Some(range) => cells.extend(numbers([range.least.into(), range.most.into()])),
                None => cells.extend(["", ""].map(str::to_owned)),
            }
            cells.push(what.in_use.to_string());
        } else {
            continue;
        }
        rows.push(cells);
    }
    rows
}

fn depths(counts: &Counts) -> Vec<Vec<String>> {
    let [one, other] = &counts.depths;
    let mut depths: Vec<u32> = one.requests.keys().chain(other.requests.keys()).copied().collect();
    depths.sort_unstable();
    depths.dedup();
    let count =
        |depth: &u32| [one, other].map(|depths| depths.requests.get(depth).copied().unwrap_or(0));
    depths
        .iter()
        .map(|depth| {
            let [initiator, responder] = count(depth);
            numbers([u64::from(*depth), initiator, responder]).collect()
        })
        .collect()
}
