//! Rules of what a Terminate says (RFC 5040 section 4.8).

use crate::rules::declare::rules;
use crate::rules::rule::{Fault, Level, Rule};

rules! {
    CONTROL: "rdmap-terminate-control", Must, Sender, "RFC 5040 section 4.8",
        ["RFC5040-4.8-02"], None,
        "Layer and the header control bits stand at the high end of their bytes.",
        "The sender fills each byte of Terminate Control from its low end: other implementations read another layer and error type, and miss the headers that follow.";
    CODE: "rdmap-terminate-code", Must, Sender, "RFC 5040 section 4.8",
        ["RFC5040-4.8-03", "RFC5040-4.8-09", "RFC5040-4.8-14", "RFC5040-4.8-15"], None,
        "Layer, error type and error code are a combination that is defined.",
        "The peer cannot tell its user why the connection was ended.";
    RESERVED: "rdmap-terminate-reserved", Must, Sender, "RFC 5040 section 4.8",
        ["RFC5040-4.8-16"], None,
        "The reserved bits of a Terminate are zero.",
        "The receiver ignores these bits; the sender does not build the header as drawn.";
    LENGTH: "rdmap-terminate-length", Must, Sender, "RFC 5040 section 4.8",
        ["RFC5040-4.8-01", "RFC5040-4.8-19", "RFC5040-4.8-22", "RFC5040-4.8-24"], None,
        "A Terminate holds what its header control bits announce, and nothing else.",
        "Bytes are missing or left over: the receiver reads headers that are not there, or misses those that are.";
    NEEDLESS: "rdmap-terminate-needless-header", Must, Sender, "RFC 5040 section 4.8",
        ["RFC5040-4.8-28", "RFC5040-4.8-21", "RFC5040-4.8-33"], None,
        "A Terminate for a local catastrophic or LLP error has no headers in it.",
        "The headers are of no message that caused the error.";
    MISSING: "rdmap-terminate-missing-header", Must, Sender, "RFC 5040 section 4.8",
        ["RFC5040-4.8-32", "RFC5040-4.8-19"], None,
        "A Terminate for an error in a segment has the segment's length and DDP header in it.",
        "The peer cannot tell which of its messages was refused.";
    READ_HEADER: "rdmap-terminate-read-header", Must, Sender, "RFC 5040 section 4.8",
        ["RFC5040-4.8-29", "RFC5040-4.8-23", "RFC5040-4.8-32"], None,
        "A Terminate has an RDMAP header in it when a remote protection error refuses a Read Request, and only then.",
        "The peer cannot tell which Read was refused, or reads a Read Request where none was sent.";
    PROTECTION: "rdmap-terminate-protection", Must, Sender, "RFC 5040 section 4.8",
        ["RFC5040-4.8-30"], None,
        "RDMAP's remote protection errors are about Read Requests and Sends that invalidate.",
        "A Write or a plain Send names no STag that RDMAP checks: DDP's errors are due, and the peer looks for the fault in the wrong place.";
    SEGMENT_LENGTH: "rdmap-terminate-segment-length", Must, Sender, "RFC 5040 section 4.8",
        ["RFC5040-4.8-18"], None,
        "The DDP Segment Length of a Terminate is that of the refused segment.",
        "A peer that looks for the refused segment by its length finds another, or none.";
    ECHO: "rdmap-terminate-echo", Must, Sender, "RFC 5040 section 4.8",
        ["RFC5040-4.8-20"], None,
        "The DDP header in a Terminate is that of the refused segment, byte for byte.",
        "A peer that looks for the refused message by the header finds another, or none.";
    ECHO_READ: "rdmap-terminate-read-echo", Must, Sender, "RFC 5040 section 4.8",
        ["RFC5040-4.8-25", "RFC5040-4.8-26", "RFC5040-4.8-27"], None,
        "The RDMAP header in a Terminate is that of the refused Read Request, as far as it has come.",
        "A peer that looks for the refused Read by the header finds another, or none.";
}
