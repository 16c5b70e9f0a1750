//! Writes tables to files, and the files that NFS transferred.

use crate::cli::{ExportArguments, TableChoice};
use crate::decoding::{self, Decoding, Opened, feed, report_empty};
use crate::failure::{OutputError, PARTLY, ReadError, complain, report};
use crate::output::{OutputFile, failed};
use crate::parallel::{Jobs, Part, Taken};
use anyhow::{Context as _, Result, bail};
use std::cell::RefCell;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use warpscope_dissector::capture::CaptureError;
use warpscope_dissector::export::{FileLimits, Files, Shortfall};
use warpscope_dissector::pipeline::Options;
use warpscope_dissector::table::{
    CaptureTable, CsvLines, InFile, JsonLines, Row, RowCollector, Rows, Value,
};
#[cfg(feature = "parquet")]
use warpscope_dissector::table::{arrow_stream, parquet_file};
use warpscope_dissector::transfer::{Collector, Named, Transferred};
use warpscope_text::counted;

pub(crate) fn run(arguments: &ExportArguments) -> Result<ExitCode> {
    match (&arguments.files, &arguments.dataset) {
        (Some(folder), _) => write_files(arguments, folder),
        (None, Some(folder)) => write_dataset(arguments, folder),
        (None, None) => write_tables(arguments),
    }
}

/// Reads each capture; if one cannot be read, the rows of the others are still written.
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
        // Create no file before there is something to write.
        let outputs = match &mut outputs {
            Some(outputs) => outputs,
            none => none.insert(plan.open()?),
        };
        let name = capture.to_string_lossy();
        let file = InFile { name: &name, first_time: None };
        let tables = &plan.tables;
        let taken =
            take_rows(capture, opened, options, jobs, tables, |row| outputs.take(&file, &row))?;
        Ok(taken.damage)
    })?;
    if let Some(outputs) = outputs {
        outputs.finish()?;
    }
    Ok(code)
}

/// Passes every row of a capture's tables to a callback.
pub(super) fn take_rows(
    capture: &Path,
    opened: Opened,
    options: &Options,
    jobs: Jobs,
    tables: &[CaptureTable],
    mut to: impl FnMut(Row) -> Result<()>,
) -> Result<Taken<RowCollector>> {
    let new = || RowCollector::new(tables);
    let mut taken = decoding::take(capture, opened, options, jobs, new, &mut to)?;
    if taken.frames == 0 && taken.damage.is_none() {
        report_empty(capture);
    }
    let omitted = taken.sink.omitted_flows();
    if omitted > 0 {
        complain(&format!(
            "{}: {} left out of flows and latencies: too many to keep",
            capture.display(),
            counted(omitted, "flow")
        ));
    }
    let mut rest = Vec::new();
    taken.sink.finish(&mut rest);
    rest.into_iter().try_for_each(to)?;
    Ok(taken)
}

/// Returns the requested tables, each once, in their order.
pub(super) fn tables(chosen: &[TableChoice]) -> Vec<CaptureTable> {
    let of = |choice: &TableChoice| match choice {
        TableChoice::Messages => Some(CaptureTable::Messages),
        TableChoice::Operations => Some(CaptureTable::Operations),
        TableChoice::Rpcs => Some(CaptureTable::Rpcs),
        TableChoice::Ios => Some(CaptureTable::Ios),
        TableChoice::Findings => Some(CaptureTable::Findings),
        TableChoice::Flows => Some(CaptureTable::Flows),
        TableChoice::Latencies => Some(CaptureTable::Latencies),
        TableChoice::All => None,
    };
    let wanted =
        |table: &CaptureTable| chosen.iter().any(|it| of(it).is_none_or(|it| it == *table));
    CaptureTable::ALL.into_iter().filter(wanted).collect()
}

/// Writes the files that the captures contain.
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
                "{files} with holes: the capture does not have all bytes; see manifest.json"
            ));
        }
        if left_out > 0 {
            let bytes = counted(left_out, "byte");
            complain(&format!(
                "{bytes} left out: beyond --max-file-size, --max-total, or a limit on files or runs"
            ));
        }
    }
    Ok(code)
}

/// Which tables are written, in which format and where.
struct Plan<'a> {
    tables: Vec<CaptureTable>,
    formats: Vec<(Format, &'a Path)>,
    /// Whether the destinations are folders.
    folders: bool,
    /// The captures to read.
    captures: &'a [PathBuf],
    /// Whether existing files are replaced.
    replace: bool,
}

impl<'a> Plan<'a> {
    fn new(arguments: &'a ExportArguments) -> Result<Self> {
        let chosen = [
            (Format::Parquet, &arguments.parquet),
            (Format::Arrow, &arguments.arrow),
            (Format::Csv, &arguments.csv),
            (Format::Ndjson, &arguments.ndjson),
        ];
        let formats: Vec<(Format, &Path)> = chosen
            .into_iter()
            .filter_map(|(format, path)| Some((format, path.as_deref()?)))
            .collect();
        if formats.is_empty() {
            bail!(
                "--to needs a format and an output: add --parquet OUT, --arrow OUT, --csv OUT or --ndjson OUT"
            );
        }
        let tables = tables(&arguments.to);
        let folders = tables.len() > 1;
        if folders && formats.iter().any(|(_, path)| path.as_os_str() == "-") {
            bail!(
                "several tables need several files: name a folder instead of -, or only one table"
            );
        }
        let (captures, replace) = (&arguments.input.captures, arguments.existing.force);
        Ok(Self { tables, formats, folders, captures, replace })
    }

    /// Returns a writer of a table to a file, or to standard output for `-`.
    fn writer(&self, format: Format, table: CaptureTable, path: &Path) -> Result<TableFile> {
        let to_standard_output = path.as_os_str() == "-";
        if format == Format::Parquet && to_standard_output {
            bail!("--parquet -: Parquet cannot be written to a pipe; name a file");
        }
        if to_standard_output {
            let rows = format.rows(table, BufWriter::new(io::stdout())).map_err(OutputError)?;
            return Ok(TableFile { rows, file: None });
        }
        let (output, file) = OutputFile::create(path, self.captures, self.replace)?;
        let rows = format.rows(table, BufWriter::new(file)).map_err(|error| failed(path, error))?;
        Ok(TableFile { rows, file: Some((output, path.to_owned())) })
    }

    fn open(&self) -> Result<Outputs> {
        let mut outputs = Outputs { tables: Vec::new() };
        for table in &self.tables {
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

impl Part for RowCollector {
    type Found = Row;

    fn take(&mut self, found: &mut Vec<Row>) {
        Self::take(self, found);
    }

    fn join(&mut self, other: Self) -> bool {
        Self::join(self, other)
    }
}

struct Outputs {
    tables: Vec<(CaptureTable, Vec<TableFile>)>,
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
    /// Writes a row.
    fn take(&mut self, file: &InFile<'_>, row: &Row) -> Result<()> {
        let of = row.table();
        let writers = self.tables.iter_mut().find(|(table, _)| *table == of);
        let Some((_, writers)) = writers else { return Ok(()) };
        let values = row.values(file);
        writers.iter_mut().try_for_each(|writer| writer.row(&values))
    }

    fn finish(self) -> Result<()> {
        for writer in self.tables.into_iter().flat_map(|(_, writers)| writers) {
            writer.finish()?;
        }
        Ok(())
    }
}

/// Returns the path of a table's file in a folder, and creates the folder.
fn inside(folder: &Path, table: CaptureTable, format: Format) -> Result<PathBuf> {
    std::fs::create_dir_all(folder).with_context(|| {
        format!("cannot create the folder {}: check its path and permissions", folder.display())
    })?;
    Ok(folder.join(format!("{table}.{format}")))
}

/// A format, named by the extension of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::Display)]
#[strum(serialize_all = "lowercase")]
enum Format {
    Parquet,
    /// An Arrow IPC stream.
    #[strum(serialize = "arrows")]
    Arrow,
    Csv,
    /// One JSON object per line.
    Ndjson,
}

impl Format {
    fn rows(
        self,
        table: CaptureTable,
        out: impl Write + Send + 'static,
    ) -> io::Result<Box<dyn Rows>> {
        let columns = table.columns();
        Ok(match self {
            Self::Ndjson => Box::new(JsonLines::new(&columns, out)),
            Self::Csv => Box::new(CsvLines::new(&columns, out)?),
            #[cfg(feature = "parquet")]
            Self::Arrow => Box::new(arrow_stream(&columns, out)?),
            #[cfg(feature = "parquet")]
            Self::Parquet => Box::new(parquet_file(&table.to_string(), &columns, out)?),
            #[cfg(not(feature = "parquet"))]
            Self::Arrow | Self::Parquet => return Err(io::Error::other(WITHOUT)),
        })
    }
}

#[cfg(not(feature = "parquet"))]
const WITHOUT: &str = "this build of warpscope has no Parquet and Arrow: use --csv or --ndjson, \
     or build it with --features parquet";

#[cfg(feature = "parquet")]
use super::dataset::add as write_dataset;

#[cfg(not(feature = "parquet"))]
fn write_dataset(_arguments: &ExportArguments, _folder: &Path) -> Result<ExitCode> {
    bail!(WITHOUT)
}
