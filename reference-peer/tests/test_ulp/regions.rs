//! Sections 5 and 6: regions and their bytes.

use crate::runner::{LONGEST, Lab, memory, register, target_options};
use std::sync::{Arc, Mutex};
use warpscope_peer::memory::{FlushFailed, Registration, Rights, Store};
use warpscope_peer::service::test_ulp::{Files, FolderFiles, TestUlpOptions};
use warpscope_peer::work::{LocalBuffer, Operation, RemoteBuffer, WorkRequest};
use warpscope_wire::crc::crc32c;
use warpscope_wire::test_ulp::{
    AccessRights, Addressing, Answer, Backing, BindOrder, ChecksumOrder, CopyOrder, FillOrder,
    Hash, Order, Pattern, RegionDescription, RegionFlags, RegionRange, RegisterOrder,
    RevalidateOrder, Scope, Status,
};

fn range(region: &RegionDescription, offset: u64, length: u32) -> RegionRange {
    RegionRange { region: region.region, length, offset }
}

fn read(lab: &mut Lab, range: RegionRange) -> Vec<u8> {
    match lab.order(&Order::Read(range)) {
        Answer::Bytes(bytes) => bytes,
        other => panic!("{other:?}"),
    }
}

fn region(answer: Answer) -> RegionDescription {
    match answer {
        Answer::Region(region, _) => region,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_region_is_what_was_ordered() {
    let mut lab = Lab::new();
    let order = RegisterOrder {
        base: 0x1_0008,
        addressing: Addressing::Given,
        hash: Hash::Sha256,
        scope: Scope::Stream,
        ..register(100, AccessRights::READ | AccessRights::VERIFY)
    };
    let Answer::Region(first, name) = lab.order(&Order::Register(order, "first".to_owned())) else {
        panic!("no region");
    };
    assert_eq!(name, "first");
    assert_eq!((first.length, first.base, first.alignment), (100, 0x1_0008, 8));
    assert_eq!(
        (first.rights, first.hash),
        (AccessRights::READ | AccessRights::VERIFY, Hash::Sha256)
    );
    assert_eq!((first.scope, first.stream, first.flags), (Scope::Stream, 1, RegionFlags::VALID));
    let chosen = RegisterOrder { addressing: Addressing::Chosen, ..register(8, AccessRights::ALL) };
    let second = region(lab.order(&Order::Register(chosen, String::new())));
    assert!(second.base != 0 && second.region != first.region);
    let zero = lab.register(8, AccessRights::NONE);
    assert_eq!((zero.base, zero.alignment), (0, 4096));
    let Answer::Regions(total, listed) = lab.order(&Order::ListRegions(1)) else {
        panic!("no list");
    };
    assert_eq!(total, 3);
    assert_eq!(listed, [(second, String::new()), (zero, String::new())]);
    assert_eq!(read(&mut lab, range(&first, 0, 100)), [0; 100]);
}

/// RFC 5040 sections 5.3 and 8.1.1, by way of orders.
#[test]
fn a_region_of_another_domain_or_stream_is_not_reached() {
    let mut lab = Lab::new();
    let bare = lab.bare(2);
    for (order, reached) in [
        (
            RegisterOrder { scope: Scope::Stream, stream: 2, ..register(8, AccessRights::WRITE) },
            true,
        ),
        (RegisterOrder { scope: Scope::Stream, ..register(8, AccessRights::WRITE) }, false),
        (
            RegisterOrder {
                scope: Scope::OtherProtectionDomain,
                ..register(8, AccessRights::WRITE)
            },
            false,
        ),
    ] {
        let made = region(lab.order(&Order::Register(order, String::new())));
        let remote = RemoteBuffer { steering_tag: made.steering_tag, tagged_offset: 0 };
        let write = Operation::Write { source: b"written!"[..].into(), remote };
        let stream = if reached { bare } else { lab.bare(3) };
        lab.streams().post(stream, WorkRequest::new(1, write)).unwrap();
        lab.run();
        let expected = if reached { *b"written!" } else { [0; 8] };
        assert_eq!(read(&mut lab, range(&made, 0, 8)), expected);
    }
}

#[test]
fn windows_invalidation_and_deregistration() {
    let mut lab = Lab::new();
    let whole = lab.register(64, AccessRights::NONE);
    let order = BindOrder {
        region: whole.region,
        stream: 0,
        offset: 20,
        length: 16,
        base: 0,
        rights: AccessRights::WRITE,
        addressing: Addressing::Zero,
        scope: Scope::ProtectionDomain,
    };
    let window = region(lab.order(&Order::Bind(order)));
    assert_eq!((window.region_of_window, window.length, window.alignment), (whole.region, 16, 4));
    assert_eq!(window.flags, RegionFlags::VALID | RegionFlags::WINDOW);
    assert_eq!(lab.refused(&Order::Bind(BindOrder { offset: 60, ..order })), Status::Unknown);
    assert_eq!(lab.refused(&Order::Deregister(whole.region)), Status::Refused);
    lab.done(&Order::Invalidate(window.region));
    let Answer::Regions(_, listed) = lab.order(&Order::ListRegions(1)) else { panic!("no list") };
    assert_eq!(listed[0].0.flags, RegionFlags::WINDOW);
    let rights = AccessRights::READ;
    let again =
        region(lab.order(&Order::Revalidate(RevalidateOrder { region: window.region, rights })));
    assert!(again.steering_tag != window.steering_tag && again.flags.contains(RegionFlags::VALID));
    assert_eq!(again.rights, rights);
    // The owner's bytes do not depend on the STag.
    lab.done(&Order::Write(range(&again, 1, 2), vec![7, 8]));
    assert_eq!(read(&mut lab, range(&whole, 20, 4)), [0, 7, 8, 0]);
    lab.done(&Order::Deregister(window.region));
    lab.done(&Order::Deregister(whole.region));
    assert_eq!(lab.refused(&Order::Deregister(whole.region)), Status::Unknown);
    assert_eq!(lab.refused(&Order::Read(range(&whole, 0, 1))), Status::Unknown);
}

#[test]
fn bytes_are_written_filled_read_and_hashed() {
    let mut lab = Lab::new();
    let made = lab.register(600, AccessRights::NONE);
    let fill =
        |pattern, seed| FillOrder { region: made.region, length: 300, offset: 200, pattern, seed };
    lab.done(&Order::Fill(fill(Pattern::Constant, 0x1ab)));
    assert_eq!(read(&mut lab, range(&made, 198, 4)), [0, 0, 0xab, 0xab]);
    lab.done(&Order::Fill(fill(Pattern::Counting, 254)));
    assert_eq!(read(&mut lab, range(&made, 200, 4)), [254, 255, 0, 1]);
    lab.done(&Order::Fill(fill(Pattern::Mixed, 1)));
    // 1, 2 and 3 times 0x9e3779b1, of each the first byte.
    assert_eq!(read(&mut lab, range(&made, 200, 3)), [0x9e, 0x3c, 0xda]);
    assert_eq!(read(&mut lab, range(&made, 500, 1)), [0]);
    let bytes = read(&mut lab, range(&made, 0, 600));
    let checksum =
        |hash| Order::Checksum(ChecksumOrder { region: made.region, length: 600, offset: 0, hash });
    let crc = lab.order(&checksum(Hash::Crc32c));
    assert_eq!(crc, Answer::Bytes(crc32c(&bytes).to_be_bytes().to_vec()));
    let Answer::Bytes(sha) = lab.order(&checksum(Hash::Sha256)) else { panic!("no hash") };
    assert_eq!(sha.len(), 32);
    let Answer::Bytes(blake) = lab.order(&checksum(Hash::Blake3)) else { panic!("no hash") };
    assert!(blake.len() == 32 && blake != sha);
    for (offset, length) in [(599, 2), (601, 0), (u64::MAX, 1), (1, u32::MAX)] {
        let out = range(&made, offset, length);
        let status = lab.refused(&Order::Checksum(ChecksumOrder {
            region: out.region,
            length,
            offset,
            hash: Hash::Crc32c,
        }));
        assert_eq!(status, Status::Unknown, "{offset} {length}");
    }
    assert_eq!(lab.order(&Order::Read(range(&made, 600, 0))), Answer::Bytes(Vec::new()));
}

/// Section 6.3: the bytes are there when the answer comes.
#[test]
fn a_copy_comes_by_rdma_write() {
    let mut lab = Lab::new();
    let made = lab.register(40_000, AccessRights::NONE);
    let (length, offset) = (40_000, 0);
    let fill = FillOrder { region: made.region, length, offset, pattern: Pattern::Mixed, seed: 9 };
    lab.done(&Order::Fill(fill));
    let too_long = lab.refused(&Order::Read(range(&made, 0, LONGEST)));
    assert_eq!(too_long, Status::Limit);
    let registration = Registration::shared(1, Rights::WRITE);
    let tag = lab.streams().memory().register(vec![0; 40_008], registration).unwrap();
    let copy = CopyOrder {
        region: made.region,
        length,
        offset,
        steering_tag: tag,
        stream: 0,
        tagged_offset: 8,
    };
    lab.done(&Order::Copy(copy));
    let mut expected = vec![0; 40_008];
    Pattern::Mixed.fill(9, &mut expected[8..]);
    assert_eq!(lab.streams().memory().bytes(tag).unwrap(), expected);
    let status = lab.refused(&Order::Copy(CopyOrder { length: 40_001, ..copy }));
    assert_eq!(status, Status::Unknown);
    assert_eq!(lab.refused(&Order::Copy(CopyOrder { stream: 99, ..copy })), Status::Unknown);
}

type Persisted = Arc<Mutex<Vec<(u64, Vec<u8>)>>>;

#[derive(Debug, Clone, Default)]
struct Remembering(Persisted);

impl Store for Remembering {
    fn persist(&mut self, offset: u64, bytes: &[u8]) -> Result<(), FlushFailed> {
        self.0.lock().unwrap().push((offset, bytes.to_vec()));
        Ok(())
    }
}

impl Files for Remembering {
    fn make(&mut self, _length: u64) -> Result<Box<dyn Store>, String> {
        Ok(Box::new(self.clone()))
    }
}

#[test]
fn a_file_backs_a_region() {
    let file = RegisterOrder { backing: Backing::File, ..register(32, AccessRights::ALL) };
    let file = Order::Register(file, String::new());
    assert_eq!(Lab::new().refused(&file), Status::Unsupported);
    let files = Remembering::default();
    let options = TestUlpOptions { files: Some(Box::new(files.clone())), ..target_options() };
    let mut lab = Lab::with(options, memory(2));
    let made = region(lab.order(&file));
    assert!(made.flags.contains(RegionFlags::FILE));
    lab.done(&Order::Write(range(&made, 4, 0), b"lasting".to_vec()));
    let bare = lab.bare(2);
    let remote = RemoteBuffer { steering_tag: made.steering_tag, tagged_offset: 4 };
    let flush = Operation::Flush { remote, length: 7, persistence: true, global_visibility: false };
    lab.streams().post(bare, WorkRequest::new(1, flush)).unwrap();
    lab.run();
    assert_eq!(*files.0.lock().unwrap(), [(4, b"lasting".to_vec())]);
}

#[test]
fn what_the_target_advertises_is_listed_and_stays() {
    let mut own = memory(2);
    let rights = Rights::READ | Rights::WRITE;
    let tag = own.register(vec![5; 24], Registration::shared(1, rights)).unwrap();
    let regions = vec![("log".to_owned(), tag)];
    let mut lab = Lab::with(TestUlpOptions { regions, ..target_options() }, own);
    let Answer::Regions(1, listed) = lab.order(&Order::ListRegions(0)) else { panic!("no list") };
    let (first, name) = &listed[0];
    assert_eq!((name.as_str(), first.steering_tag, first.length), ("log", tag, 24));
    assert_eq!(first.flags, RegionFlags::VALID | RegionFlags::ADVERTISED);
    assert_eq!(first.rights, AccessRights::READ | AccessRights::WRITE);
    assert_eq!(lab.refused(&Order::Deregister(first.region)), Status::Refused);
    lab.done(&Order::Reset);
    let sink = lab
        .streams()
        .memory()
        .register(vec![0; 24], Registration::shared(1, Rights::NONE))
        .unwrap();
    let bare = lab.bare(2);
    let operation = Operation::Read {
        sink: LocalBuffer { steering_tag: sink, tagged_offset: 0 },
        length: 24,
        remote: RemoteBuffer { steering_tag: tag, tagged_offset: 0 },
    };
    lab.streams().post(bare, WorkRequest::new(1, operation)).unwrap();
    lab.run();
    assert_eq!(lab.streams().memory().bytes(sink).unwrap(), [5; 24]);
}

/// Section 4.2.
#[test]
fn reset_takes_regions_and_streams_away() {
    let mut lab = Lab::new();
    let made = lab.register(64, AccessRights::ALL);
    lab.bare(2);
    lab.done(&Order::Reset);
    assert!(matches!(lab.order(&Order::ListRegions(0)), Answer::Regions(0, _)));
    let Answer::Streams(1, streams) = lab.order(&Order::ListStreams(0)) else { panic!("no list") };
    assert_eq!(streams[0].stream, 1);
    assert!(lab.reports(0).is_empty());
    let again = lab.register(64, AccessRights::ALL);
    assert_ne!(again.region, made.region);
}

#[test]
fn a_folder_gives_each_region_a_file() {
    let folder = std::env::temp_dir().join(format!("warpscope-test-ulp-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let files = FolderFiles::new(folder.clone());
    let options = TestUlpOptions { files: Some(Box::new(files)), ..target_options() };
    let mut lab = Lab::with(options, memory(2));
    let file = RegisterOrder { backing: Backing::File, ..register(8, AccessRights::ALL) };
    for name in ["region-1", "region-2"] {
        let made = region(lab.order(&Order::Register(file, String::new())));
        lab.done(&Order::Write(range(&made, 0, 0), b"lasting!".to_vec()));
        assert_eq!(std::fs::read(folder.join(name)).unwrap(), [0; 8]);
        lab.done(&Order::Recall(made.region));
        assert_eq!(read(&mut lab, range(&made, 0, 8)), [0; 8], "nothing was flushed");
        lab.done(&Order::Write(range(&made, 0, 0), b"lasting!".to_vec()));
        lab.done(&Order::Deregister(made.region));
        assert_eq!(std::fs::read(folder.join(name)).unwrap(), b"lasting!");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

/// Section 5.2: with backing 2 a Flush to persistence fails, and one to global visibility does not.
#[test]
fn a_backing_that_fails() {
    for (persistence, fails) in [(true, true), (false, false)] {
        let mut lab = Lab::new();
        let order = RegisterOrder { backing: Backing::Failing, ..register(32, AccessRights::ALL) };
        let made = region(lab.order(&Order::Register(order, String::new())));
        assert!(!made.flags.contains(RegionFlags::FILE));
        assert_eq!(lab.refused(&Order::Recall(made.region)), Status::Refused);
        let bare = lab.bare(2);
        let remote = RemoteBuffer { steering_tag: made.steering_tag, tagged_offset: 0 };
        let flush = Operation::Flush { remote, length: 8, persistence, global_visibility: true };
        lab.streams().post(bare, WorkRequest::new(1, flush)).unwrap();
        lab.run();
        let up = lab.streams().connection(bare).is_some_and(|it| it.agreement().is_some());
        assert_eq!(!up, fails);
        lab.done(&Order::Deregister(made.region));
    }
}
