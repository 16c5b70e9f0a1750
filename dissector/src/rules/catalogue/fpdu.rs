//! Rules of MPA's framing (RFC 5044 sections 3 to 5).

use crate::rules::declare::rules;
use crate::rules::rule::{Fault, Level, Rule};

rules! {
    CRC: "mpa-crc", Must, Either, "RFC 5044 section 4.4",
        ["RFC5044-4.4-12", "RFC5044-7.1.1-12"], Some((2, 0, 2)),
        "Where CRCs are in use, the CRC field holds the CRC of the FPDU.",
        "The bytes were damaged on the way or in a host, or the sender computes the CRC over other bytes. TCP's checksum did not notice.";
    PAD: "mpa-pad", Must, Sender, "RFC 5044 section 4.1",
        ["RFC5044-4.1-03"], None,
        "The pad bytes of an FPDU are zero.",
        "The sender lets bytes of its memory out; the receiver ignores them.";
    ULPDU_LENGTH: "mpa-ulpdu-length", Must, Sender, "RFC 5044 section 3",
        ["RFC5044-3-05", "RFC5044-3-04"], None,
        "A ULPDU has at most 64768 bytes.",
        "The FPDU is larger than receivers must be able to take; hardware may drop the connection.";
    MARKER_RESERVED: "mpa-marker-reserved", Must, Sender, "RFC 5044 section 4.2",
        ["RFC5044-4.2-02"], None,
        "The reserved half of a marker is zero.",
        "The receiver ignores these bits; the sender does not build its markers as drawn.";
    MARKER_POINTER: "mpa-marker-pointer", Must, Sender, "RFC 5044 section 4.3",
        ["RFC5044-4.3-03", "RFC5044-4.2-04", "RFC5044-4.3-10"], Some((2, 0, 3)),
        "FPDUPTR of a marker is its distance from the start of its FPDU.",
        "A receiver that looks for FPDUs by markers takes other bytes for a header; one that compares both ends the connection.";
    MARKER_LOW_BITS: "mpa-marker-low-bits", Must, Sender, "RFC 5044 section 4.2",
        ["RFC5044-4.2-05"], None,
        "The two low bits of FPDUPTR are zero.",
        "The receiver takes them as zero; the sender uses them for something of its own.";
    MARKERS_MISSING: "mpa-markers-missing", Must, Sender, "RFC 5044 section 7.1.1",
        ["RFC5044-7.1.1-09", "RFC5044-4.3-01", "RFC5044-4.3-07"], Some((2, 0, 3)),
        "A side whose peer asked for markers puts them into its stream.",
        "The receiver takes every 512th byte for a marker and loses the framing with the first FPDU. The sender overlooks the peer's M bit, or confuses it with its own.";
    MARKERS_UNWANTED: "mpa-markers-unwanted", Must, Sender, "RFC 5044 section 7.1.1",
        ["RFC5044-7.1.1-08"], None,
        "A side whose peer did not ask for markers sends none.",
        "The receiver takes the first marker for an FPDU without contents and loses the framing. The sender overlooks the peer's M bit, or confuses it with its own.";
    MULPDU: "mpa-mulpdu", Should, Sender, "RFC 5044 section 3",
        ["RFC5044-3-03", "RFC5044-4.5-05"], None,
        "An FPDU fits into a TCP segment.",
        "The FPDU is larger than the segment size that the receiver announced: it needs several segments, and hardware that places FPDUs as they come must put it together first.";
    ALIGNMENT: "mpa-fpdu-alignment", Should, Sender, "RFC 5044 section 5.1",
        ["RFC5044-5.1-03"], None,
        "TCP segments begin where FPDUs begin.",
        "Receivers that place FPDUs as they come must hold them back and put them together; throughput suffers where segments are lost or reordered.";
}
