//! The private data of connection requests, replies and rejects (NVMe RDMA Transport 1.0, connection
//! establishment).
//!
//! With MPA revision 2 it follows the enhanced header of RFC 6581.

use super::names::REJECT_STATUSES;
use crate::figure::figure;
use crate::{Illegal, Layer, Writer, name_of};

/// The only record format (RECFMT) that is defined.
const RECORD_FORMAT: u16 = 0;
/// The document that defines the figures.
const SECTION: &str = "NVMe RDMA Transport 1.0, private data";

figure! {
    /// The private data of a request: the queue of the connection, and its depth.
    RequestView: 32 bytes little endian, Nvme "private data of a request" {
        /// Record Format (RECFMT): 0.
        0 record_format u16;
        /// Queue ID (QID): 0 is the admin queue.
        2 queue_id u16;
        /// Host Receive Queue Size (HRQSIZE): number of completions that the host can receive.
        4 host_receive_queue_size u16;
        /// Host Send Queue Size (HSQSIZE): one less than the commands that the host can have outstanding.
        6 host_send_queue_size u16;
        /// Controller ID (CNTLID) of an I/O queue, if the host sends it; otherwise 0 (reserved in NVMe
        /// over Fabrics 1.0).
        8 controller_id u16;
    }
}

impl<'a> RequestView<'a> {
    /// Offset of the reserved bytes.
    pub const RESERVED: usize = 10;

    /// Returns the reserved bytes.
    pub fn reserved(&self) -> &'a [u8] {
        self.bytes().get(Self::RESERVED..).unwrap_or(&[])
    }
}

/// A legal request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Request {
    /// Queue ID: 0 is the admin queue.
    pub queue_id: u16,
    /// Host Receive Queue Size: number of completions that the host can receive.
    pub host_receive_queue_size: u16,
    /// Host Send Queue Size: one less than the commands that the host can have outstanding.
    pub host_send_queue_size: u16,
    /// Controller ID, or 0.
    pub controller_id: u16,
}

impl Request {
    /// Writes the 32 bytes.
    pub fn emit(&self, writer: &mut Writer<'_>) {
        for field in [
            RECORD_FORMAT,
            self.queue_id,
            self.host_receive_queue_size,
            self.host_send_queue_size,
            self.controller_id,
        ] {
            writer.bytes(&field.to_le_bytes());
        }
        writer.zeros(RequestView::LENGTH - RequestView::RESERVED);
    }
}

impl TryFrom<RequestView<'_>> for Request {
    type Error = Illegal;

    /// Refuses another record format, and reserved bytes that are not zero.
    fn try_from(view: RequestView<'_>) -> Result<Self, Illegal> {
        defined(view.record_format(), view.reserved())?;
        Ok(Self {
            queue_id: view.queue_id(),
            host_receive_queue_size: view.host_receive_queue_size(),
            host_send_queue_size: view.host_send_queue_size(),
            controller_id: view.controller_id(),
        })
    }
}

/// Checks that the record format is the defined one, and that reserved bytes are zero.
fn defined(record_format: u16, reserved: &[u8]) -> Result<(), Illegal> {
    let illegal = |field, value| Illegal::new(Layer::Nvme, field, value, SECTION);
    if record_format != RECORD_FORMAT {
        return Err(illegal("record format", record_format));
    }
    match reserved.iter().find(|byte| **byte != 0) {
        Some(byte) => Err(illegal("reserved", u16::from(*byte))),
        None => Ok(()),
    }
}

figure! {
    /// The private data of an accepting reply.
    AcceptView: 32 bytes little endian, Nvme "private data of a reply" {
        /// Record Format (RECFMT): 0.
        0 record_format u16;
        /// Controller Receive Queue Size (CRQSIZE): number of commands that the controller can receive.
        2 controller_receive_queue_size u16;
    }
}

impl<'a> AcceptView<'a> {
    /// Offset of the reserved bytes.
    pub const RESERVED: usize = 4;

    /// Returns the reserved bytes.
    pub fn reserved(&self) -> &'a [u8] {
        self.bytes().get(Self::RESERVED..).unwrap_or(&[])
    }
}

/// A legal accepting reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Accept {
    /// Controller Receive Queue Size: number of commands that the controller can receive.
    pub controller_receive_queue_size: u16,
}

impl Accept {
    /// Writes the 32 bytes.
    pub fn emit(&self, writer: &mut Writer<'_>) {
        writer
            .bytes(&RECORD_FORMAT.to_le_bytes())
            .bytes(&self.controller_receive_queue_size.to_le_bytes())
            .zeros(AcceptView::LENGTH - AcceptView::RESERVED);
    }
}

impl TryFrom<AcceptView<'_>> for Accept {
    type Error = Illegal;

    /// Refuses another record format, and reserved bytes that are not zero.
    fn try_from(view: AcceptView<'_>) -> Result<Self, Illegal> {
        defined(view.record_format(), view.reserved())?;
        Ok(Self { controller_receive_queue_size: view.controller_receive_queue_size() })
    }
}

figure! {
    /// The private data of a rejecting reply.
    RejectView: 4 bytes little endian, Nvme "private data of a reject" {
        /// Record Format (RECFMT): 0.
        0 record_format u16;
        /// Status (STS): the reason.
        2 status u16;
    }
}

impl RejectView<'_> {
    /// Returns the name of the status.
    pub fn status_name(&self) -> Option<&'static str> {
        name_of(REJECT_STATUSES, self.status())
    }
}

/// A legal rejecting reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Reject {
    status: u16,
}

impl Reject {
    /// Creates a reject with this status.
    ///
    /// # Errors
    /// [`Illegal`] for a status that is not defined.
    pub fn new(status: u16) -> Result<Self, Illegal> {
        match name_of(REJECT_STATUSES, status) {
            Some(_) => Ok(Self { status }),
            None => Err(Illegal::new(Layer::Nvme, "status", status, SECTION)),
        }
    }

    /// Returns the status (STS): why the connection is rejected.
    pub fn status(&self) -> u16 {
        self.status
    }

    /// Writes the 4 bytes.
    pub fn emit(&self, writer: &mut Writer<'_>) {
        writer.bytes(&RECORD_FORMAT.to_le_bytes()).bytes(&self.status.to_le_bytes());
    }
}

impl TryFrom<RejectView<'_>> for Reject {
    type Error = Illegal;

    /// Refuses another record format and a status that is not defined.
    fn try_from(view: RejectView<'_>) -> Result<Self, Illegal> {
        defined(view.record_format(), &[])?;
        Self::new(view.status())
    }
}
