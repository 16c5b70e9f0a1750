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
mod violations;

pub use catalogue::{Made, PlannedBreach, Scenario, all, by_name, with_breaches};
