//! What the rows of operations and calls tell over time, and by how long they took.

use crate::state::Capture;
use std::collections::BTreeMap;
use warpscope_dissector::mpa::Side;
use warpscope_dissector::operation::OperationKind;

/// Steps of a histogram: 1, 2 and 5 with zeros.
const DIGITS: [u64; 3] = [1, 2, 5];

/// What a column of a histogram counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Timed {
    /// Operations of a kind.
    Operation(OperationKind),
    /// RPC calls.
    Call,
}

/// What happened in an interval.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Point {
    /// The most requests of the initiator and of the responder in flight, when one was sent.
    pub(super) in_flight: [u16; 2],
    /// The smallest limits on them.
    pub(super) limits: [u16; 2],
    /// Calls that were made.
    pub(super) calls: u64,
    /// The most of them without a reply.
    pub(super) in_use: u16,
    /// The least and the most credits that replies granted.
    pub(super) granted: Option<(u16, u16)>,
}

/// What rows tell.
#[derive(Debug, Clone, Default)]
pub(super) struct Series {
    /// By the upper end of what they took: how many of each kind.
    pub(super) latencies: BTreeMap<u64, BTreeMap<Timed, u64>>,
    /// Nanoseconds of an interval.
    pub(super) length: i64,
    /// By the number of the interval.
    pub(super) points: BTreeMap<i64, Point>,
}

impl Series {
    /// Looks at the rows of a flow, or at all.
    pub(super) fn new(capture: &Capture, flow: Option<u32>) -> Self {
        let wanted = |of: u32| flow.is_none_or(|flow| flow == of);
        let first = capture.frames.first_time().unwrap_or(0);
        let time = |frame: u32| Some(capture.frames.find(frame)?.time()?.saturating_sub(first));
        let operations = || capture.operations.iter().filter(|row| wanted(row.flow));
        let calls = || capture.calls.iter().filter(|row| wanted(row.flow));
        let mut series = Self { length: 1, ..Self::default() };
        let ends = |frames: &mut dyn Iterator<Item = u32>| {
            frames.filter_map(time).fold(None, |ends: Option<(i64, i64)>, time| {
                Some(ends.map_or((time, time), |(least, most)| (least.min(time), most.max(time))))
            })
        };
        let waits = |depth: u16| depth > 0;
        let mut frames = operations()
            .filter(|row| waits(row.depth))
            .map(|row| row.frame)
            .chain(calls().map(|row| row.frame));
        if let Some((least, most)) = ends(&mut frames) {
            series.length = length(least, most);
        }
        let mut roles = Roles { capture, known: None };
        for row in operations() {
            if row.latency >= 0 && row.kind.answered() {
                series.took(Timed::Operation(row.kind), row.latency);
            }
            if let (true, Some(time)) = (waits(row.depth), time(row.frame)) {
                let role = roles.of(row.flow, row.requester);
                let point = series.points.entry(time.div_euclid(series.length)).or_default();
                if let Some(most) = point.in_flight.get_mut(role) {
                    *most = (*most).max(row.depth);
                }
                if let Some(limit) = point.limits.get_mut(role).filter(|_| row.limit > 0) {
                    *limit = if *limit == 0 { row.limit } else { (*limit).min(row.limit) };
                }
            }
        }
        for row in calls() {
            if row.latency >= 0 {
                series.took(Timed::Call, row.latency);
            }
            let Some(time) = time(row.frame) else { continue };
            let point = series.points.entry(time.div_euclid(series.length)).or_default();
            point.calls += 1;
            point.in_use = point.in_use.max(row.depth);
            if row.answer != 0 {
                let [_, granted] = row.credits;
                let (least, most) = point.granted.unwrap_or((granted, granted));
                point.granted = Some((least.min(granted), most.max(granted)));
            }
        }
        series
    }

    fn took(&mut self, timed: Timed, nanoseconds: i64) {
        let end = end(u64::try_from(nanoseconds).unwrap_or(0));
        *self.latencies.entry(end).or_default().entry(timed).or_default() += 1;
    }

    /// What the columns of the histogram count.
    pub(super) fn timed(&self) -> Vec<Timed> {
        let mut all: Vec<Timed> =
            self.latencies.values().flat_map(|row| row.keys().copied()).collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}

/// The smallest step that a span does not go beyond.
fn end(nanoseconds: u64) -> u64 {
    let steps = (3..12).flat_map(|zeros| DIGITS.map(|digit| digit * 10_u64.pow(zeros)));
    steps.into_iter().find(|step| nanoseconds <= *step).unwrap_or(u64::MAX)
}

/// The shortest interval of 1, 2 or 5 with zeros of which few enough lie between two times.
fn length(least: i64, most: i64) -> i64 {
    let steps = (3..19).flat_map(|zeros| DIGITS.map(|digit| digit as i64 * 10_i64.pow(zeros)));
    let count = super::lines::INTERVALS;
    let fits = |step: &i64| (most.div_euclid(*step)).abs_diff(least.div_euclid(*step)) < count;
    steps.take_while(|step| *step > 0).find(fits).unwrap_or(i64::MAX)
}

/// Which side of a flow is the initiator; rows of a flow often follow each other.
struct Roles<'a> {
    capture: &'a Capture,
    known: Option<(u32, Side)>,
}

impl Roles<'_> {
    /// 0 for the initiator or the first side, 1 for the other.
    fn of(&mut self, flow: u32, side: Side) -> usize {
        let first = match self.known {
            Some((known, first)) if known == flow => first,
            _ => self.capture.flow(flow).map_or(Side(0), |row| row.flow.first_side()),
        };
        self.known = Some((flow, first));
        usize::from(side != first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_hold_what_they_say() {
        assert_eq!([0, 1_000, 1_001, 2_500].map(end), [1_000, 1_000, 2_000, 5_000]);
        assert_eq!(end(u64::MAX), u64::MAX);
        for span in [0, 1, 39_000, 40_001, 7_777_777_777, i64::MAX / 2] {
            let length = length(-span / 3, span);
            let count = span.div_euclid(length).abs_diff((-span / 3).div_euclid(length));
            assert!(count < super::super::lines::INTERVALS, "{span}: {length}");
        }
    }
}
