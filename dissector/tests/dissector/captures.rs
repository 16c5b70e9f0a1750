//! Capture files of every format, byte order, resolution and compression: whole, cut and damaged.

mod damage;
mod files;
mod formats;

use std::io::Cursor;
use warpscope_dissector::capture::{CaptureError, CaptureReader, Interface};

/// What was read of a frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    pub number: u64,
    pub interface: u32,
    pub time: Option<i64>,
    pub link_type: u32,
    pub bytes: Vec<u8>,
    pub original_length: u32,
}

/// Reads a file to its end; what came before an error stays.
pub fn read(file: &[u8]) -> (Vec<Seen>, Vec<Interface>, Option<CaptureError>) {
    let mut reader = match CaptureReader::from_reader(Cursor::new(file.to_vec()), "made here") {
        Ok(reader) => reader,
        Err(error) => return (Vec::new(), Vec::new(), Some(error)),
    };
    let mut seen = Vec::new();
    loop {
        match reader.next_frame() {
            Ok(Some(frame)) => seen.push(Seen {
                number: frame.number,
                interface: frame.interface,
                time: frame.time,
                link_type: frame.link_type.0,
                bytes: frame.bytes.to_vec(),
                original_length: frame.original_length,
            }),
            Ok(None) => return (seen, reader.interfaces().to_vec(), None),
            Err(error) => {
                assert!(matches!(reader.next_frame(), Ok(None)), "an error ends the reading");
                assert_eq!(error.frames_read(), seen.len() as u64);
                return (seen, reader.interfaces().to_vec(), Some(error));
            }
        }
    }
}
