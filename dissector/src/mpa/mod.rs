//! MPA: from a direction's stream to setup frames and FPDUs, also behind gaps and from the middle.

mod context;
mod evidence;
mod framer;
mod item;
mod negotiation;
mod search;
mod spans;

pub use context::StreamContext;
pub use framer::Framer;
pub use item::{CrcVerdict, FpduItem, MpaItem, SetupItem, SkipReason, SkippedItem};
pub use negotiation::{EnhancedSeen, Negotiation, RdmaPrivateSeen, Seen, Side};
