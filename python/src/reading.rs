//! The thread that reads a table for a stream. Its batches wait in a bounded queue, so that memory use does
//! not grow with the capture.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use warpscope_dissector::capture::{CaptureError, CaptureReader};
use warpscope_dissector::filter::Filter;
use warpscope_dissector::pipeline::Options;
use warpscope_dissector::table::{Batches, CaptureTable, InFile, RecordBatch, RowScan};

/// The number of batches that may wait in the queue.
const WAITING: usize = 2;

/// What the thread sends.
pub(crate) enum Part {
    Batch(RecordBatch),
    /// The capture was read to its end, or to the damage.
    End(Option<CaptureError>),
    /// A batch could not be created.
    Failed(std::io::Error),
}

/// A table while it is being read.
pub(crate) struct Reading {
    pub(crate) parts: Receiver<Part>,
    /// The number of bytes read.
    pub(crate) bytes: Arc<AtomicU64>,
    stop: Arc<AtomicBool>,
}

impl Reading {
    /// Starts reading the table from a capture with this name.
    pub(crate) fn start(
        mut reader: CaptureReader,
        name: String,
        table: CaptureTable,
        filter: Option<Filter>,
        options: Options,
    ) -> Self {
        let (to, parts) = sync_channel(WAITING);
        let (bytes, stop) = (Arc::<AtomicU64>::default(), Arc::<AtomicBool>::default());
        reader.stop_on(Arc::clone(&stop));
        let read = Arc::clone(&bytes);
        thread::spawn(move || {
            let scan = RowScan::new(reader, table, filter, options);
            let file = InFile { name: &name, first_time: None };
            // Nobody receives it if the stream was dropped.
            let _ = to.send(match hand_on(scan, table, &file, &to, &read) {
                Ok(damage) => Part::End(damage),
                Err(error) => Part::Failed(error),
            });
        });
        Self { parts, bytes, stop }
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

/// Reads the table and sends its batches; returns the damage that ended the capture.
fn hand_on(
    mut scan: RowScan,
    table: CaptureTable,
    file: &InFile<'_>,
    to: &SyncSender<Part>,
    bytes: &AtomicU64,
) -> std::io::Result<Option<CaptureError>> {
    let (mut batches, mut rows) = (Batches::new(&table.columns()), Vec::new());
    let full =
        |batch: Option<RecordBatch>| batch.is_none_or(|batch| to.send(Part::Batch(batch)).is_ok());
    loop {
        let read = scan.frame(&mut rows);
        bytes.store(scan.reader().bytes_read(), Ordering::Relaxed);
        for row in rows.drain(..) {
            if !full(batches.row(&row.values(file))?) {
                return Ok(None);
            }
        }
        if !matches!(read, Ok(true)) {
            full(batches.take()?);
            return Ok(read.err());
        }
    }
}
