//! The interface of the protocols, and the events that they deliver.

use super::{Io, IoItem, Ulp, iser, nvme, smb_direct};
use crate::message::Transport;
use crate::mpa::{Negotiation, Side};
use crate::operation::{Moment, Region};
use crate::ulp::rpc::RpcItem;
use std::fmt::{self, Debug, Write as _};
use warpscope_text::Duration;

/// The sender of something, and when it was sent.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sent {
    /// The sender.
    pub side: Side,
    /// The frame that completed it, and its capture time.
    pub moment: Moment,
    /// The side that began the connection, if known.
    pub initiator: Option<Side>,
}

impl Sent {
    /// Returns frame and time as a mark.
    pub(crate) fn mark(&self) -> super::Mark {
        super::Mark { frame: self.moment.frame, time: self.moment.certain_time() }
    }
}

/// A completed Send.
#[derive(Debug)]
pub(crate) struct Send<'a> {
    /// Its payload, as far as it could be reassembled.
    pub bytes: &'a [u8],
    /// False if part of it is missing.
    pub whole: bool,
    /// The STag that it invalidates.
    pub invalidated: Option<u32>,
    /// The RPC-over-RDMA message in it.
    pub transport: Option<&'a Transport<'a>>,
}

/// Bytes that a DDP segment moved to or from the memory of a side.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moved<'a> {
    /// The memory.
    pub region: Region,
    /// The side that owns it.
    pub owner: Side,
    /// True if a Read took the bytes from it; false if they were put into it by a Write, or as a Read's sink.
    pub read: bool,
    /// The captured bytes.
    pub payload: &'a [u8],
    /// The number of the operation.
    pub operation: Option<u64>,
}

/// The place of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessagePlace {
    /// In the current Send, this many bytes after its beginning.
    InSend(usize),
    /// Reassembled from several Sends, so in none of them. The text names it in the list of sources.
    Joined(&'static str),
}

/// The protocol's own details of a message.
#[derive(Debug, Clone, Copy)]
pub enum Detail<'a> {
    /// NVMe over RDMA.
    Nvme(nvme::Message<'a>),
    /// iSER.
    Iser(iser::Message<'a>),
    /// SMB Direct.
    SmbDirect(smb_direct::Message<'a>),
}

impl Detail<'_> {
    /// Returns the protocol.
    pub fn ulp(&self) -> Ulp {
        match self {
            Self::Nvme(_) => Ulp::Nvme,
            Self::Iser(_) => Ulp::Iser,
            Self::SmbDirect(_) => Ulp::SmbDirect,
        }
    }
}

/// A reassembled message of a protocol other than RPC-over-RDMA.
#[derive(Debug, Clone, Copy)]
pub struct UlpItem<'a> {
    /// The side that sent it.
    pub sender: Side,
    /// Its bytes.
    pub bytes: &'a [u8],
    /// The place of the bytes.
    pub place: MessagePlace,
    /// False if part of it was not captured.
    pub whole: bool,
    /// The I/O that it begins, continues or ends, if there is one.
    pub io: Option<&'a Io>,
    /// Its details.
    pub detail: Detail<'a>,
}

impl UlpItem<'_> {
    /// Returns the protocol.
    pub fn ulp(&self) -> Ulp {
        self.detail.ulp()
    }

    /// Returns the protocols in it, by Wireshark's names, outermost first.
    pub fn protocols(&self) -> &'static [&'static str] {
        match &self.detail {
            Detail::Nvme(detail) => detail.protocols(),
            Detail::Iser(detail) => detail.protocols(),
            Detail::SmbDirect(detail) => detail.protocols(),
        }
    }

    /// Returns its protocol in the list of frames.
    pub fn protocol(&self) -> &'static str {
        match &self.detail {
            Detail::Nvme(_) => "NVMe",
            Detail::Iser(_) => "iSCSI",
            Detail::SmbDirect(detail) => detail.protocol(),
        }
    }

    /// Writes its line; returns true if that is an alarm.
    pub fn write_line(&self, out: &mut String) -> bool {
        match &self.detail {
            Detail::Nvme(detail) => detail.write_line(self, out),
            Detail::Iser(detail) => detail.write_line(self, out),
            Detail::SmbDirect(detail) => detail.write_line(self, out),
        }
    }
}

/// Writes which frame's request a message answers, and after how many nanoseconds, if known.
pub(crate) fn write_answer(frame: u64, latency: Option<i64>, out: &mut String) -> fmt::Result {
    write!(out, " (answers frame {frame}")?;
    if let Some(latency) = latency {
        write!(out, " in {}", Duration(latency))?;
    }
    out.push(')');
    Ok(())
}

/// An event that a protocol delivers.
#[derive(Debug)]
pub(crate) enum Event<'a> {
    /// A reassembled RPC message.
    Rpc(&'a RpcItem<'a>),
    /// A reassembled message of another protocol.
    Message(&'a UlpItem<'a>),
    /// A finished I/O.
    Io(&'a IoItem<'a>),
}

/// A callback that receives the events.
pub(crate) type Emit<'e> = dyn FnMut(Event<'_>) + 'e;

/// Decodes a protocol on one connection: parses its Sends, and assigns the data moved between them to I/Os.
///
/// No message and no I/O may be kept without bound. What follows an incomplete Send must be parsed without
/// it.
/// without it.
pub(crate) trait UpperLayer: Debug + std::marker::Send + Sync {
    /// Returns a copy, for a pipeline that continues independently.
    fn boxed_clone(&self) -> Box<dyn UpperLayer>;

    /// Processes a setup frame: the negotiation so far, and its private data, without the four bytes
    /// of RFC 6581 §6.
    fn setup(&mut self, _negotiation: &Negotiation, _private_data: &[u8], _sender: Side) {}

    /// Processes bytes that were moved. Returns false if no request in progress offers that memory.
    fn moved(&mut self, moved: &Moved<'_>, sent: &Sent, emit: &mut Emit<'_>) -> bool;

    /// Processes a completed Send.
    fn send(&mut self, send: &Send<'_>, sent: &Sent, emit: &mut Emit<'_>);

    /// Returns whether a request of a side waits for an answer.
    fn awaits(&self, requester: Side) -> bool;

    /// Declares that bytes of a direction are missing: messages may have been in them.
    fn lost(&mut self, _side: Side) {}

    /// Ends the connection: delivers requests that still wait, without answers.
    fn finish(&mut self, emit: &mut Emit<'_>);

    /// Returns the bytes kept.
    fn buffered(&self) -> usize;

    /// Releases the data kept; what it belongs to will be reported as incomplete.
    fn release(&mut self);
}
