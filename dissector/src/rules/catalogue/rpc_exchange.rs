//! Rules of calls, replies and their chunks' memory (RFC 8166, RFC 8167, RFC 8797).

use crate::rules::declare::rules;
use crate::rules::rule::{Fault, Level, Rule};

rules! {
    CREDITS_FIRST: "rpc-credits-first", Must, Sender, "RFC 8166 section 3.3.3",
        ["RFC8166-3.3.3-03", "RFC8166-3.3.3-02"], None,
        "The second call of a connection waits for the reply to the first, which grants credits.",
        "The responder may have one receive buffer: the second call finds none, and the connection ends.";
    CREDITS: "rpc-credits-exceeded", Must, Sender, "RFC 8166 section 3.3.1",
        ["RFC8166-3.3.1-01"], None,
        "The calls without a reply are no more than the credits that the last reply granted.",
        "The responder has no receive buffer for the call and the connection may end. The requester overlooks a smaller grant.";
    REPLY_UNKNOWN: "rpc-reply-unknown", Must, Sender, "RFC 8166 section 4.2.1",
        ["RFC8166-4.2.1-01", "RFC8167-5.1-03"], None,
        "The XID of a reply is that of a call that waits for one.",
        "The requester drops the reply, and the receive buffer that it took is missing for another. The responder answered twice, or mixed up XIDs.";
    REPLY_UNREAD: "rpc-reply-unread", Must, Sender, "RFC 8166 section 3.5.3",
        ["RFC8166-3.5.3-01"], None,
        "A call that lies in a read chunk of position 0 is read before it is answered.",
        "The responder answers a call that it cannot know.";
    WRITE_LIST: "rpc-write-list", Must, Sender, "RFC 8166 section 3.4.6",
        ["RFC8166-3.4.6-02", "RFC8166-4.3.2.2-03", "RFC8166-4.3.2.3-02"], None,
        "The write list of a reply repeats that of its call: the same chunks, segments, handles and offsets.",
        "The requester cannot tell what was written where, and loses data or refuses the reply.";
    REPLY_CHUNK: "rpc-reply-chunk", Must, Sender, "RFC 8166 section 4.3.3",
        ["RFC8166-4.3.3-03"], None,
        "A reply repeats the reply chunk of its call: the same segments, handles and offsets.",
        "The requester cannot tell whether the reply is in the chunk, and how long it is.";
    RETURNED: "rpc-returned-length", Must, Sender, "RFC 8166 section 3.4.6",
        ["RFC8166-3.4.6-02", "RFC8166-4.3.3-03"], None,
        "The length of a returned segment is no greater than what the call offered.",
        "The requester takes bytes for the result that are not in its buffer.";
    NOT_WRITTEN: "rpc-returned-unwritten", Must, Sender, "RFC 8166 section 3.4.6",
        ["RFC8166-3.4.6-02", "RFC8166-4.3.3-03"], None,
        "The bytes that a reply says were returned in a segment have been written there.",
        "The requester takes what its buffer held before for the result: silent corruption of data.";
    WRITE_UNOFFERED: "rpc-write-unoffered", Must, Sender, "RFC 8166 section 4.1.2",
        ["RFC8166-4.1.2-01", "RFC8166-3.4.6-02"], Some((1, 1, 0)),
        "RDMA Writes go to memory that a call without a reply offers in its write list or reply chunk.",
        "The requester may use the memory for something else already: silent corruption of data, or a Terminate when it is no longer registered.";
    READ_UNOFFERED: "rpc-read-unoffered", Must, Sender, "RFC 8166 section 4.1.2",
        ["RFC8166-4.1.2-01"], Some((0, 1, 0)),
        "RDMA Reads take memory that a call without a reply offers in its read list.",
        "The responder gets bytes that are not the call's, or a Terminate when the memory is no longer registered.";
    ERROR_XID: "rpc-error-xid", Must, Sender, "RFC 8166 section 4.5",
        ["RFC8166-4.5-04"], None,
        "The XID of an RDMA_ERROR is that of a call that waits for a reply.",
        "The requester drops the RDMA_ERROR, and the call that it was for waits for ever.";
    ERROR_SENDER: "rpc-error-sender", Must, Sender, "RFC 8166 section 4.2.4",
        ["RFC8166-4.2.4-06"], None,
        "A requester sends no RDMA_ERROR: faulty replies are dropped without a word.",
        "The responder drops it; the requester takes the roles for equal.";
    ERROR_VERSION: "rpc-error-version", Must, Sender, "RFC 8166 section 4.5",
        ["RFC8166-4.5-05"], None,
        "The version of an RDMA_ERROR is that of the call that it answers.",
        "The requester may not be able to read the RDMA_ERROR, and waits for ever.";
    ERROR_RANGE: "rpc-error-range", Must, Sender, "RFC 8166 section 4.1.2",
        ["RFC8166-4.1.2-09", "RFC8166-4.5.1-01"], None,
        "The versions of an ERR_VERS go from the lowest to the highest supported, and leave out the one refused.",
        "The requester cannot tell which version to use.";
    INLINE: "rpc-inline-threshold", Must, Sender, "RFC 8797 section 4",
        ["RFC8797-4-08", "RFC8797-4-07", "RFC8797-4.2-01", "RFC8166-3.5.3-01", "RFC8166-3.5.3-04"], None,
        "A message in a Send is no longer than its sender's send size and the receiver's receive size.",
        "The receive buffer is too short and the connection ends. The sender should have used a chunk.";
    INLINE_DEFAULT: "rpc-inline-default", Must, Sender, "RFC 8166 section 3.3.3",
        ["RFC8166-3.3.3-06", "RFC8166-3.5.3-01", "RFC8166-3.5.3-04"], None,
        "Where the private data of one side does not say more, a message in a Send has at most 1024 bytes.",
        "A receiver with the smallest buffers has none that is long enough, and the connection ends. Both sides may have been set to more by an administrator, which a capture does not show.";
    INVALIDATE: "rpc-invalidate-stag", Must, Sender, "RFC 8797 section 4.1",
        ["RFC8797-4.1-02"], None,
        "A Send with Invalidate names an STag that the call of its XID offered, and no other waiting call.",
        "Memory of another call, or of nobody, is taken from the responder: the other call fails, or the connection ends.";
    INVALIDATE_UNAGREED: "rpc-invalidate-unagreed", Must, Sender, "RFC 8797 section 4.1",
        ["RFC8797-4.1-03"], None,
        "Where the private data of either side has R clear or is missing, replies go without Invalidate.",
        "A requester that does not expect it invalidates the memory again, which may fail and end the connection.";
    PRIVATE_LENGTH: "rpc-private-length", Must, Sender, "RFC 8797 section 4",
        ["RFC8797-4-02"], None,
        "RPC-over-RDMA's private data has eight bytes.",
        "The receiver takes it for missing, and both sides for the smallest sizes without remote invalidation.";
    PRIVATE_VERSION: "rpc-private-version", Must, Sender, "RFC 8797 section 4",
        ["RFC8797-4-04"], None,
        "The version of RPC-over-RDMA's private data is 1.",
        "The receiver takes it for missing, and both sides for the smallest sizes without remote invalidation.";
    PRIVATE_RESERVED: "rpc-private-reserved", Must, Sender, "RFC 8797 section 4",
        ["RFC8797-4-05"], None,
        "The seven reserved bits of RPC-over-RDMA's private data are zero.",
        "The receiver ignores these bits; the sender does not build its private data as drawn.";
}
