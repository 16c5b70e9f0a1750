//! The Flush Request payload (rdma-commit §3.1.1.1). A Flush Response carries nothing.

use crate::Writer;
use crate::figure::figure;

const PERSISTENCE: u32 = 0x1;
const GLOBAL_VISIBILITY: u32 = 0x2;

figure! {
    /// The Flush Request payload.
    FlushRequestView: 20 bytes, Rdmap "Flush Request" {
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
        self.disposition_flags() & PERSISTENCE != 0
    }

    /// G: flush to global visibility.
    pub fn global_visibility(&self) -> bool {
        self.disposition_flags() & GLOBAL_VISIBILITY != 0
    }
}

/// A Flush Request. Every value is legal: the draft forbids no flag that it leaves undefined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FlushRequest {
    /// Data Sink Steering Tag.
    pub data_sink_steering_tag: u32,
    /// Data Sink Length in bytes.
    pub data_sink_length: u32,
    /// Data Sink Tagged Offset in bytes.
    pub data_sink_tagged_offset: u64,
    /// Flush Disposition Flags.
    pub disposition_flags: u32,
}

impl FlushRequest {
    /// The flags that ask for persistence (P), global visibility (G), or both.
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

    /// Writes the payload.
    pub fn emit(&self, writer: &mut Writer<'_>) {
        writer
            .u32(self.data_sink_steering_tag)
            .u32(self.data_sink_length)
            .u64(self.data_sink_tagged_offset)
            .u32(self.disposition_flags);
    }
}

impl From<FlushRequestView<'_>> for FlushRequest {
    fn from(view: FlushRequestView<'_>) -> Self {
        Self {
            data_sink_steering_tag: view.data_sink_steering_tag(),
            data_sink_length: view.data_sink_length(),
            data_sink_tagged_offset: view.data_sink_tagged_offset(),
            disposition_flags: view.disposition_flags(),
        }
    }
}
