//! Version 4.2 (RFC 7862 section 15) and extended attributes (RFC 8276 section 8.4). All of it is optional: an
//! operation that is not there is NFS4ERR_NOTSUPP, and its test ends. The server has COPY, and extended attributes
//! where its file system has them.

use crate::prelude::*;

/// A client of 4.2 and a file of 4.2 MiB that has data at the start and at 4 MiB, open.
fn sparse() -> (Lab, Client, Opened) {
    let mut lab = Lab::new();
    let mut client = lab.client(2, b"one");
    lab.file("f", b"begin");
    let file = std::fs::OpenOptions::new().write(true).open(lab.path("f")).unwrap();
    std::os::unix::fs::FileExt::write_all_at(&file, b"middle", 4 << 20).unwrap();
    file.set_len(SIZE).unwrap();
    let opened = lab.open_both(&mut client, "f");
    (lab, client, opened)
}

const SIZE: u64 = (4 << 20) + 200_000;
const DATA: u32 = 0;
const HOLE: u32 = 1;

/// Runs one operation on a file, and has the reply at its result; nothing where it is not supported.
fn on(
    lab: &mut Lab,
    client: &mut Client,
    file: &[u8],
    ops: Ops,
    number: u32,
) -> Option<(u32, Reply)> {
    let mut reply = lab.run(client, put(file).then(ops));
    reply.ok(op::PUTFH);
    let status = reply.result(number);
    (status != err::NOTSUPP).then_some((status, reply))
}

/// RFC 7862 section 15.10.3: contents that lie end to end, holes possibly beyond what was asked for; the end is reported.
#[test]
fn holes_and_data_are_read() {
    let (mut lab, mut client, opened) = sparse();
    let all = std::fs::read(lab.path("f")).unwrap();
    let mut at = 0;
    while at < SIZE {
        let ops = Ops::default().op(op::READ_PLUS).stateid(opened.stateid);
        let ops = ops.long(at).word(100_000);
        let found = on(&mut lab, &mut client, &opened.handle, ops, op::READ_PLUS);
        let Some((status, mut reply)) = found else { return };
        assert_eq!(status, err::OK);
        let eof = reply.bool();
        let (mut next, mut first) = (at, true);
        for _ in 0..reply.word() {
            let (kind, start) = (reply.word(), reply.long());
            assert!(start == next || (first && kind == HOLE && start < at), "{start} for {next}");
            if kind == DATA {
                let data = reply.opaque();
                next = start + data.len() as u64;
                assert!(all[start as usize..next as usize] == data[..]);
            } else {
                assert_eq!(kind, HOLE);
                next = start + reply.long();
                assert!(next <= SIZE);
                assert!(all[start as usize..next as usize].iter().all(|byte| *byte == 0));
            }
            first = false;
        }
        reply.end();
        assert!(next > at, "it goes on from {at}");
        assert_eq!(eof, next == SIZE, "{next}");
        at = next;
    }
    let ops = Ops::default().op(op::READ_PLUS).stateid(opened.stateid).long(SIZE).word(10);
    let found = on(&mut lab, &mut client, &opened.handle, ops, op::READ_PLUS);
    let (status, mut reply) = found.unwrap();
    assert_eq!((status, reply.bool()), (err::OK, true));
    for _ in 0..reply.word() {
        reply.raw::<12>();
        assert_eq!(reply.word(), 0, "no bytes: the length, or its lower half");
    }
}

/// RFC 7862 section 15.10.2, RFC 4506 section 4.13: as many contents follow as are counted, and at least one, however short
/// the session's replies are. If there is no room for one, the reply would be too big.
#[test]
fn no_more_contents_are_counted_than_follow() {
    let (mut lab, client, opened) = sparse();
    let mut read = 0;
    for (sequence, response) in (client.create + 1..).zip(608..=648) {
        let fore = [0, 1 << 20, response, 4096, 16, 4, 0];
        let mut made = lab.compound(2, &create_session_with(client.id, sequence, 0, fore));
        let session = made.ok(op::CREATE_SESSION).raw();
        let mut short = Client { session, sequence: 0, ..client.clone() };
        let ops = Ops::default().op(op::READ_PLUS).stateid(opened.stateid).long(0).word(100);
        let found = on(&mut lab, &mut short, &opened.handle, ops, op::READ_PLUS);
        let Some((status, mut reply)) = found else { return };
        if status == err::OK {
            reply.bool();
            let count = reply.word();
            assert!(count > 0, "{response}");
            for _ in 0..count {
                let (kind, _) = (reply.word(), reply.long());
                if kind == DATA {
                    reply.opaque();
                } else {
                    reply.long();
                }
            }
            reply.end();
            read += 1;
        } else {
            assert_eq!(status, err::REP_TOO_BIG, "{response}");
        }
        let destroy = Ops::default().op(op::DESTROY_SESSION).raw(&session);
        lab.compound(2, &destroy).ok(op::DESTROY_SESSION);
    }
    assert!(read > 0, "some have room");
}

/// RFC 7862 section 15.11.3: the next hole or data; a hole at the end of every file; after the end NFS4ERR_NXIO. Where
/// holes are, the file system says: all of the file may be data.
#[test]
fn holes_and_data_are_found() {
    let (mut lab, mut client, opened) = sparse();
    let mut seek = |stateid, offset, what| {
        let ops = Ops::default().op(op::SEEK).stateid(stateid).long(offset).word(what);
        let (status, mut reply) = on(&mut lab, &mut client, &opened.handle, ops, op::SEEK)?;
        Some(if status == err::OK { Ok((reply.bool(), reply.long())) } else { Err(status) })
    };
    let stateid = opened.stateid;
    let Some(first) = seek(stateid, 0, DATA) else { return };
    assert_eq!(first, Ok((false, 0)));
    let (_, hole) = seek(stateid, 0, HOLE).unwrap().unwrap();
    assert!(hole <= 4 << 20 || hole == SIZE, "{hole}");
    if hole < SIZE {
        let (eof, data) = seek(stateid, hole, DATA).unwrap().unwrap();
        assert!(!eof && data > hole && data <= 4 << 20, "{eof} {data}");
        assert_eq!(seek(stateid, hole, HOLE).unwrap(), Ok((false, hole)), "it is there already");
    }
    // Data in the hole at the end there is none: that is no error.
    let (eof, _) = seek(stateid, SIZE - 1, DATA).unwrap().unwrap();
    assert!(eof || hole == SIZE);
    // The hole at the end is found at the size of the file at the latest. Whether eof is set then is not plain: the
    // text's example sets it.
    let (_, end) = seek(stateid, SIZE - 1, HOLE).unwrap().unwrap();
    assert!(end == SIZE || end == SIZE - 1, "{end}");
    assert_eq!(seek(stateid, SIZE + 1, DATA).unwrap(), Err(err::NXIO));
    assert_eq!(seek(stateid, SIZE + 1, HOLE).unwrap(), Err(err::NXIO));
    let none = Stateid { seqid: 1, other: [7; 12] };
    assert_eq!(seek(none, 0, DATA).unwrap(), Err(err::BAD_STATEID));
}

/// RFC 7862 section 15.1.3: a range beyond the end makes the file longer, with zeros; one within changes nothing.
#[test]
fn space_is_allocated() {
    let (mut lab, mut client, opened) = sparse();
    let before = std::fs::read(lab.path("f")).unwrap();
    let ask = |offset, length| {
        Ops::default().op(op::ALLOCATE).stateid(opened.stateid).long(offset).long(length)
    };
    for (offset, length, size) in [(0, 10_000, SIZE), (SIZE - 5, 1005, SIZE + 1000)] {
        let ops = ask(offset, length);
        let found = on(&mut lab, &mut client, &opened.handle, ops, op::ALLOCATE);
        let Some((status, reply)) = found else { return };
        reply.end();
        assert_eq!(status, err::OK);
        let after = std::fs::read(lab.path("f")).unwrap();
        assert_eq!(after.len() as u64, size);
        assert!(after[..before.len()] == before && after[before.len()..].iter().all(|b| *b == 0));
    }
}

/// RFC 7862 section 15.4.3: what was there is zeros, also beside the blocks; the size stays.
#[test]
fn space_is_deallocated() {
    let mut lab = Lab::new();
    let mut client = lab.client(2, b"one");
    lab.file("f", &[7; 50_000]);
    let opened = lab.open_both(&mut client, "f");
    let ask = |offset, length| {
        Ops::default().op(op::DEALLOCATE).stateid(opened.stateid).long(offset).long(length)
    };
    let found = on(&mut lab, &mut client, &opened.handle, ask(1001, 30_000), op::DEALLOCATE);
    let Some((status, _)) = found else { return };
    assert_eq!(status, err::OK);
    let mut expected = vec![7; 50_000];
    expected[1001..31_001].fill(0);
    assert!(std::fs::read(lab.path("f")).unwrap() == expected);
    let found = on(&mut lab, &mut client, &opened.handle, ask(45_000, 100_000), op::DEALLOCATE);
    assert_eq!(found.unwrap().0, err::OK);
    expected[45_000..].fill(0);
    assert!(std::fs::read(lab.path("f")).unwrap() == expected, "the size stays");
}

/// RFC 7862 sections 15.1.3, 15.4.3: what is no regular file is NFS4ERR_WRONG_TYPE; an open that only reads does not do
/// (the rules of WRITE for stateids).
#[test]
fn space_is_of_files_open_for_writing() {
    let mut lab = Lab::new();
    let mut client = lab.client(2, b"one");
    lab.file("f", b"data");
    let root = lab.handle(&mut client, &[]);
    let reads = lab.open(&mut client, &Open { access: 1, ..Open::new("f") }).unwrap();
    for number in [op::ALLOCATE, op::DEALLOCATE] {
        let ask = |stateid| Ops::default().op(number).stateid(stateid).long(0).long(1);
        let found = on(&mut lab, &mut client, &root, ask(Stateid::ANONYMOUS), number);
        let Some((status, _)) = found else { continue };
        assert_eq!(status, err::WRONG_TYPE, "{number}");
        let found = on(&mut lab, &mut client, &reads.handle, ask(reads.stateid), number);
        assert_eq!(found.unwrap().0, err::OPENMODE, "{number}");
    }
}

/// COPY within the server, done before the reply.
fn copy(from: &Opened, to: &Opened, source: u64, target: u64, count: u64) -> Ops {
    let ops = put(&from.handle).op(op::SAVEFH).then(put(&to.handle)).op(op::COPY);
    let ops = ops.stateid(from.stateid).stateid(to.stateid);
    ops.long(source).long(target).long(count).words(&[1, 1, 0])
}

/// RFC 7862 section 15.2.3: bytes of one file go into another; a count of zero goes to the end; more than there is, and
/// the file itself, are NFS4ERR_INVAL.
#[test]
fn data_is_copied() {
    let mut lab = Lab::new();
    let mut client = lab.client(2, b"one");
    lab.file("f", b"0123456789");
    lab.file("g", b"");
    let from = lab.open(&mut client, &Open { access: 1, ..Open::new("f") }).unwrap();
    let to = lab.open_both(&mut client, "g");
    for (source, target, count, expected) in
        [(2, 1, 3, &b"\x00234"[..]), (5, 4, 0, b"\x0023456789")]
    {
        let mut reply = lab.run(&mut client, copy(&from, &to, source, target, count));
        reply.ok(op::PUTFH).ok(op::SAVEFH).ok(op::PUTFH);
        let status = reply.result(op::COPY);
        assert_eq!((status, reply.word()), (err::OK, 0), "no stateid to wait for");
        let length = if count == 0 { 10 - source } else { count };
        assert_eq!(reply.long(), length);
        assert!(reply.word() <= 2);
        reply.raw::<8>();
        assert_eq!([reply.bool(), reply.bool()], [true, true]);
        reply.end();
        assert_eq!(std::fs::read(lab.path("g")).unwrap(), expected);
    }
    let status = lab.last(&mut client, copy(&from, &to, 5, 0, 6));
    assert_eq!(status, err::INVAL, "more than there is");
    let same = Opened { stateid: Stateid::ANONYMOUS, ..from.clone() };
    assert_eq!(lab.last(&mut client, copy(&from, &same, 0, 20, 1)), err::INVAL);
    // Where the destination was opened for reading only.
    let other = Open { access: 1, owner: b"p", ..Open::new("g") };
    let reads = lab.open(&mut client, &other).unwrap();
    assert_eq!(lab.last(&mut client, copy(&from, &reads, 0, 0, 1)), err::OPENMODE);
    let root = lab.handle(&mut client, &[]);
    let folder = Opened { stateid: Stateid::ANONYMOUS, handle: root, ..from.clone() };
    assert_eq!(lab.last(&mut client, copy(&folder, &to, 0, 0, 1)), err::WRONG_TYPE);
    assert_eq!(lab.last(&mut client, copy(&from, &folder, 0, 0, 1)), err::WRONG_TYPE);
}

/// RFC 7862 section 13: what is optional is NFS4ERR_NOTSUPP, and no illegal operation.
#[test]
fn optional_operations_of_4_2() {
    let mut lab = Lab::new();
    let mut client = lab.client(2, b"one");
    lab.file("f", b"data");
    let opened = lab.open_both(&mut client, "f");
    let stateid = opened.stateid;
    for (ops, number) in [
        (Ops::default().op(op::IO_ADVISE).stateid(stateid).long(0).long(0).bitmap(&[]), 63),
        (Ops::default().op(66).stateid(stateid), 66),
        (Ops::default().op(67).stateid(stateid), 67),
    ] {
        if let Some((status, _)) = on(&mut lab, &mut client, &opened.handle, ops, number) {
            assert!([err::OK, err::BAD_STATEID].contains(&status), "{status} of {number}");
        }
    }
    let clone = put(&opened.handle).op(op::SAVEFH).op(op::CLONE).stateid(stateid).stateid(stateid);
    let status = lab.last(&mut client, clone.long(0).long(0).long(0));
    assert!([err::NOTSUPP, err::INVAL, err::OK].contains(&status), "{status}");
}

fn set(option: u32, name: &str, value: &[u8]) -> Ops {
    let ops = Ops::default().op(op::SETXATTR).word(option);
    ops.opaque(name.as_bytes()).opaque(value)
}

/// RFC 8276 sections 8.4.1 to 8.4.4: attributes are created, replaced, read, listed and removed; what changes one changes
/// the change attribute.
#[test]
fn extended_attributes() {
    let mut lab = Lab::new();
    let mut client = lab.client(2, b"one");
    lab.file("f", b"data");
    let (file, path) = (lab.handle(&mut client, &["f"]), lab.path("f"));
    let named = |number, name: &str| Ops::default().op(number).opaque(name.as_bytes());
    let mut ask = |ops, number| on(&mut lab, &mut client, &file, ops, number);
    let Some((status, _)) = ask(named(op::GETXATTR, "a"), op::GETXATTR) else {
        let tried = rustix::fs::setxattr(&path, "user.a", b"1", rustix::fs::XattrFlags::empty());
        assert!(tried.is_err(), "the file system has them");
        return;
    };
    assert_eq!(status, err::NOXATTR);
    for (option, name, expected) in [
        (2, "a", err::NOXATTR),
        (1, "a", err::OK),
        (1, "a", err::EXIST),
        (2, "a", err::OK),
        (0, "a", err::OK),
        (0, "other", err::OK),
    ] {
        // A value that differs each time, so that each one that succeeds is a change.
        let value = format!("{option} {name}");
        let (status, mut reply) = ask(set(option, name, value.as_bytes()), op::SETXATTR).unwrap();
        assert_eq!(status, expected, "{option} {name}");
        if status == err::OK {
            let (_, before, after) = (reply.bool(), reply.long(), reply.long());
            assert_ne!(before, after, "{option} {name}");
            reply.end();
            let (status, mut reply) = ask(named(op::GETXATTR, name), op::GETXATTR).unwrap();
            assert_eq!((status, reply.opaque()), (err::OK, value.into_bytes()));
        }
    }
    let (mut cookie, mut names) = (0, Vec::new());
    for turn in 0..3 {
        // The names are without the prefix that the server's file system may have (section 8.4.3).
        let ops = Ops::default().op(op::LISTXATTRS).long(cookie).word(28);
        let (status, mut reply) = ask(ops, op::LISTXATTRS).unwrap();
        assert_eq!(status, err::OK);
        cookie = reply.long();
        for _ in 0..reply.word() {
            names.push(String::from_utf8(reply.opaque()).unwrap());
        }
        let eof = reply.bool();
        reply.end();
        if eof {
            break;
        }
        assert!(turn < 2, "it ends");
    }
    names.sort();
    assert_eq!(names, ["a", "other"]);
    for most in [12, 20] {
        let ops = Ops::default().op(op::LISTXATTRS).long(0).word(most);
        assert_eq!(ask(ops, op::LISTXATTRS).unwrap().0, err::TOOSMALL);
    }
    let (status, mut reply) = ask(named(op::REMOVEXATTR, "a"), op::REMOVEXATTR).unwrap();
    assert_eq!(status, err::OK);
    let (_, before, after) = (reply.bool(), reply.long(), reply.long());
    assert_ne!(before, after);
    let (status, _) = ask(named(op::REMOVEXATTR, "a"), op::REMOVEXATTR).unwrap();
    assert_eq!(status, err::NOXATTR);
    let (status, _) = ask(named(op::GETXATTR, "a"), op::GETXATTR).unwrap();
    assert_eq!(status, err::NOXATTR);
}
