//! Sets a stream up.

use super::control::greeting_bytes;
use super::executor::{Executor, Stop};
use crate::case::step::{Connect, FieldValue, SetupEnd};
use crate::case::{Record, Role};
use crate::judge::{Expectation, Pattern, SetupPattern};
use crate::layout::Given as FieldGiven;
use crate::stream::{Bits, MessageOut, Part, SetupSeen};
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
/// Indications (RFC 6581 §9.2): the case's word, the field of our frame, the target's switch.
const INDICATIONS: [(&str, &str, Switches); 3] = [
    ("send", "control_flag_b", Switches::READY_SEND),
    ("write", "control_flag_c", Switches::READY_WRITE),
    ("read", "control_flag_d", Switches::READY_READ),
];

/// Whether our frame has enhanced data.
fn is_enhanced(ours: &Record) -> bool {
    ours.flag("enhanced").unwrap_or(false)
        || ["peer_to_peer", "ird", "ord"].iter().any(|key| ours.argument(key).is_some())
}

/// Whether a request asks for enhanced data: S, in revision 2 (RFC 6581 section 6).
fn asks_enhanced(request: &SetupSeen) -> bool {
    request.revision() >= 2 && Bits::new(131, 1).read(&request.bytes) == Some(1)
}

impl Executor<'_> {
    pub(super) fn connect(&mut self, stream: u32, connect: &Connect) -> Result<(), Stop> {
        let (options, private_data) = self.stream_options(stream, connect)?;
        if self.instance.role == Role::Responder {
            self.accept(stream, connect, options, private_data)?;
        } else {
            let agent = self.capabilities.has("agent");
            let differ = self.instance.changes_documents(self.capabilities);
            if agent && (connect.prepares() || differ) {
                self.session.need(&Order::Prepare(options, private_data))?;
            }
            let segment_size = self.optional_number(connect.segment_size.as_ref(), stream)?;
            self.session.connect(stream, segment_size.map(|it| it as u32))?;
            if !connect.only_tcp {
                self.request(stream, connect)?;
            }
        }
        self.offer_buffers(stream)
    }

    /// Takes the connection that the target opens, and answers its request.
    fn accept(
        &mut self,
        stream: u32,
        connect: &Connect,
        options: StreamOptions,
        private_data: Vec<u8>,
    ) -> Result<(), Stop> {
        let task = connect.theirs.text("task");
        match (task, &self.listener) {
            (Some(task), _) => self.session.launch(stream, task)?,
            (None, Some(listener)) if connect.again => self.session.accept(stream, listener)?,
            (None, None) if connect.again => {
                return Err("the target was not told to open a stream before".into());
            }
            (None, _) => {
                let (listener, address) = self.session.listener()?;
                self.session.need(&Order::Open(options, private_data, address))?;
                self.session.accept(stream, &listener)?;
                self.listener = Some(listener);
            }
        }
        if connect.only_tcp {
            return Ok(());
        }
        self.expect_setup(stream, Pattern::Setup(SetupPattern { reply: false, rejected: None }))?;
        // The reply to a requester is of the revision that its request has.
        let asked = self.raw(stream).and_then(|raw| raw.peer_setup()).is_some_and(asks_enhanced);
        self.setup_frame(stream, connect, true, task.is_some() && asked)
    }

    /// Sends the request, and demands the end of the setup that the case says.
    fn request(&mut self, stream: u32, connect: &Connect) -> Result<(), Stop> {
        self.setup_frame(stream, connect, false, false)?;
        let reply =
            |rejected| Pattern::Setup(SetupPattern { reply: true, rejected: Some(rejected) });
        match connect.ends {
            SetupEnd::Accepted => self.expect_setup(stream, reply(false))?,
            SetupEnd::Rejected => self.expect_setup(stream, reply(true))?,
            SetupEnd::Closed => self.expect_setup(stream, Pattern::Closed)?,
            SetupEnd::Any => {}
        }
        if connect.ends == SetupEnd::Accepted && connect.ours.flag("peer_to_peer") == Some(true) {
            self.ready_to_receive(stream)?;
        }
        Ok(())
    }

    fn expect_setup(&mut self, stream: u32, pattern: Pattern) -> Result<(), Stop> {
        self.expect(stream, &Expectation::next(vec![pattern], SETUP))
    }

    /// Sends the runner's setup frame.
    fn setup_frame(
        &mut self,
        stream: u32,
        connect: &Connect,
        reply: bool,
        asked_enhanced: bool,
    ) -> Result<(), Stop> {
        let ours = &connect.ours;
        let enhanced = is_enhanced(ours) || asked_enhanced;
        let name = match (reply, enhanced) {
            (false, false) => "mpa_request",
            (true, false) => "mpa_reply",
            (false, true) => "mpa_enhanced_request",
            (true, true) => "mpa_enhanced_reply",
        };
        let flag = |key: &str, usual: bool| u64::from(ours.flag(key).unwrap_or(usual));
        let mut given = vec![
            ("markers_required", flag("markers", false)),
            ("crc_wanted", flag("crc", true)),
            ("rejected_connection", flag("reject", false)),
        ];
        if let Some(revision) = self.optional_number(ours.number("revision"), stream)? {
            given.push(("revision", revision));
        }
        if enhanced {
            for (key, field) in
                [("ird", "inbound_read_queue_depth"), ("ord", "outbound_read_queue_depth")]
            {
                let depth = self.optional_number(ours.number(key), stream)?;
                given.push((field, depth.unwrap_or(OPEN_DEPTH)));
            }
            given.push(("control_flag_a", flag("peer_to_peer", false)));
            let words = ours.words("ready_to_receive");
            given.extend(INDICATIONS.map(|(word, field, _)| (field, words.contains(&word).into())));
        }
        let mut given: Vec<(String, FieldGiven)> = given
            .into_iter()
            .map(|(name, value)| (name.to_owned(), FieldGiven::Number(value)))
            .collect();
        given.extend(self.given_fields(&connect.fields, stream)?);
        let private_data = match ours.bytes("private_data") {
            Some(bytes) => self.bytes(bytes, stream)?,
            None if reply || !self.capabilities.has("agent") => Vec::new(),
            None => {
                let (receives, size) = self.receives(stream, ours)?;
                let session = self.session.number();
                greeting_bytes(Purpose::Bare, session, stream, receives as u16, size as u32)
            }
        };
        let message = self.layouts.message(name).ok_or("there is no such frame")?;
        let bytes = message.compose(&given, &private_data).map_err(|error| error.to_string())?;
        self.send_parts(stream, &[Part::Frame(bytes)])
    }

    fn receives(&self, stream: u32, ours: &Record) -> Result<(u64, u64), String> {
        let number = |key: &str, usual: u64| {
            Ok::<_, String>(self.optional_number(ours.number(key), stream)?.unwrap_or(usual))
        };
        Ok((number("receives", RECEIVES.0)?, number("receive_size", RECEIVES.1)?))
    }

    /// What the target is told of the stream, and its private data.
    fn stream_options(
        &self,
        stream: u32,
        connect: &Connect,
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
            for (word, _, switch) in INDICATIONS {
                let on = theirs.words("ready_to_receive").contains(&word);
                switches = switches.with(switch, on);
            }
        }
        let mut number = |key: &str, counts: Given| -> Result<u64, String> {
            let Some(value) = theirs.number(key) else { return Ok(0) };
            given = given | counts;
            self.number(value, stream)
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
        let usual = self.capabilities.limits.map(|limits| limits.default_documents);
        let mut documents = Documents::NONE;
        if usual.is_some_and(|usual| usual != self.instance.documents()) {
            given = given | Given::DOCUMENTS;
            documents = self.instance.documents();
        }
        let responds = self.instance.role == Role::Responder;
        if responds && !given.contains(Given::REVISION) && !given.contains(Given::ENHANCED) {
            // The request is of the revision that the runner's reply has.
            let enhanced = is_enhanced(&connect.ours);
            revision = if enhanced { 2 } else { 1 };
            given = given | Given::REVISION | Given::ENHANCED;
            switches = switches.with(Switches::ENHANCED, enhanced);
        }
        let private_data = self.optional_bytes(theirs.bytes("private_data"), stream)?;
        if private_data.is_some() {
            given = given | Given::PRIVATE_DATA;
        }
        let private_data = private_data.unwrap_or_default();
        let (receives, size) = self.receives(stream, &connect.ours)?;
        let options = StreamOptions {
            given,
            switches,
            revision,
            ird,
            ord,
            required_ord,
            protection_domain,
            stream,
            delay: theirs.time("delay").unwrap_or_default().as_millis() as u32,
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
    pub(super) fn ready_to_receive(&mut self, stream: u32) -> Result<(), Stop> {
        let setup = self.raw(stream).and_then(|raw| raw.peer_setup());
        let data = setup.map(|setup| setup.private_data()).unwrap_or_default();
        let flag = |bit: usize| Bits::new(bit, 1).read(data) == Some(1);
        let message = if flag(1) {
            MessageOut::send(b"")
        } else if flag(16) {
            MessageOut::write(0, 0, b"")
        } else if flag(17) {
            MessageOut::read_request((0, 0), 0, (0, 0))
        } else {
            return Ok(());
        };
        self.send_parts(stream, &[Part::Message(message)])
    }

    /// Fields' values as the layouts take them.
    pub(super) fn given_fields(
        &self,
        fields: &[(String, FieldValue)],
        stream: u32,
    ) -> Result<Vec<(String, FieldGiven)>, String> {
        let field =
            |(name, value): &(String, FieldValue)| Ok((name.clone(), self.given(value, stream)?));
        fields.iter().map(field).collect()
    }

    pub(super) fn given(&self, value: &FieldValue, stream: u32) -> Result<FieldGiven, String> {
        Ok(match value {
            FieldValue::Number(value) => FieldGiven::Number(self.number(value, stream)?),
            FieldValue::Bytes(bytes) => FieldGiven::Bytes(self.bytes(bytes, stream)?),
            FieldValue::List(elements) => {
                let elements = elements.iter().map(|element| self.given_fields(element, stream));
                FieldGiven::List(elements.collect::<Result<_, String>>()?)
            }
        })
    }
}
