//! Files by path, as a person names them, over a session.

use super::version_4::{Version4, create_session, exchange_id};
use super::{Client, Data, Handle, Listed, ListedEntry, Pending, ResultError, Session};
use crate::protocol::{Attributes, FileType, NewAttributes};
use crate::v4::types::{self, StateId};
use crate::{Status, Status4};
use std::io::{Read, Write};
use std::thread::sleep;
use std::time::Duration;

/// Bytes of a READ or WRITE at most, whatever the server would take.
const MOST_DATA: u32 = 1 << 20;
/// Bytes of a READDIRPLUS.
const LISTING: u32 = 32 * 1024;
/// Bytes that the names of a directory may take, with what is known of each.
const LISTED: usize = 64 << 20;

/// The longest time after which a call that was put off is made again.
const LONGEST_PAUSE: Duration = Duration::from_secs(10);

/// Why something could not be done with a file.
#[derive(Debug, thiserror::Error)]
pub enum FilesError<E> {
    /// The call could not be made.
    #[error("{0}")]
    Session(E),
    /// The call has no result.
    #[error(transparent)]
    Result(#[from] ResultError),
    /// A server of version 4 carried the call out, and it failed.
    #[error("{0}")]
    Version4(Status4),
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
    /// The session of version 4; none with version 3.
    version_4: Option<Version4>,
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
        let (mounted, version_4) = (None, None);
        Ok(Self { session, client, root, mounted, version_4, most_read, most_written })
    }

    /// Begins a session of version 4 with that minor version, 1 or 2; takes a path for the root, and asks how much may
    /// be moved at once.
    pub fn begin(mut session: S, mut client: Client, minor: u32, path: &[u8]) -> Outcome<S, Self> {
        let of = made_4(&mut session, exchange_id(&mut client, minor))?;
        let session_id = made_4(&mut session, create_session(&mut client, minor, of))?;
        let mut version_4 = Version4::new(minor, of.0, session_id);
        made_4(&mut session, version_4.reclaim_complete(&mut client))?;
        let root = made_4(&mut session, version_4.root(&mut client))?;
        let most = made_4(&mut session, version_4.most_data(&mut client, &root))?;
        let [most_read, most_written] = [most.0, most.1].map(|most| most.clamp(1, MOST_DATA));
        let (mounted, version_4) = (None, Some(version_4));
        let mut files = Self { session, client, root, mounted, version_4, most_read, most_written };
        files.root = files.handle(path)?;
        Ok(files)
    }

    /// Gives the transport back, and leaves mount or session as they are.
    pub fn leave(self) -> S {
        self.session
    }

    /// Ends the mount or the session of version 4, and gives the transport back.
    pub fn unmount(mut self) -> Outcome<S, S> {
        if let Some(version_4) = &self.version_4 {
            for end in version_4.end(&mut self.client) {
                made_4(&mut self.session, end)?;
            }
        }
        if let Some(path) = &self.mounted {
            made(&mut self.session, self.client.unmount(path))?;
        }
        Ok(self.session)
    }

    /// Makes any call of the client.
    pub fn call<R>(&mut self, call: impl FnOnce(&mut Client) -> Pending<R>) -> Outcome<S, R> {
        made(&mut self.session, call(&mut self.client))
    }

    /// Makes a call of version 4, again where the server asks for that (NFS4ERR_DELAY).
    fn ask<R>(
        &mut self,
        mut call: impl FnMut(&mut Version4, &mut Client) -> Pending<R>,
    ) -> Outcome<S, R> {
        let mut pause = Duration::from_millis(50);
        loop {
            let Some(version_4) = &mut self.version_4 else {
                return Err(failed_4(Status::NOTSUPP));
            };
            let pending = call(version_4, &mut self.client);
            match made_4(&mut self.session, pending) {
                Err(FilesError::Version4(Status4(Status::JUKEBOX))) if pause < LONGEST_PAUSE => {
                    sleep(pause);
                    pause *= 2;
                }
                outcome => return outcome,
            }
        }
    }

    /// The object of a name in a directory.
    fn lookup(&mut self, directory: &Handle, name: &[u8]) -> Outcome<S, Handle> {
        match self.version_4 {
            Some(_) => self.ask(|version, client| version.lookup(client, directory, name)),
            None => Ok(self.call(|client| client.lookup(directory, name))?.handle),
        }
    }

    fn attributes_of(&mut self, object: &Handle) -> Outcome<S, Attributes> {
        match self.version_4 {
            Some(_) => self.ask(|version, client| version.attributes(client, object)),
            None => self.call(|client| client.attributes(object)),
        }
    }

    fn listed(&mut self, directory: &Handle, from: (u64, [u8; 8])) -> Outcome<S, Listed> {
        match self.version_4 {
            Some(_) => self.ask(|version, client| version.list(client, directory, from, LISTING)),
            None => self.call(|client| client.read_directory_plus(directory, from, LISTING)),
        }
    }

    /// The handle of a path.
    pub fn handle(&mut self, path: &[u8]) -> Outcome<S, Handle> {
        let mut at = self.root.clone();
        for name in names(path) {
            at = self.lookup(&at, name)?;
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
        self.attributes_of(&handle)
    }

    /// All names in a directory but `.` and `..`, as far as they take no more than 64 MiB.
    pub fn list(&mut self, path: &[u8]) -> Outcome<S, Vec<ListedEntry>> {
        let directory = self.handle(path)?;
        let (mut entries, mut from, mut taken) = (Vec::new(), (0, [0; 8]), 0);
        loop {
            let listed = self.listed(&directory, from)?;
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
        let file = self.handle(path)?;
        let state = match self.version_4 {
            Some(_) => Some(self.ask(|version, client| version.open(client, &file))?),
            None => None,
        };
        let bytes = self.read_all(&file, state, to)?;
        self.close(&file, state)?;
        Ok(bytes)
    }

    fn close(&mut self, file: &Handle, state: Option<StateId>) -> Outcome<S, ()> {
        let Some(state) = state else { return Ok(()) };
        self.ask(|version, client| version.close(client, file, state))
    }

    /// Reads up to `count` bytes: with READ_PLUS where the minor version and the server have it.
    fn read_some(
        &mut self,
        file: &Handle,
        state: Option<StateId>,
        (offset, count): (u64, u32),
    ) -> Outcome<S, Data> {
        let Some(state) = state else {
            return self.call(|client| client.read(file, offset, count));
        };
        let asked = types::Read { state, offset, count };
        if self.version_4.as_ref().is_some_and(|version| version.minor() > 1) {
            match self.ask(|version, client| version.read_plus(client, file, asked)) {
                Err(FilesError::Version4(Status4(Status::NOTSUPP))) => {}
                read => return Ok(read?.bytes(offset, count)),
            }
        }
        self.ask(|version, client| version.read(client, file, asked))
    }

    fn read_all(
        &mut self,
        file: &Handle,
        state: Option<StateId>,
        to: &mut dyn Write,
    ) -> Outcome<S, u64> {
        let (count, mut offset) = (self.most_read, 0);
        loop {
            let read = self.read_some(file, state, (offset, count))?;
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
        let (file, state) = self.create(&directory, name)?;
        let (mut offset, mut verifier) = (0, None);
        loop {
            let mut data = Vec::new();
            (&mut *from).take(self.most_written.into()).read_to_end(&mut data)?;
            if data.is_empty() {
                break;
            }
            let mut rest = data.as_slice();
            while !rest.is_empty() {
                let (count, of_this) = self.write_some(&file, state, offset, rest)?;
                if *verifier.get_or_insert(of_this) != of_this {
                    return Err(FilesError::Restarted);
                }
                rest = match rest.get(count as usize..) {
                    Some(left) if count > 0 => left,
                    _ => return Err(FilesError::Misbehaved("writes nothing, or too much")),
                };
                offset += u64::from(count);
            }
        }
        let committed = match self.version_4 {
            Some(_) => self.ask(|version, client| version.commit(client, &file))?,
            None => self.call(|client| client.commit(&file))?.1,
        };
        if verifier.is_some_and(|verifier| verifier != committed) {
            return Err(FilesError::Restarted);
        }
        self.close(&file, state)?;
        Ok(offset)
    }

    /// Makes a file, or makes it empty; with version 4 it is open.
    fn create(&mut self, directory: &Handle, name: &[u8]) -> Outcome<S, (Handle, Option<StateId>)> {
        if self.version_4.is_some() {
            let made = self.ask(|version, client| version.create(client, directory, name))?;
            return Ok((made.1, Some(made.0)));
        }
        let new = NewAttributes { size: Some(0), ..NewAttributes::default() };
        let made = self.call(|client| client.create(directory, name, false, &new))?;
        Ok(match made.handle {
            Some(handle) => (handle, None),
            None => (self.lookup(directory, name)?, None),
        })
    }

    /// Writes what the server takes: how many bytes, and its verifier.
    fn write_some(
        &mut self,
        file: &Handle,
        state: Option<StateId>,
        offset: u64,
        data: &[u8],
    ) -> Outcome<S, (u32, [u8; 8])> {
        let Some(state) = state else {
            let written = self.call(|client| client.write(file, offset, data, 0))?;
            return Ok((written.count, written.verifier));
        };
        let write = types::Write { state, offset, stable: 0, data: data.to_vec() };
        let (count, _, verifier) =
            self.ask(|version, client| version.write(client, file, &write))?;
        Ok((count, verifier))
    }

    /// Makes a directory.
    pub fn make_directory(&mut self, path: &[u8]) -> Outcome<S, ()> {
        let (directory, name) = self.place(path)?;
        if self.version_4.is_some() {
            return self.ask(|version, client| version.make(client, &directory, name, None));
        }
        let new = NewAttributes { mode: Some(0o755), ..NewAttributes::default() };
        self.call(|client| client.make_directory(&directory, name, &new)).map(|_| ())
    }

    /// Makes a symbolic link.
    pub fn make_link(&mut self, path: &[u8], target: &[u8]) -> Outcome<S, ()> {
        let (directory, name) = self.place(path)?;
        if self.version_4.is_some() {
            let target = Some(target);
            return self.ask(|version, client| version.make(client, &directory, name, target));
        }
        let new = NewAttributes::default();
        self.call(|client| client.make_link(&directory, name, target, &new)).map(|_| ())
    }

    /// The target of a symbolic link.
    pub fn read_link(&mut self, path: &[u8]) -> Outcome<S, Vec<u8>> {
        let link = self.handle(path)?;
        if self.version_4.is_some() {
            return self.ask(|version, client| version.read_link(client, &link));
        }
        self.call(|client| client.read_link(&link))
    }

    /// Removes what is no directory.
    pub fn remove(&mut self, path: &[u8]) -> Outcome<S, ()> {
        let (directory, name) = self.place(path)?;
        if self.version_4.is_some() {
            return self.remove_either(&directory, name, false);
        }
        self.call(|client| client.remove(&directory, name)).map(|_| ())
    }

    /// Removes an empty directory.
    pub fn remove_directory(&mut self, path: &[u8]) -> Outcome<S, ()> {
        let (directory, name) = self.place(path)?;
        if self.version_4.is_some() {
            return self.remove_either(&directory, name, true);
        }
        self.call(|client| client.remove_directory(&directory, name)).map(|_| ())
    }

    /// REMOVE of version 4, which takes directories and all else: only what is meant.
    fn remove_either(
        &mut self,
        directory: &Handle,
        name: &[u8],
        of_directory: bool,
    ) -> Outcome<S, ()> {
        let object = self.lookup(directory, name)?;
        match (self.attributes_of(&object)?.file_type, of_directory) {
            (FileType::Directory, false) => Err(failed_4(Status::ISDIR)),
            (FileType::Directory, true) | (_, false) => {
                self.ask(|version, client| version.remove(client, directory, name))
            }
            (_, true) => Err(failed_4(Status::NOTDIR)),
        }
    }

    /// Gives a file or directory another path.
    pub fn rename(&mut self, from: &[u8], to: &[u8]) -> Outcome<S, ()> {
        let (from_directory, from) = self.place(from)?;
        let (to_directory, to) = self.place(to)?;
        if self.version_4.is_some() {
            let (from, to) = ((&from_directory, from), (&to_directory, to));
            return self.ask(|version, client| version.rename(client, from, to));
        }
        self.call(|client| client.rename((&from_directory, from), (&to_directory, to))).map(|_| ())
    }

    /// Gives a file a further path.
    pub fn link(&mut self, path: &[u8], further: &[u8]) -> Outcome<S, ()> {
        let object = self.handle(path)?;
        let (directory, name) = self.place(further)?;
        if self.version_4.is_some() {
            return self.ask(|version, client| version.link(client, &object, &directory, name));
        }
        self.call(|client| client.link(&object, &directory, name)).map(|_| ())
    }
}

fn made<S: Session, R>(session: &mut S, mut call: Pending<R>) -> Outcome<S, R> {
    let reply = session.call(call.take()).map_err(FilesError::Session)?;
    Ok(call.result(&reply)?)
}

/// The same in version 4, whose statuses have other names.
fn made_4<S: Session, R>(session: &mut S, call: Pending<R>) -> Outcome<S, R> {
    made(session, call).map_err(|error| match error {
        FilesError::Result(ResultError::Failed(status)) => failed_4(status),
        other => other,
    })
}

fn failed_4<E>(status: Status) -> FilesError<E> {
    FilesError::Version4(Status4(status))
}

fn names(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    path.split(|byte| *byte == b'/').filter(|name| !name.is_empty())
}
