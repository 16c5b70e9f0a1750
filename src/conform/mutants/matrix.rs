//! What came of all bugs.

use super::accepted::Accepted;
use super::trial::{Says, Trial};
use warpscope_conformance::case::Case;
use warpscope_peer::bug::Bug;
use warpscope_requirements::Catalogue;

/// How a bug fared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Fate {
    /// A case of its requirement kills it.
    Killed,
    /// It is killed, but by no case that covers the requirement which it breaks.
    KilledByOthers,
    /// No case kills it, and there is a reason.
    Accepted(String),
    /// No case kills it.
    Survives,
    /// It could not be tried: why.
    Untried(String),
}

/// What came of all bugs.
#[derive(Debug)]
pub(super) struct Matrix {
    /// By bug, in the order of their table.
    pub(super) rows: Vec<(Trial, Fate)>,
    /// A bug and a case that says that it kills it, and does not: and what it says.
    pub(super) unkept: Vec<(Bug, String, Says)>,
    /// Cases that kill no bug; none where not all bugs were tried.
    pub(super) idle: Vec<String>,
    /// What is accepted and need not be.
    pub(super) needless: Vec<String>,
}

impl Matrix {
    /// The matrix of these trials; `whole` where every bug was tried.
    pub(super) fn new(
        trials: Vec<Trial>,
        cases: &[&Case],
        accepted: &Accepted,
        catalogue: &Catalogue,
        whole: bool,
    ) -> Self {
        let covers = |case: &str, bug: Bug| {
            let id = bug.row().requirement;
            let same = catalogue.find(id).map(|it| it.same_as.clone()).unwrap_or_default();
            let case = cases.iter().find(|it| it.id == case);
            case.is_some_and(|case| case.covers.iter().any(|it| *it == id || same.contains(it)))
        };
        let mut rows = Vec::new();
        let (mut unkept, mut needless) = (Vec::new(), Vec::new());
        for trial in trials {
            let bug = trial.bug;
            let mut killers = trial.said.iter().filter(|(_, says)| says.kills()).peekable();
            let killed = killers.peek().is_some();
            let fate = match &trial.broken {
                Some(why) => Fate::Untried(why.clone()),
                None if killers.any(|(case, _)| covers(case, bug)) => Fate::Killed,
                None if killed => Fate::KilledByOthers,
                None => match accepted.survivor(bug) {
                    Some(reason) => Fate::Accepted(reason.to_owned()),
                    None => Fate::Survives,
                },
            };
            if killed && accepted.survivor(bug).is_some() {
                needless.push(format!("{}: it is killed", bug.row().name));
            }
            let broken = trial.said.iter().filter(|(_, says)| !says.kills());
            unkept.extend(broken.map(|(case, says)| (bug, case.clone(), says.clone())));
            rows.push((trial, fate));
        }
        let kills = |case: &str| {
            rows.iter().any(|(trial, _)| trial.said.get(case).is_some_and(Says::kills))
        };
        let mut idle = Vec::new();
        for case in cases.iter().filter(|_| whole) {
            let excused = accepted.idle.iter().any(|(id, _)| *id == case.id);
            match (kills(&case.id), excused) {
                (false, false) => idle.push(case.id.clone()),
                (true, true) => needless.push(format!("{}: it kills", case.id)),
                _ => {}
            }
        }
        Self { rows, unkept, idle, needless }
    }

    /// How many bugs fared so.
    pub(super) fn count(&self, of: impl Fn(&Fate) -> bool) -> usize {
        self.rows.iter().filter(|(_, fate)| of(fate)).count()
    }

    /// Whether everything is as it should be.
    pub(super) fn in_order(&self) -> bool {
        self.count(|fate| !matches!(fate, Fate::Killed | Fate::Accepted(_))) == 0
            && self.unkept.is_empty()
            && self.idle.is_empty()
            && self.needless.is_empty()
    }
}
