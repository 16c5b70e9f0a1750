//! Rules of MPA's connection setup (RFC 5044 section 7.1, RFC 6581).

use crate::rules::declare::rules;
use crate::rules::rule::{Fault, Level, Rule};

rules! {
    KEY: "mpa-setup-key", Must, Sender, "RFC 5044 section 7.1.1",
        ["RFC5044-7.1.1-04", "RFC5044-7.1.1-02"], None,
        "A setup frame begins with its key.",
        "The stream does not begin with a setup frame although the other side sent one: the peers do not speak the same protocol, or one waits for a setup of another kind.";
    TWO_REQUESTS: "mpa-same-role", Must, Either, "RFC 5044 section 7.1.1",
        ["RFC5044-7.1.1-04", "RFC5044-7.1.1-02"], None,
        "One side sends the request, the other the reply.",
        "Both applications act as initiator, or both as responder; the setup cannot succeed.";
    REVISION: "mpa-setup-revision", Must, Sender, "RFC 5044 section 7.1.1",
        ["RFC5044-7.1.1-20"], None,
        "The revision of a setup frame is 1, or 2 with the enhanced setup.",
        "The sender uses a revision that no document defines, perhaps a vendor's own; a strict peer closes the connection.";
    RESERVED: "mpa-setup-reserved", Must, Sender, "RFC 5044 section 7.1.1",
        ["RFC5044-7.1.1-18", "RFC6581-6-02"], None,
        "The reserved bits of a setup frame are zero.",
        "The sender uses bits that a later document may give a meaning; peers that use them for something else will misunderstand.";
    PRIVATE_DATA_LENGTH: "mpa-private-data-length", Must, Sender, "RFC 5044 section 7.1.1",
        ["RFC5044-7.1.1-26", "RFC6581-9-02"], None,
        "A setup frame has at most 512 bytes of private data.",
        "A peer that checks the length closes the connection; one that does not may overrun its buffer.";
    REQUEST_REJECTS: "mpa-request-rejects", Must, Sender, "RFC 5044 section 7.1.1",
        ["RFC5044-7.1.1-15"], None,
        "The R bit of a request is zero.",
        "Only a reply can reject; the sender builds its request from a wrong template.";
    REPLY_FIRST: "mpa-reply-without-request", Must, Sender, "RFC 5044 section 7.1.2",
        ["RFC5044-7.1.2-03"], None,
        "A responder sends nothing before it has the request.",
        "The responder goes into full operation without knowing what the initiator asks for.";
    DATA_BEFORE_REPLY: "mpa-data-before-reply", Must, Sender, "RFC 5044 section 7.1.2",
        ["RFC5044-7.1.2-11"], None,
        "An initiator sends nothing behind its request before it has the reply.",
        "The initiator does not know yet whether it is accepted and whether markers are wanted; the responder may read these bytes as private data, or close the connection.";
    BYTES_BEHIND: "mpa-bytes-after-setup", Must, Sender, "RFC 5044 section 7.1.1",
        ["RFC5044-7.1.1-23", "RFC6581-6-07"], None,
        "PD_Length counts all the private data.",
        "Bytes stand behind the setup frame that its length does not count and that are no FPDU: the length lost a part, or the sender sent more than it announced.";
    AFTER_REJECT: "mpa-fpdu-after-reject", Must, Sender, "RFC 5044 section 7.1.2",
        ["RFC5044-7.1.2-13", "RFC5044-7.1.2-07"], None,
        "No FPDU follows a reply that rejects.",
        "The connection was refused, and one side goes on as if it was accepted.";
    RESPONDER_FIRST: "mpa-responder-first", Must, Sender, "RFC 5044 section 7.1.2",
        ["RFC5044-7.1.2-15"], None,
        "The responder sends no FPDU before it has the initiator's first.",
        "The initiator may still read its stream as setup frames; the first FPDU of the responder can be lost or misread.";
    ENHANCED_UNANSWERED: "mpa-enhanced-unanswered", Must, Sender, "RFC 6581 section 10",
        ["RFC6581-10-01", "RFC6581-10-05"], None,
        "A request with enhanced data is answered by a reply with enhanced data, or by closing.",
        "The initiator asked for the enhanced setup and learns neither read depths nor whether peer-to-peer is followed; it may abort, or send too many Reads.";
    ENHANCED_UNASKED: "mpa-enhanced-unasked", Must, Sender, "RFC 6581 section 10",
        ["RFC6581-10-06", "RFC6581-10-02"], None,
        "A request without enhanced data is answered by a reply without.",
        "The initiator reads the enhanced data as private data of its application.";
    ENHANCED_REVISION: "mpa-enhanced-revision", Must, Sender, "RFC 6581 section 6",
        ["RFC6581-6-04", "RFC5044-7.1.1-18"], None,
        "A setup frame with the S bit has revision 2 or more.",
        "Before revision 2 the bit is a reserved one: the peer does not look for enhanced data.";
    ENHANCED_SHORT: "mpa-enhanced-short", Must, Sender, "RFC 6581 section 6",
        ["RFC6581-6-08", "RFC6581-6-01"], None,
        "Where S is set, the private data begins with four bytes of enhanced data.",
        "The frame announces enhanced data that it has no room for.";
    ENHANCED_NEEDLESS: "mpa-enhanced-needless", Must, Sender, "RFC 6581 section 10",
        ["RFC6581-10-03"], None,
        "A request that wants nothing of the enhanced setup does not use it.",
        "The enhanced data asks for nothing: client-server model, and no depth to negotiate. A peer that knows revision 1 alone refuses the connection for no gain.";
    MODEL_NOT_KEPT: "mpa-reply-model", Must, Sender, "RFC 6581 section 9.2",
        ["RFC6581-9.2-05"], None,
        "A request with control flag A is answered by a reply with A.",
        "The initiator wants the peer-to-peer model and the responder does not follow: nobody may send first, or the initiator ends the connection with a Terminate.";
    MODEL_UNASKED: "mpa-reply-model-unasked", Must, Sender, "RFC 6581 section 9.2",
        ["RFC6581-9.2-14"], None,
        "A request without control flag A is answered by a reply without A.",
        "The responder waits for a ready-to-receive indication that the initiator never offered.";
    FLAGS_WITHOUT_MODEL: "mpa-flags-without-model", Must, Sender, "RFC 6581 section 9.2",
        ["RFC6581-9.2-15"], None,
        "Control flags B, C and D are zero where A is zero.",
        "The receiver ignores these flags; the sender believes to have offered something.";
    REQUEST_WITHOUT_RTR: "mpa-request-rtr", Must, Sender, "RFC 6581 section 9.2",
        ["RFC6581-9.2-03"], None,
        "A request with control flag A names each ready-to-receive indication that the initiator can send.",
        "The initiator wants the peer-to-peer model and offers no way to begin it.";
    REPLY_WITHOUT_RTR: "mpa-reply-rtr", Must, Sender, "RFC 6581 section 9.2",
        ["RFC6581-9.2-07"], None,
        "A reply with control flag A names at least one ready-to-receive indication.",
        "The initiator has no agreed indication to send, and must end the connection.";
    REPLY_ORD: "mpa-reply-ord", Must, Sender, "RFC 6581 section 9.1",
        ["RFC6581-9.1-04"], None,
        "The responder's ORD is at most the initiator's IRD.",
        "The responder announces more Reads at once than the initiator can take; the initiator ends the connection, or Reads will be refused later. Often the two fields are mixed up.";
    REPLY_ORD_UNNEGOTIATED: "mpa-reply-ord-unnegotiated", Must, Sender, "RFC 6581 section 9.1",
        ["RFC6581-9.1-14"], None,
        "A request with IRD 0x3FFF is answered by ORD 0x3FFF.",
        "The initiator asked not to negotiate this depth here, and the responder sets a number all the same.";
    REPLY_IRD_UNNEGOTIATED: "mpa-reply-ird-unnegotiated", Must, Sender, "RFC 6581 section 9.1",
        ["RFC6581-9.1-12"], None,
        "A request with ORD 0x3FFF is answered by IRD 0x3FFF.",
        "The initiator asked not to negotiate this depth here, and the responder sets a number all the same.";
    RTR_MISSING: "mpa-rtr-missing", Must, Sender, "RFC 6581 section 5",
        ["RFC6581-5-01", "RFC6581-9.2-10"], None,
        "Where the reply has control flag A, the initiator's first FPDU is a ready-to-receive indication.",
        "The responder may not send before the indication has come, and may drop what came instead.";
    RTR_KIND: "mpa-rtr-kind", Must, Sender, "RFC 6581 section 9.2",
        ["RFC6581-9.2-10", "RFC6581-9.2-01"], Some((2, 0, 7)),
        "The ready-to-receive indication is of a kind that the reply names.",
        "The responder waits for an indication of another kind, and refuses this one or never begins to send.";
}
