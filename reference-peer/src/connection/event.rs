//! What a connection tells the one who drives it.

use crate::setup::{Agreement, Request};
use crate::violation::Violation;

/// What is to be done to the TCP connection, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Transmit {
    /// Send these bytes, in one TCP segment if that can be had.
    Bytes(Vec<u8>),
    /// Close this direction (FIN).
    Finish,
    /// Drop the connection (RST).
    Reset,
}

/// Why a setup came to nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SetupFailure {
    /// The peer's frame is wrong, or what it wants cannot be had.
    Violation(Violation),
    /// The peer took too long.
    Timeout,
    /// The TCP connection ended.
    Lost,
    /// This side's own configuration makes no legal frame.
    Configuration,
}

/// A Terminate from the peer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReceivedTerminate {
    /// The layer: 0 RDMAP, 1 DDP, 2 LLP.
    pub layer: u8,
    /// The error type.
    pub error_type: u8,
    /// The error code.
    pub error_code: u8,
    /// The whole message behind the DDP header.
    pub bytes: Vec<u8>,
}

/// How a connection ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// Both sides closed.
    Finished,
    /// This side found an error, and sent a Terminate if it could.
    Terminated(Violation),
    /// The peer sent a Terminate.
    RemoteTerminate,
    /// The TCP connection was reset or lost.
    Lost,
    /// This side dropped the connection.
    Aborted,
}

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// A request came; accept or reject it.
    Requested(Request),
    /// Full Operation has begun. What is posted is sent from now on, a responder's once the
    /// initiator has sent first.
    Established(Agreement),
    /// The responder rejected, or this side did.
    Rejected {
        /// The peer's private data.
        private_data: Vec<u8>,
        /// The IRD that the responder named.
        ird: Option<u16>,
        /// The ORD that the responder named.
        ord: Option<u16>,
    },
    /// The setup failed.
    SetupFailed {
        /// Why.
        failure: SetupFailure,
        /// Whether revision 1 on a new connection may do better (RFC 6581 section 10).
        revision_one_may_do: bool,
    },
    /// A message with SE was received; its completion is there.
    Solicited,
    /// This side ends the connection for this reason.
    Violated(Violation),
    /// The peer sent a Terminate.
    TerminateReceived(ReceivedTerminate),
    /// The peer closed its direction; this side may still send (RFC 5041 section 6.2.1).
    FinishReceived,
    /// Nothing more will happen.
    Ended(Ending),
}
