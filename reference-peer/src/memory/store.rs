//! Persistent stores behind regions.

use sha2::{Digest, Sha256};
use std::fs::{File, OpenOptions, TryLockError};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::{fmt, io};
use warpscope_wire::crc;

/// A store for bytes that must outlast the process. The caller does the input and output.
pub trait Store: fmt::Debug + Send {
    /// Makes `bytes`, which begin `offset` bytes after the region's start, persistent before it
    /// returns.
    ///
    /// # Errors
    /// [`FlushFailed`] when they may not be persistent.
    fn persist(&mut self, offset: u64, bytes: &[u8]) -> Result<(), FlushFailed>;

    /// Saves all bytes of the region, flushed or not, when it is closed normally.
    ///
    /// # Errors
    /// [`FlushFailed`] when they may not be persistent.
    fn save(&mut self, bytes: &[u8]) -> Result<(), FlushFailed> {
        self.persist(0, bytes)
    }

    /// Reads the stored contents into `bytes`, the region's bytes: what would be found after a crash.
    ///
    /// # Errors
    /// [`FlushFailed`] when it cannot be read back.
    fn recall(&mut self, bytes: &mut [u8]) -> Result<(), FlushFailed> {
        let _ = bytes;
        Err(FlushFailed("what is stored cannot be read back".to_owned()))
    }
}

/// A flush that did not reach the requested disposition (rdma-commit section 3.1.1.2), with the reason.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the bytes could not be made persistent: {0}")]
pub struct FlushFailed(pub String);

// A file behind a region. The region's bytes are in ordinary memory, and positioned writes copy them to
// the file. It is not mapped: a mapping needs `unsafe`, because another process may change or shorten
// the file at any time, and the system writes its pages at any time. Here only a flush changes the file
// until the region is closed normally, so that after a crash the file holds what was flushed.

/// A file to which a region's flushes write. It is locked against a second store.
#[derive(Debug)]
pub struct FileStore {
    path: PathBuf,
    file: File,
    /// Why it accepts no more bytes. A system that failed to write may forget the failure, and report
    /// the next synchronisation as a success.
    failure: Option<FlushFailed>,
}

/// A file that was opened.
#[derive(Debug)]
pub struct OpenedFile {
    /// The store.
    pub store: FileStore,
    /// The contents of the file, with the length of the region.
    pub bytes: Vec<u8>,
    /// Whether the file was empty before; the bytes are zero then.
    pub made: bool,
}

/// Why a file cannot be used for a region.
#[derive(Debug, thiserror::Error)]
pub enum FileStoreError {
    /// A system call failed.
    #[error("{path}: cannot {doing}: {cause}")]
    System {
        /// The file.
        path: PathBuf,
        /// The action that failed.
        doing: &'static str,
        /// The error of the system.
        cause: io::Error,
    },
    /// It is a folder, a device or a pipe.
    #[error("{0} is not an ordinary file")]
    NotFile(PathBuf),
    /// A second store uses it, here or in another process.
    #[error("{0} is in use by another region: each region needs its own file")]
    InUse(PathBuf),
    /// The file is longer than the region, so its rest could not be reached.
    #[error("{path} holds {holds} bytes, but the region only {length}: make the region that large")]
    TooLong {
        /// The file.
        path: PathBuf,
        /// Its length in bytes.
        holds: u64,
        /// The region's length in bytes.
        length: u64,
    },
    /// The region takes its length from the file, and that is 0.
    #[error("{0} is new or empty: set the size of the region")]
    NoLength(PathBuf),
    /// There is not enough memory for the bytes.
    #[error("{path}: no memory for {length} bytes")]
    NoMemory {
        /// The file.
        path: PathBuf,
        /// The region's length in bytes.
        length: u64,
    },
}

impl FileStore {
    /// Opens a file, or creates it, and reads its contents. A file that is shorter than `length` is
    /// lengthened with zeros. Without `length`, the region is as long as the file.
    ///
    /// A file that was created or lengthened exists after a crash, with its new length.
    ///
    /// # Errors
    /// [`FileStoreError`].
    pub fn open(path: &Path, length: Option<u64>) -> Result<OpenedFile, FileStoreError> {
        let at = || path.to_owned();
        let system =
            |doing| move |cause| FileStoreError::System { path: path.to_owned(), doing, cause };
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let file = options.open(path).map_err(system("open it"))?;
        let metadata = file.metadata().map_err(system("examine it"))?;
        if !metadata.is_file() {
            return Err(FileStoreError::NotFile(at()));
        }
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(FileStoreError::InUse(at())),
            Err(TryLockError::Error(cause)) => return Err(system("lock it")(cause)),
        }
        let holds = metadata.len();
        let length = length.unwrap_or(holds);
        if length == 0 {
            return Err(FileStoreError::NoLength(at()));
        }
        if holds > length {
            return Err(FileStoreError::TooLong { path: at(), holds, length });
        }
        let mut bytes = zeros(length)
            .ok_or_else(|| FileStoreError::NoMemory { path: path.to_owned(), length })?;
        if holds < length {
            file.set_len(length).map_err(system("lengthen it"))?;
            file.sync_all().map_err(system("synchronise it"))?;
            synchronise_folder(path).map_err(system("synchronise its folder"))?;
        }
        file.read_exact_at(&mut bytes, 0).map_err(system("read it"))?;
        let store = Self { path: at(), file, failure: None };
        Ok(OpenedFile { store, bytes, made: holds == 0 })
    }
}

impl Store for FileStore {
    fn persist(&mut self, offset: u64, bytes: &[u8]) -> Result<(), FlushFailed> {
        if let Some(failure) = &self.failure {
            return Err(failure.clone());
        }
        let written = self.file.write_all_at(bytes, offset).and_then(|()| self.file.sync_data());
        written.map_err(|cause| {
            let failure = FlushFailed(format!("{}: {cause}", self.path.display()));
            self.failure = Some(failure.clone());
            failure
        })
    }

    fn recall(&mut self, bytes: &mut [u8]) -> Result<(), FlushFailed> {
        let read = self.file.read_exact_at(bytes, 0);
        read.map_err(|cause| FlushFailed(format!("{}: {cause}", self.path.display())))
    }
}

/// Returns this number of zero bytes, if there is enough memory.
pub(super) fn zeros(length: u64) -> Option<Vec<u8>> {
    let length = usize::try_from(length).ok()?;
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(length).ok()?;
    bytes.resize(length, 0);
    Some(bytes)
}

/// Synchronises a new file's folder: the file's name is an entry there, which must be persistent too.
fn synchronise_folder(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}

// The hashes of a Verify: an upper layer chooses, a region stores the choice (rdma-commit section 3.1.2).

/// A hash algorithm by name. The draft leaves algorithms and lengths to the upper layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum HashAlgorithm {
    /// CRC-32C; its four bytes are big-endian.
    #[default]
    Crc32c,
    /// SHA-256; 32 bytes.
    Sha256,
    /// BLAKE3 in its plain mode; 32 bytes.
    Blake3,
}

impl HashAlgorithm {
    /// All algorithms.
    pub const ALL: [Self; 3] = [Self::Crc32c, Self::Sha256, Self::Blake3];

    /// Returns the name on the command line: `crc32c`, `sha256`, `blake3`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Crc32c => "crc32c",
            Self::Sha256 => "sha256",
            Self::Blake3 => "blake3",
        }
    }

    /// Returns the hash of `bytes`.
    pub fn hash(self, bytes: &[u8]) -> Vec<u8> {
        match self {
            Self::Crc32c => crc::crc32c(bytes).to_be_bytes().to_vec(),
            Self::Sha256 => Sha256::digest(bytes).to_vec(),
            Self::Blake3 => blake3::hash(bytes).as_bytes().to_vec(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{HashAlgorithm, *};
    use crate::memory::{Accessor, Memory, MemoryError, Registration, Rights};
    use std::fs;

    const HERE: Accessor = Accessor { stream: 1, protection_domain: 1 };

    /// A path in a folder of this process, with nothing there.
    fn path(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("warpscope-file-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join(name);
        let _ = fs::remove_file(&path);
        path
    }

    #[test]
    fn only_what_is_flushed_is_in_the_file_until_the_region_is_closed() {
        let path = path("flushed");
        let OpenedFile { store, bytes, made } = FileStore::open(&path, Some(64)).unwrap();
        assert!(made && bytes == [0; 64]);
        assert_eq!(fs::read(&path).unwrap(), [0; 64]);
        let mut memory = Memory::new(|| 0x1234_5600);
        let registration = Registration::shared(1, Rights::ALL);
        let tag = memory.register_stored(bytes, Box::new(store), registration).unwrap();
        memory.bytes_mut(tag).unwrap().fill(7);
        assert_eq!(fs::read(&path).unwrap(), [0; 64]);
        let place = memory.check(HERE, tag, 8, 4, Rights::FLUSH_PERSISTENT).unwrap();
        memory.persist(place).unwrap();
        let mut flushed = [0; 64];
        flushed[8..12].fill(7);
        assert_eq!(fs::read(&path).unwrap(), flushed);
        memory.recall(tag).unwrap();
        assert_eq!(memory.bytes(tag), Some(&flushed[..]));
        memory.bytes_mut(tag).unwrap().fill(9);
        memory.deregister(tag).unwrap();
        assert_eq!(fs::read(&path).unwrap(), [9; 64]);
        fs::remove_file(&path).unwrap();
    }

    #[test]
    fn a_file_is_taken_as_it_is() {
        let path = path("taken");
        fs::write(&path, b"wire").unwrap();
        let opened = FileStore::open(&path, None).unwrap();
        assert!(!opened.made && opened.bytes == b"wire");
        let second = FileStore::open(&path, None);
        assert!(matches!(second, Err(FileStoreError::InUse(named)) if named == path));
        drop(opened);
        let opened = FileStore::open(&path, Some(6)).unwrap();
        assert!(!opened.made && opened.bytes == b"wire\0\0");
        drop(opened);
        assert_eq!(fs::read(&path).unwrap(), b"wire\0\0");
        let error = FileStore::open(&path, Some(5)).unwrap_err().to_string();
        assert!(error.contains("holds 6 bytes") && error.contains("taken"), "{error}");
        assert_eq!(fs::read(&path).unwrap(), b"wire\0\0");
        fs::remove_file(&path).unwrap();
        let error = FileStore::open(&path, None).unwrap_err();
        assert!(matches!(error, FileStoreError::NoLength(_)));
        fs::remove_file(&path).unwrap();
        let folder = path.parent().unwrap();
        let error = FileStore::open(folder, Some(8)).unwrap_err().to_string();
        assert!(error.starts_with(&format!("{}: cannot open it", folder.display())), "{error}");
        let error = FileStore::open(Path::new("/dev/null"), Some(8)).unwrap_err();
        assert!(matches!(error, FileStoreError::NotFile(_)));
    }

    /// What failed once does not succeed later, and the reason names the file.
    #[test]
    fn a_store_that_failed_fails_for_good() {
        let path = path("failing");
        fs::write(&path, [1; 16]).unwrap();
        let store =
            FileStore { path: path.clone(), file: File::open(&path).unwrap(), failure: None };
        let mut memory = Memory::new(|| 0x1234_5600);
        let registration = Registration::shared(1, Rights::ALL);
        let tag = memory.register_stored(vec![2; 16], Box::new(store), registration).unwrap();
        let place = memory.check(HERE, tag, 0, 4, Rights::FLUSH_PERSISTENT).unwrap();
        let failure = memory.persist(place).unwrap_err();
        assert!(failure.0.starts_with(&path.display().to_string()), "{failure}");
        assert_eq!(memory.flush_failure(), Some(failure.clone()));
        assert_eq!(memory.flush_failure(), None);
        assert_eq!(memory.save(), Err(failure.clone()));
        let refused = memory.deregister(tag);
        assert!(matches!(refused, Err(MemoryError::NotSaved(cause)) if cause == failure));
        assert_eq!(memory.bytes(tag), Some(&[2; 16][..]));
        assert_eq!(fs::read(&path).unwrap(), [1; 16]);
        fs::remove_file(&path).unwrap();
    }

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// The check value of CRC-32C, FIPS 180-2 appendix B.1, and BLAKE3's published hash of nothing.
    #[test]
    fn known_hashes() {
        let [crc32c, sha256, blake3] = HashAlgorithm::ALL;
        assert_eq!(hex(&crc32c.hash(b"123456789")), "e3069283");
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(hex(&sha256.hash(b"abc")), abc);
        let nothing = "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262";
        assert_eq!(hex(&blake3.hash(b"")), nothing);
    }
}
