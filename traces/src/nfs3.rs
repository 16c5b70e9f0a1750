//! Arguments and results of NFS version 3 in XDR (RFC 1813 section 3.3), all about one file.

use crate::noise::Noise;

/// GETATTR's procedure number.
pub const GETATTR: u32 = 1;
/// READ's procedure number.
pub const READ: u32 = 6;
/// WRITE's procedure number.
pub const WRITE: u32 = 7;

/// Bytes of WRITE's arguments in front of the data.
pub const BEFORE_WRITTEN: usize = 56;
/// Bytes of READ's results in front of the data.
pub const BEFORE_READ: usize = 20;

const HANDLE_LENGTH: usize = 32;
const REGULAR_FILE: u32 = 1;
const FILE_LENGTH: u32 = 1 << 20;
const FILE_SYNC: u32 = 2;
/// 2026-01-01 00:00:00 UTC.
const CHANGED: u32 = 1_767_225_600;

fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_be_bytes()).collect()
}

/// The file's handle behind its length.
fn handle() -> Vec<u8> {
    [words(&[HANDLE_LENGTH as u32]), Noise::new(0x1813).bytes(HANDLE_LENGTH)].concat()
}

/// Arguments of GETATTR: 36 bytes.
pub fn getattr() -> Vec<u8> {
    handle()
}

/// Results of GETATTR: 88 bytes.
pub fn getattr_results() -> Vec<u8> {
    words(&[
        0, // NFS3_OK
        REGULAR_FILE,
        0o644,
        1, // links
        1000,
        1000,
        0,
        FILE_LENGTH,
        0,
        FILE_LENGTH, // used
        0,
        0, // no device
        0,
        1, // file system
        0,
        42, // number of the file
        CHANGED,
        0,
        CHANGED,
        0,
        CHANGED,
        0,
    ])
}

/// Arguments of READ: so many bytes from the file's beginning.
pub fn read(count: u32) -> Vec<u8> {
    [handle(), words(&[0, 0, count])].concat()
}

/// Results of READ without attributes, up to and with the length of the data.
pub fn read_results(count: u32) -> Vec<u8> {
    words(&[0, 0, count, 0, count])
}

/// Arguments of WRITE, up to and with the length of the data.
pub fn write(count: u32) -> Vec<u8> {
    [handle(), words(&[0, 0, count, FILE_SYNC, count])].concat()
}

/// Results of WRITE without attributes: 28 bytes.
pub fn write_results(count: u32) -> Vec<u8> {
    words(&[0, 0, 0, count, FILE_SYNC, 0x5eed, 0x5eed])
}
