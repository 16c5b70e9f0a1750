//! The names of numbers (MS-SMB2 §2.2, MS-ERREF §2.3, MS-FSCC §2.3 to §2.5).

use crate::name_of;

/// Defines the enum of the commands and the table of their names.
macro_rules! commands {
    ($($command:ident = $number:literal, $name:literal;)*) => {
        /// A command (MS-SMB2 §2.2.1.2).
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, strum::FromRepr)]
        #[repr(u16)]
        #[allow(missing_docs, reason = "the names are the document's own")]
        pub enum Command {
            $($command = $number,)*
        }

        /// The commands.
        pub const COMMANDS: &[(u64, &str)] = &[$(($number, $name),)*];
    };
}

commands! {
    Negotiate = 0, "NEGOTIATE";
    SessionSetup = 1, "SESSION_SETUP";
    Logoff = 2, "LOGOFF";
    TreeConnect = 3, "TREE_CONNECT";
    TreeDisconnect = 4, "TREE_DISCONNECT";
    Create = 5, "CREATE";
    Close = 6, "CLOSE";
    Flush = 7, "FLUSH";
    Read = 8, "READ";
    Write = 9, "WRITE";
    Lock = 10, "LOCK";
    Ioctl = 11, "IOCTL";
    Cancel = 12, "CANCEL";
    Echo = 13, "ECHO";
    QueryDirectory = 14, "QUERY_DIRECTORY";
    ChangeNotify = 15, "CHANGE_NOTIFY";
    QueryInfo = 16, "QUERY_INFO";
    SetInfo = 17, "SET_INFO";
    OplockBreak = 18, "OPLOCK_BREAK";
}

/// NT statuses that file servers send (MS-ERREF §2.3.1).
pub const STATUSES: &[(u64, &str)] = &[
    (0x0000_0000, "STATUS_SUCCESS"),
    (0x0000_0103, "STATUS_PENDING"),
    (0x0000_010b, "STATUS_NOTIFY_CLEANUP"),
    (0x0000_010c, "STATUS_NOTIFY_ENUM_DIR"),
    (0x8000_0005, "STATUS_BUFFER_OVERFLOW"),
    (0x8000_0006, "STATUS_NO_MORE_FILES"),
    (0x8000_001a, "STATUS_NO_MORE_ENTRIES"),
    (0x8000_002d, "STATUS_STOPPED_ON_SYMLINK"),
    (0xc000_0001, "STATUS_UNSUCCESSFUL"),
    (0xc000_0002, "STATUS_NOT_IMPLEMENTED"),
    (0xc000_0003, "STATUS_INVALID_INFO_CLASS"),
    (0xc000_0004, "STATUS_INFO_LENGTH_MISMATCH"),
    (0xc000_0008, "STATUS_INVALID_HANDLE"),
    (0xc000_000d, "STATUS_INVALID_PARAMETER"),
    (0xc000_000e, "STATUS_NO_SUCH_DEVICE"),
    (0xc000_000f, "STATUS_NO_SUCH_FILE"),
    (0xc000_0010, "STATUS_INVALID_DEVICE_REQUEST"),
    (0xc000_0011, "STATUS_END_OF_FILE"),
    (0xc000_0016, "STATUS_MORE_PROCESSING_REQUIRED"),
    (0xc000_0017, "STATUS_NO_MEMORY"),
    (0xc000_0022, "STATUS_ACCESS_DENIED"),
    (0xc000_0023, "STATUS_BUFFER_TOO_SMALL"),
    (0xc000_0033, "STATUS_OBJECT_NAME_INVALID"),
    (0xc000_0034, "STATUS_OBJECT_NAME_NOT_FOUND"),
    (0xc000_0035, "STATUS_OBJECT_NAME_COLLISION"),
    (0xc000_0039, "STATUS_OBJECT_PATH_INVALID"),
    (0xc000_003a, "STATUS_OBJECT_PATH_NOT_FOUND"),
    (0xc000_003b, "STATUS_OBJECT_PATH_SYNTAX_BAD"),
    (0xc000_003e, "STATUS_DATA_ERROR"),
    (0xc000_003f, "STATUS_CRC_ERROR"),
    (0xc000_0043, "STATUS_SHARING_VIOLATION"),
    (0xc000_0044, "STATUS_QUOTA_EXCEEDED"),
    (0xc000_004f, "STATUS_EAS_NOT_SUPPORTED"),
    (0xc000_0051, "STATUS_NONEXISTENT_EA_ENTRY"),
    (0xc000_0054, "STATUS_FILE_LOCK_CONFLICT"),
    (0xc000_0055, "STATUS_LOCK_NOT_GRANTED"),
    (0xc000_0056, "STATUS_DELETE_PENDING"),
    (0xc000_005f, "STATUS_NO_SUCH_LOGON_SESSION"),
    (0xc000_0061, "STATUS_PRIVILEGE_NOT_HELD"),
    (0xc000_0064, "STATUS_NO_SUCH_USER"),
    (0xc000_006a, "STATUS_WRONG_PASSWORD"),
    (0xc000_006d, "STATUS_LOGON_FAILURE"),
    (0xc000_006e, "STATUS_ACCOUNT_RESTRICTION"),
    (0xc000_006f, "STATUS_INVALID_LOGON_HOURS"),
    (0xc000_0071, "STATUS_PASSWORD_EXPIRED"),
    (0xc000_0072, "STATUS_ACCOUNT_DISABLED"),
    (0xc000_007e, "STATUS_RANGE_NOT_LOCKED"),
    (0xc000_007f, "STATUS_DISK_FULL"),
    (0xc000_009a, "STATUS_INSUFFICIENT_RESOURCES"),
    (0xc000_00a2, "STATUS_MEDIA_WRITE_PROTECTED"),
    (0xc000_00ac, "STATUS_PIPE_NOT_AVAILABLE"),
    (0xc000_00b0, "STATUS_PIPE_DISCONNECTED"),
    (0xc000_00b5, "STATUS_IO_TIMEOUT"),
    (0xc000_00ba, "STATUS_FILE_IS_A_DIRECTORY"),
    (0xc000_00bb, "STATUS_NOT_SUPPORTED"),
    (0xc000_00c3, "STATUS_INVALID_NETWORK_RESPONSE"),
    (0xc000_00c9, "STATUS_NETWORK_NAME_DELETED"),
    (0xc000_00ca, "STATUS_NETWORK_ACCESS_DENIED"),
    (0xc000_00cb, "STATUS_BAD_DEVICE_TYPE"),
    (0xc000_00cc, "STATUS_BAD_NETWORK_NAME"),
    (0xc000_00d0, "STATUS_REQUEST_NOT_ACCEPTED"),
    (0xc000_00d4, "STATUS_NOT_SAME_DEVICE"),
    (0xc000_00d5, "STATUS_FILE_RENAMED"),
    (0xc000_00d8, "STATUS_CANT_WAIT"),
    (0xc000_00e3, "STATUS_INVALID_OPLOCK_PROTOCOL"),
    (0xc000_00e5, "STATUS_INTERNAL_ERROR"),
    (0xc000_0101, "STATUS_DIRECTORY_NOT_EMPTY"),
    (0xc000_0103, "STATUS_NOT_A_DIRECTORY"),
    (0xc000_011f, "STATUS_TOO_MANY_OPENED_FILES"),
    (0xc000_0120, "STATUS_CANCELLED"),
    (0xc000_0121, "STATUS_CANNOT_DELETE"),
    (0xc000_0128, "STATUS_FILE_CLOSED"),
    (0xc000_0148, "STATUS_INVALID_LEVEL"),
    (0xc000_014b, "STATUS_PIPE_BROKEN"),
    (0xc000_015b, "STATUS_LOGON_TYPE_NOT_GRANTED"),
    (0xc000_0185, "STATUS_IO_DEVICE_ERROR"),
    (0xc000_018d, "STATUS_TRUSTED_RELATIONSHIP_FAILURE"),
    (0xc000_019c, "STATUS_FS_DRIVER_REQUIRED"),
    (0xc000_0203, "STATUS_USER_SESSION_DELETED"),
    (0xc000_020c, "STATUS_CONNECTION_DISCONNECTED"),
    (0xc000_020d, "STATUS_CONNECTION_RESET"),
    (0xc000_0225, "STATUS_NOT_FOUND"),
    (0xc000_022a, "STATUS_DUPLICATE_OBJECTID"),
    (0xc000_0257, "STATUS_PATH_NOT_COVERED"),
    (0xc000_026e, "STATUS_VOLUME_DISMOUNTED"),
    (0xc000_0275, "STATUS_NOT_A_REPARSE_POINT"),
    (0xc000_035c, "STATUS_NETWORK_SESSION_EXPIRED"),
];

/// Channels of READ and WRITE (MS-SMB2 §2.2.19).
pub const CHANNELS: &[(u64, &str)] =
    &[(0, "NONE"), (1, "RDMA_V1"), (2, "RDMA_V1_INVALIDATE"), (3, "RDMA_TRANSFORM")];

/// Dialects (MS-SMB2 §2.2.4).
pub const DIALECTS: &[(u64, &str)] = &[
    (514, "SMB 2.0.2"),
    (528, "SMB 2.1"),
    (767, "SMB 2 or later"),
    (768, "SMB 3.0"),
    (770, "SMB 3.0.2"),
    (785, "SMB 3.1.1"),
];

/// Oplock levels (MS-SMB2 §2.2.13).
pub const OPLOCKS: &[(u64, &str)] =
    &[(0, "none"), (1, "level II"), (8, "exclusive"), (9, "batch"), (255, "lease")];

/// Impersonation levels (MS-SMB2 §2.2.13).
pub const IMPERSONATIONS: &[(u64, &str)] =
    &[(0, "anonymous"), (1, "identification"), (2, "impersonation"), (3, "delegate")];

/// Dispositions of CREATE: what it does with a file that exists or does not exist (MS-SMB2 §2.2.13).
pub const DISPOSITIONS: &[(u64, &str)] = &[
    (0, "FILE_SUPERSEDE"),
    (1, "FILE_OPEN"),
    (2, "FILE_CREATE"),
    (3, "FILE_OPEN_IF"),
    (4, "FILE_OVERWRITE"),
    (5, "FILE_OVERWRITE_IF"),
];

/// Actions of CREATE (MS-SMB2 §2.2.14).
pub const CREATE_ACTIONS: &[(u64, &str)] =
    &[(0, "FILE_SUPERSEDED"), (1, "FILE_OPENED"), (2, "FILE_CREATED"), (3, "FILE_OVERWRITTEN")];

/// Types of shares (MS-SMB2 §2.2.10).
pub const SHARE_TYPES: &[(u64, &str)] = &[(1, "disk"), (2, "pipe"), (3, "print")];

/// Types of information for QUERY_INFO and SET_INFO (MS-SMB2 §2.2.37).
pub const INFO_TYPES: &[(u64, &str)] =
    &[(1, "file"), (2, "file system"), (3, "security"), (4, "quota")];

/// Classes of information about files (MS-FSCC §2.4).
pub const FILE_CLASSES: &[(u64, &str)] = &[
    (4, "FileBasicInformation"),
    (5, "FileStandardInformation"),
    (6, "FileInternalInformation"),
    (7, "FileEaInformation"),
    (8, "FileAccessInformation"),
    (10, "FileRenameInformation"),
    (11, "FileLinkInformation"),
    (13, "FileDispositionInformation"),
    (14, "FilePositionInformation"),
    (15, "FileFullEaInformation"),
    (16, "FileModeInformation"),
    (17, "FileAlignmentInformation"),
    (18, "FileAllInformation"),
    (19, "FileAllocationInformation"),
    (20, "FileEndOfFileInformation"),
    (21, "FileAlternateNameInformation"),
    (22, "FileStreamInformation"),
    (23, "FilePipeInformation"),
    (28, "FileCompressionInformation"),
    (34, "FileNetworkOpenInformation"),
    (35, "FileAttributeTagInformation"),
    (48, "FileNormalizedNameInformation"),
    (59, "FileIdInformation"),
    (100, "FilePosixInformation"),
];

/// Classes of information about file systems (MS-FSCC §2.5).
pub const FS_CLASSES: &[(u64, &str)] = &[
    (1, "FileFsVolumeInformation"),
    (2, "FileFsLabelInformation"),
    (3, "FileFsSizeInformation"),
    (4, "FileFsDeviceInformation"),
    (5, "FileFsAttributeInformation"),
    (6, "FileFsControlInformation"),
    (7, "FileFsFullSizeInformation"),
    (8, "FileFsObjectIdInformation"),
    (9, "FileFsDriverPathInformation"),
    (10, "FileFsVolumeFlagsInformation"),
    (11, "FileFsSectorSizeInformation"),
];

/// Classes of entries of directories (MS-FSCC §2.4).
pub const FIND_CLASSES: &[(u64, &str)] = &[
    (1, "FileDirectoryInformation"),
    (2, "FileFullDirectoryInformation"),
    (3, "FileBothDirectoryInformation"),
    (12, "FileNamesInformation"),
    (37, "FileIdBothDirectoryInformation"),
    (38, "FileIdFullDirectoryInformation"),
    (100, "FilePosixInformation"),
];

/// Control codes of IOCTL (MS-FSCC §2.3, MS-SMB2 §2.2.31).
pub const CONTROL_CODES: &[(u64, &str)] = &[
    (0x0006_0194, "FSCTL_DFS_GET_REFERRALS"),
    (0x0006_01b0, "FSCTL_DFS_GET_REFERRALS_EX"),
    (0x0009_003c, "FSCTL_GET_COMPRESSION"),
    (0x0009_00a8, "FSCTL_GET_REPARSE_POINT"),
    (0x0009_00c4, "FSCTL_SET_SPARSE"),
    (0x0009_027c, "FSCTL_GET_INTEGRITY_INFORMATION"),
    (0x0009_40cf, "FSCTL_QUERY_ALLOCATED_RANGES"),
    (0x0009_4264, "FSCTL_OFFLOAD_READ"),
    (0x0009_80a4, "FSCTL_SET_REPARSE_POINT"),
    (0x0009_80ac, "FSCTL_DELETE_REPARSE_POINT"),
    (0x0009_80c8, "FSCTL_SET_ZERO_DATA"),
    (0x0009_8208, "FSCTL_FILE_LEVEL_TRIM"),
    (0x0009_8268, "FSCTL_OFFLOAD_WRITE"),
    (0x0009_c040, "FSCTL_SET_COMPRESSION"),
    (0x0011_0018, "FSCTL_PIPE_WAIT"),
    (0x0011_400c, "FSCTL_PIPE_PEEK"),
    (0x0011_c017, "FSCTL_PIPE_TRANSCEIVE"),
    (0x0014_0078, "FSCTL_SRV_REQUEST_RESUME_KEY"),
    (0x0014_01d4, "FSCTL_LMR_REQUEST_RESILIENCY"),
    (0x0014_01fc, "FSCTL_QUERY_NETWORK_INTERFACE_INFO"),
    (0x0014_0204, "FSCTL_VALIDATE_NEGOTIATE_INFO"),
    (0x0014_4064, "FSCTL_SRV_ENUMERATE_SNAPSHOTS"),
    (0x0014_40f2, "FSCTL_SRV_COPYCHUNK"),
    (0x0014_41bb, "FSCTL_SRV_READ_HASH"),
    (0x0014_80f2, "FSCTL_SRV_COPYCHUNK_WRITE"),
];

/// Statuses on which parsing depends.
pub mod status {
    /// STATUS_SUCCESS.
    pub const SUCCESS: u32 = 0;
    /// STATUS_PENDING: the real answer comes later.
    pub const PENDING: u32 = 0x0000_0103;
    /// STATUS_NOTIFY_ENUM_DIR: too much changed to be listed.
    pub const NOTIFY_ENUM_DIR: u32 = 0x0000_010c;
    /// STATUS_BUFFER_OVERFLOW: there is more data than was requested.
    pub const BUFFER_OVERFLOW: u32 = 0x8000_0005;
    /// STATUS_NO_MORE_FILES.
    pub const NO_MORE_FILES: u32 = 0x8000_0006;
    /// STATUS_END_OF_FILE.
    pub const END_OF_FILE: u32 = 0xc000_0011;
    /// STATUS_MORE_PROCESSING_REQUIRED: the next SESSION_SETUP continues.
    pub const MORE_PROCESSING_REQUIRED: u32 = 0xc000_0016;
}

/// The severity of a status: its two highest bits (MS-ERREF §2.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// STATUS_SEVERITY_SUCCESS.
    Success,
    /// STATUS_SEVERITY_INFORMATIONAL.
    Informational,
    /// STATUS_SEVERITY_WARNING.
    Warning,
    /// STATUS_SEVERITY_ERROR.
    Error,
}

/// Returns the severity of a status.
pub fn severity(status: u32) -> Severity {
    match status >> 30 {
        0 => Severity::Success,
        1 => Severity::Informational,
        2 => Severity::Warning,
        _ => Severity::Error,
    }
}

/// Returns the name of a command.
pub fn command_name(command: u16) -> Option<&'static str> {
    name_of(COMMANDS, command)
}

/// Returns the name of an NT status.
pub fn status_name(status: u32) -> Option<&'static str> {
    name_of(STATUSES, status)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_are_in_order() {
        assert!(STATUSES.is_sorted_by(|one, other| one.0 < other.0));
        assert_eq!(status_name(status::END_OF_FILE), Some("STATUS_END_OF_FILE"));
        assert_eq!(severity(status::NO_MORE_FILES), Severity::Warning);
        assert_eq!(severity(status::PENDING), Severity::Success);
        assert_eq!(severity(status::END_OF_FILE), Severity::Error);
    }
}
