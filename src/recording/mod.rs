//! Writing what was captured: into a file, a pipe, or a ring of files, until a limit.

mod criterion;
mod destination;
mod limits;
mod recorder;
mod ring;

pub(crate) use criterion::Criterion;
pub(crate) use destination::{Destination, RecordError};
pub(crate) use limits::Limits;
pub(crate) use recorder::{Next, RecordedInterface, Recorder};

/// The program's name and version, for the captures that it writes.
pub(crate) const APPLICATION: &str = concat!("warpscope ", env!("CARGO_PKG_VERSION"));
