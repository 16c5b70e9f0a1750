//! What most tests here use.

pub use crate::packets::{cut, frame};
pub use crate::support::captures::{
    self, all_frames, capture, captures, each_frame, lasting, run, traces,
};
pub use crate::support::frames::{self, ETHERNET, ethernet, ipv4, ipv6, pcap, tcp, whole};
pub use crate::support::in_parallel;
pub use crate::support::require::missing;
pub use crate::support::tshark::{self, fits, folder, lines, plain, put, version};
pub use proptest::prelude::*;
pub use std::collections::{BTreeMap, BTreeSet, HashMap};
pub use std::io::Cursor;
pub use std::path::{Path, PathBuf};
pub use std::process::{Command, Stdio};
pub use std::sync::Mutex;
pub use warpscope_dissector::capture::{CaptureError, CaptureReader, Frame};
pub use warpscope_dissector::dissect::FrameView;
pub use warpscope_dissector::field::{self, Field, Kind, Origin};
pub use warpscope_dissector::flow::TcpContext;
pub use warpscope_dissector::link::{Layer, PacketDecoder, PacketProblem};
pub use warpscope_dissector::mpa::{CrcVerdict, SkipReason};
pub use warpscope_dissector::nfs::{
    Body, Datum, Direction, Place, Procedure, Visit, summarise, walk, write_line,
};
pub use warpscope_dissector::operation::OperationKind;
pub use warpscope_dissector::pipeline::{Item, ItemContext, PacketItem, Pipeline, Sink};
pub use warpscope_dissector::tree::{Node, Tree, Value};
pub use warpscope_traces::noise::Noise;
pub use warpscope_traces::scenario;
pub use warpscope_traces::session::PlannedStream;
