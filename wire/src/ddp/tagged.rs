//! The header of a tagged segment (RFC 5041 §4.2, figure 5).

use super::control::{ControlView, DDP_VERSION, LAST, TAGGED};
use crate::figure::figure;
use crate::{Illegal, Layer, Writer};

figure! {
    /// The header of a tagged segment.
    TaggedView: 14 bytes, Ddp "tagged header" {
        /// The byte reserved for the ULP: RDMAP's control byte.
        1 rsvd_ulp u8;
        /// Steering Tag (STag) of the data sink's buffer.
        2 steering_tag u32;
        /// Tagged Offset (TO) in bytes: where in the buffer the payload goes.
        6 tagged_offset u64;
    }
}

impl TaggedView<'_> {
    /// The control byte.
    pub fn control(&self) -> ControlView {
        ControlView(self.bytes()[0])
    }
}

/// A legal header of a tagged segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Tagged {
    /// L: the last segment of its message.
    pub last: bool,
    /// The byte reserved for the ULP.
    pub rsvd_ulp: u8,
    /// Steering Tag (STag).
    pub steering_tag: u32,
    /// Tagged Offset (TO) in bytes.
    pub tagged_offset: u64,
}

impl Tagged {
    /// Writes the header.
    pub fn emit(&self, writer: &mut Writer<'_>) {
        let last = if self.last { LAST } else { 0 };
        writer
            .u8(TAGGED | last | DDP_VERSION)
            .u8(self.rsvd_ulp)
            .u32(self.steering_tag)
            .u64(self.tagged_offset);
    }
}

impl TryFrom<TaggedView<'_>> for Tagged {
    type Error = Illegal;

    fn try_from(view: TaggedView<'_>) -> Result<Self, Illegal> {
        let control = view.control();
        if !control.legal() || !control.tagged() {
            return Err(Illegal {
                layer: Layer::Ddp,
                field: "control",
                value: control.0.into(),
                section: "RFC 5041 section 4.2",
            });
        }
        Ok(Self {
            last: control.last(),
            rsvd_ulp: view.rsvd_ulp(),
            steering_tag: view.steering_tag(),
            tagged_offset: view.tagged_offset(),
        })
    }
}
