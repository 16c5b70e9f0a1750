//! The statistics: what flows and counts say of the captures is what their plans, another analyzer
//! (tshark), and a reader with pencil and paper say.

use crate::prelude::*;
use warpscope_dissector::mpa::Side;
use warpscope_dissector::silence::Awaited;
use warpscope_dissector::statistics::{
    End, Flow, Flows, FollowEnd, Opcode, ProcedureKey, Range, Statistics,
};
use warpscope_dissector::stream::GapReason;
use warpscope_wire::rdmap::Message;

/// The flows of a capture.
pub fn flows(path: &Path) -> Vec<Flow> {
    let mut flows = Flows::new(None);
    run(path, &mut flows);
    flows.finish();
    flows.flows().map(|flow| Flow::clone(flow)).collect()
}

/// What is counted in a capture.
pub fn statistics(path: &Path, only: Option<u32>, interval: Option<u64>) -> Statistics {
    let mut statistics = Statistics::new(only, interval);
    run(path, &mut statistics);
    statistics
}

// Counts over captures whose contents are known.

/// `a8-rping-p2p-crc`: 20 rounds of rping with 64, 4096 and 65535 bytes. In each round the initiator
/// sends twice and the responder twice, 16 bytes each; the responder reads the initiator's buffer
/// and writes it back. Each connection begins with a Write of no bytes (Ready To Receive).
#[test]
fn rping_is_counted_as_it_works() {
    let statistics = statistics(&capture("a8-rping-p2p-crc"), None, None);
    let counts = statistics.counts();
    let buckets: Vec<_> = counts
        .sizes
        .buckets()
        .filter(|(.., bucket)| bucket.messages != [0; 3])
        .map(|(least, greatest, bucket)| (least, greatest, bucket.messages))
        .collect();
    let expected = [
        (0, 0, [0, 3, 0]),
        (16, 31, [240, 0, 0]),
        (64, 127, [0, 20, 20]),
        (4096, 8191, [0, 20, 20]),
        (32_768, 65_535, [0, 20, 20]),
    ];
    assert_eq!(buckets, expected);
    assert_eq!(counts.sizes.incomplete, 0);
    let [initiator, responder] = &counts.depths;
    assert!(initiator.requests.is_empty());
    assert_eq!(responder.requests.iter().collect::<Vec<_>>(), [(&1, &60)]);
    assert_eq!(responder.limits, Some(Range { least: 1, most: 1 }));
    assert_eq!((responder.over, responder.without_limit), (0, 0));
    let data = 20 * 2 * (64 + 4096 + 65_535) + 240 * 16;
    assert_eq!(counts.opcodes.data(), data);
    let reads = counts.operations();
    let reads = reads.iter().find(|each| each.kind == OperationKind::Read).unwrap();
    assert_eq!((reads.requester, reads.completed), (Side(1), 60));
    assert_eq!(reads.bytes, 20 * (64 + 4096 + 65_535));
}

/// Whatever the interval, all of it together is the same, and as much as the capture holds.
#[test]
fn intervals_hold_everything_once() {
    for interval in [None, Some(1_000), Some(1_000_000_000), Some(u64::MAX)] {
        let statistics = statistics(&capture("a8-rping-p2p-crc"), None, interval);
        let counts = statistics.counts();
        let (length, intervals) = counts.timeline.intervals(40);
        assert!(interval.is_none_or(|interval| interval == length));
        assert!(interval.is_some() || intervals.len() <= 40);
        let sum = |of: fn(&warpscope_dissector::statistics::Interval) -> u64| {
            intervals.iter().map(|(_, what)| of(what)).sum::<u64>()
        };
        // Every frame of the capture is of one of the three connections.
        assert_eq!(sum(|what| what.frames), 3854);
        assert_eq!(sum(|what| what.payload), counts.payload.iter().sum::<u64>());
        assert_eq!(sum(|what| what.messages), counts.opcodes.total().messages);
        assert_eq!(sum(|what| what.data), counts.opcodes.data());
    }
}

#[test]
fn one_flow_can_be_counted_alone() {
    let path = capture("a8-rping-p2p-crc");
    let mut data = 0;
    for (flow, size) in [(0, 64), (1, 4096), (2, 65_535)] {
        let statistics = statistics(&path, Some(flow), None);
        let counts = statistics.counts();
        assert_eq!(counts.connections, 1);
        assert_eq!(counts.opcodes.data(), 20 * 2 * size + 80 * 16, "flow {flow}");
        data += counts.opcodes.data();
    }
    assert_eq!(data, statistics(&path, None, None).counts().opcodes.data());
    assert_eq!(statistics(&path, Some(3), None).counts().connections, 0);
}

/// By the plan of the capture: GETATTR in calls 1 and 7, of which the last fails; WRITE in 2, 4 and 6;
/// READ in 3 and 5. Call 9 is of version 2, of which nothing is known but that ERR_VERS answers it.
#[test]
fn procedures_are_those_of_the_calls() {
    let statistics = statistics(&capture("rpcordma"), None, None);
    let counts = statistics.counts();
    let nfs = |name| (Some("NFS"), Some(name));
    let rows = counts.procedures.rows();
    let rows =
        rows.map(|(key, it)| (key.names(), it.calls, it.replies, it.errors, it.unanswered()));
    let expected = [("GETATTR", 2, 1, 1, 0), ("READ", 2, 2, 0, 0), ("WRITE", 3, 3, 0, 0)];
    let expected = expected.map(|(name, a, b, c, d)| (nfs(name), a, b, c, d));
    let rows: Vec<_> = rows.collect();
    assert_eq!(rows[..3], expected);
    assert_eq!((rows.len(), rows[3].1, rows[3].2, rows[3].3), (4, 0, 0, 1));
    let (key, getattr) = counts.procedures.rows().next().unwrap();
    assert!(matches!(key, ProcedureKey::Known { program: 100_003, version: 3, procedure: 1, .. }));
    // Calls of 40 bytes of header and 36 of arguments; one reply of 24 and 88.
    assert_eq!((getattr.call_bytes, getattr.reply_bytes), (2 * 76, 112));
    // The reply is in the next frame, 10.5 µs later; the capture's clock has microseconds.
    let latency = getattr.latency().unwrap();
    assert_eq!((latency.count, latency.minimum), (1, latency.maximum));
    assert!((10_000..=11_000).contains(&latency.minimum), "{}", latency.minimum);
}

/// The calls of `g-nfs-v4.1-cut` by what tshark 4.0.17 says that they are about (`nfs.main_opcode`); but
/// that a compound of PUTROOTFH and GETATTR is about GETATTR here.
#[test]
fn compounds_are_told_by_what_they_are_about() {
    let statistics = statistics(&capture("g-nfs-v4.1-cut"), None, None);
    let rows: Vec<_> = statistics
        .counts()
        .procedures
        .rows()
        .map(|(key, row)| match key {
            ProcedureKey::Known { program: 100_003, version: 4, operation, .. } => {
                (operation.unwrap_or("-"), row.calls, row.replies)
            }
            other => panic!("{other:?}"),
        })
        .collect();
    let expected = [
        ("-", 1, 1),
        ("ACCESS", 2, 2),
        ("CLOSE", 2, 2),
        ("CREATE", 1, 1),
        ("CREATE_SESSION", 1, 1),
        ("EXCHANGE_ID", 2, 2),
        ("GETATTR", 9, 9),
        ("OPEN", 3, 3),
        ("RECLAIM_COMPLETE", 1, 1),
        ("SECINFO_NO_NAME", 1, 1),
        ("WRITE", 14, 13),
    ];
    assert_eq!(rows, expected);
}

// Flows: roles, setups, ends, losses, depths, calls.

fn ends(name: &str) -> Vec<(End, FollowEnd)> {
    flows(&capture(name)).iter().map(|flow| (flow.end(), flow.left)).collect()
}

const INITIATOR: Side = Side(0);
const RESPONDER: Side = Side(1);

#[test]
fn connections_end_as_their_last_frames_say() {
    use End::{Finished, HalfClosed, Open, Rejected, Reset, Terminated};
    let whole = |end: End| (end, FollowEnd::CaptureEnded);
    assert_eq!(ends("reject"), [whole(Rejected)]);
    assert_eq!(ends("c3-crc-client-required-server-forbids"), [whole(Rejected)]);
    // The third begins on the first one's ports, and the fourth on the third's, which has no FIN.
    let seen = ends("several-connections");
    let finished = Finished(INITIATOR);
    let again = |end: End| (end, FollowEnd::EndsUsedAgain);
    assert_eq!(seen, [again(finished), whole(finished), again(Open), whole(finished)]);
    assert!(ends("terminate-all").iter().all(|end| *end == whole(Terminated(RESPONDER))));
    // Two requests whose length is wrong: the responder answers with a RST.
    let ends_of_d2: Vec<End> = ends("d2-private-data-sizes").iter().map(|end| end.0).collect();
    assert_eq!(ends_of_d2[4..], [Reset(RESPONDER), Reset(RESPONDER)]);
    assert!(ends_of_d2[..4].iter().all(|end| matches!(end, Finished(_) | HalfClosed(_))));
    assert_eq!(ends("g-nfs-v3-cut").last(), Some(&whole(Open)));
}

#[test]
fn terminates_are_kept_with_their_errors() {
    let flows = flows(&capture("terminate-all"));
    let mut errors: Vec<_> =
        flows.iter().filter_map(|flow| flow.terminates.first()?.error).collect();
    assert_eq!(errors.len(), 35);
    errors.sort_unstable();
    errors.dedup();
    // 33 that are defined; two of them come twice, with other headers.
    assert_eq!(errors.len(), 33);
}

#[test]
fn setups_are_kept() {
    let flows = flows(&capture("g-nfs-v4.1-cut"));
    let [flow] = &flows[..] else { panic!("{} flows", flows.len()) };
    assert_eq!(flow.initiator(), Some(INITIATOR));
    assert_eq!(flow.info.ends[0].to_string(), "10.66.0.2:36446");
    // IRD 128, ORD 0 in the request; IRD 0, ORD 128 in the reply.
    let depths = [INITIATOR, RESPONDER].map(|side| flow.negotiation.depth(side));
    assert_eq!(depths, [Some(0), Some(128)]);
    let sizes = flow.negotiation.seen(RESPONDER).unwrap().rdma_private.unwrap();
    assert_eq!((sizes.send_size, sizes.receive_size), (4096, 4096));
    assert_eq!(flow.negotiation.crc(), Some(false));
    assert!(flow.from_the_start());
}

#[test]
fn a_capture_that_begins_late_leaves_the_roles_open() {
    let flows = flows(&capture("j1-mid-connection"));
    assert_eq!(flows.len(), 1);
    assert_eq!(flows[0].initiator(), None);
    assert!(!flows[0].from_the_start());
    // 11 Writes of 3000 bytes.
    let total = flows[0].opcodes.total();
    assert_eq!((total.messages, total.bytes), (11, 33_000));
}

fn skipped(flow: &Flow, reason: SkipReason) -> u64 {
    let all = flow.sides.iter().flat_map(|side| &side.skipped);
    all.filter(|(known, _)| *known == reason).map(|(_, skips)| skips.bytes).sum()
}

#[test]
fn losses_are_told_with_their_reasons() {
    // Two segments were not captured. The first lies within an FPDU, whose CRC cannot be checked;
    // of the second, 160 bytes lie after the FPDU that it cuts, and the next boundary is 1300
    // bytes later.
    let lost = &flows(&capture("lost-segment-plain"))[0];
    assert_eq!(skipped(lost, SkipReason::Gap(GapReason::NotCaptured)), 160);
    assert_eq!(skipped(lost, SkipReason::BeforeBoundary), 1300);
    assert_eq!(lost.side(INITIATOR).with_crc(CrcVerdict::Unchecked), 2);
    let bad = &flows(&capture("bad-crc"))[0];
    for side in Side::BOTH {
        assert_eq!(bad.side(side).with_crc(CrcVerdict::Bad), 1);
        assert_eq!(bad.side(side).fpdus(), 3);
    }
    // Both bytes that are after the setup frames of two requests are counted: 256 each.
    for flow in &flows(&capture("d2-private-data-sizes"))[4..] {
        assert_eq!(skipped(flow, SkipReason::BehindSetup), 256);
        assert!(!flow.has_fpdus());
    }
    let wrong = &flows(&capture("bad-marker"))[0];
    assert_eq!(wrong.sides.iter().map(|side| side.marker_mismatches).sum::<u64>(), 1);
}

#[test]
fn requests_in_flight_are_held_against_the_limit() {
    // rping: one Read at a time, of the responder, with a depth of 1.
    for flow in flows(&capture("a8-rping-p2p-crc")) {
        assert_eq!(flow.negotiation.depth(RESPONDER), Some(1));
        assert_eq!(flow.side(RESPONDER).most_outstanding, 1);
        assert_eq!(flow.side(INITIATOR).most_outstanding, 0);
        assert_eq!(flow.sides.iter().map(|side| side.over_depth).sum::<u64>(), 0);
        let reads = flow.operations.iter().find(|each| each.kind == OperationKind::Read).unwrap();
        assert_eq!((reads.requester, reads.begun, reads.completed), (RESPONDER, 20, 20));
        assert_eq!(reads.latency.unwrap().count, 20);
    }
}

#[test]
fn calls_are_counted_by_their_caller() {
    // By the plan: calls 1 to 7, and 9 of version 2; 7 and 9 are answered by RDMA_ERROR; 32 credits each.
    let flow = &flows(&capture("rpcordma"))[0];
    let calls = flow.side(INITIATOR).calls;
    assert_eq!((calls.calls, calls.replies, calls.errors, calls.unanswered()), (7, 6, 2, 0));
    assert_eq!((calls.most_in_flight, calls.over_grant, calls.refused), (1, 0, 0));
    assert_eq!(calls.credits_asked, Some(Range { least: 32, most: 32 }));
    assert_eq!(calls.credits_granted, Some(Range { least: 32, most: 32 }));
    assert!(!flow.side(RESPONDER).calls.any());
}

// Synthetic captures: flows and counts are what their generator put in.

/// Scenarios of which something is missing on purpose, or that are no iWARP.
const INCOMPLETE: &str = "first-fpdu-missing first-fpdu-missing-plain mid-connection-markers \
    mid-connection-plain lost-segment-markers lost-segment-plain not-iwarp";

/// Messages and bytes by message and direction.
type Sums = BTreeMap<(Message, usize), (u64, u64)>;

fn planned(streams: &[PlannedStream; 2], sums: &mut Sums) {
    for (side, stream) in streams.iter().enumerate() {
        for planned in &stream.messages {
            let sum = sums.entry((planned.message, side)).or_default();
            sum.0 += 1;
            sum.1 += planned.payload.len() as u64;
        }
    }
}

#[test]
fn messages_and_bytes_are_those_that_were_put_in() {
    let mut compared = 0;
    for scenario in scenario::all().filter(|each| !INCOMPLETE.split(' ').any(|it| it == each.name))
    {
        let plans = scenario.make().unwrap().connections;
        let path = capture(scenario.name);
        let flows = flows(&path);
        assert_eq!(flows.len(), plans.len(), "{}", scenario.name);
        let mut all = Sums::new();
        for (plan, flow) in plans.iter().zip(&flows) {
            let mut expected = Sums::new();
            planned(plan, &mut expected);
            let mut found = Sums::new();
            for (opcode, sides) in flow.opcodes.rows() {
                let Opcode::Known(message) = opcode else { panic!("{opcode:?}") };
                for side in Side::BOTH {
                    let sent = sides[side.index()];
                    let column = usize::from(side != flow.first_side());
                    if sent.segments > 0 {
                        found.insert((message, column), (sent.messages, sent.bytes));
                    }
                }
            }
            assert_eq!(found, expected, "{} flow {}", scenario.name, flow.info.number);
            planned(plan, &mut all);
            compared += 1;
        }
        let statistics = statistics(&path, None, None);
        let counts = statistics.counts();
        assert_eq!(counts.connections, plans.len() as u64, "{}", scenario.name);
        let messages: u64 = all.values().map(|sum| sum.0).sum();
        let bytes: u64 = all.values().map(|sum| sum.1).sum();
        let total = counts.opcodes.total();
        assert_eq!((total.messages, total.bytes), (messages, bytes), "{}", scenario.name);
    }
    assert!(compared > 100, "{compared} connections");
}

// TCP's part of flows against another analyzer: frames, bytes, ends, and bytes sent again.

/// What the lines of a connection and direction come to. The direction is reported by the source port.
#[derive(Debug, Default, PartialEq, Eq)]
struct Direction {
    frames: u64,
    wire: u64,
    payload: u64,
    repeated: u64,
    fin: Option<u64>,
    reset: Option<u64>,
}

const FIELDS: &str = "tcp.stream tcp.srcport frame.number frame.len tcp.len tcp.seq_raw tcp.flags.fin tcp.flags.reset";

/// The sequence numbers that one side sent, as far as 2 MiB before and any number after the first.
#[derive(Debug, Default)]
struct Sent {
    origin: Option<u32>,
    bytes: Vec<bool>,
}

impl Sent {
    /// Takes a segment; returns how many of its bytes came before.
    fn take(&mut self, sequence: u32, length: u32) -> u64 {
        let origin = *self.origin.get_or_insert(sequence.wrapping_sub(1 << 21));
        let first = sequence.wrapping_sub(origin) as usize;
        let end = first + length as usize;
        self.bytes.resize(self.bytes.len().max(end), false);
        let bytes = &mut self.bytes[first..end];
        let repeated = bytes.iter().filter(|byte| **byte).count() as u64;
        bytes.fill(true);
        repeated
    }
}

/// What tshark says of each connection and source port; bytes that came again are counted here from
/// sequence numbers and lengths.
fn theirs(name: &str) -> Option<BTreeMap<(u32, u16), Direction>> {
    if version().is_none() {
        missing("tshark", "the statistics of TCP are compared");
        return None;
    }
    let fields: Vec<&str> = FIELDS.split(' ').collect();
    let mut seen: BTreeMap<(u32, u16), Sent> = BTreeMap::new();
    let mut directions: BTreeMap<(u32, u16), Direction> = BTreeMap::new();
    for line in lines(&capture(name), &["-Y", "tcp"], &fields) {
        let values: Vec<&str> = line.split('\t').collect();
        let number = |index: usize| values[index].parse::<u64>().unwrap();
        let set = |index: usize| matches!(values[index], "1" | "True");
        let key = (number(0) as u32, number(1) as u16);
        let direction = directions.entry(key).or_default();
        direction.frames += 1;
        direction.wire += number(3);
        direction.payload += number(4);
        if number(4) > 0 {
            let sent = seen.entry(key).or_default();
            direction.repeated += sent.take(number(5) as u32, number(4) as u32);
        }
        if set(6) {
            direction.fin.get_or_insert(number(2));
        }
        if set(7) {
            direction.reset.get_or_insert(number(2));
        }
    }
    Some(directions)
}

/// Where a connection was silent, by the times of its frames that tshark prints.
#[test]
fn silences_are_as_long_as_tshark_says() {
    for name in
        ["a8-rping-p2p-crc", "e1-terminate-stock", "i1-netem-loss-reorder", "g-nfs-v4.1-cut"]
    {
        if version().is_none() {
            return missing("tshark", "silences are compared");
        }
        let mut theirs: BTreeMap<u32, (u64, i64)> = BTreeMap::new();
        for line in lines(&capture(name), &["-Y", "tcp"], &["tcp.stream", "tcp.time_delta"]) {
            let (stream, delta) = line.split_once('\t').unwrap();
            let nanoseconds: i64 = delta.replace('.', "").parse().unwrap();
            let sum = theirs.entry(stream.parse().unwrap()).or_default();
            if nanoseconds >= 3_000_000 {
                *sum = (sum.0 + 1, sum.1 + nanoseconds);
            }
        }
        for flow in flows(&capture(name)) {
            assert_eq!(flow.silences().all(), theirs[&flow.info.number], "{name} {flow:?}");
        }
    }
}

/// How long bytes were missing before later ones in `i1-netem-loss-reorder`, in milliseconds: counted
/// from what tshark prints of its segments, by another author.
#[test]
fn waits_are_those_that_another_reader_counted() {
    let expected =
        [(0, [69, 56]), (1, [25, 38]), (2, [62, 48]), (3, [0, 0]), (4, [3, 143]), (6, [48, 0])];
    let flows = flows(&capture("i1-netem-loss-reorder"));
    for (number, milliseconds) in expected {
        let flow = flows.iter().find(|flow| flow.info.number == number).unwrap();
        for (side, expected) in Side::BOTH.into_iter().zip(milliseconds) {
            let waited = flow.side(side).tcp.stalls.total;
            let apart = (waited - expected * 1_000_000).abs();
            assert!(apart < 1_000_000, "flow {number}: {waited} ns, {expected} ms");
        }
    }
    // What of it was overtaken, by the same reader from the TCP timestamps.
    for (number, milliseconds) in [(0, 18), (1, 51), (2, 9)] {
        let flow = flows.iter().find(|flow| flow.info.number == number).unwrap();
        let overtaken: i64 = flow.sides.iter().map(|side| side.tcp.overtaken).sum();
        let apart = (overtaken - milliseconds * 1_000_000).abs();
        assert!(apart < 1_000_000, "flow {number}: {overtaken} ns, {milliseconds} ms");
    }
}

/// The third connection of `a8-rping-p2p-crc`, with a second of silence put before a frame, is silent
/// for what tshark's list of its frames shows.
#[test]
fn a_silence_says_what_it_waited_for() {
    const SECOND: i64 = 1_000_000_000;
    let (initiator, responder) = (Side(0), Side(1));
    let all = all_frames(&capture("a8-rping-p2p-crc"));
    let first = all.iter().position(|frame| frame.number == 614).unwrap();
    // The frames up to one; after a second, one of them again or for the first time; then the others.
    let with = |before: u64, last: u64, left_out: Option<u64>| {
        let later = |frame: &Frame<'_>| {
            let time = frame.time.map(|time| time + SECOND);
            Frame { time, ..lasting(*frame) }
        };
        let mut frames = Vec::new();
        for frame in all[first..].iter().filter(|frame| Some(frame.number) != left_out) {
            if frame.number == before {
                let end = frames.last().and_then(|it: &Frame<'_>| it.time).unwrap() + SECOND;
                let again = all.iter().find(|it| it.number == last).unwrap();
                frames.push(Frame { number: before, time: Some(end), ..lasting(*again) });
            }
            match frame.number {
                number if number < before => frames.push(lasting(*frame)),
                number if number == last => {}
                _ => frames.push(later(frame)),
            }
        }
        let (mut pipeline, mut flows) = (Pipeline::default(), Flows::new(None));
        frames.iter().for_each(|frame| pipeline.frame(frame, &mut flows));
        pipeline.finish(&mut flows);
        flows.finish();
        let longest = flows.flows().next().unwrap().silences().by_time()[0];
        assert_eq!(longest.2.longest, Some((SECOND, before)));
        (longest.0, longest.1)
    };
    // The MPA Reply; a Read Request after a Send; the first segment of the Read Response.
    assert_eq!(with(619, 619, None), (Awaited::Data, responder));
    assert_eq!(with(624, 624, None), (Awaited::Nothing, responder));
    assert_eq!(with(625, 625, None), (Awaited::Data, initiator));
    // An ACK amid that, and one after an FPDU's first bytes.
    assert_eq!(with(642, 642, None), (Awaited::Acknowledgment, responder));
    assert_eq!(with(637, 637, None), (Awaited::Acknowledgment, responder));
    // A segment that comes late; one that comes again; the SYN again.
    assert_eq!(with(634, 630, Some(630)), (Awaited::Missing, initiator));
    assert_eq!(with(634, 630, None), (Awaited::Repetition, initiator));
    assert_eq!(with(615, 614, None), (Awaited::Repetition, initiator));
    // One that was acknowledged before the silence is nothing that was waited for.
    assert_eq!(with(645, 630, None), (Awaited::Data, initiator));
}

#[test]
fn tcp_is_as_tshark_says() {
    let names = "a8-rping-p2p-crc b2-perftest-crc c1-crc-server-only d1-reject-refuse-disconnect \
                 d2-private-data-sizes e1-terminate-stock f1-operations-stock i1-netem-loss-reorder \
                 j1-mid-connection reordered several-connections";
    for name in names.split(' ') {
        let Some(mut theirs) = theirs(name) else { return };
        let flows = flows(&capture(name));
        assert!(!flows.is_empty(), "{name}");
        for flow in &flows {
            for side in Side::BOTH {
                let tcp = flow.side(side).tcp;
                let ours = Direction {
                    frames: tcp.frames,
                    wire: tcp.wire,
                    payload: tcp.payload,
                    repeated: tcp.repeated,
                    fin: tcp.fin.map(|mark| mark.frame),
                    reset: tcp.reset.map(|mark| mark.frame),
                };
                let key = (flow.info.number, flow.info.ends[side.index()].port);
                let theirs = theirs.remove(&key).unwrap_or_default();
                assert_eq!(ours, theirs, "{name}: flow and port {key:?}");
            }
        }
    }
}
