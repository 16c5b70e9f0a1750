//! The content of a file as far as it is known: bytes at their places, and which places those are.

use sha2::{Digest as _, Sha256};
use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Bytes from here on are not kept: a file on disk would have to be as long.
const LONGEST: u64 = 1 << 36;
/// The most runs of known bytes; what would make another is not kept.
const RUNS: usize = 1 << 16;
/// Bytes that are read at once.
const PORTION: usize = 1 << 18;

/// What is known of a file.
#[derive(Debug)]
pub(super) struct Content {
    /// The name of the file that holds it, in its folder.
    pub(super) name: String,
    path: PathBuf,
    /// Runs of known bytes, in order, with holes between them.
    pub(super) known: Vec<Range<u64>>,
    /// Bytes that went over the wire.
    pub(super) moved: u64,
    /// Bytes that are not kept.
    pub(super) left_out: u64,
}

impl Content {
    /// An empty file of that name in a folder; there must be none yet.
    pub(super) fn create(folder: &Path, name: String) -> io::Result<Self> {
        let path = folder.join(&name);
        OpenOptions::new().write(true).create_new(true).open(&path)?;
        Ok(Self { name, path, known: Vec::new(), moved: 0, left_out: 0 })
    }

    /// Puts bytes at their place; what was there before gives way.
    pub(super) fn put(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        let length = bytes.len() as u64;
        self.moved += length;
        let end = offset.checked_add(length).filter(|end| *end <= LONGEST);
        let Some(end) = end.filter(|end| self.takes(offset..*end)) else {
            self.left_out += length;
            return Ok(());
        };
        if length > 0 {
            let mut file = OpenOptions::new().write(true).open(&self.path)?;
            file.seek(SeekFrom::Start(offset))?;
            file.write_all(bytes)?;
            add(&mut self.known, offset..end);
        }
        Ok(())
    }

    /// Whether a run may be added: there is room for one, or it meets one that is there.
    fn takes(&self, run: Range<u64>) -> bool {
        self.known.len() < RUNS
            || self.known.iter().any(|known| known.start <= run.end && run.start <= known.end)
    }

    /// Bytes of the file, holes counted.
    pub(super) fn length(&self) -> u64 {
        self.known.last().map_or(0, |run| run.end)
    }

    /// Bytes that are known.
    pub(super) fn bytes(&self) -> u64 {
        self.known.iter().map(|run| run.end - run.start).sum()
    }

    /// The places of which nothing is known, up to the last known byte.
    pub(super) fn holes(&self) -> Vec<Range<u64>> {
        let mut at = 0;
        let mut holes = Vec::new();
        for run in &self.known {
            if run.start > at {
                holes.push(at..run.start);
            }
            at = run.end;
        }
        holes
    }

    /// SHA-256 of the file, holes as zeros, in hexadecimal.
    pub(super) fn sha256(&self) -> io::Result<String> {
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
        use std::fmt::Write as _;
        let mut text = String::new();
        for byte in hash.finalize() {
            let _ = write!(text, "{byte:02x}");
        }
        Ok(text)
    }

    /// Compares the bytes that two contents know both: how many there are, and the first that differs.
    pub(super) fn compare(&self, other: &Self) -> io::Result<(u64, Option<u64>)> {
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

/// Adds a run to runs in order.
fn add(known: &mut Vec<Range<u64>>, run: Range<u64>) {
    let first = known.partition_point(|known| known.end < run.start);
    let last = known.partition_point(|known| known.start <= run.end);
    let mut merged = run;
    for met in known.get(first..last).unwrap_or_default() {
        merged = merged.start.min(met.start)..merged.end.max(met.end);
    }
    known.splice(first..last.max(first), [merged]);
}

/// The runs that two lists of runs have in common.
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
    use super::{Content, LONGEST, add, both};

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
        one.put(4, b"efgh").unwrap();
        one.put(10, b"kl").unwrap();
        one.put(6, b"GH").unwrap();
        one.put(u64::MAX, b"x").unwrap();
        one.put(LONGEST, b"x").unwrap();
        let text = std::fs::read(folder.path().join("one")).unwrap();
        assert_eq!(text, b"\0\0\0\0efGH\0\0kl");
        assert_eq!(one.known, [4..8, 10..12]);
        assert_eq!((one.holes(), one.length(), one.bytes()), (vec![0..4, 8..10], 12, 6));
        assert_eq!((one.moved, one.left_out), (10, 2));
        let mut two = Content::create(folder.path(), "two".to_owned()).unwrap();
        two.put(0, b"abcdefG").unwrap();
        assert_eq!(one.compare(&two).unwrap(), (3, None));
        two.put(5, b"?").unwrap();
        assert_eq!(one.compare(&two).unwrap(), (3, Some(5)));
        // SHA-256 of no bytes (FIPS 180-4).
        let none = Content::create(folder.path(), "none".to_owned()).unwrap();
        assert!(none.sha256().unwrap().starts_with("e3b0c44298fc1c149afbf4c8996fb924"));
    }
}
