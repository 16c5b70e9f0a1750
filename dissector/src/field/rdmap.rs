//! Fields of RDMAP messages (RFC 5040, RFC 7306, rdmap-ext-v2, rdma-commit).

use super::fields;

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
    TERM_UNEXPLAINED: Bytes, Plain, Own, "iwarp_rdma.term_rest", "Bytes behind the headers", "What follows the headers that HdrCt announces";
    TERM_CUT: Text, Plain, Own, "iwarp_rdma.term_cut", "Malformed", "A nested header that HdrCt announces and the message is too short for";
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
