//! Fields of RPC exchanges over RDMA: calls with their replies, and the chunks that carried them.

use super::fields;

fields! {
    EXCHANGE: Heading, Plain, Own, "warpscope.rpc", "RPC exchange", "A call with its reply";
    NUMBER: Unsigned(64), Plain, Own, "warpscope.rpc.number", "Number", "The exchange's number in its connection, from 1 in the order of the calls";
    BACKWARD: Boolean, Plain, Own, "warpscope.rpc.backward", "Backward direction", "The connection's responder is the caller (RFC 8167)";
    SENT: FrameNumber, Plain, Own, "warpscope.rpc.sent", "Sent in frame", "The frame of the Send that the message went with";
    LATENCY: RelativeTime, Plain, Own, "warpscope.rpc.latency", "Latency", "From the call's Send to the reply's";
    IN_FLIGHT: Unsigned(32), Plain, Own, "warpscope.rpc.in_flight", "Calls in flight", "Calls of this side without a reply when it was sent, itself counted";
    WHOLE: Boolean, Plain, Own, "warpscope.rpc.whole", "Complete", "Nothing of the message is missing from the capture";
    CHUNK: Text, Plain, Own, "warpscope.rpc.chunk", "Chunk", "Which list it is in: read at a position, write, reply";
    CHUNK_HANDLE: Unsigned(32), Hexadecimal, Own, "warpscope.rpc.chunk.handle", "Handle", "Its Steering Tag";
    CHUNK_OFFSET: Unsigned(64), Hexadecimal, Own, "warpscope.rpc.chunk.offset", "Offset", "Its Tagged Offset";
    CHUNK_LENGTH: Unsigned(32), Plain, Own, "warpscope.rpc.chunk.length", "Length", "Bytes that the call offers";
    CHUNK_RETURNED: Unsigned(32), Plain, Own, "warpscope.rpc.chunk.returned", "Returned", "Bytes that the reply says it holds";
    CHUNK_MOVED: Unsigned(64), Plain, Own, "warpscope.rpc.chunk.moved", "Moved", "Bytes of it that RDMA Reads or Writes moved";
    CHUNK_OPERATIONS: Text, Plain, Own, "warpscope.rpc.chunk.operations", "By operations", "The numbers of the operations that moved them";
    CHUNK_FIRST: FrameNumber, Plain, Own, "warpscope.rpc.chunk.first_frame", "First in frame", "The frame of the first segment of them";
    CHUNK_LAST: FrameNumber, Plain, Own, "warpscope.rpc.chunk.last_frame", "Last in frame", "The frame of the last segment of them";
}
