//! Calls that are cut short, damaged, or claim lengths that are not there; replies that are.

use crate::judge::session;
use crate::prelude::*;
use warpscope_nfs::client::{FilesError, Session};
use warpscope_nfs::rpc::OutgoingCall;
use warpscope_traces::noise::Noise;

/// A server that has answered one call of most procedures, and those calls.
fn calls() -> (tempfile::TempDir, crate::judge::Judged) {
    let (folder, mut files) = mounted();
    files.make_directory(b"d").unwrap();
    files.write(b"d/f", &mut &b"12345"[..]).unwrap();
    files.read(b"d/f", &mut Vec::new()).unwrap();
    files.list(b"d").unwrap();
    files.make_link(b"l", b"target").unwrap();
    files.read_link(b"l").unwrap();
    files.link(b"d/f", b"g").unwrap();
    files.rename(b"g", b"h").unwrap();
    let root = files.handle(b"").unwrap();
    let new = NewAttributes { mode: Some(0o700), ..NewAttributes::default() };
    files.call(|client| client.access(&root, 0x3f)).unwrap();
    files.call(|client| client.set_attributes(&root, &new, Some(Default::default()))).unwrap_err();
    files.call(|client| client.create_exclusive(&root, b"x", [1; 8])).unwrap();
    files.call(|client| client.read_directory(&root, (0, [0; 8]), 512)).unwrap();
    files.remove(b"h").unwrap();
    (folder, files.unmount().unwrap())
}

#[test]
fn a_call_that_ends_too_soon_is_garbage() {
    let (_folder, mut judged) = calls();
    for call in judged.calls.clone() {
        for length in 0..call.len() {
            let reply = judged.server.answer(&call[..length]).bytes;
            if length < 8 {
                assert!(reply.is_empty(), "{length} bytes are no call");
            } else {
                assert_eq!(accepted(&reply), Some((4, &[][..])), "{length} bytes of {call:02x?}");
            }
        }
    }
}

/// Damages a call from a byte on.
fn damage(call: &mut [u8], from: usize, random: &mut impl FnMut() -> u64) {
    for _ in 0..=random() % 3 {
        let at = from + random() as usize % (call.len() - from);
        // A whole word now and then, for lengths and discriminators.
        if random().is_multiple_of(2) {
            call[at] = random() as u8;
        } else {
            let word = [u32::MAX, 0x7fff_ffff, 0, 1, 2, 65][random() as usize % 6];
            let at = at & !3;
            call[at..at + 4].copy_from_slice(&word.to_be_bytes());
        }
    }
}

/// In a session each is another request, so that none is answered from its slot.
#[test]
fn damaged_compounds_get_well_formed_replies() {
    const BAD_SESSION: [u8; 4] = 10052_u32.to_be_bytes();
    let begin = || {
        let (folder, judged) = server();
        let mut files = session(judged, 2, b"/").unwrap();
        files.make_directory(b"d").unwrap();
        files.write(b"d/f", &mut &b"12345"[..]).unwrap();
        files.read(b"d/f", &mut Vec::new()).unwrap();
        files.list(b"d").unwrap();
        files.make_link(b"l", b"target").unwrap();
        files.read_link(b"l").unwrap();
        files.link(b"d/f", b"g").unwrap();
        files.rename(b"g", b"h").unwrap();
        files.remove(b"h").unwrap();
        (folder, files.leave())
    };
    let (mut folder, mut judged) = begin();
    // All but EXCHANGE_ID and CREATE_SESSION; the last one's sequence ID is the slot's.
    let of_session = |judged: &Judged| -> Vec<Vec<u8>> { judged.calls[2..].to_vec() };
    let place = |call: &[u8]| procedure(call).1 + 32;
    let mut calls = of_session(&judged);
    let mut sequence = calls.len() as u32;
    let mut noise = Noise::new(2);
    let mut random = move || noise.next_u64();
    let (mut carried_out, mut begun) = (0, 0);
    for _ in 0..20_000 {
        let mut call = calls[random() as usize % calls.len()].clone();
        let at = place(&call);
        call[at..at + 4].copy_from_slice(&(sequence + 1).to_be_bytes());
        damage(&mut call, at + 4, &mut random);
        let reply = judged.server.answer(&call).bytes;
        assert_eq!(reply[..4], call[..4], "the XID is the call's");
        assert!(reply.len() <= (1 << 20) + 4096);
        let Some((0, results)) = accepted(&reply) else { continue };
        judge(&procedure(&call).0, Direction::Reply, results);
        match &results[..20] {
            [0, 0, 0, 0, ..] => carried_out += 1,
            _ if results[..4] == BAD_SESSION => {
                begun += 1;
                (folder, judged) = begin();
                calls = of_session(&judged);
                sequence = calls.len() as u32;
                continue;
            }
            _ => {}
        }
        // SEQUENCE was carried out, whatever came of the others.
        sequence += u32::from(results[12..20] == [0, 0, 0, 53, 0, 0, 0, 0]);
    }
    assert!(carried_out > 500, "{carried_out} were carried out, {begun} sessions lost");
    drop(folder);
}

#[test]
fn damaged_calls_get_well_formed_replies() {
    let (_folder, mut judged) = calls();
    let calls = judged.calls.clone();
    let mut noise = Noise::new(1);
    let mut random = move || noise.next_u64();
    let mut carried_out = 0;
    for _ in 0..20_000 {
        let mut call = calls[random() as usize % calls.len()].clone();
        damage(&mut call, 0, &mut random);
        let reply = judged.server.answer(&call).bytes;
        if reply.is_empty() {
            assert_ne!(call[4..8], [0; 4], "calls are answered");
            continue;
        }
        assert_eq!(reply[..4], call[..4], "the XID is the call's");
        assert!(reply.len() <= (1 << 20) + 4096);
        if let Some((0, results)) = accepted(&reply) {
            judge(&procedure(&call).0, Direction::Reply, results);
            carried_out += 1;
        }
    }
    assert!(carried_out > 1000, "{carried_out}");
}

#[test]
fn damaged_replies_are_refused_or_read() {
    let (_folder, mut judged) = calls();
    let mut client = client();
    let mounted = client.mount(b"/");
    let reply = judged.server.answer(&mounted.call.message.bytes).bytes;
    let root = mounted.result(&reply).unwrap().handle;
    let listing = client.read_directory_plus(&root, (0, [0; 8]), 4096);
    let reply = judged.server.answer(&listing.call.message.bytes).bytes;
    assert!(!listing.result(&reply).unwrap().entries.is_empty());
    for length in 0..reply.len() {
        assert!(listing.result(&reply[..length]).is_err(), "{length} bytes");
    }
    // Lengths and counts that are not there.
    for at in (24..reply.len()).step_by(4) {
        let mut damaged = reply.clone();
        damaged[at..at + 4].copy_from_slice(&[0xff; 4]);
        let _ = listing.result(&damaged);
    }
    let mounted = client.mount(b"/");
    let mut reply = judged.server.answer(&mounted.call.message.bytes).bytes;
    let flavors = reply.len() - 12;
    reply[flavors..flavors + 4].copy_from_slice(&[0xff; 4]);
    assert!(mounted.result(&reply).is_err());
}

/// A server whose directories have names without end.
struct Endless {
    server: Judged,
    cookie: u64,
}

impl Session for Endless {
    type Error = std::convert::Infallible;

    fn call(&mut self, call: OutgoingCall) -> Result<Vec<u8>, Self::Error> {
        const READDIRPLUS: u32 = 17;
        let bytes = &call.message.bytes;
        if procedure(bytes).0.procedure != READDIRPLUS {
            return self.server.call(call);
        }
        // A reply, accepted, no verifier, success; NFS3_OK, no attributes, a cookie verifier.
        let mut reply = bytes[..4].to_vec();
        for word in [1, 0, 0, 0, 0, 0, 0, 0, 0_u32] {
            reply.extend(word.to_be_bytes());
        }
        for _ in 0..30 {
            self.cookie += 1;
            reply.extend([0, 0, 0, 1]);
            reply.extend(self.cookie.to_be_bytes());
            reply.extend(1000_u32.to_be_bytes());
            reply.extend([b'x'; 1000]);
            reply.extend(self.cookie.to_be_bytes());
            reply.extend([0; 8]);
        }
        reply.extend([0; 8]);
        Ok(reply)
    }
}

#[test]
fn a_directory_without_end_is_given_up() {
    let (_folder, judged) = server();
    let session = Endless { server: judged, cookie: 0 };
    let mut files = Files::mount(session, client(), b"/").unwrap();
    let error = files.list(b"").unwrap_err();
    assert!(matches!(error, FilesError::Misbehaved(how) if how.contains("64 MiB")), "{error}");
}
