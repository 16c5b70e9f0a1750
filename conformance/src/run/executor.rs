//! Runs one instance.

use super::action::{Action, AnswerMatch, Closing, Opening, TargetMemory};
use super::answered::{answer_words, order_words, status_words};
use super::error::RunError;
use super::evidence::Evidence;
use super::memory;
use super::reports::Reports;
use super::scene::Scene;
use super::stage::{Stage, unknown};
use crate::engine::expect::{Expectation, Met, Pattern, Progress, SetupPattern};
use crate::engine::expect::{FieldMatch, Matcher};
use crate::engine::shown;
use crate::engine::{Bits, Capabilities, Check, Delivery, Part, ReportPattern, Standing, Verdict};
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::net::TcpListener;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use warpscope_dissector::rules::Finding;
use warpscope_wire::test_ulp::{Answer, Order, RegionDescription, Report, StreamOptions};

/// No instance takes longer than this, times the patience.
const LONGEST: Duration = Duration::from_secs(120);

/// What an instance does, played anew in each run.
pub trait Script: Debug + Send + Sync {
    /// Begins to play it.
    fn begin(&self) -> Box<dyn Play + '_>;
}

/// A script that is being played: action after action, each of which may depend on what happened
/// before.
pub trait Play {
    /// The action of this number, from 0; none behind the last.
    ///
    /// # Errors
    /// Why there is none, in a sentence: the instance is then inconclusive.
    fn action(&mut self, number: usize, scene: &Scene<'_>) -> Result<Option<Action>, String>;
}

/// A list of actions.
struct Listed<'a>(&'a [Action]);

impl Play for Listed<'_> {
    fn action(&mut self, number: usize, _scene: &Scene<'_>) -> Result<Option<Action>, String> {
        Ok(self.0.get(number).cloned())
    }
}

impl Script for Vec<Action> {
    fn begin(&self) -> Box<dyn Play + '_> {
        Box::new(Listed(self))
    }
}

/// An instance of a case.
#[derive(Debug, Clone)]
pub struct Instance {
    /// Its id: it stays the same from run to run.
    pub id: String,
    /// The case that it is of.
    pub case: String,
    /// What it takes, by the names of [`Capabilities`].
    pub needs: Vec<String>,
    /// Whether it is with the RPC-over-RDMA side of the target: its streams go to another address, and
    /// nobody there speaks the test ULP.
    pub rpc: bool,
    /// What the target's RPC requester is started for, by names of the target's profile.
    pub tasks: Vec<String>,
    /// Whether nothing else may run at the target meanwhile: instances that `prepare` a stream.
    pub exclusive: bool,
    /// Passive rules, by name, that the target may break in it; `*` for all.
    pub allowed_findings: Vec<String>,
    /// What it does.
    pub script: Arc<dyn Script>,
}

/// What came of an instance.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The instance's id.
    pub id: String,
    /// The case that it is of.
    pub case: String,
    /// What came of it.
    pub verdict: Verdict,
    /// The checks that were made, in order.
    pub checks: Vec<Check>,
    /// What the passive rules found in the target's bytes, and the instance does not allow.
    pub findings: Vec<Finding>,
    /// What the target reported, in order and in words.
    pub reports: Vec<String>,
    /// What else there is to say: connections that were refused at first, reports that were lost.
    pub notes: Vec<String>,
    /// The capture.
    pub evidence: Evidence,
    /// The capture's file, where captures are kept.
    pub capture: Option<PathBuf>,
    /// How long it took.
    pub took: Duration,
}

/// How an instance ends before its end.
enum Stop {
    /// A check failed.
    Failed,
    /// It could not go on.
    Trouble(RunError),
}

impl From<RunError> for Stop {
    fn from(error: RunError) -> Self {
        Self::Trouble(error)
    }
}

/// Runs one instance on a stage.
pub(super) struct Executor<'a> {
    stage: &'a mut Stage,
    capabilities: &'a Capabilities,
    seed: u64,
    regions: BTreeMap<String, RegionDescription>,
    remembered: BTreeMap<String, Vec<u8>>,
    answers: BTreeMap<String, Answer>,
    reports: Reports,
    told: BTreeMap<usize, Report>,
    met: BTreeMap<usize, (u32, Met)>,
    checks: Vec<Check>,
    number: usize,
    /// Where the target was last told to open a stream.
    listener: Option<TcpListener>,
}

impl<'a> Executor<'a> {
    pub(super) fn new(stage: &'a mut Stage, capabilities: &'a Capabilities, seed: u64) -> Self {
        Self {
            stage,
            capabilities,
            seed,
            regions: BTreeMap::new(),
            remembered: BTreeMap::new(),
            answers: BTreeMap::new(),
            reports: Reports::default(),
            told: BTreeMap::new(),
            met: BTreeMap::new(),
            checks: Vec::new(),
            number: 0,
            listener: None,
        }
    }

    /// Runs it; what the passive rules find is judged by the caller.
    pub(super) fn run(mut self, instance: &Instance) -> Outcome {
        let begun = Instant::now();
        let trouble = match self.all(instance, begun) {
            Ok(()) | Err(Stop::Failed) => None,
            Err(Stop::Trouble(error)) => Some(error),
        };
        let verdict = match (Verdict::of(&self.checks), &trouble) {
            (Verdict::Fail(why), _) => Verdict::Fail(why),
            (_, Some(error)) => Verdict::Inconclusive(error.to_string()),
            (verdict, None) => verdict,
        };
        let mut notes = Vec::new();
        match self.stage.refused {
            0 => {}
            times => notes.push(format!("the target refused the connection {times} times first")),
        }
        if self.reports.lost > 0 {
            notes.push(format!("the target lost {} reports", self.reports.lost));
        }
        notes.extend(self.stage.task.take().and_then(|task| task.note()));
        let (tape, targets) = self.stage.clear();
        Outcome {
            id: instance.id.clone(),
            case: instance.case.clone(),
            verdict,
            checks: self.checks,
            findings: Vec::new(),
            reports: self.reports.heard(),
            notes,
            evidence: Evidence::new(&tape, targets),
            capture: None,
            took: begun.elapsed(),
        }
    }

    fn all(&mut self, instance: &Instance, begun: Instant) -> Result<(), Stop> {
        self.stage.rpc = instance.rpc;
        if !instance.rpc {
            self.stage.open_control()?;
            if self.stage.control.is_some() {
                self.stage.need(&Order::Reset)?;
            }
        }
        let longest = LONGEST * self.stage.pace.factor.max(1);
        let mut play = instance.script.begin();
        loop {
            if begun.elapsed() > longest {
                return Err(RunError::TooLong(longest).into());
            }
            let scene = Scene {
                capabilities: self.capabilities,
                session: self.stage.session(),
                target: self.stage.address,
                seed: self.seed,
                streams: &self.stage.streams,
                regions: &self.regions,
                answers: &self.answers,
                reports: &self.told,
                met: &self.met,
            };
            let action = play.action(self.number, &scene).map_err(RunError::Script)?;
            let Some(action) = action else { return Ok(()) };
            self.act(&action)?;
            self.number += 1;
        }
    }

    fn act(&mut self, action: &Action) -> Result<(), Stop> {
        match action {
            Action::Connect { stream, link } => self.stage.connect(*stream, link.clone())?,
            Action::Accept { stream, link, options, private_data } => {
                let (listener, address) = self.stage.listener()?;
                let options = StreamOptions { stream: *stream, ..**options };
                self.stage.need(&Order::Open(options, private_data.clone(), address))?;
                self.stage.accept(*stream, link.clone(), &listener)?;
                self.listener = Some(listener);
            }
            Action::AcceptAgain { stream, link } => match &self.listener {
                Some(listener) => self.stage.accept(*stream, link.clone(), listener)?,
                None => {
                    let why = "the target was not told to open a stream before".to_owned();
                    return Err(RunError::Script(why).into());
                }
            },
            Action::Launch { stream, link, task } => {
                self.stage.launch(*stream, link.clone(), task)?;
            }
            Action::Serve { stream, serve } => {
                let wrong = self.stage.serve(*stream, serve)?;
                let what = if serve.until.is_empty() { "the stream ends" } else { "a call comes" };
                self.check(format!("calls are made, and {what}"), wrong)?;
            }
            Action::Task { succeeds, within } => {
                let wrong = self.stage.task_ended(*succeeds, *within)?;
                let accepted = match succeeds {
                    Some(true) => "the requester says that all went well",
                    Some(false) => "the requester says that something failed",
                    None => "the requester ends",
                };
                self.check(accepted.to_owned(), wrong)?;
            }
            Action::Establish(opening) => self.establish(opening)?,
            Action::Send { stream, parts, delivery } => self.send(*stream, parts, delivery)?,
            Action::Expect { stream, expectation } => self.expect(*stream, expectation)?,
            Action::Wait(time) => {
                let until = Instant::now() + *time;
                while Instant::now() < until {
                    self.stage.pump(until.saturating_duration_since(Instant::now()));
                }
            }
            Action::Hear { stream, on } => {
                if let Some(connection) = &self.stream(*stream)?.connection {
                    connection.hear(*on);
                }
            }
            Action::Close { stream, closing: Closing::Finish } => self.stage.finish(*stream)?,
            Action::Close { stream, closing: Closing::Reset } => self.stage.reset(*stream)?,
            Action::Order { name, order, answer } => self.order(name, order, answer)?,
            Action::Register { name, order } => {
                self.region(name, &Order::Register(*order, name.clone()))?;
            }
            Action::Bind { name, order } => self.region(name, &Order::Bind(*order))?,
            Action::Revalidate { name, order } => {
                self.region(name, &Order::Revalidate(**order))?;
            }
            Action::Remember => {
                for (name, region) in &self.regions {
                    let bytes = memory::read(self.stage, region, 0, region.length)?;
                    self.remembered.insert(name.clone(), bytes);
                }
            }
            Action::TargetMemory(due) => self.target_memory(due)?,
            Action::Offer { stream, steering_tag, base, bytes } => {
                let stream = self.stream(*stream)?;
                stream.link.buffers.offer(*steering_tag, *base, bytes.clone());
            }
            Action::OwnMemory(due) => {
                let stream = self.stream(due.stream)?;
                let buffer = stream.link.buffers.find(due.steering_tag);
                let bytes = buffer.and_then(|it| it.bytes.get(due.offset..));
                let came = match bytes {
                    None => Some("the runner has no such buffer".to_owned()),
                    Some(bytes) => due.bytes.misses(bytes),
                };
                let accepted = format!("bytes in the runner's buffer {:#010x}", due.steering_tag);
                self.check(accepted, came)?;
            }
            Action::Report { stream, pattern, within, behind } => {
                self.report(*stream, pattern, *within, *behind)?;
            }
            Action::NoReport { stream, pattern, during } => {
                let during = self.stage.pace.quiet(*during);
                let result = self.reports.watch(self.stage, *stream, pattern, during)?;
                self.check(pattern.none_words(), result.err())?;
            }
            Action::Sequence { stream, queue, sequence } => {
                self.stream(*stream)?.link.set_sequence(*queue, *sequence);
            }
            Action::AnswerReads { stream, answer } => {
                self.stream(*stream)?.link.options().answers_reads = *answer;
            }
            Action::Framing { stream, markers, crc } => {
                let framing = self.stream(*stream)?.link.framing();
                (framing.markers, framing.crc) = (*markers, *crc);
            }
            Action::Settle => self.stage.settle()?,
            Action::Verdict(check) => {
                self.checks.push(Check { action: self.number, ..check.clone() });
                if check.standing == Standing::Fail {
                    return Err(Stop::Failed);
                }
            }
        }
        Ok(())
    }

    fn stream(&mut self, name: u32) -> Result<&mut super::stream::Stream, Stop> {
        Ok(self.stage.streams.get_mut(&name).ok_or_else(|| unknown(name))?)
    }

    fn send(&mut self, name: u32, parts: &[Part], delivery: &Delivery) -> Result<(), Stop> {
        // What came in the meantime settles what was agreed, and what is answered first.
        self.stage.pump(Duration::ZERO);
        let writes = self.stream(name)?.link.sending(parts, delivery);
        Ok(self.stage.write(name, &writes)?)
    }

    fn establish(&mut self, opening: &Opening) -> Result<(), Stop> {
        let Opening { stream, link, setup, receives, longest } = opening;
        self.stage.connect(*stream, link.clone())?;
        let mut setup = setup.clone();
        if self.capabilities.has("agent") {
            let (purpose, session) =
                (warpscope_wire::test_ulp::Purpose::Bare, self.stage.session());
            let greeting =
                crate::engine::greeting_bytes(purpose, session, *stream, *receives, *longest);
            setup.private_data.extend(greeting);
        }
        self.send(*stream, &[Part::Setup(setup)], &Delivery::default())?;
        let accepted = FieldMatch::new("R", Bits::new(130, 1), Matcher::Is(0));
        let pattern =
            SetupPattern { fields: vec![accepted], reply: Some(true), private_data: None };
        let within = Duration::from_secs(5);
        self.expect(*stream, &Expectation::next(vec![Pattern::Setup(pattern)], within))
    }

    /// A check that passes when nothing is wrong.
    fn check(&mut self, accepted: String, wrong: Option<String>) -> Result<(), Stop> {
        let failed = wrong.is_some();
        let (standing, came) = match wrong {
            None => (Standing::Pass, String::new()),
            Some(came) => (Standing::Fail, came),
        };
        self.checks.push(Check { action: self.number, standing, accepted, came });
        if failed { Err(Stop::Failed) } else { Ok(()) }
    }

    fn expect(&mut self, name: u32, expectation: &Expectation) -> Result<(), Stop> {
        let silence = expectation.met_by_silence();
        let pace = self.stage.pace;
        let time = match silence {
            true => pace.quiet(expectation.time()),
            false => pace.within(expectation.time()),
        };
        let until = Instant::now() + time;
        let mut settled = false;
        let accepted = expectation.describe();
        loop {
            self.stage.pump(Duration::ZERO);
            let stream = self.stream(name)?;
            match expectation.judge(stream.link.arrivals(), stream.cursor) {
                Progress::Met(met) => {
                    stream.cursor = met.cursor;
                    self.met.insert(self.number, (name, met));
                    return self.check(accepted, None);
                }
                Progress::Strict(met, came) => {
                    stream.cursor = met.cursor;
                    self.met.insert(self.number, (name, met));
                    let (action, standing) = (self.number, Standing::StrictOnly);
                    self.checks.push(Check { action, standing, accepted, came });
                    return Ok(());
                }
                Progress::Failed(_, came) => return self.check(accepted, Some(came)),
                Progress::Waiting => {}
            }
            let over = stream.link.ended();
            let now = Instant::now();
            if now < until && !over {
                self.stage.pump(until - now);
                continue;
            }
            // A target that had no time to answer yet gets it.
            if !settled {
                settled = true;
                self.stage.settle()?;
                continue;
            }
            if silence {
                return self.check(accepted, None);
            }
            let stream = self.stream(name)?;
            let came = match (stream.link.partial(), over) {
                (Some(partial), _) => format!("only {partial} came within {}", shown::time(time)),
                (None, true) => "the stream is over".to_owned(),
                (None, false) => format!("nothing came within {}", shown::time(time)),
            };
            return self.check(accepted, Some(came));
        }
    }

    fn order(&mut self, name: &str, order: &Order, due: &AnswerMatch) -> Result<(), Stop> {
        let answer = match due {
            AnswerMatch::Needed => self.stage.need(order)?,
            AnswerMatch::Is(_) | AnswerMatch::Any => self.stage.ask(order)?,
        };
        let status = answer.status();
        self.answers.insert(name.to_owned(), answer);
        match due {
            AnswerMatch::Is(due) => {
                let wrong =
                    (status != *due).then(|| format!("its answer is \"{}\"", status_words(status)));
                self.check(format!("the target's answer \"{}\"", status_words(*due)), wrong)
            }
            _ => Ok(()),
        }
    }

    fn region(&mut self, name: &str, order: &Order) -> Result<(), Stop> {
        match self.stage.need(order)? {
            Answer::Region(description, _) => {
                self.regions.insert(name.to_owned(), description);
                Ok(())
            }
            answer => {
                let (order, why) = (order_words(order.kind()), answer_words(&answer));
                Err(RunError::Refused { order, why }.into())
            }
        }
    }

    fn target_memory(&mut self, due: &TargetMemory) -> Result<(), Stop> {
        match due {
            TargetMemory::Holds { region, offset, bytes } => {
                let Some(description) = self.regions.get(region) else {
                    return Err(RunError::Unknown(format!("there is no region {region}")).into());
                };
                let length = bytes.len() as u64;
                let there = memory::read(self.stage, description, *offset, length)?;
                let wrong = crate::engine::expect::PayloadMatch::Is(bytes.clone()).misses(&there);
                let bytes = shown::bytes(bytes);
                let accepted = format!("{bytes} at offset {offset} of region {region}");
                self.check(accepted, wrong)
            }
            TargetMemory::Unchanged { region: only } => {
                let remembered: Vec<(String, Vec<u8>)> = self
                    .remembered
                    .iter()
                    .filter(|(name, _)| only.as_ref().is_none_or(|only| only == *name))
                    .map(|(name, bytes)| (name.clone(), bytes.clone()))
                    .collect();
                for (name, bytes) in remembered {
                    let Some(description) = self.regions.get(&name) else { continue };
                    let there = memory::read(self.stage, description, 0, bytes.len() as u64)?;
                    let wrong = crate::engine::expect::PayloadMatch::Is(bytes).misses(&there);
                    self.check(format!("region {name} is unchanged"), wrong)?;
                }
                Ok(())
            }
        }
    }

    fn report(
        &mut self,
        stream: u32,
        pattern: &ReportPattern,
        within: Duration,
        behind: bool,
    ) -> Result<(), Stop> {
        let within = self.stage.pace.within(within);
        match self.reports.wait(self.stage, stream, pattern, within, behind)? {
            Ok(report) => {
                self.told.insert(self.number, report);
                self.check(pattern.describe(), None)
            }
            Err(came) => self.check(pattern.describe(), Some(came)),
        }
    }
}
