//! Files behind regions.

use crate::memory::{FileStore, FlushFailed, OpenedFile, Store};
use std::fmt;
use std::path::PathBuf;

/// Creates the stores of regions that are to outlast the process.
pub trait Files: fmt::Debug + Send {
    /// Creates a new store of `length` bytes, all zero.
    ///
    /// # Errors
    /// Why none could be created, as text for people.
    fn make(&mut self, length: u64) -> Result<Box<dyn Store>, String>;
}

/// The store of a region whose Flushes fail.
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

/// Creates files in a folder: `region-1` and so on, with names that are free. They are not deleted.
#[derive(Debug)]
pub struct FolderFiles {
    folder: PathBuf,
    number: u32,
}

impl FolderFiles {
    /// Creates files in this folder, which must exist.
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
