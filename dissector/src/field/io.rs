//! Fields of I/Os: requests of upper layer protocols, how their data moved and how they were answered.

use crate::field::fields;

fields! {
    IO: Heading, Plain, Own, "warpscope.io", "I/O", "A request of an upper layer protocol, in the frame of its answer";
    ULP: Text, Plain, Own, "warpscope.io.ulp", "Protocol", "The upper layer protocol: rpcordma, nvme-rdma, iser, smb_direct";
    OPERATION: Text, Plain, Own, "warpscope.io.operation", "Operation", "What it does, in the protocol's words";
    OBJECT: Text, Plain, Own, "warpscope.io.object", "About", "What it is about: a range of a namespace or a logical unit, a file";
    UNEXPLAINED: Text, Plain, Own, "warpscope.io.unexplained", "Belongs to no request", "Why an RDMA operation belongs to no request";
    STATUS: Text, Plain, Own, "warpscope.io.status", "Status", "How it was answered, in the protocol's words";
    FAILED: Boolean, Plain, Own, "warpscope.io.failed", "Failed", "It was answered but not carried out";
    NUMBER: Unsigned(64), Plain, Own, "warpscope.io.number", "Number", "Its number in the connection, from 1 in the order of the requests";
    IDENTIFIER: Unsigned(64), Plain, Own, "warpscope.io.identifier", "Identifier", "XID, command identifier, initiator task tag or message ID";
    REQUEST_FRAME: FrameNumber, Plain, Own, "warpscope.io.request_frame", "Request in frame", "The frame that completed the request";
    FIRST_DATA_FRAME: FrameNumber, Plain, Own, "warpscope.io.first_data_frame", "First data in frame", "The frame of the first DDP segment that moved its data by Read or Write";
    LAST_DATA_FRAME: FrameNumber, Plain, Own, "warpscope.io.last_data_frame", "Last data in frame", "The frame of the last of them";
    LENGTH: Unsigned(64), Plain, Own, "warpscope.io.length", "Length", "Bytes of data that it asks to move";
    INLINE: Unsigned(64), Plain, Own, "warpscope.io.inline", "Inline", "Bytes of its data in Sends";
    READ: Unsigned(64), Plain, Own, "warpscope.io.read", "By RDMA Read", "Bytes that RDMA Reads moved out of the requester's memory";
    WRITTEN: Unsigned(64), Plain, Own, "warpscope.io.written", "By RDMA Write", "Bytes that RDMA Writes moved into the requester's memory";
    DEPTH: Unsigned(32), Plain, Own, "warpscope.io.depth", "Requests in flight", "Requests of this side without an answer when it was sent, itself included";
    WHOLE: Boolean, Plain, Own, "warpscope.io.whole", "Complete", "Nothing of it is missing from the capture";
    LATENCY: RelativeTime, Plain, Own, "warpscope.io.latency", "Latency", "From the request to the answer";
    WAITING: RelativeTime, Plain, Own, "warpscope.io.waiting", "Waiting", "From the request to the first byte that a Read or Write moved; to the answer where none did";
    MOVING: RelativeTime, Plain, Own, "warpscope.io.moving", "Moving data", "From the first to the last DDP segment that moved its data";
    COMPLETION: RelativeTime, Plain, Own, "warpscope.io.completion", "Completion", "From the last segment of data to the answer";
}
