//! What RFC 8881 sections 2.10.6 and 20 say of a client's callback program, asked of ours.

use super::*;
use crate::rpc::{CallHeader, Credential, begin_call, results_of};
use crate::xdr::Xdr;

const SESSION: SessionId = [7; 16];
const FILE: &[u8] = b"a file handle";
const CB_LAYOUTRECALL: u32 = 5;

fn state(number: u8) -> StateId {
    StateId { sequence: 1, other: [number; 12] }
}

/// A client with a session of that minor version, which holds a delegation.
fn client(minor: u32) -> Callbacks {
    let callbacks = Callbacks::default();
    callbacks.listen(Some((SESSION, minor)));
    callbacks.opens();
    callbacks.opened(Some((Handle(FILE.to_vec()), state(1))));
    callbacks
}

/// Calls a procedure of a version of the program.
fn call(callbacks: &mut Callbacks, version: u32, procedure: u32, body: &[u8]) -> Vec<u8> {
    let credential = &Credential::None;
    let header = CallHeader { xid: 5, program: PROGRAM, version, procedure, credential };
    let mut call = begin_call(&header).unwrap();
    call.fixed(body);
    callbacks.answer(&call.finish().bytes).bytes
}

/// CB_COMPOUND: status, and the number and status of each result.
fn compound(callbacks: &mut Callbacks, minor: u32, operations: &[Builder]) -> (u32, Vec<u8>) {
    let mut body = Builder::default();
    body.opaque(b"tag").word(minor).word(0).word(operations.len() as u32);
    operations.iter().for_each(|operation| _ = body.append(operation));
    let reply = call(callbacks, 1, 1, &body.bytes);
    let mut results = results_of(&reply, 5).unwrap();
    let status = results.word("status").unwrap();
    assert_eq!(results.opaque("tag", 9).unwrap(), b"tag");
    (status, results.rest().to_vec())
}

fn operation(number: u32, arguments: &impl Xdr) -> Builder {
    let mut operation = Builder::default();
    operation.word(number).value(arguments);
    operation
}

/// CB_SEQUENCE of the session's slot 0: highest slot 0, not to be kept, no referring calls.
fn sequence(sequence: u32) -> Builder {
    sequence_of(SESSION, sequence, 0)
}

fn sequence_of(session: SessionId, sequence: u32, slot: u32) -> Builder {
    operation(11, &((session, sequence, slot), (0_u32, false), 0_u32))
}

fn recall(state: StateId, file: &[u8]) -> Builder {
    let mut operation = Builder::default();
    operation.word(4).value(&state).boolean(false).opaque(file);
    operation
}

/// The result of CB_SEQUENCE: number and status, session, sequence ID, slot, highest and wished for.
fn sequenced(sequence: u32) -> Vec<u8> {
    let mut result = Builder::default();
    result.word(11).word(0).value(&SESSION).word(sequence).word(0).word(0).word(0);
    result.bytes
}

fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_be_bytes()).collect()
}

#[test]
fn a_delegation_is_recalled() {
    for minor in [1, 2] {
        let mut client = client(minor);
        assert_eq!(client.to_return(false), None);
        let (status, results) =
            compound(&mut client, minor, &[sequence(1), recall(state(1), FILE)]);
        let expected = [words(&[2]), sequenced(1), words(&[4, 0])].concat();
        assert_eq!((status, results), (0, expected));
        assert_eq!(client.to_return(false).unwrap().state, state(1));
        assert_eq!(client.recalls(), 1);
        // It stays to be given back until it is.
        let delegation = client.to_return(false).unwrap();
        client.returned(&delegation);
        assert_eq!(client.to_return(true), None);
    }
}

/// Section 20.9.3: the same sequence ID is a retry, the next a new request, any other misordered.
#[test]
fn a_request_is_carried_out_once() {
    let mut client = client(1);
    let first = compound(&mut client, 1, &[sequence(1), recall(state(1), FILE)]);
    assert_eq!(compound(&mut client, 1, &[sequence(1), recall(state(1), FILE)]), first);
    assert_eq!(client.recalls(), 1, "a retry");
    for wrong in [0, 3, u32::MAX] {
        let (status, results) = compound(&mut client, 1, &[sequence(wrong)]);
        assert_eq!((status, results), (10063, words(&[1, 11, 10063])), "SEQ_MISORDERED: {wrong}");
    }
    // An error of CB_SEQUENCE leaves the slot as it was.
    assert_eq!(compound(&mut client, 1, &[sequence(1)]), first);
    assert_eq!(compound(&mut client, 1, &[sequence(2)]).1, [words(&[1]), sequenced(2)].concat());
}

#[test]
fn a_session_and_slot_that_are_not_there_are_refused() {
    let mut client = client(1);
    let of = |client: &mut Callbacks, operation| compound(client, 1, &[operation]).0;
    assert_eq!(of(&mut client, sequence_of([8; 16], 1, 0)), 10052, "BADSESSION");
    assert_eq!(of(&mut client, sequence_of(SESSION, 1, 1)), 10053, "BADSLOT");
    assert_eq!(of(&mut client, sequence(1)), 0);
}

/// Section 20.9.3: CB_SEQUENCE comes once, and first.
#[test]
fn without_a_sequence_nothing_is_done() {
    let mut client = client(1);
    let recalled = compound(&mut client, 1, &[recall(state(1), FILE)]);
    assert_eq!(recalled, (10071, words(&[1, 4, 10071])), "OP_NOT_IN_SESSION");
    assert_eq!(client.recalls(), 0);
    let (status, results) =
        compound(&mut client, 1, &[sequence(1), sequence(2), recall(state(1), FILE)]);
    let expected = [words(&[2]), sequenced(1), words(&[11, 10064])].concat();
    assert_eq!((status, results), (10064, expected), "SEQUENCE_POS");
    assert_eq!(client.recalls(), 0);
}

/// Section 20.2.3.
#[test]
fn what_the_client_does_not_hold_is_not_recalled() {
    let mut client = client(1);
    let other = compound(&mut client, 1, &[sequence(1), recall(state(1), b"another file")]);
    assert_eq!(other.0, 10001, "BADHANDLE");
    let other = compound(&mut client, 1, &[sequence(2), recall(state(2), FILE)]);
    assert_eq!(other.0, 10025, "BAD_STATEID");
    assert_eq!(client.to_return(false), None);
}

/// Section 2.10.6.3: the recall of a delegation may overtake the reply of the OPEN that gives it.
#[test]
fn a_recall_that_comes_before_the_delegation_is_kept_for_it() {
    let mut client = client(1);
    client.opens();
    let early = compound(&mut client, 1, &[sequence(1), recall(state(2), b"another file")]);
    assert_eq!(early.0, 0);
    assert_eq!(client.to_return(false), None);
    client.opened(Some((Handle(b"another file".to_vec()), state(2))));
    assert_eq!(client.to_return(false).unwrap().state, state(2));
    // An OPEN without a delegation leaves nothing behind.
    client.opens();
    compound(&mut client, 1, &[sequence(2), recall(state(3), b"a third")]);
    client.opened(None);
    client.opens();
    client.opened(Some((Handle(b"a third".to_vec()), state(3))));
    assert_ne!(client.to_return(false).unwrap().state, state(3));
}

/// Section 19.2.3: the minor version is the one that made the session.
#[test]
fn another_minor_version_is_refused() {
    for (minor, other) in [(1, 2), (2, 1), (1, 0)] {
        let mut client = client(minor);
        let refused = compound(&mut client, other, &[sequence(1), recall(state(1), FILE)]);
        assert_eq!(refused, (10021, words(&[0])), "MINOR_VERS_MISMATCH");
        assert_eq!(client.recalls(), 0);
    }
}

#[test]
fn operations_that_are_not_done_and_those_that_there_are_not() {
    let mut client = client(1);
    let layout = compound(&mut client, 1, &[sequence(1), operation(CB_LAYOUTRECALL, &0_u32)]);
    assert_eq!(layout.0, 10004, "NOTSUPP");
    // 2 is no operation, nor is 15 in version 4.1 (CB_OFFLOAD of RFC 7862): CB_ILLEGAL.
    for (at, number) in [(2, 2), (3, 15), (4, 10044), (5, 99)] {
        let (status, results) = compound(&mut client, 1, &[sequence(at), operation(number, &())]);
        let expected = [words(&[2]), sequenced(at), words(&[10044, 10044])].concat();
        assert_eq!((status, results), (10044, expected), "OP_ILLEGAL: {number}");
    }
    // An operation that is cut short.
    assert_eq!(compound(&mut client, 1, &[sequence(6), operation(4, &0_u32)]).0, 10036, "BADXDR");
}

/// Section 20.6: all beyond so many are given back; section 20.8: one slot is the least.
#[test]
fn any_delegation_can_be_recalled() {
    let mut client = client(1);
    let any = |keep: u32, kinds: u32| operation(8, &(keep, Bitmap(vec![kinds])));
    assert_eq!(compound(&mut client, 1, &[sequence(1), any(1, 1)]).0, 0);
    assert_eq!(client.to_return(false), None, "one may stay");
    assert_eq!(compound(&mut client, 1, &[sequence(2), any(0, 1 << 3)]).0, 0);
    assert_eq!(client.to_return(false), None, "layouts are meant");
    assert_eq!(compound(&mut client, 1, &[sequence(3), any(0, 1)]).0, 0);
    assert!(client.to_return(false).is_some());
    assert_eq!(compound(&mut client, 1, &[sequence(4), operation(10, &0_u32)]).0, 0);
}

#[test]
fn the_program_is_there_with_a_session_alone() {
    let accept_status = |reply: &[u8]| match results_of(reply, 5) {
        Ok(_) => 0,
        Err(crate::rpc::CallError::Refused { status, .. }) => status,
        Err(other) => panic!("{other}"),
    };
    let mut callbacks = Callbacks::default();
    assert_eq!(accept_status(&call(&mut callbacks, 1, 0, &[])), 1, "PROG_UNAVAIL");
    callbacks.listen(Some((SESSION, 1)));
    // The text says version 4 (section 18.36.3), its XDR version 1 (RFC 5662).
    for version in [1, 4] {
        assert_eq!(accept_status(&call(&mut callbacks, version, 0, &[])), 0, "CB_NULL");
    }
    assert_eq!(accept_status(&call(&mut callbacks, 3, 0, &[])), 2, "PROG_MISMATCH");
    assert_eq!(accept_status(&call(&mut callbacks, 1, 2, &[])), 3, "PROC_UNAVAIL");
    assert_eq!(accept_status(&call(&mut callbacks, 1, 1, &[0, 0, 0, 9])), 4, "GARBAGE_ARGS");
}

/// A call of damaged bytes is answered, and nothing else.
#[test]
fn damaged_calls_are_answered() {
    let mut body = Builder::default();
    body.opaque(b"tag").word(1).word(0).word(2);
    body.append(&sequence(1)).append(&recall(state(1), FILE));
    for length in 0..body.bytes.len() {
        let mut client = client(1);
        assert!(!call(&mut client, 1, 1, &body.bytes[..length]).is_empty());
        assert_eq!(client.recalls(), 0);
    }
    for at in (0..body.bytes.len()).step_by(4) {
        let mut damaged = body.bytes.clone();
        damaged[at..at + 4].copy_from_slice(&[0xff; 4]);
        assert!(!call(&mut client(1), 1, 1, &damaged).is_empty());
    }
}
