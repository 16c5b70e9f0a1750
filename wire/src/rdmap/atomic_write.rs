//! The Atomic Write Request payload (rdma-commit §3.1.3.1). Its response carries nothing.

use crate::figure::figure;
use crate::{Illegal, Layer, Writer};

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
            return Err(Illegal {
                layer: Layer::Rdmap,
                field: "data sink length",
                value: view.data_sink_length().into(),
                section: "rdma-commit section 3.1.3.1",
            });
        }
        Ok(Self {
            data_sink_steering_tag: view.data_sink_steering_tag(),
            data_sink_tagged_offset: view.data_sink_tagged_offset(),
            data: view.data(),
        })
    }
}
