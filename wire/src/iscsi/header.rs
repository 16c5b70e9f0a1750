//! The Basic Header Segments of all PDU types (RFC 7143 §11.2 to §11.19).
//!
//! Each figure has the fields that its type adds. The opcode, the lengths and the Initiator Task Tag
//! are at the places of [`BasicHeaderView`] for every type.

use crate::figure::figure;

const IMMEDIATE: u8 = 0x40;
const OPCODE: u8 = 0x3f;

/// Declares accessors for the bits of a flag byte.
macro_rules! flags {
    ($view:ident { $($(#[$doc:meta])* $field:ident $mask:literal;)* }) => {
        impl $view<'_> {
            $($(#[$doc])*
            pub fn $field(&self) -> bool {
                self.flags() & $mask != 0
            })*
        }
    };
}

figure! {
    /// The fields common to the headers of all types (RFC 7143 §11.2.1).
    BasicHeaderView: 48 bytes, Iscsi "Basic Header Segment" {
        /// A reserved bit, I and the opcode.
        0 immediate_and_opcode u8;
        /// The flag byte: F and the bits of the type.
        1 flags u8;
        /// TotalAHSLength and DataSegmentLength as one word.
        4 lengths u32;
        /// The Logical Unit Number (LUN), if the type has one.
        8 logical_unit_number u64;
        /// The Initiator Task Tag (ITT).
        16 initiator_task_tag u32;
    }
}

impl BasicHeaderView<'_> {
    /// Returns the opcode: six bits.
    pub fn opcode(&self) -> u8 {
        self.immediate_and_opcode() & OPCODE
    }

    /// I: a request for immediate delivery.
    pub fn immediate(&self) -> bool {
        self.immediate_and_opcode() & IMMEDIATE != 0
    }

    /// Returns the reserved bit of the first byte.
    pub fn reserved(&self) -> bool {
        self.immediate_and_opcode() & 0x80 != 0
    }

    /// F: the final or only PDU of a sequence; T in a login.
    pub fn last(&self) -> bool {
        self.flags() & 0x80 != 0
    }

    /// TotalAHSLength, in words of four bytes.
    pub fn total_ahs_length(&self) -> u8 {
        (self.lengths() >> 24) as u8
    }

    /// DataSegmentLength in bytes, without padding.
    pub fn data_segment_length(&self) -> u32 {
        self.lengths() & 0x00ff_ffff
    }
}

figure! {
    /// A NOP-Out (RFC 7143 §11.18).
    NopOutView: 48 bytes, Iscsi "NOP-Out" {
        /// The Target Transfer Tag (TTT) of the NOP-In that this answers.
        20 target_transfer_tag u32;
        /// Command sequence number (CmdSN).
        24 command_sequence_number u32;
        /// The next StatSN that is expected (ExpStatSN).
        28 expected_status_sequence_number u32;
    }
}

figure! {
    /// A SCSI Command (RFC 7143 §11.3).
    ScsiCommandView: 48 bytes, Iscsi "SCSI Command" {
        /// F, R, W and the task attribute.
        1 flags u8;
        /// Expected Data Transfer Length in bytes.
        20 expected_data_transfer_length u32;
        /// Command sequence number (CmdSN).
        24 command_sequence_number u32;
        /// The next StatSN that is expected (ExpStatSN).
        28 expected_status_sequence_number u32;
    }
}

flags! {
    ScsiCommandView {
        /// F: no unsolicited Data-Out follows.
        last 0x80;
        /// R: data is expected from the target.
        read 0x40;
        /// W: data is expected from the initiator.
        write 0x20;
    }
}

impl<'a> ScsiCommandView<'a> {
    /// Returns the task attribute (ATTR).
    pub fn task_attribute(&self) -> u8 {
        self.flags() & 0x07
    }

    /// Returns the first 16 bytes of the Command Descriptor Block (CDB).
    pub fn command_descriptor_block(&self) -> &'a [u8] {
        &self.bytes()[32..48]
    }
}

figure! {
    /// A SCSI Response (RFC 7143 §11.4).
    ScsiResponseView: 48 bytes, Iscsi "SCSI Response" {
        /// The flag byte: o, u, O and U.
        1 flags u8;
        /// The iSCSI service response.
        2 response u8;
        /// The SCSI status, valid when the command completed at the target.
        3 status u8;
        /// The SNACK Tag.
        20 snack_tag u32;
        /// Status sequence number (StatSN).
        24 status_sequence_number u32;
        /// The next CmdSN that is expected (ExpCmdSN).
        28 expected_command_sequence_number u32;
        /// The highest CmdSN that is accepted (MaxCmdSN).
        32 maximum_command_sequence_number u32;
        /// Number of Data-In PDUs sent (ExpDataSN).
        36 expected_data_sequence_number u32;
        /// Bidirectional Read Residual Count in bytes.
        40 bidirectional_read_residual_count u32;
        /// Residual Count in bytes.
        44 residual_count u32;
    }
}

flags! {
    ScsiResponseView {
        /// o: the residual of a bidirectional command's read is an overflow.
        bidirectional_read_overflow 0x10;
        /// u: this residual is an underflow.
        bidirectional_read_underflow 0x08;
        /// O: the residual is an overflow.
        overflow 0x04;
        /// U: the residual is an underflow.
        underflow 0x02;
    }
}

figure! {
    /// A Task Management Function Request (RFC 7143 §11.5).
    TaskManagementRequestView: 48 bytes, Iscsi "Task Management Function Request" {
        /// A bit that is 1, and the function.
        1 flags u8;
        /// The Referenced Task Tag.
        20 referenced_task_tag u32;
        /// Command sequence number (CmdSN).
        24 command_sequence_number u32;
        /// The next StatSN that is expected (ExpStatSN).
        28 expected_status_sequence_number u32;
        /// The CmdSN of the referenced task (RefCmdSN).
        32 referenced_command_sequence_number u32;
        /// The next DataSN that is expected (ExpDataSN).
        36 expected_data_sequence_number u32;
    }
}

impl TaskManagementRequestView<'_> {
    /// Returns the function.
    pub fn function(&self) -> u8 {
        self.flags() & 0x7f
    }
}

figure! {
    /// A Task Management Function Response (RFC 7143 §11.6).
    TaskManagementResponseView: 48 bytes, Iscsi "Task Management Function Response" {
        /// The response.
        2 response u8;
        /// Status sequence number (StatSN).
        24 status_sequence_number u32;
        /// The next CmdSN that is expected (ExpCmdSN).
        28 expected_command_sequence_number u32;
        /// The highest CmdSN that is accepted (MaxCmdSN).
        32 maximum_command_sequence_number u32;
    }
}

figure! {
    /// A SCSI Data-Out (RFC 7143 §11.7): on iSER, unsolicited data only (RFC 7145 §7.3.4).
    DataOutView: 48 bytes, Iscsi "SCSI Data-Out" {
        /// The Target Transfer Tag (TTT): all ones for unsolicited data.
        20 target_transfer_tag u32;
        /// The next StatSN that is expected (ExpStatSN).
        28 expected_status_sequence_number u32;
        /// The number of the PDU in its sequence (DataSN).
        36 data_sequence_number u32;
        /// Offset of the data in the whole transfer, in bytes.
        40 buffer_offset u32;
    }
}

figure! {
    /// A SCSI Data-In (RFC 7143 §11.7); iSER sends none (RFC 7145 §7.3.5).
    DataInView: 48 bytes, Iscsi "SCSI Data-In" {
        /// F, A, O, U and S.
        1 flags u8;
        /// The SCSI status, when S is set.
        3 status u8;
        /// The Target Transfer Tag (TTT).
        20 target_transfer_tag u32;
        /// Status sequence number (StatSN), when S is set.
        24 status_sequence_number u32;
        /// The next CmdSN that is expected (ExpCmdSN).
        28 expected_command_sequence_number u32;
        /// The highest CmdSN that is accepted (MaxCmdSN).
        32 maximum_command_sequence_number u32;
        /// The number of the PDU in its transfer (DataSN).
        36 data_sequence_number u32;
        /// Offset of the data in the whole transfer, in bytes.
        40 buffer_offset u32;
        /// Residual Count in bytes, when S is set.
        44 residual_count u32;
    }
}

figure! {
    /// A Ready To Transfer, R2T (RFC 7143 §11.8); iSER sends none (RFC 7145 §7.3.6).
    ReadyToTransferView: 48 bytes, Iscsi "Ready To Transfer" {
        /// The Target Transfer Tag (TTT).
        20 target_transfer_tag u32;
        /// The next StatSN: it is not advanced (RFC 7143 §11.8.3).
        24 status_sequence_number u32;
        /// The next CmdSN that is expected (ExpCmdSN).
        28 expected_command_sequence_number u32;
        /// The highest CmdSN that is accepted (MaxCmdSN).
        32 maximum_command_sequence_number u32;
        /// The number of the R2T in its command (R2TSN).
        36 ready_to_transfer_sequence_number u32;
        /// Offset of the data in the whole transfer, in bytes.
        40 buffer_offset u32;
        /// Desired Data Transfer Length in bytes.
        44 desired_data_transfer_length u32;
    }
}

figure! {
    /// An Asynchronous Message (RFC 7143 §11.9).
    AsynchronousView: 48 bytes, Iscsi "Asynchronous Message" {
        /// Status sequence number (StatSN).
        24 status_sequence_number u32;
        /// The next CmdSN that is expected (ExpCmdSN).
        28 expected_command_sequence_number u32;
        /// The highest CmdSN that is accepted (MaxCmdSN).
        32 maximum_command_sequence_number u32;
        /// The event (AsyncEvent).
        36 event u8;
        /// A vendor's detail code (AsyncVCode).
        37 vendor_code u8;
        /// Parameter1.
        38 parameter_1 u16;
        /// Parameter2: Time2Wait in seconds, for events that have it.
        40 parameter_2 u16;
        /// Parameter3: Time2Retain in seconds, for events that have it.
        42 parameter_3 u16;
    }
}

figure! {
    /// A Text Request (RFC 7143 §11.10).
    TextRequestView: 48 bytes, Iscsi "Text Request" {
        /// F and C.
        1 flags u8;
        /// The Target Transfer Tag (TTT): all ones at the beginning of a negotiation.
        20 target_transfer_tag u32;
        /// Command sequence number (CmdSN).
        24 command_sequence_number u32;
        /// The next StatSN that is expected (ExpStatSN).
        28 expected_status_sequence_number u32;
    }
}

flags! {
    TextRequestView {
        /// C: the text continues in the next request.
        continues 0x40;
    }
}

figure! {
    /// A Text Response (RFC 7143 §11.11).
    TextResponseView: 48 bytes, Iscsi "Text Response" {
        /// F and C.
        1 flags u8;
        /// The Target Transfer Tag (TTT): all ones when nothing more follows.
        20 target_transfer_tag u32;
        /// Status sequence number (StatSN).
        24 status_sequence_number u32;
        /// The next CmdSN that is expected (ExpCmdSN).
        28 expected_command_sequence_number u32;
        /// The highest CmdSN that is accepted (MaxCmdSN).
        32 maximum_command_sequence_number u32;
    }
}

flags! {
    TextResponseView {
        /// C: the text continues in the next response.
        continues 0x40;
    }
}

figure! {
    /// A Login Request (RFC 7143 §11.12).
    LoginRequestView: 48 bytes, Iscsi "Login Request" {
        /// T, C, CSG and NSG.
        1 flags u8;
        /// Version-max.
        2 maximum_version u8;
        /// Version-min.
        3 minimum_version u8;
        /// The target's handle of the session (TSIH); 0 for a new one.
        14 target_session_handle u16;
        /// The connection's number in the session (CID).
        20 connection_identifier u16;
        /// Command sequence number (CmdSN).
        24 command_sequence_number u32;
        /// The next StatSN that is expected (ExpStatSN).
        28 expected_status_sequence_number u32;
    }
}

figure! {
    /// A Login Response (RFC 7143 §11.13).
    LoginResponseView: 48 bytes, Iscsi "Login Response" {
        /// T, C, CSG and NSG.
        1 flags u8;
        /// Version-max.
        2 maximum_version u8;
        /// Version-active.
        3 active_version u8;
        /// The target's handle of the session (TSIH).
        14 target_session_handle u16;
        /// Status sequence number (StatSN).
        24 status_sequence_number u32;
        /// The next CmdSN that is expected (ExpCmdSN).
        28 expected_command_sequence_number u32;
        /// The highest CmdSN that is accepted (MaxCmdSN).
        32 maximum_command_sequence_number u32;
        /// Status-Class (upper byte) and Status-Detail.
        36 status u16;
    }
}

/// Declares what is common to a Login Request and a Login Response.
macro_rules! login {
    ($($view:ident)*) => {
        $(
            flags! {
                $view {
                    /// T: ready to go to the next stage.
                    transit 0x80;
                    /// C: the text continues in the next PDU.
                    continues 0x40;
                }
            }

            impl<'a> $view<'a> {
                /// Returns the current stage (CSG).
                pub fn current_stage(&self) -> u8 {
                    self.flags() >> 2 & 0x03
                }

                /// Returns the next stage (NSG), valid with T.
                pub fn next_stage(&self) -> u8 {
                    self.flags() & 0x03
                }

                /// Returns the initiator's part of the session's identifier (ISID): six bytes.
                pub fn initiator_session_identifier(&self) -> &'a [u8] {
                    &self.bytes()[8..14]
                }
            }
        )*
    };
}

login!(LoginRequestView LoginResponseView);

figure! {
    /// A Logout Request (RFC 7143 §11.14).
    LogoutRequestView: 48 bytes, Iscsi "Logout Request" {
        /// A bit that is 1, and the reason.
        1 flags u8;
        /// The connection to close (CID), unless the session is closed.
        20 connection_identifier u16;
        /// Command sequence number (CmdSN).
        24 command_sequence_number u32;
        /// The next StatSN that is expected (ExpStatSN).
        28 expected_status_sequence_number u32;
    }
}

impl LogoutRequestView<'_> {
    /// Returns the reason code.
    pub fn reason(&self) -> u8 {
        self.flags() & 0x7f
    }
}

figure! {
    /// A Logout Response (RFC 7143 §11.15).
    LogoutResponseView: 48 bytes, Iscsi "Logout Response" {
        /// The response.
        2 response u8;
        /// Status sequence number (StatSN).
        24 status_sequence_number u32;
        /// The next CmdSN that is expected (ExpCmdSN).
        28 expected_command_sequence_number u32;
        /// The highest CmdSN that is accepted (MaxCmdSN).
        32 maximum_command_sequence_number u32;
        /// Time2Wait in seconds.
        40 time_to_wait u16;
        /// Time2Retain in seconds.
        42 time_to_retain u16;
    }
}

figure! {
    /// A SNACK Request (RFC 7143 §11.16); iSER sends none (RFC 7145 §7.3.11).
    SnackView: 48 bytes, Iscsi "SNACK Request" {
        /// A bit that is 1, and the type.
        1 flags u8;
        /// The Target Transfer Tag or the SNACK Tag.
        20 target_transfer_tag u32;
        /// The next StatSN that is expected (ExpStatSN).
        28 expected_status_sequence_number u32;
        /// The first number to send again (BegRun).
        40 begin_of_run u32;
        /// Number of PDUs to send again (RunLength); 0 for all.
        44 run_length u32;
    }
}

impl SnackView<'_> {
    /// Returns the type.
    pub fn snack_type(&self) -> u8 {
        self.flags() & 0x0f
    }
}

figure! {
    /// A Reject (RFC 7143 §11.17); its data begin with the header of the PDU that is rejected.
    RejectView: 48 bytes, Iscsi "Reject" {
        /// The reason.
        2 reason u8;
        /// Status sequence number (StatSN).
        24 status_sequence_number u32;
        /// The next CmdSN that is expected (ExpCmdSN).
        28 expected_command_sequence_number u32;
        /// The highest CmdSN that is accepted (MaxCmdSN).
        32 maximum_command_sequence_number u32;
        /// DataSN or R2TSN of a rejected SNACK.
        36 data_sequence_number u32;
    }
}

figure! {
    /// A NOP-In (RFC 7143 §11.19).
    NopInView: 48 bytes, Iscsi "NOP-In" {
        /// The Target Transfer Tag (TTT): all ones when no answer is requested.
        20 target_transfer_tag u32;
        /// Status sequence number (StatSN).
        24 status_sequence_number u32;
        /// The next CmdSN that is expected (ExpCmdSN).
        28 expected_command_sequence_number u32;
        /// The highest CmdSN that is accepted (MaxCmdSN).
        32 maximum_command_sequence_number u32;
    }
}
