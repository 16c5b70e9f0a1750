//! Live capture: libpcap's interfaces, one thread each, merged into one sequence of frames.
//!
//! Everything that needs libpcap requires the feature `live`; without it `-i` explains how to get it.

#[cfg(not(feature = "live"))]
mod absent;
#[cfg(feature = "live")]
mod devices;
mod run;
#[cfg(feature = "live")]
mod session;

#[cfg(not(feature = "live"))]
use absent::Session;
#[cfg(not(feature = "live"))]
pub(crate) use absent::list_interfaces;
#[cfg(feature = "live")]
pub(crate) use devices::list_interfaces;
pub(crate) use run::{CapturedFrameSink, LiveFeed, Plan, capture};
#[cfg(feature = "live")]
use session::Session;
