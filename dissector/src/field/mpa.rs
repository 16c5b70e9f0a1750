//! Fields of MPA: setup frames, FPDUs, markers (RFC 5044, RFC 6581), and of RFC 8797's private data.

use super::fields;

/// What the CRC field says, as `iwarp_mpa.crc.status` numbers it.
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
    ENHANCED_IRD: Unsigned(16), Plain, Wireshark, "iwarp_mpa.enhanced.ird", "IRD", "Inbound RDMA Read Queue Depth; 16383 is not negotiated (RFC 6581 section 9.1)";
    ENHANCED_C: Boolean, Plain, Wireshark, "iwarp_mpa.enhanced.c", "Write as RTR (C)", "Control flag C: a zero-length RDMA Write may be the ready-to-receive indication (RFC 6581 section 9.2)";
    ENHANCED_D: Boolean, Plain, Wireshark, "iwarp_mpa.enhanced.D", "Read as RTR (D)", "Control flag D: a zero-length RDMA Read may be the ready-to-receive indication (RFC 6581 section 9.2)";
    ENHANCED_ORD: Unsigned(16), Plain, Wireshark, "iwarp_mpa.enhanced.ord", "ORD", "Outbound RDMA Read Queue Depth; 16383 is not negotiated (RFC 6581 section 9.1)";
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
    FPDU_FRAME: FrameNumber, Plain, Own, "iwarp_mpa.fpdu.frame", "Bytes from frame", "A frame that holds bytes of the FPDU, when there are several or it is another one";
    FPDU_MISSING: Unsigned(32), Plain, Own, "iwarp_mpa.fpdu.missing", "Bytes not captured", "Bytes of the FPDU behind the first one that the capture does not hold";
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
