//! MPA connection setup: the frames of both roles, and what they agree on (RFC 5044 section 7.1,
//! RFC 6581).

mod agreement;
mod config;
mod frame;
mod initiator;
mod responder;
#[cfg(test)]
mod tests;

pub use agreement::{Agreement, EnhancedRequest, Indication, Request};
pub use config::{SetupConfig, SetupRevision};
pub(crate) use frame::spoil_frame;
pub use frame::{FrameReader, OwnedSetup};
pub use initiator::{Answer, read_reply, request};
pub use responder::{accept, read_request, reject};
