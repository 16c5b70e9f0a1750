//! The conversation of SMB Direct: requests and their answers.

use super::message::{DIRECTORY, Exchange, Message, Upper};
use super::names::{Names, Share};
use super::reassembly::{Fragments, Step, begins};
use crate::mpa::{Negotiation, Side};
use crate::operation::Region;
use crate::ulp::{
    Access, Detail, Emit, Event, FilePlace, Io, IoStatus, Memory, MessagePlace, Moved, Open,
    Requests, Send, Sent, Ulp, UlpItem, UpperLayer,
};
use std::borrow::Cow;
use std::sync::Arc;
use warpscope_wire::smb_direct::{
    BufferDescriptorView, DataMessageView, LEAST_FRAGMENTED_SIZE, LEAST_RECEIVE_SIZE,
    NegotiateRequestView, NegotiateResponseView, PrivateDataView, VERSION,
};
use warpscope_wire::smb2::{
    BodyView, Command, FileId, MessageView, PduView, Severity, severity, status, status_name, text,
};

/// The largest possible depth (RFC 6581 §9).
const DEPTH: u32 = 0x3fff;
/// Offset of the data in a message.
const DATA: usize = 24;
/// MessageId of a message that answers no request (MS-SMB2 §2.2.23).
const UNSOLICITED: u64 = u64::MAX;
/// A related request of a compound has this value in place of a session or a tree.
const SAME_SESSION: u64 = u64::MAX;
const SAME_TREE: u32 = u32::MAX;
/// The most descriptors of one request: 65535 bytes of them.
const DESCRIPTORS: usize = 4095;
const JOINED: &str = "Reassembled SMB2 message";

/// Returns whether the private data of a setup frame, without the four bytes of RFC 6581 §6, is of this
/// protocol. `from_initiator` says whether the initiator sent it, if known; `port` says whether an end has
/// the protocol's port.
///
/// No document defines its format: implementations send two depths, on the protocol's port.
pub(crate) fn recognises_private_data(
    bytes: &[u8],
    _from_initiator: Option<bool>,
    port: bool,
) -> bool {
    port && PrivateDataView::parse(bytes).is_ok_and(|(view, rest)| {
        let (ird, ord) = view.depths();
        rest.is_empty() && ird <= DEPTH && ord <= DEPTH
    })
}

/// Returns whether a complete Send is of this protocol: a Negotiate Request with all fields correct, or a
/// message with the start of an SMB2 message at its data offset.
pub(crate) fn recognises_send(bytes: &[u8], from_initiator: Option<bool>, _port: bool) -> bool {
    if let Ok((view, [])) = NegotiateRequestView::parse(bytes) {
        return from_initiator != Some(false) && is_request(&view);
    }
    let Ok((view, [])) = DataMessageView::parse(bytes) else { return false };
    view.header.data_offset() as usize == DATA && view.header.reserved() == 0 && begins(view.data)
}

fn is_request(view: &NegotiateRequestView<'_>) -> bool {
    (view.min_version(), view.max_version(), view.reserved()) == (VERSION, VERSION, 0)
        && view.credits_requested() > 0
        && view.max_receive_size() >= LEAST_RECEIVE_SIZE
        && view.max_fragmented_size() >= LEAST_FRAGMENTED_SIZE
}

fn is_response(view: &NegotiateResponseView<'_>) -> bool {
    let versions = (view.min_version(), view.max_version(), view.negotiated_version());
    versions == (VERSION, VERSION, VERSION) && view.reserved() == 0
}

/// The state kept of a request until its response.
#[derive(Debug, Clone)]
struct Asked {
    command: u16,
    /// The session and the tree.
    tree: (u64, u32),
    /// The path of the file; for a TREE_CONNECT, that of the share.
    path: Option<Arc<str>>,
    /// The file that it names.
    file: Option<FileId>,
    info: Option<(u8, u8)>,
}

/// What the requests of a compound take from the previous ones.
#[derive(Debug, Default)]
struct Compound {
    tree: (u64, u32),
    path: Option<Arc<str>>,
    file: Option<FileId>,
}

#[derive(Debug, Clone, Default)]
struct State {
    /// True once it has sent something, or may have.
    spoken: bool,
    /// True once it has sent a Negotiate Request.
    asked: bool,
    fragments: Fragments,
    /// Its Send Credits, if all grants and all its Sends were seen.
    credits: Option<i64>,
}

/// The state of a connection that carries SMB Direct.
#[derive(Debug, Clone, Default)]
pub(crate) struct Conversation {
    requests: Requests<Asked>,
    names: Names,
    sides: [State; 2],
    /// True if the setup was seen, so that the first Sends negotiate.
    fresh: bool,
}

impl UpperLayer for Conversation {
    fn boxed_clone(&self) -> Box<dyn UpperLayer> {
        Box::new(self.clone())
    }

    fn setup(&mut self, _: &Negotiation, _private_data: &[u8], _sender: Side) {
        self.fresh = true;
    }

    fn moved(&mut self, moved: &Moved<'_>, sent: &Sent, _emit: &mut Emit<'_>) -> bool {
        self.requests.moved(moved, sent)
    }

    fn send(&mut self, send: &Send<'_>, sent: &Sent, emit: &mut Emit<'_>) {
        if send.bytes.is_empty() {
            // What makes a peer-to-peer connection ready (RFC 6581 §9).
            return;
        }
        let side = sent.side;
        let report = |detail: Message<'_>, whole: bool, emit: &mut Emit<'_>| {
            let place = MessagePlace::InSend(0);
            let item = UlpItem {
                sender: side,
                bytes: send.bytes,
                place,
                whole,
                io: None,
                detail: Detail::SmbDirect(detail),
            };
            emit(Event::Message(&item));
        };
        let first = !std::mem::replace(&mut self.sides[side.index()].spoken, true);
        if first
            && send.whole
            && let Some(message) = self.negotiation(send.bytes, sent)
        {
            return report(message, true, emit);
        }
        let parsed = DataMessageView::parse(send.bytes);
        let view = match parsed {
            Ok((view, _)) if send.whole => view,
            other => {
                self.lost(side);
                if let (Err(malformed), true) = (other, send.whole) {
                    report(Message::Malformed(malformed), true, emit);
                }
                return;
            }
        };
        let credits = self.spend(side, view.header.credits_granted().into());
        let frame = sent.moment.frame;
        let step = self.sides[side.index()].fragments.take(&view, frame);
        let joined = match &step {
            Step::Joined { bytes, frames, whole: true } => Some((&frames[..], bytes.len())),
            _ => None,
        };
        report(Message::Data { view, credits, joined }, true, emit);
        match step {
            Step::Alone(bytes) => {
                let place = MessagePlace::InSend(view.header.data_offset() as usize);
                self.compound(bytes, place, sent, emit);
            }
            Step::Joined { bytes, whole: true, .. } => {
                self.compound(&bytes, MessagePlace::Joined(JOINED), sent, emit);
            }
            Step::Joined { .. } | Step::Tail => self.requests.lost(),
            Step::Nothing | Step::Fragment => {}
        }
    }

    fn lost(&mut self, side: Side) {
        self.requests.lost();
        let state = &mut self.sides[side.index()];
        state.fragments.lost();
        // The missing bytes may contain its first Send.
        state.spoken = true;
        self.sides.iter_mut().for_each(|state| state.credits = None);
    }

    fn awaits(&self, requester: Side) -> bool {
        self.requests.awaits(requester, |_| false)
    }

    fn finish(&mut self, emit: &mut Emit<'_>) {
        self.requests.finish(emit);
    }

    fn buffered(&self) -> usize {
        let fragments: usize = self.sides.iter().map(|state| state.fragments.buffered()).sum();
        self.requests.buffered() + self.names.buffered() + fragments
    }

    fn release(&mut self) {
        self.requests.release();
        self.sides.iter_mut().for_each(|state| state.fragments.release());
    }
}

impl Conversation {
    /// Parses a side's first Send, which is the negotiation.
    fn negotiation<'a>(&mut self, bytes: &'a [u8], sent: &Sent) -> Option<Message<'a>> {
        let client = sent.initiator.map(|initiator| initiator == sent.side);
        if let Ok((view, [])) = NegotiateRequestView::parse(bytes)
            && client != Some(false)
            && (self.fresh || is_request(&view))
        {
            self.sides[sent.side.index()].asked = true;
            return Some(Message::NegotiateRequest(view));
        }
        let (view, []) = NegotiateResponseView::parse(bytes).ok()? else { return None };
        if client == Some(true) || !(self.fresh || is_response(&view)) {
            return None;
        }
        let client = sent.side.peer().index();
        if self.sides[client].asked {
            self.sides[client].credits = Some(view.credits_granted().into());
            self.sides[sent.side.index()].credits = Some(0);
        }
        Some(Message::NegotiateResponse(view))
    }

    /// Uses a credit of a message's sender, and grants some to the peer; returns what the sender has left.
    fn spend(&mut self, side: Side, granted: i64) -> Option<i64> {
        if let Some(credits) = &mut self.sides[side.peer().index()].credits {
            *credits = credits.saturating_add(granted);
        }
        let credits = self.sides[side.index()].credits.as_mut()?;
        *credits = credits.saturating_sub(1);
        Some(*credits)
    }

    /// Processes an upper message: one or several SMB2 messages.
    fn compound(&mut self, bytes: &[u8], place: MessagePlace, sent: &Sent, emit: &mut Emit<'_>) {
        let (mut rest, mut at) = (bytes, 0);
        let mut compound = Compound::default();
        while !rest.is_empty() {
            let place = match place {
                MessagePlace::InSend(start) => MessagePlace::InSend(start + at),
                joined @ MessagePlace::Joined(_) => joined,
            };
            let (pdu, next) = match PduView::parse(rest) {
                Ok(parsed) => parsed,
                Err(malformed) => {
                    self.requests.lost();
                    return upper(Upper::Malformed(malformed), rest, place, sent, emit);
                }
            };
            let taken = rest.get(..rest.len() - next.len()).unwrap_or(rest);
            match pdu {
                PduView::Message(view) if view.header.flag_set().response() => {
                    self.response(view, place, sent, emit);
                }
                PduView::Message(view) => self.request(view, place, &mut compound, sent, emit),
                PduView::Encrypted(header, data) => {
                    upper(Upper::Encrypted(header, data), taken, place, sent, emit);
                }
                PduView::Compressed(header, data) => {
                    upper(Upper::Compressed(header, data), taken, place, sent, emit);
                }
            }
            at += taken.len();
            rest = next;
        }
    }

    fn request(
        &mut self,
        view: MessageView<'_>,
        place: MessagePlace,
        compound: &mut Compound,
        sent: &Sent,
        emit: &mut Emit<'_>,
    ) {
        let header = view.header;
        let body = view.body().ok();
        let related = header.flag_set().related();
        let tree = match (header.session_id(), header.tree_id()) {
            (SAME_SESSION, tree) if related && tree != SAME_TREE => (compound.tree.0, tree),
            (session, SAME_TREE) if related && session != SAME_SESSION => {
                (session, compound.tree.1)
            }
            (SAME_SESSION, SAME_TREE) if related => compound.tree,
            other => other,
        };
        compound.tree = tree;
        let file = body.as_ref().and_then(BodyView::file_id);
        let path: Option<Arc<str>> = match &body {
            Some(BodyView::CreateRequest(body)) => {
                let (offset, length) = (body.name_offset().into(), body.name_length().into());
                compound.file = None;
                view.part("name", offset, length).ok().map(|name| text(name).into())
            }
            Some(BodyView::TreeConnectRequest(body)) => {
                let (offset, length) = (body.path_offset().into(), body.path_length().into());
                view.part("path", offset, length).ok().map(|path| text(path).into())
            }
            _ => match file {
                Some(FileId::RELATED) if related => compound.path.clone(),
                Some(file) => self.names.file(file).cloned(),
                None => None,
            },
        };
        compound.path = path.clone();
        compound.file = file.filter(|file| *file != FileId::RELATED).or(compound.file);
        let info = match &body {
            Some(BodyView::QueryInfoRequest(body)) => {
                Some((body.info_type(), body.information_class()))
            }
            Some(BodyView::SetInfoRequest(body)) => {
                Some((body.info_type(), body.information_class()))
            }
            Some(BodyView::QueryDirectoryRequest(body)) => {
                Some((DIRECTORY, body.information_class()))
            }
            _ => None,
        };
        let share = self.names.share(tree.0, tree.1);
        let connects = matches!(body, Some(BodyView::TreeConnectRequest(_)));
        let exchange = Exchange {
            request: None,
            share: share.map(|share| (&*share.path, share.kind, share.frame)),
            file: path.as_deref().filter(|_| !connects),
            info,
        };
        let detail = plain(view, exchange);
        let item =
            UlpItem { sender: sent.side, bytes: view.bytes, place, whole: true, io: None, detail };
        if header.command() == Command::Cancel as u16 {
            // It gets no response of its own.
            return emit(Event::Message(&item));
        }
        let mut io = Io::new(Ulp::SmbDirect, sent.side, header.message_id(), Some(sent.mark()));
        io.operation = operation(header.command());
        io.object = object(share, path.as_deref(), connects);
        let mut memories = Vec::new();
        let mut inline: &[u8] = &[];
        match &body {
            Some(BodyView::ReadRequest(body)) => {
                io.access = Some(Access::Read);
                io.length = Some(body.length().into());
                io.file = file_place(&io.object, path.as_deref(), body.offset());
                add_offset(&mut io.object, body.offset());
                let place = (body.channel_info_offset(), body.channel_info_length());
                memories = descriptors(&view, body.channel(), place, false);
            }
            Some(BodyView::WriteRequest(body)) => {
                io.access = Some(Access::Write);
                let channel = if body.channel() == 0 { 0 } else { body.remaining_bytes() };
                io.length = Some(u64::from(body.length()) + u64::from(channel));
                io.file = file_place(&io.object, path.as_deref(), body.offset());
                add_offset(&mut io.object, body.offset());
                let place = (body.channel_info_offset(), body.channel_info_length());
                memories = descriptors(&view, body.channel(), place, true);
                let data = view.part("data", body.data_offset().into(), body.length());
                inline = data.unwrap_or(&[]);
            }
            _ => {}
        }
        let kept = Asked {
            command: header.command(),
            tree,
            path: path.clone(),
            file: compound.file,
            info,
        };
        let open = self.requests.begin(io, memories, kept, emit);
        open.inline(inline, true);
        emit(Event::Message(&UlpItem { io: Some(&open.io), ..item }));
    }

    fn response(
        &mut self,
        view: MessageView<'_>,
        place: MessagePlace,
        sent: &Sent,
        emit: &mut Emit<'_>,
    ) {
        let header = view.header;
        let requester = sent.side.peer();
        let mut item = UlpItem {
            sender: sent.side,
            bytes: view.bytes,
            place,
            whole: true,
            io: None,
            detail: plain(view, Exchange::default()),
        };
        let identifier = header.message_id();
        let unsolicited = identifier == UNSOLICITED;
        let interim = header.status() == status::PENDING && header.flag_set().asynchronous();
        if interim || unsolicited {
            let open = self.requests.find(requester, identifier).filter(|_| !unsolicited);
            if let Some(open) = open {
                let share = self.names.share(open.detail.tree.0, open.detail.tree.1);
                let exchange = exchange(&open.io, &open.detail, share);
                item.detail = plain(view, exchange);
                item.io = Some(&open.io);
                return emit(Event::Message(&item));
            }
            return emit(Event::Message(&item));
        }
        let Some(mut open) = self.requests.end(requester, identifier) else {
            let share = self.names.share(header.session_id(), header.tree_id());
            let share = share.map(|share| (&*share.path, share.kind, share.frame));
            let exchange = Exchange { share, ..Exchange::default() };
            item.detail = plain(view, exchange);
            return emit(Event::Message(&item));
        };
        let body = view.body().ok();
        complete(&mut open, &view, body.as_ref(), sent);
        let share = self.names.share(open.detail.tree.0, open.detail.tree.1);
        let exchange = exchange(&open.io, &open.detail, share);
        item.detail = plain(view, exchange);
        item.io = Some(&open.io);
        emit(Event::Message(&item));
        self.remember(&view, body.as_ref(), &open.detail, sent);
        open.hand_up(emit);
    }

    /// Records shares and files that are opened or closed by a response.
    fn remember(
        &mut self,
        view: &MessageView<'_>,
        body: Option<&BodyView<'_>>,
        detail: &Asked,
        sent: &Sent,
    ) {
        if view.header.status() != status::SUCCESS {
            return;
        }
        let path = || detail.path.clone().unwrap_or_else(|| "".into());
        match body {
            Some(BodyView::TreeConnectResponse(body)) => {
                let (session, tree) = (view.header.session_id(), view.header.tree_id());
                let frame = sent.moment.frame;
                let share = Share { path: path(), kind: body.share_type(), frame };
                self.names.connect(session, tree, share);
            }
            Some(BodyView::CreateResponse(body)) => self.names.open(body.file_id(), path()),
            Some(BodyView::CloseResponse(_)) => {
                if let Some(file) = detail.file {
                    self.names.close(file);
                }
            }
            Some(BodyView::Plain(_)) if detail.command == Command::TreeDisconnect as u16 => {
                self.names.disconnect(detail.tree.0, detail.tree.1);
            }
            _ => {}
        }
    }
}

/// Delivers a message of which nothing more is known.
fn upper(upper: Upper<'_>, bytes: &[u8], place: MessagePlace, sent: &Sent, emit: &mut Emit<'_>) {
    let detail = Detail::SmbDirect(Message::Upper { upper, exchange: Exchange::default() });
    let item = UlpItem { sender: sent.side, bytes, place, whole: true, io: None, detail };
    emit(Event::Message(&item));
}

fn plain<'a>(view: MessageView<'a>, exchange: Exchange<'a>) -> Detail<'a> {
    Detail::SmbDirect(Message::Upper { upper: Upper::Plain(view), exchange })
}

/// Combines what a response and its request say.
fn exchange<'a>(io: &Io, detail: &'a Asked, share: Option<&'a Share>) -> Exchange<'a> {
    let connects = detail.command == Command::TreeConnect as u16;
    Exchange {
        request: io.requested,
        share: share.filter(|_| !connects).map(|share| (&*share.path, share.kind, share.frame)),
        file: detail.path.as_deref().filter(|_| !connects),
        info: detail.info,
    }
}

/// Records what a response says.
fn complete(
    open: &mut Open<Asked>,
    view: &MessageView<'_>,
    body: Option<&BodyView<'_>>,
    sent: &Sent,
) {
    open.io.completed = Some(sent.mark());
    let code = view.header.status();
    let more = code == status::MORE_PROCESSING_REQUIRED;
    open.io.status = Some(IoStatus {
        code,
        words: status_name(code).map_or_else(|| format!("0x{code:08x}").into(), Cow::Borrowed),
        failed: severity(code) == Severity::Error && !more,
    });
    if let Some(BodyView::ReadResponse(body)) = body
        && let Ok(data) = view.part("data", body.data_offset().into(), body.data_length())
    {
        open.inline(data, false);
    }
}

/// Returns the memory described by a READ or a WRITE.
fn descriptors(
    view: &MessageView<'_>,
    channel: u32,
    (offset, length): (u16, u16),
    readable: bool,
) -> Vec<Memory> {
    // Channel 3 has transforms around its descriptors.
    if !matches!(channel, 1 | 2) {
        return Vec::new();
    }
    let mut rest = view.part("channel info", offset.into(), length.into()).unwrap_or(&[]);
    let mut memories = Vec::new();
    while let Ok((descriptor, next)) = BufferDescriptorView::parse(rest)
        && memories.len() < DESCRIPTORS
    {
        let region = Region {
            steering_tag: descriptor.token(),
            tagged_offset: descriptor.offset(),
            length: descriptor.length().into(),
        };
        memories.push(Memory::new(region, readable));
        rest = next;
    }
    memories
}

/// Returns the name of a request.
fn operation(command: u16) -> Cow<'static, str> {
    const NAMES: [&str; 19] = [
        "SMB2 NEGOTIATE",
        "SMB2 SESSION_SETUP",
        "SMB2 LOGOFF",
        "SMB2 TREE_CONNECT",
        "SMB2 TREE_DISCONNECT",
        "SMB2 CREATE",
        "SMB2 CLOSE",
        "SMB2 FLUSH",
        "SMB2 READ",
        "SMB2 WRITE",
        "SMB2 LOCK",
        "SMB2 IOCTL",
        "SMB2 CANCEL",
        "SMB2 ECHO",
        "SMB2 QUERY_DIRECTORY",
        "SMB2 CHANGE_NOTIFY",
        "SMB2 QUERY_INFO",
        "SMB2 SET_INFO",
        "SMB2 OPLOCK_BREAK",
    ];
    let name = NAMES.get(usize::from(command)).copied();
    name.map_or_else(|| format!("SMB2 command {command}").into(), Cow::Borrowed)
}

/// Returns what a request is about: the path of a share, or of a file in it.
fn object(share: Option<&Share>, path: Option<&str>, connects: bool) -> String {
    let share = share.map(|share| &*share.path).filter(|_| !connects);
    match (share, path) {
        (Some(share), Some(path)) if !path.is_empty() => format!("{share}\\{path}"),
        (Some(share), _) => share.to_owned(),
        (None, Some(path)) => path.to_owned(),
        (None, None) => String::new(),
    }
}

/// Returns the place of the data of a READ or a WRITE.
fn file_place(object: &str, path: Option<&str>, offset: u64) -> Option<FilePlace> {
    let name = path?.rsplit('\\').next()?.to_owned();
    Some(FilePlace { handle: object.as_bytes().to_vec(), name, offset })
}

fn add_offset(object: &mut String, offset: u64) {
    let separator = if object.is_empty() { "" } else { ", " };
    *object += &format!("{separator}offset {offset}");
}
