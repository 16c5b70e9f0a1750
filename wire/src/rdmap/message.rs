//! The RDMAP messages and how DDP carries them: one table (RFC 5040 figures 4 and 5, RFC 7306 figures 2
//! and 3, ext-v2 figures 2 and 3, rdma-commit §3.1).

use super::RdmapControlView;
use Buffer::{Queue, Tagged};
use Message as M;
use Payload::{AtLeast, Header, Nothing, Ulp, UlpThenImmediate};

/// An RDMAP message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the names are the documents' own; the table describes them")]
pub enum Message {
    Write,
    ReadRequest,
    ReadResponse,
    Send,
    SendInvalidate,
    SendSolicited,
    SendSolicitedInvalidate,
    Terminate,
    Immediate,
    ImmediateSolicited,
    AtomicRequest,
    AtomicResponse,
    FlushRequest,
    FlushResponse,
    VerifyRequest,
    VerifyResponse,
    AtomicWriteRequest,
    AtomicWriteResponse,
    ReadV2Request,
    ReadV2Response,
    SendImmediate,
    SendInvalidateImmediate,
    SendSolicitedImmediate,
    SendSolicitedInvalidateImmediate,
}

/// The DDP buffer model of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Buffer {
    /// Tagged: STag and TO give the place of the payload.
    Tagged,
    /// Untagged, on this queue.
    Queue(u32),
}

/// The contents of a message after the DDP header.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Payload {
    /// The ULP's bytes, any number.
    Ulp,
    /// A header of exactly this many bytes and nothing else.
    Header(usize),
    /// A header of at least this many bytes.
    AtLeast(usize),
    /// Nothing.
    Nothing,
    /// The ULP's bytes, then a last segment with only 8 bytes of Immediate Data.
    UlpThenImmediate,
}

/// A row of the table.
#[derive(Debug, Clone, Copy)]
pub struct MessageInfo {
    /// The message.
    pub message: Message,
    /// Its opcode.
    pub opcode: u8,
    /// Its common name.
    pub name: &'static str,
    /// Its buffer model.
    pub buffer: Buffer,
    /// Its contents.
    pub payload: Payload,
    /// Whether it names a Steering Tag to invalidate.
    pub invalidates: bool,
    /// The section that defines it.
    pub section: &'static str,
}

const fn row(
    message: Message,
    opcode: u8,
    name: &'static str,
    buffer: Buffer,
    payload: Payload,
    section: &'static str,
) -> MessageInfo {
    let invalidates = matches!(
        message,
        Message::SendInvalidate
            | Message::SendSolicitedInvalidate
            | Message::SendInvalidateImmediate
            | Message::SendSolicitedInvalidateImmediate
    );
    MessageInfo { message, opcode, name, buffer, payload, invalidates, section }
}

#[rustfmt::skip]
static TABLE: [MessageInfo; 24] = [
    row(M::Write,                    0x00, "Write",                                Tagged,   Ulp,            "RFC 5040 section 5.1"),
    row(M::ReadRequest,              0x01, "Read Request",                         Queue(1), Header(28),     "RFC 5040 section 4.4"),
    row(M::ReadResponse,             0x02, "Read Response",                        Tagged,   Ulp,            "RFC 5040 section 4.5"),
    row(M::Send,                     0x03, "Send",                                 Queue(0), Ulp,            "RFC 5040 section 5.3"),
    row(M::SendInvalidate,           0x04, "Send with Invalidate",                 Queue(0), Ulp,            "RFC 5040 section 5.3"),
    row(M::SendSolicited,            0x05, "Send with SE",                         Queue(0), Ulp,            "RFC 5040 section 5.3"),
    row(M::SendSolicitedInvalidate,  0x06, "Send with SE and Invalidate",          Queue(0), Ulp,            "RFC 5040 section 5.3"),
    row(M::Terminate,                0x07, "Terminate",                            Queue(2), AtLeast(4),     "RFC 5040 section 4.8"),
    row(M::Immediate,                0x08, "Immediate Data",                       Queue(0), Header(8),      "RFC 7306 section 6"),
    row(M::ImmediateSolicited,       0x09, "Immediate Data with SE",               Queue(0), Header(8),      "RFC 7306 section 6"),
    row(M::AtomicRequest,            0x0a, "Atomic Request",                       Queue(1), Header(52),     "RFC 7306 section 5.2.1"),
    row(M::AtomicResponse,           0x0b, "Atomic Response",                      Queue(3), Header(12),     "RFC 7306 section 5.2.2"),
    row(M::FlushRequest,             0x0c, "Flush Request",                        Queue(1), Header(20),     "rdma-commit section 3.1.1.1"),
    row(M::FlushResponse,            0x0d, "Flush Response",                       Queue(3), Nothing,        "rdma-commit section 3.1.1.2"),
    row(M::VerifyRequest,            0x0e, "Verify Request",                       Queue(1), AtLeast(16),    "rdma-commit section 3.1.2.1"),
    row(M::VerifyResponse,           0x0f, "Verify Response",                      Queue(3), AtLeast(0),     "rdma-commit section 3.1.2.2"),
    row(M::AtomicWriteRequest,       0x10, "Atomic Write Request",                 Queue(1), Header(24),     "rdma-commit section 3.1.3.1"),
    row(M::AtomicWriteResponse,      0x11, "Atomic Write Response",                Queue(3), Nothing,        "rdma-commit section 3.1.3.2"),
    row(M::ReadV2Request,            0x11, "Read V2 Request",                      Queue(1), Header(16),     "rdmap-ext-v2 section 6.1"),
    row(M::ReadV2Response,           0x12, "Read V2 Response",                     Queue(3), Ulp,            "rdmap-ext-v2 section 6.2"),
    row(M::SendImmediate,            0x13, "Send with Immediate",                  Queue(0), UlpThenImmediate, "rdmap-ext-v2 section 5.3"),
    row(M::SendInvalidateImmediate,  0x14, "Send with Invalidate and Immediate",   Queue(0), UlpThenImmediate, "rdmap-ext-v2 section 5.3"),
    row(M::SendSolicitedImmediate,   0x15, "Send with SE and Immediate",           Queue(0), UlpThenImmediate, "rdmap-ext-v2 section 5.3"),
    row(M::SendSolicitedInvalidateImmediate, 0x16, "Send with SE, Invalidate and Immediate", Queue(0), UlpThenImmediate, "rdmap-ext-v2 section 5.3"),
];

impl Message {
    /// Returns the message that a control byte announces on a connection with this profile.
    ///
    /// 0x11 is the Read V2 Request under RV 2 and the Atomic Write Response under RV 1. A version
    /// that no document defines (0 is the RDMA Consortium's, 3 nobody's) is read as version 1.
    pub fn from_control(control: RdmapControlView, profile: Profile) -> Option<Self> {
        let opcode = control.opcode();
        let version_2 = control.rdmap_version() == 2;
        match opcode {
            0x00..=0x07 => {}
            0x08..=0x0b if profile.extensions => {}
            0x0c..=0x10 if profile.commit => {}
            0x11 if version_2 && profile.ext_v2 => return Some(Self::ReadV2Request),
            0x11 if !version_2 && profile.commit => return Some(Self::AtomicWriteResponse),
            0x12..=0x16 if version_2 && profile.ext_v2 => {}
            _ => return None,
        }
        TABLE.iter().find(|row| row.opcode == opcode).map(|row| row.message)
    }

    /// Returns its row of the table.
    pub fn info(self) -> &'static MessageInfo {
        &TABLE[self as usize]
    }

    /// Returns every message, in the order of the opcodes.
    pub fn all() -> impl Iterator<Item = Self> {
        TABLE.iter().map(|row| row.message)
    }

    /// Returns whether the message carries RDMAP version 2, and not version 1 of the base documents.
    pub fn requires_version_2(self) -> bool {
        self >= Self::ReadV2Request
    }

    /// Returns whether the Invalidate STag field may be other than zero: in the messages that
    /// invalidate, and optionally in the requests of rdma-commit (its table 2).
    pub fn may_invalidate(self) -> bool {
        let choice = [Self::FlushRequest, Self::VerifyRequest, Self::AtomicWriteRequest];
        self.info().invalidates || choice.contains(&self)
    }

    /// Returns whether the message is a Send of any kind: it delivers ULP bytes on queue 0.
    pub fn is_send(self) -> bool {
        self.info().buffer == Queue(0) && matches!(self.info().payload, Ulp | UlpThenImmediate)
    }

    /// Returns whether the Send or Immediate requests an event at the receiver.
    pub fn solicits(self) -> bool {
        matches!(
            self,
            Self::SendSolicited
                | Self::SendSolicitedInvalidate
                | Self::ImmediateSolicited
                | Self::SendSolicitedImmediate
                | Self::SendSolicitedInvalidateImmediate
        )
    }
}

// The documents that two peers follow, which define the meaning of an opcode.

/// The documents in force on a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Profile {
    /// RFC 7306: atomics and Immediate Data.
    pub extensions: bool,
    /// rdmap-ext-v2: RV 2, RDMA Read V2 and Sends with Immediate Data.
    pub ext_v2: bool,
    /// rdma-commit: Flush, Verify and Atomic Write.
    pub commit: bool,
}

impl Profile {
    /// RFC 5040 alone.
    pub const RFC5040: Self = Self { extensions: false, ext_v2: false, commit: false };
    /// RFC 5040 and RFC 7306.
    pub const RFC7306: Self = Self { extensions: true, ..Self::RFC5040 };
    /// RFC 5040, RFC 7306 and rdmap-ext-v2, which builds on it.
    pub const EXT_V2: Self = Self { ext_v2: true, ..Self::RFC7306 };
    /// RFC 5040, RFC 7306 and rdma-commit.
    pub const COMMIT: Self = Self { commit: true, ..Self::RFC7306 };
    /// Every document.
    pub const ALL: Self = Self { extensions: true, ext_v2: true, commit: true };

    /// The names that [`Profile::by_name`] accepts.
    pub const NAMES: &[(&str, Self)] = &[
        ("rfc5040", Self::RFC5040),
        ("rfc7306", Self::RFC7306),
        ("ext-v2", Self::EXT_V2),
        ("commit", Self::COMMIT),
        ("all", Self::ALL),
    ];

    /// Returns the profile of this name.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(known, _)| *known == name).map(|(_, profile)| *profile)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_indexed_by_message() {
        for (index, row) in TABLE.iter().enumerate() {
            assert_eq!(row.message as usize, index, "{}", row.name);
        }
    }

    /// The clash of the two drafts, and what each profile knows (RFC 5040 figure 4, RFC 7306 figure
    /// 2, ext-v2 figure 2, rdma-commit table 2).
    #[test]
    fn opcode_depends_on_version_and_profile() {
        let control = |version: u8, opcode: u8| RdmapControlView(version << 6 | opcode);
        let from = |v, o, p| Message::from_control(control(v, o), p);
        assert_eq!(from(1, 0x11, Profile::ALL), Some(Message::AtomicWriteResponse));
        assert_eq!(from(2, 0x11, Profile::ALL), Some(Message::ReadV2Request));
        assert_eq!(from(2, 0x11, Profile::COMMIT), None);
        assert_eq!(from(1, 0x11, Profile::EXT_V2), None);
        assert_eq!(from(1, 0x13, Profile::ALL), None);
        assert_eq!(from(2, 0x16, Profile::ALL), Some(Message::SendSolicitedInvalidateImmediate));
        assert_eq!(from(2, 0x17, Profile::ALL), None);
        assert_eq!(from(1, 0x08, Profile::RFC5040), None);
        assert_eq!(from(1, 0x0a, Profile::RFC7306), Some(Message::AtomicRequest));
        assert_eq!(from(1, 0x0c, Profile::RFC7306), None);
        assert_eq!(from(1, 0x07, Profile::RFC5040), Some(Message::Terminate));
        assert_eq!(from(2, 0x03, Profile::EXT_V2), Some(Message::Send));
    }
}
