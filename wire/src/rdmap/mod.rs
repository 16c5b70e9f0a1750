//! RDMAP messages (RFC 5040) and their extensions (RFC 7306, ext-v2, rdma-commit).

mod atomic;
mod atomic_write;
mod control;
mod error_code;
mod flush;
mod immediate;
mod message;
mod profile;
mod read_request;
mod read_v2;
mod segment;
mod terminate;
mod verify;

pub use atomic::{
    AtomicOperation, AtomicRequest, AtomicRequestView, AtomicResponse, AtomicResponseView,
    atomic_operation_name,
};
pub use atomic_write::{AtomicWriteRequest, AtomicWriteRequestView};
pub use control::{RdmapControl, RdmapControlView};
pub use error_code::{error_code_name, error_type_name, layer_name};
pub use flush::{FlushRequest, FlushRequestView};
pub use immediate::{IMMEDIATE_LENGTH, ImmediateView};
pub use message::{Buffer, Message, MessageInfo, Payload};
pub use profile::Profile;
pub use read_request::{ReadRequest, ReadRequestView};
pub use read_v2::{ReadV2Request, ReadV2RequestView};
pub use segment::{Destination, Segment, SegmentView};
pub use terminate::{Terminate, TerminateControlView, TerminateView, TerminatedDdp};
pub use verify::{VerifyRangeView, VerifyRequest, VerifyRequestView};
