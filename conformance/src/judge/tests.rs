//! What the documents say, judged on bytes written by hand.

use super::{
    Difference, Echo, Expectation, KnownFaults, MatchResult, Pattern, Progress, Protocol,
    SetupPattern, TerminateCode, TerminatePattern,
};
use crate::case::step::{Matcher, MessagePattern, Ulpdus};
use crate::layout::{Given, Layouts};
use crate::stream::{RawStream, Received};
use std::sync::LazyLock;
use std::time::Duration;

const SECOND: Duration = Duration::from_secs(1);
static LAYOUTS: LazyLock<Layouts> = LazyLock::new(|| Layouts::builtin().unwrap());

fn protocol(version: u64) -> Protocol<'static> {
    Protocol { layouts: &LAYOUTS, version, faults: KnownFaults::default() }
}

/// A stream that received a reply that accepts, without CRCs, and then these ULPDUs.
fn stream(ulpdus: &[&[u8]]) -> RawStream {
    let mut stream = RawStream::new();
    stream.receive(b"MPA ID Rep Frame\x00\x01\x00\x00");
    for ulpdu in ulpdus {
        let mut fpdu = (ulpdu.len() as u16).to_be_bytes().to_vec();
        fpdu.extend_from_slice(ulpdu);
        fpdu.resize(fpdu.len().next_multiple_of(4), 0);
        fpdu.extend([0; 4]);
        stream.receive(&fpdu);
    }
    stream
}

fn last(ulpdus: &[&[u8]]) -> Received {
    stream(ulpdus).received().last().unwrap().clone()
}

/// An untagged segment, L, DV 1, RV 1.
fn untagged(opcode: u8, queue: u8, sequence: u8, payload: &[u8]) -> Vec<u8> {
    let queue = [0, 0, 0, 0, 0, 0, 0, queue, 0, 0, 0, sequence, 0, 0, 0, 0];
    [&[0x41, 0x40 | opcode][..], &queue, payload].concat()
}

/// An untagged segment of queue 0, MSN 1: DDP control, RDMAP control, MO, payload.
fn segment(ddp: u8, rdmap: u8, offset: u8, payload: &[u8]) -> Vec<u8> {
    [&[ddp, rdmap, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, offset], payload].concat()
}

/// RFC 5040 figure 7: RDMAP, remote protection, access rights; M, D and R; then the headers.
fn terminate(segment: &[u8], code: u8) -> Vec<u8> {
    let mut payload = vec![0x01, code, 0xe0, 0x00, 0, segment.len() as u8];
    payload.extend_from_slice(segment);
    untagged(7, 2, 1, &payload)
}

fn terminate_pattern(code: (u8, u8, u8), ddp_header: Echo, rdmap_header: Echo) -> Pattern {
    let code = TerminateCode { layer: code.0, error_type: Some(code.1), code: Some(code.2) };
    let message = MessagePattern::new("terminate");
    Pattern::Terminate(TerminatePattern { codes: vec![code], ddp_header, rdmap_header, message })
}

fn message(name: &str) -> MessagePattern<Given> {
    MessagePattern::new(name)
}

fn field(name: &str, matcher: Matcher<Given>) -> (String, Matcher<Given>) {
    (name.to_owned(), matcher)
}

#[track_caller]
fn difference(pattern: Pattern, received: &Received, version: u64) -> String {
    match pattern.judge(received, protocol(version)) {
        MatchResult::Differs(why) => why,
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn matches(pattern: Pattern, received: &Received, version: u64) {
    assert_eq!(pattern.judge(received, protocol(version)), MatchResult::Matches);
}

#[test]
fn a_terminate_that_echoes_the_read_request() {
    let request = untagged(1, 1, 1, &[7; 28]);
    let pattern = || terminate_pattern((0, 1, 2), Echo::Is(request.clone()), Echo::Is(vec![7; 28]));
    matches(pattern(), &last(&[&terminate(&request, 2)]), 1);
    let why = |ulpdu: &[u8]| difference(pattern(), &last(&[ulpdu]), 1);
    let other_code = why(&terminate(&request, 0));
    assert!(other_code.contains("invalid STag"), "{other_code}");
    let other_header = why(&terminate(&untagged(1, 1, 2, &[7; 28]), 2));
    assert!(other_header.contains("byte 13 is 0x02, not 0x01"), "{other_header}");
    let mut long = terminate(&request, 2);
    long[18 + 5] += 1;
    why(&long);
    why(&untagged(7, 2, 1, &[0x01, 2, 0xe0, 0, 0, 46, 0x41]));
    why(&[&terminate(&request, 2)[..9], &[3], &terminate(&request, 2)[10..]].concat());
}

/// The same with another code, and another MSN in the DDP header; and a Send in its place.
#[test]
fn what_differs_is_named_and_marked() {
    let request = untagged(1, 1, 1, &[7; 28]);
    let pattern = terminate_pattern((0, 1, 2), Echo::Is(request), Echo::Is(vec![7; 28]));
    let between = |ulpdu: &[u8]| {
        Difference::between(std::slice::from_ref(&pattern), &last(&[ulpdu]), protocol(1)).unwrap()
    };
    let found = between(&terminate(&untagged(1, 1, 2, &[7; 28]), 0));
    let differing = found.fields.iter().filter(|it| it.differs).map(|it| it.name.as_str());
    assert_eq!(differing.collect::<Vec<_>>(), ["error", "DDP header"]);
    assert!(found.fields[0].expected.starts_with("0/1/0x02"), "{found:?}");
    assert!(found.fields[0].came.starts_with("0/1/0x00"), "{found:?}");
    let lines = [
        "0010  00 00 00 00[01 00]e0 00 00 2e 41 41 00 00 00 00",
        "0020  00 00 00 01 00 00 00[02 00 00 00 00]07 07 07 07",
    ];
    assert_eq!(found.bytes[1..3], lines);

    let found = between(&untagged(3, 0, 1, b"data"));
    assert_eq!(found.fields[0].name, "message");
    // L, DV, then RV and the opcode.
    assert!(found.bytes[0].starts_with("0000  00 16 41[43]00"), "{found:?}");
}

/// Each byte of Terminate Control from its low end: 0/1 is 0x10, M, D and R are 0x07. It is wrong, and
/// what it says is judged; where a profile excuses the rule, that alone counts.
#[test]
fn a_terminate_that_is_filled_from_its_low_end() {
    let request = untagged(1, 1, 1, &[7; 28]);
    let pattern = || terminate_pattern((0, 1, 2), Echo::Is(request.clone()), Echo::Is(vec![7; 28]));
    let turned = |code: u8, length: u8| {
        let mut bytes = terminate(&request, code);
        (bytes[18], bytes[20], bytes[23]) = (0x10, 0x07, length);
        last(&[&bytes])
    };
    let (right, other_code, other_length) = (turned(2, 46), turned(0, 46), turned(2, 0));
    for (received, rest) in [
        (&right, "that is right"),
        (&other_code, "and then torn down with another code"),
        (&other_length, "and then its DDP Segment Length is 0, not 46"),
    ] {
        let why = difference(pattern(), received, 1);
        assert!(why.contains("filled from the low end") && why.contains(rest), "{why}");
    }
    let judged = |received: &Received, excused: &[&str]| {
        let faults = KnownFaults::excused(|rule| excused.contains(&rule));
        pattern().judge(received, Protocol { faults, ..protocol(1) })
    };
    let (control, length) = ("rdmap-terminate-control", "rdmap-terminate-segment-length");
    assert_eq!(judged(&right, &[control]), MatchResult::Matches);
    assert!(matches!(judged(&other_code, &[control, length]), MatchResult::Differs(_)));
    assert!(matches!(judged(&other_length, &[control]), MatchResult::Differs(_)));
    assert_eq!(judged(&other_length, &[control, length]), MatchResult::Matches);
}

#[test]
fn torn_down_without_a_terminate() {
    let mut stream = stream(&[]);
    stream.finished();
    let judge = |any_of, cursor| {
        Expectation::next(any_of, SECOND).judge(stream.received(), cursor, protocol(1))
    };
    let terminate = || terminate_pattern((2, 0, 2), Echo::Any, Echo::Any);
    assert!(matches!(judge(vec![terminate()], 1), Progress::Failed(1, _)));
    let tolerated = Pattern::Tolerated(Box::new(Pattern::Closed));
    let Progress::Strict(met, _) = judge(vec![terminate(), tolerated], 1) else {
        panic!("the stream was torn down");
    };
    // The end is still there for who expects it, and again for who expects it then.
    let Progress::Met(met) = judge(vec![Pattern::Closed], met.cursor) else { panic!("it ended") };
    assert!(matches!(judge(vec![Pattern::Closed], met.cursor), Progress::Met(_)));
    assert!(matches!(judge(vec![Pattern::Reset], met.cursor), Progress::Failed(1, _)));
}

/// What is wrong within what came is reported, and not that it is nothing else either.
#[test]
fn the_clearest_reason_is_told() {
    let request = untagged(1, 1, 1, &[7; 28]);
    let mut bytes = terminate(&request, 2);
    bytes[23] = 40;
    let mut stream = stream(&[&bytes]);
    stream.finished();
    let right = || terminate_pattern((0, 1, 2), Echo::Is(request.clone()), Echo::Any);
    let judge = |expectation: Expectation| expectation.judge(stream.received(), 1, protocol(1));
    let clear = "its DDP Segment Length is 40, not 46";
    let tolerated = |pattern: Pattern| Pattern::Tolerated(Box::new(pattern));
    let any = || terminate_pattern((0, 1, 2), Echo::Any, Echo::Any);
    let other = Pattern::Message(message("send"));
    let failed = |progress| match progress {
        Progress::Failed(1, why) => why,
        other => panic!("{other:?}"),
    };
    let next = |any_of| judge(Expectation::next(any_of, SECOND));
    assert_eq!(failed(next(vec![Pattern::Closed, other, right()])), clear);
    assert_eq!(
        failed(judge(Expectation::InOrder { patterns: vec![right()], within: SECOND })),
        clear
    );
    let Progress::Strict(_, why) = next(vec![right(), tolerated(any())]) else { panic!("strict") };
    assert_eq!(why, clear);
}

#[test]
fn order_and_alternatives() {
    let stream = stream(&[&untagged(3, 0, 1, b"a"), &untagged(5, 0, 2, b"b")]);
    let judge = |expectation: Expectation| expectation.judge(stream.received(), 1, protocol(1));
    let send = || Pattern::Message(message("send"));
    let solicited = || Pattern::Message(message("send_with_solicited_event"));
    let terminate = || Pattern::Message(message("terminate"));
    let in_order = |patterns| judge(Expectation::InOrder { patterns, within: SECOND });
    assert!(matches!(in_order(vec![send(), solicited()]), Progress::Met(_)));
    let Progress::Failed(1, why) = in_order(vec![solicited(), send()]) else { panic!("order") };
    assert!(why.contains("came before"), "{why}");
    assert_eq!(in_order(vec![solicited(), terminate()]), Progress::Waiting);

    let patterns = vec![solicited(), send()];
    let Progress::Met(met) = judge(Expectation::AllOf { patterns, within: SECOND }) else {
        panic!("both came")
    };
    assert_eq!((met.by, met.cursor), (vec![(0, 2), (1, 1)], 3));

    let next = judge(Expectation::next(vec![terminate(), send()], SECOND));
    assert!(matches!(next, Progress::Met(met) if met.by == [(1, 1)] && met.cursor == 2));
    let (any_of, skip) = (vec![solicited()], vec![send()]);
    let next = judge(Expectation::Next { any_of, skip, within: SECOND });
    assert!(matches!(next, Progress::Met(met) if met.cursor == 3));
    assert!(matches!(
        judge(Expectation::Nothing { during: SECOND, skip: Vec::new() }),
        Progress::Failed(1, _)
    ));
}

#[test]
fn setup_frames() {
    let mut stream = RawStream::new();
    stream.receive(b"MPA ID Rep Frame\x20\x01\x00\x01x");
    let came = &stream.received()[0];
    let pattern = |reply, rejected| Pattern::Setup(SetupPattern { reply, rejected });
    matches(pattern(true, Some(true)), came, 1);
    assert_eq!(difference(pattern(true, Some(false)), came, 1), "R is 1, not 0");
    assert!(difference(pattern(false, None), came, 1).starts_with("it is the wrong frame"));
    assert_eq!(pattern(true, Some(false)).describe(protocol(1)), "an MPA Reply with R 0");
}

#[test]
fn a_wrong_crc_is_a_difference() {
    let mut stream = RawStream::new();
    stream.receive(b"MPA ID Rep Frame\x40\x01\x00\x00");
    let mut fpdu = vec![0, 21];
    fpdu.extend(&untagged(3, 0, 1, b"abc"));
    fpdu.extend([9, 1, 2, 3, 4]);
    stream.receive(&fpdu);
    let why = difference(Pattern::Message(message("send")), &stream.received()[1], 1);
    assert!(why.contains("0x01020304"), "{why}");
}

#[test]
fn a_message_has_the_version_of_the_documents_in_force() {
    let (first, second) = (segment(0x41, 0x43, 0, b"x"), segment(0x41, 0x83, 0, b"x"));
    let (first, second) = (last(&[&first]), last(&[&second]));
    let send = || Pattern::Message(message("send"));
    matches(send(), &first, 1);
    matches(send(), &second, 2);
    assert!(difference(send(), &first, 2).starts_with("RV is 1: "));
    assert!(difference(send(), &second, 1).starts_with("RV is 2: "));
    let immediate = Pattern::Message(message("immediate_data"));
    assert!(difference(immediate, &second, 2).contains("another message"));
    let fields = vec![field("rdma_version", Matcher::Is(Given::Number(2)))];
    let stated = || Pattern::Message(MessagePattern { fields: fields.clone(), ..message("send") });
    matches(stated(), &second, 1);
    assert!(difference(stated(), &first, 1).contains("rdma_version is 1, not 2"));
    // The drafts say it of their own messages.
    let flush = last(&[&segment(0x41, 0x4d, 0, b"")]);
    matches(Pattern::Message(message("flush_response")), &flush, 2);
    let request = untagged(1, 1, 1, &[7; 28]);
    let terminated = last(&[&terminate(&request, 2)]);
    let pattern = || terminate_pattern((0, 1, 2), Echo::Any, Echo::Any);
    matches(pattern(), &terminated, 1);
    assert_eq!(difference(pattern(), &terminated, 2), "RV is 1, not 2");
}

#[test]
fn segments_are_counted() {
    let (first, end) = (segment(0x01, 0x93, 0, &[1; 20]), segment(0x41, 0x93, 20, &[2; 8]));
    let came = last(&[&first, &end]);
    let expected = |segments, last_payload| {
        Pattern::Message(MessagePattern {
            segments: Some(Given::Number(segments)),
            last_payload: Some(Given::Number(last_payload)),
            ..message("send_with_immediate")
        })
    };
    matches(expected(2, 8), &came, 2);
    assert_eq!(difference(expected(1, 8), &came, 2), "the number of its segments is 2, not 1");
    assert_eq!(
        difference(expected(2, 28), &came, 2),
        "the length of its last segment is 8, not 28"
    );
}

#[test]
fn what_is_expected_and_what_came_in_words() {
    use Given::{Bytes, Number};
    let reply = MessagePattern {
        fields: vec![
            field("revision", Matcher::Is(Number(1))),
            field("key", Matcher::Is(Bytes(b"MPA ID Rep Frame".to_vec()))),
            field("private_data_length", Matcher::AtMost(Number(512))),
            field("crc_wanted", Matcher::Is(Number(1))),
        ],
        ..message("mpa_reply")
    };
    assert_eq!(
        reply.describe(),
        "an MPA Reply (revision 1, key \"MPA ID Rep Frame\", private_data_length at most 512, \
         crc_wanted 1)"
    );
    let came = stream(&[]).received()[0].clone();
    assert_eq!(difference(Pattern::Message(reply), &came, 1), "crc_wanted is 0, not 1");

    let came = last(&[&segment(0x41, 0x43, 0, &[1; 20])]);
    let one_of = Matcher::OneOf(vec![Number(1), Number(0x1_0000)]);
    for (name, matcher, described, why) in [
        ("message_offset", Matcher::Not(Number(0)), "other than 0", "0, which it must not be"),
        ("queue_number", one_of, "1 or 0x10000", "0, not 1 or 0x10000"),
    ] {
        let pattern = MessagePattern { fields: vec![field(name, matcher)], ..message("send") };
        assert_eq!(pattern.describe(), format!("a Send ({name} {described})"));
        assert_eq!(difference(Pattern::Message(pattern), &came, 1), format!("{name} is {why}"));
    }
    let cut = MessagePattern {
        lengths: vec![
            (Ulpdus::AllButLast, Matcher::MultipleOf(Number(4))),
            (Ulpdus::All, Matcher::AtMost(Number(20))),
        ],
        segments: Some(Number(1)),
        payload: Some(Bytes(vec![0; 20])),
        ..message("send")
    };
    assert_eq!(
        cut.describe(),
        "a Send (each ULPDU but the last a multiple of 4 bytes long, each ULPDU at most 20 bytes \
         long, in 1 segment, payload 00 00 00 00 00 00 00 00 ... (20 bytes))"
    );
    assert_eq!(difference(Pattern::Message(cut), &came, 1), "ULPDU 1 has 38 bytes, not at most 20");
}

#[test]
fn a_field_is_judged_by_its_matcher() {
    use Given::{Bytes, Number};
    let judge = |matcher: Matcher<Given>, size: u8| {
        let mut request = [0; 28];
        request[15] = size;
        let fields = vec![field("rdma_read_message_size", matcher)];
        let pattern = Pattern::Message(MessagePattern { fields, ..message("rdma_read_request") });
        pattern.judge(&last(&[&untagged(1, 1, 1, &request)]), protocol(1)) == MatchResult::Matches
    };
    for (matcher, good, bad) in [
        (Matcher::Is(Number(7)), 7, 8),
        (Matcher::Not(Number(7)), 8, 7),
        (Matcher::AtLeast(Number(7)), 7, 6),
        (Matcher::AtMost(Number(7)), 7, 8),
        (Matcher::MultipleOf(Number(4)), 8, 6),
        (Matcher::OneOf(vec![Number(1), Number(3)]), 3, 2),
    ] {
        let accepts = |size| judge(matcher.clone(), size);
        assert_eq!((accepts(good), accepts(bad)), (true, false), "{matcher:?}");
    }
    assert!(!judge(Matcher::Is(Bytes(vec![1])), 1));
}
