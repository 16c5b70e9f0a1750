//! DDP segments (RFC 5041 §4).

mod control;
mod error_code;
mod header;
mod tagged;
mod untagged;

pub use control::{ControlView, DDP_VERSION};
pub use error_code::{error_code_name, error_type_name};
pub use header::HeaderView;
pub use tagged::{Tagged, TaggedView};
pub use untagged::{Untagged, UntaggedView, queue_name};
