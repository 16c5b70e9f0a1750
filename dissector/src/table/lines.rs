//! Tables as lines of text: comma-separated values, and JSON objects.

use super::column::{Line, Shape, Value};
use std::io::{self, Write};

/// Takes the rows of a table: for each, one value per column.
pub trait Rows {
    /// Writes a row.
    fn row(&mut self, values: &[Value]) -> io::Result<()>;

    /// Completes the table.
    fn finish(self: Box<Self>) -> io::Result<()>;
}

/// Comma-separated values, with the names in the first line. A missing value is an empty field.
pub struct CsvLines<W: Write> {
    out: csv::Writer<W>,
}

impl<W: Write> CsvLines<W> {
    /// Writes the line of names.
    pub fn new(columns: &[Shape], out: W) -> io::Result<Self> {
        let mut out = csv::Writer::from_writer(out);
        out.write_record(columns.iter().map(|column| column.name)).map_err(plain)?;
        Ok(Self { out })
    }

    /// Returns the output.
    pub fn into_inner(self) -> io::Result<W> {
        self.out.into_inner().map_err(|error| io::Error::other(error.to_string()))
    }
}

impl<W: Write> Rows for CsvLines<W> {
    fn row(&mut self, values: &[Value]) -> io::Result<()> {
        self.out.write_record(values.iter().map(Value::to_string)).map_err(plain)
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        self.out.flush()
    }
}

/// Returns the system's own error, so that its kind is known.
fn plain(error: csv::Error) -> io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    }
}

/// One JSON object per line. A missing value is `null`: every object has every column.
pub struct JsonLines<W: Write> {
    columns: Vec<Shape>,
    out: W,
}

impl<W: Write> JsonLines<W> {
    /// Creates the lines of a table.
    pub fn new(columns: &[Shape], out: W) -> Self {
        Self { columns: columns.to_vec(), out }
    }

    /// Returns the output.
    pub fn into_inner(self) -> W {
        self.out
    }
}

impl<W: Write> Rows for JsonLines<W> {
    fn row(&mut self, values: &[Value]) -> io::Result<()> {
        serde_json::to_writer(&mut self.out, &Line { columns: &self.columns, values })?;
        self.out.write_all(b"\n")
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        self.out.flush()
    }
}
