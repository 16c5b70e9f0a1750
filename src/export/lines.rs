//! Tables as lines of text: comma-separated values, and JSON objects.

use super::cell::Cell;
use super::tables::Table;
use super::writer::Writer;
use crate::failure::OutputError;
use anyhow::Result;
use std::io::{self, Write};

/// Comma-separated values, the names in the first line. No value is an empty field.
pub(super) struct CsvLines {
    out: csv::Writer<Box<dyn Write>>,
}

impl CsvLines {
    /// Writes the line of names.
    pub(super) fn new(table: Table, out: Box<dyn Write>) -> Result<Self> {
        let mut out = csv::Writer::from_writer(out);
        out.write_record(table.columns().iter().map(|column| column.name)).map_err(failed)?;
        Ok(Self { out })
    }
}

/// What went wrong when a line was written.
fn failed(error: csv::Error) -> OutputError {
    let text = error.to_string();
    match error.into_kind() {
        csv::ErrorKind::Io(error) => OutputError(error),
        _ => OutputError(io::Error::other(text)),
    }
}

impl Writer for CsvLines {
    fn row(&mut self, cells: &[Cell]) -> Result<()> {
        for cell in cells {
            let written = match cell {
                Cell::Null => self.out.write_field(""),
                Cell::Unsigned(value) => self.out.write_field(value.to_string()),
                Cell::Signed(value) => self.out.write_field(value.to_string()),
                Cell::Flag(value) => self.out.write_field(if *value { "true" } else { "false" }),
                Cell::Text(value) => self.out.write_field(value.as_bytes()),
            };
            written.map_err(failed)?;
        }
        self.out.write_record(None::<&[u8]>).map_err(failed)?;
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<()> {
        self.out.flush().map_err(OutputError)?;
        Ok(())
    }
}

/// A JSON object a line. No value is `null`: every object has every column.
pub(super) struct JsonLines {
    names: Vec<&'static str>,
    out: Box<dyn Write>,
}

impl JsonLines {
    /// Lines of a table.
    pub(super) fn new(table: Table, out: Box<dyn Write>) -> Self {
        Self { names: table.columns().iter().map(|column| column.name).collect(), out }
    }
}

impl Writer for JsonLines {
    fn row(&mut self, cells: &[Cell]) -> Result<()> {
        self.object(cells).map_err(OutputError)?;
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<()> {
        self.out.flush().map_err(OutputError)?;
        Ok(())
    }
}

impl JsonLines {
    fn object(&mut self, cells: &[Cell]) -> io::Result<()> {
        for (index, (name, cell)) in self.names.iter().zip(cells).enumerate() {
            write!(self.out, "{}\"{name}\":", if index == 0 { '{' } else { ',' })?;
            match cell {
                Cell::Null => self.out.write_all(b"null")?,
                Cell::Unsigned(value) => write!(self.out, "{value}")?,
                Cell::Signed(value) => write!(self.out, "{value}")?,
                Cell::Flag(value) => write!(self.out, "{value}")?,
                Cell::Text(value) => serde_json::to_writer(&mut self.out, value.as_ref())?,
            }
        }
        self.out.write_all(b"}\n")
    }
}
