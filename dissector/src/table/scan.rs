//! Reads the rows of a capture's table frame by frame, limited to those that a display filter matches.

use super::captures::{CaptureTable, Row, RowCollector};
use crate::capture::{CaptureError, CaptureReader};
use crate::field::tcp::STREAM;
use crate::filter::Filter;
use crate::pipeline::{Options, Pipeline};
use crate::record::Record;
use crate::selection::{FrameSet, Selection};
use crate::tree::{Tree, Value};
use std::collections::HashSet;

/// Reads the rows of a table from a capture.
///
/// With a display filter, a row is included if its frame matches: the one in which it finished. Flows and
/// latencies are included if any frame of their connection matches.
#[derive(Debug)]
pub struct RowScan {
    reader: CaptureReader,
    pipeline: Pipeline,
    collector: RowCollector,
    passing: Option<Passing>,
}

impl RowScan {
    /// Creates a scan of a capture that has not been read yet.
    pub fn new(
        reader: CaptureReader,
        table: CaptureTable,
        filter: Option<Filter>,
        options: Options,
    ) -> Self {
        let passing = filter.map(|filter| Passing {
            selection: Selection::new(filter, options.clone()),
            frames: FrameSet::default(),
            connections: HashSet::new(),
        });
        let collector = RowCollector::new(&[table]);
        Self { reader, pipeline: Pipeline::new(options), collector, passing }
    }

    /// Returns the reader.
    pub fn reader(&self) -> &CaptureReader {
        &self.reader
    }

    /// Takes the next frame, and appends the rows that finish with it. Returns false at the end of the
    /// capture, when the remaining rows have been appended.
    ///
    /// # Errors
    /// The damage that ends the reading; the remaining rows of what came before it have been appended.
    pub fn frame(&mut self, rows: &mut Vec<Row>) -> Result<bool, CaptureError> {
        let (before, names_interfaces) = (rows.len(), self.reader.names_interfaces());
        let read = match self.reader.next_described() {
            Ok(Some(described)) => {
                self.pipeline.frame(&described.frame, &mut self.collector);
                self.collector.take(rows);
                if let Some(passing) = &mut self.passing
                    && passing.selection.passes(&described, names_interfaces)
                {
                    passing.add(described.frame.number);
                }
                Ok(true)
            }
            ended => {
                self.pipeline.finish(&mut self.collector);
                self.collector.finish(rows);
                if let Some(Passing { selection, frames, connections }) = &mut self.passing {
                    selection.finish(|view| {
                        frames.insert(view.number);
                        connections.extend(connection(&view.tree));
                    });
                }
                ended.map(|_| false)
            }
        };
        if let Some(passing) = &self.passing {
            let new = rows.split_off(before);
            rows.extend(new.into_iter().filter(|row| passing.has(row)));
        }
        read
    }
}

/// What has matched so far.
#[derive(Debug)]
struct Passing {
    selection: Selection,
    frames: FrameSet,
    connections: HashSet<u32>,
}

impl Passing {
    /// Adds the current frame.
    fn add(&mut self, number: u64) {
        self.frames.insert(number);
        self.connections.extend(connection(&self.selection.view.tree));
    }

    fn has(&self, row: &Row) -> bool {
        match place(row) {
            Place::Frame(number) => self.frames.contains(number),
            Place::Connection(number) => self.connections.contains(&number),
        }
    }
}

/// Returns the number of a frame's connection.
fn connection(tree: &Tree) -> Option<u32> {
    let node = tree.nodes.iter().find(|node| *node.field == STREAM)?;
    match node.value {
        Value::Unsigned(number) => u32::try_from(number).ok(),
        _ => None,
    }
}

/// What a filter must match for a row.
enum Place {
    Frame(u64),
    Connection(u32),
}

fn place(row: &Row) -> Place {
    Place::Frame(match row {
        Row::Record(Record::Message(message)) => message.last_frame,
        Row::Record(Record::Operation(record)) => {
            let operation = &record.operation;
            operation.response.as_ref().unwrap_or(&operation.request).last_frame
        }
        Row::Record(Record::Rpc(rpc)) => {
            rpc.reply.as_ref().or(rpc.call.as_ref()).map_or(0, |part| part.frame)
        }
        Row::Record(Record::Io(record)) => {
            let io = &record.io;
            let data = io.data.map(|(_, last)| last);
            io.completed.or(data).or(io.requested).map_or(0, |mark| mark.frame)
        }
        Row::Finding(record) => record.finding.place.frame,
        Row::Flow(flow) => return Place::Connection(flow.info.number),
        Row::Latency(record) => return Place::Connection(record.connection.number),
    })
}
