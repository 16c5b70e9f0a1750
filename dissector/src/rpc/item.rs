//! What the RPC stage hands up.

use crate::mpa::Side;
use crate::nfs::{self, Direction, Procedure};
use crate::stream::FrameSpan;
use warpscope_wire::Malformed;
use warpscope_wire::rpc::{AuthView, ReplyBody, RpcView};
use warpscope_wire::rpcrdma::Segment;

/// The accept status of a call that was carried out (RFC 5531 §9).
const SUCCESS: u32 = 0;

/// The flavor of a credential that may wrap arguments and results (RFC 2203 §5).
const RPCSEC_GSS: u32 = 6;

/// True when the arguments stand as they are: RPCSEC_GSS wraps them for integrity or privacy, and its
/// own procedures have others (RFC 2203 §5).
pub(super) fn stands_plain(credential: &AuthView<'_>) -> bool {
    const DATA_WITHOUT_PROTECTION: [&[u8]; 2] = [&[0, 0, 0, 0], &[0, 0, 0, 1]];
    let words = [4..8, 12..16].map(|at| credential.body.get(at).unwrap_or(&[]));
    credential.flavor != RPCSEC_GSS || words == DATA_WITHOUT_PROTECTION
}

/// What an RPC-over-RDMA message is to its exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RpcKind {
    /// The call; it is complete when its read chunks have been read.
    Call,
    /// The reply; what the responder wrote into write chunks and reply chunk came before.
    Reply,
    /// An RDMA_ERROR in place of a reply (RFC 8166 §4.5).
    Error,
}

/// Which list of the transport header a chunk is in (RFC 8166 §4.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ChunkKind {
    /// The read list.
    Read {
        /// Where in the XDR stream the bytes belong, in bytes; 0 makes the chunk the whole call.
        position: u32,
    },
    /// The write list.
    Write {
        /// Which chunk of the list, from 0.
        chunk: u16,
    },
    /// The reply chunk.
    Reply,
}

/// A segment of a chunk, and the RDMA operations that used it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChunkUse {
    /// The list and chunk that it is of.
    pub kind: ChunkKind,
    /// The memory: handle (STag), length, offset (TO).
    pub segment: Segment,
    /// Bytes that a reply says were returned in it; those offered, in a read chunk.
    pub returned: u32,
    /// Different bytes of it that were moved.
    pub moved: u64,
    /// The numbers of the operations that moved them, in order.
    pub operations: Vec<u64>,
    /// The frames that completed the first and the last DDP segment of them.
    pub frames: Option<(u64, u64)>,
}

/// What is known of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallRecord {
    /// The exchange's number in its connection, from 1 in the order of the calls' Sends.
    pub exchange: u64,
    /// The side that called.
    pub caller: Side,
    /// Transaction ID (XID).
    pub xid: u32,
    /// The frame that completed the call's Send, and when that was captured.
    pub sent: (u64, Option<i64>),
    /// The frame that completed the call with all its read chunks, and when that was captured.
    pub completed: Option<(u64, Option<i64>)>,
    /// The program; `None` when the call's RPC header could not be read.
    pub program: Option<u32>,
    /// The program's version.
    pub program_version: u32,
    /// The procedure.
    pub procedure: u32,
    /// True when arguments and results stand as they are, not wrapped for integrity or privacy.
    pub plain: bool,
    /// Credits that the call asked for.
    pub credits: u32,
    /// Calls of that side without a reply when it was sent, itself counted.
    pub in_flight: u32,
}

/// An RPC message, put together. Over plain TCP it has no chunks, and the fields of the transport
/// header are 0.
#[derive(Debug)]
pub struct RpcItem<'a> {
    /// Call, reply or error.
    pub kind: RpcKind,
    /// The side that sent it.
    pub sender: Side,
    /// True when the connection's responder is the caller (RFC 8167).
    pub backward: bool,
    /// Transaction ID (XID).
    pub xid: u32,
    /// Credits: asked for in a call, granted in a reply.
    pub credits: u32,
    /// The transport header's procedure number.
    pub transport_procedure: u32,
    /// The frame that completed the Send, and when that was captured.
    pub sent: (u64, Option<i64>),
    /// The RPC message: what stood in the Send, with read chunks put in their places, or what the
    /// reply chunk holds. Empty for an RDMA_ERROR.
    pub message: &'a [u8],
    /// True when all of it stood in the Send.
    pub in_send: bool,
    /// Where it stands in a frame's TCP payload (RPC over plain TCP).
    pub place: Option<FrameSpan>,
    /// Its header, or why that cannot be read; `None` for an RDMA_ERROR.
    pub header: Option<Result<RpcView<'a>, Malformed>>,
    /// What follows that header: arguments or results, without what went by write chunks.
    pub body: &'a [u8],
    /// What the responder wrote into each chunk of the call's write list, in order (replies).
    pub write_chunks: &'a [&'a [u8]],
    /// The chunks of this message and, in a reply, those of its call's write list and reply chunk.
    pub chunks: &'a [ChunkUse],
    /// False when something of it was not captured, or was too much to keep.
    pub whole: bool,
    /// The call: this one, or the one that is answered, when that was seen.
    pub call: Option<&'a CallRecord>,
}

impl<'a> RpcItem<'a> {
    /// The procedure, by the call.
    pub fn procedure(&self) -> Option<Procedure> {
        match &self.header {
            Some(Ok(RpcView::Call(view))) => Some(Procedure {
                program: view.program,
                version: view.program_version,
                procedure: view.procedure,
            }),
            _ => {
                let call = self.call?;
                let (version, procedure) = (call.program_version, call.procedure);
                Some(Procedure { program: call.program?, version, procedure })
            }
        }
    }

    /// What a call or the reply to a successful one carries: procedure, direction, and arguments or
    /// results, as far as they are there. `None` when there are none that can be read.
    pub fn carried(&self) -> Option<(Procedure, Direction, nfs::Body<'a>)> {
        let direction = match self.header.as_ref()?.as_ref().ok()? {
            RpcView::Call(_) => Direction::Call,
            RpcView::Reply(reply) => match reply.body {
                ReplyBody::Accepted { accept_status: SUCCESS, .. } => Direction::Reply,
                _ => return None,
            },
        };
        let plain = match &self.header {
            Some(Ok(RpcView::Call(view))) => stands_plain(&view.credential),
            _ => self.call.is_none_or(|call| call.plain),
        };
        let body = nfs::Body { bytes: self.body, write_chunks: self.write_chunks };
        plain.then_some((self.procedure()?, direction, body))
    }

    /// The protocols that are in it, by Wireshark's names: `rpc`, then that of the program (`nfs`)
    /// whose arguments or results it carries, even where those are no bytes. Empty for an
    /// RDMA_ERROR.
    pub fn protocols(&self) -> &'static [&'static str] {
        if self.message.is_empty() {
            return &[];
        }
        match self.carried().map(|(procedure, ..)| procedure.program) {
            Some(Procedure::NFS) => &["rpc", "nfs"],
            Some(Procedure::MOUNT) => &["rpc", "mount"],
            Some(Procedure::ACL) => &["rpc", "nfsacl"],
            Some(Procedure::CALLBACK) => &["rpc", "nfs.cb"],
            _ => &["rpc"],
        }
    }

    /// What it carries, in short; `None` when that is of no program that is decoded.
    pub fn summary(&self) -> Option<nfs::Summary> {
        let (procedure, direction, body) = self.carried()?;
        procedure.name()?;
        match nfs::summarise(&procedure, direction, &body) {
            Ok(summary) => Some(summary),
            Err((summary, _)) => summary,
        }
    }

    /// Nanoseconds from the call's Send to the reply's.
    pub fn latency(&self) -> Option<i64> {
        if self.kind == RpcKind::Call {
            return None;
        }
        Some(self.sent.1?.saturating_sub(self.call?.sent.1?))
    }
}
