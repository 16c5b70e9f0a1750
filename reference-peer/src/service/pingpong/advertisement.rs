//! The sixteen bytes of rping's Sends.

use crate::work::RemoteBuffer;

/// A tagged buffer as rping tells of it: Tagged Offset, STag and length, each big-endian. In a
/// server's go-ahead nobody reads them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Advertisement {
    /// Where the buffer is.
    pub buffer: RemoteBuffer,
    /// Its length in bytes.
    pub length: u32,
}

impl Advertisement {
    /// Its length on the wire in bytes.
    pub const LENGTH: usize = 16;

    /// What a server's go-ahead says: nothing.
    pub const GO_AHEAD: Self =
        Self { buffer: RemoteBuffer { steering_tag: 0, tagged_offset: 0 }, length: 0 };

    /// Reads a message; none when it has another length than rping's.
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        let (offset, rest) = bytes.split_first_chunk()?;
        let (tag, rest) = rest.split_first_chunk()?;
        let length: [u8; 4] = rest.try_into().ok()?;
        let steering_tag = u32::from_be_bytes(*tag);
        let tagged_offset = u64::from_be_bytes(*offset);
        let buffer = RemoteBuffer { steering_tag, tagged_offset };
        Some(Self { buffer, length: u32::from_be_bytes(length) })
    }

    /// The message.
    pub fn bytes(self) -> Vec<u8> {
        let mut bytes = self.buffer.tagged_offset.to_be_bytes().to_vec();
        bytes.extend(self.buffer.steering_tag.to_be_bytes());
        bytes.extend(self.length.to_be_bytes());
        bytes
    }
}
