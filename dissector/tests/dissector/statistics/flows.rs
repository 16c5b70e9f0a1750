//! Flows: roles, setups, ends, losses, depths, calls.

use super::{capture, flows};
use warpscope_dissector::mpa::{CrcVerdict, Side, SkipReason};
use warpscope_dissector::operation::OperationKind;
use warpscope_dissector::statistics::{End, Flow, Left, Range};
use warpscope_dissector::stream::GapReason;

fn ends(name: &str) -> Vec<(End, Left)> {
    flows(&capture(name)).iter().map(|flow| (flow.end(), flow.left)).collect()
}

const INITIATOR: Side = Side(0);
const RESPONDER: Side = Side(1);

#[test]
fn connections_end_as_their_last_frames_say() {
    use End::{Finished, HalfClosed, Open, Rejected, Reset, Terminated};
    let whole = |end: End| (end, Left::CaptureEnded);
    assert_eq!(ends("reject"), [whole(Rejected)]);
    assert_eq!(ends("c3-crc-client-required-server-forbids"), [whole(Rejected)]);
    // The third begins on the first one's ports, and the fourth on the third's, which has no FIN.
    let seen = ends("several-connections");
    let finished = Finished(INITIATOR);
    assert_eq!(
        seen.iter().map(|(end, _)| *end).collect::<Vec<_>>(),
        [finished, finished, Open, finished]
    );
    assert_eq!(
        seen.iter().map(|(_, left)| *left).collect::<Vec<_>>(),
        [Left::EndsUsedAgain, Left::CaptureEnded, Left::EndsUsedAgain, Left::CaptureEnded]
    );
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
    // By the plan: calls 1 to 7 and 9, of which 7 and 9 are answered by RDMA_ERROR; 32 credits each.
    let flow = &flows(&capture("rpcordma"))[0];
    let calls = flow.side(INITIATOR).calls;
    assert_eq!((calls.calls, calls.replies, calls.errors, calls.unanswered()), (8, 6, 2, 0));
    assert_eq!((calls.most_in_flight, calls.over_grant, calls.refused), (1, 0, 0));
    assert_eq!(calls.credits_asked, Some(Range { least: 32, most: 32 }));
    assert_eq!(calls.credits_granted, Some(Range { least: 32, most: 32 }));
    assert!(!flow.side(RESPONDER).calls.any());
}
