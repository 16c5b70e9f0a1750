//! What the captures must show, stated from their plans.

/// Send, Write of three segments, Read Request; Read Response of two segments, Send.
const MIXED: &str = "Send=2 Write=1 ReadRequest=1 ReadResponse=1 Good=8";

/// Captures that begin after the beginning of their streams.
pub const BEGIN_LATE: [&str; 2] = ["mid-connection-markers", "mid-connection-plain"];

/// A capture; connections with any iWARP item, setup frames and FPDUs; and what these hold, as
/// `Seen::words` has it. Markers are looked at where the plan says how many.
pub const TABLE: &[(&str, [usize; 3], &str)] = &[
    ("markers-both", [1, 2, 8], MIXED),
    // CRC fields are zero: neither side wants CRCs.
    ("markers-initiator-only", [1, 2, 8], "Send=2 Write=1 ReadRequest=1 ReadResponse=1 NotInUse=8"),
    // One side's C is enough.
    ("markers-responder-only", [1, 2, 8], MIXED),
    // Markers at 0, 512, 1024 and, of the responder, at 0.
    ("fpdu-ends-on-512", [1, 2, 4], "Write=3 Send=1 Good=4 markers=4"),
    // Markers at 0 and 512 of each side.
    ("marker-between-pad-and-crc", [1, 2, 4], "Write=2 Send=2 Good=4 markers=4"),
    // Markers at 0, 512, 1024, 1536 and 2048.
    ("marker-in-headers", [1, 2, 5], "Write=3 Send=2 Good=5 markers=5"),
    // 20 FPDUs of 84 bytes, 1680 bytes, and markers at 0, 512, 1024 and 1536, of each side.
    ("packed-markers", [1, 2, 40], "Send=40 Good=40 markers=8"),
    // 10000 bytes in segments of 1428 are eight more FPDUs.
    ("sequence-wrap", [1, 2, 16], "Send=2 Write=2 ReadRequest=1 ReadResponse=1 Good=16"),
    // FPDUs of 124, 1020 and 724 bytes, and markers at 0, 512, 1024 and 1536.
    ("bad-marker", [1, 2, 3], "Send=2 Write=1 Good=3 markers=4 marker_mismatches=1"),
    ("reordered", [1, 2, 8], MIXED),
    // Two setup frames and one Send of 28 connections.
    ("split-setup", [28, 56, 28], "Send=28 Good=28"),
    // Five Sends, a Write and a Read of no bytes; seven Sends of the responder.
    ("setup-variants", [7, 14, 15], "Send=12 Write=1 ReadRequest=1 ReadResponse=1 Good=15"),
    // Two requests and one reply; 30 bytes after each request.
    ("garbage-after-request", [2, 3, 0], "BehindSetup=60"),
    ("reject", [1, 2, 0], ""),
    // Four times the mixed exchange.
    ("several-connections", [4, 8, 32], "Send=8 Write=4 ReadRequest=4 ReadResponse=4 Good=32"),
    ("one-byte-segments", [1, 2, 2], "Send=2 Good=2 markers=4"),
    // 150000 bytes in segments of 64754 are three FPDUs, 100000 are two.
    ("large-fpdus", [1, 2, 6], "Write=1 ReadRequest=1 ReadResponse=1 Good=6"),
    ("bad-crc", [1, 2, 6], "Send=4 Write=2 Good=4 Bad=2"),
    ("ipv6", [1, 2, 8], MIXED),
    ("fragments", [1, 2, 8], MIXED),
    ("vlan", [2, 4, 16], "Send=4 Write=2 ReadRequest=2 ReadResponse=2 Good=16"),
    ("not-iwarp", [0, 0, 0], ""),
    ("pcapng-two-interfaces", [1, 2, 8], MIXED),
    (
        "rfc7306",
        [1, 2, 9],
        "AtomicRequest=3 AtomicResponse=3 Immediate=2 ImmediateSolicited=1 Good=9",
    ),
    // A Send with Immediate of 3000 bytes is four FPDUs, one of 300 is two, the Read V2 Response two.
    (
        "ext-v2",
        [1, 2, 15],
        "Send=1 ReadV2Request=1 ReadV2Response=1 SendImmediate=1 SendInvalidateImmediate=1 \
         SendSolicitedImmediate=1 SendSolicitedInvalidateImmediate=1 Immediate=1 Good=15",
    ),
    (
        "commit",
        [1, 2, 11],
        "Write=1 FlushRequest=2 FlushResponse=2 VerifyRequest=2 VerifyResponse=2 \
         AtomicWriteRequest=1 AtomicWriteResponse=1 Good=11",
    ),
    // RDMAP has 1 + 7 + 6 codes, DDP 1 + 5 + 6, MPA 7; and M alone, D alone.
    ("terminate-all", [35, 70, 70], "Send=22 Write=6 ReadRequest=7 Terminate=35 Good=70"),
    ("terminate-swapped", [3, 6, 6], "Send=1 Write=1 ReadRequest=1 Terminate=3 Good=6"),
    // Nine calls, one of three segments; eight replies; Reads of 2000 and 3000 bytes, Writes of
    // 1500, 500 and 4000: 11 + 8 + 2 + 5 + 6 FPDUs. Six calls and five replies are RDMA_MSG.
    (
        "rpcordma",
        [1, 2, 32],
        "Send=16 SendInvalidate=1 ReadRequest=2 ReadResponse=2 Write=3 Good=32 \
         rdma_proc0=11 rdma_proc1=2 rdma_proc2=1 rdma_proc3=1 rdma_proc4=2",
    ),
    // The mixed exchange without its first FPDU, a Send: a marker and 2 + 18 + 100 + 4 bytes.
    (
        "first-fpdu-missing",
        [1, 2, 7],
        "Send=1 Write=1 ReadRequest=1 ReadResponse=1 Good=7 Gap(NotCaptured)=128",
    ),
    (
        "first-fpdu-missing-plain",
        [1, 2, 7],
        "Send=1 Write=1 ReadRequest=1 ReadResponse=1 Good=7 Gap(NotCaptured)=124",
    ),
    // 20000 bytes in segments of 1428 are 15 FPDUs. The capture begins at position 1000, the second
    // FPDU at 1460. The Send is the responder's.
    ("mid-connection-markers", [1, 0, 15], "Write=1 Send=1 Good=15 BeforeBoundary=460"),
    // 20000 bytes in segments of 1440 are 14 FPDUs.
    ("mid-connection-plain", [1, 0, 14], "Write=1 Send=1 Good=14 BeforeBoundary=460"),
    // The first FPDUs take 1460 bytes each. The hole from 3000 to 4000 is in the third alone; the
    // one from 5000 to 6000 takes the end of the fourth, and 160 bytes of the fifth, the rest of
    // which is of no use.
    (
        "lost-segment-markers",
        [1, 2, 14],
        "Write=1 Good=12 Unchecked=2 Gap(NotCaptured)=160 BeforeBoundary=1300",
    ),
    (
        "lost-segment-plain",
        [1, 2, 13],
        "Write=1 Good=11 Unchecked=2 Gap(NotCaptured)=160 BeforeBoundary=1300",
    ),
    // The shortest FPDU, of the Read Request, has 52 bytes; 42 are captured.
    ("snap-96", [1, 2, 8], "Send=2 Write=1 ReadRequest=1 ReadResponse=1 Unchecked=8"),
    // 146 bytes are captured: FPDUs of 124, 140 and 52 are whole.
    ("snap-200", [1, 2, 8], "Send=2 Write=1 ReadRequest=1 ReadResponse=1 Good=3 Unchecked=5"),
];
