//! Opens captures.

use std::path::Path;
use warpscope_dissector::capture::{CaptureError, CaptureReader};

/// Opens the capture, or standard input for `-`; says how many bytes are to be read, where that
/// is known.
pub(crate) fn open(path: &Path) -> Result<(CaptureReader, Option<u64>), CaptureError> {
    if path.as_os_str() == "-" {
        return CaptureReader::from_reader(std::io::stdin(), "standard input")
            .map(|reader| (reader, None));
    }
    let bytes = std::fs::metadata(path).ok().map(|metadata| metadata.len());
    let reader = CaptureReader::open(path)?;
    let bytes = bytes.filter(|_| reader.decompressor().is_none());
    Ok((reader, bytes))
}
