//! The SMB2 header, and the headers of encrypted and compressed messages (MS-SMB2 §2.2.1, §2.2.41,
//! §2.2.42).

use super::BodyView;
use crate::figure::figure;
use crate::{BufferTooSmall, Illegal, Layer, Malformed, Problem, Writer};
use std::fmt;

/// ProtocolId of a message in the clear: 0xFE and "SMB", read as one number.
pub const PROTOCOL_ID: u32 = 0x424d_53fe;
/// ProtocolId of an encrypted message.
pub const ENCRYPTED_ID: u32 = 0x424d_53fd;
/// ProtocolId of a compressed message.
pub const COMPRESSED_ID: u32 = 0x424d_53fc;
/// Where the signature begins in the header.
const SIGNATURE: usize = 48;

figure! {
    /// The header, as it is on the wire (MS-SMB2 §2.2.1.1, §2.2.1.2).
    HeaderView: 64 bytes little endian, Smb2 "header" {
        /// ProtocolId: 0xFE and "SMB".
        0 protocol_id u32;
        /// StructureSize: 64.
        4 structure_size u16;
        /// CreditCharge: credits that the request uses.
        6 credit_charge u16;
        /// A response's NT status; in a request of SMB 3 the ChannelSequence and two reserved bytes.
        8 status u32;
        /// The command.
        12 command u16;
        /// Credits asked for (request) or granted (response).
        14 credits u16;
        /// The flags.
        16 flags u32;
        /// NextCommand: from this header to the next of a compound, in bytes; 0 in the last.
        20 next_command u32;
        /// MessageId: what a response has from its request.
        24 message_id u64;
        /// Reserved; servers and older clients have a process in it.
        32 process_id u32;
        /// TreeId: the share.
        36 tree_id u32;
        /// SessionId.
        40 session_id u64;
    }
}

/// The flags of a header (MS-SMB2 §2.2.1.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Flags(pub u32);

impl Flags {
    /// SMB2_FLAGS_SERVER_TO_REDIR.
    pub const RESPONSE: u32 = 0x0000_0001;
    /// SMB2_FLAGS_ASYNC_COMMAND.
    pub const ASYNC: u32 = 0x0000_0002;
    /// SMB2_FLAGS_RELATED_OPERATIONS.
    pub const RELATED: u32 = 0x0000_0004;
    /// SMB2_FLAGS_SIGNED.
    pub const SIGNED: u32 = 0x0000_0008;
    /// SMB2_FLAGS_PRIORITY_MASK.
    pub const PRIORITY: u32 = 0x0000_0070;
    /// SMB2_FLAGS_DFS_OPERATIONS.
    pub const DFS: u32 = 0x1000_0000;
    /// SMB2_FLAGS_REPLAY_OPERATION.
    pub const REPLAY: u32 = 0x2000_0000;

    /// The message is a response.
    pub fn response(self) -> bool {
        self.0 & Self::RESPONSE != 0
    }

    /// The header has an AsyncId in place of process and tree.
    pub fn asynchronous(self) -> bool {
        self.0 & Self::ASYNC != 0
    }

    /// A later request of a compound that goes on with what the one before it had.
    pub fn related(self) -> bool {
        self.0 & Self::RELATED != 0
    }

    /// The message is signed.
    pub fn signed(self) -> bool {
        self.0 & Self::SIGNED != 0
    }
}

impl<'a> HeaderView<'a> {
    /// The flags.
    pub fn flag_set(&self) -> Flags {
        Flags(self.flags())
    }

    /// AsyncId, which takes the place of process and tree in an asynchronous message.
    pub fn async_id(&self) -> u64 {
        u64::from(self.tree_id()) << 32 | u64::from(self.process_id())
    }

    /// The signature: 16 bytes.
    pub fn signature(&self) -> &'a [u8] {
        &self.bytes()[SIGNATURE..]
    }
}

/// A legal header of a message in the clear.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Header {
    /// Credits that the request uses.
    pub credit_charge: u16,
    /// The NT status of a response; ChannelSequence of a request.
    pub status: u32,
    command: u16,
    /// Credits asked for or granted.
    pub credits: u16,
    /// The flags.
    pub flags: Flags,
    next_command: u32,
    /// MessageId.
    pub message_id: u64,
    /// Process and tree, or the AsyncId.
    pub process_and_tree: u64,
    /// SessionId.
    pub session_id: u64,
    /// The signature.
    pub signature: [u8; 16],
}

impl Header {
    /// Bytes of it.
    pub const LENGTH: usize = HeaderView::LENGTH;

    /// A header with that command, alone in its message, with all else 0.
    pub fn new(command: super::Command, message_id: u64) -> Self {
        Self {
            credit_charge: 1,
            status: 0,
            command: command as u16,
            credits: 1,
            flags: Flags(0),
            next_command: 0,
            message_id,
            process_and_tree: 0,
            session_id: 0,
            signature: [0; 16],
        }
    }

    /// The same header in front of another one, so many bytes further.
    ///
    /// # Errors
    /// [`Illegal`] when the next one would not be aligned to eight bytes.
    pub fn followed_by(self, next_command: u32) -> Result<Self, Illegal> {
        if !next_command.is_multiple_of(8) {
            return Err(Illegal::new(
                Layer::Smb2,
                "NextCommand",
                next_command,
                "MS-SMB2 section 3.2.4.1.4",
            ));
        }
        Ok(Self { next_command, ..self })
    }

    /// Writes it.
    pub fn emit(&self, writer: &mut Writer<'_>) {
        writer
            .bytes(&PROTOCOL_ID.to_le_bytes())
            .bytes(&(Self::LENGTH as u16).to_le_bytes())
            .bytes(&self.credit_charge.to_le_bytes())
            .bytes(&self.status.to_le_bytes())
            .bytes(&self.command.to_le_bytes())
            .bytes(&self.credits.to_le_bytes())
            .bytes(&self.flags.0.to_le_bytes())
            .bytes(&self.next_command.to_le_bytes())
            .bytes(&self.message_id.to_le_bytes())
            .bytes(&self.process_and_tree.to_le_bytes())
            .bytes(&self.session_id.to_le_bytes())
            .bytes(&self.signature);
    }

    /// Writes it and a body to the front of `buffer`; returns the length of both.
    ///
    /// # Errors
    /// [`BufferTooSmall`] when they do not fit.
    pub fn emit_with(
        &self,
        body: impl FnOnce(&mut Writer<'_>),
        buffer: &mut [u8],
    ) -> Result<usize, BufferTooSmall> {
        let mut writer = Writer::new(buffer);
        self.emit(&mut writer);
        body(&mut writer);
        writer.finish()
    }
}

impl TryFrom<HeaderView<'_>> for Header {
    type Error = Illegal;

    fn try_from(view: HeaderView<'_>) -> Result<Self, Illegal> {
        let illegal =
            |field, value: u32| Illegal::new(Layer::Smb2, field, value, "MS-SMB2 section 2.2.1.2");
        if view.protocol_id() != PROTOCOL_ID {
            return Err(illegal("ProtocolId", view.protocol_id()));
        }
        if usize::from(view.structure_size()) != Self::LENGTH {
            return Err(illegal("StructureSize", view.structure_size().into()));
        }
        let command = super::Command::from_repr(view.command())
            .ok_or(illegal("Command", view.command().into()))?;
        let mut signature = [0; 16];
        signature.copy_from_slice(view.signature());
        Self {
            credit_charge: view.credit_charge(),
            status: view.status(),
            credits: view.credits(),
            flags: view.flag_set(),
            process_and_tree: view.async_id(),
            session_id: view.session_id(),
            signature,
            ..Self::new(command, view.message_id())
        }
        .followed_by(view.next_command())
    }
}

// Encrypted and compressed messages.

figure! {
    /// The header of an encrypted message (MS-SMB2 §2.2.41).
    TransformView: 52 bytes little endian, Smb2 "transform header" {
        /// ProtocolId: 0xFD and "SMB".
        0 protocol_id u32;
        /// The signature, first half.
        4 signature_low u64;
        /// The signature, second half.
        12 signature_high u64;
        /// The nonce, first half.
        20 nonce_low u64;
        /// The nonce, second half.
        28 nonce_high u64;
        /// Bytes of the message once it is decrypted.
        36 original_message_size u32;
        /// Reserved.
        40 reserved u16;
        /// 1: encrypted (EncryptionAlgorithm in SMB 3.0).
        42 flags u16;
        /// SessionId.
        44 session_id u64;
    }
}

figure! {
    /// The header of a compressed message that is not chained (MS-SMB2 §2.2.42.1).
    CompressionView: 16 bytes little endian, Smb2 "compression transform header" {
        /// ProtocolId: 0xFC and "SMB".
        0 protocol_id u32;
        /// Bytes of what is compressed, before it was.
        4 original_size u32;
        /// The algorithm.
        8 algorithm u16;
        /// 1: chained, and the layout is another one.
        10 flags u16;
        /// Bytes before the compressed ones that are not compressed.
        12 offset u32;
    }
}

/// One message of a compound: its header, and all of its bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MessageView<'a> {
    /// The header.
    pub header: HeaderView<'a>,
    /// Header and body: offsets in a body count from here.
    pub bytes: &'a [u8],
}

impl<'a> MessageView<'a> {
    /// What follows the header.
    pub fn rest(&self) -> &'a [u8] {
        self.bytes.get(HeaderView::LENGTH..).unwrap_or(&[])
    }

    /// Reads the body, as the command and the direction lay it out.
    ///
    /// # Errors
    /// [`Malformed`] when its fixed part is not all there.
    pub fn body(&self) -> Result<BodyView<'a>, Malformed> {
        BodyView::parse(self)
    }

    /// A part of the message that a body points at.
    ///
    /// # Errors
    /// [`Malformed`] when it is not all there.
    pub fn part(
        &self,
        field: &'static str,
        offset: u32,
        length: u32,
    ) -> Result<&'a [u8], Malformed> {
        if length == 0 {
            return Ok(&[]);
        }
        let (offset, length) = (offset as usize, length as usize);
        let end = offset.saturating_add(length);
        self.bytes.get(offset..end).ok_or(Malformed::short(
            Layer::Smb2,
            field,
            end,
            self.bytes.len(),
        ))
    }
}

/// What one upper message, or a part of a compound, is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PduView<'a> {
    /// In the clear.
    Message(MessageView<'a>),
    /// Encrypted; what the header does not say cannot be known.
    Encrypted(TransformView<'a>, &'a [u8]),
    /// Compressed; it is not expanded here.
    Compressed(CompressionView<'a>, &'a [u8]),
}

impl<'a> PduView<'a> {
    /// Reads one message from the front of `input`; returns it and the rest of its compound.
    ///
    /// # Errors
    /// [`Malformed`] when the header is not all there, is none of SMB2's, or the next of a compound would
    /// begin inside it or after the end.
    pub fn parse(input: &'a [u8]) -> Result<(Self, &'a [u8]), Malformed> {
        let Some(first) = input.first_chunk() else {
            return Err(Malformed::short(Layer::Smb2, "ProtocolId", 4, input.len()));
        };
        match u32::from_le_bytes(*first) {
            PROTOCOL_ID => Self::message(input),
            ENCRYPTED_ID => {
                let (header, data) = TransformView::parse(input)?;
                Ok((Self::Encrypted(header, data), &[]))
            }
            COMPRESSED_ID => {
                let (header, data) = CompressionView::parse(input)?;
                Ok((Self::Compressed(header, data), &[]))
            }
            other => {
                let problem = Problem::Value(other.into());
                Err(Malformed { layer: Layer::Smb2, field: "ProtocolId", problem })
            }
        }
    }

    fn message(input: &'a [u8]) -> Result<(Self, &'a [u8]), Malformed> {
        let (header, _) = HeaderView::parse(input)?;
        let next = header.next_command() as usize;
        if next == 0 {
            return Ok((Self::Message(MessageView { header, bytes: input }), &[]));
        }
        if next < HeaderView::LENGTH {
            let problem = Problem::Value(header.next_command().into());
            return Err(Malformed { layer: Layer::Smb2, field: "NextCommand", problem });
        }
        let (bytes, rest) = input.split_at_checked(next).ok_or(Malformed::short(
            Layer::Smb2,
            "NextCommand",
            next,
            input.len(),
        ))?;
        Ok((Self::Message(MessageView { header, bytes }), rest))
    }
}

/// A FileId (MS-SMB2 §2.2.14.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId {
    /// The part that outlives a connection.
    pub persistent: u64,
    /// The part that does not.
    pub volatile: u64,
}

impl FileId {
    /// What a related request of a compound has in place of the file that the one before it opened.
    pub const RELATED: Self = Self { persistent: u64::MAX, volatile: u64::MAX };
}

/// As a GUID, the way that Wireshark writes it.
impl fmt::Display for FileId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { persistent, volatile } = *self;
        let [a, b, rest @ ..] = volatile.to_le_bytes();
        let (low, middle, high) = (persistent as u32, persistent >> 32, persistent >> 48);
        write!(out, "{low:08x}-{:04x}-{high:04x}-{a:02x}{b:02x}-", middle as u16)?;
        rest.iter().try_for_each(|byte| write!(out, "{byte:02x}"))
    }
}

/// Text in UTF-16, little-endian; what cannot be read becomes a replacement character, an odd last byte is
/// left out.
pub fn text(bytes: &[u8]) -> String {
    let units = bytes.chunks_exact(2).map(|pair| match pair {
        [low, high] => u16::from_le_bytes([*low, *high]),
        _ => 0,
    });
    char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}
