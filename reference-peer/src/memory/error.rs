//! Why the owner of memory cannot have what it asks for.

/// A request of the owner that cannot be met.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MemoryError {
    /// The last Tagged Offset and one would be over 64 bits.
    #[error("base {base:#x} and {length} bytes pass the end of the Tagged Offsets")]
    Wraps {
        /// The base Tagged Offset.
        base: u64,
        /// The length in bytes.
        length: u64,
    },
    /// A window that does not lie within its region.
    #[error("{length} bytes from {offset} do not lie within the region")]
    OutsideRegion {
        /// Bytes from the region's start.
        offset: u64,
        /// The window's length in bytes.
        length: u64,
    },
    /// No region or window has this Steering Tag.
    #[error("no region has the STag {0:#010x}")]
    UnknownSteeringTag(u32),
    /// A region cannot go while windows are bound to it.
    #[error("windows are bound to the region with the STag {0:#010x}: deregister them first")]
    WindowsBound(u32),
    /// A window on a window.
    #[error("the STag {0:#010x} is a window's: bind to the region")]
    NotRegion(u32),
    /// All 24-bit indices that were drawn are taken.
    #[error("no free STag was found")]
    Full,
    /// A region's store could not take its bytes.
    #[error(transparent)]
    NotSaved(super::FlushFailed),
    /// What a region's store holds could not be read.
    #[error(transparent)]
    NotRecalled(super::FlushFailed),
}
