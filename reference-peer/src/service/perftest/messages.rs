//! The messages of a control stream: numbers are big-endian, except where C's text is used.

use crate::work::RemoteBuffer;

/// The data that each side sends about a queue pair: 56 bytes, in the layout of the C structure on
/// 64-bit hosts, numbers big-endian. All bytes are kept, because the server sends most of them back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Destination([u8; Self::LENGTH]);

impl Destination {
    /// Its length on the wire in bytes.
    pub const LENGTH: usize = 56;
    /// Offsets of the Read depth, the queue pair's number, the STag and the Tagged Offset.
    const READS: usize = 4;
    const NUMBER: usize = 8;
    const STEERING_TAG: usize = 16;
    const TAGGED_OFFSET: usize = 24;

    /// A destination without memory.
    pub const BLANK: Self = Self([0; Self::LENGTH]);

    /// Creates one with this queue pair number, number of outstanding Reads and memory.
    pub fn new(number: u32, reads: u32, buffer: RemoteBuffer) -> Self {
        let mut made = Self::BLANK.with(number, buffer);
        made.put(Self::READS, &reads.to_be_bytes());
        made
    }

    /// Parses a message; returns `None` if it has another length.
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }

    /// Returns the memory that it names, if it names any yet.
    pub fn buffer(&self) -> Option<RemoteBuffer> {
        let steering_tag = u32::from_be_bytes(self.at(Self::STEERING_TAG)?);
        let tagged_offset = u64::from_be_bytes(self.at(Self::TAGGED_OFFSET)?);
        (steering_tag != 0).then_some(RemoteBuffer { steering_tag, tagged_offset })
    }

    fn at<const N: usize>(&self, start: usize) -> Option<[u8; N]> {
        self.0.get(start..)?.first_chunk().copied()
    }

    /// Returns this destination with another memory and queue pair number.
    #[must_use]
    pub fn with(mut self, number: u32, buffer: RemoteBuffer) -> Self {
        self.put(Self::NUMBER, &number.to_be_bytes());
        self.put(Self::STEERING_TAG, &buffer.steering_tag.to_be_bytes());
        self.put(Self::TAGGED_OFFSET, &buffer.tagged_offset.to_be_bytes());
        self
    }

    fn put(&mut self, start: usize, bytes: &[u8]) {
        if let Some(target) = self.0.get_mut(start..start + bytes.len()) {
            target.copy_from_slice(bytes);
        }
    }

    /// Returns the message.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }
}

/// The version that the client announces, that of Debian 12's perftest. The exchange has been the same
/// since 5.70.
const VERSION: &str = "6.06";

/// Returns our version as a message: text in sixteen bytes.
pub(super) fn version() -> Vec<u8> {
    let mut bytes = VERSION.as_bytes().to_vec();
    bytes.resize(16, 0);
    bytes
}

/// Checks whether a server's version has the same exchange as this client.
///
/// # Errors
/// The server's version text, if it is before 5.70 or not a number.
pub(super) fn check_version(bytes: &[u8]) -> Result<(), String> {
    let text = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
    let text = String::from_utf8_lossy(text).into_owned();
    match text.parse::<f32>() {
        Ok(version) if version >= 5.70 => Ok(()),
        _ => Err(text),
    }
}

/// The size of the host's pages, and of its cache lines, in bytes: the other side uses the larger
/// value.
pub(super) const PAGE: u32 = 4096;
pub(super) const CACHE_LINE: u32 = 64;

/// The number of the MTU as text: 3, of 1024 bytes. iWARP does not use it.
pub(super) const MTU: [u8; 2] = *b"3\0";
