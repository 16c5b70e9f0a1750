//! NVM Express over RDMA: private data, command and response capsules, and the pages that define the
//! meaning of numbers in them (NVMe RDMA Transport 1.0, NVMe Base 2.0, NVM Command Set 1.0).
//!
//! On iWARP a queue is a connection. The host's Sends are command capsules: a submission queue entry
//! ([`CommandView`]), then in-capsule data. The controller's Sends are response capsules: a completion
//! queue entry ([`CompletionView`]). Data outside a capsule is transferred with RDMA Writes to the
//! memory in the command's SGL, or with RDMA Reads from it. All integers are little-endian.

mod command;
mod completion;
mod fabrics;
mod names;
mod page;
mod private_data;

pub use command::{
    Command, CommandView, DataDirection, DataRangeView, Descriptor, DescriptorView, Queue,
};
pub use completion::{Completion, CompletionView, Status};
pub use fabrics::{ConnectData, ConnectDataView, ConnectView, FABRICS_OPCODE, PropertyView};
pub use names::{
    ADMIN_OPCODES, ASYNCHRONOUS_EVENT_TYPES, CNS_VALUES, FABRICS_TYPES, FEATURES, IO_OPCODES,
    LOG_PAGES, NOTICES, PROPERTIES, REJECT_STATUSES, STATUS_CODE_TYPES, status_name,
};
pub use page::{
    BlockFormatView, DiscoveryEntryView, DiscoveryHeaderView, IdentifyControllerView,
    IdentifyNamespaceView, text,
};
pub use private_data::{Accept, AcceptView, Reject, RejectView, Request, RequestView};
