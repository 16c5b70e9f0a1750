//! The fixed parts of NEGOTIATE, SESSION_SETUP, TREE_CONNECT and ERROR, before their buffers (MS-SMB2 §2.2.2
//! to §2.2.10).

use crate::figure::figure;

figure! {
    /// The fixed part of a NEGOTIATE Request, before its dialects (MS-SMB2 §2.2.3).
    NegotiateRequestView: 36 bytes little endian, Smb2 "NEGOTIATE Request" {
        /// StructureSize.
        0 structure_size u16;
        /// Number of dialects that follow.
        2 dialect_count u16;
        /// SecurityMode: 1 signing enabled, 2 required.
        4 security_mode u16;
        /// Reserved.
        6 reserved u16;
        /// Capabilities.
        8 capabilities u32;
        /// ClientGuid, first half.
        12 client_guid_low u64;
        /// ClientGuid, second half.
        20 client_guid_high u64;
        /// Offset of the negotiate contexts from the header, in bytes (SMB 3.1.1).
        28 context_offset u32;
        /// Number of negotiate contexts (SMB 3.1.1).
        32 context_count u16;
        /// Reserved.
        34 reserved2 u16;
    }
}

figure! {
    /// The fixed part of a NEGOTIATE Response (MS-SMB2 §2.2.4).
    NegotiateResponseView: 64 bytes little endian, Smb2 "NEGOTIATE Response" {
        /// StructureSize.
        0 structure_size u16;
        /// SecurityMode: 1 signing enabled, 2 required.
        2 security_mode u16;
        /// DialectRevision.
        4 dialect u16;
        /// Number of negotiate contexts (SMB 3.1.1).
        6 context_count u16;
        /// ServerGuid, first half.
        8 server_guid_low u64;
        /// ServerGuid, second half.
        16 server_guid_high u64;
        /// Capabilities.
        24 capabilities u32;
        /// MaxTransactSize in bytes.
        28 max_transact_size u32;
        /// MaxReadSize in bytes.
        32 max_read_size u32;
        /// MaxWriteSize in bytes.
        36 max_write_size u32;
        /// SystemTime (FILETIME).
        40 system_time u64;
        /// ServerStartTime (FILETIME).
        48 start_time u64;
        /// Offset of the security buffer from the header, in bytes.
        56 security_offset u16;
        /// Length of the security buffer in bytes.
        58 security_length u16;
        /// Offset of the negotiate contexts from the header, in bytes (SMB 3.1.1).
        60 context_offset u32;
    }
}

figure! {
    /// The fixed part of a SESSION_SETUP Request (MS-SMB2 §2.2.5).
    SessionSetupRequestView: 24 bytes little endian, Smb2 "SESSION_SETUP Request" {
        /// StructureSize.
        0 structure_size u16;
        /// 1: binds the session to one more connection.
        2 flags u8;
        /// SecurityMode: 1 signing enabled, 2 required.
        3 security_mode u8;
        /// Capabilities.
        4 capabilities u32;
        /// Reserved.
        8 channel u32;
        /// Offset of the security buffer from the header, in bytes.
        12 security_offset u16;
        /// Length of the security buffer in bytes.
        14 security_length u16;
        /// PreviousSessionId.
        16 previous_session_id u64;
    }
}

figure! {
    /// The fixed part of a SESSION_SETUP Response (MS-SMB2 §2.2.6).
    SessionSetupResponseView: 8 bytes little endian, Smb2 "SESSION_SETUP Response" {
        /// StructureSize.
        0 structure_size u16;
        /// SessionFlags: 1 guest, 2 anonymous, 4 encrypted.
        2 session_flags u16;
        /// Offset of the security buffer from the header, in bytes.
        4 security_offset u16;
        /// Length of the security buffer in bytes.
        6 security_length u16;
    }
}

figure! {
    /// The fixed part of a TREE_CONNECT Request (MS-SMB2 §2.2.9).
    TreeConnectRequestView: 8 bytes little endian, Smb2 "TREE_CONNECT Request" {
        /// StructureSize.
        0 structure_size u16;
        /// Flags.
        2 flags u16;
        /// Offset of the path from the header, in bytes.
        4 path_offset u16;
        /// Length of the path in bytes.
        6 path_length u16;
    }
}

figure! {
    /// A TREE_CONNECT Response (MS-SMB2 §2.2.10).
    TreeConnectResponseView: 16 bytes little endian, Smb2 "TREE_CONNECT Response" {
        /// StructureSize.
        0 structure_size u16;
        /// ShareType.
        2 share_type u8;
        /// Reserved.
        3 reserved u8;
        /// ShareFlags.
        4 share_flags u32;
        /// Capabilities.
        8 capabilities u32;
        /// MaximalAccess.
        12 maximal_access u32;
    }
}

figure! {
    /// A message without values: LOGOFF, TREE_DISCONNECT, ECHO, CANCEL, the responses of FLUSH and LOCK
    /// (MS-SMB2 §2.2.7 and others).
    EchoView: 4 bytes little endian, Smb2 "message without values" {
        /// StructureSize.
        0 structure_size u16;
        /// Reserved.
        2 reserved u16;
    }
}

figure! {
    /// The fixed part of an ERROR Response (MS-SMB2 §2.2.2).
    ErrorView: 8 bytes little endian, Smb2 "ERROR Response" {
        /// StructureSize.
        0 structure_size u16;
        /// ErrorContextCount.
        2 context_count u8;
        /// Reserved.
        3 reserved u8;
        /// Length of ErrorData in bytes.
        4 byte_count u32;
    }
}
