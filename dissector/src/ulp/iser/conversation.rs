//! The conversation of iSER: requests, the moves of their data, and their answers.

use super::message::{Message, Request, command_name, named, status, unit_name};
use crate::mpa::Side;
use crate::operation::Region;
use crate::ulp::{
    Access, Detail, Emit, Event, FilePlace, Io, IoStatus, Memory, MessagePlace, Moved, Open,
    Requests, Send, Sent, Ulp, UlpItem, UpperLayer,
};
use std::borrow::Cow;
use warpscope_text::counted;
use warpscope_wire::iscsi::{
    Body, LOGOUT_REASONS, NO_TAG, PduView, ScsiCommandView, TASK_MANAGEMENT_FUNCTIONS, pairs,
};
use warpscope_wire::iser::{Advertised, HeaderView};
use warpscope_wire::scsi::{CommandView, Part};

/// The key with which an initiator says that its Write STag covers only the solicited data (RFC 7145 §6.9).
const SOLICITED_ONLY: &[u8] = b"TaggedBufferForSolicitedDataOnly";
/// The most bytes kept of a target's name.
const NAME: usize = 223;

/// The state of a connection that carries iSER.
#[derive(Debug, Clone, Default)]
pub(crate) struct Conversation {
    requests: Requests<Request>,
    /// True if the initiator said that its Write STags cover only solicited data.
    solicited_only: bool,
}

impl Conversation {
    /// Begins the I/O of a request.
    fn begin(
        &mut self,
        message: &Message<'_>,
        pdu: &PduView<'_>,
        send: &Send<'_>,
        sent: &Sent,
        emit: &mut Emit<'_>,
    ) {
        let tag = pdu.basic.initiator_task_tag();
        let mut io = Io::new(Ulp::Iser, sent.side, tag.into(), Some(sent.mark()));
        let (write, read) = match message.header {
            Ok(HeaderView::Control(view)) => (view.write_buffer(), view.read_buffer()),
            _ => (None, None),
        };
        let mut request = Request {
            block: None,
            logical_unit: pdu.basic.logical_unit_number(),
            write,
            read,
            expected_length: 0,
        };
        let mut memories = Vec::new();
        match pdu.body {
            Body::ScsiCommand(view) => {
                request.block = view.command_descriptor_block().try_into().ok();
                request.expected_length = view.expected_data_transfer_length();
                describe(&mut io, pdu, &view);
                memories = offered(pdu, &view, &request);
            }
            Body::LoginRequest(_) => {
                self.login(pdu);
                (io.operation, io.object) = ("Login".into(), login_object(pdu));
            }
            Body::TaskManagementRequest(view) => {
                io.operation = named(TASK_MANAGEMENT_FUNCTIONS, view.function());
                io.object = match view.referenced_task_tag() {
                    NO_TAG => unit_name(request.logical_unit),
                    tag => format!("task 0x{tag:08x}"),
                };
            }
            Body::TextRequest(_) => (io.operation, io.object) = ("Text".into(), first_pair(pdu)),
            Body::LogoutRequest(view) => {
                io.operation = "Logout".into();
                io.object = named(LOGOUT_REASONS, view.reason()).into_owned();
            }
            _ => io.operation = "NOP-Out".into(),
        }
        io.whole = send.whole;
        let is_command = matches!(pdu.body, Body::ScsiCommand(_));
        let open = self.requests.begin(io, memories, request, emit);
        if is_command && !pdu.data.is_empty() {
            open.inline(pdu.data, true);
        }
        report(message, send, sent, Some(open), emit);
    }

    /// Begins the I/O of a ping of the target; a NOP-Out with its tag ends it.
    fn ping(
        &mut self,
        message: &Message<'_>,
        tag: u32,
        send: &Send<'_>,
        sent: &Sent,
        emit: &mut Emit<'_>,
    ) {
        let mut io = Io::new(Ulp::Iser, sent.side, tag.into(), Some(sent.mark()));
        io.operation = "NOP-In".into();
        io.whole = send.whole;
        let request =
            Request { block: None, logical_unit: 0, write: None, read: None, expected_length: 0 };
        let open = self.requests.begin(io, Vec::new(), request, emit);
        report(message, send, sent, Some(open), emit);
    }

    /// Processes unsolicited data of an earlier command.
    fn data_out(
        &mut self,
        message: &Message<'_>,
        pdu: &PduView<'_>,
        send: &Send<'_>,
        sent: &Sent,
        emit: &mut Emit<'_>,
    ) {
        let tag = pdu.basic.initiator_task_tag().into();
        let Some(open) = self.requests.find(sent.side, tag) else {
            return report(message, send, sent, None, emit);
        };
        open.inline(pdu.data, true);
        open.io.whole &= send.whole;
        report(message, send, sent, Some(open), emit);
    }

    /// Processes an answer: ends the I/O with its tag.
    fn end(
        &mut self,
        message: &Message<'_>,
        (tag, status): (u32, Option<IoStatus>),
        send: &Send<'_>,
        sent: &Sent,
        emit: &mut Emit<'_>,
    ) {
        let Some(mut open) = self.requests.end(sent.side.peer(), tag.into()) else {
            return report(message, send, sent, None, emit);
        };
        open.io.completed = Some(sent.mark());
        open.io.status = status;
        open.io.whole &= send.whole;
        report(message, send, sent, Some(&open), emit);
        open.hand_up(emit);
    }

    /// Reads from a Login Request what changes how later messages are parsed.
    fn login(&mut self, pdu: &PduView<'_>) {
        if let Some(pair) = pairs(pdu.data).find(|pair| pair.key == SOLICITED_ONLY) {
            self.solicited_only = pair.value == Some(b"Yes");
        }
    }
}

/// Determines where the Base Offset of a Write STag is in the data, before a Read takes its first bytes.
///
/// By RFC 7145 §7.3.1 it is where the unsolicited data begins, unless the initiator says otherwise by a key.
/// With Linux it is where the solicited data begins, without the key: the first Read shows which.
fn settle_base(open: &mut Open<Request>, moved: &Moved<'_>) {
    let (unsolicited, Some(write)) = (open.io.bytes.inline_out, open.detail.write) else {
        return;
    };
    let solicited = write.base_offset.wrapping_add(unsolicited);
    let memory = open.memories.iter_mut().find(|memory| memory.readable && memory.moved == 0);
    if let Some(memory) = memory
        && memory.region.tagged_offset == write.base_offset
        && moved.region.tagged_offset >= solicited
    {
        memory.region.tagged_offset = solicited;
        memory.region.length = memory.region.length.saturating_sub(unsolicited);
    }
}

/// Delivers a message.
fn report(
    message: &Message<'_>,
    send: &Send<'_>,
    sent: &Sent,
    open: Option<&Open<Request>>,
    emit: &mut Emit<'_>,
) {
    let message = Message { request: open.map(|open| &open.detail), ..*message };
    emit(Event::Message(&UlpItem {
        sender: sent.side,
        bytes: send.bytes,
        place: MessagePlace::InSend(0),
        whole: send.whole,
        io: open.map(|open| &open.io),
        detail: Detail::Iser(message),
    }));
}

/// Describes an I/O by its SCSI command.
fn describe(io: &mut Io, pdu: &PduView<'_>, view: &ScsiCommandView<'_>) {
    let command = CommandView::of(view.command_descriptor_block());
    io.operation = command_name(&command);
    io.object = object(pdu.basic.logical_unit_number(), &command);
    let expected = u64::from(view.expected_data_transfer_length());
    let read = u64::from(pdu.bidirectional_read_length().unwrap_or(0));
    // For a bidirectional command, the data that it writes.
    io.access = match (view.read(), view.write()) {
        (_, true) if expected > 0 => Some(Access::Write),
        (true, _) if expected + read > 0 => Some(Access::Read),
        _ => None,
    };
    io.length = io.access.map(|_| expected.max(if view.write() { 0 } else { read }));
    let moves = io.operation.starts_with("READ(") || io.operation.starts_with("WRITE(");
    if let (true, Some(first), Some(blocks)) =
        (moves, command.logical_block_address(), command.blocks())
    {
        let name = unit_name(pdu.basic.logical_unit_number()).replace("LUN ", "lun-");
        io.file = FilePlace::blocks(name, first, blocks, io.length.unwrap_or(0));
    }
}

/// Returns the memory that a command offers. No header gives its length: it is as long as the command's data.
fn offered(pdu: &PduView<'_>, view: &ScsiCommandView<'_>, request: &Request) -> Vec<Memory> {
    let expected = u64::from(view.expected_data_transfer_length());
    let region = |buffer: Advertised, length| Region {
        steering_tag: buffer.steering_tag,
        tagged_offset: buffer.base_offset,
        length,
    };
    let write = request.write.map(|buffer| Memory::new(region(buffer, expected), true));
    let to_read = match (view.write(), pdu.bidirectional_read_length()) {
        (true, Some(length)) => length.into(),
        _ => expected,
    };
    let read = request.read.map(|buffer| Memory::new(region(buffer, to_read), false));
    write.into_iter().chain(read).collect()
}

/// Returns what a SCSI command is about.
pub(crate) fn object(logical_unit: u64, command: &CommandView<'_>) -> String {
    let mut object = unit_name(logical_unit);
    match (command.logical_block_address(), command.blocks()) {
        (Some(address), Some(blocks)) => {
            object += &format!(", LBA {address}, {}", counted(blocks, "block"));
        }
        _ if command.part(Part::VitalProductData) == Some(1) => {
            if let Some(page) = command.part(Part::PageCode) {
                object += &format!(", VPD page 0x{page:02x}");
            }
        }
        _ if command.part(Part::PageControl).is_some() => {
            if let Some(page) = command.part(Part::PageCode) {
                object += &format!(", page 0x{page:02x}");
            }
        }
        _ => {}
    }
    object
}

/// Returns the target of a login, or the purpose of the session.
fn login_object(pdu: &PduView<'_>) -> String {
    let value = |key: &[u8]| {
        let pair = pairs(pdu.data).find(|pair| pair.key == key)?;
        pair.value.map(|value| text(value.get(..NAME.min(value.len())).unwrap_or(value)))
    };
    value(b"TargetName")
        .or_else(|| value(b"SessionType").map(|kind| format!("{kind} session").into()))
        .unwrap_or_default()
        .into_owned()
}

/// Returns the first pair of a text.
fn first_pair(pdu: &PduView<'_>) -> String {
    let first = pairs(pdu.data).next().map_or(&[][..], |pair| pair.bytes);
    text(first.get(..NAME.min(first.len())).unwrap_or(first)).into_owned()
}

pub(crate) fn text(bytes: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}

impl UpperLayer for Conversation {
    fn boxed_clone(&self) -> Box<dyn UpperLayer> {
        Box::new(self.clone())
    }

    fn moved(&mut self, moved: &Moved<'_>, sent: &Sent, _emit: &mut Emit<'_>) -> bool {
        if moved.read
            && !self.solicited_only
            && let Some(open) = self.requests.offering(moved.owner, moved.region.steering_tag)
        {
            settle_base(open, moved);
        }
        self.requests.moved(moved, sent)
    }

    fn send(&mut self, send: &Send<'_>, sent: &Sent, emit: &mut Emit<'_>) {
        // The empty Send that begins a connection of the peer-to-peer model is not a message.
        if send.bytes.is_empty() && send.whole {
            return;
        }
        let message = &Message::parse(send.bytes, send.whole, send.invalidated);
        let Some(pdu) = message.pdu() else { return report(message, send, sent, None, emit) };
        let tag = pdu.basic.initiator_task_tag();
        match pdu.body {
            Body::NopOut(view) if tag == NO_TAG => {
                let answer = (view.target_transfer_tag(), None);
                self.end(message, answer, send, sent, emit);
            }
            Body::NopIn(view) if tag == NO_TAG && view.target_transfer_tag() != NO_TAG => {
                self.ping(message, view.target_transfer_tag(), send, sent, emit);
            }
            Body::ScsiCommand(_)
            | Body::TaskManagementRequest(_)
            | Body::LoginRequest(_)
            | Body::TextRequest(_)
            | Body::LogoutRequest(_)
            | Body::NopOut(_) => self.begin(message, &pdu, send, sent, emit),
            Body::DataOut(_) => self.data_out(message, &pdu, send, sent, emit),
            Body::ScsiResponse(_)
            | Body::TaskManagementResponse(_)
            | Body::LoginResponse(_)
            | Body::TextResponse(_)
            | Body::LogoutResponse(_)
            | Body::NopIn(_) => {
                let answer = (tag, status(&pdu));
                self.end(message, answer, send, sent, emit);
            }
            Body::Reject(_) => match message.rejected() {
                // If the data of a command is rejected, a SCSI Response follows (RFC 7143 §11.17.1).
                Some(rejected) if !matches!(rejected.body, Body::DataOut(_) | Body::Snack(_)) => {
                    let answer = (rejected.basic.initiator_task_tag(), status(&pdu));
                    self.end(message, answer, send, sent, emit);
                }
                _ => report(message, send, sent, None, emit),
            },
            Body::DataIn(_)
            | Body::ReadyToTransfer(_)
            | Body::Asynchronous(_)
            | Body::Snack(_)
            | Body::Other => report(message, send, sent, None, emit),
        }
    }

    fn lost(&mut self, _side: Side) {
        self.requests.lost();
    }

    fn awaits(&self, requester: Side) -> bool {
        self.requests.awaits(requester, |_| false)
    }

    fn finish(&mut self, emit: &mut Emit<'_>) {
        self.requests.finish(emit);
    }

    fn buffered(&self) -> usize {
        self.requests.buffered()
    }

    fn release(&mut self) {
        self.requests.release();
    }
}
