//! Tables of printed data: the columns of each kind of row, and their output in every format.
//!
//! A [`Column`] is declared once, with its name, type, unit, meaning and value. Text, CSV, JSON, NDJSON,
//! Arrow and Parquet are all produced from it, and docs/export.md and docs/statistics.md list it.

#[cfg(feature = "parquet")]
mod arrow;
mod captures;
mod column;
mod flows;
mod ios;
mod lines;
mod records;
mod scan;
mod statistics;
#[cfg(test)]
pub(crate) mod tests;
#[cfg(feature = "parquet")]
mod time_order;
mod traffic;

#[cfg(feature = "parquet")]
pub use ::arrow_array::RecordBatch;
#[cfg(feature = "parquet")]
pub use arrow::{
    BATCH, BatchedRows, Batches, ParquetFile, TakesBatches, arrow_stream, parquet_file,
    with_constants,
};
pub use captures::{CaptureTable, FindingRecord, LatencyRecord, Row, RowCollector};
pub use column::{
    Column, FILE, Heading, InFile, Kind, Shape, Shown, Table, Tone, Value, document, heads, shown,
    values,
};
pub use flows::{
    FLOWS, FlowObject, SETUP_FRAMES, SIDES, SILENCES, SKIPPED, SetupRow, SideRow, SilenceRow,
    SkippedRow, TERMINATES, TerminateRow, again, guessed, loss_time, ready_to_receive,
};
pub use ios::{IO_COUNTS, IOS, IoRow};
pub use lines::{CsvLines, JsonLines, Rows};
pub use records::{FINDINGS, LATENCY_BUCKETS, MESSAGES, OPERATIONS, RPCS};
pub use scan::RowScan;
pub use statistics::{
    CREDITS, DEPTHS, DepthRow, INTERVALS, IntervalRow, LATENCIES, LatencyRow, OPCODES, OpcodeRow,
    PROCEDURES, ProcedureRow, ROLE_COUNTS, ROLES, RoleRow, SIZES, SLOWEST, SizeRow, SlowRow,
    span_text, start_text,
};
#[cfg(feature = "parquet")]
pub use time_order::{TimeOrder, WINDOW, by_day};
pub use traffic::{CONVERSATIONS, PARTIES};
