//! The folder, and the way from handles to objects.

use super::directory::entries;
use super::handle::{Identity, Seal};
use super::object::Object;
use super::table::Table;
use crate::Status;
use rustix::fs::{CWD, Mode, OFlags, openat};
use rustix::io::Errno;
use std::collections::VecDeque;
use std::path::Path;

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
    /// Opens the folder.
    pub(crate) fn open(folder: &Path, options: ExportOptions) -> Result<Self, Errno> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let root = Object::new(openat(CWD, folder, flags, Mode::empty())?, None)?;
        Ok(Self { root, seal: Seal::new(options.key), table: Table::default(), options })
    }

    /// The handle of an object.
    pub(crate) fn handle(&self, object: &Object) -> Vec<u8> {
        self.seal.handle(&object.identity)
    }

    /// The folder itself.
    pub(crate) fn root(&self) -> Result<Object, Status> {
        self.root.again()
    }

    /// The object of a handle.
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

    /// The directory of a handle.
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
pub(super) fn legal(name: &[u8]) -> Result<&[u8], Status> {
    match name {
        [] => Err(Status::ACCES),
        _ if name.iter().any(|byte| matches!(byte, 0 | b'/')) => Err(Status::ACCES),
        b"." | b".." => Err(Status::INVAL),
        _ if name.len() > 255 => Err(Status::NAMETOOLONG),
        _ => Ok(name),
    }
}
