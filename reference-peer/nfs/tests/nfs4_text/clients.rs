//! Client IDs and sessions: EXCHANGE_ID, CREATE_SESSION, DESTROY_SESSION, DESTROY_CLIENTID,
//! BIND_CONN_TO_SESSION, RECLAIM_COMPLETE.

use crate::prelude::*;

const UPDATE: u32 = 0x4000_0000;
const CONFIRMED: u32 = 0x8000_0000;
/// Roles in pNFS: none, metadata, data.
const ROLES: u32 = 0x0007_0000;

/// Client ID, sequence ID and flags of an EXCHANGE_ID, or its error.
fn exchanged(lab: &mut Lab, ops: &Ops) -> Result<(u64, u32, u32), u32> {
    let mut reply = lab.compound(1, ops);
    match reply.result(op::EXCHANGE_ID) {
        0 => {}
        status => {
            reply.end();
            return Err(status);
        }
    }
    let found = (reply.long(), reply.word(), reply.word());
    assert_eq!(reply.word(), 0, "SP4_NONE");
    reply.long();
    assert!(reply.opaque().len() <= 1024, "so_major_id");
    assert!(reply.opaque().len() <= 1024, "the scope");
    if reply.word() == 1 {
        assert!(!reply.opaque().is_empty(), "the domain");
        reply.opaque();
        reply.raw::<12>();
    }
    reply.end();
    Ok(found)
}

/// RFC 8881 section 18.35.4 item 1: a new owner gets an ID that is not confirmed. Section 13.1: the flags name a role
/// in pNFS, and that of no metadata server excludes that of one.
#[test]
fn a_new_owner_gets_an_unconfirmed_id() {
    let mut lab = Lab::new();
    let (_, _, flags) = exchanged(&mut lab, &exchange_id(b"one", 1, 0)).unwrap();
    assert_eq!(flags & (CONFIRMED | UPDATE), 0);
    assert!([1, 2, 4, 5, 6].contains(&((flags & ROLES) >> 16)), "{flags:#x}");
}

/// RFC 8881 section 18.35.4 item 4: an unconfirmed record is replaced, so the old ID is gone.
#[test]
fn an_unconfirmed_id_is_replaced() {
    let mut lab = Lab::new();
    let (first, sequence) = lab.exchange_id(b"one", 1);
    let (second, _) = lab.exchange_id(b"one", 1);
    assert_ne!(first, second);
    let reply = lab.compound(1, &create_session(first, sequence));
    assert_eq!(reply.status, err::STALE_CLIENTID);
}

/// RFC 8881 section 18.35.4 item 2: a confirmed client that asks again gets the same ID, which is said to be
/// confirmed. Section 18.35.3: so that it knows. Its state stays.
#[test]
fn a_confirmed_client_gets_its_id_again() {
    let (mut lab, mut client) = Lab::with_client();
    let (id, _, flags) = exchanged(&mut lab, &exchange_id(b"one", 1, 0)).unwrap();
    assert_eq!(id, client.id);
    assert_ne!(flags & CONFIRMED, 0);
    assert_eq!(lab.last(&mut client, at(&[])), err::OK);
}

/// RFC 8881 section 18.35.4 item 5: a new verifier is a restart. Until the new ID is confirmed the old one goes on;
/// then its sessions and share reservations are gone.
#[test]
fn a_restarted_client_loses_its_state_once_confirmed() {
    let (mut lab, mut client) = Lab::with_client();
    lab.file("f", b"");
    let open = Open { deny: 3, ..Open::new("f") };
    lab.open(&mut client, &open).unwrap();
    let (id, sequence, flags) = exchanged(&mut lab, &exchange_id(b"one", 2, 0)).unwrap();
    assert_ne!(id, client.id);
    assert_eq!(flags & CONFIRMED, 0);
    assert_eq!(lab.last(&mut client, at(&["f"])), err::OK, "the old incarnation goes on");
    let mut other = lab.client(1, b"two");
    assert_eq!(lab.open(&mut other, &open).unwrap_err(), err::SHARE_DENIED);
    lab.session(1, id, sequence);
    let reply = lab.compound(1, &client.sequence(0, client.sequence + 1, 0, false));
    assert_eq!(reply.status, err::BADSESSION);
    lab.open(&mut other, &open).unwrap();
}

/// RFC 8881 section 18.35.4 items 6 to 8: an update of what is confirmed; of nothing; with another verifier.
#[test]
fn an_update_needs_the_confirmed_record() {
    let mut lab = Lab::new();
    let update = |verifier| exchange_id(b"one", verifier, UPDATE);
    assert_eq!(exchanged(&mut lab, &update(1)), Err(err::NOENT));
    let (id, sequence) = lab.exchange_id(b"one", 1);
    assert_eq!(exchanged(&mut lab, &update(1)), Err(err::NOENT), "it is not confirmed");
    lab.session(1, id, sequence);
    assert_eq!(exchanged(&mut lab, &update(2)), Err(err::NOT_SAME));
    let (same, _, flags) = exchanged(&mut lab, &update(1)).unwrap();
    assert_eq!((same, flags & (CONFIRMED | UPDATE)), (id, CONFIRMED));
}

/// RFC 8881 section 18.35.3: a flag that is not defined is NFS4ERR_INVAL, and so is that of results.
#[test]
fn undefined_flags_are_invalid() {
    let mut lab = Lab::new();
    for flag in [2 << 2, 0x0008_0000, 0x2000_0000, CONFIRMED] {
        let found = exchanged(&mut lab, &exchange_id(b"one", 1, flag));
        assert_eq!(found, Err(err::INVAL), "{flag:#x}");
    }
}

/// RFC 8881 section 18.35.3: outside a session it is the only operation.
#[test]
fn what_makes_sessions_stands_alone() {
    let (mut lab, client) = Lab::with_client();
    let rest = || Ops::default().op(op::PUTROOTFH);
    let bind = Ops::default().op(op::BIND_CONN_TO_SESSION).raw(&client.session).words(&[3, 0]);
    for ops in [
        exchange_id(b"two", 1, 0),
        create_session(client.id, client.create + 1),
        Ops::default().op(op::DESTROY_SESSION).raw(&client.session),
        Ops::default().op(op::DESTROY_CLIENTID).long(client.id),
        bind,
    ] {
        let reply = lab.compound(1, &ops.then(rest()));
        assert_eq!((reply.status, reply.count), (err::NOT_ONLY_OP, 1));
    }
    let mut client = client;
    assert_eq!(lab.last(&mut client, at(&[])), err::OK, "the session is not destroyed");
}

/// RFC 8881 section 18.36.3: the sequence ID comes back, nothing is above what the client offered, and the back
/// channel's operations and requests are as offered; no flag that was not asked for is set.
#[test]
fn a_session_is_no_more_than_was_asked_for() {
    let mut lab = Lab::new();
    let (id, sequence) = lab.exchange_id(b"one", 1);
    let mut reply = lab.compound(1, &create_session(id, sequence));
    reply.ok(op::CREATE_SESSION).raw::<16>();
    assert_eq!(reply.word(), sequence);
    assert_eq!(reply.word(), 0, "flags");
    let channel = |reply: &mut Reply| -> Channel { std::array::from_fn(|_| reply.word()) };
    let (fore, back) = (channel(&mut reply), channel(&mut reply));
    reply.end();
    assert!((0..4).all(|at| fore[at] <= CHANNEL[at]), "{fore:?}");
    assert!(fore[4] > 0 && fore[5] > 0 && fore[6] == 0, "{fore:?}");
    assert!(back[1] <= 4096 && back[2] <= 4096 && back[3] == 0, "{back:?}");
    assert_eq!((back[4], back[5]), (2, 1));
}

/// RFC 8881 section 18.36.4 phase 2: a replay gets the same result again; what is two ahead or behind is misordered;
/// the next is another session of the client.
#[test]
fn sessions_are_made_in_order() {
    let mut lab = Lab::new();
    let (id, sequence) = lab.exchange_id(b"one", 1);
    let early = lab.compound(1, &create_session(id, sequence.wrapping_sub(1)));
    assert_eq!(early.status, err::SEQ_MISORDERED, "the contrived result of the slot");
    let late = lab.compound(1, &create_session(id, sequence.wrapping_add(1)));
    assert_eq!(late.status, err::SEQ_MISORDERED);
    let first = lab.compound(1, &create_session(id, sequence));
    assert_eq!(first.status, err::OK);
    let again = lab.compound(1, &create_session(id, sequence));
    assert_eq!(again.results(), first.results());
    for wrong in [sequence.wrapping_add(2), sequence.wrapping_sub(1)] {
        let reply = lab.compound(1, &create_session(id, wrong));
        assert_eq!(reply.status, err::SEQ_MISORDERED, "{wrong} after {sequence}");
    }
    let next = lab.compound(1, &create_session(id, sequence.wrapping_add(1)));
    assert_eq!(next.status, err::OK);
    assert_ne!(next.results()[40..56], first.results()[40..56], "another session");
}

/// RFC 8881 section 18.36.4 phase 1: an ID that nobody has. Section 18.36.3: room for no reply at all is too small.
#[test]
fn a_session_needs_a_client_id_and_room() {
    let mut lab = Lab::new();
    let (id, sequence) = lab.exchange_id(b"one", 1);
    let reply = lab.compound(1, &create_session(id ^ 1 << 40, sequence));
    assert_eq!(reply.status, err::STALE_CLIENTID);
    let small = [0, 1 << 20, 16, 0, 16, 4, 0];
    let reply = lab.compound(1, &create_session_with(id, sequence, 0, small));
    // A SHOULD: a server may make the session too, and then never be able to answer.
    assert!([err::TOOSMALL, err::OK].contains(&reply.status), "{}", reply.status);
}

/// RFC 8881 section 18.36.3: a server without a persistent cache of replies does not say that it has one.
#[test]
fn a_session_is_not_persistent() {
    let mut lab = Lab::new();
    let (id, sequence) = lab.exchange_id(b"one", 1);
    let mut reply = lab.compound(1, &create_session_with(id, sequence, 1, CHANNEL));
    reply.ok(op::CREATE_SESSION).raw::<20>();
    assert_eq!(reply.word() & 1, 0);
}

/// RFC 8881 section 18.37.3: a session ends with its last operation, and locks do not end with it.
#[test]
fn a_destroyed_session_leaves_the_opens() {
    let (mut lab, mut client) = Lab::with_client();
    lab.file("f", b"data");
    let opened = lab.open_both(&mut client, "f");
    let mut second = lab.session(1, client.id, client.create + 1);
    let destroy = Ops::default().op(op::DESTROY_SESSION).raw(&client.session);
    assert_eq!(lab.last(&mut client, destroy), err::OK);
    let reply = lab.compound(1, &client.sequence(0, client.sequence + 1, 0, false));
    assert_eq!(reply.status, err::BADSESSION);
    let ops = put(&opened.handle).then(read(opened.stateid, 0, 4));
    assert_eq!(lab.last(&mut second, ops), err::OK);
    let unknown = Ops::default().op(op::DESTROY_SESSION).raw(&client.session);
    let reply = lab.compound(1, &unknown);
    assert_eq!((reply.status, reply.count), (err::BADSESSION, 1));
}

/// RFC 8881 section 18.37.3: DESTROY_SESSION of the session of its own SEQUENCE is the last operation. Which error it is
/// if not, the text does not say; NFS4ERR_NOT_ONLY_OP is the only one of its errors (section 15.2) that fits.
#[test]
fn a_session_is_destroyed_at_the_end_only() {
    let (mut lab, mut client) = Lab::with_client();
    let destroy = Ops::default().op(op::DESTROY_SESSION).raw(&client.session);
    let reply = lab.run(&mut client, destroy.op(op::PUTROOTFH));
    assert_ne!(reply.status, err::OK);
    assert_eq!(reply.count, 2);
}

/// RFC 8881 section 18.50.3: a client ID with a session is busy, also for itself; one without ends.
#[test]
fn a_client_id_with_sessions_is_busy() {
    let (mut lab, mut client) = Lab::with_client();
    let destroy = || Ops::default().op(op::DESTROY_CLIENTID);
    let alone = destroy().long(client.id);
    assert_eq!(lab.compound(1, &alone).status, err::CLIENTID_BUSY);
    assert_eq!(lab.last(&mut client, alone.clone()), err::CLIENTID_BUSY);
    let mut other = lab.client(1, b"two");
    assert_eq!(lab.last(&mut other, alone.clone()), err::CLIENTID_BUSY);
    let session = Ops::default().op(op::DESTROY_SESSION).raw(&client.session);
    assert_eq!(lab.compound(1, &session).status, err::OK);
    assert_eq!(lab.last(&mut other, alone.clone()), err::OK, "in a session of another client");
    assert_eq!(lab.compound(1, &alone).status, err::STALE_CLIENTID);
    let reply = lab.compound(1, &create_session(client.id, client.create + 1));
    assert_eq!(reply.status, err::STALE_CLIENTID);
}

/// RFC 8881 section 18.50.3: opens make a client ID busy too, when its session is gone.
#[test]
fn a_client_id_with_opens_is_busy() {
    let (mut lab, mut client) = Lab::with_client();
    lab.file("f", b"");
    lab.open_both(&mut client, "f");
    let session = Ops::default().op(op::DESTROY_SESSION).raw(&client.session);
    assert_eq!(lab.compound(1, &session).status, err::OK);
    let destroy = Ops::default().op(op::DESTROY_CLIENTID).long(client.id);
    assert_eq!(lab.compound(1, &destroy).status, err::CLIENTID_BUSY);
}

/// RFC 8881 section 18.34.3: the session and the direction come back, with a direction that was asked for; CDFC4_FORE
/// gets the fore channel. A session that is none is NFS4ERR_BADSESSION.
#[test]
fn a_connection_is_bound_to_a_session() {
    let (mut lab, client) = Lab::with_client();
    let bind = |session: [u8; 16], direction| {
        Ops::default().op(op::BIND_CONN_TO_SESSION).raw(&session).words(&[direction, 0])
    };
    // Which directions may be granted for one that is asked for: fore 1, back 2, both 3; asked fore or both 3, back or
    // both 7.
    for (asked, granted) in [(1, &[1][..]), (3, &[1, 3]), (7, &[2, 3])] {
        let mut reply = lab.compound(1, &bind(client.session, asked));
        if asked == 7 && reply.status != err::OK {
            // No back channel can be had here: an error, which the text does not name.
            continue;
        }
        assert_eq!(reply.ok(op::BIND_CONN_TO_SESSION).raw(), client.session);
        let direction = reply.word();
        assert!(granted.contains(&direction), "{direction} for {asked}");
        assert!(!reply.bool(), "no step up to RDMA that nobody asked for");
        reply.end();
    }
    assert_eq!(lab.compound(1, &bind([7; 16], 1)).status, err::BADSESSION);
    // On a connection that cannot be called back on, only the fore channel is left.
    lab.no_back_channel = true;
    for (asked, expected) in [(1, true), (2, false), (3, true), (7, false)] {
        let mut reply = lab.compound(1, &bind(client.session, asked));
        assert_eq!(reply.status == err::OK, expected, "{asked}");
        if expected {
            reply.ok(op::BIND_CONN_TO_SESSION).raw::<16>();
            assert_eq!(reply.word(), 1);
        }
    }
}

/// RFC 8881 section 18.34.3: in a session BIND_CONN_TO_SESSION has no place.
#[test]
fn a_connection_is_not_bound_within_a_session() {
    let (mut lab, mut client) = Lab::with_client();
    let bind = Ops::default().op(op::BIND_CONN_TO_SESSION).raw(&client.session).words(&[1, 0]);
    assert_eq!(lab.last(&mut client, bind), err::NOT_ONLY_OP);
}

/// RFC 8881 section 18.51.3: opens wait for RECLAIM_COMPLETE, and reclaims come before it. Section 18.51.4: it is
/// done once.
#[test]
fn reclaims_are_complete_once() {
    let mut lab = Lab::new();
    lab.file("f", b"");
    let (id, sequence) = lab.exchange_id(b"one", 1);
    let mut client = lab.session(1, id, sequence);
    for open in [Open::new("f"), Open { how: How::Unchecked(None), ..Open::new("new") }] {
        assert_eq!(lab.open(&mut client, &open).unwrap_err(), err::GRACE);
    }
    let complete = |one| Ops::default().op(op::RECLAIM_COMPLETE).word(one);
    // For one file system the current file handle is needed, and nothing is said of the others.
    assert_eq!(lab.last(&mut client, complete(1)), err::NOFILEHANDLE);
    assert_eq!(lab.last(&mut client, at(&[]).then(complete(1))), err::OK);
    assert_eq!(lab.last(&mut client, complete(0)), err::OK);
    assert_eq!(lab.last(&mut client, complete(0)), err::COMPLETE_ALREADY);
    lab.open(&mut client, &Open::new("f")).unwrap();
    // CLAIM_PREVIOUS of a file, without a delegation.
    let reclaim = Open { name: None, ..Open::new("") }.ops();
    let mut reclaim = at(&["f"]).then(reclaim);
    reclaim.bytes.truncate(reclaim.bytes.len() - 4);
    assert_eq!(lab.last(&mut client, reclaim.words(&[1, 0])), err::NO_GRACE);
}
