//! What is remembered of each connection while it is judged.

use super::ddp::Messages;
use super::ending::{Ending, Refusable};
use super::judge::{FrameFacts, Verifies};
use super::rpc::RpcState;
use crate::link::Endpoint;
use crate::mpa::Side;
use arrayvec::ArrayVec;
use std::collections::{HashMap, VecDeque};

/// The most connections that are remembered; the oldest makes room, and is judged from then on as
/// one that was seen from its middle.
const CONNECTIONS: usize = 20_000;
/// SYNs that are remembered until their connection proves to be iWARP.
const HANDSHAKES: usize = 1024;
/// Bytes that TCP's timestamps take in each segment, padded.
const TIMESTAMPS: u16 = 12;
/// STags that a side invalidated lately.
const INVALIDATED: usize = 16;

/// What is remembered of one direction.
#[derive(Debug, Default)]
pub(super) struct SideState {
    /// True from the setup frame on, until bytes are missing or in doubt.
    pub whole: bool,
    /// The segment size that it announced in its SYN; 0 when that was not seen.
    pub segment_size: u16,
    /// Where the last item ended: bytes of the stream that were judged.
    pub end: u64,
    /// True when the stream's first bytes were seen and are no setup frame's.
    pub wrong_key: bool,
    /// Bytes of its setup frame.
    pub setup_length: u32,
    /// Bytes of the stream that were sent before anything of the other was received.
    pub quiet_up_to: u64,
    /// FPDUs seen.
    pub fpdus: u64,
    /// FPDUs that lie across TCP segments and begin in the middle of one.
    pub unaligned: u64,
    /// True while the boundaries are known: from the setup frames on, or since a right CRC. After
    /// bytes that are missing they are found by search, and may be none.
    pub sure: bool,
    /// True when the first FPDU was seen after both setup frames: where markers stand is known.
    pub placed: bool,
    /// True when the framing is known to be wrong: what comes out of it is not judged.
    pub muted: bool,
    /// What was told already, of findings that are made once a direction.
    pub told: ReportedOnce,
    /// The messages under way.
    pub messages: Messages,
    /// The frame of its first message with RV 2.
    pub version_2: Option<u64>,
    /// The frame of its Terminate.
    pub terminated: Option<u64>,
    /// STags that this side has invalidated since the other sent anything that may name them again.
    pub invalidated: ArrayVec<u32, INVALIDATED>,
    /// Its FIN or RST, until all that came before was judged.
    pub ending: Option<Ending>,
    /// Whether that was judged.
    pub ended: bool,
    /// The first of its segments that deserves a Terminate.
    pub refusable: Option<Refusable>,
    /// Verifies of this side that expect a hash.
    pub verifies: Verifies,
    /// Reads of this side that wait for a response.
    pub reads: u32,
    /// Atomics of this side that wait for a response.
    pub atomics: u32,
    /// Flushes, Verifies and Atomic Writes of this side that wait for a response.
    pub commits: u32,
}

/// Findings that are made once a direction.
#[derive(Debug, Default)]
pub(super) struct ReportedOnce {
    pub alignment: bool,
    pub mulpdu: bool,
    pub before_reply: bool,
    pub after_terminate: bool,
    pub depth: bool,
    pub version_mixed: bool,
}

impl SideState {
    /// Bytes are missing or in doubt: what should come next is not known.
    pub(super) fn lost(&mut self) {
        self.whole = false;
        self.messages = Messages::default();
        self.invalidated.clear();
    }

    /// The side invalidates an STag.
    pub(super) fn invalidates(&mut self, steering_tag: u32) {
        if self.invalidated.is_full() {
            self.invalidated.remove(0);
        }
        self.invalidated.push(steering_tag);
    }
}

/// What is remembered of a connection.
#[derive(Debug)]
pub(super) struct ConnectionState {
    /// The end that sent the first segment seen.
    pub first: Endpoint,
    /// True when the TCP handshake was captured.
    pub handshake: bool,
    /// True when a response came whose request was not seen: the directions are not in step.
    pub missed: bool,
    /// Segments of all connections that were judged before its first item.
    pub began_at: u64,
    /// What is remembered of its directions.
    pub sides: [SideState; 2],
    /// What is remembered of its RPC-over-RDMA.
    pub rpc: RpcState,
}

impl ConnectionState {
    /// What is remembered of a side.
    pub(super) fn side(&mut self, side: Side) -> &mut SideState {
        let [one, other] = &mut self.sides;
        if side.index() == 0 { one } else { other }
    }

    /// Whether both directions were seen from their setup frames on.
    pub(super) fn whole(&self) -> bool {
        !self.missed && self.sides.iter().all(|side| side.whole)
    }

    /// Whether the frame at hand, which a side sent, acknowledges nothing of the other direction
    /// but what was judged: its sender had received nothing else.
    pub(super) fn knows_all_received_by(&self, side: Side, facts: &FrameFacts) -> bool {
        let judged = self.sides.get(side.peer().index()).map_or(0, |other| other.end);
        let ahead = facts.acknowledged.wrapping_sub((judged as u32).wrapping_add(1)) as i32;
        self.handshake && ahead <= 0
    }
}

/// The segment sizes of the last SYNs.
#[derive(Debug, Default)]
pub(super) struct Handshakes(VecDeque<Announced>);

/// What a SYN says of the segments that its sender takes.
#[derive(Debug, Clone, Copy)]
struct Announced {
    number: u32,
    by: Endpoint,
    size: u16,
    timestamps: bool,
}

impl Handshakes {
    /// A SYN of a connection announces a segment size.
    pub(super) fn announced(&mut self, number: u32, by: Endpoint, size: u16, timestamps: bool) {
        if self.0.len() >= HANDSHAKES {
            self.0.pop_front();
        }
        self.0.push_back(Announced { number, by, size, timestamps });
    }

    /// Bytes that a segment to an end may carry: the size that it announced, less what timestamps take where
    /// both ends have them (RFC 6691 section 2); 0 when that is not known.
    pub(super) fn segment_size(&self, number: u32, end: Endpoint) -> u16 {
        let latest = || self.0.iter().rev().filter(|it| it.number == number);
        let Some(mine) = latest().find(|it| it.by == end) else { return 0 };
        let other = latest().find(|it| it.by != end);
        let timestamps = mine.timestamps && other.is_some_and(|it| it.timestamps);
        mine.size.saturating_sub(if timestamps { TIMESTAMPS } else { 0 })
    }
}

/// What is remembered of all connections.
#[derive(Debug, Default)]
pub(super) struct Connections {
    known: HashMap<u32, Box<ConnectionState>, foldhash::fast::RandomState>,
    order: VecDeque<u32>,
}

impl Connections {
    /// A connection that is remembered.
    pub(super) fn known(&mut self, number: u32) -> Option<&mut ConnectionState> {
        self.known.get_mut(&number).map(|state| &mut **state)
    }

    /// A connection; a new one is remembered from now on.
    pub(super) fn of(
        &mut self,
        number: u32,
        first: Endpoint,
        began_at: u64,
    ) -> &mut ConnectionState {
        let order = &mut self.order;
        if !self.known.contains_key(&number) {
            if order.len() >= CONNECTIONS
                && let Some(oldest) = order.pop_front()
            {
                self.known.remove(&oldest);
            }
            order.push_back(number);
        }
        self.known.entry(number).or_insert_with(|| {
            Box::new(ConnectionState {
                first,
                handshake: false,
                missed: false,
                began_at,
                sides: Default::default(),
                rpc: RpcState::default(),
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A capture of very many connections takes no more room than one of 20,000.
    #[test]
    fn the_oldest_connection_makes_room() {
        let mut connections = Connections::default();
        let end = Endpoint::default();
        for number in 0..CONNECTIONS as u32 + 3 {
            connections.of(number, end, 0).handshake = true;
        }
        assert_eq!(connections.known.len(), CONNECTIONS);
        assert!(connections.known(2).is_none());
        assert!(connections.known(3).is_some());
        assert!(!connections.of(2, end, 0).handshake, "it begins anew");
    }

    #[test]
    fn the_last_announced_segment_size_counts() {
        let mut handshakes = Handshakes::default();
        let end = Endpoint::default();
        handshakes.announced(7, end, 1460, true);
        handshakes.announced(7, end, 1400, true);
        handshakes.announced(8, end, 9000, false);
        assert_eq!(handshakes.segment_size(7, end), 1400);
        assert_eq!(handshakes.segment_size(9, end), 0);
        let other = Endpoint { port: 1, ..end };
        handshakes.announced(8, other, 1400, true);
        assert_eq!(handshakes.segment_size(8, end), 9000);
        handshakes.announced(7, other, 1460, true);
        assert_eq!(handshakes.segment_size(7, end), 1400 - 12);
        for number in 10..10 + HANDSHAKES as u32 {
            handshakes.announced(number, end, 500, false);
        }
        assert_eq!(handshakes.segment_size(7, end), 0);
        assert_eq!(handshakes.0.len(), HANDSHAKES);
    }
}
