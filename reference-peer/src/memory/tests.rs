use super::*;
use AccessViolation::{AccessRights, Bounds, InvalidSteeringTag, NotAssociated, Wrap};

const HERE: Accessor = Accessor { stream: 7, protection_domain: 1 };
const OTHER_STREAM: Accessor = Accessor { stream: 8, protection_domain: 1 };
const OTHER_DOMAIN: Accessor = Accessor { stream: 9, protection_domain: 2 };

fn memory() -> Memory {
    Memory::seeded(0x1234_5600)
}

fn shared(rights: Rights) -> Registration {
    Registration::shared(1, rights)
}

/// RFC 5041 section 7.1 and RFC 5040 section 7.2: each check has its own violation.
#[test]
fn an_access_tells_what_it_breaks() {
    let mut memory = memory();
    let tag = memory.register(vec![0; 64], shared(Rights::READ).based_at(0x1000)).unwrap();
    let check = |accessor, tag, offset, length, rights| {
        memory.check(accessor, tag, offset, length, rights).err()
    };
    assert_eq!(check(HERE, tag, 0x1000, 64, Rights::READ), None);
    assert_eq!(check(HERE, tag ^ 1, 0x1000, 64, Rights::READ), Some(InvalidSteeringTag));
    assert_eq!(check(HERE, tag ^ 0x100, 0x1000, 64, Rights::READ), Some(InvalidSteeringTag));
    assert_eq!(check(OTHER_STREAM, tag, 0x1000, 64, Rights::READ), None);
    assert_eq!(check(OTHER_DOMAIN, tag, 0x1000, 64, Rights::READ), Some(NotAssociated));
    assert_eq!(check(HERE, tag, 0xfff, 1, Rights::READ), Some(Bounds));
    assert_eq!(check(HERE, tag, 0x1000, 65, Rights::READ), Some(Bounds));
    assert_eq!(check(HERE, tag, 0x1040, 1, Rights::READ), Some(Bounds));
    assert_eq!(check(HERE, tag, u64::MAX, 1, Rights::READ), Some(Wrap));
    assert_eq!(check(HERE, tag, 0x1000, u64::MAX, Rights::READ), Some(Wrap));
    assert_eq!(check(HERE, tag, 0x1000, 8, Rights::WRITE), Some(AccessRights));
    assert_eq!(check(HERE, tag, 0x1000, 8, Rights::READ | Rights::WRITE), Some(AccessRights));
}

/// RFC 5040 section 8.1.1 items 2 and 7.
#[test]
fn only_its_own_stream_uses_and_invalidates_a_tag() {
    let mut memory = memory();
    let own = memory.register(vec![0; 8], Registration::stream(7, Rights::ALL)).unwrap();
    let common = memory.register(vec![0; 8], shared(Rights::ALL)).unwrap();
    assert_eq!(memory.check(OTHER_STREAM, own, 0, 8, Rights::READ), Err(NotAssociated));
    assert_eq!(memory.invalidate_remotely(OTHER_STREAM, own), Err(NotAssociated));
    assert_eq!(memory.invalidate_remotely(HERE, common), Err(NotAssociated));
    assert!(memory.is_valid(own) && memory.is_valid(common));
    assert_eq!(memory.invalidate_remotely(HERE, own), Ok(()));
    assert_eq!(memory.check(HERE, own, 0, 8, Rights::READ), Err(InvalidSteeringTag));
    assert_eq!(memory.invalidate_remotely(HERE, own), Err(InvalidSteeringTag));
}

#[test]
fn a_new_key_makes_the_old_tag_stale() {
    let mut memory = memory();
    let old = memory.register(vec![0; 8], shared(Rights::READ)).unwrap();
    memory.invalidate(old).unwrap();
    let new = memory.revalidate(old, Rights::WRITE).unwrap();
    assert_eq!(old >> 8, new >> 8);
    assert_eq!(memory.check(HERE, old, 0, 8, Rights::READ), Err(InvalidSteeringTag));
    assert!(memory.check(HERE, new, 0, 8, Rights::WRITE).is_ok());
}

#[test]
fn a_window_shows_part_of_its_region() {
    let mut memory = memory();
    let region = memory.register((0..64).collect(), shared(Rights::NONE)).unwrap();
    let window = memory.bind_window(region, 10, 20, shared(Rights::READ)).unwrap();
    let place = memory.check(HERE, window, 2, 3, Rights::READ).unwrap();
    assert_eq!(memory.read(place), [12, 13, 14]);
    assert_eq!(memory.check(HERE, window, 20, 1, Rights::READ), Err(Bounds));
    let refused = memory.bind_window(region, 60, 5, shared(Rights::READ));
    assert!(matches!(refused, Err(MemoryError::OutsideRegion { .. })));
    assert!(matches!(memory.deregister(region), Err(MemoryError::WindowsBound(_))));
    memory.deregister(window).unwrap();
    assert_eq!(memory.deregister(region).unwrap().len(), 64);
    assert_eq!(memory.check(HERE, region, 0, 1, Rights::NONE), Err(InvalidSteeringTag));
}

/// RFC 7306 section 5.1: what counts is the address of the ULP Buffer, not the Tagged Offset.
#[test]
fn alignment_is_that_of_the_address() {
    let mut memory = memory();
    let region = memory.register(vec![0; 64], shared(Rights::ALL)).unwrap();
    let odd = memory.bind_window(region, 4, 32, shared(Rights::ALL)).unwrap();
    let aligned =
        |tag, offset| memory.check(HERE, tag, offset, 8, Rights::ATOMIC).unwrap().aligned();
    assert!(aligned(region, 8) && !aligned(region, 4));
    assert!(aligned(odd, 4) && !aligned(odd, 8));
}

#[test]
fn a_region_ends_before_the_offsets_do() {
    let mut memory = memory();
    let refused = memory.register(vec![0; 8], shared(Rights::ALL).based_at(u64::MAX - 7));
    assert!(matches!(refused, Err(MemoryError::Wraps { .. })));
    let tag = memory.register(vec![0; 7], shared(Rights::ALL).based_at(u64::MAX - 7)).unwrap();
    assert!(memory.check(HERE, tag, u64::MAX - 7, 7, Rights::WRITE).is_ok());
}

/// The buffers of regions have numbers, which no later region takes.
#[test]
fn a_region_keeps_its_bytes_however_many_come_later() {
    let mut memory = memory();
    let first = memory.register(vec![1; 8], shared(Rights::READ)).unwrap();
    memory.next_buffer = u32::MAX.into();
    let later = [2, 3].map(|it| memory.register(vec![it; 8], shared(Rights::READ)).unwrap());
    assert_eq!(memory.bytes(first).unwrap(), [1; 8]);
    assert_eq!(memory.bytes(later[0]).unwrap(), [2; 8]);
    assert_eq!(memory.bytes(later[1]).unwrap(), [3; 8]);
}

type Persisted = Vec<(u64, Vec<u8>)>;

#[derive(Debug, Default, Clone)]
struct Remembering(std::sync::Arc<std::sync::Mutex<Persisted>>);

impl Store for Remembering {
    fn persist(&mut self, offset: u64, bytes: &[u8]) -> Result<(), FlushFailed> {
        self.0.lock().unwrap().push((offset, bytes.to_vec()));
        Ok(())
    }
}

#[test]
fn a_flush_reaches_the_store() {
    let mut memory = memory();
    let store = Remembering::default();
    let kept = store.0.clone();
    let registration = shared(Rights::ALL);
    let tag = memory.register_stored(vec![0; 16], Box::new(store), registration).unwrap();
    let place = memory.check(HERE, tag, 4, 4, Rights::WRITE).unwrap();
    memory.place(place, b"wire");
    assert!(kept.lock().unwrap().is_empty());
    memory.persist(place).unwrap();
    assert_eq!(*kept.lock().unwrap(), [(4, b"wire".to_vec())]);
}
