//! iSCSI PDUs (RFC 7143 §11), as iSER carries them: a Basic Header Segment (BHS) of 48 bytes, Additional
//! Header Segments (AHS) and a data segment. There are no digests: RFC 7145 §6.1 rules them out.

mod header;
mod names;
mod pdu;
mod text;

pub use header::{
    AsynchronousView, BasicHeaderView, DataInView, DataOutView, LoginRequestView,
    LoginResponseView, LogoutRequestView, LogoutResponseView, NopInView, NopOutView,
    ReadyToTransferView, RejectView, ScsiCommandView, ScsiResponseView, SnackView,
    TaskManagementRequestView, TaskManagementResponseView, TextRequestView, TextResponseView,
};
pub use names::{
    ASYNCHRONOUS_EVENTS, LOGIN_STAGES, LOGIN_STATUSES, LOGOUT_REASONS, LOGOUT_RESPONSES, Opcode,
    REJECT_REASONS, SCSI_RESPONSES, SNACK_TYPES, TASK_ATTRIBUTES, TASK_MANAGEMENT_FUNCTIONS,
    TASK_MANAGEMENT_RESPONSES,
};
pub use pdu::{
    AdditionalHeader, BASIC_HEADER_LENGTH, Body, NO_TAG, PduView, SenseSegmentView, StatusNumbers,
    additional_headers, padding_length,
};
pub use text::{Pair, pairs};
