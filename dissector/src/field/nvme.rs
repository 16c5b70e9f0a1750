//! Fields of NVMe over RDMA: the transport, commands and completions, and the pages that they move.

/// Fields of the transport: private data, and which queue a connection is.
pub mod rdma {
    use crate::field::fields;
    use warpscope_wire::nvme::REJECT_STATUSES;

    fields! {
        NVME_RDMA: Protocol, Plain, Wireshark, "nvme-rdma", "NVM Express Fabrics RDMA", "NVMe over RDMA (NVMe RDMA Transport 1.0)";
        QUEUE_ID: Unsigned(16), Hexadecimal, Wireshark, "nvme-rdma.cmd.qid", "Cmd Qid", "The queue that the connection carries; 0 is the admin queue";
        REQUEST_FORMAT: Unsigned(16), Plain, Wireshark, "nvme-rdma.cm.req.recfmt", "Record Format", "Of the private data of a request: 0";
        REQUEST_QUEUE_ID: Unsigned(16), Plain, Wireshark, "nvme-rdma.cm.req.qid", "Queue Id", "The queue that the connection is to carry";
        REQUEST_RECEIVE_SIZE: Unsigned(16), Plain, Wireshark, "nvme-rdma.cm.req.hrqsize", "RDMA QP Host Receive Queue Size", "Completions that the host can take";
        REQUEST_SEND_SIZE: Unsigned(16), Plain, Wireshark, "nvme-rdma.cm.req.hsqsize", "RDMA QP Host Send Queue Size", "One less than the commands that the host can have outstanding";
        REQUEST_CONTROLLER_ID: Unsigned(16), Hexadecimal, Wireshark, "nvme-rdma.cm.req.cntlid", "Controller ID", "The controller of an I/O queue, where the host gives it";
        REQUEST_RESERVED: Bytes, Plain, Wireshark, "nvme-rdma.cm.req.reserved", "Reserved", "Zero";
        REPLY_FORMAT: Unsigned(16), Plain, Wireshark, "nvme-rdma.cm.rsp.recfmt", "Record Format", "Of the private data of a reply: 0";
        REPLY_RECEIVE_SIZE: Unsigned(16), Plain, Wireshark, "nvme-rdma.cm.rsp.crqsize", "RDMA QP Controller Receive Queue Size", "Commands that the controller can take";
        REPLY_RESERVED: Bytes, Plain, Wireshark, "nvme-rdma.cm.rsp.reserved", "Reserved", "Zero";
        REJECT_FORMAT: Unsigned(16), Plain, Wireshark, "nvme-rdma.cm.rej.recfmt", "Record Format", "Of the private data of a reject: 0";
        REJECT_STATUS: Unsigned(16), NamedHexadecimal(REJECT_STATUSES), Wireshark, "nvme-rdma.cm.rej.status", "Status", "Why the connection was rejected";
        UNKNOWN_DATA: Bytes, Plain, Wireshark, "nvme-rdma.unknown_data", "Dissection unsupported", "Bytes after the known part of a message";
        MALFORMED: Text, Plain, Own, "nvme-rdma.malformed", "Malformed", "Why a Send or private data cannot be read";
    }
}

/// Fields of submission and completion queue entries.
pub mod entry {
    use crate::field::fields;
    use warpscope_wire::nvme::{
        ADMIN_OPCODES, ASYNCHRONOUS_EVENT_TYPES, CNS_VALUES, FEATURES, IO_OPCODES, LOG_PAGES,
        STATUS_CODE_TYPES,
    };

    const FUSED: &[(u64, &str)] =
        &[(0, "normal operation"), (1, "first of two"), (2, "second of two")];
    const PSDT: &[(u64, &str)] =
        &[(0, "PRP"), (1, "SGL, metadata in one buffer"), (2, "SGL, metadata by SGL")];
    const SGL_TYPES: &[(u64, &str)] = &[
        (0, "Data Block"),
        (1, "Bit Bucket"),
        (2, "Segment"),
        (3, "Last Segment"),
        (4, "Keyed Data Block"),
        (5, "Transport Data Block"),
    ];
    const SGL_SUB_TYPES: &[(u64, &str)] = &[(0, "Address"), (1, "Offset"), (15, "Invalidate Key")];

    fields! {
        NVME: Protocol, Plain, Wireshark, "nvme", "NVM Express", "A command, its completion or its data (NVMe Base 2.0)";
        OPCODE: Unsigned(8), Hexadecimal, Wireshark, "nvme.cmd.opc", "Opcode", "OPC: what it means depends on the queue";
        ADMIN_OPCODE: Unsigned(8), NamedHexadecimal(ADMIN_OPCODES), Own, "nvme.cmd.opc.admin", "Admin opcode", "OPC on the admin queue";
        IO_OPCODE: Unsigned(8), NamedHexadecimal(IO_OPCODES), Own, "nvme.cmd.opc.io", "I/O opcode", "OPC on an I/O queue (NVM Command Set 1.0)";
        FUSED_OPERATION: Unsigned(8), NamedHexadecimal(FUSED), Wireshark, "nvme.cmd.fuse_op", "Fuse Operation", "FUSE";
        FLAGS_RESERVED: Unsigned(8), Hexadecimal, Wireshark, "nvme.cmd.rsvd", "Reserved", "Zero";
        SGL_USE: Unsigned(8), NamedHexadecimal(PSDT), Wireshark, "nvme.cmd.psdt", "PRP Or SGL", "PSDT: 1 over RDMA";
        COMMAND_ID: Unsigned(16), Hexadecimal, Wireshark, "nvme.cmd.cid", "Command ID", "CID: names the command among those outstanding on the queue";
        NAMESPACE_ID: Unsigned(32), Hexadecimal, Wireshark, "nvme.cmd.nsid", "Namespace Id", "NSID; 0xffffffff means all";
        METADATA_POINTER: Unsigned(64), Hexadecimal, Wireshark, "nvme.cmd.mptr", "Metadata Pointer", "MPTR";
        SGL: Heading, Plain, Wireshark, "nvme.cmd.sgl1", "SGL1", "Where the data are, or go";
        SGL_SUB_TYPE: Unsigned(8), NamedHexadecimal(SGL_SUB_TYPES), Wireshark, "nvme.cmd.sgl.subtype", "Descriptor Sub Type", "Of an SGL descriptor";
        SGL_TYPE: Unsigned(8), NamedHexadecimal(SGL_TYPES), Wireshark, "nvme.cmd.sgl.type", "Descriptor Type", "Of an SGL descriptor";
        SGL_ADDRESS: Unsigned(64), Hexadecimal, Wireshark, "nvme.cmd.sgl1.addr", "Address", "The Tagged Offset of the first byte; in-capsule, an offset";
        SGL_LENGTH: Unsigned(32), Plain, Wireshark, "nvme.cmd.sgl1.len", "Length", "Bytes";
        SGL_KEY: Unsigned(32), Hexadecimal, Wireshark, "nvme.cmd.sgl1.key", "Key", "The Steering Tag, little-endian here";
        DWORD10: Unsigned(32), Hexadecimal, Wireshark, "nvme.cmd.dword10", "DWORD10", "Of a command that is not decoded further";
        DWORD11: Unsigned(32), Hexadecimal, Wireshark, "nvme.cmd.dword11", "DWORD11", "Of a command that is not decoded further";
        DWORD12: Unsigned(32), Hexadecimal, Wireshark, "nvme.cmd.dword12", "DWORD12", "Of a command that is not decoded further";
        DWORD13: Unsigned(32), Hexadecimal, Wireshark, "nvme.cmd.dword13", "DWORD13", "Of a command that is not decoded further";
        DWORD14: Unsigned(32), Hexadecimal, Wireshark, "nvme.cmd.dword14", "DWORD14", "Of a command that is not decoded further";
        DWORD15: Unsigned(32), Hexadecimal, Wireshark, "nvme.cmd.dword15", "DWORD15", "Of a command that is not decoded further";
        STARTING_LBA: Unsigned(64), Hexadecimal, Wireshark, "nvme.cmd.slba", "Start LBA", "SLBA";
        BLOCK_COUNT: Unsigned(16), Plain, Wireshark, "nvme.cmd.nlb", "Absolute Number of Logical Blocks", "NLB plus one";
        PROTECTION: Unsigned(16), Hexadecimal, Wireshark, "nvme.cmd.prinfo", "Protection info fields", "PRINFO";
        FORCE_UNIT_ACCESS: Boolean, Plain, Own, "nvme.cmd.force_unit_access", "Force Unit Access", "FUA";
        LIMITED_RETRY: Boolean, Plain, Own, "nvme.cmd.limited_retry", "Limited Retry", "LR";
        DEALLOCATE: Boolean, Plain, Own, "nvme.cmd.deallocate", "Deallocate", "AD of Dataset Management";
        RANGES: Unsigned(16), Plain, Own, "nvme.cmd.ranges", "Ranges", "Ranges of Dataset Management: NR plus one";
        RANGE: Heading, Plain, Own, "nvme.range", "Range", "A range in the data of Dataset Management";
        RANGE_ATTRIBUTES: Unsigned(32), Hexadecimal, Own, "nvme.range.attributes", "Context attributes", "Of a range";
        RANGE_BLOCKS: Unsigned(32), Plain, Own, "nvme.range.blocks", "Blocks", "Logical blocks of a range";
        RANGE_LBA: Unsigned(64), Plain, Own, "nvme.range.slba", "Start LBA", "Of a range";
        IDENTIFY_CNS: Unsigned(32), NamedHexadecimal(CNS_VALUES), Wireshark, "nvme.cmd.identify.dword10.cns", "Controller or Namespace Structure (CNS)", "What Identify returns";
        IDENTIFY_CONTROLLER: Unsigned(32), Hexadecimal, Wireshark, "nvme.cmd.identify.dword10.cntid", "Controller Identifier (CNTID)", "Of Identify";
        LOG_PAGE: Unsigned(32), Named(LOG_PAGES), Wireshark, "nvme.cmd.get_logpage.dword10.id", "Log Page Identifier (LID)", "Of Get Log Page";
        LOG_RETAIN: Boolean, Plain, Wireshark, "nvme.cmd.get_logpage.dword10.rae", "Retain Asynchronous Event (RAE)", "Of Get Log Page";
        LOG_DWORDS: Unsigned(32), Plain, Wireshark, "nvme.cmd.get_logpage.numd", "Number of Dwords", "NUMD, one less than the dwords that are asked for";
        LOG_OFFSET: Unsigned(64), Plain, Wireshark, "nvme.cmd.get_logpage.lpo", "Log Page Offset", "LPO in bytes";
        SET_FEATURE: Unsigned(32), NamedHexadecimal(FEATURES), Wireshark, "nvme.cmd.set_features.dword10.fid", "Feature Identifier", "FID of Set Features";
        SET_FEATURE_SAVE: Unsigned(32), Hexadecimal, Wireshark, "nvme.cmd.set_features.dword10.sv", "Save", "SV of Set Features";
        SET_QUEUES_SUBMISSION: Unsigned(32), Plain, Wireshark, "nvme.cmd.set_features.dword11.nq.nsqr", "Number of IO Submission Queues Requested", "NSQR, one less";
        SET_QUEUES_COMPLETION: Unsigned(32), Plain, Wireshark, "nvme.cmd.set_features.dword11.nq.ncqr", "Number of IO Completion Queues Requested", "NCQR, one less";
        SET_EVENTS: Unsigned(32), Hexadecimal, Wireshark, "nvme.cmd.set_features.dword11.aec", "Asynchronous Event Configuration", "Which events are wanted";
        SET_KEEP_ALIVE: Unsigned(32), Plain, Wireshark, "nvme.cmd.set_features.dword11.kat.kato", "Keep Alive Timeout", "KATO in milliseconds";
        GET_FEATURE: Unsigned(32), NamedHexadecimal(FEATURES), Wireshark, "nvme.cmd.get_features.dword10.fid", "Feature Identifier", "FID of Get Features";
        GET_FEATURE_SELECT: Unsigned(32), Hexadecimal, Wireshark, "nvme.cmd.set_features.dword10.sel", "Select", "SEL of Get Features";
        ABORT_QUEUE: Unsigned(16), Plain, Own, "nvme.cmd.abort.sqid", "Submission Queue Identifier", "The queue of the command that is to be aborted";
        ABORT_COMMAND: Unsigned(16), Hexadecimal, Own, "nvme.cmd.abort.cid", "Command Identifier", "The command that is to be aborted";
        COMMAND_FRAME: FrameNumber, Plain, Wireshark, "nvme.cmd_pkt", "Cmd in", "The frame that completed the command";
        RESULT: Unsigned(32), Hexadecimal, Wireshark, "nvme.cqe.dword0", "DWORD0", "What the command returns";
        RESULT_EVENT_TYPE: Unsigned(32), NamedHexadecimal(ASYNCHRONOUS_EVENT_TYPES), Wireshark, "nvme.cqe.dword0.aev.aet", "Asynchronous Event Type", "Of an Asynchronous Event Request";
        RESULT_EVENT_INFORMATION: Unsigned(32), Hexadecimal, Wireshark, "nvme.cqe.dword0.aev.aei", "Asynchronous Event Information", "Of an Asynchronous Event Request";
        RESULT_EVENT_LOG_PAGE: Unsigned(32), Named(LOG_PAGES), Wireshark, "nvme.cqe.dword0.aev.lpi", "Log Page Identifier", "The log page that clears the event";
        RESULT_QUEUES_SUBMISSION: Unsigned(32), Plain, Wireshark, "nvme.cqe.dword0.set_features.nq.nsqa", "Number of IO Submission Queues Allocated", "NSQA, one less";
        RESULT_QUEUES_COMPLETION: Unsigned(32), Plain, Wireshark, "nvme.cqe.dword0.set_features.ncqa", "Number of IO Completion Queues Allocated", "NCQA, one less";
        SQ_HEAD: Unsigned(16), Hexadecimal, Wireshark, "nvme.cqe.sqhd", "SQ Head Pointer", "SQHD: how far the controller has consumed the submission queue";
        SQ_ID: Unsigned(16), Hexadecimal, Wireshark, "nvme.cqe.sqid", "SQ Identifier", "SQID, reserved over a fabric";
        COMPLETED_ID: Unsigned(16), Hexadecimal, Wireshark, "nvme.cqe.cid", "Command Identifier", "CID of the command";
        STATUS: Unsigned(16), Hexadecimal, Wireshark, "nvme.cqe.status", "Status Field", "The status, above the phase tag";
        STATUS_RESERVED: Unsigned(16), Hexadecimal, Wireshark, "nvme.cqe.status.rsvd", "Reserved", "Where the phase tag is on other transports";
        STATUS_CODE: Unsigned(16), Hexadecimal, Wireshark, "nvme.cqe.status.sc", "Status Code", "SC: what it means depends on its type and on the command";
        STATUS_CODE_TYPE: Unsigned(16), NamedHexadecimal(STATUS_CODE_TYPES), Wireshark, "nvme.cqe.status.sct", "Status Code Type", "SCT";
        STATUS_RETRY_DELAY: Unsigned(16), Hexadecimal, Wireshark, "nvme.cqe.status.crd", "Command Retry Delay", "CRD";
        STATUS_MORE: Boolean, Plain, Wireshark, "nvme.cqe.status.m", "More", "M: the Error Information log has more about it";
        STATUS_DO_NOT_RETRY: Boolean, Plain, Wireshark, "nvme.cqe.status.dnr", "Do not Retry", "DNR";
        STATUS_WORDS: Text, Plain, Own, "nvme.cqe.status.words", "Status", "Type and code in words";
    }
}

/// Fields of Fabrics commands, their data and completions.
pub mod fabrics {
    use crate::field::fields;
    use warpscope_wire::nvme::{FABRICS_TYPES, PROPERTIES};

    const SIZES: &[(u64, &str)] = &[(0, "4 bytes"), (1, "8 bytes")];
    const SHUTDOWNS: &[(u64, &str)] =
        &[(0, "No Shutdown"), (1, "Normal Shutdown"), (2, "Abrupt Shutdown")];
    const SHUTDOWN_STATES: &[(u64, &str)] =
        &[(0, "No Shutdown"), (1, "Shutdown in Process"), (2, "Shutdown Complete")];

    fields! {
        COMMAND: Heading, Plain, Wireshark, "nvme.fabrics.cmd", "Cmd", "A Fabrics command (NVMe Base 2.0)";
        OPCODE: Bytes, Plain, Wireshark, "nvme.fabrics.cmd.opc", "Opcode", "7f";
        RESERVED: Unsigned(8), Hexadecimal, Wireshark, "nvme.fabrics.cmd.rsvd", "Reserved", "PSDT in the two high bits";
        COMMAND_ID: Unsigned(16), Hexadecimal, Wireshark, "nvme.fabrics.cmd.cid", "Command Identifier", "CID";
        TYPE: Unsigned(8), NamedHexadecimal(FABRICS_TYPES), Wireshark, "nvme.fabrics.cmd.fctype", "Fabric Command Type", "FCTYPE";
        CONNECT_SGL: Heading, Plain, Wireshark, "nvme.fabrics.cmd.connect.sgl1", "SGL1", "Where the Connect data are";
        CONNECT_FORMAT: Unsigned(16), Plain, Wireshark, "nvme.fabrics.cmd.connect.recfmt", "Record Format", "RECFMT: 0";
        CONNECT_QUEUE_ID: Unsigned(16), Plain, Wireshark, "nvme.fabrics.cmd.connect.qid", "Queue ID", "QID; 0 is the admin queue";
        CONNECT_QUEUE_SIZE: Unsigned(16), Plain, Wireshark, "nvme.fabrics.cmd.connect.sqsize", "Submission Queue Size", "SQSIZE, one less than the entries";
        CONNECT_ATTRIBUTES: Unsigned(8), Hexadecimal, Wireshark, "nvme.fabrics.cmd.connect.cattr", "Connect Attributes", "CATTR";
        CONNECT_PRIORITY: Unsigned(8), Hexadecimal, Wireshark, "nvme.fabrics.cmd.connect.cattr.pc", "Priority Class", "Of CATTR";
        CONNECT_FLOW_CONTROL_OFF: Unsigned(8), Hexadecimal, Wireshark, "nvme.fabrics.cmd.connect.cattr.dfc", "Disable SQ Flow Control", "Of CATTR";
        CONNECT_KEEP_ALIVE: Unsigned(32), Plain, Wireshark, "nvme.fabrics.cmd.connect.kato", "Keep Alive Timeout", "KATO in milliseconds; 0 means none";
        CONNECT_HOST_ID: Bytes, Plain, Wireshark, "nvme.fabrics.cmd.connect.data.hostid", "Host Identifier", "HOSTID";
        CONNECT_CONTROLLER_ID: Unsigned(16), Hexadecimal, Wireshark, "nvme.fabrics.cmd.connect.data.cntrlid", "Controller ID", "CNTLID; 0xffff asks for any";
        CONNECT_SUBSYSTEM: Text, Plain, Wireshark, "nvme.fabrics.cmd.connect.data.subnqn", "Subsystem NQN", "SUBNQN";
        CONNECT_HOST: Text, Plain, Wireshark, "nvme.fabrics.cmd.connect.data.hostnqn", "Host NQN", "HOSTNQN";
        PROPERTY_ATTRIBUTES: Unsigned(8), Hexadecimal, Wireshark, "nvme.fabrics.cmd.prop_get_set.attrib", "Attributes", "ATTRIB of Property Get and Set";
        PROPERTY_SIZE: Unsigned(8), NamedHexadecimal(SIZES), Wireshark, "nvme.fabrics.cmd.prop_get_set.attrib.size", "Property Size", "Of ATTRIB";
        PROPERTY_OFFSET: Unsigned(32), NamedHexadecimal(PROPERTIES), Wireshark, "nvme.fabrics.cmd.prop_get_set.offset", "Offset", "OFST: which property";
        PROPERTY_VALUE_4: Unsigned(32), Hexadecimal, Wireshark, "nvme.fabrics.prop_get_set.data.4B", "Value", "Of a property of 4 bytes";
        PROPERTY_VALUE_8: Unsigned(64), Hexadecimal, Wireshark, "nvme.fabrics.prop_get_set.data.8B", "Value", "Of a property of 8 bytes";
        CAPABILITIES: Unsigned(64), Hexadecimal, Wireshark, "nvme.fabrics.prop_get.ccap", "Controller Capabilities", "CAP";
        CAPABILITIES_ENTRIES: Unsigned(64), Plain, Wireshark, "nvme.fabrics.prop_get.ccap.mqes", "Maximum Queue Entries Supported", "MQES, one less";
        CAPABILITIES_TIMEOUT: Unsigned(64), Plain, Wireshark, "nvme.fabrics.prop_get.ccap.to", "Timeout (to ready status)", "TO in units of 500 ms";
        VERSION: Unsigned(32), Hexadecimal, Wireshark, "nvme.fabrics.prop_get.vs", "Version", "VS";
        VERSION_MAJOR: Unsigned(32), Plain, Wireshark, "nvme.fabrics.prop_get.vs.mjr", "Major Version", "MJR";
        VERSION_MINOR: Unsigned(32), Plain, Wireshark, "nvme.fabrics.prop_get.vs.mnr", "Minor Version", "MNR";
        VERSION_TERTIARY: Unsigned(32), Plain, Wireshark, "nvme.fabrics.prop_get.vs.ter", "Tertiary Version", "TER";
        CONFIGURATION: Unsigned(32), Hexadecimal, Wireshark, "nvme.fabrics.prop_get_set.cc", "Controller Configuration", "CC";
        CONFIGURATION_ENABLE: Unsigned(32), Hexadecimal, Wireshark, "nvme.fabrics.prop_get_set.cc.en", "Enable", "EN";
        CONFIGURATION_SHUTDOWN: Unsigned(32), NamedHexadecimal(SHUTDOWNS), Wireshark, "nvme.fabrics.prop_get_set.cc.shn", "Shutdown Notification", "SHN";
        CONTROLLER_STATUS: Unsigned(32), Hexadecimal, Wireshark, "nvme.fabrics.prop_get_set.csts", "Controller Status", "CSTS";
        CONTROLLER_READY: Unsigned(32), Hexadecimal, Wireshark, "nvme.fabrics.prop_get_set.csts.rdy", "Ready", "RDY";
        CONTROLLER_FATAL: Unsigned(32), Hexadecimal, Wireshark, "nvme.fabrics.prop_get_set.csts.cfs", "Controller Fatal Status", "CFS";
        CONTROLLER_SHUTDOWN: Unsigned(32), NamedHexadecimal(SHUTDOWN_STATES), Wireshark, "nvme.fabrics.prop_get_set.csts.shst", "Shutdown Status", "SHST";
        COMPLETION: Heading, Plain, Wireshark, "nvme.fabrics.cqe", "Cqe", "The completion of a Fabrics command";
        COMPLETION_RESULT: Unsigned(64), Hexadecimal, Wireshark, "nvme.fabrics.cqe.sts", "Cmd specific Status", "What the command returns";
        COMPLETION_CONTROLLER_ID: Unsigned(16), Hexadecimal, Wireshark, "nvme.fabrics.cqe.connect.cntrlid", "Controller ID", "The controller that a Connect was given";
        COMPLETION_AUTHENTICATION: Unsigned(16), Hexadecimal, Wireshark, "nvme.fabrics.cqe.connect.authreq", "Authentication Required", "AUTHREQ of a Connect";
        COMMAND_FRAME: FrameNumber, Plain, Wireshark, "nvme.fabrics.cmd_pkt", "Fabric Cmd in", "The frame that completed the command";
    }
}

/// Fields of pages that commands return.
pub mod page {
    use crate::field::fields;

    const TRANSPORTS: &[(u64, &str)] =
        &[(1, "RDMA"), (2, "Fibre Channel"), (3, "TCP"), (254, "Intra-host")];
    const FAMILIES: &[(u64, &str)] =
        &[(1, "IPv4"), (2, "IPv6"), (3, "InfiniBand"), (4, "Fibre Channel"), (254, "Intra-host")];
    const SUBSYSTEMS: &[(u64, &str)] = &[
        (1, "referral to another Discovery subsystem"),
        (2, "NVM subsystem"),
        (3, "current Discovery subsystem"),
    ];
    const SERVICES: &[(u64, &str)] = &[(1, "Reliable Connected"), (2, "Reliable Datagram")];
    const PROVIDERS: &[(u64, &str)] = &[
        (1, "not specified"),
        (2, "InfiniBand"),
        (3, "RoCE (v1)"),
        (4, "RoCE (v2)"),
        (5, "iWARP"),
    ];
    const CONNECTION_SERVICES: &[(u64, &str)] = &[(1, "RDMA_IP_CM")];
    const CONTROLLER_TYPES: &[(u64, &str)] = &[(1, "I/O"), (2, "Discovery"), (3, "Administrative")];

    fields! {
        DATA_BYTES: Bytes, Plain, Wireshark, "nvme.data", "Nvme Data", "Data in a command capsule";
        DATA: Heading, Plain, Own, "nvme.page", "Data", "Data of a command, put together";
        DISCOVERY_GENERATION: Unsigned(64), Plain, Wireshark, "nvme.cmd.get_logpage.identify.genctr", "Generation Counter (GENCTR)", "Of the Discovery log";
        DISCOVERY_RECORDS: Unsigned(64), Plain, Wireshark, "nvme.cmd.get_logpage.identify.numrec", "Number of Records (NUMREC)", "Of the Discovery log";
        DISCOVERY_FORMAT: Unsigned(16), Plain, Wireshark, "nvme.cmd.get_logpage.identify.recfmt", "Record Format (RECFMT)", "Of the Discovery log";
        ENTRY: Heading, Plain, Own, "nvme.discovery.entry", "Discovery Log Entry", "An entry of the Discovery log";
        ENTRY_TRANSPORT: Unsigned(8), NamedHexadecimal(TRANSPORTS), Wireshark, "nvme.cmd.get_logpage.identify.rcrd.trtype", "Transport Type (TRTYPE)", "Of an entry";
        ENTRY_FAMILY: Unsigned(8), NamedHexadecimal(FAMILIES), Wireshark, "nvme.cmd.get_logpage.identify.rcrd.adrfam", "Address Family (ADRFAM)", "Of an entry";
        ENTRY_SUBSYSTEM_TYPE: Unsigned(8), NamedHexadecimal(SUBSYSTEMS), Wireshark, "nvme.cmd.get_logpage.identify.rcrd.subtype", "Subsystem Type (SUBTYPE)", "Of an entry";
        ENTRY_REQUIREMENTS: Unsigned(8), Hexadecimal, Wireshark, "nvme.cmd.get_logpage.identify.rcrd.treq", "Transport Requirements (TREQ)", "Of an entry";
        ENTRY_PORT_ID: Unsigned(16), Hexadecimal, Wireshark, "nvme.cmd.get_logpage.identify.rcrd.portid", "Port ID (PORTID)", "Of an entry";
        ENTRY_CONTROLLER_ID: Unsigned(16), Hexadecimal, Wireshark, "nvme.cmd.get_logpage.identify.rcrd.cntlid", "Controller ID (CNTLID)", "Of an entry";
        ENTRY_QUEUE_SIZE: Unsigned(16), Plain, Wireshark, "nvme.cmd.get_logpage.identify.rcrd.asqsz", "Admin Max SQ Size (ASQSZ)", "Of an entry";
        ENTRY_SERVICE: Text, Plain, Wireshark, "nvme.cmd.get_logpage.identify.rcrd.trsvcid", "Transport Service Identifier (TRSVCID)", "The port";
        ENTRY_SUBSYSTEM: Text, Plain, Wireshark, "nvme.cmd.get_logpage.identify.rcrd.subnqn", "NVM Subsystem Qualified Name (SUBNQN)", "Of an entry";
        ENTRY_ADDRESS: Text, Plain, Wireshark, "nvme.cmd.get_logpage.identify.rcrd.traddr", "Transport Address (TRADDR)", "Of an entry";
        ENTRY_RDMA_SERVICE: Unsigned(8), NamedHexadecimal(SERVICES), Wireshark, "nvme.cmd.get_logpage.identify.rcrd.tsas.rdma_qptype", "RDMA QP Service Type (RDMA_QPTYPE)", "Of an entry";
        ENTRY_RDMA_PROVIDER: Unsigned(8), NamedHexadecimal(PROVIDERS), Wireshark, "nvme.cmd.get_logpage.identify.rcrd.tsas.rdma_prtype", "RDMA Provider Type (RDMA_PRTYPE)", "Of an entry";
        ENTRY_RDMA_CONNECTION: Unsigned(8), NamedHexadecimal(CONNECTION_SERVICES), Wireshark, "nvme.cmd.get_logpage.identify.rcrd.tsas.rdma_cms", "RDMA Connection Management Service (RDMA_CMS)", "Of an entry";
        CONTROLLER_VENDOR: Unsigned(16), Hexadecimal, Wireshark, "nvme.cmd.identify.ctrl.vid", "PCI Vendor ID (VID)", "Of Identify Controller";
        CONTROLLER_SERIAL: Text, Plain, Wireshark, "nvme.cmd.identify.ctrl.sn", "Serial Number (SN)", "Of Identify Controller";
        CONTROLLER_MODEL: Text, Plain, Wireshark, "nvme.cmd.identify.ctrl.mn", "Model Number (MN)", "Of Identify Controller";
        CONTROLLER_FIRMWARE: Bytes, Plain, Wireshark, "nvme.cmd.identify.ctrl.fr", "Firmware Revision (FR)", "Of Identify Controller";
        CONTROLLER_TRANSFER: Unsigned(8), Plain, Wireshark, "nvme.cmd.identify.ctrl.mdts", "Maximum Data Transfer Size (MDTS)", "A power of two of memory pages; 0 means no limit";
        CONTROLLER_ID: Unsigned(16), Hexadecimal, Wireshark, "nvme.cmd.identify.ctrl.cntlid", "Controller ID (CNTLID)", "Of Identify Controller";
        CONTROLLER_VERSION: Unsigned(32), Hexadecimal, Wireshark, "nvme.cmd.identify.ctrl.ver", "Version (VER)", "Of Identify Controller";
        CONTROLLER_TYPE: Unsigned(8), NamedHexadecimal(CONTROLLER_TYPES), Wireshark, "nvme.cmd.identify.ctrl.cntrltype", "Controller Type (CNTRLTYPE)", "Of Identify Controller";
        CONTROLLER_KEEP_ALIVE: Unsigned(16), Plain, Wireshark, "nvme.cmd.identify.ctrl.kas", "Keep Alive Support - Timer Value (KAS)", "In units of 100 ms";
        CONTROLLER_COMMANDS: Unsigned(16), Plain, Wireshark, "nvme.cmd.identify.ctrl.maxcmd", "Maximum Outstanding Commands (MAXCMD)", "Of Identify Controller";
        CONTROLLER_NAMESPACES: Unsigned(32), Plain, Wireshark, "nvme.cmd.identify.ctrl.nn", "Number of Namespaces (NN)", "Of Identify Controller";
        CONTROLLER_SGLS: Unsigned(32), Hexadecimal, Wireshark, "nvme.cmd.identify.ctrl.sgls", "SGL Support (SGLS)", "Of Identify Controller";
        CONTROLLER_SUBSYSTEM: Text, Plain, Wireshark, "nvme.cmd.identify.ctrl.subnqn", "NVM Subsystem NVMe Qualified Name (SUBNQN)", "Of Identify Controller";
        CONTROLLER_CAPSULE: Unsigned(32), Plain, Wireshark, "nvme.cmd.identify.ctrl.nvmeof.ioccsz", "I/O Queue Command Capsule Supported Size (IOCCSZ)", "In units of 16 bytes";
        CONTROLLER_RESPONSE: Unsigned(32), Plain, Wireshark, "nvme.cmd.identify.ctrl.nvmeof.iorcsz", "I/O Queue Response Capsule Supported Size (IORCSZ)", "In units of 16 bytes";
        CONTROLLER_OFFSET: Unsigned(16), Plain, Wireshark, "nvme.cmd.identify.ctrl.nvmeof.icdoff", "In Capsule Data Offset (ICDOFF)", "In units of 16 bytes";
        CONTROLLER_DESCRIPTORS: Unsigned(8), Plain, Wireshark, "nvme.cmd.identify.ctrl.nvmeof.msdbd", "Maximum SGL Data Block Descriptors (MSDBD)", "Of Identify Controller";
        NAMESPACE_SIZE: Unsigned(64), Plain, Wireshark, "nvme.cmd.identify.ns.nsze", "Namespace Size (NSZE)", "In logical blocks";
        NAMESPACE_CAPACITY: Unsigned(64), Hexadecimal, Wireshark, "nvme.cmd.identify.ns.ncap", "Namespace Capacity (NCAP)", "In logical blocks";
        NAMESPACE_USE: Unsigned(64), Hexadecimal, Wireshark, "nvme.cmd.identify.ns.nuse", "Namespace Utilization (NUSE)", "In logical blocks";
        NAMESPACE_FORMATS: Unsigned(8), Plain, Wireshark, "nvme.cmd.identify.ns.nlbaf", "Number of LBA Formats (NLBAF)", "One less";
        NAMESPACE_FORMAT: Unsigned(8), Plain, Wireshark, "nvme.cmd.identify.ns.flbas", "Formatted LBA Size (FLBAS)", "Which LBA format is in use";
        NAMESPACE_BLOCK: Unsigned(64), Plain, Own, "nvme.namespace.block_length", "Block length", "Bytes of a logical block in the format in use";
        LISTED_NAMESPACE: Unsigned(32), Hexadecimal, Wireshark, "nvme.cmd.identify.nslist.nsid", "Namespace", "Of an Active Namespace List";
    }
}
