//! Regions, windows, and their bytes.

use super::errors::{invalid, limit, no_memory, refused, unknown, unsupported};
use super::files::FailingStore;
use super::session::{Agent, Session};
use crate::memory::{Association, Base, HashAlgorithm, Registration, Rights};
use crate::streams::Streams;
use crate::variant::Variant;
use crate::work::LocalBuffer;
use std::collections::BTreeSet;
use warpscope_agent::{
    Backing, BindWindow, Error, Hash, MemoryRange, Region, Register, Revalidate, Right, Scope, Word,
};

/// The Protection Domain that contains no stream.
pub(super) const NO_STREAMS_DOMAIN: u32 = u32::MAX;
/// The first Tagged Offset that the target chooses; each region gets its own range.
const CHOSEN: u64 = 0x1000_0000_0000;
/// Number of bytes of a region before a multiple of 2^32, with [`Variant::FarOffsets`].
const BEFORE: u64 = 104;

/// A region or window of a session.
#[derive(Debug, Clone, Copy)]
pub(super) struct Registered {
    pub(super) steering_tag: u32,
    window: bool,
}

fn rights(rights: &BTreeSet<Right>) -> Rights {
    let bit = |right: &Right| match right {
        Right::Read => Rights::READ,
        Right::Write => Rights::WRITE,
        Right::Atomic => Rights::ATOMIC,
        Right::FlushPersistence => Rights::FLUSH_PERSISTENT,
        Right::FlushVisibility => Rights::FLUSH_VISIBLE,
        Right::Verify => Rights::VERIFY,
    };
    rights.iter().fold(Rights::NONE, |all, right| all | bit(right))
}

impl Agent {
    pub(super) fn registered(&self, session: u64, name: &str) -> Result<Registered, Error> {
        let found = self.sessions.get(&session).and_then(|it| it.regions.get(name));
        found.copied().ok_or_else(|| unknown(format!("there is no region {name}")))
    }

    fn has_room_for_region(&self, session: u64, name: &str) -> Result<(), Error> {
        let regions = self.sessions.get(&session).map(|it| &it.regions);
        if regions.is_some_and(|it| it.contains_key(name)) {
            return Err(refused(format!("the region {name} already exists")));
        }
        let most = self.options.limits.regions;
        if regions.map_or(0, |it| it.len()) >= most as usize {
            return Err(limit("regions", most));
        }
        Ok(())
    }

    fn association(
        &self,
        session: u64,
        scope: Scope,
        stream: Option<&str>,
    ) -> Result<Association, Error> {
        Ok(match (scope, stream) {
            (Scope::Stream, Some(name)) => Association::Stream(self.named(session, name)?),
            (Scope::Stream, None) => return Err(invalid("scope stream needs a stream")),
            (Scope::ProtectionDomain, _) => {
                Association::ProtectionDomain(self.options.config.accessor.protection_domain)
            }
            (Scope::OtherProtectionDomain, _) => Association::ProtectionDomain(NO_STREAMS_DOMAIN),
        })
    }

    fn base(&mut self, given: Option<Word>) -> Base {
        match given {
            Some(Word(0)) => Base::Zero,
            Some(Word(given)) => Base::Address(given),
            None => {
                let room = self.options.limits.region_length.next_power_of_two().max(4096);
                self.chosen += 1;
                if self.options.config.variants.has(Variant::FarOffsets) {
                    return Base::Address((self.chosen << 32) - BEFORE);
                }
                Base::Address(CHOSEN + room * self.chosen)
            }
        }
    }

    fn enter(&mut self, session: u64, name: String, registered: Registered) {
        if let Some(session) = self.sessions.get_mut(&session) {
            session.regions.insert(name, registered);
        }
    }

    fn described(streams: &mut Streams, steering_tag: u32) -> Result<Region, Error> {
        let memory = streams.memory();
        let registration = memory.registration(steering_tag);
        let base = registration.ok_or_else(|| unknown("the region is gone"))?.base.tagged_offset();
        let length = memory.bytes(steering_tag).map_or(0, <[u8]>::len) as u64;
        Ok(Region { stag: steering_tag, base: Word(base), length })
    }

    pub(super) fn register(
        &mut self,
        streams: &mut Streams,
        session: u64,
        asked: Register,
    ) -> Result<Region, Error> {
        self.has_room_for_region(session, &asked.region)?;
        let longest = self.options.limits.region_length;
        if asked.length > longest {
            return Err(limit("bytes in a region", longest));
        }
        let most = self.options.memory;
        if asked.length > most {
            return Err(limit("bytes in all regions", most));
        }
        // Other runners may give theirs back: only what never fits is beyond the limit.
        if self.bytes + asked.length > most {
            return Err(refused(format!("at most {most} bytes in all regions of all runners")));
        }
        let association = self.association(session, asked.scope, asked.stream.as_deref())?;
        let hash = match asked.hash {
            None | Some(Hash::Crc32c) => HashAlgorithm::Crc32c,
            Some(Hash::Sha256) => HashAlgorithm::Sha256,
            Some(Hash::Blake3) => HashAlgorithm::Blake3,
        };
        let base = self.base(asked.base);
        let registration = Registration { base, rights: rights(&asked.rights), association, hash };
        let bytes = vec![0; asked.length as usize];
        let memory = streams.memory();
        let steering_tag = match asked.backing {
            Backing::Memory => memory.register(bytes, registration),
            Backing::File => {
                let files = self.options.files.as_mut();
                let files = files.ok_or_else(|| unsupported("this agent has no files"))?;
                let store = files.make(asked.length).map_err(refused)?;
                memory.register_stored(bytes, store, registration)
            }
            Backing::Failing => memory.register_stored(bytes, Box::new(FailingStore), registration),
        };
        let steering_tag = steering_tag.map_err(no_memory)?;
        self.bytes += asked.length;
        self.enter(session, asked.region, Registered { steering_tag, window: false });
        Self::described(streams, steering_tag)
    }

    pub(super) fn bind_window(
        &mut self,
        streams: &mut Streams,
        session: u64,
        asked: BindWindow,
    ) -> Result<Region, Error> {
        self.has_room_for_region(session, &asked.region)?;
        let of = self.registered(session, &asked.of)?.steering_tag;
        let association = self.association(session, asked.scope, asked.stream.as_deref())?;
        let base = self.base(asked.base);
        let memory = streams.memory();
        let hash = memory.hash_algorithm(of);
        let registration = Registration { base, rights: rights(&asked.rights), association, hash };
        let bound = memory.bind_window(of, asked.offset, asked.length, registration);
        let steering_tag = bound.map_err(no_memory)?;
        self.enter(session, asked.region, Registered { steering_tag, window: true });
        Self::described(streams, steering_tag)
    }

    pub(super) fn revalidate(
        &mut self,
        streams: &mut Streams,
        session: u64,
        asked: Revalidate,
    ) -> Result<Region, Error> {
        let old = self.registered(session, &asked.region)?;
        let new = streams.memory().revalidate(old.steering_tag, rights(&asked.rights));
        let steering_tag = new.map_err(no_memory)?;
        self.enter(session, asked.region, Registered { steering_tag, ..old });
        Self::described(streams, steering_tag)
    }

    pub(super) fn deregister(
        &mut self,
        streams: &mut Streams,
        session: u64,
        name: &str,
    ) -> Result<(), Error> {
        let found = self.registered(session, name)?;
        let bytes = streams.memory().deregister(found.steering_tag).map_err(no_memory)?;
        self.bytes = self.bytes.saturating_sub(bytes.len() as u64);
        if let Some(session) = self.sessions.get_mut(&session) {
            session.regions.remove(name);
        }
        Ok(())
    }

    /// Deregisters all regions and windows of a session, windows first.
    pub(super) fn deregister_all(&mut self, streams: &mut Streams, session: u64) {
        let regions = |it: &Session| -> Vec<(bool, String, u32)> {
            let all = it.regions.iter();
            all.map(|(name, it)| (!it.window, name.clone(), it.steering_tag)).collect()
        };
        let mut all = self.sessions.get(&session).map(regions).unwrap_or_default();
        all.sort_unstable();
        for (_, name, steering_tag) in all {
            if self.deregister(streams, session, &name).is_err() {
                // Its file cannot be written.
                let bytes = streams.memory().discard(steering_tag);
                self.bytes = self.bytes.saturating_sub(bytes.len() as u64);
            }
        }
        if let Some(session) = self.sessions.get_mut(&session) {
            session.regions.clear();
        }
    }

    /// Returns the bytes of a range.
    pub(super) fn bytes<'a>(
        &self,
        streams: &'a mut Streams,
        session: u64,
        range: &MemoryRange,
    ) -> Result<&'a mut [u8], Error> {
        let MemoryRange { region, offset, length } = range;
        let steering_tag = self.registered(session, region)?.steering_tag;
        let bytes = streams.memory().bytes_mut(steering_tag).unwrap_or_default();
        let held = bytes.len();
        let start = usize::try_from(*offset).ok();
        let end = start.and_then(|start| start.checked_add(usize::try_from(*length).ok()?));
        let found = start.zip(end).and_then(|(start, end)| bytes.get_mut(start..end));
        found.ok_or_else(|| {
            unknown(format!("{length} bytes from {offset} are not in the region of {held}"))
        })
    }

    /// Returns the part of a region from `offset` on, as a work request names it.
    pub(super) fn local(
        &self,
        streams: &mut Streams,
        session: u64,
        region: &str,
        offset: u64,
    ) -> Result<LocalBuffer, Error> {
        let steering_tag = self.registered(session, region)?.steering_tag;
        let registration = streams.memory().registration(steering_tag);
        let base = registration.map_or(0, |it| it.base.tagged_offset());
        Ok(LocalBuffer { steering_tag, tagged_offset: base.wrapping_add(offset) })
    }
}
