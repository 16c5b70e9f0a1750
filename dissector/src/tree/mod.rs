//! The tree of one frame: named fields with value, place and source bytes.

mod duration;
mod exchange;
mod fpdu;
mod frame;
mod ip;
mod layers;
mod line;
mod link;
mod nfs;
mod node;
mod operation;
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

pub use duration::Duration;
pub(crate) use exchange::{push_exchange, push_plain_rpc};
pub use fpdu::push_skipped;
pub use frame::{FrameContext, push_frame};
pub use layers::{LayerSources, add_sources, push_layers, write_protocols};
pub use line::{write_operation, write_rpc, write_segment, write_setup, write_skipped};
pub use node::{Location, Node, Origin, Source, SourceId, Tree, Value};
pub use operation::{explanation, push_operation};
pub use place::FramePlace;
pub(crate) use place::Run;
pub(crate) use segment::push_segment;
pub use setup::push_setup;
pub use summary::{protocol_name, write_summary};
pub use tcp_header::{TcpContext, WindowScale};
