//! The table of Steering Tags, and the buffers behind them.
//!
//! A Steering Tag is a random 24-bit index and a key byte. The key byte changes with every
//! registration, so that a stale tag gives no access.

use super::{FlushFailed, HashAlgorithm, MemoryError, Place, Rights, Store};
use crate::bug::{Bug, Bugs};
use std::collections::HashMap;
use std::fmt;

/// Number of draws of an index after which the table counts as full.
const DRAWS: usize = 64;

/// The region or window of a Steering Tag.
#[derive(Debug)]
pub(super) struct Tag {
    key: u8,
    valid: bool,
    window: bool,
    pub(super) registration: Registration,
    pub(super) buffer: u64,
    /// Offset of this tag's first byte in the buffer, in bytes.
    pub(super) offset: u64,
    pub(super) length: u64,
    /// The ULP Buffer address of the first byte.
    pub(super) address: u64,
}

#[derive(Debug)]
struct Buffer {
    bytes: Vec<u8>,
    store: Option<Box<dyn Store>>,
}

impl Buffer {
    fn persist(&mut self, place: Place) -> Result<(), FlushFailed> {
        let Some(store) = &mut self.store else { return Ok(()) };
        let outside = || FlushFailed("the range is outside the region".to_owned());
        let bytes = self.bytes.get(place.range()).ok_or_else(outside)?;
        store.persist(place.start as u64, bytes)
    }

    fn recall(&mut self) -> Result<(), FlushFailed> {
        let nowhere = || FlushFailed("the region has no store".to_owned());
        self.store.as_mut().ok_or_else(nowhere)?.recall(&mut self.bytes)
    }

    fn save(&mut self) -> Result<(), FlushFailed> {
        self.store.as_mut().map_or(Ok(()), |store| store.save(&self.bytes))
    }
}

/// All memory of a peer that has Steering Tags.
pub struct Memory {
    randomness: Box<dyn Randomness>,
    tags: HashMap<u32, Tag>,
    buffers: HashMap<u64, Buffer>,
    /// The number of the next buffer. A number is used once: a place names it after its buffer has gone.
    pub(super) next_buffer: u64,
    pub(super) bugs: Bugs,
    /// The reason for the most recent failed flush.
    flush_failure: Option<FlushFailed>,
    /// The last atomic operation: its stream, its word, and the previous value.
    last_atomic: Option<(u64, Place, u64)>,
}

impl fmt::Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Memory").field("tags", &self.tags).finish_non_exhaustive()
    }
}

impl Memory {
    /// Creates memory without regions, whose Steering Tags come from `randomness`.
    pub fn new(randomness: impl Randomness + 'static) -> Self {
        Self {
            randomness: Box::new(randomness),
            tags: HashMap::new(),
            buffers: HashMap::new(),
            next_buffer: 0,
            bugs: Bugs::NONE,
            flush_failure: None,
            last_atomic: None,
        }
    }

    /// Creates memory with predictable Steering Tags, for tests.
    pub fn seeded(mut number: u32) -> Self {
        Self::new(move || {
            number = number.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            number
        })
    }

    /// Sets the bugs of this memory.
    pub fn set_bugs(&mut self, bugs: Bugs) {
        self.bugs = bugs;
    }

    /// Registers a region of these bytes; returns its Steering Tag.
    ///
    /// # Errors
    /// [`MemoryError::Wraps`], [`MemoryError::Full`].
    pub fn register(
        &mut self,
        bytes: Vec<u8>,
        registration: Registration,
    ) -> Result<u32, MemoryError> {
        self.register_buffer(bytes, None, registration)
    }

    /// Registers a region with the contents of a store; flushes to persistence write to the store.
    ///
    /// # Errors
    /// [`MemoryError::Wraps`], [`MemoryError::Full`].
    pub fn register_stored(
        &mut self,
        bytes: Vec<u8>,
        store: Box<dyn Store>,
        registration: Registration,
    ) -> Result<u32, MemoryError> {
        self.register_buffer(bytes, Some(store), registration)
    }

    fn register_buffer(
        &mut self,
        bytes: Vec<u8>,
        store: Option<Box<dyn Store>>,
        registration: Registration,
    ) -> Result<u32, MemoryError> {
        let length = bytes.len() as u64;
        let buffer = self.next_buffer;
        let address = registration.base.tagged_offset();
        let steering_tag = self.enter(registration, buffer, [0, length, address], false)?;
        self.next_buffer += 1;
        self.buffers.insert(buffer, Buffer { bytes, store });
        Ok(steering_tag)
    }

    /// Binds a window to `length` bytes of a region, from `offset` on.
    ///
    /// # Errors
    /// [`MemoryError`] when there is no such region, or the window would not lie within it.
    pub fn bind_window(
        &mut self,
        region: u32,
        offset: u64,
        length: u64,
        registration: Registration,
    ) -> Result<u32, MemoryError> {
        let tag = self.tag(region).ok_or(MemoryError::UnknownSteeringTag(region))?;
        if tag.window {
            return Err(MemoryError::NotRegion(region));
        }
        if offset.checked_add(length).is_none_or(|end| end > tag.length) {
            return Err(MemoryError::OutsideRegion { offset, length });
        }
        let address = match registration.base {
            Base::Zero => tag.address.wrapping_add(offset),
            Base::Address(address) => address,
        };
        let buffer = tag.buffer;
        self.enter(registration, buffer, [offset, length, address], true)
    }

    fn enter(
        &mut self,
        registration: Registration,
        buffer: u64,
        [offset, length, address]: [u64; 3],
        window: bool,
    ) -> Result<u32, MemoryError> {
        let base = registration.base.tagged_offset();
        if base.checked_add(length).is_none() {
            return Err(MemoryError::Wraps { base, length });
        }
        for _ in 0..DRAWS {
            let mut number = self.randomness.number();
            self.bugs.when(Bug::SteeringTagsInOrder, || number = (self.tags.len() as u32 + 1) << 8);
            let (index, key) = (number >> 8, number as u8);
            if index != 0 && !self.tags.contains_key(&index) {
                let valid = true;
                let tag = Tag { key, valid, window, registration, buffer, offset, length, address };
                self.tags.insert(index, tag);
                return Ok(number);
            }
        }
        Err(MemoryError::Full)
    }

    /// Returns the tag with this index and key, valid or not.
    pub(super) fn tag(&self, steering_tag: u32) -> Option<&Tag> {
        let any = self.bugs.has(Bug::TagKeyIgnored);
        self.tags.get(&(steering_tag >> 8)).filter(|tag| tag.key == steering_tag as u8 || any)
    }

    pub(super) fn valid_tag(&self, steering_tag: u32) -> Option<&Tag> {
        let stale = self.bugs.has(Bug::StaleTagUsable);
        self.tag(steering_tag).filter(|tag| tag.valid || stale)
    }

    fn tag_mut(&mut self, steering_tag: u32) -> Result<&mut Tag, MemoryError> {
        let found = self.tags.get_mut(&(steering_tag >> 8));
        found
            .filter(|tag| tag.key == steering_tag as u8)
            .ok_or(MemoryError::UnknownSteeringTag(steering_tag))
    }

    /// Removes remote access from a tag until [`Memory::revalidate`].
    ///
    /// # Errors
    /// [`MemoryError::UnknownSteeringTag`].
    pub fn invalidate(&mut self, steering_tag: u32) -> Result<(), MemoryError> {
        self.tag_mut(steering_tag).map(|tag| tag.valid = false)
    }

    /// Returns whether remote peers can use a tag.
    pub fn is_valid(&self, steering_tag: u32) -> bool {
        self.valid_tag(steering_tag).is_some()
    }

    /// Gives a tag remote access again with a new key and new rights; returns the new Steering Tag. The
    /// old one is stale from then on.
    ///
    /// # Errors
    /// [`MemoryError::UnknownSteeringTag`].
    pub fn revalidate(
        &mut self,
        steering_tag: u32,
        rights: super::Rights,
    ) -> Result<u32, MemoryError> {
        let drawn = self.randomness.number() as u8;
        let kept = self.bugs.has(Bug::RevalidatedTagKeepsKey);
        let tag = self.tag_mut(steering_tag)?;
        if !kept {
            tag.key = if drawn == tag.key { drawn.wrapping_add(1) } else { drawn };
        }
        tag.valid = true;
        tag.registration.rights = rights;
        Ok(steering_tag & !0xff | u32::from(tag.key))
    }

    /// Removes a region or window. For a region, all bytes are saved in its store, and returned.
    ///
    /// # Errors
    /// [`MemoryError::UnknownSteeringTag`]; [`MemoryError::WindowsBound`] while a region has
    /// windows; [`MemoryError::NotSaved`]. The region then stays as it is.
    pub fn deregister(&mut self, steering_tag: u32) -> Result<Vec<u8>, MemoryError> {
        let tag = self.tag(steering_tag).ok_or(MemoryError::UnknownSteeringTag(steering_tag))?;
        let (window, buffer) = (tag.window, tag.buffer);
        if !window && self.tags.values().any(|other| other.window && other.buffer == buffer) {
            return Err(MemoryError::WindowsBound(steering_tag));
        }
        if !window && let Some(buffer) = self.buffers.get_mut(&buffer) {
            buffer.save().map_err(MemoryError::NotSaved)?;
        }
        self.tags.remove(&(steering_tag >> 8));
        if window {
            return Ok(Vec::new());
        }
        Ok(self.buffers.remove(&buffer).map(|buffer| buffer.bytes).unwrap_or_default())
    }

    /// Removes a region and its windows without saving its bytes, and returns these.
    pub fn discard(&mut self, steering_tag: u32) -> Vec<u8> {
        let Some(buffer) = self.tag(steering_tag).map(|tag| tag.buffer) else { return Vec::new() };
        self.tags.retain(|_, tag| tag.buffer != buffer);
        self.buffers.remove(&buffer).map(|buffer| buffer.bytes).unwrap_or_default()
    }

    /// Returns the number of regions and windows.
    pub fn count(&self) -> usize {
        self.tags.len()
    }

    /// Returns how a region or window was registered, with its current rights.
    pub fn registration(&self, steering_tag: u32) -> Option<&Registration> {
        self.tag(steering_tag).map(|tag| &tag.registration)
    }

    /// Returns the bytes of a region or window, for its owner.
    pub fn bytes(&self, steering_tag: u32) -> Option<&[u8]> {
        let tag = self.tag(steering_tag)?;
        let start = tag.offset as usize;
        self.buffers.get(&tag.buffer)?.bytes.get(start..start + tag.length as usize)
    }

    /// Returns the bytes of a region or window, for its owner to change.
    pub(crate) fn bytes_mut(&mut self, steering_tag: u32) -> Option<&mut [u8]> {
        let tag = self.tag(steering_tag)?;
        let (buffer, start, length) = (tag.buffer, tag.offset as usize, tag.length as usize);
        self.buffers.get_mut(&buffer)?.bytes.get_mut(start..start + length)
    }

    /// Returns the bytes at a place; empty once its region has been removed.
    pub fn read(&self, place: Place) -> &[u8] {
        let found = self.buffers.get(&place.buffer);
        found.and_then(|buffer| buffer.bytes.get(place.range())).unwrap_or(&[])
    }

    /// Writes bytes to a place, as many as fit.
    pub fn place(&mut self, place: Place, bytes: &[u8]) {
        let found = self.buffers.get_mut(&place.buffer);
        let target = found.and_then(|it| it.bytes.get_mut(place.range()));
        if let Some(target) = target {
            let mut length = target.len().min(bytes.len());
            self.bugs.when(Bug::PlacementShort, || length = length.saturating_sub(1));
            target[..length].copy_from_slice(&bytes[..length]);
        }
    }

    /// Returns the 64-bit word at a place, in this host's byte order (RFC 7306 section 5.1); `None`
    /// when the place does not have the length of a word.
    pub fn word(&self, place: Place) -> Option<u64> {
        self.read(place).try_into().ok().map(u64::from_ne_bytes)
    }

    /// Returns the word as seen by an operation that began before another stream's last one was complete.
    pub(crate) fn word_before_others(&self, place: Place, stream: u64) -> Option<u64> {
        match self.last_atomic {
            Some((other, at, before)) if other != stream && at == place => Some(before),
            _ => self.word(place),
        }
    }

    /// Remembers an atomic operation: its stream, its place, and the previous value of the word.
    pub(crate) fn remember_atomic(&mut self, stream: u64, place: Place, before: u64) {
        self.last_atomic = Some((stream, place, before));
    }

    /// Writes a 64-bit word to a place, in this host's byte order.
    pub(crate) fn set_word(&mut self, place: Place, word: u64) {
        self.place(place, &word.to_ne_bytes());
    }

    /// Makes the bytes at a place persistent. Without a store, a region has nothing more persistent,
    /// and this succeeds.
    ///
    /// # Errors
    /// [`FlushFailed`] when the store fails.
    pub fn persist(&mut self, place: Place) -> Result<(), FlushFailed> {
        let done = match self.buffers.get_mut(&place.buffer) {
            Some(buffer) => buffer.persist(place),
            None => Err(FlushFailed("the region is gone".to_owned())),
        };
        if let Err(failure) = &done {
            self.flush_failure = Some(failure.clone());
        }
        done
    }

    /// Returns the whole buffer that contains a place.
    pub(crate) fn around(&self, place: Place) -> Place {
        let length = self.buffers.get(&place.buffer).map_or(0, |buffer| buffer.bytes.len());
        Place { start: 0, length, ..place }
    }

    /// Takes the reason for the most recent failed flush: the peer that asked is given no reason.
    pub fn flush_failure(&mut self) -> Option<FlushFailed> {
        self.flush_failure.take()
    }

    /// Saves all bytes of every region that has a store, for a normal end. Without it, a store holds
    /// only what was flushed.
    ///
    /// # Errors
    /// The error of the first store that failed; all stores are tried.
    pub fn save(&mut self) -> Result<(), FlushFailed> {
        let results: Vec<_> = self.buffers.values_mut().map(Buffer::save).collect();
        results.into_iter().collect()
    }

    /// Restores a region from its store, as after a crash: what was never flushed is lost.
    ///
    /// # Errors
    /// [`MemoryError::UnknownSteeringTag`]; [`MemoryError::NotRecalled`] when it has no store, or the
    /// store cannot be read.
    pub fn recall(&mut self, steering_tag: u32) -> Result<(), MemoryError> {
        let unknown = MemoryError::UnknownSteeringTag(steering_tag);
        let buffer = self.tag(steering_tag).ok_or(unknown)?.buffer;
        let found = self.buffers.get_mut(&buffer);
        found.map_or(Ok(()), Buffer::recall).map_err(MemoryError::NotRecalled)
    }

    /// Returns the hash algorithm of a region or window.
    pub(crate) fn hash_algorithm(&self, steering_tag: u32) -> HashAlgorithm {
        self.tag(steering_tag).map(|tag| tag.registration.hash).unwrap_or_default()
    }
}

/// Where the Tagged Offsets of a region begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Base {
    /// The first byte has Tagged Offset 0; it is aligned to 64 bits.
    #[default]
    Zero,
    /// The Tagged Offset is the ULP Buffer address, and this is the address of the first byte.
    Address(u64),
}

impl Base {
    /// Returns the Tagged Offset of the first byte.
    pub fn tagged_offset(self) -> u64 {
        match self {
            Self::Zero => 0,
            Self::Address(address) => address,
        }
    }
}

/// Which streams may use a Steering Tag (RFC 5040 section 8.1.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Association {
    /// One stream, by its number; the peer may invalidate the tag.
    Stream(u64),
    /// All streams of a Protection Domain; no peer may invalidate it.
    ProtectionDomain(u32),
}

/// The parameters of a region or window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Registration {
    /// Where its Tagged Offsets begin.
    pub base: Base,
    /// The rights of a remote peer.
    pub rights: Rights,
    /// Which streams may use it.
    pub association: Association,
    /// The hash that a Verify computes.
    pub hash: HashAlgorithm,
}

impl Registration {
    /// Returns a zero-based registration for the streams of a Protection Domain.
    pub fn shared(protection_domain: u32, rights: Rights) -> Self {
        let association = Association::ProtectionDomain(protection_domain);
        Self { base: Base::Zero, rights, association, hash: HashAlgorithm::default() }
    }

    /// Returns a zero-based registration for one stream.
    pub fn stream(stream: u64, rights: Rights) -> Self {
        let association = Association::Stream(stream);
        Self { base: Base::Zero, rights, association, hash: HashAlgorithm::default() }
    }

    /// Returns this registration with Tagged Offsets that are addresses.
    #[must_use]
    pub fn based_at(self, address: u64) -> Self {
        Self { base: Base::Address(address), ..self }
    }
}

/// A source of unpredictable numbers (RFC 5040 section 8.1.1: Steering Tags are hard to predict).
/// Any closure that returns a `u32` implements it.
pub trait Randomness: Send {
    /// Returns the next number.
    fn number(&mut self) -> u32;
}

impl<F: FnMut() -> u32 + Send> Randomness for F {
    fn number(&mut self) -> u32 {
        self()
    }
}
