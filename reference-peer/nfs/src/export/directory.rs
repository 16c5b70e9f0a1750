//! The entries of a directory, with cookies that the file system itself gives: they survive changes as
//! far as it lets them.

use super::object::Object;
use crate::Status;
use rustix::fs::{OFlags, RawDir, SeekFrom, seek};

/// Bytes that are read from a directory at once.
const BUFFER: usize = 32 * 1024;

/// A name in a directory.
#[derive(Debug)]
pub(crate) struct Entry<'a> {
    pub(crate) name: &'a [u8],
    pub(crate) file_id: u64,
    /// Where to go on behind it.
    pub(crate) cookie: u64,
}

/// Goes over the entries behind a cookie (0: all) until `take` wants no more; true when the end was
/// reached.
pub(crate) fn entries(
    directory: &Object,
    cookie: u64,
    take: &mut dyn FnMut(&Entry<'_>) -> bool,
) -> Result<bool, Status> {
    let opened = directory.reopen(OFlags::RDONLY | OFlags::DIRECTORY)?;
    if cookie != 0 {
        if i64::try_from(cookie).is_err() {
            return Err(Status::BAD_COOKIE);
        }
        seek(&opened, SeekFrom::Start(cookie)).map_err(|_| Status::BAD_COOKIE)?;
    }
    let mut buffer = Vec::with_capacity(BUFFER);
    let mut raw = RawDir::new(&opened, buffer.spare_capacity_mut());
    while let Some(entry) = raw.next() {
        let entry = entry?;
        let (name, cookie) = (entry.file_name().to_bytes(), entry.next_entry_cookie());
        if !take(&Entry { name, file_id: entry.ino(), cookie }) {
            return Ok(false);
        }
    }
    Ok(true)
}
