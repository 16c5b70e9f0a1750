//! What speaks a protocol, and what it hands up.

use super::{Io, IoItem, Ulp, iser, nvme, smb_direct};
use crate::message::Transport;
use crate::mpa::{Negotiation, Side};
use crate::operation::{Moment, Region};
use crate::ulp::rpc::RpcItem;
use std::fmt::Debug;

/// Who sent something, and when.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sent {
    /// The sender.
    pub side: Side,
    /// The frame that completed it, and when that was captured.
    pub moment: Moment,
    /// Which side began the connection, where that is known.
    pub initiator: Option<Side>,
}

impl Sent {
    /// Frame and time, as an I/O has them.
    pub(crate) fn mark(&self) -> super::Mark {
        super::Mark { frame: self.moment.frame, time: self.moment.certain_time() }
    }
}

/// A Send that is complete.
#[derive(Debug)]
pub(crate) struct Send<'a> {
    /// Its payload, as far as it could be put together.
    pub bytes: &'a [u8],
    /// False when something of it is missing.
    pub whole: bool,
    /// The STag that it invalidates.
    pub invalidated: Option<u32>,
    /// The RPC-over-RDMA message in it.
    pub transport: Option<&'a Transport<'a>>,
}

/// Bytes that a DDP segment moved into or out of the memory of a side.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moved<'a> {
    /// The memory.
    pub region: Region,
    /// Whose it is.
    pub owner: Side,
    /// True when a Read took them out of it; false when a Write, or a Read's sink, put them in.
    pub read: bool,
    /// The bytes, as far as they were captured.
    pub payload: &'a [u8],
    /// The number of the operation.
    pub operation: Option<u64>,
}

/// Where a message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessagePlace {
    /// In the Send at hand, so many bytes after its beginning.
    InSend(usize),
    /// Put together from several Sends: nowhere as it is. The text says what it is, for the list of sources.
    Joined(&'static str),
}

/// What only the protocol itself knows of a message.
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
    /// The protocol.
    pub fn ulp(&self) -> Ulp {
        match self {
            Self::Nvme(_) => Ulp::Nvme,
            Self::Iser(_) => Ulp::Iser,
            Self::SmbDirect(_) => Ulp::SmbDirect,
        }
    }
}

/// A message of a protocol other than RPC-over-RDMA, put together.
#[derive(Debug, Clone, Copy)]
pub struct UlpItem<'a> {
    /// The side that sent it.
    pub sender: Side,
    /// Its bytes.
    pub bytes: &'a [u8],
    /// Where they are.
    pub place: MessagePlace,
    /// False when something of it was not captured.
    pub whole: bool,
    /// The I/O that it begins, goes on with or ends, where there is one.
    pub io: Option<&'a Io>,
    /// What it is.
    pub detail: Detail<'a>,
}

impl UlpItem<'_> {
    /// The protocol.
    pub fn ulp(&self) -> Ulp {
        self.detail.ulp()
    }

    /// The protocols that are in it, by Wireshark's names, outermost first.
    pub fn protocols(&self) -> &'static [&'static str] {
        match &self.detail {
            Detail::Nvme(detail) => detail.protocols(),
            Detail::Iser(detail) => detail.protocols(),
            Detail::SmbDirect(detail) => detail.protocols(),
        }
    }

    /// Its protocol in the list of frames.
    pub fn protocol(&self) -> &'static str {
        match &self.detail {
            Detail::Nvme(_) => "NVMe",
            Detail::Iser(_) => "iSCSI",
            Detail::SmbDirect(detail) => detail.protocol(),
        }
    }

    /// Puts it into words; true when what it says is an alarm.
    pub fn write_line(&self, out: &mut String) -> bool {
        match &self.detail {
            Detail::Nvme(detail) => detail.write_line(self, out),
            Detail::Iser(detail) => detail.write_line(self, out),
            Detail::SmbDirect(detail) => detail.write_line(self, out),
        }
    }
}

/// What is handed up.
#[derive(Debug)]
pub(crate) enum Event<'a> {
    /// An RPC message, put together.
    Rpc(&'a RpcItem<'a>),
    /// A message of another protocol, put together.
    Message(&'a UlpItem<'a>),
    /// An I/O has come to its end.
    Io(&'a IoItem<'a>),
}

/// Takes what is handed up.
pub(crate) type Emit<'e> = dyn FnMut(Event<'_>) + 'e;

/// Speaks a protocol on one connection: reads its Sends, and ties what moved in between to the I/Os.
///
/// No message and no I/O may be kept without bound. What follows a Send that is not whole must be read
/// without it.
pub(crate) trait UpperLayer: Debug + std::marker::Send + Sync {
    /// A copy, for a pipeline that goes on by itself.
    fn boxed_clone(&self) -> Box<dyn UpperLayer>;

    /// A setup frame: what the negotiation says so far, and its private data without the four bytes of
    /// RFC 6581 §6.
    fn setup(&mut self, _negotiation: &Negotiation, _private_data: &[u8], _sender: Side) {}

    /// Bytes that were moved. False when no request under way offers that memory.
    fn moved(&mut self, moved: &Moved<'_>, sent: &Sent, emit: &mut Emit<'_>) -> bool;

    /// A Send that is complete.
    fn send(&mut self, send: &Send<'_>, sent: &Sent, emit: &mut Emit<'_>);

    /// Whether a request of a side waits for its answer.
    fn awaits(&self, requester: Side) -> bool;

    /// Bytes of a direction are missing: messages may have been in them.
    fn lost(&mut self, _side: Side) {}

    /// The connection is over: what waits for an answer is handed up without one.
    fn finish(&mut self, emit: &mut Emit<'_>);

    /// Bytes kept.
    fn buffered(&self) -> usize;

    /// Lets go of the bytes of data that are kept; what they are of will be reported incomplete.
    fn release(&mut self);
}
