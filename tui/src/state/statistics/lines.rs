//! What was counted, as lines.

use super::series::{Point, Series, Timed};
use crate::format::bytes;
use crate::look::{Look, Tone};
use crate::state::index::Spark;
use crate::state::text::{TextLine, piece};
use std::collections::BTreeMap;
use warpscope_dissector::format::duration;
use warpscope_dissector::statistics::{
    Calls, Counts, Opcodes, OperationCounts, Percentiles, ProcedureKey, Range, SizeBucket,
    SizeGroup,
};

/// Columns of a bar at least and at most.
const BAR: (usize, usize) = (6, 60);
/// Intervals of a timeline at most.
pub(super) const INTERVALS: u64 = 40;

/// Columns of a histogram at most.
const COLUMNS: usize = 4;
/// Whose requests and calls.
const ROLES: [&str; 2] = ["initiator", "responder"];

/// Lines of text as they are written.
pub(super) struct Lines {
    pub(super) lines: Vec<TextLine>,
    look: Look,
    columns: usize,
}

impl Lines {
    /// No lines yet, for a screen of so many columns.
    pub(super) fn new(look: Look, columns: usize) -> Self {
        Self { lines: Vec::new(), look, columns }
    }

    fn head(&mut self, words: impl Into<String>) {
        if !self.lines.is_empty() {
            self.lines.push(Vec::new());
        }
        self.lines.push(vec![piece(Tone::Heading, words)]);
    }

    fn names(&mut self, words: impl Into<String>) {
        self.lines.push(vec![piece(Tone::Dim, words)]);
    }

    /// A remark behind all others.
    pub(super) fn note(&mut self, words: &str) {
        self.lines.push(Vec::new());
        self.lines.push(vec![piece(Tone::Warn, words)]);
    }

    /// A line with a bar behind its words: so much of the most there is.
    fn barred(&mut self, words: String, part: u64, most: u64) {
        use unicode_width::UnicodeWidthStr as _;
        // A blank before the bar, and one at each edge of the screen.
        let room = self.columns.saturating_sub(words.width() + 3).clamp(BAR.0, BAR.1);
        let columns = match part {
            0 => 0,
            _ => (u128::from(part) * room as u128 / u128::from(most.max(1))).max(1),
        };
        let bar = self.look.bar_of(usize::try_from(columns).unwrap_or(room).min(room));
        self.lines.push(vec![piece(Tone::Plain, words + " "), piece(Tone::Accent, bar)]);
    }

    /// Messages by opcode; `order` says where the initiator's stand, and the responder's.
    pub(super) fn opcodes(&mut self, opcodes: &Opcodes, order: [usize; 2]) {
        let total = opcodes.total();
        self.head(format!(
            "Messages: {} in {} segments, {} bytes",
            total.messages,
            total.segments,
            bytes(total.bytes)
        ));
        let mut words = format!("{:<28}{:>9}{:>9}{:>8}", "", "messages", "segments", "bytes");
        words += &format!("{:>8}{:>8}", "init.", "resp.");
        self.names(words);
        for (opcode, sides) in opcodes.rows() {
            let mut sum = sides[0];
            sum.add(&sides[1]);
            let [first, second] = order.map(|side| sides.get(side).map_or(0, |it| it.messages));
            let words = format!(
                "{:<28}{:>9}{:>9}{:>8}{first:>8}{second:>8}",
                opcode.name(),
                sum.messages,
                sum.segments,
                bytes(sum.bytes),
            );
            self.barred(words, sum.messages, total.messages);
        }
    }

    fn latency(&mut self, name: String, count: u64, latency: Option<Percentiles>) {
        // What has one segment and no answer takes no time.
        let Some(latency) = latency.filter(|latency| latency.maximum > 0) else { return };
        let ranks = latency.ranks.map(|ranks| ranks.map(duration)).unwrap_or_default();
        let [half, most, nearly] = ranks;
        let words = format!(
            "{name:<24}{count:>9}{:>9}{half:>9}{most:>9}{nearly:>9}{:>9}",
            duration(latency.minimum),
            duration(latency.maximum)
        );
        self.lines.push(vec![piece(Tone::Plain, words)]);
    }

    fn took(&mut self, title: &str) {
        self.head(title);
        self.names(format!(
            "{:<24}{:>9}{:>9}{:>9}{:>9}{:>9}{:>9}",
            "", "count", "least", "median", "90 %", "99 %", "most"
        ));
    }

    /// How long operations took, and what became of those that did not end well.
    pub(super) fn operations(&mut self, operations: &[OperationCounts], order: [usize; 2]) {
        if operations.is_empty() {
            return;
        }
        self.took("How long operations took");
        for row in operations {
            let arrow = if row.requester.index() == order[0] { "→" } else { "←" };
            self.latency(format!("{} {arrow}", row.kind.name()), row.completed, row.latency);
            let wrong = [
                (row.unanswered, "unanswered"),
                (row.lost, "with the response in a gap"),
                (row.refused, "refused"),
                (row.unsolicited, "responses that answer nothing"),
            ];
            let wrong: Vec<String> = wrong
                .iter()
                .filter(|(count, _)| *count > 0)
                .map(|(count, what)| format!("{count} {what}"))
                .collect();
            if !wrong.is_empty() {
                let words = format!("  {} {arrow}: {}", row.kind.name(), wrong.join(", "));
                self.lines.push(vec![piece(Tone::Warn, words)]);
            }
        }
    }

    /// How long calls took, by procedure.
    pub(super) fn procedures(&mut self, counts: &Counts) {
        if counts.procedures.rows().next().is_none() {
            return;
        }
        self.took("How long calls took");
        for (key, row) in counts.procedures.rows() {
            let (program, name) = key.names();
            let operation = match key {
                ProcedureKey::Known { operation, .. } => *operation,
                _ => None,
            };
            let name = operation.or(name).unwrap_or("other");
            let name = format!("{} {name}", program.unwrap_or("RPC"));
            self.latency(name, row.replies, row.latency());
        }
    }

    /// A histogram of how long what is answered took.
    pub(super) fn latencies(&mut self, series: &Series) {
        let timed = series.timed();
        let timed = timed.get(..timed.len().min(COLUMNS)).unwrap_or(&timed);
        if timed.is_empty() {
            return;
        }
        self.head("Latencies: how many took at most so long");
        let name = |timed: &Timed| match timed {
            Timed::Operation(kind) => kind.name(),
            Timed::Call => "calls",
        };
        let names: String = timed.iter().map(|it| format!("{:>14}", name(it))).collect();
        self.names(format!("{:>12}{names}", ""));
        let sum = |row: &BTreeMap<Timed, u64>| row.values().sum::<u64>();
        let most = series.latencies.values().map(sum).max().unwrap_or(0);
        for (end, row) in &series.latencies {
            let end = if *end == u64::MAX { "longer".to_owned() } else { duration(*end) };
            let mut words = format!("{end:>12}");
            for timed in timed {
                words += &format!("{:>14}", row.get(timed).copied().unwrap_or(0));
            }
            self.barred(words, sum(row), most);
        }
    }

    /// What was moved over time.
    pub(super) fn timeline(&mut self, counts: &Counts) {
        let (length, intervals) = counts.timeline.intervals(INTERVALS);
        if intervals.is_empty() {
            return;
        }
        self.head(format!("Throughput, by {}", duration(length)));
        self.names(format!(
            "{:>12}{:>10}{:>10}{:>10}{:>10}",
            "seconds", "frames", "data/s", "again", "calls"
        ));
        let most = intervals.iter().map(|(_, what)| what.data).max().unwrap_or(0);
        for (start, what) in &intervals {
            let rate = u128::from(what.data) * 1_000_000_000 / u128::from(length.max(1));
            let words = format!(
                "{:>12.6}{:>10}{:>10}{:>10}{:>10}",
                *start as f64 / 1e9,
                what.frames,
                bytes(u64::try_from(rate).unwrap_or(u64::MAX)),
                what.repeated,
                what.calls
            );
            self.barred(words, what.data, most);
        }
    }

    /// What a flow moved over its time.
    pub(super) fn spark(&mut self, spark: &Spark) {
        let (length, parts) = spark.parts();
        let most = parts.iter().copied().max().unwrap_or(0);
        if most == 0 {
            return;
        }
        self.head(format!("Throughput, by {} from its first frame", duration(length)));
        self.names(format!("{:>12}{:>10}{:>12}", "seconds", "bytes", "bytes/s"));
        for (index, part) in parts.iter().enumerate() {
            let start = index as f64 * length as f64 / 1e9;
            let rate = u128::from(*part) * 1_000_000_000 / u128::from(length.max(1));
            let rate = bytes(u64::try_from(rate).unwrap_or(u64::MAX));
            let words = format!("{start:>12.6}{:>10}{rate:>12}", bytes((*part).into()));
            self.barred(words, (*part).into(), most.into());
        }
    }

    /// How many requests were in flight, and how often.
    pub(super) fn depths(&mut self, counts: &Counts) {
        for (depths, who) in counts.depths.iter().zip(ROLES) {
            let all: u64 = depths.requests.values().sum();
            if all == 0 {
                continue;
            }
            let limit = match depths.limits {
                Some(limit) if limit.least == limit.most => format!(", limit {}", limit.most),
                Some(limit) => format!(", limits {} to {}", limit.least, limit.most),
                None => String::new(),
            };
            self.head(format!("Requests of the {who} in flight (IRD, ORD){limit}"));
            let most = depths.requests.values().copied().max().unwrap_or(0);
            self.names(format!("{:>12}{:>12}", "in flight", "requests"));
            for (depth, requests) in depths.requests.iter().take(32) {
                self.barred(format!("{depth:>12}{requests:>12}"), *requests, most);
            }
            if depths.over > 0 {
                let words = format!("  {} requests beyond the limit", depths.over);
                self.lines.push(vec![piece(Tone::Bad, words)]);
            }
        }
    }

    /// The most requests in flight over time, against what IRD and ORD allow.
    pub(super) fn in_flight(&mut self, series: &Series) {
        for (role, who) in ROLES.iter().enumerate() {
            let of = |point: &Point| {
                let at = |both: &[u16; 2]| both.get(role).copied().unwrap_or(0);
                (at(&point.in_flight), at(&point.limits))
            };
            let most = series.points.values().map(|point| of(point).0.max(of(point).1)).max();
            if series.points.values().all(|point| of(point).0 == 0) {
                continue;
            }
            let length = duration(series.length.unsigned_abs());
            self.head(format!("Requests of the {who} in flight over time, by {length}"));
            self.names(format!("{:>12}{:>12}{:>12}", "seconds", "most", "limit"));
            for (index, point) in &series.points {
                let (in_flight, limit) = of(point);
                if in_flight == 0 {
                    continue;
                }
                let start = *index as f64 * series.length as f64 / 1e9;
                let limit = if limit == 0 { "-".to_owned() } else { limit.to_string() };
                let words = format!("{start:>12.6}{in_flight:>12}{limit:>12}");
                self.barred(words, in_flight.into(), most.unwrap_or(0).into());
            }
        }
    }

    /// What became of calls, and the credits for them.
    pub(super) fn calls(&mut self, calls: &[Calls; 2], order: [usize; 2]) {
        for (side, who) in order.into_iter().zip(ROLES) {
            let Some(calls) = calls.get(side).filter(|calls| calls.any()) else { continue };
            self.head(format!("Calls of the {who}"));
            let range = |range: Option<Range>| {
                range.map_or("-".to_owned(), |it| format!("{} to {}", it.least, it.most))
            };
            let asked = range(calls.credits_asked);
            let granted = range(calls.credits_granted);
            let lines = [
                format!(
                    "{} calls, {} replies, {} refused, {} RDMA_ERRORs",
                    calls.calls, calls.replies, calls.refused, calls.errors
                ),
                format!(
                    "at most {} in flight; credits asked for {asked}, granted {granted}",
                    calls.most_in_flight
                ),
            ];
            self.lines.extend(lines.map(|line| vec![piece(Tone::Plain, format!("  {line}"))]));
        }
    }

    /// Credits over time: how many were in use, of how many.
    pub(super) fn credits(&mut self, series: &Series) {
        let calls = || series.points.iter().filter(|(_, point)| point.calls > 0);
        let granted = |point: &Point| point.granted.map_or(0, |(_, most)| most);
        let most = calls().map(|(_, point)| point.in_use.max(granted(point))).max();
        let Some(most) = most else { return };
        self.head(format!("Credits over time, by {}", duration(series.length.unsigned_abs())));
        self.names(format!("{:>12}{:>10}{:>10}{:>14}", "seconds", "calls", "in use", "granted"));
        for (index, point) in calls() {
            let start = *index as f64 * series.length as f64 / 1e9;
            let granted = match point.granted {
                None => "-".to_owned(),
                Some((least, most)) if least == most => most.to_string(),
                Some((least, most)) => format!("{least} to {most}"),
            };
            let (calls, in_use) = (point.calls, point.in_use);
            let words = format!("{start:>12.6}{calls:>10}{in_use:>10}{granted:>14}");
            self.barred(words, in_use.into(), most.into());
        }
    }

    /// Messages by length.
    pub(super) fn sizes(&mut self, counts: &Counts) {
        if counts.sizes.buckets().next().is_none() {
            return;
        }
        self.head("Messages by length");
        let names = SizeGroup::ALL.map(|group| match group {
            SizeGroup::Sends => "Sends",
            SizeGroup::Writes => "Writes",
            SizeGroup::ReadResponses => "Reads",
        });
        let [sends, writes, reads] = names;
        self.names(format!("{:>20}{sends:>10}{writes:>10}{reads:>10}", "bytes"));
        let sum = |bucket: &SizeBucket| bucket.messages.iter().sum();
        let most: u64 = counts.sizes.buckets().map(|(_, _, bucket)| sum(bucket)).max().unwrap_or(0);
        for (least, greatest, bucket) in counts.sizes.buckets() {
            let range = if least == greatest {
                least.to_string()
            } else {
                format!("{} to {}", bytes(least), bytes(greatest))
            };
            let [sends, writes, reads] = bucket.messages;
            let words = format!("{range:>20}{sends:>10}{writes:>10}{reads:>10}");
            self.barred(words, sum(bucket), most);
        }
    }
}
