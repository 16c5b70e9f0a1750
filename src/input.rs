//! Small files that are read into memory: cases, profiles, regions, waivers, expectations.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

/// The largest size of such a file, in bytes.
const LONGEST: u64 = 4 << 20;
/// The largest size of a run's report, in bytes.
const LONGEST_REPORT: u64 = 256 << 20;

/// Reads a file of at most `longest` bytes, which is a few MiB.
///
/// # Errors
/// If it cannot be read, or is longer.
fn read_most(path: &Path, longest: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(longest + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > longest {
        return Err(io::Error::other(format!("it is longer than {} MiB", longest >> 20)));
    }
    Ok(bytes)
}

/// Reads a file of at most 4 MiB.
///
/// # Errors
/// If it cannot be read, or is longer.
pub(crate) fn read(path: &Path) -> io::Result<Vec<u8>> {
    read_most(path, LONGEST)
}

/// Reads a text file of at most 4 MiB.
///
/// # Errors
/// As [`read`], and if it is not UTF-8.
pub(crate) fn read_text(path: &Path) -> io::Result<String> {
    utf8(read(path)?)
}

/// Reads the report of a run, of at most 256 MiB.
///
/// # Errors
/// As [`read_text`].
pub(crate) fn read_report(path: &Path) -> io::Result<String> {
    utf8(read_most(path, LONGEST_REPORT)?)
}

fn utf8(bytes: Vec<u8>) -> io::Result<String> {
    String::from_utf8(bytes).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}
