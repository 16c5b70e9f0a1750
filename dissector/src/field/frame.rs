//! Fields of the frame itself: what the capture says about it.

use super::fields;

/// The numbers that Wireshark's `frame.encap_type` has for the link types that are decoded here.
const ENCAPSULATIONS: &[(u64, &str)] = &[
    (0, "Unknown"),
    (1, "Ethernet"),
    (7, "Raw IP"),
    (15, "NULL/Loopback"),
    (25, "Linux cooked-mode capture v1"),
    (129, "Raw IPv4"),
    (130, "Raw IPv6"),
    (174, "OpenBSD loopback"),
    (210, "Linux cooked-mode capture v2"),
];

fields! {
    PROTOCOL: Protocol, Plain, Wireshark, "frame", "Frame", "What the capture says about the frame";
    SECTION_NUMBER: Unsigned(32), Plain, Wireshark, "frame.section_number", "Section number", "The pcapng section that the frame stands in, from 1";
    INTERFACE_ID: Unsigned(32), Plain, Wireshark, "frame.interface_id", "Interface id", "The number of the interface within its pcapng section, from 0";
    INTERFACE_NAME: Text, Plain, Wireshark, "frame.interface_name", "Interface name", "The name of the interface that the frame was captured on";
    INTERFACE_DESCRIPTION: Text, Plain, Wireshark, "frame.interface_description", "Interface description", "The description of the interface that the frame was captured on";
    ENCAPSULATION: Unsigned(16), Named(ENCAPSULATIONS), Wireshark, "frame.encap_type", "Encapsulation type", "The type of the frame's first header, as Wireshark numbers it";
    TIME: AbsoluteTime, Plain, Wireshark, "frame.time", "Arrival Time", "When the frame was captured; printed in UTC";
    TIME_EPOCH: RelativeTime, Plain, Wireshark, "frame.time_epoch", "Epoch Time", "Seconds from 1970-01-01 UTC to the capture of the frame";
    TIME_DELTA: RelativeTime, Plain, Wireshark, "frame.time_delta", "Time delta from previous captured frame", "Seconds since the frame before";
    TIME_DELTA_DISPLAYED: RelativeTime, Plain, Wireshark, "frame.time_delta_displayed", "Time delta from previous displayed frame", "Seconds since the last frame before that passed the display filter";
    TIME_RELATIVE: RelativeTime, Plain, Wireshark, "frame.time_relative", "Time since first frame", "Seconds since the first frame of the capture";
    NUMBER: Unsigned(32), Plain, Wireshark, "frame.number", "Frame Number", "The frame's number in the capture, from 1";
    LENGTH: Unsigned(32), Plain, Wireshark, "frame.len", "Frame Length", "Bytes of the frame on the wire";
    CAPTURED_LENGTH: Unsigned(32), Plain, Wireshark, "frame.cap_len", "Capture Length", "Bytes of the frame that were captured";
    PROTOCOLS: Text, Plain, Wireshark, "frame.protocols", "Protocols in frame", "The names of the frame's protocols, outermost first, joined by colons";
}
