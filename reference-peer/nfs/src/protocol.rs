//! Numbers of the two programs, NFS and MOUNT (RFC 1813 section 3, appendix I).

use super::rpc::{Builder, Reader, value};
use super::xdr::{Xdr, xdr};
use rustix::io::Errno;
use std::fmt;
use warpscope_wire::Malformed;

/// The program number of NFS.
pub const NFS: u32 = 100_003;
/// The program number of MOUNT.
pub const MOUNT: u32 = 100_005;
/// The version of MOUNT, and the version of NFS that uses it.
pub const VERSION: u32 = 3;
/// The version of NFS that has sessions, from its minor version 1 on.
pub const VERSION_4: u32 = 4;
/// The longest file handle in bytes.
pub const LONGEST_HANDLE: u32 = 64;
/// The longest path of MOUNT in bytes.
pub const LONGEST_MOUNT_PATH: u32 = 1024;

/// Procedures of NFS.
#[allow(missing_docs, reason = "each is the procedure of its name")]
pub mod procedure {
    pub const NULL: u32 = 0;
    pub const GETATTR: u32 = 1;
    pub const SETATTR: u32 = 2;
    pub const LOOKUP: u32 = 3;
    pub const ACCESS: u32 = 4;
    pub const READLINK: u32 = 5;
    pub const READ: u32 = 6;
    pub const WRITE: u32 = 7;
    pub const CREATE: u32 = 8;
    pub const MKDIR: u32 = 9;
    pub const SYMLINK: u32 = 10;
    pub const MKNOD: u32 = 11;
    pub const REMOVE: u32 = 12;
    pub const RMDIR: u32 = 13;
    pub const RENAME: u32 = 14;
    pub const LINK: u32 = 15;
    pub const READDIR: u32 = 16;
    pub const READDIRPLUS: u32 = 17;
    pub const FSSTAT: u32 = 18;
    pub const FSINFO: u32 = 19;
    pub const PATHCONF: u32 = 20;
    pub const COMMIT: u32 = 21;
}

/// Procedures of MOUNT.
#[allow(missing_docs, reason = "each is the procedure of its name")]
pub mod mount {
    pub const NULL: u32 = 0;
    pub const MNT: u32 = 1;
    pub const DUMP: u32 = 2;
    pub const UMNT: u32 = 3;
    pub const UMNTALL: u32 = 4;
    pub const EXPORT: u32 = 5;
}

/// The bits of ACCESS (RFC 1813 section 3.3.4).
#[allow(missing_docs, reason = "each is the right of its name")]
pub mod access {
    pub const READ: u32 = 0x01;
    pub const LOOKUP: u32 = 0x02;
    pub const MODIFY: u32 = 0x04;
    pub const EXTEND: u32 = 0x08;
    pub const DELETE: u32 = 0x10;
    pub const EXECUTE: u32 = 0x20;
}

// The status of a result (RFC 1813 section 2.6), and of a mount (RFC 1813 appendix I).

/// A status of NFS version 3 or 4, or of MOUNT: they use the same value for the same status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Status(pub u32);

/// Defines the statuses and their names.
macro_rules! statuses {
    ($($name:ident = $value:literal, $meaning:literal;)*) => {
        #[allow(missing_docs, reason = "the table below has the meaning of each")]
        impl Status { $(pub const $name: Self = Self($value);)* }
        const NAMES: &[(u32, &str, &str)] = &[$(($value, stringify!($name), $meaning),)*];
    };
}

statuses! {
    OK = 0, "done";
    PERM = 1, "not the owner";
    NOENT = 2, "no such file or directory";
    IO = 5, "input or output failed";
    NXIO = 6, "no such device";
    ACCES = 13, "permission denied";
    EXIST = 17, "it already exists";
    XDEV = 18, "between two file systems";
    NODEV = 19, "no such device";
    NOTDIR = 20, "not a directory";
    ISDIR = 21, "a directory";
    INVAL = 22, "invalid or unsupported argument";
    FBIG = 27, "the file would be too large";
    NOSPC = 28, "no space left";
    ROFS = 30, "the file system is read-only";
    MLINK = 31, "too many hard links";
    NAMETOOLONG = 63, "the name is too long";
    NOTEMPTY = 66, "the directory is not empty";
    DQUOT = 69, "the quota is used up";
    STALE = 70, "the file handle's object is gone";
    REMOTE = 71, "too many levels of remote";
    BADHANDLE = 10001, "not a file handle of this server";
    NOT_SYNC = 10002, "the object was changed by another client";
    BAD_COOKIE = 10003, "no such place in the directory";
    NOTSUPP = 10004, "not supported";
    TOOSMALL = 10005, "the buffer or request is too small";
    SERVERFAULT = 10006, "the server failed";
    BADTYPE = 10007, "objects of this type cannot be made";
    JUKEBOX = 10008, "not yet: try again later";
    // Only in version 4 (RFC 8881 section 15.1, RFC 7862 section 11, RFC 8276 section 8.5).
    SAME = 10009, "the attributes are the same";
    DENIED = 10010, "another lock conflicts";
    EXPIRED = 10011, "the lease ran out";
    LOCKED = 10012, "another open denies it";
    GRACE = 10013, "not yet: clients reclaim what they held";
    FHEXPIRED = 10014, "the file handle is no longer valid";
    SHARE_DENIED = 10015, "another open conflicts";
    WRONGSEC = 10016, "another security flavor is required";
    CLID_INUSE = 10017, "another client has that name";
    MOVED = 10019, "it is on another server";
    NOFILEHANDLE = 10020, "there is no current or saved file handle";
    MINOR_VERS_MISMATCH = 10021, "no such minor version";
    STALE_CLIENTID = 10022, "no such client ID";
    STALE_STATEID = 10023, "a state ID from before the server's restart";
    OLD_STATEID = 10024, "the state ID has been replaced";
    BAD_STATEID = 10025, "no such state ID";
    NOT_SAME = 10027, "the attributes or verifiers differ";
    SYMLINK = 10029, "a symbolic link";
    ATTRNOTSUPP = 10032, "an attribute that is not supported";
    NO_GRACE = 10033, "nothing can be reclaimed now";
    BADXDR = 10036, "the arguments cannot be decoded";
    LOCKS_HELD = 10037, "locks or opens are held";
    OPENMODE = 10038, "not open for that";
    BADOWNER = 10039, "no such owner";
    BADCHAR = 10040, "a byte that is not allowed in a name";
    BADNAME = 10041, "not a name";
    OP_ILLEGAL = 10044, "no such operation";
    BADSESSION = 10052, "no such session";
    BADSLOT = 10053, "no such slot";
    COMPLETE_ALREADY = 10054, "reclaiming is already complete";
    CONN_NOT_BOUND_TO_SESSION = 10055, "the stream is not the session's";
    SEQ_MISORDERED = 10063, "not the next sequence ID";
    SEQUENCE_POS = 10064, "SEQUENCE is not the first operation";
    REQ_TOO_BIG = 10065, "the request is longer than agreed";
    REP_TOO_BIG = 10066, "the reply would be longer than agreed";
    REP_TOO_BIG_TO_CACHE = 10067, "the reply would be longer than is kept";
    RETRY_UNCACHED_REP = 10068, "the reply was not kept";
    TOO_MANY_OPS = 10070, "more operations than agreed";
    OP_NOT_IN_SESSION = 10071, "no SEQUENCE before it";
    CLIENTID_BUSY = 10074, "the client ID has sessions or state";
    SEQ_FALSE_RETRY = 10076, "another request with the sequence ID of an earlier one";
    DEADSESSION = 10078, "the session is dead";
    NOT_ONLY_OP = 10081, "must be the only operation";
    WRONG_TYPE = 10083, "an object of another type";
    DELEG_REVOKED = 10087, "the delegation was revoked";
    UNION_NOTSUPP = 10090, "an arm of a union that is not supported";
    NOXATTR = 10095, "no such extended attribute";
    XATTR2BIG = 10096, "the extended attribute is too large";
}

impl Status {
    fn row(self) -> Option<&'static (u32, &'static str, &'static str)> {
        NAMES.iter().find(|(value, ..)| *value == self.0)
    }
}

impl fmt::Display for Status {
    /// Prints `NFS3ERR_NOENT (no such file or directory)`; with `NFS4ERR_` if version 3 has no such status.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.row() {
            Some((0, ..)) => f.write_str("NFS3_OK"),
            Some((value, name, meaning)) => {
                let version = if *value > Self::JUKEBOX.0 { VERSION_4 } else { VERSION };
                write!(f, "NFS{version}ERR_{name} ({meaning})")
            }
            None => write!(f, "unknown status {}", self.0),
        }
    }
}

impl std::error::Error for Status {}

/// A status from a version 4 server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Status4(pub Status);

impl fmt::Display for Status4 {
    /// Prints `NFS4ERR_NOENT (no such file or directory)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.row() {
            Some((_, "JUKEBOX", meaning)) => write!(f, "NFS4ERR_DELAY ({meaning})"),
            Some((_, "ACCES", meaning)) => write!(f, "NFS4ERR_ACCESS ({meaning})"),
            Some((1.., name, meaning)) => write!(f, "NFS4ERR_{name} ({meaning})"),
            _ => write!(f, "status {}", self.0.0),
        }
    }
}

/// The NFS status of each system error; any other error is an I/O error.
const ERRORS: &[(Errno, Status)] = &[
    (Errno::PERM, Status::PERM),
    (Errno::NOENT, Status::NOENT),
    (Errno::NXIO, Status::NXIO),
    (Errno::ACCESS, Status::ACCES),
    (Errno::EXIST, Status::EXIST),
    (Errno::XDEV, Status::XDEV),
    (Errno::NODEV, Status::NODEV),
    (Errno::NOTDIR, Status::NOTDIR),
    (Errno::LOOP, Status::NOTDIR),
    (Errno::ISDIR, Status::ISDIR),
    (Errno::INVAL, Status::INVAL),
    (Errno::FBIG, Status::FBIG),
    (Errno::NOSPC, Status::NOSPC),
    (Errno::ROFS, Status::ROFS),
    (Errno::MLINK, Status::MLINK),
    (Errno::NAMETOOLONG, Status::NAMETOOLONG),
    (Errno::NOTEMPTY, Status::NOTEMPTY),
    (Errno::DQUOT, Status::DQUOT),
    (Errno::STALE, Status::STALE),
    (Errno::OPNOTSUPP, Status::NOTSUPP),
    (Errno::NOSYS, Status::NOTSUPP),
    (Errno::MFILE, Status::JUKEBOX),
    (Errno::NFILE, Status::JUKEBOX),
    (Errno::NOMEM, Status::JUKEBOX),
];

impl From<Errno> for Status {
    fn from(error: Errno) -> Self {
        ERRORS.iter().find(|(errno, _)| *errno == error).map_or(Self::IO, |(_, status)| *status)
    }
}

// Attributes of an object, changes to them, and attributes before and after an operation (RFC 1813 section
// 2.6).

/// The type of an object (ftype3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, strum::FromRepr)]
#[repr(u32)]
pub enum FileType {
    /// A regular file.
    #[default]
    Regular = 1,
    /// A directory.
    Directory = 2,
    /// A block device.
    BlockDevice = 3,
    /// A character device.
    CharacterDevice = 4,
    /// A symbolic link.
    SymbolicLink = 5,
    /// A socket.
    Socket = 6,
    /// A named pipe.
    NamedPipe = 7,
}

impl Xdr for FileType {
    fn read(reader: &mut Reader<'_>, field: &'static str) -> Result<Self, Malformed> {
        let number = reader.word(field)?;
        Self::from_repr(number).ok_or(value(field, number))
    }

    fn write(&self, builder: &mut Builder) {
        builder.word(*self as u32);
    }
}

xdr! {
    /// A time since 1970 (nfstime3).
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
    pub struct Time {
        /// Whole seconds.
        pub seconds: u32 = "seconds",
        /// Nanoseconds after the whole seconds.
        pub nanoseconds: u32 = "nanoseconds",
    }

    /// The attributes of an object (fattr3).
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub struct Attributes {
        /// The type of the object.
        pub file_type: FileType = "file type",
        /// Permission bits.
        pub mode: u32 = "mode",
        /// The number of hard links to it.
        pub links: u32 = "links",
        /// The user ID of its owner.
        pub user: u32 = "user",
        /// The group ID of its owner.
        pub group: u32 = "group",
        /// Size in bytes.
        pub size: u64 = "size",
        /// Bytes that it uses on disk.
        pub used: u64 = "used",
        /// Major and minor number of a device.
        pub device: (u32, u32) = "device numbers",
        /// The ID of its file system.
        pub file_system: u64 = "file system",
        /// The ID of the object within its file system.
        pub file_id: u64 = "file ID",
        /// Time of the last access.
        pub accessed: Time = "accessed",
        /// Time of the last change of the content.
        pub modified: Time = "modified",
        /// Time of the last change of content or attributes.
        pub changed: Time = "changed",
    }

    /// Attributes to change, or to set on a new object (sattr3).
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub struct NewAttributes {
        /// Permission bits.
        pub mode: Option<u32> = "mode",
        /// The user ID of the owner.
        pub user: Option<u32> = "user",
        /// The group ID of the owner.
        pub group: Option<u32> = "group",
        /// Size in bytes.
        pub size: Option<u64> = "size",
        /// Time of the last access.
        pub accessed: TimeChange = "time change",
        /// Time of the last change of the content.
        pub modified: TimeChange = "time change",
    }

    /// Attributes of an object before and after an operation (wcc_data).
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub struct BeforeAndAfter {
        /// Before: size, time of the last change of the content, time of the last change.
        pub before: Option<(u64, Time, Time)> = "attributes before",
        /// Attributes after the operation.
        pub after: Option<Attributes> = "attributes follow",
    }
}

impl Attributes {
    /// Length in bytes of XDR.
    pub(super) const LENGTH: usize = 84;
}

/// How a time is changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TimeChange {
    /// It is not changed.
    #[default]
    Keep,
    /// It is set to the server's time.
    Server,
    /// It is set to this time.
    Set(Time),
}

impl Xdr for TimeChange {
    fn read(reader: &mut Reader<'_>, field: &'static str) -> Result<Self, Malformed> {
        match reader.word(field)? {
            0 => Ok(Self::Keep),
            1 => Ok(Self::Server),
            2 => reader.value(field).map(Self::Set),
            other => Err(value(field, other)),
        }
    }

    fn write(&self, builder: &mut Builder) {
        match self {
            Self::Keep => builder.word(0),
            Self::Server => builder.word(1),
            Self::Set(time) => builder.word(2).value(time),
        };
    }
}
