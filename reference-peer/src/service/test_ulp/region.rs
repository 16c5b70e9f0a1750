//! Regions and their bytes (sections 5 and 6).

use super::answer::No;
use super::files::FailingStore;
use super::target::TestUlp;
use crate::memory::{Association, Base, HashAlgorithm, Memory, Registration, Rights};
use crate::streams::Streams;
use warpscope_wire::test_ulp::{
    AccessRights, Addressing, Answer, Backing, BindOrder, ChecksumOrder, FillOrder, Hash,
    RegionDescription, RegionFlags, RegionRange, RegisterOrder, RevalidateOrder, Scope,
};

/// The Protection Domain that no stream is in.
const NO_STREAMS_DOMAIN: u32 = u32::MAX;
/// The longest name in bytes.
const LONGEST_NAME: usize = 64;
/// Where Tagged Offsets of the target's choice begin; each region gets its own room.
const CHOSEN: u64 = 0x1000_0000_0000;

/// A region or window.
#[derive(Debug, Clone)]
pub(super) struct Region {
    /// Its session; none for one that the target advertises.
    pub(super) session: Option<u32>,
    pub(super) name: String,
    pub(super) steering_tag: u32,
    scope: Scope,
    stream: u32,
    /// The address of its first byte.
    address: u64,
    /// The region that a window is bound to.
    parent: u32,
    file: bool,
}

impl Region {
    /// A region that the target advertises.
    pub(super) fn advertised(name: String, steering_tag: u32) -> Self {
        let scope = Scope::ProtectionDomain;
        let session = None;
        Self { session, name, steering_tag, scope, stream: 0, address: 0, parent: 0, file: false }
    }

    fn describe(&self, region: u32, memory: &Memory) -> Option<RegionDescription> {
        let registration = memory.registration(self.steering_tag)?;
        let length = memory.bytes(self.steering_tag)?.len() as u64;
        let base = registration.base.tagged_offset();
        let address = if self.session.is_none() { base } else { self.address };
        let flags = RegionFlags::NONE
            .with(RegionFlags::VALID, memory.is_valid(self.steering_tag))
            .with(RegionFlags::WINDOW, self.parent != 0)
            .with(RegionFlags::ADVERTISED, self.session.is_none())
            .with(RegionFlags::FILE, self.file);
        let hash = match registration.hash {
            HashAlgorithm::Crc32c => Hash::Crc32c,
            HashAlgorithm::Sha256 => Hash::Sha256,
            HashAlgorithm::Blake3 => Hash::Blake3,
        };
        Some(RegionDescription {
            region,
            steering_tag: self.steering_tag,
            base,
            length,
            rights: AccessRights::from_code(registration.rights.bits().into())?,
            flags,
            scope: self.scope,
            hash,
            stream: self.stream,
            alignment: 1 << address.trailing_zeros().min(12),
            region_of_window: self.parent,
            name_length: self.name.len() as u32,
        })
    }
}

fn rights(rights: AccessRights) -> Rights {
    Rights::from_bits(rights.code() as u8)
}

/// What computes a hash; with none asked for, what the target likes.
fn hash_algorithm(hash: Hash) -> HashAlgorithm {
    match hash {
        Hash::None | Hash::Crc32c => HashAlgorithm::Crc32c,
        Hash::Sha256 => HashAlgorithm::Sha256,
        Hash::Blake3 => HashAlgorithm::Blake3,
    }
}

impl TestUlp {
    /// A region that a session can name.
    pub(super) fn region(&self, session: u32, region: u32) -> Result<&Region, No> {
        let found = self.regions.get(&region);
        found
            .filter(|it| it.session.is_none_or(|its| its == session))
            .ok_or_else(|| No::unknown(format!("there is no region {region}")))
    }

    fn steering_tag(&self, session: u32, region: u32) -> Result<u32, No> {
        Ok(self.region(session, region)?.steering_tag)
    }

    fn described(&self, region: u32, memory: &Memory) -> Result<Answer, No> {
        let found = self.regions.get(&region);
        let described = found.and_then(|it| Some((it.describe(region, memory)?, it.name.clone())));
        let (description, name) = described.ok_or_else(|| No::unknown("the region is gone"))?;
        Ok(Answer::Region(description, name))
    }

    pub(super) fn list_regions(
        &self,
        streams: &mut Streams,
        (session, room): (u32, usize),
        skip: u32,
    ) -> Answer {
        let of_session = |it: &&Region| it.session.is_none_or(|its| its == session);
        let total = self.regions.values().filter(of_session).count() as u32;
        let mut room = room.saturating_sub(4);
        let mut listed = Vec::new();
        let regions = self.regions.iter().filter(|(_, it)| of_session(it));
        for (number, region) in regions.skip(skip as usize) {
            let Some(description) = region.describe(*number, streams.memory()) else { continue };
            let length = RegionDescription::LENGTH + region.name.len();
            if length > room {
                break;
            }
            room -= length;
            listed.push((description, region.name.clone()));
        }
        Answer::Regions(total, listed)
    }

    fn has_room_for_region(&self, session: u32) -> Result<(), No> {
        let own = self.regions.values().filter(|it| it.session == Some(session)).count();
        let most = self.options.limits.regions;
        if own >= most as usize {
            return Err(No::limit("regions", most.into()));
        }
        Ok(())
    }

    /// The association of a scope, and the stream's name if it is one's.
    fn association(
        &self,
        number: u64,
        scope: Scope,
        stream: u32,
    ) -> Result<(Association, u32), No> {
        Ok(match scope {
            Scope::Stream => {
                let number = self.named(number, stream)?;
                let name = self.streams.get(&number).map_or(stream, |it| it.name);
                (Association::Stream(number), name)
            }
            Scope::ProtectionDomain => {
                let domain = self.options.config.accessor.protection_domain;
                (Association::ProtectionDomain(domain), 0)
            }
            Scope::OtherProtectionDomain => (Association::ProtectionDomain(NO_STREAMS_DOMAIN), 0),
        })
    }

    fn base(&self, addressing: Addressing, given: u64) -> Base {
        match addressing {
            Addressing::Zero => Base::Zero,
            Addressing::Given => Base::Address(given),
            Addressing::Chosen => {
                let room = self.options.limits.longest_region.next_power_of_two().max(4096);
                Base::Address(CHOSEN + room * u64::from(self.next_region))
            }
        }
    }

    fn enter_region(&mut self, region: Region) -> u32 {
        let number = self.next_region;
        self.next_region += 1;
        self.regions.insert(number, region);
        number
    }

    pub(super) fn register(
        &mut self,
        streams: &mut Streams,
        number: u64,
        order: &RegisterOrder,
        name: &str,
    ) -> Result<Answer, No> {
        let session = self.session_of(number);
        let limits = self.options.limits;
        self.has_room_for_region(session)?;
        if order.length > limits.longest_region {
            return Err(No::limit("bytes in a region", limits.longest_region));
        }
        if self.bytes + order.length > limits.bytes {
            return Err(No::limit("bytes in all regions", limits.bytes));
        }
        if name.len() > LONGEST_NAME {
            return Err(No::limit("bytes in a name", LONGEST_NAME as u64));
        }
        let (association, stream) = self.association(number, order.scope, order.stream)?;
        let base = self.base(order.addressing, order.base);
        let hash = hash_algorithm(order.hash);
        let registration = Registration { base, rights: rights(order.rights), association, hash };
        let bytes = vec![0; order.length as usize];
        let file = order.backing == Backing::File;
        let steering_tag = match order.backing {
            Backing::Memory => streams.memory().register(bytes, registration)?,
            Backing::File => {
                let files = self.options.files.as_mut();
                let files = files.ok_or_else(|| No::unsupported("there are no files here"))?;
                let store = files.make(order.length).map_err(No::refused)?;
                streams.memory().register_stored(bytes, store, registration)?
            }
            Backing::Failing => {
                let store = Box::new(FailingStore);
                streams.memory().register_stored(bytes, store, registration)?
            }
        };
        self.bytes += order.length;
        let region = self.enter_region(Region {
            session: Some(session),
            name: name.to_owned(),
            steering_tag,
            scope: order.scope,
            stream,
            address: base.tagged_offset(),
            parent: 0,
            file,
        });
        self.described(region, streams.memory())
    }

    pub(super) fn bind(
        &mut self,
        streams: &mut Streams,
        number: u64,
        order: &BindOrder,
    ) -> Result<Answer, No> {
        let session = self.session_of(number);
        self.has_room_for_region(session)?;
        let parent = self.region(session, order.region)?.clone();
        let (association, stream) = self.association(number, order.scope, order.stream)?;
        let base = self.base(order.addressing, order.base);
        let memory = streams.memory();
        let hash = memory.hash_algorithm(parent.steering_tag);
        let registration = Registration { base, rights: rights(order.rights), association, hash };
        let (offset, length) = (order.offset, order.length);
        let steering_tag = memory.bind_window(parent.steering_tag, offset, length, registration)?;
        let address = match base {
            Base::Zero => parent.address.wrapping_add(offset),
            Base::Address(address) => address,
        };
        let region = self.enter_region(Region {
            session: Some(session),
            name: String::new(),
            steering_tag,
            scope: order.scope,
            stream,
            address,
            parent: order.region,
            file: parent.file,
        });
        self.described(region, streams.memory())
    }

    pub(super) fn invalidate(
        &mut self,
        streams: &mut Streams,
        session: u32,
        region: u32,
    ) -> Result<Answer, No> {
        let steering_tag = self.steering_tag(session, region)?;
        streams.memory().invalidate(steering_tag)?;
        Ok(Answer::Done)
    }

    pub(super) fn revalidate(
        &mut self,
        streams: &mut Streams,
        session: u32,
        order: &RevalidateOrder,
    ) -> Result<Answer, No> {
        let old = self.steering_tag(session, order.region)?;
        let new = streams.memory().revalidate(old, rights(order.rights))?;
        if let Some(region) = self.regions.get_mut(&order.region) {
            region.steering_tag = new;
        }
        self.described(order.region, streams.memory())
    }

    pub(super) fn deregister(
        &mut self,
        streams: &mut Streams,
        session: u32,
        region: u32,
    ) -> Result<Answer, No> {
        let found = self.region(session, region)?;
        if found.session.is_none() {
            return Err(No::refused("the target advertises this region by itself"));
        }
        let bytes = streams.memory().deregister(found.steering_tag)?;
        self.bytes = self.bytes.saturating_sub(bytes.len() as u64);
        self.regions.remove(&region);
        Ok(Answer::Done)
    }

    /// Deregisters everything of a session.
    pub(super) fn deregister_all(&mut self, streams: &mut Streams, session: u32) {
        let own = |it: &Region| it.session == Some(session);
        let mut numbers: Vec<(bool, u32)> = self
            .regions
            .iter()
            .filter(|(_, it)| own(it))
            .map(|(number, it)| (it.parent == 0, *number))
            .collect();
        // Windows first.
        numbers.sort_unstable();
        for (_, region) in numbers {
            if self.deregister(streams, session, region).is_ok() {
                continue;
            }
            // Its file does not take it: nobody reaches it any more.
            if let Some(region) = self.regions.remove(&region) {
                let _ = streams.memory().invalidate(region.steering_tag);
            }
        }
    }

    /// The bytes of a range.
    pub(super) fn bytes<'a>(
        &self,
        streams: &'a mut Streams,
        session: u32,
        range: RegionRange,
    ) -> Result<&'a mut [u8], No> {
        let steering_tag = self.steering_tag(session, range.region)?;
        let bytes = streams.memory().bytes_mut(steering_tag).unwrap_or_default();
        let length = bytes.len();
        let start = usize::try_from(range.offset).ok();
        let end = start.and_then(|start| start.checked_add(range.length as usize));
        let found = start.zip(end).and_then(|(start, end)| bytes.get_mut(start..end));
        found.ok_or_else(|| {
            let RegionRange { offset, length: asked, .. } = range;
            No::unknown(format!("{asked} bytes from {offset} are not in the region of {length}"))
        })
    }

    pub(super) fn recall(
        &self,
        streams: &mut Streams,
        session: u32,
        region: u32,
    ) -> Result<Answer, No> {
        let steering_tag = self.steering_tag(session, region)?;
        streams.memory().recall(steering_tag)?;
        Ok(Answer::Done)
    }

    pub(super) fn fill(
        &self,
        streams: &mut Streams,
        session: u32,
        order: &FillOrder,
    ) -> Result<Answer, No> {
        let FillOrder { region, length, offset, pattern, seed } = *order;
        let bytes = self.bytes(streams, session, RegionRange { region, length, offset })?;
        pattern.fill(seed, bytes);
        Ok(Answer::Done)
    }

    pub(super) fn checksum(
        &self,
        streams: &mut Streams,
        session: u32,
        order: &ChecksumOrder,
    ) -> Result<Answer, No> {
        let ChecksumOrder { region, length, offset, hash } = *order;
        let algorithm = hash_algorithm(hash);
        let bytes = self.bytes(streams, session, RegionRange { region, length, offset })?;
        Ok(Answer::Bytes(algorithm.hash(bytes)))
    }
}
