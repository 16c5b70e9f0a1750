//! The names of numbers of NFS versions 3 and 4, MOUNT and NFSACL.

/// Declares names of numbers, and constants of these names.
macro_rules! numbered {
    ($(#[$meta:meta])* $table:ident, $numbers:ident, $prefix:literal { $($name:ident = $number:literal,)+ }) => {
        $(#[$meta])*
        pub const $table: &[(u64, &str)] = &[$(($number, concat!($prefix, stringify!($name)))),+];
        pub(crate) mod $numbers {
            $(pub(crate) const $name: u32 = $number;)+
        }
    };
}

numbered! {
    /// Procedures of NFS version 3 (RFC 1813 section 3.3).
    PROCEDURES_3, procedure, "" {
        NULL = 0,
        GETATTR = 1,
        SETATTR = 2,
        LOOKUP = 3,
        ACCESS = 4,
        READLINK = 5,
        READ = 6,
        WRITE = 7,
        CREATE = 8,
        MKDIR = 9,
        SYMLINK = 10,
        MKNOD = 11,
        REMOVE = 12,
        RMDIR = 13,
        RENAME = 14,
        LINK = 15,
        READDIR = 16,
        READDIRPLUS = 17,
        FSSTAT = 18,
        FSINFO = 19,
        PATHCONF = 20,
        COMMIT = 21,
    }
}
/// Procedures of NFSACL, as Solaris and Linux have them.
pub const ACL_PROCEDURES: &[(u64, &str)] =
    &[(0, "NULL"), (1, "GETACL"), (2, "SETACL"), (3, "GETATTR"), (4, "ACCESS")];
/// Procedures of NFSACL version 3.
pub const ACL_PROCEDURES_3: &[(u64, &str)] =
    &[(0, "NULL"), (1, "GETACL"), (2, "SETACL"), (3, "GETXATTRDIR")];
/// Procedures of MOUNT (RFC 1813 section 5.2); only version 2 has the last one.
pub const MOUNT_PROCEDURES: &[(u64, &str)] = &[
    (0, "NULL"),
    (1, "MNT"),
    (2, "DUMP"),
    (3, "UMNT"),
    (4, "UMNTALL"),
    (5, "EXPORT"),
    (6, "EXPORTALL"),
    (7, "PATHCONF"),
];
/// Declares the statuses (RFC 1813 section 2.6, RFC 7863, RFC 8276): those of both versions, those that only
/// version 3 has or that it names differently, and those of version 4.
macro_rules! statuses {
    (
        both { $($both:literal $name:literal,)+ }
        renamed { $($old:literal $old_name:literal,)+ }
        three { $($three:literal $three_name:literal,)+ }
        four { $($four:literal $four_name:literal,)+ }
    ) => {
        /// Statuses of NFS version 3.
        pub const STATUS_3: &[(u64, &str)] = &sorted([
            (0, "NFS3_OK"),
            $(($both, concat!("NFS3ERR_", $name)),)+
            $(($old, concat!("NFS3ERR_", $old_name)),)+
            $(($three, concat!("NFS3ERR_", $three_name)),)+
        ]);
        /// Statuses of NFS version 4.
        pub const STATUS_4: &[(u64, &str)] = &sorted([
            (0, "NFS4_OK"),
            $(($both, concat!("NFS4ERR_", $name)),)+
            $(($four, concat!("NFS4ERR_", $four_name)),)+
        ]);
        /// Statuses of any version, without the version prefix.
        pub const STATUS: &[(u64, &str)] = &sorted([
            (0, "OK"),
            $(($both, concat!("ERR_", $name)),)+
            $(($three, concat!("ERR_", $three_name)),)+
            $(($four, concat!("ERR_", $four_name)),)+
        ]);
    };
}

/// Sorts names by their numbers.
const fn sorted<const N: usize>(mut names: [(u64, &'static str); N]) -> [(u64, &'static str); N] {
    let mut end = 1;
    while end < N {
        let mut at = end;
        while at > 0 && names[at - 1].0 > names[at].0 {
            names.swap(at - 1, at);
            at -= 1;
        }
        end += 1;
    }
    names
}

statuses! {
    both {
        1 "PERM",
        2 "NOENT",
        5 "IO",
        6 "NXIO",
        17 "EXIST",
        18 "XDEV",
        20 "NOTDIR",
        21 "ISDIR",
        22 "INVAL",
        27 "FBIG",
        28 "NOSPC",
        30 "ROFS",
        31 "MLINK",
        63 "NAMETOOLONG",
        66 "NOTEMPTY",
        69 "DQUOT",
        70 "STALE",
        10001 "BADHANDLE",
        10003 "BAD_COOKIE",
        10004 "NOTSUPP",
        10005 "TOOSMALL",
        10006 "SERVERFAULT",
        10007 "BADTYPE",
    }
    renamed {
        13 "ACCES",
        10008 "JUKEBOX",
    }
    three {
        19 "NODEV",
        71 "REMOTE",
        10002 "NOT_SYNC",
    }
    four {
        13 "ACCESS",
        10008 "DELAY",
        10009 "SAME",
        10010 "DENIED",
        10011 "EXPIRED",
        10012 "LOCKED",
        10013 "GRACE",
        10014 "FHEXPIRED",
        10015 "SHARE_DENIED",
        10016 "WRONGSEC",
        10017 "CLID_INUSE",
        10018 "RESOURCE",
        10019 "MOVED",
        10020 "NOFILEHANDLE",
        10021 "MINOR_VERS_MISMATCH",
        10022 "STALE_CLIENTID",
        10023 "STALE_STATEID",
        10024 "OLD_STATEID",
        10025 "BAD_STATEID",
        10026 "BAD_SEQID",
        10027 "NOT_SAME",
        10028 "LOCK_RANGE",
        10029 "SYMLINK",
        10030 "RESTOREFH",
        10031 "LEASE_MOVED",
        10032 "ATTRNOTSUPP",
        10033 "NO_GRACE",
        10034 "RECLAIM_BAD",
        10035 "RECLAIM_CONFLICT",
        10036 "BADXDR",
        10037 "LOCKS_HELD",
        10038 "OPENMODE",
        10039 "BADOWNER",
        10040 "BADCHAR",
        10041 "BADNAME",
        10042 "BAD_RANGE",
        10043 "LOCK_NOTSUPP",
        10044 "OP_ILLEGAL",
        10045 "DEADLOCK",
        10046 "FILE_OPEN",
        10047 "ADMIN_REVOKED",
        10048 "CB_PATH_DOWN",
        10049 "BADIOMODE",
        10050 "BADLAYOUT",
        10051 "BAD_SESSION_DIGEST",
        10052 "BADSESSION",
        10053 "BADSLOT",
        10054 "COMPLETE_ALREADY",
        10055 "CONN_NOT_BOUND_TO_SESSION",
        10056 "DELEG_ALREADY_WANTED",
        10057 "BACK_CHAN_BUSY",
        10058 "LAYOUTTRYLATER",
        10059 "LAYOUTUNAVAILABLE",
        10060 "NOMATCHING_LAYOUT",
        10061 "RECALLCONFLICT",
        10062 "UNKNOWN_LAYOUTTYPE",
        10063 "SEQ_MISORDERED",
        10064 "SEQUENCE_POS",
        10065 "REQ_TOO_BIG",
        10066 "REP_TOO_BIG",
        10067 "REP_TOO_BIG_TO_CACHE",
        10068 "RETRY_UNCACHED_REP",
        10069 "UNSAFE_COMPOUND",
        10070 "TOO_MANY_OPS",
        10071 "OP_NOT_IN_SESSION",
        10072 "HASH_ALG_UNSUPP",
        10074 "CLIENTID_BUSY",
        10075 "PNFS_IO_HOLE",
        10076 "SEQ_FALSE_RETRY",
        10077 "BAD_HIGH_SLOT",
        10078 "DEADSESSION",
        10079 "ENCR_ALG_UNSUPP",
        10080 "PNFS_NO_LAYOUT",
        10081 "NOT_ONLY_OP",
        10082 "WRONG_CRED",
        10083 "WRONG_TYPE",
        10084 "DIRDELEG_UNAVAIL",
        10085 "REJECT_DELEG",
        10086 "RETURNCONFLICT",
        10087 "DELEG_REVOKED",
        10088 "PARTNER_NOTSUPP",
        10089 "PARTNER_NO_AUTH",
        10090 "UNION_NOTSUPP",
        10091 "OFFLOAD_DENIED",
        10092 "WRONG_LFS",
        10093 "BADLABEL",
        10094 "OFFLOAD_NO_REQS",
        10095 "NOXATTR",
        10096 "XATTR2BIG",
    }
}
/// File types (RFC 1813 section 2.6).
pub const FILE_TYPES_3: &[(u64, &str)] = &[
    (1, "Regular File"),
    (2, "Directory"),
    (3, "Block Special Device"),
    (4, "Character Special Device"),
    (5, "Symbolic Link"),
    (6, "Socket"),
    (7, "Named Pipe"),
];
/// What is on stable storage (RFC 1813 section 3.3.7).
pub const STABLE_HOW: &[(u64, &str)] = &[(0, "UNSTABLE"), (1, "DATA_SYNC"), (2, "FILE_SYNC")];
/// How a file is created (RFC 1813 section 3.3.8).
pub const CREATE_MODES: &[(u64, &str)] = &[(0, "UNCHECKED"), (1, "GUARDED"), (2, "EXCLUSIVE")];
/// How an attribute is set (RFC 1813 section 2.6).
pub const TIME_HOW: &[(u64, &str)] =
    &[(0, "not set"), (1, "set (a time: to the server's)"), (2, "set to the client's time")];
/// Statuses of MNT (RFC 1813 section 5.1.5).
pub const MOUNT_STATUS: &[(u64, &str)] = &[
    (0, "OK"),
    (1, "ERR_PERM"),
    (2, "ERR_NOENT"),
    (5, "ERR_IO"),
    (13, "ERR_ACCESS"),
    (20, "ERR_NOTDIR"),
    (22, "ERR_INVAL"),
    (63, "ERR_NAMETOOLONG"),
    (10004, "ERR_NOTSUPP"),
    (10006, "ERR_SERVERFAULT"),
];
/// Authentication flavors (RFC 5531 section 8.2, RFC 8881 section 2.2.1.1).
pub const FLAVORS: &[(u64, &str)] = &[
    (0, "AUTH_NONE"),
    (1, "AUTH_SYS"),
    (2, "AUTH_SHORT"),
    (3, "AUTH_DH"),
    (6, "RPCSEC_GSS"),
    (7, "AUTH_TLS"),
    (390003, "RPCSEC_GSS_KRB5"),
    (390004, "RPCSEC_GSS_KRB5I"),
    (390005, "RPCSEC_GSS_KRB5P"),
];

// NFS version 4: operations, statuses, attributes, enumerations.

/// Procedures of NFS version 4 (RFC 8881 section 16).
pub const PROCEDURES_4: &[(u64, &str)] = &[(0, "NULL"), (1, "COMPOUND")];
/// Procedures of the callback program (RFC 8881 section 20).
pub const CALLBACK_PROCEDURES: &[(u64, &str)] = &[(0, "CB_NULL"), (1, "CB_COMPOUND")];
numbered! {
    /// Operations of NFS version 4 (RFC 7863, RFC 8276).
    OPERATIONS, op, "" {
        ACCESS = 3,
        CLOSE = 4,
        COMMIT = 5,
        CREATE = 6,
        DELEGPURGE = 7,
        DELEGRETURN = 8,
        GETATTR = 9,
        GETFH = 10,
        LINK = 11,
        LOCK = 12,
        LOCKT = 13,
        LOCKU = 14,
        LOOKUP = 15,
        LOOKUPP = 16,
        NVERIFY = 17,
        OPEN = 18,
        OPENATTR = 19,
        OPEN_CONFIRM = 20,
        OPEN_DOWNGRADE = 21,
        PUTFH = 22,
        PUTPUBFH = 23,
        PUTROOTFH = 24,
        READ = 25,
        READDIR = 26,
        READLINK = 27,
        REMOVE = 28,
        RENAME = 29,
        RENEW = 30,
        RESTOREFH = 31,
        SAVEFH = 32,
        SECINFO = 33,
        SETATTR = 34,
        SETCLIENTID = 35,
        SETCLIENTID_CONFIRM = 36,
        VERIFY = 37,
        WRITE = 38,
        RELEASE_LOCKOWNER = 39,
        BACKCHANNEL_CTL = 40,
        BIND_CONN_TO_SESSION = 41,
        EXCHANGE_ID = 42,
        CREATE_SESSION = 43,
        DESTROY_SESSION = 44,
        FREE_STATEID = 45,
        GET_DIR_DELEGATION = 46,
        GETDEVICEINFO = 47,
        GETDEVICELIST = 48,
        LAYOUTCOMMIT = 49,
        LAYOUTGET = 50,
        LAYOUTRETURN = 51,
        SECINFO_NO_NAME = 52,
        SEQUENCE = 53,
        SET_SSV = 54,
        TEST_STATEID = 55,
        WANT_DELEGATION = 56,
        DESTROY_CLIENTID = 57,
        RECLAIM_COMPLETE = 58,
        ALLOCATE = 59,
        COPY = 60,
        COPY_NOTIFY = 61,
        DEALLOCATE = 62,
        IO_ADVISE = 63,
        LAYOUTERROR = 64,
        LAYOUTSTATS = 65,
        OFFLOAD_CANCEL = 66,
        OFFLOAD_STATUS = 67,
        READ_PLUS = 68,
        SEEK = 69,
        WRITE_SAME = 70,
        CLONE = 71,
        GETXATTR = 72,
        SETXATTR = 73,
        LISTXATTRS = 74,
        REMOVEXATTR = 75,
        ILLEGAL = 10044,
    }
}
numbered! {
    /// Callback operations (RFC 7863).
    CALLBACK_OPERATIONS, callback, "CB_" {
        GETATTR = 3,
        RECALL = 4,
        LAYOUTRECALL = 5,
        NOTIFY = 6,
        PUSH_DELEG = 7,
        RECALL_ANY = 8,
        RECALLABLE_OBJ_AVAIL = 9,
        RECALL_SLOT = 10,
        SEQUENCE = 11,
        WANTS_CANCELLED = 12,
        NOTIFY_LOCK = 13,
        NOTIFY_DEVICEID = 14,
        OFFLOAD = 15,
        ILLEGAL = 10044,
    }
}
/// Attributes of NFS version 4 (RFC 7863, RFC 8275, RFC 8276).
pub const ATTRIBUTES: &[(u64, &str)] = &[
    (0, "supported_attrs"),
    (1, "type"),
    (2, "fh_expire_type"),
    (3, "change"),
    (4, "size"),
    (5, "link_support"),
    (6, "symlink_support"),
    (7, "named_attr"),
    (8, "fsid"),
    (9, "unique_handles"),
    (10, "lease_time"),
    (11, "rdattr_error"),
    (12, "acl"),
    (13, "aclsupport"),
    (14, "archive"),
    (15, "cansettime"),
    (16, "case_insensitive"),
    (17, "case_preserving"),
    (18, "chown_restricted"),
    (19, "filehandle"),
    (20, "fileid"),
    (21, "files_avail"),
    (22, "files_free"),
    (23, "files_total"),
    (24, "fs_locations"),
    (25, "hidden"),
    (26, "homogeneous"),
    (27, "maxfilesize"),
    (28, "maxlink"),
    (29, "maxname"),
    (30, "maxread"),
    (31, "maxwrite"),
    (32, "mimetype"),
    (33, "mode"),
    (34, "no_trunc"),
    (35, "numlinks"),
    (36, "owner"),
    (37, "owner_group"),
    (38, "quota_avail_hard"),
    (39, "quota_avail_soft"),
    (40, "quota_used"),
    (41, "rawdev"),
    (42, "space_avail"),
    (43, "space_free"),
    (44, "space_total"),
    (45, "space_used"),
    (46, "system"),
    (47, "time_access"),
    (48, "time_access_set"),
    (49, "time_backup"),
    (50, "time_create"),
    (51, "time_delta"),
    (52, "time_metadata"),
    (53, "time_modify"),
    (54, "time_modify_set"),
    (55, "mounted_on_fileid"),
    (56, "dir_notif_delay"),
    (57, "dirent_notif_delay"),
    (58, "dacl"),
    (59, "sacl"),
    (60, "change_policy"),
    (61, "fs_status"),
    (62, "fs_layout_types"),
    (63, "layout_hint"),
    (64, "layout_types"),
    (65, "layout_blksize"),
    (66, "layout_alignment"),
    (67, "fs_locations_info"),
    (68, "mdsthreshold"),
    (69, "retention_get"),
    (70, "retention_set"),
    (71, "retentevt_get"),
    (72, "retentevt_set"),
    (73, "retention_hold"),
    (74, "mode_set_masked"),
    (75, "suppattr_exclcreat"),
    (76, "fs_charset_cap"),
    (77, "clone_blksize"),
    (78, "space_freed"),
    (79, "change_attr_type"),
    (80, "sec_label"),
    (81, "mode_umask"),
    (82, "xattr_support"),
];
/// File types (RFC 8881 section 5.8.1.2).
pub const FILE_TYPES: &[(u64, &str)] = &[
    (1, "NF4REG"),
    (2, "NF4DIR"),
    (3, "NF4BLK"),
    (4, "NF4CHR"),
    (5, "NF4LNK"),
    (6, "NF4SOCK"),
    (7, "NF4FIFO"),
    (8, "NF4ATTRDIR"),
    (9, "NF4NAMEDATTR"),
];
/// What is on stable storage (RFC 8881 section 18.32).
pub const STABLE_HOW_4: &[(u64, &str)] = &[(0, "UNSTABLE4"), (1, "DATA_SYNC4"), (2, "FILE_SYNC4")];
/// How OPEN creates (RFC 8881 section 18.16).
pub const CREATE_MODES_4: &[(u64, &str)] =
    &[(0, "UNCHECKED4"), (1, "GUARDED4"), (2, "EXCLUSIVE4"), (3, "EXCLUSIVE4_1")];
/// How a time is set (RFC 8881 section 3.3.3).
pub const TIME_HOW_4: &[(u64, &str)] = &[(0, "SET_TO_SERVER_TIME4"), (1, "SET_TO_CLIENT_TIME4")];
/// Claims by which a file is opened (RFC 8881 section 18.16).
pub const CLAIM_TYPES: &[(u64, &str)] = &[
    (0, "CLAIM_NULL"),
    (1, "CLAIM_PREVIOUS"),
    (2, "CLAIM_DELEGATE_CUR"),
    (3, "CLAIM_DELEGATE_PREV"),
    (4, "CLAIM_FH"),
    (5, "CLAIM_DELEG_CUR_FH"),
    (6, "CLAIM_DELEG_PREV_FH"),
];
/// Whether OPEN creates (RFC 8881 section 18.16).
pub const OPEN_TYPES: &[(u64, &str)] = &[(0, "OPEN4_NOCREATE"), (1, "OPEN4_CREATE")];
/// Types of delegations (RFC 8881 section 18.16, RFC 9754).
pub const DELEGATION_TYPES: &[(u64, &str)] = &[
    (0, "OPEN_DELEGATE_NONE"),
    (1, "OPEN_DELEGATE_READ"),
    (2, "OPEN_DELEGATE_WRITE"),
    (3, "OPEN_DELEGATE_NONE_EXT"),
    (4, "OPEN_DELEGATE_READ_ATTRS_DELEG"),
    (5, "OPEN_DELEGATE_WRITE_ATTRS_DELEG"),
];
/// Reasons for not giving a delegation (RFC 8881 section 18.16).
pub const WHY_NO_DELEGATION: &[(u64, &str)] = &[
    (0, "WND4_NOT_WANTED"),
    (1, "WND4_CONTENTION"),
    (2, "WND4_RESOURCE"),
    (3, "WND4_NOT_SUPP_FTYPE"),
    (4, "WND4_WRITE_DELEG_NOT_SUPP_FTYPE"),
    (5, "WND4_NOT_SUPP_UPGRADE"),
    (6, "WND4_NOT_SUPP_DOWNGRADE"),
    (7, "WND4_CANCELLED"),
    (8, "WND4_IS_DIR"),
];
/// Limits on a client that writes under a delegation (RFC 8881 section 18.16).
pub const LIMITS: &[(u64, &str)] = &[(1, "NFS_LIMIT_SIZE"), (2, "NFS_LIMIT_BLOCKS")];
/// Types of locks (RFC 8881 section 18.10).
pub const LOCK_TYPES: &[(u64, &str)] =
    &[(1, "READ_LT"), (2, "WRITE_LT"), (3, "READW_LT"), (4, "WRITEW_LT")];
/// Which object SECINFO_NO_NAME is about (RFC 8881 section 18.45).
pub const SECINFO_STYLES: &[(u64, &str)] =
    &[(0, "SECINFO_STYLE4_CURRENT_FH"), (1, "SECINFO_STYLE4_PARENT")];
/// Services of RPCSEC_GSS (RFC 8881 section 18.29).
pub const SERVICES: &[(u64, &str)] =
    &[(1, "RPC_GSS_SVC_NONE"), (2, "RPC_GSS_SVC_INTEGRITY"), (3, "RPC_GSS_SVC_PRIVACY")];
/// Access that an opener requests (RFC 8881 section 18.16).
pub const SHARE_ACCESS: &[(u64, &str)] = &[
    (0, "OPEN4_SHARE_ACCESS_WANT_NO_PREFERENCE"),
    (1, "OPEN4_SHARE_ACCESS_READ"),
    (2, "OPEN4_SHARE_ACCESS_WRITE"),
    (3, "OPEN4_SHARE_ACCESS_BOTH"),
    (256, "OPEN4_SHARE_ACCESS_WANT_READ_DELEG"),
    (512, "OPEN4_SHARE_ACCESS_WANT_WRITE_DELEG"),
    (768, "OPEN4_SHARE_ACCESS_WANT_ANY_DELEG"),
    (1024, "OPEN4_SHARE_ACCESS_WANT_NO_DELEG"),
    (1280, "OPEN4_SHARE_ACCESS_WANT_CANCEL"),
];
/// Access that an opener denies to others (RFC 8881 section 18.16).
pub const SHARE_DENY: &[(u64, &str)] = &[
    (0, "OPEN4_SHARE_DENY_NONE"),
    (1, "OPEN4_SHARE_DENY_READ"),
    (2, "OPEN4_SHARE_DENY_WRITE"),
    (3, "OPEN4_SHARE_DENY_BOTH"),
];
/// Types of access control entries (RFC 8881 section 6.2.1.1).
pub const ACE_TYPES: &[(u64, &str)] = &[
    (0, "ACE4_ACCESS_ALLOWED_ACE_TYPE"),
    (1, "ACE4_ACCESS_DENIED_ACE_TYPE"),
    (2, "ACE4_SYSTEM_AUDIT_ACE_TYPE"),
    (3, "ACE4_SYSTEM_ALARM_ACE_TYPE"),
];
/// Meanings of the change attribute (RFC 7862 section 12.2.3).
pub const CHANGE_ATTRIBUTE_TYPES: &[(u64, &str)] = &[
    (0, "NFS4_CHANGE_TYPE_IS_MONOTONIC_INCR"),
    (1, "NFS4_CHANGE_TYPE_IS_VERSION_COUNTER"),
    (2, "NFS4_CHANGE_TYPE_IS_VERSION_COUNTER_NOPNFS"),
    (3, "NFS4_CHANGE_TYPE_IS_TIME_METADATA"),
    (4, "NFS4_CHANGE_TYPE_IS_UNDEFINED"),
];
/// Kinds of file system copies (RFC 8881 section 11.18).
pub const FILE_SYSTEM_STATUSES: &[(u64, &str)] = &[
    (1, "STATUS4_FIXED"),
    (2, "STATUS4_UPDATED"),
    (3, "STATUS4_VERSIONED"),
    (4, "STATUS4_WRITABLE"),
    (5, "STATUS4_REFERRAL"),
];
/// File types, as encoded in a POSIX mode.
pub const MODE_FORMATS: &[(u64, &str)] = &[
    (1, "Character special device"),
    (2, "Directory"),
    (3, "Block special device"),
    (4, "Regular file"),
    (5, "Symbolic link"),
    (6, "Socket"),
];
/// How state is protected (RFC 8881 section 18.35).
pub const PROTECTIONS: &[(u64, &str)] = &[(0, "SP4_NONE"), (1, "SP4_MACH_CRED"), (2, "SP4_SSV")];
/// Channels that a client requests (RFC 8881 section 18.34).
pub const CLIENT_DIRECTIONS: &[(u64, &str)] =
    &[(1, "CDFC4_FORE"), (2, "CDFC4_BACK"), (3, "CDFC4_FORE_OR_BOTH"), (7, "CDFC4_BACK_OR_BOTH")];
/// Channels that a server grants (RFC 8881 section 18.34).
pub const SERVER_DIRECTIONS: &[(u64, &str)] =
    &[(1, "CDFS4_FORE"), (2, "CDFS4_BACK"), (3, "CDFS4_BOTH")];
/// Kinds of layouts (RFC 8881 section 3.3.13, RFC 8435, RFC 8154).
pub const LAYOUT_TYPES: &[(u64, &str)] = &[
    (1, "LAYOUT4_NFSV4_1_FILES"),
    (2, "LAYOUT4_OSD2_OBJECTS"),
    (3, "LAYOUT4_BLOCK_VOLUME"),
    (4, "LAYOUT4_FLEX_FILES"),
    (5, "LAYOUT4_SCSI"),
];
/// Purposes of a layout (RFC 8881 section 3.3.20).
pub const IO_MODES: &[(u64, &str)] =
    &[(1, "LAYOUTIOMODE4_READ"), (2, "LAYOUTIOMODE4_RW"), (3, "LAYOUTIOMODE4_ANY")];
/// What LAYOUTRETURN returns (RFC 8881 section 18.44).
pub const RETURN_TYPES: &[(u64, &str)] =
    &[(1, "LAYOUTRETURN4_FILE"), (2, "LAYOUTRETURN4_FSID"), (3, "LAYOUTRETURN4_ALL")];
/// What CB_LAYOUTRECALL recalls (RFC 8881 section 20.3).
pub const RECALL_TYPES: &[(u64, &str)] =
    &[(1, "LAYOUTRECALL4_FILE"), (2, "LAYOUTRECALL4_FSID"), (3, "LAYOUTRECALL4_ALL")];
/// Whether a directory delegation is granted (RFC 8881 section 18.39).
pub const DIRECTORY_DELEGATIONS: &[(u64, &str)] = &[(0, "GDD4_OK"), (1, "GDD4_UNAVAIL")];
/// Ways to name a server (RFC 7862 section 15.2).
pub const NETWORK_LOCATIONS: &[(u64, &str)] =
    &[(1, "NL4_NAME"), (2, "NL4_URL"), (3, "NL4_NETADDR")];
/// Data or a hole (RFC 7862 section 15.10).
pub const CONTENT_TYPES: &[(u64, &str)] = &[(0, "NFS4_CONTENT_DATA"), (1, "NFS4_CONTENT_HOLE")];
/// Whether an extended attribute may already exist (RFC 8276 section 8.4.2).
pub const XATTR_OPTIONS: &[(u64, &str)] =
    &[(0, "SETXATTR4_EITHER"), (1, "SETXATTR4_CREATE"), (2, "SETXATTR4_REPLACE")];
