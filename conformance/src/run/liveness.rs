//! Checks whether the target is still there after an instance that did not pass, and brings it back.

use super::executor::Outcome;
use super::options::Pace;
use super::probe::{rpc_sanity, sanity};
use super::session::Session;
use super::suite::Work;
use crate::case::{Instance, Role};
use crate::judge::Verdict;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock};
use std::time::{Duration, Instant};

/// The maximum time for a step of the sanity conversation when only checking whether the target is there.
const LOOK: Duration = Duration::from_secs(5);
/// The pause before checking again for a target that is gone.
const AGAIN: Duration = Duration::from_millis(500);

/// The state shared by the workers of a copy of the target.
#[derive(Debug, Default)]
pub(super) struct Copy {
    /// An instance holds it for reading; the check whether the target is there holds it for writing.
    alone: RwLock<()>,
    deaths: AtomicUsize,
    /// Whether its RPC-over-RDMA responder has been seen to work.
    serves_rpc: AtomicBool,
    /// The numbers of the instances that have passed since the target was last known to be there.
    unproven: Mutex<Vec<usize>>,
}

impl Copy {
    /// Returns the state for a target whose RPC-over-RDMA responder was there, or not, when it was probed.
    pub(super) fn known(serves_rpc: bool) -> Self {
        Self { serves_rpc: AtomicBool::new(serves_rpc), ..Self::default() }
    }

    fn unproven(&self) -> MutexGuard<'_, Vec<usize>> {
        self.unproven.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Work<'_> {
    /// Runs the instance of this number, then checks whether the target is still there, unless the instance
    /// shows it. A target that is gone is brought back, and possible causes run again, alone. Returns each
    /// outcome, or `None` if the run was stopped.
    pub(super) fn watched(
        &self,
        number: usize,
        session: &mut Session,
        copy: &Copy,
    ) -> Option<Vec<Outcome>> {
        let instance = self.instances.get(number)?;
        loop {
            let running = copy.alone.read().unwrap_or_else(PoisonError::into_inner);
            if self.over() {
                return None;
            }
            let deaths = copy.deaths.load(Ordering::Relaxed);
            session.knows_deaths(deaths);
            let outcome = self.carry_out(instance, session);
            drop(running);
            if !outcome.leaves_doubt() {
                let serves = outcome.verdict == Verdict::Pass && instance.uses_rpc();
                copy.serves_rpc.fetch_or(serves, Ordering::Relaxed);
                copy.unproven().push(number);
                return Some(vec![outcome]);
            }
            let _alone = copy.alone.write().unwrap_or_else(PoisonError::into_inner);
            if copy.deaths.load(Ordering::Relaxed) != deaths {
                // It may have failed because another instance killed the target.
                continue;
            }
            // An RPC requester is started for each instance, and a responder may never have been there.
            let may_die = !instance.uses_rpc()
                || (instance.role == Role::Initiator && copy.serves_rpc.load(Ordering::Relaxed));
            let gone = if may_die { self.gone(instance, session) } else { None };
            let before = std::mem::take(&mut *copy.unproven());
            return Some(match gone {
                None => vec![outcome],
                Some(why) => self.after_death(number, session, copy, (outcome, why), before),
            });
        }
    }

    /// Returns the outcomes of an instance in which the target went away, and of those that passed before it,
    /// one of which may have been the cause.
    fn after_death(
        &self,
        number: usize,
        session: &mut Session,
        copy: &Copy,
        (mut first, died): (Outcome, String),
        before: Vec<usize>,
    ) -> Vec<Outcome> {
        copy.deaths.fetch_add(1, Ordering::Relaxed);
        let Some(instance) = self.instances.get(number) else { return vec![first] };
        if !self.comes_back(instance, session) {
            first.died(&died);
            return vec![first];
        }
        let (mut outcomes, mut killer) = (Vec::new(), false);
        let latest = before.into_iter().rev().take(self.options.jobs);
        for suspect in std::iter::once(number).chain(latest) {
            let Some(instance) = self.instances.get(suspect) else { continue };
            let mut again = self.carry_out(instance, session);
            let gone = if again.leaves_doubt() || suspect != number {
                self.gone(instance, session)
            } else {
                None
            };
            let Some(why) = gone else {
                if suspect == number {
                    again.notes.push(format!("the target died when this first ran: {died}"));
                    outcomes.push(again);
                }
                continue;
            };
            killer = true;
            copy.deaths.fetch_add(1, Ordering::Relaxed);
            again.died(&why);
            again.notes.push("the target died both times that this ran".to_owned());
            self.comes_back(instance, session);
            outcomes.push(again);
            break;
        }
        if let (false, Some(own)) = (killer, outcomes.first_mut()) {
            own.died_once(&died);
        }
        outcomes
    }

    /// Returns why the target fails the sanity conversation, tried twice; `None` if it succeeds.
    fn gone(&self, instance: &Instance, session: &mut Session) -> Option<String> {
        self.sanity_fails(instance, session).and_then(|_| self.sanity_fails(instance, session))
    }

    fn sanity_fails(&self, instance: &Instance, session: &mut Session) -> Option<String> {
        let pace = session.pace;
        session.pace = Pace { longest: LOOK, ..pace };
        // The RPC-over-RDMA side is another program.
        let sane = if instance.uses_rpc() { rpc_sanity() } else { sanity(self.probe) };
        let outcome = self.carry_out(&sane, session);
        session.pace = pace;
        match outcome.verdict {
            Verdict::Fail | Verdict::Inconclusive => Some(outcome.reason.unwrap_or_default()),
            _ => None,
        }
    }

    /// Brings the target back, which died in this instance, if the user said how, and waits for it. A target
    /// that goes away again meanwhile is brought back once more.
    fn comes_back(&self, instance: &Instance, session: &mut Session) -> bool {
        let mut how = "it did not come back; use --restart COMMAND to restart it".to_owned();
        let tries = if self.options.restart.is_some() { 2 } else { 1 };
        for left in (0..tries).rev() {
            match self.options.restart.as_deref().map(restarted) {
                Some(Err(_)) if left > 0 && !self.over() => continue,
                Some(Ok(why) | Err(why)) => how = why,
                None => {}
            }
            if self.answers_again(instance, session) {
                return true;
            }
            if self.over() {
                return false;
            }
        }
        let mut broken_off = self.broken_off.lock().unwrap_or_else(PoisonError::into_inner);
        broken_off.get_or_insert(format!("the target died in {}, and {how}", instance.id));
        self.ended.store(true, Ordering::Relaxed);
        false
    }

    /// Whether the target completes the sanity conversation within its time.
    fn answers_again(&self, instance: &Instance, session: &mut Session) -> bool {
        let until = Instant::now() + session.pace.patience();
        while !self.over() {
            session.control = None;
            if self.gone(instance, session).is_none() {
                return true;
            }
            if Instant::now() >= until {
                break;
            }
            std::thread::sleep(AGAIN);
        }
        false
    }
}

/// Runs the command that brings the target back. Returns what to say if the target is not back after it.
fn restarted(command: &str) -> Result<String, String> {
    let mut shell = Command::new("sh");
    // Standard output is reserved for the report.
    let shell = shell.args(["-c", command]).stdin(Stdio::null()).stdout(std::io::stderr());
    match shell.status() {
        Ok(status) if status.success() => Ok(format!("`{command}` did not bring it back")),
        Ok(status) => Err(format!("`{command}` did not bring it back: {status}")),
        Err(error) => Err(format!("`{command}` cannot be run: {error}")),
    }
}

impl Outcome {
    /// Whether the target may have gone away in it: it did not pass, or a stream ended without a byte from
    /// the target.
    fn leaves_doubt(&self) -> bool {
        match self.verdict {
            Verdict::Fail | Verdict::StrictOnly | Verdict::Inconclusive => true,
            Verdict::Pass => self.evidence.ended_unheard(),
            _ => false,
        }
    }

    /// Makes it inconclusive, unless it failed: the target went away when it first ran, and no instance that
    /// ran again made it do so.
    fn died_once(&mut self, why: &str) {
        if matches!(self.verdict, Verdict::Pass | Verdict::StrictOnly) {
            self.verdict = Verdict::Inconclusive;
            self.reason =
                Some(format!("the target died when this first ran, and not again: {why}"));
        }
    }

    /// Makes it a failure: the target went away, as the sanity conversation shows.
    fn died(&mut self, why: &str) {
        self.verdict = Verdict::Fail;
        let before = self.reason.take().map(|it| format!("; before that: {it}"));
        let before = before.unwrap_or_default();
        let now = "the sanity conversation failed";
        self.reason = Some(format!("the target died: {now}: {why}{before}"));
    }
}
