//! Calls to clients over the back channel (RFC 8881 sections 2.10.6, 10.4, 20.2). A server need not delegate: a test
//! ends if it does not.

use crate::prelude::*;
use warpscope_nfs::rpc::Answer as _;

/// CREATE_SESSION4_FLAG_CONN_BACK_CHAN (RFC 8881 section 18.36.1).
const BACK_CHANNEL: u32 = 2;

/// A client whose session has the current connection as its back channel.
fn reader(lab: &mut Lab, owner: &[u8]) -> Client {
    let (id, sequence) = lab.exchange_id(owner, 1);
    let mut made = lab.compound(1, &create_session_with(id, sequence, BACK_CHANNEL, CHANNEL));
    let session = made.ok(op::CREATE_SESSION).raw();
    let mut client = Client { minor: 1, id, session, sequence: 0, create: sequence };
    let done = Ops::default().op(op::RECLAIM_COMPLETE).word(0);
    assert_eq!(lab.last(&mut client, done), err::OK);
    client
}

/// Opens a file of the root for reading, which may give a delegation.
fn delegate(lab: &mut Lab, client: &mut Client, name: &str) {
    let open = Open { access: 1, ..Open::new(name) };
    let ops = Ops::default().op(op::PUTROOTFH).then(open.ops());
    assert_eq!(lab.last(client, ops), err::OK);
}

/// Whether an open for writing has to wait, because a delegation is recalled.
fn waits(lab: &mut Lab, client: &mut Client, name: &str) -> bool {
    let opened = lab.open(client, &Open { access: 2, ..Open::new(name) });
    assert!(opened.is_ok() || matches!(opened, Err(err::DELAY)), "{opened:?}");
    opened.is_err()
}

/// RFC 8881 section 2.10.6.2: a slot is not used again before its own request has its reply. Here two sessions have one
/// connection as their back channel.
#[test]
fn a_reply_frees_the_slot_of_its_own_session() {
    let mut lab = Lab::new();
    for name in ["f", "g", "h"] {
        lab.file(name, b"text");
    }
    let (mut one, mut two) = (reader(&mut lab, b"one"), reader(&mut lab, b"two"));
    delegate(&mut lab, &mut one, "f");
    delegate(&mut lab, &mut one, "g");
    delegate(&mut lab, &mut two, "h");
    lab.stream = 9;
    let mut writer = lab.client(1, b"writer");
    if !waits(&mut lab, &mut writer, "f") || !waits(&mut lab, &mut writer, "h") {
        return;
    }
    let calls = [lab.server.backward(), lab.server.backward()].map(|call| call.unwrap().1.message);
    assert_ne!(calls[0].xid(), calls[1].xid());
    // The reply to the call to `two`, which leaves that to `one` open.
    let reply = [&calls[1].bytes[..4], &[0, 0, 0, 1], &[0; 16]].concat();
    lab.server.replied(1, Some(&reply));
    assert!(waits(&mut lab, &mut writer, "g"));
    assert!(lab.server.backward().is_none(), "the only slot of `one` is in use");
    let reply = [&calls[0].bytes[..4], &[0, 0, 0, 1], &[0; 16]].concat();
    lab.server.replied(1, Some(&reply));
    assert!(lab.server.backward().is_some(), "it is free");
}

/// SEQ4_STATUS_CB_PATH_DOWN, SEQ4_STATUS_CB_PATH_DOWN_SESSION (RFC 8881 section 18.46.1).
const PATH_DOWN: u32 = 0x0001;
const SESSION_PATH_DOWN: u32 = 0x0200;

/// The status flags of a SEQUENCE.
fn flags(lab: &mut Lab, client: &mut Client) -> u32 {
    client.sequence += 1;
    let mut reply = lab.compound(1, &client.sequence(0, client.sequence, 0, true));
    // Session, sequence ID, slot, highest slot, target.
    reply.ok(op::SEQUENCE).raw::<32>();
    reply.word()
}

/// A server, and a client that has a delegation of the file `f` to read it.
fn delegated() -> (Lab, Client) {
    let mut lab = Lab::new();
    lab.file("f", b"text");
    let mut client = reader(&mut lab, b"one");
    delegate(&mut lab, &mut client, "f");
    (lab, client)
}

fn bind(lab: &mut Lab, client: &Client) {
    let bind = Ops::default().op(op::BIND_CONN_TO_SESSION).raw(&client.session).words(&[7, 0]);
    lab.compound(1, &bind).ok(op::BIND_CONN_TO_SESSION);
}

/// RFC 8881 sections 2.10.6.2, 18.46.3: a call that is lost with its connection is made again on the next one that is
/// bound to the same session, in the same slot with the same sequence ID; until then the session has no path.
#[test]
fn a_recall_that_is_lost_with_its_connection_is_made_again() {
    let (mut lab, mut client) = delegated();
    lab.stream = 9;
    let mut writer = lab.client(1, b"writer");
    if !waits(&mut lab, &mut writer, "f") {
        return;
    }
    let (_, lost) = lab.server.backward().unwrap();
    assert_eq!(flags(&mut lab, &mut client), 0);
    lab.server.replied(1, None);
    lab.server.gone(1);
    assert!(lab.server.backward().is_none());
    lab.stream = 2;
    for _ in 0..2 {
        assert_eq!(flags(&mut lab, &mut client), PATH_DOWN | SESSION_PATH_DOWN);
    }
    bind(&mut lab, &client);
    let (stream, again) = lab.server.backward().unwrap();
    assert_eq!((stream, &again.message.bytes[4..]), (2, &lost.message.bytes[4..]));
    assert!(lab.server.backward().is_none(), "it is made once");
    assert_eq!(flags(&mut lab, &mut client), 0);
}

/// RFC 8881 section 10.2.1: while there is no back channel nothing can be recalled. It is when there is one again.
#[test]
fn a_recall_waits_for_a_back_channel() {
    let (mut lab, client) = delegated();
    lab.server.gone(1);
    lab.stream = 9;
    let mut writer = lab.client(1, b"writer");
    if !waits(&mut lab, &mut writer, "f") {
        return;
    }
    assert!(lab.server.backward().is_none());
    lab.stream = 2;
    bind(&mut lab, &client);
    assert!(waits(&mut lab, &mut writer, "f"));
    assert_eq!(lab.server.backward().map(|(stream, _)| stream), Some(2));
}

/// RFC 8881 section 10.4: version 3 too changes no file that is delegated. CREATE that is UNCHECKED truncates a file that
/// is there if it has a size (RFC 1813 section 3.3.8).
#[test]
fn version_3_truncates_no_delegated_file() {
    let (mut lab, mut client) = delegated();
    let root = lab.handle(&mut client, &[]);
    lab.stream = 9;
    let mut writer = lab.client(1, b"writer");
    if !waits(&mut lab, &mut writer, "f") {
        return;
    }
    // XID, CALL, RPC version 2, NFS, version 3, CREATE, AUTH_NONE twice; UNCHECKED; of the attributes at most a size.
    let head = Ops::default().words(&[7, 0, 2, 100_003, 3, 8, 0, 0, 0, 0]);
    let head = head.opaque(&root).opaque(b"f").words(&[0, 0, 0, 0]);
    for (size, status) in [(head.clone().word(0), err::OK), (head.word(1).long(0), err::DELAY)] {
        let reply = lab.server.answer_on(9, &size.words(&[0, 0]).bytes).bytes;
        assert_eq!(reply[24..28], status.to_be_bytes());
    }
    assert_eq!(std::fs::read(lab.path("f")).unwrap(), b"text");
}

/// RFC 8881 section 18.36.3: no call is longer than the ca_maxrequestsize of the back channel. One that takes no recall is
/// not granted, with CREATE_SESSION or later. Its ca_maxoperations and ca_maxrequests come back as they are.
#[test]
fn a_back_channel_takes_a_recall_or_is_none() {
    let mut lab = Lab::new();
    for (request, granted) in [(4096, BACK_CHANNEL), (100, 0)] {
        let (id, sequence) = lab.exchange_id(&u32::to_be_bytes(request), 1);
        let ops = Ops::default().op(op::CREATE_SESSION).long(id).words(&[sequence, BACK_CHANNEL]);
        let ops = ops.words(&CHANNEL).words(&[0, request, 4096, 0, 3, 5, 0]);
        let mut made = lab.compound(1, &ops.words(&[0x4000_0000, 1, 0]));
        let session: [u8; 16] = made.ok(op::CREATE_SESSION).raw();
        made.word();
        assert_eq!(made.word() & BACK_CHANNEL, granted, "{request}");
        // The fore channel; of the back channel the padding and three sizes.
        made.raw::<28>();
        made.raw::<16>();
        assert_eq!((made.word(), made.word()), (3, 5));
        let bind = Ops::default().op(op::BIND_CONN_TO_SESSION).raw(&session).words(&[2, 0]);
        assert_eq!(lab.compound(1, &bind).status == err::OK, granted != 0, "{request}");
    }
}
