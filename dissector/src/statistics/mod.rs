//! Statistics of a capture: a summary of each connection, and distributions over all of them.
//!
//! [`Flows`] and [`Statistics`] are sinks over the pipeline's items. What they keep is bounded,
//! whatever the capture: percentiles come from sketches when there are many values, a connection
//! that has ended is kept as a summary, and intervals of time grow when there are too many.

mod calls;
mod collector;
mod depth;
mod flow;
mod flows;
mod opcode;
mod operations;
mod procedures;
mod samples;
mod sizes;
mod timeline;
mod transport;

pub use calls::{Calls, Range};
pub use collector::{Counts, Statistics};
pub use depth::Depths;
pub use flow::{DirectionCounts, End, FindingCounts, Flow, Left, Skips, TerminateSeen, VERDICTS};
pub use flows::{Flows, MOST_FLOWS};
pub use opcode::{Opcode, Opcodes, Sent};
pub use operations::{OperationCounts, Operations};
pub(crate) use procedures::compound_operation;
pub use procedures::{ProcedureCounts, ProcedureKey, Procedures};
pub use samples::{Percentiles, Precision, Samples};
pub use sizes::{SizeBucket, SizeGroup, Sizes};
pub use timeline::{Interval, Timeline};
pub use transport::{Mark, TcpSide};
