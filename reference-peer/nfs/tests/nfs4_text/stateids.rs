//! The rules on stateids (RFC 8881 section 8.2), and TEST_STATEID and FREE_STATEID.

use crate::prelude::*;

/// RFC 8881 section 8.2.2: the first seqid is one; zero stands for the newest; lower is old, higher is bad.
#[test]
fn seqids_tell_old_from_bad() {
    let (mut lab, mut client) = Lab::with_client();
    lab.file("f", b"data");
    let first = lab.open(&mut client, &Open { access: 1, ..Open::new("f") }).unwrap();
    assert_eq!(first.stateid.seqid, 1);
    let second = lab.open_both(&mut client, "f");
    // Section 18.16.3: the same owner has one stateid, whose seqid goes on.
    assert_eq!(second.stateid, first.stateid.at(2));
    let ask = |seqid| put(&first.handle).then(read(first.stateid.at(seqid), 0, 4));
    for (seqid, expected) in
        [(0, err::OK), (2, err::OK), (1, err::OLD_STATEID), (3, err::BAD_STATEID)]
    {
        assert_eq!(lab.last(&mut client, ask(seqid)), expected, "{seqid}");
    }
    for (seqid, expected) in [(1, err::OLD_STATEID), (3, err::BAD_STATEID), (2, err::OK)] {
        let ops = put(&first.handle).then(close(first.stateid.at(seqid)));
        assert_eq!(lab.last(&mut client, ops), expected, "{seqid}");
    }
    assert_eq!(lab.last(&mut client, ask(0)), err::BAD_STATEID, "it is closed");
    let newest = lab.open_both(&mut client, "f").stateid.at(0);
    for expected in [err::OK, err::BAD_STATEID] {
        let ops = put(&first.handle).then(close(newest));
        assert_eq!(lab.last(&mut client, ops), expected);
    }
}

/// RFC 8881 section 8.2.3: the stateids that are special; all others with zeros or ones are bad.
#[test]
fn special_stateids() {
    let (mut lab, mut client) = Lab::with_client();
    lab.file("f", b"data");
    let special = |seqid, byte| Stateid { seqid, other: [byte; 12] };
    for (stateid, expected) in [
        (Stateid::ANONYMOUS, err::OK),
        (Stateid::BYPASS, err::OK),
        (special(u32::MAX, 0), err::BAD_STATEID),
        (special(2, 0), err::BAD_STATEID),
        (special(0, 0xff), err::BAD_STATEID),
        (special(1, 0xff), err::BAD_STATEID),
        (special(1, 0x5a), err::BAD_STATEID),
        // Section 16.2.3.1.2, figure 6: LOOKUP leaves the anonymous one, which is not taken for current.
        (Stateid::CURRENT, err::BAD_STATEID),
    ] {
        let status = lab.last(&mut client, at(&["f"]).then(read(stateid, 0, 4)));
        assert_eq!(status, expected, "READ by {stateid:?}");
        let status = lab.last(&mut client, at(&["f"]).then(write(stateid, 0, 2, b"data")));
        assert_eq!(status, expected, "WRITE by {stateid:?}");
        let status = lab.last(&mut client, at(&["f"]).then(close(stateid)));
        assert_eq!(status, err::BAD_STATEID, "CLOSE by {stateid:?}");
        let ops = at(&["f"]).then(first_lock(stateid, b"l", READ_LT, 0, 1));
        assert_eq!(lab.last(&mut client, ops), err::BAD_STATEID, "LOCK by {stateid:?}");
    }
}

/// RFC 8881 section 8.2.3: what an open denies is denied to the anonymous stateid too.
#[test]
fn the_anonymous_stateid_is_denied() {
    let (mut lab, mut client) = Lab::with_client();
    lab.file("f", b"data");
    lab.open(&mut client, &Open { deny: 3, ..Open::new("f") }).unwrap();
    let denied = [err::LOCKED, err::SHARE_DENIED];
    let status = lab.last(&mut client, at(&["f"]).then(read(Stateid::ANONYMOUS, 0, 4)));
    assert!(denied.contains(&status), "{status}");
    for stateid in [Stateid::ANONYMOUS, Stateid::BYPASS] {
        let status = lab.last(&mut client, at(&["f"]).then(write(stateid, 0, 2, b"x")));
        assert!(denied.contains(&status), "{status} for {stateid:?}");
    }
    // A server may let the other one read.
    let status = lab.last(&mut client, at(&["f"]).then(read(Stateid::BYPASS, 0, 4)));
    assert!(status == err::OK || denied.contains(&status), "{status}");
}

/// RFC 8881 section 16.2.3.1.2, figure 4 and 5: the current stateid goes from operation to operation, and is saved and
/// restored with the file handle.
#[test]
fn the_current_stateid_goes_on() {
    let (mut lab, mut client) = Lab::with_client();
    lab.file("f", b"data");
    let open = Ops::default().op(op::PUTROOTFH).then(Open::new("f").ops());
    let ops = open.clone().then(read(Stateid::CURRENT, 0, 4)).then(close(Stateid::CURRENT));
    assert_eq!(lab.last(&mut client, ops), err::OK);
    let lock = first_lock(Stateid::CURRENT, b"l", WRITE_LT, 0, 4);
    let ops = open.clone().op(op::SAVEFH).then(lock).then(read(Stateid::CURRENT, 0, 4));
    let ops = ops.then(next_lock(Stateid::CURRENT, WRITE_LT, 4, 4));
    let ops = ops.then(unlock(Stateid::CURRENT, 0, 8)).op(op::RESTOREFH);
    let ops = ops.then(read(Stateid::CURRENT, 0, 4)).then(close(Stateid::CURRENT));
    assert_eq!(lab.last(&mut client, ops), err::OK);
    // PUTROOTFH and LOOKUP set it back.
    let ops = open.then(at(&["f"])).then(read(Stateid::CURRENT, 0, 4));
    assert_eq!(lab.last(&mut client, ops), err::BAD_STATEID);
}

/// RFC 8881 section 8.2.4: a stateid is of one file, of one client and of one kind.
#[test]
fn stateids_fit_one_purpose() {
    let (mut lab, mut client) = Lab::with_client();
    lab.file("f", b"data");
    lab.file("g", b"data");
    let opened = lab.open_both(&mut client, "f");
    let stateid = opened.stateid;
    assert_eq!(lab.last(&mut client, at(&["g"]).then(read(stateid, 0, 1))), err::BAD_STATEID);
    assert_eq!(lab.last(&mut client, at(&["g"]).then(close(stateid))), err::BAD_STATEID);
    let mut other = lab.client(1, b"two");
    assert_eq!(lab.last(&mut other, at(&["f"]).then(read(stateid, 0, 1))), err::BAD_STATEID);
    let f = || put(&opened.handle);
    for ops in [f().then(unlock(stateid, 0, 1)), f().then(next_lock(stateid, READ_LT, 0, 1))] {
        assert_eq!(lab.last(&mut client, ops), err::BAD_STATEID);
    }
    let mut reply = lab.run(&mut client, f().then(first_lock(stateid, b"l", WRITE_LT, 0, 1)));
    let lock = reply.ok(op::PUTFH).ok(op::LOCK).stateid();
    assert_ne!(lock.other, stateid.other);
    let downgrade = f().op(op::OPEN_DOWNGRADE).stateid(lock).words(&[0, 1, 0]);
    for ops in [f().then(close(lock)), downgrade] {
        assert_eq!(lab.last(&mut client, ops), err::BAD_STATEID);
    }
}

/// RFC 8881 section 18.48.3: each has the status that it would have, and special ones are always bad.
#[test]
fn stateids_are_tested() {
    let (mut lab, mut client) = Lab::with_client();
    lab.file("f", b"data");
    let first = lab.open(&mut client, &Open { access: 1, ..Open::new("f") }).unwrap().stateid;
    let newest = lab.open_both(&mut client, "f").stateid;
    let asked = [
        (newest, err::OK),
        (newest.at(0), err::OK),
        (first, err::OLD_STATEID),
        (newest.at(3), err::BAD_STATEID),
        (Stateid::ANONYMOUS, err::BAD_STATEID),
        (Stateid::BYPASS, err::BAD_STATEID),
        (Stateid::CURRENT, err::BAD_STATEID),
        (Stateid { seqid: 1, other: [7; 12] }, err::BAD_STATEID),
    ];
    for asked in [&asked[..], &[]] {
        let head = Ops::default().op(op::TEST_STATEID).word(asked.len() as u32);
        let ops = asked.iter().fold(head, |ops, (stateid, _)| ops.stateid(*stateid));
        let mut reply = lab.run(&mut client, ops);
        assert_eq!(reply.ok(op::TEST_STATEID).word(), asked.len() as u32);
        for (stateid, expected) in asked {
            assert_eq!(reply.word(), *expected, "{stateid:?}");
        }
        reply.end();
    }
}

/// RFC 8881 section 18.38.3: what holds locks is not freed; what is free is bad from then on. Section 8.2.4: a lock
/// stateid stays until then, even without locks.
#[test]
fn stateids_are_freed() {
    let (mut lab, mut client) = Lab::with_client();
    lab.file("f", b"data");
    let opened = lab.open_both(&mut client, "f");
    let f = || put(&opened.handle);
    let free = |stateid| Ops::default().op(op::FREE_STATEID).stateid(stateid);
    assert_eq!(lab.last(&mut client, free(opened.stateid)), err::LOCKS_HELD);
    let lock = f().then(first_lock(opened.stateid, b"l", WRITE_LT, 0, 1));
    let lock = lab.run(&mut client, lock).ok(op::PUTFH).ok(op::LOCK).stateid();
    assert_eq!(lab.last(&mut client, free(lock)), err::LOCKS_HELD);
    let mut reply = lab.run(&mut client, f().then(unlock(lock, 0, 1)));
    let lock = reply.ok(op::PUTFH).ok(op::LOCKU).stateid();
    let mut reply = lab.run(&mut client, f().then(next_lock(lock, READ_LT, 0, 1)));
    let lock = reply.ok(op::PUTFH).ok(op::LOCK).stateid();
    let mut reply = lab.run(&mut client, f().then(unlock(lock, 0, 1)));
    let lock = reply.ok(op::PUTFH).ok(op::LOCKU).stateid();
    assert_eq!(lock.seqid, 4);
    assert_eq!(lab.last(&mut client, free(lock.at(3))), err::OLD_STATEID);
    assert_eq!(lab.last(&mut client, free(lock)), err::OK);
    assert_eq!(lab.last(&mut client, free(lock)), err::BAD_STATEID);
    assert_eq!(lab.last(&mut client, free(Stateid::ANONYMOUS)), err::BAD_STATEID);
    let lock = f().then(first_lock(opened.stateid, b"m", READ_LT, 0, 1));
    let lock = lab.run(&mut client, lock).ok(op::PUTFH).ok(op::LOCK).stateid();
    assert_eq!(lab.last(&mut client, f().then(unlock(lock, 0, 1))), err::OK);
    assert_eq!(lab.last(&mut client, free(lock.at(0))), err::OK, "the newest");
}
