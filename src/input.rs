//! Small files that are read whole: cases, profiles, regions, waivers, expectations.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

/// The longest of them, in bytes.
const LONGEST: u64 = 4 << 20;

/// Reads a file of at most 4 MiB.
///
/// # Errors
/// When it cannot be read, or is longer.
pub(crate) fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(LONGEST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LONGEST {
        return Err(io::Error::other("it is longer than 4 MiB"));
    }
    Ok(bytes)
}

/// Reads a text of at most 4 MiB.
///
/// # Errors
/// As [`read`], and when it is not UTF-8.
pub(crate) fn read_text(path: &Path) -> io::Result<String> {
    String::from_utf8(read(path)?)
        .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}
