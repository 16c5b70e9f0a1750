//! SMB Direct: its negotiation, the header before every piece of SMB2, and memory descriptors (MS-SMBD
//! §2.2). All integers are little-endian.

use crate::figure::figure;
use crate::{BufferTooSmall, Illegal, Layer, Malformed, Writer};

/// The only version.
pub const VERSION: u16 = 0x0100;
/// The port on which servers listen for iWARP.
pub const PORT: u16 = 5445;
/// The alignment of SMB2 data in a message, in bytes.
pub const ALIGNMENT: u32 = 8;
/// The smallest message size, in bytes, that a side must be able to receive (MS-SMBD §3.1.5.6, §3.1.5.7).
pub const LEAST_RECEIVE_SIZE: u32 = 128;
/// The smallest reassembled size, in bytes, that a side must support (MS-SMBD §3.1.5.6, §3.1.5.7).
pub const LEAST_FRAGMENTED_SIZE: u32 = 131_072;
/// The flag that requests an immediate answer (SMB_DIRECT_RESPONSE_REQUESTED).
pub const RESPONSE_REQUESTED: u16 = 0x0001;
/// Offset of the data in a message with data.
const DATA_OFFSET: u32 = 24;

// The negotiation: the first Send of each side (MS-SMBD §2.2.1, §2.2.2).

figure! {
    /// The Negotiate Request as it appears on the wire (MS-SMBD §2.2.1).
    NegotiateRequestView: 20 bytes little endian, SmbDirect "Negotiate Request" {
        /// The lowest version that the client supports.
        0 min_version u16;
        /// The highest version that the client supports.
        2 max_version u16;
        /// Reserved.
        4 reserved u16;
        /// Credits that the client requests.
        6 credits_requested u16;
        /// The largest message that the client wants to send, in bytes.
        8 preferred_send_size u32;
        /// The largest message that the client receives, in bytes.
        12 max_receive_size u32;
        /// The greatest length in bytes of a message that the client reassembles from fragments.
        16 max_fragmented_size u32;
    }
}

figure! {
    /// The Negotiate Response as it appears on the wire (MS-SMBD §2.2.2).
    NegotiateResponseView: 32 bytes little endian, SmbDirect "Negotiate Response" {
        /// The lowest version that the server supports.
        0 min_version u16;
        /// The highest version that the server supports.
        2 max_version u16;
        /// The version that both support.
        4 negotiated_version u16;
        /// Reserved.
        6 reserved u16;
        /// Credits that the server requests.
        8 credits_requested u16;
        /// Credits that the server grants.
        10 credits_granted u16;
        /// An NT status: 0 when a common version exists.
        12 status u32;
        /// The greatest length of one RDMA Read or Write in bytes.
        16 max_read_write_size u32;
        /// The largest message that the server wants to send, in bytes.
        20 preferred_send_size u32;
        /// The largest message that the server receives, in bytes.
        24 max_receive_size u32;
        /// The greatest length in bytes of a message that the server reassembles from fragments.
        28 max_fragmented_size u32;
    }
}

/// A legal Negotiate Request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct NegotiateRequest {
    credits_requested: u16,
    /// The largest message that the client wants to send, in bytes.
    pub preferred_send_size: u32,
    max_receive_size: u32,
    max_fragmented_size: u32,
}

/// A legal accepting Negotiate Response.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct NegotiateResponse {
    credits_requested: u16,
    credits_granted: u16,
    /// The greatest length of one RDMA Read or Write in bytes.
    pub max_read_write_size: u32,
    /// The largest message that the server wants to send, in bytes.
    pub preferred_send_size: u32,
    max_receive_size: u32,
    max_fragmented_size: u32,
}

/// Refuses the first of several fields that is not legal.
fn check(fields: &[(&'static str, u32, bool)], section: &'static str) -> Result<(), Illegal> {
    match fields.iter().find(|(_, _, legal)| !legal) {
        Some((field, value, _)) => Err(Illegal::new(Layer::SmbDirect, field, *value, section)),
        None => Ok(()),
    }
}

impl NegotiateRequest {
    /// Length of the message in bytes.
    pub const LENGTH: usize = NegotiateRequestView::LENGTH;

    /// Creates a request for version 1.0.
    ///
    /// # Errors
    /// [`Illegal`] when it requests no credits, or a size is below the minimum.
    pub fn new(
        credits_requested: u16,
        preferred_send_size: u32,
        max_receive_size: u32,
        max_fragmented_size: u32,
    ) -> Result<Self, Illegal> {
        check(
            &[
                ("CreditsRequested", credits_requested.into(), credits_requested > 0),
                ("MaxReceiveSize", max_receive_size, max_receive_size >= LEAST_RECEIVE_SIZE),
                (
                    "MaxFragmentedSize",
                    max_fragmented_size,
                    max_fragmented_size >= LEAST_FRAGMENTED_SIZE,
                ),
            ],
            "MS-SMBD section 3.1.5.6",
        )?;
        Ok(Self { credits_requested, preferred_send_size, max_receive_size, max_fragmented_size })
    }

    /// Writes the message to the front of `buffer`; returns its length.
    ///
    /// # Errors
    /// [`BufferTooSmall`] when it does not fit.
    pub fn emit(&self, buffer: &mut [u8]) -> Result<usize, BufferTooSmall> {
        let mut writer = Writer::new(buffer);
        little(&mut writer, &[VERSION, VERSION, 0, self.credits_requested]);
        for size in [self.preferred_send_size, self.max_receive_size, self.max_fragmented_size] {
            writer.bytes(&size.to_le_bytes());
        }
        writer.finish()
    }
}

impl NegotiateResponse {
    /// Length of the message in bytes.
    pub const LENGTH: usize = NegotiateResponseView::LENGTH;

    /// Creates a response with version 1.0 and status 0.
    ///
    /// # Errors
    /// [`Illegal`] when it requests or grants no credits, or a size is below the minimum.
    pub fn new(
        (credits_requested, credits_granted): (u16, u16),
        max_read_write_size: u32,
        preferred_send_size: u32,
        max_receive_size: u32,
        max_fragmented_size: u32,
    ) -> Result<Self, Illegal> {
        check(
            &[
                ("CreditsRequested", credits_requested.into(), credits_requested > 0),
                ("CreditsGranted", credits_granted.into(), credits_granted > 0),
                ("MaxReceiveSize", max_receive_size, max_receive_size >= LEAST_RECEIVE_SIZE),
                (
                    "MaxFragmentedSize",
                    max_fragmented_size,
                    max_fragmented_size >= LEAST_FRAGMENTED_SIZE,
                ),
            ],
            "MS-SMBD section 3.1.5.7",
        )?;
        Ok(Self {
            credits_requested,
            credits_granted,
            max_read_write_size,
            preferred_send_size,
            max_receive_size,
            max_fragmented_size,
        })
    }

    /// Writes the message to the front of `buffer`; returns its length.
    ///
    /// # Errors
    /// [`BufferTooSmall`] when it does not fit.
    pub fn emit(&self, buffer: &mut [u8]) -> Result<usize, BufferTooSmall> {
        let mut writer = Writer::new(buffer);
        let credits = [self.credits_requested, self.credits_granted];
        little(&mut writer, &[VERSION, VERSION, VERSION, 0, credits[0], credits[1]]);
        for value in [
            0,
            self.max_read_write_size,
            self.preferred_send_size,
            self.max_receive_size,
            self.max_fragmented_size,
        ] {
            writer.bytes(&value.to_le_bytes());
        }
        writer.finish()
    }
}

/// Writes little-endian 16-bit integers.
fn little(writer: &mut Writer<'_>, values: &[u16]) {
    for value in values {
        writer.bytes(&value.to_le_bytes());
    }
}

// The header of every later message (MS-SMBD §2.2.3).

figure! {
    /// The Data Transfer header without its padding, as it appears on the wire (MS-SMBD §2.2.3).
    DataTransferView: 20 bytes little endian, SmbDirect "Data Transfer header" {
        /// Credits that the sender requests.
        0 credits_requested u16;
        /// Credits that the sender grants: how many more messages it can receive.
        2 credits_granted u16;
        /// The flags.
        4 flags u16;
        /// Reserved.
        6 reserved u16;
        /// Number of bytes of the same upper message that follow in later ones.
        8 remaining_data_length u32;
        /// Offset of the data in bytes from the beginning of the header; 0 without data.
        12 data_offset u32;
        /// Length of the data in bytes; 0 for a message that carries only credits.
        16 data_length u32;
    }
}

impl DataTransferView<'_> {
    /// The sender requests an immediate answer.
    pub fn response_requested(&self) -> bool {
        self.flags() & RESPONSE_REQUESTED != 0
    }
}

/// A complete message: the header and its piece of SMB2.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DataMessageView<'a> {
    /// The header.
    pub header: DataTransferView<'a>,
    /// The bytes between the header and the data.
    pub padding: &'a [u8],
    /// The data.
    pub data: &'a [u8],
}

impl<'a> DataMessageView<'a> {
    /// Reads a message that fills `input`; returns it and the bytes after its data.
    ///
    /// # Errors
    /// [`Malformed`] when the header or its data is incomplete, or the data begins in the header.
    pub fn parse(input: &'a [u8]) -> Result<(Self, &'a [u8]), Malformed> {
        let (header, rest) = DataTransferView::parse(input)?;
        if header.data_length() == 0 {
            return Ok((Self { header, padding: &[], data: &[] }, rest));
        }
        let (offset, length) = (header.data_offset() as usize, header.data_length() as usize);
        let Some(before) = offset.checked_sub(DataTransferView::LENGTH) else {
            let problem = crate::Problem::Value(header.data_offset().into());
            return Err(Malformed { layer: Layer::SmbDirect, field: "DataOffset", problem });
        };
        let needed = before.saturating_add(length);
        let short = || Malformed::short(Layer::SmbDirect, "data", needed, rest.len());
        let (padding, rest) = rest.split_at_checked(before).ok_or_else(short)?;
        let (data, rest) = rest.split_at_checked(length).ok_or_else(short)?;
        Ok((Self { header, padding, data }, rest))
    }
}

/// A legal Data Transfer header.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DataTransfer {
    credits_requested: u16,
    /// Credits that the sender grants.
    pub credits_granted: u16,
    /// Whether the sender requests an immediate answer.
    pub response_requested: bool,
    /// Number of bytes of the same upper message that follow.
    pub remaining_data_length: u32,
}

impl DataTransfer {
    /// Creates a header.
    ///
    /// # Errors
    /// [`Illegal`] when it requests no credits.
    pub fn new(
        credits_requested: u16,
        credits_granted: u16,
        response_requested: bool,
        remaining_data_length: u32,
    ) -> Result<Self, Illegal> {
        check(
            &[("CreditsRequested", credits_requested.into(), credits_requested > 0)],
            "MS-SMBD section 3.1.5.8",
        )?;
        Ok(Self { credits_requested, credits_granted, response_requested, remaining_data_length })
    }

    /// Writes a message with this data to the front of `buffer`; returns its length.
    ///
    /// # Errors
    /// [`BufferTooSmall`] when it does not fit.
    pub fn emit(&self, data: &[u8], buffer: &mut [u8]) -> Result<usize, BufferTooSmall> {
        let mut writer = Writer::new(buffer);
        let flags = if self.response_requested { RESPONSE_REQUESTED } else { 0 };
        little(&mut writer, &[self.credits_requested, self.credits_granted, flags, 0]);
        let offset = if data.is_empty() { 0 } else { DATA_OFFSET };
        for value in [self.remaining_data_length, offset, data.len() as u32] {
            writer.bytes(&value.to_le_bytes());
        }
        if !data.is_empty() {
            writer.zeros(DATA_OFFSET as usize - DataTransferView::LENGTH).bytes(data);
        }
        writer.finish()
    }
}

// Memory that a peer may read or write (MS-SMBD §2.2.3.1), and the private data of the setup.

figure! {
    /// Buffer Descriptor V1 (MS-SMBD §2.2.3.1): a range of the sender's memory.
    BufferDescriptorView and BufferDescriptor: 16 bytes little endian, SmbDirect "Buffer Descriptor V1" {
        /// The offset: on iWARP the Tagged Offset (TO), in bytes.
        0 offset u64;
        /// The token: on iWARP the Steering Tag (STag).
        8 token u32;
        /// Length in bytes.
        12 length u32;
    }
}

figure! {
    /// The private data of a setup frame, as implementations for iWARP send it: two depths, whose byte
    /// order no document defines. They are read here as little-endian.
    PrivateDataView: 8 bytes little endian, SmbDirect "private data" {
        /// Inbound RDMA Read Queue Depth (IRD).
        0 ird u32;
        /// Outbound RDMA Read Queue Depth (ORD).
        4 ord u32;
    }
}

impl PrivateDataView<'_> {
    /// Returns IRD and ORD in the byte order in which they are smaller: depths have at most 14 bits,
    /// and one implementation sends them in its host's byte order, another big-endian.
    pub fn depths(&self) -> (u32, u32) {
        let little = (self.ird(), self.ord());
        let big = (little.0.swap_bytes(), little.1.swap_bytes());
        if big.0.max(big.1) < little.0.max(little.1) { big } else { little }
    }
}
