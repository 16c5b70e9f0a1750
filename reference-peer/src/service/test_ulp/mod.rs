//! The test ULP, as a target (`conformance/TEST-ULP.md`): a conformance runner gives orders in
//! Sends, the peer carries them out on its streams and memory, and tells what happened.
//!
//! Sections that the docs name without a document are those of the specification.

mod answer;
mod files;
mod kept;
mod limits;
mod open;
mod options;
mod order;
mod region;
mod session;
mod stream;
mod target;
mod tell;
mod work;

pub use files::{Files, FolderFiles};
pub use limits::Limits;
pub use options::TestUlpOptions;
pub use target::TestUlp;
