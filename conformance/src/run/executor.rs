//! Runs one instance, step by step. Each step is complete before the next is looked at.

use super::evidence::Evidence;
use super::reports::Reports;
use super::session::{Chances, RunError, Session, Stream};
use crate::case::step::{Action, Close, Step};
use crate::case::{Aspect, Bytes, Instance, Region, Side, StreamAspect, Value, Variable};
use crate::format::time;
use crate::judge::{
    Check, Difference, Expectation, Met, PlaceInStream, Progress, Protocol, Verdict, deciding,
};
use crate::layout::{Given, Layouts};
use crate::plan::Capabilities;
use crate::stream::{Bits, Part, RawStream};
use std::collections::{BTreeMap, BTreeSet};
use std::net::TcpListener;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use warpscope_agent::Region as Registered;
use warpscope_dissector::rules::Finding;

/// No instance takes longer than this and [`LONGEST_REPETITION`] for each repetition of a step, times the patience.
const LONGEST: Duration = Duration::from_secs(120);
/// A case of 65,600 messages may take minutes on a busy machine, although the target answers.
const LONGEST_REPETITION: Duration = Duration::from_millis(10);
/// The number of bytes of a flood that are kept as evidence.
const FLOOD_KEPT: usize = 256 << 10;

/// The result of an instance.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The instance's id.
    pub id: String,
    /// The id of its case.
    pub case: String,
    /// The verdict.
    pub verdict: Verdict,
    /// Why it did not pass, in one sentence.
    pub reason: Option<String>,
    /// The names of what is wrong, which are the same in all instances with the same fault.
    pub causes: Vec<String>,
    /// What came compared with what was expected, or the bytes of what is wrong.
    pub difference: Option<Difference>,
    /// The checks that were made, in order.
    pub checks: Vec<Check>,
    /// What the passive rules found in the target's bytes.
    pub findings: Vec<Finding>,
    /// What the target reported, in order, in words.
    pub reports: Vec<String>,
    /// Other notes: connections that were refused at first, reports that were lost.
    pub(crate) notes: Vec<String>,
    /// The capture.
    pub evidence: Evidence,
    /// The file of the capture, if captures are kept.
    pub capture: Option<PathBuf>,
    /// Whether the target sent nothing on any stream, or sent data without end.
    pub(crate) unanswered: bool,
    /// How long it took.
    pub took: Duration,
}

/// Why an instance ends early.
pub(super) enum Stop {
    /// The checks so far decide it.
    Judged,
    Trouble(RunError),
}

impl From<RunError> for Stop {
    fn from(error: RunError) -> Self {
        Self::Trouble(error)
    }
}

impl From<String> for Stop {
    /// A step cannot be carried out, with the reason.
    fn from(why: String) -> Self {
        Self::Trouble(RunError::Step(why))
    }
}

impl From<&str> for Stop {
    fn from(why: &str) -> Self {
        why.to_owned().into()
    }
}

/// Runs one instance in a session.
pub(super) struct Executor<'a> {
    pub(super) session: &'a mut Session,
    pub(super) capabilities: &'a Capabilities,
    pub(super) layouts: &'a Layouts,
    pub(super) instance: &'a Instance,
    /// The target's buffers, by name.
    pub(super) regions: BTreeMap<String, Registered>,
    /// Their contents when they were last filled.
    pub(super) remembered: BTreeMap<String, Vec<u8>>,
    pub(super) reports: Reports,
    checks: Vec<Check>,
    /// The listener for the stream that the target was last told to open.
    pub(super) listener: Option<TcpListener>,
    /// The case's streams by name; the index is the number.
    streams: Vec<String>,
    /// Numbers and bytes that steps have bound or set.
    pub(super) variables: BTreeMap<String, Given>,
    /// Named sends: the stream, and the number of the first segment.
    pub(super) sent: BTreeMap<String, (u32, usize)>,
    /// What waits to be sent with the next send, by stream.
    pub(super) held: BTreeMap<u32, Vec<Part>>,
    /// Identifiers of work that the target refused, if that is a valid way to fail.
    pub(super) refused: BTreeSet<u64>,
    /// Streams that the target opened with a Read as its indication.
    pub(super) reads_to_open: BTreeSet<u32>,
}

impl<'a> Executor<'a> {
    pub(super) fn new(
        session: &'a mut Session,
        capabilities: &'a Capabilities,
        layouts: &'a Layouts,
        instance: &'a Instance,
    ) -> Self {
        Self {
            session,
            capabilities,
            layouts,
            instance,
            regions: BTreeMap::new(),
            remembered: BTreeMap::new(),
            reports: Reports::default(),
            checks: Vec::new(),
            listener: None,
            streams: Vec::new(),
            variables: BTreeMap::new(),
            sent: BTreeMap::new(),
            held: BTreeMap::new(),
            refused: BTreeSet::new(),
            reads_to_open: BTreeSet::new(),
        }
    }

    /// Runs the instance; the caller judges what the passive rules find, and says why it did not pass.
    pub(super) fn run(mut self) -> Outcome {
        let begun = Instant::now();
        let trouble = match self.steps(begun) {
            Ok(()) | Err(Stop::Judged) => None,
            Err(Stop::Trouble(error)) => Some(error),
        };
        if trouble.is_some() {
            // A failure caused by a flood is the flood's.
            let _ = self.check_flood();
        }
        let decided = deciding(&self.checks).map(|check| check.verdict);
        let (mut verdict, mut reason) = match (decided, trouble) {
            (Some(Verdict::Fail), _) if self.instance.recommended => (Verdict::StrictOnly, None),
            (Some(Verdict::Fail), _) => (Verdict::Fail, None),
            (_, Some(error)) if error.is_unsupported() => {
                (Verdict::NotApplicable, Some(error.to_string()))
            }
            (_, Some(error)) => (Verdict::Inconclusive, Some(error.to_string())),
            (decided, None) => (decided.unwrap_or(Verdict::Pass), None),
        };
        let mut notes = Vec::new();
        match self.session.refused {
            0 => {}
            times => notes.push(format!("the target refused the connection {times} times first")),
        }
        notes.extend(self.session.task.take().and_then(|task| task.note()));
        let reports = self.reports.described(self.session);
        let flooded = self.session.flood().is_some();
        let set_up = self.session.streams.values().any(|it| it.raw.peer_setup().is_some());
        let mut left = self.session.clear();
        // The next instance has another control connection, so the loss of this one is reported here.
        if let (Err(error), Verdict::Pass | Verdict::StrictOnly) = (left.reset, verdict) {
            (verdict, reason) = (Verdict::Inconclusive, Some(error.to_string()));
        }
        let heard = left.transcript.heard();
        // No setup frame is this long.
        let unheard = !set_up && heard > 4096;
        if flooded || unheard {
            left.transcript.cut(FLOOD_KEPT);
        }
        let unanswered = flooded || (!left.targets.is_empty() && (heard == 0 || unheard));
        Outcome {
            id: self.instance.id.clone(),
            case: self.instance.case.clone(),
            verdict,
            reason,
            causes: Vec::new(),
            difference: None,
            checks: self.checks,
            findings: Vec::new(),
            reports,
            notes,
            evidence: Evidence::new(&left.transcript, left.targets),
            capture: None,
            unanswered,
            took: begun.elapsed(),
        }
    }

    fn steps(&mut self, begun: Instant) -> Result<(), Stop> {
        let repetitions = self.instance.steps.iter().map(|it| it.times).sum::<u64>();
        self.session.asks_for(repetitions, self.instance.buffers.iter().map(|it| it.length).sum());
        self.session.rpc = self.instance.uses_rpc();
        if !self.session.rpc {
            self.session.open_control()?;
        }
        let repetitions = u32::try_from(repetitions).unwrap_or(u32::MAX);
        let longest = LONGEST.saturating_add(LONGEST_REPETITION.saturating_mul(repetitions));
        let longest = longest.saturating_mul(self.session.pace.factor.max(1));
        self.register_buffers()?;
        if let Some(root) = self.session.rpc_target.root.clone() {
            let length = Given::Number(root.len() as u64);
            self.variables.insert("root_length".to_owned(), length);
            self.variables.insert("root".to_owned(), Given::Bytes(root));
        }
        let can = |step: &&Step| step.needs.is_none_or(|it| self.capabilities.has(it));
        for step in self.instance.steps.iter().filter(can) {
            if self.is_skipped(step) {
                continue;
            }
            let checks = self.checks.len();
            // An order is repeated all its times at once.
            let times = if matches!(step.action, Action::Order(_)) { 1 } else { step.times };
            for _ in 0..times {
                if begun.elapsed() > longest {
                    return Err(RunError::TooLong(longest).into());
                }
                self.step(step).map_err(|stop| match stop {
                    Stop::Trouble(RunError::Step(why)) => {
                        format!("{}:{}: {why}", step.file, step.place.line).into()
                    }
                    other => other,
                })?;
                self.check_flood()?;
                // The checks that passed each time count as one.
                let again = self.checks.len() > checks + 1;
                if again && self.checks.last().is_some_and(|it| it.verdict == Verdict::Pass) {
                    self.checks.pop();
                }
            }
        }
        Ok(())
    }

    /// Fails the instance if the target floods the runner.
    fn check_flood(&mut self) -> Result<(), Stop> {
        match self.session.flood() {
            None => Ok(()),
            flood => self.check("nothing beyond what was asked for".to_owned(), flood),
        }
    }

    /// Whether a step requires an open stream and this one is not open, or the reverse.
    fn is_skipped(&mut self, step: &Step) -> bool {
        step.while_open.is_some_and(|open| {
            let stream = self.stream_number(&step.stream);
            open == self.raw(stream).is_none_or(RawStream::refused)
        })
    }

    fn step(&mut self, step: &Step) -> Result<(), Stop> {
        let stream = self.stream_number(&step.stream);
        match &step.action {
            Action::Connect(connect) => self.connect(stream, connect)?,
            Action::Send(send) => self.send(stream, send)?,
            Action::Expect(expect) => self.expect_step(stream, expect)?,
            Action::Order(order) => self.order(stream, order, step.times)?,
            Action::Serve(serve) => self.serve(stream, serve)?,
            Action::Wait(time) => self.wait(*time),
            Action::Hear(on) => {
                if let Some(connection) = &self.stream(stream)?.connection {
                    connection.hear(*on);
                }
            }
            Action::Close(Close::Half | Close::Graceful) => self.session.finish(stream)?,
            Action::Close(Close::Reset) => self.session.reset(stream)?,
            Action::Ready => self.ready_to_receive(stream)?,
            Action::Set { name, value } => {
                let value = self.number(value, stream)?;
                self.variables.insert(name.clone(), Given::Number(value));
            }
        }
        Ok(())
    }

    pub(super) fn stream_number(&mut self, name: &str) -> u32 {
        let at = self.streams.iter().position(|it| it == name).unwrap_or_else(|| {
            self.streams.push(name.to_owned());
            self.streams.len() - 1
        });
        at as u32
    }

    /// Returns the name of a stream, which the agent uses too.
    pub(super) fn stream_name(&self, stream: u32) -> String {
        self.streams.get(stream as usize).cloned().unwrap_or_default()
    }

    pub(super) fn stream(&mut self, stream: u32) -> Result<&mut Stream, Stop> {
        Ok(self.session.stream(stream)?)
    }

    pub(super) fn raw(&self, stream: u32) -> Option<&RawStream> {
        self.session.streams.get(&stream).map(|it| &it.raw)
    }

    pub(super) fn protocol(&self) -> Protocol<'a> {
        Protocol {
            layouts: self.layouts,
            version: self.instance.version(),
            faults: self.session.known_faults,
        }
    }

    pub(super) fn wait(&mut self, time: Duration) {
        let until = Instant::now() + time;
        while Instant::now() < until {
            self.session.pump(until.saturating_duration_since(Instant::now()));
        }
    }

    /// Adds a check that passes if nothing is wrong.
    pub(super) fn check(&mut self, accepted: String, wrong: Option<String>) -> Result<(), Stop> {
        match wrong {
            None => self.record(Verdict::Pass, accepted, String::new()),
            Some(came) => {
                self.record(Verdict::Fail, accepted, came);
                return Err(Stop::Judged);
            }
        }
        Ok(())
    }

    /// Records something that is right in substance and not to the letter.
    pub(super) fn tolerate(&mut self, accepted: String, came: String) {
        self.record(Verdict::StrictOnly, accepted, came);
    }

    /// Adds a check of what is at no place in the target's bytes.
    fn record(&mut self, verdict: Verdict, accepted: String, came: String) {
        self.checks.push(Check { verdict, accepted, came, place: None, difference: None });
    }

    /// Returns the position of the received item with this number in the target's bytes of a stream.
    fn place(&self, stream: u32, at: usize) -> Option<PlaceInStream> {
        let stream = self.session.streams.get(&stream)?;
        Some(PlaceInStream { port: stream.port, bytes: stream.raw.place(at)? })
    }

    /// Compares the received item with this number with what is expected.
    fn difference(&self, stream: u32, expectation: &Expectation, at: usize) -> Option<Difference> {
        let received = self.session.streams.get(&stream)?.raw.received().get(at)?;
        Difference::between(expectation.patterns(), received, self.protocol())
    }

    /// Records that the case does not apply to this target: the last check failed, and does not count.
    pub(super) fn does_not_apply(&mut self) -> RunError {
        let why =
            self.checks.pop().map(|check| format!("wanted {}; {}", check.accepted, check.came));
        RunError::DoesNotApply(why.unwrap_or_default())
    }

    /// Waits until an expectation is met, or can no longer be met.
    pub(super) fn expect(&mut self, stream: u32, expectation: &Expectation) -> Result<(), Stop> {
        let (silence, pace) = (expectation.met_by_silence(), self.session.pace);
        let limit = match silence {
            true => pace.quiet(expectation.time()),
            false => pace.within(expectation.time()),
        };
        let mut until = Instant::now() + limit;
        let mut chances = Chances::default();
        let before = self.stream(stream)?.raw.partial();
        let protocol = self.protocol();
        let accepted = expectation.describe(protocol);
        loop {
            self.session.pump(Duration::ZERO);
            self.check_flood()?;
            let state = self.stream(stream)?;
            match expectation.judge(state.raw.received(), state.cursor, protocol) {
                Progress::Met(met) => {
                    self.met(stream, expectation, &met)?;
                    return self.check(accepted, None);
                }
                Progress::Strict(met, came) => {
                    let at = met.by.last().map(|(_, at)| *at);
                    let place = at.and_then(|at| self.place(stream, at));
                    let difference = at.and_then(|at| self.difference(stream, expectation, at));
                    self.met(stream, expectation, &met)?;
                    let verdict = Verdict::StrictOnly;
                    self.checks.push(Check { verdict, accepted, came, place, difference });
                    return self.goes_on(expectation);
                }
                Progress::Failed(at, came) => {
                    let place = self.place(stream, at);
                    let difference = self.difference(stream, expectation, at);
                    let verdict = Verdict::Fail;
                    self.checks.push(Check { verdict, accepted, came, place, difference });
                    return Err(Stop::Judged);
                }
                Progress::Waiting => {}
            }
            let over = state.raw.ended();
            let now = Instant::now();
            if now < until && !over {
                self.session.pump(until - now);
                continue;
            }
            // A target that had no time to answer yet gets more.
            if chances.left() {
                if chances.slow(self.session.settle()?) {
                    until = Instant::now() + limit;
                }
                continue;
            }
            let raw = &self.stream(stream)?.raw;
            let partial = raw.partial();
            if silence {
                // What is not whole came too, unless it may come: then the rest may be on its way.
                let came = partial.filter(|it| {
                    (raw.begun() > 0 || before.as_ref() != Some(it))
                        && !expectation.skips_messages()
                });
                return self.check(accepted, came.map(|it| format!("this came: {it}")));
            }
            if partial.is_none()
                && !over
                && let Some(verdict) = expectation.verdict_of_silence()
            {
                let came = format!("nothing came within {}", time(limit));
                self.record(verdict, accepted, came);
                return self.goes_on(expectation);
            }
            let came = match (partial, over) {
                (Some(partial), _) => format!("only {partial} came within {}", time(limit)),
                (None, true) => "the stream is over".to_owned(),
                (None, false) => format!("nothing came within {}", time(limit)),
            };
            return self.check(accepted, Some(came));
        }
    }

    /// Stops if values were expected that have not come, because the rest cannot be judged.
    fn goes_on(&self, expectation: &Expectation) -> Result<(), Stop> {
        let messages = expectation.patterns().iter().filter_map(|it| it.message());
        let mut names = messages.flat_map(|message| &message.bind).map(|(name, _)| name);
        let all = names.all(|name| self.variables.contains_key(name));
        if all { Ok(()) } else { Err(Stop::Judged) }
    }

    /// Binds variables to the values that came, and continues after them.
    fn met(&mut self, stream: u32, expectation: &Expectation, met: &Met) -> Result<(), Stop> {
        let protocol = self.protocol();
        let state = self.session.stream(stream)?;
        state.cursor = met.cursor;
        for (pattern, at) in &met.by {
            let message = expectation.patterns().get(*pattern).and_then(|it| it.message());
            if let (Some(message), Some(received)) = (message, state.raw.received().get(*at)) {
                let bound = message.bind(received, protocol).into_iter();
                self.variables.extend(bound.filter(|(_, it)| !matches!(it, Given::List(_))));
            }
        }
        Ok(())
    }

    /// Evaluates a number for a step about `stream`.
    pub(super) fn number(&self, value: &Value, stream: u32) -> Result<u64, String> {
        let of = |variable: &Variable| self.variable(variable, stream);
        value.evaluate(&of).map_err(|error| error.to_string())
    }

    /// Evaluates a number that a case may omit.
    pub(super) fn optional_number(
        &self,
        value: Option<&Value>,
        stream: u32,
    ) -> Result<Option<u64>, String> {
        value.map(|value| self.number(value, stream)).transpose()
    }

    /// Evaluates bytes for a step about `stream`.
    pub(super) fn bytes(&self, bytes: &Bytes, stream: u32) -> Result<Vec<u8>, String> {
        let of = |variable: &Variable| self.variable(variable, stream);
        let bytes_of = |name: &str| match self.variables.get(name) {
            Some(Given::Bytes(bytes)) => Some(bytes.clone()),
            _ => None,
        };
        bytes.evaluate(&of, &bytes_of).map_err(|error| error.to_string())
    }

    /// Evaluates bytes that a case may omit.
    pub(super) fn optional_bytes(
        &self,
        bytes: Option<&Bytes>,
        stream: u32,
    ) -> Result<Option<Vec<u8>>, String> {
        bytes.map(|bytes| self.bytes(bytes, stream)).transpose()
    }

    fn variable(&self, variable: &Variable, stream: u32) -> Option<u64> {
        match variable {
            Variable::Bound(name) => self.variables.get(name).and_then(Given::number),
            Variable::Region(region, aspect) => self.region_aspect(region, *aspect),
            Variable::Stream(aspect) => {
                let raw = self.raw(stream)?;
                let depth = |bits: Bits| bits.read(raw.peer_setup()?.private_data());
                Some(match aspect {
                    StreamAspect::Mulpdu => raw.longest_ulpdu() as u64,
                    StreamAspect::NextMessageSequenceNumber => raw.next_sequence(0).into(),
                    StreamAspect::FirstRequest => {
                        1 + u64::from(self.reads_to_open.contains(&stream))
                    }
                    StreamAspect::InboundDepth => depth(Bits::new(2, 14))?,
                    StreamAspect::OutboundDepth => depth(Bits::new(18, 14))?,
                })
            }
        }
    }

    fn region_aspect(&self, region: &Region, aspect: Aspect) -> Option<u64> {
        let (tag, base, length) = match region.side {
            Side::Target => {
                let known = self.regions.get(&region.name)?;
                (known.stag, known.base.0, known.length)
            }
            Side::Local => {
                let (index, buffer) = self.local_buffer(region)?;
                let (tag, base) = local_tag(index);
                let base = buffer.base.as_ref().map_or(Some(base), Value::known)?;
                (tag, base, buffer.length)
            }
        };
        Some(match aspect {
            Aspect::SteeringTag => tag.into(),
            Aspect::Base => base,
            Aspect::Length => length,
            Aspect::End => base.wrapping_add(length),
        })
    }

    /// Returns a buffer of the runner, and its number.
    pub(super) fn local_buffer(&self, region: &Region) -> Option<(usize, &'a crate::case::Buffer)> {
        self.instance.buffers.iter().enumerate().find(|(_, it)| it.region == *region)
    }
}

/// Returns the STag and base of the runner's buffer of this number, if the case gives no base.
pub(super) fn local_tag(index: usize) -> (u32, u64) {
    (0x4c00_0100 + ((index as u32) << 8), 0x1_0000 * (index as u64 + 1))
}
