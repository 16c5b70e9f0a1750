//! Sockets, clock and threads: runs instances against a target.
//!
//! * [`Target`] says where the target is and what is known of it; [`probe`] asks it what it can do.
//! * [`run_all`] runs instances, several at a time, and reports each [`Outcome`]; [`Options`] says how.
//!   Instances whose needs the target does not meet are not applicable. Each is carried out step by step
//!   by an executor (`executor`, and `connect`, `send`, `expect` and `orders` for its steps), in a session
//!   that keeps the connections (`session`, `connections`). If an instance did not pass, `liveness` checks
//!   whether the target is still there, and `cause` determines why it did not pass.
//! * [`Evidence`] is the capture of an instance: what was sent and what came, decoded, judged by the
//!   passive rules, as frames for a file.
//! * [`Proxy`] is placed between two stacks, and relays and judges what passes.

mod cause;
mod connect;
mod connections;
mod control;
mod evidence;
mod executor;
mod expect;
mod liveness;
mod options;
mod orders;
mod probe;
mod proxy;
mod reports;
mod requester;
mod send;
mod serve;
mod session;
mod suite;

#[cfg(test)]
mod opened_tests;
#[cfg(test)]
mod tests;

pub use crate::format::parse_time;
pub use control::AgentError;
pub use evidence::{Evidence, TranscriptLine};
pub use executor::Outcome;
pub use options::{Exception, Mode, Options, Pace, Target};
pub use probe::{Probe, probe, sanity};
pub use proxy::{Proxy, ProxyOptions};
pub use serve::{RpcAnswer, RpcAnswers, RpcTarget};
pub use session::RunError;
pub use suite::run_all;
