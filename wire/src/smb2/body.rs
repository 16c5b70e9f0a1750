//! Selection of the body after a header: by command, direction and status (MS-SMB2 §2.2).

use super::file::{
    ChangeNotifyRequestView, CloseRequestView, CloseResponseView, CreateRequestView,
    CreateResponseView, FlushRequestView, IoctlRequestView, IoctlResponseView, LockRequestView,
    OplockBreakView, OutputView, QueryDirectoryRequestView, QueryInfoRequestView, ReadRequestView,
    ReadResponseView, SetInfoRequestView, SetInfoResponseView, WriteRequestView, WriteResponseView,
};
use super::session::{
    EchoView, ErrorView, NegotiateRequestView, NegotiateResponseView, SessionSetupRequestView,
    SessionSetupResponseView, TreeConnectRequestView, TreeConnectResponseView,
};
use super::{Command, FileId, MessageView, status};
use crate::Malformed;

/// Defines the bodies: the view of each, and the commands whose requests and responses have it.
macro_rules! bodies {
    ($($(#[$doc:meta])* $name:ident: $view:ident, [$($request:ident)*], [$($response:ident)*];)*) => {
        /// The fixed part of a body.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[allow(missing_docs, reason = "the views have the documents' names, and say what they are")]
        pub enum BodyView<'a> {
            $($(#[$doc])* $name($view<'a>),)*
            /// The body of an unknown command, or of a lease break.
            Other(&'a [u8]),
        }

        impl<'a> BodyView<'a> {
            fn request(command: Command, rest: &'a [u8]) -> Result<Self, Malformed> {
                Ok(match command {
                    $($(Command::$request => Self::$name($view::parse(rest)?.0),)*)*
                })
            }

            fn response(command: Command, rest: &'a [u8]) -> Result<Self, Malformed> {
                Ok(match command {
                    $($(Command::$response => Self::$name($view::parse(rest)?.0),)*)*
                })
            }
        }
    };
}

bodies! {
    NegotiateRequest: NegotiateRequestView, [Negotiate], [];
    NegotiateResponse: NegotiateResponseView, [], [Negotiate];
    SessionSetupRequest: SessionSetupRequestView, [SessionSetup], [];
    SessionSetupResponse: SessionSetupResponseView, [], [SessionSetup];
    TreeConnectRequest: TreeConnectRequestView, [TreeConnect], [];
    TreeConnectResponse: TreeConnectResponseView, [], [TreeConnect];
    CreateRequest: CreateRequestView, [Create], [];
    CreateResponse: CreateResponseView, [], [Create];
    CloseRequest: CloseRequestView, [Close], [];
    CloseResponse: CloseResponseView, [], [Close];
    FlushRequest: FlushRequestView, [Flush], [];
    ReadRequest: ReadRequestView, [Read], [];
    ReadResponse: ReadResponseView, [], [Read];
    WriteRequest: WriteRequestView, [Write], [];
    WriteResponse: WriteResponseView, [], [Write];
    LockRequest: LockRequestView, [Lock], [];
    IoctlRequest: IoctlRequestView, [Ioctl], [];
    IoctlResponse: IoctlResponseView, [], [Ioctl];
    QueryDirectoryRequest: QueryDirectoryRequestView, [QueryDirectory], [];
    ChangeNotifyRequest: ChangeNotifyRequestView, [ChangeNotify], [];
    QueryInfoRequest: QueryInfoRequestView, [QueryInfo], [];
    SetInfoRequest: SetInfoRequestView, [SetInfo], [];
    SetInfoResponse: SetInfoResponseView, [], [SetInfo];
    OplockBreak: OplockBreakView, [], [];
    /// The response of QUERY_DIRECTORY, CHANGE_NOTIFY or QUERY_INFO.
    Output: OutputView, [], [QueryDirectory ChangeNotify QueryInfo];
    /// A message without further fields.
    Plain: EchoView,
        [Logoff TreeDisconnect Cancel Echo OplockBreak],
        [Logoff TreeDisconnect Flush Lock Cancel Echo OplockBreak];
    /// A response with an error.
    Error: ErrorView, [], [];
}

impl<'a> BodyView<'a> {
    pub(super) fn parse(message: &MessageView<'a>) -> Result<Self, Malformed> {
        let rest = message.rest();
        let Some(command) = Command::from_repr(message.header.command()) else {
            return Ok(Self::Other(rest));
        };
        if command == Command::OplockBreak {
            return Ok(match OplockBreakView::parse(rest) {
                Ok((view, _)) if view.structure_size() == 24 => Self::OplockBreak(view),
                _ => Self::Other(rest),
            });
        }
        if !message.header.flag_set().response() {
            return Self::request(command, rest);
        }
        if has_error_body(command, message.header.status(), rest) {
            return Ok(Self::Error(ErrorView::parse(rest)?.0));
        }
        Self::response(command, rest)
    }

    /// Returns the file that the body names.
    pub fn file_id(&self) -> Option<FileId> {
        Some(match self {
            Self::CreateResponse(view) => view.file_id(),
            Self::CloseRequest(view) => view.file_id(),
            Self::FlushRequest(view) => view.file_id(),
            Self::ReadRequest(view) => view.file_id(),
            Self::WriteRequest(view) => view.file_id(),
            Self::LockRequest(view) => view.file_id(),
            Self::IoctlRequest(view) => view.file_id(),
            Self::IoctlResponse(view) => view.file_id(),
            Self::QueryDirectoryRequest(view) => view.file_id(),
            Self::ChangeNotifyRequest(view) => view.file_id(),
            Self::QueryInfoRequest(view) => view.file_id(),
            Self::SetInfoRequest(view) => view.file_id(),
            Self::OplockBreak(view) => view.file_id(),
            _ => return None,
        })
    }
}

/// Returns whether a response has the body of an error (MS-SMB2 §2.2.2, §3.3.4.4): with every status
/// except success and those that announce more data.
fn has_error_body(command: Command, code: u32, rest: &[u8]) -> bool {
    let size = rest.first_chunk().map(|bytes| u16::from_le_bytes(*bytes));
    match (command, code) {
        (_, status::SUCCESS)
        | (Command::SessionSetup, status::MORE_PROCESSING_REQUIRED)
        | (Command::QueryInfo, status::BUFFER_OVERFLOW)
        | (Command::ChangeNotify, status::NOTIFY_ENUM_DIR) => false,
        // These have their own sizes.
        (Command::Read, status::BUFFER_OVERFLOW) => size != Some(17),
        (Command::Ioctl, _) => size != Some(49),
        _ => true,
    }
}
