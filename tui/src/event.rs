//! what workers report to the state, and what the state asks of them.

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

/// What a worker reports.
#[derive(Debug, Clone)]
pub enum Event {
    /// More frames are in the index.
    Indexed(Batch),
    /// The frames before this one are kept no longer: a ring has come round.
    Forgotten(u32),
    /// How far the reading is.
    Progress(Progress),
    /// The connections as they are known now.
    Flows(Arc<[Arc<FlowRow>]>),
    /// What was counted until now.
    Counted(Arc<Counts>, Arc<TcpConnections>),
    /// More operations have come to their ends.
    Operations(Vec<OperationRow>),
    /// More calls have come to their ends.
    Calls(Vec<CallRow>),
    /// More chunks were used.
    Chunks(Vec<ChunkRow>),
    /// More rules were broken.
    Found(Vec<FoundRow>),
    /// More comments on frames.
    Comments(Vec<(u32, String)>),
    /// Lines that were asked for; with the last of them, what was asked.
    Lines(Vec<(u32, MessageRow)>, Option<LinesAsked>),
    /// A tree that was asked for; none when the frame cannot be read again, with the reason.
    Tree(u32, Result<Arc<Tree>, String>),
    /// Frames that a scan found.
    Matched(Matched),
    /// The ladder of a flow; none when there is no such flow.
    Ladder(u32, Option<Arc<Ladder>>),
    /// The user's data of a flow: its messages, and how many bytes were too many.
    Stream(u32, Vec<StreamPart>, u64),
    /// The file is not any more what it was when it was read.
    Changed(Change),
    /// A file was written; what is in it.
    Written(String),
    /// Something that went wrong.
    Notice(String),
}

/// What has become of a file that was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// It has so many bytes more.
    Grown(u64),
    /// It has become shorter: frames may be gone.
    Shorter,
    /// It has no name any more, or another file has it. What was opened can still be read.
    Gone,
}

/// How far the reading of the capture is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Progress {
    /// Frames read.
    pub frames: u32,
    /// Bytes read of the file.
    pub bytes: u64,
    /// Bytes that there are, where that is known.
    pub total: Option<u64>,
    /// True when no more will come.
    pub ended: bool,
    /// Why the reading stopped early.
    pub error: Option<String>,
    /// Frames and bytes a second, of a live capture.
    pub rate: Option<(u32, u64)>,
    /// Frames or rows that were too many to keep.
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

/// What a scan looks for.
#[derive(Debug, Clone)]
pub enum Wanted {
    /// Frames whose tree passes.
    Filter(Filter),
    /// Frames whose line fits a regular expression.
    Text(regex::Regex),
    /// Frames that hold these bytes.
    Bytes(Vec<u8>),
}

/// Frames that a scan found.
#[derive(Debug, Clone)]
pub struct Matched {
    /// Which scan.
    pub kind: ScanKind,
    /// The number of the question that this answers.
    pub question: u64,
    /// Frames that fit, in order.
    pub frames: Vec<u32>,
    /// The last frame that was looked at.
    pub upto: u32,
}

/// Lines that are wanted.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LinesAsked {
    /// Of these frames, in order.
    pub frames: Vec<u32>,
    /// With the values of these fields.
    pub fields: Vec<&'static Field>,
    /// Coloured by these rules.
    pub rules: Arc<[Rule]>,
}

/// What the state asks for.
#[derive(Debug, Clone)]
pub enum Effect {
    /// The lines of frames.
    Lines(LinesAsked),
    /// The tree of a frame.
    Tree(u32),
    /// A scan over all frames, which ends the one before of that kind; none only ends it.
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
        /// What goes into it.
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
    /// Show the next of several captures, or the one before.
    Turn {
        /// Whether it is the next.
        forward: bool,
    },
    /// Draw everything again.
    Redraw,
    /// Give the terminal to the shell until the program is continued.
    Suspend,
    /// Read the capture again from its beginning.
    Reload,
}
