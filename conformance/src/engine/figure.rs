//! The few fields that the engine itself reads, from the figures of RFC 5040, 5041 and 5044.

use super::bits::Bits;

/// Bytes of a setup frame's key (RFC 5044 figure 8).
pub(super) const KEY: usize = 16;
/// Bytes of a setup frame before its private data.
pub(super) const SETUP: usize = 20;
/// M of a setup frame.
pub(super) const SETUP_MARKERS: Bits = Bits::new(128, 1);
/// C of a setup frame.
pub(super) const SETUP_CRC: Bits = Bits::new(129, 1);
/// R of a setup frame.
pub(super) const SETUP_REJECTED: Bits = Bits::new(130, 1);
/// Rev of a setup frame.
pub(super) const SETUP_REVISION: Bits = Bits::bytes(17, 1);
/// PD_Length of a setup frame.
pub(super) const SETUP_LENGTH: Bits = Bits::bytes(18, 2);

/// T of a DDP segment (RFC 5041 figure 3).
pub(super) const TAGGED: Bits = Bits::new(0, 1);
/// L of a DDP segment.
pub(super) const LAST: Bits = Bits::new(1, 1);
/// DV of a DDP segment.
pub(super) const DDP_VERSION: Bits = Bits::new(6, 2);
/// RV of RDMAP's control byte (RFC 5040 figure 3), the second byte of every DDP segment.
pub(super) const RDMAP_VERSION: Bits = Bits::new(8, 2);
/// The opcode, with the bit that later documents took from the reserved ones.
pub(super) const OPCODE: Bits = Bits::new(11, 5);
/// Bytes of a tagged segment's header (RFC 5041 figure 4).
pub(super) const TAGGED_HEADER: usize = 14;
/// STag of a tagged segment.
pub(super) const STEERING_TAG: Bits = Bits::bytes(2, 4);
/// TO of a tagged segment.
pub(super) const TAGGED_OFFSET: Bits = Bits::bytes(6, 8);
/// Bytes of an untagged segment's header (RFC 5041 figure 5).
pub(super) const UNTAGGED_HEADER: usize = 18;
/// What the ULP has in an untagged segment: the STag to invalidate.
pub(super) const INVALIDATED: Bits = Bits::bytes(2, 4);
/// QN of an untagged segment.
pub(super) const QUEUE_NUMBER: Bits = Bits::bytes(6, 4);
/// MSN of an untagged segment.
pub(super) const MESSAGE_SEQUENCE_NUMBER: Bits = Bits::bytes(10, 4);
/// MO of an untagged segment.
pub(super) const MESSAGE_OFFSET: Bits = Bits::bytes(14, 4);

/// Fields of a Read Request's payload (RFC 5040 figure 6).
pub(super) const SINK_STEERING_TAG: Bits = Bits::bytes(0, 4);
/// Where the Data Sink begins.
pub(super) const SINK_OFFSET: Bits = Bits::bytes(4, 8);
/// RDMA Read Message Size.
pub(super) const READ_SIZE: Bits = Bits::bytes(12, 4);
/// STag of the Data Source.
pub(super) const SOURCE_STEERING_TAG: Bits = Bits::bytes(16, 4);
/// Where the Data Source begins.
pub(super) const SOURCE_OFFSET: Bits = Bits::bytes(20, 8);
/// Bytes of a Read Request's payload.
pub(super) const READ_REQUEST: usize = 28;

/// Fields of a Terminate's payload (RFC 5040 figure 7).
pub(super) const TERMINATE_LAYER: Bits = Bits::new(0, 4);
/// EType.
pub(super) const TERMINATE_TYPE: Bits = Bits::new(4, 4);
/// Error code.
pub(super) const TERMINATE_CODE: Bits = Bits::new(8, 8);
/// M of HdrCt: the segment length is valid.
pub(super) const TERMINATE_M: Bits = Bits::new(16, 1);
/// D of HdrCt: the DDP header is there.
pub(super) const TERMINATE_D: Bits = Bits::new(17, 1);
/// R of HdrCt: the RDMAP header is there.
pub(super) const TERMINATE_R: Bits = Bits::new(18, 1);
/// What is reserved behind HdrCt.
pub(super) const TERMINATE_RESERVED: Bits = Bits::new(19, 13);
/// Bytes of the first word.
pub(super) const TERMINATE_CONTROL: usize = 4;
/// Bytes of the DDP Segment Length.
pub(super) const TERMINATE_LENGTH: usize = 2;

/// Opcodes that the engine treats in their own way (RFC 5040 figure 4).
pub(super) const WRITE: u8 = 0;
/// Read Request.
pub(super) const READ_REQUEST_OPCODE: u8 = 1;
/// Read Response.
pub(super) const READ_RESPONSE: u8 = 2;
/// Send.
pub(super) const SEND: u8 = 3;
/// Send with SE.
pub(super) const SEND_SOLICITED: u8 = 5;
/// Terminate.
pub(super) const TERMINATE: u8 = 7;

/// The opcode's name (RFC 5040 figure 4, RFC 7306 figure 2, the drafts).
pub(super) fn opcode_name(opcode: u8) -> &'static str {
    const NAMES: [&str; 17] = [
        "Write",
        "Read Request",
        "Read Response",
        "Send",
        "Send with Invalidate",
        "Send with SE",
        "Send with SE and Invalidate",
        "Terminate",
        "Immediate Data",
        "Immediate Data with SE",
        "Atomic Request",
        "Atomic Response",
        "Flush Request",
        "Flush Response",
        "Verify Request",
        "Verify Response",
        "Atomic Write Request",
    ];
    NAMES.get(usize::from(opcode)).copied().unwrap_or("message of a later opcode")
}
