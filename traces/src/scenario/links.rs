//! What lies below TCP, capture formats, and connections that are not iWARP.

use super::catalogue::{
    Made, PORT, Scenario, markers_required, mixed_connection, payload, session_from,
};
use crate::Result;
use crate::capture::Format;
use crate::conversation::{Conversation, Cutting, INITIATOR, RESPONDER, damage};
use crate::packet::End;
use crate::session::{Agreement, Session};

pub(super) const SCENARIOS: &[Scenario] = &[
    Scenario {
        name: "ipv6",
        contains: "Send, Write, Read over IPv6; timestamps in nanoseconds",
        purpose: "IPv6 below TCP, and pcap with nanoseconds",
        make: ipv6,
    },
    Scenario {
        name: "fragments",
        contains: "IPv4 fragments of 576 bytes, some out of order",
        purpose: "IP reassembly below TCP",
        make: fragments,
    },
    Scenario {
        name: "vlan",
        contains: "one connection with a VLAN tag, one with two",
        purpose: "VLAN tags below IP",
        make: vlan,
    },
    Scenario {
        name: "not-iwarp",
        contains: "three connections of other protocols: from the middle, from SYN, one that begins like a request",
        purpose: "nothing is taken for iWARP",
        make: not_iwarp,
    },
    Scenario {
        name: "pcapng-two-interfaces",
        contains: "each direction on an interface of its own, in microseconds and nanoseconds",
        purpose: "pcapng with two interfaces",
        make: pcapng_two_interfaces,
    },
];

fn ipv6() -> Result<Made> {
    let ends = [End::v6(1, 40_001), End::v6(2, PORT)];
    let mut session = Session::new(ends, [0x1234_5678, 0x8765_4321]);
    session.conversation.mss = 1440;
    let made = Made::one(mixed_connection(session, &Agreement::default())?);
    Ok(Made { format: Format::PcapNanoseconds, ..made })
}

fn fragments() -> Result<Made> {
    let mut session = session_from(40_001);
    session.conversation.below.fragment = Some(576);
    let mut made = Made::one(mixed_connection(session, &Agreement::default())?);
    // Behind the opening and the Send: a Write's first segment in three fragments.
    damage::delay(&mut made.frames, 6, 2);
    Ok(made)
}

fn vlan() -> Result<Made> {
    let mut made = Made::default();
    for (port, vlans) in [(40_001, vec![100]), (40_002, vec![10, 20])] {
        let mut session = session_from(port);
        session.conversation.below.vlans = vlans;
        made.add(mixed_connection(session, &markers_required(true, false))?);
    }
    Ok(made)
}

fn not_iwarp() -> Result<Made> {
    let request = b"GET /index.html HTTP/1.1\r\nHost: www.example.org\r\n\r\n".to_vec();
    let mut response = b"HTTP/1.1 200 OK\r\nContent-Length: 80000\r\n\r\n".to_vec();
    response.extend_from_slice(&payload(400, 80_000));
    let key_begins = b"MPA ID Reqs are not what this protocol sends\r\n".to_vec();
    let mut made = Made::default();
    for (port, from_syn, asks) in
        [(44_001, false, &request), (44_002, true, &request), (44_003, true, &key_begins)]
    {
        let ends = [End::v4(1, port), End::v4(2, 8080)];
        let mut conversation = Conversation::new(ends, [0x5000_0000, 0x5100_0000]);
        if from_syn {
            conversation.handshake();
        }
        let answers = if port == 44_001 { &response[..] } else { &response[..9_000] };
        for _ in 0..2 {
            conversation.send(INITIATOR, asks, &[], &Cutting::Aligned);
            conversation.send(RESPONDER, answers, &[], &Cutting::Aligned);
        }
        conversation.close(RESPONDER);
        made.frames.extend(conversation.take_frames());
    }
    Ok(made)
}

fn pcapng_two_interfaces() -> Result<Made> {
    let made = Made::one(mixed_connection(session_from(40_001), &Agreement::default())?);
    let mut frames = made.frames;
    let initiator = End::v4(1, 0).mac;
    for frame in &mut frames {
        frame.interface = u32::from(frame.bytes.get(6..12) != Some(&initiator[..]));
    }
    Ok(Made { frames, format: Format::PcapngTwoInterfaces, ..made })
}
