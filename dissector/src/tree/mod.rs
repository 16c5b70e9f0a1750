//! The tree of one frame: named fields with value, place and source octets.

mod frame;
mod ip;
mod layers;
mod link;
mod node;
mod part;
mod small;
mod summary;
mod tcp_header;

pub use frame::{FrameContext, push_frame};
pub use layers::{LayerSources, add_sources, push_layers, write_protocols};
pub use node::{Location, Node, Source, SourceId, Tree, Value};
pub use summary::{protocol_name, write_summary};
pub use tcp_header::{TcpContext, WindowScale};
