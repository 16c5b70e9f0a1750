//! Why something could not be done, which says nothing of whether the target conforms.

use super::control::ClientError;
use crate::format::time;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;

/// Why something could not be done.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// No connection to the target.
    #[error("cannot connect to {address}: {error}; is the target running there?")]
    Connect {
        /// Where to.
        address: SocketAddr,
        /// Why.
        error: io::Error,
    },
    /// The runner cannot listen.
    #[error("cannot listen at {address}: {error}")]
    Listen {
        /// Where.
        address: SocketAddr,
        /// Why.
        error: io::Error,
    },
    /// A socket failed.
    #[error("{0}")]
    Socket(#[from] io::Error),
    /// The target did not connect in time.
    #[error("the target did not connect within {}", time(*.0))]
    NoConnection(Duration),
    /// The target's RPC requester did not connect.
    #[error("no connection came from the requester within {}: its command {command}", time(*.waited))]
    NoRequester {
        /// How long the runner waited: less than it would have, where the command ended.
        waited: Duration,
        /// How the command ended or what it is about, and what it said.
        command: String,
    },
    /// The control stream failed.
    #[error(transparent)]
    Client(#[from] ClientError),
    /// The target did not greet on the control stream in time.
    #[error("the target did not set the control stream up within {}", time(*.0))]
    NoGreeting(Duration),
    /// The target did not answer an order in time.
    #[error("the target did not answer the order `{order}` within {}", time(*.within))]
    NoAnswer {
        /// The order: its name in cases, or in the test ULP where cases have none.
        order: &'static str,
        /// How long it had.
        within: Duration,
    },
    /// The target refused an order that the run cannot do without.
    #[error("the target refused the order `{order}`: {why}")]
    Refused {
        /// The order: its name in cases, or in the test ULP where cases have none.
        order: &'static str,
        /// Why.
        why: String,
    },
    /// An action takes the test ULP, and the target does not speak it.
    #[error("{0} takes a target that speaks the test ULP")]
    NoAgent(&'static str),
    /// An action names what is not there.
    #[error("{0}")]
    Unknown(String),
    /// A step cannot be carried out.
    #[error("{0}")]
    Step(String),
    /// An instance took too long.
    #[error("the instance took longer than {}", time(*.0))]
    TooLong(Duration),
}
