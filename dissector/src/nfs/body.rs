//! Where the XDR bytes of arguments or results stand.

/// The bytes of a call's arguments or a reply's results.
#[derive(Debug, Clone, Copy, Default)]
pub struct Body<'a> {
    /// What follows the RPC header. A call's read chunks are already in their places.
    pub bytes: &'a [u8],
    /// The bytes that the responder wrote into each chunk of the write list, in order; an unused
    /// chunk is empty. None for calls (RFC 8166 section 3.4.6).
    pub write_chunks: &'a [&'a [u8]],
}

impl<'a> Body<'a> {
    /// A body that stands in one piece.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, write_chunks: &[] }
    }

    /// The bytes of a place; those that are there.
    pub fn bytes_at(&self, place: &Place) -> &'a [u8] {
        let bytes = match place.within {
            Within::Message => self.bytes,
            Within::WriteChunk(number) => {
                self.write_chunks.get(usize::from(number)).copied().unwrap_or(&[])
            }
        };
        let start = (place.offset as usize).min(bytes.len());
        let end = start.saturating_add(place.length as usize).min(bytes.len());
        bytes.get(start..end).unwrap_or(&[])
    }
}

/// Which run of bytes a place counts in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Within {
    /// [`Body::bytes`].
    #[default]
    Message,
    /// That one of [`Body::write_chunks`], from 0.
    WriteChunk(u16),
}

/// Where a value stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Place {
    /// The run of bytes.
    pub within: Within,
    /// First byte in it.
    pub offset: u32,
    /// Number of bytes.
    pub length: u32,
    /// First bit in the first byte, counted from the most significant.
    pub first_bit: u8,
    /// Number of bits; 0 when the value is whole bytes.
    pub bits: u8,
}

impl Place {
    /// Bytes in the message itself.
    pub(super) fn message(offset: usize, length: usize) -> Self {
        Self { offset: offset as u32, length: length as u32, ..Self::default() }
    }
}
