//! Version 3 for [`super::Files`], with a mounted export (RFC 1813).

use super::calls::{Client, Pending, Session};
use super::files::{LISTING, MOST_DATA, Nfs, Opened, Outcome, Part};
use super::results::{Handle, Listed};
use crate::protocol::{Attributes, NewAttributes};
use crate::v4::types::StateId;

/// A client of version 3 on top of a session.
#[derive(Debug)]
pub struct Nfs3<S> {
    session: S,
    client: Client,
    root: Handle,
    /// The path to unmount at the end.
    mounted: Option<Vec<u8>>,
    /// The most bytes of a READ and a WRITE.
    most: (u32, u32),
}

impl<S: Session> Nfs3<S> {
    /// Mounts a path, and asks how much one call may transfer.
    pub(super) fn mount(mut session: S, mut client: Client, path: &[u8]) -> Outcome<S, Self> {
        let root = made(&mut session, client.mount(path))?.handle;
        let mounted = Some(path.to_vec());
        Ok(Self { mounted, ..Self::below(session, client, root)? })
    }

    /// Uses a handle as the root, and asks how much one call may transfer.
    pub(super) fn below(mut session: S, mut client: Client, root: Handle) -> Outcome<S, Self> {
        let information = made(&mut session, client.information(&root))?;
        let most = |(most, ..): (u32, u32, u32)| most.clamp(1, MOST_DATA);
        let most = (most(information.read), most(information.write));
        Ok(Self { session, client, root, mounted: None, most })
    }

    /// Makes any call of the client.
    pub(super) fn call<R>(
        &mut self,
        call: impl FnOnce(&mut Client) -> Pending<R>,
    ) -> Outcome<S, R> {
        made(&mut self.session, call(&mut self.client))
    }
}

fn made<S: Session, R>(session: &mut S, mut call: Pending<R>) -> Outcome<S, R> {
    let reply = session.call(call.take()).map_err(super::FilesError::Session)?;
    Ok(call.result(&reply)?)
}

impl<S: Session> Nfs for Nfs3<S> {
    type Session = S;

    fn root(&self) -> Handle {
        self.root.clone()
    }

    fn most(&self) -> (u32, u32) {
        self.most
    }

    fn walk(&mut self, from: &Handle, names: &[&[u8]]) -> Outcome<S, Handle> {
        let mut at = from.clone();
        for name in names {
            at = self.call(|client| client.lookup(&at, name))?.handle;
        }
        Ok(at)
    }

    fn attributes(&mut self, object: &Handle) -> Outcome<S, Attributes> {
        self.call(|client| client.attributes(object))
    }

    fn list(&mut self, directory: &Handle, from: (u64, [u8; 8])) -> Outcome<S, Listed> {
        self.call(|client| client.read_directory_plus(directory, from, LISTING))
    }

    fn open(&mut self, file: &Handle) -> Outcome<S, Opened> {
        Ok(Opened { handle: file.clone(), state: StateId::default() })
    }

    fn make(&mut self, directory: &Handle, name: &[u8]) -> Outcome<S, Opened> {
        let new = NewAttributes { size: Some(0), ..NewAttributes::default() };
        let made = self.call(|client| client.create(directory, name, false, &new))?;
        let handle = match made.handle {
            Some(handle) => handle,
            None => self.call(|client| client.lookup(directory, name))?.handle,
        };
        Ok(Opened { handle, state: StateId::default() })
    }

    fn close(&mut self, _: Opened) -> Outcome<S, ()> {
        Ok(())
    }

    fn read(&mut self, opened: &Opened, offset: u64, count: u32) -> Outcome<S, Part> {
        let read = self.call(|client| client.read(&opened.handle, offset, count))?;
        Ok(Part { pieces: vec![Ok(read.data)], end: read.end })
    }

    fn write(&mut self, opened: &Opened, offset: u64, data: &[u8]) -> Outcome<S, (u32, [u8; 8])> {
        let written = self.call(|client| client.write(&opened.handle, offset, data, 0))?;
        Ok((written.count, written.verifier))
    }

    fn commit(&mut self, opened: &Opened) -> Outcome<S, [u8; 8]> {
        self.call(|client| client.commit(&opened.handle)).map(|(_, verifier)| verifier)
    }

    fn make_directory(&mut self, directory: &Handle, name: &[u8]) -> Outcome<S, ()> {
        let new = NewAttributes { mode: Some(0o755), ..NewAttributes::default() };
        self.call(|client| client.make_directory(directory, name, &new)).map(|_| ())
    }

    fn make_link(&mut self, directory: &Handle, name: &[u8], target: &[u8]) -> Outcome<S, ()> {
        let new = NewAttributes::default();
        self.call(|client| client.make_link(directory, name, target, &new)).map(|_| ())
    }

    fn read_link(&mut self, link: &Handle) -> Outcome<S, Vec<u8>> {
        self.call(|client| client.read_link(link))
    }

    fn remove(&mut self, directory: &Handle, name: &[u8]) -> Outcome<S, ()> {
        self.call(|client| client.remove(directory, name)).map(|_| ())
    }

    fn remove_directory(&mut self, directory: &Handle, name: &[u8]) -> Outcome<S, ()> {
        self.call(|client| client.remove_directory(directory, name)).map(|_| ())
    }

    fn rename(&mut self, from: (&Handle, &[u8]), to: (&Handle, &[u8])) -> Outcome<S, ()> {
        self.call(|client| client.rename(from, to)).map(|_| ())
    }

    fn link(&mut self, object: &Handle, directory: &Handle, name: &[u8]) -> Outcome<S, ()> {
        self.call(|client| client.link(object, directory, name)).map(|_| ())
    }

    /// Unmounts.
    fn end(&mut self) -> Outcome<S, ()> {
        match &self.mounted {
            Some(path) => made(&mut self.session, self.client.unmount(path)),
            None => Ok(()),
        }
    }

    fn into_session(self) -> S {
        self.session
    }
}
