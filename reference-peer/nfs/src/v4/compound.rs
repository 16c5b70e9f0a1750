//! COMPOUND: the table of operations, and how they are carried out in sequence (RFC 8881 sections 2.6,
//! 2.10.6, 16.2).

use super::callback::Callbacks;
use super::held::Held;
use super::numbers::{ILLEGAL, LONGEST_TAG};
use super::sessions::{Request, Sessions};
use super::types::{self, Bitmap, Channel, List, Opaque, Sequence, StateId, Stretch, Values};
use super::{directory, extended, file, handle, locks, session};
use crate::Status;
use crate::export::{Export, Object};
use crate::rpc::{Builder, Reader, Refusal, RpcMessage};
use std::ops::Range;
use std::time::Instant;
use warpscope_wire::Malformed;

/// Bytes of the result of SEQUENCE, including its number and status.
const SEQUENCE_RESULT: usize = 44;
/// Results of up to this many bytes are kept for a retry, whether that was requested or not.
const ALWAYS_KEPT: usize = 2048;
/// Requested results of up to this many bytes are kept, however small the session's limit is.
const LEAST_KEPT: u32 = 1024;
/// Bytes reserved for the results of an operation, apart from the data of those that have a count.
const ROOM: usize = 512;

/// NFS version 4: the state that it keeps for its clients.
#[derive(Debug, Default)]
pub(crate) struct Version4 {
    pub(super) sessions: Sessions,
    pub(super) held: Held,
    pub(super) callbacks: Callbacks,
}

impl Version4 {
    /// Creates empty state. `life` distinguishes this run of the server from others.
    pub(crate) fn new(life: [u8; 4]) -> Self {
        let mut new = Self::default();
        (new.sessions.life, new.held.life) = (life, life);
        new
    }
}

/// A COMPOUND that is being carried out.
pub(super) struct Compound<'a> {
    pub(super) export: &'a mut Export,
    pub(super) version: &'a mut Version4,
    pub(super) now: Instant,
    /// The stream that it came on, if calls can be made on it.
    pub(super) stream: Option<u64>,
    pub(super) minor: u32,
    /// The number of its operations.
    pub(super) count: u32,
    /// The index of the current operation.
    pub(super) index: u32,
    /// Its SEQUENCE and the client that owns the session.
    pub(super) sequence: Option<(Sequence, u64)>,
    pub(super) current: Option<Object>,
    pub(super) saved: Option<Object>,
    pub(super) current_state: Option<StateId>,
    pub(super) saved_state: Option<StateId>,
    /// The most bytes that its complete results may have.
    pub(super) longest: usize,
}

/// Why an operation failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Failure {
    /// Only a status.
    Status(Status),
    /// A status and the data that comes with it.
    With(Status, Vec<u8>),
}

impl From<Status> for Failure {
    fn from(status: Status) -> Self {
        Self::Status(status)
    }
}

impl From<Malformed> for Failure {
    fn from(_: Malformed) -> Self {
        Self::Status(Status::BADXDR)
    }
}

pub(super) type Done = Result<(), Failure>;

/// Defines the operations that are supported: name, number, arguments, handler.
macro_rules! operations {
    ($($name:ident = $number:literal, $arguments:ty, $handler:path;)*) => {
        #[allow(missing_docs, reason = "each is the operation of its name")]
        pub mod operation {
            $(pub const $name: u32 = $number;)*
        }

        /// Reads the arguments of a known operation and carries it out. OPENATTR, layouts and so on are
        /// not supported, and their arguments are not read.
        fn carry_out(
            number: u32,
            compound: &mut Compound<'_>,
            arguments: &mut Reader<'_>,
            results: &mut Builder,
        ) -> Done {
            match number {
                $($number => arguments
                    .value::<$arguments>(stringify!($name))
                    .map_err(Failure::from)
                    .and_then(|arguments| $handler(compound, arguments, results)),)*
                _ => Err(Status::NOTSUPP.into()),
            }
        }

        /// Skips the arguments of an operation, as far as they are read when it is carried out.
        fn pass(number: u32, arguments: &mut Reader<'_>) -> Result<(), Malformed> {
            match number {
                $($number => arguments.value::<$arguments>(stringify!($name)).map(|_| ()),)*
                _ if (operation::ACCESS..=operation::REMOVEXATTR).contains(&number) => Ok(()),
                _ => Err(crate::rpc::value("operation", number)),
            }
        }
    };
}

operations! {
    ACCESS = 3, u32, handle::access;
    CLOSE = 4, (u32, StateId), file::close;
    COMMIT = 5, (u64, u32), file::commit;
    CREATE = 6, types::Create, directory::create;
    DELEGRETURN = 8, StateId, file::return_delegation;
    GETATTR = 9, Bitmap, handle::get_attributes;
    GETFH = 10, (), handle::get_handle;
    LINK = 11, Opaque, directory::link;
    LOCK = 12, types::Lock, locks::lock;
    LOCKT = 13, types::LockTest, locks::test;
    LOCKU = 14, types::Unlock, locks::unlock;
    LOOKUP = 15, Opaque, handle::lookup;
    LOOKUPP = 16, (), handle::lookup_parent;
    NVERIFY = 17, Values, handle::verify_not;
    OPEN = 18, types::Open, file::open;
    OPEN_DOWNGRADE = 21, (StateId, u32, (u32, u32)), file::downgrade;
    PUTFH = 22, Opaque, handle::put;
    PUTPUBFH = 23, (), handle::put_root;
    PUTROOTFH = 24, (), handle::put_root;
    READ = 25, types::Read, file::read;
    READDIR = 26, types::ReadDirectory, directory::read;
    READLINK = 27, (), handle::read_link;
    REMOVE = 28, Opaque, directory::remove;
    RENAME = 29, (Opaque, Opaque), directory::rename;
    RESTOREFH = 31, (), handle::restore;
    SAVEFH = 32, (), handle::save;
    SECINFO = 33, Opaque, handle::security;
    SETATTR = 34, (StateId, Values), handle::set_attributes;
    VERIFY = 37, Values, handle::verify;
    WRITE = 38, types::Write, file::write;
    BIND_CONN_TO_SESSION = 41, (types::SessionId, u32, bool), session::bind;
    EXCHANGE_ID = 42, types::ExchangeId, session::exchange_id;
    CREATE_SESSION = 43, types::CreateSession, session::create;
    DESTROY_SESSION = 44, types::SessionId, session::destroy;
    FREE_STATEID = 45, StateId, session::free_state;
    SECINFO_NO_NAME = 52, u32, handle::security_of_handle;
    SEQUENCE = 53, Sequence, session::sequence;
    TEST_STATEID = 55, List<StateId>, session::test_states;
    DESTROY_CLIENTID = 57, u64, session::destroy_client;
    RECLAIM_COMPLETE = 58, bool, session::reclaim_complete;
    ALLOCATE = 59, Stretch, extended::allocate;
    COPY = 60, types::Copy, extended::copy;
    DEALLOCATE = 62, Stretch, extended::deallocate;
    READ_PLUS = 68, types::Read, extended::read_plus;
    SEEK = 69, (StateId, u64, u32), extended::seek;
    GETXATTR = 72, Opaque, extended::get;
    SETXATTR = 73, types::SetExtended, extended::set;
    LISTXATTRS = 74, (u64, u32), extended::list;
    REMOVEXATTR = 75, Opaque, extended::remove;
}

/// Operations that need no session, and must then be the only operation (RFC 8881 section 18, each).
const ALONE: [u32; 5] = [
    operation::EXCHANGE_ID,
    operation::CREATE_SESSION,
    operation::BIND_CONN_TO_SESSION,
    operation::DESTROY_SESSION,
    operation::DESTROY_CLIENTID,
];

/// Carries out a COMPOUND.
///
/// # Errors
/// [`Refusal::GarbageArguments`] if not even the number of operations can be read.
pub(crate) fn compound(
    version: &mut Version4,
    export: &mut Export,
    stream: Option<u64>,
    arguments: &mut Reader<'_>,
    results: &mut Builder,
) -> Result<(), Refusal> {
    let bytes = arguments.rest().len();
    let tag = arguments.opaque("tag", LONGEST_TAG)?;
    let (minor, count) = (arguments.word("minor version")?, arguments.word("operations")?);
    let start = results.written();
    results.word(0).opaque(tag);
    let counted = results.written();
    results.word(0);
    if !(1..=2).contains(&minor) {
        results.patch(start, Status::MINOR_VERS_MISMATCH.0);
        return Ok(());
    }
    let mut compound = Compound {
        export,
        version,
        now: Instant::now(),
        stream,
        minor,
        count,
        index: 0,
        sequence: None,
        current: None,
        saved: None,
        current_state: None,
        saved_state: None,
        longest: usize::MAX,
    };
    for done in 0..count {
        compound.index = done;
        let outcome = compound.operation(done, bytes, arguments, results);
        match outcome {
            Ok(None) => results.patch(counted, done + 1),
            Ok(Some(again)) => {
                results.truncate(start);
                results.bytes.extend(&again.bytes);
                let moved = |item: &Range<usize>| item.start + start..item.end + start;
                results.eligible.extend(again.eligible.iter().map(moved));
                return Ok(());
            }
            Err(status) => {
                results.patch(counted, done + 1);
                results.patch(start, status.0);
                break;
            }
        }
    }
    if let Some((sequence, _)) = compound.sequence {
        let whole = results.bytes.get(start..).unwrap_or_default();
        let kept = if count > 1 && !sequence.cache && whole.len() > ALWAYS_KEPT {
            RpcMessage::plain(not_kept(whole, counted - start))
        } else {
            let moved = |item: &Range<usize>| item.start - start..item.end - start;
            let eligible = results.eligible.iter().map(moved).collect();
            RpcMessage { bytes: whole.to_vec(), eligible }
        };
        compound.version.sessions.keep(&sequence, kept);
    }
    Ok(())
}

/// Returns what is kept of results that are not kept: the result of SEQUENCE, and an error for the next
/// operation (RFC 8881 section 2.10.6.1.3).
fn not_kept(results: &[u8], counted: usize) -> Vec<u8> {
    let second = counted + 4 + SEQUENCE_RESULT;
    let operation = results.get(second..second + 4).unwrap_or_default();
    let mut kept = Builder::default();
    kept.fixed(results.get(..second).unwrap_or_default()).fixed(operation);
    kept.word(Status::RETRY_UNCACHED_REP.0);
    kept.patch(0, Status::RETRY_UNCACHED_REP.0);
    kept.patch(counted, 2);
    kept.bytes
}

/// Returns the status for a reply that would be longer than this.
fn too_big(sequence: &Sequence, longest: usize, fore: &Channel) -> Status {
    match sequence.cache && longest < fore.response as usize {
        true => Status::REP_TOO_BIG_TO_CACHE,
        false => Status::REP_TOO_BIG,
    }
}

impl Compound<'_> {
    /// Carries out the `index`th operation. For a retransmission, returns the results of the whole COMPOUND.
    fn operation(
        &mut self,
        index: u32,
        bytes: usize,
        arguments: &mut Reader<'_>,
        results: &mut Builder,
    ) -> Result<Option<RpcMessage>, Status> {
        let asked = arguments.word("operation");
        let number = asked.as_ref().ok().copied().unwrap_or(ILLEGAL);
        let known = number >= operation::ACCESS
            && number
                <= if self.minor > 1 {
                    operation::REMOVEXATTR
                } else {
                    operation::RECLAIM_COMPLETE
                };
        results.word(if known { number } else { ILLEGAL });
        let at = results.written();
        results.word(0);
        let outcome = match self.in_order(index, number, known, bytes, results.written()) {
            Err(status) => Err(status.into()),
            Ok(()) if asked.is_err() => Err(Status::BADXDR.into()),
            Ok(()) if index == 0 && number == operation::SEQUENCE => {
                match self.sequence(arguments, results) {
                    Ok(Request::Again(again)) => return Ok(Some(again)),
                    Ok(_) => Ok(()),
                    Err(status) => Err(status.into()),
                }
            }
            Ok(()) => carry_out(number, self, arguments, results),
        };
        let with = match &outcome {
            Err(Failure::With(_, with)) => with.len(),
            _ => 0,
        };
        let outcome = match self.beyond(results.written() + with) {
            Some(status) if index > 0 => Err(status.into()),
            _ => outcome,
        };
        let (status, with) = match outcome {
            Ok(()) => return Ok(None),
            // The mask of set attributes follows even on failure: none were set (RFC 8881 section 18.30.2).
            Err(Failure::Status(status)) if number == operation::SETATTR => (status, vec![0; 4]),
            Err(Failure::Status(status)) => (status, Vec::new()),
            Err(Failure::With(status, with)) => (status, with),
        };
        results.truncate(at);
        results.word(status.0).fixed(&with);
        Err(status)
    }

    /// Checks that an operation is allowed in its position.
    fn in_order(
        &self,
        index: u32,
        number: u32,
        known: bool,
        bytes: usize,
        written: usize,
    ) -> Result<(), Status> {
        if !known {
            return Err(Status::OP_ILLEGAL);
        }
        match (&self.sequence, index) {
            (None, 0) if number == operation::SEQUENCE => {}
            (None, 0) if ALONE.contains(&number) => {
                if self.count > 1 {
                    return Err(Status::NOT_ONLY_OP);
                }
            }
            (None, _) => return Err(Status::OP_NOT_IN_SESSION),
            (Some(_), _) if number == operation::SEQUENCE => return Err(Status::SEQUENCE_POS),
            // The only one of these operations that must always be alone (RFC 8881 section 18.34.3).
            (Some(_), _) if number == operation::BIND_CONN_TO_SESSION => {
                return Err(Status::NOT_ONLY_OP);
            }
            (Some((sequence, _)), _) => {
                let session = self.version.sessions.sessions.get(&sequence.session);
                let Some(fore) = session.map(|session| session.fore) else { return Ok(()) };
                if self.count > fore.operations {
                    return Err(Status::TOO_MANY_OPS);
                }
                if bytes > fore.request as usize {
                    return Err(Status::REQ_TOO_BIG);
                }
                if written + ROOM > self.longest {
                    return Err(too_big(sequence, self.longest, &fore));
                }
            }
        }
        Ok(())
    }

    /// Whether the results, with those of the last operation, exceed the agreed size (RFC 8881 section
    /// 2.10.6.4). A changing operation has results of less than [`ROOM`], so nothing was changed then.
    fn beyond(&self, written: usize) -> Option<Status> {
        let (sequence, _) = self.sequence.as_ref()?;
        let fore = self.version.sessions.sessions.get(&sequence.session)?.fore;
        (written > self.longest).then(|| too_big(sequence, self.longest, &fore))
    }

    /// Carries out SEQUENCE as the first operation.
    fn sequence(
        &mut self,
        arguments: &mut Reader<'_>,
        results: &mut Builder,
    ) -> Result<Request, Status> {
        let asked: Sequence = arguments.value("SEQUENCE")?;
        let request = self.version.sessions.sequence(&asked, self.now)?;
        let session = self.version.sessions.sessions.get(&asked.session);
        let session = session.ok_or(Status::BADSESSION)?;
        let (client, highest) = (session.client, session.fore.slots - 1);
        let kept = if asked.cache { LEAST_KEPT.max(session.fore.cached) } else { u32::MAX };
        self.longest = session.fore.response.min(kept) as usize;
        if matches!(request, Request::New) {
            self.sequence = Some((asked, client));
        }
        session::sequenced(self, &asked, client, highest, results);
        Ok(request)
    }

    /// Returns the client that owns the session.
    ///
    /// # Errors
    /// [`Status::OP_NOT_IN_SESSION`] before SEQUENCE.
    pub(super) fn client(&self) -> Result<u64, Status> {
        self.sequence.as_ref().map(|(_, client)| *client).ok_or(Status::OP_NOT_IN_SESSION)
    }

    /// Returns the current object.
    ///
    /// # Errors
    /// [`Status::NOFILEHANDLE`].
    pub(super) fn object(&self) -> Result<&Object, Status> {
        self.current.as_ref().ok_or(Status::NOFILEHANDLE)
    }

    /// Returns the current object if it is a directory.
    ///
    /// # Errors
    /// [`Status::NOFILEHANDLE`], [`Status::SYMLINK`], [`Status::NOTDIR`].
    pub(super) fn directory(&self) -> Result<Object, Status> {
        handle::directory(self.object()?)
    }

    /// Returns the saved object.
    ///
    /// # Errors
    /// [`Status::NOFILEHANDLE`].
    pub(super) fn saved(&self) -> Result<&Object, Status> {
        self.saved.as_ref().ok_or(Status::NOFILEHANDLE)
    }

    /// Returns a state ID, or the current state ID if `id` stands for it (RFC 8881 section 16.2.3.1.2).
    ///
    /// # Errors
    /// [`Status::BAD_STATEID`] if there is none.
    pub(super) fn state(&self, id: StateId) -> Result<StateId, Status> {
        match (id.sequence, id.other == [0; 12]) {
            (1, true) => self.current_state.ok_or(Status::BAD_STATEID),
            (u32::MAX, true) => Err(Status::BAD_STATEID),
            _ => Ok(id),
        }
    }

    /// Returns how many bytes of data an operation may still return.
    pub(super) fn room(&self, results: &Builder) -> u32 {
        let most = self.longest.saturating_sub(results.written() + ROOM);
        u32::try_from(most).unwrap_or(u32::MAX).min(self.export.options.most_data)
    }
}

/// Returns the arguments of a COMPOUND that may move by chunks: the data of WRITE, the target of a link that
/// CREATE makes (RFC 8267 section 6.1). `length` is the length of the whole call.
pub(crate) fn eligible_arguments(
    length: usize,
    reader: &mut Reader<'_>,
) -> Result<Vec<Range<usize>>, Malformed> {
    let mut found = Vec::new();
    reader.opaque("tag", LONGEST_TAG)?;
    reader.word("minor version")?;
    let count = reader.word("operations")?;
    for _ in 0..count {
        let number = reader.word("operation")?;
        let mut ahead = reader.clone();
        let before = match number {
            operation::WRITE => ahead.value::<(StateId, u64, u32)>("WRITE").map(|_| true)?,
            operation::CREATE => ahead.word("object type")? == 5,
            _ => false,
        };
        if before {
            let start = length - ahead.rest().len() + 4;
            found.push(start..start + ahead.opaque("eligible argument", u32::MAX)?.len());
        }
        // The data is the last argument of a WRITE, and is skipped without a copy.
        match number {
            operation::WRITE => *reader = ahead,
            number => pass(number, reader)?,
        }
    }
    Ok(found)
}
