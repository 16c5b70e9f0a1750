//! Rules of what a Terminate says (RFC 5040 section 4.8).

use crate::rules::declare::rules;
use crate::rules::rule::{Fault, Level, Rule};

rules! {
    CONTROL: "rdmap-terminate-control", Must, Sender, "RFC 5040 section 4.8",
        ["RFC5040-4.8-02"], None,
        "Layer and the header control bits stand at the high end of their octets.",
        "The sender fills each octet of Terminate Control from its low end: other implementations read another layer and error type, and miss the headers that follow.";
    CODE: "rdmap-terminate-code", Must, Sender, "RFC 5040 section 4.8",
        ["RFC5040-4.8-03"], None,
        "Layer, error type and error code are a combination that is defined.",
        "The peer cannot tell its user why the connection was ended.";
    RESERVED: "rdmap-terminate-reserved", Must, Sender, "RFC 5040 section 4.8",
        ["RFC5040-4.8-04"], None,
        "The reserved bits of a Terminate are zero.",
        "The receiver ignores these bits; the sender does not build the header as drawn.";
    LENGTH: "rdmap-terminate-length", Must, Sender, "RFC 5040 section 4.8",
        ["RFC5040-4.8-05"], None,
        "A Terminate holds what its header control bits announce, and nothing else.",
        "Octets are missing or left over: the receiver reads headers that are not there, or misses those that are.";
    NEEDLESS: "rdmap-terminate-needless-header", Should, Sender, "RFC 5040 section 4.8",
        ["RFC5040-4.8-06"], None,
        "A Terminate for a local catastrophic or LLP error has no headers in it.",
        "The headers are of no message that caused the error.";
    MISSING: "rdmap-terminate-missing-header", Should, Sender, "RFC 5040 section 4.8",
        ["RFC5040-4.8-07"], None,
        "A Terminate for an error in a segment has the segment's length and DDP header in it.",
        "The peer cannot tell which of its messages was refused.";
    READ_HEADER: "rdmap-terminate-read-header", Should, Sender, "RFC 5040 section 4.8",
        ["RFC5040-4.8-08"], None,
        "A Terminate has an RDMAP header in it when a remote protection error refuses a Read Request, and only then.",
        "The peer cannot tell which Read was refused, or reads a Read Request where none was sent.";
    SEGMENT_LENGTH: "rdmap-terminate-segment-length", Must, Sender, "RFC 5040 section 4.8",
        ["RFC5040-4.8-09"], None,
        "The DDP Segment Length of a Terminate is that of the refused segment.",
        "A peer that looks for the refused segment by its length finds another, or none.";
    ECHO: "rdmap-terminate-echo", Must, Sender, "RFC 5040 section 4.8",
        ["RFC5040-4.8-10"], None,
        "The DDP header in a Terminate is that of the refused segment, octet for octet.",
        "A peer that looks for the refused message by the header finds another, or none.";
    ECHO_READ: "rdmap-terminate-read-echo", Must, Sender, "RFC 5040 section 4.8",
        ["RFC5040-4.8-11"], None,
        "The RDMAP header in a Terminate is that of the refused Read Request, as far as it has come.",
        "A peer that looks for the refused Read by the header finds another, or none.";
}
