//! `--format json`: the sections as objects. docs/statistics.md describes them.

use super::run::{INTERVALS, Print};
use super::text;
use crate::cli::Section;
use crate::counts_json::{Latency, OpcodeRow, OperationRow, latency, opcodes, operation};
use crate::decoding::Scanned;
use serde::Serialize;
use std::io::{self, Write};
use warpscope_dissector::mpa::Side;
use warpscope_dissector::statistics::{Calls, Counts, Depths, Interval, ProcedureKey, Range};

/// Files, each with its sections; written as they come.
#[derive(Debug)]
pub(super) struct Json {
    sections: Vec<Section>,
    followed: bool,
}

impl Json {
    /// These sections.
    pub(super) fn new(sections: Vec<Section>) -> Self {
        Self { sections, followed: false }
    }
}

impl Print for Json {
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        write!(out, "{{\"files\":[")
    }

    fn file(&mut self, scanned: &Scanned, counts: &Counts, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}", if std::mem::replace(&mut self.followed, true) { "," } else { "" })?;
        let has = |section: Section| self.sections.contains(&section);
        let (length, intervals) = counts.timeline.intervals(INTERVALS);
        let file = File {
            file: &scanned.name,
            frames: scanned.frames,
            error: scanned.error.as_deref(),
            connections: counts.connections,
            opcodes: has(Section::Opcodes)
                .then(|| opcodes(&counts.opcodes, Side::BOTH.map(|side| (side, text::role(side))))),
            sizes: has(Section::Sizes).then(|| sizes(counts)),
            latency: has(Section::Latency).then(|| {
                let rows = counts.operations();
                rows.iter().map(|row| operation(row, text::role(row.requester))).collect()
            }),
            procedures: has(Section::Procedures).then(|| procedures(counts)),
            throughput: has(Section::Throughput).then(|| throughput(counts, length, &intervals)),
            depth: has(Section::Depth).then(|| Sides::of(counts.depths.iter().map(depth))),
            credits: has(Section::Credits).then(|| credits(counts, length, &intervals)),
        };
        serde_json::to_writer(out, &file)?;
        Ok(())
    }

    fn end(&mut self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "]}}")
    }
}

#[derive(Serialize)]
struct File<'a> {
    file: &'a str,
    frames: u64,
    error: Option<&'a str>,
    connections: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    opcodes: Option<Vec<OpcodeRow>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sizes: Option<SizesObject>,
    #[serde(skip_serializing_if = "Option::is_none")]
    latency: Option<Vec<OperationRow>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    procedures: Option<Vec<ProcedureRow>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    throughput: Option<Throughput>,
    #[serde(skip_serializing_if = "Option::is_none")]
    depth: Option<Sides<DepthObject>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    credits: Option<Credits>,
}

/// The same of the initiator and of the responder.
#[derive(Serialize)]
struct Sides<T> {
    initiator: Option<T>,
    responder: Option<T>,
}

impl<T> Sides<T> {
    fn of(mut both: impl Iterator<Item = T>) -> Self {
        Self { initiator: both.next(), responder: both.next() }
    }
}

#[derive(Serialize)]
struct SizesObject {
    incomplete: u64,
    buckets: Vec<SizeRow>,
}

#[derive(Serialize)]
struct SizeRow {
    least: u64,
    greatest: u64,
    sends: u64,
    writes: u64,
    read_responses: u64,
    bytes: u64,
}

#[derive(Serialize)]
struct ProcedureRow {
    program: Option<u32>,
    program_name: Option<&'static str>,
    version: Option<u32>,
    procedure: Option<u32>,
    procedure_name: Option<&'static str>,
    operation: Option<&'static str>,
    calls: u64,
    replies: u64,
    refused: u64,
    errors: u64,
    unanswered: u64,
    call_bytes: u64,
    reply_bytes: u64,
    latency: Option<Latency>,
}

#[derive(Serialize)]
struct Throughput {
    interval: u64,
    payload_bytes: Sides<u64>,
    repeated_bytes: Sides<u64>,
    intervals: Vec<ThroughputRow>,
}

#[derive(Serialize)]
struct ThroughputRow {
    start: i64,
    frames: u64,
    wire_bytes: u64,
    payload_bytes: u64,
    repeated_bytes: u64,
    messages: u64,
    data_bytes: u64,
}

#[derive(Serialize)]
struct DepthObject {
    most: u32,
    limit_least: Option<u32>,
    limit_greatest: Option<u32>,
    over_limit: u64,
    without_limit: u64,
    requests: Vec<DepthRow>,
}

#[derive(Serialize)]
struct DepthRow {
    in_flight: u32,
    requests: u64,
}

#[derive(Serialize)]
struct Credits {
    interval: u64,
    initiator: Option<CreditsObject>,
    responder: Option<CreditsObject>,
    intervals: Vec<CreditRow>,
}

#[derive(Serialize)]
struct CreditsObject {
    calls: u64,
    asked: Option<[u32; 2]>,
    granted: Option<[u32; 2]>,
    most_in_flight: u32,
    calls_over_grant: u64,
}

#[derive(Serialize)]
struct CreditRow {
    start: i64,
    calls: u64,
    granted: Option<[u32; 2]>,
    in_use: u32,
}

fn sizes(counts: &Counts) -> SizesObject {
    let buckets = counts.sizes.buckets().map(|(least, greatest, bucket)| {
        let [sends, writes, read_responses] = bucket.messages;
        SizeRow { least, greatest, sends, writes, read_responses, bytes: bucket.bytes }
    });
    SizesObject { incomplete: counts.sizes.incomplete, buckets: buckets.collect() }
}

fn procedures(counts: &Counts) -> Vec<ProcedureRow> {
    let rows = counts.procedures.rows().map(|(key, row)| {
        let (program_name, procedure_name) = key.names();
        let (program, version, procedure, operation) = match *key {
            ProcedureKey::Known { program, version, procedure, operation } => {
                (Some(program), Some(version), Some(procedure), operation)
            }
            ProcedureKey::Unknown | ProcedureKey::Others => (None, None, None, None),
        };
        ProcedureRow {
            program,
            program_name,
            version,
            procedure,
            procedure_name,
            operation,
            calls: row.calls,
            replies: row.replies,
            refused: row.refused,
            errors: row.errors,
            unanswered: row.unanswered(),
            call_bytes: row.call_bytes,
            reply_bytes: row.reply_bytes,
            latency: row.latency().as_ref().map(latency),
        }
    });
    rows.collect()
}

fn throughput(counts: &Counts, interval: u64, intervals: &[(i64, Interval)]) -> Throughput {
    let row = |(start, what): &(i64, Interval)| ThroughputRow {
        start: *start,
        frames: what.frames,
        wire_bytes: what.wire,
        payload_bytes: what.payload,
        repeated_bytes: what.repeated,
        messages: what.messages,
        data_bytes: what.data,
    };
    Throughput {
        interval,
        payload_bytes: Sides::of(counts.payload.into_iter()),
        repeated_bytes: Sides::of(counts.repeated.into_iter()),
        intervals: intervals.iter().map(row).collect(),
    }
}

fn depth(depths: &Depths) -> DepthObject {
    let row = |(in_flight, requests): (&u32, &u64)| DepthRow {
        in_flight: *in_flight,
        requests: *requests,
    };
    DepthObject {
        most: depths.most(),
        limit_least: depths.limits.map(|limits| limits.least),
        limit_greatest: depths.limits.map(|limits| limits.most),
        over_limit: depths.over,
        without_limit: depths.without_limit,
        requests: depths.requests.iter().map(row).collect(),
    }
}

fn credits(counts: &Counts, interval: u64, intervals: &[(i64, Interval)]) -> Credits {
    let pair = |range: Option<Range>| range.map(|range| [range.least, range.most]);
    let object = |calls: &Calls| {
        calls.any().then(|| CreditsObject {
            calls: calls.calls,
            asked: pair(calls.credits_asked),
            granted: pair(calls.credits_granted),
            most_in_flight: calls.most_in_flight,
            calls_over_grant: calls.over_grant,
        })
    };
    let [initiator, responder] = counts.calls.each_ref().map(object);
    let rows = intervals.iter().filter(|(_, what)| what.calls > 0 || what.granted.is_some());
    let row = |(start, what): &(i64, Interval)| CreditRow {
        start: *start,
        calls: what.calls,
        granted: pair(what.granted),
        in_use: what.in_use,
    };
    Credits { interval, initiator, responder, intervals: rows.map(row).collect() }
}
