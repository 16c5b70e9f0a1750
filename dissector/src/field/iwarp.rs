/// Fields of MPA: setup frames, FPDUs, markers (RFC 5044, RFC 6581), and of RFC 8797's private data.
pub mod mpa {
    use crate::field::fields;

    /// Verdicts on the CRC field, as numbered by `iwarp_mpa.crc.status`.
    const CRC_STATUS: &[(u64, &str)] =
        &[(0, "Bad"), (1, "Good"), (2, "Unchecked"), (3, "Not in use"), (4, "Unknown")];

    fields! {
        MPA: Protocol, Plain, Wireshark, "iwarp_mpa", "iWARP Marker Protocol data unit Aligned framing", "Marker PDU Aligned framing for TCP (RFC 5044)";
        REQUEST: Heading, Plain, Wireshark, "iwarp_mpa.req", "Request frame header", "An MPA request frame (RFC 5044 section 7.1.1)";
        REPLY: Heading, Plain, Wireshark, "iwarp_mpa.rep", "Reply frame header", "An MPA reply frame (RFC 5044 section 7.1.1)";
        FPDU: Heading, Plain, Wireshark, "iwarp_mpa.fpdu", "FPDU", "A framing protocol data unit (RFC 5044 section 4.1)";
        MARKERS: Heading, Plain, Wireshark, "iwarp_mpa.markers", "Markers", "The markers in an FPDU (RFC 5044 section 4.3)";
        KEY_REQUEST: Bytes, Plain, Wireshark, "iwarp_mpa.key.req", "ID Req frame", "The key of a request frame (RFC 5044 section 7.1.1)";
        KEY_REPLY: Bytes, Plain, Wireshark, "iwarp_mpa.key.rep", "ID Rep frame", "The key of a reply frame (RFC 5044 section 7.1.1)";
        MARKER_FLAG: Boolean, Plain, Wireshark, "iwarp_mpa.marker_flag", "Marker flag", "M: the sender requires markers in what it receives (RFC 5044 section 7.1.1)";
        CRC_FLAG: Boolean, Plain, Wireshark, "iwarp_mpa.crc_flag", "CRC flag", "C: the sender wants CRCs (RFC 5044 section 7.1.1)";
        REJECTED_FLAG: Boolean, Plain, Wireshark, "iwarp_mpa.rej_flag", "Connection rejected flag", "R: the responder rejects the connection (RFC 5044 section 7.1.1)";
        ENHANCED_FLAG: Boolean, Plain, Wireshark, "iwarp_mpa.enhanced_flag", "Enhanced flag", "S: the private data begins with enhanced connection establishment data (RFC 6581 section 6)";
        RESERVED: Unsigned(8), Hexadecimal, Wireshark, "iwarp_mpa.res", "Reserved", "Reserved bits: five before revision 2, four since (RFC 5044 section 7.1.1, RFC 6581 section 6)";
        REVISION: Unsigned(8), Plain, Wireshark, "iwarp_mpa.rev", "Revision", "The revision of MPA (RFC 5044 section 7.1.1)";
        PRIVATE_DATA_LENGTH: Unsigned(16), Plain, Wireshark, "iwarp_mpa.pdlength", "Private data length", "Bytes of private data, 512 at most (RFC 5044 section 7.1.1)";
        PRIVATE_DATA: Bytes, Plain, Wireshark, "iwarp_mpa.privatedata", "Private data", "The private data, enhanced connection establishment data included (RFC 5044 section 7.1.1)";
        ENHANCED: Heading, Plain, Wireshark, "iwarp_mpa.enhanced", "Enhanced connection establishment data", "The first four bytes of the private data in revision 2 with S (RFC 6581 section 9)";
        ENHANCED_A: Boolean, Plain, Wireshark, "iwarp_mpa.enhanced.a", "Peer-to-peer model (A)", "Control flag A (RFC 6581 section 9.2)";
        ENHANCED_B: Boolean, Plain, Wireshark, "iwarp_mpa.enhanced.b", "Send as RTR (B)", "Control flag B: a zero-length Send may be the ready-to-receive indication (RFC 6581 section 9.2)";
        ENHANCED_IRD: Unsigned(16), Plain, Wireshark, "iwarp_mpa.enhanced.ird", "IRD", "Inbound RDMA Read Queue Depth; 16383 means not negotiated (RFC 6581 section 9.1)";
        ENHANCED_C: Boolean, Plain, Wireshark, "iwarp_mpa.enhanced.c", "Write as RTR (C)", "Control flag C: a zero-length RDMA Write may be the ready-to-receive indication (RFC 6581 section 9.2)";
        ENHANCED_D: Boolean, Plain, Wireshark, "iwarp_mpa.enhanced.D", "Read as RTR (D)", "Control flag D: a zero-length RDMA Read may be the ready-to-receive indication (RFC 6581 section 9.2)";
        ENHANCED_ORD: Unsigned(16), Plain, Wireshark, "iwarp_mpa.enhanced.ord", "ORD", "Outbound RDMA Read Queue Depth; 16383 means not negotiated (RFC 6581 section 9.1)";
        RESERVED_NOT_ZERO: Heading, Plain, Wireshark, "iwarp_mpa.res.not_set0", "A reserved bit is set", "Reserved bits must be zero (RFC 5044 section 7.1.1)";
        REVISION_NOT_KNOWN: Heading, Plain, Own, "iwarp_mpa.rev.unknown", "No document defines this revision", "Revisions are 0, 1 (RFC 5044) and 2 (RFC 6581)";
        REJECT_IN_REQUEST: Heading, Plain, Wireshark, "iwarp_mpa.reject_bit_responder", "The connection rejected flag is set in a request", "R must be zero in a request (RFC 5044 section 7.1.1)";
        BAD_LENGTH: Heading, Plain, Wireshark, "iwarp_mpa.bad_length", "Private data of more than 512 bytes", "PD_Length must not exceed 512 (RFC 5044 section 7.1.1)";
        ULPDU_LENGTH: Unsigned(16), Plain, Wireshark, "iwarp_mpa.ulpdulength", "ULPDU length", "Bytes of the ULPDU alone (RFC 5044 section 4.1)";
        PAD: Bytes, Plain, Wireshark, "iwarp_mpa.pad", "Padding", "Zero to three bytes that make the FPDU a multiple of four (RFC 5044 section 4.1)";
        CRC: Unsigned(32), Hexadecimal, Wireshark, "iwarp_mpa.crc", "CRC", "The CRC field where CRCs are not in use, or may not be (RFC 5044 section 4.4)";
        CRC_STATUS_FIELD: Unsigned(8), Named(CRC_STATUS), Own, "iwarp_mpa.crc.status", "CRC status", "The verdict on the CRC: in use is what either setup frame asked for (RFC 5044 section 4.4)";
        CRC_CHECK: Unsigned(32), Hexadecimal, Wireshark, "iwarp_mpa.crc_check", "CRC", "The CRC field where CRCs are in use (RFC 5044 section 4.4)";
        CRC_CALCULATED: Unsigned(32), Hexadecimal, Own, "iwarp_mpa.crc.calculated", "CRC calculated", "What the CRC field should be, where it is bad (RFC 5044 section 4.4)";
        MARKER_RESERVED: Unsigned(16), Hexadecimal, Wireshark, "iwarp_mpa.marker_res", "Reserved", "The reserved half of a marker (RFC 5044 section 4.3)";
        MARKER_FPDU_POINTER: Unsigned(16), Plain, Wireshark, "iwarp_mpa.marker_fpduptr", "FPDU back pointer", "Bytes from the FPDU's start to the marker (RFC 5044 section 4.3)";
        MARKER_MISMATCH: Heading, Plain, Own, "iwarp_mpa.marker.mismatch", "A marker does not point at the start of its FPDU", "A marker and the ULPDU lengths disagree (RFC 5044 section 4.3)";
        FPDU_FRAME: FrameNumber, Plain, Own, "iwarp_mpa.fpdu.frame", "Bytes from frame", "A frame that holds bytes of the FPDU, if there are several or it is a different one";
        FPDU_MISSING: Unsigned(32), Plain, Own, "iwarp_mpa.fpdu.missing", "Bytes not captured", "Bytes of the FPDU from the first one that the capture does not hold";
        SKIPPED: Unsigned(64), Plain, Own, "iwarp_mpa.skipped", "Bytes skipped", "Bytes of the stream that are in no setup frame and no FPDU";
        SKIPPED_REASON: Text, Plain, Own, "iwarp_mpa.skipped.reason", "Reason", "Why bytes were skipped";
        SKIPPED_OFFSET: Unsigned(64), Plain, Own, "iwarp_mpa.skipped.offset", "Stream offset", "Where in the stream the skipped bytes begin, from its first captured byte";
        RDMA_PRIVATE_DATA: Heading, Plain, Own, "rpcordma.private", "RPC-over-RDMA private data", "The private data of RPC-over-RDMA version 1 (RFC 8797 section 4)";
        RDMA_MAGIC: Unsigned(32), Hexadecimal, Own, "rpcordma.private.magic", "Format identifier", "The word that begins the private data (RFC 8797 section 4)";
        RDMA_VERSION: Unsigned(8), Plain, Own, "rpcordma.private.version", "Version", "The version of the private data's format (RFC 8797 section 4)";
        RDMA_INVALIDATION: Boolean, Plain, Own, "rpcordma.private.remote_invalidation", "Remote invalidation", "R: the sender supports remote invalidation (RFC 8797 section 4)";
        RDMA_SEND_SIZE: Unsigned(32), Plain, Own, "rpcordma.private.send_size", "Inline send size", "The largest message that the sender sends inline, in bytes (RFC 8797 section 4)";
        RDMA_RECEIVE_SIZE: Unsigned(32), Plain, Own, "rpcordma.private.receive_size", "Inline receive size", "The largest message that the sender receives inline, in bytes (RFC 8797 section 4)";
    }
}

/// Fields of DDP segment headers (RFC 5041 §4).
pub mod ddp {
    use crate::field::fields;

    fields! {
        DDP_RDMAP: Protocol, Plain, Wireshark, "iwarp_ddp_rdmap", "iWARP Direct Data Placement and Remote Direct Memory Access Protocol", "DDP (RFC 5041) and RDMAP (RFC 5040)";
        DDP: Heading, Plain, Wireshark, "iwarp_ddp", "DDP header", "The header of a DDP segment (RFC 5041 section 4)";
        CONTROL: Heading, Plain, Wireshark, "iwarp_ddp.control_field", "DDP control field", "The first byte of a DDP header (RFC 5041 section 4.1)";
        TAGGED_FLAG: Boolean, Plain, Wireshark, "iwarp_ddp.tagged_flag", "Tagged flag", "T: the Tagged Buffer Model (RFC 5041 section 4.1)";
        LAST_FLAG: Boolean, Plain, Wireshark, "iwarp_ddp.last_flag", "Last flag", "L: the last segment of its message (RFC 5041 section 4.1)";
        RESERVED: Unsigned(8), Hexadecimal, Wireshark, "iwarp_ddp.rsvd", "Reserved", "Four reserved bits (RFC 5041 section 4.1)";
        VERSION: Unsigned(8), Plain, Wireshark, "iwarp_ddp.dv", "DDP protocol version", "DV: 1 (RFC 5041 section 4.1)";
        RESERVED_ULP: Bytes, Plain, Wireshark, "iwarp_ddp.rsvdulp", "Reserved for use by the ULP", "What RDMAP uses for its control byte and Invalidate STag (RFC 5041 section 4.3)";
        TAGGED: Heading, Plain, Wireshark, "iwarp_ddp.tagged", "Tagged buffer model", "Where the payload goes (RFC 5041 section 4.2)";
        STEERING_TAG: Unsigned(32), Hexadecimal, Wireshark, "iwarp_ddp.stag", "(Data Sink) Steering Tag", "STag: the buffer at the data sink (RFC 5041 section 4.2)";
        TAGGED_OFFSET: Unsigned(64), Hexadecimal, Wireshark, "iwarp_ddp.tagged_offset", "(Data Sink) Tagged offset", "TO: where in the buffer, in bytes (RFC 5041 section 4.2)";
        UNTAGGED: Heading, Plain, Wireshark, "iwarp_ddp.untagged", "Untagged buffer model", "Which message of which queue (RFC 5041 section 4.3)";
        QUEUE_NUMBER: Unsigned(32), Plain, Wireshark, "iwarp_ddp.qn", "Queue number", "QN: 0 Sends, 1 requests, 2 Terminate, 3 responses (RFC 5041 section 4.3)";
        MESSAGE_SEQUENCE_NUMBER: Unsigned(32), Plain, Wireshark, "iwarp_ddp.msn", "Message sequence number", "MSN: from 1 on each queue (RFC 5041 section 4.3)";
        MESSAGE_OFFSET: Unsigned(32), Plain, Wireshark, "iwarp_ddp.mo", "Message offset", "MO: where in the message, in bytes (RFC 5041 section 4.3)";
        MALFORMED: Text, Plain, Own, "iwarp_ddp.malformed", "Malformed", "Why the ULPDU cannot be read";
    }
}

/// Fields of RDMAP messages (RFC 5040, RFC 7306, rdmap-ext-v2, rdma-commit).
pub mod rdmap {
    use crate::field::fields;

    /// RDMAP opcodes. 0x11 has two meanings: the version decides, and the tree says which.
    const OPCODES: &[(u64, &str)] = &[
        (0x00, "Write"),
        (0x01, "Read Request"),
        (0x02, "Read Response"),
        (0x03, "Send"),
        (0x04, "Send with Invalidate"),
        (0x05, "Send with SE"),
        (0x06, "Send with SE and Invalidate"),
        (0x07, "Terminate"),
        (0x08, "Immediate Data"),
        (0x09, "Immediate Data with SE"),
        (0x0a, "Atomic Request"),
        (0x0b, "Atomic Response"),
        (0x0c, "Flush Request"),
        (0x0d, "Flush Response"),
        (0x0e, "Verify Request"),
        (0x0f, "Verify Response"),
        (0x10, "Atomic Write Request"),
        (0x11, "Atomic Write Response (RV 1) or Read V2 Request (RV 2)"),
        (0x12, "Read V2 Response"),
        (0x13, "Send with Immediate"),
        (0x14, "Send with Invalidate and Immediate"),
        (0x15, "Send with SE and Immediate"),
        (0x16, "Send with SE, Invalidate and Immediate"),
    ];
    const ATOMIC_OPERATIONS: &[(u64, &str)] = &[(0, "FetchAdd"), (1, "Swap"), (2, "CmpSwap")];
    const LAYERS: &[(u64, &str)] = &[(0, "RDMA"), (1, "DDP"), (2, "LLP")];
    const TYPES_RDMA: &[(u64, &str)] = &[
        (0, "Local Catastrophic Error"),
        (1, "Remote Protection Error"),
        (2, "Remote Operation Error"),
    ];
    const TYPES_DDP: &[(u64, &str)] = &[
        (0, "Local Catastrophic Error"),
        (1, "Tagged Buffer Error"),
        (2, "Untagged Buffer Error"),
        (3, "Reserved for the use by the LLP"),
    ];
    const TYPES_LLP: &[(u64, &str)] = &[(0, "MPA Error")];
    const CODES_RDMA: &[(u64, &str)] = &[
        (0x00, "Invalid STag"),
        (0x01, "Base or bounds violation"),
        (0x02, "Access rights violation"),
        (0x03, "STag not associated with RDMAP Stream"),
        (0x04, "TO wrap"),
        (0x05, "Invalid RDMAP version"),
        (0x06, "Unexpected OpCode"),
        (0x07, "Catastrophic error, localized to RDMAP Stream"),
        (0x08, "Catastrophic error, global"),
        (0x09, "STag cannot be Invalidated"),
        (0xff, "Unspecified Error"),
    ];
    const CODES_TAGGED: &[(u64, &str)] = &[
        (0x00, "Invalid STag"),
        (0x01, "Base or bounds violation"),
        (0x02, "STag not associated with DDP Stream"),
        (0x03, "TO wrap"),
        (0x04, "Invalid DDP version"),
    ];
    const CODES_UNTAGGED: &[(u64, &str)] = &[
        (0x01, "Invalid QN"),
        (0x02, "Invalid MSN - no buffer available"),
        (0x03, "Invalid MSN - MSN range is not valid"),
        (0x04, "Invalid MO"),
        (0x05, "DDP Message too long for available buffer"),
        (0x06, "Invalid DDP version"),
    ];
    const CODES_LLP: &[(u64, &str)] = &[
        (0x01, "TCP connection closed, terminated or lost"),
        (0x02, "Received MPA CRC does not match the calculated value"),
        (0x03, "Received MPA marker and ULPDU_Length disagree"),
        (0x04, "Invalid MPA Request Frame or MPA Reply Frame"),
        (0x05, "Local catastrophic"),
        (0x06, "Insufficient IRD resources"),
        (0x07, "No matching RTR option"),
    ];

    fields! {
        RDMAP: Heading, Plain, Wireshark, "iwarp_rdma", "RDMAP header", "The header of an RDMAP message (RFC 5040 section 4)";
        CONTROL: Heading, Plain, Wireshark, "iwarp_rdma.control_field", "RDMAP control field", "RDMAP's byte in the DDP header (RFC 5040 section 4.1)";
        VERSION: Unsigned(8), Plain, Wireshark, "iwarp_rdma.version", "Version", "RV: 1; 2 once rdmap-ext-v2 is negotiated (RFC 5040 section 4.1)";
        RESERVED_BITS: Unsigned(8), Hexadecimal, Wireshark, "iwarp_rdma.rsv", "Reserved", "Two bits; one where the opcode has five (RFC 5040 section 4.1)";
        OPCODE: Unsigned(8), NamedHexadecimal(OPCODES), Wireshark, "iwarp_rdma.opcode", "OpCode", "Which message it is (RFC 5040 figure 4, RFC 7306 figure 2, and the drafts)";
        MESSAGE: Text, Plain, Own, "iwarp_rdma.message", "Message", "The name of the message by version, opcode and profile";
        RESERVED: Bytes, Plain, Wireshark, "iwarp_rdma.reserved", "Reserved", "Where a Send with Invalidate has its STag (RFC 5040 section 4.1)";
        INVALIDATE_STEERING_TAG: Unsigned(32), Plain, Wireshark, "iwarp_rdma.inval_stag", "Invalidate STag", "The STag that the receiver is to invalidate (RFC 5040 section 5.3)";
        READ_REQUEST: Heading, Plain, Wireshark, "iwarp_rdma.rr", "Read request", "The RDMA Read Request header (RFC 5040 section 4.4)";
        SINK_STEERING_TAG: Unsigned(32), Hexadecimal, Wireshark, "iwarp_rdma.sinkstag", "Data Sink STag", "The buffer that the data goes to (RFC 5040 section 4.4)";
        SINK_TAGGED_OFFSET: Unsigned(64), Hexadecimal, Wireshark, "iwarp_rdma.sinkto", "Data Sink Tagged Offset", "Where in that buffer (RFC 5040 section 4.4)";
        READ_MESSAGE_SIZE: Unsigned(32), Plain, Wireshark, "iwarp_rdma.rdmardsz", "RDMA Read Message Size", "Bytes to read (RFC 5040 section 4.4)";
        SOURCE_STEERING_TAG: Unsigned(32), Hexadecimal, Wireshark, "iwarp_rdma.srcstag", "Data Source STag", "The buffer that the data comes from (RFC 5040 section 4.4)";
        SOURCE_TAGGED_OFFSET: Unsigned(64), Hexadecimal, Wireshark, "iwarp_rdma.srcto", "Data Source Tagged Offset", "Where in that buffer (RFC 5040 section 4.4)";
        READ_V2: Heading, Plain, Own, "iwarp_rdma.rr_v2", "Read V2 request", "The RDMA Read V2 Request header (rdmap-ext-v2 section 6.1)";
        TERMINATE: Heading, Plain, Wireshark, "iwarp_rdma.terminate", "Terminate", "The Terminate header (RFC 5040 section 4.8)";
        TERM_CONTROL: Heading, Plain, Wireshark, "iwarp_rdma.term_ctrl", "Terminate Control", "Layer, type, code and header control bits (RFC 5040 figure 8)";
        TERM_LAYER: Unsigned(8), NamedHexadecimal(LAYERS), Wireshark, "iwarp_rdma.term_layer", "Layer", "The layer that found the error (RFC 5040 figure 9)";
        TERM_TYPE_RDMA: Unsigned(8), NamedHexadecimal(TYPES_RDMA), Wireshark, "iwarp_rdma.term_etype_rdma", "Error Types for RDMA layer", "The type of an RDMAP error (RFC 5040 figure 9)";
        TERM_TYPE_DDP: Unsigned(8), NamedHexadecimal(TYPES_DDP), Wireshark, "iwarp_rdma.term_etype_ddp", "Error Types for DDP layer", "The type of a DDP error (RFC 5041 section 6.2)";
        TERM_TYPE_LLP: Unsigned(8), NamedHexadecimal(TYPES_LLP), Wireshark, "iwarp_rdma.term_etype_llp", "Error Types for LLP layer", "The type of an MPA error (RFC 5044 section 8)";
        TERM_TYPE: Unsigned(8), Hexadecimal, Wireshark, "iwarp_rdma.term_etype", "Error Types", "The error type of an unknown layer (RFC 5040 section 4.8)";
        TERM_CODE_RDMA: Unsigned(8), NamedHexadecimal(CODES_RDMA), Wireshark, "iwarp_rdma.term_errcode_rdma", "Error Code for RDMA layer", "The code of an RDMAP error (RFC 5040 figure 9)";
        TERM_CODE_TAGGED: Unsigned(8), NamedHexadecimal(CODES_TAGGED), Wireshark, "iwarp_rdma.term_errcode_ddp_tagged", "Error Code for DDP Tagged Buffer", "The code of a tagged buffer error (RFC 5041 section 6.2)";
        TERM_CODE_UNTAGGED: Unsigned(8), NamedHexadecimal(CODES_UNTAGGED), Wireshark, "iwarp_rdma.term_errcode_ddp_untagged", "Error Code for DDP Untagged Buffer", "The code of an untagged buffer error (RFC 5041 section 6.2)";
        TERM_CODE_LLP: Unsigned(8), NamedHexadecimal(CODES_LLP), Wireshark, "iwarp_rdma.term_errcode_llp", "Error Code for LLP layer", "The code of an MPA error (RFC 5044 section 8, RFC 6581 section 8)";
        TERM_CODE: Unsigned(8), Hexadecimal, Wireshark, "iwarp_rdma.term_errcode", "Error Code", "The code of an error without a table of codes (RFC 5040 section 4.8)";
        TERM_HEADER_CONTROL: Heading, Plain, Wireshark, "iwarp_rdma.term_hdrct", "Header control bits", "HdrCt: which headers are nested (RFC 5040 section 4.8)";
        TERM_M: Boolean, Plain, Wireshark, "iwarp_rdma.term_hdrct_m", "M bit", "M: the DDP segment length is valid (RFC 5040 section 4.8)";
        TERM_D: Boolean, Plain, Wireshark, "iwarp_rdma.hdrct_d", "D bit", "D: the DDP header is included (RFC 5040 section 4.8)";
        TERM_R: Boolean, Plain, Wireshark, "iwarp_rdma.hdrct_r", "R bit", "R: the RDMAP header is included (RFC 5040 section 4.8)";
        TERM_RESERVED: Unsigned(16), Hexadecimal, Wireshark, "iwarp_rdma.term_rsvd", "Reserved", "13 reserved bits (RFC 5040 section 4.8)";
        TERM_SEGMENT_LENGTH: Bytes, Plain, Wireshark, "iwarp_rdma.term_ddp_seg_len", "DDP Segment Length", "Bytes of the segment that was refused (RFC 5040 section 4.8)";
        TERM_DDP_HEADER: Bytes, Plain, Wireshark, "iwarp_rdma.term_ddp_h", "Terminated DDP Header", "The DDP header of the segment that was refused (RFC 5040 section 4.8)";
        TERM_RDMA_HEADER: Bytes, Plain, Wireshark, "iwarp_rdma.term_rdma_h", "Terminated RDMA Header", "The Read Request that was refused (RFC 5040 section 4.8)";
        TERM_MEANING: Text, Plain, Own, "iwarp_rdma.term_meaning", "Meaning", "Layer, type and code in words";
        TERM_TAGGED_FLAG: Boolean, Plain, Own, "iwarp_rdma.term_ddp.tagged_flag", "Tagged flag", "T of the terminated DDP header";
        TERM_LAST_FLAG: Boolean, Plain, Own, "iwarp_rdma.term_ddp.last_flag", "Last flag", "L of the terminated DDP header";
        TERM_DDP_VERSION: Unsigned(8), Plain, Own, "iwarp_rdma.term_ddp.dv", "DDP protocol version", "DV of the terminated DDP header";
        TERM_OPCODE: Unsigned(8), NamedHexadecimal(OPCODES), Own, "iwarp_rdma.term_ddp.opcode", "OpCode", "The opcode in the terminated DDP header";
        TERM_STEERING_TAG: Unsigned(32), Hexadecimal, Own, "iwarp_rdma.term_ddp.stag", "Steering Tag", "STag of the terminated DDP header";
        TERM_TAGGED_OFFSET: Unsigned(64), Hexadecimal, Own, "iwarp_rdma.term_ddp.tagged_offset", "Tagged offset", "TO of the terminated DDP header";
        TERM_QUEUE_NUMBER: Unsigned(32), Plain, Own, "iwarp_rdma.term_ddp.qn", "Queue number", "QN of the terminated DDP header";
        TERM_SEQUENCE_NUMBER: Unsigned(32), Plain, Own, "iwarp_rdma.term_ddp.msn", "Message sequence number", "MSN of the terminated DDP header";
        TERM_MESSAGE_OFFSET: Unsigned(32), Plain, Own, "iwarp_rdma.term_ddp.mo", "Message offset", "MO of the terminated DDP header";
        TERM_SINK_STEERING_TAG: Unsigned(32), Hexadecimal, Own, "iwarp_rdma.term_rr.sinkstag", "Data Sink STag", "SinkSTag of the terminated Read Request";
        TERM_SINK_TAGGED_OFFSET: Unsigned(64), Hexadecimal, Own, "iwarp_rdma.term_rr.sinkto", "Data Sink Tagged Offset", "SinkTO of the terminated Read Request";
        TERM_READ_MESSAGE_SIZE: Unsigned(32), Plain, Own, "iwarp_rdma.term_rr.rdmardsz", "RDMA Read Message Size", "RDMARDSZ of the terminated Read Request";
        TERM_SOURCE_STEERING_TAG: Unsigned(32), Hexadecimal, Own, "iwarp_rdma.term_rr.srcstag", "Data Source STag", "SrcSTag of the terminated Read Request";
        TERM_SOURCE_TAGGED_OFFSET: Unsigned(64), Hexadecimal, Own, "iwarp_rdma.term_rr.srcto", "Data Source Tagged Offset", "SrcTO of the terminated Read Request";
        TERM_SWAPPED: Heading, Plain, Own, "iwarp_rdma.term_swapped", "Read with each byte of Terminate Control filled from its low end", "A deviation from RFC 5040 figure 8: error type before layer, and M, D, R as 0x01, 0x02, 0x04";
        TERM_UNEXPLAINED: Bytes, Plain, Own, "iwarp_rdma.term_rest", "Bytes after the headers", "What follows the headers that HdrCt announces";
        TERM_CUT: Text, Plain, Own, "iwarp_rdma.term_cut", "Malformed", "A nested header that HdrCt announces but that the message is too short for";
        ATOMIC_RESERVED: Unsigned(32), Plain, Wireshark, "iwarp_rdma.atomic.reserved", "Reserved", "28 reserved bits (RFC 7306 section 5.2.1)";
        ATOMIC_OPCODE: Unsigned(32), Named(ATOMIC_OPERATIONS), Wireshark, "iwarp_rdma.atomic.opcode", "OpCode", "AOpCode: the operation (RFC 7306 section 5.2.1)";
        ATOMIC_REQUEST_ID: Unsigned(32), Plain, Wireshark, "iwarp_rdma.atomic.request_identifier", "Request Identifier", "Reflected in the response (RFC 7306 section 5.2.1)";
        ATOMIC_REMOTE_STAG: Unsigned(32), Plain, Wireshark, "iwarp_rdma.atomic.remote_stag", "Remote STag", "The buffer (RFC 7306 section 5.2.1)";
        ATOMIC_REMOTE_OFFSET: Unsigned(64), Plain, Wireshark, "iwarp_rdma.atomic.remote_tagged_offset", "Remote Tagged Offset", "Where in the buffer (RFC 7306 section 5.2.1)";
        ATOMIC_ADD_DATA: Unsigned(64), Plain, Wireshark, "iwarp_rdma.atomic.add_data", "Add Data", "What FetchAdd adds (RFC 7306 section 5.2.1)";
        ATOMIC_ADD_MASK: Unsigned(64), Hexadecimal, Wireshark, "iwarp_rdma.atomic.add_mask", "Add Mask", "Where FetchAdd's fields end (RFC 7306 section 5.2.1)";
        ATOMIC_SWAP_DATA: Unsigned(64), Plain, Wireshark, "iwarp_rdma.atomic.swap_data", "Swap Data", "The new value (RFC 7306 section 5.2.1)";
        ATOMIC_SWAP_MASK: Unsigned(64), Hexadecimal, Wireshark, "iwarp_rdma.atomic.swap_mask", "Swap Mask", "The bits that are replaced (RFC 7306 section 5.2.1)";
        ATOMIC_COMPARE_DATA: Unsigned(64), Plain, Wireshark, "iwarp_rdma.atomic.compare_data", "Compare Data", "What the word is compared with (RFC 7306 section 5.2.1)";
        ATOMIC_COMPARE_MASK: Unsigned(64), Hexadecimal, Wireshark, "iwarp_rdma.atomic.compare_mask", "Compare Mask", "The bits that are compared (RFC 7306 section 5.2.1)";
        ATOMIC_ORIGINAL_ID: Unsigned(32), Plain, Wireshark, "iwarp_rdma.atomic.original_request_identifier", "Original Request Identifier", "The request's identifier (RFC 7306 section 5.2.2)";
        ATOMIC_ORIGINAL_VALUE: Unsigned(64), Plain, Wireshark, "iwarp_rdma.atomic.original_remote_data_value", "Original Remote Data Value", "The word before the operation (RFC 7306 section 5.2.2)";
        IMMEDIATE_DATA: Unsigned(64), Hexadecimal, Own, "iwarp_rdma.immediate_data", "Immediate Data", "Eight bytes for the ULP (RFC 7306 section 6.2, rdmap-ext-v2 section 5.3)";
        COMMIT: Heading, Plain, Own, "iwarp_rdma.commit", "Range", "What a Flush, Verify or Atomic Write Request is about (rdma-commit section 3.1)";
        COMMIT_STAG: Unsigned(32), Hexadecimal, Own, "iwarp_rdma.commit.stag", "Data Sink STag", "The buffer (rdma-commit section 3.1)";
        COMMIT_LENGTH: Unsigned(32), Plain, Own, "iwarp_rdma.commit.length", "Data Sink Length", "Bytes (rdma-commit section 3.1)";
        COMMIT_OFFSET: Unsigned(64), Hexadecimal, Own, "iwarp_rdma.commit.tagged_offset", "Data Sink Tagged Offset", "Where in the buffer (rdma-commit section 3.1)";
        FLUSH_FLAGS: Unsigned(32), Hexadecimal, Own, "iwarp_rdma.flush.disposition", "Disposition flags", "What is asked of the range (rdma-commit section 3.1.1.1)";
        FLUSH_GLOBAL: Boolean, Plain, Own, "iwarp_rdma.flush.global_visibility", "Global visibility (G)", "Flush to global visibility (rdma-commit section 3.1.1.1)";
        FLUSH_PERSISTENCE: Boolean, Plain, Own, "iwarp_rdma.flush.persistence", "Persistence (P)", "Flush to persistence (rdma-commit section 3.1.1.1)";
        VERIFY_HASH: Bytes, Plain, Own, "iwarp_rdma.verify.hash", "Hash value", "Expected (request) or computed (response) (rdma-commit section 3.1.2)";
        ATOMIC_WRITE_DATA: Unsigned(64), Hexadecimal, Own, "iwarp_rdma.atomic_write.data", "Data", "The value to write (rdma-commit section 3.1.3.1)";
        MESSAGE_NUMBER: Unsigned(64), Plain, Own, "iwarp_rdma.message.number", "Message number", "The message among those of its direction, from 1";
        MESSAGE_OPERATION: Unsigned(64), Plain, Own, "iwarp_rdma.message.operation", "Of operation", "The operation's number in its connection";
        MESSAGE_REQUEST_FRAME: FrameNumber, Plain, Own, "iwarp_rdma.message.request_frame", "Answers the request in frame", "The frame of the request that this is a response to";
        MESSAGE_FIRST_FRAME: FrameNumber, Plain, Own, "iwarp_rdma.message.first_frame", "Message began in frame", "The frame of the message's first segment";
        MESSAGE_SEGMENTS: Unsigned(32), Plain, Own, "iwarp_rdma.message.segments", "Segments", "Segments of the completed message that were seen";
        MESSAGE_LENGTH: Unsigned(64), Plain, Own, "iwarp_rdma.message.length", "Message length", "Bytes of payload of the completed message that were seen";
        MESSAGE_COMPLETE: Boolean, Plain, Own, "iwarp_rdma.message.complete", "Message complete", "No segment of the message is missing or cut";
        MALFORMED: Text, Plain, Own, "iwarp_rdma.malformed", "Malformed", "Why the message's header cannot be read";
        PAYLOAD_LENGTH: Unsigned(32), Plain, Own, "iwarp_rdma.payload_length", "Payload length", "Bytes of payload in the segment";
    }
}

/// Fields of operations: what the two directions of a connection mean together.
pub mod operation {
    use crate::field::fields;

    fields! {
        WARPSCOPE: Protocol, Plain, Own, "warpscope", "What the messages mean together", "Operations and exchanges that end in this frame";
        OPERATION: Heading, Plain, Own, "warpscope.op", "Operation", "A request with its response, or a message that needs none";
        NUMBER: Unsigned(64), Plain, Own, "warpscope.op.number", "Number", "The operation's number in its connection, from 1 in the order of the first segments";
        KIND: Text, Plain, Own, "warpscope.op.kind", "Kind", "What the operation does: Write, Read, Send, Atomic and so on";
        EVENT: Text, Plain, Own, "warpscope.op.event", "Event", "What happened to it in this frame: requested, completed, refused, terminated, unsolicited, abandoned";
        OUTCOME: Text, Plain, Own, "warpscope.op.outcome", "Outcome", "How far it has come: open, completed, unanswered, lost, refused";
        REQUEST_FRAME: FrameNumber, Plain, Own, "warpscope.op.request_frame", "Request in frame", "The frame that completed the request";
        FIRST_FRAME: FrameNumber, Plain, Own, "warpscope.op.first_frame", "First byte in frame", "The frame that completed the operation's first segment";
        LATENCY: RelativeTime, Plain, Own, "warpscope.op.latency", "Latency", "From the request's last segment to the response's last; without a response, from the first segment to the last";
        FIRST_BYTE: RelativeTime, Plain, Own, "warpscope.op.first_octet", "Time to first byte", "From the request's last segment to the response's first";
        BYTES: Unsigned(64), Plain, Own, "warpscope.op.octets", "Bytes", "Bytes of user data that it moved";
        SEGMENTS: Unsigned(32), Plain, Own, "warpscope.op.segments", "Segments", "DDP segments of the message that carried them";
        REPEATED: Unsigned(64), Plain, Own, "warpscope.op.repeated", "Bytes sent again meanwhile", "Bytes of its direction that came more than once while the message was under way";
        PAUSE: RelativeTime, Plain, Own, "warpscope.op.pause", "Longest pause", "The longest time between two segments of the message that carried them: for example while TCP sends lost bytes again";
        PAUSE_FRAME: FrameNumber, Plain, Own, "warpscope.op.pause_frame", "Pause ended in frame", "The frame that ended the longest pause";
        PAUSE_MISSED: Unsigned(32), Plain, Own, "warpscope.op.pause_missed", "Missing meanwhile", "Bytes of the TCP stream that were missing in the longest pause, while later ones had arrived";
        PAUSE_WAITED: RelativeTime, Plain, Own, "warpscope.op.pause_waited", "Waited for them", "For how much of the longest pause later bytes had arrived: the rest of it has another cause";
        STEERING_TAG: Unsigned(32), Hexadecimal, Own, "warpscope.op.stag", "Steering Tag", "The remote memory that it reads, writes or acts on (STag)";
        TAGGED_OFFSET: Unsigned(64), Hexadecimal, Own, "warpscope.op.to", "Tagged offset", "Where in that memory (TO)";
        LENGTH: Unsigned(64), Plain, Own, "warpscope.op.length", "Length", "Bytes of that memory";
        DEPTH: Unsigned(32), Plain, Own, "warpscope.op.depth", "Requests in flight", "Requests of this side that waited for a response when it was sent, itself included";
        DEPTH_LIMIT: Unsigned(32), Plain, Own, "warpscope.op.depth_limit", "Requests allowed", "The smaller of the requester's ORD and the responder's IRD, as negotiated";
        OVERTOOK: Unsigned(32), Plain, Own, "warpscope.op.overtook", "Earlier requests unanswered", "Earlier requests that were still unanswered when its response began";
        CAUSE_FRAME: FrameNumber, Plain, Own, "warpscope.op.cause.frame", "Refused segment in frame", "The frame of the segment that the Terminate complains about";
        CAUSE_MESSAGE: Unsigned(64), Plain, Own, "warpscope.op.cause.message", "Refused message", "The number of that segment's message in its direction";
        CAUSE_FIELD: Text, Plain, Own, "warpscope.op.cause.field", "Refused for", "The field of that message that the error is about";
        CAUSE_EXACT: Boolean, Plain, Own, "warpscope.op.cause.exact", "Echoed byte for byte", "Whether the Terminate echoes length and headers of that segment as they were sent";
        EXPLANATION: Text, Plain, Own, "warpscope.op.explanation", "In words", "A Terminate in a sentence: who refuses which message, and why";
    }
}
