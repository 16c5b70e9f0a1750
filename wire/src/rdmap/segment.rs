//! A complete DDP segment of an RDMAP message: DDP header, control byte and payload (RFC 5040 §4.1).

use super::{Buffer, IMMEDIATE_LENGTH, Message, Payload, Profile};
use crate::ddp::{HeaderView, Tagged, Untagged};
use crate::{BufferTooSmall, Illegal, Layer, Malformed, Writer};

/// A segment as it appears in a ULPDU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SegmentView<'a> {
    /// The DDP header.
    pub header: HeaderView<'a>,
    /// All bytes after the DDP header, including RDMAP headers.
    pub payload: &'a [u8],
}

impl<'a> SegmentView<'a> {
    /// Reads a ULPDU.
    ///
    /// # Errors
    /// [`Malformed`] when the DDP header is incomplete.
    pub fn parse(ulpdu: &'a [u8]) -> Result<Self, Malformed> {
        let (header, payload) = HeaderView::parse(ulpdu)?;
        Ok(Self { header, payload })
    }

    /// Returns the RDMAP control byte.
    pub fn rdmap_control(&self) -> RdmapControlView {
        RdmapControlView(self.header.rdmap_control())
    }

    /// Returns the message to which the segment belongs, on a connection with this profile.
    pub fn message(&self, profile: Profile) -> Option<Message> {
        Message::from_control(self.rdmap_control(), profile)
    }
}

/// The destination of a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Destination {
    /// Into a tagged buffer.
    Tagged {
        /// Steering Tag (STag).
        steering_tag: u32,
        /// Tagged Offset (TO) in bytes.
        tagged_offset: u64,
    },
    /// Into an untagged buffer of the message's queue.
    Untagged {
        /// The Steering Tag to invalidate; zero in a message that invalidates none.
        invalidate_steering_tag: u32,
        /// Message Sequence Number (MSN).
        message_sequence_number: u32,
        /// Message Offset (MO) in bytes.
        message_offset: u32,
    },
}

/// A legal segment: it has the right buffer model, the right queue, and a payload length that the
/// message allows. The contents of a payload are checked by its own repr.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Segment<'a> {
    control: RdmapControl,
    last: bool,
    destination: Destination,
    payload: &'a [u8],
}

impl<'a> Segment<'a> {
    /// Creates a segment; `last` makes it the last one of its message.
    ///
    /// # Errors
    /// [`Illegal`] when the destination is wrong for the message, or the payload does not fit.
    pub fn new(
        control: RdmapControl,
        last: bool,
        destination: Destination,
        payload: &'a [u8],
    ) -> Result<Self, Illegal> {
        let message = control.message();
        let offset = match (destination, message.info().buffer) {
            (Destination::Tagged { .. }, Buffer::Tagged) => 0,
            (
                Destination::Untagged { invalidate_steering_tag, message_offset, .. },
                Buffer::Queue(_),
            ) => {
                if invalidate_steering_tag != 0 && !message.may_invalidate() {
                    return Err(illegal("Invalidate STag", invalidate_steering_tag));
                }
                u64::from(message_offset)
            }
            (destination, _) => {
                let tagged = matches!(destination, Destination::Tagged { .. });
                return Err(illegal("tagged flag", tagged));
            }
        };
        let length = payload.len() as u64;
        if !fits(message.info().payload, last, offset, length) {
            let (layer, field, section) = (Layer::Rdmap, "payload length", message.info().section);
            return Err(Illegal::new(layer, field, length, section));
        }
        Ok(Self { control, last, destination, payload })
    }

    /// Returns the RDMAP control byte, which identifies the message.
    pub fn control(&self) -> RdmapControl {
        self.control
    }

    /// Returns whether it is the last segment of its message.
    pub fn last(&self) -> bool {
        self.last
    }

    /// Returns its destination.
    pub fn destination(&self) -> Destination {
        self.destination
    }

    /// Returns the bytes after the DDP header.
    pub fn payload(&self) -> &'a [u8] {
        self.payload
    }

    /// Writes the segment to the front of `buffer`; returns its length.
    ///
    /// # Errors
    /// [`BufferTooSmall`] when it does not fit.
    pub fn emit(&self, buffer: &mut [u8]) -> Result<usize, BufferTooSmall> {
        let mut writer = Writer::new(buffer);
        self.emit_header(&mut writer);
        writer.bytes(self.payload).finish()
    }

    /// Writes the DDP header alone; the payload follows it.
    pub fn emit_header(&self, writer: &mut Writer<'_>) {
        match self.destination {
            Destination::Tagged { steering_tag, tagged_offset } => {
                let rsvd_ulp = self.control.byte();
                Tagged { last: self.last, rsvd_ulp, steering_tag, tagged_offset }.emit(writer);
            }
            Destination::Untagged {
                invalidate_steering_tag,
                message_sequence_number,
                message_offset,
            } => {
                let queue_number = match self.control.message().info().buffer {
                    Buffer::Queue(queue_number) => queue_number,
                    Buffer::Tagged => 0,
                };
                let [a, b, c, d] = invalidate_steering_tag.to_be_bytes();
                Untagged {
                    last: self.last,
                    rsvd_ulp: [self.control.byte(), a, b, c, d],
                    queue_number,
                    message_sequence_number,
                    message_offset,
                }
                .emit(writer);
            }
        }
    }
}

/// Returns whether `length` bytes at `offset` fit in a message. DDP may cut any message into parts.
fn fits(payload: Payload, last: bool, offset: u64, length: u64) -> bool {
    let end = offset + length;
    match payload {
        Payload::Ulp => true,
        Payload::Header(whole) if last => end == whole as u64,
        Payload::Header(whole) => end <= whole as u64,
        Payload::AtLeast(least) => !last || end >= least as u64,
        Payload::Nothing => end == 0,
        Payload::UlpThenImmediate => !last || length == IMMEDIATE_LENGTH as u64,
    }
}

impl<'a> TryFrom<SegmentView<'a>> for Segment<'a> {
    type Error = Illegal;

    fn try_from(view: SegmentView<'a>) -> Result<Self, Illegal> {
        let control = RdmapControl::try_from(view.rdmap_control())?;
        let (last, destination) = match view.header {
            HeaderView::Tagged(header) => {
                let Tagged { last, steering_tag, tagged_offset, .. } = header.try_into()?;
                (last, Destination::Tagged { steering_tag, tagged_offset })
            }
            HeaderView::Untagged(header) => {
                let untagged = Untagged::try_from(header)?;
                if control.message().info().buffer != Buffer::Queue(untagged.queue_number) {
                    return Err(illegal("queue number", untagged.queue_number));
                }
                let Untagged { last, message_sequence_number, message_offset, .. } = untagged;
                let invalidate_steering_tag = header.rsvd_ulp_word();
                let destination = Destination::Untagged {
                    invalidate_steering_tag,
                    message_sequence_number,
                    message_offset,
                };
                (last, destination)
            }
        };
        Self::new(control, last, destination, view.payload)
    }
}

fn illegal(field: &'static str, value: impl Into<u64>) -> Illegal {
    let (layer, section) = (Layer::Rdmap, "RFC 5040 section 4.1");
    Illegal::new(layer, field, value, section)
}

// The RDMAP control byte: the first byte that DDP reserves for its ULP (RFC 5040 §4.1, figure 3).

const NEWEST_VERSION: u8 = 2;
const VERSION_SHIFT: u32 = 6;
const FIVE_BITS: u8 = 0x1f;
const SIXTH_BIT: u8 = 0x20;

/// `RV | Rsv | Opcode`. RFC 5040 has two reserved bits and a 4-bit opcode; ext-v2 and rdma-commit use
/// the lower reserved bit as the fifth bit of the opcode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RdmapControlView(pub u8);

impl RdmapControlView {
    /// RV: the version of RDMAP.
    pub fn rdmap_version(self) -> u8 {
        self.0 >> VERSION_SHIFT
    }

    /// Returns the five-bit opcode. The fifth bit is zero in every message of RFC 5040 and RFC 7306.
    pub fn opcode(self) -> u8 {
        self.0 & FIVE_BITS
    }

    /// Returns the bit that is reserved in every document.
    pub fn reserved(self) -> u8 {
        (self.0 & SIXTH_BIT) >> 5
    }
}

/// A legal control byte: a message, and a version of RDMAP that defines it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RdmapControl {
    byte: u8,
    message: Message,
}

impl RdmapControl {
    /// Creates the control byte of `message` for a version: 0 is the RDMA Consortium's, 1 that of RFC
    /// 5040 and rdma-commit, 2 that of ext-v2.
    ///
    /// # Errors
    /// [`Illegal`] when the version has no such message.
    pub fn new(rdmap_version: u8, message: Message) -> Result<Self, Illegal> {
        let byte = rdmap_version << VERSION_SHIFT | message.info().opcode;
        if rdmap_version > NEWEST_VERSION {
            return Err(illegal("RDMAP version", rdmap_version));
        }
        match Message::from_control(RdmapControlView(byte), Profile::ALL) {
            Some(found) if found == message => Ok(Self { byte, message }),
            _ => Err(illegal("opcode", message.info().opcode)),
        }
    }

    /// RV: the version of RDMAP.
    pub fn rdmap_version(self) -> u8 {
        RdmapControlView(self.byte).rdmap_version()
    }

    /// Returns the message.
    pub fn message(self) -> Message {
        self.message
    }

    /// Returns the byte on the wire.
    pub fn byte(self) -> u8 {
        self.byte
    }
}

impl TryFrom<RdmapControlView> for RdmapControl {
    type Error = Illegal;

    /// Refuses a reserved bit, an undefined version, and an opcode that the version does not have.
    fn try_from(view: RdmapControlView) -> Result<Self, Illegal> {
        if view.reserved() != 0 {
            return Err(illegal("reserved", view.reserved()));
        }
        let message = Message::from_control(view, Profile::ALL)
            .ok_or_else(|| illegal("opcode", view.opcode()))?;
        Self::new(view.rdmap_version(), message)
    }
}
