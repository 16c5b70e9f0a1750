//! Fields of TCP analysis (how a segment relates to the previous ones) and of remarks about a frame.

/// Fields of the analysis of TCP segments.
pub mod tcp {
    use crate::field::fields;

    fields! {
        ANALYSIS: Heading, Plain, Wireshark, "tcp.analysis", "SEQ/ACK analysis", "What the segment is, compared with those before it";
        FLAGS: Heading, Plain, Wireshark, "tcp.analysis.flags", "TCP Analysis Flags", "Something about it is remarkable";
        RETRANSMISSION: Heading, Plain, Wireshark, "tcp.analysis.retransmission", "Retransmission", "What it carries was sent before";
        FAST_RETRANSMISSION: Heading, Plain, Wireshark, "tcp.analysis.fast_retransmission", "Fast retransmission", "What it carries was sent before, and two duplicate acknowledgments or more ask for it";
        SPURIOUS_RETRANSMISSION: Heading, Plain, Wireshark, "tcp.analysis.spurious_retransmission", "Spurious retransmission", "What it carries was sent before and acknowledged";
        OUT_OF_ORDER: Heading, Plain, Wireshark, "tcp.analysis.out_of_order", "Out of order", "It was captured after a segment that follows it";
        LOST_SEGMENT: Heading, Plain, Wireshark, "tcp.analysis.lost_segment", "Previous segment not captured", "Segments before it have not been seen so far";
        ACK_LOST_SEGMENT: Heading, Plain, Wireshark, "tcp.analysis.ack_lost_segment", "Acknowledged segment not captured", "It acknowledges bytes that were not seen";
        DUPLICATE_ACK: Heading, Plain, Wireshark, "tcp.analysis.duplicate_ack", "Duplicate ACK", "It acknowledges again what was already acknowledged";
        DUPLICATE_ACK_NUMBER: Unsigned(32), Plain, Wireshark, "tcp.analysis.duplicate_ack_num", "Duplicate ACK #", "Which duplicate of it this is, from 1";
        DUPLICATE_ACK_FRAME: FrameNumber, Plain, Wireshark, "tcp.analysis.duplicate_ack_frame", "Duplicate to the ACK in frame", "The frame that acknowledged the same first";
        ZERO_WINDOW: Heading, Plain, Wireshark, "tcp.analysis.zero_window", "Zero window", "Its sender can receive nothing";
        ZERO_WINDOW_PROBE: Heading, Plain, Wireshark, "tcp.analysis.zero_window_probe", "Zero window probe", "It asks a receiver without room whether it has room again";
        ZERO_WINDOW_PROBE_ACK: Heading, Plain, Wireshark, "tcp.analysis.zero_window_probe_ack", "ACK to a zero window probe", "It answers a zero window probe";
        WINDOW_FULL: Heading, Plain, Wireshark, "tcp.analysis.window_full", "Window full", "It fills the window of its receiver";
        WINDOW_UPDATE: Heading, Plain, Wireshark, "tcp.analysis.window_update", "Window update", "It only changes the window";
        KEEP_ALIVE: Heading, Plain, Wireshark, "tcp.analysis.keep_alive", "Keep-alive", "It asks whether the other end is still there (RFC 9293 §3.8.4)";
        KEEP_ALIVE_ACK: Heading, Plain, Wireshark, "tcp.analysis.keep_alive_ack", "ACK to a keep-alive", "It answers a keep-alive";
        REUSED_PORTS: Heading, Plain, Wireshark, "tcp.analysis.reused_ports", "Ports used again", "An earlier connection had its ports";
        ACKS_FRAME: FrameNumber, Plain, Wireshark, "tcp.analysis.acks_frame", "This is an ACK to the segment in frame", "The frame whose last byte it acknowledges";
        ACK_ROUND_TRIP: RelativeTime, Plain, Wireshark, "tcp.analysis.ack_rtt", "The RTT to ACK the segment was", "The time since that frame";
        INITIAL_ROUND_TRIP: RelativeTime, Plain, Wireshark, "tcp.analysis.initial_rtt", "iRTT", "The time from the SYN to the first ACK after it";
        IN_FLIGHT: Unsigned(32), Plain, Wireshark, "tcp.analysis.bytes_in_flight", "Bytes in flight", "Bytes of its direction that wait for their acknowledgment";
        SINCE_PUSH: Unsigned(32), Plain, Wireshark, "tcp.analysis.push_bytes_sent", "Bytes sent since last PSH flag", "Bytes of its direction since the last segment with PSH";
    }
}

/// Fields of remarks: what is noteworthy or wrong in a frame, in words.
pub mod expert {
    use crate::field::fields;

    /// Wireshark's severity numbers, mildest first.
    pub const SEVERITIES: &[(u64, &str)] =
        &[(CHAT, "Chat"), (NOTE, "Note"), (WARNING, "Warning"), (ERROR, "Error")];
    /// Usual but worth knowing.
    pub const CHAT: u64 = 0x0020_0000;
    /// Unusual.
    pub const NOTE: u64 = 0x0040_0000;
    /// Something may be wrong.
    pub const WARNING: u64 = 0x0060_0000;
    /// Something is wrong.
    pub const ERROR: u64 = 0x0080_0000;
    /// Wireshark's group numbers.
    pub const GROUPS: &[(u64, &str)] = &[(SEQUENCE, "Sequence"), (MALFORMED_GROUP, "Malformed")];
    /// Remarks about the order of segments.
    pub const SEQUENCE: u64 = 0x0200_0000;
    /// Remarks about what cannot be read.
    pub const MALFORMED_GROUP: u64 = 0x0700_0000;

    fields! {
        EXPERT: Protocol, Plain, Wireshark, "_ws.expert", "Expert Info", "Something that is remarkable in the frame";
        MESSAGE: Text, Plain, Wireshark, "_ws.expert.message", "Message", "What it is";
        SEVERITY: Unsigned(32), Named(SEVERITIES), Wireshark, "_ws.expert.severity", "Severity level", "How much it matters";
        GROUP: Unsigned(32), Named(GROUPS), Wireshark, "_ws.expert.group", "Group", "What it is about";
        MALFORMED: Protocol, Plain, Wireshark, "_ws.malformed", "Malformed Packet", "Something in the frame cannot be read";
    }
}
