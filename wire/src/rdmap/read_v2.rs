//! The RDMA Read V2 Request header (rdmap-ext-v2 §6.1, figure 4). Its response has no header.

use crate::Writer;
use crate::figure::figure;

figure! {
    /// The RDMA Read V2 Request header.
    ReadV2RequestView: 16 bytes, Rdmap "RDMA Read V2 Request header" {
        /// RDMA Read Message Size (RDMARDSZ) in bytes.
        0 read_message_size u32;
        /// Data Source Steering Tag (SrcSTag).
        4 source_steering_tag u32;
        /// Data Source Tagged Offset (SrcTO) in bytes.
        8 source_tagged_offset u64;
    }
}

/// An RDMA Read V2 Request. Every value is legal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ReadV2Request {
    /// RDMA Read Message Size (RDMARDSZ) in bytes.
    pub read_message_size: u32,
    /// Data Source Steering Tag (SrcSTag).
    pub source_steering_tag: u32,
    /// Data Source Tagged Offset (SrcTO) in bytes.
    pub source_tagged_offset: u64,
}

impl ReadV2Request {
    /// Writes the header.
    pub fn emit(&self, writer: &mut Writer<'_>) {
        writer
            .u32(self.read_message_size)
            .u32(self.source_steering_tag)
            .u64(self.source_tagged_offset);
    }
}

impl From<ReadV2RequestView<'_>> for ReadV2Request {
    fn from(view: ReadV2RequestView<'_>) -> Self {
        Self {
            read_message_size: view.read_message_size(),
            source_steering_tag: view.source_steering_tag(),
            source_tagged_offset: view.source_tagged_offset(),
        }
    }
}
