//! RDMAP messages (RFC 5040) and their extensions (RFC 7306, ext-v2, rdma-commit).

mod message;
mod request;
mod segment;
mod terminate;

pub use message::{Buffer, Message, MessageInfo, Payload, Profile};
pub use request::{
    AtomicOperation, AtomicRequest, AtomicRequestView, AtomicResponse, AtomicResponseView,
    AtomicWriteRequest, AtomicWriteRequestView, FlushRequest, FlushRequestView, IMMEDIATE_LENGTH,
    ImmediateView, ReadRequest, ReadRequestView, ReadV2Request, ReadV2RequestView, VerifyRangeView,
    VerifyRequest, VerifyRequestView, atomic_operation_name,
};
pub use segment::{Destination, RdmapControl, RdmapControlView, Segment, SegmentView};
pub use terminate::{
    Terminate, TerminateControlView, TerminateView, TerminatedDdp, error_code_name,
    error_type_name, layer_name,
};
