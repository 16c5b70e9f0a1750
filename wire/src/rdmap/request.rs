//! The payload of requests and responses: reads, atomics, flushes, verifies, Immediate Data.

use crate::figure::figure;
use crate::{Illegal, Layer, Malformed, Writer};

figure! {
    /// The RDMA Read Request header (RFC 5040 §4.4, figure 6).
    ReadRequestView and ReadRequest: 28 bytes, Rdmap "RDMA Read Request header" {
        /// Data Sink Steering Tag (SinkSTag).
        0 sink_steering_tag u32;
        /// Data Sink Tagged Offset (SinkTO) in bytes.
        4 sink_tagged_offset u64;
        /// RDMA Read Message Size (RDMARDSZ) in bytes.
        12 read_message_size u32;
        /// Data Source Steering Tag (SrcSTag).
        16 source_steering_tag u32;
        /// Data Source Tagged Offset (SrcTO) in bytes.
        20 source_tagged_offset u64;
    }
}

// The RDMA Read V2 Request header (rdmap-ext-v2 §6.1, figure 4). Its response has no header.

figure! {
    /// The RDMA Read V2 Request header.
    ReadV2RequestView and ReadV2Request: 16 bytes, Rdmap "RDMA Read V2 Request header" {
        /// RDMA Read Message Size (RDMARDSZ) in bytes.
        0 read_message_size u32;
        /// Data Source Steering Tag (SrcSTag).
        4 source_steering_tag u32;
        /// Data Source Tagged Offset (SrcTO) in bytes.
        8 source_tagged_offset u64;
    }
}

// The Atomic Operation Request and Response headers (RFC 7306 §5.2, figures 4 to 6).

const OPERATION: u32 = 0x0000_000f;
/// The value of an unused mask.
const ALL_ONES: u64 = u64::MAX;

figure! {
    /// The Atomic Operation Request header.
    AtomicRequestView: 52 bytes, Rdmap "Atomic Operation Request header" {
        /// 28 reserved bits and the Atomic Operation Code.
        0 reserved_and_operation u32;
        /// The Request Identifier, copied to the response.
        4 request_identifier u32;
        /// The Steering Tag of the remote buffer.
        8 remote_steering_tag u32;
        /// The Tagged Offset of the 64-bit word, in bytes.
        12 remote_tagged_offset u64;
        /// Add Data (FetchAdd) or Swap Data (Swap, CmpSwap).
        20 add_or_swap_data u64;
        /// Add Mask (FetchAdd) or Swap Mask (CmpSwap).
        28 add_or_swap_mask u64;
        /// Compare Data (CmpSwap).
        36 compare_data u64;
        /// Compare Mask (CmpSwap).
        44 compare_mask u64;
    }
}

impl AtomicRequestView<'_> {
    /// Returns the 28 reserved bits.
    pub fn reserved(&self) -> u32 {
        self.reserved_and_operation() >> 4
    }

    /// Returns the Atomic Operation Code (AOpCode).
    pub fn atomic_opcode(&self) -> u8 {
        (self.reserved_and_operation() & OPERATION) as u8
    }
}

/// Returns the name of an Atomic Operation Code.
pub fn atomic_operation_name(atomic_opcode: u8) -> Option<&'static str> {
    Some(match atomic_opcode {
        0 => "FetchAdd",
        1 => "Swap",
        2 => "CmpSwap",
        _ => return None,
    })
}

/// The operation of an atomic request, with the operands that it uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AtomicOperation {
    /// Adds in each of the fields into which the mask divides the word.
    FetchAdd {
        /// The number to add.
        add_data: u64,
        /// The mask: a 1 marks the most significant bit of a field.
        add_mask: u64,
    },
    /// Replaces the word.
    Swap {
        /// The new value.
        swap_data: u64,
    },
    /// Replaces the masked bits if the masked comparison is equal.
    CmpSwap {
        /// The new value.
        swap_data: u64,
        /// The mask of the bits that are replaced.
        swap_mask: u64,
        /// The value that the word is compared with.
        compare_data: u64,
        /// The mask of the bits that are compared.
        compare_mask: u64,
    },
}

/// A legal Atomic Operation Request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct AtomicRequest {
    /// The Request Identifier.
    pub request_identifier: u32,
    /// The Steering Tag of the remote buffer.
    pub remote_steering_tag: u32,
    /// The Tagged Offset of the 64-bit word, in bytes.
    pub remote_tagged_offset: u64,
    /// The operation.
    pub operation: AtomicOperation,
}

impl AtomicRequest {
    /// Writes the header.
    pub fn emit(&self, writer: &mut Writer<'_>) {
        let (code, data, mask, compare_data, compare_mask) = match self.operation {
            AtomicOperation::FetchAdd { add_data, add_mask } => {
                (0, add_data, add_mask, 0, ALL_ONES)
            }
            AtomicOperation::Swap { swap_data } => (1, swap_data, ALL_ONES, 0, ALL_ONES),
            AtomicOperation::CmpSwap { swap_data, swap_mask, compare_data, compare_mask } => {
                (2, swap_data, swap_mask, compare_data, compare_mask)
            }
        };
        writer
            .u32(code)
            .u32(self.request_identifier)
            .u32(self.remote_steering_tag)
            .u64(self.remote_tagged_offset)
            .u64(data)
            .u64(mask)
            .u64(compare_data)
            .u64(compare_mask);
    }
}

impl TryFrom<AtomicRequestView<'_>> for AtomicRequest {
    type Error = Illegal;

    /// Refuses reserved bits, unknown operations and unused operands other than what a sender sends.
    fn try_from(view: AtomicRequestView<'_>) -> Result<Self, Illegal> {
        let illegal =
            |field, value| Illegal::new(Layer::Rdmap, field, value, "RFC 7306 section 5.2.1");
        if view.reserved() != 0 {
            return Err(illegal("reserved", view.reserved().into()));
        }
        let (data, mask) = (view.add_or_swap_data(), view.add_or_swap_mask());
        let (compare_data, compare_mask) = (view.compare_data(), view.compare_mask());
        let operation = match view.atomic_opcode() {
            0 => AtomicOperation::FetchAdd { add_data: data, add_mask: mask },
            1 => AtomicOperation::Swap { swap_data: data },
            2 => AtomicOperation::CmpSwap {
                swap_data: data,
                swap_mask: mask,
                compare_data,
                compare_mask,
            },
            other => return Err(illegal("atomic operation code", other.into())),
        };
        let compares = matches!(operation, AtomicOperation::CmpSwap { .. });
        if matches!(operation, AtomicOperation::Swap { .. }) && mask != ALL_ONES {
            return Err(illegal("swap mask", mask));
        }
        if !compares && compare_data != 0 {
            return Err(illegal("compare data", compare_data));
        }
        if !compares && compare_mask != ALL_ONES {
            return Err(illegal("compare mask", compare_mask));
        }
        Ok(Self {
            request_identifier: view.request_identifier(),
            remote_steering_tag: view.remote_steering_tag(),
            remote_tagged_offset: view.remote_tagged_offset(),
            operation,
        })
    }
}

figure! {
    /// The Atomic Operation Response header.
    AtomicResponseView and AtomicResponse: 12 bytes, Rdmap "Atomic Operation Response header" {
        /// The Request Identifier of the request.
        0 original_request_identifier u32;
        /// The word's value before the operation.
        4 original_remote_data_value u64;
    }
}

// The Atomic Write Request payload (rdma-commit §3.1.3.1). Its response carries nothing.

/// The only Data Sink Length that is allowed.
const DATA_LENGTH: u32 = 8;

figure! {
    /// The Atomic Write Request payload.
    AtomicWriteRequestView: 24 bytes, Rdmap "Atomic Write Request" {
        /// Data Sink Steering Tag.
        0 data_sink_steering_tag u32;
        /// Data Sink Length in bytes: 8.
        4 data_sink_length u32;
        /// Data Sink Tagged Offset in bytes.
        8 data_sink_tagged_offset u64;
        /// The value to write.
        16 data u64;
    }
}

/// A legal Atomic Write Request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct AtomicWriteRequest {
    /// Data Sink Steering Tag.
    pub data_sink_steering_tag: u32,
    /// Data Sink Tagged Offset in bytes.
    pub data_sink_tagged_offset: u64,
    /// The value to write.
    pub data: u64,
}

impl AtomicWriteRequest {
    /// Writes the payload.
    pub fn emit(&self, writer: &mut Writer<'_>) {
        writer
            .u32(self.data_sink_steering_tag)
            .u32(DATA_LENGTH)
            .u64(self.data_sink_tagged_offset)
            .u64(self.data);
    }
}

impl TryFrom<AtomicWriteRequestView<'_>> for AtomicWriteRequest {
    type Error = Illegal;

    fn try_from(view: AtomicWriteRequestView<'_>) -> Result<Self, Illegal> {
        if view.data_sink_length() != DATA_LENGTH {
            return Err(Illegal::new(
                Layer::Rdmap,
                "data sink length",
                view.data_sink_length(),
                "rdma-commit section 3.1.3.1",
            ));
        }
        Ok(Self {
            data_sink_steering_tag: view.data_sink_steering_tag(),
            data_sink_tagged_offset: view.data_sink_tagged_offset(),
            data: view.data(),
        })
    }
}

// The Flush Request payload (rdma-commit §3.1.1.1). A Flush Response carries nothing.

const PERSISTENCE: u32 = 0x1;
const GLOBAL_VISIBILITY: u32 = 0x2;

figure! {
    /// The Flush Request payload; the draft forbids no flag that it leaves undefined.
    FlushRequestView and FlushRequest: 20 bytes, Rdmap "Flush Request" {
        /// Data Sink Steering Tag.
        0 data_sink_steering_tag u32;
        /// Data Sink Length in bytes.
        4 data_sink_length u32;
        /// Data Sink Tagged Offset in bytes.
        8 data_sink_tagged_offset u64;
        /// Flush Disposition Flags.
        16 disposition_flags u32;
    }
}

impl FlushRequestView<'_> {
    /// P: flush to persistence.
    pub fn persistence(&self) -> bool {
        FlushRequest::from(*self).persistence()
    }

    /// G: flush to global visibility.
    pub fn global_visibility(&self) -> bool {
        FlushRequest::from(*self).global_visibility()
    }
}

impl FlushRequest {
    /// Returns the flags for persistence (P), global visibility (G), or both.
    pub fn flags(persistence: bool, global_visibility: bool) -> u32 {
        let flag = |set: bool, bit: u32| if set { bit } else { 0 };
        flag(persistence, PERSISTENCE) | flag(global_visibility, GLOBAL_VISIBILITY)
    }

    /// P: flush to persistence.
    pub fn persistence(&self) -> bool {
        self.disposition_flags & PERSISTENCE != 0
    }

    /// G: flush to global visibility.
    pub fn global_visibility(&self) -> bool {
        self.disposition_flags & GLOBAL_VISIBILITY != 0
    }
}

// The Verify Request payload (rdma-commit §3.1.2.1). A Verify Response is the hash value alone.

figure! {
    /// The fixed part of a Verify Request.
    VerifyRangeView: 16 bytes, Rdmap "Verify Request" {
        /// Data Sink Steering Tag.
        0 data_sink_steering_tag u32;
        /// Data Sink Length in bytes.
        4 data_sink_length u32;
        /// Data Sink Tagged Offset in bytes.
        8 data_sink_tagged_offset u64;
    }
}

/// The Verify Request payload. Every value is legal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VerifyRequestView<'a> {
    /// The fixed part.
    pub range: VerifyRangeView<'a>,
    /// The expected hash; empty when no comparison is requested.
    pub hash_value: &'a [u8],
}

impl<'a> VerifyRequestView<'a> {
    /// Length of the fixed part in bytes.
    pub const LENGTH: usize = VerifyRangeView::LENGTH;

    /// Reads a complete payload: the bytes after the fixed part are the hash.
    ///
    /// # Errors
    /// [`Malformed`] when the fixed part is incomplete.
    pub fn parse(payload: &'a [u8]) -> Result<Self, Malformed> {
        let (range, hash_value) = VerifyRangeView::parse(payload)?;
        Ok(Self { range, hash_value })
    }
}

/// A Verify Request.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct VerifyRequest {
    /// Data Sink Steering Tag.
    pub data_sink_steering_tag: u32,
    /// Data Sink Length in bytes.
    pub data_sink_length: u32,
    /// Data Sink Tagged Offset in bytes.
    pub data_sink_tagged_offset: u64,
    /// The expected hash, when a comparison is requested.
    pub hash_value: Option<Vec<u8>>,
}

impl VerifyRequest {
    /// Writes the payload.
    pub fn emit(&self, writer: &mut Writer<'_>) {
        writer
            .u32(self.data_sink_steering_tag)
            .u32(self.data_sink_length)
            .u64(self.data_sink_tagged_offset)
            .bytes(self.hash_value.as_deref().unwrap_or(&[]));
    }
}

impl From<VerifyRequestView<'_>> for VerifyRequest {
    fn from(view: VerifyRequestView<'_>) -> Self {
        Self {
            data_sink_steering_tag: view.range.data_sink_steering_tag(),
            data_sink_length: view.range.data_sink_length(),
            data_sink_tagged_offset: view.range.data_sink_tagged_offset(),
            hash_value: Some(view.hash_value.to_vec()).filter(|hash| !hash.is_empty()),
        }
    }
}

// Immediate Data: eight bytes for the ULP (RFC 7306 §6.2, figure 7; rdmap-ext-v2 §5.3).

/// Length of Immediate Data in bytes.
pub const IMMEDIATE_LENGTH: usize = 8;

figure! {
    /// Immediate Data, eight bytes. Every value is legal; the bytes are written unchanged.
    ImmediateView: 8 bytes, Rdmap "Immediate Data" {
        /// The bytes as one number.
        0 immediate_data u64;
    }
}
