//! `warpscope export`: tables of messages, operations and RPCs, or the files that NFS moved.

use crate::cli::{ExportArguments, TableChoice};
use crate::decoding::{self, Decoding, Opened, feed, report_empty};
use crate::failure::{OutputError, PARTLY, ReadError, complain, report};
use crate::output::{OutputFile, failed};
use crate::parallel::{Jobs, Part};
use anyhow::{Context as _, Result, bail};
use std::cell::RefCell;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use warpscope_dissector::capture::CaptureError;
use warpscope_dissector::export::{FileLimits, Files, Shortfall};
use warpscope_dissector::nfs_transfer::{Collector, Named, Transferred};
use warpscope_dissector::pipeline::Options;
use warpscope_dissector::record::{Record, Recorder};
use warpscope_dissector::table::{
    CsvLines, InFile, JsonLines, MESSAGES, OPERATIONS, RPCS, Rows, Shape, Value, heads, values,
};
use warpscope_text::counted;

pub(crate) fn run(arguments: &ExportArguments) -> Result<ExitCode> {
    match &arguments.files {
        Some(folder) => write_files(arguments, folder),
        None => write_tables(arguments),
    }
}

/// Reads each capture; what the others hold is written also where one cannot be read.
fn each(
    arguments: &ExportArguments,
    mut read: impl FnMut(&Path, Opened, &Options, Jobs) -> Result<Option<CaptureError>>,
) -> Result<ExitCode> {
    let (options, jobs) =
        (Decoding::new(&arguments.input.decoding)?.pipeline, Jobs::new(arguments.jobs.jobs));
    let (mut code, mut read_any) = (ExitCode::SUCCESS, false);
    for capture in &arguments.input.captures {
        let damage = match decoding::open_on(capture, jobs) {
            Ok(opened) => {
                read_any = true;
                read(capture, opened, &options, jobs)?
            }
            Err(error) => Some(error),
        };
        if let Some(error) = damage {
            code = report(&ReadError::from(error).into());
        }
    }
    let partly = read_any && code != ExitCode::SUCCESS;
    Ok(if partly { ExitCode::from(PARTLY) } else { code })
}

fn write_tables(arguments: &ExportArguments) -> Result<ExitCode> {
    let plan = Plan::new(arguments)?;
    let mut outputs = None;
    let code = each(arguments, |capture, opened, options, jobs| {
        // Nothing is made before there is something to put into it.
        let outputs = match &mut outputs {
            Some(outputs) => outputs,
            none => none.insert(plan.open()?),
        };
        let name = capture.to_string_lossy();
        let take = |record| outputs.take(&name, &record);
        let taken = decoding::take(capture, opened, options, jobs, Recorder::default, take)?;
        if taken.frames == 0 && taken.damage.is_none() {
            report_empty(capture);
        }
        let mut recorder = taken.sink;
        recorder.finish();
        recorder.take().try_for_each(|record| outputs.take(&name, &record))?;
        Ok(taken.damage)
    })?;
    if let Some(outputs) = outputs {
        outputs.finish()?;
    }
    Ok(code)
}

/// Writes the files that the captures hold.
fn write_files(arguments: &ExportArguments, folder: &Path) -> Result<ExitCode> {
    let limits = FileLimits { file: arguments.max_file_size, total: arguments.max_total };
    let files = RefCell::new(Files::new(folder, limits)?);
    let mut read_any = false;
    let code = each(arguments, |_, opened, options, _| {
        read_any = true;
        let mut collector = Collector::new(
            |transferred: &Transferred<'_>| files.borrow_mut().transferred(transferred),
            |named: &Named<'_>| files.borrow_mut().named(named),
        );
        let (_, damage) = feed(opened, options, &mut collector, |_| anyhow::Ok(()))?;
        collector.finish();
        Ok(damage)
    })?;
    if read_any {
        let files = files.into_inner().finish(&arguments.input.captures);
        let Shortfall { with_holes, left_out } =
            files.map_err(|(path, error)| failed(&path, error))?;
        if with_holes > 0 {
            let files = counted(with_holes, "file");
            complain(&format!(
                "{files} with holes: the capture has not all bytes; see manifest.json"
            ));
        }
        if left_out > 0 {
            let bytes = counted(left_out, "byte");
            complain(&format!(
                "{bytes} left out: beyond --max-file-size, --max-total, or the most runs that are kept"
            ));
        }
    }
    Ok(code)
}

/// A table, by its name and that of its file in a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::Display)]
#[strum(serialize_all = "lowercase")]
enum Table {
    Messages,
    Operations,
    Rpcs,
}

impl Table {
    fn columns(self) -> Vec<Shape> {
        match self {
            Self::Messages => heads(MESSAGES),
            Self::Operations => heads(OPERATIONS),
            Self::Rpcs => heads(RPCS),
        }
    }

    /// The row of a record, when it is one of this table.
    fn row(self, file: &InFile<'_>, record: &Record) -> Option<Vec<Value>> {
        match (self, record) {
            (Self::Messages, Record::Message(record)) => Some(values(MESSAGES, record, file)),
            (Self::Operations, Record::Operation(record)) => Some(values(OPERATIONS, record, file)),
            (Self::Rpcs, Record::Rpc(record)) => Some(values(RPCS, record, file)),
            _ => None,
        }
    }
}

/// Which tables are written, how and to where.
struct Plan<'a> {
    tables: &'static [Table],
    formats: Vec<(Format, &'a Path)>,
    /// Whether the places are folders.
    folders: bool,
    /// What is read.
    captures: &'a [PathBuf],
    /// Whether files that are there are replaced.
    replace: bool,
}

impl<'a> Plan<'a> {
    fn new(arguments: &'a ExportArguments) -> Result<Self> {
        let chosen = [
            (Format::Parquet, &arguments.parquet),
            (Format::Csv, &arguments.csv),
            (Format::Ndjson, &arguments.ndjson),
        ];
        let formats: Vec<(Format, &Path)> = chosen
            .into_iter()
            .filter_map(|(format, path)| Some((format, path.as_deref()?)))
            .collect();
        if formats.is_empty() {
            bail!("--to needs a format and a place: add --parquet OUT, --csv OUT or --ndjson OUT");
        }
        let tables: &[Table] = match arguments.to {
            Some(TableChoice::Messages) => &[Table::Messages],
            Some(TableChoice::Operations) => &[Table::Operations],
            Some(TableChoice::Rpcs) => &[Table::Rpcs],
            Some(TableChoice::All) | None => &[Table::Messages, Table::Operations, Table::Rpcs],
        };
        let folders = tables.len() > 1;
        if folders && formats.iter().any(|(_, path)| path.as_os_str() == "-") {
            bail!("--to all writes several files: name a folder instead of -");
        }
        let (captures, replace) = (&arguments.input.captures, arguments.existing.force);
        Ok(Self { tables, formats, folders, captures, replace })
    }

    /// A writer of a table to a file, or standard output for `-`.
    fn writer(&self, format: Format, table: Table, path: &Path) -> Result<TableFile> {
        let to_standard_output = path.as_os_str() == "-";
        if format == Format::Parquet && to_standard_output {
            bail!("--parquet -: Parquet is not for a pipe; name a file");
        }
        if to_standard_output {
            let rows = format.rows(table, BufWriter::new(io::stdout())).map_err(OutputError)?;
            return Ok(TableFile { rows, file: None });
        }
        let (output, file) = OutputFile::create(path, self.captures, self.replace)?;
        let rows = match format {
            Format::Parquet => parquet(table, file),
            _ => format.rows(table, BufWriter::new(file)),
        };
        let rows = rows.map_err(|error| failed(path, error))?;
        Ok(TableFile { rows, file: Some((output, path.to_owned())) })
    }

    fn open(&self) -> Result<Outputs> {
        let mut outputs = Outputs { tables: Vec::new() };
        for table in self.tables {
            let writer = |(format, path): &(Format, &Path)| match self.folders {
                true => self.writer(*format, *table, &inside(path, *table, *format)?),
                false => self.writer(*format, *table, path),
            };
            let writers = self.formats.iter().map(writer).collect::<Result<_>>()?;
            outputs.tables.push((*table, writers));
        }
        Ok(outputs)
    }
}

impl Part for Recorder {
    type Found = Record;

    fn take(&mut self, found: &mut Vec<Record>) {
        found.extend(Self::take(self));
    }

    fn join(&mut self, other: Self) -> bool {
        Self::join(self, other)
    }
}

struct Outputs {
    tables: Vec<(Table, Vec<TableFile>)>,
}

/// A table that is written.
struct TableFile {
    rows: Box<dyn Rows>,
    /// None for standard output.
    file: Option<(OutputFile, PathBuf)>,
}

impl TableFile {
    fn failed(file: Option<&Path>, error: io::Error) -> anyhow::Error {
        match file {
            Some(path) => failed(path, error).into(),
            None => OutputError(error).into(),
        }
    }

    fn row(&mut self, row: &[Value]) -> Result<()> {
        let path = self.file.as_ref().map(|(_, path)| path.as_path());
        self.rows.row(row).map_err(|error| Self::failed(path, error))
    }

    fn finish(self) -> Result<()> {
        let path = self.file.as_ref().map(|(_, path)| path.as_path());
        self.rows.finish().map_err(|error| Self::failed(path, error))?;
        self.file.map_or(Ok(()), |(output, _)| output.keep())
    }
}

impl Outputs {
    /// Writes a record.
    fn take(&mut self, capture: &str, record: &Record) -> Result<()> {
        let file = InFile { name: capture, first_time: None };
        for (table, writers) in &mut self.tables {
            let Some(row) = table.row(&file, record) else { continue };
            writers.iter_mut().try_for_each(|writer| writer.row(&row))?;
        }
        Ok(())
    }

    fn finish(self) -> Result<()> {
        for writer in self.tables.into_iter().flat_map(|(_, writers)| writers) {
            writer.finish()?;
        }
        Ok(())
    }
}

/// The file of a table in a folder, which is made.
fn inside(folder: &Path, table: Table, format: Format) -> Result<std::path::PathBuf> {
    std::fs::create_dir_all(folder).with_context(|| {
        format!("cannot make the folder {}: check its place and permissions", folder.display())
    })?;
    Ok(folder.join(format!("{table}.{format}")))
}

/// A format, by the last part of a file's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::Display)]
#[strum(serialize_all = "lowercase")]
enum Format {
    Parquet,
    Csv,
    /// A JSON object a line.
    Ndjson,
}

impl Format {
    fn rows(self, table: Table, out: impl Write + 'static) -> io::Result<Box<dyn Rows>> {
        let (columns, out) = (table.columns(), Box::new(out));
        Ok(match self {
            Self::Ndjson => Box::new(JsonLines::new(&columns, out)),
            Self::Csv | Self::Parquet => Box::new(CsvLines::new(&columns, out)?),
        })
    }
}

#[cfg(feature = "parquet")]
fn parquet(table: Table, file: File) -> io::Result<Box<dyn Rows>> {
    let (name, columns) = (table.to_string(), table.columns());
    Ok(Box::new(warpscope_dissector::table::ParquetFile::new(&name, columns, file)?))
}

#[cfg(not(feature = "parquet"))]
fn parquet(_table: Table, _file: File) -> io::Result<Box<dyn Rows>> {
    Err(io::Error::other(
        "this warpscope was built without Parquet: use --csv or --ndjson, or build it with --features parquet",
    ))
}
