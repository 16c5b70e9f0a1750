//! The synthetic captures: what each contains, and what was put into its streams.

mod catalogue;
mod extensions;
mod links;
mod losses;
mod markers;
mod rpcordma;
mod segmenting;
mod setup;
mod terminate;
mod violations_rpc;
mod violations_rpc_exchanges;
mod violations_rpc_legal;
mod violations_rpc_messages;

pub use catalogue::{Made, Scenario, all, by_name};
pub use violations_rpc::{Violation as RpcViolation, all as rpc_violations};
