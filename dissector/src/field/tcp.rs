//! Fields of the TCP header.

use super::fields;
use super::ip::CHECKSUM_STATES;

/// TCP option kinds (IANA).
pub(crate) const OPTION_KINDS: &[(u64, &str)] = &[
    (0, "End of Option List"),
    (1, "No-Operation"),
    (2, "Maximum Segment Size"),
    (3, "Window Scale"),
    (4, "SACK Permitted"),
    (5, "SACK"),
    (8, "Time Stamp Option"),
    (19, "MD5 Signature Option"),
    (28, "User Timeout Option"),
    (29, "TCP Authentication Option"),
    (30, "Multipath TCP"),
    (34, "TCP Fast Open Cookie"),
    (253, "RFC3692-style Experiment 1"),
    (254, "RFC3692-style Experiment 2"),
];

fields! {
    TCP: Protocol, Plain, Wireshark, "tcp", "Transmission Control Protocol", "TCP (RFC 9293)";
    SOURCE_PORT: Unsigned(16), Plain, Wireshark, "tcp.srcport", "Source Port", "The sender's port (RFC 9293 §3.1)";
    DESTINATION_PORT: Unsigned(16), Plain, Wireshark, "tcp.dstport", "Destination Port", "The receiver's port (RFC 9293 §3.1)";
    PORT: Unsigned(16), Plain, Wireshark, "tcp.port", "Source or Destination Port", "The sender's or the receiver's port";
    STREAM: Unsigned(32), Plain, Wireshark, "tcp.stream", "Stream index", "The number of the connection in the capture, from 0";
    LENGTH: Unsigned(32), Plain, Wireshark, "tcp.len", "TCP Segment Len", "Bytes of the payload on the wire";
    SEQUENCE: Unsigned(32), Plain, Wireshark, "tcp.seq", "Sequence Number", "Where the payload stands in the stream, counted from the SYN, or from the first segment seen";
    SEQUENCE_RAW: Unsigned(32), Plain, Wireshark, "tcp.seq_raw", "Sequence Number (raw)", "The sequence number as it stands in the header (RFC 9293 §3.1)";
    NEXT_SEQUENCE: Unsigned(32), Plain, Wireshark, "tcp.nxtseq", "Next Sequence Number", "Behind the payload, counted as the sequence number";
    ACKNOWLEDGMENT: Unsigned(32), Plain, Wireshark, "tcp.ack", "Acknowledgment Number", "The next byte expected from the other side, counted as the sequence number";
    ACKNOWLEDGMENT_RAW: Unsigned(32), Plain, Wireshark, "tcp.ack_raw", "Acknowledgment number (raw)", "The acknowledgment number as it stands in the header (RFC 9293 §3.1)";
    HEADER_LENGTH: Unsigned(8), Plain, Wireshark, "tcp.hdr_len", "Header Length", "Bytes of the header with its options; the field counts in 4 (RFC 9293 §3.1)";
    FLAGS: Unsigned(16), Hexadecimal, Wireshark, "tcp.flags", "Flags", "The control bits, reserved ones included (RFC 9293 §3.1)";
    FLAG_RESERVED: Boolean, Plain, Wireshark, "tcp.flags.res", "Reserved", "One of the three reserved bits is set (RFC 9293 §3.1)";
    FLAG_ACCURATE_ECN: Boolean, Plain, Wireshark, "tcp.flags.ae", "Accurate ECN", "Accurate ECN; once NS (RFC 9768)";
    FLAG_CWR: Boolean, Plain, Wireshark, "tcp.flags.cwr", "Congestion Window Reduced", "The sender slowed down (RFC 3168 §6.1)";
    FLAG_ECE: Boolean, Plain, Wireshark, "tcp.flags.ece", "ECN-Echo", "The other side should slow down (RFC 3168 §6.1)";
    FLAG_URGENT: Boolean, Plain, Wireshark, "tcp.flags.urg", "Urgent", "The urgent pointer counts (RFC 9293 §3.1)";
    FLAG_ACKNOWLEDGMENT: Boolean, Plain, Wireshark, "tcp.flags.ack", "Acknowledgment", "The acknowledgment number counts (RFC 9293 §3.1)";
    FLAG_PUSH: Boolean, Plain, Wireshark, "tcp.flags.push", "Push", "The receiver should deliver at once (RFC 9293 §3.1)";
    FLAG_RESET: Boolean, Plain, Wireshark, "tcp.flags.reset", "Reset", "The connection is torn down (RFC 9293 §3.1)";
    FLAG_SYN: Boolean, Plain, Wireshark, "tcp.flags.syn", "Syn", "The connection is being opened (RFC 9293 §3.1)";
    FLAG_FIN: Boolean, Plain, Wireshark, "tcp.flags.fin", "Fin", "The sender has no more data (RFC 9293 §3.1)";
    FLAGS_TEXT: Text, Plain, Wireshark, "tcp.flags.str", "TCP Flags", "A letter for each flag that is set";
    WINDOW: Unsigned(16), Plain, Wireshark, "tcp.window_size_value", "Window", "The window field as it stands in the header (RFC 9293 §3.1)";
    WINDOW_SCALED: Unsigned(32), Plain, Wireshark, "tcp.window_size", "Calculated window size", "Bytes that the sender is ready to take (RFC 7323 §2)";
    WINDOW_FACTOR: Unsigned(32), Plain, Wireshark, "tcp.window_size_scalefactor", "Window size scaling factor", "What the window field is multiplied with; -1 when the handshake was not seen, -2 when it set no scale";
    CHECKSUM: Unsigned(16), Hexadecimal, Wireshark, "tcp.checksum", "Checksum", "Not verified (RFC 9293 §3.1)";
    CHECKSUM_STATUS: Unsigned(8), Named(CHECKSUM_STATES), Wireshark, "tcp.checksum.status", "Checksum Status", "Whether the checksum was verified";
    URGENT_POINTER: Unsigned(16), Plain, Wireshark, "tcp.urgent_pointer", "Urgent Pointer", "Where urgent data ends, counted from the sequence number (RFC 9293 §3.1)";
    OPTIONS: Bytes, Plain, Wireshark, "tcp.options", "Options", "The options with their padding (RFC 9293 §3.2)";
    OPTION_KIND: Unsigned(8), Named(OPTION_KINDS), Wireshark, "tcp.option_kind", "Kind", "The kind of an option (RFC 9293 §3.2)";
    OPTION_LENGTH: Unsigned(8), Plain, Wireshark, "tcp.option_len", "Length", "Bytes of an option (RFC 9293 §3.2)";
    OPTION_END: Bytes, Plain, Wireshark, "tcp.options.eol", "TCP Option - End of Option List (EOL)", "The options end (RFC 9293 §3.2)";
    OPTION_NOTHING: Bytes, Plain, Wireshark, "tcp.options.nop", "TCP Option - No-Operation (NOP)", "Padding between options (RFC 9293 §3.2)";
    OPTION_MSS: Bytes, Plain, Wireshark, "tcp.options.mss", "TCP Option - Maximum segment size", "The largest segment that the sender can take (RFC 9293 §3.7.1)";
    MSS_VALUE: Unsigned(16), Plain, Wireshark, "tcp.options.mss_val", "MSS Value", "Bytes of the largest segment (RFC 9293 §3.7.1)";
    OPTION_SCALE: Bytes, Plain, Wireshark, "tcp.options.wscale", "TCP Option - Window scale", "How windows are scaled (RFC 7323 §2)";
    SCALE_SHIFT: Unsigned(8), Plain, Wireshark, "tcp.options.wscale.shift", "Shift count", "Bits that windows are shifted by (RFC 7323 §2)";
    SCALE_MULTIPLIER: Unsigned(16), Plain, Wireshark, "tcp.options.wscale.multiplier", "Multiplier", "What windows are multiplied with";
    OPTION_SACK_PERMITTED: Bytes, Plain, Wireshark, "tcp.options.sack_perm", "TCP Option - SACK permitted", "The sender understands selective acknowledgments (RFC 2018 §2)";
    OPTION_SACK: Bytes, Plain, Wireshark, "tcp.options.sack", "TCP Option - SACK", "Bytes that arrived behind a gap (RFC 2018 §3)";
    SACK_LEFT: Unsigned(32), Plain, Wireshark, "tcp.options.sack_le", "TCP SACK Left Edge", "The first byte of a run that arrived, counted as the acknowledgment number (RFC 2018 §3)";
    SACK_RIGHT: Unsigned(32), Plain, Wireshark, "tcp.options.sack_re", "TCP SACK Right Edge", "Behind the last byte of the run (RFC 2018 §3)";
    SACK_COUNT: Unsigned(8), Plain, Wireshark, "tcp.options.sack.count", "TCP SACK Count", "The number of runs";
    OPTION_TIMESTAMP: Bytes, Plain, Wireshark, "tcp.options.timestamp", "TCP Option - Timestamps", "Time stamps for measuring round trips (RFC 7323 §3)";
    TIMESTAMP_VALUE: Unsigned(32), Plain, Wireshark, "tcp.options.timestamp.tsval", "Timestamp value", "The sender's clock (RFC 7323 §3.2)";
    TIMESTAMP_ECHO: Unsigned(32), Plain, Wireshark, "tcp.options.timestamp.tsecr", "Timestamp echo reply", "The other side's time stamp, sent back (RFC 7323 §3.2)";
    OPTION_UNKNOWN: Bytes, Plain, Wireshark, "tcp.options.unknown", "TCP Option - Unknown", "An option that is not decoded";
    TIME_RELATIVE: RelativeTime, Plain, Wireshark, "tcp.time_relative", "Time since first frame in this TCP stream", "Seconds since the connection's first frame";
    TIME_DELTA: RelativeTime, Plain, Wireshark, "tcp.time_delta", "Time since previous frame in this TCP stream", "Seconds since the connection's frame before";
    PAYLOAD: Bytes, Plain, Wireshark, "tcp.payload", "TCP payload", "The bytes of the payload that were captured";
}
