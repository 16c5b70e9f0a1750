//! Sources and sinks in a pipe.

use super::{Kind, Mode, Note, Throughput, ThroughputOptions};
use crate::connection::{Config, Event};
use crate::service::program::tests::{ADDRESS, config, converse, pipe};
use crate::setup::SetupConfig;
use crate::streams::{Service, StreamEvent, Streams};
use crate::work::{Outcome, RemoteBuffer};

fn enhanced() -> Config {
    Config { setup: SetupConfig { ord: 4, ..SetupConfig::enhanced() }, ..config() }
}

fn run(options: ThroughputOptions, source_opens: bool) -> [Vec<String>; 2] {
    let mut pipe = pipe(&enhanced());
    let mut source = Throughput::source(options);
    let mut sink = Throughput::sink();
    let opener = usize::from(!source_opens);
    pipe.sides[opener].connect(ADDRESS, enhanced(), false);
    pipe.run(&mut [&mut source, &mut sink]);
    assert_eq!((source.failure(), sink.failure()), (None, None));
    assert_eq!(source.is_done(&pipe.sides[0]), source_opens);
    assert_eq!(sink.is_done(&pipe.sides[1]), !source_opens);
    assert_eq!(pipe.sides.each_ref().map(Streams::count), [0, 0]);
    [source.summary(), sink.summary()]
}

#[test]
fn bytes_go_in_every_mode_and_either_may_open() {
    for mode in [Mode::Write, Mode::Send, Mode::Read] {
        for source_opens in [true, false] {
            for (size, count, window) in [
                (1, 1, 1),
                (64, 100, 1),
                (64, 100, 7),
                (5000, 33, 16),
                (0, 5, 4),
                (100, 0, 4),
                (1 << 20, 3, 200),
            ] {
                let options = ThroughputOptions { mode, size, count, window };
                let [sent, received] = run(options, source_opens);
                let bytes = u64::from(size) * count;
                let one = |count: u64| if count == 1 { "" } else { "s" };
                let (messages, parts) = (one(count), one(bytes));
                let words =
                    format!("on 1 stream: {count} message{messages}, {bytes} byte{parts} in ");
                assert!(sent[0].starts_with(&format!("sent {words}")), "{sent:?}");
                assert!(received[0].starts_with(&format!("received {words}")), "{received:?}");
                assert_eq!((sent.len(), received.len()), (1, 1));
            }
        }
    }
}

#[test]
fn a_note_reads_as_it_was_written() {
    let region = RemoteBuffer { steering_tag: 0x0102_0304, tagged_offset: 0x1112_1314_1516_1718 };
    let (size, count, slots) = (0x2122_2324, 0x3132_3334_3536_3738, 0x4142_4344);
    let note = Note { kind: Kind::Offer, mode: Mode::Read, region, size, count, slots };
    let mut bytes = vec![0, 0, 0, 2, 0, 0, 0, 3, 1, 2, 3, 4, 0x21, 0x22, 0x23, 0x24];
    bytes.extend(0x11..=0x18);
    bytes.extend(0x31..=0x38);
    bytes.extend([0x41, 0x42, 0x43, 0x44, 0, 0, 0, 0]);
    assert_eq!(note.bytes(), bytes);
    assert_eq!(Note::parse(&bytes), Some(note));
    assert_eq!(Note::parse(&bytes[1..]), None);
    bytes[3] = 7;
    assert_eq!(Note::parse(&bytes), None);
}

/// What happens to the stream of a client that sends these notes.
fn after(service: &mut dyn Service, notes: &[Note]) -> Vec<StreamEvent> {
    let messages: Vec<Vec<u8>> = notes.iter().map(|note| note.bytes()).collect();
    converse(&enhanced(), service, &messages)
}

#[test]
fn peers_that_speak_out_of_turn_are_shown_out() {
    let note = |kind| Note { size: 8, count: 2, slots: 1, ..Note::new(kind, Mode::Write) };
    let big = Note { size: 1 << 30, ..note(Kind::Offer) };
    let none = Note { slots: 0, ..note(Kind::Offer) };
    let many = Note { slots: 99, ..note(Kind::Ready) };
    let hello = note(Kind::Hello);
    type Made = fn() -> Throughput;
    let sink: Made = Throughput::sink;
    let source: Made = || Throughput::source(ThroughputOptions::default());
    for (made, notes) in [
        (sink, vec![note(Kind::Done)]),
        (sink, vec![big]),
        (sink, vec![none]),
        (sink, vec![note(Kind::Offer), note(Kind::Offer)]),
        (source, vec![note(Kind::Report)]),
        (source, vec![hello, many]),
        (source, vec![hello, note(Kind::Credit)]),
    ] {
        let mut service = made();
        let events = after(&mut service, &notes);
        let finished = StreamEvent::Event(Event::FinishReceived);
        assert!(events.contains(&finished), "{notes:?}: {events:?}");
        assert!(service.summary().contains(&"1 stream failed".to_string()));
    }
}

/// A sink looks at what came: a source that says it is done before it has written is found out.
#[test]
fn a_sink_finds_bytes_that_are_not_right() {
    let offer = Note { size: 64, count: 2, slots: 1, ..Note::new(Kind::Offer, Mode::Write) };
    let done = Note { count: 2, ..Note::new(Kind::Done, Mode::Write) };
    let mut sink = Throughput::sink();
    let events = after(&mut sink, &[offer, done]);
    assert!(sink.summary().contains(&"1 stream failed".to_string()), "{:?}", sink.summary());
    let report = Note { count: 2, ..Note::new(Kind::Report, Mode::Write) };
    let heard = events.iter().any(|it| match it {
        StreamEvent::Completion(done) => match &done.result {
            Ok(Outcome::Received(got)) => got.bytes == report.bytes(),
            _ => false,
        },
        _ => false,
    });
    assert!(heard, "{events:?}");
}
