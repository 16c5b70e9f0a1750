use super::{Collector, Named, TransferDirection, Transferred, targets};
use crate::nfs::{Direction, Operation, Procedure, Summary};
use crate::table::tests::read;
use std::cell::RefCell;
use std::collections::BTreeMap;

/// A compound of these operations, each with the handles behind its name.
fn compound(direction: Direction, operations: &str) -> Summary {
    let names = "PUTFH SAVEFH OPEN WRITE GETFH RESTOREFH READ LOOKUP";
    let mut all: Vec<Operation> = Vec::new();
    for word in operations.split(' ') {
        match (names.split(' ').find(|name| *name == word), all.last_mut()) {
            (Some(name), _) => all.push(Operation {
                name,
                status: (direction == Direction::Reply).then_some(0),
                ..Operation::default()
            }),
            (None, last) => last.unwrap().handles.push(word.parse().unwrap()),
        }
    }
    Summary {
        procedure: Procedure::nfs(4, 1),
        direction,
        name: "COMPOUND",
        status: None,
        minor_version: Some(1),
        operations: all,
    }
}

#[test]
fn the_current_handle_goes_along_a_compound() {
    let mut call = compound(Direction::Call, "PUTFH 1 SAVEFH OPEN WRITE GETFH RESTOREFH READ");
    let reply = compound(Direction::Reply, "PUTFH SAVEFH OPEN WRITE GETFH 2 RESTOREFH READ");
    call.operations[2].names = vec!["file".to_owned()];
    let found = targets(&call, Some(&reply));
    // The WRITE goes to what was opened, which only the reply names; the READ to what was saved.
    assert_eq!((found.handles[3], found.handles[6]), (Some(2), Some(1)));
    assert_eq!(found.names, [(2, "file".to_owned())]);
    // Without reply nobody knows what was opened.
    let found = targets(&call, None);
    assert_eq!((found.handles[3], found.handles[6]), (None, Some(1)));
    assert!(found.names.is_empty());
}

#[test]
fn a_handle_that_an_operation_leaves_is_not_given_to_others() {
    let call = compound(Direction::Call, "PUTFH 1 LOOKUP READ LOOKUP GETFH");
    let reply = compound(Direction::Reply, "PUTFH 1 LOOKUP READ LOOKUP GETFH 9");
    let found = targets(&call, Some(&reply));
    // The first LOOKUP's handle is nowhere; 9 is that of the second.
    assert_eq!(found.handles[2], None);
}

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
