//! Rules of requests and responses, and of what may follow a Terminate.

use crate::rules::declare::rules;
use crate::rules::rule::{Fault, Level, Rule};

rules! {
    UNSOLICITED: "rdmap-response-unsolicited", Must, Sender, "RFC 5040 section 5.2",
        ["RFC5040-5.2-01", "RFC5040-4.4-03", "RFC5040-4.4-04", "RFC7306-5.2.2-02"], Some((0, 2, 6)),
        "A response answers a request.",
        "Bytes are written into the requester's memory that it did not ask for, or a response names the wrong buffer or identifier.";
    ORDER: "rdmap-response-order", Must, Sender, "RFC 5040 section 5.2.2",
        ["RFC5040-5.2.2-07", "RFC5040-5.5-20", "RFC7306-5.2.2-09", "RFC7306-7-10", "RFC7306-7-14", "EXTV2-7-07", "EXTV2-7-10"], None,
        "Responses come in the order of their requests.",
        "The requester matches responses by order and takes this one for that of an earlier request.";
    COMMIT_ORDER: "rdmap-commit-order", Must, Sender, "rdma-commit section 4",
        ["COMMIT-4-01"], None,
        "Responses to Flush, Verify and Atomic Write come in the order of their requests.",
        "The requester takes data for persistent or written that is not yet.";
    VERIFY_HASH: "rdmap-verify-hash", Must, Sender, "rdma-commit section 3.1.2.2",
        ["COMMIT-3.1.2.2-02", "COMMIT-3.1.2-01"], None,
        "The response to a Verify with a hash repeats that hash; where it differs, a Terminate is due.",
        "The data at the responder is not what the requester believes, and the responder answers as if it was.";
    LENGTH: "rdmap-read-response-length", Must, Sender, "RFC 5040 section 4.4",
        ["RFC5040-4.4-07", "RFC5040-5.2.1-16"], None,
        "A Read Response has as many bytes as the request asks for.",
        "The requester's buffer is not filled, and the Read completes with less than it was to bring.";
    INITIATOR_DEPTH: "rdmap-initiator-depth", Must, Sender, "RFC 6581 section 9.1",
        ["RFC6581-9.1-08", "RFC5040-6.1-06"], Some((1, 2, 2)),
        "The initiator keeps its requests within the negotiated depth: the responder's IRD, its own ORD.",
        "The responder has no buffer for the request and ends the connection; the initiator ignores what was negotiated.";
    RESPONDER_DEPTH: "rdmap-responder-depth", Must, Sender, "RFC 6581 section 9.1",
        ["RFC6581-9.1-04", "RFC5040-6.1-06"], Some((1, 2, 2)),
        "The responder keeps its requests within the negotiated depth: the initiator's IRD, its own ORD.",
        "The initiator has no buffer for the request and ends the connection; the responder ignores what was negotiated.";
    AFTER_TERMINATE: "rdmap-after-terminate", Must, Sender, "RFC 5040 section 5.4",
        ["RFC5040-5.4-09"], None,
        "A side sends nothing after its Terminate.",
        "The peer drops what comes behind a Terminate; the sender still believes in the connection.";
    TERMINATE_TWICE: "rdmap-terminate-twice", Must, Sender, "RFC 5040 section 5.4",
        ["RFC5040-5.4-09"], None,
        "A side sends one Terminate.",
        "The peer has a buffer for one Terminate; the second is lost, and with it perhaps the true reason.";
}
