//! The tree of one frame: named fields with value, place and source octets.

mod fpdu;
mod frame;
mod ip;
mod layers;
mod line;
mod link;
mod nfs;
mod node;
mod part;
mod place;
mod rdmap;
mod rpc;
mod segment;
mod setup;
mod small;
mod summary;
mod tcp_header;
mod terminate;

pub use fpdu::push_skipped;
pub use frame::{FrameContext, push_frame};
pub use layers::{LayerSources, add_sources, push_layers, write_protocols};
pub use line::{write_segment, write_setup, write_skipped};
pub use node::{Location, Node, Source, SourceId, Tree, Value};
pub use place::FramePlace;
pub use segment::push_segment;
pub use setup::push_setup;
pub use summary::{protocol_name, write_summary};
pub use tcp_header::{TcpContext, WindowScale};
