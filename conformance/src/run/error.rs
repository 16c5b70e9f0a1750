//! Why something could not be done, which says nothing of whether the target conforms.

use crate::engine::ClientError;
use crate::engine::shown::time;
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
    /// The control stream failed.
    #[error(transparent)]
    Client(#[from] ClientError),
    /// The target did not answer an order in time.
    #[error("the target did not answer the order {order} within {}", time(*.within))]
    NoAnswer {
        /// The order.
        order: String,
        /// How long it had.
        within: Duration,
    },
    /// The target refused an order that the run cannot do without.
    #[error("the target refused the order {order}: {why}")]
    Refused {
        /// The order.
        order: String,
        /// Why.
        why: String,
    },
    /// An action takes the test ULP, and the target does not speak it.
    #[error("{0} takes a target that speaks the test ULP")]
    NoAgent(&'static str),
    /// An action names what is not there.
    #[error("{0}")]
    Unknown(String),
    /// A case could not say what to do next.
    #[error("{0}")]
    Script(String),
    /// An instance took too long.
    #[error("the instance took longer than {}", time(*.0))]
    TooLong(Duration),
}
