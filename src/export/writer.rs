//! Who writes a table.

use super::cell::Cell;
use super::lines::{CsvLines, JsonLines};
use super::tables::Table;
use anyhow::{Context as _, Result};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

/// Writes the rows of a table.
pub(super) trait Writer {
    /// Writes a row: a cell for every column.
    fn row(&mut self, cells: &[Cell]) -> Result<()>;

    /// The table is complete.
    fn finish(self: Box<Self>) -> Result<()>;
}

/// How a table is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    /// Parquet.
    Parquet,
    /// Comma-separated values.
    Csv,
    /// A JSON object a line.
    Ndjson,
}

impl Format {
    /// The last part of a file's name.
    pub(super) fn extension(self) -> &'static str {
        match self {
            Self::Parquet => "parquet",
            Self::Csv => "csv",
            Self::Ndjson => "ndjson",
        }
    }

    /// A writer of a table to a file, or standard output for `-`.
    pub(super) fn writer(self, table: Table, path: &Path) -> Result<Box<dyn Writer>> {
        match self {
            Self::Parquet => parquet(table, path),
            Self::Csv => Ok(Box::new(CsvLines::new(table, open(path)?)?)),
            Self::Ndjson => Ok(Box::new(JsonLines::new(table, open(path)?))),
        }
    }
}

#[cfg(feature = "parquet")]
fn parquet(table: Table, path: &Path) -> Result<Box<dyn Writer>> {
    if path.as_os_str() == "-" {
        anyhow::bail!("--parquet -: Parquet is not for a pipe; name a file");
    }
    Ok(Box::new(super::parquet_file::ParquetFile::new(table, create(path)?)?))
}

#[cfg(not(feature = "parquet"))]
fn parquet(_table: Table, _path: &Path) -> Result<Box<dyn Writer>> {
    anyhow::bail!(
        "this warpscope was built without Parquet: use --csv or --ndjson, or build it with --features parquet"
    )
}

fn open(path: &Path) -> Result<Box<dyn Write>> {
    if path.as_os_str() == "-" {
        return Ok(Box::new(BufWriter::new(std::io::stdout())));
    }
    Ok(Box::new(BufWriter::new(create(path)?)))
}

fn create(path: &Path) -> Result<File> {
    File::create(path).with_context(|| {
        format!("cannot write {}: check the folder and its permissions", path.display())
    })
}
