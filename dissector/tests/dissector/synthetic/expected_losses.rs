//! What the captures that lack bytes must show, stated from their plans.

use super::expected::{Expected, MIXED, MIXED_MESSAGES, ONE};
use warpscope_dissector::mpa::{CrcVerdict, SkipReason};
use warpscope_dissector::stream::GapReason;
use warpscope_wire::rdmap::Message;

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

pub const TABLE: &[Expected] = &[
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
