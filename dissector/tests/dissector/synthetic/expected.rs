//! What the captures without losses must show, stated from their plans.

use super::observed::Seen;
use std::collections::{BTreeMap, HashMap};
use std::fmt::Debug;
use warpscope_dissector::mpa::{CrcVerdict, SkipReason};
use warpscope_dissector::stream::GapReason;
use warpscope_wire::rdmap::Message;

/// What a capture must show.
#[derive(Debug)]
pub struct Expected {
    pub name: &'static str,
    /// Connections with any iWARP item.
    pub connections: usize,
    pub setup_frames: usize,
    pub fpdus: usize,
    /// Messages whose last segment came.
    pub messages: &'static [(Message, usize)],
    pub verdicts: &'static [(CrcVerdict, usize)],
    /// Bytes.
    pub skipped: &'static [(SkipReason, u64)],
    /// Markers, where the plan says how many.
    pub markers: Option<usize>,
    pub marker_mismatches: usize,
    /// RPC-over-RDMA messages by procedure.
    pub transports: &'static [(u32, usize)],
    /// The capture begins after the beginning of the streams.
    pub begins_late: bool,
}

/// One connection, opened by two setup frames, of which nothing else is stated.
pub const ONE: Expected = Expected {
    name: "",
    connections: 1,
    setup_frames: 2,
    fpdus: 0,
    messages: &[],
    verdicts: &[],
    skipped: &[],
    markers: None,
    marker_mismatches: 0,
    transports: &[],
    begins_late: false,
};

/// Send, Write of three segments, Read Request; Read Response of two segments, Send.
pub const MIXED: Expected =
    Expected { fpdus: 8, messages: MIXED_MESSAGES, verdicts: &[(CrcVerdict::Good, 8)], ..ONE };

pub const MIXED_MESSAGES: &[(Message, usize)] = &[
    (Message::Send, 2),
    (Message::Write, 1),
    (Message::ReadRequest, 1),
    (Message::ReadResponse, 1),
];

impl Expected {
    /// What differs, in words.
    pub fn differences(&self, seen: &Seen) -> Vec<String> {
        let mut wrong = Vec::new();
        differ("connections", &self.connections, &seen.connections.len(), &mut wrong);
        differ("setup frames", &self.setup_frames, &seen.setup_frames, &mut wrong);
        differ("FPDUs", &self.fpdus, &seen.fpdus, &mut wrong);
        let messages: BTreeMap<_, _> = self.messages.iter().copied().collect();
        differ("messages", &messages, &seen.messages, &mut wrong);
        let verdicts: HashMap<_, _> = self.verdicts.iter().copied().collect();
        differ("CRC verdicts", &verdicts, &seen.verdicts, &mut wrong);
        let skipped: HashMap<_, _> = self.skipped.iter().copied().collect();
        differ("skipped bytes", &skipped, &seen.skipped, &mut wrong);
        differ("markers", &self.markers.unwrap_or(seen.markers), &seen.markers, &mut wrong);
        let mismatches = (&self.marker_mismatches, &seen.marker_mismatches);
        differ("marker mismatches", mismatches.0, mismatches.1, &mut wrong);
        let transports: BTreeMap<_, _> = self.transports.iter().copied().collect();
        differ("RPC-over-RDMA messages", &transports, &seen.transports, &mut wrong);
        wrong
    }
}

fn differ<T: PartialEq + Debug>(what: &str, expected: &T, seen: &T, wrong: &mut Vec<String>) {
    if expected != seen {
        wrong.push(format!("{what}: expected {expected:?}, seen {seen:?}"));
    }
}

pub const TABLE: &[Expected] = &[
    Expected { name: "markers-both", ..MIXED },
    // CRC fields are zero: neither side wants CRCs.
    Expected { name: "markers-initiator-only", verdicts: &[(CrcVerdict::NotInUse, 8)], ..MIXED },
    // One side's C is enough.
    Expected { name: "markers-responder-only", ..MIXED },
    // Markers at 0, 512, 1024 and, of the responder, at 0.
    Expected {
        name: "fpdu-ends-on-512",
        fpdus: 4,
        messages: &[(Message::Write, 3), (Message::Send, 1)],
        verdicts: &[(CrcVerdict::Good, 4)],
        markers: Some(4),
        ..ONE
    },
    // Markers at 0 and 512 of each side.
    Expected {
        name: "marker-between-pad-and-crc",
        fpdus: 4,
        messages: &[(Message::Write, 2), (Message::Send, 2)],
        verdicts: &[(CrcVerdict::Good, 4)],
        markers: Some(4),
        ..ONE
    },
    // Markers at 0, 512, 1024, 1536 and 2048.
    Expected {
        name: "marker-in-headers",
        fpdus: 5,
        messages: &[(Message::Write, 3), (Message::Send, 2)],
        verdicts: &[(CrcVerdict::Good, 5)],
        markers: Some(5),
        ..ONE
    },
    // 20 FPDUs of 84 bytes, 1680 bytes, and markers at 0, 512, 1024 and 1536, of each side.
    Expected {
        name: "packed-markers",
        fpdus: 40,
        messages: &[(Message::Send, 40)],
        verdicts: &[(CrcVerdict::Good, 40)],
        markers: Some(8),
        ..ONE
    },
    // 10000 bytes in segments of 1428 are eight more FPDUs.
    Expected {
        name: "sequence-wrap",
        fpdus: 16,
        messages: &[
            (Message::Send, 2),
            (Message::Write, 2),
            (Message::ReadRequest, 1),
            (Message::ReadResponse, 1),
        ],
        verdicts: &[(CrcVerdict::Good, 16)],
        ..ONE
    },
    // FPDUs of 124, 1020 and 724 bytes, and markers at 0, 512, 1024 and 1536.
    Expected {
        name: "bad-marker",
        fpdus: 3,
        messages: &[(Message::Send, 2), (Message::Write, 1)],
        verdicts: &[(CrcVerdict::Good, 3)],
        markers: Some(4),
        marker_mismatches: 1,
        ..ONE
    },
    Expected { name: "reordered", ..MIXED },
    // Two setup frames and one Send of 28 connections.
    Expected {
        name: "split-setup",
        connections: 28,
        setup_frames: 56,
        fpdus: 28,
        messages: &[(Message::Send, 28)],
        verdicts: &[(CrcVerdict::Good, 28)],
        ..ONE
    },
    // Five Sends, a Write and a Read of no bytes; seven Sends of the responder.
    Expected {
        name: "setup-variants",
        connections: 7,
        setup_frames: 14,
        fpdus: 15,
        messages: &[
            (Message::Send, 12),
            (Message::Write, 1),
            (Message::ReadRequest, 1),
            (Message::ReadResponse, 1),
        ],
        verdicts: &[(CrcVerdict::Good, 15)],
        ..ONE
    },
    // Two requests and one reply; 30 bytes after each request.
    Expected {
        name: "garbage-after-request",
        connections: 2,
        setup_frames: 3,
        skipped: &[(SkipReason::BehindSetup, 60)],
        ..ONE
    },
    Expected { name: "reject", ..ONE },
    // Four times the mixed exchange.
    Expected {
        name: "several-connections",
        connections: 4,
        setup_frames: 8,
        fpdus: 32,
        messages: &[
            (Message::Send, 8),
            (Message::Write, 4),
            (Message::ReadRequest, 4),
            (Message::ReadResponse, 4),
        ],
        verdicts: &[(CrcVerdict::Good, 32)],
        ..ONE
    },
    Expected {
        name: "one-byte-segments",
        fpdus: 2,
        messages: &[(Message::Send, 2)],
        verdicts: &[(CrcVerdict::Good, 2)],
        markers: Some(4),
        ..ONE
    },
    // 150000 bytes in segments of 64754 are three FPDUs, 100000 are two.
    Expected {
        name: "large-fpdus",
        fpdus: 6,
        messages: &[(Message::Write, 1), (Message::ReadRequest, 1), (Message::ReadResponse, 1)],
        verdicts: &[(CrcVerdict::Good, 6)],
        ..ONE
    },
    Expected {
        name: "bad-crc",
        fpdus: 6,
        messages: &[(Message::Send, 4), (Message::Write, 2)],
        verdicts: &[(CrcVerdict::Good, 4), (CrcVerdict::Bad, 2)],
        ..ONE
    },
    Expected { name: "ipv6", ..MIXED },
    Expected { name: "fragments", ..MIXED },
    Expected {
        name: "vlan",
        connections: 2,
        setup_frames: 4,
        fpdus: 16,
        messages: &[
            (Message::Send, 4),
            (Message::Write, 2),
            (Message::ReadRequest, 2),
            (Message::ReadResponse, 2),
        ],
        verdicts: &[(CrcVerdict::Good, 16)],
        ..ONE
    },
    Expected { name: "not-iwarp", connections: 0, setup_frames: 0, ..ONE },
    Expected { name: "pcapng-two-interfaces", ..MIXED },
    Expected {
        name: "rfc7306",
        fpdus: 9,
        messages: &[
            (Message::AtomicRequest, 3),
            (Message::AtomicResponse, 3),
            (Message::Immediate, 2),
            (Message::ImmediateSolicited, 1),
        ],
        verdicts: &[(CrcVerdict::Good, 9)],
        ..ONE
    },
    // A Send with Immediate of 3000 bytes is four FPDUs, one of 300 is two, the Read V2 Response two.
    Expected {
        name: "ext-v2",
        fpdus: 15,
        messages: &[
            (Message::Send, 1),
            (Message::ReadV2Request, 1),
            (Message::ReadV2Response, 1),
            (Message::SendImmediate, 1),
            (Message::SendInvalidateImmediate, 1),
            (Message::SendSolicitedImmediate, 1),
            (Message::SendSolicitedInvalidateImmediate, 1),
            (Message::Immediate, 1),
        ],
        verdicts: &[(CrcVerdict::Good, 15)],
        ..ONE
    },
    Expected {
        name: "commit",
        fpdus: 11,
        messages: &[
            (Message::Write, 1),
            (Message::FlushRequest, 2),
            (Message::FlushResponse, 2),
            (Message::VerifyRequest, 2),
            (Message::VerifyResponse, 2),
            (Message::AtomicWriteRequest, 1),
            (Message::AtomicWriteResponse, 1),
        ],
        verdicts: &[(CrcVerdict::Good, 11)],
        ..ONE
    },
    // RDMAP has 1 + 7 + 6 codes, DDP 1 + 5 + 6, MPA 7; and M alone, D alone.
    Expected {
        name: "terminate-all",
        connections: 35,
        setup_frames: 70,
        fpdus: 70,
        messages: &[
            (Message::Send, 22),
            (Message::Write, 6),
            (Message::ReadRequest, 7),
            (Message::Terminate, 35),
        ],
        verdicts: &[(CrcVerdict::Good, 70)],
        ..ONE
    },
    Expected {
        name: "terminate-swapped",
        connections: 3,
        setup_frames: 6,
        fpdus: 6,
        messages: &[
            (Message::Send, 1),
            (Message::Write, 1),
            (Message::ReadRequest, 1),
            (Message::Terminate, 3),
        ],
        verdicts: &[(CrcVerdict::Good, 6)],
        ..ONE
    },
    // Nine calls, one of three segments; eight replies; Reads of 2000 and 3000 bytes, Writes of
    // 1500, 500 and 4000: 11 + 8 + 2 + 5 + 6 FPDUs. Six calls and five replies are RDMA_MSG.
    Expected {
        name: "rpcordma",
        fpdus: 32,
        messages: &[
            (Message::Send, 16),
            (Message::SendInvalidate, 1),
            (Message::ReadRequest, 2),
            (Message::ReadResponse, 2),
            (Message::Write, 3),
        ],
        verdicts: &[(CrcVerdict::Good, 32)],
        transports: &[(0, 11), (1, 2), (2, 1), (3, 1), (4, 2)],
        ..ONE
    },
];

// What the captures that lack bytes must show, stated from their plans.

const MISSING: SkipReason = SkipReason::Gap(GapReason::NotCaptured);

/// The mixed exchange without its first FPDU, a Send.
const WITHOUT_FIRST: Expected = Expected {
    fpdus: 7,
    messages: &[
        (Message::Send, 1),
        (Message::Write, 1),
        (Message::ReadRequest, 1),
        (Message::ReadResponse, 1),
    ],
    verdicts: &[(CrcVerdict::Good, 7)],
    ..ONE
};

pub const LOSSES: &[Expected] = &[
    // A marker and an FPDU of 2 + 18 + 100 + 4 bytes.
    Expected { name: "first-fpdu-missing", skipped: &[(MISSING, 128)], ..WITHOUT_FIRST },
    Expected { name: "first-fpdu-missing-plain", skipped: &[(MISSING, 124)], ..WITHOUT_FIRST },
    // 20000 bytes in segments of 1428 are 15 FPDUs. The capture begins at position 1000, the second
    // FPDU at 1460. The Send is the responder's.
    Expected {
        name: "mid-connection-markers",
        setup_frames: 0,
        fpdus: 15,
        messages: &[(Message::Write, 1), (Message::Send, 1)],
        verdicts: &[(CrcVerdict::Good, 15)],
        skipped: &[(SkipReason::BeforeBoundary, 460)],
        begins_late: true,
        ..ONE
    },
    // 20000 bytes in segments of 1440 are 14 FPDUs.
    Expected {
        name: "mid-connection-plain",
        setup_frames: 0,
        fpdus: 14,
        messages: &[(Message::Write, 1), (Message::Send, 1)],
        verdicts: &[(CrcVerdict::Good, 14)],
        skipped: &[(SkipReason::BeforeBoundary, 460)],
        begins_late: true,
        ..ONE
    },
    // The first FPDUs take 1460 bytes each. The hole from 3000 to 4000 is in the third alone; the
    // one from 5000 to 6000 takes the end of the fourth, and 160 bytes of the fifth, the rest of
    // which is of no use.
    Expected {
        name: "lost-segment-markers",
        fpdus: 14,
        messages: &[(Message::Write, 1)],
        verdicts: &[(CrcVerdict::Good, 12), (CrcVerdict::Unchecked, 2)],
        skipped: &[(MISSING, 160), (SkipReason::BeforeBoundary, 1300)],
        ..ONE
    },
    Expected {
        name: "lost-segment-plain",
        fpdus: 13,
        messages: &[(Message::Write, 1)],
        verdicts: &[(CrcVerdict::Good, 11), (CrcVerdict::Unchecked, 2)],
        skipped: &[(MISSING, 160), (SkipReason::BeforeBoundary, 1300)],
        ..ONE
    },
    // The shortest FPDU, of the Read Request, has 52 bytes; 42 are captured.
    Expected {
        name: "snap-96",
        messages: MIXED_MESSAGES,
        verdicts: &[(CrcVerdict::Unchecked, 8)],
        ..MIXED
    },
    // 146 bytes are captured: FPDUs of 124, 140 and 52 are whole.
    Expected {
        name: "snap-200",
        messages: MIXED_MESSAGES,
        verdicts: &[(CrcVerdict::Good, 3), (CrcVerdict::Unchecked, 5)],
        ..MIXED
    },
];
