//! MPA: turns a direction's stream into setup frames and FPDUs, also after gaps and from the middle.

mod framer;
mod item;
mod negotiation;
mod search;

pub use framer::Framer;
pub use item::{CrcVerdict, FpduItem, MpaItem, SetupItem, SkipReason, SkippedItem, StreamContext};
pub use negotiation::{EnhancedSeen, Negotiation, RdmaPrivateSeen, SetupFacts, Side};
