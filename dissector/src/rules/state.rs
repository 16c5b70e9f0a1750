//! What is remembered of each connection while it is judged.

use super::ddp::Messages;
use super::ending::{Ending, Refusable};
use super::iser::IserState;
use super::judge::{FrameFacts, Verifies};
use super::nvme::NvmeState;
use super::rpc::RpcState;
use super::smb_direct::SmbDirectState;
use crate::flow::ConnectionInfo;
use crate::link::Endpoint;
use crate::mpa::Side;
use arrayvec::ArrayVec;
use std::collections::HashMap;

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
    /// What was reported already, of findings that are made once a direction.
    pub reported: ReportedOnce,
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
    /// What is remembered of its directions.
    pub sides: [SideState; 2],
    /// What is remembered of its RPC-over-RDMA.
    pub rpc: RpcState,
    /// What is remembered of its SMB Direct.
    pub smb_direct: SmbDirectState,
    /// What is remembered of its iSER.
    pub iser: IserState,
    /// What is remembered of its NVMe.
    pub nvme: NvmeState,
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

/// What is remembered of the connections that are followed.
#[derive(Debug, Default)]
pub(super) struct Connections(HashMap<u32, Box<ConnectionState>, foldhash::fast::RandomState>);

impl Connections {
    /// A connection that is remembered.
    pub(super) fn known(&mut self, number: u32) -> Option<&mut ConnectionState> {
        self.0.get_mut(&number).map(|state| &mut **state)
    }

    /// A connection; a new one is remembered from now on.
    pub(super) fn of(&mut self, connection: &ConnectionInfo) -> &mut ConnectionState {
        self.0.entry(connection.number).or_insert_with(|| {
            Box::new(ConnectionState {
                first: connection.ends[0],
                handshake: false,
                missed: false,
                sides: Default::default(),
                rpc: RpcState::default(),
                smb_direct: SmbDirectState::default(),
                iser: IserState::default(),
                nvme: NvmeState::default(),
            })
        })
    }

    /// A connection that is followed no more.
    pub(super) fn left(&mut self, number: u32) -> Option<Box<ConnectionState>> {
        self.0.remove(&number)
    }
}
