//! The graph view: throughput, latency and requests in flight over time, of the filtered items.

use super::{Capture, Cursor, Passing};
use crate::index::CallRow;
use crate::text;
use warpscope_dissector::format::{duration, seconds};
use warpscope_text::{counted, decimal_seconds};

/// The metric drawn over time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, strum::VariantArray)]
pub enum Metric {
    /// Bytes of frames a second.
    #[default]
    Rate,
    /// The longest latency of an answered operation.
    Latency,
    /// The most unanswered operations.
    InFlight,
    /// The longest latency of an answered I/O.
    IoLatency,
    /// The most unanswered I/Os.
    IosInFlight,
}

impl Metric {
    /// Returns a short description.
    pub fn describe(self) -> &'static str {
        match self {
            Self::Rate => "bytes per second",
            Self::Latency => "longest latency of an operation",
            Self::InFlight => "operations in flight",
            Self::IoLatency => "longest latency of an I/O",
            Self::IosInFlight => "I/Os in flight",
        }
    }

    /// Returns the next metric.
    #[must_use]
    pub fn next(self) -> Self {
        let all = <Self as strum::VariantArray>::VARIANTS;
        all.get(self as usize + 1).copied().unwrap_or_default()
    }
}

/// The counts of an interval.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Interval {
    /// Frames.
    pub frames: u64,
    /// Their bytes on the wire.
    pub bytes: u64,
    /// Operations.
    pub operations: Load,
    /// I/Os of upper layer protocols.
    pub ios: Load,
}

/// The requests of an interval.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Load {
    /// The number of answered requests.
    pub answered: u64,
    /// The longest latency of these, in nanoseconds.
    pub longest: u64,
    /// The most unanswered requests at a time.
    pub in_flight: u64,
}

/// A chosen span of time, by its filters.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Span {
    /// The filter for the frames in it.
    pub inner: String,
    /// The previous filter.
    pub outer: String,
    /// The part of the filter that is not about time.
    pub beside: String,
}

/// A request: its flow, the frames of it and its answer (0 for none), and nanoseconds between the two.
type Request = (u32, u32, u32, i64);

/// The graph view.
#[derive(Debug, Clone, Default)]
pub struct GraphView {
    /// The selected interval.
    pub cursor: Cursor,
    /// The metric that is drawn.
    pub metric: Metric,
    /// The start of the first interval, in nanoseconds since 1970.
    pub start: i64,
    /// The length of an interval, in nanoseconds.
    pub length: i64,
    /// The intervals, one per column of the screen.
    pub intervals: Vec<Interval>,
    /// The start of the span that is being selected.
    pub from: Option<usize>,
    /// The chosen spans of time, the latest last.
    pub spans: Vec<Span>,
    /// Whether there is newer data.
    pub stale: bool,
}

impl GraphView {
    /// Rebuilds the counts, in `count` intervals.
    pub fn list(&mut self, capture: &Capture, passing: &Passing<'_>, count: usize) {
        (self.stale, self.from) = (false, None);
        self.intervals.clear();
        let times = || passing.frames().filter_map(|(_, entry)| entry.time());
        let (Some(first), Some(last)) = (times().min(), times().max()) else { return };
        let count = i64::try_from(count.max(1)).unwrap_or(i64::MAX);
        (self.start, self.length) = (first, last.saturating_sub(first) / count + 1);
        self.intervals = vec![Interval::default(); self.place(last).unwrap_or(0) + 1];
        for (_, entry) in passing.frames() {
            if let Some(interval) = entry.time().and_then(|time| self.at(time)) {
                interval.frames += 1;
                interval.bytes += u64::from(entry.length);
            }
        }
        let operations = capture.operations.iter();
        let operations = operations.filter(|row| row.kind.answered() && passing.operation(row));
        let operations = operations.map(|row| (row.flow, row.frame, row.answer, row.latency));
        self.requests(capture, last, operations, |interval| &mut interval.operations);
        let passes = passing.calls(&capture.operations, &capture.chunks);
        let ios = capture.calls.iter().filter(|row: &&CallRow| row.completed != 0 && passes(row));
        let ios = ios.map(|row| (row.flow, row.completed, row.answer, row.latency));
        self.requests(capture, last, ios, |interval| &mut interval.ios);
    }

    /// Counts requests; `last` is the time of the last frame.
    fn requests(
        &mut self,
        capture: &Capture,
        last: i64,
        requests: impl Iterator<Item = Request>,
        load: fn(&mut Interval) -> &mut Load,
    ) {
        let time = |frame: u32| capture.frames.find(frame)?.time();
        let mut changes: Vec<(i64, i64)> = Vec::new();
        for (flow, frame, answer, latency) in requests {
            let Some(asked) = time(frame) else { continue };
            let answered = time(answer);
            if let (Some(interval), Ok(latency)) =
                (answered.and_then(|time| self.at(time)), u64::try_from(latency))
            {
                let load = load(interval);
                load.answered += 1;
                load.longest = load.longest.max(latency);
            }
            // An unanswered request ends with its flow.
            let ended = || capture.flow(flow)?.flow.last.time;
            changes.extend([(asked, 1), (answered.or_else(ended).unwrap_or(last), -1)]);
        }
        changes.sort_unstable();
        self.in_flight(&changes, load);
    }

    /// Records the maximum in flight in each interval, from the changes of their number.
    fn in_flight(&mut self, changes: &[(i64, i64)], load: fn(&mut Interval) -> &mut Load) {
        let (mut now, mut changes) = (0_i64, changes.iter().peekable());
        let (start, length) = (self.start, self.length);
        for (at, interval) in (0_i64..).zip(&mut self.intervals) {
            let end = start.saturating_add(length.saturating_mul(at + 1));
            let mut most = now;
            while let Some((_, by)) = changes.next_if(|(time, _)| *time < end) {
                now += by;
                most = most.max(now);
            }
            load(interval).in_flight = u64::try_from(most).unwrap_or(0);
        }
    }

    fn place(&self, time: i64) -> Option<usize> {
        usize::try_from(time.checked_sub(self.start)?.checked_div(self.length)?).ok()
    }

    fn at(&mut self, time: i64) -> Option<&mut Interval> {
        let place = self.place(time)?;
        self.intervals.get_mut(place)
    }

    /// Returns the drawn value of an interval.
    pub fn value(&self, interval: &Interval) -> u64 {
        match self.metric {
            Metric::Rate => {
                let rate = u128::from(interval.bytes) * 1_000_000_000 / self.nanoseconds();
                u64::try_from(rate).unwrap_or(u64::MAX)
            }
            Metric::Latency => interval.operations.longest,
            Metric::InFlight => interval.operations.in_flight,
            Metric::IoLatency => interval.ios.longest,
            Metric::IosInFlight => interval.ios.in_flight,
        }
    }

    fn nanoseconds(&self) -> u128 {
        u128::from(self.length.unsigned_abs()).max(1)
    }

    /// Formats a value with its unit.
    pub fn text(&self, value: u64) -> String {
        match self.metric {
            Metric::Rate => text::bytes(value),
            Metric::Latency | Metric::IoLatency => duration(value),
            Metric::InFlight | Metric::IosInFlight => value.to_string(),
        }
    }

    /// Returns the selected intervals: the current one, or those from the start of a span.
    pub fn chosen(&self) -> std::ops::RangeInclusive<usize> {
        let (at, from) = (self.cursor.selected, self.from.unwrap_or(self.cursor.selected));
        at.min(from)..=at.max(from)
    }

    /// Returns the start of an interval, in nanoseconds since 1970.
    pub fn begins(&self, at: usize) -> i64 {
        let at = i64::try_from(at).unwrap_or(i64::MAX);
        self.start.saturating_add(self.length.saturating_mul(at))
    }

    /// Returns a test for the frames of the selected intervals, given the time of the capture's first frame.
    pub fn test(&self, origin: i64) -> String {
        let (first, last) = self.chosen().into_inner();
        let [from, to] =
            [first, last + 1].map(|at| decimal_seconds(self.begins(at).saturating_sub(origin), 9));
        format!("frame.time_relative >= {from} && frame.time_relative < {to}")
    }

    /// Describes an interval in words, its start first.
    pub fn words(&self, at: usize, origin: Option<i64>) -> Option<Vec<String>> {
        let interval = self.intervals.get(at)?;
        let rate = Self { metric: Metric::Rate, length: self.length, ..Self::default() };
        let load = match self.metric {
            Metric::IoLatency | Metric::IosInFlight => interval.ios,
            _ => interval.operations,
        };
        let answered = match load.answered {
            0 => "none answered".to_owned(),
            count => format!("{count} answered, the longest after {}", duration(load.longest)),
        };
        Some(vec![
            seconds(Some(self.begins(at)), origin),
            counted(interval.frames, "frame"),
            format!("{} bytes/s", rate.text(rate.value(interval))),
            answered,
            format!("{} in flight", load.in_flight),
        ])
    }
}
