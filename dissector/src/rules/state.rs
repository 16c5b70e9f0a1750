//! What is remembered of each connection while it is judged.

use super::ddp::Messages;
use super::finding::Finding;
use super::rpc::RpcState;
use crate::link::Endpoint;
use crate::mpa::Side;
use std::collections::{HashMap, VecDeque};

/// The most connections that are remembered; the oldest makes room, and is judged from then on as
/// one that was seen from its middle.
const CONNECTIONS: usize = 20_000;

/// What is remembered of one direction.
#[derive(Debug, Default)]
pub(super) struct SideState {
    /// True from the setup frame on, until octets are missing or in doubt.
    pub whole: bool,
    /// Octets of its setup frame.
    pub setup_length: u32,
    /// The last frame of this side that acknowledged nothing of the other.
    pub quiet_frame: u64,
    /// FPDUs seen.
    pub fpdus: u64,
    /// FPDUs that lie across TCP segments and begin in the middle of one.
    pub unaligned: u64,
    /// True when the framing is known to be wrong: what comes out of it is not judged.
    pub muted: bool,
    /// What was told already, of findings that are made once a direction.
    pub told: Told,
    /// The messages under way.
    pub messages: Messages,
    /// The frame of its first message with RV 2.
    pub version_2: Option<u64>,
    /// The frame of its Terminate.
    pub terminated: Option<u64>,
    /// Reads of this side that wait for a response.
    pub reads: u32,
    /// Atomics of this side that wait for a response.
    pub atomics: u32,
    /// Flushes, Verifies and Atomic Writes of this side that wait for a response.
    pub commits: u32,
}

/// Findings that are made once a direction.
#[derive(Debug, Default)]
pub(super) struct Told {
    pub alignment: bool,
    pub before_reply: bool,
    pub after_terminate: bool,
    pub depth: bool,
    pub version_mixed: bool,
}

impl SideState {
    /// Octets are missing or in doubt: what should come next is not known.
    pub(super) fn lost(&mut self) {
        self.whole = false;
        self.messages = Messages::after_loss();
    }
}

/// A finding that holds only if the next item of the other direction shows that nothing is missing.
#[derive(Debug)]
pub(super) struct Doubtful {
    /// The direction whose next item decides.
    pub witness: Side,
    /// The finding.
    pub finding: Finding,
}

/// What is remembered of a connection.
#[derive(Debug)]
pub(super) struct ConnectionState {
    /// The end that sent the first segment seen.
    pub first: Endpoint,
    /// True when the TCP handshake was captured.
    pub handshake: bool,
    /// Segments of all connections that were judged before its first item.
    pub began_at: u64,
    /// What is remembered of its directions.
    pub sides: [SideState; 2],
    /// What is remembered of its RPC-over-RDMA.
    pub rpc: RpcState,
    /// Findings that wait for the other direction.
    pub doubtful: Vec<Doubtful>,
}

impl ConnectionState {
    /// What is remembered of a side.
    pub(super) fn side(&mut self, side: Side) -> &mut SideState {
        let [one, other] = &mut self.sides;
        if side.index() == 0 { one } else { other }
    }

    /// A finding that the next item of `witness` decides.
    pub(super) fn doubt(&mut self, witness: Side, finding: Finding) {
        if self.doubtful.len() < 8 {
            self.doubtful.push(Doubtful { witness, finding });
        }
    }

    /// An item of a side came in order: what waited for it holds.
    pub(super) fn confirm(&mut self, side: Side, findings: &mut Vec<Finding>) {
        if self.doubtful.is_empty() {
            return;
        }
        for doubtful in std::mem::take(&mut self.doubtful) {
            if doubtful.witness == side {
                findings.push(doubtful.finding);
            } else {
                self.doubtful.push(doubtful);
            }
        }
    }

    /// Octets of a side are missing or in doubt: what waited for it does not hold.
    pub(super) fn lost(&mut self, side: Side) {
        self.doubtful.retain(|doubtful| doubtful.witness != side);
        self.side(side).lost();
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
                began_at,
                sides: Default::default(),
                rpc: RpcState::default(),
                doubtful: Vec::new(),
            })
        })
    }

    /// Takes what still waits: the capture has ended and nothing was missing.
    pub(super) fn settle(&mut self, findings: &mut Vec<Finding>) {
        let states = self.order.iter().filter_map(|number| self.known.get(number));
        if states.clone().all(|state| state.doubtful.is_empty()) {
            return;
        }
        for number in &self.order {
            let Some(state) = self.known.get_mut(number) else { continue };
            findings.extend(state.doubtful.drain(..).map(|doubtful| doubtful.finding));
        }
    }
}
