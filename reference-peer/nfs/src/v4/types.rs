//! Types that several operations share in arguments and results (RFC 8881 sections 3.3, 18; RFC 7862 section
//! 3; RFC 8276 section 8).

use crate::protocol::FileType;
use crate::rpc::{AuthSys, Builder, Credential, Reader, value};
use crate::xdr::{Xdr, xdr};
use warpscope_wire::Malformed;

/// Opaque data or a string that no transport may move by chunks.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Opaque(pub Vec<u8>);

impl Xdr for Opaque {
    fn read(reader: &mut Reader<'_>, field: &'static str) -> Result<Self, Malformed> {
        Ok(Self(reader.opaque(field, u32::MAX)?.to_vec()))
    }

    fn write(&self, builder: &mut Builder) {
        builder.opaque(&self.0);
    }
}

/// An array of variable length. Memory grows with the data received, not with the claimed length.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct List<T>(pub Vec<T>);

impl<T: Xdr> Xdr for List<T> {
    fn read(reader: &mut Reader<'_>, field: &'static str) -> Result<Self, Malformed> {
        let count = reader.word(field)?;
        let mut list = Vec::new();
        for _ in 0..count {
            list.push(T::read(reader, field)?);
        }
        Ok(Self(list))
    }

    fn write(&self, builder: &mut Builder) {
        builder.word(self.0.len() as u32);
        self.0.iter().for_each(|item| item.write(builder));
    }
}

/// A set of small numbers: attributes, operations (bitmap4).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Bitmap(pub Vec<u32>);

impl Bitmap {
    /// Creates the set of these numbers.
    pub fn of(numbers: impl IntoIterator<Item = u32>) -> Self {
        let mut words: Vec<u32> = Vec::new();
        for number in numbers {
            let at = (number / 32) as usize;
            if words.len() <= at {
                words.resize(at + 1, 0);
            }
            if let Some(word) = words.get_mut(at) {
                *word |= 1 << (number % 32);
            }
        }
        Self(words)
    }

    /// Whether the set contains a number.
    pub fn has(&self, number: u32) -> bool {
        self.0.get((number / 32) as usize).is_some_and(|word| word & 1 << (number % 32) != 0)
    }

    /// Returns its numbers in ascending order.
    pub fn numbers(&self) -> impl Iterator<Item = u32> {
        let words = self.0.iter().zip(0_u32..);
        words.flat_map(|(word, at)| {
            (0..32).filter(move |bit| word & 1 << bit != 0).map(move |bit| at * 32 + bit)
        })
    }
}

impl Xdr for Bitmap {
    fn read(reader: &mut Reader<'_>, field: &'static str) -> Result<Self, Malformed> {
        Ok(Self(reader.value::<List<u32>>(field)?.0))
    }

    fn write(&self, builder: &mut Builder) {
        let used = self.0.iter().rposition(|word| *word != 0).map_or(0, |last| last + 1);
        builder.word(used as u32);
        self.0.iter().take(used).for_each(|word| _ = builder.word(*word));
    }
}

/// A session ID (sessionid4).
pub type SessionId = [u8; 16];

xdr! {
    /// A state ID (stateid4, RFC 8881 section 8.2).
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub struct StateId {
        /// The version of the state; 0 means the latest.
        pub sequence: u32 = "state ID",
        /// The rest of the state ID, which identifies the state.
        pub other: [u8; 12] = "state ID",
    }

    /// Attributes and their values (fattr4).
    #[derive(Debug, Clone, PartialEq, Eq, Default)]
    pub struct Values {
        /// The attributes that are present.
        pub mask: Bitmap = "attribute mask",
        /// Their values, in the order of their numbers.
        pub values: Opaque = "attribute values",
    }

    /// The change attribute of a directory before and after an operation (change_info4).
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub struct ChangeInfo {
        /// Whether nothing else can have changed the directory in between.
        pub atomic: bool = "atomic",
        /// The value before the operation.
        pub before: u64 = "change before",
        /// The value after the operation.
        pub after: u64 = "change after",
    }

    /// The limits of a session channel (channel_attrs4).
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub struct Channel {
        /// Padding after headers.
        pub padding: u32 = "header padding",
        /// The longest request in bytes.
        pub request: u32 = "maximum request size",
        /// The longest reply in bytes.
        pub response: u32 = "maximum response size",
        /// The longest reply that is kept, in bytes.
        pub cached: u32 = "maximum cached response size",
        /// The most operations of a COMPOUND.
        pub operations: u32 = "maximum operations",
        /// The number of slots.
        pub slots: u32 = "maximum requests",
        /// The inbound RDMA read queue depth, if given.
        pub rdma_ird: Option<u32> = "RDMA IRD",
    }

    /// The identity of a client (client_owner4).
    #[derive(Debug, Clone, PartialEq, Eq, Default)]
    pub struct ClientOwner {
        /// A value that changes with each restart of the client.
        pub verifier: [u8; 8] = "client verifier",
        /// The identity of the client, the same after each restart.
        pub owner: Opaque = "client owner",
    }

    /// The origin of an implementation (nfs_impl_id4).
    #[derive(Debug, Clone, PartialEq, Eq, Default)]
    pub struct Implementation {
        /// The domain of the implementer.
        pub domain: Opaque = "implementation domain",
        /// The name of the implementation.
        pub name: Opaque = "implementation name",
        /// The date in seconds since 1970.
        pub seconds: u64 = "implementation date",
        /// Nanoseconds after the seconds.
        pub nanoseconds: u32 = "implementation date",
    }

    /// The arguments of EXCHANGE_ID (RFC 8881 section 18.35).
    #[derive(Debug, Clone, PartialEq, Eq, Default)]
    pub struct ExchangeId {
        /// The requesting client.
        pub client: ClientOwner = "client owner",
        /// The requested flags.
        pub flags: u32 = "flags",
        /// How state is protected.
        pub protection: Protection = "state protection",
        /// The implementation of the client.
        pub implementation: Option<Implementation> = "implementation",
    }

    /// The arguments of CREATE_SESSION (RFC 8881 section 18.36).
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct CreateSession {
        /// The client ID.
        pub client: u64 = "client ID",
        /// The sequence ID of EXCHANGE_ID, or the one after the last CREATE_SESSION.
        pub sequence: u32 = "sequence ID",
        /// The requested flags.
        pub flags: u32 = "flags",
        /// The channel from client to server.
        pub fore: Channel = "fore channel",
        /// The channel from server to client.
        pub back: Channel = "back channel",
        /// The program number of backward calls.
        pub program: u32 = "callback program",
        /// Credentials for backward calls.
        pub security: List<CallbackSecurity> = "callback security",
    }

    /// The arguments of SEQUENCE (RFC 8881 section 18.46).
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub struct Sequence {
        /// The session.
        pub session: SessionId = "session ID",
        /// The sequence ID of the request in its slot.
        pub sequence: u32 = "sequence ID",
        /// The slot.
        pub slot: u32 = "slot ID",
        /// The highest slot in use.
        pub highest: u32 = "highest slot ID",
        /// Whether the reply should be kept.
        pub cache: bool = "cache this",
    }

    /// The owner of an open or lock (open_owner4, lock_owner4).
    #[derive(Debug, Clone, PartialEq, Eq, Default, Hash)]
    pub struct Owner {
        /// The client ID; ignored, because the session determines it (RFC 8881 section 18.16.3).
        pub client: u64 = "client ID",
        /// The owner.
        pub owner: Opaque = "owner",
    }

    /// The arguments of OPEN (RFC 8881 section 18.16).
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Open {
        /// Ignored.
        pub sequence: u32 = "sequence ID",
        /// Reading (1), writing (2), and the wanted delegation.
        pub access: u32 = "share access",
        /// The access denied to others.
        pub deny: u32 = "share deny",
        /// The owner of the open.
        pub owner: Owner = "open owner",
        /// Whether the file is created, and how.
        pub how: Making = "open type",
        /// What is opened.
        pub claim: Claim = "open claim",
    }

    /// A byte range with its state.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub struct Stretch {
        /// The state.
        pub state: StateId = "state ID",
        /// The offset of the first byte.
        pub offset: u64 = "offset",
        /// The number of bytes.
        pub length: u64 = "length",
    }

    /// The arguments of READ and READ_PLUS (RFC 8881 section 18.22, RFC 7862 section 15.10).
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub struct Read {
        /// The state.
        pub state: StateId = "state ID",
        /// The offset of the first byte.
        pub offset: u64 = "offset",
        /// The number of bytes.
        pub count: u32 = "count",
    }

    /// The arguments of WRITE (RFC 8881 section 18.32).
    #[derive(Debug, Clone, PartialEq, Eq, Default)]
    pub struct Write {
        /// The state.
        pub state: StateId = "state ID",
        /// The offset of the first byte.
        pub offset: u64 = "offset",
        /// What must be on stable storage for the reply.
        pub stable: u32 = "stable",
        /// The data.
        pub data: Vec<u8> = "data",
    }

    /// The arguments of COPY (RFC 7862 section 15.2).
    #[derive(Debug, Clone, PartialEq, Eq, Default)]
    pub struct Copy {
        /// The state of the source.
        pub source: StateId = "source state ID",
        /// The state of the destination.
        pub destination: StateId = "destination state ID",
        /// The offset of the first byte in the source.
        pub source_offset: u64 = "source offset",
        /// The offset of the first byte in the destination.
        pub destination_offset: u64 = "destination offset",
        /// The number of bytes; 0 means up to the end.
        pub count: u64 = "count",
        /// Whether the copy is in order.
        pub consecutive: bool = "consecutive",
        /// Whether the copy completes before the reply.
        pub synchronous: bool = "synchronous",
        /// Other servers that have the source; none is accepted.
        pub servers: u32 = "source servers",
    }

    /// The arguments of READDIR (RFC 8881 section 18.23).
    #[derive(Debug, Clone, PartialEq, Eq, Default)]
    pub struct ReadDirectory {
        /// The cookie of the entry to continue after.
        pub cookie: u64 = "cookie",
        /// The verifier that came with the cookie.
        pub verifier: [u8; 8] = "cookie verifier",
        /// The most bytes of names and cookies; a hint.
        pub directory_count: u32 = "directory count",
        /// The most bytes of the result.
        pub maximum: u32 = "maximum count",
        /// The requested attributes of each entry.
        pub attributes: Bitmap = "attribute request",
    }

    /// The arguments of CREATE (RFC 8881 section 18.4).
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Create {
        /// The kind of object to create.
        pub kind: Kind = "object type",
        /// Its name in the directory.
        pub name: Opaque = "name",
        /// Its attributes.
        pub attributes: Values = "attributes",
    }

    /// The arguments of LOCK (RFC 8881 section 18.10).
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Lock {
        /// READ_LT (1), WRITE_LT (2), READW_LT (3), WRITEW_LT (4).
        pub kind: u32 = "lock type",
        /// Whether it reclaims a lock from before the server's restart.
        pub reclaim: bool = "reclaim",
        /// The offset of the first byte.
        pub offset: u64 = "offset",
        /// The number of bytes; all ones means to the end of any file.
        pub length: u64 = "length",
        /// The owner of the lock.
        pub locker: Locker = "locker",
    }

    /// The arguments of LOCKT (RFC 8881 section 18.11).
    #[derive(Debug, Clone, PartialEq, Eq, Default)]
    pub struct LockTest {
        /// As in LOCK.
        pub kind: u32 = "lock type",
        /// The offset of the first byte.
        pub offset: u64 = "offset",
        /// The number of bytes.
        pub length: u64 = "length",
        /// The owner of the lock.
        pub owner: Owner = "lock owner",
    }

    /// The arguments of LOCKU (RFC 8881 section 18.12).
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub struct Unlock {
        /// Ignored.
        pub kind: u32 = "lock type",
        /// Ignored.
        pub sequence: u32 = "sequence ID",
        /// The range, and the state of the locks.
        pub stretch: Stretch = "stretch",
    }

    /// The arguments of SETXATTR (RFC 8276 section 8.4.2).
    #[derive(Debug, Clone, PartialEq, Eq, Default)]
    pub struct SetExtended {
        /// Create or replace (0), only create (1), only replace (2).
        pub how: u32 = "option",
        /// The name, without `user.`.
        pub name: Opaque = "name",
        /// The value.
        pub value: Opaque = "value",
    }
}

/// How state is protected (state_protect4_a).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Protection {
    /// SP4_NONE.
    #[default]
    None,
    /// SP4_MACH_CRED or SP4_SSV.
    Other(u32),
}

impl Xdr for Protection {
    fn read(reader: &mut Reader<'_>, field: &'static str) -> Result<Self, Malformed> {
        let how = reader.word(field)?;
        if how > 2 {
            return Err(value(field, how));
        }
        if how > 0 {
            reader.value::<(Bitmap, Bitmap)>(field)?;
        }
        if how == 2 {
            // Hash and encryption algorithms, window, number of handles.
            reader.value::<(List<Opaque>, List<Opaque>, (u32, u32))>(field)?;
        }
        Ok(if how == 0 { Self::None } else { Self::Other(how) })
    }

    fn write(&self, builder: &mut Builder) {
        match self {
            Self::None => builder.word(0),
            Self::Other(how) => builder.word(*how),
        };
    }
}

/// A credential for backward calls (callback_sec_parms4); `None` stands for RPCSEC_GSS.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallbackSecurity(pub Option<Credential>);

impl Xdr for CallbackSecurity {
    fn read(reader: &mut Reader<'_>, field: &'static str) -> Result<Self, Malformed> {
        Ok(Self(match reader.word(field)? {
            0 => Some(Credential::None),
            1 => Some(Credential::Sys(AuthSys::read(reader)?)),
            6 => {
                reader.value::<(u32, Opaque, Opaque)>(field)?;
                None
            }
            other => return Err(value(field, other)),
        }))
    }

    fn write(&self, builder: &mut Builder) {
        match &self.0 {
            Some(Credential::Sys(user)) => {
                builder.word(1).word(user.stamp).opaque(&user.machine_name);
                builder.word(user.user).word(user.group).word(user.groups.len() as u32);
                user.groups.iter().for_each(|group| _ = builder.word(*group));
            }
            _ => _ = builder.word(0),
        }
    }
}

/// Whether OPEN creates the file, and how (openflag4).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Making {
    /// The file must exist.
    No,
    /// Creates the file if it does not exist.
    Unchecked(Values),
    /// Creates the file, which must not exist.
    Guarded(Values),
    /// Like guarded, but repeating the same call is not an error.
    Exclusive([u8; 8]),
    /// Like exclusive, with attributes.
    ExclusiveWith([u8; 8], Values),
}

impl Xdr for Making {
    fn read(reader: &mut Reader<'_>, field: &'static str) -> Result<Self, Malformed> {
        match reader.word(field)? {
            0 => return Ok(Self::No),
            1 => {}
            other => return Err(value(field, other)),
        }
        Ok(match reader.word("create mode")? {
            0 => Self::Unchecked(reader.value(field)?),
            1 => Self::Guarded(reader.value(field)?),
            2 => Self::Exclusive(reader.value(field)?),
            3 => Self::ExclusiveWith(reader.value(field)?, reader.value(field)?),
            other => return Err(value("create mode", other)),
        })
    }

    fn write(&self, builder: &mut Builder) {
        match self {
            Self::No => builder.word(0),
            Self::Unchecked(values) => builder.word(1).word(0).value(values),
            Self::Guarded(values) => builder.word(1).word(1).value(values),
            Self::Exclusive(verifier) => builder.word(1).word(2).value(verifier),
            Self::ExclusiveWith(verifier, values) => {
                builder.word(1).word(3).value(verifier).value(values)
            }
        };
    }
}

/// What OPEN opens (open_claim4).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Claim {
    /// A name in the current directory.
    Null(Opaque),
    /// The current file, which was open before the server's restart.
    Previous(u32),
    /// A name, under a delegation.
    DelegateCurrent(StateId, Opaque),
    /// A name, under a delegation from before the client's restart.
    DelegatePrevious(Opaque),
    /// The current file.
    Handle,
    /// The current file, under a delegation.
    DelegateCurrentHandle(StateId),
    /// The current file, under a delegation from before the client's restart.
    DelegatePreviousHandle,
}

impl Xdr for Claim {
    fn read(reader: &mut Reader<'_>, field: &'static str) -> Result<Self, Malformed> {
        Ok(match reader.word(field)? {
            0 => Self::Null(reader.value(field)?),
            1 => Self::Previous(reader.value(field)?),
            2 => Self::DelegateCurrent(reader.value(field)?, reader.value(field)?),
            3 => Self::DelegatePrevious(reader.value(field)?),
            4 => Self::Handle,
            5 => Self::DelegateCurrentHandle(reader.value(field)?),
            6 => Self::DelegatePreviousHandle,
            other => return Err(value(field, other)),
        })
    }

    fn write(&self, builder: &mut Builder) {
        match self {
            Self::Null(name) => builder.word(0).value(name),
            Self::Previous(kind) => builder.word(1).word(*kind),
            Self::DelegateCurrent(state, name) => builder.word(2).value(state).value(name),
            Self::DelegatePrevious(name) => builder.word(3).value(name),
            Self::Handle => builder.word(4),
            Self::DelegateCurrentHandle(state) => builder.word(5).value(state),
            Self::DelegatePreviousHandle => builder.word(6),
        };
    }
}

/// The object that CREATE creates (createtype4).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// A symbolic link to this target.
    Link(Vec<u8>),
    /// A device with these numbers.
    Device(FileType, (u32, u32)),
    /// A directory, a socket, a named pipe, or a type that cannot be created this way.
    Plain(u32),
}

impl Xdr for Kind {
    fn read(reader: &mut Reader<'_>, field: &'static str) -> Result<Self, Malformed> {
        let number = reader.word(field)?;
        Ok(match FileType::from_repr(number) {
            Some(FileType::SymbolicLink) => Self::Link(reader.value("link data")?),
            Some(kind @ (FileType::BlockDevice | FileType::CharacterDevice)) => {
                Self::Device(kind, reader.value("device numbers")?)
            }
            _ => Self::Plain(number),
        })
    }

    fn write(&self, builder: &mut Builder) {
        match self {
            Self::Link(target) => builder.word(FileType::SymbolicLink as u32).value(target),
            Self::Device(kind, numbers) => builder.word(*kind as u32).value(numbers),
            Self::Plain(number) => builder.word(*number),
        };
    }
}

/// The owner of a lock (locker4).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Locker {
    /// An owner that has no locks in this open yet.
    New {
        /// The state ID of the open.
        open: StateId,
        /// The lock owner.
        owner: Owner,
    },
    /// The owner of this lock state.
    Known(StateId),
}

impl Xdr for Locker {
    fn read(reader: &mut Reader<'_>, field: &'static str) -> Result<Self, Malformed> {
        if reader.boolean(field)? {
            // The sequence IDs before the open and before the owner are for version 4.0 only.
            let (_, open, _): (u32, _, u32) = reader.value(field)?;
            return Ok(Self::New { open, owner: reader.value(field)? });
        }
        let (state, _): (_, u32) = reader.value(field)?;
        Ok(Self::Known(state))
    }

    fn write(&self, builder: &mut Builder) {
        match self {
            Self::New { open, owner } => {
                builder.boolean(true).word(0).value(open).word(0).value(owner)
            }
            Self::Known(state) => builder.boolean(false).value(state).word(0),
        };
    }
}
