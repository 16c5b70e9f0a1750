use super::*;
use crate::violation::Violation;
use warpscope_wire::mpa::{NOT_NEGOTIATED, ReadyToReceive, Role, Setup, SetupView};

fn octets(setup: &Setup) -> Vec<u8> {
    let mut octets = vec![0xee; setup.length()];
    setup.emit(&mut octets).unwrap();
    octets
}

fn view(octets: &[u8]) -> SetupView<'_> {
    SetupView::parse(octets).unwrap().0
}

/// The octets of a reply to `initiator` by `responder`, and the responder's agreement.
fn answered(initiator: &SetupConfig, responder: &SetupConfig) -> (Vec<u8>, Option<Agreement>) {
    let request = octets(&request(initiator).unwrap());
    let request = read_request(responder, &view(&request)).unwrap();
    let (reply, agreement) = accept(responder, &request, b"hello").unwrap();
    (octets(&reply), agreement)
}

/// RFC 5044 section 7.1.1: M is decided by the receiver of a direction, C by either side.
#[test]
fn markers_and_crc_in_every_combination() {
    for bits in 0..16_u8 {
        let [a, b, c, d] = [1, 2, 4, 8].map(|bit| bits & bit != 0);
        let initiator = SetupConfig { markers: a, crc: b, ..SetupConfig::default() };
        let responder = SetupConfig { markers: c, crc: d, ..SetupConfig::default() };
        let (reply, theirs) = answered(&initiator, &responder);
        let Ok(Answer::Accepted(mine, None)) = read_reply(&initiator, &view(&reply)) else {
            panic!("not accepted");
        };
        let theirs = theirs.unwrap();
        assert_eq!((mine.send_markers, mine.receive_markers, mine.crc), (c, a, b || d));
        assert_eq!((theirs.send_markers, theirs.receive_markers, theirs.crc), (a, c, b || d));
        assert_eq!(mine.private_data, b"hello");
    }
}

/// RFC 6581 section 9.1: after the setup, no side's ORD is over the other's IRD.
#[test]
fn depths_fit_each_other() {
    for [ird, ord, their_ird, their_ord] in [[4, 8, 2, 16], [0, 0, 3, 3], [9, 1, 1, 9]] {
        let initiator = SetupConfig { ird, ord, ..SetupConfig::enhanced() };
        let responder = SetupConfig { ird: their_ird, ord: their_ord, ..SetupConfig::enhanced() };
        let (reply, theirs) = answered(&initiator, &responder);
        let Ok(Answer::Accepted(mine, None)) = read_reply(&initiator, &view(&reply)) else {
            panic!("not accepted");
        };
        let theirs = theirs.unwrap();
        assert!(mine.ord <= theirs.ird && theirs.ord <= mine.ird);
        assert_eq!((theirs.peer_ird, theirs.peer_ord), (Some(ird), Some(ord)));
        assert_eq!(mine.peer_ird, Some(theirs.ird));
    }
}

/// RFC 6581 section 9.1: 0x3FFF is answered by 0x3FFF, and changes nothing.
#[test]
fn depths_that_are_not_negotiated_stay() {
    let initiator =
        SetupConfig { negotiate_depths: false, ird: 3, ord: 5, ..SetupConfig::enhanced() };
    let responder = SetupConfig { ird: 1, ord: 20, ..SetupConfig::enhanced() };
    let (reply, theirs) = answered(&initiator, &responder);
    let enhanced = view(&reply).enhanced().unwrap();
    assert_eq!((enhanced.ird(), enhanced.ord()), (NOT_NEGOTIATED, NOT_NEGOTIATED));
    let theirs = theirs.unwrap();
    assert_eq!((theirs.ird, theirs.ord), (1, 20));
    let Ok(Answer::Accepted(mine, None)) = read_reply(&initiator, &view(&reply)) else {
        panic!("not accepted");
    };
    assert_eq!((mine.ird, mine.ord), (3, 5));
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

/// RFC 6581 section 9.2: a reply without A to a request with A is another connection model.
#[test]
fn a_reply_that_drops_control_flag_a_is_refused() {
    let initiator = SetupConfig { peer_to_peer: true, ..SetupConfig::enhanced() };
    let (mut reply, _) = answered(&initiator, &SetupConfig::enhanced());
    reply[20] &= 0x3f;
    reply[22] &= 0x3f;
    let answer = read_reply(&initiator, &view(&reply)).unwrap();
    assert!(matches!(answer, Answer::Unusable(_, Violation::NoMatchingReadyToReceive)));
    // The other way round: A where it was not asked for.
    let (mut reply, _) = answered(&SetupConfig::enhanced(), &SetupConfig::enhanced());
    reply[20] |= 0xc0;
    let answer = read_reply(&SetupConfig::enhanced(), &view(&reply)).unwrap();
    assert!(matches!(answer, Answer::Unusable(_, Violation::NoMatchingReadyToReceive)));
}

/// RFC 6581 section 9.1: a responder that wants more than the initiator can hold.
#[test]
fn too_large_an_ord_is_insufficient_ird() {
    let initiator = SetupConfig { ird: 4, ..SetupConfig::enhanced() };
    let (mut reply, _) = answered(&initiator, &SetupConfig::enhanced());
    reply[23] = 5;
    let answer = read_reply(&initiator, &view(&reply)).unwrap();
    assert!(matches!(answer, Answer::Unusable(_, Violation::InsufficientIrd)));
    let responder = SetupConfig { required_ord: 5, ..SetupConfig::enhanced() };
    let (reply, agreement) = answered(&initiator, &responder);
    assert_eq!(agreement, None);
    let answer = read_reply(&initiator, &view(&reply)).unwrap();
    assert!(matches!(answer, Answer::Rejected { ord: Some(5), .. }));
}

/// RFC 6581 section 10: each responder answers as it was asked; an old one refuses revision 2.
#[test]
fn revisions_meet() {
    let two = SetupConfig { revision: SetupRevision::Two, ..SetupConfig::default() };
    for revision in [SetupRevision::Zero, SetupRevision::One, SetupRevision::Two] {
        let initiator = SetupConfig { revision, ..SetupConfig::default() };
        let (reply, _) = answered(&initiator, &two);
        assert_eq!(reply[17], revision as u8);
        assert!(!view(&reply).header.enhanced_flag());
        assert!(matches!(read_reply(&initiator, &view(&reply)), Ok(Answer::Accepted(..))));
    }
    let request = octets(&request(&SetupConfig::enhanced()).unwrap());
    let refused = read_request(&SetupConfig::default(), &view(&request));
    assert_eq!(refused, Err(Violation::SetupFrame));
}

/// RFC 5044 section 7.1.1 and 7.1.2 rules 5, 8 and 9.
#[test]
fn a_frame_is_refused_as_soon_as_it_cannot_be_one() {
    let good = octets(&request(&SetupConfig::default()).unwrap());
    let read = |octets: &[u8]| FrameReader::new(Role::Request).push(octets);
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
    for octet in &good[..good.len() - 1] {
        assert_eq!(reader.push(&[*octet]), Ok(None));
    }
    assert!(matches!(reader.push(&good[good.len() - 1..]), Ok(Some(_))));
}

/// RFC 5044 section 7.1.1: R in a request and reserved bits are not checked.
#[test]
fn reserved_bits_of_a_request_are_not_checked() {
    let mut good = octets(&request(&SetupConfig::default()).unwrap());
    good[16] |= 0x3f;
    let read = read_request(&SetupConfig::default(), &view(&good)).unwrap();
    assert_eq!(read.enhanced, None);
}
