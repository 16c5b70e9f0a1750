//! Fields of operations: what the two directions of a connection mean together.

use super::fields;

fields! {
    WARPSCOPE: Protocol, Plain, Own, "warpscope", "What the messages mean together", "Operations and exchanges that end in this frame";
    OPERATION: Heading, Plain, Own, "warpscope.op", "Operation", "A request with its response, or a message that needs none";
    NUMBER: Unsigned(64), Plain, Own, "warpscope.op.number", "Number", "The operation's number in its connection, from 1 in the order of the first segments";
    KIND: Text, Plain, Own, "warpscope.op.kind", "Kind", "What the operation does: Write, Read, Send, Atomic and so on";
    EVENT: Text, Plain, Own, "warpscope.op.event", "Event", "What happened to it in this frame: requested, completed, refused, terminated, unsolicited, abandoned";
    OUTCOME: Text, Plain, Own, "warpscope.op.outcome", "Outcome", "How far it has come: open, completed, unanswered, lost, refused";
    REQUEST_FRAME: FrameNumber, Plain, Own, "warpscope.op.request_frame", "Request in frame", "The frame that completed the request";
    FIRST_FRAME: FrameNumber, Plain, Own, "warpscope.op.first_frame", "First byte in frame", "The frame that completed the operation's first segment";
    LATENCY: RelativeTime, Plain, Own, "warpscope.op.latency", "Latency", "From the request's last segment to the response's last; without a response, from the first segment to the last";
    FIRST_BYTE: RelativeTime, Plain, Own, "warpscope.op.first_octet", "Time to first byte", "From the request's last segment to the response's first";
    BYTES: Unsigned(64), Plain, Own, "warpscope.op.octets", "Bytes", "Bytes of user data that it moved";
    SEGMENTS: Unsigned(32), Plain, Own, "warpscope.op.segments", "Segments", "DDP segments of the message that carried them";
    REPEATED: Unsigned(64), Plain, Own, "warpscope.op.repeated", "Bytes sent again meanwhile", "Bytes of its direction that came more than once while the message was under way";
    STEERING_TAG: Unsigned(32), Hexadecimal, Own, "warpscope.op.stag", "Steering Tag", "The remote memory that it reads, writes or acts on (STag)";
    TAGGED_OFFSET: Unsigned(64), Hexadecimal, Own, "warpscope.op.to", "Tagged offset", "Where in that memory (TO)";
    LENGTH: Unsigned(64), Plain, Own, "warpscope.op.length", "Length", "Bytes of that memory";
    DEPTH: Unsigned(32), Plain, Own, "warpscope.op.depth", "Requests in flight", "Requests of this side that waited for a response when it was sent, itself counted";
    DEPTH_LIMIT: Unsigned(32), Plain, Own, "warpscope.op.depth_limit", "Requests allowed", "The smaller of the requester's ORD and the responder's IRD, as negotiated";
    OVERTOOK: Unsigned(32), Plain, Own, "warpscope.op.overtook", "Earlier requests unanswered", "Earlier requests that were still unanswered when its response began";
    CAUSE_FRAME: FrameNumber, Plain, Own, "warpscope.op.cause.frame", "Refused segment in frame", "The frame of the segment that the Terminate complains about";
    CAUSE_MESSAGE: Unsigned(64), Plain, Own, "warpscope.op.cause.message", "Refused message", "The number of that segment's message in its direction";
    CAUSE_FIELD: Text, Plain, Own, "warpscope.op.cause.field", "Refused for", "The field of that message that the error is about";
    CAUSE_EXACT: Boolean, Plain, Own, "warpscope.op.cause.exact", "Echoed byte for byte", "Whether the Terminate echoes length and headers of that segment as they were sent";
    EXPLANATION: Text, Plain, Own, "warpscope.op.explanation", "In words", "A Terminate in a sentence: who refuses which message, for what in it";
}
