//! Numbers of version 4 that both sides use (RFC 8881, RFC 7862 section 12.2, RFC 8276 section 8.2). The
//! operation numbers are in the table of `compound`.

/// The procedure that carries all operations (RFC 8881 section 16.2).
pub(crate) const COMPOUND: u32 = 1;
/// The longest tag that is accepted, in bytes; our own choice.
pub(crate) const LONGEST_TAG: u32 = 1024;
/// The longest file handle in bytes (NFS4_FHSIZE).
pub(crate) const LONGEST_HANDLE: u32 = 128;
/// EXCHGID4_FLAG_USE_NON_PNFS (RFC 8881 section 18.35.1).
pub(crate) const WITHOUT_PNFS: u32 = 0x0001_0000;
/// CREATE_SESSION4_FLAG_CONN_BACK_CHAN (RFC 8881 section 18.36.1).
pub(crate) const BACK_CHANNEL: u32 = 2;
/// The operation number that stands for an unknown operation, forward and backward.
pub(crate) const ILLEGAL: u32 = 10044;

/// Share access and deny bits of OPEN, and the wanted delegation (RFC 8881 section 18.16.1).
pub(crate) mod share {
    pub(crate) const READ: u32 = 1;
    pub(crate) const WRITE: u32 = 2;
    /// The mask of the wanted delegation, and two of its values.
    pub(crate) const WANT: u32 = 0xff00;
    pub(crate) const WANT_READ_DELEGATION: u32 = 0x0100;
    pub(crate) const WANT_NONE: u32 = 0x0400;
}

/// Attribute numbers (RFC 8881 sections 5.8 to 5.12).
pub(crate) mod attribute {
    pub(crate) const SUPPORTED_ATTRS: u32 = 0;
    pub(crate) const TYPE: u32 = 1;
    pub(crate) const FH_EXPIRE_TYPE: u32 = 2;
    pub(crate) const CHANGE: u32 = 3;
    pub(crate) const SIZE: u32 = 4;
    pub(crate) const LINK_SUPPORT: u32 = 5;
    pub(crate) const SYMLINK_SUPPORT: u32 = 6;
    pub(crate) const NAMED_ATTR: u32 = 7;
    pub(crate) const FSID: u32 = 8;
    pub(crate) const UNIQUE_HANDLES: u32 = 9;
    pub(crate) const LEASE_TIME: u32 = 10;
    pub(crate) const RDATTR_ERROR: u32 = 11;
    pub(crate) const ACLSUPPORT: u32 = 13;
    pub(crate) const CANSETTIME: u32 = 15;
    pub(crate) const CASE_INSENSITIVE: u32 = 16;
    pub(crate) const CASE_PRESERVING: u32 = 17;
    pub(crate) const CHOWN_RESTRICTED: u32 = 18;
    pub(crate) const FILEHANDLE: u32 = 19;
    pub(crate) const FILEID: u32 = 20;
    pub(crate) const FILES_AVAIL: u32 = 21;
    pub(crate) const FILES_FREE: u32 = 22;
    pub(crate) const FILES_TOTAL: u32 = 23;
    pub(crate) const HOMOGENEOUS: u32 = 26;
    pub(crate) const MAXFILESIZE: u32 = 27;
    pub(crate) const MAXLINK: u32 = 28;
    pub(crate) const MAXNAME: u32 = 29;
    pub(crate) const MAXREAD: u32 = 30;
    pub(crate) const MAXWRITE: u32 = 31;
    pub(crate) const MODE: u32 = 33;
    pub(crate) const NO_TRUNC: u32 = 34;
    pub(crate) const NUMLINKS: u32 = 35;
    pub(crate) const OWNER: u32 = 36;
    pub(crate) const OWNER_GROUP: u32 = 37;
    pub(crate) const RAWDEV: u32 = 41;
    pub(crate) const SPACE_AVAIL: u32 = 42;
    pub(crate) const SPACE_FREE: u32 = 43;
    pub(crate) const SPACE_TOTAL: u32 = 44;
    pub(crate) const SPACE_USED: u32 = 45;
    pub(crate) const TIME_ACCESS: u32 = 47;
    pub(crate) const TIME_ACCESS_SET: u32 = 48;
    pub(crate) const TIME_DELTA: u32 = 51;
    pub(crate) const TIME_METADATA: u32 = 52;
    pub(crate) const TIME_MODIFY: u32 = 53;
    pub(crate) const TIME_MODIFY_SET: u32 = 54;
    pub(crate) const MOUNTED_ON_FILEID: u32 = 55;
    pub(crate) const SUPPATTR_EXCLCREAT: u32 = 75;
    /// Version 4.2 only: RFC 7862 section 12.2.3, RFC 8276 section 8.2.1.
    pub(crate) const CHANGE_ATTR_TYPE: u32 = 79;
    pub(crate) const XATTR_SUPPORT: u32 = 82;
}

/// The callback program (RFC 8881 section 20, RFC 7862 section 16): its procedures and operations.
pub(crate) mod callback {
    pub(crate) const CB_NULL: u32 = 0;
    pub(crate) const CB_COMPOUND: u32 = 1;
    pub(crate) const GETATTR: u32 = 3;
    pub(crate) const RECALL: u32 = 4;
    pub(crate) const RECALL_ANY: u32 = 8;
    pub(crate) const RECALL_SLOT: u32 = 10;
    pub(crate) const SEQUENCE: u32 = 11;
    pub(crate) const NOTIFY_DEVICEID: u32 = 14;
    pub(crate) const OFFLOAD: u32 = 15;
}
