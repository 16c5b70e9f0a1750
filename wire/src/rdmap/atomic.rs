//! The Atomic Operation Request and Response headers (RFC 7306 §5.2, figures 4 to 6).

use crate::figure::figure;
use crate::{Illegal, Layer, Writer};

const OPERATION: u32 = 0x0000_000f;
/// What an unused mask is sent as.
const ALL_ONES: u64 = u64::MAX;

figure! {
    /// The Atomic Operation Request header.
    AtomicRequestView: 52 bytes, Rdmap "Atomic Operation Request header" {
        /// 28 reserved bits and the Atomic Operation Code.
        0 reserved_and_operation u32;
        /// The Request Identifier, reflected in the response.
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
    /// The 28 reserved bits.
    pub fn reserved(&self) -> u32 {
        self.reserved_and_operation() >> 4
    }

    /// The Atomic Operation Code (AOpCode).
    pub fn atomic_opcode(&self) -> u8 {
        (self.reserved_and_operation() & OPERATION) as u8
    }
}

/// The name of an Atomic Operation Code.
pub fn atomic_operation_name(atomic_opcode: u8) -> Option<&'static str> {
    Some(match atomic_opcode {
        0 => "FetchAdd",
        1 => "Swap",
        2 => "CmpSwap",
        _ => return None,
    })
}

/// What an atomic request does, with the operands that it uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AtomicOperation {
    /// Adds, field by field as the mask divides the word.
    FetchAdd {
        /// What is added.
        add_data: u64,
        /// A 1 marks the most significant bit of a field.
        add_mask: u64,
    },
    /// Replaces the word.
    Swap {
        /// The new value.
        swap_data: u64,
    },
    /// Replaces the masked bits when the masked comparison holds.
    CmpSwap {
        /// The new value.
        swap_data: u64,
        /// The bits that are replaced.
        swap_mask: u64,
        /// What the word is compared with.
        compare_data: u64,
        /// The bits that are compared.
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
    /// What it does.
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
        let illegal = |field, value| Illegal {
            layer: Layer::Rdmap,
            field,
            value,
            section: "RFC 7306 section 5.2.1",
        };
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
    AtomicResponseView: 12 bytes, Rdmap "Atomic Operation Response header" {
        /// The Request Identifier of the request.
        0 original_request_identifier u32;
        /// The word's value before the operation.
        4 original_remote_data_value u64;
    }
}

/// An Atomic Operation Response. Every value is legal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct AtomicResponse {
    /// The Request Identifier of the request.
    pub original_request_identifier: u32,
    /// The word's value before the operation.
    pub original_remote_data_value: u64,
}

impl AtomicResponse {
    /// Writes the header.
    pub fn emit(&self, writer: &mut Writer<'_>) {
        writer.u32(self.original_request_identifier).u64(self.original_remote_data_value);
    }
}

impl From<AtomicResponseView<'_>> for AtomicResponse {
    fn from(view: AtomicResponseView<'_>) -> Self {
        Self {
            original_request_identifier: view.original_request_identifier(),
            original_remote_data_value: view.original_remote_data_value(),
        }
    }
}
