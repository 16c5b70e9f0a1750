//! A whole PDU: its header by type, its Additional Header Segments and its data (RFC 7143 §11.2).

use super::{
    AsynchronousView, BasicHeaderView, DataInView, DataOutView, LoginRequestView,
    LoginResponseView, LogoutRequestView, LogoutResponseView, NopInView, NopOutView, Opcode,
    ReadyToTransferView, RejectView, ScsiCommandView, ScsiResponseView, SnackView,
    TaskManagementRequestView, TaskManagementResponseView, TextRequestView, TextResponseView,
};
use crate::figure::{finish, take};
use crate::{Layer, Malformed};

/// Bytes of a Basic Header Segment.
pub const BASIC_HEADER_LENGTH: usize = BasicHeaderView::LENGTH;
/// An Initiator Task Tag or Target Transfer Tag that names nothing.
pub const NO_TAG: u32 = 0xffff_ffff;

/// Bytes that round `length` up to a multiple of four.
pub fn padding_length(length: usize) -> usize {
    length.wrapping_neg() & 3
}

/// A PDU as it is in a Send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PduView<'a> {
    /// What the headers of all types have in common.
    pub basic: BasicHeaderView<'a>,
    /// The header as its opcode says.
    pub body: Body<'a>,
    /// The Additional Header Segments, with their padding.
    pub ahs: &'a [u8],
    /// The data segment, without its padding.
    pub data: &'a [u8],
    /// The padding that follows it: fewer bytes than it should have, when they are not there.
    pub padding: &'a [u8],
}

impl<'a> PduView<'a> {
    /// Reads a PDU without digests from the front of `input`; returns it and what follows it.
    ///
    /// # Errors
    /// [`Malformed`] when the headers or the data segment are not all there.
    pub fn parse(input: &'a [u8]) -> Result<(Self, &'a [u8]), Malformed> {
        let (basic, rest) = BasicHeaderView::parse(input)?;
        let ahs_length = usize::from(basic.total_ahs_length()) * 4;
        let data_length = basic.data_segment_length() as usize;
        let (ahs, rest) =
            finish(take(Layer::Iscsi, "Additional Header Segments", ahs_length)(rest))?;
        let (data, rest) = finish(take(Layer::Iscsi, "data segment", data_length)(rest))?;
        let (padding, rest) = rest.split_at(padding_length(data_length).min(rest.len()));
        Ok((Self { basic, body: Body::of(basic), ahs, data, padding }, rest))
    }

    /// Reads a PDU of which the end may not have been captured: the Basic Header Segment must be there,
    /// the rest is taken as far as it is.
    ///
    /// # Errors
    /// [`Malformed`] when the Basic Header Segment is not all there.
    pub fn parse_cut(input: &'a [u8]) -> Result<Self, Malformed> {
        let (basic, rest) = BasicHeaderView::parse(input)?;
        let ahs_length = usize::from(basic.total_ahs_length()) * 4;
        let data_length = basic.data_segment_length() as usize;
        let (ahs, rest) = rest.split_at(ahs_length.min(rest.len()));
        let (data, rest) = rest.split_at(data_length.min(rest.len()));
        let padding = rest.get(..padding_length(data_length).min(rest.len())).unwrap_or(&[]);
        Ok(Self { basic, body: Body::of(basic), ahs, data, padding })
    }

    /// The type, when it is assigned.
    pub fn opcode(&self) -> Option<Opcode> {
        Opcode::from_repr(self.basic.opcode())
    }

    /// The Initiator Task Tag, unless it is the reserved one.
    pub fn initiator_task_tag(&self) -> Option<u32> {
        Some(self.basic.initiator_task_tag()).filter(|tag| *tag != NO_TAG)
    }

    /// The Command Descriptor Block of a SCSI Command: what an Extended CDB adds is not in it.
    pub fn command_descriptor_block(&self) -> Option<&'a [u8]> {
        match self.body {
            Body::ScsiCommand(view) => Some(view.command_descriptor_block()),
            _ => None,
        }
    }

    /// Bytes that a bidirectional command expects to read, when its Additional Header Segment says.
    pub fn bidirectional_read_length(&self) -> Option<u32> {
        additional_headers(self.ahs).find_map(|header| match (header.kind, header.content) {
            (2, &[_, a, b, c, d, ..]) => Some(u32::from_be_bytes([a, b, c, d])),
            _ => None,
        })
    }

    /// The sense and response data of a SCSI Response or an Asynchronous Message; `None` when there
    /// are none, or the length of the sense data is not all there.
    pub fn sense_segment(&self) -> Option<SenseSegmentView<'a>> {
        match self.body {
            Body::ScsiResponse(_) | Body::Asynchronous(_) => SenseSegmentView::parse(self.data),
            _ => None,
        }
    }
}

/// A header by its type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "each has the view of its name")]
pub enum Body<'a> {
    NopOut(NopOutView<'a>),
    ScsiCommand(ScsiCommandView<'a>),
    TaskManagementRequest(TaskManagementRequestView<'a>),
    LoginRequest(LoginRequestView<'a>),
    TextRequest(TextRequestView<'a>),
    DataOut(DataOutView<'a>),
    LogoutRequest(LogoutRequestView<'a>),
    Snack(SnackView<'a>),
    NopIn(NopInView<'a>),
    ScsiResponse(ScsiResponseView<'a>),
    TaskManagementResponse(TaskManagementResponseView<'a>),
    LoginResponse(LoginResponseView<'a>),
    TextResponse(TextResponseView<'a>),
    DataIn(DataInView<'a>),
    LogoutResponse(LogoutResponseView<'a>),
    ReadyToTransfer(ReadyToTransferView<'a>),
    Asynchronous(AsynchronousView<'a>),
    Reject(RejectView<'a>),
    /// An opcode that RFC 7143 does not assign, or leaves to vendors.
    Other,
}

impl<'a> Body<'a> {
    /// The header by its opcode; the bytes are all there, so that no type fails.
    fn of(basic: BasicHeaderView<'a>) -> Self {
        let Some(opcode) = Opcode::from_repr(basic.opcode()) else { return Self::Other };
        let bytes = basic.bytes();
        macro_rules! types {
            ($($name:ident: $view:ident,)*) => {
                match opcode {
                    $(Opcode::$name => {
                        $view::parse(bytes).map_or(Self::Other, |(view, _)| Self::$name(view))
                    })*
                }
            };
        }
        types! {
            NopOut: NopOutView,
            ScsiCommand: ScsiCommandView,
            TaskManagementRequest: TaskManagementRequestView,
            LoginRequest: LoginRequestView,
            TextRequest: TextRequestView,
            DataOut: DataOutView,
            LogoutRequest: LogoutRequestView,
            Snack: SnackView,
            NopIn: NopInView,
            ScsiResponse: ScsiResponseView,
            TaskManagementResponse: TaskManagementResponseView,
            LoginResponse: LoginResponseView,
            TextResponse: TextResponseView,
            DataIn: DataInView,
            LogoutResponse: LogoutResponseView,
            ReadyToTransfer: ReadyToTransferView,
            Asynchronous: AsynchronousView,
            Reject: RejectView,
        }
    }

    /// Command sequence number (CmdSN), which every request but a Data-Out and a SNACK has.
    pub fn command_sequence_number(&self) -> Option<u32> {
        Some(match self {
            Self::NopOut(view) => view.command_sequence_number(),
            Self::ScsiCommand(view) => view.command_sequence_number(),
            Self::TaskManagementRequest(view) => view.command_sequence_number(),
            Self::LoginRequest(view) => view.command_sequence_number(),
            Self::TextRequest(view) => view.command_sequence_number(),
            Self::LogoutRequest(view) => view.command_sequence_number(),
            _ => return None,
        })
    }

    /// The next StatSN that is expected (ExpStatSN), which every request has.
    pub fn expected_status_sequence_number(&self) -> Option<u32> {
        Some(match self {
            Self::NopOut(view) => view.expected_status_sequence_number(),
            Self::ScsiCommand(view) => view.expected_status_sequence_number(),
            Self::TaskManagementRequest(view) => view.expected_status_sequence_number(),
            Self::LoginRequest(view) => view.expected_status_sequence_number(),
            Self::TextRequest(view) => view.expected_status_sequence_number(),
            Self::DataOut(view) => view.expected_status_sequence_number(),
            Self::LogoutRequest(view) => view.expected_status_sequence_number(),
            Self::Snack(view) => view.expected_status_sequence_number(),
            _ => return None,
        })
    }

    /// StatSN, ExpCmdSN and MaxCmdSN, which everything that a target sends has.
    pub fn status_numbers(&self) -> Option<StatusNumbers> {
        macro_rules! numbers {
            ($($name:ident)*) => {
                match self {
                    $(Self::$name(view) => Some(StatusNumbers {
                        status: view.status_sequence_number(),
                        expected_command: view.expected_command_sequence_number(),
                        maximum_command: view.maximum_command_sequence_number(),
                    }),)*
                    _ => None,
                }
            };
        }
        numbers! {
            NopIn ScsiResponse TaskManagementResponse LoginResponse TextResponse DataIn
            LogoutResponse ReadyToTransfer Asynchronous Reject
        }
    }
}

impl Body<'_> {
    /// CmdSN, which everything that an initiator sends has but data and SNACK Requests.
    pub fn command_number(&self) -> Option<u32> {
        Some(match self {
            Self::NopOut(view) => view.command_sequence_number(),
            Self::ScsiCommand(view) => view.command_sequence_number(),
            Self::TaskManagementRequest(view) => view.command_sequence_number(),
            Self::LoginRequest(view) => view.command_sequence_number(),
            Self::TextRequest(view) => view.command_sequence_number(),
            Self::LogoutRequest(view) => view.command_sequence_number(),
            _ => return None,
        })
    }
}

/// The numbers in everything that a target sends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct StatusNumbers {
    /// Status sequence number (StatSN).
    pub status: u32,
    /// The next CmdSN that is expected (ExpCmdSN).
    pub expected_command: u32,
    /// The highest CmdSN that is accepted (MaxCmdSN).
    pub maximum_command: u32,
}

/// An Additional Header Segment (RFC 7143 §11.2.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AdditionalHeader<'a> {
    /// Where among the segments it begins, in bytes.
    pub offset: usize,
    /// AHSType: 1 for an Extended CDB, 2 for a Bidirectional Read Expected Data Transfer Length.
    pub kind: u8,
    /// AHSLength, as the segment says.
    pub length: u16,
    /// What follows the type, without padding: fewer bytes than its length, when they are not there.
    pub content: &'a [u8],
}

/// The Additional Header Segments in `bytes`; the last may be cut.
pub fn additional_headers(bytes: &[u8]) -> impl Iterator<Item = AdditionalHeader<'_>> {
    let mut offset = 0;
    std::iter::from_fn(move || {
        let [high, low, kind, rest @ ..] = bytes.get(offset..)? else { return None };
        let length = u16::from_be_bytes([*high, *low]);
        let content = rest.get(..usize::from(length).min(rest.len()))?;
        let header = AdditionalHeader { offset, kind: *kind, length, content };
        offset += (3 + usize::from(length)).next_multiple_of(4);
        Some(header)
    })
}

/// The data segment of a SCSI Response or an Asynchronous Message (RFC 7143 §11.4.7, §11.9.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SenseSegmentView<'a> {
    /// SenseLength in bytes, as the segment says.
    pub sense_length: u16,
    /// The sense data: fewer bytes than its length, when they are not there.
    pub sense: &'a [u8],
    /// What follows: response data or event data.
    pub rest: &'a [u8],
}

impl<'a> SenseSegmentView<'a> {
    /// Reads a data segment; `None` when it has no room for a length.
    pub fn parse(data: &'a [u8]) -> Option<Self> {
        let [high, low, rest @ ..] = data else { return None };
        let sense_length = u16::from_be_bytes([*high, *low]);
        let (sense, rest) = rest.split_at(usize::from(sense_length).min(rest.len()));
        Some(Self { sense_length, sense, rest })
    }
}
