//! The names of several files, and which are kept: as dumpcap does it.

use chrono::{DateTime, Local};
use std::collections::VecDeque;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Numbers in names begin again after this one.
const HIGHEST_NUMBER: u64 = 99_999;

/// The files written so far.
#[derive(Debug, Default)]
pub(super) struct Ring {
    written: u64,
    kept: VecDeque<PathBuf>,
}

impl Ring {
    /// How many files were begun.
    pub(super) fn written(&self) -> u64 {
        self.written
    }

    /// The name of the next file, and the one that has to go so that no more than `files` are kept.
    pub(super) fn next(
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
            // Nobody asks for the names.
            None => self.kept.len() > 1,
        };
        let gone = if too_many { self.kept.pop_front() } else { None };
        let gone = gone.filter(|gone| files.is_some() && *gone != name);
        (name, gone)
    }
}

/// `-w FILE.SUFFIX`'s name with number and time: `FILE_00001_20260102030405.SUFFIX`.
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
