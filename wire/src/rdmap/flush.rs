//! The Flush Request payload (rdma-commit §3.1.1.1). A Flush Response carries nothing.

use crate::figure::figure;
use crate::{Illegal, Layer, Writer};

const PERSISTENCE: u32 = 0x1;
const GLOBAL_VISIBILITY: u32 = 0x2;

figure! {
    /// The Flush Request payload.
    FlushRequestView: 20 octets, Rdmap "Flush Request" {
        /// Data Sink Steering Tag.
        0 data_sink_steering_tag u32;
        /// Data Sink Length in octets.
        4 data_sink_length u32;
        /// Data Sink Tagged Offset in octets.
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

/// A legal Flush Request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FlushRequest {
    /// Data Sink Steering Tag.
    pub data_sink_steering_tag: u32,
    /// Data Sink Length in octets.
    pub data_sink_length: u32,
    /// Data Sink Tagged Offset in octets.
    pub data_sink_tagged_offset: u64,
    /// P: flush to persistence.
    pub persistence: bool,
    /// G: flush to global visibility.
    pub global_visibility: bool,
}

impl FlushRequest {
    /// Writes the payload.
    pub fn emit(&self, writer: &mut Writer<'_>) {
        let flag = |set: bool, bit: u32| if set { bit } else { 0 };
        writer
            .u32(self.data_sink_steering_tag)
            .u32(self.data_sink_length)
            .u64(self.data_sink_tagged_offset)
            .u32(
                flag(self.persistence, PERSISTENCE)
                    | flag(self.global_visibility, GLOBAL_VISIBILITY),
            );
    }
}

impl TryFrom<FlushRequestView<'_>> for FlushRequest {
    type Error = Illegal;

    fn try_from(view: FlushRequestView<'_>) -> Result<Self, Illegal> {
        let flags = view.disposition_flags();
        if flags & !(PERSISTENCE | GLOBAL_VISIBILITY) != 0 {
            return Err(Illegal {
                layer: Layer::Rdmap,
                field: "flush disposition flags",
                value: flags.into(),
                section: "rdma-commit section 3.1.1.1",
            });
        }
        Ok(Self {
            data_sink_steering_tag: view.data_sink_steering_tag(),
            data_sink_length: view.data_sink_length(),
            data_sink_tagged_offset: view.data_sink_tagged_offset(),
            persistence: view.persistence(),
            global_visibility: view.global_visibility(),
        })
    }
}
