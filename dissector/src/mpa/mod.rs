//! MPA: from a direction's stream to setup frames and FPDUs, also behind gaps and from the middle.

mod evidence;
mod framer;
mod item;
mod negotiation;
mod search;

pub use framer::{Framer, StreamContext};
pub use item::{CrcVerdict, FpduItem, MpaItem, SetupItem, SkipReason, SkippedItem};
pub use negotiation::{Negotiation, Side};
