//! The statistics view: what was counted, as lines.

use super::Cursor;
use super::text::{Piece, TextLine, piece};
use crate::look::{Look, Tone};
use crate::words::{duration, octets};
use warpscope_dissector::statistics::{Counts, Percentiles, SizeGroup};

/// Columns of a bar at most.
const BAR: u64 = 40;
/// Intervals of the timeline at most.
const INTERVALS: u64 = 40;

/// The statistics view.
#[derive(Debug, Clone, Default)]
pub struct StatisticsView {
    /// The first line that is seen.
    pub cursor: Cursor,
    /// The lines.
    pub lines: Vec<TextLine>,
}

impl StatisticsView {
    /// Writes the lines anew.
    pub fn list(&mut self, counts: &Counts, look: Look) {
        let mut lines = Lines { lines: Vec::new(), look };
        lines.opcodes(counts);
        lines.operations(counts);
        lines.procedures(counts);
        lines.timeline(counts);
        lines.depths(counts);
        lines.credits(counts);
        lines.sizes(counts);
        self.lines = lines.lines;
    }
}

struct Lines {
    lines: Vec<TextLine>,
    look: Look,
}

impl Lines {
    fn head(&mut self, words: impl Into<String>) {
        if !self.lines.is_empty() {
            self.lines.push(Vec::new());
        }
        self.lines.push(vec![piece(Tone::Heading, words)]);
    }

    fn names(&mut self, words: impl Into<String>) {
        self.lines.push(vec![piece(Tone::Dim, words)]);
    }

    fn bar(&self, part: u64, most: u64) -> Piece {
        let columns = if part == 0 { 0 } else { (part * BAR / most.max(1)).max(1) };
        piece(Tone::Accent, self.look.bar_of(usize::try_from(columns).unwrap_or(0)))
    }

    fn opcodes(&mut self, counts: &Counts) {
        let total = counts.opcodes.total();
        self.head(format!(
            "Messages: {} in {} segments, {} octets, over {} connections",
            total.messages,
            total.segments,
            octets(total.octets),
            counts.connections
        ));
        self.names(format!(
            "{:<26}{:>10}{:>10}{:>10}  from the initiator / responder",
            "", "messages", "segments", "octets"
        ));
        for (opcode, sides) in counts.opcodes.rows() {
            let mut sum = sides[0];
            sum.add(&sides[1]);
            let words = format!(
                "{:<26}{:>10}{:>10}{:>10}  ",
                opcode.name(),
                sum.messages,
                sum.segments,
                octets(sum.octets)
            );
            let sides = format!("{} / {}  ", sides[0].messages, sides[1].messages);
            let bar = self.bar(sum.messages, total.messages);
            self.lines.push(vec![piece(Tone::Plain, words), piece(Tone::Dim, sides), bar]);
        }
    }

    fn latency(&mut self, name: String, count: u64, latency: Option<Percentiles>) {
        let Some(latency) = latency else { return };
        let ranks = latency.ranks.map(|ranks| ranks.map(duration)).unwrap_or_default();
        let [half, most, nearly] = ranks;
        let words = format!(
            "{name:<26}{count:>10}{:>10}{half:>10}{most:>10}{nearly:>10}{:>10}",
            duration(latency.minimum),
            duration(latency.maximum)
        );
        self.lines.push(vec![piece(Tone::Plain, words)]);
    }

    fn latencies(&mut self, title: &str) {
        self.head(title);
        self.names(format!(
            "{:<26}{:>10}{:>10}{:>10}{:>10}{:>10}{:>10}",
            "", "count", "least", "median", "90 %", "99 %", "most"
        ));
    }

    fn operations(&mut self, counts: &Counts) {
        let operations = counts.operations();
        if operations.is_empty() {
            return;
        }
        self.latencies("How long operations took");
        for row in &operations {
            let arrow = if row.requester.index() == 0 { "→" } else { "←" };
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

    fn procedures(&mut self, counts: &Counts) {
        if counts.procedures.rows().next().is_none() {
            return;
        }
        self.latencies("How long calls took");
        for (key, row) in counts.procedures.rows() {
            let (program, name) = key.names();
            let operation = match key {
                warpscope_dissector::statistics::ProcedureKey::Known { operation, .. } => {
                    *operation
                }
                _ => None,
            };
            let name = operation.or(name).unwrap_or("other");
            let name = format!("{} {name}", program.unwrap_or("RPC"));
            self.latency(name, row.replies, row.latency());
        }
    }

    fn timeline(&mut self, counts: &Counts) {
        let (length, intervals) = counts.timeline.intervals(INTERVALS);
        if intervals.is_empty() {
            return;
        }
        self.head(format!("Throughput, by {}", duration(length)));
        self.names(format!(
            "{:>12}{:>10}{:>12}{:>10}{:>10}",
            "seconds", "frames", "data/s", "again", "calls"
        ));
        let most = intervals.iter().map(|(_, what)| what.data).max().unwrap_or(0);
        for (start, what) in &intervals {
            let rate = u128::from(what.data) * 1_000_000_000 / u128::from(length.max(1));
            let words = format!(
                "{:>12.6}{:>10}{:>12}{:>10}{:>10}  ",
                *start as f64 / 1e9,
                what.frames,
                octets(u64::try_from(rate).unwrap_or(u64::MAX)),
                what.repeated,
                what.calls
            );
            let bar = self.bar(what.data, most);
            self.lines.push(vec![piece(Tone::Plain, words), bar]);
        }
    }

    fn depths(&mut self, counts: &Counts) {
        for (index, depths) in counts.depths.iter().enumerate() {
            let all: u64 = depths.requests.values().sum();
            if all == 0 {
                continue;
            }
            let who = if index == 0 { "initiator" } else { "responder" };
            let limit = match depths.limits {
                Some(limit) if limit.least == limit.most => format!(", limit {}", limit.most),
                Some(limit) => format!(", limits {} to {}", limit.least, limit.most),
                None => String::new(),
            };
            self.head(format!("Requests of the {who} in flight (IRD, ORD){limit}"));
            let most = depths.requests.values().copied().max().unwrap_or(0);
            for (depth, requests) in depths.requests.iter().take(32) {
                let words = format!("{depth:>12}{requests:>12}  ");
                let bar = self.bar(*requests, most);
                self.lines.push(vec![piece(Tone::Plain, words), bar]);
            }
            if depths.over > 0 {
                let words = format!("  {} requests beyond the limit", depths.over);
                self.lines.push(vec![piece(Tone::Bad, words)]);
            }
        }
    }

    fn credits(&mut self, counts: &Counts) {
        for (index, calls) in counts.calls.iter().enumerate().filter(|(_, calls)| calls.any()) {
            let who = if index == 0 { "initiator" } else { "responder" };
            self.head(format!("Calls of the {who}"));
            let range = |range: Option<warpscope_dissector::statistics::Range>| {
                range.map_or("-".to_owned(), |it| format!("{} to {}", it.least, it.most))
            };
            let words = format!(
                "  {} calls, {} replies, {} refused, {} RDMA_ERRORs; at most {} in flight; credits \
                 asked for {}, granted {}",
                calls.calls,
                calls.replies,
                calls.refused,
                calls.errors,
                calls.most_in_flight,
                range(calls.credits_asked),
                range(calls.credits_granted)
            );
            self.lines.push(vec![piece(Tone::Plain, words)]);
        }
    }

    fn sizes(&mut self, counts: &Counts) {
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
        self.names(format!("{:>24}{sends:>10}{writes:>10}{reads:>10}", "octets"));
        let sum =
            |bucket: &warpscope_dissector::statistics::SizeBucket| bucket.messages.iter().sum();
        let most: u64 = counts.sizes.buckets().map(|(_, _, bucket)| sum(bucket)).max().unwrap_or(0);
        for (least, greatest, bucket) in counts.sizes.buckets() {
            let range = if least == greatest {
                least.to_string()
            } else {
                format!("{} to {}", octets(least), octets(greatest))
            };
            let [sends, writes, reads] = bucket.messages;
            let words = format!("{range:>24}{sends:>10}{writes:>10}{reads:>10}  ");
            let bar = self.bar(sum(bucket), most);
            self.lines.push(vec![piece(Tone::Plain, words), bar]);
        }
    }
}
