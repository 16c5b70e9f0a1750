//! Small files that are read whole: cases, profiles, regions, waivers, expectations.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

/// The longest of them, in bytes.
const LONGEST: u64 = 4 << 20;
/// The longest report of a run.
const LONGEST_REPORT: u64 = 256 << 20;

/// Reads a file of at most so many bytes, of which there are some MiB.
///
/// # Errors
/// When it cannot be read, or is longer.
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
/// When it cannot be read, or is longer.
pub(crate) fn read(path: &Path) -> io::Result<Vec<u8>> {
    read_most(path, LONGEST)
}

/// Reads a text of at most 4 MiB.
///
/// # Errors
/// As [`read`], and when it is not UTF-8.
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
