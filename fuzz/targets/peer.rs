//! The reference peer in both roles: whatever comes, it answers by the documents or closes, what was
//! posted completes once, and memory that nobody may write to stays as it is.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::time::Duration;
use warpscope_fuzz::{fpdu, parts};
use warpscope_peer::connection::{Config, Connection, Role, Transmit};
use warpscope_peer::memory::{Accessor, Memory, Registration, Rights};
use warpscope_peer::setup::SetupRevision;
use warpscope_peer::work::{LocalBuffer, Operation, RemoteBuffer, WorkRequest};
use warpscope_wire::rdmap::Profile;

const OWN: Accessor = Accessor { stream: 1, protection_domain: 1 };

fuzz_target!(|bytes: &[u8]| {
    let Some((how, rest)) = bytes.split_first() else { return };
    let role = if how & 1 == 0 { Role::Initiator } else { Role::Responder };
    let mut config = Config { profile: Profile::ALL, ..Config::new(role, OWN) };
    config.setup.markers = how & 2 != 0;
    config.setup.crc = how & 4 == 0;
    if how & 8 != 0 {
        (config.setup.revision, config.setup.enhanced) = (SetupRevision::Two, true);
    }
    let mut number = 0_u32;
    let mut memory = Memory::new(move || {
        number += 0x100;
        number
    });
    let register = |memory: &mut Memory, rights, fill| {
        memory.register(vec![fill; 64], Registration::stream(1, rights)).unwrap()
    };
    let open = register(&mut memory, Rights::ALL, 0);
    let kept = register(&mut memory, Rights::READ, 0x5a);
    let mut now = Duration::ZERO;
    let mut connection = Connection::new(config, now);
    let (mut posted, mut completed) = (0_u64, 0_u64);
    for identifier in 0..4 {
        posted += u64::from(connection.post_receive(identifier, 64).is_ok());
    }
    let remote = RemoteBuffer { steering_tag: 7, tagged_offset: 0 };
    let sink = LocalBuffer { steering_tag: open, tagged_offset: 0 };
    for (identifier, operation) in
        (4..).zip([Operation::Read { sink, length: 8, remote }, Operation::send(b"hello")])
    {
        posted += u64::from(connection.post(&memory, WorkRequest::new(identifier, operation)).is_ok());
    }
    let key = if role == Role::Initiator { b"MPA ID Rep Frame" } else { b"MPA ID Req Frame" };
    if how & 16 == 0 {
        let setup = [&key[..], &[0x40, 1, 0, 0]].concat();
        connection.handle_bytes(now, &mut memory, &setup);
    }
    let mut step = |connection: &mut Connection, memory: &mut Memory, now| {
        for _ in 0..1000 {
            let Some(sent) = connection.poll_transmit(now, memory) else { break };
            if let Transmit::Bytes(bytes) = sent {
                assert!(!bytes.is_empty());
            }
        }
        while connection.poll_event().is_some() {}
        while let Some(_completion) = connection.poll_completion() {
            completed += 1;
        }
    };
    step(&mut connection, &mut memory, now);
    for (what, part) in parts(rest) {
        match what & 7 {
            0 => connection.handle_bytes(now, &mut memory, part),
            1 => {
                now += Duration::from_secs(u64::from(what));
                connection.handle_timeout(now);
            }
            2 if what > 200 => connection.handle_finish(now),
            3 if what > 220 => connection.handle_reset(),
            4 if what > 200 => connection.finish(),
            _ => connection.handle_bytes(now, &mut memory, &fpdu(part)),
        }
        step(&mut connection, &mut memory, now);
    }
    connection.handle_reset();
    step(&mut connection, &mut memory, now);
    assert!(completed <= posted, "{completed} completions of {posted} requests");
    assert_eq!(memory.bytes(kept), Some(&[0x5a; 64][..]));
});
