//! A call with its reply.

use crate::flow::ConnectionInfo;
use crate::mpa::Side;
use crate::nfs::Procedure;
use crate::rpc::{ChunkKind, ChunkUse, RpcItem, RpcKind};
use crate::statistics::compound_operation;
use warpscope_wire::rpc::{ReplyBody, RpcView};

/// One message of an exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RpcPart {
    /// The frame that completed its Send.
    pub frame: u64,
    /// When that was captured, in nanoseconds since 1970.
    pub time: Option<i64>,
    /// The transport header's procedure number: 0 RDMA_MSG, 1 RDMA_NOMSG.
    pub transport_procedure: u32,
    /// Credits that it asks for, or grants.
    pub credits: u32,
    /// Bytes of the RPC message, write chunks apart.
    pub bytes: u64,
    /// False when something of it was not captured.
    pub whole: bool,
}

/// How a call was answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RpcStatus {
    /// Accepted, with this accept status (RFC 5531 §9).
    Accepted(u32),
    /// Denied: another version of RPC is needed.
    RpcMismatch,
    /// Denied: the caller could not be authenticated.
    AuthError,
    /// An RDMA_ERROR came in place of a reply (RFC 8166 §4.5).
    TransportError,
    /// The reply's RPC header could not be read.
    Unreadable,
}

/// What went by chunks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ChunkTotals {
    /// Chunk segments in the call's read list.
    pub reads: u32,
    /// Bytes that were read from them.
    pub read_bytes: u64,
    /// Chunk segments in the call's write list.
    pub writes: u32,
    /// Bytes that were written to them.
    pub write_bytes: u64,
    /// Bytes that were written to the reply chunk.
    pub reply_bytes: u64,
}

impl ChunkTotals {
    /// The sums over some chunks.
    pub fn of(chunks: &[ChunkUse]) -> Self {
        let mut totals = Self::default();
        for chunk in chunks {
            match chunk.kind {
                ChunkKind::Read { .. } => {
                    totals.reads += 1;
                    totals.read_bytes += chunk.moved;
                }
                ChunkKind::Write { .. } => {
                    totals.writes += 1;
                    totals.write_bytes += chunk.moved;
                }
                ChunkKind::Reply => totals.reply_bytes += chunk.moved,
            }
        }
        totals
    }
}

/// A call and its reply, as far as they were seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RpcRecord {
    /// The connection.
    pub connection: ConnectionInfo,
    /// The exchange's number in its connection, from 1; `None` for a reply to a call that was not seen.
    pub exchange: Option<u64>,
    /// The side that called.
    pub caller: Side,
    /// True when the connection's responder is the caller (RFC 8167).
    pub backward: bool,
    /// Transaction ID (XID).
    pub xid: u32,
    /// Program, version and procedure; `None` when the call's RPC header was not seen or not readable.
    pub program: Option<(u32, u32, u32)>,
    /// The operation that a COMPOUND of NFSv4, or of its callbacks, is about.
    pub operation: Option<&'static str>,
    /// The call.
    pub call: Option<RpcPart>,
    /// The frame that completed the call with its read chunks.
    pub call_completed: Option<u64>,
    /// Calls of that side without a reply when it was sent, itself counted.
    pub in_flight: Option<u32>,
    /// The reply.
    pub reply: Option<RpcPart>,
    /// What the reply says.
    pub status: Option<RpcStatus>,
    /// Nanoseconds from the call's Send to the reply's.
    pub latency: Option<i64>,
    /// What went by chunks.
    pub chunks: ChunkTotals,
}

impl RpcRecord {
    fn named(&self) -> Option<Procedure> {
        self.program.map(|(program, version, procedure)| Procedure { program, version, procedure })
    }

    /// The program's name, where it is known: `NFS`.
    pub fn program_name(&self) -> Option<&'static str> {
        self.named()?.program_name()
    }

    /// The name of the procedure, or of the operation that a COMPOUND is about.
    pub fn procedure_name(&self) -> Option<&'static str> {
        self.operation.or_else(|| self.named()?.name())
    }

    /// The record of an exchange, by the first message that was seen of it.
    pub(super) fn new(connection: &ConnectionInfo, item: &RpcItem<'_>) -> Self {
        let call = item.kind == RpcKind::Call;
        let mut record = Self {
            connection: *connection,
            exchange: None,
            caller: if call { item.sender } else { item.sender.peer() },
            backward: item.backward,
            xid: item.xid,
            program: None,
            operation: None,
            call: None,
            call_completed: None,
            in_flight: None,
            reply: None,
            status: None,
            latency: None,
            chunks: ChunkTotals::default(),
        };
        record.take(item);
        record
    }

    /// Takes another message of the exchange in.
    pub(super) fn take(&mut self, item: &RpcItem<'_>) {
        let part = RpcPart {
            frame: item.sent.0,
            time: item.sent.1,
            transport_procedure: item.transport_procedure,
            credits: item.credits,
            bytes: item.message.len() as u64,
            whole: item.whole,
        };
        if let Some(call) = item.call {
            self.exchange = Some(call.exchange);
            let numbers = (call.program_version, call.procedure);
            if item.kind == RpcKind::Call {
                self.operation = compound_operation(item);
            }
            self.program = call.program.map(|program| (program, numbers.0, numbers.1));
            self.call_completed = call.completed.map(|(frame, _)| frame);
            self.in_flight = Some(call.in_flight);
        }
        self.chunks = ChunkTotals::of(item.chunks);
        if item.kind == RpcKind::Call {
            self.call = Some(part);
        } else {
            self.reply = Some(part);
            self.status = Some(status(item));
            self.latency = item.latency();
        }
    }
}

fn status(item: &RpcItem<'_>) -> RpcStatus {
    match &item.header {
        None => RpcStatus::TransportError,
        Some(Ok(RpcView::Reply(reply))) => match reply.body {
            ReplyBody::Accepted { accept_status, .. } => RpcStatus::Accepted(accept_status),
            ReplyBody::RpcMismatch { .. } => RpcStatus::RpcMismatch,
            ReplyBody::AuthError { .. } => RpcStatus::AuthError,
        },
        Some(_) => RpcStatus::Unreadable,
    }
}
