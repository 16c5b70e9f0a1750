//! Sets up streams.

use super::executor::{Executor, Stop};
use super::session::RunError;
use crate::case::abilities::is_enhanced;
use crate::case::step::{Connect, FieldValue, Matcher, MessagePattern, SetupEnd};
use crate::case::{Record, Role};
use crate::judge::{Expectation, Pattern, SetupPattern};
use crate::layout::Given as FieldGiven;
use crate::stream::{Bits, FpduStyle, MessageOut, Part, Received, SetupSeen, figure};
use std::time::{Duration, Instant};
use warpscope_agent::{Bytes, Indication, Method, Open, Prepare, StreamOptions};

/// The receives that a target posts if the case does not say (the case orders them), and their size in bytes.
const RECEIVES: (u64, u64) = (0, 4096);
/// How long a setup may take.
const SETUP: Duration = Duration::from_secs(5);
/// The value of an IRD or ORD that names no depth (RFC 6581 §9.1).
const OPEN_DEPTH: u64 = 0x3fff;
/// IRD and ORD of a stream that is set up with enhanced data because the target accepts no other.
const OFFERED_DEPTH: u64 = 16;
/// The position of the depths in enhanced data (RFC 6581 §9).
const IRD: Bits = Bits::new(2, 14);
const ORD: Bits = Bits::new(18, 14);
/// Control flag A of enhanced data: the peer-to-peer model (RFC 6581 §9.2).
const PEER_TO_PEER: Bits = Bits::new(0, 1);

/// A ready-to-receive indication (RFC 6581 §9.2).
struct Indicated {
    /// Its word in cases.
    word: &'static str,
    /// Its field in our frame.
    field: &'static str,
    /// Its position in enhanced data.
    flag: Bits,
    /// The name of its message in the layouts.
    message: &'static str,
}

/// The indications by their flags B, C and D.
const INDICATIONS: [Indicated; 3] = [
    Indicated { word: "send", field: "control_flag_b", flag: Bits::new(1, 1), message: "send" },
    Indicated {
        word: "write",
        field: "control_flag_c",
        flag: Bits::new(16, 1),
        message: "rdma_write",
    },
    Indicated {
        word: "read",
        field: "control_flag_d",
        flag: Bits::new(17, 1),
        message: "rdma_read_request",
    },
];
/// The indications by preference: our reply asks for the first that the request has, if the case names none.
/// A Write takes no number of a queue, but a Send takes one of those that most cases count.
const PREFERRED: [&str; 3] = ["write", "read", "send"];

/// Whether a connect of a case ends with an established stream.
fn sets_up(connect: &Connect) -> bool {
    let rejects = connect.ours.flag("reject") == Some(true);
    !connect.only_tcp && connect.ends == SetupEnd::Accepted && !rejects
}

/// Whether a request asks for enhanced data: S, in revision 2 (RFC 6581 section 6).
fn asks_enhanced(request: &SetupSeen) -> bool {
    request.revision() >= 2 && Bits::new(131, 1).read(&request.bytes) == Some(1)
}

/// Returns the enhanced data in a frame's private data, if its flag A is set.
fn peer_to_peer(setup: &SetupSeen) -> Option<&[u8]> {
    let data = Some(setup.private_data()).filter(|_| asks_enhanced(setup))?;
    (PEER_TO_PEER.read(data) == Some(1)).then_some(data)
}

/// Returns the indication that our reply asks for, from those in the request. If the request has none, this
/// is the first one, because one must be named.
fn preferred(request: &[u8]) -> &'static str {
    let has = |word: &&str| {
        INDICATIONS.iter().any(|it| it.word == *word && it.flag.read(request) == Some(1))
    };
    PREFERRED.into_iter().find(has).unwrap_or(PREFERRED[0])
}

impl Executor<'_> {
    pub(super) fn connect(&mut self, stream: u32, connect: &Connect) -> Result<(), Stop> {
        if self.instance.role == Role::Responder {
            self.accept(stream, connect)?;
        } else {
            let segment_size = self.optional_number(connect.segment_size.as_ref(), stream)?;
            if segment_size.is_some() && self.session.translated {
                return Err(RunError::SegmentSize.into());
            }
            let from = if self.capabilities.has("agent") {
                let port = self.session.own_port()?;
                let (from, options) = (port.address, self.stream_options(stream, connect)?);
                self.session.need(Method::Prepare(Prepare { from, options }))?;
                Some(port)
            } else {
                None
            };
            self.session.connect(stream, from, segment_size.map(|it| it as u32))?;
            if !connect.only_tcp {
                self.request(stream, connect)?;
            }
        }
        let sets_up = sets_up(connect);
        if sets_up {
            self.deep_enough(stream, connect)?;
        }
        if sets_up && self.capabilities.has("agent") {
            // Work is accepted once the target knows that the stream is established.
            let name = self.stream_name(stream);
            self.reports.await_setup(self.session, &name)?;
        }
        self.offer_buffers(stream)
    }

    /// Accepts the connection that the target opens, and answers its request.
    fn accept(&mut self, stream: u32, connect: &Connect) -> Result<(), Stop> {
        let task = connect.theirs.text("task");
        match (task, &self.listener) {
            (Some(task), _) => self.session.launch(stream, task)?,
            (None, Some(listener)) if connect.again => self.session.accept(stream, listener)?,
            (None, None) if connect.again => {
                return Err("the target was not asked to open a stream before this".into());
            }
            (None, _) => {
                let options = self.stream_options(stream, connect)?;
                let (listener, address, port) = self.session.listener()?;
                self.session.need(Method::Open(Open { address, port, options }))?;
                self.session.accept(stream, &listener)?;
                self.listener = Some(listener);
            }
        }
        if connect.only_tcp {
            let chosen = connect.theirs.number("revision").is_some();
            if chosen && !self.capabilities.has("revision") {
                self.await_request(stream);
                self.as_asked(stream, connect)?;
            }
            return Ok(());
        }
        self.expect_setup(stream, Pattern::Setup(SetupPattern { reply: false, rejected: None }))?;
        self.as_asked(stream, connect)?;
        if sets_up(connect) {
            self.deep_enough(stream, connect)?;
        }
        // The reply to an unrecognisable request has the request's revision.
        let asked = self.raw(stream).and_then(|raw| raw.peer_setup()).is_some_and(asks_enhanced);
        let free = task.is_some() || !self.capabilities.has("revision");
        let reply = self.setup_frame(stream, connect, true, free && asked)?;
        self.await_indication(stream, connect, &reply)
    }

    /// Waits for the indication, which is part of the setup (RFC 6581 §9.2), if the target asked for the
    /// peer-to-peer model, our reply has it too, and the case does not name it.
    fn await_indication(
        &mut self,
        stream: u32,
        connect: &Connect,
        reply: &SetupSeen,
    ) -> Result<(), Stop> {
        let asked = self.raw(stream).and_then(|raw| raw.peer_setup()).and_then(peer_to_peer);
        let ours = connect.ours.argument("peer_to_peer").is_none() && asked.is_some();
        let Some(answer) = peer_to_peer(reply).filter(|_| ours && !reply.rejected()) else {
            return Ok(());
        };
        let kinds = INDICATIONS.iter().filter(|it| it.flag.read(answer) == Some(1));
        let patterns = kinds.map(|it| {
            let nothing = Some(FieldGiven::Bytes(Vec::new()));
            let mut pattern =
                MessagePattern { payload: nothing, ..MessagePattern::new(it.message) };
            if it.word == "read" {
                let size = Matcher::Is(FieldGiven::Number(0));
                pattern.fields.push(("rdma_read_message_size".to_owned(), size));
            }
            Pattern::Message(pattern)
        });
        self.expect(stream, &Expectation::next(patterns.collect(), SETUP))?;
        let state = self.stream(stream)?;
        let came = state.cursor.checked_sub(1).and_then(|at| state.raw.received().get(at));
        let read = came.and_then(|came| match came {
            Received::Message(it) if it.opcode() == Some(figure::READ_REQUEST_OPCODE) => Some(it),
            _ => None,
        });
        if let Some(read) = read {
            let number = |bits: Bits| bits.read(&read.payload).unwrap_or(0);
            let sink = (number(figure::SINK_STEERING_TAG) as u32, number(figure::SINK_OFFSET));
            let response = MessageOut::tagged(figure::READ_RESPONSE, sink.0, sink.1, b"");
            self.reads_to_open.insert(stream);
            let mut segments = response.segments(0, usize::from(u16::MAX));
            let version = self.instance.version();
            for segment in &mut segments {
                figure::RDMAP_VERSION.write(segment, version);
            }
            let parts: Vec<Part> =
                segments.into_iter().map(|it| Part::Ulpdu(it, FpduStyle::default())).collect();
            self.send_parts(stream, &parts)?;
        }
        Ok(())
    }

    /// Waits for the target's request, which the case then still expects.
    fn await_request(&mut self, stream: u32) {
        let until = Instant::now() + self.session.pace.within(SETUP);
        while self.raw(stream).is_some_and(|raw| raw.peer_setup().is_none() && !raw.ended())
            && Instant::now() < until
        {
            self.session.pump(until.saturating_duration_since(Instant::now()));
        }
    }

    /// Gives up if a target that cannot choose the revision has opened with another one than the case asks
    /// for.
    fn as_asked(&self, stream: u32, connect: &Connect) -> Result<(), Stop> {
        let revision = self.optional_number(connect.theirs.number("revision"), stream)?;
        // An enhanced Reply can only answer an enhanced Request (RFC 6581 section 10).
        let replied = (!connect.only_tcp && is_enhanced(&connect.ours)).then_some(true);
        let enhanced = connect.theirs.flag("enhanced").or(replied);
        let Some(request) = self.raw(stream).and_then(|raw| raw.peer_setup()) else {
            return Ok(());
        };
        let other = revision.is_some_and(|it| it != u64::from(request.revision()))
            || enhanced.is_some_and(|it| it != asks_enhanced(request));
        if other && !self.capabilities.has("revision") {
            return Err(RunError::OtherRevision(request.revision()).into());
        }
        Ok(())
    }

    /// Gives up if the target's IRD is less than the requests that the case would have open at once.
    fn deep_enough(&self, stream: u32, connect: &Connect) -> Result<(), Stop> {
        let ord = self.optional_number(connect.ours.number("ord"), stream)?;
        let frame =
            self.raw(stream).and_then(|raw| raw.peer_setup()).filter(|it| asks_enhanced(it));
        let ird = frame.and_then(|it| IRD.read(it.private_data()));
        match (ord, ird) {
            (Some(ord), Some(ird)) if ird < ord && ord != OPEN_DEPTH => {
                Err(RunError::DoesNotApply(format!("the target's IRD is {ird}, not {ord}")).into())
            }
            _ => Ok(()),
        }
    }

    /// Sends the request, and checks that the setup ends as the case says.
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

    /// Sends the runner's setup frame, and returns it.
    fn setup_frame(
        &mut self,
        stream: u32,
        connect: &Connect,
        reply: bool,
        asked_enhanced: bool,
    ) -> Result<SetupSeen, Stop> {
        let ours = &connect.ours;
        let offers = self.session.offers_depths() && !reply;
        let explicit = ours.argument("revision").is_some() || ours.argument("enhanced").is_some();
        let enhanced = is_enhanced(ours) || asked_enhanced || (offers && !explicit);
        let name = match (reply, enhanced) {
            (false, false) => "mpa_request",
            (true, false) => "mpa_reply",
            (false, true) => "mpa_enhanced_request",
            (true, true) => "mpa_enhanced_reply",
        };
        let flag = |key: &str, usual: bool| u64::from(ours.flag(key).unwrap_or(usual));
        let mut given = vec![
            ("markers_required", flag("markers", false)),
            ("crc_wanted", flag("crc", !self.session.without_crc)),
            ("rejected_connection", flag("reject", false)),
        ];
        if let Some(revision) = self.optional_number(ours.number("revision"), stream)? {
            given.push(("revision", revision));
        }
        if enhanced {
            // A reply repeats the request's flag A (RFC 6581 section 9.2).
            let request = self.raw(stream).and_then(|raw| raw.peer_setup());
            let asked = request.and_then(peer_to_peer).filter(|_| reply);
            let model = ours.flag("peer_to_peer").unwrap_or(asked.is_some());
            let mut words = ours.keywords("ready_to_receive").to_vec();
            if let Some(asked) = asked.filter(|_| model && words.is_empty()) {
                words.push(preferred(asked));
            }
            for (key, field) in
                [("ird", "inbound_read_queue_depth"), ("ord", "outbound_read_queue_depth")]
            {
                // A Read as indication needs an IRD of 1, whatever the request's ORD is (section 9.1).
                let least = u64::from(reply && key == "ird" && words.contains(&"read"));
                let depth = self.optional_number(ours.number(key), stream)?;
                given.push((
                    field,
                    depth.unwrap_or_else(|| least.max(self.usual_depth(stream, key))),
                ));
            }
            given.push(("control_flag_a", model.into()));
            given.extend(INDICATIONS.map(|it| (it.field, words.contains(&it.word).into())));
        }
        let mut given: Vec<(String, FieldGiven)> = given
            .into_iter()
            .map(|(name, value)| (name.to_owned(), FieldGiven::Number(value)))
            .collect();
        given.extend(self.given_fields(&connect.fields, stream)?);
        let private_data = match ours.bytes("private_data") {
            Some(bytes) => self.bytes(bytes, stream)?,
            None => Vec::new(),
        };
        let message = self.layouts.message(name).ok_or("there is no such frame")?;
        let bytes = message.compose(&given, &private_data).map_err(|error| error.to_string())?;
        self.send_parts(stream, &[Part::Frame(bytes.clone())])?;
        Ok(SetupSeen { bytes })
    }

    /// Returns our depth if the case does not give it: as much as the target's request asks for, so that it
    /// has no reason to refuse (RFC 6581 section 9.1).
    fn usual_depth(&self, stream: u32, key: &str) -> u64 {
        let usual = if self.session.offers_depths() { OFFERED_DEPTH } else { OPEN_DEPTH };
        let request = self.raw(stream).and_then(|raw| raw.peer_setup());
        // Our IRD answers its ORD.
        let theirs = if key == "ird" { ORD } else { IRD };
        let asked = request.filter(|it| asks_enhanced(it));
        asked.and_then(|it| theirs.read(it.private_data())).unwrap_or(usual)
    }

    /// Returns the options of the stream in the form for the agent.
    fn stream_options(&self, stream: u32, connect: &Connect) -> Result<StreamOptions, String> {
        let (ours, theirs) = (&connect.ours, &connect.theirs);
        let number = |record: &Record, key: &str| self.optional_number(record.number(key), stream);
        let depth = |key: &str| Ok::<_, String>(number(theirs, key)?.map(|it| it as u16));
        let on = |key: &str| theirs.flag(key) == Some(true);
        let indications = theirs.argument("ready_to_receive").map(|_| {
            let words = theirs.keywords("ready_to_receive");
            words.iter().filter_map(|it| it.parse::<Indication>().ok()).collect()
        });
        let mut options = StreamOptions {
            stream: self.stream_name(stream),
            revision: number(theirs, "revision")?.map(|it| it as u8),
            enhanced: theirs.flag("enhanced"),
            markers: theirs.flag("markers"),
            crc: theirs.flag("crc"),
            peer_to_peer: theirs.flag("peer_to_peer"),
            ready_to_receive: indications,
            ird: depth("ird")?,
            ord: depth("ord")?,
            required_ord: depth("required_ord")?,
            private_data: self.optional_bytes(theirs.bytes("private_data"), stream)?.map(Bytes),
            protection_domain: number(theirs, "protection_domain")?.map(|it| it as u32),
            longest_ulpdu: depth("longest_ulpdu")?,
            packing: theirs.keyword("packing").and_then(|it| it.parse().ok()),
            profile: self
                .instance
                .changes_messages(self.capabilities)
                .then(|| self.instance.messages()),
            receives: number(ours, "receives")?.unwrap_or(RECEIVES.0) as u32,
            receive_size: number(ours, "receive_size")?.unwrap_or(RECEIVES.1) as u32,
            reject: on("reject"),
            delay: theirs.time("delay").unwrap_or_default().as_millis() as u32,
            fall_back: on("fall_back"),
            half_open: on("half_open"),
        };
        let free = options.revision.is_none() && options.enhanced.is_none();
        if !self.capabilities.has("revision") {
            (options.revision, options.enhanced) = (None, None);
        } else if free && self.instance.role == Role::Responder {
            // The request has the revision of the runner's reply.
            let enhanced = is_enhanced(ours);
            options.revision = Some(if enhanced { 2 } else { 1 });
            options.enhanced = Some(enhanced);
        }
        Ok(options)
    }

    /// Sends the indication that the reply asks for: a Send, a Write or a Read of no bytes (RFC 6581
    /// §9.2).
    pub(super) fn ready_to_receive(&mut self, stream: u32) -> Result<(), Stop> {
        let setup = self.raw(stream).and_then(|raw| raw.peer_setup());
        let data = setup.map(|setup| setup.private_data()).unwrap_or_default();
        let named = INDICATIONS.iter().find(|it| it.flag.read(data) == Some(1));
        let message = match named.map(|it| it.word) {
            Some("send") => MessageOut::send(b""),
            Some("write") => MessageOut::write(0, 0, b""),
            Some(_) => MessageOut::read_request((0, 0), 0, (0, 0)),
            None => return Ok(()),
        };
        self.send_parts(stream, &[Part::Message(message)])
    }

    /// Returns the values of fields in the form for the layouts.
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
