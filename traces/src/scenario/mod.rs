//! The synthetic captures: what each contains, and what was put into its streams.

mod catalogue;
mod iwarp;
mod network;
mod rpcrdma;
mod violations;

pub use catalogue::{Generated, PlannedBreach, Scenario, all, by_name, with_breaches};
