//! A connection's sides, setup and end in words.

use warpscope_dissector::format::counted;
use warpscope_dissector::mpa::{EnhancedSeen, Seen, Side, SkipReason};
use warpscope_dissector::statistics::{End, Flow, Left};
use warpscope_dissector::stream::GapReason;
use warpscope_wire::mpa::NOT_NEGOTIATED;

/// Bytes of the enhanced data, which PD_Length counts (RFC 6581 section 9).
pub(super) const ENHANCED: u16 = 4;

/// Address and port of a side.
pub(super) fn address(flow: &Flow, side: Side) -> String {
    flow.info.ends[side.index()].to_string()
}

/// How it ended, as a word for scripts.
pub(super) fn end_kind(end: End) -> &'static str {
    match end {
        End::Rejected => "rejected",
        End::Terminated(_) => "terminate",
        End::Reset(_) => "reset",
        End::Finished(_) => "fin",
        End::HalfClosed(_) => "half-closed",
        End::Open => "open",
    }
}

/// The side that the end is about.
pub(super) fn end_side(end: End) -> Option<Side> {
    match end {
        End::Terminated(side) | End::Reset(side) | End::Finished(side) | End::HalfClosed(side) => {
            Some(side)
        }
        End::Rejected | End::Open => None,
    }
}

/// Why it was not followed further, as a word for scripts.
pub(super) fn left(left: Left) -> &'static str {
    match left {
        Left::CaptureEnded => "capture-ended",
        Left::EndsUsedAgain => "ends-used-again",
        Left::TableFull => "table-full",
    }
}

/// IRD or ORD.
pub(super) fn depth(depth: u16) -> String {
    if depth == NOT_NEGOTIATED { "not negotiated".to_owned() } else { depth.to_string() }
}

/// The kinds of Ready-To-Receive message that enhanced data names.
pub(super) fn ready_to_receive(enhanced: &EnhancedSeen) -> Vec<&'static str> {
    let kinds =
        [(enhanced.rtr_send, "Send"), (enhanced.rtr_write, "Write"), (enhanced.rtr_read, "Read")];
    kinds.into_iter().filter(|(set, _)| *set).map(|(_, name)| name).collect()
}

/// A setup frame in words.
pub(super) fn frame(seen: &Seen) -> String {
    let mut words = vec![format!("revision {}", seen.revision)];
    if seen.rejected {
        words.push("rejects the connection".to_owned());
    }
    words.push(if seen.crc { "wants CRC" } else { "no CRC" }.to_owned());
    words.push(if seen.markers { "wants markers" } else { "no markers" }.to_owned());
    if let Some(enhanced) = &seen.enhanced {
        words.push(format!("IRD {}, ORD {}", depth(enhanced.ird), depth(enhanced.ord)));
        if enhanced.peer_to_peer {
            let kinds = ready_to_receive(enhanced);
            let kinds = if kinds.is_empty() { "none".to_owned() } else { kinds.join(" or ") };
            words.push(format!("peer-to-peer, Ready To Receive by {kinds}"));
        }
    }
    let enhanced = if seen.enhanced.is_some() { ENHANCED } else { 0 };
    let private = seen.private_data_length.saturating_sub(enhanced);
    match (private, &seen.rdma_private) {
        (0, _) => {}
        (length, None) => words.push(format!("{} of private data", counted(length.into(), "byte"))),
        (length, Some(sizes)) => words.push(format!(
            "{length} bytes of private data (RPC-over-RDMA: inline sends of {}, receives of {} bytes{})",
            sizes.send_size,
            sizes.receive_size,
            if sizes.remote_invalidation { ", remote invalidation" } else { "" }
        )),
    }
    words.join(", ")
}

/// Why bytes were skipped, as a word for scripts.
pub(super) fn reason(reason: SkipReason) -> &'static str {
    match reason {
        SkipReason::Gap(GapReason::NotCaptured) => "not-captured",
        SkipReason::Gap(GapReason::SnapLength) => "snapshot-length",
        SkipReason::Gap(GapReason::BufferLimit) => "buffer-limit",
        SkipReason::NoBoundary => "no-boundary",
        SkipReason::BeforeBoundary => "before-boundary",
        SkipReason::BehindSetup => "behind-setup",
        SkipReason::Unfinished => "unfinished",
    }
}
