//! Capture files of every format, byte order, resolution and compression: whole, cut and damaged.

mod damage;
mod files;
mod formats;

use crate::prelude::*;
use warpscope_dissector::capture::Interface;

/// Reads a file to its end; what came before an error stays.
pub fn read(file: &[u8]) -> (Vec<Frame<'static>>, Vec<Interface>, Option<CaptureError>) {
    let mut reader = match CaptureReader::from_reader(Cursor::new(file.to_vec()), "made here") {
        Ok(reader) => reader,
        Err(error) => return (Vec::new(), Vec::new(), Some(error)),
    };
    let mut seen = Vec::new();
    loop {
        match reader.next_frame() {
            Ok(Some(frame)) => seen.push(lasting(frame)),
            Ok(None) => return (seen, reader.interfaces().to_vec(), None),
            Err(error) => {
                assert!(matches!(reader.next_frame(), Ok(None)), "an error ends the reading");
                assert_eq!(error.frames_read(), seen.len() as u64);
                return (seen, reader.interfaces().to_vec(), Some(error));
            }
        }
    }
}
