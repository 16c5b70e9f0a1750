//! SEQUENCE: slots, the reply cache, sizes (RFC 8881 sections 2.10.6 and 18.46).

use crate::prelude::*;

fn root() -> Ops {
    Ops::default().op(op::PUTROOTFH)
}

/// RFC 8881 section 18.46.3: only some operations begin a COMPOUND. Others are NFS4ERR_OP_NOT_IN_SESSION there.
#[test]
fn most_operations_need_a_session() {
    let mut lab = Lab::new();
    for ops in [
        root(),
        getattr(Ops::default(), &[attr::TYPE]),
        Ops::default().op(op::RECLAIM_COMPLETE).word(0),
        Ops::default().op(op::GETFH),
    ] {
        let number = u32::from_be_bytes(*ops.bytes.first_chunk().unwrap());
        let mut reply = lab.compound(1, &ops);
        assert_eq!((reply.status, reply.count), (err::OP_NOT_IN_SESSION, 1));
        assert_eq!(reply.result(number), err::OP_NOT_IN_SESSION);
        reply.end();
    }
}

/// RFC 8881 section 18.46.3: a SEQUENCE after the first place.
#[test]
fn sequence_comes_first() {
    let (mut lab, mut client) = Lab::with_client();
    let again = client.sequence(1, 1, 1, false);
    assert_eq!(lab.last(&mut client, again), err::SEQUENCE_POS);
    let again = client.sequence(1, 1, 1, false);
    assert_eq!(lab.last(&mut client, root().then(again)), err::SEQUENCE_POS);
    let reply = lab.compound(1, &client.sequence(1, 1, 1, false));
    assert_eq!(reply.status, err::OK, "the slot of the wrong one is as it was");
}

/// RFC 8881 section 18.46.3: session, slot and sequence ID come back; the highest slot is no less than the client said
/// (SHOULD).
#[test]
fn sequence_tells_the_slots() {
    let (mut lab, client) = Lab::with_client();
    let mut reply = lab.compound(1, &client.sequence(1, 1, 3, false));
    reply.ok(op::SEQUENCE);
    assert_eq!(reply.raw(), client.session);
    assert_eq!((reply.word(), reply.word()), (1, 1));
    let (highest, target) = (reply.word(), reply.word());
    assert!(highest >= 3, "{highest}");
    assert!(target <= 0xffff, "{target}");
    reply.word();
    reply.end();
}

/// RFC 8881 section 2.10.6.1: the first sequence ID is one; the same is a retry; what is more than one ahead, or
/// behind, is misordered. Section 2.10.6.1.2: an error leaves the slot as it was.
#[test]
fn slots_go_in_order() {
    let (mut lab, client) = Lab::with_client();
    let mut ask = |sequence| lab.compound(1, &client.sequence(2, sequence, 2, true)).status;
    assert_eq!(ask(0), err::SEQ_MISORDERED, "section 18.36.4: the contrived reply of the slot");
    assert_eq!(ask(2), err::SEQ_MISORDERED);
    assert_eq!(ask(1), err::OK);
    assert_eq!(ask(3), err::SEQ_MISORDERED);
    assert_eq!(ask(0), err::SEQ_MISORDERED);
    assert_eq!(ask(u32::MAX), err::SEQ_MISORDERED);
    assert_eq!(ask(2), err::OK);
    assert_eq!(ask(1), err::SEQ_MISORDERED);
    assert_eq!(ask(2), err::OK, "a retry");
    assert_eq!(ask(3), err::OK);
}

/// RFC 8881 section 15.1.11.3, .11.1: a slot above those of the session; a session that is none.
#[test]
fn slots_and_sessions_that_are_not_there() {
    let (mut lab, client) = Lab::with_client();
    let mut reply = lab.compound(1, &client.sequence(0, client.sequence + 1, 0, false));
    reply.ok(op::SEQUENCE).raw::<24>();
    let beyond = reply.word() + 1;
    let reply = lab.compound(1, &client.sequence(beyond, 1, beyond, false));
    assert!([err::BADSLOT, err::BAD_HIGH_SLOT].contains(&reply.status), "{}", reply.status);
    let reply = lab.compound(1, &client.sequence(u32::MAX, 1, 0, false));
    assert_eq!((reply.status, reply.count), (err::BADSLOT, 1));
    let unknown = Client { session: [9; 16], ..client };
    let reply = lab.compound(1, &unknown.sequence(0, 1, 0, false));
    assert_eq!((reply.status, reply.count), (err::BADSESSION, 1));
}

/// RFC 8881 section 2.10.6: a request is carried out once; with sa_cachethis the retry gets the same results, also
/// when the last one is an error.
#[test]
fn a_retry_gets_the_reply_again() {
    let (mut lab, client) = Lab::with_client();
    lab.file("f", b"");
    let remove = || root().op(op::REMOVE).opaque(b"f");
    let ops = client.sequence(1, 1, 1, true).then(remove());
    let first = lab.compound(1, &ops);
    assert_eq!(first.status, err::OK);
    lab.file("f", b"another");
    let again = lab.compound(1, &ops);
    assert_eq!(again.results(), first.results());
    assert!(lab.path("f").exists(), "it is not removed once more");
    std::fs::remove_file(lab.path("f")).unwrap();
    let ops = client.sequence(1, 2, 1, true).then(remove());
    let first = lab.compound(1, &ops);
    assert_eq!(first.status, err::NOENT);
    lab.file("f", b"another");
    assert_eq!(lab.compound(1, &ops).results(), first.results());
    assert!(lab.path("f").exists());
}

/// RFC 8881 section 2.10.6.1.3: without sa_cachethis a retry gets the reply again, or SEQUENCE's result and
/// NFS4ERR_RETRY_UNCACHED_REP from the second operation. It is not carried out in either case.
#[test]
fn a_retry_of_what_is_not_kept() {
    let (mut lab, client) = Lab::with_client();
    lab.file("f", b"");
    let ops = client.sequence(1, 1, 1, false).then(root().op(op::REMOVE).opaque(b"f"));
    let first = lab.compound(1, &ops);
    assert_eq!(first.status, err::OK);
    lab.file("f", b"another");
    let mut again = lab.compound(1, &ops);
    assert!(lab.path("f").exists());
    if again.results() != first.results() {
        assert_eq!((again.status, again.count), (err::RETRY_UNCACHED_REP, 2));
        again.ok(op::SEQUENCE).raw::<36>();
        assert_eq!(again.result(op::PUTROOTFH), err::RETRY_UNCACHED_REP);
        again.end();
    }
}

/// RFC 8881 section 2.10.6.1.3.1: another request with the same slot and sequence ID is not carried out. It gets the
/// reply to the first, or NFS4ERR_SEQ_FALSE_RETRY, or what is for a reply that is not kept.
#[test]
fn a_false_retry_is_not_carried_out() {
    for cache in [true, false] {
        let (mut lab, client) = Lab::with_client();
        lab.file("f", b"");
        let first = lab.compound(1, &client.sequence(1, 1, 1, cache).then(root()));
        let other = root().op(op::REMOVE).opaque(b"f");
        let again = lab.compound(1, &client.sequence(1, 1, 1, cache).then(other));
        assert!(lab.path("f").exists());
        match again.status {
            err::OK => assert_eq!(again.results(), first.results()),
            err::SEQ_FALSE_RETRY => assert_eq!(again.count, 1),
            status => assert_eq!((status, again.count), (err::RETRY_UNCACHED_REP, 2)),
        }
    }
}

/// RFC 8881 section 2.10.6: the slot and the session are what counts, not the XID and not the tag of another minor
/// version's request.
#[test]
fn a_slot_is_of_one_session() {
    let (mut lab, client) = Lab::with_client();
    let other = lab.session(1, client.id, client.create + 1);
    for (client, sequence) in [(&client, 1), (&other, 1), (&client, 2), (&other, 2)] {
        let reply = lab.compound(1, &client.sequence(1, sequence, 1, true));
        assert_eq!(reply.status, err::OK);
    }
}

/// A client with a session of this fore channel, and what the server made of that.
fn narrow(lab: &mut Lab, asked: Channel) -> (Client, Channel) {
    let (id, create) = lab.exchange_id(b"narrow", 1);
    let mut reply = lab.compound(1, &create_session_with(id, create, 0, asked));
    let session = reply.ok(op::CREATE_SESSION).raw();
    reply.raw::<8>();
    let fore = std::array::from_fn(|_| reply.word());
    (Client { minor: 1, id, session, sequence: 0, create }, fore)
}

/// RFC 8881 section 18.36.3: more operations than ca_maxoperations are NFS4ERR_TOO_MANY_OPS, SEQUENCE among them.
#[test]
fn too_many_operations_are_refused() {
    let mut lab = Lab::new();
    let (client, fore) = narrow(&mut lab, [0, 1 << 20, 1 << 20, 4096, 4, 4, 0]);
    let most = fore[4];
    let ask = |count, sequence| {
        let ops = client.sequence(0, sequence, 0, true);
        (1..count).fold(ops, |ops, _| ops.then(root()))
    };
    let reply = lab.compound(1, &ask(most, 1));
    assert_eq!((reply.status, reply.count), (err::OK, most));
    // By SEQUENCE, whose slot does not move then, or by a later operation.
    let reply = lab.compound(1, &ask(most + 1, 2));
    assert_eq!(reply.status, err::TOO_MANY_OPS);
    if reply.count == 1 {
        assert_eq!(lab.compound(1, &ask(1, 2)).status, err::OK);
    }
}

/// RFC 8881 section 2.10.6.4: a request that is longer than ca_maxrequestsize.
#[test]
fn a_request_may_be_too_big() {
    let mut lab = Lab::new();
    let (client, fore) = narrow(&mut lab, [0, 1024, 1 << 20, 4096, 16, 4, 0]);
    lab.file("f", b"");
    let data = vec![7; fore[1] as usize];
    let ops = client.sequence(0, 1, 0, true).then(at(&["f"]));
    let reply = lab.compound(1, &ops.then(write(Stateid::ANONYMOUS, 0, 2, &data)));
    assert_eq!(reply.status, err::REQ_TOO_BIG);
    assert_eq!(std::fs::read(lab.path("f")).unwrap(), b"");
}

/// RFC 8881 section 2.10.6.4: a reply that would be longer than ca_maxresponsesize, or, if it is to be kept, than
/// ca_maxresponsesize_cached. The latter is kept all the same, where SEQUENCE succeeded.
#[test]
fn a_reply_may_be_too_big() {
    let mut lab = Lab::new();
    let (client, fore) = narrow(&mut lab, [0, 1 << 20, 8192, 1024, 16, 4, 0]);
    assert!(fore[2] <= 8192 && fore[3] <= 1024);
    lab.file("f", &[7; 20_000]);
    lab.file("g", b"");
    let ask = |slot, cache, count| {
        let head = client.sequence(slot, 1, slot, cache).then(root());
        let head = head.op(op::REMOVE).opaque(b"g").op(op::LOOKUP).opaque(b"f");
        head.then(read(Stateid::ANONYMOUS, 0, count))
    };
    let reply = lab.compound(1, &ask(0, true, 2000));
    assert!([err::REP_TOO_BIG_TO_CACHE, err::OK].contains(&reply.status), "{}", reply.status);
    assert!(reply.results().len() + 4 <= 1024, "READ returns no more than fits");
    if reply.count > 1 {
        lab.file("g", b"");
        let again = lab.compound(1, &ask(0, true, 2000));
        assert_eq!(again.results(), reply.results());
        assert!(lab.path("g").exists(), "it is not removed once more");
    }
    lab.file("g", b"");
    // READ may return fewer bytes than asked for (section 18.22.3), so many that they fit.
    let reply = lab.compound(1, &ask(1, false, 20_000));
    assert!(reply.results().len() + 4 <= 8192);
    assert!([err::REP_TOO_BIG, err::OK].contains(&reply.status), "{}", reply.status);
}

/// RFC 8881 section 2.10.6.4: the same of results that cannot be shortened.
#[test]
fn a_reply_may_be_too_big_whatever_it_has() {
    for (cache, error) in [(true, err::REP_TOO_BIG_TO_CACHE), (false, err::REP_TOO_BIG)] {
        let mut lab = Lab::new();
        let most = if cache { 1 << 20 } else { 1024 };
        let (client, fore) = narrow(&mut lab, [0, 1 << 20, most, 1024, 16, 4, 0]);
        let target = "x".repeat(2000);
        std::os::unix::fs::symlink(&target, lab.path("l")).unwrap();
        let ops = client.sequence(0, 1, 0, cache).then(at(&["l"])).op(op::READLINK);
        let reply = lab.compound(1, &ops);
        assert_eq!(reply.status, error, "{fore:?}");
        assert!(reply.results().len() + 4 <= 1024);
    }
}
