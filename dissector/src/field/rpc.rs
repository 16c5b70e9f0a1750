//! Fields of RPC-over-RDMA (RFC 8166) and ONC RPC (RFC 5531).

/// Fields of the transport header.
pub mod transport {
    use crate::field::fields;

    const MESSAGE_TYPES: &[(u64, &str)] = &[
        (0, "RDMA_MSG"),
        (1, "RDMA_NOMSG"),
        (2, "RDMA_MSGP"),
        (3, "RDMA_DONE"),
        (4, "RDMA_ERROR"),
    ];
    const ERRORS: &[(u64, &str)] = &[(1, "ERR_VERS"), (2, "ERR_CHUNK")];

    fields! {
        TRANSPORT: Protocol, Plain, Wireshark, "rpcordma", "RPC over RDMA", "RPC-over-RDMA version 1 (RFC 8166)";
        XID: Unsigned(32), Hexadecimal, Wireshark, "rpcordma.xid", "XID", "Transaction ID (RFC 8166 section 4.2.1)";
        VERSION: Unsigned(32), Plain, Wireshark, "rpcordma.version", "Version", "The version of RPC-over-RDMA (RFC 8166 section 4.2.2)";
        CREDITS: Unsigned(32), Plain, Wireshark, "rpcordma.flow_control", "Flow Control", "Credits asked for or granted (RFC 8166 section 4.2.3)";
        MESSAGE_TYPE: Unsigned(32), Named(MESSAGE_TYPES), Wireshark, "rpcordma.msg_type", "Message Type", "The procedure (RFC 8166 section 4.2.4)";
        ALIGN: Unsigned(32), Plain, Wireshark, "rpcordma.rdma_align", "RDMA align", "Of the reserved RDMA_MSGP (RFC 8166 section 4.1.3)";
        THRESHOLD: Unsigned(32), Plain, Wireshark, "rpcordma.rdma_thresh", "RDMA threshold", "Of the reserved RDMA_MSGP (RFC 8166 section 4.1.3)";
        READS: Unsigned(32), Plain, Wireshark, "rpcordma.reads_count", "Read list", "Read chunks (RFC 8166 section 4.3.1)";
        POSITION: Unsigned(32), Plain, Wireshark, "rpcordma.position", "Position in XDR", "Where the chunk belongs in the XDR stream (RFC 8166 section 3.4.5)";
        WRITES: Unsigned(32), Plain, Wireshark, "rpcordma.writes_count", "Write list", "Write chunks (RFC 8166 section 4.3.2)";
        SEGMENTS: Unsigned(32), Plain, Wireshark, "rpcordma.segment_count", "Write chunk segment count", "Segments of a write or reply chunk (RFC 8166 section 3.4.6)";
        REPLY: Unsigned(32), Plain, Wireshark, "rpcordma.reply_count", "Reply chunk", "Whether there is a reply chunk (RFC 8166 section 4.3.3)";
        HANDLE: Unsigned(32), Hexadecimal, Wireshark, "rpcordma.rdma_handle", "RDMA handle", "The Steering Tag of a segment (RFC 8166 section 3.4.3)";
        LENGTH: Unsigned(32), Plain, Wireshark, "rpcordma.rdma_length", "RDMA length", "Bytes of a segment (RFC 8166 section 3.4.3)";
        OFFSET: Unsigned(64), Hexadecimal, Wireshark, "rpcordma.rdma_offset", "RDMA offset", "The Tagged Offset of a segment (RFC 8166 section 3.4.3)";
        ERROR: Unsigned(32), Named(ERRORS), Wireshark, "rpcordma.errcode", "Error code", "Why a header was refused (RFC 8166 section 4.5)";
        VERSION_LOW: Unsigned(32), Plain, Wireshark, "rpcordma.vers_low", "Version low", "Lowest version supported (RFC 8166 section 4.5.1)";
        VERSION_HIGH: Unsigned(32), Plain, Wireshark, "rpcordma.vers_high", "Version high", "Highest version supported (RFC 8166 section 4.5.1)";
        MALFORMED: Text, Plain, Own, "rpcordma.malformed", "Malformed", "Why the transport header cannot be read";
    }
}

/// Fields of calls and replies.
pub mod message {
    use crate::field::fields;

    const MESSAGE_TYPES: &[(u64, &str)] = &[(0, "Call"), (1, "Reply")];
    const REPLY_STATES: &[(u64, &str)] = &[(0, "accepted"), (1, "denied")];
    const ACCEPT_STATES: &[(u64, &str)] = &[
        (0, "SUCCESS"),
        (1, "PROG_UNAVAIL"),
        (2, "PROG_MISMATCH"),
        (3, "PROC_UNAVAIL"),
        (4, "GARBAGE_ARGS"),
        (5, "SYSTEM_ERR"),
    ];
    const REJECT_STATES: &[(u64, &str)] = &[(0, "RPC_MISMATCH"), (1, "AUTH_ERROR")];
    const PROGRAMS: &[(u64, &str)] = &[
        (100_000, "Portmap"),
        (100_003, "NFS"),
        (100_005, "MOUNT"),
        (100_021, "NLM"),
        (100_024, "STAT"),
        (100_227, "NFSACL"),
        (0x4000_0000, "NFS CB"),
    ];
    const FLAVORS: &[(u64, &str)] = &[
        (0, "AUTH_NONE"),
        (1, "AUTH_SYS"),
        (2, "AUTH_SHORT"),
        (3, "AUTH_DH"),
        (6, "RPCSEC_GSS"),
        (7, "AUTH_TLS"),
    ];

    fields! {
        RPC: Protocol, Plain, Wireshark, "rpc", "Remote Procedure Call", "ONC RPC version 2 (RFC 5531)";
        XID: Unsigned(32), Hexadecimal, Wireshark, "rpc.xid", "XID", "Transaction ID (RFC 5531 section 9)";
        MESSAGE_TYPE: Unsigned(32), Named(MESSAGE_TYPES), Wireshark, "rpc.msgtyp", "Message Type", "Call or reply (RFC 5531 section 9)";
        RPC_VERSION: Unsigned(32), Plain, Wireshark, "rpc.version", "RPC Version", "The version of RPC: 2 (RFC 5531 section 9)";
        PROGRAM: Unsigned(32), Named(PROGRAMS), Wireshark, "rpc.program", "Program", "The program (RFC 5531 section 9)";
        PROGRAM_VERSION: Unsigned(32), Plain, Wireshark, "rpc.programversion", "Program Version", "The version of the program (RFC 5531 section 9)";
        PROCEDURE: Unsigned(32), Plain, Wireshark, "rpc.procedure", "Procedure", "The procedure (RFC 5531 section 9)";
        CREDENTIAL: Heading, Plain, Own, "rpc.credential", "Credentials", "The caller's credential (RFC 5531 section 8.2)";
        VERIFIER: Heading, Plain, Own, "rpc.verifier", "Verifier", "The verifier (RFC 5531 section 8.2)";
        FLAVOR: Unsigned(32), Named(FLAVORS), Wireshark, "rpc.auth.flavor", "Flavor", "The flavor of a credential or verifier (RFC 5531 section 8.2)";
        AUTH_LENGTH: Unsigned(32), Plain, Wireshark, "rpc.auth.length", "Length", "Bytes of a credential or verifier, 400 at most (RFC 5531 section 8.2)";
        STAMP: Unsigned(32), Hexadecimal, Wireshark, "rpc.auth.stamp", "Stamp", "Of AUTH_SYS (RFC 5531 appendix A)";
        MACHINE_NAME: Text, Plain, Wireshark, "rpc.auth.machinename", "Machine Name", "Of AUTH_SYS (RFC 5531 appendix A)";
        UID: Unsigned(32), Plain, Wireshark, "rpc.auth.uid", "UID", "Of AUTH_SYS (RFC 5531 appendix A)";
        GID: Unsigned(32), Plain, Wireshark, "rpc.auth.gid", "GID", "Of AUTH_SYS (RFC 5531 appendix A)";
        REPLY_STATE: Unsigned(32), Named(REPLY_STATES), Wireshark, "rpc.replystat", "Reply State", "Accepted or denied (RFC 5531 section 9)";
        ACCEPT_STATE: Unsigned(32), Named(ACCEPT_STATES), Wireshark, "rpc.state_accept", "Accept State", "Of an accepted call (RFC 5531 section 9)";
        REJECT_STATE: Unsigned(32), Named(REJECT_STATES), Wireshark, "rpc.state_reject", "Reject State", "Of a denied call (RFC 5531 section 9)";
        AUTH_STATE: Unsigned(32), Plain, Wireshark, "rpc.state_auth", "Auth State", "Why authentication failed (RFC 5531 section 9)";
        RPC_VERSION_LOW: Unsigned(32), Plain, Wireshark, "rpc.version.min", "RPC Version (Minimum)", "Lowest RPC version supported (RFC 5531 section 9)";
        RPC_VERSION_HIGH: Unsigned(32), Plain, Wireshark, "rpc.version.max", "RPC Version (Maximum)", "Highest RPC version supported (RFC 5531 section 9)";
        PROGRAM_VERSION_LOW: Unsigned(32), Plain, Wireshark, "rpc.programversion.min", "Program Version (Minimum)", "Lowest program version supported (RFC 5531 section 9)";
        PROGRAM_VERSION_HIGH: Unsigned(32), Plain, Wireshark, "rpc.programversion.max", "Program Version (Maximum)", "Highest program version supported (RFC 5531 section 9)";
        REPLY_TO: FrameNumber, Plain, Wireshark, "rpc.repframe", "This is a reply to a call in frame", "The frame that completed the call, whose reply this is";
        TIME: RelativeTime, Plain, Wireshark, "rpc.time", "Time from call", "From the frame that completed the call to the reply";
        BODY: Bytes, Plain, Own, "rpc.body", "Arguments or results", "What follows the header of a call or reply inline";
        MALFORMED: Text, Plain, Own, "rpc.malformed", "Malformed", "Why the RPC message cannot be read";
    }
}

/// Fields of RPC exchanges over RDMA: calls with their replies, and the chunks that carried them.
pub mod exchange {
    use crate::field::fields;

    fields! {
        EXCHANGE: Heading, Plain, Own, "warpscope.rpc", "RPC exchange", "A call with its reply";
        NUMBER: Unsigned(64), Plain, Own, "warpscope.rpc.number", "Number", "The exchange's number in its connection, from 1 in the order of the calls";
        BACKWARD: Boolean, Plain, Own, "warpscope.rpc.backward", "Backward direction", "The connection's responder is the caller (RFC 8167)";
        SENT: FrameNumber, Plain, Own, "warpscope.rpc.sent", "Sent in frame", "The frame of the Send that the message went with";
        LATENCY: RelativeTime, Plain, Own, "warpscope.rpc.latency", "Latency", "From the call's Send to the reply's";
        IN_FLIGHT: Unsigned(32), Plain, Own, "warpscope.rpc.in_flight", "Calls in flight", "Calls of this side without a reply when it was sent, itself included";
        WHOLE: Boolean, Plain, Own, "warpscope.rpc.whole", "Complete", "No part of the message is missing from the capture";
        CHUNK: Text, Plain, Own, "warpscope.rpc.chunk", "Chunk", "Which list it is in: read at a position, write, reply";
        CHUNK_HANDLE: Unsigned(32), Hexadecimal, Own, "warpscope.rpc.chunk.handle", "Handle", "Its Steering Tag";
        CHUNK_OFFSET: Unsigned(64), Hexadecimal, Own, "warpscope.rpc.chunk.offset", "Offset", "Its Tagged Offset";
        CHUNK_LENGTH: Unsigned(32), Plain, Own, "warpscope.rpc.chunk.length", "Length", "Bytes that the call offers";
        CHUNK_RETURNED: Unsigned(32), Plain, Own, "warpscope.rpc.chunk.returned", "Returned", "Bytes that the reply says it holds";
        CHUNK_MOVED: Unsigned(64), Plain, Own, "warpscope.rpc.chunk.moved", "Moved", "Bytes of it that RDMA Reads or Writes moved";
        CHUNK_OPERATIONS: Text, Plain, Own, "warpscope.rpc.chunk.operations", "By operations", "The numbers of the operations that moved them";
        CHUNK_FIRST: FrameNumber, Plain, Own, "warpscope.rpc.chunk.first_frame", "First in frame", "The frame of the first segment of them";
        CHUNK_LAST: FrameNumber, Plain, Own, "warpscope.rpc.chunk.last_frame", "Last in frame", "The frame of the last segment of them";
    }
}
