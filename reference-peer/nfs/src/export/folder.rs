//! The exported folder, and how handles lead to objects.

use super::object::Object;
use crate::Status;
use rustix::fs::{CWD, Mode, OFlags, RawDir, SeekFrom, openat, seek};
use rustix::io::Errno;
use sha2::{Digest, Sha256};
use std::collections::{HashMap, VecDeque};
use std::path::Path;

/// The longest name in bytes.
pub(crate) const LONGEST_NAME: u32 = 255;
/// The maximum number of hard links that is announced.
pub(crate) const LINK_MAXIMUM: u32 = 32_000;
/// The verifier of cookies. It never changes: cookies stay valid whatever happens to the directory, as far as
/// the file system keeps them.
pub(crate) const COOKIES: [u8; 8] = [0; 8];
/// The greatest directory depth that is reached.
const DEEPEST: usize = 512;
/// The most objects that a search examines.
const MOST_SEARCHED: usize = 1 << 20;

/// How a folder is exported.
#[derive(Debug, Clone)]
pub struct ExportOptions {
    /// Whether all changes are refused with NFS3ERR_ROFS.
    pub read_only: bool,
    /// The key that proves that a handle is from this server. With the same key, handles stay valid when the
    /// server restarts. It should be random and secret.
    pub key: [u8; 32],
    /// The verifier of WRITE and COMMIT. It must change with each start, because data that was not committed
    /// may be lost then (RFC 1813 section 4.8).
    pub write_verifier: [u8; 8],
    /// The most bytes of file data in one READ or WRITE.
    pub most_data: u32,
}

impl Default for ExportOptions {
    /// Writable, 1 MiB of data; key and verifier are zeros, suitable only for tests.
    fn default() -> Self {
        Self { read_only: false, key: [0; 32], write_verifier: [0; 8], most_data: 1 << 20 }
    }
}

/// An exported folder.
#[derive(Debug)]
pub(crate) struct Export {
    root: Object,
    seal: Seal,
    pub(super) table: Table,
    pub(crate) options: ExportOptions,
}

impl Export {
    pub(crate) fn open(folder: &Path, options: ExportOptions) -> Result<Self, Errno> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let root = Object::new(openat(CWD, folder, flags, Mode::empty())?, None)?;
        Ok(Self { root, seal: Seal::new(options.key), table: Table::default(), options })
    }

    pub(crate) fn handle(&self, object: &Object) -> Vec<u8> {
        self.seal.handle(&object.identity)
    }

    /// Returns the folder itself.
    pub(crate) fn root(&self) -> Result<Object, Status> {
        self.root.again()
    }

    pub(crate) fn object(&mut self, handle: &[u8]) -> Result<Object, Status> {
        let identity = self.seal.identity(handle)?;
        if let Some(object) = self.reach(&identity, DEEPEST)? {
            return Ok(object);
        }
        // The handle is from before a restart, or its object was not used for a long time.
        if !self.table.searched {
            self.search()?;
            if let Some(object) = self.reach(&identity, DEEPEST)? {
                return Ok(object);
            }
        }
        Err(Status::STALE)
    }

    pub(crate) fn directory(&mut self, handle: &[u8]) -> Result<Object, Status> {
        let object = self.object(handle)?;
        if object.is_directory() { Ok(object) } else { Err(Status::NOTDIR) }
    }

    /// Returns the object with a name in a directory. `.` and `..` are the directory and its parent; the
    /// parent of the folder is the folder.
    pub(crate) fn lookup(&mut self, parent: &Object, name: &[u8]) -> Result<Object, Status> {
        match name {
            b"." => parent.again(),
            b".." => {
                let above = self.table.locations(&parent.identity).first().map(|(at, _)| *at);
                match above {
                    Some(above) => self.reach(&above, DEEPEST)?.ok_or(Status::STALE),
                    None => self.root(),
                }
            }
            _ => {
                let object = parent.child(legal(name)?, self.root.device())?;
                self.saw(parent, name, &object);
                Ok(object)
            }
        }
    }

    /// Records that an object has this name.
    pub(super) fn saw(&mut self, parent: &Object, name: &[u8], object: &Object) {
        if object.identity != self.root.identity {
            let (identity, directory) = (object.identity, object.is_directory());
            self.table.saw(identity, directory, parent.identity, name);
        }
    }

    /// Opens an object by a path where it was seen; `None` if it is no longer on any of them.
    fn reach(&self, identity: &Identity, deepest: usize) -> Result<Option<Object>, Status> {
        if *identity == self.root.identity {
            return self.root().map(Some);
        }
        let Some(left) = deepest.checked_sub(1) else { return Ok(None) };
        for (parent, name) in self.table.locations(identity) {
            let Some(parent) = self.reach(parent, left)? else { continue };
            match parent.child(name, self.root.device()) {
                Ok(object) if object.identity == *identity => return Ok(Some(object)),
                Ok(_) | Err(Status::NOENT | Status::NOTDIR | Status::STALE) => {}
                Err(status) => return Err(status),
            }
        }
        Ok(None)
    }

    /// Searches the whole folder, so that everything in it is recorded.
    fn search(&mut self) -> Result<(), Status> {
        let (mut waiting, mut left) = (VecDeque::from([self.root.identity]), MOST_SEARCHED);
        while let Some(identity) = waiting.pop_front() {
            let Ok(Some(directory)) = self.reach(&identity, DEEPEST) else { continue };
            let mut names = Vec::new();
            let read = entries(&directory, 0, &mut |entry| {
                names.push(entry.name.to_vec());
                names.len() < left
            });
            if read.is_err() {
                continue;
            }
            for name in names.iter().filter(|name| !matches!(name.as_slice(), b"." | b"..")) {
                left = left.saturating_sub(1);
                if let Ok(object) = self.lookup(&directory, name)
                    && object.is_directory()
                {
                    waiting.push_back(object.identity);
                }
            }
        }
        self.table.searched = true;
        Ok(())
    }

    /// Refuses a change of a folder that is exported read-only.
    pub(crate) fn writable(&self) -> Result<(), Status> {
        if self.options.read_only { Err(Status::ROFS) } else { Ok(()) }
    }
}

/// Checks a name for a directory entry: with a `/` or NUL it would be a path, or no name (RFC 1813 section
/// 3.2).
pub(crate) fn legal(name: &[u8]) -> Result<&[u8], Status> {
    match name {
        [] => Err(Status::ACCES),
        _ if name.iter().any(|byte| matches!(byte, 0 | b'/')) => Err(Status::ACCES),
        b"." | b".." => Err(Status::INVAL),
        _ if name.len() > LONGEST_NAME as usize => Err(Status::NAMETOOLONG),
        _ => Ok(name),
    }
}

// The entries of a directory, with cookies from the file system itself: they stay valid across changes as far
// as it allows.

/// Bytes that are read from a directory at a time.
const BUFFER: usize = 32 * 1024;

/// A directory entry.
#[derive(Debug)]
pub(crate) struct Entry<'a> {
    pub(crate) name: &'a [u8],
    pub(crate) file_id: u64,
    /// The cookie that continues after this entry.
    pub(crate) cookie: u64,
}

/// Visits the entries after a cookie (0: all) until `take` wants no more; returns true if the end was
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

// Where objects were seen: from an identity to its names.

/// The most objects that are recorded. Beyond that, the least recently used objects that no directory below
/// needs are forgotten, and a search of the folder finds them again.
const MOST_OBJECTS: usize = 1 << 20;
/// The most recorded names of one object (hard links).
const MOST_NAMES: usize = 8;

/// A name in a directory.
pub(super) type Location = (Identity, Vec<u8>);

#[derive(Debug, Default)]
struct Node {
    /// The most recent first.
    locations: Vec<Location>,
    used: u64,
    directory: bool,
}

/// The places where objects were seen.
#[derive(Debug, Default)]
pub(super) struct Table {
    nodes: HashMap<Identity, Node>,
    uses: u64,
    /// Whether the whole folder was searched, and nothing was forgotten since.
    pub(super) searched: bool,
}

impl Table {
    /// Records that an object has this name in this directory.
    pub(super) fn saw(&mut self, object: Identity, directory: bool, parent: Identity, name: &[u8]) {
        if self.nodes.len() >= MOST_OBJECTS && !self.nodes.contains_key(&object) {
            self.forget_old();
        }
        self.uses += 1;
        let node = self.nodes.entry(object).or_default();
        node.used = self.uses;
        node.directory = directory;
        if node.locations.first().is_some_and(|(at, known)| *at == parent && known == name) {
            return;
        }
        node.locations.retain(|(at, known)| *at != parent || known != name);
        node.locations.insert(0, (parent, name.to_vec()));
        // A directory has only one name.
        node.locations.truncate(if directory { 1 } else { MOST_NAMES });
    }

    /// Returns the names of an object, the most recent first.
    pub(super) fn locations(&self, object: &Identity) -> &[Location] {
        self.nodes.get(object).map_or(&[], |node| &node.locations)
    }

    /// Forgets a name of an object.
    pub(super) fn gone(&mut self, object: &Identity, parent: &Identity, name: &[u8]) {
        if let Some(node) = self.nodes.get_mut(object) {
            node.locations.retain(|(at, known)| at != parent || known != name);
        }
    }

    fn forget_old(&mut self) {
        let half = self.uses - (self.uses.min(MOST_OBJECTS as u64) / 2);
        self.nodes.retain(|_, node| node.directory || node.used > half);
        self.searched = false;
    }
}

// File handles: an object's identity, and a proof that this server created the handle.

/// An object of the file system.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Identity {
    /// The device of its file system.
    pub(super) device: u64,
    pub(super) inode: u64,
    /// Creation time in nanoseconds since 1970. It distinguishes the object from a later one with the same
    /// inode number. 0 if the file system does not provide it.
    pub(super) born: u64,
}

/// Length of a handle in bytes: key number, identity, proof.
const LENGTH: usize = 4 + 24 + 16;

/// Creates and checks handles.
#[derive(Debug)]
pub(super) struct Seal {
    key: [u8; 32],
    key_number: [u8; 4],
}

impl Seal {
    pub(super) fn new(key: [u8; 32]) -> Self {
        let digest: [u8; 32] =
            Sha256::new().chain_update(b"number").chain_update(key).finalize().into();
        let [a, b, c, d, ..] = digest;
        Self { key, key_number: [a, b, c, d] }
    }

    pub(super) fn handle(&self, identity: &Identity) -> Vec<u8> {
        let Identity { device, inode, born } = identity;
        let mut handle = self.key_number.to_vec();
        for part in [device, inode, born] {
            handle.extend_from_slice(&part.to_be_bytes());
        }
        let proof: [u8; 32] =
            Sha256::new().chain_update(self.key).chain_update(&handle).finalize().into();
        handle.extend(proof.iter().take(16));
        handle
    }

    /// Returns the identity in a handle.
    ///
    /// # Errors
    /// [`Status::STALE`] for a handle that was made with another key, as by an earlier run of the
    /// server; [`Status::BADHANDLE`] for bytes that are not a handle.
    pub(super) fn identity(&self, handle: &[u8]) -> Result<Identity, Status> {
        let part = |at: usize| {
            let bytes = handle.get(at..)?.first_chunk()?;
            Some(u64::from_be_bytes(*bytes))
        };
        let (LENGTH, Some(device), Some(inode), Some(born)) =
            (handle.len(), part(4), part(12), part(20))
        else {
            return Err(Status::BADHANDLE);
        };
        if !handle.starts_with(&self.key_number) {
            return Err(Status::STALE);
        }
        let identity = Identity { device, inode, born };
        if self.handle(&identity) != handle {
            return Err(Status::BADHANDLE);
        }
        Ok(identity)
    }
}
