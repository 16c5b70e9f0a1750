//! Writes the files that NFS transferred to disk: what was written to and read from each, and a manifest.

use crate::transfer::{FileKey, Named, TransferDirection, Transferred};
use serde::{Serialize, Serializer};
use sha2::{Digest as _, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Read as _, Seek as _, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use warpscope_text::{hexadecimal, is_escaped};

/// The most files that are tracked individually.
const FILES: usize = 10_000;
/// The most names kept per file.
const NAMES: usize = 16;

/// A file, as far as it was seen.
#[derive(Debug, Default)]
struct TransferredFile {
    /// Its number in the manifest, from 1.
    number: usize,
    names: BTreeSet<String>,
    written: Option<Content>,
    /// Bytes written without a reply that confirms them.
    unconfirmed: u64,
    read: Option<Content>,
}

/// Limits on the output: offsets and lengths in a capture may be false.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileLimits {
    /// The longest file in bytes, including holes.
    pub file: u64,
    /// The bytes of all files, without holes.
    pub total: u64,
}

/// How much of the files is incomplete.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Shortfall {
    /// Files with holes.
    pub with_holes: u64,
    /// Bytes beyond a limit, which were not written.
    pub left_out: u64,
}

/// The files found in the captures.
#[derive(Debug)]
pub struct Files {
    folder: PathBuf,
    limits: FileLimits,
    /// Bytes written so far.
    written: u64,
    files: BTreeMap<FileKey, TransferredFile>,
    /// Runs of known bytes in all of them.
    runs: usize,
    /// Bytes of files beyond those that are tracked individually.
    beyond: u64,
    failed: Option<(PathBuf, io::Error)>,
}

/// Why a folder cannot be used for the files.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// It cannot be created or read.
    #[error("cannot create the folder {}: check its path and permissions", .folder.display())]
    Unusable {
        /// The folder.
        folder: PathBuf,
        /// Why it cannot be used.
        source: io::Error,
    },
    /// It is not empty.
    #[error("the folder {} is not empty: name another, or empty it", .0.display())]
    NotEmpty(PathBuf),
}

impl Files {
    /// Creates the folder, without files. Refuses one that is not empty, so that nothing is overwritten.
    ///
    /// # Errors
    /// If the folder cannot be created, or is not empty.
    pub fn new(folder: &Path, limits: FileLimits) -> Result<Self, FolderError> {
        let wrong = |source| FolderError::Unusable { folder: folder.to_owned(), source };
        fs::create_dir_all(folder).map_err(wrong)?;
        if fs::read_dir(folder).map_err(wrong)?.next().is_some() {
            return Err(FolderError::NotEmpty(folder.to_owned()));
        }
        let (folder, files) = (folder.to_owned(), BTreeMap::new());
        Ok(Self { folder, limits, written: 0, files, runs: 0, beyond: 0, failed: None })
    }

    /// Writes `manifest.json` next to the files; returns how much of them is incomplete.
    ///
    /// # Errors
    /// The file that could not be written, and why.
    pub fn finish(&mut self, captures: &[PathBuf]) -> Result<Shortfall, (PathBuf, io::Error)> {
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        let name = self.folder.join("manifest.json");
        // Leaves no partial manifest.
        Manifest::new(self, captures)
            .and_then(|manifest| manifest.write(&name))
            .inspect_err(|_| drop(fs::remove_file(&name)))
            .map_err(|error| (name, error))?;
        let mut shortfall = Shortfall { with_holes: 0, left_out: self.beyond };
        for file in self.files.values() {
            for content in [&file.written, &file.read].into_iter().flatten() {
                shortfall.with_holes += u64::from(content.holes().next().is_some());
                shortfall.left_out += content.left_out;
            }
        }
        Ok(shortfall)
    }

    fn file(&mut self, key: &FileKey) -> Option<&mut TransferredFile> {
        if !self.files.contains_key(key) {
            if self.files.len() >= FILES {
                return None;
            }
            let number = self.files.len() + 1;
            self.files
                .insert(key.clone(), TransferredFile { number, ..TransferredFile::default() });
        }
        self.files.get_mut(key)
    }

    /// Adds a name of a file.
    pub fn named(&mut self, named: &Named<'_>) {
        if let Some(file) = self.file(named.file).filter(|file| file.names.len() < NAMES) {
            file.names.insert(named.name.to_owned());
        }
    }

    /// Adds bytes of a file. Errors are kept for [`Files::finish`].
    pub fn transferred(&mut self, transferred: &Transferred<'_>) {
        if self.failed.is_some() {
            return;
        }
        self.failed = self.put(transferred).err();
    }

    fn put(&mut self, transferred: &Transferred<'_>) -> Result<(), (PathBuf, io::Error)> {
        let (folder, limits) = (self.folder.clone(), self.limits);
        let room = self.runs < ALL_RUNS;
        let within = self.written + transferred.bytes.len() as u64 <= limits.total;
        let hash = transferred.file.hash();
        let bytes = transferred.bytes.len() as u64;
        let Some(file) = self.file(transferred.file) else {
            self.beyond += bytes;
            return Ok(());
        };
        let (content, word) = match transferred.way {
            TransferDirection::Written { confirmed } => {
                file.unconfirmed += if confirmed { 0 } else { bytes };
                (&mut file.written, "written")
            }
            TransferDirection::Read => (&mut file.read, "read"),
        };
        // Names from the wire go only into the manifest: no path is made from them.
        let name = format!("{:04}-{hash:08x}.{word}", file.number);
        let failed = |error| (folder.join(&name), error);
        let content = match content {
            Some(content) => content,
            none => none.insert(Content::create(&folder, name.clone()).map_err(failed)?),
        };
        let longest = if within { limits.file } else { 0 };
        let before = content.known.len();
        let put =
            content.put(transferred.offset, transferred.bytes, longest, room).map_err(failed)?;
        let runs = content.known.len() as isize - before as isize;
        self.runs = self.runs.saturating_add_signed(runs);
        self.written += put;
        Ok(())
    }
}

/// The content of `manifest.json`.
#[derive(Serialize)]
struct Manifest<'a> {
    bytes_of_files_beyond: u64,
    captures: Vec<String>,
    files: Vec<FileEntry<'a>>,
}

#[derive(Serialize)]
struct FileEntry<'a> {
    handle: String,
    handle_hash: String,
    names: &'a BTreeSet<String>,
    read: Option<ContentEntry<'a>>,
    server: String,
    written: Option<ContentEntry<'a>>,
    written_and_read: Option<Comparison>,
}

#[derive(Serialize)]
struct ContentEntry<'a> {
    bytes: u64,
    bytes_left_out: u64,
    bytes_moved: u64,
    file: &'a str,
    #[serde(serialize_with = "holes")]
    holes: &'a Content,
    length: u64,
    #[serde(serialize_with = "ranges")]
    ranges: &'a Content,
    sha256: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unconfirmed_bytes: Option<u64>,
}

#[derive(Serialize)]
struct Comparison {
    common_bytes: u64,
    equal: Option<bool>,
    first_difference: Option<u64>,
}

fn holes<S: Serializer>(content: &Content, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(content.holes().map(|hole| [hole.start, hole.end]))
}

fn ranges<S: Serializer>(content: &Content, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(content.known.iter().map(|run| [run.start, run.end]))
}

impl<'a> Manifest<'a> {
    fn new(files: &'a Files, captures: &[PathBuf]) -> io::Result<Self> {
        let captures = captures.iter().map(|path| path.to_string_lossy().into_owned()).collect();
        let mut sorted: Vec<(&FileKey, &TransferredFile)> = files.files.iter().collect();
        sorted.retain(|(_, file)| file.written.is_some() || file.read.is_some());
        sorted.sort_by_key(|(_, file)| file.number);
        let mut zeros = ALL_ZEROS;
        let entries: io::Result<_> =
            sorted.into_iter().map(|(key, file)| FileEntry::new(key, file, &mut zeros)).collect();
        Ok(Self { bytes_of_files_beyond: files.beyond, captures, files: entries? })
    }

    fn write(&self, name: &Path) -> io::Result<()> {
        let mut out = BufWriter::new(File::create(name)?);
        serde_json::to_writer_pretty(HiddenEscaped(&mut out), self)?;
        out.write_all(b"\n")?;
        out.flush()
    }
}

impl<'a> FileEntry<'a> {
    fn new(key: &FileKey, file: &'a TransferredFile, zeros: &mut u64) -> io::Result<Self> {
        let mut entry =
            |content: &'a Option<Content>| content.as_ref().map(|it| it.entry(zeros)).transpose();
        let (mut written, read) = (entry(&file.written)?, entry(&file.read)?);
        if let Some(written) = &mut written {
            written.unconfirmed_bytes = Some(file.unconfirmed);
        }
        let compared = match (&file.written, &file.read) {
            (Some(written), Some(read)) => Some(written.compare(read)?),
            _ => None,
        };
        let written_and_read = compared.map(|(common_bytes, first_difference)| Comparison {
            common_bytes,
            equal: (common_bytes > 0).then_some(first_difference.is_none()),
            first_difference,
        });
        Ok(Self {
            handle: hexadecimal(&key.handle, ""),
            handle_hash: format!("0x{:08x}", key.hash()),
            names: &file.names,
            read,
            server: key.server.to_string(),
            written,
            written_and_read,
        })
    }
}

/// Passes JSON on, with characters that are invisible or change the text direction written as escapes.
struct HiddenEscaped<W>(W);

impl<W: Write> Write for HiddenEscaped<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = str::from_utf8(bytes).unwrap_or_default();
        // Those in ASCII are already escaped, or are between the strings.
        let hidden = |character: char| !character.is_ascii() && is_escaped(character);
        if !text.contains(hidden) {
            return self.0.write(bytes);
        }
        for character in text.chars() {
            match hidden(character) {
                true => write!(self.0, "\\u{:04x}", u32::from(character))?,
                false => write!(self.0, "{character}")?,
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// The most runs of known bytes of a file, and of all files; bytes that would need another run are dropped.
const RUNS: usize = 1 << 16;
const ALL_RUNS: usize = 1 << 20;
/// The most bytes of holes hashed per file, and in total: a hole costs its writer nothing.
const ZEROS: u64 = 64 << 20;
const ALL_ZEROS: u64 = 1 << 30;
/// Bytes read at a time.
const PORTION: usize = 1 << 18;

/// The known content of a file.
#[derive(Debug)]
struct Content {
    /// The name in the folder of the file that holds it.
    name: String,
    path: PathBuf,
    /// Runs of known bytes, in order, with holes between them.
    known: Vec<Range<u64>>,
    /// Bytes transferred over the wire.
    moved: u64,
    /// Bytes that were not kept.
    left_out: u64,
}

impl Content {
    /// Creates an empty file of that name in a folder; it must not exist yet.
    fn create(folder: &Path, name: String) -> io::Result<Self> {
        let path = folder.join(&name);
        OpenOptions::new().write(true).create_new(true).open(&path)?;
        Ok(Self { name, path, known: Vec::new(), moved: 0, left_out: 0 })
    }

    /// Writes bytes at their offset and replaces what was there before, unless the file would be longer than
    /// `longest`, or need another run when there is no room. Returns how many bytes were written.
    fn put(&mut self, offset: u64, bytes: &[u8], longest: u64, room: bool) -> io::Result<u64> {
        let length = bytes.len() as u64;
        self.moved += length;
        let end = offset.checked_add(length).filter(|end| *end <= longest);
        let Some(end) = end.filter(|end| self.takes(offset..*end, room)) else {
            self.left_out += length;
            return Ok(0);
        };
        if length > 0 {
            let mut file = OpenOptions::new().write(true).open(&self.path)?;
            file.seek(SeekFrom::Start(offset))?;
            file.write_all(bytes)?;
            add(&mut self.known, offset..end);
        }
        Ok(length)
    }

    /// Returns whether a run can be added: there is room for another, or it touches an existing one.
    fn takes(&self, run: Range<u64>, room: bool) -> bool {
        let near = self.known.partition_point(|known| known.end < run.start);
        (room && self.known.len() < RUNS)
            || self.known.get(near).is_some_and(|known| known.start <= run.end)
    }

    /// Returns the length of the file in bytes, including holes.
    fn length(&self) -> u64 {
        self.known.last().map_or(0, |run| run.end)
    }

    fn bytes(&self) -> u64 {
        self.known.iter().map(|run| run.end - run.start).sum()
    }

    /// Returns the ranges of which nothing is known, up to the last known byte.
    fn holes(&self) -> impl Iterator<Item = Range<u64>> {
        let ends = std::iter::once(0).chain(self.known.iter().map(|run| run.end));
        let holes = ends.zip(&self.known).map(|(end, run)| end..run.start);
        holes.filter(|hole| !hole.is_empty())
    }

    /// Returns its entry in the manifest; `zeros` is the number of bytes of holes that may still be hashed.
    fn entry(&self, zeros: &mut u64) -> io::Result<ContentEntry<'_>> {
        let missing = self.length() - self.bytes();
        let hashed = missing <= ZEROS.min(*zeros);
        *zeros -= if hashed { missing } else { 0 };
        Ok(ContentEntry {
            bytes: self.bytes(),
            bytes_left_out: self.left_out,
            bytes_moved: self.moved,
            file: &self.name,
            holes: self,
            length: self.length(),
            ranges: self,
            sha256: hashed.then(|| self.sha256()).transpose()?,
            unconfirmed_bytes: None,
        })
    }

    /// Returns the SHA-256 of the file, with holes as zeros, in hexadecimal.
    fn sha256(&self) -> io::Result<String> {
        let mut file = File::open(&self.path)?;
        let mut hash = Sha256::new();
        let mut portion = vec![0; PORTION];
        loop {
            let read = file.read(&mut portion)?;
            if read == 0 {
                break;
            }
            hash.update(portion.get(..read).unwrap_or_default());
        }
        Ok(hexadecimal(&hash.finalize(), ""))
    }

    /// Compares the bytes known in both contents. Returns how many there are, and the first that differs.
    fn compare(&self, other: &Self) -> io::Result<(u64, Option<u64>)> {
        let (mut one, mut two) = (File::open(&self.path)?, File::open(&other.path)?);
        let mut common = 0;
        let mut different = None;
        for run in both(&self.known, &other.known) {
            common += run.end - run.start;
            let mut at = run.start;
            one.seek(SeekFrom::Start(at))?;
            two.seek(SeekFrom::Start(at))?;
            while at < run.end && different.is_none() {
                let length = (run.end - at).min(PORTION as u64) as usize;
                let (mut left, mut right) = (vec![0; length], vec![0; length]);
                one.read_exact(&mut left)?;
                two.read_exact(&mut right)?;
                let place = left.iter().zip(&right).position(|(left, right)| left != right);
                different = place.map(|place| at + place as u64);
                at += length as u64;
            }
        }
        Ok((common, different))
    }
}

/// Adds a run to an ordered list of runs.
fn add(known: &mut Vec<Range<u64>>, run: Range<u64>) {
    let first = known.partition_point(|known| known.end < run.start);
    let last = known.partition_point(|known| known.start <= run.end);
    let mut merged = run;
    for met in known.get(first..last).unwrap_or_default() {
        merged = merged.start.min(met.start)..merged.end.max(met.end);
    }
    known.splice(first..last.max(first), [merged]);
}

/// Returns the parts that two lists of runs have in common.
fn both(one: &[Range<u64>], other: &[Range<u64>]) -> Vec<Range<u64>> {
    let (mut one, mut other) = (one.iter().peekable(), other.iter().peekable());
    let mut common = Vec::new();
    while let (Some(left), Some(right)) = (one.peek(), other.peek()) {
        let run = left.start.max(right.start)..left.end.min(right.end);
        let left_first = left.end < right.end;
        if run.start < run.end {
            common.push(run);
        }
        if left_first {
            one.next();
        } else {
            other.next();
        }
    }
    common
}

#[cfg(test)]
mod tests {
    use super::{ALL_ZEROS, Content, HiddenEscaped, ZEROS, add, both};

    const LONGEST: u64 = 1 << 36;

    fn put(content: &mut Content, offset: u64, bytes: &[u8]) {
        content.put(offset, bytes, LONGEST, true).unwrap();
    }

    #[test]
    fn runs_join_where_they_meet() {
        let mut runs = Vec::new();
        for run in [10..20, 30..40, 0..5, 20..25, 38..50, 5..10, 24..31] {
            add(&mut runs, run);
        }
        assert_eq!((runs.len(), runs.first()), (1, Some(&(0..50))));
        let mut runs = vec![0..10, 20..30];
        add(&mut runs, 12..15);
        assert_eq!(runs, [0..10, 12..15, 20..30]);
    }

    #[test]
    fn common_runs() {
        assert_eq!(both(&[0..10, 20..30], &[5..25, 40..50]), [5..10, 20..25]);
        assert_eq!(both(&[0..10, 20..30], &[10..20, 30..40]), []);
    }

    #[test]
    fn bytes_stand_at_their_places() {
        let folder = tempfile::tempdir().unwrap();
        let mut one = Content::create(folder.path(), "one".to_owned()).unwrap();
        put(&mut one, 4, b"efgh");
        put(&mut one, 10, b"kl");
        put(&mut one, 6, b"GH");
        put(&mut one, u64::MAX, b"x");
        put(&mut one, LONGEST, b"x");
        let text = std::fs::read(folder.path().join("one")).unwrap();
        assert_eq!(text, b"\0\0\0\0efGH\0\0kl");
        assert_eq!(one.known, [4..8, 10..12]);
        assert_eq!((one.holes().collect(), one.length(), one.bytes()), (vec![0..4, 8..10], 12, 6));
        assert_eq!((one.moved, one.left_out), (10, 2));
        let mut two = Content::create(folder.path(), "two".to_owned()).unwrap();
        put(&mut two, 0, b"abcdefG");
        assert_eq!(one.compare(&two).unwrap(), (3, None));
        put(&mut two, 5, b"?");
        assert_eq!(one.compare(&two).unwrap(), (3, Some(5)));
        // SHA-256 of no bytes (FIPS 180-4).
        let none = Content::create(folder.path(), "none".to_owned()).unwrap();
        assert!(none.sha256().unwrap().starts_with("e3b0c44298fc1c149afbf4c8996fb924"));
    }
    #[test]
    fn holes_are_hashed_within_bounds() {
        let folder = tempfile::tempdir().unwrap();
        let content = |name: &str, hole: u64| {
            let mut content = Content::create(folder.path(), name.to_owned()).unwrap();
            put(&mut content, hole, b"x");
            content
        };
        let mut zeros = ALL_ZEROS;
        let mut hashed = |content: &Content| content.entry(&mut zeros).unwrap().sha256.is_some();
        assert!(!hashed(&content("long", ZEROS + 1)));
        assert!(hashed(&content("short", 1 << 20)));
        assert_eq!(zeros, ALL_ZEROS - (1 << 20));
        assert!(content("none left", 2).entry(&mut 1).unwrap().sha256.is_none());
    }

    #[test]
    fn without_room_a_run_only_grows() {
        let folder = tempfile::tempdir().unwrap();
        let mut content = Content::create(folder.path(), "one".to_owned()).unwrap();
        put(&mut content, 4, b"efgh");
        assert_eq!(content.put(20, b"x", LONGEST, false).unwrap(), 0);
        assert_eq!(content.put(8, b"x", LONGEST, false).unwrap(), 1);
        assert_eq!((content.length(), content.bytes(), content.left_out), (9, 5, 1));
    }

    #[test]
    fn names_in_the_manifest_cannot_look_like_others() {
        let mut out = Vec::new();
        let names = ["gpj.\u{202e}exe\u{85}", "naïve →"];
        serde_json::to_writer(HiddenEscaped(&mut out), &names).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert_eq!(text, "[\"gpj.\\u202eexe\\u0085\",\"naïve →\"]");
    }
}
