//! The rows of a table of a capture, frame by frame, those alone that a display filter passes.

use super::captures::{CaptureTable, Row, RowCollector};
use crate::capture::{CaptureError, CaptureReader};
use crate::field::tcp::STREAM;
use crate::filter::Filter;
use crate::pipeline::{Options, Pipeline};
use crate::record::Record;
use crate::selection::Selection;
use crate::tree::{Tree, Value};
use std::collections::HashSet;

/// Reads the rows of a table from a capture.
///
/// With a display filter a row counts whose frame passes: the one with which it came to its end. Of flows and
/// latencies those count of whose connection any frame passes.
#[derive(Debug)]
pub struct RowScan {
    reader: CaptureReader,
    pipeline: Pipeline,
    collector: RowCollector,
    passing: Option<Passing>,
}

impl RowScan {
    /// A scan of a capture of which nothing is read yet.
    pub fn new(
        reader: CaptureReader,
        table: CaptureTable,
        filter: Option<Filter>,
        options: Options,
    ) -> Self {
        let passing = filter.map(|filter| Passing {
            selection: Selection::new(filter, options.clone()),
            frames: Vec::new(),
            connections: HashSet::new(),
        });
        let collector = RowCollector::new(&[table]);
        Self { reader, pipeline: Pipeline::new(options), collector, passing }
    }

    /// What is read.
    pub fn reader(&self) -> &CaptureReader {
        &self.reader
    }

    /// Takes the next frame, and appends the rows that come to their ends with it. False at the end of the
    /// capture, when the rest has been appended.
    ///
    /// # Errors
    /// The damage that ends the reading; the rest of what came before it has been appended.
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
                if let Some(passing) = &mut self.passing {
                    let frames = &mut passing.frames;
                    passing.selection.finish(|view| set(frames, view.number));
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

/// What passed so far.
#[derive(Debug)]
struct Passing {
    selection: Selection,
    /// A bit a frame.
    frames: Vec<u64>,
    connections: HashSet<u32>,
}

impl Passing {
    /// Takes the frame at hand.
    fn add(&mut self, number: u64) {
        set(&mut self.frames, number);
        self.connections.extend(connection(&self.selection.view.tree));
    }

    fn has(&self, row: &Row) -> bool {
        match place(row) {
            Place::Frame(number) => {
                let word = self.frames.get((number / 64) as usize);
                word.is_some_and(|word| word >> (number % 64) & 1 == 1)
            }
            Place::Connection(number) => self.connections.contains(&number),
        }
    }
}

fn set(frames: &mut Vec<u64>, number: u64) {
    let word = (number / 64) as usize;
    if frames.len() <= word {
        frames.resize(word + 1, 0);
    }
    if let Some(word) = frames.get_mut(word) {
        *word |= 1 << (number % 64);
    }
}

/// The number of the connection of a frame.
fn connection(tree: &Tree) -> Option<u32> {
    let node = tree.nodes.iter().find(|node| *node.field == STREAM)?;
    match node.value {
        Value::Unsigned(number) => u32::try_from(number).ok(),
        _ => None,
    }
}

/// What a filter must pass for a row.
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
