//! Rules of RPC-over-RDMA's transport header and chunk lists (RFC 8166).

use crate::rules::declare::rules;
use crate::rules::rule::{Fault, Level, Rule};

rules! {
    HEADER: "rpc-header", Must, Sender, "RFC 8166 section 4",
        ["RFC8166-4-01", "RFC8166-4.1.2-06", "RFC8166-4.7-03"], None,
        "A Send on an RPC-over-RDMA connection begins with a transport header that can be read.",
        "The receiver drops the message, or answers a call with RDMA_ERROR: the RPC is lost and its caller waits.";
    PROCEDURE: "rpc-procedure", Must, Sender, "RFC 8166 section 4.2.4",
        ["RFC8166-4.2.4-01", "RFC8166-4.1.2-10"], None,
        "The procedure of a transport header is RDMA_MSG, RDMA_NOMSG or RDMA_ERROR.",
        "The receiver has no meaning for the message: it drops it, or answers a call with RDMA_ERROR.";
    VERSION: "rpc-version", Must, Sender, "RFC 8166 section 4.2.2",
        ["RFC8166-4.2.2-01", "RFC8167-5.1-01", "RFC8167-5.2-01"], None,
        "The version of a transport header is 1; an RDMA_ERROR repeats that of its call.",
        "A responder that has version 1 alone answers with RDMA_ERROR and the versions that it has.";
    PADDED: "rpc-msgp", Must, Sender, "RFC 8166 section 4.6.1",
        ["RFC8166-4.6.1-01"], None,
        "RDMA_MSGP is not sent.",
        "Receivers answer it with RDMA_ERROR or drop it; the sender follows RFC 5666, which RFC 8166 replaced.";
    DONE: "rpc-done", Must, Sender, "RFC 8166 section 4.6.2",
        ["RFC8166-4.6.2-01"], None,
        "RDMA_DONE is not sent.",
        "Receivers drop it; the sender follows RFC 5666, which RFC 8166 replaced.";
    XID: "rpc-xid", Must, Sender, "RFC 8166 section 4.2.1",
        ["RFC8166-4.2.1-01", "RFC8167-5.1-02", "RFC8167-5.2-02"], None,
        "The XID of the transport header is that of the RPC message.",
        "A receiver that goes by one of the two takes a reply for that of another call.";
    PAYLOAD: "rpc-payload", Must, Sender, "RFC 8166 section 4.1.2",
        ["RFC8166-4.1.2-07", "RFC8166-4.1.2-09"], None,
        "An RDMA_MSG has an RPC message behind its chunk lists; RDMA_NOMSG and RDMA_ERROR end with their header.",
        "The receiver finds no RPC message, or bytes that nothing announces.";
    NO_CHUNKS: "rpc-nomsg-empty", Must, Sender, "RFC 8166 section 4.2.4",
        ["RFC8166-4.2.4-04"], None,
        "An RDMA_NOMSG has a chunk.",
        "There is no RPC message in the Send and none in memory: a call is answered with RDMA_ERROR.";
    NO_PAYLOAD: "rpc-nomsg-payload", Must, Sender, "RFC 8166 section 4.2.4",
        ["RFC8166-4.2.4-05", "RFC8166-3.5.3-02"], None,
        "A chunk of an RDMA_NOMSG holds the RPC message: a call's read chunk of position 0, a reply's reply chunk.",
        "The receiver has parts of the RPC message and no message to put them into.";
    POSITION_MULTIPLE: "rpc-read-position-multiple", Must, Sender, "RFC 8166 section 3.4.5",
        ["RFC8166-3.4.5-02"], None,
        "The position of a read segment is a multiple of four.",
        "XDR items begin at multiples of four: the responder cannot put the chunk into the call.";
    POSITION: "rpc-read-position", Must, Sender, "RFC 8166 section 3.4.5",
        ["RFC8166-3.4.5-01", "RFC8166-4.7-04"], None,
        "The position of a read chunk is its place in the call as it was before anything was taken out.",
        "The responder puts the chunk where other bytes belong, or behind the call's end. The requester counts in the reduced call, perhaps.";
    NOT_ELIGIBLE: "rpc-read-header", Must, Sender, "RFC 8166 section 3.4.2",
        ["RFC8166-3.4.2-02", "RFC8166-8.2.2-01"], None,
        "A read chunk takes no bytes out of the RPC header; position 0 is for calls that are read as a whole.",
        "The responder needs the RPC header to know what the chunk is: it refuses the call.";
    WRAPPED: "rpc-gss-chunk", Must, Sender, "RFC 8166 section 8.2.2.3",
        ["RFC8166-8.2.2.3-02"], None,
        "With the integrity or privacy service of RPCSEC_GSS nothing is taken out of a message.",
        "What went by the chunk is not protected, and the receiver cannot unwrap the message.";
    LONG_PADDING: "rpc-long-message-padding", Must, Sender, "RFC 8166 section 3.5.3",
        ["RFC8166-3.5.3-05"], None,
        "A chunk that holds a whole RPC message holds its padding: its length is a multiple of four.",
        "The last item of the message ends without its padding; a strict XDR decoder refuses it.";
    REPLY_READS: "rpc-reply-read-list", Must, Sender, "RFC 8166 section 4.3.1",
        ["RFC8166-4.3.1-01"], None,
        "The read list of a reply is empty.",
        "Requesters do not read: what the list names never arrives. The responder follows the Read-Read model of older drafts.";
    CREDITS_ZERO: "rpc-credits-zero", Must, Sender, "RFC 8166 section 3.3.1",
        ["RFC8166-3.3.1-02"], None,
        "A reply grants at least one credit.",
        "The requester may send no further call, and so gets no reply that grants more: the connection hangs.";
}
