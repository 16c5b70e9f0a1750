//! One call for each procedure. Each states how long its reply may be (RFC 8267 section 4.1).

use super::results::{Created, Data, Found, Handle, Information, Listed, Renamed, Written};
use super::{Mounted, results};
use crate::protocol::{Attributes, BeforeAndAfter, NewAttributes, Time};
use crate::rpc::{
    Builder, CallError, CallHeader, Credential, OutgoingCall, REPLY_HEADER, Reader, begin_call,
    results_of,
};
use crate::xdr::Xdr;
use crate::{LONGEST_HANDLE, MOUNT, NFS, Status, Status4, VERSION, mount, procedure};
use std::time::Duration;
use warpscope_wire::{Illegal, Malformed};

/// Length in bytes of optional attributes.
const ATTRIBUTES: usize = 4 + Attributes::LENGTH;
/// Length in bytes of attributes before and after.
const CHANGE: usize = 4 + 24 + ATTRIBUTES;
/// Length in bytes of a handle.
const HANDLE: usize = 4 + LONGEST_HANDLE as usize;
/// Length in bytes of the result of a procedure that creates an object.
const MADE: usize = 4 + HANDLE + ATTRIBUTES + CHANGE;
/// The longest target of a symbolic link that is requested, in bytes.
pub(super) const LONGEST_TARGET: u32 = 4096;
/// The number of flavors that a result of MNT has room for.
const MOST_FLAVORS: usize = 64;

type Read<R> = fn(&mut Reader<'_>) -> Result<R, Malformed>;

/// Creates calls: assigns XIDs, and adds the credential.
#[derive(Debug, Clone)]
pub struct Client {
    next_xid: u32,
    credential: Credential,
}

impl Client {
    /// Creates a client whose calls have XIDs from `first_xid` on.
    ///
    /// # Errors
    /// [`Illegal`] if the credential cannot be sent.
    pub fn new(first_xid: u32, credential: Credential) -> Result<Self, Illegal> {
        credential.to_auth()?;
        Ok(Self { next_xid: first_xid, credential })
    }

    /// Returns the credential of the caller.
    pub fn credential(&self) -> &Credential {
        &self.credential
    }

    /// Begins a call of a program's version and procedure, with the next XID.
    pub(super) fn begin(
        &mut self,
        (program, version, procedure): (u32, u32, u32),
    ) -> (u32, Builder) {
        let xid = self.next_xid;
        self.next_xid = xid.wrapping_add(1);
        let credential = &self.credential;
        let header = CallHeader { xid, program, version, procedure, credential };
        // The credential was checked when the client was created.
        (xid, begin_call(&header).unwrap_or_default())
    }

    fn call<R>(
        &mut self,
        (program, procedure): (u32, u32),
        longest: usize,
        room: Option<u32>,
        read: Read<R>,
        arguments: impl FnOnce(&mut Builder) -> &mut Builder,
    ) -> Pending<R> {
        let (xid, mut builder) = self.begin((program, VERSION, procedure));
        arguments(&mut builder);
        let moved = room.map_or(0, |room| 4 + (room as usize).next_multiple_of(4));
        let call = OutgoingCall {
            message: builder.finish(),
            result_room: room.into_iter().collect(),
            longest_reply: REPLY_HEADER + longest + moved,
        };
        // NULL and the MOUNT procedures that unmount return no status.
        let has_status = longest > 0;
        Pending { call, xid, has_status, read }
    }

    /// Creates a call of a procedure with an NFS status; `longest` does not include the status.
    fn nfs<R: Xdr>(
        &mut self,
        procedure: u32,
        longest: usize,
        arguments: impl FnOnce(&mut Builder) -> &mut Builder,
    ) -> Pending<R> {
        self.call((NFS, procedure), 4 + longest, None, |reader| reader.value("result"), arguments)
    }

    /// MNT: gets the handle of a path.
    pub fn mount(&mut self, path: &[u8]) -> Pending<Mounted> {
        let longest = 4 + HANDLE + 4 + 4 * MOST_FLAVORS;
        self.call((MOUNT, mount::MNT), longest, None, Mounted::read, |call| call.opaque(path))
    }

    /// UMNT: informs the server that a path is no longer mounted.
    pub fn unmount(&mut self, path: &[u8]) -> Pending<()> {
        self.call((MOUNT, mount::UMNT), 0, None, |_| Ok(()), |call| call.opaque(path))
    }

    /// NULL: does nothing.
    pub fn null(&mut self) -> Pending<()> {
        self.call((NFS, procedure::NULL), 0, None, |_| Ok(()), |call| call)
    }

    /// GETATTR.
    pub fn attributes(&mut self, object: &Handle) -> Pending<Attributes> {
        let longest = Attributes::LENGTH;
        self.nfs(procedure::GETATTR, longest, |call| call.opaque(&object.0))
    }

    /// SETATTR; with a guard, only if the object was last changed at that time.
    pub fn set_attributes(
        &mut self,
        object: &Handle,
        new: &NewAttributes,
        guard: Option<Time>,
    ) -> Pending<BeforeAndAfter> {
        self.nfs(procedure::SETATTR, CHANGE, |call| call.value(object).value(new).value(&guard))
    }

    /// LOOKUP: gets the object with a name in a directory.
    pub fn lookup(&mut self, directory: &Handle, name: &[u8]) -> Pending<Found> {
        let longest = HANDLE + 2 * ATTRIBUTES;
        self.nfs(procedure::LOOKUP, longest, |call| place(call, directory, name))
    }

    /// ACCESS: asks which of these rights ([`crate::access`]) are granted.
    pub fn access(&mut self, object: &Handle, rights: u32) -> Pending<(Option<Attributes>, u32)> {
        self.nfs(procedure::ACCESS, ATTRIBUTES + 4, |call| call.opaque(&object.0).word(rights))
    }

    /// READLINK: gets the target of a symbolic link.
    pub fn read_link(&mut self, link: &Handle) -> Pending<Vec<u8>> {
        let (called, room) = ((NFS, procedure::READLINK), Some(LONGEST_TARGET));
        self.call(called, 4 + ATTRIBUTES, room, results::target, |call| call.opaque(&link.0))
    }

    /// READ: reads up to `count` bytes from `offset` on.
    pub fn read(&mut self, file: &Handle, offset: u64, count: u32) -> Pending<Data> {
        let (called, longest) = ((NFS, procedure::READ), 4 + ATTRIBUTES + 8);
        self.call(
            called,
            longest,
            Some(count),
            |reader| reader.value("result"),
            |call| call.opaque(&file.0).long(offset).word(count),
        )
    }

    /// WRITE: writes at `offset`; `stable` as in [`Written::committed`].
    pub fn write(
        &mut self,
        file: &Handle,
        offset: u64,
        data: &[u8],
        stable: u32,
    ) -> Pending<Written> {
        self.nfs(procedure::WRITE, CHANGE + 16, |call| {
            let count = data.len() as u32;
            call.opaque(&file.0).long(offset).word(count).word(stable).eligible(data)
        })
    }

    /// CREATE: creates a regular file, with `guarded` only if it does not exist.
    pub fn create(
        &mut self,
        directory: &Handle,
        name: &[u8],
        guarded: bool,
        new: &NewAttributes,
    ) -> Pending<Created> {
        self.nfs(procedure::CREATE, MADE, |call| {
            place(call, directory, name).boolean(guarded).value(new)
        })
    }

    /// CREATE, exclusive: creates a regular file that must not exist, or was created with the same verifier.
    pub fn create_exclusive(
        &mut self,
        directory: &Handle,
        name: &[u8],
        verifier: [u8; 8],
    ) -> Pending<Created> {
        self.nfs(procedure::CREATE, MADE, |call| {
            place(call, directory, name).word(2).fixed(&verifier)
        })
    }

    /// MKDIR.
    pub fn make_directory(
        &mut self,
        directory: &Handle,
        name: &[u8],
        new: &NewAttributes,
    ) -> Pending<Created> {
        self.nfs(procedure::MKDIR, MADE, |call| place(call, directory, name).value(new))
    }

    /// SYMLINK.
    pub fn make_link(
        &mut self,
        directory: &Handle,
        name: &[u8],
        target: &[u8],
        new: &NewAttributes,
    ) -> Pending<Created> {
        self.nfs(procedure::SYMLINK, MADE, |call| {
            place(call, directory, name).value(new).eligible(target)
        })
    }

    /// REMOVE: removes an object that is not a directory.
    pub fn remove(&mut self, directory: &Handle, name: &[u8]) -> Pending<BeforeAndAfter> {
        self.nfs(procedure::REMOVE, CHANGE, |call| place(call, directory, name))
    }

    /// RMDIR.
    pub fn remove_directory(&mut self, directory: &Handle, name: &[u8]) -> Pending<BeforeAndAfter> {
        self.nfs(procedure::RMDIR, CHANGE, |call| place(call, directory, name))
    }

    /// RENAME.
    pub fn rename(&mut self, from: (&Handle, &[u8]), to: (&Handle, &[u8])) -> Pending<Renamed> {
        self.nfs(procedure::RENAME, 2 * CHANGE, |call| {
            place(place(call, from.0, from.1), to.0, to.1)
        })
    }

    /// LINK: gives an object another name.
    pub fn link(
        &mut self,
        object: &Handle,
        directory: &Handle,
        name: &[u8],
    ) -> Pending<(Option<Attributes>, BeforeAndAfter)> {
        self.nfs(procedure::LINK, ATTRIBUTES + CHANGE, |call| {
            place(call.opaque(&object.0), directory, name)
        })
    }

    /// READDIR: lists names after a cookie (0: from the first), up to `count` bytes of result.
    pub fn read_directory(
        &mut self,
        directory: &Handle,
        (cookie, verifier): (u64, [u8; 8]),
        count: u32,
    ) -> Pending<Listed> {
        let longest = (count as usize).max(ATTRIBUTES);
        self.call((NFS, procedure::READDIR), 4 + longest, None, Listed::read, |call| {
            call.opaque(&directory.0).long(cookie).fixed(&verifier).word(count)
        })
    }

    /// READDIRPLUS: like READDIR, with attributes and handles.
    pub fn read_directory_plus(
        &mut self,
        directory: &Handle,
        (cookie, verifier): (u64, [u8; 8]),
        count: u32,
    ) -> Pending<Listed> {
        let longest = (count as usize).max(ATTRIBUTES);
        self.call((NFS, procedure::READDIRPLUS), 4 + longest, None, Listed::read_plus, |call| {
            call.opaque(&directory.0).long(cookie).fixed(&verifier).word(count).word(count)
        })
    }

    /// FSINFO.
    pub fn information(&mut self, root: &Handle) -> Pending<Information> {
        let longest = ATTRIBUTES + 48;
        self.nfs(procedure::FSINFO, longest, |call| call.opaque(&root.0))
    }

    /// COMMIT: puts written data of a file on stable storage.
    pub fn commit(&mut self, file: &Handle) -> Pending<(BeforeAndAfter, [u8; 8])> {
        self.nfs(procedure::COMMIT, CHANGE + 8, |call| call.opaque(&file.0).long(0).word(0))
    }
}

fn place<'a>(call: &'a mut Builder, directory: &Handle, name: &[u8]) -> &'a mut Builder {
    call.opaque(&directory.0).opaque(name)
}

/// Why a call has no result.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ResultError {
    /// The procedure failed.
    #[error("{0}")]
    Failed(Status),
    /// An operation of version 4 failed.
    #[error("{}", Status4(*.0))]
    Operation(Status),
    /// The call was not carried out, or the reply cannot be parsed.
    #[error(transparent)]
    Call(#[from] CallError),
}

impl ResultError {
    /// Returns the status of the failure.
    pub fn status(&self) -> Option<Status> {
        match self {
            Self::Failed(status) | Self::Operation(status) => Some(*status),
            Self::Call(_) => None,
        }
    }
}

impl From<Malformed> for ResultError {
    fn from(malformed: Malformed) -> Self {
        Self::Call(malformed.into())
    }
}

/// A call, and how to read its result.
#[derive(Debug)]
pub struct Pending<R> {
    /// The call to make.
    pub call: OutgoingCall,
    pub(super) xid: u32,
    pub(super) has_status: bool,
    pub(super) read: fn(&mut Reader<'_>) -> Result<R, Malformed>,
}

impl<R> Pending<R> {
    /// Takes the call to make it, and leaves the part that reads its reply.
    pub fn take(&mut self) -> OutgoingCall {
        std::mem::take(&mut self.call)
    }

    /// Returns the result in a reply.
    ///
    /// # Errors
    /// [`ResultError`] if there is none.
    pub fn result(&self, reply: &[u8]) -> Result<R, ResultError> {
        let mut results = results_of(reply, self.xid)?;
        if self.has_status {
            let status = Status(results.word("status")?);
            if status != Status::OK {
                return Err(ResultError::Failed(status));
            }
        }
        Ok((self.read)(&mut results)?)
    }
}

/// Something that makes calls one at a time: a transport to a server, or the server itself.
pub trait Session {
    /// The error when a call could not be made.
    type Error;

    /// Makes a call, and returns the complete reply, with the content of chunks put in its place.
    ///
    /// # Errors
    /// If there is no reply.
    fn call(&mut self, call: OutgoingCall) -> Result<Vec<u8>, Self::Error>;

    /// Waits before retrying a call that the server could not carry out yet. By default it is retried at
    /// once.
    ///
    /// # Errors
    /// If no more calls can be made.
    fn wait(&mut self, time: Duration) -> Result<(), Self::Error> {
        let _ = time;
        Ok(())
    }
}
