//! The tables of I/Os: individually, and by operation.

use super::column::{Tone, Value, columns};
use super::records::record_columns;
use super::statistics::{NO_LATENCY, NO_RANK, latency_columns, rank};
use crate::format::span;
use crate::record::IoRecord;
use crate::statistics::{Counts, IoCounts, IoKey, Percentiles};

const STRAY: &str = "the row is an RDMA operation that belongs to no request";
const UNANSWERED: &str = "no answer was seen";
const NO_DATA: &str = "no Read or Write moved its data";
const NO_TIMES: &str = "it was not seen, or the capture has no times";

record_columns! {
    /// The columns of I/Os.
    IOS: IoRecord, |record| record.connection, record.io.requester;
    io: U64 = Some(record.io.number).filter(|number| *number > 0),
        "Its number in the connection, from 1 in the order of the requests" .null(STRAY);
    protocol: Text = record.io.ulp.name(), "The upper layer protocol: `rpcordma`, `nvme-rdma`, `iser`, `smb_direct`";
    operation: Text = record.io.operation.to_string(), "What it does, in the protocol's words, such as `NFS READ`, `Write`, `Read(10)`";
    object: Text = Some(record.io.object.clone()).filter(|object| !object.is_empty()),
        "What it is about: a range of a namespace or of a logical unit, a file" .null("it names nothing");
    identifier: U64 = record.io.requested.map(|_| record.io.identifier),
        "XID, command identifier, initiator task tag or message ID" .null(STRAY);
    access: Text = record.io.access.map(<&str>::from), "Which way its data goes: `read` to the requester, `write` from it"
        .null("it has none");
    length: U64 = record.io.length, "Data that it asks to move" .unit("bytes").null("it does not say");
    inline_bytes: U64 = record.io.bytes.inline(), "Its data in Sends" .unit("bytes");
    read_bytes: U64 = record.io.bytes.read, "Data that RDMA Reads moved out of the requester's memory" .unit("bytes");
    written_bytes: U64 = record.io.bytes.written, "Data that RDMA Writes moved into the requester's memory" .unit("bytes");
    operations: U32 = record.io.operations.len() as u32, "RDMA operations that moved it, 4096 at most";
    first_operation: U64 = record.io.operations.first().copied(), "The first of them: `operation` in the table of operations" .null(NO_DATA);
    depth: U32 = record.io.requested.map(|_| record.io.depth),
        "Requests of that side without an answer when it was sent, itself included" .null(STRAY);
    request_frame: U64 = record.io.requested.map(|mark| mark.frame), "The frame that completed the request" .null(STRAY);
    request_time: Time = record.io.requested.and_then(|mark| mark.time), "When that was captured" .unit("ns").null(NO_TIMES);
    first_data_frame: U64 = record.io.data.map(|(first, _)| first.frame),
        "The frame of the first DDP segment that moved its data" .null(NO_DATA);
    first_data_time: Time = record.io.data.and_then(|(first, _)| first.time), "When that was captured" .unit("ns").null(NO_TIMES);
    last_data_frame: U64 = record.io.data.map(|(_, last)| last.frame), "The frame of the last of them" .null(NO_DATA);
    last_data_time: Time = record.io.data.and_then(|(_, last)| last.time), "When that was captured" .unit("ns").null(NO_TIMES);
    completion_frame: U64 = record.io.completed.map(|mark| mark.frame), "The frame that completed the answer" .null(UNANSWERED);
    completion_time: Time = record.io.completed.and_then(|mark| mark.time), "When that was captured" .unit("ns").null(NO_TIMES);
    status: Text = record.io.status.as_ref().map_or(Value::Null, |status| status.words.to_string().into()),
        "How it was answered, in the protocol's words" .null(UNANSWERED);
    status_code: U32 = record.io.status.as_ref().map(|status| status.code), "The protocol's number for that" .null(UNANSWERED);
    failed: Flag = record.io.status.as_ref().map(|status| status.failed), "True when it was not carried out" .null(UNANSWERED);
    latency: I64 = record.io.latency(), "From the request to the answer" .unit("ns").null(NO_TIMES);
    waiting: I64 = record.io.waiting(), "From the request to the first data; to the answer where Reads and Writes moved none" .unit("ns").null(NO_TIMES);
    moving: I64 = record.io.moving(), "From the first to the last segment of data" .unit("ns").null(NO_DATA);
    completion: I64 = record.io.completion(), "From the last segment of data to the answer" .unit("ns").null(NO_DATA);
    complete: Flag = record.io.whole, "False when part of it was not captured";
    unexplained: Text = record.io.unexplained, "Why an RDMA operation belongs to no request" .null("it does");
}

/// The I/Os of one operation.
#[derive(Debug, Clone)]
pub struct IoRow {
    key: IoKey,
    counts: IoCounts,
    latency: Option<Percentiles>,
}

impl IoRow {
    /// Returns the rows of a capture.
    pub fn of_counts(counts: &Counts) -> Vec<Self> {
        let rows = counts.ios.rows().map(|(key, row)| Self {
            key: key.clone(),
            counts: row.clone(),
            latency: row.latency(),
        });
        rows.collect()
    }

    fn operation(&self) -> String {
        match (self.key.operation.as_ref(), self.key.unexplained) {
            ("", _) => "others".to_owned(),
            (operation, false) => operation.to_owned(),
            (operation, true) => format!("{operation} of no request"),
        }
    }

    fn part(&self, index: usize) -> Option<u64> {
        self.counts.means().and_then(|means| means.get(index).copied())
    }
}

fn span_of(part: Option<u64>) -> String {
    span(part.and_then(|part| i64::try_from(part).ok()))
}

latency_columns! {
    /// The columns of I/Os, by operation.
    IO_COUNTS: IoRow, |row| {
        protocol: Text = row.key.ulp.name(), "The upper layer protocol: `rpcordma`, `nvme-rdma`, `iser`, `smb_direct`"
            .heading("protocol", 2);
        operation: Text = row.operation(), "What they do, in the protocol's words" .heading("operation", 0);
        unexplained: Flag = row.key.unexplained, "True for RDMA operations that belong to no request";
        ios: U64 = row.counts.ios, "How many" .heading("I/Os", 0);
        failed: U64 = row.counts.failed, "How many were answered but not carried out"
            .heading("failed", 0).sparse().tone(|_| Tone::Warning);
        unanswered: U64 = row.counts.unanswered, "How many had no answer" .heading("unanswered", 3).sparse();
        inline_bytes: U64 = row.counts.bytes.inline(), "Their data in Sends"
            .unit("bytes").heading("inline", 4).sparse();
        read_bytes: U64 = row.counts.bytes.read, "What RDMA Reads moved out of the requesters' memory"
            .unit("bytes").heading("by Read", 2).sparse();
        written_bytes: U64 = row.counts.bytes.written, "What RDMA Writes moved into the requesters' memory"
            .unit("bytes").heading("by Write", 2).sparse();
        in_flight: U32 = row.counts.most_in_flight, "The most requests of a side in flight when one was sent"
            .heading("in flight", 5);
    } {
        waiting_mean: U64 = row.part(0), "The mean time from the request to the first data, for those whose data moved by Read or Write"
            .unit("ns").null(NO_PARTS).heading("waiting", 3).text(|row, _| span_of(row.part(0)));
        moving_mean: U64 = row.part(1), "The mean time from the first to the last segment of data"
            .unit("ns").null(NO_PARTS).heading("data", 3).text(|row, _| span_of(row.part(1)));
        completion_mean: U64 = row.part(2), "The mean time from the last segment of data to the answer"
            .unit("ns").null(NO_PARTS).heading("completion", 3).text(|row, _| span_of(row.part(2)));
    }
}

const NO_PARTS: &str = "no Read or Write moved their data, or the capture has no times";
