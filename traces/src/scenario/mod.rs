//! The synthetic captures: the contents of each, and the plan of its streams.

mod catalogue;
mod iwarp;
mod network;
mod rpcrdma;
mod violations;

pub use catalogue::{Generated, PlannedBreach, Scenario, all, by_name, with_breaches};
