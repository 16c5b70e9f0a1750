//! What the message stage hands up: one item an FPDU.

use crate::mpa::FpduItem;
use warpscope_wire::Malformed;
use warpscope_wire::ddp::HeaderView as DdpHeader;
use warpscope_wire::rdmap::Message;
use warpscope_wire::rpcrdma::HeaderView;

/// A DDP segment, what it is of, and the message when it completes one.
#[derive(Debug)]
pub struct SegmentItem<'a> {
    /// The FPDU that carried it.
    pub fpdu: &'a FpduItem<'a>,
    /// Its DDP header, or why that cannot be read.
    pub header: Result<DdpHeader<'a>, Malformed>,
    /// Its message by the RDMAP control byte; `None` for an opcode that the profile does not know.
    pub message: Option<Message>,
    /// The payload as far as it was captured.
    pub payload: &'a [u8],
    /// Bytes of payload on the wire.
    pub payload_length: u32,
    /// The message's number among those of its direction, from 1.
    pub number: u64,
    /// Bytes of the message before this segment, as far as they were seen.
    pub before: u64,
    /// The message, when this segment is its last.
    pub completed: Option<Completed<'a>>,
}

/// A message whose last segment has come.
#[derive(Debug)]
pub struct Completed<'a> {
    /// The frame that its first segment was in.
    pub first_frame: u64,
    /// Its segments that were seen.
    pub segments: u32,
    /// Bytes of payload in them.
    pub length: u64,
    /// True when no segment is missing and none was cut.
    pub whole: bool,
    /// The payload of an untagged message, from its start as far as it could be put together.
    pub bytes: &'a [u8],
    /// The RPC-over-RDMA message, when it is one.
    pub transport: Option<Transport<'a>>,
}

/// An RPC-over-RDMA message in a Send.
#[derive(Debug)]
pub struct Transport<'a> {
    /// The transport header.
    pub header: HeaderView<'a>,
    /// What follows it: the RPC message of an RDMA_MSG.
    pub rest: &'a [u8],
}
