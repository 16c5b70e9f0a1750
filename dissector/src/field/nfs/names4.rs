//! The names of numbers of NFS version 4: operations, statuses, attributes, enumerations.

/// Procedures of NFS version 4 (RFC 8881 section 16).
pub const PROCEDURES_4: &[(u64, &str)] = &[(0, "NULL"), (1, "COMPOUND")];
/// Procedures of the callback program (RFC 8881 section 20).
pub const CALLBACK_PROCEDURES: &[(u64, &str)] = &[(0, "CB_NULL"), (1, "CB_COMPOUND")];
/// Operations of NFS version 4 (RFC 7863, RFC 8276).
pub const OPERATIONS: &[(u64, &str)] = &[
    (3, "ACCESS"),
    (4, "CLOSE"),
    (5, "COMMIT"),
    (6, "CREATE"),
    (7, "DELEGPURGE"),
    (8, "DELEGRETURN"),
    (9, "GETATTR"),
    (10, "GETFH"),
    (11, "LINK"),
    (12, "LOCK"),
    (13, "LOCKT"),
    (14, "LOCKU"),
    (15, "LOOKUP"),
    (16, "LOOKUPP"),
    (17, "NVERIFY"),
    (18, "OPEN"),
    (19, "OPENATTR"),
    (20, "OPEN_CONFIRM"),
    (21, "OPEN_DOWNGRADE"),
    (22, "PUTFH"),
    (23, "PUTPUBFH"),
    (24, "PUTROOTFH"),
    (25, "READ"),
    (26, "READDIR"),
    (27, "READLINK"),
    (28, "REMOVE"),
    (29, "RENAME"),
    (30, "RENEW"),
    (31, "RESTOREFH"),
    (32, "SAVEFH"),
    (33, "SECINFO"),
    (34, "SETATTR"),
    (35, "SETCLIENTID"),
    (36, "SETCLIENTID_CONFIRM"),
    (37, "VERIFY"),
    (38, "WRITE"),
    (39, "RELEASE_LOCKOWNER"),
    (40, "BACKCHANNEL_CTL"),
    (41, "BIND_CONN_TO_SESSION"),
    (42, "EXCHANGE_ID"),
    (43, "CREATE_SESSION"),
    (44, "DESTROY_SESSION"),
    (45, "FREE_STATEID"),
    (46, "GET_DIR_DELEGATION"),
    (47, "GETDEVICEINFO"),
    (48, "GETDEVICELIST"),
    (49, "LAYOUTCOMMIT"),
    (50, "LAYOUTGET"),
    (51, "LAYOUTRETURN"),
    (52, "SECINFO_NO_NAME"),
    (53, "SEQUENCE"),
    (54, "SET_SSV"),
    (55, "TEST_STATEID"),
    (56, "WANT_DELEGATION"),
    (57, "DESTROY_CLIENTID"),
    (58, "RECLAIM_COMPLETE"),
    (59, "ALLOCATE"),
    (60, "COPY"),
    (61, "COPY_NOTIFY"),
    (62, "DEALLOCATE"),
    (63, "IO_ADVISE"),
    (64, "LAYOUTERROR"),
    (65, "LAYOUTSTATS"),
    (66, "OFFLOAD_CANCEL"),
    (67, "OFFLOAD_STATUS"),
    (68, "READ_PLUS"),
    (69, "SEEK"),
    (70, "WRITE_SAME"),
    (71, "CLONE"),
    (72, "GETXATTR"),
    (73, "SETXATTR"),
    (74, "LISTXATTRS"),
    (75, "REMOVEXATTR"),
    (10044, "ILLEGAL"),
];
/// Callback operations (RFC 7863).
pub const CALLBACK_OPERATIONS: &[(u64, &str)] = &[
    (3, "CB_GETATTR"),
    (4, "CB_RECALL"),
    (5, "CB_LAYOUTRECALL"),
    (6, "CB_NOTIFY"),
    (7, "CB_PUSH_DELEG"),
    (8, "CB_RECALL_ANY"),
    (9, "CB_RECALLABLE_OBJ_AVAIL"),
    (10, "CB_RECALL_SLOT"),
    (11, "CB_SEQUENCE"),
    (12, "CB_WANTS_CANCELLED"),
    (13, "CB_NOTIFY_LOCK"),
    (14, "CB_NOTIFY_DEVICEID"),
    (15, "CB_OFFLOAD"),
    (10044, "CB_ILLEGAL"),
];
/// Statuses of NFS version 4 (RFC 7863, RFC 8276).
pub const STATUS_4: &[(u64, &str)] = &[
    (0, "NFS4_OK"),
    (1, "NFS4ERR_PERM"),
    (2, "NFS4ERR_NOENT"),
    (5, "NFS4ERR_IO"),
    (6, "NFS4ERR_NXIO"),
    (13, "NFS4ERR_ACCESS"),
    (17, "NFS4ERR_EXIST"),
    (18, "NFS4ERR_XDEV"),
    (20, "NFS4ERR_NOTDIR"),
    (21, "NFS4ERR_ISDIR"),
    (22, "NFS4ERR_INVAL"),
    (27, "NFS4ERR_FBIG"),
    (28, "NFS4ERR_NOSPC"),
    (30, "NFS4ERR_ROFS"),
    (31, "NFS4ERR_MLINK"),
    (63, "NFS4ERR_NAMETOOLONG"),
    (66, "NFS4ERR_NOTEMPTY"),
    (69, "NFS4ERR_DQUOT"),
    (70, "NFS4ERR_STALE"),
    (10001, "NFS4ERR_BADHANDLE"),
    (10003, "NFS4ERR_BAD_COOKIE"),
    (10004, "NFS4ERR_NOTSUPP"),
    (10005, "NFS4ERR_TOOSMALL"),
    (10006, "NFS4ERR_SERVERFAULT"),
    (10007, "NFS4ERR_BADTYPE"),
    (10008, "NFS4ERR_DELAY"),
    (10009, "NFS4ERR_SAME"),
    (10010, "NFS4ERR_DENIED"),
    (10011, "NFS4ERR_EXPIRED"),
    (10012, "NFS4ERR_LOCKED"),
    (10013, "NFS4ERR_GRACE"),
    (10014, "NFS4ERR_FHEXPIRED"),
    (10015, "NFS4ERR_SHARE_DENIED"),
    (10016, "NFS4ERR_WRONGSEC"),
    (10017, "NFS4ERR_CLID_INUSE"),
    (10018, "NFS4ERR_RESOURCE"),
    (10019, "NFS4ERR_MOVED"),
    (10020, "NFS4ERR_NOFILEHANDLE"),
    (10021, "NFS4ERR_MINOR_VERS_MISMATCH"),
    (10022, "NFS4ERR_STALE_CLIENTID"),
    (10023, "NFS4ERR_STALE_STATEID"),
    (10024, "NFS4ERR_OLD_STATEID"),
    (10025, "NFS4ERR_BAD_STATEID"),
    (10026, "NFS4ERR_BAD_SEQID"),
    (10027, "NFS4ERR_NOT_SAME"),
    (10028, "NFS4ERR_LOCK_RANGE"),
    (10029, "NFS4ERR_SYMLINK"),
    (10030, "NFS4ERR_RESTOREFH"),
    (10031, "NFS4ERR_LEASE_MOVED"),
    (10032, "NFS4ERR_ATTRNOTSUPP"),
    (10033, "NFS4ERR_NO_GRACE"),
    (10034, "NFS4ERR_RECLAIM_BAD"),
    (10035, "NFS4ERR_RECLAIM_CONFLICT"),
    (10036, "NFS4ERR_BADXDR"),
    (10037, "NFS4ERR_LOCKS_HELD"),
    (10038, "NFS4ERR_OPENMODE"),
    (10039, "NFS4ERR_BADOWNER"),
    (10040, "NFS4ERR_BADCHAR"),
    (10041, "NFS4ERR_BADNAME"),
    (10042, "NFS4ERR_BAD_RANGE"),
    (10043, "NFS4ERR_LOCK_NOTSUPP"),
    (10044, "NFS4ERR_OP_ILLEGAL"),
    (10045, "NFS4ERR_DEADLOCK"),
    (10046, "NFS4ERR_FILE_OPEN"),
    (10047, "NFS4ERR_ADMIN_REVOKED"),
    (10048, "NFS4ERR_CB_PATH_DOWN"),
    (10049, "NFS4ERR_BADIOMODE"),
    (10050, "NFS4ERR_BADLAYOUT"),
    (10051, "NFS4ERR_BAD_SESSION_DIGEST"),
    (10052, "NFS4ERR_BADSESSION"),
    (10053, "NFS4ERR_BADSLOT"),
    (10054, "NFS4ERR_COMPLETE_ALREADY"),
    (10055, "NFS4ERR_CONN_NOT_BOUND_TO_SESSION"),
    (10056, "NFS4ERR_DELEG_ALREADY_WANTED"),
    (10057, "NFS4ERR_BACK_CHAN_BUSY"),
    (10058, "NFS4ERR_LAYOUTTRYLATER"),
    (10059, "NFS4ERR_LAYOUTUNAVAILABLE"),
    (10060, "NFS4ERR_NOMATCHING_LAYOUT"),
    (10061, "NFS4ERR_RECALLCONFLICT"),
    (10062, "NFS4ERR_UNKNOWN_LAYOUTTYPE"),
    (10063, "NFS4ERR_SEQ_MISORDERED"),
    (10064, "NFS4ERR_SEQUENCE_POS"),
    (10065, "NFS4ERR_REQ_TOO_BIG"),
    (10066, "NFS4ERR_REP_TOO_BIG"),
    (10067, "NFS4ERR_REP_TOO_BIG_TO_CACHE"),
    (10068, "NFS4ERR_RETRY_UNCACHED_REP"),
    (10069, "NFS4ERR_UNSAFE_COMPOUND"),
    (10070, "NFS4ERR_TOO_MANY_OPS"),
    (10071, "NFS4ERR_OP_NOT_IN_SESSION"),
    (10072, "NFS4ERR_HASH_ALG_UNSUPP"),
    (10074, "NFS4ERR_CLIENTID_BUSY"),
    (10075, "NFS4ERR_PNFS_IO_HOLE"),
    (10076, "NFS4ERR_SEQ_FALSE_RETRY"),
    (10077, "NFS4ERR_BAD_HIGH_SLOT"),
    (10078, "NFS4ERR_DEADSESSION"),
    (10079, "NFS4ERR_ENCR_ALG_UNSUPP"),
    (10080, "NFS4ERR_PNFS_NO_LAYOUT"),
    (10081, "NFS4ERR_NOT_ONLY_OP"),
    (10082, "NFS4ERR_WRONG_CRED"),
    (10083, "NFS4ERR_WRONG_TYPE"),
    (10084, "NFS4ERR_DIRDELEG_UNAVAIL"),
    (10085, "NFS4ERR_REJECT_DELEG"),
    (10086, "NFS4ERR_RETURNCONFLICT"),
    (10087, "NFS4ERR_DELEG_REVOKED"),
    (10088, "NFS4ERR_PARTNER_NOTSUPP"),
    (10089, "NFS4ERR_PARTNER_NO_AUTH"),
    (10090, "NFS4ERR_UNION_NOTSUPP"),
    (10091, "NFS4ERR_OFFLOAD_DENIED"),
    (10092, "NFS4ERR_WRONG_LFS"),
    (10093, "NFS4ERR_BADLABEL"),
    (10094, "NFS4ERR_OFFLOAD_NO_REQS"),
    (10095, "NFS4ERR_NOXATTR"),
    (10096, "NFS4ERR_XATTR2BIG"),
];
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
/// Types of files (RFC 8881 section 5.8.1.2).
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
/// By which right a file is opened (RFC 8881 section 18.16).
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
/// Delegations (RFC 8881 section 18.16, RFC 9754).
pub const DELEGATION_TYPES: &[(u64, &str)] = &[
    (0, "OPEN_DELEGATE_NONE"),
    (1, "OPEN_DELEGATE_READ"),
    (2, "OPEN_DELEGATE_WRITE"),
    (3, "OPEN_DELEGATE_NONE_EXT"),
    (4, "OPEN_DELEGATE_READ_ATTRS_DELEG"),
    (5, "OPEN_DELEGATE_WRITE_ATTRS_DELEG"),
];
/// Why there is no delegation (RFC 8881 section 18.16).
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
/// What limits a delegated writer (RFC 8881 section 18.16).
pub const LIMITS: &[(u64, &str)] = &[(1, "NFS_LIMIT_SIZE"), (2, "NFS_LIMIT_BLOCKS")];
/// Locks (RFC 8881 section 18.10).
pub const LOCK_TYPES: &[(u64, &str)] =
    &[(1, "READ_LT"), (2, "WRITE_LT"), (3, "READW_LT"), (4, "WRITEW_LT")];
/// Which object SECINFO_NO_NAME is about (RFC 8881 section 18.45).
pub const SECINFO_STYLES: &[(u64, &str)] =
    &[(0, "SECINFO_STYLE4_CURRENT_FH"), (1, "SECINFO_STYLE4_PARENT")];
/// Services of RPCSEC_GSS (RFC 8881 section 18.29).
pub const SERVICES: &[(u64, &str)] =
    &[(1, "RPC_GSS_SVC_NONE"), (2, "RPC_GSS_SVC_INTEGRITY"), (3, "RPC_GSS_SVC_PRIVACY")];
/// What an opener wants (RFC 8881 section 18.16).
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
/// What others shall not do (RFC 8881 section 18.16).
pub const SHARE_DENY: &[(u64, &str)] = &[
    (0, "OPEN4_SHARE_DENY_NONE"),
    (1, "OPEN4_SHARE_DENY_READ"),
    (2, "OPEN4_SHARE_DENY_WRITE"),
    (3, "OPEN4_SHARE_DENY_BOTH"),
];
/// What an access control entry does (RFC 8881 section 6.2.1.1).
pub const ACE_TYPES: &[(u64, &str)] = &[
    (0, "ACE4_ACCESS_ALLOWED_ACE_TYPE"),
    (1, "ACE4_ACCESS_DENIED_ACE_TYPE"),
    (2, "ACE4_SYSTEM_AUDIT_ACE_TYPE"),
    (3, "ACE4_SYSTEM_ALARM_ACE_TYPE"),
];
/// What the change attribute is (RFC 7862 section 12.2.3).
pub const CHANGE_ATTRIBUTE_TYPES: &[(u64, &str)] = &[
    (0, "NFS4_CHANGE_TYPE_IS_MONOTONIC_INCR"),
    (1, "NFS4_CHANGE_TYPE_IS_VERSION_COUNTER"),
    (2, "NFS4_CHANGE_TYPE_IS_VERSION_COUNTER_NOPNFS"),
    (3, "NFS4_CHANGE_TYPE_IS_TIME_METADATA"),
    (4, "NFS4_CHANGE_TYPE_IS_UNDEFINED"),
];
/// What kind of copy a file system is (RFC 8881 section 11.18).
pub const FILE_SYSTEM_STATUSES: &[(u64, &str)] = &[
    (1, "STATUS4_FIXED"),
    (2, "STATUS4_UPDATED"),
    (3, "STATUS4_VERSIONED"),
    (4, "STATUS4_WRITABLE"),
    (5, "STATUS4_REFERRAL"),
];
/// Types of files as POSIX puts them into a mode.
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
/// Channels that a client asks for (RFC 8881 section 18.34).
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
/// What a layout is for (RFC 8881 section 3.3.20).
pub const IO_MODES: &[(u64, &str)] =
    &[(1, "LAYOUTIOMODE4_READ"), (2, "LAYOUTIOMODE4_RW"), (3, "LAYOUTIOMODE4_ANY")];
/// What LAYOUTRETURN returns (RFC 8881 section 18.44).
pub const RETURN_TYPES: &[(u64, &str)] =
    &[(1, "LAYOUTRETURN4_FILE"), (2, "LAYOUTRETURN4_FSID"), (3, "LAYOUTRETURN4_ALL")];
/// What CB_LAYOUTRECALL recalls (RFC 8881 section 20.3).
pub const RECALL_TYPES: &[(u64, &str)] =
    &[(1, "LAYOUTRECALL4_FILE"), (2, "LAYOUTRECALL4_FSID"), (3, "LAYOUTRECALL4_ALL")];
/// Whether there is a directory delegation (RFC 8881 section 18.39).
pub const DIRECTORY_DELEGATIONS: &[(u64, &str)] = &[(0, "GDD4_OK"), (1, "GDD4_UNAVAIL")];
/// How a server is named (RFC 7862 section 15.2).
pub const NETWORK_LOCATIONS: &[(u64, &str)] =
    &[(1, "NL4_NAME"), (2, "NL4_URL"), (3, "NL4_NETADDR")];
/// Data or a hole (RFC 7862 section 15.10).
pub const CONTENT_TYPES: &[(u64, &str)] = &[(0, "NFS4_CONTENT_DATA"), (1, "NFS4_CONTENT_HOLE")];
/// Whether an extended attribute may be there (RFC 8276 section 8.4.2).
pub const XATTR_OPTIONS: &[(u64, &str)] =
    &[(0, "SETXATTR4_EITHER"), (1, "SETXATTR4_CREATE"), (2, "SETXATTR4_REPLACE")];
