//! The folder, and the way from handles to objects.

use super::object::Object;
use crate::Status;
use rustix::fs::{CWD, Mode, OFlags, RawDir, SeekFrom, openat, seek};
use rustix::io::Errno;
use sha2::{Digest, Sha256};
use std::collections::{HashMap, VecDeque};
use std::path::Path;

/// The longest name in bytes.
pub(crate) const LONGEST_NAME: u32 = 255;
/// The most hard links that are promised.
pub(crate) const LINK_MAXIMUM: u32 = 32_000;
/// The verifier of cookies: they stay valid whatever happens to the directory, as far as the file system keeps them, and
/// there are no versions of them.
pub(crate) const COOKIES: [u8; 8] = [0; 8];
/// The deepest directory that is reached.
const DEEPEST: usize = 512;
/// The most objects that a search looks at.
const MOST_SEARCHED: usize = 1 << 20;

/// How a folder is exported.
#[derive(Debug, Clone)]
pub struct ExportOptions {
    /// Refuse all changes with NFS3ERR_ROFS.
    pub read_only: bool,
    /// Proves handles to be this server's. With the same key, handles stay valid when the server is
    /// started again. It should be random, and secret.
    pub key: [u8; 32],
    /// The verifier of WRITE and COMMIT: another one after each start, for data that was not committed
    /// may be lost then (RFC 1813 section 4.8).
    pub write_verifier: [u8; 8],
    /// The most bytes of file data in one READ or WRITE.
    pub most_data: u32,
}

impl Default for ExportOptions {
    /// Writable, 1 MiB of data; key and verifier are zeros, good for tests alone.
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

    /// The folder itself.
    pub(crate) fn root(&self) -> Result<Object, Status> {
        self.root.again()
    }

    pub(crate) fn object(&mut self, handle: &[u8]) -> Result<Object, Status> {
        let identity = self.seal.identity(handle)?;
        if let Some(object) = self.reach(&identity, DEEPEST)? {
            return Ok(object);
        }
        // A handle from before a restart, or of something long unused.
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

    /// The object that goes by a name in a directory. `.` and `..` are the directory and the one above;
    /// above the folder there is only the folder.
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

    /// Remembers that an object has that name.
    pub(super) fn saw(&mut self, parent: &Object, name: &[u8], object: &Object) {
        if object.identity != self.root.identity {
            let (identity, directory) = (object.identity, object.is_directory());
            self.table.saw(identity, directory, parent.identity, name);
        }
    }

    /// Opens an object by a way on which it was seen; `None` when it is on none of them any more.
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

    /// Looks at the whole folder, so that everything in it is remembered.
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

    /// Refuses what would change a folder that is exported to be read.
    pub(crate) fn writable(&self) -> Result<(), Status> {
        if self.options.read_only { Err(Status::ROFS) } else { Ok(()) }
    }
}

/// A name as it may stand in a directory: what has a `/` or NUL would be a path, or none (RFC 1813
/// section 3.2).
pub(crate) fn legal(name: &[u8]) -> Result<&[u8], Status> {
    match name {
        [] => Err(Status::ACCES),
        _ if name.iter().any(|byte| matches!(byte, 0 | b'/')) => Err(Status::ACCES),
        b"." | b".." => Err(Status::INVAL),
        _ if name.len() > LONGEST_NAME as usize => Err(Status::NAMETOOLONG),
        _ => Ok(name),
    }
}

// The entries of a directory, with cookies that the file system itself gives: they survive changes
// as far as it lets them.

/// Bytes that are read from a directory at once.
const BUFFER: usize = 32 * 1024;

/// A name in a directory.
#[derive(Debug)]
pub(crate) struct Entry<'a> {
    pub(crate) name: &'a [u8],
    pub(crate) file_id: u64,
    /// Where to go on after it.
    pub(crate) cookie: u64,
}

/// Goes over the entries after a cookie (0: all) until `take` wants no more; true when the end was
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

// Where objects were seen: the way from an identity to names.

/// The most objects that are remembered. Beyond them, those that no directory beneath needs and that
/// were not used for longest are forgotten, and found again by a search of the folder.
const MOST_OBJECTS: usize = 1 << 20;
/// The most names of one object that are remembered: hard links.
const MOST_NAMES: usize = 8;

/// A name in a directory.
pub(super) type Location = (Identity, Vec<u8>);

#[derive(Debug, Default)]
struct Node {
    /// The latest first.
    locations: Vec<Location>,
    used: u64,
    directory: bool,
}

/// Where objects were seen.
#[derive(Debug, Default)]
pub(super) struct Table {
    nodes: HashMap<Identity, Node>,
    uses: u64,
    /// True when the whole folder was searched, and nothing was forgotten since.
    pub(super) searched: bool,
}

impl Table {
    /// Remembers that an object has that name in that directory.
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
        // A directory has one name alone.
        node.locations.truncate(if directory { 1 } else { MOST_NAMES });
    }

    /// The names of an object, the latest first.
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

// File handles: which object, and a proof that this server gave it.

/// An object of the file system.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Identity {
    /// The device of its file system.
    pub(super) device: u64,
    pub(super) inode: u64,
    /// When it was made, in nanoseconds since 1970: distinguishes it from what has its inode number later. 0
    /// where the file system does not know.
    pub(super) born: u64,
}

/// Bytes of a handle: key number, identity, proof.
const LENGTH: usize = 4 + 24 + 16;

/// Makes and reads handles.
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

    /// The object of a handle.
    ///
    /// # Errors
    /// [`Status::STALE`] for a handle that was made with another key, as a server gave it in an earlier
    /// life; [`Status::BADHANDLE`] for what is no handle.
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
