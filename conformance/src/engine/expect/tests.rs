//! What the documents say of Terminates, judged on bytes written by hand.

use super::{Echo, Expectation, Judged, Pattern, Progress, TerminateCode, TerminatePattern};
use super::{MessagePattern, SetupPattern};
use crate::engine::{Arrival, Link, LinkOptions, What};
use std::time::Duration;

const SECOND: Duration = Duration::from_secs(1);

/// A link that received a reply that accepts, without CRCs, and then these ULPDUs.
fn link(ulpdus: &[&[u8]]) -> Link {
    let mut link = Link::new(LinkOptions::default());
    link.receive(SECOND, b"MPA ID Rep Frame\x00\x01\x00\x00");
    for ulpdu in ulpdus {
        let mut fpdu = (ulpdu.len() as u16).to_be_bytes().to_vec();
        fpdu.extend_from_slice(ulpdu);
        fpdu.resize(fpdu.len().next_multiple_of(4), 0);
        fpdu.extend([0; 4]);
        link.receive(SECOND, &fpdu);
    }
    link
}

/// An untagged segment, L, DV 1, RV 1.
fn untagged(opcode: u8, queue: u8, sequence: u8, payload: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0x41, 0x40 | opcode, 0, 0, 0, 0, 0, 0, 0, queue, 0, 0, 0, sequence];
    bytes.extend([0, 0, 0, 0]);
    bytes.extend_from_slice(payload);
    bytes
}

/// RFC 5040 figure 7: RDMAP, remote protection, access rights; M, D and R; then the headers.
fn terminate(segment: &[u8], code: u8) -> Vec<u8> {
    let mut payload = vec![0x01, code, 0xe0, 0x00, 0, segment.len() as u8];
    payload.extend_from_slice(segment);
    untagged(7, 2, 1, &payload)
}

fn last(link: &Link) -> &What {
    &link.arrivals().last().unwrap().what
}

#[test]
fn a_terminate_that_echoes_the_read_request() {
    let request = untagged(1, 1, 1, &[7; 28]);
    let pattern = TerminatePattern {
        codes: vec![TerminateCode::new(0, 1, 2)],
        ddp_header: Echo::Is(request.clone()),
        rdmap_header: Echo::Is(vec![7; 28]),
    };
    let pattern = Pattern::Terminate(pattern);
    assert_eq!(pattern.judge(last(&link(&[&terminate(&request, 2)]))), Judged::Matches);

    let Judged::Strict(why) = pattern.judge(last(&link(&[&terminate(&request, 0)]))) else {
        panic!("another code is torn down all the same");
    };
    assert!(why.contains("invalid STag"), "{why}");

    let other = untagged(1, 1, 2, &[7; 28]);
    let Judged::Differs(why) = pattern.judge(last(&link(&[&terminate(&other, 2)]))) else {
        panic!("another DDP header is echoed");
    };
    assert!(why.contains("byte 13 is 0x02, not 0x01"), "{why}");

    let mut long = terminate(&request, 2);
    long[18 + 5] += 1;
    assert!(matches!(pattern.judge(last(&link(&[&long]))), Judged::Differs(_)));

    let cut = untagged(7, 2, 1, &[0x01, 2, 0xe0, 0, 0, 46, 0x41]);
    assert!(matches!(pattern.judge(last(&link(&[&cut]))), Judged::Differs(_)));
    let wrong_queue = [&terminate(&request, 2)[..9], &[3], &terminate(&request, 2)[10..]].concat();
    assert!(matches!(pattern.judge(last(&link(&[&wrong_queue]))), Judged::Differs(_)));
}

#[test]
fn torn_down_without_a_terminate() {
    let mut link = link(&[]);
    link.finished(SECOND);
    let pattern = Pattern::Terminate(TerminatePattern::code(TerminateCode::new(2, 0, 2)));
    let expectation = Expectation::next(vec![pattern], SECOND);
    let Progress::Strict(met, _) = expectation.judge(link.arrivals(), 1) else {
        panic!("the stream was torn down");
    };
    // The end is still there for who expects it.
    let closed = Expectation::next(vec![Pattern::Closed], SECOND);
    assert!(matches!(closed.judge(link.arrivals(), met.cursor), Progress::Met(_)));
    let graceful = Expectation::next(vec![Pattern::Reset], SECOND);
    assert!(matches!(graceful.judge(link.arrivals(), met.cursor), Progress::Failed(1, _)));
}

#[test]
fn order_and_alternatives() {
    let link = link(&[&untagged(3, 0, 1, b"a"), &untagged(5, 0, 2, b"b")]);
    let arrivals: &[Arrival] = link.arrivals();
    let of = |opcode| Pattern::Message(MessagePattern::opcode(opcode));
    let judge = |expectation: Expectation| expectation.judge(arrivals, 1);
    let in_order = |patterns| judge(Expectation::InOrder { patterns, within: SECOND });
    assert!(matches!(in_order(vec![of(3), of(5)]), Progress::Met(_)));
    let Progress::Failed(1, why) = in_order(vec![of(5), of(3)]) else { panic!("wrong order") };
    assert!(why.contains("came before"), "{why}");
    assert_eq!(in_order(vec![of(5), of(7)]), Progress::Waiting);

    let all = judge(Expectation::AllOf { patterns: vec![of(5), of(3)], within: SECOND });
    let Progress::Met(met) = all else { panic!("both came") };
    assert_eq!((met.arrivals, met.cursor), (vec![2, 1], 3));

    let next = judge(Expectation::next(vec![of(7), of(3)], SECOND));
    assert!(matches!(next, Progress::Met(met) if met.alternative == 1 && met.cursor == 2));
    let skip = vec![of(3)];
    let any_of = vec![of(5)];
    let next = Expectation::Next { any_of, skip, skip_all: false, within: SECOND };
    assert!(matches!(judge(next), Progress::Met(met) if met.cursor == 3));
    let nothing = |of| judge(Expectation::Nothing { of, during: SECOND });
    assert!(matches!(nothing(vec![of(5)]), Progress::Failed(2, _)));
    assert_eq!(nothing(vec![of(7)]), Progress::Waiting);
    assert!(matches!(nothing(vec![]), Progress::Failed(1, _)));
}

#[test]
fn a_setup_frame_byte_by_byte() {
    let mut link = Link::new(LinkOptions::default());
    for (count, byte) in b"MPA ID Rep Frame\x20\x01\x00\x01x".iter().enumerate() {
        assert_eq!(link.receive(SECOND, &[*byte]).len(), usize::from(count == 20));
    }
    let setup = link.peer_setup().unwrap();
    assert!(setup.rejected() && setup.private_data() == b"x");
    let request = SetupPattern { reply: Some(false), ..SetupPattern::default() };
    assert!(matches!(Pattern::Setup(request).judge(last(&link)), Judged::Differs(_)));
    link.receive(SECOND, b"");
    let mut other = Link::new(LinkOptions::default());
    other.receive(SECOND, b"MPA IX");
    assert!(matches!(last(&other), What::Unreadable(..)));
}

#[test]
fn a_wrong_crc_and_a_pad_are_told() {
    let send = untagged(3, 0, 1, b"abc");
    let mut link = Link::new(LinkOptions::default());
    link.receive(SECOND, b"MPA ID Rep Frame\x40\x01\x00\x00");
    let mut fpdu = vec![0, 21];
    fpdu.extend(&send);
    fpdu.extend([9, 1, 2, 3, 4]);
    link.receive(SECOND, &fpdu);
    let mut pattern = MessagePattern::opcode(3);
    let judged = Pattern::Message(pattern.clone()).judge(last(&link));
    assert!(matches!(judged, Judged::Differs(why) if why.contains("0x01020304")));
    pattern.frames.any = true;
    assert_eq!(Pattern::Message(pattern).judge(last(&link)), Judged::Matches);
}
