//! The fixed parts of requests and responses about files, before their buffers (MS-SMB2 §2.2.13 to §2.2.39).

use super::{FileId, MessageView};
use crate::Malformed;
use crate::figure::figure;

figure! {
    /// The fixed part of a CREATE Request (MS-SMB2 §2.2.13).
    CreateRequestView: 56 bytes little endian, Smb2 "CREATE Request" {
        /// StructureSize.
        0 structure_size u16;
        /// Reserved.
        2 security_flags u8;
        /// RequestedOplockLevel.
        3 oplock_level u8;
        /// ImpersonationLevel.
        4 impersonation_level u32;
        /// Reserved (SmbCreateFlags).
        8 create_flags u64;
        /// Reserved.
        16 reserved u64;
        /// DesiredAccess.
        24 desired_access u32;
        /// FileAttributes.
        28 file_attributes u32;
        /// ShareAccess.
        32 share_access u32;
        /// CreateDisposition.
        36 disposition u32;
        /// CreateOptions.
        40 options u32;
        /// Offset of the name from the header, in bytes.
        44 name_offset u16;
        /// Length of the name in bytes.
        46 name_length u16;
        /// Offset of the create contexts from the header, in bytes.
        48 contexts_offset u32;
        /// Length of the create contexts in bytes.
        52 contexts_length u32;
    }
}

figure! {
    /// The fixed part of a CREATE Response (MS-SMB2 §2.2.14).
    CreateResponseView: 88 bytes little endian, Smb2 "CREATE Response" {
        /// StructureSize.
        0 structure_size u16;
        /// OplockLevel that was granted.
        2 oplock_level u8;
        /// Flags.
        3 flags u8;
        /// CreateAction.
        4 action u32;
        /// When the file was created (FILETIME).
        8 creation_time u64;
        /// When it was last read (FILETIME).
        16 last_access_time u64;
        /// When it was last written (FILETIME).
        24 last_write_time u64;
        /// When it last changed (FILETIME).
        32 change_time u64;
        /// Allocated length of the file in bytes.
        40 allocation_size u64;
        /// Length of the file in bytes.
        48 end_of_file u64;
        /// FileAttributes.
        56 file_attributes u32;
        /// Reserved.
        60 reserved u32;
        /// FileId: the persistent part, which outlives a connection.
        64 file_persistent u64;
        /// FileId: the volatile part, which does not outlive it.
        72 file_volatile u64;
        /// Offset of the create contexts from the header, in bytes.
        80 contexts_offset u32;
        /// Length of the create contexts in bytes.
        84 contexts_length u32;
    }
}

figure! {
    /// A CLOSE Request (MS-SMB2 §2.2.15).
    CloseRequestView: 24 bytes little endian, Smb2 "CLOSE Request" {
        /// StructureSize.
        0 structure_size u16;
        /// 1: the response is to contain the attributes.
        2 flags u16;
        /// Reserved.
        4 reserved u32;
        /// FileId: the persistent part, which outlives a connection.
        8 file_persistent u64;
        /// FileId: the volatile part, which does not outlive it.
        16 file_volatile u64;
    }
}

figure! {
    /// A CLOSE Response (MS-SMB2 §2.2.16).
    CloseResponseView: 60 bytes little endian, Smb2 "CLOSE Response" {
        /// StructureSize.
        0 structure_size u16;
        /// 1: the attributes are present.
        2 flags u16;
        /// Reserved.
        4 reserved u32;
        /// When the file was created (FILETIME).
        8 creation_time u64;
        /// When it was last read (FILETIME).
        16 last_access_time u64;
        /// When it was last written (FILETIME).
        24 last_write_time u64;
        /// When it last changed (FILETIME).
        32 change_time u64;
        /// Allocated length of the file in bytes.
        40 allocation_size u64;
        /// Length of the file in bytes.
        48 end_of_file u64;
        /// FileAttributes.
        56 file_attributes u32;
    }
}

figure! {
    /// A FLUSH Request (MS-SMB2 §2.2.17).
    FlushRequestView: 24 bytes little endian, Smb2 "FLUSH Request" {
        /// StructureSize.
        0 structure_size u16;
        /// Reserved.
        2 reserved1 u16;
        /// Reserved.
        4 reserved2 u32;
        /// FileId: the persistent part, which outlives a connection.
        8 file_persistent u64;
        /// FileId: the volatile part, which does not outlive it.
        16 file_volatile u64;
    }
}

figure! {
    /// The fixed part of a READ Request (MS-SMB2 §2.2.19).
    ReadRequestView: 48 bytes little endian, Smb2 "READ Request" {
        /// StructureSize.
        0 structure_size u16;
        /// Offset in the response that the client wants for the data.
        2 padding u8;
        /// Flags.
        3 flags u8;
        /// Number of bytes to read.
        4 length u32;
        /// Offset in the file in bytes.
        8 offset u64;
        /// FileId: the persistent part, which outlives a connection.
        16 file_persistent u64;
        /// FileId: the volatile part, which does not outlive it.
        24 file_volatile u64;
        /// If fewer bytes are available, the read fails.
        32 minimum_count u32;
        /// Channel: how the data is to be transferred.
        36 channel u32;
        /// Number of bytes that the client intends to read later.
        40 remaining_bytes u32;
        /// ReadChannelInfoOffset, from the header.
        44 channel_info_offset u16;
        /// ReadChannelInfoLength: bytes of descriptors.
        46 channel_info_length u16;
    }
}

figure! {
    /// The fixed part of a READ Response (MS-SMB2 §2.2.20).
    ReadResponseView: 16 bytes little endian, Smb2 "READ Response" {
        /// StructureSize.
        0 structure_size u16;
        /// Offset of the data from the header, in bytes.
        2 data_offset u8;
        /// Reserved.
        3 reserved u8;
        /// Length of the data in the response, in bytes.
        4 data_length u32;
        /// Number of bytes of data sent through the channel.
        8 data_remaining u32;
        /// Reserved; Flags in SMB 3.1.1.
        12 reserved2 u32;
    }
}

figure! {
    /// The fixed part of a WRITE Request (MS-SMB2 §2.2.21).
    WriteRequestView: 48 bytes little endian, Smb2 "WRITE Request" {
        /// StructureSize.
        0 structure_size u16;
        /// Offset of the data from the header, in bytes.
        2 data_offset u16;
        /// Length of the data in the request, in bytes.
        4 length u32;
        /// Offset in the file in bytes.
        8 offset u64;
        /// FileId: the persistent part, which outlives a connection.
        16 file_persistent u64;
        /// FileId: the volatile part, which does not outlive it.
        24 file_volatile u64;
        /// Channel: how the data is transferred.
        32 channel u32;
        /// Number of bytes of data sent through the channel.
        36 remaining_bytes u32;
        /// WriteChannelInfoOffset, from the header.
        40 channel_info_offset u16;
        /// WriteChannelInfoLength: bytes of descriptors.
        42 channel_info_length u16;
        /// Flags.
        44 flags u32;
    }
}

figure! {
    /// The fixed part of a WRITE Response (MS-SMB2 §2.2.22).
    WriteResponseView: 16 bytes little endian, Smb2 "WRITE Response" {
        /// StructureSize.
        0 structure_size u16;
        /// Reserved.
        2 reserved u16;
        /// Number of bytes written.
        4 count u32;
        /// Reserved.
        8 remaining u32;
        /// Reserved.
        12 channel_info_offset u16;
        /// Reserved.
        14 channel_info_length u16;
    }
}

figure! {
    /// The fixed part of a LOCK Request, before its locks of 24 bytes (MS-SMB2 §2.2.26).
    LockRequestView: 24 bytes little endian, Smb2 "LOCK Request" {
        /// StructureSize.
        0 structure_size u16;
        /// LockCount.
        2 lock_count u16;
        /// LockSequenceNumber and LockSequenceIndex.
        4 lock_sequence u32;
        /// FileId: the persistent part, which outlives a connection.
        8 file_persistent u64;
        /// FileId: the volatile part, which does not outlive it.
        16 file_volatile u64;
    }
}

figure! {
    /// The fixed part of an IOCTL Request (MS-SMB2 §2.2.31).
    IoctlRequestView: 56 bytes little endian, Smb2 "IOCTL Request" {
        /// StructureSize.
        0 structure_size u16;
        /// Reserved.
        2 reserved u16;
        /// CtlCode.
        4 control_code u32;
        /// FileId: the persistent part, which outlives a connection.
        8 file_persistent u64;
        /// FileId: the volatile part, which does not outlive it.
        16 file_volatile u64;
        /// InputOffset, from the header.
        24 input_offset u32;
        /// Length of the input in bytes.
        28 input_count u32;
        /// MaxInputResponse in bytes.
        32 max_input_response u32;
        /// OutputOffset, from the header.
        36 output_offset u32;
        /// OutputCount.
        40 output_count u32;
        /// MaxOutputResponse in bytes.
        44 max_output_response u32;
        /// 1: a file system control.
        48 flags u32;
        /// Reserved.
        52 reserved2 u32;
    }
}

figure! {
    /// The fixed part of an IOCTL Response (MS-SMB2 §2.2.32).
    IoctlResponseView: 48 bytes little endian, Smb2 "IOCTL Response" {
        /// StructureSize.
        0 structure_size u16;
        /// Reserved.
        2 reserved u16;
        /// CtlCode.
        4 control_code u32;
        /// FileId: the persistent part, which outlives a connection.
        8 file_persistent u64;
        /// FileId: the volatile part, which does not outlive it.
        16 file_volatile u64;
        /// InputOffset, from the header.
        24 input_offset u32;
        /// Length of the input in bytes.
        28 input_count u32;
        /// OutputOffset, from the header.
        32 output_offset u32;
        /// Length of the output in bytes.
        36 output_count u32;
        /// Flags.
        40 flags u32;
        /// Reserved.
        44 reserved2 u32;
    }
}

figure! {
    /// The fixed part of a QUERY_DIRECTORY Request (MS-SMB2 §2.2.33).
    QueryDirectoryRequestView: 32 bytes little endian, Smb2 "QUERY_DIRECTORY Request" {
        /// StructureSize.
        0 structure_size u16;
        /// FileInformationClass.
        2 information_class u8;
        /// Flags.
        3 flags u8;
        /// FileIndex.
        4 file_index u32;
        /// FileId: the persistent part, which outlives a connection.
        8 file_persistent u64;
        /// FileId: the volatile part, which does not outlive it.
        16 file_volatile u64;
        /// Offset of the pattern from the header, in bytes.
        24 name_offset u16;
        /// Length of the pattern in bytes.
        26 name_length u16;
        /// Greatest length of the response in bytes.
        28 output_length u32;
    }
}

figure! {
    /// The fixed part of a QUERY_DIRECTORY, CHANGE_NOTIFY or QUERY_INFO Response (MS-SMB2 §2.2.34, §2.2.36, §2.2.38).
    OutputView: 8 bytes little endian, Smb2 "response with a buffer" {
        /// StructureSize.
        0 structure_size u16;
        /// Offset of the buffer from the header, in bytes.
        2 output_offset u16;
        /// Length of the buffer in bytes.
        4 output_length u32;
    }
}

figure! {
    /// A CHANGE_NOTIFY Request (MS-SMB2 §2.2.35).
    ChangeNotifyRequestView: 32 bytes little endian, Smb2 "CHANGE_NOTIFY Request" {
        /// StructureSize.
        0 structure_size u16;
        /// 1: changes below the directory are reported too.
        2 flags u16;
        /// Greatest length of the response in bytes.
        4 output_length u32;
        /// FileId: the persistent part, which outlives a connection.
        8 file_persistent u64;
        /// FileId: the volatile part, which does not outlive it.
        16 file_volatile u64;
        /// CompletionFilter.
        24 completion_filter u32;
        /// Reserved.
        28 reserved u32;
    }
}

figure! {
    /// The fixed part of a QUERY_INFO Request (MS-SMB2 §2.2.37).
    QueryInfoRequestView: 40 bytes little endian, Smb2 "QUERY_INFO Request" {
        /// StructureSize.
        0 structure_size u16;
        /// InfoType.
        2 info_type u8;
        /// FileInfoClass.
        3 information_class u8;
        /// Greatest length of the response in bytes.
        4 output_length u32;
        /// Offset of the input from the header, in bytes.
        8 input_offset u16;
        /// Reserved.
        10 reserved u16;
        /// Length of the input in bytes.
        12 input_length u32;
        /// AdditionalInformation.
        16 additional_information u32;
        /// Flags.
        20 flags u32;
        /// FileId: the persistent part, which outlives a connection.
        24 file_persistent u64;
        /// FileId: the volatile part, which does not outlive it.
        32 file_volatile u64;
    }
}

figure! {
    /// The fixed part of a SET_INFO Request (MS-SMB2 §2.2.39).
    SetInfoRequestView: 32 bytes little endian, Smb2 "SET_INFO Request" {
        /// StructureSize.
        0 structure_size u16;
        /// InfoType.
        2 info_type u8;
        /// FileInfoClass.
        3 information_class u8;
        /// Length of the buffer in bytes.
        4 buffer_length u32;
        /// Offset of the buffer from the header, in bytes.
        8 buffer_offset u16;
        /// Reserved.
        10 reserved u16;
        /// AdditionalInformation.
        12 additional_information u32;
        /// FileId: the persistent part, which outlives a connection.
        16 file_persistent u64;
        /// FileId: the volatile part, which does not outlive it.
        24 file_volatile u64;
    }
}

figure! {
    /// An oplock break: notification, acknowledgment or response (MS-SMB2 §2.2.23.1, §2.2.24.1, §2.2.25.1).
    OplockBreakView: 24 bytes little endian, Smb2 "OPLOCK_BREAK" {
        /// StructureSize.
        0 structure_size u16;
        /// OplockLevel.
        2 oplock_level u8;
        /// Reserved.
        3 reserved u8;
        /// Reserved.
        4 reserved2 u32;
        /// FileId: the persistent part, which outlives a connection.
        8 file_persistent u64;
        /// FileId: the volatile part, which does not outlive it.
        16 file_volatile u64;
    }
}

figure! {
    /// A SET_INFO Response (MS-SMB2 §2.2.40).
    SetInfoResponseView: 2 bytes little endian, Smb2 "SET_INFO Response" {
        /// StructureSize.
        0 structure_size u16;
    }
}

/// Implements the FileId accessor of the bodies that have one.
macro_rules! file_id {
    ($($view:ident),*) => {
        $(impl $view<'_> {
            /// Returns the file.
            pub fn file_id(&self) -> FileId {
                FileId { persistent: self.file_persistent(), volatile: self.file_volatile() }
            }
        })*
    };
}

file_id!(
    CreateResponseView,
    CloseRequestView,
    FlushRequestView,
    ReadRequestView,
    WriteRequestView,
    LockRequestView,
    IoctlRequestView,
    IoctlResponseView,
    QueryDirectoryRequestView,
    ChangeNotifyRequestView,
    QueryInfoRequestView,
    SetInfoRequestView,
    OplockBreakView
);

figure! {
    /// A create context before its name and its data (MS-SMB2 §2.2.13.2).
    CreateContextView: 16 bytes little endian, Smb2 "create context" {
        /// Next: from this context to the next one, in bytes; 0 in the last.
        0 next u32;
        /// Offset of the name from the context, in bytes.
        4 name_offset u16;
        /// Length of the name in bytes.
        6 name_length u16;
        /// Reserved.
        8 reserved u16;
        /// Offset of the data from the context, in bytes.
        10 data_offset u16;
        /// Length of the data in bytes.
        12 data_length u32;
    }
}

/// The create contexts of a CREATE, in order: each with its offset in the message, its name and its
/// data. The iteration ends at a context that cannot be parsed.
#[derive(Debug, Clone)]
pub struct CreateContexts<'a> {
    rest: &'a [u8],
    offset: usize,
}

impl<'a> CreateContexts<'a> {
    /// Creates the iterator for a message, from the offset and length in its body.
    ///
    /// # Errors
    /// [`Malformed`] when they are incomplete.
    pub fn new(message: &MessageView<'a>, offset: u32, length: u32) -> Result<Self, Malformed> {
        let rest = message.part("create contexts", offset, length)?;
        Ok(Self { rest, offset: offset as usize })
    }
}

impl<'a> Iterator for CreateContexts<'a> {
    type Item = (usize, CreateContextView<'a>, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let (view, _) = CreateContextView::parse(self.rest).ok()?;
        let start = usize::from(view.name_offset());
        let name = self.rest.get(start..start + usize::from(view.name_length()))?;
        let at = self.offset;
        let next = view.next() as usize;
        self.rest = match next {
            0 => &[],
            // A smaller step than the length of a context would loop forever.
            1..CreateContextView::LENGTH => &[],
            _ => self.rest.get(next..).unwrap_or(&[]),
        };
        self.offset = at.saturating_add(next);
        Some((at, view, name))
    }
}
