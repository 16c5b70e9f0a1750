//! The Verify Request payload (rdma-commit §3.1.2.1). A Verify Response is the hash value alone.

use crate::figure::figure;
use crate::{Malformed, Writer};

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
    /// The hash that is expected; empty when no comparison is asked for.
    pub hash_value: &'a [u8],
}

impl<'a> VerifyRequestView<'a> {
    /// Bytes of the fixed part.
    pub const LENGTH: usize = VerifyRangeView::LENGTH;

    /// Reads a whole payload: what follows the fixed part is the hash.
    ///
    /// # Errors
    /// [`Malformed`] when the fixed part is not all there.
    pub fn parse(payload: &'a [u8]) -> Result<Self, Malformed> {
        let (range, hash_value) = VerifyRangeView::parse(payload)?;
        Ok(Self { range, hash_value })
    }

    /// Data Sink Steering Tag.
    pub fn data_sink_steering_tag(&self) -> u32 {
        self.range.data_sink_steering_tag()
    }

    /// Data Sink Length in bytes.
    pub fn data_sink_length(&self) -> u32 {
        self.range.data_sink_length()
    }

    /// Data Sink Tagged Offset in bytes.
    pub fn data_sink_tagged_offset(&self) -> u64 {
        self.range.data_sink_tagged_offset()
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
    /// The hash that is expected, when a comparison is asked for.
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
            data_sink_steering_tag: view.data_sink_steering_tag(),
            data_sink_length: view.data_sink_length(),
            data_sink_tagged_offset: view.data_sink_tagged_offset(),
            hash_value: Some(view.hash_value.to_vec()).filter(|hash| !hash.is_empty()),
        }
    }
}
