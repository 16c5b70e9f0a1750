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
