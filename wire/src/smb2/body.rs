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

/// The fixed part of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the views have the documents' names, and say what they are")]
pub enum BodyView<'a> {
    NegotiateRequest(NegotiateRequestView<'a>),
    NegotiateResponse(NegotiateResponseView<'a>),
    SessionSetupRequest(SessionSetupRequestView<'a>),
    SessionSetupResponse(SessionSetupResponseView<'a>),
    TreeConnectRequest(TreeConnectRequestView<'a>),
    TreeConnectResponse(TreeConnectResponseView<'a>),
    CreateRequest(CreateRequestView<'a>),
    CreateResponse(CreateResponseView<'a>),
    CloseRequest(CloseRequestView<'a>),
    CloseResponse(CloseResponseView<'a>),
    FlushRequest(FlushRequestView<'a>),
    ReadRequest(ReadRequestView<'a>),
    ReadResponse(ReadResponseView<'a>),
    WriteRequest(WriteRequestView<'a>),
    WriteResponse(WriteResponseView<'a>),
    LockRequest(LockRequestView<'a>),
    IoctlRequest(IoctlRequestView<'a>),
    IoctlResponse(IoctlResponseView<'a>),
    QueryDirectoryRequest(QueryDirectoryRequestView<'a>),
    ChangeNotifyRequest(ChangeNotifyRequestView<'a>),
    QueryInfoRequest(QueryInfoRequestView<'a>),
    SetInfoRequest(SetInfoRequestView<'a>),
    SetInfoResponse(SetInfoResponseView<'a>),
    OplockBreak(OplockBreakView<'a>),
    /// The response of QUERY_DIRECTORY, CHANGE_NOTIFY or QUERY_INFO.
    Output(OutputView<'a>),
    /// A message without further fields.
    Plain(EchoView<'a>),
    /// A response with an error.
    Error(ErrorView<'a>),
    /// The body of an unknown command, or of a lease break.
    Other(&'a [u8]),
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

    fn request(command: Command, rest: &'a [u8]) -> Result<Self, Malformed> {
        Ok(match command {
            Command::Negotiate => Self::NegotiateRequest(NegotiateRequestView::parse(rest)?.0),
            Command::SessionSetup => {
                Self::SessionSetupRequest(SessionSetupRequestView::parse(rest)?.0)
            }
            Command::TreeConnect => {
                Self::TreeConnectRequest(TreeConnectRequestView::parse(rest)?.0)
            }
            Command::Create => Self::CreateRequest(CreateRequestView::parse(rest)?.0),
            Command::Close => Self::CloseRequest(CloseRequestView::parse(rest)?.0),
            Command::Flush => Self::FlushRequest(FlushRequestView::parse(rest)?.0),
            Command::Read => Self::ReadRequest(ReadRequestView::parse(rest)?.0),
            Command::Write => Self::WriteRequest(WriteRequestView::parse(rest)?.0),
            Command::Lock => Self::LockRequest(LockRequestView::parse(rest)?.0),
            Command::Ioctl => Self::IoctlRequest(IoctlRequestView::parse(rest)?.0),
            Command::QueryDirectory => {
                Self::QueryDirectoryRequest(QueryDirectoryRequestView::parse(rest)?.0)
            }
            Command::ChangeNotify => {
                Self::ChangeNotifyRequest(ChangeNotifyRequestView::parse(rest)?.0)
            }
            Command::QueryInfo => Self::QueryInfoRequest(QueryInfoRequestView::parse(rest)?.0),
            Command::SetInfo => Self::SetInfoRequest(SetInfoRequestView::parse(rest)?.0),
            Command::Logoff
            | Command::TreeDisconnect
            | Command::Cancel
            | Command::Echo
            | Command::OplockBreak => Self::Plain(EchoView::parse(rest)?.0),
        })
    }

    fn response(command: Command, rest: &'a [u8]) -> Result<Self, Malformed> {
        Ok(match command {
            Command::Negotiate => Self::NegotiateResponse(NegotiateResponseView::parse(rest)?.0),
            Command::SessionSetup => {
                Self::SessionSetupResponse(SessionSetupResponseView::parse(rest)?.0)
            }
            Command::TreeConnect => {
                Self::TreeConnectResponse(TreeConnectResponseView::parse(rest)?.0)
            }
            Command::Create => Self::CreateResponse(CreateResponseView::parse(rest)?.0),
            Command::Close => Self::CloseResponse(CloseResponseView::parse(rest)?.0),
            Command::Read => Self::ReadResponse(ReadResponseView::parse(rest)?.0),
            Command::Write => Self::WriteResponse(WriteResponseView::parse(rest)?.0),
            Command::Ioctl => Self::IoctlResponse(IoctlResponseView::parse(rest)?.0),
            Command::QueryDirectory | Command::ChangeNotify | Command::QueryInfo => {
                Self::Output(OutputView::parse(rest)?.0)
            }
            Command::SetInfo => Self::SetInfoResponse(SetInfoResponseView::parse(rest)?.0),
            Command::Logoff
            | Command::TreeDisconnect
            | Command::Flush
            | Command::Lock
            | Command::Cancel
            | Command::Echo
            | Command::OplockBreak => Self::Plain(EchoView::parse(rest)?.0),
        })
    }

    /// Returns StructureSize, as given in the message.
    pub fn structure_size(&self) -> Option<u16> {
        Some(match self {
            Self::NegotiateRequest(view) => view.structure_size(),
            Self::NegotiateResponse(view) => view.structure_size(),
            Self::SessionSetupRequest(view) => view.structure_size(),
            Self::SessionSetupResponse(view) => view.structure_size(),
            Self::TreeConnectRequest(view) => view.structure_size(),
            Self::TreeConnectResponse(view) => view.structure_size(),
            Self::CreateRequest(view) => view.structure_size(),
            Self::CreateResponse(view) => view.structure_size(),
            Self::CloseRequest(view) => view.structure_size(),
            Self::CloseResponse(view) => view.structure_size(),
            Self::FlushRequest(view) => view.structure_size(),
            Self::ReadRequest(view) => view.structure_size(),
            Self::ReadResponse(view) => view.structure_size(),
            Self::WriteRequest(view) => view.structure_size(),
            Self::WriteResponse(view) => view.structure_size(),
            Self::LockRequest(view) => view.structure_size(),
            Self::IoctlRequest(view) => view.structure_size(),
            Self::IoctlResponse(view) => view.structure_size(),
            Self::QueryDirectoryRequest(view) => view.structure_size(),
            Self::ChangeNotifyRequest(view) => view.structure_size(),
            Self::QueryInfoRequest(view) => view.structure_size(),
            Self::SetInfoRequest(view) => view.structure_size(),
            Self::SetInfoResponse(view) => view.structure_size(),
            Self::OplockBreak(view) => view.structure_size(),
            Self::Output(view) => view.structure_size(),
            Self::Plain(view) => view.structure_size(),
            Self::Error(view) => view.structure_size(),
            Self::Other(bytes) => u16::from_le_bytes(*bytes.first_chunk()?),
        })
    }

    /// Returns StructureSize, as the document defines it for this body.
    pub fn right_structure_size(&self) -> Option<u16> {
        Some(match self {
            Self::NegotiateRequest(_) => 36,
            Self::NegotiateResponse(_) => 65,
            Self::SessionSetupRequest(_) => 25,
            Self::SessionSetupResponse(_) | Self::TreeConnectRequest(_) => 9,
            Self::Output(_) | Self::Error(_) => 9,
            Self::TreeConnectResponse(_) => 16,
            Self::CreateRequest(_) => 57,
            Self::CreateResponse(_) => 89,
            Self::CloseRequest(_) | Self::FlushRequest(_) | Self::OplockBreak(_) => 24,
            Self::CloseResponse(_) => 60,
            Self::ReadRequest(_) | Self::WriteRequest(_) | Self::IoctlResponse(_) => 49,
            Self::ReadResponse(_) | Self::WriteResponse(_) => 17,
            Self::LockRequest(_) => 48,
            Self::IoctlRequest(_) => 57,
            Self::QueryDirectoryRequest(_) | Self::SetInfoRequest(_) => 33,
            Self::ChangeNotifyRequest(_) => 32,
            Self::QueryInfoRequest(_) => 41,
            Self::SetInfoResponse(_) => 2,
            Self::Plain(_) => 4,
            Self::Other(_) => return None,
        })
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
