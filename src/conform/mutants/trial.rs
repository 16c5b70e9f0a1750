//! One seeded bug, and what the cases say of it.

use crate::conform::run::Aim;
use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use warpscope_conformance::case::Case;
use warpscope_conformance::judge::Verdict;
use warpscope_conformance::layout::Layouts;
use warpscope_conformance::run::{Options, probe, run_all};
use warpscope_peer::bug::Bug;

/// Instances of a trial that run at a time.
const JOBS: usize = 4;

/// What a case says of a bug.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Says {
    /// It fails: the instance, and why.
    Fails(String, String),
    /// It is refused by another code: the instance, and why.
    Strict(String, String),
    /// No instance tells the bug from the strict peer.
    Nothing,
    /// No instance could run, or tell: why.
    Cannot(String),
}

impl Says {
    /// Whether it tells the bug.
    pub(super) fn kills(&self) -> bool {
        matches!(self, Self::Fails(..) | Self::Strict(..))
    }
}

/// What came of a bug.
#[derive(Debug, Clone)]
pub(super) struct Trial {
    pub(super) bug: Bug,
    /// By case; only cases that name the bug, or that kill it.
    pub(super) said: BTreeMap<String, Says>,
    /// Why it could not be tried.
    pub(super) broken: Option<String>,
}

impl Trial {
    /// Runs the cases against the reference peer with the bug; all instances of a case until one fails.
    pub(super) fn make(bug: Bug, cases: &[&Case], layouts: &Layouts) -> Self {
        let mut trial = Self { bug, said: BTreeMap::new(), broken: None };
        if cases.is_empty() {
            return trial;
        }
        if let Err(error) = trial.run(cases, layouts) {
            trial.broken = Some(format!("{error:#}"));
        }
        trial
    }

    fn run(&mut self, cases: &[&Case], layouts: &Layouts) -> anyhow::Result<()> {
        let name = self.bug.row().name.to_owned();
        let aim = Aim::reference(1, std::slice::from_ref(&name))?;
        let target = &aim.target;
        // What fails once need not be tried again.
        let options = Options { jobs: JOBS, first_failure_ends: true, ..Options::default() };
        let known = probe(target, &options)?;
        for case in cases {
            let stop = AtomicBool::new(false);
            let mut worst: Option<Says> = None;
            run_all(target, &known, layouts, &case.instances, &options, &stop, |outcome| {
                let why = outcome.reason.unwrap_or_default();
                let says = match outcome.verdict {
                    Verdict::Fail => Says::Fails(outcome.id, why),
                    Verdict::StrictOnly => Says::Strict(outcome.id, why),
                    Verdict::Inconclusive | Verdict::NotApplicable => Says::Cannot(why),
                    _ => Says::Nothing,
                };
                if worst.as_ref().is_none_or(|worst| says < *worst) {
                    worst = Some(says);
                }
            })?;
            self.said.extend(worst.map(|says| (case.id.clone(), says)));
        }
        let named = |case: &str| {
            let named = cases.iter().find(|it| it.id == case);
            named.is_some_and(|it| it.kills.contains(&name))
        };
        self.said.retain(|case, says| says.kills() || named(case));
        Ok(())
    }
}
