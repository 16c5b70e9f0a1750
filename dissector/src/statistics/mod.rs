//! Statistics of a capture: a summary of each connection, and distributions over all of them.
//!
//! [`Flows`] and [`Statistics`] are sinks over the pipeline's items. What they keep is bounded,
//! whatever the capture: percentiles come from sketches when there are many values, a connection
//! that has ended is kept as a summary, and intervals of time grow when there are too many.

mod calls;
mod flow;
mod flows;
mod opcode;
mod operations;
mod samples;
mod transport;

pub use calls::{Calls, Range};
pub use flow::{DirectionCounts, End, FindingCounts, Flow, Left, Skips, TerminateSeen, VERDICTS};
pub use flows::{Flows, MOST_FLOWS};
pub use opcode::{Opcode, Opcodes, Sent};
pub use operations::{OperationCounts, Operations};
pub use samples::{Percentiles, Precision, Samples};
pub use transport::{Mark, TcpSide};
