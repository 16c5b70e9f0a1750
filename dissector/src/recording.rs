//! Writes captured packets to a file, a pipe, or a ring of files, until a limit is reached.

use crate::capture::{Interface, InterfaceStatistics, PacketToWrite, PcapngWriter};
use chrono::{DateTime, Local};
use std::collections::VecDeque;
use std::ffi::OsString;
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, BufWriter, IsTerminal as _, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The program's name and version, written to its captures.
pub const APPLICATION: &str = concat!("warpscope ", env!("CARGO_PKG_VERSION"));

/// A request of the user that cannot be fulfilled.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Refused(String);

macro_rules! refuse {
    ($($message:tt)*) => {
        return Err(Refused(format!($($message)*)))
    };
}

// The arguments of `-a` and `-b`: when to stop, when to begin a new file.

/// A limit with its value, as in `filesize:1000`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Criterion {
    /// Time since the start.
    Duration(Duration),
    /// The size of a file in bytes.
    FileSize(u64),
    /// Packets.
    Packets(u64),
    /// Files.
    Files(u64),
}

impl Criterion {
    /// Parses `LIMIT:VALUE`.
    ///
    /// # Errors
    /// What is wrong with it, as text.
    pub fn parse(text: &str) -> Result<Self, String> {
        let Some((name, value)) = text.split_once(':') else {
            return Err(format!("write LIMIT:VALUE; {KNOWN}"));
        };
        if name == "duration" {
            let seconds = value.parse().ok().filter(|seconds: &f64| *seconds > 0.0);
            return seconds
                .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
                .map(Self::Duration)
                .ok_or_else(|| format!("{value} is not a number of seconds above 0"));
        }
        let limit: fn(u64) -> Self = match name {
            "filesize" => |kilobytes| Self::FileSize(kilobytes.saturating_mul(1000)),
            "packets" => Self::Packets,
            "files" => Self::Files,
            _ => return Err(format!("{name} is not a limit; {KNOWN}")),
        };
        let number = value.parse().ok().filter(|number| *number > 0);
        number.map(limit).ok_or_else(|| format!("{value} is not a whole number above 0"))
    }
}

const KNOWN: &str = "the limits are duration:SECONDS, filesize:KB, packets:N and files:N";

// Where a capture is written.

/// Bytes buffered before they are written.
const BUFFER: usize = 1 << 18;

/// An error while writing a capture.
#[derive(Debug, thiserror::Error)]
#[error("{name}: cannot write: {error}; check the name, the disk and your permissions")]
pub struct RecordError {
    /// The file.
    pub name: String,
    /// The system's error.
    pub error: io::Error,
    /// True if something was written before.
    pub begun: bool,
}

/// A file, or standard output.
#[derive(Debug, Clone)]
pub struct Destination {
    path: PathBuf,
}

impl Destination {
    /// Creates the destination that `-w` names; `input` is the file being read meanwhile.
    ///
    /// # Errors
    /// If it is the input file or a terminal, or if it exists and is not to be replaced.
    pub fn new(path: &Path, input: Option<&Path>, replace: bool) -> Result<Self, Refused> {
        if let Some(input) = input.filter(|input| same_file(input, path)) {
            refuse!(
                "-w {}: this is the input file ({}); use another name",
                path.display(),
                input.display()
            );
        }
        let destination = Self { path: path.to_owned() };
        if destination.is_standard_output() && io::stdout().is_terminal() {
            refuse!("-w -: standard output is a terminal; redirect it to a file or a program");
        }
        keep_existing(path, replace)?;
        Ok(destination)
    }

    /// Returns true for standard output.
    pub fn is_standard_output(&self) -> bool {
        self.path.as_os_str() == "-"
    }

    /// Returns the file's name.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Opens it, empty.
    ///
    /// # Errors
    /// If it cannot be created.
    pub fn open(&self) -> Result<Box<dyn Write + Send>, RecordError> {
        if self.is_standard_output() {
            return Ok(Box::new(BufWriter::with_capacity(BUFFER, io::stdout())));
        }
        match create_private(&self.path) {
            Ok(file) => Ok(Box::new(BufWriter::with_capacity(BUFFER, file))),
            Err(error) => Err(RecordError { begun: false, ..self.failed(error) }),
        }
    }

    /// Returns an error about this destination, after it was opened.
    pub fn failed(&self, error: io::Error) -> RecordError {
        let standard_output = self.is_standard_output();
        let name = if standard_output {
            "standard output".into()
        } else {
            self.path.display().to_string()
        };
        RecordError { name, error, begun: true }
    }
}

/// Refuses the name of an existing file, unless files are to be replaced.
///
/// # Errors
/// If the file exists and is not to be replaced.
pub fn keep_existing(path: &Path, replace: bool) -> Result<(), Refused> {
    // A link whose target does not exist yet is somebody's name for another file.
    let taken = match std::fs::metadata(path) {
        Ok(found) => found.is_file(),
        Err(_) => path.is_symlink(),
    };
    if taken && !replace {
        refuse!("{}: this file already exists; name another, or add --force", path.display());
    }
    Ok(())
}

/// Opens an empty file for captured data; a new file is readable and writable by its owner only.
///
/// # Errors
/// If it cannot be created.
pub fn create_private(path: &Path) -> io::Result<File> {
    private().create(true).truncate(true).open(path)
}

/// Creates a file for captured data, readable and writable by its owner only.
///
/// # Errors
/// If it cannot be created, or already exists.
pub fn create_new_private(path: &Path) -> io::Result<File> {
    private().create_new(true).open(path)
}

/// Returns the options to create files that only their owner can access.
fn private() -> OpenOptions {
    let mut options = File::options();
    options.write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Returns true if both names are of the same regular file, even by different paths.
fn same_file(first: &Path, second: &Path) -> bool {
    let (Ok(one), Ok(other)) = (std::fs::metadata(first), std::fs::metadata(second)) else {
        return false;
    };
    one.is_file() && same_place(&one, &other, first, second)
}

#[cfg(unix)]
fn same_place(one: &Metadata, other: &Metadata, _first: &Path, _second: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

#[cfg(not(unix))]
fn same_place(_one: &Metadata, _other: &Metadata, first: &Path, second: &Path) -> bool {
    matches!((first.canonicalize(), second.canonicalize()), (Ok(one), Ok(other)) if one == other)
}

// When a capture stops and when it begins a new file, validated together.

/// Limits of the whole capture, or of one file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Bounds {
    /// Time since the start.
    pub duration: Option<Duration>,
    /// Bytes in the file.
    file_size: Option<u64>,
    /// Packets in it.
    pub packets: Option<u64>,
    /// Files; for a ring, those that are kept.
    files: Option<u64>,
}

impl Bounds {
    /// Applies the criteria: if there are several of a kind, the lowest counts.
    fn lower(&mut self, criteria: &[Criterion]) {
        fn lower<T: Ord + Copy>(place: &mut Option<T>, value: T) {
            *place = Some(place.map_or(value, |before| before.min(value)));
        }
        for criterion in criteria {
            match *criterion {
                Criterion::Duration(duration) => lower(&mut self.duration, duration),
                Criterion::FileSize(bytes) => lower(&mut self.file_size, bytes),
                Criterion::Packets(packets) => lower(&mut self.packets, packets),
                Criterion::Files(files) => lower(&mut self.files, files),
            }
        }
    }
}

/// When a capture stops and when it begins a new file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Limits {
    /// When it stops.
    pub stop: Bounds,
    /// When a new file begins, if there are several.
    ring: Option<Bounds>,
}

impl Limits {
    /// Creates the limits from `-a`, `-b` and `-c`, and the destination from `-w`.
    ///
    /// # Errors
    /// If they contradict each other.
    pub fn new(
        stop: &[Criterion],
        ring: &[Criterion],
        count: Option<u64>,
        destination: Option<&Destination>,
    ) -> Result<Self, Refused> {
        let mut bounds = Bounds { packets: count, ..Bounds::default() };
        bounds.lower(stop);
        if bounds.file_size.is_some() && destination.is_none() {
            refuse!("-a filesize: there is no file; name one with -w");
        }
        if ring.is_empty() {
            if bounds.files.is_some() {
                refuse!(
                    "-a files: it counts the files of -b; add -b filesize:KB, -b duration:SECONDS \
                     or -b packets:N"
                );
            }
            return Ok(Self { stop: bounds, ring: None });
        }
        if destination.is_some_and(Destination::is_standard_output) {
            refuse!("-b: several files cannot be written to standard output; name a file with -w");
        }
        let mut switch = Bounds::default();
        switch.lower(ring);
        // With several files, a full file is followed by the next one.
        if let Some(bytes) = bounds.file_size.take() {
            switch.lower(&[Criterion::FileSize(bytes)]);
        }
        if (switch.duration, switch.file_size, switch.packets) == (None, None, None) {
            refuse!(
                "-b files: nothing says when a new file begins; add -b filesize:KB, \
                 -b duration:SECONDS or -b packets:N"
            );
        }
        Ok(Self { stop: bounds, ring: Some(switch) })
    }
}

// Writes captured packets to one file or several, and reports when they are full.

/// An interface whose packets are recorded.
#[derive(Debug, Clone)]
pub struct RecordedInterface {
    /// The interface.
    pub interface: Interface,
    /// Decimal digits of its times.
    pub time_digits: u8,
    /// Its capture filter.
    pub filter: Option<String>,
}

/// What to do after a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// Take the next packet.
    GoOn,
    /// Stop: a limit was reached.
    Stop,
}

/// Writes captured packets.
pub struct Recorder {
    given: Destination,
    limits: Limits,
    interfaces: Vec<RecordedInterface>,
    ring: Ring,
    /// The file being written.
    destination: Destination,
    writer: PcapngWriter<Box<dyn Write + Send>>,
    packets: u64,
    begun: Instant,
}

impl Recorder {
    /// Opens the (first) file.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn new(
        given: &Destination,
        limits: Limits,
        interfaces: Vec<RecordedInterface>,
        now: Instant,
    ) -> Result<Self, RecordError> {
        let mut ring = Ring::default();
        let (destination, _) = next_destination(given, limits.ring, &mut ring);
        let writer = begin(&destination, &interfaces)?;
        let given = given.clone();
        Ok(Self { given, limits, interfaces, ring, destination, writer, packets: 0, begun: now })
    }

    /// Writes a packet.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn packet(&mut self, packet: &PacketToWrite<'_>) -> Result<(), RecordError> {
        let written = self.writer.packet(packet, &[]);
        written.map_err(|error| self.destination.failed(error))?;
        self.packets += 1;
        Ok(())
    }

    /// Begins a new file if it is time. Call it now and then, and after each packet unless that was the last: then
    /// no file begins in which nothing would be.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn tick(&mut self, now: Instant) -> Result<Next, RecordError> {
        let (bytes, elapsed) =
            (self.writer.bytes_written(), now.saturating_duration_since(self.begun));
        let full = |bounds: Bounds| {
            self.packets > 0
                && (bounds.file_size.is_some_and(|size| bytes >= size)
                    || bounds.packets.is_some_and(|packets| self.packets >= packets))
        };
        match self.limits.ring {
            None if full(Bounds { packets: None, ..self.limits.stop }) => Ok(Next::Stop),
            Some(switch)
                if full(switch) || switch.duration.is_some_and(|duration| elapsed >= duration) =>
            {
                self.switch(switch, now)
            }
            _ => Ok(Next::GoOn),
        }
    }

    /// Writes the buffered data, so that others can read the file.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn flush(&mut self) -> Result<(), RecordError> {
        self.writer.flush().map_err(|error| self.destination.failed(error))
    }

    /// Ends the (last) file with the interfaces' packet counts until `time`, in nanoseconds since 1970.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn close(
        mut self,
        statistics: &[Option<InterfaceStatistics>],
        time: i64,
    ) -> Result<(), RecordError> {
        for (number, statistics) in (0..).zip(statistics) {
            let Some(statistics) = statistics else { continue };
            let written = self.writer.statistics(number, time, *statistics);
            written.map_err(|error| self.destination.failed(error))?;
        }
        self.flush()
    }

    fn switch(&mut self, switch: Bounds, now: Instant) -> Result<Next, RecordError> {
        self.flush()?;
        if self.limits.stop.files.is_some_and(|files| self.ring.written() >= files) {
            return Ok(Next::Stop);
        }
        let (destination, oldest) = next_destination(&self.given, Some(switch), &mut self.ring);
        let begun = begin(&destination, &self.interfaces);
        self.writer = begun.map_err(|error| RecordError { begun: true, ..error })?;
        self.destination = destination;
        if let Some(oldest) = oldest {
            // It may no longer exist: others may move a ring's files away.
            let _ = std::fs::remove_file(oldest);
        }
        (self.packets, self.begun) = (0, now);
        Ok(Next::GoOn)
    }
}

/// Returns the next file to write, and the oldest one if too many are kept then.
fn next_destination(
    given: &Destination,
    ring: Option<Bounds>,
    files: &mut Ring,
) -> (Destination, Option<PathBuf>) {
    let Some(switch) = ring else { return (given.clone(), None) };
    let (path, oldest) = files.next(given.path(), Local::now(), switch.files);
    (Destination { path }, oldest)
}

/// Opens a file, and writes the blocks before the packets.
fn begin(
    destination: &Destination,
    interfaces: &[RecordedInterface],
) -> Result<PcapngWriter<Box<dyn Write + Send>>, RecordError> {
    let mut writer = PcapngWriter::new(destination.open()?);
    let failed = |error| destination.failed(error);
    writer.section(std::env::consts::OS, APPLICATION).map_err(failed)?;
    for RecordedInterface { interface, time_digits, filter } in interfaces {
        writer.interface(interface, *time_digits, filter.as_deref()).map_err(failed)?;
    }
    writer.flush().map_err(failed)?;
    Ok(writer)
}

// The names of several files, and which are kept: the same as in dumpcap.

/// The numbers in names start again after this one.
const HIGHEST_NUMBER: u64 = 99_999;

/// The files written so far.
#[derive(Debug, Default)]
struct Ring {
    written: u64,
    kept: VecDeque<PathBuf>,
}

impl Ring {
    /// Returns how many files were begun.
    fn written(&self) -> u64 {
        self.written
    }

    /// Returns the name of the next file, and the file to remove so that no more than `files` are kept.
    fn next(
        &mut self,
        given: &Path,
        time: DateTime<Local>,
        files: Option<u64>,
    ) -> (PathBuf, Option<PathBuf>) {
        self.written += 1;
        let name = name(given, (self.written - 1) % HIGHEST_NUMBER + 1, time);
        self.kept.push_back(name.clone());
        let too_many = match files {
            Some(files) => self.kept.len() as u64 > files,
            // The names are not needed.
            None => self.kept.len() > 1,
        };
        let gone = if too_many { self.kept.pop_front() } else { None };
        let gone = gone.filter(|gone| files.is_some() && *gone != name);
        (name, gone)
    }
}

/// Returns `-w FILE.SUFFIX`'s name with number and time: `FILE_00001_20260102030405.SUFFIX`.
fn name(given: &Path, number: u64, time: DateTime<Local>) -> PathBuf {
    let (stem, suffix) = match (given.file_stem(), given.extension()) {
        (Some(stem), suffix) => (stem, suffix),
        (None, _) => (given.as_os_str(), None),
    };
    let mut name = OsString::from(stem);
    name.push(format!("_{number:05}_{}", time.format("%Y%m%d%H%M%S")));
    if let Some(suffix) = suffix {
        name.push(".");
        name.push(suffix);
    }
    given.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::TimeZone as _;
    use std::path::PathBuf;

    #[test]
    fn limits_have_dumpcaps_units() {
        assert_eq!(Criterion::parse("filesize:3"), Ok(Criterion::FileSize(3_000)));
        assert_eq!(
            Criterion::parse("duration:1.5"),
            Ok(Criterion::Duration(Duration::from_millis(1_500)))
        );
        assert_eq!(Criterion::parse("packets:7"), Ok(Criterion::Packets(7)));
        assert_eq!(Criterion::parse("files:2"), Ok(Criterion::Files(2)));
    }

    #[test]
    fn what_is_no_limit_is_refused_with_a_reason() {
        for (text, words) in [
            ("filesize", "write LIMIT:VALUE; the limits are duration:SECONDS"),
            ("size:3", "size is not a limit; the limits are duration:SECONDS"),
            ("filesize:0", "0 is not a whole number above 0"),
            ("packets:-1", "-1 is not a whole number above 0"),
            ("files:x", "x is not a whole number above 0"),
            ("duration:0", "0 is not a number of seconds above 0"),
            ("duration:NaN", "NaN is not a number of seconds above 0"),
            ("duration:1e300", "1e300 is not a number of seconds above 0"),
        ] {
            let refused = Criterion::parse(text).unwrap_err();
            assert!(refused.starts_with(words), "{text}: {refused}");
        }
    }

    fn limits(stop: &[&str], ring: &[&str], file: Option<&str>) -> Result<Limits, Refused> {
        let parse = |texts: &[&str]| -> Vec<Criterion> {
            texts.iter().map(|text| Criterion::parse(text).unwrap()).collect()
        };
        let destination = file.map(|name| Destination { path: PathBuf::from(name) });
        Limits::new(&parse(stop), &parse(ring), Some(9), destination.as_ref())
    }

    #[test]
    fn the_lowest_of_a_kind_counts() {
        let found = limits(&["packets:12", "duration:3", "duration:2"], &[], None).unwrap();
        assert_eq!(found.stop.packets, Some(9));
        assert_eq!(found.stop.duration, Some(Duration::from_secs(2)));
        assert_eq!(found.ring, None);
    }

    #[test]
    fn with_several_files_a_full_one_is_followed_by_the_next() {
        let found =
            limits(&["filesize:5", "files:4"], &["packets:2", "files:3"], Some("f")).unwrap();
        let switch = found.ring.unwrap();
        assert_eq!(
            (switch.file_size, switch.packets, switch.files),
            (Some(5_000), Some(2), Some(3))
        );
        assert_eq!((found.stop.file_size, found.stop.files), (None, Some(4)));
    }

    #[test]
    fn what_does_not_go_together_is_refused() {
        for (stop, ring, file, words) in [
            (&["filesize:1"][..], &[][..], None, "-a filesize: there is no file"),
            (&["files:1"], &[], Some("f"), "-a files: it counts the files of -b"),
            (&[], &["files:2"], Some("f"), "-b files: nothing says when a new file begins"),
            (&[], &["packets:2"], Some("-"), "-b: several files cannot be written to standard"),
        ] {
            let refused = limits(stop, ring, file).unwrap_err().to_string();
            assert!(refused.starts_with(words), "{refused}");
        }
    }

    fn time() -> DateTime<Local> {
        Local.with_ymd_and_hms(2026, 1, 2, 3, 4, 5).unwrap()
    }

    #[test]
    fn number_and_time_stand_before_the_suffix() {
        for (given, expected) in [
            ("ring.pcapng", "ring_00001_20260102030405.pcapng"),
            ("/a.b/ring", "/a.b/ring_00001_20260102030405"),
            ("d/two.parts.pcapng", "d/two.parts_00001_20260102030405.pcapng"),
        ] {
            let (name, gone) = Ring::default().next(Path::new(given), time(), Some(1));
            assert_eq!((name, gone), (PathBuf::from(expected), None));
        }
    }

    #[test]
    fn the_oldest_goes_when_there_are_too_many() {
        let mut ring = Ring::default();
        let gone: Vec<Option<PathBuf>> =
            (0..4).map(|_| ring.next(Path::new("r"), time(), Some(2)).1).collect();
        let first = PathBuf::from("r_00001_20260102030405");
        let second = PathBuf::from("r_00002_20260102030405");
        assert_eq!(gone, [None, None, Some(first), Some(second)]);
        assert_eq!(ring.written(), 4);
    }

    #[test]
    fn without_a_limit_every_file_stays() {
        let mut ring = Ring::default();
        assert!((0..9).all(|_| ring.next(Path::new("r"), time(), None).1.is_none()));
    }

    #[test]
    fn numbers_begin_again() {
        let mut ring = Ring { written: 99_999, ..Ring::default() };
        let (name, _) = ring.next(Path::new("r"), time(), None);
        assert_eq!(name, PathBuf::from("r_00001_20260102030405"));
    }
}
