//! Fields of iSER (RFC 7145), of the iSCSI that it carries (RFC 7143), and of the SCSI commands in that.

/// Fields of the iSER header.
pub mod header {
    use crate::field::fields;

    const OPCODES: &[(u64, &str)] =
        &[(1, "iSCSI control-type PDU"), (2, "iSER Hello"), (3, "iSER HelloReply")];

    fields! {
        ISER: Protocol, Plain, Wireshark, "iser", "iSCSI Extensions for RDMA", "iSCSI Extensions for RDMA (RFC 7145)";
        FLAGS: Unsigned(8), Hexadecimal, Wireshark, "iser.flags", "Flags", "The first byte: opcode and flags (RFC 7145 section 9.1)";
        OPCODE: Unsigned(8), NamedHexadecimal(OPCODES), Wireshark, "iser.flags.opcode", "Opcode", "What kind of iSER message it is (RFC 7145 section 9.1)";
        WRITE_VALID: Boolean, Plain, Wireshark, "iser.flags.wsv", "WSV", "The Write STag is valid (RFC 7145 section 9.2)";
        READ_VALID: Boolean, Plain, Wireshark, "iser.flags.rsv", "RSV", "The Read STag is valid (RFC 7145 section 9.2)";
        REJECTED: Boolean, Plain, Wireshark, "iser.flags.rej", "REJ", "The target rejects the connection (RFC 7145 section 9.4)";
        WRITE_STAG: Unsigned(32), Hexadecimal, Wireshark, "iser.write_stag", "Write STag", "The buffer that the target may read (RFC 7145 section 9.2)";
        WRITE_BASE: Unsigned(64), Hexadecimal, Wireshark, "iser.write_base_offset", "Write Base Offset", "The Tagged Offset of that buffer (RFC 7145 section 9.2)";
        READ_STAG: Unsigned(32), Hexadecimal, Wireshark, "iser.read_stag", "Read STag", "The buffer that the target may write (RFC 7145 section 9.2)";
        READ_BASE: Unsigned(64), Hexadecimal, Wireshark, "iser.read_base_offset", "Read Base Offset", "The Tagged Offset of that buffer (RFC 7145 section 9.2)";
        VERSION_MAX: Unsigned(8), Plain, Own, "iser.max_version", "MaxVer", "The highest version supported (RFC 7145 section 9.3)";
        VERSION_MIN: Unsigned(8), Plain, Own, "iser.min_version", "MinVer", "The lowest version supported (RFC 7145 section 9.3)";
        VERSION_CURRENT: Unsigned(8), Plain, Own, "iser.current_version", "CurVer", "The version in use (RFC 7145 section 9.4)";
        IRD: Unsigned(16), Plain, Wireshark, "iser.ird", "iSER-IRD", "RDMA Reads that the initiator answers at once (RFC 7145 section 9.3)";
        ORD: Unsigned(16), Plain, Wireshark, "iser.ord", "iSER-ORD", "RDMA Reads that the target has outstanding at once (RFC 7145 section 9.4)";
        RESERVED_NOT_ZERO: Heading, Plain, Own, "iser.reserved.not_zero", "A reserved field is not zero", "Reserved fields, and STags without their flag, must be zero (RFC 7145 section 9.2)";
        PRIVATE: Heading, Plain, Own, "iser.private", "iSER private data", "What both sides announce when the connection is set up (InfiniBand annex A12)";
        PRIVATE_NO_ZBVA: Boolean, Plain, Own, "iser.private.no_zbva", "Zero-based virtual addresses not supported", "The sender does not support them (InfiniBand annex A12)";
        PRIVATE_NO_INVALIDATE: Boolean, Plain, Own, "iser.private.no_send_with_invalidate", "Send with Invalidate not supported", "The sender does not support it (InfiniBand annex A12)";
        MALFORMED: Text, Plain, Own, "iser.malformed", "Malformed", "Why the iSER header or what follows it cannot be read";
    }
}

/// Fields of iSCSI PDUs.
pub mod iscsi {
    use crate::field::fields;
    use warpscope_wire::iscsi::{
        ASYNCHRONOUS_EVENTS, LOGIN_STAGES, LOGIN_STATUSES, LOGOUT_REASONS, LOGOUT_RESPONSES,
        Opcode, REJECT_REASONS, SCSI_RESPONSES, SNACK_TYPES, TASK_ATTRIBUTES,
        TASK_MANAGEMENT_FUNCTIONS, TASK_MANAGEMENT_RESPONSES,
    };
    use warpscope_wire::scsi::STATUSES;

    const ISID_TYPES: &[(u64, &str)] =
        &[(0, "OUI"), (1, "IANA Enterprise Number"), (2, "Random"), (3, "Reserved")];
    const AHS_TYPES: &[(u64, &str)] =
        &[(1, "Extended CDB"), (2, "Bidirectional Read Expected Data Transfer Length")];

    fields! {
        ISCSI: Protocol, Plain, Wireshark, "iscsi", "iSCSI", "iSCSI (RFC 7143)";
        OPCODE: Unsigned(8), NamedHexadecimal(Opcode::NAMES), Wireshark, "iscsi.opcode", "Opcode", "The type of the PDU (RFC 7143 section 11.2.1.2)";
        IMMEDIATE: Boolean, Plain, Wireshark, "iscsi.I", "I", "A request for immediate delivery (RFC 7143 section 11.2.1.1)";
        FLAGS: Unsigned(8), Hexadecimal, Wireshark, "iscsi.flags", "Flags", "The flag byte of a command, a response, a text or data (RFC 7143 section 11.2.1)";
        AHS_LENGTH: Unsigned(8), Plain, Wireshark, "iscsi.totalahslength", "TotalAHSLength", "Words of Additional Header Segments (RFC 7143 section 11.2.1.5)";
        DATA_LENGTH: Unsigned(32), Plain, Wireshark, "iscsi.datasegmentlength", "DataSegmentLength", "Bytes of data, without padding (RFC 7143 section 11.2.1.6)";
        TASK_TAG: Unsigned(32), Hexadecimal, Wireshark, "iscsi.initiatortasktag", "InitiatorTaskTag", "Identifies the task among those under way (RFC 7143 section 11.2.1.8)";
        TARGET_TAG: Unsigned(32), Hexadecimal, Wireshark, "iscsi.targettransfertag", "TargetTransferTag", "A tag of the target; all ones for none (RFC 7143 section 11.7.4)";
        CMD_SN: Unsigned(32), Plain, Wireshark, "iscsi.cmdsn", "CmdSN", "The number of the command in its session (RFC 7143 section 11.3.2)";
        EXP_STAT_SN: Unsigned(32), Plain, Wireshark, "iscsi.expstatsn", "ExpStatSN", "The next StatSN that the initiator expects (RFC 7143 section 11.3.3)";
        STAT_SN: Unsigned(32), Plain, Wireshark, "iscsi.statsn", "StatSN", "The number of the status on its connection (RFC 7143 section 11.4.9)";
        EXP_CMD_SN: Unsigned(32), Plain, Wireshark, "iscsi.expcmdsn", "ExpCmdSN", "The next CmdSN that the target expects (RFC 7143 section 11.4.10)";
        MAX_CMD_SN: Unsigned(32), Plain, Wireshark, "iscsi.maxcmdsn", "MaxCmdSN", "The highest CmdSN that the target accepts (RFC 7143 section 11.4.11)";
        COMMAND_FINAL: Boolean, Plain, Wireshark, "iscsi.scsicommand.F", "F", "No unsolicited Data-Out follows (RFC 7143 section 11.3.1)";
        COMMAND_READ: Boolean, Plain, Wireshark, "iscsi.scsicommand.R", "R", "Data is expected from the target (RFC 7143 section 11.3.1)";
        COMMAND_WRITE: Boolean, Plain, Wireshark, "iscsi.scsicommand.W", "W", "Data is expected from the initiator (RFC 7143 section 11.3.1)";
        COMMAND_ATTRIBUTE: Unsigned(8), NamedHexadecimal(TASK_ATTRIBUTES), Wireshark, "iscsi.scsicommand.attr", "Attr", "The task attribute (RFC 7143 section 11.3.1)";
        EXPECTED_LENGTH: Unsigned(32), Plain, Wireshark, "iscsi.scsicommand.expecteddatatransferlength", "ExpectedDataTransferLength", "Bytes of data that the command is to move (RFC 7143 section 11.3.4)";
        RESPONSE_READ_OVERFLOW: Boolean, Plain, Wireshark, "iscsi.scsiresponse.o", "o", "The residual of a bidirectional command's read is an overflow (RFC 7143 section 11.4.1)";
        RESPONSE_READ_UNDERFLOW: Boolean, Plain, Wireshark, "iscsi.scsiresponse.u", "u", "The residual of a bidirectional command's read is an underflow (RFC 7143 section 11.4.1)";
        RESPONSE_OVERFLOW: Boolean, Plain, Wireshark, "iscsi.scsiresponse.O", "O", "The residual is an overflow (RFC 7143 section 11.4.1)";
        RESPONSE_UNDERFLOW: Boolean, Plain, Wireshark, "iscsi.scsiresponse.U", "U", "The residual is an underflow (RFC 7143 section 11.4.1)";
        RESPONSE: Unsigned(8), NamedHexadecimal(SCSI_RESPONSES), Wireshark, "iscsi.scsiresponse.response", "Response", "The iSCSI service response (RFC 7143 section 11.4.3)";
        STATUS: Unsigned(8), NamedHexadecimal(STATUSES), Wireshark, "iscsi.scsiresponse.status", "Status", "The SCSI status (RFC 7143 section 11.4.2)";
        EXP_DATA_SN: Unsigned(32), Hexadecimal, Wireshark, "iscsi.expdatasn", "ExpDataSN", "Number of Data-In PDUs that were sent (RFC 7143 section 11.4.8)";
        READ_RESIDUAL: Unsigned(32), Plain, Wireshark, "iscsi.scsiresponse.bidireadresidualcount", "BidiReadResidualCount", "The residual of a bidirectional command's read, in bytes (RFC 7143 section 11.4.6)";
        RESIDUAL: Unsigned(32), Plain, Wireshark, "iscsi.scsiresponse.residualcount", "ResidualCount", "Bytes that were not moved (RFC 7143 section 11.4.5)";
        SENSE_LENGTH: Unsigned(16), Plain, Wireshark, "iscsi.scsiresponse.senselength", "SenseLength", "Bytes of sense data (RFC 7143 section 11.4.7.1)";
        DATA_FINAL: Boolean, Plain, Wireshark, "iscsi.scsidata.F", "F", "The last PDU of a sequence of data (RFC 7143 section 11.7.1)";
        DATA_SN: Unsigned(32), Plain, Wireshark, "iscsi.datasn", "DataSN", "The number of the PDU in its sequence (RFC 7143 section 11.7.5)";
        BUFFER_OFFSET: Unsigned(32), Plain, Wireshark, "iscsi.bufferOffset", "BufferOffset", "Where in the whole transfer the data belong (RFC 7143 section 11.7.6)";
        R2T_SN: Unsigned(32), Plain, Wireshark, "iscsi.r2tsn", "R2TSN", "The number of the R2T in its command (RFC 7143 section 11.8.2)";
        DESIRED_LENGTH: Unsigned(32), Plain, Wireshark, "iscsi.desireddatalength", "DesiredDataLength", "Bytes that an R2T asks for (RFC 7143 section 11.8.4)";
        VERSION_MAX: Unsigned(8), Hexadecimal, Wireshark, "iscsi.versionmax", "VersionMax", "The highest version supported (RFC 7143 section 11.12.4.1)";
        VERSION_MIN: Unsigned(8), Hexadecimal, Wireshark, "iscsi.versionmin", "VersionMin", "The lowest version supported (RFC 7143 section 11.12.4.2)";
        VERSION_ACTIVE: Unsigned(8), Hexadecimal, Wireshark, "iscsi.versionactive", "VersionActive", "The version in use (RFC 7143 section 11.13.2)";
        TRANSIT: Boolean, Plain, Wireshark, "iscsi.login.T", "T", "Ready for the next stage (RFC 7143 section 11.12.1)";
        LOGIN_CONTINUES: Boolean, Plain, Wireshark, "iscsi.login.C", "C", "The text continues in the next PDU (RFC 7143 section 11.12.2)";
        CURRENT_STAGE: Unsigned(8), NamedHexadecimal(LOGIN_STAGES), Wireshark, "iscsi.login.csg", "CSG", "The current stage (RFC 7143 section 11.12.3)";
        NEXT_STAGE: Unsigned(8), NamedHexadecimal(LOGIN_STAGES), Wireshark, "iscsi.login.nsg", "NSG", "The next stage (RFC 7143 section 11.12.3)";
        ISID: Bytes, Plain, Wireshark, "iscsi.isid", "ISID", "The initiator's part of the session's identifier (RFC 7143 section 11.12.5)";
        ISID_TYPE: Unsigned(8), NamedHexadecimal(ISID_TYPES), Wireshark, "iscsi.isid.t", "ISID_t", "The format of the ISID (RFC 7143 section 11.12.5)";
        ISID_A: Unsigned(8), Hexadecimal, Wireshark, "iscsi.isid.a", "ISID_a", "Part A of the ISID (RFC 7143 section 11.12.5)";
        ISID_B: Unsigned(16), Hexadecimal, Wireshark, "iscsi.isid.b", "ISID_b", "Part B of the ISID (RFC 7143 section 11.12.5)";
        ISID_C: Unsigned(8), Hexadecimal, Wireshark, "iscsi.isid.c", "ISID_c", "Part C of the ISID (RFC 7143 section 11.12.5)";
        ISID_D: Unsigned(16), Hexadecimal, Wireshark, "iscsi.isid.d", "ISID_d", "Part D of the ISID (RFC 7143 section 11.12.5)";
        TSIH: Unsigned(16), Hexadecimal, Wireshark, "iscsi.tsih", "TSIH", "The target's handle of the session; 0 for a new one (RFC 7143 section 11.12.6)";
        CID: Unsigned(16), Hexadecimal, Wireshark, "iscsi.cid", "CID", "The connection's number in the session (RFC 7143 section 11.12.7)";
        LOGIN_STATUS: Unsigned(16), NamedHexadecimal(LOGIN_STATUSES), Wireshark, "iscsi.login.status", "Status", "Status-Class and Status-Detail (RFC 7143 section 11.13.5)";
        KEY_VALUE: Text, Plain, Wireshark, "iscsi.keyvalue", "KeyValue", "A key and its value (RFC 7143 section 6.1)";
        TEXT_FINAL: Boolean, Plain, Wireshark, "iscsi.text.F", "F", "The last text of a sequence (RFC 7143 section 11.10.1)";
        TEXT_CONTINUES: Boolean, Plain, Wireshark, "iscsi.text.C", "C", "The text continues in the next PDU (RFC 7143 section 11.10.2)";
        FUNCTION: Unsigned(8), NamedHexadecimal(TASK_MANAGEMENT_FUNCTIONS), Wireshark, "iscsi.taskmanfun.function", "Function", "The task management function (RFC 7143 section 11.5.1)";
        REFERENCED_TAG: Unsigned(32), Hexadecimal, Wireshark, "iscsi.taskmanfun.referencedtasktag", "ReferencedTaskTag", "The task that the function is about; all ones for none (RFC 7143 section 11.5.4)";
        REF_CMD_SN: Unsigned(32), Plain, Wireshark, "iscsi.refcmdsn", "RefCmdSN", "The CmdSN of that task (RFC 7143 section 11.5.5)";
        FUNCTION_RESPONSE: Unsigned(8), NamedHexadecimal(TASK_MANAGEMENT_RESPONSES), Wireshark, "iscsi.taskmanfun.response", "Response", "The outcome of the function (RFC 7143 section 11.6.1)";
        LOGOUT_REASON: Unsigned(8), NamedHexadecimal(LOGOUT_REASONS), Wireshark, "iscsi.logout.reason", "Reason", "What is logged out (RFC 7143 section 11.14.1)";
        LOGOUT_RESPONSE: Unsigned(8), NamedHexadecimal(LOGOUT_RESPONSES), Wireshark, "iscsi.logout.response", "Response", "The outcome of the logout (RFC 7143 section 11.15.1)";
        TIME_TO_WAIT: Unsigned(16), Hexadecimal, Wireshark, "iscsi.time2wait", "Time2Wait", "Seconds to wait before another attempt (RFC 7143 section 11.15.3)";
        TIME_TO_RETAIN: Unsigned(16), Hexadecimal, Wireshark, "iscsi.time2retain", "Time2Retain", "Seconds after that for which tasks are kept (RFC 7143 section 11.15.4)";
        SNACK_TYPE: Unsigned(8), Named(SNACK_TYPES), Wireshark, "iscsi.snack.type", "S", "What is requested again (RFC 7143 section 11.16.1)";
        BEGIN_OF_RUN: Unsigned(32), Hexadecimal, Wireshark, "iscsi.snack.begrun", "BegRun", "The first number that is requested again (RFC 7143 section 11.16.6)";
        RUN_LENGTH: Unsigned(32), Plain, Wireshark, "iscsi.snack.runlength", "RunLength", "How many are requested; 0 for all (RFC 7143 section 11.16.7)";
        EVENT: Unsigned(8), NamedHexadecimal(ASYNCHRONOUS_EVENTS), Wireshark, "iscsi.asyncevent", "AsyncEvent", "The event (RFC 7143 section 11.9.1)";
        EVENT_VENDOR_CODE: Unsigned(8), Hexadecimal, Wireshark, "iscsi.eventvendorcode", "EventVendorCode", "A vendor's detail code (RFC 7143 section 11.9.2)";
        PARAMETER_1: Unsigned(16), Hexadecimal, Wireshark, "iscsi.parameter1", "Parameter1", "What the event says of it (RFC 7143 section 11.9.1)";
        PARAMETER_2: Unsigned(16), Hexadecimal, Wireshark, "iscsi.parameter2", "Parameter2", "What the event says of it (RFC 7143 section 11.9.1)";
        PARAMETER_3: Unsigned(16), Hexadecimal, Wireshark, "iscsi.parameter3", "Parameter3", "What the event says of it (RFC 7143 section 11.9.1)";
        REJECT_REASON: Unsigned(8), NamedHexadecimal(REJECT_REASONS), Wireshark, "iscsi.reject.reason", "Reason", "Why a PDU was rejected (RFC 7143 section 11.17.1)";
        REJECTED_HEADER: Bytes, Plain, Own, "iscsi.reject.header", "Header of the rejected PDU", "Its 48 bytes (RFC 7143 section 11.17.4)";
        AHS_KIND: Unsigned(8), Named(AHS_TYPES), Wireshark, "iscsi.ahs.type", "AHS Type", "What an Additional Header Segment holds (RFC 7143 section 11.2.2.1)";
        AHS_SEGMENT_LENGTH: Unsigned(16), Plain, Wireshark, "iscsi.ahs.length", "AHS Length", "Bytes that follow its type (RFC 7143 section 11.2.2.2)";
        AHS_READ_LENGTH: Unsigned(32), Plain, Wireshark, "iscsi.ahs.bidir.length", "Bidirectional Read Data Length", "Bytes that a bidirectional command is to read (RFC 7143 section 11.2.2.4)";
        AHS_EXTENDED_CDB: Bytes, Plain, Wireshark, "iscsi.ahs.extended_cdb", "AHS Extended CDB", "The bytes of a CDB after its sixteenth (RFC 7143 section 11.2.2.3)";
        AHS_UNKNOWN: Bytes, Plain, Wireshark, "iscsi.ahs.unknown_blob", "Unknown AHS blob", "A segment of another type (RFC 7143 section 11.2.2)";
        IMMEDIATE_DATA: Bytes, Plain, Wireshark, "iscsi.immediatedata", "ImmediateData", "The data that a command carries itself (RFC 7143 section 11.3.6)";
        UNSOLICITED_DATA: Bytes, Plain, Own, "iscsi.unsoliciteddata", "UnsolicitedData", "The data of a Data-Out that nobody asked for (RFC 7143 section 11.7)";
        PING_DATA: Bytes, Plain, Wireshark, "iscsi.pingdata", "PingData", "What is to come back (RFC 7143 section 11.18.3)";
        EVENT_DATA: Bytes, Plain, Wireshark, "iscsi.asynceventdata", "AsyncEventData", "Data of an event (RFC 7143 section 11.9.4)";
        OTHER_DATA: Bytes, Plain, Own, "iscsi.data", "Data", "A data segment of any other kind";
        PADDING: Bytes, Plain, Wireshark, "iscsi.padding", "Padding", "Up to three bytes that end a data segment (RFC 7143 section 11.2.4)";
        REQUEST_FRAME: FrameNumber, Plain, Wireshark, "iscsi.request_frame", "Request in", "The frame that completed the request";
        TIME: RelativeTime, Plain, Wireshark, "iscsi.time", "Time from request", "The time since that frame";
    }
}

/// Fields of SCSI commands, statuses and sense data.
pub mod scsi {
    use crate::field::fields;
    use warpscope_wire::scsi::{
        ADDITIONAL_SENSE, ADDRESS_METHODS, OPERATIONS, SENSE_KEYS, STATUSES,
    };

    const BLOCK_ACTIONS: &[(u64, &str)] =
        &[(0x10, "READ CAPACITY(16)"), (0x12, "GET LBA STATUS(16)"), (0x13, "REPORT REFERRALS")];
    const RESERVE_IN_ACTIONS: &[(u64, &str)] = &[
        (0, "READ KEYS"),
        (1, "READ RESERVATION"),
        (2, "REPORT CAPABILITIES"),
        (3, "READ FULL STATUS"),
    ];
    const RESERVE_OUT_ACTIONS: &[(u64, &str)] = &[
        (0, "REGISTER"),
        (1, "RESERVE"),
        (2, "RELEASE"),
        (3, "CLEAR"),
        (4, "PREEMPT"),
        (5, "PREEMPT AND ABORT"),
        (6, "REGISTER AND IGNORE EXISTING KEY"),
        (7, "REGISTER AND MOVE"),
    ];
    const MAINTENANCE_ACTIONS: &[(u64, &str)] = &[
        (0x05, "REPORT IDENTIFYING INFORMATION"),
        (0x0a, "REPORT TARGET PORT GROUPS"),
        (0x0b, "REPORT ALIASES"),
        (0x0c, "REPORT SUPPORTED OPERATION CODES"),
        (0x0d, "REPORT SUPPORTED TASK MANAGEMENT FUNCTIONS"),
        (0x0e, "REPORT PRIORITY"),
        (0x0f, "REPORT TIMESTAMP"),
    ];
    const PAGES: &[(u64, &str)] = &[
        (0x00, "Supported VPD Pages"),
        (0x80, "Unit Serial Number"),
        (0x83, "Device Identification"),
        (0x86, "Extended INQUIRY Data"),
        (0xb0, "Block Limits"),
        (0xb1, "Block Device Characteristics"),
        (0xb2, "Logical Block Provisioning"),
    ];
    const PAGE_CONTROLS: &[(u64, &str)] = &[
        (0, "Current values"),
        (1, "Changeable values"),
        (2, "Default values"),
        (3, "Saved values"),
    ];
    const SENSE_FORMATS: &[(u64, &str)] = &[
        (0x70, "Current, fixed format"),
        (0x71, "Deferred, fixed format"),
        (0x72, "Current, descriptor format"),
        (0x73, "Deferred, descriptor format"),
    ];

    fields! {
        SCSI: Protocol, Plain, Wireshark, "scsi", "SCSI", "A SCSI command, its status or its sense data (SAM, SPC, SBC)";
        LUN: Unsigned(16), Hexadecimal, Wireshark, "scsi.lun", "LUN", "The logical unit (SAM)";
        LUN_LONG: Unsigned(64), Hexadecimal, Wireshark, "scsi.lun_long", "LUN", "A logical unit number of several levels, or of an unusual kind (SAM)";
        ADDRESS_METHOD: Unsigned(8), NamedHexadecimal(ADDRESS_METHODS), Wireshark, "scsi.lun.address_mode", "Address Mode", "How the logical unit is addressed (SAM)";
        COMMAND: Text, Plain, Own, "scsi.command", "Command", "The command by its name: READ(10), INQUIRY, READ CAPACITY(16)";
        CDB: Bytes, Plain, Own, "scsi.cdb", "CDB", "The Command Descriptor Block (SPC)";
        BLOCK_OPCODE: Unsigned(8), NamedHexadecimal(OPERATIONS), Wireshark, "scsi_sbc.opcode", "Opcode", "The operation code (SBC, SPC)";
        OTHER_OPCODE: Unsigned(8), Hexadecimal, Wireshark, "scsi.spc.opcode", "Opcode", "An operation code that no block device has (SPC)";
        LBA: Unsigned(64), Plain, Own, "scsi.lba", "First block", "The first logical block (LBA), whatever the length of its field";
        BLOCKS: Unsigned(64), Plain, Own, "scsi.blocks", "Blocks", "How many logical blocks; 0 in READ(6) and WRITE(6) stands for 256";
        LBA_6: Unsigned(32), Plain, Wireshark, "scsi_sbc.rdwr6.lba", "Logical Block Address (LBA)", "The first logical block, in a CDB of 6 bytes (SBC)";
        LENGTH_6: Unsigned(32), Plain, Wireshark, "scsi_sbc.rdwr6.xferlen", "Transfer Length", "Logical blocks, in a CDB of 6 bytes; 0 stands for 256 (SBC)";
        LBA_10: Unsigned(32), Plain, Wireshark, "scsi_sbc.rdwr10.lba", "Logical Block Address (LBA)", "The first logical block, in a CDB of 10 or 12 bytes (SBC)";
        LENGTH_10: Unsigned(16), Plain, Wireshark, "scsi_sbc.rdwr10.xferlen", "Transfer Length", "Logical blocks, in a CDB of 10 bytes (SBC)";
        LENGTH_12: Unsigned(32), Plain, Wireshark, "scsi_sbc.rdwr12.xferlen", "Transfer Length", "Logical blocks, in a CDB of 12 or 16 bytes (SBC)";
        LBA_16: Bytes, Plain, Wireshark, "scsi_sbc.rdwr16.lba", "Logical Block Address (LBA)", "The first logical block, in a CDB of 16 bytes (SBC)";
        READ_PROTECT: Unsigned(8), Hexadecimal, Wireshark, "scsi_sbc.rdprotect", "RDPROTECT", "How protection information is read (SBC)";
        WRITE_PROTECT: Unsigned(8), Hexadecimal, Wireshark, "scsi_sbc.wrprotect", "WRPROTECT", "How protection information is written (SBC)";
        VERIFY_PROTECT: Unsigned(8), Hexadecimal, Wireshark, "scsi_sbc.vrprotect", "VRPROTECT", "How protection information is verified (SBC)";
        DPO: Boolean, Plain, Wireshark, "scsi_sbc.dpo", "DPO", "The blocks need not stay in a cache (SBC)";
        FUA: Boolean, Plain, Wireshark, "scsi_sbc.fua", "FUA", "The medium itself is read or written (SBC)";
        GROUP: Unsigned(8), Hexadecimal, Wireshark, "scsi_sbc.group", "Group", "The group number (SBC)";
        SERVICE_ACTION: Unsigned(8), NamedHexadecimal(BLOCK_ACTIONS), Wireshark, "scsi_sbc.sa", "Service Action", "Which of the commands of SERVICE ACTION IN(16) (SBC)";
        RESERVE_IN_ACTION: Unsigned(8), NamedHexadecimal(RESERVE_IN_ACTIONS), Wireshark, "scsi.persresvin.svcaction", "Service Action", "What PERSISTENT RESERVE IN reads (SPC)";
        RESERVE_OUT_ACTION: Unsigned(8), NamedHexadecimal(RESERVE_OUT_ACTIONS), Wireshark, "scsi.persresvout.svcaction", "Service Action", "What PERSISTENT RESERVE OUT does (SPC)";
        RESERVE_SCOPE: Unsigned(8), Hexadecimal, Wireshark, "scsi.persresv.scope", "Reservation Scope", "The scope of a persistent reservation (SPC)";
        RESERVE_TYPE: Unsigned(8), Hexadecimal, Wireshark, "scsi.persresv.type", "Reservation Type", "The type of a persistent reservation (SPC)";
        MAINTENANCE_ACTION: Unsigned(8), NamedHexadecimal(MAINTENANCE_ACTIONS), Wireshark, "scsi.mpi.service_action", "Service Action", "Which of the commands of MAINTENANCE IN (SPC)";
        INQUIRY_PAGE: Unsigned(8), NamedHexadecimal(PAGES), Wireshark, "scsi.inquiry.evpd.pagecode", "EVPD Page Code", "The page of vital product data that is wanted (SPC)";
        PAGE_CONTROL: Unsigned(8), Named(PAGE_CONTROLS), Wireshark, "scsi.mode.pc", "Page Control", "Which values of a mode page are wanted (SPC)";
        MODE_PAGE: Unsigned(8), Hexadecimal, Own, "scsi.mode.page", "Mode page", "The mode or log page (SPC)";
        MODE_SUBPAGE: Unsigned(8), Hexadecimal, Own, "scsi.mode.subpage", "Subpage", "The part of the page (SPC)";
        SELECT_REPORT: Unsigned(8), Hexadecimal, Wireshark, "scsi.spc.select_report", "Select Report", "Which logical units are reported (SPC)";
        ALLOCATION_8: Unsigned(8), Plain, Wireshark, "scsi.cdb.alloclen", "Allocation Length", "The most bytes that come back (SPC)";
        ALLOCATION_16: Unsigned(16), Plain, Wireshark, "scsi.cdb.alloclen16", "Allocation Length", "The most bytes that come back (SPC)";
        ALLOCATION_32: Unsigned(32), Plain, Wireshark, "scsi.cdb.alloclen32", "Allocation Length", "The most bytes that come back (SPC)";
        BLOCK_ALLOCATION_32: Unsigned(32), Plain, Wireshark, "scsi_sbc.alloclen32", "Allocation Length", "The most bytes that come back (SBC)";
        PARAMETER_LENGTH: Unsigned(32), Plain, Own, "scsi.cdb.parameter_length", "Parameter Length", "Bytes of parameters that the initiator sends (SPC)";
        UNMAP: Boolean, Plain, Wireshark, "scsi_sbc.unmap", "UNMAP", "The blocks may be unmapped instead of written (SBC)";
        CONTROL: Unsigned(8), Hexadecimal, Wireshark, "scsi.cdb.control", "Control", "The control byte (SAM)";
        INQUIRY_CONTROL: Unsigned(8), Hexadecimal, Wireshark, "scsi.cdb.inq.control", "Control", "The control byte of an INQUIRY (SAM)";
        UNMAP_LENGTH: Unsigned(16), Plain, Wireshark, "scsi_sbc.unmap.data_length", "Data Length", "Bytes of the parameters of UNMAP that follow (SBC)";
        UNMAP_DESCRIPTORS_LENGTH: Unsigned(16), Plain, Wireshark, "scsi_sbc.unmap.block_descriptor_data_length", "Block Descriptor Data Length", "Bytes of the ranges (SBC)";
        UNMAP_LBA: Unsigned(64), Plain, Wireshark, "scsi_sbc.unmap.lba", "LBA", "The first logical block of a range (SBC)";
        UNMAP_BLOCKS: Unsigned(32), Plain, Wireshark, "scsi_sbc.unmap.num_blocks", "Num Blocks", "Logical blocks of a range (SBC)";
        STATUS: Unsigned(8), NamedHexadecimal(STATUSES), Wireshark, "scsi.status", "Status", "How the command ended (SAM)";
        SENSE_FORMAT: Unsigned(8), NamedHexadecimal(SENSE_FORMATS), Wireshark, "scsi.sns.errtype", "SNS Error Type", "The response code of sense data (SPC)";
        SENSE_KEY: Unsigned(8), NamedHexadecimal(SENSE_KEYS), Wireshark, "scsi.sns.key", "Sense Key", "What kind of condition it is (SPC)";
        SENSE_INFORMATION: Unsigned(32), Hexadecimal, Wireshark, "scsi.sns.info", "Sense Info", "For a read or write, the block that failed, if the data names it (SPC)";
        SENSE_ADDITIONAL: Unsigned(16), NamedHexadecimal(ADDITIONAL_SENSE), Wireshark, "scsi.sns.ascascq", "Additional Sense Code+Qualifier", "The condition itself (SPC)";
        SENSE_CODE: Unsigned(8), Hexadecimal, Wireshark, "scsi.sns.asc", "Additional Sense Code", "The upper half of it (SPC)";
        SENSE_QUALIFIER: Unsigned(8), Hexadecimal, Wireshark, "scsi.sns.ascq", "Additional Sense Code Qualifier", "The lower half of it (SPC)";
        MALFORMED: Text, Plain, Own, "scsi.malformed", "Malformed", "Why sense data cannot be read";
    }
}
