//! Connection setup: split, rejected, followed by what should not follow; ports that are used again.

use super::catalogue::{
    Made, PORT, Scenario, mixed, mixed_connection, payload, read_header, session_from, tagged,
};
use crate::Result;
use crate::conversation::{Cutting, INITIATOR, RESPONDER};
use crate::message::{self, Target};
use crate::packet::End;
use crate::session::{Agreement, Session};
use warpscope_wire::mpa::{Enhanced, Mode, NOT_NEGOTIATED, ReadyToReceive, Revision};
use warpscope_wire::rdmap::Message;

pub(super) const SCENARIOS: &[Scenario] = &[
    Scenario {
        name: "split-setup",
        contains: "28 connections: the request of 28 bytes cut once at every byte, and one byte to a segment",
        purpose: "setup frames are put together from any segments",
        make: split_setup,
    },
    Scenario {
        name: "setup-variants",
        contains: "revisions 0, 1 and 2, with and without enhanced header, each ready-to-receive kind, 512 bytes of private data",
        purpose: "every form of setup frames; messages of no bytes",
        make: setup_variants,
    },
    Scenario {
        name: "garbage-after-request",
        contains: "30 bytes behind the request before the reply; one connection reset, one answered",
        purpose: "bytes that are no FPDU are accounted for",
        make: garbage_after_request,
    },
    Scenario {
        name: "reject",
        contains: "a reply that rejects, with private data",
        purpose: "a connection without Full Operation",
        make: reject,
    },
    Scenario {
        name: "several-connections",
        contains: "four connections, two at once; a port used again after FIN, and again without",
        purpose: "connections are told apart, with their markers and streams",
        make: several_connections,
    },
];

fn split_setup() -> Result<Made> {
    let private_data = payload(300, 8);
    let agreement =
        Agreement { private_data: [private_data.clone(), private_data], ..Agreement::default() };
    let mut made = Made::default();
    for cut in 1..=28 {
        let mut session = session_from(41_000 + cut as u16);
        session.cutting[INITIATOR] =
            if cut < 28 { Cutting::At(vec![cut]) } else { Cutting::Fixed(1) };
        if cut == 28 {
            session.cutting[RESPONDER] = Cutting::Fixed(1);
        }
        session.open(&agreement)?;
        session.cutting[INITIATOR] = Cutting::Aligned;
        session.send(INITIATOR, Message::Send, Target::Queue, &payload(301, 10))?;
        session.conversation.close(INITIATOR);
        made.add(session);
    }
    Ok(made)
}

fn setup_variants() -> Result<Made> {
    let peer_to_peer = |send, write, read| -> Result<Revision> {
        let mode =
            ReadyToReceive::new(send, write, read).map_or(Mode::ClientServer, Mode::PeerToPeer);
        Ok(Revision::Two(Some(Enhanced::new(mode, 16, 8)?)))
    };
    let unknown_depths = Enhanced::new(Mode::ClientServer, NOT_NEGOTIATED, NOT_NEGOTIATED)?;
    let variants = [
        (Revision::Consortium, 0),
        (Revision::One, 512),
        (Revision::Two(None), 20),
        (Revision::Two(Some(unknown_depths)), 508),
        (peer_to_peer(true, false, false)?, 4),
        (peer_to_peer(false, true, false)?, 0),
        (peer_to_peer(false, false, true)?, 1),
    ];
    let mut made = Made::default();
    for (number, (revision, private_bytes)) in variants.into_iter().enumerate() {
        let private_data = payload(310, private_bytes);
        let mut session = session_from(42_000 + number as u16);
        session.open(&Agreement {
            revision: [revision; 2],
            private_data: [private_data.clone(), private_data],
            ..Agreement::default()
        })?;
        match number {
            5 => session.send(INITIATOR, Message::Write, tagged(0), &[])?,
            6 => {
                let request = message::read_request(&read_header(0));
                session.send(INITIATOR, Message::ReadRequest, Target::Queue, &request)?;
                session.send(RESPONDER, Message::ReadResponse, tagged(0), &[])?;
            }
            _ => session.send(INITIATOR, Message::Send, Target::Queue, &[])?,
        }
        session.send(RESPONDER, Message::Send, Target::Queue, &payload(311, 64))?;
        session.conversation.close(INITIATOR);
        made.add(session);
    }
    Ok(made)
}

fn garbage_after_request() -> Result<Made> {
    let mut made = Made::default();
    for answered in [false, true] {
        let mut session = session_from(43_000 + u16::from(answered));
        let agreement = Agreement::default();
        session.conversation.handshake();
        session.request(&agreement)?;
        session.streams[INITIATOR].raw(&[0xaa; 30]);
        session.flush(INITIATOR);
        if answered {
            session.reply(&agreement)?;
            session.flush(RESPONDER);
            session.conversation.close(RESPONDER);
        } else {
            session.conversation.reset(RESPONDER);
        }
        made.add(session);
    }
    Ok(made)
}

fn reject() -> Result<Made> {
    let mut session = session_from(40_001);
    session.open(&Agreement {
        rejected: true,
        private_data: [payload(320, 12), payload(321, 20)],
        ..Agreement::default()
    })?;
    session.conversation.close(RESPONDER);
    Ok(Made::one(session))
}

fn several_connections() -> Result<Made> {
    let between = |host, port, first: u32| {
        Session::new([End::v4(host, port), End::v4(2, PORT)], [first, first ^ 0x4000_0000])
    };
    let plain = Agreement::default();
    let marked = Agreement { markers: [true; 2], ..Agreement::default() };
    let (one, other) = (
        mixed_connection(between(1, 40_001, 0x1111_0000), &plain)?.finish(),
        mixed_connection(between(3, 40_001, 0x2222_0000), &marked)?.finish(),
    );
    let mut made = Made { connections: vec![one.1, other.1], ..Made::default() };
    let mut other_frames = other.0.into_iter();
    for frame in one.0 {
        made.frames.push(frame);
        made.frames.extend(other_frames.next());
    }
    made.frames.extend(other_frames);
    let mut unclosed = between(1, 40_001, 0x3333_0000);
    unclosed.open(&marked)?;
    mixed(&mut unclosed)?;
    made.add(unclosed);
    made.add(mixed_connection(between(1, 40_001, 0x0444_0000), &plain)?);
    Ok(made)
}
