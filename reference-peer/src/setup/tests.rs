use super::*;
use crate::violation::Violation;
use warpscope_wire::mpa::{NOT_NEGOTIATED, ReadyToReceive, Role, Setup, SetupView};

fn bytes(setup: &Setup) -> Vec<u8> {
    let mut bytes = vec![0xee; setup.length()];
    setup.emit(&mut bytes).unwrap();
    bytes
}

fn view(bytes: &[u8]) -> SetupView<'_> {
    SetupView::parse(bytes).unwrap().0
}

/// The bytes of a reply to `initiator` by `responder`, and the responder's agreement.
fn answered(initiator: &SetupConfig, responder: &SetupConfig) -> (Vec<u8>, Option<Agreement>) {
    let request = bytes(&request(initiator).unwrap());
    let request = read_request(responder, &view(&request)).unwrap();
    let (reply, agreement) = accept(responder, &request, b"hello").unwrap();
    (bytes(&reply), agreement)
}

/// What the initiator agreed to.
fn accepted(initiator: &SetupConfig, reply: &[u8]) -> Agreement {
    match read_reply(initiator, &view(reply)) {
        Ok(Answer::Accepted(agreement, None)) => agreement,
        other => panic!("not accepted: {other:?}"),
    }
}

/// RFC 6581 section 9.1: after the setup, no side's ORD is over the other's IRD. An open depth is answered
/// by an open one, and changes nothing; the ULP gets what the peer named.
#[test]
fn depths_fit_each_other() {
    const OPEN: u16 = NOT_NEGOTIATED;
    // IRD and ORD: asked for, the responder's own, its answer, what it keeps, what the initiator keeps.
    for [asked, own, answer, kept, mine] in [
        [(4, 8), (2, 16), (2, 4), (2, 4), (4, 2)],
        [(0, 0), (3, 3), (3, 0), (3, 0), (0, 0)],
        [(9, 1), (1, 9), (1, 9), (1, 9), (9, 1)],
        [(OPEN, 8), (3, 20), (3, OPEN), (3, 20), (OPEN, 3)],
        [(8, OPEN), (3, 20), (OPEN, 8), (3, 8), (8, OPEN)],
        [(OPEN, OPEN), (1, 20), (OPEN, OPEN), (1, 20), (3, 5)],
    ] {
        let config = |(ird, ord)| SetupConfig { ird, ord, ..SetupConfig::enhanced() };
        let both = asked == (OPEN, OPEN);
        let initiator = if both {
            SetupConfig { negotiate_depths: false, ..config((3, 5)) }
        } else {
            config(asked)
        };
        let (reply, theirs) = answered(&initiator, &config(own));
        let (agreed, theirs) = (accepted(&initiator, &reply), theirs.unwrap());
        let enhanced = view(&reply).enhanced().unwrap();
        assert_eq!((enhanced.ird(), enhanced.ord()), answer, "{asked:?}");
        assert_eq!((theirs.ird, theirs.ord), kept, "{asked:?}");
        assert_eq!((agreed.ird, agreed.ord), mine, "{asked:?}");
        assert_eq!((theirs.peer_ird, theirs.peer_ord), (Some(asked.0), Some(asked.1)));
        assert_eq!((agreed.peer_ird, agreed.peer_ord), (Some(answer.0), Some(answer.1)));
    }
}

/// RFC 6581 section 9.2: the initiator sends a kind that both have, and only such a one.
#[test]
fn the_indication_is_one_that_both_have() {
    for asked in 1..8_u8 {
        for offered in 1..8_u8 {
            let set = |bits: u8| ReadyToReceive::new(bits & 1 != 0, bits & 2 != 0, bits & 4 != 0);
            let initiator = SetupConfig {
                peer_to_peer: true,
                ready_to_receive: set(asked),
                ..SetupConfig::enhanced()
            };
            let responder =
                SetupConfig { ready_to_receive: set(offered), ..SetupConfig::enhanced() };
            let (reply, _) = answered(&initiator, &responder);
            assert!(view(&reply).enhanced().unwrap().control_a());
            match read_reply(&initiator, &view(&reply)).unwrap() {
                Answer::Accepted(_, Some(indication)) => {
                    assert!(indication.is_in(set(asked & offered).unwrap()));
                }
                Answer::Unusable(_, violation) => {
                    assert_eq!(violation, Violation::NoMatchingReadyToReceive);
                    assert_eq!(asked & offered, 0);
                }
                other => panic!("{other:?}"),
            }
        }
    }
}

/// RFC 6581 section 9.1 and RFC 5040 section 6.1: a responder with an IRD of 0 takes no Read, even if its
/// reply names it. Another indication is sent, or there is none.
#[test]
fn no_read_is_sent_to_a_responder_without_depth() {
    let initiator = SetupConfig { peer_to_peer: true, ..SetupConfig::enhanced() };
    let (mut reply, _) = answered(&initiator, &initiator);
    // A and IRD, with B or without; D and ORD.
    for (bytes, due) in [([0xc0, 0, 0x40, 4], Some(Indication::Send)), ([0x80, 0, 0x40, 4], None)] {
        reply[20..24].copy_from_slice(&bytes);
        match read_reply(&initiator, &view(&reply)).unwrap() {
            Answer::Accepted(_, indication) => assert_eq!(indication, due),
            Answer::Unusable(_, violation) => {
                assert_eq!((violation, due), (Violation::NoMatchingReadyToReceive, None));
            }
            other => panic!("{other:?}"),
        }
    }
}

/// RFC 6581 section 9.1: a responder that wants more than the initiator can hold.
#[test]
fn too_large_an_ord_is_insufficient_ird() {
    let initiator = SetupConfig { ird: 4, ..SetupConfig::enhanced() };
    let responder = SetupConfig { required_ord: 5, ..SetupConfig::enhanced() };
    let (reply, agreement) = answered(&initiator, &responder);
    assert_eq!(agreement, None);
    let answer = read_reply(&initiator, &view(&reply)).unwrap();
    assert!(matches!(answer, Answer::Rejected { ord: Some(5), .. }));
}

/// RFC 6581 section 9.2: A without B, C and D is no legal request; a responder still answers by what
/// it supports.
#[test]
fn a_peer_to_peer_model_without_indications() {
    let initiator = SetupConfig { peer_to_peer: true, ..SetupConfig::enhanced() };
    let mut frame = bytes(&request(&initiator).unwrap());
    frame[20] &= !0x40;
    frame[22] &= !0xc0;
    let asked = read_request(&SetupConfig::enhanced(), &view(&frame)).unwrap();
    let (reply, _) = accept(&SetupConfig::enhanced(), &asked, b"").unwrap();
    let reply = bytes(&reply);
    let enhanced = view(&reply).enhanced().unwrap();
    assert!(enhanced.control_a());
    assert!(enhanced.control_b() || enhanced.control_c() || enhanced.control_d());
}

/// RFC 6581 section 10: each responder answers as it was asked; an old one refuses revision 2.
#[test]
fn revisions_meet() {
    let two = SetupConfig { revision: SetupRevision::Two, ..SetupConfig::default() };
    for revision in [SetupRevision::One, SetupRevision::Two] {
        let initiator = SetupConfig { revision, ..SetupConfig::default() };
        let (reply, _) = answered(&initiator, &two);
        assert_eq!(reply[17], revision as u8);
        assert!(!view(&reply).header.enhanced_flag());
        assert!(matches!(read_reply(&initiator, &view(&reply)), Ok(Answer::Accepted(..))));
    }
    let request = bytes(&request(&SetupConfig::enhanced()).unwrap());
    let refused = read_request(&SetupConfig::default(), &view(&request));
    assert_eq!(refused, Err(Violation::SetupFrame));
}

/// RFC 6581 section 6: a frame without enhanced data may have revision 1, and so may the reply to a plain
/// request of revision 2. No reply of revision 1 answers an enhanced request (section 10).
#[test]
fn a_plain_reply_may_have_revision_1() {
    let plain = SetupConfig { revision: SetupRevision::Two, ..SetupConfig::default() };
    let (mut reply, _) = answered(&plain, &plain);
    assert_eq!(accepted(&plain, &reply).revision, SetupRevision::Two);
    reply[17] = 1;
    assert_eq!(accepted(&plain, &reply).revision, SetupRevision::One);
    let refused = read_reply(&SetupConfig::enhanced(), &view(&reply));
    assert_eq!(refused, Err(Violation::SetupFrame));
    reply[17] = 0;
    assert_eq!(read_reply(&plain, &view(&reply)), Err(Violation::SetupFrame));
}

/// RFC 5044 section C.2.1: version 0 of MPA goes with version 0 of RDMAP, which is not here.
#[test]
fn revision_0_is_answered_by_revision_1_and_rejected() {
    let two = SetupConfig { revision: SetupRevision::Two, ..SetupConfig::default() };
    let initiator = SetupConfig { revision: SetupRevision::Zero, ..SetupConfig::default() };
    let (reply, agreement) = answered(&initiator, &two);
    assert_eq!((reply[17], agreement), (1, None));
    assert!(view(&reply).header.rejected());
    assert_eq!(read_reply(&initiator, &view(&reply)), Err(Violation::SetupFrame));
}

/// RFC 5044 section 7.1.1 and 7.1.2 rules 5, 8 and 9.
#[test]
fn a_frame_is_refused_as_soon_as_it_cannot_be_one() {
    let good = bytes(&request(&SetupConfig::default()).unwrap());
    let read = |bytes: &[u8]| FrameReader::new(Role::Request).push(bytes);
    assert!(matches!(read(&good), Ok(Some(_))));
    assert_eq!(read(&good[..19]), Ok(None));
    assert_eq!(read(b"MPA ID Rep"), Err(Violation::SetupFrame));
    assert_eq!(read(b"GET"), Err(Violation::SetupFrame));
    let mut long = good.clone();
    long[18..20].copy_from_slice(&513_u16.to_be_bytes());
    assert_eq!(read(&long), Err(Violation::SetupFrame));
    let mut more = good.clone();
    more.push(0);
    assert_eq!(read(&more), Err(Violation::SetupFrame));
    let mut reader = FrameReader::new(Role::Request);
    for byte in &good[..good.len() - 1] {
        assert_eq!(reader.push(&[*byte]), Ok(None));
    }
    assert!(matches!(reader.push(&good[good.len() - 1..]), Ok(Some(_))));
}

/// RFC 6581 section 9.1: for an open ORD the responder's IRD stays, even if it is 0; then it must not
/// name a Read as indication. For an ORD of 0 it may grow to 1.
#[test]
fn an_open_depth_is_not_raised_for_an_indication() {
    let responder = SetupConfig { ird: 0, ..SetupConfig::enhanced() };
    let ask = |ord| SetupConfig { ord, peer_to_peer: true, ..SetupConfig::enhanced() };
    let (reply, theirs) = answered(&ask(NOT_NEGOTIATED), &responder);
    let enhanced = view(&reply).enhanced().unwrap();
    assert_eq!(enhanced.ird(), NOT_NEGOTIATED);
    assert!(enhanced.control_b() && enhanced.control_c() && !enhanced.control_d());
    assert_eq!(theirs.unwrap().ird, 0);
    let (reply, theirs) = answered(&ask(0), &responder);
    let enhanced = view(&reply).enhanced().unwrap();
    assert_eq!((enhanced.ird(), enhanced.control_d()), (1, true));
    assert_eq!(theirs.unwrap().ird, 1);
}

/// RFC 6581 section 9: the enhanced data takes four of the 512 bytes of private data.
#[test]
fn enhanced_data_takes_room_from_the_ulp() {
    for (enhanced, most) in [(false, 512), (true, 508)] {
        let config = |length| SetupConfig {
            private_data: vec![7; length],
            enhanced,
            ..SetupConfig::enhanced()
        };
        let frame = bytes(&request(&config(most)).unwrap());
        assert_eq!(frame.len(), 20 + 512);
        assert_eq!(frame[18..20], [2, 0]);
        let read = FrameReader::new(Role::Request).push(&frame).unwrap().unwrap();
        let read = read_request(&SetupConfig::enhanced(), &read.view().unwrap()).unwrap();
        assert_eq!(read.private_data, vec![7; most]);
        assert_eq!(read.enhanced.is_some(), enhanced);
        assert!(request(&config(most + 1)).is_err());
        let responder = SetupConfig::enhanced();
        assert!(accept(&responder, &read, &vec![0; most]).is_ok());
        assert!(accept(&responder, &read, &vec![0; most + 1]).is_err());
    }
}
