//! What is remembered of each connection for judging it.

use super::ddp::Messages;
use super::ending::{Ending, Refusable};
use super::iser::IserState;
use super::judge::{FrameFacts, Verifies};
use super::nvme::NvmeState;
use super::rpc::RpcState;
use super::smb_direct::SmbDirectState;
use crate::flow::ConnectionInfo;
use crate::mpa::Side;
use arrayvec::ArrayVec;
use std::collections::HashMap;

/// The maximum number of recently invalidated STags that are remembered for a side.
const INVALIDATED: usize = 16;

/// State of one direction.
#[derive(Debug, Default)]
pub(super) struct SideState {
    /// True from the setup frame on, until bytes are missing or in doubt.
    pub whole: bool,
    /// The segment size announced in this side's SYN; 0 if that was not seen.
    pub segment_size: u16,
    /// Where the last item ended: bytes of the stream that were judged.
    pub end: u64,
    /// True if the stream's first bytes were seen and do not belong to a setup frame.
    pub wrong_key: bool,
    /// Length of its setup frame in bytes.
    pub setup_length: u32,
    /// Bytes of the stream that were sent before anything from the other side was received.
    pub quiet_up_to: u64,
    /// FPDUs seen.
    pub fpdus: u64,
    /// FPDUs that span TCP segments and begin in the middle of one.
    pub unaligned: u64,
    /// True while the boundaries are known: from the setup frames on, or since a correct CRC. After missing
    /// bytes they are found by search, and may be wrong.
    pub sure: bool,
    /// True if the first FPDU was seen after both setup frames: then the positions of markers are known.
    pub placed: bool,
    /// True if the framing is known to be wrong: then nothing in it is judged.
    pub muted: bool,
    /// Which findings that are made once per direction have already been reported.
    pub reported: ReportedOnce,
    /// The incomplete messages.
    pub messages: Messages,
    /// The frame of its first message with RV 2.
    pub version_2: Option<u64>,
    /// The frame of its Terminate.
    pub terminated: Option<u64>,
    /// STags that this side has invalidated since the other last sent anything that may offer them again.
    pub invalidated: ArrayVec<u32, INVALIDATED>,
    /// Its FIN or RST, until everything before it has been judged.
    pub ending: Option<Ending>,
    /// Whether its FIN or RST has been judged.
    pub ended: bool,
    /// The first of its segments that deserves a Terminate.
    pub refusable: Option<Refusable>,
    /// Verifies of this side that expect a hash.
    pub verifies: Verifies,
    /// Reads of this side that are waiting for a response.
    pub reads: u32,
    /// Atomics of this side that are waiting for a response.
    pub atomics: u32,
    /// Flushes, Verifies and Atomic Writes of this side that are waiting for a response.
    pub commits: u32,
}

/// Findings that are made once per direction.
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
    /// Notes that bytes are missing or in doubt: what should come next is not known.
    pub(super) fn lost(&mut self) {
        self.whole = false;
        self.messages = Messages::default();
        self.invalidated.clear();
    }

    /// Notes that the side invalidates an STag.
    pub(super) fn invalidates(&mut self, steering_tag: u32) {
        if self.invalidated.is_full() {
            self.invalidated.remove(0);
        }
        self.invalidated.push(steering_tag);
    }
}

/// State of a connection.
#[derive(Debug)]
pub(super) struct ConnectionState {
    /// True if the TCP handshake was captured.
    pub handshake: bool,
    /// True if a response came whose request was not seen: the directions are not in step.
    pub missed: bool,
    /// State of its directions.
    pub sides: [SideState; 2],
    /// State of its RPC-over-RDMA.
    pub rpc: RpcState,
    /// State of its SMB Direct.
    pub smb_direct: SmbDirectState,
    /// State of its iSER.
    pub iser: IserState,
    /// State of its NVMe.
    pub nvme: NvmeState,
}

impl ConnectionState {
    /// Returns the state of a side.
    pub(super) fn side(&mut self, side: Side) -> &mut SideState {
        let [one, other] = &mut self.sides;
        if side.index() == 0 { one } else { other }
    }

    /// Returns whether both directions were seen from their setup frames on.
    pub(super) fn whole(&self) -> bool {
        !self.missed && self.sides.iter().all(|side| side.whole)
    }

    /// Returns whether the current frame, sent by `side`, acknowledges only bytes of the other direction that
    /// were judged: its sender had received nothing else.
    pub(super) fn knows_all_received_by(&self, side: Side, facts: &FrameFacts) -> bool {
        let judged = self.sides.get(side.peer().index()).map_or(0, |other| other.end);
        let ahead = facts.acknowledged.wrapping_sub((judged as u32).wrapping_add(1)) as i32;
        self.handshake && ahead <= 0
    }
}

/// State of the connections that are being followed.
#[derive(Debug, Default)]
pub(super) struct Connections(HashMap<u32, Box<ConnectionState>, foldhash::fast::RandomState>);

impl Connections {
    /// Returns a connection that is already known.
    pub(super) fn known(&mut self, number: u32) -> Option<&mut ConnectionState> {
        self.0.get_mut(&number).map(|state| &mut **state)
    }

    /// Returns a connection; a new one is remembered from now on.
    pub(super) fn of(&mut self, connection: &ConnectionInfo) -> &mut ConnectionState {
        self.0.entry(connection.number).or_insert_with(|| {
            Box::new(ConnectionState {
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

    /// Removes a connection that is no longer followed, and returns it.
    pub(super) fn left(&mut self, number: u32) -> Option<Box<ConnectionState>> {
        self.0.remove(&number)
    }
}
