//! Sockets, clock and threads: runs instances against a target.
//!
//! * [`Target`] says where the target is and what is known of it.
//! * [`Script`] is an instance: a list of [`Action`]s, each of which may depend on what happened
//!   before ([`Scene`]).
//! * [`run_all`] runs many, several at a time, and tells each [`Outcome`]; [`Options`] says how.
//! * [`Evidence`] is the capture of an instance: what was sent and what came, decoded, judged by the
//!   passive rules, as frames for a file.
//!
//! * [`Proxy`] sits between two stacks, and has what passes relayed and judged.
//!
//! The order of things within a run: the target is probed ([`Probe`]), instances whose needs it does
//! not meet are not applicable, the others run, and the first and the last thing is a sanity conversation.

mod action;
mod answered;
mod bare;
mod control;
mod error;
mod evidence;
mod executor;
mod hub;
mod launch;
mod memory;
mod options;
mod pace;
mod probe;
mod proxy;
mod reports;
mod rpc;
mod scene;
mod serve;
mod stage;
mod stream;
mod suite;
mod tape;
mod task;

#[cfg(test)]
mod tests;

pub use action::{Action, AnswerMatch, Closing, Opening, OwnMemory, Serve, TargetMemory};
pub use error::RunError;
pub use evidence::{Evidence, TranscriptLine};
pub use executor::{Instance, Outcome, Play, Script};
pub use options::{Exception, Mode, Options, Target};
pub use pace::Pace;
pub use probe::{Probe, probe};
pub use proxy::{Proxy, ProxyOptions};
pub use rpc::{RpcAnswer, RpcAnswers, RpcTarget};
pub use scene::Scene;
pub use suite::{Summary, run_all, sanity};
