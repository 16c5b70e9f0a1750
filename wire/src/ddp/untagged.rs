//! The header of an untagged segment (RFC 5041 §4.3, figure 6).

use super::control::{ControlView, DDP_VERSION, LAST};
use crate::figure::figure;
use crate::{Illegal, Layer, Writer};

figure! {
    /// The header of an untagged segment.
    UntaggedView: 18 bytes, Ddp "untagged header" {
        /// The first byte reserved for the ULP: RDMAP's control byte.
        1 rdmap_control u8;
        /// The other four: RDMAP's Invalidate STag, or zero.
        2 rsvd_ulp_word u32;
        /// Queue Number (QN).
        6 queue_number u32;
        /// Message Sequence Number (MSN): 1 for the first message of a queue.
        10 message_sequence_number u32;
        /// Message Offset (MO) in bytes: where in the message the payload goes.
        14 message_offset u32;
    }
}

impl UntaggedView<'_> {
    /// The control byte.
    pub fn control(&self) -> ControlView {
        ControlView(self.bytes()[0])
    }

    /// The five bytes reserved for the ULP.
    pub fn rsvd_ulp(&self) -> [u8; 5] {
        let bytes = self.bytes();
        [bytes[1], bytes[2], bytes[3], bytes[4], bytes[5]]
    }
}

/// What RDMAP uses a queue for (RFC 5040 §4.2, RFC 7306 §4.1).
pub fn queue_name(queue_number: u32) -> Option<&'static str> {
    Some(match queue_number {
        0 => "Send",
        1 => "Request",
        2 => "Terminate",
        3 => "Response",
        _ => return None,
    })
}

/// A legal header of an untagged segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Untagged {
    /// L: the last segment of its message.
    pub last: bool,
    /// The five bytes reserved for the ULP.
    pub rsvd_ulp: [u8; 5],
    /// Queue Number (QN).
    pub queue_number: u32,
    /// Message Sequence Number (MSN).
    pub message_sequence_number: u32,
    /// Message Offset (MO) in bytes.
    pub message_offset: u32,
}

impl Untagged {
    /// Writes the header.
    pub fn emit(&self, writer: &mut Writer<'_>) {
        let last = if self.last { LAST } else { 0 };
        writer
            .u8(last | DDP_VERSION)
            .bytes(&self.rsvd_ulp)
            .u32(self.queue_number)
            .u32(self.message_sequence_number)
            .u32(self.message_offset);
    }
}

impl TryFrom<UntaggedView<'_>> for Untagged {
    type Error = Illegal;

    fn try_from(view: UntaggedView<'_>) -> Result<Self, Illegal> {
        let control = view.control();
        if !control.legal() || control.tagged() {
            return Err(Illegal {
                layer: Layer::Ddp,
                field: "control",
                value: control.0.into(),
                section: "RFC 5041 section 4.3",
            });
        }
        Ok(Self {
            last: control.last(),
            rsvd_ulp: view.rsvd_ulp(),
            queue_number: view.queue_number(),
            message_sequence_number: view.message_sequence_number(),
            message_offset: view.message_offset(),
        })
    }
}
