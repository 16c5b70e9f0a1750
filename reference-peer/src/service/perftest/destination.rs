//! What each side tells of a queue pair.

use crate::work::RemoteBuffer;

/// A queue pair as perftest tells of it: 56 bytes, in the layout of the C structure on 64-bit
/// hosts, numbers big-endian. It is kept whole, because the server sends most of it back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Destination([u8; Self::LENGTH]);

impl Destination {
    /// Its length on the wire in bytes.
    pub const LENGTH: usize = 56;
    /// Where the queue pair's number, the STag and the Tagged Offset stand.
    const NUMBER: usize = 8;
    const STEERING_TAG: usize = 16;
    const TAGGED_OFFSET: usize = 24;

    /// Reads a message; none when it has another length.
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }

    /// The memory that it names; none when it names none yet.
    pub fn buffer(&self) -> Option<RemoteBuffer> {
        let steering_tag = u32::from_be_bytes(self.at(Self::STEERING_TAG)?);
        let tagged_offset = u64::from_be_bytes(self.at(Self::TAGGED_OFFSET)?);
        (steering_tag != 0).then_some(RemoteBuffer { steering_tag, tagged_offset })
    }

    fn at<const N: usize>(&self, start: usize) -> Option<[u8; N]> {
        self.0.get(start..)?.first_chunk().copied()
    }

    /// The same with another memory and queue pair number.
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

    /// The message.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }
}
