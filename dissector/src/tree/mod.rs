//! The tree of one frame: named fields with value, position and source bytes.

mod analysis;
mod layers;
mod line;
mod node;
mod rdmap;
mod rpc;
mod tcp_header;
mod ulp;

pub(crate) use analysis::push_malformed;
pub(crate) use layers::push_data;
pub use layers::{LayerSources, add_sources, push_layers};
pub(crate) use line::write_operation;
pub use line::{
    protocol_name, write_rpc, write_segment, write_setup, write_skipped, write_summary,
};
pub use node::{
    FrameContext, FramePlace, Location, Node, Origin, Source, SourceId, Tree, Value, push_frame,
};
pub(crate) use node::{Part, Run, write_digits};
pub use rdmap::explanation;
pub(crate) use rdmap::{push_operation, push_setup, push_skipped};
pub(crate) use rpc::{push_exchange, push_plain_rpc};
pub(crate) use tcp_header::push_segment;
pub(crate) use ulp::{push_io, push_message};
