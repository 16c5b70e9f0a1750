//! Files by path, as a person names them, over a session.

use super::{Client, Handle, ListedEntry, Pending, ResultError, Session};
use crate::Status;
use crate::protocol::{Attributes, NewAttributes};
use std::io::{Read, Write};

/// Bytes of a READ or WRITE at most, whatever the server would take.
const MOST_DATA: u32 = 1 << 20;
/// Bytes of a READDIRPLUS.
const LISTING: u32 = 32 * 1024;
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
    #[error("the server was started again before the data was safe: write it again")]
    Restarted,
    /// The server does what it must not: how.
    #[error("the server {0}")]
    Misbehaved(&'static str),
}

/// What comes of a call over a session.
type Outcome<S, T> = Result<T, FilesError<<S as Session>::Error>>;

/// Files by path over a session: `/` separates names, and what is mounted is the root. All
/// calls fail with [`FilesError`].
#[derive(Debug)]
pub struct Files<S> {
    session: S,
    client: Client,
    root: Handle,
    /// What the server is told not to be mounted any more.
    mounted: Option<Vec<u8>>,
    most_read: u32,
    most_written: u32,
}

impl<S: Session> Files<S> {
    /// Mounts a path, and asks how much may be moved at once.
    pub fn mount(mut session: S, mut client: Client, path: &[u8]) -> Outcome<S, Self> {
        let root = made(&mut session, client.mount(path))?.handle;
        let mounted = Some(path.to_vec());
        Ok(Self { mounted, ..Self::below(session, client, root)? })
    }

    /// Takes a handle for the root, and asks how much may be moved at once.
    pub fn below(mut session: S, mut client: Client, root: Handle) -> Outcome<S, Self> {
        let information = made(&mut session, client.information(&root))?;
        let most = |(most, ..): (u32, u32, u32)| most.clamp(1, MOST_DATA);
        let (most_read, most_written) = (most(information.read), most(information.write));
        Ok(Self { session, client, root, mounted: None, most_read, most_written })
    }

    /// Ends the mount, and gives the session back.
    pub fn unmount(mut self) -> Outcome<S, S> {
        if let Some(path) = &self.mounted {
            made(&mut self.session, self.client.unmount(path))?;
        }
        Ok(self.session)
    }

    /// Makes any call of the client.
    pub fn call<R>(&mut self, call: impl FnOnce(&mut Client) -> Pending<R>) -> Outcome<S, R> {
        made(&mut self.session, call(&mut self.client))
    }

    /// The handle of a path.
    pub fn handle(&mut self, path: &[u8]) -> Outcome<S, Handle> {
        let mut at = self.root.clone();
        for name in names(path) {
            at = self.call(|client| client.lookup(&at, name))?.handle;
        }
        Ok(at)
    }

    /// The directory and the name of a path.
    fn place<'a>(&mut self, path: &'a [u8]) -> Outcome<S, (Handle, &'a [u8])> {
        let name = names(path).last().ok_or(ResultError::Failed(Status::INVAL))?;
        let mut above = names(path).collect::<Vec<_>>();
        above.pop();
        Ok((self.handle(&above.join(&b'/'))?, name))
    }

    /// What is known of a path.
    pub fn attributes(&mut self, path: &[u8]) -> Outcome<S, Attributes> {
        let handle = self.handle(path)?;
        self.call(|client| client.attributes(&handle))
    }

    /// All names in a directory but `.` and `..`, as far as they take no more than 64 MiB.
    pub fn list(&mut self, path: &[u8]) -> Outcome<S, Vec<ListedEntry>> {
        let directory = self.handle(path)?;
        let (mut entries, mut from, mut taken) = (Vec::new(), (0, [0; 8]), 0);
        loop {
            let listed =
                self.call(|client| client.read_directory_plus(&directory, from, LISTING))?;
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
                _ => return Err(FilesError::Misbehaved("lists a directory without end")),
            }
        }
    }

    /// Copies a file of the server to `to`; returns its bytes.
    pub fn read(&mut self, path: &[u8], to: &mut dyn Write) -> Outcome<S, u64> {
        let (file, count) = (self.handle(path)?, self.most_read);
        let mut offset = 0;
        loop {
            let read = self.call(|client| client.read(&file, offset, count))?;
            to.write_all(&read.data)?;
            offset += read.data.len() as u64;
            if read.end {
                return Ok(offset);
            }
            if read.data.is_empty() {
                return Err(FilesError::Misbehaved("reads nothing before the end of the file"));
            }
        }
    }

    /// Copies `from` to a file of the server, in place of what it held; it is on stable storage
    /// afterwards. Returns its bytes.
    pub fn write(&mut self, path: &[u8], from: &mut dyn Read) -> Outcome<S, u64> {
        let (directory, name) = self.place(path)?;
        let new = NewAttributes { size: Some(0), ..NewAttributes::default() };
        let made = self.call(|client| client.create(&directory, name, false, &new))?;
        let file = match made.handle {
            Some(handle) => handle,
            None => self.call(|client| client.lookup(&directory, name))?.handle,
        };
        let (mut offset, mut verifier) = (0, None);
        loop {
            let mut data = Vec::new();
            (&mut *from).take(self.most_written.into()).read_to_end(&mut data)?;
            if data.is_empty() {
                break;
            }
            let mut rest = data.as_slice();
            while !rest.is_empty() {
                let written = self.call(|client| client.write(&file, offset, rest, 0))?;
                if *verifier.get_or_insert(written.verifier) != written.verifier {
                    return Err(FilesError::Restarted);
                }
                rest = match rest.get(written.count as usize..) {
                    Some(left) if written.count > 0 => left,
                    _ => return Err(FilesError::Misbehaved("writes nothing, or too much")),
                };
                offset += u64::from(written.count);
            }
        }
        let (_, committed) = self.call(|client| client.commit(&file))?;
        if verifier.is_some_and(|verifier| verifier != committed) {
            return Err(FilesError::Restarted);
        }
        Ok(offset)
    }

    /// Makes a directory.
    pub fn make_directory(&mut self, path: &[u8]) -> Outcome<S, ()> {
        let (directory, name) = self.place(path)?;
        let new = NewAttributes { mode: Some(0o755), ..NewAttributes::default() };
        self.call(|client| client.make_directory(&directory, name, &new)).map(|_| ())
    }

    /// Makes a symbolic link.
    pub fn make_link(&mut self, path: &[u8], target: &[u8]) -> Outcome<S, ()> {
        let (directory, name) = self.place(path)?;
        let new = NewAttributes::default();
        self.call(|client| client.make_link(&directory, name, target, &new)).map(|_| ())
    }

    /// The target of a symbolic link.
    pub fn read_link(&mut self, path: &[u8]) -> Outcome<S, Vec<u8>> {
        let link = self.handle(path)?;
        self.call(|client| client.read_link(&link))
    }

    /// Removes what is no directory.
    pub fn remove(&mut self, path: &[u8]) -> Outcome<S, ()> {
        let (directory, name) = self.place(path)?;
        self.call(|client| client.remove(&directory, name)).map(|_| ())
    }

    /// Removes an empty directory.
    pub fn remove_directory(&mut self, path: &[u8]) -> Outcome<S, ()> {
        let (directory, name) = self.place(path)?;
        self.call(|client| client.remove_directory(&directory, name)).map(|_| ())
    }

    /// Gives a file or directory another path.
    pub fn rename(&mut self, from: &[u8], to: &[u8]) -> Outcome<S, ()> {
        let (from_directory, from) = self.place(from)?;
        let (to_directory, to) = self.place(to)?;
        self.call(|client| client.rename((&from_directory, from), (&to_directory, to))).map(|_| ())
    }

    /// Gives a file a further path.
    pub fn link(&mut self, path: &[u8], further: &[u8]) -> Outcome<S, ()> {
        let object = self.handle(path)?;
        let (directory, name) = self.place(further)?;
        self.call(|client| client.link(&object, &directory, name)).map(|_| ())
    }
}

fn made<S: Session, R>(session: &mut S, mut call: Pending<R>) -> Outcome<S, R> {
    let reply = session.call(call.take()).map_err(FilesError::Session)?;
    Ok(call.result(&reply)?)
}

fn names(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    path.split(|byte| *byte == b'/').filter(|name| !name.is_empty())
}
