//! From what came of an instance to what is reported.

use super::aim::{Aim, quoted};
use crate::cli::RunArguments;
use crate::follow;
use warpscope_conformance::listing::Card;
use warpscope_conformance::report::{InstanceResult, Ladder, Verdict};
use warpscope_conformance::run::Outcome;
use warpscope_requirements::Catalogue;

/// Columns of a ladder in a report.
const COLUMNS: usize = 100;
/// Connections of an instance that are drawn.
const DRAWN: u32 = 4;

/// What reports are made from, beside what came.
pub(super) struct Reporter<'a> {
    pub(super) arguments: &'a RunArguments,
    pub(super) aim: &'a Aim,
    pub(super) catalogue: &'a Catalogue,
}

impl Reporter<'_> {
    /// What is reported of an instance of a case, which was run so many times.
    pub(super) fn result(&self, outcome: &Outcome, card: &Card, attempts: u32) -> InstanceResult {
        let rerun = self.rerun(&outcome.id);
        let mut result = InstanceResult::new(outcome, card, self.catalogue, rerun);
        result.attempts = attempts;
        if result.verdict == Verdict::ExpectedFailure {
            let expected = self.aim.target.expects_failure(&outcome.id, &outcome.case);
            let link = expected.and_then(|entry| self.aim.profile.link(&entry.id));
            result.link = link.map(str::to_owned);
        }
        // A run of thousands is no place for thousands of pictures of what went well.
        if !matches!(result.verdict, Verdict::Pass | Verdict::NotApplicable) {
            result.ladder = ladder(outcome);
        }
        result
    }

    /// The command that runs an instance again.
    fn rerun(&self, id: &str) -> String {
        let mut words = vec!["warpscope conform run".to_owned(), self.aim.words.clone()];
        if let Some(folder) = &self.arguments.cases.cases {
            words.push(format!("--cases {}", quoted(&folder.display().to_string())));
        }
        if let Some(seed) = self.arguments.seed {
            words.push(format!("--seed {seed}"));
        }
        words.push(format!("-v {}", quoted(id)));
        words.join(" ")
    }
}

/// The ladders of an instance's connections.
fn ladder(outcome: &Outcome) -> Option<Ladder> {
    let ladders: Vec<_> =
        (0..DRAWN).map_while(|connection| outcome.evidence.ladder(connection)).collect();
    let (mut text, mut svg) = (Vec::new(), Vec::new());
    for ladder in &ladders {
        follow::print(ladder, COLUMNS, false, &mut text).ok()?;
    }
    if let [only] = ladders.as_slice() {
        follow::draw(only, &outcome.id, &mut svg).ok()?;
    }
    if text.is_empty() {
        return None;
    }
    let svg = Some(String::from_utf8_lossy(&svg).into_owned()).filter(|svg| !svg.is_empty());
    Some(Ladder { text: String::from_utf8_lossy(&text).into_owned(), svg })
}
