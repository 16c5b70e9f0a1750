//! The requests of [`Nfs`] as operations of version 4.

use super::attributes::{self, LONGEST};
use super::compound::Request;
use super::session::Nfs4;
use crate::Status;
use crate::client::calls::{LONGEST_TARGET, ResultError, Session};
use crate::client::files::{FilesError, LISTING, Nfs, Opened, Outcome, Part};
use crate::client::results::{Handle, Listed};
use crate::protocol::{Attributes, FileType};
use crate::rpc::{Reader, value};
use crate::v4::numbers::share::{READ, WANT_NONE, WANT_READ_DELEGATION, WRITE};
use crate::v4::numbers::{ILLEGAL, LONGEST_HANDLE};
use crate::v4::operation;
use crate::v4::results::{OpenedFile, WrittenTo};
use crate::v4::types::{
    Bitmap, ChangeInfo, Claim, Create, Kind, Making, Opaque, Open, Owner, Read, ReadDirectory,
    StateId, Values,
};
use crate::xdr::Xdr;
use warpscope_wire::Malformed;

/// Lengths of results in bytes: a handle, an attribute mask, a change of a directory.
const HANDLE: usize = 4 + LONGEST_HANDLE as usize;
const MASK: usize = 4 + 4 * 3;
const CHANGE: usize = 20;
/// Length in bytes of the result of OPEN, with a delegation.
const OPENED: usize = 512;
/// Bytes of a READ_PLUS piece in addition to its data, and the most pieces that are expected.
const PIECE: usize = 20;
const PIECES: usize = 64;

/// Begins a request with an object as the current file handle.
fn on(object: &Handle) -> Request {
    let handle = Opaque(object.bytes().to_vec());
    Request::default().with(operation::PUTFH, &handle, 0)
}

/// Adds the operation that goes to a name in a directory; the parent directory has no name.
fn to_name(request: Request, name: &[u8]) -> Request {
    match name {
        b"." => request,
        b".." => request.with(operation::LOOKUPP, &(), 0),
        name => request.with(operation::LOOKUP, &Opaque(name.to_vec()), 0),
    }
}

/// Reads the result of GETFH.
fn handle(reader: &mut Reader<'_>) -> Result<Handle, Malformed> {
    reader.opaque("file handle", LONGEST_HANDLE).map(|bytes| Handle(bytes.to_vec()))
}

impl<S: Session> Nfs4<S> {
    /// Makes a request in the session; returns the result of its last operation, the only one with more
    /// than a status.
    fn last_result<R: Xdr>(&mut self, request: &Request) -> Outcome<S, R> {
        self.last_result_with(request, |reader| reader.value("result"))
    }

    /// The same, with a function that reads the result.
    fn last_result_with<R>(
        &mut self,
        request: &Request,
        read: impl FnOnce(&mut Reader<'_>) -> Result<R, Malformed>,
    ) -> Outcome<S, R> {
        let last = request.numbers.last().copied().unwrap_or(ILLEGAL);
        let mut results = self.ask(request)?;
        results.skip_to(last, request)?;
        Ok(results.next_with(last, read)?)
    }

    /// Returns the root, and the most bytes that the server accepts in a READ and a WRITE there.
    pub(super) fn find_root(&mut self) -> Outcome<S, (Handle, Option<u64>, Option<u64>)> {
        let request = Request::default()
            .with(operation::PUTROOTFH, &(), 0)
            .with(operation::GETFH, &(), HANDLE)
            .with(operation::GETATTR, &attributes::of_server(), MASK + LONGEST);
        let mut results = self.ask(&request)?;
        results.next::<()>(operation::PUTROOTFH)?;
        let root = results.next_with(operation::GETFH, handle)?;
        let values: Values = results.next(operation::GETATTR)?;
        let (read, write) = attributes::known(&values).map_err(ResultError::from)?.most;
        Ok((root, read, write))
    }

    /// Creates an object that is not a file.
    fn create(
        &mut self,
        directory: &Handle,
        name: &[u8],
        kind: Kind,
        new: Values,
    ) -> Outcome<S, ()> {
        let asked = Create { kind, name: Opaque(name.to_vec()), attributes: new };
        let request = on(directory).with(operation::CREATE, &asked, CHANGE + MASK).once();
        self.last_result::<(ChangeInfo, Bitmap)>(&request)?;
        Ok(())
    }

    /// Opens a file, and records any delegation.
    fn open_as(
        &mut self,
        at: &Handle,
        access: u32,
        how: Making,
        claim: Claim,
    ) -> Outcome<S, Opened> {
        let delegates = access & WANT_READ_DELEGATION != 0;
        let owner = Owner { client: self.id, owner: Opaque(b"warpscope".to_vec()) };
        let asked = Open { sequence: 0, access, deny: 0, owner, how, claim };
        let request =
            on(at).with(operation::OPEN, &asked, OPENED).with(operation::GETFH, &(), HANDLE).once();
        if delegates {
            self.callbacks.opens();
        }
        let opened = self.ask(&request).and_then(|mut results| {
            results.next::<()>(operation::PUTFH)?;
            let opened: OpenedFile = results.next(operation::OPEN)?;
            Ok((results.next_with(operation::GETFH, handle)?, opened))
        });
        let delegation = opened
            .as_ref()
            .ok()
            .and_then(|(file, it)| it.delegation.state().map(|state| (file.clone(), state)));
        self.callbacks.opened(delegation);
        opened.map(|(handle, it)| Opened { handle, state: it.state })
    }

    /// Removes a name, only if it is a directory or only if it is not.
    fn remove_if(&mut self, directory: &Handle, name: &[u8], is_directory: bool) -> Outcome<S, ()> {
        let number = if is_directory { operation::VERIFY } else { operation::NVERIFY };
        let request = on(directory).with(operation::SAVEFH, &(), 0);
        let request = to_name(request, name)
            .with(number, &attributes::of_type(FileType::Directory), 0)
            .with(operation::RESTOREFH, &(), 0)
            .with(operation::REMOVE, &Opaque(name.to_vec()), CHANGE)
            .once();
        let mut results = self.ask(&request)?;
        results.skip_to(number, &request)?;
        // Converted to the status of version 3.
        results.next::<()>(number).map_err(|error| match error {
            ResultError::Operation(Status::SAME) => ResultError::Operation(Status::ISDIR),
            ResultError::Operation(Status::NOT_SAME) => ResultError::Operation(Status::NOTDIR),
            other => other,
        })?;
        results.next::<()>(operation::RESTOREFH)?;
        results.next::<ChangeInfo>(operation::REMOVE)?;
        Ok(())
    }

    fn read_plus(&mut self, opened: &Opened, offset: u64, count: u32) -> Outcome<S, Part> {
        let asked = Read { state: opened.state, offset, count };
        // No part is DDP-eligible (RFC 8267 section 6.1): a reply too long for inline uses a reply chunk.
        let longest = 8 + PIECES * PIECE + (count as usize).next_multiple_of(4);
        let request = on(&opened.handle).with(operation::READ_PLUS, &asked, longest);
        let (end, pieces) = self.last_result_with(&request, |reader| {
            let end = reader.boolean("end of file")?;
            let count = reader.word("number of contents")?;
            let pieces = (0..count).map(|_| Piece::read(reader)).collect::<Result<Vec<_>, _>>()?;
            Ok((end, pieces))
        })?;
        let mut part = Part { pieces: Vec::new(), end };
        let mut at = offset;
        for piece in pieces {
            // A hole may begin before the requested range, and end after it (RFC 7862 section 15.10.3).
            let before = at.checked_sub(piece.offset);
            let before = before.ok_or(FilesError::Misbehaved("leaves out part of a file"))?;
            let rest = match piece.content {
                Ok(data) => match usize::try_from(before).ok().and_then(|it| data.get(it..)) {
                    Some(rest) => Ok(rest.to_vec()),
                    None => continue,
                },
                Err(length) => Err(length.saturating_sub(before)),
            };
            at = at.saturating_add(rest.as_ref().map_or_else(|hole| *hole, |it| it.len() as u64));
            part.pieces.push(rest);
        }
        Ok(part)
    }
}

impl<S: Session> Nfs for Nfs4<S> {
    type Session = S;

    fn root(&self) -> Handle {
        self.root.clone()
    }

    fn most(&self) -> (u32, u32) {
        self.most
    }

    fn walk(&mut self, from: &Handle, names: &[&[u8]]) -> Outcome<S, Handle> {
        let mut at = from.clone();
        for names in names.chunks(self.most_names) {
            let request = names.iter().fold(on(&at), |request, name| to_name(request, name));
            let request = request.with(operation::GETFH, &(), HANDLE);
            at = self.last_result_with(&request, handle)?;
        }
        Ok(at)
    }

    fn attributes(&mut self, object: &Handle) -> Outcome<S, Attributes> {
        let longest = MASK + LONGEST;
        let request = on(object).with(operation::GETATTR, &attributes::of_object(), longest);
        let values: Values = self.last_result(&request)?;
        Ok(attributes::known(&values).map_err(ResultError::from)?.attributes)
    }

    fn list(&mut self, directory: &Handle, from: (u64, [u8; 8])) -> Outcome<S, Listed> {
        let asked = ReadDirectory {
            cookie: from.0,
            verifier: from.1,
            directory_count: LISTING,
            maximum: LISTING,
            attributes: attributes::of_entry(),
        };
        let request = on(directory).with(operation::READDIR, &asked, LISTING as usize);
        self.last_result_with(&request, |reader| {
            let verifier = reader.fixed("cookie verifier")?;
            let mut entries = Vec::new();
            while reader.boolean("entry follows")? {
                entries.push(attributes::entry(reader)?);
            }
            let end = reader.boolean("end of directory")?;
            Ok(Listed { directory: None, verifier, entries, end })
        })
    }

    fn open(&mut self, file: &Handle) -> Outcome<S, Opened> {
        let wants = if self.back_channel { WANT_READ_DELEGATION } else { WANT_NONE };
        self.open_as(file, READ | wants, Making::No, Claim::Handle)
    }

    fn make(&mut self, directory: &Handle, name: &[u8]) -> Outcome<S, Opened> {
        // The mode of an existing file does not change (RFC 8881 section 18.16.3).
        let how = Making::Unchecked(attributes::new(true, Some(0o644)));
        self.open_as(directory, WRITE | WANT_NONE, how, Claim::Null(Opaque(name.to_vec())))
    }

    fn close(&mut self, opened: Opened) -> Outcome<S, ()> {
        let request = on(&opened.handle).with(operation::CLOSE, &(0_u32, opened.state), 16).once();
        self.last_result::<StateId>(&request)?;
        self.give_back(true)
    }

    fn read(&mut self, opened: &Opened, offset: u64, count: u32) -> Outcome<S, Part> {
        if self.reads_plus {
            match self.read_plus(opened, offset, count) {
                Err(FilesError::Result(ResultError::Operation(Status::NOTSUPP))) => {
                    self.reads_plus = false;
                }
                other => return other,
            }
        }
        let asked = Read { state: opened.state, offset, count };
        let request = on(&opened.handle).with(operation::READ, &asked, 4).with_room(count);
        let (end, data) = self.last_result::<(bool, Vec<u8>)>(&request)?;
        Ok(Part { pieces: vec![Ok(data)], end })
    }

    fn write(&mut self, opened: &Opened, offset: u64, data: &[u8]) -> Outcome<S, (u32, [u8; 8])> {
        let request = on(&opened.handle).with_arguments(operation::WRITE, 16, |call| {
            // UNSTABLE: nothing needs to be on stable storage yet.
            call.value(&opened.state).long(offset).word(0).eligible(data);
        });
        let written: WrittenTo = self.last_result(&request)?;
        Ok((written.count, written.verifier))
    }

    fn commit(&mut self, opened: &Opened) -> Outcome<S, [u8; 8]> {
        let request = on(&opened.handle).with(operation::COMMIT, &(0_u64, 0_u32), 8);
        self.last_result(&request)
    }

    fn make_directory(&mut self, directory: &Handle, name: &[u8]) -> Outcome<S, ()> {
        let kind = Kind::Plain(FileType::Directory as u32);
        self.create(directory, name, kind, attributes::new(false, Some(0o755)))
    }

    fn make_link(&mut self, directory: &Handle, name: &[u8], target: &[u8]) -> Outcome<S, ()> {
        let kind = Kind::Link(target.to_vec());
        self.create(directory, name, kind, attributes::new(false, None))
    }

    fn read_link(&mut self, link: &Handle) -> Outcome<S, Vec<u8>> {
        // Inline or with the whole reply in its chunk: nfsd puts wrong bytes into a separate write chunk.
        let longest = 4 + LONGEST_TARGET as usize;
        let request = on(link).with(operation::READLINK, &(), longest);
        self.last_result(&request)
    }

    fn remove(&mut self, directory: &Handle, name: &[u8]) -> Outcome<S, ()> {
        self.remove_if(directory, name, false)
    }

    fn remove_directory(&mut self, directory: &Handle, name: &[u8]) -> Outcome<S, ()> {
        self.remove_if(directory, name, true)
    }

    fn rename(&mut self, from: (&Handle, &[u8]), to: (&Handle, &[u8])) -> Outcome<S, ()> {
        let names = (Opaque(from.1.to_vec()), Opaque(to.1.to_vec()));
        let request = on(from.0)
            .with(operation::SAVEFH, &(), 0)
            .with(operation::PUTFH, &Opaque(to.0.bytes().to_vec()), 0)
            .with(operation::RENAME, &names, 2 * CHANGE)
            .once();
        self.last_result::<(ChangeInfo, ChangeInfo)>(&request)?;
        Ok(())
    }

    fn link(&mut self, object: &Handle, directory: &Handle, name: &[u8]) -> Outcome<S, ()> {
        let request = on(object)
            .with(operation::SAVEFH, &(), 0)
            .with(operation::PUTFH, &Opaque(directory.bytes().to_vec()), 0)
            .with(operation::LINK, &Opaque(name.to_vec()), CHANGE)
            .once();
        self.last_result::<ChangeInfo>(&request)?;
        Ok(())
    }

    fn end(&mut self) -> Outcome<S, ()> {
        self.finish()
    }

    fn into_session(self) -> S {
        self.session
    }
}

/// A piece of a file (read_plus_content).
#[derive(Debug, Clone, PartialEq, Eq)]
struct Piece {
    /// The offset of the first byte.
    offset: u64,
    /// The bytes, or the number of zero bytes.
    content: Result<Vec<u8>, u64>,
}

impl Piece {
    /// Reads one piece of READ_PLUS.
    fn read(reader: &mut Reader<'_>) -> Result<Self, Malformed> {
        let kind = reader.word("content")?;
        let offset = reader.long("offset")?;
        let content = match kind {
            0 => Ok(reader.opaque("data", u32::MAX)?.to_vec()),
            1 => Err(reader.long("length of a hole")?),
            other => return Err(value("content", other)),
        };
        Ok(Self { offset, content })
    }
}
