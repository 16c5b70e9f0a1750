//! Tables of what is printed: for each kind of row its columns, and what every format makes of them.
//!
//! A [`Column`] is declared once, with its name, type, unit, meaning and value. Text, CSV, JSON, NDJSON and Parquet
//! all come from it, and docs/export.md and docs/statistics.md list it.

mod column;
mod flows;
mod lines;
#[cfg(feature = "parquet")]
mod parquet;
mod records;
mod statistics;
#[cfg(test)]
pub(crate) mod tests;
mod traffic;

pub use column::{
    Column, FILE, Heading, InFile, Kind, Shape, Shown, Table, Tone, Value, document, heads, shown,
    values,
};
pub use flows::{
    FLOWS, FlowObject, SETUP_FRAMES, SIDES, SKIPPED, SetupRow, SideRow, SkippedRow, TERMINATES,
    TerminateRow, guessed, ready_to_receive,
};
pub use lines::{CsvLines, JsonLines, Rows};
#[cfg(feature = "parquet")]
pub use parquet::ParquetFile;
pub use records::{MESSAGES, OPERATIONS, RPCS};
pub use statistics::{
    CREDITS, DEPTHS, DepthRow, INTERVALS, IntervalRow, LATENCIES, LatencyRow, OPCODES, OpcodeRow,
    PROCEDURES, ProcedureRow, ROLE_COUNTS, ROLES, RoleRow, SIZES, SLOWEST, SizeRow, SlowRow, share,
    span_text, start_text,
};
pub use traffic::{CONVERSATIONS, PARTIES};
