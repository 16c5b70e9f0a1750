//! Rules of RDMAP headers and payloads (RFC 5040, RFC 7306, ext-v2, rdma-commit).

use crate::rules::declare::rules;
use crate::rules::rule::{Fault, Level, Rule};

rules! {
    VERSION: "rdmap-version", Must, Sender, "RFC 5040 section 4.1",
        ["RFC5040-4.1-08"], Some((0, 2, 5)),
        "RV is 1: 0 is the RDMA Consortium's, 2 that of ext-v2.",
        "The receiver knows no such version and ends the connection.";
    VERSION_MIXED: "rdmap-version-mixed", Must, Sender, "rdmap-ext-v2 section 4.1",
        ["EXTV2-4.1-01"], Some((0, 2, 5)),
        "Once a side uses RV 2, all its messages have RV 2.",
        "The sender sets the version by message and not by connection; a strict receiver refuses one of the two.";
    COMMIT_VERSION: "rdmap-commit-version", Must, Sender, "rdma-commit section 3.1",
        ["COMMIT-3.1-02"], Some((0, 2, 5)),
        "Flush, Verify and Atomic Write have RV 1.",
        "Under another version these opcodes may mean something else.";
    RESERVED: "rdmap-reserved", Must, Sender, "RFC 5040 section 4.1",
        ["RFC5040-4.1-09"], None,
        "The reserved bits of the RDMAP control byte are zero.",
        "The receiver ignores these bits, or reads an opcode of five bits or more.";
    OPCODE: "rdmap-opcode", Must, Sender, "RFC 5040 section 4.1",
        ["RFC5040-4.1-06", "RFC5040-4.1-19"], Some((0, 2, 6)),
        "The opcode is one that the documents in force define.",
        "The receiver refuses the message and ends the connection: the sender uses an extension that was not agreed, or a damaged header.";
    TAGGED_FLAG: "rdmap-tagged-flag", Must, Sender, "RFC 5040 section 4.1",
        ["RFC5040-4.1-05", "RFC5040-4.1-07"], Some((0, 2, 6)),
        "Writes and Read Responses are tagged, all other messages untagged.",
        "The receiver reads a header of the other form: opcode and T bit do not belong together.";
    QUEUE: "rdmap-queue-number", Must, Sender, "RFC 5040 section 3.1",
        ["RFC5040-3.1-02", "RFC5040-5.3-09", "RFC5040-5.2.1-06", "RFC5040-5.4-02", "RFC7306-5.2-01", "RFC7306-5.2-02", "RFC7306-6.3-04", "EXTV2-4.1-12", "COMMIT-3.1-05", "COMMIT-3.1-06"], Some((1, 2, 1)),
        "Each message goes to the queue of its kind: Sends 0, requests 1, Terminate 2, responses 3.",
        "The message takes a buffer that was meant for another kind, or the receiver refuses the queue.";
    INVALIDATE: "rdmap-invalidate-stag", Must, Sender, "RFC 5040 section 4.1",
        ["RFC5040-4.1-11", "RFC7306-4.1-03", "EXTV2-4.1-13", "COMMIT-3.1-07"], None,
        "The Invalidate STag field is zero in messages that do not invalidate.",
        "The receiver ignores it; the sender meant to invalidate and chose the wrong opcode, or sends bytes of its memory.";
    READ_REQUEST_LENGTH: "rdmap-read-request-length", Must, Sender, "RFC 5040 section 4.4",
        ["RFC5040-4.4-02", "RFC5040-4.2-02"], None,
        "A Read Request has 28 bytes of header and nothing else.",
        "The receiver reads addresses from the wrong bytes, or refuses the request.";
    TERMINATE_SHORT: "rdmap-terminate-short", Must, Sender, "RFC 5040 section 4.8",
        ["RFC5040-4.8-02"], None,
        "A Terminate has at least its four bytes of control.",
        "The receiver cannot tell why the connection was ended.";
    IMMEDIATE_LENGTH: "rdmap-immediate-length", Must, Sender, "RFC 7306 section 6.3",
        ["RFC7306-6.3-05", "RFC7306-4.2-01"], None,
        "Immediate Data has exactly 8 bytes.",
        "The receiver ends the connection with an error.";
    ATOMIC_LENGTH: "rdmap-atomic-length", Must, Sender, "RFC 7306 section 5.2.1",
        ["RFC7306-5.2.1-01", "RFC7306-5.2.2-01"], None,
        "An Atomic Request has 52 bytes, its response 12.",
        "The receiver reads operands from the wrong bytes, or refuses the message.";
    ATOMIC_RESERVED: "rdmap-atomic-reserved", Must, Sender, "RFC 7306 section 5.2.1",
        ["RFC7306-5.2.1-02"], None,
        "The reserved bits of an Atomic Request are zero.",
        "The receiver ignores these bits; the sender does not build the header as drawn.";
    ATOMIC_CODE: "rdmap-atomic-code", Must, Sender, "RFC 7306 section 5.2.1",
        ["RFC7306-5.2.1-11"], Some((0, 2, 6)),
        "The Atomic Operation Code is one that is defined: 0 FetchAdd, 2 CmpSwap (1 Swap in the draft).",
        "The receiver does not know what to do, and ends the connection.";
    ATOMIC_OPERANDS: "rdmap-atomic-operands", Must, Sender, "RFC 7306 section 5.2.1",
        ["RFC7306-5.2.1-07", "RFC7306-5.2.1-09"], None,
        "Operands that an atomic operation does not use are sent as zero (data) and all ones (masks).",
        "The receiver ignores them; the sender filled in operands of another operation, or chose the wrong code.";
    READ_V2_LENGTH: "rdmap-read-v2-length", Must, Sender, "rdmap-ext-v2 section 6.1",
        ["EXTV2-6.1-01", "EXTV2-4.2-02"], None,
        "A Read V2 Request has 16 bytes of header and nothing else.",
        "The receiver reads addresses from the wrong bytes, or refuses the request.";
    IMMEDIATE_ALONE: "rdmap-send-immediate", Must, Sender, "rdmap-ext-v2 section 5.3",
        ["EXTV2-5.3-02", "EXTV2-5.3-01"], None,
        "The last segment of a Send with Immediate holds the 8 bytes of Immediate Data alone.",
        "The receiver takes bytes of the message for Immediate Data, or refuses the message.";
    FLUSH_LENGTH: "rdmap-flush-length", Must, Sender, "rdma-commit section 3.1.1.1",
        ["COMMIT-3.1.1.1-02", "COMMIT-3.1.1.2-01"], None,
        "A Flush Request has 20 bytes, its response none.",
        "The receiver reads the range from the wrong bytes, or refuses the message.";
    VERIFY_LENGTH: "rdmap-verify-length", Must, Sender, "rdma-commit section 3.1.2.1",
        ["COMMIT-3.1.2.1-02"], None,
        "A Verify Request has at least 16 bytes.",
        "The receiver reads the range from the wrong bytes, or refuses the message.";
    ATOMIC_WRITE_LENGTH: "rdmap-atomic-write-length", Must, Sender, "rdma-commit section 3.1.3.1",
        ["COMMIT-3.1.3.1-02", "COMMIT-3.1.3.2-01"], None,
        "An Atomic Write Request has 24 bytes, its response none.",
        "The receiver reads the value from the wrong bytes, or refuses the message.";
    ATOMIC_WRITE_DATA: "rdmap-atomic-write-data", Must, Sender, "rdma-commit section 3.1.3.1",
        ["COMMIT-3.1.3.1-03"], None,
        "The length field of an Atomic Write Request is 8.",
        "Only 8 bytes can be written in one piece; the receiver refuses another length.";
}
