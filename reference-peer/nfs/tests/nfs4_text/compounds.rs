//! COMPOUND itself, and operations that are not there (RFC 8881 section 16.2).

use crate::prelude::*;

/// RFC 8881 section 16.2.3: a minor version that is not there has no results, whatever the operations are.
#[test]
fn minor_versions_that_are_not_there() {
    let mut lab = Lab::new();
    for minor in [0, 3, 4, u32::MAX] {
        let mut reply = lab.compound(minor, &Ops::default().op(2).words(&[1, 2, 3]));
        assert_eq!((reply.status, reply.count), (err::MINOR_VERS_MISMATCH, 0));
        reply.end();
        reply = lab.compound(minor, &Ops::default());
        assert_eq!((reply.status, reply.count), (err::MINOR_VERS_MISMATCH, 0));
    }
}

/// RFC 8881 section 16.2.3: a COMPOUND of nothing succeeds, and the tag comes back.
#[test]
fn a_tag_comes_back() {
    let (mut lab, mut client) = Lab::with_client();
    client.sequence += 1;
    for tag in [&b"a tag"[..], b"", "z\u{e4}hler".as_bytes()] {
        let reply = lab.tagged(tag, &client.sequence(0, client.sequence, 0, true));
        assert_eq!((reply.status, reply.tag.as_slice()), (err::OK, tag));
        client.sequence += 1;
    }
    let reply = lab.tagged(b"none", &Ops::default());
    assert_eq!((reply.status, reply.count, reply.tag.as_slice()), (err::OK, 0, &b"none"[..]));
}

/// RFC 8881 section 16.2.3, 18.52.3: a number of no operation has the result OP_ILLEGAL and its error, and nothing
/// after it is done. The numbers of 4.2 are none in 4.1 (section 2.7: as illegal as others).
#[test]
fn illegal_operations() {
    let (mut lab, mut client) = Lab::with_client();
    for number in [0, 1, 2, 59, 69, 72, 76, 9999, 10044, 10045, u32::MAX] {
        let reply = lab.run(&mut client, Ops::default().op(number).op(op::PUTROOTFH));
        illegal(reply, number);
    }
    let mut client = lab.client(2, b"two");
    for number in [0, 2, 76, 77, u32::MAX] {
        let reply = lab.run(&mut client, Ops::default().op(number).op(op::PUTROOTFH));
        illegal(reply, number);
    }
}

fn illegal(mut reply: Reply, number: u32) {
    assert_eq!((reply.status, reply.count), (err::OP_ILLEGAL, 2), "{number}");
    assert_eq!(reply.result(op::ILLEGAL), err::OP_ILLEGAL);
    reply.end();
}

/// RFC 8881 section 16.2.3: outside a session too.
#[test]
fn an_illegal_operation_outside_a_session() {
    let mut lab = Lab::new();
    let mut reply = lab.compound(1, &Ops::default().op(9999));
    // The rule of section 18.46.3 for the first operation fits as well.
    assert!([err::OP_ILLEGAL, err::OP_NOT_IN_SESSION].contains(&reply.status));
    if reply.status == err::OP_ILLEGAL {
        assert_eq!(reply.result(op::ILLEGAL), err::OP_ILLEGAL);
        reply.end();
    }
}

/// RFC 8881 section 17: OPEN_CONFIRM, RENEW, SETCLIENTID, SETCLIENTID_CONFIRM and RELEASE_LOCKOWNER must not be
/// implemented, and are NFS4ERR_NOTSUPP (section 2.7, rule on operations that a minor version takes away).
#[test]
fn operations_of_4_0_are_not_supported() {
    let (mut lab, mut client) = Lab::with_client();
    let stateid = || Ops::default().op(20).stateid(Stateid::ANONYMOUS).word(0);
    for ops in [
        stateid(),
        Ops::default().op(30).long(client.id),
        Ops::default().op(35).long(1).opaque(b"o").word(1).opaque(b"tcp").opaque(b"0").word(1),
        Ops::default().op(36).long(client.id).long(1),
        Ops::default().op(39).long(client.id).opaque(b"o"),
    ] {
        let ops = Ops::default().op(op::PUTROOTFH).then(ops);
        assert_eq!(lab.last(&mut client, ops), err::NOTSUPP);
    }
}

/// RFC 8881 section 17: what is for pNFS and directory delegations is optional: NFS4ERR_NOTSUPP if it is not there.
#[test]
fn optional_operations_are_not_supported() {
    let (mut lab, mut client) = Lab::with_client();
    let layout = |ops: Ops| ops.long(0).long(TO_END);
    let root = || Ops::default().op(op::PUTROOTFH);
    for ops in [
        root().op(46).word(0).bitmap(&[]).words(&[0; 6]).bitmap(&[]).bitmap(&[]),
        root().op(47).raw(&[0; 16]).words(&[1, 4096]).bitmap(&[]),
        root().op(48).words(&[1, 10]).long(0).long(0),
        layout(root().op(50).words(&[0, 1, 1])).long(0).stateid(Stateid::ANONYMOUS).word(4096),
        root().op(56).words(&[0x100, 0]),
    ] {
        assert_eq!(lab.last(&mut client, ops), err::NOTSUPP);
    }
}

/// RFC 8881 section 16.2.3.1.1: operations that need a current or saved file handle and have none.
#[test]
fn file_handles_are_needed() {
    let (mut lab, mut client) = Lab::with_client();
    for ops in [
        Ops::default().op(op::GETFH),
        getattr(Ops::default(), &[attr::TYPE]),
        Ops::default().op(op::LOOKUP).opaque(b"f"),
        Ops::default().op(op::LOOKUPP),
        Ops::default().op(op::SAVEFH),
        Ops::default().op(op::ACCESS).word(1),
        Ops::default().op(op::REMOVE).opaque(b"f"),
        Open::new("f").ops(),
        read(Stateid::ANONYMOUS, 0, 1),
        at(&[]).op(op::RENAME).opaque(b"a").opaque(b"b"),
        at(&[]).op(op::LINK).opaque(b"a"),
    ] {
        assert_eq!(lab.last(&mut client, ops), err::NOFILEHANDLE);
    }
    // Section 18.27.3: nothing was saved. Section 15.2 has both errors for RESTOREFH.
    let status = lab.last(&mut client, Ops::default().op(op::RESTOREFH));
    assert!([err::RESTOREFH, err::NOFILEHANDLE].contains(&status), "{status}");
}

/// RFC 8881 section 18.19.4: a file handle that is none. Section 4.2.2: one of a file that is gone.
#[test]
fn wrong_file_handles() {
    let (mut lab, mut client) = Lab::with_client();
    for wrong in [&b""[..], b"none", &[0xff; 128]] {
        let status = lab.last(&mut client, put(wrong));
        assert!([err::BADHANDLE, err::STALE].contains(&status), "{status}");
    }
    lab.file("f", b"");
    let handle = lab.handle(&mut client, &["f"]);
    std::fs::remove_file(lab.path("f")).unwrap();
    let mut reply = lab.run(&mut client, getattr(put(&handle), &[attr::TYPE]));
    if reply.result(op::PUTFH) == err::OK {
        assert_eq!(reply.result(op::GETATTR), err::STALE);
    } else {
        assert_eq!(reply.status, err::STALE);
    }
}

/// RFC 8881 section 16.2.3: arguments that end too soon: an error of RPC (GARBAGE_ARGS), or NFS4ERR_BADXDR.
#[test]
fn arguments_that_cannot_be_read() {
    let (mut lab, client) = Lab::with_client();
    let mut ops = client.sequence(1, 1, 1, true).op(op::PUTFH).word(50);
    ops = ops.raw(&[0; 8]);
    let bytes = lab.bytes(1, b"", &ops);
    let word = |at: usize| u32::from_be_bytes(*bytes[at..].first_chunk().unwrap());
    assert!(word(20) == 4 || (word(20) == 0 && word(24) == err::BADXDR), "{bytes:?}");
}

/// RFC 8881 section 16.2.3.1.1: SAVEFH and RESTOREFH keep what the current file handle was.
#[test]
fn a_file_handle_is_saved() {
    let (mut lab, mut client) = Lab::with_client();
    std::fs::create_dir(lab.path("d")).unwrap();
    let directory = lab.handle(&mut client, &["d"]);
    let ops = at(&["d"]).op(op::SAVEFH).op(op::LOOKUPP).op(op::RESTOREFH).op(op::GETFH);
    let mut reply = lab.run(&mut client, ops);
    for number in [op::PUTROOTFH, op::LOOKUP, op::SAVEFH, op::LOOKUPP, op::RESTOREFH] {
        reply.ok(number);
    }
    assert_eq!(reply.ok(op::GETFH).opaque(), directory);
    reply.end();
}
