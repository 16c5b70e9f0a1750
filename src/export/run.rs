//! Reads captures and writes tables.

use super::files;
use super::tables::Table;
use super::writer::{Format, Writer};
use crate::cli::{ExportArguments, TableChoice};
use crate::decoding;
use crate::decoding::Decoding;
use crate::failure::{ReadError, report};
use crate::terminal::Progress;
use anyhow::{Context as _, Result, bail};
use std::path::Path;
use std::process::ExitCode;
use warpscope_dissector::capture::{CaptureError, CaptureReader};
use warpscope_dissector::pipeline::Pipeline;
use warpscope_dissector::record::Recorder;

/// Writes the tables that the command line asks for.
///
/// # Errors
/// When the command line cannot be followed, nothing could be read, or the output failed.
pub(crate) fn run(arguments: &ExportArguments) -> Result<ExitCode> {
    if let Some(folder) = &arguments.files {
        return files::run(arguments, folder);
    }
    let plan = Plan::new(arguments)?;
    let mut outputs = None;
    let (mut code, mut read_any) = (ExitCode::SUCCESS, false);
    for capture in &arguments.captures {
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
pub(super) const PARTLY: u8 = 1;

/// Reads a capture; returns what ended it early.
fn read(
    arguments: &ExportArguments,
    capture: &Path,
    (mut reader, bytes): (CaptureReader, Option<u64>),
    outputs: &mut Outputs,
) -> Result<Option<CaptureError>> {
    let decoding = Decoding::new(&arguments.decoding)?;
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

/// The tables that are being written.
struct Outputs {
    tables: Vec<(Table, Vec<Box<dyn Writer>>)>,
}

impl Outputs {
    /// Writes what the recorder has.
    fn take(&mut self, capture: &str, recorder: &mut Recorder) -> Result<()> {
        for record in recorder.take() {
            for (table, writers) in &mut self.tables {
                let Some(row) = table.row(capture, &record) else { continue };
                for writer in writers {
                    writer.row(&row)?;
                }
            }
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
    Ok(folder.join(format!("{}.{}", table.name(), format.extension())))
}
