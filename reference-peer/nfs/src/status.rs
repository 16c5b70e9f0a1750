//! The status of a result (RFC 1813 section 2.6), and of a mount (RFC 1813 appendix I).

use rustix::io::Errno;
use std::fmt;

/// A status of NFS version 3, or of MOUNT, whose values are the same as far as both have them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Status(pub u32);

/// Defines the statuses, and their names with them.
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
    EXIST = 17, "it exists";
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
    NOT_SYNC = 10002, "the object was changed by somebody else";
    BAD_COOKIE = 10003, "no such place in the directory";
    NOTSUPP = 10004, "not supported";
    TOOSMALL = 10005, "the buffer or request is too small";
    SERVERFAULT = 10006, "the server failed";
    BADTYPE = 10007, "no object of this type can be made";
    JUKEBOX = 10008, "not yet: try again later";
}

impl Status {
    fn row(self) -> Option<&'static (u32, &'static str, &'static str)> {
        NAMES.iter().find(|(value, ..)| *value == self.0)
    }
}

impl fmt::Display for Status {
    /// `NFS3ERR_NOENT (no such file or directory)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.row() {
            Some((0, ..)) => f.write_str("NFS3_OK"),
            Some((_, name, meaning)) => write!(f, "NFS3ERR_{name} ({meaning})"),
            None => write!(f, "unknown status {}", self.0),
        }
    }
}

impl std::error::Error for Status {}

/// What errors of the system are called in NFS; any other is an I/O error.
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
