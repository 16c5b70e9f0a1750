//! Access checks: the only code that decides whether a peer may access some bytes.

use super::Memory;
use super::table::{Association, Tag};
use crate::bug::{Bug, Bugs};
use std::ops::BitOr;

/// A stream that accesses memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Accessor {
    /// The stream's number.
    pub stream: u64,
    /// The Protection Domain of the stream.
    pub protection_domain: u32,
}

/// The reason why an access is refused. Which Terminate answers it depends on the message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AccessViolation {
    /// No such STag, another key, or an invalidated one.
    InvalidSteeringTag,
    /// The STag belongs to another stream or Protection Domain.
    NotAssociated,
    /// The sum of Tagged Offset and length does not fit in 64 bits.
    Wrap,
    /// Bytes before or after the region.
    Bounds,
    /// The region does not grant the right.
    AccessRights,
}

/// A range of bytes that an access may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    pub(super) buffer: u64,
    pub(super) start: usize,
    pub(super) length: usize,
    pub(super) aligned: bool,
}

impl Place {
    /// Returns whether the first byte is at a ULP Buffer address that is a multiple of eight (RFC 7306
    /// section 5.1).
    pub fn aligned(&self) -> bool {
        self.aligned
    }

    /// Returns the part after the first `bytes` bytes.
    #[must_use]
    pub fn behind(self, bytes: usize) -> Self {
        let bytes = bytes.min(self.length);
        let (start, length) = (self.start.saturating_add(bytes), self.length - bytes);
        Self { start, length, ..self }
    }

    /// Returns the range of its bytes in the buffer.
    pub(super) fn range(&self) -> std::ops::Range<usize> {
        self.start..self.start.saturating_add(self.length)
    }
}

impl Memory {
    /// Checks an access of a remote peer: tag, association, wrap, bounds, and last the rights. This is
    /// the order of RFC 5041 section 7.1 and RFC 5040 section 7.2, where only RDMAP knows of rights. An
    /// access of no bytes is not checked at all (RFC 5040 section 5.2.1, RFC 5041 section 5.2): callers
    /// skip it.
    ///
    /// # Errors
    /// The first violation.
    pub fn check(
        &self,
        accessor: Accessor,
        steering_tag: u32,
        tagged_offset: u64,
        length: u64,
        needed: Rights,
    ) -> Result<Place, AccessViolation> {
        let tag = self.valid_tag(steering_tag).ok_or(AccessViolation::InvalidSteeringTag)?;
        if !self.associated(tag, accessor) {
            return Err(AccessViolation::NotAssociated);
        }
        let place = within(self.bugs, tag, tagged_offset, length)?;
        let needed = demanded(self.bugs, needed);
        if !tag.registration.rights.contain(needed) {
            return Err(AccessViolation::AccessRights);
        }
        Ok(place)
    }

    /// Returns whether a tag is valid, and gives these rights.
    pub(crate) fn grants(&self, steering_tag: u32, needed: Rights) -> bool {
        self.valid_tag(steering_tag).is_some_and(|tag| tag.registration.rights.contain(needed))
    }

    /// Checks an access of the owner: rights and association do not matter.
    pub(crate) fn check_local(
        &self,
        steering_tag: u32,
        tagged_offset: u64,
        length: u64,
    ) -> Result<Place, AccessViolation> {
        let tag = self.tag(steering_tag).ok_or(AccessViolation::InvalidSteeringTag)?;
        within(Bugs::NONE, tag, tagged_offset, length)
    }

    /// Invalidates a tag for a remote peer (RFC 5040 section 5.3). A tag that does not belong to this
    /// stream alone cannot be invalidated (RFC 5040 section 8.1.1 item 7).
    ///
    /// # Errors
    /// [`AccessViolation::InvalidSteeringTag`] when there is no such valid tag,
    /// [`AccessViolation::NotAssociated`] when it does not belong to this stream alone.
    pub(crate) fn invalidate_remotely(
        &mut self,
        accessor: Accessor,
        steering_tag: u32,
    ) -> Result<(), AccessViolation> {
        let tag = self.valid_tag(steering_tag).ok_or(AccessViolation::InvalidSteeringTag)?;
        let own = match tag.registration.association {
            Association::Stream(stream) => {
                stream == accessor.stream || self.bugs.has(Bug::ForeignTagInvalidated)
            }
            Association::ProtectionDomain(_) => self.bugs.has(Bug::SharedTagInvalidated),
        };
        if !own {
            return Err(AccessViolation::NotAssociated);
        }
        // The tag was just found.
        let _ = self.invalidate(steering_tag);
        Ok(())
    }

    fn associated(&self, tag: &Tag, accessor: Accessor) -> bool {
        match tag.registration.association {
            Association::Stream(stream) => {
                stream == accessor.stream || self.bugs.has(Bug::StreamAssociationUnchecked)
            }
            Association::ProtectionDomain(domain) => {
                domain == accessor.protection_domain
                    || self.bugs.has(Bug::ProtectionDomainUnchecked)
            }
        }
    }
}

/// Returns the rights that are required.
fn demanded(bugs: Bugs, needed: Rights) -> Rights {
    if bugs.is_empty() {
        return needed;
    }
    let mut ignored = Rights::NONE;
    bugs.when(Bug::ReadRightUnchecked, || ignored = ignored | Rights::READ);
    bugs.when(Bug::WriteRightUnchecked, || ignored = ignored | Rights::WRITE);
    bugs.when(Bug::AtomicRightUnchecked, || ignored = ignored | Rights::ATOMIC);
    if bugs.has(Bug::FlushRightUnchecked) {
        ignored = ignored | Rights::FLUSH_PERSISTENT | Rights::FLUSH_VISIBLE;
    }
    bugs.when(Bug::VerifyRightUnchecked, || ignored = ignored | Rights::VERIFY);
    needed.without(ignored)
}

fn within(
    bugs: Bugs,
    tag: &Tag,
    tagged_offset: u64,
    length: u64,
) -> Result<Place, AccessViolation> {
    let low = u64::from(u32::MAX);
    let begins = tag.registration.base.tagged_offset();
    let mut tagged_offset = tagged_offset;
    bugs.when(Bug::TaggedOffsetHighIgnored, || {
        tagged_offset = tagged_offset & low | begins & !low;
    });
    let wraps = tagged_offset.checked_add(length).is_none();
    if wraps && !bugs.has(Bug::WrapUnchecked) {
        return Err(AccessViolation::Wrap);
    }
    let base = if bugs.has(Bug::BaseIgnored) { 0 } else { begins };
    let lowest = bugs.has(Bug::LowerBoundUnchecked).then_some(0);
    let offset = tagged_offset.checked_sub(base).or(lowest).ok_or(AccessViolation::Bounds)?;
    if offset.wrapping_add(length) > known_length(bugs, tag.length) {
        return Err(AccessViolation::Bounds);
    }
    // A tag's bytes lie in one buffer: its offsets fit in `usize`.
    let before = if bugs.has(Bug::WindowStartIgnored) { 0 } else { tag.offset };
    let start = before.wrapping_add(offset) as usize;
    let address = match bugs.has(Bug::AlignmentOfOffset) {
        false => tag.address.wrapping_add(offset),
        true => tagged_offset,
    };
    let aligned = address.is_multiple_of(8);
    Ok(Place { buffer: tag.buffer, start, length: length as usize, aligned })
}

/// Returns the length of a region that the check assumes.
fn known_length(bugs: Bugs, length: u64) -> u64 {
    match bugs {
        bugs if bugs.has(Bug::BoundsEndLoose) => length + 1,
        bugs if bugs.has(Bug::BoundsEndTight) => length.saturating_sub(1),
        bugs if bugs.has(Bug::BoundsUnchecked) => u64::MAX,
        _ => length,
    }
}

/// A set of rights of remote access. Local access needs none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Rights(u8);

impl Rights {
    /// No remote access.
    pub const NONE: Self = Self(0);
    /// To be read with RDMA Reads (RFC 5040 section 8.1.1).
    pub const READ: Self = Self(1);
    /// To be written with RDMA Writes and Atomic Writes (RFC 5040 section 8.1.1).
    pub const WRITE: Self = Self(1 << 1);
    /// To be changed with atomic operations (RFC 7306 section 5).
    pub const ATOMIC: Self = Self(1 << 2);
    /// To be flushed to persistence (rdma-commit section 3.2.1).
    pub const FLUSH_PERSISTENT: Self = Self(1 << 3);
    /// To be flushed to global visibility (rdma-commit section 3.2.1).
    pub const FLUSH_VISIBLE: Self = Self(1 << 4);
    /// To be hashed with a Verify (rdma-commit section 3.1.2).
    pub const VERIFY: Self = Self(1 << 5);
    /// To be flushed either way.
    pub const FLUSH: Self = Self(1 << 3 | 1 << 4);
    /// Every right.
    pub const ALL: Self = Self(0x3f);

    /// Returns whether every right of `needed` is in this set.
    pub fn contain(self, needed: Self) -> bool {
        self.0 & needed.0 == needed.0
    }

    /// Returns this set without the rights of `others`.
    pub fn without(self, others: Self) -> Self {
        Self(self.0 & !others.0)
    }
}

impl BitOr for Rights {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// Why a request of the owner cannot be carried out.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MemoryError {
    /// The end of the Tagged Offsets (the last one plus 1) does not fit in 64 bits.
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
    /// A region cannot be removed while windows are bound to it.
    #[error("windows are bound to the region with the STag {0:#010x}: deregister them first")]
    WindowsBound(u32),
    /// A window on a window.
    #[error("the STag {0:#010x} is a window's: bind to the region")]
    NotRegion(u32),
    /// All 24-bit indices that were drawn are in use.
    #[error("no free STag was found")]
    Full,
    /// A region's store could not save its bytes.
    #[error(transparent)]
    NotSaved(super::FlushFailed),
    /// The contents of a region's store could not be read.
    #[error(transparent)]
    NotRecalled(super::FlushFailed),
}
