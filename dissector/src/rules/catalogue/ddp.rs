//! Rules of DDP segments and messages (RFC 5041).

use crate::rules::declare::rules;
use crate::rules::rule::{Fault, Level, Rule};

rules! {
    HEADER_SHORT: "ddp-header-length", Must, Sender, "RFC 5041 section 4.4",
        ["RFC5041-4.4-01", "RFC5041-4.2-01", "RFC5041-4.3-01", "RFC5044-3-01"], None,
        "Every DDP segment has a whole header: 14 bytes tagged, 18 untagged.",
        "The ULPDU is too short for the header that its first byte announces; the receiver cannot place it.";
    RESERVED: "ddp-reserved", Must, Sender, "RFC 5041 section 4.1",
        ["RFC5041-4.1-08"], None,
        "The reserved bits of the DDP control byte are zero.",
        "The receiver ignores these bits; the sender does not build its headers as drawn.";
    VERSION_TAGGED: "ddp-version-tagged", Must, Sender, "RFC 5041 section 4.1",
        ["RFC5041-4.1-10"], Some((1, 1, 4)),
        "The DDP version of a tagged segment is 1.",
        "The receiver refuses the segment and ends the connection.";
    VERSION_UNTAGGED: "ddp-version-untagged", Must, Sender, "RFC 5041 section 4.1",
        ["RFC5041-4.1-10"], Some((1, 2, 6)),
        "The DDP version of an untagged segment is 1.",
        "The receiver refuses the segment and ends the connection.";
    SEQUENCE_FIRST: "ddp-msn-first", Must, Sender, "RFC 5041 section 4.3",
        ["RFC5041-4.3-12", "RFC5040-5.4-03"], Some((1, 2, 3)),
        "The first message of a queue has MSN 1.",
        "The receiver has its first buffer at MSN 1: the message finds no buffer, or the wrong one.";
    SEQUENCE: "ddp-msn-sequence", Must, Sender, "RFC 5041 section 4.3",
        ["RFC5041-4.3-11"], Some((1, 2, 3)),
        "The MSN of a queue grows by one with each message.",
        "The message goes into the wrong buffer, or finds none: a message of the sender was left out, sent twice, or counted on the wrong queue.";
    OFFSET: "ddp-message-offset", Must, Sender, "RFC 5041 section 5.2",
        ["RFC5041-5.2-06", "RFC5041-4.3-16"], Some((1, 2, 4)),
        "The MO of a segment counts the bytes of the message before it: 0 in the first.",
        "Bytes of the message are placed where others belong, and a part of the buffer stays empty.";
    ORDER: "ddp-segment-order", Should, Sender, "RFC 5041 section 5.3",
        ["RFC5041-5.3-03"], None,
        "The segments of a message are sent in the order of their MO.",
        "A receiver must place segments in any order, but many expect them in order.";
    LAST: "ddp-last-flag", Must, Sender, "RFC 5041 section 4.1",
        ["RFC5041-4.1-03", "RFC5041-5.2-04"], None,
        "A message ends with a segment that has L set, before the next one of its queue begins.",
        "The receiver waits for the end of the message and never delivers it, or delivers a part.";
    AFTER_LAST: "ddp-segment-after-last", Must, Sender, "RFC 5041 section 4.1",
        ["RFC5041-4.1-05", "RFC5041-4.1-04"], Some((1, 2, 3)),
        "No segment of a message follows the one with L.",
        "The receiver has delivered the message already; the bytes that follow are lost, or overwrite a buffer that is in use.";
    EMPTY: "ddp-empty-message", Must, Sender, "RFC 5041 section 5.2",
        ["RFC5041-5.2-09"], None,
        "A message of no bytes has one segment.",
        "The sender makes segments that carry nothing; receivers that count segments are misled.";
    RESERVED_FOR_ULP: "ddp-rsvdulp", Must, Sender, "RFC 5041 section 4.3",
        ["RFC5041-4.3-05"], None,
        "All segments of a message carry the same RsvdULP bytes.",
        "The receiver may take opcode and Invalidate STag from any segment, and does not know which is meant.";
    MESSAGE_LENGTH: "ddp-message-length", Must, Sender, "RFC 5041 section 5.2",
        ["RFC5041-5.2-03"], Some((1, 2, 5)),
        "A message has fewer than 2^32 bytes.",
        "MO and length pass 2^32: the bytes would be placed at the beginning of the buffer.";
    TAGGED_STAG: "ddp-tagged-stag", Must, Sender, "RFC 5041 section 4.2",
        ["RFC5041-4.2-10", "RFC5041-4.1-03"], None,
        "All segments of a tagged message carry the same STag.",
        "A part of the message goes into another buffer, or the sender left out the L bit of the message before.";
    TAGGED_OFFSET: "ddp-tagged-offset", Must, Sender, "RFC 5041 section 5.2",
        ["RFC5041-5.2-08", "RFC5041-4.1-03"], None,
        "The TO of each segment of a tagged message goes on where the one before ended.",
        "A part of the buffer is overwritten or left out, or the sender left out the L bit of the message before.";
    TAGGED_WRAP: "ddp-to-wrap", Must, Sender, "RFC 5041 section 7.1",
        ["RFC5041-7.1-17"], Some((1, 1, 3)),
        "TO and length of a tagged segment do not pass 2^64.",
        "The receiver refuses the segment: the address is wrong, or was not computed with 64 bits.";
}
