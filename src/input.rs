//! Opens captures.

use std::path::Path;
use warpscope_dissector::capture::{CaptureError, CaptureReader};

/// Opens the capture, or standard input for `-`; says how many octets are to be read, where that
/// is known.
pub(crate) fn open(path: &Path) -> Result<(CaptureReader, Option<u64>), CaptureError> {
    if path.as_os_str() == "-" {
        return CaptureReader::from_reader(std::io::stdin(), "standard input")
            .map(|reader| (reader, None));
    }
    let octets = std::fs::metadata(path).ok().map(|metadata| metadata.len());
    let reader = CaptureReader::open(path)?;
    let octets = octets.filter(|_| reader.decompressor().is_none());
    Ok((reader, octets))
}
