//! The RDMA Read Request header (RFC 5040 §4.4, figure 6).

use crate::Writer;
use crate::figure::figure;

figure! {
    /// The RDMA Read Request header.
    ReadRequestView: 28 bytes, Rdmap "RDMA Read Request header" {
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

/// An RDMA Read Request. Every value is legal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ReadRequest {
    /// Data Sink Steering Tag (SinkSTag).
    pub sink_steering_tag: u32,
    /// Data Sink Tagged Offset (SinkTO) in bytes.
    pub sink_tagged_offset: u64,
    /// RDMA Read Message Size (RDMARDSZ) in bytes.
    pub read_message_size: u32,
    /// Data Source Steering Tag (SrcSTag).
    pub source_steering_tag: u32,
    /// Data Source Tagged Offset (SrcTO) in bytes.
    pub source_tagged_offset: u64,
}

impl ReadRequest {
    /// Writes the header.
    pub fn emit(&self, writer: &mut Writer<'_>) {
        writer
            .u32(self.sink_steering_tag)
            .u64(self.sink_tagged_offset)
            .u32(self.read_message_size)
            .u32(self.source_steering_tag)
            .u64(self.source_tagged_offset);
    }
}

impl From<ReadRequestView<'_>> for ReadRequest {
    fn from(view: ReadRequestView<'_>) -> Self {
        Self {
            sink_steering_tag: view.sink_steering_tag(),
            sink_tagged_offset: view.sink_tagged_offset(),
            read_message_size: view.read_message_size(),
            source_steering_tag: view.source_steering_tag(),
            source_tagged_offset: view.source_tagged_offset(),
        }
    }
}
