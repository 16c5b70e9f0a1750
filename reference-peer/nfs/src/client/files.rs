//! Access to files by path, over a session.

use super::{
    Callbacks, Client, Handle, Listed, ListedEntry, Nfs3, Nfs4, Pending, ResultError, Session,
    SessionConfig,
};
use crate::Status;
use crate::protocol::Attributes;
use crate::v4::types::StateId;
use std::io::{self, Read, Write};

/// The most bytes of a READ or WRITE, even if the server accepts more.
pub(super) const MOST_DATA: u32 = 1 << 20;
/// Bytes per request for the names of a directory.
pub(super) const LISTING: u32 = 32 * 1024;
/// The most bytes for the names of a directory, including their attributes.
const LISTED: usize = 64 << 20;

/// Why an operation on a file failed.
#[derive(Debug, thiserror::Error)]
pub enum FilesError<E> {
    /// The call could not be made.
    #[error("{0}")]
    Session(E),
    /// The call has no result.
    #[error(transparent)]
    Result(#[from] ResultError),
    /// The local reader or writer failed.
    #[error(transparent)]
    Local(#[from] std::io::Error),
    /// The server restarted between a write and its commit: the data may be lost.
    #[error("the server restarted before the data was safe: write it again")]
    Restarted,
    /// The server broke a rule; the text says how.
    #[error("the server {0}")]
    Misbehaved(&'static str),
}

/// The result of a call over a session.
pub(super) type Outcome<S, T> = Result<T, FilesError<<S as Session>::Error>>;

/// An open file; in version 3, an existing file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opened {
    pub(super) handle: Handle,
    pub(super) state: StateId,
}

/// The result of one read of a file, from the requested offset on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Consecutive pieces: bytes, or a number of zero bytes.
    pub(super) pieces: Vec<Result<Vec<u8>, u64>>,
    /// Whether the pieces reach the end of the file.
    pub(super) end: bool,
}

/// A version of NFS, with the operations that [`Files`] needs.
#[allow(missing_docs, reason = "each does what its name says; Files has the details")]
pub trait Nfs: Sized {
    /// The session that makes its calls.
    type Session: Session;

    fn root(&self) -> Handle;

    /// Returns the most bytes of one read and of one write.
    fn most(&self) -> (u32, u32);

    fn walk(&mut self, from: &Handle, names: &[&[u8]]) -> Outcome<Self::Session, Handle>;

    fn attributes(&mut self, object: &Handle) -> Outcome<Self::Session, Attributes>;

    /// Lists names after a cookie and its verifier.
    fn list(&mut self, directory: &Handle, from: (u64, [u8; 8])) -> Outcome<Self::Session, Listed>;

    /// Opens a file for reading.
    fn open(&mut self, file: &Handle) -> Outcome<Self::Session, Opened>;

    /// Creates or truncates a file, and opens it for writing.
    fn make(&mut self, directory: &Handle, name: &[u8]) -> Outcome<Self::Session, Opened>;

    fn close(&mut self, opened: Opened) -> Outcome<Self::Session, ()>;

    fn read(&mut self, opened: &Opened, offset: u64, count: u32) -> Outcome<Self::Session, Part>;

    /// Writes, and returns the number of bytes written and the write verifier.
    fn write(
        &mut self,
        opened: &Opened,
        offset: u64,
        data: &[u8],
    ) -> Outcome<Self::Session, (u32, [u8; 8])>;

    fn commit(&mut self, opened: &Opened) -> Outcome<Self::Session, [u8; 8]>;

    fn make_directory(&mut self, directory: &Handle, name: &[u8]) -> Outcome<Self::Session, ()>;

    fn make_link(
        &mut self,
        directory: &Handle,
        name: &[u8],
        target: &[u8],
    ) -> Outcome<Self::Session, ()>;

    fn read_link(&mut self, link: &Handle) -> Outcome<Self::Session, Vec<u8>>;

    fn remove(&mut self, directory: &Handle, name: &[u8]) -> Outcome<Self::Session, ()>;

    fn remove_directory(&mut self, directory: &Handle, name: &[u8]) -> Outcome<Self::Session, ()>;

    fn rename(
        &mut self,
        from: (&Handle, &[u8]),
        to: (&Handle, &[u8]),
    ) -> Outcome<Self::Session, ()>;

    fn link(
        &mut self,
        object: &Handle,
        directory: &Handle,
        name: &[u8],
    ) -> Outcome<Self::Session, ()>;

    /// Ends the mount or the session.
    fn end(&mut self) -> Outcome<Self::Session, ()>;

    /// Returns the session that makes its calls.
    fn into_session(self) -> Self::Session;
}

/// Files by path over a version of NFS: `/` separates names, and the mounted object is the root. All calls
/// fail with [`FilesError`].
#[derive(Debug)]
pub struct Files<N> {
    nfs: N,
    root: Handle,
}

impl<S: Session> Files<Nfs3<S>> {
    /// Mounts a path, and asks how much one call may transfer.
    pub fn mount(session: S, client: Client, path: &[u8]) -> Outcome<S, Self> {
        Nfs3::mount(session, client, path).map(Self::over)
    }

    /// Uses a handle as the root, and asks how much one call may transfer.
    pub fn below(session: S, client: Client, root: Handle) -> Outcome<S, Self> {
        Nfs3::below(session, client, root).map(Self::over)
    }

    /// Makes any call of the client.
    pub fn call<R>(&mut self, call: impl FnOnce(&mut Client) -> Pending<R>) -> Outcome<S, R> {
        self.nfs.call(call)
    }
}

impl<S: Session> Files<Nfs4<S>> {
    /// Begins a session, and uses a path as the root. The callbacks must be those that answer calls on
    /// `session`.
    pub fn begin(
        session: S,
        client: Client,
        config: &SessionConfig,
        callbacks: Callbacks,
        path: &[u8],
    ) -> Outcome<S, Self> {
        let mut files = Self::over(Nfs4::new(session, client, config, callbacks)?);
        match files.handle(path) {
            Ok(root) => Ok(Self { root, ..files }),
            Err(error) => {
                // Ignores a second error, because the first is reported.
                let _ = files.unmount();
                Err(error)
            }
        }
    }

    /// Uses a handle as the root instead.
    pub fn at(self, root: Handle) -> Self {
        Self { root, ..self }
    }
}

impl<N: Nfs> Files<N> {
    fn over(nfs: N) -> Self {
        Self { root: nfs.root(), nfs }
    }

    /// Ends the mount or NFS session, and returns the session that makes the calls.
    pub fn unmount(mut self) -> Outcome<N::Session, N::Session> {
        self.nfs.end()?;
        Ok(self.leave())
    }

    /// Returns the session that makes the calls, without ending the mount or NFS session.
    pub fn leave(self) -> N::Session {
        self.nfs.into_session()
    }

    /// Returns the handle of a path.
    pub fn handle(&mut self, path: &[u8]) -> Outcome<N::Session, Handle> {
        self.nfs.walk(&self.root, &names(path).collect::<Vec<_>>())
    }

    /// Returns the directory and the name of a path.
    fn place<'a>(&mut self, path: &'a [u8]) -> Outcome<N::Session, (Handle, &'a [u8])> {
        let names: Vec<_> = names(path).collect();
        let (name, above) = names.split_last().ok_or(ResultError::Failed(Status::INVAL))?;
        Ok((self.nfs.walk(&self.root, above)?, name))
    }

    /// Returns the attributes of a path.
    pub fn attributes(&mut self, path: &[u8]) -> Outcome<N::Session, Attributes> {
        let handle = self.handle(path)?;
        self.nfs.attributes(&handle)
    }

    /// Lists all names in a directory except `.` and `..`, if they take no more than 64 MiB.
    pub fn list(&mut self, path: &[u8]) -> Outcome<N::Session, Vec<ListedEntry>> {
        let directory = self.handle(path)?;
        let (mut entries, mut from, mut taken) = (Vec::new(), (0, [0; 8]), 0);
        loop {
            let listed = self.nfs.list(&directory, from)?;
            let of_one = |entry: &ListedEntry| entry.name.len() + size_of::<ListedEntry>();
            taken += listed.entries.iter().map(of_one).sum::<usize>();
            if taken > LISTED {
                return Err(FilesError::Misbehaved("lists more names than fit into 64 MiB"));
            }
            let last = listed.entries.last().map(|entry| entry.cookie);
            let real = |entry: &ListedEntry| !matches!(entry.name.as_slice(), b"." | b"..");
            entries.extend(listed.entries.into_iter().filter(real));
            match last {
                _ if listed.end => return Ok(entries),
                Some(cookie) if cookie != from.0 => from = (cookie, listed.verifier),
                _ => return Err(FilesError::Misbehaved("lists an endless directory")),
            }
        }
    }

    /// Copies a file of the server to `to`, and returns the number of bytes.
    pub fn read(&mut self, path: &[u8], to: &mut dyn Write) -> Outcome<N::Session, u64> {
        let file = self.handle(path)?;
        let opened = self.nfs.open(&file)?;
        let read = self.read_opened(&opened, to);
        self.closed(opened, read)
    }

    fn read_opened(&mut self, opened: &Opened, to: &mut dyn Write) -> Outcome<N::Session, u64> {
        let (mut offset, (count, _)) = (0_u64, self.nfs.most());
        loop {
            let part = self.nfs.read(opened, offset, count)?;
            let before = offset;
            for piece in part.pieces {
                offset += match piece {
                    Ok(data) => to.write_all(&data).map(|()| data.len() as u64)?,
                    Err(zeros) => io::copy(&mut io::repeat(0).take(zeros), to)?,
                };
            }
            if part.end {
                return Ok(offset);
            }
            if offset == before {
                return Err(FilesError::Misbehaved("reads nothing before the end of the file"));
            }
        }
    }

    /// Closes a file in any case; an earlier error has priority.
    fn closed<T>(
        &mut self,
        opened: Opened,
        done: Outcome<N::Session, T>,
    ) -> Outcome<N::Session, T> {
        let closed = self.nfs.close(opened);
        let done = done?;
        closed.map(|()| done)
    }

    /// Copies `from` to a file of the server, and replaces its content; the data is on stable storage
    /// afterwards. Returns the number of bytes.
    pub fn write(&mut self, path: &[u8], from: &mut dyn Read) -> Outcome<N::Session, u64> {
        let (directory, name) = self.place(path)?;
        let opened = self.nfs.make(&directory, name)?;
        let written = self.write_opened(&opened, from);
        self.closed(opened, written)
    }

    fn write_opened(&mut self, opened: &Opened, from: &mut dyn Read) -> Outcome<N::Session, u64> {
        let (mut offset, mut verifier, (_, most)) = (0, None, self.nfs.most());
        loop {
            let mut data = Vec::new();
            (&mut *from).take(most.into()).read_to_end(&mut data)?;
            if data.is_empty() {
                break;
            }
            let mut rest = data.as_slice();
            while !rest.is_empty() {
                let (count, now) = self.nfs.write(opened, offset, rest)?;
                if *verifier.get_or_insert(now) != now {
                    return Err(FilesError::Restarted);
                }
                rest = match rest.get(count as usize..) {
                    Some(left) if count > 0 => left,
                    _ => return Err(FilesError::Misbehaved("writes nothing or too much")),
                };
                offset += u64::from(count);
            }
        }
        let committed = self.nfs.commit(opened)?;
        if verifier.is_some_and(|verifier| verifier != committed) {
            return Err(FilesError::Restarted);
        }
        Ok(offset)
    }

    /// Creates a directory.
    pub fn make_directory(&mut self, path: &[u8]) -> Outcome<N::Session, ()> {
        let (directory, name) = self.place(path)?;
        self.nfs.make_directory(&directory, name)
    }

    /// Creates a symbolic link.
    pub fn make_link(&mut self, path: &[u8], target: &[u8]) -> Outcome<N::Session, ()> {
        let (directory, name) = self.place(path)?;
        self.nfs.make_link(&directory, name, target)
    }

    /// Returns the target of a symbolic link.
    pub fn read_link(&mut self, path: &[u8]) -> Outcome<N::Session, Vec<u8>> {
        let link = self.handle(path)?;
        self.nfs.read_link(&link)
    }

    /// Removes an object that is not a directory.
    pub fn remove(&mut self, path: &[u8]) -> Outcome<N::Session, ()> {
        let (directory, name) = self.place(path)?;
        self.nfs.remove(&directory, name)
    }

    /// Removes an empty directory.
    pub fn remove_directory(&mut self, path: &[u8]) -> Outcome<N::Session, ()> {
        let (directory, name) = self.place(path)?;
        self.nfs.remove_directory(&directory, name)
    }

    /// Moves a file or directory to another path.
    pub fn rename(&mut self, from: &[u8], to: &[u8]) -> Outcome<N::Session, ()> {
        let (from_directory, from) = self.place(from)?;
        let (to_directory, to) = self.place(to)?;
        self.nfs.rename((&from_directory, from), (&to_directory, to))
    }

    /// Gives a file another path in addition.
    pub fn link(&mut self, path: &[u8], further: &[u8]) -> Outcome<N::Session, ()> {
        let object = self.handle(path)?;
        let (directory, name) = self.place(further)?;
        self.nfs.link(&object, &directory, name)
    }
}

fn names(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    path.split(|byte| *byte == b'/').filter(|name| !name.is_empty())
}
