//! Fields of DDP segment headers (RFC 5041 §4).

use super::fields;

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
