//! Runs many instances, several at a time.

use super::action::{Action, Opening};
use super::error::RunError;
use super::evidence::Evidence;
use super::executor::{Executor, Instance, Outcome};
use super::options::{Mode, Options, Target};
use super::probe::Probe;
use super::stage::Stage;
use crate::engine::expect::{Matcher, PayloadMatch};
use crate::engine::{ArrivalDue, Delivery, MessageOut, Part, ReportPattern, Verdict};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufWriter};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;
use warpscope_dissector::rules::{Finding, Level};

/// Sessions of workers count from here.
const SESSIONS: u32 = 0x5000;

/// What came of a run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Summary {
    /// How many instances got each verdict, by [`Verdict::name`].
    pub verdicts: BTreeMap<&'static str, usize>,
    /// Expected failures of the profile that no instance matches: an error of the profile.
    pub unmatched: Vec<String>,
    /// How many instances break the run ([`Verdict::breaks`]).
    pub broken: usize,
}

impl Summary {
    fn count(&mut self, outcome: &Outcome) {
        *self.verdicts.entry(outcome.verdict.name()).or_default() += 1;
        self.broken += usize::from(outcome.verdict.breaks());
    }

    /// Whether nothing failed, nothing passed against the profile, and the profile's entries all match.
    pub fn in_order(&self) -> bool {
        self.broken == 0 && self.unmatched.is_empty()
    }
}

/// What the workers share.
struct Work<'a> {
    target: &'a Target,
    probe: &'a Probe,
    options: &'a Options,
    instances: Vec<&'a Instance>,
    next: AtomicUsize,
    stop: &'a AtomicBool,
    /// One for each address: instances that are alone there lock it for themselves.
    gates: Vec<RwLock<()>>,
    session: u32,
}

/// Runs instances against a target that was probed; tells each outcome as it comes. Setting `stop` lets
/// what is running end, and begins nothing more.
///
/// # Errors
/// [`RunError::Socket`] when captures cannot be written.
pub fn run_all(
    target: &Target,
    probe: &Probe,
    instances: &[Instance],
    options: &Options,
    stop: &AtomicBool,
    mut tell: impl FnMut(Outcome),
) -> Result<Summary, RunError> {
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
        options,
        instances: order,
        next: AtomicUsize::new(0),
        stop,
        gates: target.addresses.iter().map(|_| RwLock::new(())).collect(),
        session: SESSIONS | std::process::id() << 16,
    };
    let mut summary = Summary::default();
    let unmatched = target
        .expected_failures
        .iter()
        .filter(|entry| !instances.iter().any(|it| entry.means(&it.id, &it.case)));
    summary.unmatched = unmatched.map(|entry| entry.id.clone()).collect();
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
                Ok(outcome) => {
                    summary.count(&outcome);
                    tell(outcome);
                }
                Err(error) => {
                    stop.store(true, Ordering::Relaxed);
                    failed = Some(error);
                }
            }
        }
    });
    failed.map_or(Ok(summary), |error| Err(RunError::Socket(error)))
}

impl Work<'_> {
    fn run(&self, worker: usize, sender: &Sender<io::Result<Outcome>>) {
        let lane = worker % self.target.addresses.len().max(1);
        let (Some(address), Some(gate)) = (self.target.addresses.get(lane), self.gates.get(lane))
        else {
            return;
        };
        let mut stage = self.stage(*address, worker as u32);
        while !self.stop.load(Ordering::Relaxed) {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(instance) = self.instances.get(number) else { return };
            let Some(outcome) = self.one(instance, gate, &mut stage) else { return };
            if self.options.first_failure_ends && outcome.verdict.breaks() {
                self.stop.store(true, Ordering::Relaxed);
            }
            if sender.send(self.kept(outcome)).is_err() {
                return;
            }
        }
    }

    fn stage(&self, address: SocketAddr, worker: u32) -> Stage {
        let session = self.session.wrapping_add(worker).max(2);
        Stage::new(self.target, address, session, self.probe.pace)
    }

    /// What came of an instance; none where the run was stopped before its turn came.
    fn one(&self, instance: &Instance, gate: &RwLock<()>, stage: &mut Stage) -> Option<Outcome> {
        let mut left_out = self.target.left_out.iter();
        if let Some(it) = left_out.find(|it| it.means(&instance.id, &instance.case)) {
            let why = format!("left out by the profile: {}", it.reason);
            return Some(Outcome::without_run(instance, Verdict::NotApplicable(why)));
        }
        let needs = instance.needs.iter().map(String::as_str);
        if let Some(why) = self.probe.capabilities.lacks(needs) {
            return Some(Outcome::without_run(instance, Verdict::NotApplicable(why)));
        }
        let commands = &self.target.rpc.tasks;
        if let Some(task) = instance.tasks.iter().find(|task| !commands.contains_key(*task)) {
            let why = format!("the target's profile has no command for `{task}` (rpc: tasks)");
            return Some(Outcome::without_run(instance, Verdict::NotApplicable(why)));
        }
        let plain;
        let capabilities = match instance.rpc {
            true => {
                plain = self.probe.capabilities.without_agent();
                &plain
            }
            false => &self.probe.capabilities,
        };
        let seed = self.options.seed.unwrap_or(0);
        let run = |stage: &mut Stage| {
            let stopped = self.stop.load(Ordering::Relaxed);
            (!stopped).then(|| Executor::new(stage, capabilities, seed).run(instance))
        };
        let mut outcome = if instance.rpc {
            run(stage)
        } else if instance.exclusive {
            let _alone = gate.write().unwrap_or_else(PoisonError::into_inner);
            run(stage)
        } else {
            let _shared = gate.read().unwrap_or_else(PoisonError::into_inner);
            run(stage)
        }?;
        outcome.judge_passively(instance, self.options.passive_rules);
        if let Some(expected) = self.target.expects_failure(&instance.id, &instance.case) {
            outcome.verdict = outcome.verdict.expecting_failure(&expected.reason);
        }
        Some(outcome)
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
    fn without_run(instance: &Instance, verdict: Verdict) -> Self {
        Self {
            id: instance.id.clone(),
            case: instance.case.clone(),
            verdict,
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
    fn judge_passively(&mut self, instance: &Instance, fails: bool) {
        let allowed = |finding: &Finding| {
            let names = &instance.allowed_findings;
            names.iter().any(|name| name == "*" || name == finding.rule.id)
        };
        self.findings = self.evidence.findings();
        self.findings.retain(|finding| !allowed(finding));
        let must = self.findings.iter().find(|finding| finding.rule.level == Level::Must);
        let passed = matches!(self.verdict, Verdict::Pass | Verdict::StrictOnly(_));
        if let Some(finding) = must.filter(|_| fails && passed) {
            let (rule, why) = (finding.rule, &finding.explanation);
            self.verdict = Verdict::Fail(format!(
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
/// speaks the test ULP, a Send arrives, and the target sends one back.
pub fn sanity(probe: &Probe) -> Instance {
    let stream = 2;
    let mut actions = vec![Action::Establish(Opening::plain(stream))];
    if probe.capabilities.has("agent") {
        let message = MessageOut::send(b"sanity");
        let front = Some(PayloadMatch::Begins(b"sanity".to_vec()));
        let pattern = ReportPattern::Arrival(ArrivalDue {
            length: Some(Matcher::Is(6)),
            front,
            ..ArrivalDue::default()
        });
        let parts = vec![Part::message(message)];
        let (delivery, within) = (Delivery::default(), Duration::from_secs(5));
        actions.push(Action::Send { stream, parts, delivery });
        actions.push(Action::Report { stream, pattern, within, behind: false });
    }
    Instance {
        id: "sanity".to_owned(),
        case: "sanity".to_owned(),
        needs: Vec::new(),
        rpc: false,
        tasks: Vec::new(),
        exclusive: false,
        allowed_findings: Vec::new(),
        script: Arc::new(actions),
    }
}
