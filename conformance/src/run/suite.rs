//! Runs many instances, several at a time.

use super::evidence::Evidence;
use super::executor::{Executor, Outcome};
use super::options::{Mode, Options, Pace, Target};
use super::session::{RunError, Session};
use crate::case::step::{
    Action, Connect, Content, Expect, Expected, FieldValue, Framing, Send, SetupEnd, Step,
};
use crate::case::{Argument, Bytes, Instance, Record, Role, Value};
use crate::judge::Verdict;
use crate::layout::Layouts;
use crate::plan::Capabilities;
use crate::stream::{MessageOut, Part, RawStream, Received, SetupOut, SetupSeen};
use crate::yaml::Place;
use std::fs::File;
use std::io;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use warpscope_agent::Method;
use warpscope_dissector::rules::Level;

/// What the workers share.
struct Work<'a> {
    target: &'a Target,
    probe: &'a Probe,
    layouts: &'a Layouts,
    options: &'a Options,
    instances: Vec<&'a Instance>,
    next: AtomicUsize,
    stop: &'a AtomicBool,
    /// For each copy of the target: see [`Session`].
    turns: Vec<Arc<Mutex<()>>>,
}

/// Runs instances against a target that was probed, and reports each outcome as it comes. Setting `stop` lets
/// what is running end, and begins nothing more.
///
/// # Errors
/// [`RunError::Socket`] when captures cannot be written.
pub fn run_all(
    target: &Target,
    probe: &Probe,
    layouts: &Layouts,
    instances: &[Instance],
    options: &Options,
    stop: &AtomicBool,
    mut report: impl FnMut(Outcome),
) -> Result<(), RunError> {
    if let Some(directory) = &options.captures {
        std::fs::create_dir_all(directory)?;
    }
    let mut order: Vec<&Instance> = instances.iter().collect();
    if let Some(seed) = options.seed {
        shuffle(&mut order, seed);
    }
    let several = target.mode == Mode::Bare || probe.capabilities.has("several-streams");
    let jobs = if several && target.mode != Mode::Listen { options.jobs.max(1) } else { 1 };
    let work = Work {
        target,
        probe,
        layouts,
        options,
        instances: order,
        next: AtomicUsize::new(0),
        stop,
        turns: (0..target.copies()).map(|_| Arc::default()).collect(),
    };
    let (sender, receiver) = channel();
    let mut failed = None;
    std::thread::scope(|scope| {
        for worker in 0..jobs.min(instances.len().max(1)) {
            let (work, sender) = (&work, sender.clone());
            scope.spawn(move || work.run(worker, &sender));
        }
        drop(sender);
        for outcome in receiver {
            match outcome {
                Ok(outcome) => report(outcome),
                Err(error) => {
                    stop.store(true, Ordering::Relaxed);
                    failed = Some(error);
                }
            }
        }
    });
    failed.map_or(Ok(()), |error| Err(RunError::Socket(error)))
}

impl Work<'_> {
    fn run(&self, worker: usize, sender: &Sender<io::Result<Outcome>>) {
        let copy = worker % self.turns.len().max(1);
        let Some(turn) = self.turns.get(copy) else { return };
        let mut session = Session::new(self.target, copy, self.probe.pace);
        session.turn = Arc::clone(turn);
        while !self.stop.load(Ordering::Relaxed) {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(instance) = self.instances.get(number) else { return };
            let Some(outcome) = self.one(instance, &mut session) else { return };
            if self.options.first_failure_ends && outcome.verdict.fails(false) {
                self.stop.store(true, Ordering::Relaxed);
            }
            if sender.send(self.kept(outcome)).is_err() {
                return;
            }
        }
    }

    /// What came of an instance; none where the run was stopped before its turn came.
    fn one(&self, instance: &Instance, session: &mut Session) -> Option<Outcome> {
        if let Some(why) = self.not_applicable(instance) {
            return Some(Outcome::without_run(instance, why));
        }
        let without_agent;
        let mut capabilities = &self.probe.capabilities;
        if instance.uses_rpc() {
            without_agent = capabilities.without_agent();
            capabilities = &without_agent;
        }
        if self.stop.load(Ordering::Relaxed) {
            return None;
        }
        let mut outcome = Executor::new(session, capabilities, self.layouts, instance).run();
        outcome.judge_passively();
        if let Some(expected) = self.target.expects_failure(&instance.id, &instance.case) {
            (outcome.verdict, outcome.reason) =
                outcome.verdict.expecting_failure(outcome.reason.take(), &expected.reason);
        }
        Some(outcome)
    }

    /// Why an instance is not run at this target; none where it is.
    fn not_applicable(&self, instance: &Instance) -> Option<String> {
        let mut left_out = self.target.left_out.iter();
        if let Some(it) = left_out.find(|it| it.means(&instance.id, &instance.case)) {
            return Some(format!("left out by the profile: {}", it.reason));
        }
        if let Some(why) = self.probe.capabilities.lacks(instance.all_needs()) {
            return Some(why);
        }
        let commands = &self.target.rpc.tasks;
        let task = instance.tasks().find(|task| !commands.contains_key(*task))?;
        Some(format!("the target's profile has no command for `{task}` (rpc: tasks)"))
    }

    /// Writes the capture, where captures are kept.
    fn kept(&self, mut outcome: Outcome) -> io::Result<Outcome> {
        if let Some(directory) = &self.options.captures
            && outcome.evidence.frames() > 0
        {
            let path = capture_path(directory, &outcome.id);
            let file = BufWriter::new(File::create(&path)?);
            outcome.evidence.write(file, &self.options.application)?;
            outcome.capture = Some(path);
        }
        Ok(outcome)
    }
}

/// The capture's file: the instance's id, with what file names should not have replaced.
pub(super) fn capture_path(directory: &Path, id: &str) -> PathBuf {
    let safe = |it: char| it.is_ascii_alphanumeric() || "-_.=,+".contains(it);
    let name: String = id.chars().map(|it| if safe(it) { it } else { '_' }).collect();
    directory.join(format!("{name}.pcapng"))
}

impl Outcome {
    fn without_run(instance: &Instance, why: String) -> Self {
        Self {
            id: instance.id.clone(),
            case: instance.case.clone(),
            verdict: Verdict::NotApplicable,
            reason: Some(why),
            checks: Vec::new(),
            findings: Vec::new(),
            reports: Vec::new(),
            notes: Vec::new(),
            evidence: Evidence::default(),
            capture: None,
            took: Duration::ZERO,
        }
    }

    /// Adds what the passive rules find; a requirement (MUST) that the target's bytes break fails an
    /// instance that passed.
    fn judge_passively(&mut self) {
        self.findings = self.evidence.findings();
        let must = self.findings.iter().find(|finding| finding.rule.level == Level::Must);
        let passed = matches!(self.verdict, Verdict::Pass | Verdict::StrictOnly);
        if let Some(finding) = must.filter(|_| passed) {
            let (rule, why) = (finding.rule, &finding.explanation);
            self.verdict = Verdict::Fail;
            self.reason = Some(format!(
                "passive rule {} ({}): {why} (frame {})",
                rule.id, rule.section, finding.place.frame
            ));
        }
    }
}

/// Shuffles by a seed: the same seed gives the same order everywhere.
fn shuffle<T>(items: &mut [T], seed: u64) {
    let mut state = seed;
    for last in (1..items.len()).rev() {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = state;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        items.swap(last, (mixed % (last as u64 + 1)) as usize);
    }
}

/// The sanity conversation, which comes first and last in a run: a stream is set up; where the target
/// has an agent, a Send arrives.
pub fn sanity(probe: &Probe) -> Instance {
    let number = |number| Argument::Number(Value::Known(number));
    let ours = vec![("receives", number(16)), ("receive_size", number(4096))];
    let mut actions = vec![Action::Connect(Box::new(Connect {
        only_tcp: false,
        again: false,
        segment_size: None,
        ours: Record { name: "", arguments: ours },
        theirs: Record::default(),
        fields: Vec::new(),
        ends: SetupEnd::Accepted,
    }))];
    let mut profile = "rfc5040";
    if let Some(reported) = &probe.capabilities.reported {
        profile = reported.profile.into();
        let payload = || Bytes::These(b"sanity".to_vec());
        let version = ("rdma_version".to_owned(), FieldValue::Number(Value::Known(1)));
        let content =
            Content::Message { name: "send".to_owned(), fields: vec![version], payload: payload() };
        let framing = Framing::default();
        actions.push(Action::Send(Box::new(Send { content, framing, hold: false, name: None })));
        let arguments = vec![("payload", Argument::Bytes(payload()))];
        let want = Expected::Report(Record { name: "arrival", arguments });
        let within = Some(Duration::from_secs(5));
        let (tolerate, skip) = (Vec::new(), Vec::new());
        actions.push(Action::Expect(Box::new(Expect { want, tolerate, skip, within })));
    }
    let step = |action| Step {
        stream: "a".to_owned(),
        note: None,
        file: "sanity".to_owned(),
        place: Place::default(),
        action,
    };
    Instance {
        id: "sanity".to_owned(),
        case: "sanity".to_owned(),
        needs: Vec::new(),
        profile,
        role: Role::Initiator,
        buffers: Vec::new(),
        steps: actions.into_iter().map(step).collect(),
    }
}

/// Conversations that are timed.
const ROUNDS: u32 = 8;

/// What is known of a target before the run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Probe {
    /// What it can do.
    pub capabilities: Capabilities,
    /// How long to wait for it.
    pub(crate) pace: Pace,
    /// Names of capabilities in the target's profile that there are none of.
    pub unknown: Vec<String>,
}

/// Asks a target what it can do, and times it.
///
/// # Errors
/// [`RunError`] when the target is not there, or has no agent where it should.
pub fn probe(target: &Target, options: &Options) -> Result<Probe, RunError> {
    if target.copies() == 0 {
        return Err(RunError::Unknown("the target has no address".to_owned()));
    }
    let mut pace = Pace { factor: options.patience.max(1), ..Pace::default() };
    let mut session = Session::new(target, 0, pace);
    let mut capabilities = if target.mode == Mode::Bare {
        pace.round_trip = Duration::from_millis(20);
        bare(&mut session)?
    } else {
        session.open_control()?;
        let begun = Instant::now();
        for _ in 0..ROUNDS {
            session.need(Method::Capabilities)?;
        }
        pace.round_trip = begun.elapsed() / ROUNDS;
        Capabilities::reported(session.capabilities()?)
    };
    for (name, there) in target.rpc.capabilities() {
        capabilities.set(name, there);
    }
    let unknown = target
        .capabilities
        .iter()
        .filter(|(name, there)| !capabilities.set(name, *there))
        .map(|(name, _)| name.clone())
        .collect();
    Ok(Probe { capabilities, pace, unknown })
}

const STREAM: u32 = 0;
/// How long an answer may take.
const ANSWER: Duration = Duration::from_secs(2);
/// What passes before the first FPDU: some targets take a while to listen after their reply.
const PAUSE: Duration = Duration::from_millis(200);
/// Enhanced data: IRD and ORD of 4, and the same for the peer-to-peer model with Write and Read as
/// indications (RFC 6581 section 9).
const CLIENT_SERVER: [u8; 4] = [0x00, 0x04, 0x00, 0x04];
const PEER_TO_PEER: [u8; 4] = [0x80, 0x04, 0xc0, 0x04];
/// The opcode of a Read Response (RFC 5040 section 4.3).
const READ_RESPONSE: u8 = 2;

/// Asks a target without an agent: whether it answers a Read of no bytes, which needs no valid
/// STag, and whether it knows the enhanced setup and the peer-to-peer model.
///
/// # Errors
/// [`RunError`] when it is not there any more.
fn bare(session: &mut Session) -> Result<Capabilities, RunError> {
    let mut capabilities = Capabilities::bare();
    let read = || MessageOut::read_request((0, 0), 0, (0, 0));
    let plain = asked(session, SetupOut::request(b""))?;
    if plain.is_some_and(|it| !it.rejected()) {
        session.pump(PAUSE);
        send(session, Part::Message(read()))?;
        let answered = |raw: &RawStream| {
            raw.received().iter().any(|received| match received {
                Received::Message(message) => message.opcode() == Some(READ_RESPONSE),
                _ => false,
            })
        };
        capabilities.set("rdma-read", wait(session, answered));
    }
    let enhanced =
        |data: &[u8]| SetupOut { enhanced: true, revision: 2, ..SetupOut::request(data) };
    let known = asked(session, enhanced(&CLIENT_SERVER))?;
    capabilities.set("enhanced-setup", known.as_ref().and_then(flags).is_some());
    if capabilities.has("enhanced-setup") {
        let reply = asked(session, enhanced(&PEER_TO_PEER))?;
        if let Some([a, c]) = reply.as_ref().and_then(flags) {
            capabilities.set("peer-to-peer", a & 0x80 != 0);
            // The target waits for its indication.
            let write = c & 0x80 != 0;
            let indication = if write { MessageOut::write(0, 0, b"") } else { read() };
            session.pump(PAUSE);
            send(session, Part::Message(indication))?;
            session.pump(PAUSE);
        }
    }
    session.clear();
    Ok(capabilities)
}

/// Opens a stream with this request; the reply, if there is one.
fn asked(session: &mut Session, request: SetupOut) -> Result<Option<SetupSeen>, RunError> {
    session.clear();
    session.connect(STREAM, None, None)?;
    send(session, Part::Setup(request))?;
    wait(session, |raw| raw.peer_setup().is_some());
    let raw = session.streams.get(&STREAM).map(|it| &it.raw);
    Ok(raw.and_then(RawStream::peer_setup).cloned())
}

/// The bytes of an enhanced reply's data that the control flags are in.
fn flags(reply: &SetupSeen) -> Option<[u8; 2]> {
    let enhanced = reply.bytes.get(16)? & 0x10 != 0 && reply.revision() == 2;
    match reply.private_data() {
        [a, _, c, _, ..] if enhanced && !reply.rejected() => Some([*a, *c]),
        _ => None,
    }
}

fn send(session: &mut Session, part: Part) -> Result<(), RunError> {
    let Some(stream) = session.streams.get_mut(&STREAM) else { return Ok(()) };
    let writes = stream.raw.send(&[part]);
    session.write(STREAM, &writes)
}

/// Waits until something holds of the link; false when it does not in time, or the stream ended.
fn wait(session: &mut Session, holds: impl Fn(&RawStream) -> bool) -> bool {
    let until = Instant::now() + session.pace.within(ANSWER);
    loop {
        let Some(stream) = session.streams.get(&STREAM) else { return false };
        if holds(&stream.raw) {
            return true;
        }
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() || stream.raw.ended() {
            return false;
        }
        session.pump(left);
    }
}
