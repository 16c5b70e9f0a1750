//! What is expected of a link, within what time.

use super::pattern::{Judged, Pattern};
use crate::engine::shown::time;
use crate::engine::{Arrival, What};
use std::time::Duration;

/// What is expected of a link. Times are nominal: who waits scales them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expectation {
    /// The next thing that comes is one of these. What one of `skip` matches may come before it.
    Next {
        /// The alternatives.
        any_of: Vec<Pattern>,
        /// What may come before.
        skip: Vec<Pattern>,
        /// Whether anything may come before.
        skip_all: bool,
        /// How long it may take.
        within: Duration,
    },
    /// All of these come, each before the next; anything else may come between.
    InOrder {
        /// What comes, in order.
        patterns: Vec<Pattern>,
        /// How long it may take.
        within: Duration,
    },
    /// All of these come, in any order, and nothing else between.
    AllOf {
        /// What comes.
        patterns: Vec<Pattern>,
        /// How long it may take.
        within: Duration,
    },
    /// Nothing that matches one of these comes; of none, nothing at all comes.
    Nothing {
        /// What must not come.
        of: Vec<Pattern>,
        /// For so long.
        during: Duration,
    },
}

/// An expectation that was met.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Met {
    /// The places of the arrivals that met it, in the order of the patterns.
    pub arrivals: Vec<usize>,
    /// Which alternative it was.
    pub alternative: usize,
    /// Where the next expectation begins.
    pub cursor: usize,
}

/// How far an expectation is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Progress {
    /// It is met.
    Met(Met),
    /// It is met but for the Terminate: the stream was torn down otherwise; how.
    Strict(Met, String),
    /// It cannot be met any more: the arrival's place, and why.
    Failed(usize, String),
    /// Not yet.
    Waiting,
}

impl Expectation {
    /// The next thing is one of these.
    pub fn next(any_of: Vec<Pattern>, within: Duration) -> Self {
        Self::Next { any_of, skip: Vec::new(), skip_all: false, within }
    }

    /// How long it may take, or must last.
    pub fn time(&self) -> Duration {
        match self {
            Self::Next { within, .. }
            | Self::InOrder { within, .. }
            | Self::AllOf { within, .. } => *within,
            Self::Nothing { during, .. } => *during,
        }
    }

    /// Whether it is met when the time is over and nothing has decided it before.
    pub fn met_by_silence(&self) -> bool {
        matches!(self, Self::Nothing { .. })
    }

    /// It in words.
    pub fn describe(&self) -> String {
        let list = |patterns: &[Pattern], between: &str| {
            let words: Vec<String> = patterns.iter().map(Pattern::describe).collect();
            words.join(between)
        };
        match self {
            Self::Next { any_of, .. } => list(any_of, ", or "),
            Self::InOrder { patterns, .. } => list(patterns, ", then "),
            Self::AllOf { patterns, .. } => list(patterns, ", and "),
            Self::Nothing { of, during } if of.is_empty() => {
                format!("nothing for {}", time(*during))
            }
            Self::Nothing { of, during } => {
                format!("for {} none of: {}", time(*during), list(of, ", "))
            }
        }
    }

    /// Judges what came from `cursor` on.
    pub fn judge(&self, arrivals: &[Arrival], cursor: usize) -> Progress {
        let rest = arrivals.iter().enumerate().skip(cursor).map(|(at, it)| (at, &it.what));
        match self {
            Self::Next { any_of, skip, skip_all, .. } => next(any_of, skip, *skip_all, rest),
            Self::InOrder { patterns, .. } => in_order(patterns, rest),
            Self::AllOf { patterns, .. } => all_of(patterns, rest),
            Self::Nothing { of, .. } => {
                for (at, what) in rest {
                    let matches = |it: &Pattern| it.judge(what) == Judged::Matches;
                    if of.is_empty() || of.iter().any(matches) {
                        return Progress::Failed(at, format!("this came: {}", what.describe()));
                    }
                }
                Progress::Waiting
            }
        }
    }
}

fn met(arrivals: Vec<usize>, alternative: usize) -> Met {
    let cursor = arrivals.iter().max().map_or(0, |last| last + 1);
    Met { arrivals, alternative, cursor }
}

/// What the stream's end means for who still waits.
fn over(what: &What) -> bool {
    matches!(what, What::Finished(_) | What::Reset | What::Unreadable(..))
}

fn next<'a>(
    any_of: &[Pattern],
    skip: &[Pattern],
    skip_all: bool,
    rest: impl Iterator<Item = (usize, &'a What)>,
) -> Progress {
    for (at, what) in rest {
        let judged: Vec<Judged> = any_of.iter().map(|pattern| pattern.judge(what)).collect();
        if let Some(alternative) = judged.iter().position(|it| *it == Judged::Matches) {
            return Progress::Met(met(vec![at], alternative));
        }
        let strict = judged.iter().enumerate().find_map(|(alternative, it)| match it {
            Judged::Strict(why) => Some((alternative, why.clone())),
            _ => None,
        });
        if let Some((alternative, why)) = strict {
            // The end of the stream stays for who expects it.
            let mut it = met(vec![at], alternative);
            it.cursor = if over(what) { at } else { it.cursor };
            return Progress::Strict(it, why);
        }
        let skipped = skip.iter().any(|pattern| pattern.judge(what) == Judged::Matches);
        if over(what) || !(skipped || skip_all) {
            return Progress::Failed(at, reasons(&judged));
        }
    }
    Progress::Waiting
}

/// Why none of the alternatives is it, each reason once.
fn reasons(judged: &[Judged]) -> String {
    let mut reasons: Vec<&str> = Vec::new();
    for it in judged {
        if let Judged::Differs(why) | Judged::Strict(why) = it
            && !reasons.contains(&why.as_str())
        {
            reasons.push(why);
        }
    }
    reasons.join("; ")
}

fn in_order<'a>(patterns: &[Pattern], rest: impl Iterator<Item = (usize, &'a What)>) -> Progress {
    let mut found = Vec::new();
    let mut strict = None;
    for (at, what) in rest {
        let Some(pattern) = patterns.get(found.len()) else { break };
        match pattern.judge(what) {
            Judged::Matches => found.push(at),
            Judged::Strict(why) => {
                found.push(at);
                strict = Some(why);
            }
            Judged::Differs(_) => {
                let early = patterns.get(found.len() + 1..).unwrap_or_default();
                if let Some(other) = early.iter().find(|it| it.judge(what) == Judged::Matches) {
                    let (first, second) = (pattern.describe(), other.describe());
                    return Progress::Failed(at, format!("{second} came before {first}"));
                }
                if over(what) {
                    let missing = pattern.describe();
                    let why = format!("{} before this came: {missing}", what.describe());
                    return Progress::Failed(at, why);
                }
            }
        }
    }
    if found.len() < patterns.len() {
        return Progress::Waiting;
    }
    match strict {
        Some(why) => Progress::Strict(met(found, 0), why),
        None => Progress::Met(met(found, 0)),
    }
}

fn all_of<'a>(patterns: &[Pattern], rest: impl Iterator<Item = (usize, &'a What)>) -> Progress {
    let mut found: Vec<Option<usize>> = vec![None; patterns.len()];
    for (at, what) in rest {
        if found.iter().all(Option::is_some) {
            break;
        }
        let mut open = found.iter_mut().zip(patterns).filter(|(found, _)| found.is_none());
        match open.find(|(_, pattern)| pattern.judge(what) == Judged::Matches) {
            Some((found, _)) => *found = Some(at),
            None => return Progress::Failed(at, what.describe()),
        }
    }
    let places: Vec<usize> = found.iter().flatten().copied().collect();
    if places.len() < patterns.len() { Progress::Waiting } else { Progress::Met(met(places, 0)) }
}
