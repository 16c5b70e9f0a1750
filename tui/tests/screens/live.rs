//! What comes without end: rings, pauses, reading again.

use super::tables::lines;
use crate::prelude::*;
use std::io::Cursor;
use std::sync::mpsc::channel;
use warpscope_dissector::ladder::Row;
use warpscope_dissector::mpa::Side;
use warpscope_traces::capture::{CapturedFrame, Format, file_bytes};
use warpscope_traces::message::Target;
use warpscope_traces::packet::End;
use warpscope_traces::session::{self, Agreement, Conversation, INITIATOR};
use warpscope_tui::state::{FLOW_COLUMNS, flow_details};
use warpscope_tui::worker::{self, Feed, FeedItem};
use warpscope_wire::rdmap::Message;

const CAPTURE: &str = "captures/i1-netem-loss-reorder.pcap.zst";

/// Frames of a file as if they were captured now.
struct Replayed {
    reader: CaptureReader,
    frames: u64,
}

impl Feed for Replayed {
    fn next(&mut self) -> FeedItem<'_> {
        self.frames += 1;
        if self.frames.is_multiple_of(500) {
            return FeedItem::Idle;
        }
        match self.reader.next_described() {
            Ok(Some(described)) => FeedItem::Frame(described),
            _ => FeedItem::Ended(None),
        }
    }
}

/// A session on what is captured now, up to its end.
fn live(ring: Option<u64>) -> Driven {
    live_of(CaptureReader::open(&path(CAPTURE)).unwrap(), ring)
}

fn live_of(reader: CaptureReader, ring: Option<u64>) -> Driven {
    let feed = Box::new(Replayed { reader, frames: 0 });
    let source = Source::Live { name: "live".to_owned(), feed, ring };
    let session = Session::open(source, Options::default(), SMALL, Look::default()).unwrap();
    let mut driven = Driven { session };
    driven.settle();
    driven
}

#[test]
fn a_ring_forgets_the_oldest_and_nothing_else() {
    let mut driven = live(Some(1));
    let expected = lines(CAPTURE);
    let capture = &driven.state().capture;
    let (first, last) = (capture.frames.first(), capture.frames.count());
    assert_eq!(last as usize, expected.len());
    assert!(first > 1 && last - first > 500, "{first} to {last}");
    assert!(capture.frames.find(first - 1).is_none() && capture.frames.find(first).is_some());
    assert!(capture.operations.iter().all(|row| row.frame.max(row.answer) >= first));
    assert!(!capture.operations.is_empty() && !capture.flows.is_empty());
    assert!(capture.found.iter().all(|row| row.frame >= first));
    // What is left is dissected as if all were there.
    driven.press("2 v v");
    assert_eq!(driven.state().messages.rows.len() as u32, last - first + 1);
    for number in (first..=last).rev().step_by(211) {
        assert_eq!(driven.info(number), expected[number as usize - 1].1, "frame {number}");
    }
    driven.press("f").type_text("tcp").press("Enter");
    let matched = &driven.state().filter.matched;
    assert_eq!((matched.first(), matched.last()), (Some(&first), Some(&last)));
    driven.press("5 7 6 3 4 1");
}

/// A capture of three iWARP connections after others: the first of the three is idle once it is open, the last
/// is the first to go on.
fn three_flows(others: u16) -> CaptureReader {
    let ends = |port| [End::v4(1, port), End::v4(2, 7000)];
    let mut frames: Vec<CapturedFrame> = Vec::new();
    for port in 0..others {
        let mut other = Conversation::new(ends(20_000 + port), [1, 1]);
        other.acknowledge(INITIATOR);
        frames.extend(other.take_frames());
    }
    let mut flows = [0_u16, 1, 2].map(|flow| {
        let mut session = session::Session::new(ends(10_000 + flow), [1, 1]);
        session.open(&Agreement::default()).unwrap();
        frames.extend(session.conversation.take_frames());
        session
    });
    for _ in 0..600 {
        for flow in flows[1..].iter_mut().rev() {
            flow.send(INITIATOR, Message::Send, Target::Queue, &[0; 1000]).unwrap();
            frames.extend(flow.conversation.take_frames());
        }
    }
    let file = file_bytes(&frames, Format::default()).unwrap();
    CaptureReader::from_reader(Cursor::new(file), "three flows").unwrap()
}

#[test]
fn flows_keep_their_numbers_when_a_ring_forgets() {
    // The stages of many connections are not copied for each part of the ring.
    for others in [0, 1200] {
        let mut driven = live_of(three_flows(others), Some(1));
        assert!(driven.state().capture.frames.first() > 200 + u32::from(others));
        let flows = driven.state().capture.flows.clone();
        let numbers: Vec<u32> = flows.iter().map(|row| row.flow.info.number).collect();
        assert_eq!(numbers, [0, 1, 2].map(|number| number + u32::from(others)));
        for row in flows.iter() {
            let number = row.flow.info.number;
            let kept = driven.state().capture.frames.from(1);
            let kept = kept.filter(|(_, entry)| entry.flow == number).map(|(frame, _)| frame);
            let kept: Vec<u32> = kept.collect();
            let idle = u32::from(others) == number;
            assert!(if idle { kept.is_empty() } else { kept.len() > 100 }, "{number}: {kept:?}");

            let state = &mut driven.session.state;
            (state.view, state.ladder.flow) = (View::Ladder, Some(number));
            driven.settle();
            let ladder = driven.state().ladder.at_hand().unwrap();
            assert_eq!(ladder.connection.ends, row.flow.info.ends, "{number}");
            assert_eq!(ladder.rows.is_empty(), idle, "{number}");
            // Only the initiators send messages, and break no rule.
            let fits = |at: &Row| at.from == Side(0) && at.findings.is_empty();
            assert!(ladder.rows.iter().all(fits), "{number}");

            driven.press("2 x f").type_text(&format!("tcp.stream == {number}")).press("Enter");
            assert_eq!(driven.state().filter.matched, kept, "{number}");
        }
    }
}

#[test]
fn without_a_ring_all_is_kept() {
    let driven = live(None);
    assert_eq!(driven.state().capture.frames.first(), 1);
    let whole = open(CAPTURE, SMALL);
    assert_eq!(driven.state().capture.operations, whole.state().capture.operations);
}

/// All that the workers tell of a capture.
fn worker_events(capture: &str) -> Vec<Event> {
    let (sender, events) = channel();
    let source = Source::File(path(capture));
    let _team = worker::start(source, Options::default(), move |event| {
        let _ = sender.send(event);
    });
    let mut reported: Vec<Event> = Vec::new();
    while !matches!(reported.last(), Some(Event::Progress(progress)) if progress.ended) {
        reported.push(events.recv().unwrap());
    }
    reported
}

#[test]
fn what_was_agreed_on_and_how_it_ended_is_known_before_all_is_read() {
    let events = worker_events("captures/e1-terminate-stock.pcap");
    let first = events.iter().find_map(|event| match event {
        Event::Flows(rows) => rows.first(),
        _ => None,
    });
    let first = first.unwrap();
    assert!(!first.settled && first.flow.initiator().is_some());
    let text = |name| {
        let column = FLOW_COLUMNS.iter().find(|column| column.name == name).unwrap();
        (column.text)(first, None)
    };
    assert_eq!((text("MPA").as_str(), text("end").as_str()), ("2", "Terminate by responder"));
    let details: Vec<String> = flow_details(first, None, 78)
        .iter()
        .map(|line| line.iter().map(|piece| piece.text.as_str()).collect())
        .collect();
    assert!(details.iter().any(|line| line.contains("MPA revision 2")), "{details:#?}");
}

#[test]
fn the_end_stays_the_end_while_the_file_is_read() {
    let events = worker_events("captures/j3-mid-nfs.pcap.zst");
    let some = events.iter().position(|event| matches!(event, Event::Indexed(_))).unwrap() + 1;
    let chosen_after = |keys: &str| {
        let mut state = State::new("x", SMALL, Look::default());
        events[..some].iter().for_each(|event| state.take(event.clone()));
        for key in keys.split(' ') {
            state.key(Key::parse(key).unwrap());
        }
        events[some..].iter().for_each(|event| state.take(event.clone()));
        assert!(!state.follow, "nothing grows any more");
        (state.messages.cursor.selected + 1, state.messages.rows.len())
    };
    for keys in ["2 G", "L"] {
        let (chosen, rows) = chosen_after(keys);
        assert_eq!(chosen, rows, "{keys}");
    }
    // Who moves on stays there.
    let (chosen, rows) = chosen_after("2 G k");
    assert!(1 < chosen && chosen < rows / 2, "{chosen} of {rows}");
}

#[test]
fn a_filter_says_that_it_has_not_seen_all() {
    let mut driven = open("captures/j3-mid-nfs.pcap.zst", SMALL);
    driven.press("2 f").type_text("rpc");
    driven.session.state.key(Key::parse("Enter").unwrap());
    assert!(render_text(&driven.session).contains(" frames so far: rpc"));
    driven.settle();
    assert!(!render_text(&driven.session).contains("so far"));
}

/// The screen as it is, without waiting.
fn render_text(session: &Session) -> String {
    let buffer = session.screen();
    buffer.content().iter().map(|cell| cell.symbol()).collect()
}

#[test]
fn what_comes_while_the_screen_stands_still_is_there_when_it_goes_on() {
    let events = worker_events("captures/j3-mid-nfs.pcap.zst");
    let mut plain = State::new("x", SMALL, Look::default());
    let mut paused = plain.clone();
    for (index, event) in events.iter().enumerate() {
        plain.take(event.clone());
        if index == 2 {
            paused.act(Action::Pause);
        }
        let before = (paused.capture.frames.count(), paused.capture.calls.len());
        paused.take(event.clone());
        let now = (paused.capture.frames.count(), paused.capture.calls.len());
        assert!(index < 2 || now == before);
    }
    let shown = |state: &State| {
        let capture = &state.capture;
        let rows = (capture.operations.clone(), capture.calls.clone(), capture.found.clone());
        (capture.frames.count(), capture.flows.len(), state.messages.rows.len(), rows)
    };
    assert_ne!(shown(&paused), shown(&plain));
    paused.act(Action::Pause);
    assert_eq!(shown(&paused), shown(&plain));
    assert_eq!(paused.capture.progress, plain.capture.progress);
}

#[test]
fn reading_again_keeps_what_the_user_chose() {
    let mut driven = open(CAPTURE, SMALL);
    driven.press("f").type_text("iwarp_rdma.opcode == 0x03").press("Enter 1 2");
    driven.press("j j j");
    let frame = driven.state().chosen_frame();
    driven.session.state.reload();
    assert_eq!(driven.state().capture.frames.count(), 0);
    for event in worker_events(CAPTURE) {
        driven.session.state.take(event);
    }
    let state = driven.state();
    assert_eq!(state.capture.frames.count(), 4206);
    assert_eq!((state.filter.text.as_str(), state.filter.upto), ("iwarp_rdma.opcode == 0x03", 0));
    assert!(frame > 0);
}
