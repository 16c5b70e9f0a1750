//! The SMB2 header, and the headers of encrypted and compressed messages (MS-SMB2 §2.2.1, §2.2.41,
//! §2.2.42).

use super::BodyView;
use crate::figure::figure;
use crate::{BufferTooSmall, Illegal, Layer, Malformed, Problem, Writer};
use std::fmt;

/// ProtocolId of an unencrypted, uncompressed message: 0xFE and "SMB", read as one number.
pub const PROTOCOL_ID: u32 = 0x424d_53fe;
/// ProtocolId of an encrypted message.
pub const ENCRYPTED_ID: u32 = 0x424d_53fd;
/// ProtocolId of a compressed message.
pub const COMPRESSED_ID: u32 = 0x424d_53fc;
/// Offset of the signature in the header.
const SIGNATURE: usize = 48;

figure! {
    /// The header as it appears on the wire (MS-SMB2 §2.2.1.1, §2.2.1.2).
    HeaderView: 64 bytes little endian, Smb2 "header" {
        /// ProtocolId: 0xFE and "SMB".
        0 protocol_id u32;
        /// StructureSize: 64.
        4 structure_size u16;
        /// CreditCharge: number of credits that the request uses.
        6 credit_charge u16;
        /// A response's NT status; in a request of SMB 3 the ChannelSequence and two reserved bytes.
        8 status u32;
        /// The command.
        12 command u16;
        /// Credits requested (request) or granted (response).
        14 credits u16;
        /// The flags.
        16 flags u32;
        /// NextCommand: offset in bytes from this header to the next of a compound; 0 in the last.
        20 next_command u32;
        /// MessageId: the same in a response and its request.
        24 message_id u64;
        /// Reserved; servers and older clients put a process ID here.
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

    /// Returns whether the message is a response.
    pub fn response(self) -> bool {
        self.0 & Self::RESPONSE != 0
    }

    /// Returns whether the header has an AsyncId instead of process and tree.
    pub fn asynchronous(self) -> bool {
        self.0 & Self::ASYNC != 0
    }

    /// Returns whether it is a later request of a compound, which uses the values of the previous one.
    pub fn related(self) -> bool {
        self.0 & Self::RELATED != 0
    }

    /// Returns whether the message is signed.
    pub fn signed(self) -> bool {
        self.0 & Self::SIGNED != 0
    }
}

impl<'a> HeaderView<'a> {
    /// Returns the flags.
    pub fn flag_set(&self) -> Flags {
        Flags(self.flags())
    }

    /// AsyncId, which replaces process and tree in an asynchronous message.
    pub fn async_id(&self) -> u64 {
        u64::from(self.tree_id()) << 32 | u64::from(self.process_id())
    }

    /// Returns the signature: 16 bytes.
    pub fn signature(&self) -> &'a [u8] {
        &self.bytes()[SIGNATURE..]
    }
}

/// A legal header of an unencrypted, uncompressed message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Header {
    /// Number of credits that the request uses.
    pub credit_charge: u16,
    /// The NT status of a response; ChannelSequence of a request.
    pub status: u32,
    command: u16,
    /// Credits requested or granted.
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
    /// Length of the header in bytes.
    pub const LENGTH: usize = HeaderView::LENGTH;

    /// Creates a header with this command, alone in its message, with all other fields 0.
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

    /// Returns the same header in front of another one, which begins `next_command` bytes after it.
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

    /// Writes the header.
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

    /// Writes the header and a body to the front of `buffer`; returns the length of both.
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
        /// Length of the decrypted message in bytes.
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
        /// Length of the compressed part in bytes before compression.
        4 original_size u32;
        /// The algorithm.
        8 algorithm u16;
        /// 1: chained, with a different layout.
        10 flags u16;
        /// Number of uncompressed bytes before the compressed ones.
        12 offset u32;
    }
}

/// One message of a compound: its header, and all its bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MessageView<'a> {
    /// The header.
    pub header: HeaderView<'a>,
    /// Header and body; offsets in a body count from here.
    pub bytes: &'a [u8],
}

impl<'a> MessageView<'a> {
    /// Returns the bytes after the header.
    pub fn rest(&self) -> &'a [u8] {
        self.bytes.get(HeaderView::LENGTH..).unwrap_or(&[])
    }

    /// Parses the body, by command and direction.
    ///
    /// # Errors
    /// [`Malformed`] when its fixed part is incomplete.
    pub fn body(&self) -> Result<BodyView<'a>, Malformed> {
        BodyView::parse(self)
    }

    /// Returns a part of the message that a body refers to.
    ///
    /// # Errors
    /// [`Malformed`] when it is incomplete.
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

/// One upper message, or a part of a compound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PduView<'a> {
    /// Unencrypted and uncompressed.
    Message(MessageView<'a>),
    /// Encrypted; only the header can be read.
    Encrypted(TransformView<'a>, &'a [u8]),
    /// Compressed; it is not decompressed here.
    Compressed(CompressionView<'a>, &'a [u8]),
}

impl<'a> PduView<'a> {
    /// Reads one message from the front of `input`; returns it and the rest of its compound.
    ///
    /// # Errors
    /// [`Malformed`] when the header is incomplete, is not one of SMB2's, or the next of a compound
    /// would begin inside it or after the end.
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
    /// The persistent part, which outlives a connection.
    pub persistent: u64,
    /// The volatile part, which does not outlive it.
    pub volatile: u64,
}

impl FileId {
    /// The value in a related request of a compound instead of the file that the previous request opened.
    pub const RELATED: Self = Self { persistent: u64::MAX, volatile: u64::MAX };
}

/// Prints it as a GUID, in the same way as Wireshark.
impl fmt::Display for FileId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { persistent, volatile } = *self;
        let [a, b, rest @ ..] = volatile.to_le_bytes();
        let (low, middle, high) = (persistent as u32, persistent >> 32, persistent >> 48);
        write!(out, "{low:08x}-{:04x}-{high:04x}-{a:02x}{b:02x}-", middle as u16)?;
        rest.iter().try_for_each(|byte| write!(out, "{byte:02x}"))
    }
}

/// Decodes text in UTF-16, little-endian; an invalid unit becomes a replacement character, and an odd
/// last byte is ignored.
pub fn text(bytes: &[u8]) -> String {
    let units = bytes.chunks_exact(2).map(|pair| match pair {
        [low, high] => u16::from_le_bytes([*low, *high]),
        _ => 0,
    });
    char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}
