//! Numbers of the two programs (RFC 1813 section 3, appendix I).

/// The program number of NFS.
pub const NFS: u32 = 100_003;
/// The program number of MOUNT.
pub const MOUNT: u32 = 100_005;
/// The version of both programs.
pub const VERSION: u32 = 3;
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
