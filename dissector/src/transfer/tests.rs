use super::{Collector, Named, TransferDirection, Transferred};
use crate::table::tests::read;
use std::cell::RefCell;
use std::collections::BTreeMap;

#[test]
fn what_was_written_is_what_was_read() {
    let contents: RefCell<BTreeMap<(bool, u32), BTreeMap<u64, u8>>> = RefCell::default();
    let names = RefCell::new(0);
    let mut collector = Collector::new(
        |transferred: &Transferred<'_>| {
            assert_ne!(transferred.way, TransferDirection::Written { confirmed: false });
            let key = (transferred.way == TransferDirection::Read, transferred.file.hash());
            let mut contents = contents.borrow_mut();
            let content = contents.entry(key).or_default();
            content.extend((transferred.offset..).zip(transferred.bytes.iter().copied()));
        },
        |_: &Named<'_>| *names.borrow_mut() += 1,
    );
    read("captures/j3-mid-nfs.pcap.zst", &mut collector);
    collector.finish();
    let contents = contents.into_inner();
    let keys: Vec<_> = contents.keys().collect();
    assert_eq!(keys, [&(false, 0x508b_a726), &(true, 0x508b_a726)]);
    let (written, back) = (&contents[keys[0]], &contents[keys[1]]);
    assert_eq!(written.len(), 300_000);
    assert!(written == back);
}
