//! The iSER header, which begins every Send of an iSER connection (RFC 7145 §9), and the private data
//! of the connection's setup.

use crate::figure::figure;
use crate::{Illegal, Layer, Malformed, Problem, Writer};

/// Length of the iSER header in bytes, for every opcode.
pub const HEADER_LENGTH: usize = 28;
/// The version of iSER that RFC 7145 describes.
pub const VERSION: u8 = 10;

const CONTROL: u8 = 1;
const HELLO: u8 = 2;
const HELLO_REPLY: u8 = 3;
const WRITE_VALID: u8 = 0x08;
const READ_VALID: u8 = 0x04;
const REJECTED: u8 = 0x01;

/// Returns the name of an opcode of the iSER header (RFC 7145 §9.1).
pub fn opcode_name(opcode: u8) -> Option<&'static str> {
    Some(match opcode {
        CONTROL => "iSCSI control-type PDU",
        HELLO => "iSER Hello",
        HELLO_REPLY => "iSER HelloReply",
        _ => return None,
    })
}

figure! {
    /// The iSER header before an iSCSI control-type PDU (RFC 7145 §9.2, figure 3).
    ControlView: 28 bytes, Iser "iSER header" {
        /// The opcode (upper four bits), WSV, RSV and two reserved bits.
        0 opcode_and_flags u8;
        /// The first of three reserved bytes.
        1 reserved_byte u8;
        /// The other two.
        2 reserved_word u16;
        /// The Write STag: the buffer that the target may read.
        4 write_steering_tag u32;
        /// The Write Base Offset: a Tagged Offset in bytes.
        8 write_base_offset u64;
        /// The Read STag: the buffer that the target may write.
        16 read_steering_tag u32;
        /// The Read Base Offset: a Tagged Offset in bytes.
        20 read_base_offset u64;
    }
}

impl ControlView<'_> {
    /// WSV: the Write STag and the Write Base Offset are valid.
    pub fn write_valid(&self) -> bool {
        self.opcode_and_flags() & WRITE_VALID != 0
    }

    /// RSV: the Read STag and the Read Base Offset are valid.
    pub fn read_valid(&self) -> bool {
        self.opcode_and_flags() & READ_VALID != 0
    }

    /// Returns the 26 reserved bits.
    pub fn reserved(&self) -> u32 {
        u32::from(self.opcode_and_flags() & 0x03) << 24
            | u32::from(self.reserved_byte()) << 16
            | u32::from(self.reserved_word())
    }

    /// Returns the buffer that the target may read, if WSV is set.
    pub fn write_buffer(&self) -> Option<Advertised> {
        self.write_valid().then(|| Advertised {
            steering_tag: self.write_steering_tag(),
            base_offset: self.write_base_offset(),
        })
    }

    /// Returns the buffer that the target may write, if RSV is set.
    pub fn read_buffer(&self) -> Option<Advertised> {
        self.read_valid().then(|| Advertised {
            steering_tag: self.read_steering_tag(),
            base_offset: self.read_base_offset(),
        })
    }
}

figure! {
    /// The iSER Hello Message (RFC 7145 §9.3, figure 4).
    HelloView: 28 bytes, Iser "iSER Hello" {
        /// The opcode (upper four bits) and four reserved bits.
        0 opcode_and_reserved u8;
        /// MaxVer (upper four bits) and MinVer.
        1 versions u8;
        /// iSER-IRD: the number of RDMA Reads that the initiator can answer at once.
        2 inbound_read_depth u16;
        /// Reserved, as are the 20 bytes that follow.
        4 reserved_word u32;
    }
}

impl HelloView<'_> {
    /// MaxVer.
    pub fn maximum_version(&self) -> u8 {
        self.versions() >> 4
    }

    /// MinVer.
    pub fn minimum_version(&self) -> u8 {
        self.versions() & 0x0f
    }
}

figure! {
    /// The iSER HelloReply Message (RFC 7145 §9.4, figure 5).
    HelloReplyView: 28 bytes, Iser "iSER HelloReply" {
        /// The opcode (upper four bits), three reserved bits and REJ.
        0 opcode_and_flags u8;
        /// MaxVer (upper four bits) and CurVer.
        1 versions u8;
        /// iSER-ORD: the number of RDMA Reads that the target will have outstanding at once.
        2 outbound_read_depth u16;
        /// Reserved, as are the 20 bytes that follow.
        4 reserved_word u32;
    }
}

impl HelloReplyView<'_> {
    /// REJ: the target rejects the connection.
    pub fn rejected(&self) -> bool {
        self.opcode_and_flags() & REJECTED != 0
    }

    /// MaxVer.
    pub fn maximum_version(&self) -> u8 {
        self.versions() >> 4
    }

    /// CurVer.
    pub fn current_version(&self) -> u8 {
        self.versions() & 0x0f
    }
}

/// An iSER header as it appears in a Send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeaderView<'a> {
    /// An iSCSI control-type PDU follows.
    Control(ControlView<'a>),
    /// iSER Hello.
    Hello(HelloView<'a>),
    /// iSER HelloReply.
    HelloReply(HelloReplyView<'a>),
}

impl<'a> HeaderView<'a> {
    /// Reads a header from the front of a Send's payload; returns it and the bytes after it: the iSCSI
    /// PDU of a control-type message.
    ///
    /// # Errors
    /// [`Malformed`] when the header is incomplete, or has an opcode that is not assigned.
    pub fn parse(input: &'a [u8]) -> Result<(Self, &'a [u8]), Malformed> {
        let (control, rest) = ControlView::parse(input)?;
        let opcode = control.opcode_and_flags() >> 4;
        let view = match opcode {
            CONTROL => Self::Control(control),
            HELLO => Self::Hello(HelloView::parse(input)?.0),
            HELLO_REPLY => Self::HelloReply(HelloReplyView::parse(input)?.0),
            other => {
                let problem = Problem::Value(other.into());
                return Err(Malformed { layer: Layer::Iser, field: "opcode", problem });
            }
        };
        Ok((view, rest))
    }

    /// Returns the opcode: the upper four bits of the first byte.
    pub fn opcode(&self) -> u8 {
        self.bytes()[0] >> 4
    }

    /// Returns the bytes of the header.
    pub fn bytes(&self) -> &'a [u8; HEADER_LENGTH] {
        match self {
            Self::Control(view) => view.bytes(),
            Self::Hello(view) => view.bytes(),
            Self::HelloReply(view) => view.bytes(),
        }
    }
}

/// A buffer of the initiator that an iSER header advertises. The header does not give its length.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Advertised {
    /// The Steering Tag (STag).
    pub steering_tag: u32,
    /// The Tagged Offset of the buffer's first byte.
    pub base_offset: u64,
}

/// A legal iSER header.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Header {
    /// The header of an iSCSI control-type PDU.
    Control {
        /// The Write STag and its Base Offset.
        write: Option<Advertised>,
        /// The Read STag and its Base Offset.
        read: Option<Advertised>,
    },
    /// iSER Hello.
    Hello {
        /// iSER-IRD.
        inbound_read_depth: u16,
    },
    /// iSER HelloReply.
    HelloReply {
        /// REJ.
        rejected: bool,
        /// iSER-ORD.
        outbound_read_depth: u16,
    },
}

impl Header {
    /// Writes the 28 bytes.
    pub fn emit(&self, writer: &mut Writer<'_>) {
        match *self {
            Self::Control { write, read } => {
                let flag = |buffer: Option<Advertised>, bit| if buffer.is_some() { bit } else { 0 };
                writer
                    .u8(CONTROL << 4 | flag(write, WRITE_VALID) | flag(read, READ_VALID))
                    .zeros(3);
                for buffer in [write, read] {
                    let none = Advertised { steering_tag: 0, base_offset: 0 };
                    let buffer = buffer.unwrap_or(none);
                    writer.u32(buffer.steering_tag).u64(buffer.base_offset);
                }
            }
            Self::Hello { inbound_read_depth } => {
                writer.u8(HELLO << 4).u8(VERSION << 4 | VERSION).u16(inbound_read_depth).zeros(24);
            }
            Self::HelloReply { rejected, outbound_read_depth } => {
                writer
                    .u8(HELLO_REPLY << 4 | u8::from(rejected))
                    .u8(VERSION << 4 | VERSION)
                    .u16(outbound_read_depth)
                    .zeros(24);
            }
        }
    }
}

impl TryFrom<HeaderView<'_>> for Header {
    type Error = Illegal;

    /// Refuses reserved bits, STags that are present without their flag, and versions other than 10.
    fn try_from(view: HeaderView<'_>) -> Result<Self, Illegal> {
        match view {
            HeaderView::Control(view) => control(view),
            HeaderView::Hello(hello) => {
                versions(hello.versions(), "RFC 7145 section 9.3")?;
                no_reserved(view, 0x0f, "RFC 7145 section 9.3")?;
                Ok(Self::Hello { inbound_read_depth: hello.inbound_read_depth() })
            }
            HeaderView::HelloReply(reply) => {
                versions(reply.versions(), "RFC 7145 section 9.4")?;
                no_reserved(view, 0x0e, "RFC 7145 section 9.4")?;
                Ok(Self::HelloReply {
                    rejected: reply.rejected(),
                    outbound_read_depth: reply.outbound_read_depth(),
                })
            }
        }
    }
}

fn control(view: ControlView<'_>) -> Result<Header, Illegal> {
    let illegal = |field, value| Illegal::new(Layer::Iser, field, value, "RFC 7145 section 9.2");
    if view.reserved() != 0 {
        return Err(illegal("reserved", view.reserved().into()));
    }
    let unused = [
        (view.write_valid(), "write STag", u64::from(view.write_steering_tag())),
        (view.write_valid(), "write base offset", view.write_base_offset()),
        (view.read_valid(), "read STag", u64::from(view.read_steering_tag())),
        (view.read_valid(), "read base offset", view.read_base_offset()),
    ];
    match unused.into_iter().find(|(valid, _, value)| !valid && *value != 0) {
        Some((_, field, value)) => Err(illegal(field, value)),
        None => Ok(Header::Control { write: view.write_buffer(), read: view.read_buffer() }),
    }
}

fn versions(versions: u8, section: &'static str) -> Result<(), Illegal> {
    if versions != VERSION << 4 | VERSION {
        return Err(Illegal::new(Layer::Iser, "versions", versions, section));
    }
    Ok(())
}

/// Refuses reserved bits of the first byte, and any bits in the 24 bytes after the first word.
fn no_reserved(view: HeaderView<'_>, mask: u8, section: &'static str) -> Result<(), Illegal> {
    let [first, _, _, _, rest @ ..] = view.bytes();
    if first & mask != 0 {
        return Err(Illegal::new(Layer::Iser, "reserved", first & mask, section));
    }
    match rest.iter().find(|byte| **byte != 0) {
        Some(byte) => Err(Illegal::new(Layer::Iser, "reserved", *byte, section)),
        None => Ok(()),
    }
}

// The private data that both sides exchange when the connection is set up. InfiniBand's annex for iSER
// defines it, RFC 7145 §8.2 mentions it, and Linux sends it on iWARP too.

const NO_ZERO_BASED_ADDRESSES: u8 = 0x80;
const NO_SEND_WITH_INVALIDATE: u8 = 0x40;

figure! {
    /// iSER's private data; it follows MPA's enhanced header, if that is present.
    PrivateDataView: 4 bytes, Iser "private data" {
        /// The two flags and six reserved bits.
        0 flags u8;
        /// Reserved.
        1 reserved_byte u8;
        /// Reserved.
        2 reserved_word u16;
    }
}

impl PrivateDataView<'_> {
    /// The sender does not support zero-based virtual addresses (ZBVA).
    pub fn no_zero_based_addresses(&self) -> bool {
        self.flags() & NO_ZERO_BASED_ADDRESSES != 0
    }

    /// The sender does not support Send with Invalidate.
    pub fn no_send_with_invalidate(&self) -> bool {
        self.flags() & NO_SEND_WITH_INVALIDATE != 0
    }

    /// Returns the 30 reserved bits.
    pub fn reserved(&self) -> u32 {
        u32::from_be_bytes(*self.bytes()) & 0x3fff_ffff
    }
}

/// Legal private data of iSER.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PrivateData {
    /// The sender does not support zero-based virtual addresses.
    pub no_zero_based_addresses: bool,
    /// The sender does not support Send with Invalidate.
    pub no_send_with_invalidate: bool,
}

impl PrivateData {
    /// Returns the four bytes.
    pub fn bytes(&self) -> [u8; 4] {
        let flag = |set: bool, bit: u8| if set { bit } else { 0 };
        let flags = flag(self.no_zero_based_addresses, NO_ZERO_BASED_ADDRESSES)
            | flag(self.no_send_with_invalidate, NO_SEND_WITH_INVALIDATE);
        [flags, 0, 0, 0]
    }
}

impl TryFrom<PrivateDataView<'_>> for PrivateData {
    type Error = Illegal;

    fn try_from(view: PrivateDataView<'_>) -> Result<Self, Illegal> {
        if view.reserved() != 0 {
            let section = "InfiniBand annex A12";
            return Err(Illegal::new(Layer::Iser, "private data", view.reserved(), section));
        }
        Ok(Self {
            no_zero_based_addresses: view.no_zero_based_addresses(),
            no_send_with_invalidate: view.no_send_with_invalidate(),
        })
    }
}
