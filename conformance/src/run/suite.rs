//! Runs many instances, several at a time.

use super::evidence::Evidence;
use super::executor::{Executor, Outcome};
use super::liveness::Copy;
use super::options::{Mode, Options, Target};
use super::probe::Probe;
use super::session::{RunError, Session};
use crate::case::Instance;
use crate::judge::Verdict;
use crate::layout::Layouts;
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use warpscope_dissector::recording::create_private;

/// The number of consecutive instances without an answer from the target, after which the run gives up.
const UNANSWERED: usize = 12;

/// The state shared by the workers.
pub(super) struct Work<'a> {
    target: &'a Target,
    pub(super) probe: &'a Probe,
    layouts: &'a Layouts,
    pub(super) options: &'a Options,
    pub(super) instances: Vec<&'a Instance>,
    next: AtomicUsize,
    /// Set by the user.
    stop: &'a AtomicBool,
    /// Set if no more is to start: the target is gone for good (see `broken_off`), or the first failure ends
    /// the run.
    pub(super) ended: AtomicBool,
    /// Why the run ended before the last instance.
    pub(super) broken_off: Mutex<Option<String>>,
    /// The number of consecutive instances in which the target sent nothing, or data without end.
    unanswered: AtomicUsize,
    /// What the sessions keep of what the target sent, by its cost.
    heard: Arc<AtomicUsize>,
    /// Held by the instance that has memory at a given offset.
    placed: Mutex<()>,
    copies: Vec<Copy>,
}

/// Runs instances against a target that was probed, and reports each outcome as it comes. Setting `stop` lets
/// running instances end, and starts no more. Returns why the run ended early, if the target was gone.
///
/// # Errors
/// [`RunError::Socket`] if captures cannot be written.
pub fn run_all(
    target: &Target,
    probe: &Probe,
    layouts: &Layouts,
    instances: &[Instance],
    options: &Options,
    stop: &AtomicBool,
    mut report: impl FnMut(Outcome),
) -> Result<Option<String>, RunError> {
    if let Some(directory) = &options.captures {
        std::fs::create_dir_all(directory)?;
    }
    let mut order: Vec<&Instance> = instances.iter().collect();
    if let Some(seed) = options.seed {
        shuffle(&mut order, seed);
    }
    let several = target.mode == Mode::Bare || probe.capabilities.has("several-streams");
    // If the network changes addresses, the agent identifies streams by the order in which they come.
    let one = !several || probe.translated || target.mode == Mode::Listen;
    let jobs =
        if one { target.copies().max(1).min(options.jobs.max(1)) } else { options.jobs.max(1) };
    let work = Work {
        target,
        probe,
        layouts,
        options,
        instances: order,
        next: AtomicUsize::new(0),
        stop,
        ended: AtomicBool::new(false),
        broken_off: Mutex::new(None),
        unanswered: AtomicUsize::new(0),
        heard: Arc::default(),
        placed: Mutex::new(()),
        copies: (0..target.copies()).map(|_| Copy::known(probe.offers.rpc)).collect(),
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
    match failed {
        Some(error) => Err(RunError::Socket(error)),
        None => Ok(work.broken_off.into_inner().unwrap_or_else(PoisonError::into_inner)),
    }
}

impl Work<'_> {
    fn run(&self, worker: usize, sender: &Sender<io::Result<Outcome>>) {
        let number = worker % self.copies.len().max(1);
        let Some(copy) = self.copies.get(number) else { return };
        let mut session = Session::new(self.target, number, self.probe.pace);
        session.offers = self.probe.offers;
        session.heard_by_all = Arc::clone(&self.heard);
        while !self.over() {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(outcomes) = self.one(number, &mut session, copy) else { return };
            for outcome in outcomes {
                self.count_unanswered(&outcome);
                let outcome = self.excused(outcome);
                if self.options.first_failure_ends && outcome.verdict.fails(false) {
                    self.ended.store(true, Ordering::Relaxed);
                }
                if sender.send(self.kept(outcome)).is_err() {
                    return;
                }
            }
        }
    }

    /// Ends the run if the target no longer answers anything.
    fn count_unanswered(&self, outcome: &Outcome) {
        match outcome.verdict {
            Verdict::NotApplicable => return,
            Verdict::Fail | Verdict::Inconclusive if outcome.unanswered => {}
            _ => return self.unanswered.store(0, Ordering::Relaxed),
        }
        let count = self.unanswered.fetch_add(1, Ordering::Relaxed) + 1;
        if self.options.gives_up && count >= UNANSWERED {
            let mut broken_off = self.broken_off.lock().unwrap_or_else(PoisonError::into_inner);
            let why = outcome.reason.as_deref().unwrap_or_default();
            broken_off.get_or_insert(format!(
                "the target answers nothing: {count} instances in a row, the last one with: \
                 {why}; use --keep-going to run the others anyway"
            ));
            self.ended.store(true, Ordering::Relaxed);
        }
    }

    /// Returns the outcomes of an instance and of those that ran again with it; `None` if the run is over.
    fn one(&self, number: usize, session: &mut Session, copy: &Copy) -> Option<Vec<Outcome>> {
        let instance = self.instances.get(number)?;
        if let Some(why) = self.not_applicable(instance) {
            return Some(vec![Outcome::without_run(instance, why)]);
        }
        match self.options.watches {
            true => self.watched(number, session, copy),
            false if self.over() => None,
            false => Some(vec![self.carry_out(instance, session)]),
        }
    }

    /// Applies what the target's profile expects.
    fn excused(&self, mut outcome: Outcome) -> Outcome {
        if let Some(expected) = self.target.expects_failure(&outcome.id, &outcome.case) {
            let either = self.target.either.contains(expected);
            let why = outcome.reason.take();
            (outcome.verdict, outcome.reason) =
                outcome.verdict.expecting_failure(why, &expected.reason, either);
        }
        outcome
    }

    /// Runs an instance once.
    pub(super) fn carry_out(&self, instance: &Instance, session: &mut Session) -> Outcome {
        let without_agent;
        let mut capabilities = &self.probe.capabilities;
        if instance.uses_rpc() {
            without_agent = capabilities.without_agent();
            capabilities = &without_agent;
        }
        // Memory at a given offset is the agent's own there: two instances may want the same.
        let placed =
            instance.all_needs().contains(&"given-offsets") && !capabilities.has("zero-based");
        let _alone = placed.then(|| self.placed.lock().unwrap_or_else(PoisonError::into_inner));
        let mut outcome = Executor::new(session, capabilities, self.layouts, instance).run();
        outcome.conclude(|rule| instance.allows(rule) || self.target.excuses(rule).is_some());
        outcome
    }

    /// Returns why an instance is not run at this target; `None` if it is.
    fn not_applicable(&self, instance: &Instance) -> Option<String> {
        let mut left_out = self.target.left_out.iter();
        if let Some(it) = left_out.find(|it| it.means(&instance.id, &instance.case)) {
            return Some(format!("left out by the profile: {}", it.reason));
        }
        if let Some(why) = self.probe.capabilities.lacks_for(instance) {
            return Some(why);
        }
        let commands = &self.target.rpc.tasks;
        let task = instance.tasks().find(|task| !commands.contains_key(*task))?;
        Some(format!("the target's profile has no command for `{task}` (rpc: tasks)"))
    }

    /// Whether nothing more is to start.
    pub(super) fn over(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || self.ended.load(Ordering::Relaxed)
    }

    /// Writes the capture, if captures are kept.
    fn kept(&self, mut outcome: Outcome) -> io::Result<Outcome> {
        if let Some(directory) = &self.options.captures
            && outcome.evidence.frames() > 0
        {
            let path = capture_path(directory, &outcome.id);
            let file = BufWriter::new(create_private(&path)?);
            outcome.evidence.write(file, &self.options.application)?;
            outcome.capture = Some(path);
        }
        Ok(outcome)
    }
}

/// Returns the file of the capture: the instance's id, without characters that do not belong in file names.
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
            causes: Vec::new(),
            difference: None,
            checks: Vec::new(),
            findings: Vec::new(),
            reports: Vec::new(),
            notes: Vec::new(),
            evidence: Evidence::default(),
            capture: None,
            unanswered: false,
            took: Duration::ZERO,
        }
    }
}

/// Shuffles with a seed: the same seed gives the same order everywhere.
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
