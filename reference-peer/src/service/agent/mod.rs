//! The agent of the reference peer, which a conformance runner controls (`agents/README.md`).

mod errors;
mod events;
mod files;
mod memory;
mod options;
mod session;
mod stream;
mod work;

pub use files::{Files, FolderFiles};
pub use options::AgentOptions;
pub use session::Agent;
