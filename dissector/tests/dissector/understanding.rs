//! What the messages of the captures mean together: operations, Terminates, exchanges.

use crate::prelude::*;
use warpscope_dissector::operation::{Cause, Echo, Event, Operation, Outcome, Reading, explain};
use warpscope_dissector::tree::explanation;
use warpscope_dissector::ulp::rpc::{CallRecord, ChunkKind, ChunkUse, RpcKind};

// RPC messages are put together, and every byte of their chunks is accounted for.

/// Captures of NFS over RDMA.
const NFS: [&str; 3] = [
    "captures/g-nfs-v3-cut.pcap.zst",
    "captures/g-nfs-v4.1-cut.pcap.zst",
    "captures/j3-mid-nfs.pcap.zst",
];

fn is_read(kind: ChunkKind) -> bool {
    matches!(kind, ChunkKind::Read { .. })
}

/// What a call offers to be read has been read when the call is complete, what a reply says was
/// written has been written, and the operations named are those that moved it.
#[test]
fn every_chunk_byte_is_accounted_for_to_an_operation() {
    for file in NFS {
        let seen = see(file);
        let moved =
            |it: &SeenOperation| ((it.connection, it.operation.number), it.operation.bytes());
        let moved: HashMap<(u32, u64), u64> = seen.operations.iter().map(moved).collect();
        let mut chunks = 0;
        for rpc in seen.rpcs.iter().filter(|rpc| rpc.whole) {
            let used = rpc.chunks.iter().filter(|chunk| match rpc.kind {
                RpcKind::Call => is_read(chunk.kind),
                RpcKind::Reply | RpcKind::Error => !is_read(chunk.kind),
            });
            for chunk in used {
                chunks += 1;
                let place = format!("{file} XID {:#010x}", rpc.xid);
                assert_eq!(chunk.moved, u64::from(chunk.returned), "{place}");
                let by: u64 =
                    chunk.operations.iter().map(|number| moved[&(rpc.connection, *number)]).sum();
                assert!(by >= chunk.moved, "{place}: {by} of {}", chunk.moved);
            }
        }
        assert!(chunks >= 10, "{file}: {chunks} chunks");
        // The bytes that a reply has from write chunks are as many as it says were returned.
        let replies = seen.rpcs.iter().filter(|rpc| rpc.kind == RpcKind::Reply && rpc.whole);
        for reply in replies {
            let written: usize = reply.write_chunks.iter().map(Vec::len).sum();
            let writes = reply.chunks.iter().filter(|c| matches!(c.kind, ChunkKind::Write { .. }));
            let returned: u32 = writes.map(|chunk| chunk.returned).sum();
            assert_eq!(written, returned as usize, "{file} XID {:#010x}", reply.xid);
        }
    }
}

/// The bytes of all Reads and Writes of a whole mount are those of the chunks, and no others.
#[test]
fn no_read_or_write_is_left_without_a_chunk() {
    for file in ["captures/g-nfs-v3-cut.pcap.zst", "captures/g-nfs-v4.1-cut.pcap.zst"] {
        let seen = see(file);
        let used: std::collections::HashSet<(u32, u64)> = seen
            .rpcs
            .iter()
            .flat_map(|rpc| rpc.chunks.iter().map(move |chunk| (rpc.connection, chunk)))
            .flat_map(|(connection, chunk)| {
                chunk.operations.iter().map(move |number| (connection, *number))
            })
            .collect();
        use warpscope_dissector::operation::OperationKind::{Read, Write};
        let last = seen.rpcs.iter().filter_map(|rpc| rpc.call.as_ref()?.completed).max();
        let left: Vec<_> = seen
            .that("completed")
            .filter(|one| matches!(one.operation.kind, Read | Write) && one.operation.bytes() > 0)
            // What the end of the capture leaves without its reply is not reported.
            .filter(|one| Some(one.operation.request.last_frame) < last.map(|(frame, _)| frame))
            .filter(|one| !used.contains(&(one.connection, one.operation.number)))
            .map(|one| one.operation.request.last_frame)
            .collect();
        assert_eq!(left, [0; 0], "{file}");
    }
}

/// Calls and replies are as many as tshark's two passes find, and each reply has its call.
#[test]
fn replies_find_their_calls() {
    for (file, calls, replies) in
        [("captures/g-nfs-v3-cut.pcap.zst", 35, 35), ("captures/g-nfs-v4.1-cut.pcap.zst", 37, 36)]
    {
        let seen = see(file);
        let of = |kind: RpcKind| seen.rpcs.iter().filter(move |rpc| rpc.kind == kind);
        assert_eq!(of(RpcKind::Call).count(), calls, "{file}");
        assert_eq!(of(RpcKind::Reply).count(), replies, "{file}");
        assert!(of(RpcKind::Reply).all(|reply| reply.call.is_some()), "{file}");
        let unlike = |rpc: &&SeenRpc| rpc.message.get(..4) != Some(&rpc.xid.to_be_bytes());
        assert_eq!(seen.rpcs.iter().filter(unlike).count(), 0, "{file}");
    }
}

// Requests are matched with their responses.

fn completed(seen: &Seen) -> BTreeMap<OperationKind, usize> {
    let mut counts = BTreeMap::new();
    for seen in seen.that("completed") {
        *counts.entry(seen.operation.kind).or_default() += 1;
    }
    counts
}

/// 46 Read Requests (traces/README.md), all of them answered in their order, with as many bytes as
/// they asked for.
#[test]
fn every_read_is_answered() {
    let seen = see("captures/f1-operations-stock.pcap.zst");
    let reads: Vec<_> =
        seen.that("completed").filter(|seen| seen.operation.kind == OperationKind::Read).collect();
    assert_eq!(reads.len(), 46);
    assert_eq!(seen.that("requested").count(), 46);
    for read in &reads {
        let operation = &read.operation;
        let response = operation.response.unwrap();
        assert_eq!(Some(response.bytes), operation.expected);
        assert_eq!(operation.overtook, 0);
        assert_eq!(operation.outcome, Outcome::Completed);
        assert!(operation.whole);
        assert!(operation.latency().unwrap() >= operation.first_byte().unwrap());
        assert!(operation.first_byte().unwrap() > 0);
        assert!(u64::from(operation.depth) <= u64::from(read.depth_limit.unwrap()));
    }
    // One connection with ORD 2, and one with 16, whose first responses come before its last requests.
    let deepest = |limit: u16| {
        let of = reads.iter().filter(|read| read.depth_limit == Some(limit));
        of.map(|read| read.operation.depth).max()
    };
    assert_eq!(deepest(2), Some(2));
    assert!(deepest(16) > Some(2));
    assert_eq!(seen.that("unsolicited").count(), 0);
    assert_eq!(seen.that("abandoned").count(), 0);
}

/// Every request of the extensions has its response.
#[test]
fn extensions_are_matched() {
    for (file, kind) in [
        ("synthetic/rfc7306.pcap", OperationKind::Atomic),
        ("synthetic/commit.pcap", OperationKind::Flush),
        ("synthetic/commit.pcap", OperationKind::Verify),
        ("synthetic/commit.pcap", OperationKind::AtomicWrite),
        ("synthetic/ext-v2.pcap", OperationKind::ReadV2),
    ] {
        let seen = see(file);
        let asked = seen.that("requested").filter(|seen| seen.operation.kind == kind).count();
        assert!(asked > 0, "{file} has no {}", kind.name());
        assert_eq!(completed(&seen).get(&kind), Some(&asked), "{file} {}", kind.name());
    }
}

/// With loss and reordering, requests still find their responses.
#[test]
fn loss_on_the_link_loses_no_match() {
    let seen = see("captures/i1-netem-loss-reorder.pcap.zst");
    let asked = seen.that("requested").count();
    let lost = seen.that("abandoned").count();
    assert_eq!(completed(&seen)[&OperationKind::Read] + lost, asked);
    assert_eq!(seen.that("unsolicited").count(), 0);
    let again: u64 = seen.that("completed").map(|seen| seen.operation.request.repeated).sum();
    assert!(again > 0, "some of the Writes were sent again");
}

/// A capture that starts in mid-connection: no request is taken for another's.
#[test]
fn a_late_start_invents_nothing() {
    let seen = see("captures/j1-mid-connection.pcap");
    assert!(seen.operations.iter().all(|seen| seen.operation.kind == OperationKind::Write
        || seen.happened != "completed"
        || seen.operation.whole));
    assert!(completed(&seen)[&OperationKind::Write] > 0);
}

// Runs a shipped capture through the pipeline and keeps what was found.

/// An operation, in its connection, and what happened.
#[derive(Debug, Clone)]
struct SeenOperation {
    connection: u32,
    happened: &'static str,
    operation: Operation,
    /// The limit of requests in flight.
    depth_limit: Option<u16>,
    /// The frame of the segment that a Terminate refuses.
    cause: Option<u64>,
    explanation: Option<String>,
}

/// An RPC message.
#[derive(Debug, Clone)]
struct SeenRpc {
    connection: u32,
    kind: RpcKind,
    xid: u32,
    whole: bool,
    message: Vec<u8>,
    write_chunks: Vec<Vec<u8>>,
    chunks: Vec<ChunkUse>,
    call: Option<CallRecord>,
}

/// Everything that was found.
#[derive(Debug, Default)]
struct Seen {
    operations: Vec<SeenOperation>,
    rpcs: Vec<SeenRpc>,
}

impl Sink for Seen {
    fn item(&mut self, context: &ItemContext<'_>, item: &Item<'_>) {
        let connection = context.connection.number;
        match item {
            Item::Operation(item) => {
                let happened = match item.event {
                    Event::Requested => "requested",
                    Event::Completed => "completed",
                    Event::Abandoned => "abandoned",
                    Event::Terminated(..) => "terminated",
                    Event::Refused(_) => "refused",
                    Event::Unsolicited => "unsolicited",
                };
                let mut cause = None;
                if let Event::Terminated(it, _) = item.event {
                    cause = it.segment.map(|segment| segment.frame);
                }
                self.operations.push(SeenOperation {
                    connection,
                    happened,
                    operation: *item.operation,
                    depth_limit: context.negotiation.depth(item.operation.requester),
                    cause,
                    explanation: explanation(context, item, Echo::Reported),
                });
            }
            Item::Rpc(item) | Item::PlainRpc(item) => self.rpcs.push(SeenRpc {
                connection,
                kind: item.kind,
                xid: item.xid,
                whole: item.whole,
                message: item.message.to_vec(),
                write_chunks: item.write_chunks.iter().map(|chunk| chunk.to_vec()).collect(),
                chunks: item.chunks.to_vec(),
                call: item.call.copied(),
            }),
            _ => {}
        }
    }
}

/// Reads a capture of `traces/`.
fn see(file: &str) -> Seen {
    let mut seen = Seen::default();
    run(&traces().join(file), &mut seen);
    seen
}

impl Seen {
    /// The operations that something happened to.
    fn that(&self, happened: &str) -> impl Iterator<Item = &SeenOperation> {
        self.operations.iter().filter(move |seen| seen.happened == happened)
    }
}

// Every Terminate of the captures names the message that it refuses, and for what.

/// The connection of e1-terminate-stock, the message that its test provoked with, and words that
/// must be in the sentence: from the log of the programs, not from the capture.
const DELIBERATE: [(u32, &str, &str); 17] = [
    (0, "Write", "no memory is registered there under its STag"),
    (1, "Write", "no memory is registered there under its STag"),
    (2, "Write", "its 256 bytes at TO"),
    (3, "Write", "its 256 bytes at TO"),
    (4, "Write", "run past the largest offset"),
    (5, "Read Request", "no memory is registered there under its Source STag"),
    (6, "Read Request", "no memory is registered there under its Source STag"),
    (7, "Read Request", "its 256 bytes at TO"),
    // Memory without the right to be written: siw calls the STag invalid.
    (11, "Write", "STag"),
    (12, "Write", "STag"),
    // Memory of another protection domain.
    (15, "Write", "is not for use on this stream"),
    (16, "Read Request", "is not for use on this stream"),
    // No receive posted, and receives of 64 bytes for 4096 and 65.
    (17, "Send", "no receive buffer"),
    (18, "Send", "no receive buffer"),
    (19, "Send", "no receive buffer"),
    (20, "Write", "do not lie within the memory"),
    (21, "Read Request", "its 20000 bytes at TO"),
];

#[test]
fn each_deliberate_error_is_told_in_a_sentence() {
    let seen = see("captures/e1-terminate-stock.pcap");
    let terminates: Vec<_> = seen.that("terminated").collect();
    assert_eq!(terminates.len(), DELIBERATE.len());
    for (terminate, (connection, message, words)) in terminates.iter().zip(DELIBERATE) {
        assert_eq!(terminate.connection, connection);
        let sentence = terminate.explanation.as_ref().unwrap();
        let frame = terminate.cause.unwrap();
        let begin = format!(
            "the responder 10.66.0.1 refuses the {message} of the initiator 10.66.0.2 in frame {frame} "
        );
        assert!(sentence.starts_with(&begin), "{connection}: {sentence}");
        assert!(sentence.contains(words), "{connection}: {sentence}");
    }
}

/// siw echoes a segment length without the header's 18 bytes or 14, and the read's size as MSN.
#[test]
fn what_is_echoed_wrongly_is_told() {
    let seen = see("captures/e1-terminate-stock.pcap");
    let sentences: Vec<_> =
        seen.that("terminated").filter_map(|seen| seen.explanation.clone()).collect();
    assert!(sentences[0].ends_with("it echoes DDP segment length 256, but the segment had 270"));
    assert!(sentences[16].ends_with("it echoes MSN 20000, but the segment had 1"));
}

/// Requests that a Terminate refuses are reported, and wait no longer.
#[test]
fn refused_requests_are_followed_no_more() {
    let seen = see("captures/e1-terminate-stock.pcap");
    let refused: Vec<_> = seen.that("refused").map(|seen| seen.connection).collect();
    assert_eq!(refused, [5, 6, 7, 16, 21]);
}

/// A Terminate for each defined error, each after one message: those that echo a header name the
/// frame before theirs, those of MPA and of local catastrophes name none.
#[test]
fn synthetic_terminates_name_the_frame_before() {
    let seen = see("synthetic/terminate-all.pcap");
    let mut named = 0;
    for terminate in seen.that("terminated") {
        let frame = terminate.operation.request.first_frame;
        let sentence = terminate.explanation.as_ref().unwrap();
        match terminate.cause {
            Some(cause) => {
                named += 1;
                assert_eq!(cause + 1, frame, "{sentence}");
                assert!(sentence.contains(" refuses the "), "{sentence}");
            }
            None => assert!(sentence.contains(" gives up the stream"), "{sentence}"),
        }
    }
    // 24 errors that echo a header, and one more whose segment length is wrong.
    assert_eq!(named, 25);
}

/// What a Terminate of four bytes says by RFC 5040 figure 8, and what it says if each byte is filled
/// from its low end (siw). Where a document defines only one of them, that is meant.
#[test]
fn a_terminate_without_headers_is_read_as_it_makes_sense() {
    let explained = |bytes: [u8; 4]| {
        let view = warpscope_wire::rdmap::TerminateView::parse(&bytes).unwrap();
        let reading = Reading::of(&view);
        (reading.swapped, explain(&reading, &Cause::default(), "A", "B", Echo::Left))
    };
    // Layer 2 (LLP), type 0, code 2: the CRC.
    for (bytes, swapped) in [([0x20, 2, 0, 0], false), ([0x02, 2, 0, 0], true)] {
        let (other, text) = explained(bytes);
        assert_eq!(other, swapped, "{text}");
        assert!(text.contains("the CRC of an FPDU did not match"), "{text}");
        assert!(!text.contains(" or "), "{text}");
    }
    // No matching RTR by the figure, a catastrophic error of RDMAP the other way.
    let (swapped, text) = explained([0x20, 7, 0, 0]);
    assert!(!swapped);
    assert!(text.contains("; or RDMA") && !text.contains("no Ready-To-Receive"), "{text}");
    // Both nibbles alike, and bytes that have no meaning either way.
    assert!(!explained([0, 0, 0, 0]).1.contains(" or "));
    assert!(!explained([0x35, 0, 0, 0]).0);
}

/// Of version 2 only what all versions share is read (RFC 8166 sections 4.2 and 7): no chunk, no
/// RPC message. The ERR_VERS that answers it is still that of its XID.
#[test]
fn another_version_of_rpc_over_rdma_is_not_read_as_version_1() {
    let seen = see("synthetic/rpcordma.pcap");
    assert!(!seen.rpcs.iter().any(|rpc| rpc.xid == 9 && rpc.kind == RpcKind::Call));
    let refused = seen.rpcs.iter().find(|rpc| rpc.xid == 9).unwrap();
    assert_eq!(refused.kind, RpcKind::Error);
    assert!(refused.call.is_some());
}
