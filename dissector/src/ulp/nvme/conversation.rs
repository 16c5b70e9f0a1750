//! The commands of a queue, and their completions.

use super::message::{Asked, Content, Message, fabrics, is_event};
use crate::mpa::{Negotiation, Side};
use crate::operation::Region;
use crate::ulp::{
    Access, Detail, Emit, Event, Io, IoStatus, Memory, MessagePlace, Moved, Open, Requests, Send,
    Sent, Ulp, UlpItem, UpperLayer,
};
use warpscope_wire::nvme::{
    CommandView, CompletionView, ConnectDataView, ConnectView, DataDirection, Descriptor,
    DescriptorView, PropertyView, Queue, RequestView, Status,
};

/// The most descriptors followed per command: a Linux controller takes at most 16.
const DESCRIPTORS: usize = 256;

/// The state of a connection that carries NVMe over RDMA.
#[derive(Debug, Clone, Default)]
pub(crate) struct Conversation {
    requests: Requests<Asked>,
    /// The ID of the connection's queue, once private data or a Connect gave it.
    queue_id: Option<u16>,
    /// The side that sends commands, once known.
    host: Option<Side>,
    /// The kind of queue, if its ID is not known.
    kind: Option<Queue>,
    /// The Connect whose data is being read from the host's memory.
    connecting: Option<u16>,
    /// The NVM subsystem's name, once the Connect gave it.
    subsystem: Vec<u8>,
}

impl Conversation {
    /// Returns whether a side is the host: it began the connection, or sent what only a host sends.
    fn is_host(&mut self, send: &Send<'_>, sent: &Sent) -> bool {
        let host = sent.initiator.or(self.host).unwrap_or_else(|| {
            // A completion is shorter than any command.
            let command = send.bytes.len() >= CommandView::LENGTH;
            if command { sent.side } else { sent.side.peer() }
        });
        self.host = Some(host);
        host == sent.side
    }

    /// Returns the kind of queue: by its ID, or else by the commands that only one kind has.
    fn queue(&mut self, view: &CommandView<'_>) -> Queue {
        if let Some(queue_id) = self.queue_id {
            return Queue::of(queue_id);
        }
        self.kind = kind_by(view).or(self.kind);
        self.kind.unwrap_or(Queue::Io)
    }

    fn message<'a>(&self, send: &Send<'a>, sent: &Sent, content: Content<'a>) -> UlpItem<'a> {
        UlpItem {
            sender: sent.side,
            bytes: send.bytes,
            place: MessagePlace::InSend(0),
            whole: send.whole,
            io: None,
            detail: Detail::Nvme(Message { queue_id: self.queue_id, content }),
        }
    }

    fn command(&mut self, send: &Send<'_>, sent: &Sent, emit: &mut Emit<'_>) {
        let (view, capsule) = match CommandView::parse(send.bytes) {
            Ok(parsed) => parsed,
            Err(malformed) => {
                let item = self.message(send, sent, Content::Unreadable(malformed));
                return emit(Event::Message(&item));
            }
        };
        if view.fabrics_type() == Some(fabrics::CONNECT)
            && let Ok((connect, _)) = ConnectView::parse(send.bytes)
        {
            self.queue_id.get_or_insert(connect.queue_id());
        }
        if !send.whole || resets(&view) {
            self.requests.forget();
        }
        let mut asked = Asked::new(&view, self.queue(&view));
        let mut io = Io::new(Ulp::Nvme, sent.side, view.command_id().into(), Some(sent.mark()));
        io.operation = asked.name();
        io.object = asked.object();
        io.whole = send.whole;
        let direction = view.direction();
        let data = Data::of(&view, capsule, direction);
        io.access = match direction {
            DataDirection::HostToController if data.length > 0 => Some(Access::Write),
            DataDirection::ControllerToHost if data.length > 0 => Some(Access::Read),
            _ => None,
        };
        io.length = io.access.map(|_| data.length);
        io.file = asked.file(&self.subsystem, data.length);
        if view.fabrics_type() == Some(fabrics::CONNECT) && !data.memories.is_empty() {
            self.connecting = Some(view.command_id());
        }
        // A reused identifier: the completion of the previous command was not captured.
        let stale = self.requests.end(sent.side, view.command_id().into());
        let (data_in_capsule, repeated) =
            (data.in_capsule, stale.is_some() && !self.requests.forgot());
        if let Some(mut stale) = stale {
            stale.io.whole = false;
            stale.hand_up(emit);
        }
        for other in self.requests.sharing(sent.side, &data.memories) {
            other.shared = true;
            asked.shared = true;
        }
        let content = Content::Command { asked, data: data_in_capsule, repeated };
        let mut item = self.message(send, sent, content);
        let open = self.requests.begin(io, data.memories, asked, emit);
        if !data.in_capsule.is_empty() {
            open.inline(data.in_capsule, true);
        }
        item.io = Some(&open.io);
        emit(Event::Message(&item));
    }

    fn completion(&mut self, send: &Send<'_>, sent: &Sent, emit: &mut Emit<'_>) {
        let view = match CompletionView::parse(send.bytes) {
            Ok((view, _)) => view,
            Err(malformed) => {
                let item = self.message(send, sent, Content::Unreadable(malformed));
                return emit(Event::Message(&item));
            }
        };
        let command_id = view.command_id();
        if self.connecting == Some(command_id) {
            self.connecting = None;
        }
        let (known, invalidated) = (!self.requests.forgot(), send.invalidated);
        let completion = |asked| Content::Completion { asked, invalidated, known };
        let Some(mut open) = self.requests.end(sent.side.peer(), command_id.into()) else {
            let content = completion(None);
            let item = self.message(send, sent, content);
            return emit(Event::Message(&item));
        };
        let asked = open.detail;
        open.io.completed = Some(sent.mark());
        open.io.status = Some(status(view.status(), asked.is_fabrics()));
        open.io.whole &= send.whole;
        let content = completion(Some(asked));
        let mut item = self.message(send, sent, content);
        item.io = Some(&open.io);
        emit(Event::Message(&item));
        if let Some(title) = asked.page()
            && let Some(data) = open.data()
        {
            self.page(title, &data, &open, sent, emit);
        }
        open.hand_up(emit);
    }

    /// Delivers the data of a command that defines what other numbers mean.
    fn page(
        &self,
        title: &'static str,
        data: &[u8],
        open: &Open<Asked>,
        sent: &Sent,
        emit: &mut Emit<'_>,
    ) {
        let content = Content::Page { asked: open.detail };
        emit(Event::Message(&UlpItem {
            sender: sent.side,
            bytes: data,
            place: MessagePlace::Joined(title),
            whole: true,
            io: Some(&open.io),
            detail: Detail::Nvme(Message { queue_id: self.queue_id, content }),
        }));
    }

    /// Delivers the data of a Connect once all of it has been read.
    fn connect_data(&mut self, host: Side, sent: &Sent, emit: &mut Emit<'_>) {
        let Some(command_id) = self.connecting else { return };
        let Some(open) = self.requests.find(host, command_id.into()) else { return };
        if !open.memories.iter().all(Memory::all_moved) {
            return;
        }
        let Some(data) = open.data() else { return };
        let open = open.clone();
        self.connecting = None;
        if let Ok((view, _)) = ConnectDataView::parse(&data) {
            self.subsystem = view.subsystem_name().to_vec();
        }
        self.page("Connect data", &data, &open, sent, emit);
    }
}

impl UpperLayer for Conversation {
    fn boxed_clone(&self) -> Box<dyn UpperLayer> {
        Box::new(self.clone())
    }

    fn setup(&mut self, negotiation: &Negotiation, private_data: &[u8], sender: Side) {
        if negotiation.initiator() == Some(sender)
            && let Ok((request, _)) = RequestView::parse(private_data)
        {
            self.queue_id = Some(request.queue_id());
        }
    }

    fn moved(&mut self, moved: &Moved<'_>, sent: &Sent, emit: &mut Emit<'_>) -> bool {
        if !self.requests.moved(moved, sent) {
            return false;
        }
        if moved.read {
            self.connect_data(moved.owner, sent, emit);
        }
        true
    }

    fn send(&mut self, send: &Send<'_>, sent: &Sent, emit: &mut Emit<'_>) {
        if send.bytes.is_empty() {
            // A zero-length Send may be the ready-to-receive indication (RFC 6581 §9.2).
            return;
        }
        if self.is_host(send, sent) {
            self.command(send, sent, emit);
        } else {
            self.completion(send, sent, emit);
        }
    }

    fn lost(&mut self, _side: Side) {
        self.requests.lost();
    }

    fn awaits(&self, requester: Side) -> bool {
        self.requests.awaits(requester, is_event)
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

/// Returns the kind of queue that a command can be on, if there is only one. Fabrics have no commands to
/// create and delete queues, so the NVM Command Set can use their opcodes.
fn kind_by(view: &CommandView<'_>) -> Option<Queue> {
    match view.opcode() {
        0x00 | 0x01 | 0x04 | 0x05 => Some(Queue::Io),
        0x06 | 0x0a | 0x10 | 0x14 | 0x18 => Some(Queue::Admin),
        // Get Log Page or Read: dwords 10 and 11 are a length, or an LBA.
        0x02 => {
            let length = view.descriptor().descriptor().map_or(0, |it| it.length());
            let page = view.log_page_length() == u64::from(length);
            Some(if page { Queue::Admin } else { Queue::Io })
        }
        _ => None,
    }
}

/// Returns whether a command sets CC.EN to 0: the controller resets, and earlier commands may not complete.
fn resets(view: &CommandView<'_>) -> bool {
    const CONFIGURATION: u32 = 0x14;
    const ENABLE: u64 = 1;
    view.fabrics_type() == Some(fabrics::PROPERTY_SET)
        && PropertyView::parse(view.bytes()).is_ok_and(|(property, _)| {
            property.offset() == CONFIGURATION && property.value() & ENABLE == 0
        })
}

/// The data of a command: in the capsule, or in the host's memory.
struct Data<'a> {
    in_capsule: &'a [u8],
    memories: Vec<Memory>,
    length: u64,
}

impl<'a> Data<'a> {
    fn of(view: &CommandView<'_>, capsule: &'a [u8], direction: DataDirection) -> Self {
        let mut data = Self { in_capsule: &[], memories: Vec::new(), length: 0 };
        match view.descriptor().descriptor() {
            Some(Descriptor::Segment { offset, length, .. }) => {
                let list = part(capsule, offset, length);
                for descriptor in list.chunks_exact(DescriptorView::LENGTH).take(DESCRIPTORS) {
                    let parsed = DescriptorView::parse(descriptor).ok();
                    let descriptor = parsed.and_then(|(descriptor, _)| descriptor.descriptor());
                    data.add(descriptor, capsule, direction);
                }
            }
            descriptor => data.add(descriptor, capsule, direction),
        }
        data
    }

    fn add(&mut self, descriptor: Option<Descriptor>, capsule: &'a [u8], direction: DataDirection) {
        match descriptor {
            Some(Descriptor::InCapsule { offset, length }) => {
                self.in_capsule = part(capsule, offset, length);
                self.length += u64::from(length);
            }
            Some(Descriptor::Keyed { address, length, key, .. }) if length > 0 => {
                self.length += u64::from(length);
                let length = length.into();
                let region = Region { steering_tag: key, tagged_offset: address, length };
                let readable = match direction {
                    DataDirection::HostToController => &[true][..],
                    DataDirection::ControllerToHost => &[false],
                    DataDirection::Bidirectional => &[true, false],
                    DataDirection::None => &[],
                };
                self.memories
                    .extend(readable.iter().map(|readable| Memory::new(region, *readable)));
            }
            _ => {}
        }
    }
}

/// Returns a part of the bytes after the submission queue entry, as far as it was captured.
fn part(capsule: &[u8], offset: u64, length: u32) -> &[u8] {
    let begin = usize::try_from(offset).unwrap_or(usize::MAX).min(capsule.len());
    let end = begin.saturating_add(length as usize).min(capsule.len());
    capsule.get(begin..end).unwrap_or(&[])
}

fn status(status: Status, fabrics: bool) -> IoStatus {
    let number = status.number();
    let words = match status.name(fabrics) {
        Some(name) => name.into(),
        None => format!("status type {} code {:#04x}", status.code_type(), status.code()).into(),
    };
    IoStatus { code: number.into(), words, failed: !status.succeeded() }
}
