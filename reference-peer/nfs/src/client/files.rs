//! Files by path, as a person names them, over a session.

use super::{
    Callbacks, Client, Handle, Listed, ListedEntry, Nfs3, Nfs4, Pending, ResultError, Session,
    SessionConfig,
};
use crate::Status;
use crate::protocol::Attributes;
use crate::v4::types::StateId;
use std::io::{self, Read, Write};

/// Bytes of a READ or WRITE at most, whatever the server would take.
pub(super) const MOST_DATA: u32 = 1 << 20;
/// Bytes of a part of a directory's names.
pub(super) const LISTING: u32 = 32 * 1024;
/// Bytes that the names of a directory may take, with what is known of each.
const LISTED: usize = 64 << 20;

/// Why something could not be done with a file.
#[derive(Debug, thiserror::Error)]
pub enum FilesError<E> {
    /// The call could not be made.
    #[error("{0}")]
    Session(E),
    /// The call has no result.
    #[error(transparent)]
    Result(#[from] ResultError),
    /// The other end of the data failed: what is read from, or written to.
    #[error(transparent)]
    Local(#[from] std::io::Error),
    /// The server was started again between a write and its commit: what was written may be lost.
    #[error("the server restarted before the data was safe: write it again")]
    Restarted,
    /// The server does what it must not: how.
    #[error("the server {0}")]
    Misbehaved(&'static str),
}

/// What comes of a call over a session.
pub(super) type Outcome<S, T> = Result<T, FilesError<<S as Session>::Error>>;

/// A file that is open; of version 3, one that there is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opened {
    pub(super) handle: Handle,
    pub(super) state: StateId,
}

/// What was read of a file, from where it was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Pieces, one after the other: bytes, or how many of them are zero.
    pub(super) pieces: Vec<Result<Vec<u8>, u64>>,
    /// Whether they reach the end of the file.
    pub(super) end: bool,
}

/// A version of NFS, as far as [`Files`] needs it.
#[allow(missing_docs, reason = "each does what its name says; Files has the details")]
pub trait Nfs: Sized {
    /// What makes its calls.
    type Session: Session;

    fn root(&self) -> Handle;

    /// The most bytes of one read and of one write.
    fn most(&self) -> (u32, u32);

    fn walk(&mut self, from: &Handle, names: &[&[u8]]) -> Outcome<Self::Session, Handle>;

    fn attributes(&mut self, object: &Handle) -> Outcome<Self::Session, Attributes>;

    /// Names after a cookie and its verifier.
    fn list(&mut self, directory: &Handle, from: (u64, [u8; 8])) -> Outcome<Self::Session, Listed>;

    /// Opens a file to read it.
    fn open(&mut self, file: &Handle) -> Outcome<Self::Session, Opened>;

    /// Makes a file, or empties the one that is there, and opens it to write it.
    fn make(&mut self, directory: &Handle, name: &[u8]) -> Outcome<Self::Session, Opened>;

    fn close(&mut self, opened: Opened) -> Outcome<Self::Session, ()>;

    fn read(&mut self, opened: &Opened, offset: u64, count: u32) -> Outcome<Self::Session, Part>;

    /// How many bytes were written, and the write verifier.
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

    /// Ends in good order.
    fn end(&mut self) -> Outcome<Self::Session, ()>;

    /// Gives what makes its calls back.
    fn into_session(self) -> Self::Session;
}

/// Files by path over a version of NFS: `/` separates names, and what is mounted is the root. All
/// calls fail with [`FilesError`].
#[derive(Debug)]
pub struct Files<N> {
    nfs: N,
    root: Handle,
}

impl<S: Session> Files<Nfs3<S>> {
    /// Mounts a path, and asks how much may be moved at once.
    pub fn mount(session: S, client: Client, path: &[u8]) -> Outcome<S, Self> {
        Nfs3::mount(session, client, path).map(Self::over)
    }

    /// Takes a handle for the root, and asks how much may be moved at once.
    pub fn below(session: S, client: Client, root: Handle) -> Outcome<S, Self> {
        Nfs3::below(session, client, root).map(Self::over)
    }

    /// Makes any call of the client.
    pub fn call<R>(&mut self, call: impl FnOnce(&mut Client) -> Pending<R>) -> Outcome<S, R> {
        self.nfs.call(call)
    }
}

impl<S: Session> Files<Nfs4<S>> {
    /// Begins a session, and takes a path for the root. The callbacks are those that answer calls which come over
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
                // The first error is the one to report.
                let _ = files.unmount();
                Err(error)
            }
        }
    }

    /// Takes a handle for the root instead.
    pub fn at(self, root: Handle) -> Self {
        Self { root, ..self }
    }
}

impl<N: Nfs> Files<N> {
    fn over(nfs: N) -> Self {
        Self { root: nfs.root(), nfs }
    }

    /// Ends the mount or the session, and gives what makes the calls back.
    pub fn unmount(mut self) -> Outcome<N::Session, N::Session> {
        self.nfs.end()?;
        Ok(self.leave())
    }

    /// Gives what makes the calls back, and leaves mount or session as they are.
    pub fn leave(self) -> N::Session {
        self.nfs.into_session()
    }

    /// The handle of a path.
    pub fn handle(&mut self, path: &[u8]) -> Outcome<N::Session, Handle> {
        self.nfs.walk(&self.root, &names(path).collect::<Vec<_>>())
    }

    /// The directory and the name of a path.
    fn place<'a>(&mut self, path: &'a [u8]) -> Outcome<N::Session, (Handle, &'a [u8])> {
        let names: Vec<_> = names(path).collect();
        let (name, above) = names.split_last().ok_or(ResultError::Failed(Status::INVAL))?;
        Ok((self.nfs.walk(&self.root, above)?, name))
    }

    /// What is known of a path.
    pub fn attributes(&mut self, path: &[u8]) -> Outcome<N::Session, Attributes> {
        let handle = self.handle(path)?;
        self.nfs.attributes(&handle)
    }

    /// All names in a directory but `.` and `..`, as far as they take no more than 64 MiB.
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

    /// Copies a file of the server to `to`; returns its bytes.
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

    /// Closes a file in any case; what was done before counts first.
    fn closed<T>(
        &mut self,
        opened: Opened,
        done: Outcome<N::Session, T>,
    ) -> Outcome<N::Session, T> {
        let closed = self.nfs.close(opened);
        let done = done?;
        closed.map(|()| done)
    }

    /// Copies `from` to a file of the server, in place of what it held; it is on stable storage
    /// afterwards. Returns its bytes.
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

    /// Makes a directory.
    pub fn make_directory(&mut self, path: &[u8]) -> Outcome<N::Session, ()> {
        let (directory, name) = self.place(path)?;
        self.nfs.make_directory(&directory, name)
    }

    /// Makes a symbolic link.
    pub fn make_link(&mut self, path: &[u8], target: &[u8]) -> Outcome<N::Session, ()> {
        let (directory, name) = self.place(path)?;
        self.nfs.make_link(&directory, name, target)
    }

    /// The target of a symbolic link.
    pub fn read_link(&mut self, path: &[u8]) -> Outcome<N::Session, Vec<u8>> {
        let link = self.handle(path)?;
        self.nfs.read_link(&link)
    }

    /// Removes what is no directory.
    pub fn remove(&mut self, path: &[u8]) -> Outcome<N::Session, ()> {
        let (directory, name) = self.place(path)?;
        self.nfs.remove(&directory, name)
    }

    /// Removes an empty directory.
    pub fn remove_directory(&mut self, path: &[u8]) -> Outcome<N::Session, ()> {
        let (directory, name) = self.place(path)?;
        self.nfs.remove_directory(&directory, name)
    }

    /// Gives a file or directory another path.
    pub fn rename(&mut self, from: &[u8], to: &[u8]) -> Outcome<N::Session, ()> {
        let (from_directory, from) = self.place(from)?;
        let (to_directory, to) = self.place(to)?;
        self.nfs.rename((&from_directory, from), (&to_directory, to))
    }

    /// Gives a file a further path.
    pub fn link(&mut self, path: &[u8], further: &[u8]) -> Outcome<N::Session, ()> {
        let object = self.handle(path)?;
        let (directory, name) = self.place(further)?;
        self.nfs.link(&object, &directory, name)
    }
}

fn names(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    path.split(|byte| *byte == b'/').filter(|name| !name.is_empty())
}
