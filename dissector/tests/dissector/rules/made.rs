//! Connections that are in no trace: they look as if they broke a rule, or break one in another way.

use crate::prelude::*;

use warpscope_dissector::rules::{Finding, Judge, Level};
use warpscope_traces::capture::{CapturedFrame, Format, file_bytes};
use warpscope_traces::message::Target;
use warpscope_traces::packet::End;
use warpscope_traces::rpc;
use warpscope_traces::session::{Agreement, Cutting, INITIATOR, RESPONDER, Session};
use warpscope_wire::mpa::RdmaPrivateData;
use warpscope_wire::rdmap::Message;
use warpscope_wire::rpcrdma::Chunks;

/// Offset of the TCP header in a frame.
const TCP: usize = 34;
/// Memory that Writes and Read Responses go to.
const MEMORY: Target = Target::Tagged { steering_tag: 0xa100, tagged_offset: 0x1000 };

/// What was found, and what there is of the initiator's stream.
#[derive(Default)]
struct Seen {
    findings: Vec<Finding>,
    /// Where the last item ended: each begins where the one before ended.
    end: u64,
    /// FPDUs without a hole.
    complete: usize,
    /// The Writes: segments, bytes, and whether nothing of them is missing.
    writes: Vec<(u32, u64, bool)>,
}

impl Sink for Seen {
    fn item(&mut self, context: &ItemContext<'_>, item: &Item<'_>) {
        let (offset, length) = match item {
            Item::Setup(setup) => (setup.stream_offset, setup.bytes.len() as u64),
            Item::Segment(segment) => (segment.fpdu.stream_offset, segment.fpdu.raw.len() as u64),
            Item::Skipped(skipped) => (skipped.stream_offset, skipped.length),
            _ => return,
        };
        if context.side.index() != INITIATOR {
            return;
        }
        assert_eq!(offset, self.end);
        self.end += length;
        let Item::Segment(segment) = item else { return };
        self.complete += usize::from(segment.fpdu.complete);
        if let Some(completed) = &segment.completed
            && segment.message == Some(Message::Write)
        {
            self.writes.push((completed.segments, completed.length, completed.whole));
        }
    }
}

/// A connection that is set up, in which nothing but data is acknowledged by frames of its own.
fn opened(agreement: &Agreement) -> Session {
    let ends = [End::v4(1, 40_001), End::v4(2, 4_791)];
    let mut session = Session::new(ends, [0x1000_0000, 0x6000_0000]);
    session.conversation.acknowledge_every = 0;
    session.open(agreement).unwrap();
    session
}

fn noise(seed: u64, bytes: usize) -> Vec<u8> {
    Noise::new(seed).bytes(bytes)
}

/// Sends a Send of one side.
fn sends(session: &mut Session, side: usize, bytes: &[u8]) {
    session.send(side, Message::Send, Target::Queue, bytes).unwrap();
}

/// Looks at frames; the items and the totals of the initiator's stream must have as many bytes.
fn look(frames: &[CapturedFrame]) -> Seen {
    let bytes = file_bytes(frames, Format::default()).unwrap();
    let mut reader = CaptureReader::from_reader(Cursor::new(bytes), "made").unwrap();
    let (mut pipeline, mut judge, mut seen) = (Pipeline::default(), Judge::new(), Seen::default());
    let sinks: &mut [&mut dyn Sink; 2] = &mut [&mut judge, &mut seen];
    while let Some(frame) = reader.next_frame().unwrap() {
        pipeline.frame(&frame, sinks);
    }
    pipeline.finish(sinks);
    let totals = pipeline.connections()[0].sides[INITIATOR].totals;
    assert_eq!(totals.setup + totals.fpdu + totals.skipped, seen.end);
    seen.findings = judge.take().collect();
    seen
}

/// The rules that frames break.
fn broken(frames: &[CapturedFrame]) -> Vec<&'static str> {
    look(frames).findings.iter().map(|finding| finding.rule.id).collect()
}

/// An RST cuts an FPDU whose second half was on its way: what comes after it does not begin an FPDU.
#[test]
fn what_follows_a_reset_is_nobodys_fault() {
    let mut session = opened(&Agreement::default());
    sends(&mut session, INITIATOR, &noise(1, 16));
    session.put(INITIATOR, Message::Send, Target::Queue, &noise(2, 400)).unwrap();
    let (bytes, _) = session.streams[INITIATOR].take();
    let (one, other) = bytes.split_at(200);
    session.conversation.send(INITIATOR, one, &[], &Cutting::Whole);
    session.conversation.reset(RESPONDER);
    session.conversation.send(INITIATOR, other, &[], &Cutting::Whole);
    sends(&mut session, INITIATOR, &noise(3, 400));
    let (frames, [planned, _]) = session.finish();
    let seen = look(&frames);
    assert_eq!(seen.findings, []);
    assert_eq!(seen.end, planned.length);
    // The first FPDU and the last.
    assert_eq!(seen.complete, 2);
}

/// An RST that is not at the next byte, and that its receiver does not take: only the FPDU that is under
/// way when the wait for what precedes it is over is cut.
#[test]
fn a_stale_reset_cuts_one_fpdu_at_most() {
    const SENDS: u64 = 40;
    let mut session = opened(&Agreement::default());
    sends(&mut session, INITIATOR, &noise(1, 16));
    let stale = session.conversation.frame_count();
    session.conversation.reset(RESPONDER);
    session.cutting[INITIATOR] = Cutting::Fixed(200);
    (0..SENDS).for_each(|seed| sends(&mut session, INITIATOR, &noise(seed, 300)));
    let (mut frames, [planned, _]) = session.finish();
    // Its sequence number is 256 too high.
    frames[stale].bytes[TCP + 6] ^= 1;
    let seen = look(&frames);
    assert_eq!(seen.findings, []);
    assert_eq!(seen.end, planned.length);
    assert_eq!(seen.complete as u64, SENDS);
}

/// Calls, replies that lower the grant twice, and one call too many for the lower grants. Its frame is the first that
/// acknowledges both of them, or neither: its sender may not have received them when it made the call. Then one more
/// reply and call.
fn calls_while_the_grant_shrinks(acknowledges: bool) -> Vec<&'static str> {
    let private_data = RdmaPrivateData::new(true, 4096, 4096).unwrap().bytes().to_vec();
    let private_data = [private_data.clone(), private_data];
    let mut session = opened(&Agreement { private_data, ..Agreement::default() });
    let message = |xid, body: &[u8]| rpc::message(xid, Chunks::default(), body).unwrap();
    let calls = |session: &mut Session, xid| {
        sends(session, INITIATOR, &message(xid, &rpc::call(xid, rpc::GETATTR, 36)));
    };
    let replies = |session: &mut Session, xid, credits: u32| {
        let mut reply = message(xid, &rpc::reply(xid, 40).unwrap());
        reply[8..12].copy_from_slice(&credits.to_be_bytes());
        sends(session, RESPONDER, &reply);
    };
    calls(&mut session, 1);
    replies(&mut session, 1, 32);
    (2..=5).for_each(|xid| calls(&mut session, xid));
    let before = session.conversation.frame_count() - 1;
    replies(&mut session, 2, 2);
    replies(&mut session, 3, 1);
    let last = session.conversation.frame_count();
    calls(&mut session, 6);
    replies(&mut session, 4, 1);
    calls(&mut session, 7);
    let (mut frames, _) = session.finish();
    if !acknowledges {
        let acknowledgment = frames[before].bytes[TCP + 8..TCP + 12].to_vec();
        frames[last].bytes[TCP + 8..TCP + 12].copy_from_slice(&acknowledgment);
    }
    broken(&frames)
}

#[test]
fn a_grant_that_was_not_received_limits_nothing() {
    assert_eq!(calls_while_the_grant_shrinks(false), [""; 0]);
    assert_eq!(calls_while_the_grant_shrinks(true), ["rpc-credits-exceeded"]);
}

/// A Read Response that nobody asked for, and a side that closes first.
fn unsolicited(first: usize) -> Vec<Finding> {
    let mut session = opened(&Agreement::default());
    sends(&mut session, INITIATOR, &noise(1, 16));
    session.send(RESPONDER, Message::ReadResponse, MEMORY, &noise(2, 64)).unwrap();
    session.conversation.close(first);
    look(&session.finish().0).findings
}

/// What only the operations show to be wrong deserves a Terminate too, of the side that ends the stream.
#[test]
fn an_unsolicited_response_deserves_a_terminate() {
    let rules = |found: &[Finding]| found.iter().map(|it| it.rule.id).collect::<Vec<_>>();
    let found = unsolicited(INITIATOR);
    assert_eq!(rules(&found), ["rdmap-response-unsolicited", "rdmap-terminate-missing"]);
    assert_eq!(found[1].rule.level, Level::Should);
    assert_eq!(found[1].place.side.index(), INITIATOR);
    assert_eq!(rules(&unsolicited(RESPONDER)), ["rdmap-response-unsolicited"]);
}

/// STag and TO of a segment without payload have no meaning, even in the middle of a message.
#[test]
fn an_empty_segment_names_no_memory() {
    let mut session = opened(&Agreement::default());
    let sender = &mut session.senders[INITIATOR];
    let mut ulpdus = sender.ulpdus(Message::Write, MEMORY, &noise(1, 3000)).unwrap();
    let empty = [&ulpdus[0][..2], &[0; 12]].concat();
    ulpdus.insert(1, empty);
    for ulpdu in &ulpdus {
        session.streams[INITIATOR].fpdu(ulpdu).unwrap();
        session.flush(INITIATOR);
    }
    let seen = look(&session.finish().0);
    assert_eq!(seen.findings, []);
    assert_eq!(seen.writes, [(4, 3000, true)]);
}
