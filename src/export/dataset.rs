//! Datasets: Parquet files of many captures in folders by key; each capture is in it once.

use super::manifest::{Entry, Manifest, staged};
use super::run::{tables, take_rows};
use crate::cli::{ExportArguments, PartitionKey};
use crate::decoding::{Decoding, open_on};
use crate::failure::{PARTLY, ReadError, complain, report};
use crate::output::failed;
use crate::parallel::{Jobs, files};
use crate::terminal::{Stop, print};
use anyhow::{Result, bail};
use sha2::{Digest as _, Sha256};
use std::collections::{BTreeMap, HashSet, VecDeque};
use std::fs::{self, File, Metadata};
use std::io::{self, Read as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tempfile::TempDir;
use warpscope_dissector::capture::CaptureError;
use warpscope_dissector::pipeline::Options;
use warpscope_dissector::table::{
    Batches, CaptureTable, FILE, InFile, Kind, ParquetFile, RecordBatch, Row, Shape,
    TakesBatches as _, TimeOrder, Value, by_day, with_constants,
};
use warpscope_text::{counted, hexadecimal};

/// The most files that one capture may need.
const MOST_FILES: usize = 4096;
/// The bytes of a capture that are hashed between two looks at whether the user asked to stop.
const HASHED_AT_ONCE: u64 = 16 << 20;
/// The most files of a table that are open at the same time, for rows around midnight.
const OPEN: usize = 4;
/// The value of a key if a row has none, as in Hive.
const NO_VALUE: &str = "__HIVE_DEFAULT_PARTITION__";

/// The first column of a dataset's tables.
const CAPTURE: Shape = Shape {
    name: "capture",
    kind: Kind::Text,
    unit: "",
    null: "",
    doc: "The SHA-256 of the capture file, in hexadecimal",
};

/// Adds captures to the dataset in a folder.
pub(super) fn add(arguments: &ExportArguments, folder: &Path) -> Result<ExitCode> {
    let options = Decoding::new(&arguments.input.decoding)?.pipeline;
    let captures = &arguments.input.captures;
    for capture in captures {
        let is_stream = |it: Metadata| !it.is_file() && !it.is_dir();
        if capture.as_os_str() == "-" || fs::metadata(capture).is_ok_and(is_stream) {
            bail!("{}: a dataset needs files, as they are read twice", capture.display());
        }
    }
    let manifest = Manifest::open(folder, keys(&arguments.partition)?, &tables(&arguments.to))?;
    let adding = Adding {
        folder,
        tables: manifest.tables(),
        manifest: &manifest,
        host: arguments.host.as_deref(),
        options,
        anew: arguments.existing.force,
    };
    let (mut added, mut there, mut left, mut code) = (0, 0, captures.len(), ExitCode::SUCCESS);
    let mut known = HashSet::new();
    let stage = |capture: &PathBuf, jobs| adding.stage(capture, jobs);
    files(captures, Jobs::new(arguments.jobs.jobs), stage, |staged| {
        for staged in staged {
            left -= 1;
            match staged? {
                // Of two captures with the same bytes, the first on the command line counts.
                Staged::Whole(entry, ..) if known.contains(&entry.sha256) => there += 1,
                Staged::Whole(entry, staging, damage) => {
                    known.insert(entry.sha256.clone());
                    manifest.add(entry, staging)?;
                    added += 1;
                    if let Some(error) = damage {
                        code = report(&ReadError::from(error).into());
                    }
                }
                Staged::There => there += 1,
                Staged::Unreadable(error) => code = report(&ReadError::from(error).into()),
                Staged::GivenUp(why) => {
                    complain(&format!("{why}: this capture was not added"));
                    code = ExitCode::from(PARTLY);
                }
            }
            if Stop::on_signals()?.asked() {
                break;
            }
        }
        anyhow::Ok(())
    })?;
    if left > 0 {
        complain(&format!("stopped as asked: {} not looked at", counted(left as u64, "capture")));
        code = ExitCode::from(PARTLY);
    }
    print(|out, _| {
        let were = if there == 1 { "was" } else { "were" };
        writeln!(
            out,
            "{}: {} added, {there} {were} already there",
            folder.display(),
            counted(added, "capture")
        )
    })?;
    let partly = added + there > 0 && code != ExitCode::SUCCESS;
    Ok(if partly { ExitCode::from(PARTLY) } else { code })
}

/// Returns the requested keys.
fn keys(asked: &[PartitionKey]) -> Result<Option<Vec<PartitionKey>>> {
    let twice =
        |(index, key): (usize, &PartitionKey)| asked.get(..index).unwrap_or_default().contains(key);
    match asked {
        [] => Ok(None),
        [PartitionKey::None] => Ok(Some(Vec::new())),
        _ if asked.contains(&PartitionKey::None) => {
            bail!("--partition: none cannot be combined with other keys")
        }
        _ if asked.iter().enumerate().any(twice) => bail!("--partition: name each key once"),
        _ => Ok(Some(asked.to_vec())),
    }
}

/// The state of a capture before it is added.
enum Staged {
    /// Its files are complete; the last value is why there are no more rows.
    Whole(Entry, TempDir, Option<CaptureError>),
    /// The dataset already has it.
    There,
    Unreadable(CaptureError),
    /// It was not read to its end, for this reason; another run may succeed.
    GivenUp(String),
}

/// The settings shared by all captures of a run.
struct Adding<'a> {
    folder: &'a Path,
    manifest: &'a Manifest,
    tables: Vec<CaptureTable>,
    host: Option<&'a str>,
    options: Options,
    /// Whether captures that are already in the dataset are written again.
    anew: bool,
}

impl Adding<'_> {
    /// Writes the files of a capture, unless the dataset has it.
    fn stage(&self, capture: &Path, jobs: Jobs) -> Result<Staged> {
        // Taken before the file is opened: a file that changes while it is read and hashed has another state.
        let before = state(capture).ok();
        let opened = match open_on(capture, jobs) {
            Ok(opened) => opened,
            Err(error) => return Ok(Staged::Unreadable(error)),
        };
        let shown = capture.display();
        let sha256 = match sha256(capture) {
            Ok(sha256) => sha256,
            Err(error) => return Ok(Staged::GivenUp(format!("{shown}: {error}"))),
        };
        if !self.anew && self.manifest.has(&sha256) {
            return Ok(Staged::There);
        }
        let name = capture.to_string_lossy().into_owned();
        let host = self.host.map(str::to_owned).or_else(|| folder_of(capture));
        let staging = self.manifest.staging()?;
        let place = Place {
            folder: self.folder,
            staging: staging.path(),
            keys: &self.manifest.settings.partition,
            host: host.as_deref(),
            capture: &name,
            sha256: &sha256,
        };
        let mut parts = Parts::new(place, &self.tables);
        let file = InFile { name: &name, first_time: None };
        let take = |row: Row| parts.row(row.table(), &row.values(&file));
        let written = take_rows(capture, opened, &self.options, jobs, &self.tables, take);
        let written = written.and_then(|taken| Ok((taken.frames, taken.damage, parts.finish()?)));
        let (frames, damage, (files, rows)) = match written {
            Err(error) if error.is::<TooManyFiles>() => {
                return Ok(Staged::GivenUp(format!("{shown}: {error}")));
            }
            written => written?,
        };
        if let Some(error @ (CaptureError::Stopped { .. } | CaptureError::Read { .. })) = damage {
            return Ok(Staged::GivenUp(error.to_string()));
        }
        if state(capture).ok() != before {
            return Ok(Staged::GivenUp(format!("{shown}: the file changed while it was read")));
        }
        let shown = damage.as_ref().map(ToString::to_string);
        let (capture, waits) = (name.clone(), String::new());
        let entry =
            Entry { capture, sha256, host, frames, damage: shown, rows, files, staging: waits };
        Ok(Staged::Whole(entry, staging, damage))
    }
}

/// The error for a capture with timestamps on too many days.
#[derive(Debug, thiserror::Error)]
#[error(
    "its rows would need more than {MOST_FILES} files, by their days; add it to a dataset whose --partition has no date"
)]
struct TooManyFiles;

/// Returns the metadata that changes when a file changes.
fn state(path: &Path) -> io::Result<[i64; 5]> {
    let it = fs::metadata(path)?;
    Ok([it.dev() as i64, it.ino() as i64, it.len() as i64, it.mtime(), it.mtime_nsec()])
}

/// Returns the SHA-256 of a file, in hexadecimal.
fn sha256(path: &Path) -> Result<String> {
    let (file, mut hash) = (File::open(path)?, Sha256::new());
    while io::copy(&mut (&file).take(HASHED_AT_ONCE), &mut hash)? > 0 {
        if Stop::on_signals()?.asked() {
            bail!("stopped as asked");
        }
    }
    Ok(hexadecimal(&hash.finalize(), ""))
}

/// Returns the name of the folder that contains a file.
fn folder_of(path: &Path) -> Option<String> {
    let path = fs::canonicalize(path).ok()?;
    Some(path.parent()?.file_name()?.to_string_lossy().into_owned())
}

/// Where the files of a capture go.
struct Place<'a> {
    folder: &'a Path,
    staging: &'a Path,
    keys: &'a [PartitionKey],
    host: Option<&'a str>,
    capture: &'a str,
    sha256: &'a str,
}

impl Place<'_> {
    fn has(&self, key: PartitionKey) -> bool {
        self.keys.contains(&key)
    }

    /// Returns the name of a file without its extension.
    fn name(&self, table: CaptureTable, day: Option<&str>) -> String {
        let mut name = table.to_string();
        for key in self.keys {
            let value = match key {
                PartitionKey::Date => day,
                PartitionKey::Host => self.host,
                PartitionKey::File => Some(self.capture),
                PartitionKey::None => continue,
            };
            name += &format!("/{key}={}", value.map_or_else(|| NO_VALUE.to_owned(), encoded));
        }
        name + "/" + self.sha256
    }
}

/// Encodes a value for the name of a folder, as Hive does: special characters of ASCII become `%` and two digits.
fn encoded(value: &str) -> String {
    let letter = |letter: char| match letter {
        'a'..='z' | 'A'..='Z' | '0'..='9' | '-' | '_' | '.' | '\u{80}'.. => letter.to_string(),
        special => format!("%{:02X}", u32::from(special)),
    };
    if value.is_empty() { NO_VALUE.to_owned() } else { value.chars().map(letter).collect() }
}

/// The files of a capture while they are written.
struct Parts<'a> {
    place: Place<'a>,
    tables: Vec<TableParts>,
    /// Their names in the dataset.
    files: Vec<String>,
}

/// The writer of a table's rows to its files.
struct TableParts {
    table: CaptureTable,
    rows: u64,
    batches: Batches,
    order: TimeOrder,
    /// The open files, each with its day, the latest last.
    open: VecDeque<Part>,
}

struct Part {
    day: Option<String>,
    name: String,
    file: File,
    writer: ParquetFile<File>,
}

impl<'a> Parts<'a> {
    fn new(place: Place<'a>, tables: &[CaptureTable]) -> Self {
        let tables = tables.iter().map(|table| {
            let own: Vec<Shape> = table.columns().into_iter().skip(1).collect();
            TableParts {
                table: *table,
                rows: 0,
                batches: Batches::new(&own),
                order: TimeOrder::new(table.times()),
                open: VecDeque::new(),
            }
        });
        let tables = tables.collect();
        Self { place, tables, files: Vec::new() }
    }

    fn row(&mut self, of: CaptureTable, values: &[Value]) -> Result<()> {
        let Some(table) = self.tables.iter_mut().find(|it| it.table == of) else { return Ok(()) };
        table.rows += 1;
        // The first column is the file's name.
        let own = values.get(1..).unwrap_or_default();
        let failed = |error| failed(self.place.folder, error);
        let Some(batch) = table.batches.row(own).map_err(failed)? else { return Ok(()) };
        let Some(earliest) = table.order.batch(batch).map_err(failed)? else { return Ok(()) };
        table.write(&earliest, &self.place, &mut self.files)
    }

    /// Closes the files; returns their names and the number of rows of each table.
    fn finish(mut self) -> Result<(Vec<String>, BTreeMap<String, u64>)> {
        for table in &mut self.tables {
            let failed = |error| failed(self.place.folder, error);
            let rest = table.batches.take().map_err(failed)?;
            let earliest = rest.map(|rest| table.order.batch(rest)).transpose().map_err(failed)?;
            for batch in [earliest.flatten(), table.order.finish()].into_iter().flatten() {
                table.write(&batch, &self.place, &mut self.files)?;
            }
            table.open.drain(..).try_for_each(Part::end)?;
        }
        let rows = self.tables.iter().map(|table| (table.table.to_string(), table.rows));
        Ok((self.files, rows.collect()))
    }
}

impl TableParts {
    /// Writes rows to the files of their days.
    fn write(
        &mut self,
        rows: &RecordBatch,
        place: &Place<'_>,
        files: &mut Vec<String>,
    ) -> Result<()> {
        let constants = [(CAPTURE, place.sha256), (FILE, place.capture)];
        // If the file is a key, its name is in the folder's name.
        let count = if place.has(PartitionKey::File) { 1 } else { 2 };
        let rows = &with_constants(constants.get(..count).unwrap_or_default(), rows)
            .map_err(|error| failed(place.folder, error))?;
        if !place.has(PartitionKey::Date) {
            return self.write_day(None, rows, place, files);
        }
        let days = by_day(rows, self.table.times());
        days.into_iter().try_for_each(|(day, rows)| self.write_day(day, &rows, place, files))
    }

    fn write_day(
        &mut self,
        day: Option<String>,
        rows: &RecordBatch,
        place: &Place<'_>,
        files: &mut Vec<String>,
    ) -> Result<()> {
        let known = self.open.iter().position(|part| part.day == day);
        let mut part = match known.and_then(|index| self.open.remove(index)) {
            Some(part) => part,
            None => Part::begin(self.table, day, rows, place, files)?,
        };
        part.writer.batch(rows).map_err(|error| failed(&place.folder.join(&part.name), error))?;
        self.open.push_back(part);
        let full = self.open.len() > OPEN;
        full.then(|| self.open.pop_front()).flatten().map_or(Ok(()), Part::end)
    }
}

impl Part {
    fn begin(
        table: CaptureTable,
        day: Option<String>,
        rows: &RecordBatch,
        place: &Place<'_>,
        files: &mut Vec<String>,
    ) -> Result<Self> {
        if files.len() == MOST_FILES {
            return Err(TooManyFiles.into());
        }
        let start = place.name(table, day.as_deref());
        let before = files.iter().filter(|name| name.starts_with(&start)).count();
        let again = if before == 0 { String::new() } else { format!("-{}", before + 1) };
        let name = format!("{start}{again}.parquet");
        let failed = |error| failed(&place.folder.join(&name), error);
        let file = File::create(place.staging.join(staged(files.len()))).map_err(failed)?;
        let out = file.try_clone().map_err(failed)?;
        let writer = ParquetFile::new(&table.to_string(), rows.schema(), out).map_err(failed)?;
        files.push(name.clone());
        Ok(Self { day, name, file, writer })
    }

    fn end(self) -> Result<()> {
        let written = self.writer.finish().and_then(|()| self.file.sync_data());
        Ok(written.map_err(|error| failed(Path::new(&self.name), error))?)
    }
}
