//! The table of I/Os.

use super::column::{Value, columns};
use super::records::record_columns;
use crate::record::IoRecord;

const STRAY: &str = "the row is an RDMA operation that belongs to no request";
const UNANSWERED: &str = "no answer was seen";
const NO_DATA: &str = "no Read or Write moved data of it";
const NO_TIMES: &str = "it was not seen, or the capture has no times";

record_columns! {
    /// The columns of I/Os.
    IOS: IoRecord, |record| record.connection, record.io.requester;
    io: U64 = Some(record.io.number).filter(|number| *number > 0),
        "Its number in the connection, from 1 in the order of the requests" .null(STRAY);
    protocol: Text = record.io.ulp.name(), "The upper layer protocol: `rpcordma`, `nvme-rdma`, `iser`, `smb_direct`";
    operation: Text = record.io.operation.to_string(), "What it does, in the protocol's words, as `NFS READ`, `Write`, `Read(10)`";
    object: Text = Some(record.io.object.clone()).filter(|object| !object.is_empty()),
        "What it is about: a range of a namespace or of a logical unit, a file" .null("it names nothing");
    identifier: U64 = record.io.requested.map(|_| record.io.identifier),
        "XID, command identifier, initiator task tag or message ID" .null(STRAY);
    access: Text = record.io.access.map(<&str>::from), "Which way its data goes: `read` to the requester, `write` from it"
        .null("it has none");
    length: U64 = record.io.length, "Data that it asks to move" .unit("bytes").null("it says none");
    inline_bytes: U64 = record.io.bytes.inline_out + record.io.bytes.inline_in, "Data of it in Sends" .unit("bytes");
    read_bytes: U64 = record.io.bytes.read, "Data that RDMA Reads moved out of the requester's memory" .unit("bytes");
    written_bytes: U64 = record.io.bytes.written, "Data that RDMA Writes moved into the requester's memory" .unit("bytes");
    operations: U32 = record.io.operations.len() as u32, "RDMA operations that moved it, 4096 at most";
    first_operation: U64 = record.io.operations.first().copied(), "The first of them: `operation` in the table of operations" .null(NO_DATA);
    depth: U32 = record.io.requested.map(|_| record.io.depth),
        "Requests of that side without an answer when it was sent, itself counted" .null(STRAY);
    request_frame: U64 = record.io.requested.map(|mark| mark.frame), "The frame that completed the request" .null(STRAY);
    request_time: Time = record.io.requested.and_then(|mark| mark.time), "When that was captured" .unit("ns").null(NO_TIMES);
    first_data_frame: U64 = record.io.data.map(|(first, _)| first.frame),
        "The frame of the first DDP segment that moved data of it" .null(NO_DATA);
    first_data_time: Time = record.io.data.and_then(|(first, _)| first.time), "When that was captured" .unit("ns").null(NO_TIMES);
    last_data_frame: U64 = record.io.data.map(|(_, last)| last.frame), "The frame of the last of them" .null(NO_DATA);
    last_data_time: Time = record.io.data.and_then(|(_, last)| last.time), "When that was captured" .unit("ns").null(NO_TIMES);
    completion_frame: U64 = record.io.completed.map(|mark| mark.frame), "The frame that completed the answer" .null(UNANSWERED);
    completion_time: Time = record.io.completed.and_then(|mark| mark.time), "When that was captured" .unit("ns").null(NO_TIMES);
    status: Text = record.io.status.as_ref().map_or(Value::Null, |status| status.words.to_string().into()),
        "How it was answered, in the protocol's words" .null(UNANSWERED);
    status_code: U32 = record.io.status.as_ref().map(|status| status.code), "The protocol's number of that" .null(UNANSWERED);
    failed: Flag = record.io.status.as_ref().map(|status| status.failed), "True when it was not carried out" .null(UNANSWERED);
    latency: I64 = record.io.latency(), "From the request to the answer" .unit("ns").null(NO_TIMES);
    waiting: I64 = record.io.waiting(), "From the request to the first data; to the answer where Reads and Writes moved none" .unit("ns").null(NO_TIMES);
    moving: I64 = record.io.moving(), "From the first to the last segment of data" .unit("ns").null(NO_DATA);
    completion: I64 = record.io.completion(), "From the last segment of data to the answer" .unit("ns").null(NO_DATA);
    complete: Flag = record.io.whole, "False when something of it was not captured";
    unexplained: Text = record.io.unexplained, "Why an RDMA operation belongs to no request" .null("it does");
}
