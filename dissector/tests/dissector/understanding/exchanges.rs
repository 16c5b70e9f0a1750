//! RPC messages are put together, and every byte of their chunks is accounted for.

use super::seen::{Happened, Seen, SeenRpc, see};
use std::collections::HashMap;
use warpscope_dissector::rpc::{ChunkKind, RpcKind};

/// Captures of NFS over RDMA.
const NFS: [&str; 3] = [
    "captures/g-nfs-v3-cut.pcap.zst",
    "captures/g-nfs-v4.1-cut.pcap.zst",
    "captures/j3-mid-nfs.pcap.zst",
];

/// Bytes that each operation of a connection moved.
fn moved_by(seen: &Seen) -> HashMap<(u32, u64), u64> {
    let operations = seen.operations.iter();
    operations
        .map(|seen| ((seen.connection, seen.operation.number), seen.operation.bytes()))
        .collect()
}

fn is_read(kind: ChunkKind) -> bool {
    matches!(kind, ChunkKind::Read { .. })
}

/// What a call offers to be read has been read when the call is complete, what a reply says was
/// written has been written, and the operations named are those that moved it.
#[test]
fn every_chunk_byte_is_accounted_for_to_an_operation() {
    for file in NFS {
        let seen = see(file);
        let moved = moved_by(&seen);
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
    }
}

/// The bytes that a reply has from write chunks are as many as it says were returned.
#[test]
fn replies_have_what_was_written() {
    for file in NFS {
        let seen = see(file);
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
            .that(Happened::Completed)
            .filter(|one| matches!(one.operation.kind, Read | Write) && one.operation.bytes() > 0)
            // What the end of the capture leaves without its reply is not told of.
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
