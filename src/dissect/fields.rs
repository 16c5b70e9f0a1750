//! `-T fields` and `-T csv`: the values of some fields, a line a frame.

use super::column::Column;
use super::layout::{Layout, Occurrence};
use super::output::{Output, Shown};
use super::time::TimeColumn;
use std::io::{self, Write};

/// Gathers the values of columns.
#[derive(Debug)]
struct Cells {
    columns: Vec<Column>,
    layout: Layout,
    time: TimeColumn,
    scratch: String,
}

impl Cells {
    /// Appends the values of a column that are wanted, joined.
    fn push(&mut self, index: usize, shown: &Shown<'_>, out: &mut String) {
        let Some(column) = self.columns.get(index) else { return };
        let start = out.len();
        let Layout { occurrence, aggregator, .. } = self.layout;
        let mut seen = 0_usize;
        column.values(shown, self.time, &mut self.scratch, |value| {
            match occurrence {
                Occurrence::First if seen > 0 => return,
                Occurrence::Last => out.truncate(start),
                _ if seen > 0 => out.push(aggregator),
                _ => {}
            }
            out.push_str(value);
            seen += 1;
        });
    }
}

/// `-T fields`.
#[derive(Debug)]
pub(super) struct Fields {
    cells: Cells,
    line: String,
}

impl Fields {
    /// An output of these columns.
    pub(super) fn new(columns: Vec<Column>, layout: Layout, time: TimeColumn) -> Self {
        let cells = Cells { columns, layout, time, scratch: String::new() };
        Self { cells, line: String::new() }
    }
}

impl Output for Fields {
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        if !self.cells.layout.header {
            return Ok(());
        }
        self.line.clear();
        for (index, column) in self.cells.columns.iter().enumerate() {
            if index > 0 {
                self.line.push(self.cells.layout.separator);
            }
            self.line.push_str(&column.name);
        }
        self.line.push('\n');
        out.write_all(self.line.as_bytes())
    }

    fn frame(&mut self, shown: &Shown<'_>, out: &mut dyn Write) -> io::Result<()> {
        let line = &mut self.line;
        line.clear();
        for index in 0..self.cells.columns.len() {
            if index > 0 {
                line.push(self.cells.layout.separator);
            }
            let start = line.len();
            let quote = self.cells.layout.quote;
            line.extend(quote);
            let empty = line.len();
            self.cells.push(index, shown, line);
            // A field that the frame does not have stays without quotes.
            if line.len() == empty {
                line.truncate(start);
            } else {
                line.extend(quote);
            }
        }
        line.push('\n');
        out.write_all(line.as_bytes())
    }
}

/// `-T csv`.
#[derive(Debug)]
pub(super) struct Csv {
    cells: Cells,
    cell: String,
}

impl Csv {
    /// An output of these columns.
    pub(super) fn new(columns: Vec<Column>, layout: Layout, time: TimeColumn) -> Self {
        let cells = Cells { columns, layout, time, scratch: String::new() };
        Self { cells, cell: String::new() }
    }
}

/// A writer of one record.
fn record<W: Write>(out: W) -> csv::Writer<W> {
    csv::WriterBuilder::new().buffer_capacity(1024).from_writer(out)
}

fn end_record<W: Write>(mut writer: csv::Writer<W>) -> io::Result<()> {
    writer.write_record(None::<&[u8]>).map_err(io_error)?;
    writer.flush()
}

fn io_error(error: csv::Error) -> io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    }
}

impl Output for Csv {
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        if !self.cells.layout.header {
            return Ok(());
        }
        let mut writer = record(NoFlush(out));
        for column in &self.cells.columns {
            writer.write_field(&column.name).map_err(io_error)?;
        }
        end_record(writer)
    }

    fn frame(&mut self, shown: &Shown<'_>, out: &mut dyn Write) -> io::Result<()> {
        let mut writer = record(NoFlush(out));
        for index in 0..self.cells.columns.len() {
            self.cell.clear();
            self.cells.push(index, shown, &mut self.cell);
            writer.write_field(&self.cell).map_err(io_error)?;
        }
        end_record(writer)
    }
}

/// Keeps the end of a record from reaching through to the file.
struct NoFlush<'a>(&'a mut dyn Write);

impl Write for NoFlush<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
