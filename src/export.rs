//! `warpscope export`: tables of messages, operations and RPCs, or the files that NFS moved.

use crate::cli::{ExportArguments, TableChoice};
use crate::decoding::{self, Decoding};
use crate::failure::{OutputError, ReadError, report};
use crate::terminal::Progress;
use anyhow::{Context as _, Result, bail};
use std::cell::RefCell;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::ExitCode;
use warpscope_dissector::capture::{CaptureError, CaptureReader};
use warpscope_dissector::export::Files;
use warpscope_dissector::nfs_transfer::{Collector, Named, Transferred};
use warpscope_dissector::pipeline::Pipeline;
use warpscope_dissector::record::{Record, Recorder};
use warpscope_dissector::table::{
    CsvLines, InFile, JsonLines, MESSAGES, OPERATIONS, RPCS, Rows, Shape, Value, heads, values,
};

pub(crate) fn run(arguments: &ExportArguments) -> Result<ExitCode> {
    if let Some(folder) = &arguments.files {
        return write_files(arguments, folder);
    }
    let plan = Plan::new(arguments)?;
    let mut outputs = None;
    let (mut code, mut read_any) = (ExitCode::SUCCESS, false);
    for capture in &arguments.input.captures {
        // What the other captures hold is written all the same.
        match decoding::open(capture) {
            Ok(opened) => {
                read_any = true;
                // Nothing is made before there is something to put into it.
                let outputs = match &mut outputs {
                    Some(outputs) => outputs,
                    none => none.insert(plan.open()?),
                };
                if let Some(error) = read(arguments, capture, opened, outputs)? {
                    code = report(&ReadError::from(error).into());
                }
            }
            Err(error) => code = report(&ReadError::from(error).into()),
        }
    }
    if let Some(outputs) = outputs {
        outputs.finish()?;
    }
    let partly = read_any && code != ExitCode::SUCCESS;
    Ok(if partly { ExitCode::from(PARTLY) } else { code })
}

/// Some of the captures were read.
const PARTLY: u8 = 1;

/// Reads a capture; returns what ended it early.
fn read(
    arguments: &ExportArguments,
    capture: &Path,
    (mut reader, bytes): (CaptureReader, Option<u64>),
    outputs: &mut Outputs,
) -> Result<Option<CaptureError>> {
    let decoding = Decoding::new(&arguments.input.decoding)?;
    let name = capture.to_string_lossy();
    let mut pipeline = Pipeline::new(decoding.pipeline);
    let mut recorder = Recorder::default();
    let progress = Progress::of_silence(bytes);
    let mut frames = 0;
    let damage = loop {
        match reader.next_frame() {
            Ok(Some(frame)) => pipeline.frame(&frame, &mut recorder),
            Ok(None) => break None,
            Err(error) => break Some(error),
        }
        outputs.take(&name, &mut recorder)?;
        frames += 1;
        progress.at(frames, || reader.bytes_read());
    };
    progress.clear();
    pipeline.finish(&mut recorder);
    recorder.finish();
    outputs.take(&name, &mut recorder)?;
    Ok(damage)
}

fn write_files(arguments: &ExportArguments, folder: &Path) -> Result<ExitCode> {
    let decoding = Decoding::new(&arguments.input.decoding)?;
    let files = RefCell::new(Files::new(folder)?);
    let (mut code, mut read_any) = (ExitCode::SUCCESS, false);
    for capture in &arguments.input.captures {
        let opened = match decoding::open(capture) {
            Ok(opened) => opened,
            Err(error) => {
                code = report(&ReadError::from(error).into());
                continue;
            }
        };
        read_any = true;
        let (mut reader, bytes) = opened;
        let mut pipeline = Pipeline::new(decoding.pipeline.clone());
        let mut collector = Collector::new(
            |transferred: &Transferred<'_>| files.borrow_mut().transferred(transferred),
            |named: &Named<'_>| files.borrow_mut().named(named),
        );
        let progress = Progress::of_silence(bytes);
        let mut frames = 0;
        loop {
            match reader.next_frame() {
                Ok(Some(frame)) => pipeline.frame(&frame, &mut collector),
                Ok(None) => break,
                Err(error) => {
                    code = report(&ReadError::from(error).into());
                    break;
                }
            }
            frames += 1;
            progress.at(frames, || reader.bytes_read());
        }
        progress.clear();
        pipeline.finish(&mut collector);
        collector.finish();
    }
    if !read_any {
        return Ok(code);
    }
    files.into_inner().finish(&arguments.input.captures).map_err(OutputError)?;
    Ok(if code == ExitCode::SUCCESS { code } else { ExitCode::from(PARTLY) })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Table {
    Messages,
    Operations,
    Rpcs,
}

impl Table {
    const ALL: [Self; 3] = [Self::Messages, Self::Operations, Self::Rpcs];

    /// Its name, and that of its file in a folder.
    fn name(self) -> &'static str {
        match self {
            Self::Messages => "messages",
            Self::Operations => "operations",
            Self::Rpcs => "rpcs",
        }
    }

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
            Some(TableChoice::All) | None => &Table::ALL,
        };
        let folders = tables.len() > 1;
        if folders && formats.iter().any(|(_, path)| path.as_os_str() == "-") {
            bail!("--to all writes several files: name a folder instead of -");
        }
        Ok(Self { tables, formats, folders })
    }

    fn open(&self) -> Result<Outputs> {
        let mut outputs = Outputs { tables: Vec::new() };
        for table in self.tables {
            let mut writers = Vec::new();
            for (format, path) in &self.formats {
                writers.push(if self.folders {
                    format.writer(*table, &inside(path, *table, *format)?)?
                } else {
                    format.writer(*table, path)?
                });
            }
            outputs.tables.push((*table, writers));
        }
        Ok(outputs)
    }
}

struct Outputs {
    tables: Vec<(Table, Vec<Box<dyn Rows>>)>,
}

impl Outputs {
    /// Writes what the recorder has.
    fn take(&mut self, capture: &str, recorder: &mut Recorder) -> Result<()> {
        for record in recorder.take() {
            for (table, writers) in &mut self.tables {
                let Some(row) = table.row(&InFile { name: capture, first_time: None }, &record)
                else {
                    continue;
                };
                for writer in writers {
                    writer.row(&row).map_err(OutputError)?;
                }
            }
        }
        Ok(())
    }

    fn finish(self) -> Result<()> {
        for writer in self.tables.into_iter().flat_map(|(_, writers)| writers) {
            writer.finish().map_err(OutputError)?;
        }
        Ok(())
    }
}

/// The file of a table in a folder, which is made.
fn inside(folder: &Path, table: Table, format: Format) -> Result<std::path::PathBuf> {
    std::fs::create_dir_all(folder).with_context(|| {
        format!("cannot make the folder {}: check its place and permissions", folder.display())
    })?;
    Ok(folder.join(format!("{}.{}", table.name(), format.extension())))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Parquet,
    Csv,
    /// A JSON object a line.
    Ndjson,
}

impl Format {
    /// The last part of a file's name.
    fn extension(self) -> &'static str {
        match self {
            Self::Parquet => "parquet",
            Self::Csv => "csv",
            Self::Ndjson => "ndjson",
        }
    }

    /// A writer of a table to a file, or standard output for `-`.
    fn writer(self, table: Table, path: &Path) -> Result<Box<dyn Rows>> {
        match self {
            Self::Parquet => parquet(table, path),
            Self::Csv => {
                Ok(Box::new(CsvLines::new(&table.columns(), output(path)?).map_err(OutputError)?))
            }
            Self::Ndjson => Ok(Box::new(JsonLines::new(&table.columns(), output(path)?))),
        }
    }
}

#[cfg(feature = "parquet")]
fn parquet(table: Table, path: &Path) -> Result<Box<dyn Rows>> {
    if path.as_os_str() == "-" {
        anyhow::bail!("--parquet -: Parquet is not for a pipe; name a file");
    }
    Ok(Box::new(
        warpscope_dissector::table::ParquetFile::new(table.name(), table.columns(), create(path)?)
            .map_err(OutputError)?,
    ))
}

#[cfg(not(feature = "parquet"))]
fn parquet(_table: Table, _path: &Path) -> Result<Box<dyn Rows>> {
    anyhow::bail!(
        "this warpscope was built without Parquet: use --csv or --ndjson, or build it with --features parquet"
    )
}

fn output(path: &Path) -> Result<Box<dyn Write>> {
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
