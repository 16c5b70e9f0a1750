//! The options of a TCP header.

/// One TCP option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TcpOption<'a> {
    /// Its kind (IANA).
    pub kind: u8,
    /// Where it starts in the options.
    pub offset: usize,
    /// All its bytes, with kind and length.
    pub bytes: &'a [u8],
}

impl TcpOption<'_> {
    /// End of the options.
    pub const END: u8 = 0;
    /// Padding between options.
    pub const NOTHING: u8 = 1;
    /// Maximum segment size.
    pub const MAXIMUM_SEGMENT_SIZE: u8 = 2;
    /// Window scale.
    pub const WINDOW_SCALE: u8 = 3;
    /// Selective acknowledgments are understood.
    pub const SACK_PERMITTED: u8 = 4;
    /// Selective acknowledgments.
    pub const SACK: u8 = 5;
    /// Time stamps.
    pub const TIMESTAMPS: u8 = 8;

    /// The 16-bit number at a place of the option.
    pub fn number16(&self, at: usize) -> Option<u16> {
        self.bytes.get(at..)?.first_chunk().map(|bytes| u16::from_be_bytes(*bytes))
    }

    /// The 32-bit number at a place of the option.
    pub fn number32(&self, at: usize) -> Option<u32> {
        self.bytes.get(at..)?.first_chunk().map(|bytes| u32::from_be_bytes(*bytes))
    }
}

/// Goes through the options of a TCP header; stops where one does not fit.
#[derive(Debug, Clone)]
pub struct TcpOptions<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> TcpOptions<'a> {
    /// The options in these bytes.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }
}

impl<'a> Iterator for TcpOptions<'a> {
    type Item = TcpOption<'a>;

    fn next(&mut self) -> Option<TcpOption<'a>> {
        let rest = self.bytes.get(self.at..)?;
        let kind = *rest.first()?;
        let length = match kind {
            TcpOption::END | TcpOption::NOTHING => 1,
            _ => usize::from(*rest.get(1)?),
        };
        if length == 0 || (kind > 1 && length < 2) {
            return None;
        }
        let bytes = rest.get(..length)?;
        let offset = self.at;
        self.at += length;
        Some(TcpOption { kind, offset, bytes })
    }
}
