//! Events from workers to the state, and effects that the state requests.

use crate::index::{
    Batch, CallRow, ChunkRow, FlowRow, FoundRow, MessageRow, OperationRow, StreamPart,
    TcpConnections,
};
use crate::rules::Rule;
use std::collections::BTreeMap;
use std::sync::Arc;
use warpscope_dissector::field::Field;
use warpscope_dissector::filter::Filter;
use warpscope_dissector::ladder::Ladder;
use warpscope_dissector::statistics::Counts;
use warpscope_dissector::tree::Tree;

/// Comments by frame.
pub type Comments = BTreeMap<u32, Vec<String>>;

/// A report of a worker.
#[derive(Debug, Clone)]
pub enum Event {
    /// More frames are in the index.
    Indexed(Batch),
    /// The frames before this one are no longer kept: a ring has wrapped.
    Forgotten(u32),
    /// The progress of reading.
    Progress(Progress),
    /// The current state of the connections.
    Flows(Arc<[Arc<FlowRow>]>),
    /// The counts so far.
    Counted(Arc<Counts>, Arc<TcpConnections>),
    /// More operations have ended.
    Operations(Vec<OperationRow>),
    /// More calls have ended.
    Calls(Vec<CallRow>),
    /// More chunks were used.
    Chunks(Vec<ChunkRow>),
    /// More rules were broken.
    Found(Vec<FoundRow>),
    /// More comments on frames.
    Comments(Vec<(u32, String)>),
    /// Requested lines; the last ones with the request itself.
    Lines(Vec<(u32, MessageRow)>, Option<LinesAsked>),
    /// A requested tree, or the reason why the frame cannot be read again.
    Tree(u32, Result<Arc<Tree>, String>),
    /// Frames that a scan found.
    Matched(Matched),
    /// The ladder of a flow; none if there is no such flow.
    Ladder(u32, Option<Arc<Ladder>>),
    /// The user's data of a flow: its messages, and the number of bytes left out.
    Stream(u32, Vec<StreamPart>, u64),
    /// The file has changed since it was read.
    Changed(Change),
    /// A file was written; its description.
    Written(String),
    /// An error message.
    Notice(String),
}

/// How a file has changed since it was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// It has grown by this many bytes.
    Grown(u64),
    /// It has become shorter: frames may be lost.
    Shorter,
    /// It was deleted or replaced. The opened file can still be read.
    Gone,
}

/// The progress of reading the capture.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Progress {
    /// Frames read.
    pub frames: u32,
    /// Bytes read of the file.
    pub bytes: u64,
    /// The size in bytes, if known.
    pub total: Option<u64>,
    /// Whether reading has ended.
    pub ended: bool,
    /// Why reading stopped early.
    pub error: Option<String>,
    /// Frames and bytes a second, of a live capture.
    pub rate: Option<(u32, u64)>,
    /// Frames or rows that were not kept because there were too many.
    pub dropped: u64,
}

/// Which of two scans.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ScanKind {
    /// The display filter.
    Filter,
    /// The search.
    Search,
}

/// The criterion of a scan.
#[derive(Debug, Clone)]
pub enum Wanted {
    /// Frames whose tree passes.
    Filter(Filter),
    /// Frames whose line matches a regular expression.
    Text(regex::Regex),
    /// Frames that contain these bytes.
    Bytes(Vec<u8>),
}

/// Frames that a scan found.
#[derive(Debug, Clone)]
pub struct Matched {
    /// Which scan.
    pub kind: ScanKind,
    /// The number of the scan request that this answers.
    pub question: u64,
    /// Matching frames, in order.
    pub frames: Vec<u32>,
    /// The last frame that was checked.
    pub upto: u32,
}

/// A request for lines.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LinesAsked {
    /// The frames, in order.
    pub frames: Vec<u32>,
    /// The fields whose values are needed.
    pub fields: Vec<&'static Field>,
    /// The rules that colour the lines.
    pub rules: Arc<[Rule]>,
}

/// A request of the state.
#[derive(Debug, Clone)]
pub enum Effect {
    /// The lines of frames.
    Lines(LinesAsked),
    /// The tree of a frame.
    Tree(u32),
    /// A scan over all frames, which replaces the previous one of that kind; none only ends it.
    Scan(ScanKind, u64, Option<Wanted>),
    /// The ladder of a flow.
    Ladder(u32),
    /// The user's data of a flow.
    Stream(u32),
    /// Text for the clipboard.
    Copy(String),
    /// Text for a file.
    Save {
        /// The file's name.
        name: String,
        /// Its content.
        text: String,
    },
    /// Frames for a capture file.
    SaveFrames {
        /// The file's name.
        name: String,
        /// The frames, in order.
        frames: Vec<u32>,
        /// Comments on them.
        comments: Comments,
    },
    /// Show the next or the previous of several captures.
    Turn {
        /// Whether it is the next.
        forward: bool,
    },
    /// Redraw everything.
    Redraw,
    /// Release the terminal to the shell until the program is continued.
    Suspend,
    /// Read the capture again from its beginning.
    Reload,
}
