//! A complete PDU: its header by type, its Additional Header Segments and its data (RFC 7143 §11.2).

use super::{
    AsynchronousView, BasicHeaderView, DataInView, DataOutView, LoginRequestView,
    LoginResponseView, LogoutRequestView, LogoutResponseView, NopInView, NopOutView, Opcode,
    ReadyToTransferView, RejectView, ScsiCommandView, ScsiResponseView, SnackView,
    TaskManagementRequestView, TaskManagementResponseView, TextRequestView, TextResponseView,
};
use crate::figure::{finish, take};
use crate::{Layer, Malformed};

/// Length of a Basic Header Segment in bytes.
pub const BASIC_HEADER_LENGTH: usize = BasicHeaderView::LENGTH;
/// The reserved value of an Initiator Task Tag or Target Transfer Tag, which names nothing.
pub const NO_TAG: u32 = 0xffff_ffff;

/// Returns the number of bytes that round `length` up to a multiple of four.
pub fn padding_length(length: usize) -> usize {
    length.wrapping_neg() & 3
}

/// A PDU as it appears in a Send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PduView<'a> {
    /// The fields common to the headers of all types.
    pub basic: BasicHeaderView<'a>,
    /// The header, parsed by its opcode.
    pub body: Body<'a>,
    /// The Additional Header Segments, with their padding.
    pub ahs: &'a [u8],
    /// The data segment, without its padding.
    pub data: &'a [u8],
    /// The padding after it: shorter than it should be if bytes are missing.
    pub padding: &'a [u8],
}

impl<'a> PduView<'a> {
    /// Reads a PDU without digests from the front of `input`; returns it and the bytes after it.
    ///
    /// # Errors
    /// [`Malformed`] when the headers or the data segment are incomplete.
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

    /// Reads a PDU whose end may be missing in the capture. The Basic Header Segment must be complete;
    /// the rest is read as far as it was captured.
    ///
    /// # Errors
    /// [`Malformed`] when the Basic Header Segment is incomplete.
    pub fn parse_cut(input: &'a [u8]) -> Result<Self, Malformed> {
        let (basic, rest) = BasicHeaderView::parse(input)?;
        let ahs_length = usize::from(basic.total_ahs_length()) * 4;
        let data_length = basic.data_segment_length() as usize;
        let (ahs, rest) = rest.split_at(ahs_length.min(rest.len()));
        let (data, rest) = rest.split_at(data_length.min(rest.len()));
        let padding = rest.get(..padding_length(data_length).min(rest.len())).unwrap_or(&[]);
        Ok(Self { basic, body: Body::of(basic), ahs, data, padding })
    }

    /// Returns the type, if its opcode is assigned.
    pub fn opcode(&self) -> Option<Opcode> {
        Opcode::from_repr(self.basic.opcode())
    }

    /// Returns the Initiator Task Tag, unless it is the reserved one.
    pub fn initiator_task_tag(&self) -> Option<u32> {
        Some(self.basic.initiator_task_tag()).filter(|tag| *tag != NO_TAG)
    }

    /// Returns the Command Descriptor Block of a SCSI Command, without the part in an Extended CDB.
    pub fn command_descriptor_block(&self) -> Option<&'a [u8]> {
        match self.body {
            Body::ScsiCommand(view) => Some(view.command_descriptor_block()),
            _ => None,
        }
    }

    /// Returns the bytes that a bidirectional command expects to read, from its Additional Header Segment.
    pub fn bidirectional_read_length(&self) -> Option<u32> {
        additional_headers(self.ahs).find_map(|header| match (header.kind, header.content) {
            (2, &[_, a, b, c, d, ..]) => Some(u32::from_be_bytes([a, b, c, d])),
            _ => None,
        })
    }

    /// Returns the sense and response data of a SCSI Response or an Asynchronous Message; `None` when
    /// there is none, or when the length of the sense data is incomplete.
    pub fn sense_segment(&self) -> Option<SenseSegmentView<'a>> {
        match self.body {
            Body::ScsiResponse(_) | Body::Asynchronous(_) => SenseSegmentView::parse(self.data),
            _ => None,
        }
    }
}

/// A header, by its type.
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
    /// The opcode is not assigned by RFC 7143, or is reserved for vendors.
    Other,
}

impl<'a> Body<'a> {
    /// Parses the header by its opcode. All its bytes are present, so this cannot fail.
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

    /// Returns the command sequence number (CmdSN), which every request except a Data-Out and a SNACK has.
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

    /// Returns the next StatSN that is expected (ExpStatSN), which every request has.
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

    /// Returns StatSN, ExpCmdSN and MaxCmdSN, which every PDU from a target has.
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

/// The sequence numbers in every PDU from a target.
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
    /// Its offset among the segments, in bytes.
    pub offset: usize,
    /// AHSType: 1 for an Extended CDB, 2 for a Bidirectional Read Expected Data Transfer Length.
    pub kind: u8,
    /// AHSLength, as given in the segment.
    pub length: u16,
    /// The bytes after the type, without padding: shorter than the length if bytes are missing.
    pub content: &'a [u8],
}

/// Returns the Additional Header Segments in `bytes`; the last may be incomplete.
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
    /// SenseLength in bytes, as given in the segment.
    pub sense_length: u16,
    /// The sense data: shorter than its length if bytes are missing.
    pub sense: &'a [u8],
    /// The bytes after it: response data or event data.
    pub rest: &'a [u8],
}

impl<'a> SenseSegmentView<'a> {
    /// Reads a data segment; returns `None` when it is too short for a length.
    pub fn parse(data: &'a [u8]) -> Option<Self> {
        let [high, low, rest @ ..] = data else { return None };
        let sense_length = u16::from_be_bytes([*high, *low]);
        let (sense, rest) = rest.split_at(usize::from(sense_length).min(rest.len()));
        Some(Self { sense_length, sense, rest })
    }
}
