//! OPEN, CLOSE, OPEN_DOWNGRADE, READ, WRITE, COMMIT.

use crate::prelude::*;

fn create(how: How) -> Open<'static> {
    Open { how, ..Open::new("f") }
}

/// RFC 8881 section 18.16.3: UNCHECKED4 takes what is there, and shortens it if the size is to be zero; no other
/// attribute counts then. The current file handle is that of the file.
#[test]
fn unchecked_creates_or_opens() {
    let (mut lab, mut client) = Lab::with_client();
    let made = lab.open(&mut client, &create(How::Unchecked(None))).unwrap();
    assert_ne!(made.change.1, made.change.2, "the folder has changed");
    assert_eq!(made.flags & 2, 0, "OPEN4_RESULT_CONFIRM");
    assert_eq!(made.handle, lab.handle(&mut client, &["f"]));
    lab.file("f", b"12345");
    lab.open(&mut client, &create(How::Unchecked(None))).unwrap();
    let kept = lab.open(&mut client, &create(How::Unchecked(Some(3)))).unwrap();
    assert!(kept.attributes.is_empty(), "{:?}", kept.attributes);
    assert_eq!(std::fs::read(lab.path("f")).unwrap(), b"12345");
    lab.open(&mut client, &create(How::Unchecked(Some(0)))).unwrap();
    assert_eq!(std::fs::read(lab.path("f")).unwrap(), b"");
}

/// RFC 8881 section 18.16.3: GUARDED4 does not take what is there.
#[test]
fn guarded_creates() {
    let (mut lab, mut client) = Lab::with_client();
    lab.open(&mut client, &create(How::Guarded)).unwrap();
    let found = lab.open(&mut client, &create(How::Guarded));
    assert_eq!(found.unwrap_err(), err::EXIST);
}

/// RFC 8881 section 18.16.3: the same verifier finds its own file, another is NFS4ERR_EXIST. Table 18: without pNFS and
/// a persistent cache both exclusive kinds are there.
#[test]
fn exclusive_creates_once() {
    for how in [How::ExclusiveOne as fn(u64) -> How, How::Exclusive] {
        let (mut lab, mut client) = Lab::with_client();
        let made = lab.open(&mut client, &create(how(7))).unwrap();
        let again = lab.open(&mut client, &create(how(7))).unwrap();
        assert_eq!(again.handle, made.handle);
        let mut other = lab.client(1, b"two");
        assert_eq!(lab.open(&mut other, &create(how(8))).unwrap_err(), err::EXIST);
    }
}

/// RFC 8881 section 18.16.3, 18.16.4 and 15.2: what OPEN refuses.
#[test]
fn what_cannot_be_opened() {
    let (mut lab, mut client) = Lab::with_client();
    std::fs::create_dir(lab.path("d")).unwrap();
    lab.file("f", b"");
    std::os::unix::fs::symlink("f", lab.path("l")).unwrap();
    for (name, expected) in
        [("none", err::NOENT), ("d", err::ISDIR), ("l", err::SYMLINK), ("", err::INVAL)]
    {
        assert_eq!(lab.open(&mut client, &Open::new(name)).unwrap_err(), expected, "{name}");
    }
    let below = at(&["f"]).then(Open::new("x").ops());
    assert_eq!(lab.last(&mut client, below), err::NOTDIR);
    for (access, deny) in [(0, 0), (4, 0), (3, 4)] {
        let found = lab.open(&mut client, &Open { access, deny, ..Open::new("f") });
        // What is no share_access4 at all may be found by the XDR already.
        let status = found.unwrap_err();
        assert!([err::INVAL, err::BADXDR].contains(&status), "{status} for {access} {deny}");
    }
}

/// RFC 8881 section 18.16.3: CLAIM_FH opens the current file handle.
#[test]
fn a_file_handle_is_opened() {
    let (mut lab, mut client) = Lab::with_client();
    lab.file("f", b"data");
    std::fs::create_dir(lab.path("d")).unwrap();
    let open = Open { name: None, ..Open::new("") };
    let ops = at(&["f"]).then(open.ops()).then(read(Stateid::CURRENT, 0, 4));
    let mut reply = lab.run(&mut client, ops);
    reply.ok(op::PUTROOTFH).ok(op::LOOKUP).ok(op::OPEN);
    assert_eq!(opened(&mut reply).stateid.seqid, 1);
    reply.ok(op::READ).bool();
    assert_eq!(reply.opaque(), b"data");
    assert_eq!(lab.last(&mut client, at(&["d"]).then(open.ops())), err::ISDIR);
    // With OPEN4_CREATE the claim is one that has a name: CLAIM_FH has none.
    let create = Open { how: How::Unchecked(None), ..open };
    assert_eq!(lab.last(&mut client, at(&["f"]).then(create.ops())), err::INVAL);
}

/// RFC 8881 section 18.16.3: a client that says it wants no delegation gets OPEN_DELEGATE_NONE_EXT, if the server knows
/// the flags.
#[test]
fn a_delegation_that_is_not_wanted() {
    let (mut lab, mut client) = Lab::with_client();
    lab.file("f", b"data");
    let opened = lab.open(&mut client, &Open { access: 0x401, ..Open::new("f") }).unwrap();
    assert!([0, 3].contains(&opened.delegation));
}

/// RFC 8881 section 9.7: what another open denies, or has where this one denies it, is NFS4ERR_SHARE_DENIED. Section
/// 18.16.3: there is no exception for the same owner.
#[test]
fn shares_are_denied() {
    for same in [false, true] {
        for first in 0..12 {
            for second in 0..12 {
                let (mut lab, mut client) = Lab::with_client();
                lab.file("f", b"");
                let open = |kind: u32, owner| Open {
                    access: kind / 4 + 1,
                    deny: kind % 4,
                    owner,
                    ..Open::new("f")
                };
                let (one, two) = (open(first, b"o"), open(second, if same { b"o" } else { b"p" }));
                lab.open(&mut client, &one).unwrap();
                let denied = one.access & two.deny != 0 || one.deny & two.access != 0;
                let found = lab.open(&mut client, &two).map(|_| ());
                let expected = if denied { Err(err::SHARE_DENIED) } else { Ok(()) };
                assert_eq!(found, expected, "{first} then {second}, same owner: {same}");
            }
        }
    }
}

/// RFC 8881 section 18.2.3: CLOSE ends the denial. Section 18.2.4: its stateid should be the invalid one.
#[test]
fn a_closed_file_denies_nothing() {
    let (mut lab, mut client) = Lab::with_client();
    lab.file("f", b"");
    let all = Open { deny: 3, ..Open::new("f") };
    let opened = lab.open(&mut client, &all).unwrap();
    let mut reply = lab.run(&mut client, put(&opened.handle).then(close(opened.stateid)));
    let closed = reply.ok(op::PUTFH).ok(op::CLOSE).stateid();
    reply.end();
    let ops = put(&opened.handle).then(read(closed, 0, 1));
    assert_eq!(lab.last(&mut client, ops), err::BAD_STATEID);
    let ops = put(&opened.handle).then(close(opened.stateid));
    assert_eq!(lab.last(&mut client, ops), err::BAD_STATEID);
    let mut other = lab.client(1, b"two");
    lab.open(&mut other, &all).unwrap();
}

/// RFC 8881 section 18.18.3: access and denial are set back to those of some of the opens; the seqid goes on.
#[test]
fn an_open_is_downgraded() {
    let (mut lab, mut client) = Lab::with_client();
    lab.file("f", b"data");
    let reads = lab.open(&mut client, &Open { access: 1, ..Open::new("f") }).unwrap();
    let both = lab.open(&mut client, &Open { access: 2, deny: 2, ..Open::new("f") });
    // The second denies what it has itself, and not what the first has.
    let stateid = both.unwrap().stateid;
    let downgrade = |stateid, access, deny| {
        put(&reads.handle).op(op::OPEN_DOWNGRADE).stateid(stateid).words(&[9, access, deny])
    };
    for (access, deny) in [(0, 0), (4, 0), (1, 4), (3, 3)] {
        let status = lab.last(&mut client, downgrade(stateid, access, deny));
        assert!([err::INVAL, err::BADXDR].contains(&status), "{status} for {access} {deny}");
    }
    let mut reply = lab.run(&mut client, downgrade(stateid, 1, 0));
    let after = reply.ok(op::PUTFH).ok(op::OPEN_DOWNGRADE).stateid();
    assert_eq!(after, stateid.at(stateid.seqid + 1));
    let ops = put(&reads.handle).then(write(after, 0, 2, b"x"));
    assert_eq!(lab.last(&mut client, ops), err::OPENMODE);
    let mut other = lab.client(1, b"two");
    lab.open(&mut other, &Open { access: 2, ..Open::new("f") }).unwrap();
}

/// RFC 8881 section 18.22.3: the end of the file is reported; nothing is read after it, and nothing where nothing is asked
/// for.
#[test]
fn data_is_read() {
    let (mut lab, mut client) = Lab::with_client();
    lab.file("f", b"12345");
    for (offset, count, eof, data) in [
        (0, 5, true, &b"12345"[..]),
        (0, 4, false, b"1234"),
        (3, 100, true, b"45"),
        (5, 1, true, b""),
        (u64::MAX, 1, true, b""),
    ] {
        let ops = at(&["f"]).then(read(Stateid::ANONYMOUS, offset, count));
        let mut reply = lab.run(&mut client, ops);
        reply.ok(op::PUTROOTFH).ok(op::LOOKUP).ok(op::READ);
        assert_eq!((reply.bool(), reply.opaque().as_slice()), (eof, data), "{offset} {count}");
        reply.end();
    }
    let nothing = at(&["f"]).then(read(Stateid::ANONYMOUS, 0, 0));
    assert_eq!(lab.last(&mut client, nothing), err::OK);
    let folder = at(&[]).then(read(Stateid::ANONYMOUS, 0, 1));
    assert_eq!(lab.last(&mut client, folder), err::ISDIR);
    std::os::unix::fs::symlink("f", lab.path("l")).unwrap();
    for ops in [read(Stateid::ANONYMOUS, 0, 1), write(Stateid::ANONYMOUS, 0, 2, b"x")] {
        assert_eq!(lab.last(&mut client, at(&["l"]).then(ops)), err::SYMLINK);
    }
}

/// RFC 8881 section 18.32.3: no less stable than asked for; the verifier stays as long as the server does, and is
/// COMMIT's as well (section 18.3.3).
#[test]
fn data_is_written() {
    let (mut lab, mut client) = Lab::with_client();
    let opened = lab.open(&mut client, &create(How::Guarded)).unwrap();
    let mut verifiers = Vec::new();
    for (stable, data) in [(0, &b"abc"[..]), (1, b"defg"), (2, b"h"), (0, b"")] {
        let ops = put(&opened.handle).then(write(opened.stateid, 3, stable, data));
        let mut reply = lab.run(&mut client, ops);
        assert_eq!(reply.ok(op::PUTFH).ok(op::WRITE).word(), data.len() as u32);
        let committed = reply.word();
        assert!((stable..=2).contains(&committed), "{committed} for {stable}");
        verifiers.push(reply.raw::<8>());
        reply.end();
    }
    for (offset, count) in [(0, 0), (3, 4), (100, 0)] {
        let ops = put(&opened.handle).op(op::COMMIT).long(offset).word(count);
        let mut reply = lab.run(&mut client, ops);
        verifiers.push(reply.ok(op::PUTFH).ok(op::COMMIT).raw::<8>());
        reply.end();
    }
    verifiers.dedup();
    assert_eq!(verifiers.len(), 1);
    assert_eq!(std::fs::read(lab.path("f")).unwrap(), b"\0\0\0hefg");
    let folder = at(&[]).then(write(Stateid::ANONYMOUS, 0, 2, b"x"));
    assert_eq!(lab.last(&mut client, folder), err::ISDIR);
    let folder = at(&[]).op(op::COMMIT).long(0).word(0);
    assert_eq!(lab.last(&mut client, folder), err::ISDIR);
}

/// RFC 8881 section 18.32.3 and 9.1.2: an open that only reads does not write; one that only writes may read (a server
/// may let it).
#[test]
fn data_goes_as_the_file_was_opened() {
    let (mut lab, mut client) = Lab::with_client();
    lab.file("f", b"data");
    let reads = lab.open(&mut client, &Open { access: 1, ..Open::new("f") }).unwrap();
    let ops = put(&reads.handle).then(write(reads.stateid, 0, 2, b"x"));
    assert_eq!(lab.last(&mut client, ops), err::OPENMODE);
    let open = Open { access: 2, owner: b"p", ..Open::new("f") };
    let writes = lab.open(&mut client, &open).unwrap();
    let ops = put(&reads.handle).then(read(writes.stateid, 0, 1));
    let status = lab.last(&mut client, ops);
    assert!([err::OK, err::OPENMODE].contains(&status), "{status}");
}

/// RFC 8881 section 18.25.4: a name of an open file is removed, or NFS4ERR_FILE_OPEN; what denies reading and writing
/// need not keep the name.
#[test]
fn an_open_file_is_removed() {
    let (mut lab, mut client) = Lab::with_client();
    lab.file("f", b"data");
    let opened = lab.open_both(&mut client, "f");
    let status = lab.last(&mut client, at(&[]).op(op::REMOVE).opaque(b"f"));
    assert!([err::OK, err::FILE_OPEN].contains(&status), "{status}");
    let ops = put(&opened.handle).then(read(opened.stateid, 0, 4));
    let status = lab.run(&mut client, ops).status;
    // OPEN4_RESULT_PRESERVE_UNLINKED is a promise.
    assert!(status == err::OK || opened.flags & 8 == 0, "{status}");
    assert!([err::OK, err::STALE].contains(&status), "{status}");
}
