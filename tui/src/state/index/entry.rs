//! A frame in the index.

/// The flow of a frame that is of none.
pub const NO_FLOW: u32 = u32::MAX;

/// What is known of a frame without decoding it again, as bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct Flags(pub u16);

impl Flags {
    /// It completes something of iWARP: setup frame, FPDU, or skipped bytes.
    pub const IWARP: Self = Self(1);
    /// It completes a message or setup frame, or begins with one that is wrong.
    pub const MESSAGE: Self = Self(1 << 1);
    /// Bytes were skipped.
    pub const SKIPPED: Self = Self(1 << 2);
    /// A Terminate is complete.
    pub const TERMINATE: Self = Self(1 << 3);
    /// An RPC message is complete.
    pub const RPC: Self = Self(1 << 4);
    /// It came from the connection's second end.
    pub const SECOND: Self = Self(1 << 5);
    /// A CRC or marker is wrong.
    pub const WRONG: Self = Self(1 << 6);
    /// It repeats bytes, or came out of order.
    pub const REPEATED: Self = Self(1 << 7);
    /// A setup frame is complete.
    pub const SETUP: Self = Self(1 << 8);

    /// Whether any of the other's bits is set.
    pub fn any(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Sets the other's bits.
    pub fn set(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

impl std::ops::BitOr for Flags {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// A frame: where its bytes are, and what it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// Where its first byte stands in the file that frames are read from again.
    pub offset: u64,
    /// When it was captured, in nanoseconds since 1970; `i64::MIN` where that is not known.
    pub time: i64,
    /// Bytes captured.
    pub captured: u32,
    /// Bytes on the wire.
    pub length: u32,
    /// Its connection (`tcp.stream`), or [`NO_FLOW`].
    pub flow: u32,
    /// Index of its interface.
    pub interface: u16,
    /// What it is.
    pub flags: Flags,
}

/// What the index may take of a frame.
const _: () = assert!(size_of::<Entry>() == 32);

impl Entry {
    /// When it was captured, where that is known.
    pub fn time(&self) -> Option<i64> {
        (self.time != i64::MIN).then_some(self.time)
    }

    /// Its connection.
    pub fn flow(&self) -> Option<u32> {
        (self.flow != NO_FLOW).then_some(self.flow)
    }
}
