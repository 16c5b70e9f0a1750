//! Setting a stream up.

use super::player::{Later, Playing};
use crate::case::step::{Connect, FieldValue, SetupEnd};
use crate::case::{Record, Role};
use crate::engine::expect::{Expectation, FieldMatch, Matcher, Pattern, SetupPattern};
use crate::engine::{Bits, Delivery, LinkOptions, MessageOut, Part, SetupSeen};
use crate::layout::Given as FieldGiven;
use crate::run::{Action, AnswerMatch, Scene};
use std::time::Duration;
use warpscope_wire::test_ulp::{
    Documents, Given, Order, PackingCode, Purpose, StreamOptions, Switches,
};

/// Receives that a target posts where the case says nothing (the case orders them), and the room in each.
const RECEIVES: (u64, u64) = (0, 4096);
/// How long a setup may take.
const SETUP: Duration = Duration::from_secs(5);
/// What no IRD or ORD says (RFC 6581 §9.1).
const OPEN_DEPTH: u64 = 0x3fff;

/// Whether the target must be told how it is to accept the stream.
pub(super) fn prepares(connect: &Connect) -> bool {
    connect.only_tcp
        || !connect.theirs.arguments.is_empty()
        || connect.ours.argument("private_data").is_some()
        || !connect.fields.is_empty()
}

/// Whether our frame has enhanced data.
fn enhances(ours: &Record) -> bool {
    ours.flag("enhanced").unwrap_or(false)
        || ["peer_to_peer", "ird", "ord"].iter().any(|key| ours.argument(key).is_some())
}

/// Whether a request asks for enhanced data: S, in revision 2 (RFC 6581 section 6).
fn asks_enhanced(request: &SetupSeen) -> bool {
    request.revision() >= 2 && Bits::new(131, 1).read(&request.bytes) == Some(1)
}

impl Playing<'_> {
    /// The actions of a connect.
    pub(super) fn connect(
        &mut self,
        stream: u32,
        connect: &Connect,
        scene: &Scene<'_>,
    ) -> Result<(), String> {
        let segment_size = connect.segment_size.as_ref();
        let segment_size = segment_size.map(|it| self.number(it, stream, scene)).transpose()?;
        let segment_size = segment_size.map(|it| it as u32);
        let link = LinkOptions { segment_size, ..LinkOptions::default() };
        let agent = scene.capabilities.has("agent");
        let (options, private_data) = self.options(stream, connect, scene)?;
        if self.script.instance.role == Role::Responder {
            let options = Box::new(options);
            self.queue.push_back(match connect.theirs.text("task") {
                Some(task) => Action::Launch { stream, link, task: task.to_owned() },
                None if connect.again => Action::AcceptAgain { stream, link },
                None => Action::Accept { stream, link, options, private_data },
            });
            if !connect.only_tcp {
                let request = SetupPattern { reply: Some(false), ..SetupPattern::default() };
                self.expect_one(stream, Pattern::Setup(request));
                match connect.theirs.text("task") {
                    // The reply is of the revision that the request turns out to have.
                    Some(_) => self.then(Later::Reply(stream, Box::new(connect.clone()))),
                    None => self.frame(stream, connect, true, scene)?,
                }
            }
            self.then(Later::Buffers(stream));
            return Ok(());
        }
        let differ = self.script.other_documents(scene.capabilities);
        if agent && (prepares(connect) || differ) {
            let order = Box::new(Order::Prepare(options, private_data));
            let (name, answer) = (String::new(), AnswerMatch::Needed);
            self.queue.push_back(Action::Order { name, order, answer });
        }
        self.queue.push_back(Action::Connect { stream, link });
        if connect.only_tcp {
            self.then(Later::Buffers(stream));
            return Ok(());
        }
        self.frame(stream, connect, false, scene)?;
        let reply = |rejected: u64| {
            let field = FieldMatch::new("R", Bits::new(130, 1), Matcher::Is(rejected));
            let fields = vec![field];
            Pattern::Setup(SetupPattern { fields, reply: Some(true), private_data: None })
        };
        match connect.ends {
            SetupEnd::Accepted => self.expect_one(stream, reply(0)),
            SetupEnd::Rejected => self.expect_one(stream, reply(1)),
            SetupEnd::Closed => self.expect_one(stream, Pattern::Closed),
            SetupEnd::Any => {}
        }
        if connect.ends == SetupEnd::Accepted && connect.ours.flag("peer_to_peer") == Some(true) {
            self.then(Later::Ready(stream));
        }
        self.then(Later::Buffers(stream));
        Ok(())
    }

    fn expect_one(&mut self, stream: u32, pattern: Pattern) {
        let expectation = Expectation::next(vec![pattern], SETUP);
        self.queue.push_back(Action::Expect { stream, expectation });
    }

    /// The runner's setup frame.
    pub(super) fn frame(
        &mut self,
        stream: u32,
        connect: &Connect,
        reply: bool,
        scene: &Scene<'_>,
    ) -> Result<(), String> {
        let ours = &connect.ours;
        let flag = |key: &str, usual: bool| u64::from(ours.flag(key).unwrap_or(usual));
        let asked = || scene.link(stream).and_then(|link| link.peer_setup()).map(asks_enhanced);
        let enhanced = enhances(ours) || (reply && asked() == Some(true));
        let name = match (reply, enhanced) {
            (false, false) => "mpa_request",
            (true, false) => "mpa_reply",
            (false, true) => "mpa_enhanced_request",
            (true, true) => "mpa_enhanced_reply",
        };
        let mut given: Vec<(String, FieldGiven)> = Vec::new();
        let mut put = |name: &str, value: u64| {
            given.push((name.to_owned(), FieldGiven::Number(value)));
        };
        put("markers_required", flag("markers", false));
        put("crc_wanted", flag("crc", true));
        put("rejected_connection", flag("reject", false));
        if let Some(revision) = ours.number("revision") {
            put("revision", self.number(revision, stream, scene)?);
        }
        if enhanced {
            let depth = |key: &str| match ours.number(key) {
                Some(value) => self.number(value, stream, scene),
                None => Ok(OPEN_DEPTH),
            };
            put("inbound_read_queue_depth", depth("ird")?);
            put("outbound_read_queue_depth", depth("ord")?);
            put("control_flag_a", flag("peer_to_peer", false));
            for (word, field) in [
                ("send", "control_flag_b"),
                ("write", "control_flag_c"),
                ("read", "control_flag_d"),
            ] {
                put(field, u64::from(ours.words("ready_to_receive").contains(&word)));
            }
        }
        for (name, value) in &connect.fields {
            given.push((name.clone(), self.given(value, stream, scene)?));
        }
        let private_data = match ours.bytes("private_data") {
            Some(bytes) => self.bytes(bytes, stream, scene)?,
            None if reply => Vec::new(),
            None => {
                let (receives, size) = self.receives(stream, ours, scene)?;
                scene.greeting(stream, receives as u16, size as u32)
            }
        };
        let message = self.script.layouts.message(name).ok_or("there is no such frame")?;
        let bytes = message.compose(&given, &private_data).map_err(|error| error.to_string())?;
        let (parts, delivery) = (vec![Part::Frame(bytes)], Delivery::default());
        self.queue.push_back(Action::Send { stream, parts, delivery });
        Ok(())
    }

    fn receives(
        &self,
        stream: u32,
        ours: &Record,
        scene: &Scene<'_>,
    ) -> Result<(u64, u64), String> {
        let number = |key: &str, usual: u64| match ours.number(key) {
            Some(value) => self.number(value, stream, scene),
            None => Ok(usual),
        };
        Ok((number("receives", RECEIVES.0)?, number("receive_size", RECEIVES.1)?))
    }

    /// What the target is told of the stream, and its private data.
    fn options(
        &self,
        stream: u32,
        connect: &Connect,
        scene: &Scene<'_>,
    ) -> Result<(StreamOptions, Vec<u8>), String> {
        let theirs = &connect.theirs;
        let (mut given, mut switches) = (Given::NONE, Switches::NONE);
        for (key, counts, switch) in [
            ("crc", Given::CRC, Switches::CRC),
            ("markers", Given::MARKERS, Switches::MARKERS),
            ("enhanced", Given::ENHANCED, Switches::ENHANCED),
            ("peer_to_peer", Given::PEER_TO_PEER, Switches::PEER_TO_PEER),
            ("reject", Given::NONE, Switches::REJECT),
            ("fall_back", Given::NONE, Switches::FALL_BACK),
            ("half_open", Given::NONE, Switches::HALF_OPEN),
        ] {
            if let Some(on) = theirs.flag(key) {
                given = given | counts;
                switches = switches.with(switch, on);
            }
        }
        if theirs.argument("ready_to_receive").is_some() {
            given = given | Given::READY_TO_RECEIVE;
            for (word, switch) in [
                ("send", Switches::READY_SEND),
                ("write", Switches::READY_WRITE),
                ("read", Switches::READY_READ),
            ] {
                let on = theirs.words("ready_to_receive").contains(&word);
                switches = switches.with(switch, on);
            }
        }
        let mut number = |key: &str, counts: Given| -> Result<u64, String> {
            let Some(value) = theirs.number(key) else { return Ok(0) };
            given = given | counts;
            self.number(value, stream, scene)
        };
        let mut revision = number("revision", Given::REVISION)? as u16;
        let ird = number("ird", Given::IRD | Given::DEPTHS)? as u16;
        let ord = number("ord", Given::ORD | Given::DEPTHS)? as u16;
        let required_ord = number("required_ord", Given::REQUIRED_ORD)? as u16;
        let protection_domain = number("protection_domain", Given::PROTECTION_DOMAIN)? as u32;
        let longest_ulpdu = number("longest_ulpdu", Given::LONGEST_ULPDU)? as u16;
        switches = switches.with(Switches::DEPTHS, given.contains(Given::DEPTHS));
        let packing = match theirs.word("packing") {
            Some("shared") => PackingCode::Several,
            Some("anywhere") => PackingCode::Unaligned,
            _ => PackingCode::One,
        };
        if theirs.word("packing").is_some() {
            given = given | Given::PACKING;
        }
        let told = scene.capabilities.told;
        let documents = if told.is_some_and(|told| told.default_documents != self.script.documents)
        {
            given = given | Given::DOCUMENTS;
            self.script.documents
        } else {
            Documents::NONE
        };
        let responds = self.script.instance.role == Role::Responder;
        if responds && !given.contains(Given::REVISION) && !given.contains(Given::ENHANCED) {
            // The request is of the revision that the runner's reply has.
            let enhanced = enhances(&connect.ours);
            revision = if enhanced { 2 } else { 1 };
            given = given | Given::REVISION | Given::ENHANCED;
            switches = switches.with(Switches::ENHANCED, enhanced);
        }
        let private_data = match theirs.bytes("private_data") {
            Some(bytes) => {
                given = given | Given::PRIVATE_DATA;
                self.bytes(bytes, stream, scene)?
            }
            None => Vec::new(),
        };
        let (receives, size) = self.receives(stream, &connect.ours, scene)?;
        let delay = theirs.time("delay").unwrap_or_default().as_millis() as u32;
        let options = StreamOptions {
            given,
            switches,
            revision,
            ird,
            ord,
            required_ord,
            protection_domain,
            stream,
            delay,
            purpose: Purpose::Bare,
            private_data_length: private_data.len() as u16,
            longest_ulpdu,
            packing,
            receives: receives as u32,
            receive_size: size as u32,
            documents,
        };
        Ok((options, private_data))
    }

    /// Sends the indication that the reply asks for: a Send, a Write or a Read of no bytes (RFC 6581
    /// §9.2).
    pub(super) fn ready_to_receive(&mut self, stream: u32, scene: &Scene<'_>) {
        let setup = scene.link(stream).and_then(|link| link.peer_setup());
        let data = setup.map(|setup| setup.private_data()).unwrap_or_default();
        let flag = |bit: usize| Bits::new(bit, 1).read(data) == Some(1);
        let message = if flag(1) {
            MessageOut::send(b"")
        } else if flag(16) {
            MessageOut::write(0, 0, b"")
        } else if flag(17) {
            MessageOut::read_request((0, 0), 0, (0, 0))
        } else {
            return;
        };
        let (parts, delivery) = (vec![Part::message(message)], Delivery::default());
        self.queue.push_back(Action::Send { stream, parts, delivery });
    }

    /// A field's value as the layouts take it.
    pub(super) fn given(
        &self,
        value: &FieldValue,
        stream: u32,
        scene: &Scene<'_>,
    ) -> Result<FieldGiven, String> {
        Ok(match value {
            FieldValue::Number(value) => FieldGiven::Number(self.number(value, stream, scene)?),
            FieldValue::Bytes(bytes) => FieldGiven::Bytes(self.bytes(bytes, stream, scene)?),
            FieldValue::List(elements) => {
                let element = |fields: &Vec<(String, FieldValue)>| {
                    let field = |(name, value): &(String, FieldValue)| {
                        Ok((name.clone(), self.given(value, stream, scene)?))
                    };
                    fields.iter().map(field).collect::<Result<Vec<_>, String>>()
                };
                FieldGiven::List(elements.iter().map(element).collect::<Result<_, _>>()?)
            }
        })
    }
}
