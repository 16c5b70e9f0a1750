//! What is expected of a stream, and in what time. Times are nominal; the caller that waits scales them.

use super::message::{Protocol, framing_fault};
use super::terminate::TerminatePattern;
use super::verdict::Verdict;
use crate::case::step::MessagePattern;
use crate::format::time;
use crate::layout::Given;
use crate::stream::{Received, SetupSeen};
use std::time::Duration;

/// The result of comparing what came with a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum MatchResult {
    Matches,
    /// It is right in substance but not to the letter; says how.
    Strict(String),
    /// It does not match; says why.
    Differs(String),
}

impl From<Option<String>> for MatchResult {
    fn from(difference: Option<String>) -> Self {
        difference.map_or(Self::Matches, Self::Differs)
    }
}

/// What a setup frame must be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SetupPattern {
    pub(crate) reply: bool,
    pub(crate) rejected: Option<bool>,
}

/// Something that may come.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Pattern {
    Setup(SetupPattern),
    /// A message or a setup frame, by the layouts.
    Message(MessagePattern<Given>),
    Terminate(TerminatePattern),
    /// The target closes its direction normally, at the end of an FPDU.
    Finished,
    /// The target resets the connection.
    Reset,
    /// Either a close or a reset.
    Closed,
    /// Nothing during all of the time.
    Silence,
    /// What this pattern matches is right in substance but not to the letter: [`MatchResult::Strict`].
    Tolerated(Box<Pattern>),
}

impl SetupPattern {
    fn difference(&self, setup: &SetupSeen) -> Option<String> {
        if self.reply != setup.bytes.starts_with(b"MPA ID Rep Frame") {
            return Some(format!("it is the wrong frame: {}", setup.describe()));
        }
        let (expected, rejected) = (self.rejected?, setup.rejected());
        (expected != rejected)
            .then(|| format!("R is {}, not {}", u8::from(rejected), u8::from(expected)))
    }
}

impl Pattern {
    pub(crate) fn describe(&self, protocol: Protocol<'_>) -> String {
        match self {
            Self::Setup(SetupPattern { reply, rejected }) => {
                let name = if *reply { "an MPA Reply" } else { "an MPA Request" };
                match rejected {
                    Some(rejected) => format!("{name} with R {}", u8::from(*rejected)),
                    None => name.to_owned(),
                }
            }
            Self::Message(pattern) => pattern.describe(),
            Self::Terminate(pattern) => pattern.describe(protocol),
            Self::Tolerated(pattern) => format!("{} (strict-only)", pattern.describe(protocol)),
            Self::Finished => "the target closes its direction (FIN)".to_owned(),
            Self::Reset => "the target resets the connection".to_owned(),
            Self::Closed => "the target closes or resets the connection".to_owned(),
            Self::Silence => "nothing".to_owned(),
        }
    }

    /// Compares the pattern with what came.
    pub(crate) fn judge(&self, received: &Received, protocol: Protocol<'_>) -> MatchResult {
        match (self, received) {
            (Self::Tolerated(pattern), _) => match pattern.judge(received, protocol) {
                MatchResult::Matches => MatchResult::Strict(received.describe()),
                other => other,
            },
            (Self::Message(pattern), _) => pattern.difference(received, protocol).into(),
            (Self::Setup(pattern), Received::Setup(setup)) => pattern.difference(setup).into(),
            (Self::Terminate(pattern), Received::Message(message)) => {
                match framing_fault(message, protocol.faults) {
                    Some(why) => MatchResult::Differs(why),
                    None => pattern.judge(message, protocol),
                }
            }
            (Self::Terminate(_), Received::Finished(0) | Received::Reset) => MatchResult::Differs(
                format!("torn down without a Terminate: {}", received.describe()),
            ),
            (Self::Finished | Self::Closed, Received::Finished(0))
            | (Self::Reset | Self::Closed, Received::Reset) => MatchResult::Matches,
            _ => MatchResult::Differs(received.describe()),
        }
    }

    fn matches(&self, received: &Received, protocol: Protocol<'_>) -> bool {
        self.judge(received, protocol) == MatchResult::Matches
    }

    fn is_message(&self) -> bool {
        match self {
            Self::Setup(_) | Self::Message(_) | Self::Terminate(_) => true,
            Self::Tolerated(inner) => inner.is_message(),
            Self::Finished | Self::Reset | Self::Closed | Self::Silence => false,
        }
    }

    /// Returns the message whose fields are bound to variables, if the pattern is one.
    pub(crate) fn message(&self) -> Option<&MessagePattern<Given>> {
        match self {
            Self::Message(message) => Some(message),
            Self::Terminate(terminate) => Some(&terminate.message),
            _ => None,
        }
    }
}

/// What is expected of a stream.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Expectation {
    /// The next thing that comes is one of these. Something that `skip` matches may come before it.
    Next { any_of: Vec<Pattern>, skip: Vec<Pattern>, within: Duration },
    /// All of these come, one after the other. Anything else may come between them.
    InOrder { patterns: Vec<Pattern>, within: Duration },
    /// All of these come, in any order, with nothing else between them.
    AllOf { patterns: Vec<Pattern>, within: Duration },
    /// Nothing comes except what `skip` matches.
    Nothing { during: Duration, skip: Vec<Pattern> },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Met {
    /// What met it: the index of the pattern in [`Expectation::patterns`], and that of what came.
    pub(crate) by: Vec<(usize, usize)>,
    /// Where the next expectation starts.
    pub(crate) cursor: usize,
}

/// The state of an expectation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Progress {
    Met(Met),
    /// It is met in substance but not to the letter; says how.
    Strict(Met, String),
    /// It can no longer be met: the index of what came, and why.
    Failed(usize, String),
    Waiting,
}

impl Expectation {
    pub(crate) fn next(any_of: Vec<Pattern>, within: Duration) -> Self {
        Self::Next { any_of, skip: Vec::new(), within }
    }

    /// Returns how long it may take or must last.
    pub(crate) fn time(&self) -> Duration {
        match self {
            Self::Next { within, .. }
            | Self::InOrder { within, .. }
            | Self::AllOf { within, .. } => *within,
            Self::Nothing { during, .. } => *during,
        }
    }

    /// Whether it is met if the time is over and nothing has decided it before.
    pub(crate) fn met_by_silence(&self) -> bool {
        matches!(self, Self::Nothing { .. })
    }

    /// Whether messages may come that it does not wait for.
    pub(crate) fn skips_messages(&self) -> bool {
        matches!(self, Self::Nothing { skip, .. } if skip.iter().any(Pattern::is_message))
    }

    /// Returns the verdict if nothing comes; `None` if something must come.
    pub(crate) fn verdict_of_silence(&self) -> Option<Verdict> {
        self.patterns().iter().find_map(|pattern| match pattern {
            Pattern::Silence => Some(Verdict::Pass),
            Pattern::Tolerated(inner) if **inner == Pattern::Silence => Some(Verdict::StrictOnly),
            _ => None,
        })
    }

    /// Returns the patterns that may meet it.
    pub(crate) fn patterns(&self) -> &[Pattern] {
        match self {
            Self::Next { any_of: patterns, .. }
            | Self::InOrder { patterns, .. }
            | Self::AllOf { patterns, .. } => patterns,
            Self::Nothing { .. } => &[],
        }
    }

    pub(crate) fn describe(&self, protocol: Protocol<'_>) -> String {
        let between = match self {
            Self::Next { .. } => ", or ",
            Self::InOrder { .. } => ", then ",
            Self::AllOf { .. } => ", and ",
            Self::Nothing { during, .. } => return format!("nothing for {}", time(*during)),
        };
        let words = self.patterns().iter().map(|pattern| pattern.describe(protocol));
        words.collect::<Vec<_>>().join(between)
    }

    /// Judges what came from `cursor` on.
    pub(crate) fn judge(
        &self,
        received: &[Received],
        cursor: usize,
        protocol: Protocol<'_>,
    ) -> Progress {
        let rest = received.iter().enumerate().skip(cursor);
        match self {
            Self::Next { any_of, skip, .. } => next(any_of, skip, rest, protocol),
            Self::InOrder { patterns, .. } => in_order(patterns, rest, protocol),
            Self::AllOf { patterns, .. } => all_of(patterns, rest, protocol),
            Self::Nothing { skip, .. } => nothing(skip, rest, protocol),
        }
    }
}

fn met(by: Vec<(usize, usize)>) -> Met {
    let cursor = by.iter().map(|(_, at)| at + 1).max().unwrap_or(0);
    Met { by, cursor }
}

/// Returns an expectation met by a single thing. The end of the stream is kept for the next expectation.
fn met_by(pattern: usize, at: usize, it: &Received) -> Met {
    let met = met(vec![(pattern, at)]);
    if over(it) { Met { cursor: at, ..met } } else { met }
}

/// Whether nothing more can come after this.
fn over(received: &Received) -> bool {
    matches!(received, Received::Finished(_) | Received::Reset | Received::Unreadable(..))
}

fn next<'a>(
    any_of: &[Pattern],
    skip: &[Pattern],
    rest: impl Iterator<Item = (usize, &'a Received)>,
    protocol: Protocol<'_>,
) -> Progress {
    for (at, it) in rest {
        let results: Vec<MatchResult> =
            any_of.iter().map(|pattern| pattern.judge(it, protocol)).collect();
        if let Some(alternative) = results.iter().position(|it| *it == MatchResult::Matches) {
            return Progress::Met(met_by(alternative, at, it));
        }
        if let Some(strict) = strict(&results, at, it) {
            return strict;
        }
        if over(it) || !skip.iter().any(|pattern| pattern.matches(it, protocol)) {
            return Progress::Failed(at, reasons(&results, it));
        }
    }
    Progress::Waiting
}

/// Returns the progress if one of the patterns accepts it as right in substance.
fn strict(results: &[MatchResult], at: usize, it: &Received) -> Option<Progress> {
    results.iter().enumerate().find_map(|(alternative, result)| {
        let MatchResult::Strict(_) = result else { return None };
        Some(Progress::Strict(met_by(alternative, at, it), reasons(results, it)))
    })
}

fn nothing<'a>(
    skip: &[Pattern],
    rest: impl Iterator<Item = (usize, &'a Received)>,
    protocol: Protocol<'_>,
) -> Progress {
    for (at, it) in rest {
        let results: Vec<MatchResult> =
            skip.iter().map(|pattern| pattern.judge(it, protocol)).collect();
        if !results.contains(&MatchResult::Matches) {
            let failed = || Progress::Failed(at, format!("this came: {}", it.describe()));
            return strict(&results, at, it).unwrap_or_else(failed);
        }
    }
    Progress::Waiting
}

/// Returns why none of the alternatives matches, each reason once. A fault within what came says more than
/// that it is something else, so the latter is then omitted.
fn reasons(results: &[MatchResult], it: &Received) -> String {
    let mut reasons: Vec<&str> = Vec::new();
    for it in results {
        if let MatchResult::Differs(why) | MatchResult::Strict(why) = it
            && !reasons.contains(&why.as_str())
        {
            reasons.push(why);
        }
    }
    let came = it.describe();
    if reasons.iter().any(|why| !why.contains(&came)) {
        reasons.retain(|why| !why.contains(&came));
    } else if reasons.iter().any(|why| *why != came) {
        reasons.retain(|why| *why != came);
    }
    reasons.join("; ")
}

fn in_order<'a>(
    patterns: &[Pattern],
    rest: impl Iterator<Item = (usize, &'a Received)>,
    protocol: Protocol<'_>,
) -> Progress {
    let mut found = Vec::new();
    // The closest pattern, and why it does not match.
    let mut near = None;
    for (at, it) in rest {
        let Some(pattern) = patterns.get(found.len()) else { break };
        match pattern.judge(it, protocol) {
            MatchResult::Matches => {
                found.push((found.len(), at));
                near = None;
                continue;
            }
            MatchResult::Differs(why) if !why.contains(&it.describe()) => near = Some((at, why)),
            _ => {}
        }
        let early = patterns.get(found.len() + 1..).unwrap_or_default();
        if let Some(other) = early.iter().find(|other| other.matches(it, protocol)) {
            let (first, second) = (pattern.describe(protocol), other.describe(protocol));
            return Progress::Failed(at, format!("{second} came before {first}"));
        }
        if over(it)
            && let Some((at, why)) = near
        {
            return Progress::Failed(at, why);
        }
        if over(it) {
            let (came, missing) = (it.describe(), pattern.describe(protocol));
            return Progress::Failed(at, format!("{came} before this came: {missing}"));
        }
    }
    if found.len() < patterns.len() { Progress::Waiting } else { Progress::Met(met(found)) }
}

fn all_of<'a>(
    patterns: &[Pattern],
    rest: impl Iterator<Item = (usize, &'a Received)>,
    protocol: Protocol<'_>,
) -> Progress {
    let mut found: Vec<Option<usize>> = vec![None; patterns.len()];
    for (at, it) in rest {
        if found.iter().all(Option::is_some) {
            break;
        }
        let mut open = found.iter_mut().zip(patterns).filter(|(found, _)| found.is_none());
        match open.find(|(_, pattern)| pattern.matches(it, protocol)) {
            Some((found, _)) => *found = Some(at),
            None => return Progress::Failed(at, it.describe()),
        }
    }
    let places: Vec<(usize, usize)> =
        found.iter().enumerate().filter_map(|(pattern, at)| Some((pattern, (*at)?))).collect();
    if places.len() < patterns.len() { Progress::Waiting } else { Progress::Met(met(places)) }
}
