//! Setup frames built by hand, which a side of either role hears, and what they lead to. The same rows
//! show seeded bugs.

use crate::prelude::*;
use crate::raw::Trace;
use proptest::prelude::*;
use warpscope_peer::connection::SetupFailure;

/// What a frame leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Due {
    Agreed,
    /// TCP is closed, without a frame or a Terminate for an answer (RFC 5044 section 7.1.2).
    Closed,
    /// A Terminate of MPA with this code (RFC 6581 section 9).
    Terminated(u8),
    Rejected,
}
use Due::{Agreed, Closed, Rejected, Terminated};

/// A frame, and what it leads to at an initiator and at a responder.
type Row = (&'static str, Vec<u8>, Due, Due);

/// The frame that a side of this role awaits.
fn frame(role: Role, flags: u8, revision: u8, private_data: &[u8]) -> Vec<u8> {
    match role {
        Role::Responder => request(flags, revision, private_data),
        Role::Initiator => reply(flags, revision, private_data),
    }
}

/// Frames for a side of this role by its setup.
fn rows(role: Role) -> [(SetupConfig, Vec<Row>); 4] {
    let made = |flags, revision, data: &[u8]| frame(role, flags, revision, data);
    let long = |length: u16| {
        let mut bytes = made(0x40, 1, &pattern(length.into()));
        bytes[18..20].copy_from_slice(&length.to_be_bytes());
        bytes
    };
    let mut other_case = made(0x40, 1, b"");
    other_case[..3].copy_from_slice(b"mpa");
    let other_role =
        if role == Role::Initiator { request(0x40, 1, b"") } else { reply(0x40, 1, b"") };
    let behind = [made(0x40, 1, b""), fpdu(&tagged([0xc1, 0x40], 0, 0, b""))].concat();
    let plain = vec![
        ("as it should be", made(0x40, 1, b""), Agreed, Agreed),
        ("the key in small letters", other_case, Closed, Closed),
        ("the key of the other frame", other_role, Closed, Closed),
        ("no frame", b"GET / HTTP/1.1\r\n".to_vec(), Closed, Closed),
        ("bytes after it", behind, Closed, Closed),
        ("256 bytes of private data", long(256), Agreed, Agreed),
        ("512 bytes of private data", long(512), Agreed, Agreed),
        ("513 bytes of private data", long(513), Closed, Closed),
        ("revision 0", made(0x40, 0, b""), Closed, Rejected),
        ("revision 2", made(0x40, 2, b""), Closed, Closed),
        ("revision 3", made(0x40, 3, b""), Closed, Closed),
        ("S without its data", made(0x50, 2, b""), Closed, Closed),
        ("markers", made(0xc0, 1, b""), Agreed, Agreed),
        ("R, which a request has not", made(0x20, 1, b""), Rejected, Agreed),
        ("a reserved bit", made(0x41, 1, b""), Agreed, Agreed),
        ("all but M and C", made(0x7f, 1, b""), Rejected, Agreed),
        ("data like depths", made(0x40, 1, &[0, 0, 0, 16, 0, 0, 0, 16]), Agreed, Agreed),
    ];
    let peer_to_peer = vec![
        ("every indication", made(0x50, 2, &[0xc0, 4, 0xc0, 4]), Agreed, Agreed),
        ("an ORD over the IRD", made(0x50, 2, &[0xc0, 4, 0xc0, 17]), Terminated(6), Agreed),
        ("a Read alone", made(0x50, 2, &[0x80, 4, 0x40, 4]), Agreed, Agreed),
        ("a Read, and an IRD of 0", made(0x50, 2, &[0x80, 0, 0x40, 4]), Terminated(7), Agreed),
        ("a Read, and an open IRD", made(0x50, 2, &[0xbf, 0xff, 0x40, 4]), Agreed, Agreed),
        ("no indication", made(0x50, 2, &[0x80, 4, 0x00, 4]), Terminated(7), Agreed),
        ("not A", made(0x50, 2, &[0x00, 4, 0x00, 4]), Terminated(7), Agreed),
        ("B without A", made(0x50, 2, &[0x40, 4, 0x80, 4]), Terminated(7), Agreed),
        ("open depths", made(0x50, 2, &[0xff, 0xff, 0xff, 0xff]), Agreed, Agreed),
        ("R", made(0x70, 2, &[0xc0, 4, 0xc0, 4]), Rejected, Agreed),
        ("S without its data", made(0x50, 2, b""), Closed, Closed),
        ("S with three bytes, and R", made(0x70, 2, b"abc"), Closed, Closed),
        ("not S", made(0x40, 2, &[0xc0, 4, 0xc0, 4]), Closed, Agreed),
        ("not S, and R", made(0x60, 2, &[0xc0, 4, 0xc0, 4]), Closed, Agreed),
        ("revision 1", made(0x50, 1, &[0xc0, 4, 0xc0, 4]), Closed, Agreed),
        ("revision 1, and R", made(0x70, 1, &[0xc0, 4, 0xc0, 4]), Closed, Agreed),
    ];
    let client_server = vec![
        ("B and C without A", made(0x50, 2, &[0x40, 4, 0xc0, 4]), Agreed, Agreed),
        ("A unasked", made(0x50, 2, &[0xc0, 4, 0xc0, 2]), Terminated(7), Agreed),
        ("an IRD of 1", made(0x50, 2, &[0, 1, 0, 4]), Agreed, Rejected),
    ];
    let unasked = vec![
        ("S", made(0x50, 2, &[0xc0, 4, 0xc0, 4]), Closed, Agreed),
        ("S and R", made(0x70, 2, &[0xc0, 4, 0xc0, 4]), Closed, Agreed),
        ("revision 1", made(0x40, 1, b""), Agreed, Agreed),
        ("revision 0", made(0x40, 0, b""), Closed, Rejected),
    ];
    let enhanced = SetupConfig::enhanced;
    [
        (SetupConfig::default(), plain),
        (SetupConfig { peer_to_peer: true, ..enhanced() }, peer_to_peer),
        (SetupConfig { required_ord: 2, ..enhanced() }, client_server),
        (SetupConfig { enhanced: false, ..enhanced() }, unasked),
    ]
}

/// What is seen where these frames are heard, each on a connection of its own; then an empty Write.
pub(crate) fn play(config: &Config) -> Trace {
    let each = |(setup, rows): (SetupConfig, Vec<Row>)| {
        rows.into_iter().map(move |(_, bytes, ..)| {
            let mut raw = Raw::new(Config { setup: setup.clone(), ..config.clone() });
            raw.transmit();
            raw.feed(&bytes);
            raw.transmit();
            raw.feed_ulpdu(&tagged([0xc1, 0x40], 0, 0, b""));
            raw.seen()
        })
    };
    let frames = rows(config.role).into_iter().flat_map(each);
    // In pieces, and cut off; rejected, and accepted late.
    let whole = frame(config.role, 0x40, 1, b"some");
    let asks = frame(config.role, 0x60, 1, b"");
    type Step<'a> = (bool, &'a [u8], &'a dyn Fn(&mut Raw));
    let steps: [Step<'_>; 4] = [
        (true, &whole[..22], &|raw| raw.feed(&whole[22..])),
        (true, &whole[..22], &|raw| raw.connection.handle_finish(Duration::ZERO)),
        (false, &asks, &|raw| raw.connection.reject(b"no")),
        (false, &asks, &|raw| raw.connection.accept(b"yes")),
    ];
    let steps = steps.into_iter().map(|(accepts, frame, then)| {
        let mut raw = Raw::new(Config { accepts, ..config.clone() });
        raw.transmit();
        raw.feed(frame);
        then(&mut raw);
        raw.seen()
    });
    frames.chain(steps).collect()
}

#[test]
fn each_frame_leads_where_the_documents_say() {
    for role in [Role::Initiator, Role::Responder] {
        for (setup, rows) in rows(role) {
            for (what, bytes, at_initiator, at_responder) in rows {
                let due = if role == Role::Initiator { at_initiator } else { at_responder };
                let mut raw =
                    Raw::new(Config { setup: setup.clone(), ..Config::new(role, STREAM) });
                raw.transmit();
                raw.feed(&bytes);
                let what = format!("{what} at {role:?}");
                if let Terminated(code) = due {
                    assert_eq!(raw.terminate(), [0x20, code, 0, 0], "{what}");
                    continue;
                }
                let (sent, events) = (raw.transmit(), raw.events().collect::<Vec<_>>());
                let failure = SetupFailure::Violation(Violation::SetupFrame);
                // RFC 6581 section 10: who asked with revision 2 may ask again.
                let two = setup.revision == SetupRevision::Two;
                let revision_one_may_do = two && role == Role::Initiator;
                let failed = Event::SetupFailed { failure, revision_one_may_do };
                let found = match &events[..] {
                    [.., Event::Established(_)] if raw.connection.agreement().is_some() => Agreed,
                    [it] if *it == failed && sent == [Transmit::Finish] => Closed,
                    [.., Event::Rejected { .. } | Event::Ended(_)] => Rejected,
                    other => panic!("{what}: {sent:?}, {other:?}"),
                };
                assert_eq!(found, due, "{what}: {sent:?}, {events:?}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Nothing panics or goes on for ever, and what was posted completes once.
    #[test]
    fn any_bytes_for_a_setup_frame(bytes in proptest::collection::vec(any::<u8>(), 0..700)) {
        for begin in [&b""[..], b"MPA ID Req Frame"] {
            let setup = SetupConfig::enhanced();
            let mut raw = Raw::new(Config { setup, ..config(Profile::EXT_V2) });
            raw.receive(1, 3000);
            raw.ask(read_op(local(raw.tags.own, BASE), 8, remote(1, 0)));
            for piece in [begin, &bytes].concat().chunks(7) {
                raw.feed(piece);
                prop_assert!(raw.transmit().len() < 1000, "it does not stop sending");
            }
            raw.connection.handle_finish(Duration::ZERO);
            raw.transmit();
            raw.connection.abort();
            let completions = std::iter::from_fn(|| raw.connection.poll_completion()).count();
            prop_assert_eq!(completions, 2);
            prop_assert!(raw.connection.is_ended());
        }
    }
}

/// A peer that announces much and sends little: what is kept is what came.
#[test]
fn what_is_kept_is_what_came() {
    let mut raw = Raw::operating(config(Profile::RFC5040));
    let mut bytes = u16::MAX.to_be_bytes().to_vec();
    bytes.resize(100, 0x41);
    raw.feed(&bytes);
    assert_eq!(raw.transmit(), []);
    assert!(!raw.connection.is_ended());
}
