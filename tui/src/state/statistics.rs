//! The statistics view: the counts of the whole capture, or of the only flow shown.

use super::{Capture, Cursor};
use crate::index::{Spark, TcpConnections};
use crate::look::{Look, Tone};
use crate::text::{TextLine, bytes, piece};
use std::collections::BTreeMap;
use std::net::SocketAddr;
use warpscope_dissector::format::duration;
use warpscope_dissector::mpa::Side;
use warpscope_dissector::operation::OperationKind;
use warpscope_dissector::statistics::{
    Calls, Counts, Opcodes, OperationCounts, Party, Percentiles, ProcedureKey, Range, SizeBucket,
    SizeGroup,
};
use warpscope_dissector::table::ROLES;
use warpscope_text::counted;

// The counts, as lines.

/// The minimum and maximum width of a bar.
const BAR: (usize, usize) = (6, 60);
/// The most intervals of a timeline.
const INTERVALS: u64 = 40;

/// The most columns of a histogram.
const COLUMNS: usize = 4;

struct Lines {
    lines: Vec<TextLine>,
    tests: BTreeMap<usize, String>,
    look: Look,
    columns: usize,
}

impl Lines {
    /// Creates an empty list of lines, for a screen of `columns` columns.
    fn new(look: Look, columns: usize) -> Self {
        Self { lines: Vec::new(), tests: BTreeMap::new(), look, columns }
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

    /// Adds a remark after all others.
    fn note(&mut self, words: &str) {
        self.lines.push(Vec::new());
        self.lines.push(vec![piece(Tone::Warn, words)]);
    }

    /// Adds a line with a bar after its words, of length `part` out of `most`.
    fn barred(&mut self, words: String, part: u64, most: u64) {
        use unicode_width::UnicodeWidthStr as _;
        // A space before the bar, and one at each edge of the screen.
        let room = self.columns.saturating_sub(words.width() + 3).clamp(BAR.0, BAR.1);
        let columns = match part {
            0 => 0,
            _ => (u128::from(part) * room as u128 / u128::from(most.max(1))).max(1),
        };
        let bar = self.look.bar_of(usize::try_from(columns).unwrap_or(room).min(room));
        self.lines.push(vec![piece(Tone::Plain, words + " "), piece(Tone::Accent, bar)]);
    }

    /// Adds messages by opcode; `order` gives the indices of the initiator and of the responder.
    fn opcodes(&mut self, opcodes: &Opcodes, order: [usize; 2]) {
        let total = opcodes.total();
        self.head(format!(
            "Messages: {} in {} segments, {} bytes",
            total.messages,
            total.segments,
            bytes(total.bytes)
        ));
        let mut words = format!("{:<28}{:>9}{:>9}{:>8}", "", "messages", "segments", "bytes");
        words += &format!("{:>8}{:>8} messages", "init.", "resp.");
        self.names(words);
        for (opcode, sides) in opcodes.rows() {
            let mut sum = sides[0];
            sum += sides[1];
            let [first, second] = order.map(|side| sides.get(side).map_or(0, |it| it.messages));
            let words = format!(
                "{:<28}{:>9}{:>9}{:>8}{first:>8}{second:>8}",
                opcode.name(),
                sum.messages,
                sum.segments,
                bytes(sum.bytes),
            );
            let number = opcode.number();
            let test = number.map(|number| format!("iwarp_rdma.opcode == {number:#04x}"));
            self.tests.extend(test.map(|test| (self.lines.len(), test)));
            self.barred(words, sum.messages, total.messages);
        }
    }

    /// Adds rows with bars: the words of each, and its part of the maximum.
    fn chart(&mut self, head: String, names: String, most: u64, rows: Vec<(String, u64)>) {
        if rows.is_empty() {
            return;
        }
        self.head(head);
        self.names(names);
        rows.into_iter().for_each(|(words, part)| self.barred(words, part, most));
    }

    fn latency(
        &mut self,
        name: String,
        count: u64,
        latency: Option<Percentiles>,
        test: Option<String>,
    ) {
        // A message with one segment and no response takes no time.
        let Some(latency) = latency.filter(|latency| latency.maximum > 0) else { return };
        let ranks = latency.ranks.map(|ranks| ranks.map(duration)).unwrap_or_default();
        let [half, most, nearly] = ranks;
        let words = format!(
            "{name:<24}{count:>9}{:>9}{half:>9}{most:>9}{nearly:>9}{:>9}",
            duration(latency.minimum),
            duration(latency.maximum)
        );
        self.tests.extend(test.map(|test| (self.lines.len(), test)));
        self.lines.push(vec![piece(Tone::Plain, words)]);
    }

    fn took(&mut self, title: &str) {
        self.head(title);
        self.names(format!(
            "{:<24}{:>9}{:>9}{:>9}{:>9}{:>9}{:>9}",
            "", "count", "least", "median", "90 %", "99 %", "most"
        ));
    }

    /// Adds the latencies of operations, and the outcome of those that failed.
    fn operations(&mut self, operations: &[OperationCounts], order: [usize; 2]) {
        if operations.is_empty() {
            return;
        }
        self.took("How long operations took");
        for row in operations {
            let arrow = if row.requester.index() == order[0] { "→" } else { "←" };
            let test = format!("warpscope.op.kind == \"{}\"", row.kind.name());
            let name = format!("{} {arrow}", row.kind.name());
            self.latency(name, row.completed, row.latency, Some(test));
            let wrong = [
                (row.unanswered, "unanswered"),
                (row.lost, "with the response in a gap"),
                (row.refused, "refused"),
                (row.unsolicited, "responses without a request"),
            ];
            let wrong = wrong.iter().filter(|(count, _)| *count > 0);
            let wrong: Vec<String> = wrong.map(|(count, what)| format!("{count} {what}")).collect();
            if !wrong.is_empty() {
                let words = format!("  {} {arrow}: {}", row.kind.name(), wrong.join(", "));
                self.lines.push(vec![piece(Tone::Warn, words)]);
            }
        }
    }

    /// Adds the latencies of calls, by procedure.
    fn procedures(&mut self, counts: &Counts) {
        if counts.procedures.rows().next().is_none() {
            return;
        }
        self.took("How long calls took");
        for (key, row) in counts.procedures.rows() {
            let (program, name) = key.names();
            let (operation, test) = match key {
                ProcedureKey::Known { operation: Some(operation), .. } => {
                    (Some(*operation), Some(format!("nfs.main_opcode == \"{operation}\"")))
                }
                ProcedureKey::Known { program, version, procedure, .. } => {
                    let program = format!("rpc.program == {program}");
                    let version = format!("rpc.programversion == {version}");
                    let test = format!("{program} && {version} && rpc.procedure == {procedure}");
                    (None, Some(test))
                }
                _ => (None, None),
            };
            let name = operation.or(name).unwrap_or("other");
            let name = format!("{} {name}", program.unwrap_or("RPC"));
            self.latency(name, row.replies, row.latency(), test);
        }
    }

    /// Adds a histogram of response times.
    fn latencies(&mut self, series: &Series) {
        let timed = series.timed();
        let timed = timed.get(..timed.len().min(COLUMNS)).unwrap_or(&timed);
        if timed.is_empty() {
            return;
        }
        self.head("Latencies: how many took at most this long");
        let name = |timed: &Timed| match timed {
            Timed::Operation(kind) => kind.name(),
            Timed::Call => "calls",
        };
        let names: String = timed.iter().map(|it| format!("{:>14}", name(it))).collect();
        self.names(format!("{:>12}{names} all", ""));
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

    /// Adds the throughput over time.
    fn timeline(&mut self, counts: &Counts) {
        let (length, intervals) = counts.timeline.intervals(INTERVALS);
        let names = format!(
            "{:>12}{:>10}{:>10}{:>10}{:>10} data/s",
            "seconds", "frames", "data/s", "again", "calls"
        );
        let most = intervals.iter().map(|(_, what)| what.data).max().unwrap_or(0);
        let rows = intervals.iter().map(|(start, what)| {
            let (start, rate) = (*start as f64 / 1e9, rate(what.data, length));
            let words = format!("{start:>12.6}{:>10}{rate:>10}", what.frames);
            (words + &format!("{:>10}{:>10}", what.repeated, what.calls), what.data)
        });
        let head = format!("Throughput, in steps of {}", duration(length));
        self.chart(head, names, most, rows.collect());
    }

    /// Adds the throughput of a flow over time.
    fn spark(&mut self, spark: &Spark) {
        let (length, parts) = spark.parts();
        let most = parts.iter().copied().max().unwrap_or(0);
        if most == 0 {
            return;
        }
        let rows = parts.iter().enumerate().map(|(index, part)| {
            let start = index as f64 * length as f64 / 1e9;
            let part = u64::from(*part);
            (format!("{start:>12.6}{:>10}{:>12}", bytes(part), rate(part, length)), part)
        });
        let head = format!("Throughput from its first frame, in steps of {}", duration(length));
        let names = format!("{:>12}{:>10}{:>12} bytes", "seconds", "bytes", "bytes/s");
        self.chart(head, names, most.into(), rows.collect());
    }

    /// Adds the numbers of requests in flight, and their frequency.
    fn depths(&mut self, counts: &Counts) {
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
            let head = format!("Requests of the {who} in flight (IRD, ORD){limit}");
            let names = format!("{:>12}{:>12} requests", "in flight", "requests");
            let most = depths.requests.values().copied().max().unwrap_or(0);
            let rows = depths.requests.iter().take(32);
            let rows = rows.map(|(depth, all)| (format!("{depth:>12}{all:>12}"), *all));
            self.chart(head, names, most, rows.collect());
            if depths.over > 0 {
                let words = format!("  {} beyond the limit", counted(depths.over, "request"));
                self.lines.push(vec![piece(Tone::Bad, words)]);
            }
        }
    }

    /// Adds the most requests in flight over time, against the limits of IRD and ORD.
    fn in_flight(&mut self, series: &Series) {
        for (role, who) in ROLES.iter().enumerate() {
            let of = |point: &Point| {
                let at = |both: &[u16; 2]| both.get(role).copied().unwrap_or(0);
                (at(&point.in_flight), at(&point.limits))
            };
            let most = series.points.values().map(|point| of(point).0.max(of(point).1)).max();
            let rows = series.points.iter().map(|(index, point)| (index, of(point)));
            let rows = rows.filter(|(_, (in_flight, _))| *in_flight > 0);
            let rows = rows.map(|(index, (in_flight, limit))| {
                let start = *index as f64 * series.length as f64 / 1e9;
                let limit = if limit == 0 { "-".to_owned() } else { limit.to_string() };
                (format!("{start:>12.6}{in_flight:>12}{limit:>12}"), in_flight.into())
            });
            let length = duration(series.length.unsigned_abs());
            let head = format!("Requests of the {who} in flight over time, in steps of {length}");
            let names = format!("{:>12}{:>12}{:>12} most", "seconds", "most", "limit");
            self.chart(head, names, most.unwrap_or(0).into(), rows.collect());
        }
    }

    /// Adds the outcomes of calls, and their credits.
    fn calls(&mut self, calls: &[Calls; 2], order: [usize; 2]) {
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
                    "calls {}, replies {}, refused {}, RDMA_ERRORs {}",
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

    /// Adds credits over time: in use and granted.
    fn credits(&mut self, series: &Series) {
        let any = |point: &Point| point.calls > 0 || point.granted.is_some();
        let calls = || series.points.iter().filter(|(_, point)| any(point));
        let granted = |point: &Point| point.granted.map_or(0, |(_, most)| most);
        let most = calls().map(|(_, point)| point.in_use.max(granted(point))).max();
        let rows = calls().map(|(index, point)| {
            let start = *index as f64 * series.length as f64 / 1e9;
            let granted = match point.granted {
                None => "-".to_owned(),
                Some((least, most)) if least == most => most.to_string(),
                Some((least, most)) => format!("{least} to {most}"),
            };
            let (calls, in_use) = (point.calls, point.in_use);
            (format!("{start:>12.6}{calls:>10}{in_use:>10}{granted:>14}"), in_use.into())
        });
        let head =
            format!("Credits over time, in steps of {}", duration(series.length.unsigned_abs()));
        let names = format!("{:>12}{:>10}{:>10}{:>14}", "seconds", "calls", "in use", "granted");
        self.chart(head, names, most.unwrap_or(0).into(), rows.collect());
    }

    fn sizes(&mut self, counts: &Counts) {
        let [sends, writes, reads] = SizeGroup::ALL.map(|group| match group {
            SizeGroup::Sends => "Sends",
            SizeGroup::Writes => "Writes",
            SizeGroup::ReadResponses => "Reads",
        });
        let names = format!("{:>20}{sends:>10}{writes:>10}{reads:>10}", "bytes");
        let sum = |bucket: &SizeBucket| bucket.messages.iter().sum();
        let most: u64 = counts.sizes.buckets().map(|(_, _, bucket)| sum(bucket)).max().unwrap_or(0);
        let rows = counts.sizes.buckets().map(|(least, greatest, bucket)| {
            let range = match least == greatest {
                true => least.to_string(),
                false => format!("{} to {}", bytes(least), bytes(greatest)),
            };
            let [sends, writes, reads] = bucket.messages;
            (format!("{range:>20}{sends:>10}{writes:>10}{reads:>10}"), sum(bucket))
        });
        self.chart("Messages by length".to_owned(), names, most, rows.collect());
    }
}

impl Lines {
    /// Adds TCP connections with any content, and their bytes; returns the line of their heading.
    fn connections(&mut self, capture: &Capture) -> Option<usize> {
        let TcpConnections { rows, count } = &*capture.connections;
        if rows.is_empty() {
            return None;
        }
        let flows = capture.flows.len();
        let listed = match rows.len() < *count {
            true => format!(", the {} with the most frames", rows.len()),
            false => String::new(),
        };
        self.head(format!("TCP connections: {count}, {flows} with iWARP{listed}"));
        let head = self.lines.len() - 1;
        let ends: Vec<_> = rows.iter().map(|(_, it)| it.parties.map(end_text)).collect();
        let width = |side: usize| ends.iter().map(|it| it[side].len()).max().unwrap_or(0).max(4);
        let (one, other) = (width(0), width(1));
        self.names(format!(
            "{:>6} {:<5} {:<one$} {:<other$}{:>9}{:>8}{:>9}{:>8}{:>10}",
            "stream", "", "one", "other", "frames →", "bytes →", "frames ←", "bytes ←", "lasted"
        ));
        for ((stream, traffic), [from, to]) in rows.iter().zip(&ends) {
            let [there, back] = traffic.sent;
            let lasted = duration((traffic.times[1] - traffic.times[0]).unsigned_abs());
            let carries = if capture.flow(*stream).is_some() { "iWARP" } else { "" };
            let words = format!(
                "{stream:>6} {carries:<5} {from:<one$} {to:<other$}{:>9}{:>8}{:>9}{:>8}{lasted:>10}",
                there.frames,
                bytes(there.bytes),
                back.frames,
                bytes(back.bytes)
            );
            self.tests.insert(self.lines.len(), format!("tcp.stream == {stream}"));
            self.lines.push(vec![piece(Tone::Plain, words)]);
        }
        Some(head)
    }
}

/// Formats `192.0.2.1:7174`, or `[2001:db8::1]:7174`.
fn end_text((address, port): Party) -> String {
    match port {
        Some(port) => SocketAddr::new(address, port).to_string(),
        None => address.to_string(),
    }
}

/// Formats bytes per second.
fn rate(data: u64, nanoseconds: u64) -> String {
    let rate = u128::from(data) * 1_000_000_000 / u128::from(nanoseconds.max(1));
    bytes(u64::try_from(rate).unwrap_or(u64::MAX))
}

// The rows of operations and calls over time, and by latency.

/// Steps of a histogram: 1, 2 and 5 times powers of ten.
const DIGITS: [u64; 3] = [1, 2, 5];

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Timed {
    Operation(OperationKind),
    /// RPC calls.
    Call,
}

/// The values of an interval.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Point {
    /// The most requests of the initiator and of the responder in flight, when one was sent.
    in_flight: [u16; 2],
    /// The smallest limits on them.
    limits: [u16; 2],
    calls: u64,
    /// The most calls without a reply.
    in_use: u16,
    /// The least and the most credits that replies granted.
    granted: Option<(u16, u16)>,
}

/// The values from rows.
#[derive(Debug, Clone, Default)]
struct Series {
    /// The number of each kind, by the upper bound of the latency.
    latencies: BTreeMap<u64, BTreeMap<Timed, u64>>,
    /// The length of an interval, in nanoseconds.
    length: i64,
    /// The values by the number of the interval.
    points: BTreeMap<i64, Point>,
}

impl Series {
    /// Evaluates the rows of a flow, or all rows.
    fn new(capture: &Capture, flow: Option<u32>) -> Self {
        let wanted = |of: u32| flow.is_none_or(|flow| flow == of);
        let first = capture.frames.first_time().unwrap_or(0);
        let time = |frame: u32| Some(capture.frames.find(frame)?.time()?.saturating_sub(first));
        let operations = || capture.operations.iter().filter(|row| wanted(row.flow));
        let calls = || capture.calls.iter().filter(|row| wanted(row.flow));
        let mut series = Self { length: 1, ..Self::default() };
        let waits = |depth: u16| depth > 0;
        let times = || {
            let waiting = operations().filter(|row| waits(row.depth)).map(|row| row.frame);
            waiting.chain(calls().map(|row| row.frame)).filter_map(time)
        };
        if let (Some(least), Some(most)) = (times().min(), times().max()) {
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
            let Some(called) = time(row.frame) else { continue };
            let point = series.points.entry(called.div_euclid(series.length)).or_default();
            point.calls += 1;
            point.in_use = point.in_use.max(row.depth);
            if let Some(answered) = time(row.answer) {
                let point = series.points.entry(answered.div_euclid(series.length)).or_default();
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

    /// Returns the kinds in the columns of the histogram.
    fn timed(&self) -> Vec<Timed> {
        let mut all: Vec<Timed> =
            self.latencies.values().flat_map(|row| row.keys().copied()).collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}

/// Returns the smallest step that is not less than a span.
fn end(nanoseconds: u64) -> u64 {
    let steps = (3..12).flat_map(|zeros| DIGITS.map(|digit| digit * 10_u64.pow(zeros)));
    steps.into_iter().find(|step| nanoseconds <= *step).unwrap_or(u64::MAX)
}

/// Returns the shortest interval of 1, 2 or 5 times a power of ten with few enough intervals in the span.
fn length(least: i64, most: i64) -> i64 {
    let steps = (3..19).flat_map(|zeros| DIGITS.map(|digit| digit as i64 * 10_i64.pow(zeros)));
    let count = INTERVALS;
    let fits = |step: &i64| (most.div_euclid(*step)).abs_diff(least.div_euclid(*step)) < count;
    steps.take_while(|step| *step > 0).find(fits).unwrap_or(i64::MAX)
}

/// The initiator's side of a flow, cached because rows of a flow often follow each other.
struct Roles<'a> {
    capture: &'a Capture,
    known: Option<(u32, Side)>,
}

impl Roles<'_> {
    /// Returns 0 for the initiator or the first side, 1 for the other.
    fn of(&mut self, flow: u32, side: Side) -> usize {
        let first = match self.known {
            Some((known, first)) if known == flow => first,
            _ => self.capture.flow(flow).map_or(Side(0), |row| row.flow.first_side()),
        };
        self.known = Some((flow, first));
        usize::from(side != first)
    }
}

// The statistics view.

/// The statistics view.
#[derive(Debug, Clone, Default)]
pub struct StatisticsView {
    /// The selected line and the visible part.
    pub cursor: Cursor,
    /// The lines.
    pub lines: Vec<TextLine>,
    /// Filters for the counted items, by line.
    pub tests: BTreeMap<usize, String>,
    /// The first line of the TCP connections.
    pub connections: Option<usize>,
    /// The title of the lines.
    pub title: String,
    /// Whether there is newer data.
    pub stale: bool,
}

impl StatisticsView {
    /// Rebuilds the lines: for one flow or all, in `columns` columns.
    pub fn list(&mut self, capture: &Capture, flow: Option<u32>, look: Look, columns: u16) {
        (self.stale, self.connections) = (false, None);
        let mut lines = Lines::new(look, columns.into());
        let series = Series::new(capture, flow);
        match flow.map(|number| capture.flow(number)) {
            None => {
                self.title = "statistics of the whole capture".to_owned();
                if let Some(counts) = &capture.counts {
                    lines.opcodes(&counts.opcodes, [0, 1]);
                    lines.operations(&counts.operations(), [0, 1]);
                    lines.procedures(counts);
                    lines.latencies(&series);
                    lines.timeline(counts);
                    lines.depths(counts);
                    lines.in_flight(&series);
                    lines.calls(&counts.calls, [0, 1]);
                    lines.credits(&series);
                    lines.sizes(counts);
                }
                self.connections = lines.connections(capture);
            }
            Some(row) => {
                self.title = format!("statistics of flow {}; t shows all", flow.unwrap_or(0));
                if let Some(row) = row {
                    let first = row.flow.first_side();
                    let order = [first.index(), first.peer().index()];
                    lines.opcodes(&row.flow.opcodes, order);
                    lines.operations(&row.flow.operations, order);
                    lines.latencies(&series);
                    lines.spark(&row.spark);
                    lines.in_flight(&series);
                    let calls = order.map(|side| row.flow.sides.get(side).map(|it| it.calls));
                    lines.calls(&calls.map(Option::unwrap_or_default), [0, 1]);
                    lines.credits(&series);
                }
            }
        }
        if capture.progress.dropped > 0 {
            lines.note("histograms and values over time cover only the listed operations");
        }
        (self.lines, self.tests) = (lines.lines, lines.tests);
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
            assert!(count < super::INTERVALS, "{span}: {length}");
        }
    }
}
