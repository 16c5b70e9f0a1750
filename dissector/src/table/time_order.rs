//! Sorts batches of rows by time, in bounded memory, and splits them by day.

use super::arrow::plain;
use arrow_array::cast::AsArray as _;
use arrow_array::types::TimestampNanosecondType;
use arrow_array::{Array as _, RecordBatch};
use arrow_select::interleave::interleave_record_batch;
use chrono::DateTime;
use std::io;

/// Rows kept back until earlier ones have come.
pub const WINDOW: usize = 1 << 12;

/// Sorts rows by time: a row may come up to [`WINDOW`] rows after a later one. Rows without a time come
/// first.
pub struct TimeOrder {
    /// The columns with a row's time: the first that has a value counts.
    times: &'static [&'static str],
    held: Option<RecordBatch>,
}

impl TimeOrder {
    /// Creates an empty sorter.
    pub fn new(times: &'static [&'static str]) -> Self {
        Self { times, held: None }
    }

    /// Takes a batch, and returns the earliest of the rows kept: all but [`WINDOW`].
    pub fn batch(&mut self, batch: RecordBatch) -> io::Result<Option<RecordBatch>> {
        let held: Vec<RecordBatch> = self.held.take().into_iter().chain([batch]).collect();
        let held: Vec<&RecordBatch> = held.iter().collect();
        let mut order: Vec<_> = (0..)
            .zip(&held)
            .flat_map(|(index, batch)| {
                let times = times(batch, self.times);
                times.into_iter().zip(0..).map(move |(time, row)| (time, (index, row)))
            })
            .collect();
        order.sort_by_key(|(time, _)| *time);
        let order: Vec<(usize, usize)> = order.into_iter().map(|(_, place)| place).collect();
        let (first, rest) = order.split_at(order.len().saturating_sub(WINDOW));
        let take = |rows| interleave_record_batch(&held, rows).map_err(plain);
        self.held = Some(take(rest)?);
        (!first.is_empty()).then(|| take(first)).transpose()
    }

    /// Returns the remaining rows.
    pub fn finish(&mut self) -> Option<RecordBatch> {
        self.held.take()
    }
}

/// Returns the time of each row, in nanoseconds since 1970.
fn times(batch: &RecordBatch, columns: &[&str]) -> Vec<Option<i64>> {
    let columns = columns.iter().filter_map(|name| batch.column_by_name(name));
    let columns: Vec<_> =
        columns.filter_map(|it| it.as_primitive_opt::<TimestampNanosecondType>()).collect();
    let value = |row| columns.iter().find(|it| it.is_valid(row)).map(|it| it.value(row));
    (0..batch.num_rows()).map(value).collect()
}

/// Splits rows sorted by time by their day in UTC, as `2026-11-24`; `None` for rows without a time.
pub fn by_day(
    batch: &RecordBatch,
    times: &'static [&'static str],
) -> Vec<(Option<String>, RecordBatch)> {
    let day = |time: i64| DateTime::from_timestamp_nanos(time).date_naive();
    let days: Vec<_> = self::times(batch, times).into_iter().map(|time| time.map(day)).collect();
    let mut start = 0;
    let runs = days.chunk_by(|one, next| one == next).map(|run| {
        let rows = batch.slice(start, run.len());
        start += run.len();
        (run.first().copied().flatten().map(|day| day.to_string()), rows)
    });
    runs.collect()
}
