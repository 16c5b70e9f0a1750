//! Files behind regions.

use crate::memory::{FileStore, FlushFailed, OpenedFile, Store};
use std::fmt;
use std::path::PathBuf;

/// Makes what stands behind regions that are to outlast the process.
pub trait Files: fmt::Debug + Send {
    /// A new store of so many bytes, all zero.
    ///
    /// # Errors
    /// Why there can be none, for people.
    fn make(&mut self, length: u64) -> Result<Box<dyn Store>, String>;
}

/// What stands behind a region whose Flushes fail.
#[derive(Debug)]
pub(super) struct FailingStore;

impl Store for FailingStore {
    fn persist(&mut self, _offset: u64, _bytes: &[u8]) -> Result<(), FlushFailed> {
        Err(FlushFailed("this store was told to accept nothing".to_owned()))
    }

    fn save(&mut self, _bytes: &[u8]) -> Result<(), FlushFailed> {
        Ok(())
    }
}

/// New files in a folder: `region-1` and so on, whichever names are free. They stay.
#[derive(Debug)]
pub struct FolderFiles {
    folder: PathBuf,
    number: u32,
}

impl FolderFiles {
    /// Files in this folder, which must be there.
    pub fn new(folder: PathBuf) -> Self {
        Self { folder, number: 0 }
    }
}

impl Files for FolderFiles {
    fn make(&mut self, length: u64) -> Result<Box<dyn Store>, String> {
        loop {
            self.number = self.number.checked_add(1).ok_or("no file name is free")?;
            let path = self.folder.join(format!("region-{}", self.number));
            if path.exists() {
                continue;
            }
            let opened = FileStore::open(&path, Some(length));
            let OpenedFile { store, .. } = opened.map_err(|error| error.to_string())?;
            return Ok(Box::new(store));
        }
    }
}
