//! SMB version 2 and 3: the header, and the fixed parts of requests and responses (MS-SMB2 §2.2). All
//! integers are little-endian.

mod body;
mod emit;
mod file;
mod header;
mod names;
mod session;

pub use body::BodyView;
pub use emit::{
    CloseRequest, CreateRequest, CreateResponse, ErrorResponse, Plain, ReadRequest, ReadResponse,
    WriteRequest, WriteResponse,
};
pub use file::{
    ChangeNotifyRequestView, CloseRequestView, CloseResponseView, CreateContextView,
    CreateContexts, CreateRequestView, CreateResponseView, FlushRequestView, IoctlRequestView,
    IoctlResponseView, LockRequestView, OplockBreakView, OutputView, QueryDirectoryRequestView,
    QueryInfoRequestView, ReadRequestView, ReadResponseView, SetInfoRequestView,
    SetInfoResponseView, WriteRequestView, WriteResponseView,
};
pub use header::{
    COMPRESSED_ID, CompressionView, ENCRYPTED_ID, FileId, Flags, Header, HeaderView, MessageView,
    PROTOCOL_ID, PduView, TransformView, text,
};
pub use names::{
    CHANNELS, COMMANDS, CONTROL_CODES, CREATE_ACTIONS, Command, DIALECTS, DISPOSITIONS,
    FILE_CLASSES, FIND_CLASSES, FS_CLASSES, IMPERSONATIONS, INFO_TYPES, OPLOCKS, SHARE_TYPES,
    STATUSES, Severity, command_name, severity, status, status_name,
};
pub use session::{
    EchoView, ErrorView, NegotiateRequestView, NegotiateResponseView, SessionSetupRequestView,
    SessionSetupResponseView, TreeConnectRequestView, TreeConnectResponseView,
};
