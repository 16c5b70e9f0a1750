//! The folder `_warpscope` of a dataset: the dataset's settings, and the captures that it has.
//!
//! A capture's files are first written to a folder in it. Once they are complete, its entry goes to
//! `pending`; then they are moved to their places, and the entry to `captures`. The next run completes
//! entries left in `pending`.

use crate::cli::PartitionKey;
use crate::output::failed;
use anyhow::{Context as _, Result, bail};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use warpscope_dissector::table::CaptureTable;

/// Its name: readers of datasets ignore names that begin with `_`.
const FOLDER: &str = "_warpscope";
/// The format version of the files in it.
const VERSION: u32 = 1;
/// The prefix of the folders in it in which a capture's files wait.
const STAGING: &str = "staging-";

/// The settings of a dataset; every run must use the same.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Settings {
    version: u32,
    /// The keys of its folders, in their order.
    pub(super) partition: Vec<PartitionKey>,
    tables: Vec<String>,
}

/// A capture that a dataset has.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Entry {
    /// Its name on the command line.
    pub(super) capture: String,
    /// The SHA-256 of its bytes, in hexadecimal.
    pub(super) sha256: String,
    pub(super) host: Option<String>,
    pub(super) frames: u64,
    /// Why it was not read to its end.
    pub(super) damage: Option<String>,
    /// The number of rows of each table.
    pub(super) rows: BTreeMap<String, u64>,
    /// Its files, in the dataset's folder.
    pub(super) files: Vec<String>,
    /// The folder where they waited: each named by its index in `files`.
    pub(super) staging: String,
}

/// Returns the name of a waiting file.
pub(super) fn staged(index: usize) -> String {
    format!("{index}.parquet")
}

/// The manifest of a dataset, locked against other runs.
#[derive(Debug)]
pub(super) struct Manifest {
    folder: PathBuf,
    own: PathBuf,
    pub(super) settings: Settings,
    _lock: File,
}

impl Manifest {
    /// Opens or creates the dataset in a folder, and completes the work of a run that was killed.
    ///
    /// # Errors
    /// If the folder contains something else, another run writes to it, or its keys or tables differ from the
    /// requested ones.
    pub(super) fn open(
        folder: &Path,
        partition: Option<Vec<PartitionKey>>,
        tables: &[CaptureTable],
    ) -> Result<Self> {
        let (shown, own) = (folder.display(), folder.join(FOLDER));
        let settings = own.join("dataset.json");
        if !settings.exists() && holds_else(folder)? {
            bail!("{shown}: this folder is not empty and is not a dataset: name another");
        }
        for made in ["captures", "pending"] {
            fs::create_dir_all(own.join(made)).with_context(|| unusable(folder))?;
        }
        let lock = File::create(own.join("lock")).with_context(|| unusable(folder))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                bail!("{shown}: another run is adding to this dataset: wait until it has ended")
            }
            Err(TryLockError::Error(error)) => return Err(error).with_context(|| unusable(folder)),
        }
        let tables: Vec<String> = tables.iter().map(ToString::to_string).collect();
        let mut found = None;
        if settings.exists() {
            found = Some(read::<Settings>(&settings)?);
        }
        let known = found.is_some();
        let settings = found.unwrap_or_else(|| Settings {
            version: VERSION,
            partition: partition
                .clone()
                .unwrap_or_else(|| vec![PartitionKey::Date, PartitionKey::Host]),
            tables: match tables.is_empty() {
                true => CaptureTable::ALL.iter().map(ToString::to_string).collect(),
                false => tables.clone(),
            },
        });
        let manifest = Self { folder: folder.to_owned(), own, settings, _lock: lock };
        if !known {
            let staging = manifest.staging()?;
            put(staging.path(), &manifest.own.join("dataset.json"), &manifest.settings)?;
        }
        manifest.fits(partition, &tables)?;
        manifest.complete()?;
        Ok(manifest)
    }

    fn fits(&self, partition: Option<Vec<PartitionKey>>, tables: &[String]) -> Result<()> {
        let (shown, settings) = (self.folder.display(), &self.settings);
        if settings.version != VERSION {
            bail!(
                "{shown}: this dataset was written by another version of warpscope: name another folder"
            );
        }
        if partition.is_some_and(|asked| asked != settings.partition) {
            let keys: Vec<String> = settings.partition.iter().map(ToString::to_string).collect();
            let keys = if keys.is_empty() { "none".to_owned() } else { keys.join(",") };
            bail!(
                "{shown}: this dataset has --partition {keys}: leave it out, or name another folder"
            );
        }
        if !tables.is_empty() && tables != settings.tables {
            let tables = settings.tables.join(",");
            bail!("{shown}: this dataset has --to {tables}: leave it out, or name another folder");
        }
        Ok(())
    }

    /// Returns the tables of the dataset.
    pub(super) fn tables(&self) -> Vec<CaptureTable> {
        let has = |table: &CaptureTable| self.settings.tables.contains(&table.to_string());
        CaptureTable::ALL.into_iter().filter(has).collect()
    }

    /// Completes pending entries, and removes staging folders without one.
    fn complete(&self) -> Result<()> {
        for pending in names(&self.own.join("pending")).with_context(|| unusable(&self.folder))? {
            self.settle(&pending)?;
        }
        let own = names(&self.own).with_context(|| unusable(&self.folder))?;
        for left in own.iter().filter(|name| name.starts_with(STAGING)) {
            fs::remove_dir_all(self.own.join(left)).with_context(|| unusable(&self.folder))?;
        }
        Ok(())
    }

    /// Whether the dataset has a capture with that hash.
    pub(super) fn has(&self, sha256: &str) -> bool {
        self.own.join("captures").join(format!("{sha256}.json")).exists()
    }

    /// Creates a folder in which the files of a capture wait.
    pub(super) fn staging(&self) -> Result<TempDir> {
        let made = tempfile::Builder::new().prefix(STAGING).tempdir_in(&self.own);
        made.with_context(|| unusable(&self.folder))
    }

    /// Adds a capture whose files are complete.
    pub(super) fn add(&self, mut entry: Entry, staging: TempDir) -> Result<()> {
        let name = staging.path().file_name().unwrap_or_default();
        entry.staging = name.to_string_lossy().into_owned();
        let pending = format!("{}.json", entry.sha256);
        put(staging.path(), &self.own.join("pending").join(&pending), &entry)?;
        // From here on the next run completes it.
        let _ = staging.keep();
        self.settle(&pending)
    }

    /// Moves the files of a pending entry to their places, and removes the files that it had before.
    fn settle(&self, name: &str) -> Result<()> {
        let (pending, settled) =
            (self.own.join("pending").join(name), self.own.join("captures").join(name));
        let entry: Entry = read(&pending)?;
        let staging = self.own.join(&entry.staging);
        let lost = entry.files.iter().enumerate().find(|(index, file)| {
            !staging.join(staged(*index)).exists() && !self.folder.join(file).exists()
        });
        if let Some((_, file)) = lost {
            fs::remove_file(&pending).with_context(|| unusable(&self.folder))?;
            let (file, capture) = (self.folder.join(file), &entry.capture);
            bail!("{}: the file is missing, so {capture} was not added: run again", file.display());
        }
        for (index, file) in entry.files.iter().enumerate() {
            let (from, to) = (staging.join(staged(index)), self.folder.join(file));
            let moved = to.parent().map_or(Ok(()), fs::create_dir_all);
            match moved.and_then(|()| fs::rename(&from, &to)) {
                // A previous run already moved it.
                Err(error) if error.kind() == io::ErrorKind::NotFound && to.exists() => {}
                moved => moved.map_err(|error| failed(&to, error))?,
            }
        }
        if settled.exists() {
            let before: Entry = read(&settled)?;
            for file in before.files.iter().filter(|file| !entry.files.contains(file)) {
                let file = self.folder.join(file);
                match fs::remove_file(&file) {
                    Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                    removed => removed.map_err(|error| failed(&file, error))?,
                }
            }
        }
        fs::rename(&pending, &settled).map_err(|error| failed(&settled, error))?;
        fs::remove_dir_all(&staging).with_context(|| unusable(&self.folder))
    }
}

fn unusable(folder: &Path) -> String {
    format!("{}: cannot use the folder: check its path and permissions", folder.display())
}

/// Whether a folder contains anything other than our own files.
fn holds_else(folder: &Path) -> Result<bool> {
    match names(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        names => Ok(names.with_context(|| unusable(folder))?.iter().any(|name| name != FOLDER)),
    }
}

fn names(folder: &Path) -> io::Result<Vec<String>> {
    let name =
        |entry: io::Result<fs::DirEntry>| Ok(entry?.file_name().to_string_lossy().into_owned());
    fs::read_dir(folder)?.map(name).collect()
}

fn read<T: DeserializeOwned>(path: &Path) -> Result<T> {
    let text = fs::read(path).with_context(|| format!("{}: cannot read it", path.display()))?;
    let read = serde_json::from_slice(&text);
    read.with_context(|| format!("{}: the manifest of the dataset is damaged", path.display()))
}

/// Writes an object to a file, completely or not at all.
fn put(staging: &Path, path: &Path, value: &impl Serialize) -> Result<()> {
    let written = || -> io::Result<()> {
        let waiting = staging.join("object.json");
        let file = File::create(&waiting)?;
        serde_json::to_writer_pretty(&file, value)?;
        file.sync_data()?;
        fs::rename(waiting, path)
    };
    Ok(written().map_err(|error| failed(path, error))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(host: &str) -> Entry {
        Entry {
            capture: "x.pcap".to_owned(),
            sha256: "0123".to_owned(),
            host: Some(host.to_owned()),
            frames: 1,
            damage: None,
            rows: BTreeMap::new(),
            files: ["a", "b"].map(|table| format!("{table}/host={host}/0123.parquet")).into(),
            staging: String::new(),
        }
    }

    fn open(folder: &Path) -> Result<Manifest> {
        Manifest::open(folder, None, &[])
    }

    fn filled(manifest: &Manifest) -> TempDir {
        let staging = manifest.staging().unwrap();
        for index in 0..2 {
            fs::write(staging.path().join(staged(index)), index.to_string()).unwrap();
        }
        staging
    }

    #[test]
    fn what_was_begun_is_completed_from_every_point() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for (host, moved) in [("none", 0), ("one", 1), ("both", 2)] {
            let manifest = open(folder.path()).unwrap();
            let (orphan, staging) = (filled(&manifest).keep(), filled(&manifest).keep());
            let mut entry = entry(host);
            entry.staging = staging.file_name().unwrap().to_string_lossy().into_owned();
            put(&orphan, &manifest.own.join("pending/0123.json"), &entry).unwrap();
            for (index, file) in entry.files.iter().enumerate().take(moved) {
                fs::create_dir_all(at(file).parent().unwrap()).unwrap();
                fs::rename(staging.join(staged(index)), at(file)).unwrap();
            }
            // Here the run was killed.
            drop(manifest);
            let manifest = open(folder.path()).unwrap();
            assert!(manifest.has("0123") && !orphan.exists() && !staging.exists());
            for (index, file) in entry.files.iter().enumerate() {
                assert_eq!(fs::read_to_string(at(file)).unwrap(), index.to_string());
            }
            // The files of the entry before gave way.
            let mut hosts = names(&at("a")).unwrap();
            hosts.retain(|host| !names(&at("a").join(host)).unwrap().is_empty());
            assert_eq!(hosts, [format!("host={host}")]);
        }
    }

    #[test]
    fn one_run_at_a_time_and_only_where_there_was_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let manifest = open(folder.path()).unwrap();
        let refused = open(folder.path()).unwrap_err().to_string();
        assert!(refused.contains("another run is adding to this dataset"), "{refused}");
        // A run that was killed before the dataset was described.
        fs::remove_file(manifest.own.join("dataset.json")).unwrap();
        drop(manifest);
        let manifest = open(folder.path()).unwrap();
        // What is staged and lost is not taken for added.
        let staging = filled(&manifest);
        fs::remove_file(staging.path().join(staged(1))).unwrap();
        let lost = manifest.add(entry("x"), staging).unwrap_err().to_string();
        assert!(lost.contains("b/host=x/0123.parquet: the file is missing, so x.pcap"), "{lost}");
        assert!(!manifest.has("0123"));
        drop(manifest);
        open(folder.path()).unwrap();
    }
}
