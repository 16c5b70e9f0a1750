//! `-z io,stat`: counts in each interval of time.

use super::tap::{Condition, Tap};
use crate::fields::named;
use crate::table::Look;
use anyhow::{Result, anyhow, bail};
use std::io::{self, Write};
use warpscope_dissector::field::{FieldRef, Kind};
use warpscope_dissector::pipeline::{PacketItem, Sink};
use warpscope_dissector::tree::{Tree, Value};
use warpscope_text::decimal_seconds;

/// The most intervals.
const MOST: i64 = 1_000_000;
const SECOND: i64 = 1_000_000_000;

/// The function that a column shows for an interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::EnumString, strum::IntoStaticStr)]
#[strum(serialize_all = "UPPERCASE")]
enum Function {
    Frames,
    Bytes,
    Count,
    Sum,
    Min,
    Max,
    Avg,
}

#[derive(Debug)]
struct Counter {
    text: String,
    /// The function; none for frames and bytes.
    function: Option<Function>,
    field: Option<FieldRef>,
    filter: Condition,
    sums: Vec<Sums>,
}

/// The sums of an interval.
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    frames: u64,
    bytes: u64,
    values: u64,
    sum: i128,
    least: i128,
    most: i128,
}

impl Counter {
    /// Parses `FILTER`, or `FUNCTION(FIELD)FILTER`.
    fn new(text: &str, asked: &str) -> Result<Self> {
        let (head, filter) = text.split_once(')').unwrap_or(("", text));
        let (function, field) = match head.split_once('(') {
            None => (None, None),
            Some((name, field)) => {
                let function: Function = name.trim().parse().map_err(|_| {
                    anyhow!(
                        "-z {asked}: {name} is not one of FRAMES, BYTES, COUNT, SUM, MIN, MAX and AVG"
                    )
                })?;
                let needed = !matches!(function, Function::Frames | Function::Bytes);
                (Some(function), if needed { Some(named(field.trim())?) } else { None })
            }
        };
        let filter = Condition::new(if function.is_some() { filter } else { text }, asked)?;
        if let Some(field) = field {
            let counts =
                matches!(field.kind, Kind::Unsigned(_) | Kind::RelativeTime | Kind::Boolean);
            if !counts && function != Some(Function::Count) {
                bail!("-z {asked}: {} is not a number", field.name);
            }
            if !filter.text.contains(field.name) {
                bail!(
                    "-z {asked}: the field must also be in the filter, as in SUM(tcp.len)tcp.len"
                );
            }
        }
        Ok(Self { text: text.to_owned(), function, field, filter, sums: Vec::new() })
    }

    fn take(&mut self, interval: usize, bytes: u64, tree: Option<&Tree>) {
        if !self.filter.passes(tree) {
            return;
        }
        if self.sums.len() <= interval {
            self.sums.resize(interval + 1, Sums::default());
        }
        let Some(sums) = self.sums.get_mut(interval) else { return };
        sums.frames += 1;
        sums.bytes += bytes;
        let nodes = tree.map_or(&[][..], |tree| &tree.nodes);
        for node in nodes.iter().filter(|node| Some(node.field) == self.field) {
            let value = match node.value {
                Value::Unsigned(value) => value.into(),
                Value::Time(value) => value.into(),
                _ => 0,
            };
            (sums.least, sums.most) = match sums.values {
                0 => (value, value),
                _ => (sums.least.min(value), sums.most.max(value)),
            };
            sums.sum += value;
            sums.values += 1;
        }
    }

    fn headings(&self) -> Vec<&'static str> {
        self.function.map_or(vec!["Frames", "Bytes"], |function| vec![function.into()])
    }

    fn cells(&self, interval: usize) -> Vec<String> {
        let sums = self.sums.get(interval).copied().unwrap_or_default();
        let is_time = self.field.is_some_and(|field| field.kind == Kind::RelativeTime);
        let value = |value: i128| match is_time {
            true => decimal_seconds(i64::try_from(value).unwrap_or(i64::MAX), 6),
            false => value.to_string(),
        };
        vec![match self.function {
            None => return vec![sums.frames.to_string(), sums.bytes.to_string()],
            Some(Function::Frames) => sums.frames.to_string(),
            Some(Function::Bytes) => sums.bytes.to_string(),
            Some(Function::Count) => sums.values.to_string(),
            Some(Function::Sum) => value(sums.sum),
            Some(Function::Min) => value(sums.least),
            Some(Function::Max) => value(sums.most),
            Some(Function::Avg) => value(sums.sum / i128::from(sums.values.max(1))),
        }]
    }
}

#[derive(Debug)]
pub(super) struct IoStatistics {
    /// The interval in nanoseconds; 0 for a single interval.
    interval: i64,
    counters: Vec<Counter>,
    first: Option<i64>,
    /// Nanoseconds from the first frame to the current one, and the bytes of the current one.
    at: i64,
    bytes: u64,
    too_many: bool,
}

impl IoStatistics {
    /// Parses the words after `io,stat`: the interval in seconds, and what to count.
    pub(super) fn new(asked: &str, words: &[&str]) -> Result<Self> {
        let seconds = words.first().and_then(|word| word.parse().ok());
        let seconds = seconds.filter(|seconds: &f64| (0.0..1e9).contains(seconds));
        let Some(seconds) = seconds else {
            bail!(
                "-z {asked}: write io,stat,SECONDS[,FILTER]..., such as io,stat,0.1; 0 makes one interval"
            );
        };
        let texts = words.get(1..).filter(|it| !it.is_empty()).unwrap_or(&[""]);
        let counters = texts.iter().map(|text| Counter::new(text, asked)).collect::<Result<_>>()?;
        let interval = (seconds * 1e9).round() as i64;
        Ok(Self { interval, counters, first: None, at: 0, bytes: 0, too_many: false })
    }
}

impl Sink for IoStatistics {
    fn packet(&mut self, item: &PacketItem<'_>) {
        let time = item.frame.time.unwrap_or(0);
        self.at = time.saturating_sub(*self.first.get_or_insert(time)).max(self.at);
        self.bytes = item.frame.original_length.into();
    }
}

impl Tap for IoStatistics {
    fn needs_tree(&self) -> bool {
        self.counters.iter().any(|it| !it.filter.is_any())
    }

    fn frame_ended(&mut self, tree: Option<&Tree>, passes: bool) {
        let interval = if self.interval == 0 { 0 } else { self.at / self.interval };
        self.too_many |= interval >= MOST;
        if self.too_many || !passes {
            return;
        }
        for counter in &mut self.counters {
            counter.take(interval as usize, self.bytes, tree);
        }
    }

    fn print(&self, _look: Look, out: &mut dyn Write) -> io::Result<()> {
        let seconds = |time: i64| decimal_seconds(time, 6);
        let interval = if self.interval == 0 { self.at.max(1) } else { self.interval };
        let short = |time: i64| match interval % SECOND {
            0 => (time / SECOND).to_string(),
            _ => seconds(time),
        };
        let mut head = vec![
            "IO Statistics".to_owned(),
            String::new(),
            format!("Duration: {} secs", seconds(self.at)),
            format!("Interval: {:>1$} secs", short(interval), short(self.at).len()),
            String::new(),
        ];
        for (index, counter) in self.counters.iter().enumerate() {
            let text = if counter.text.is_empty() { "Frames and bytes" } else { &counter.text };
            head.push(format!("{} {}: {text}", if index == 0 { "Col" } else { "   " }, index + 1));
        }
        if self.too_many {
            head.push(format!("more than {MOST} intervals: use a longer interval"));
        }
        let rows = self.rows(interval, short);
        let names = self.counters.iter().flat_map(Counter::headings);
        let mut widths: Vec<usize> = names.clone().map(str::len).collect();
        for (_, cells) in &rows {
            for (width, cell) in widths.iter_mut().zip(cells) {
                *width = (*width).max(cell.len());
            }
        }
        let times = rows.iter().map(|(time, _)| time.len()).max().unwrap_or(0);
        let times = times.max(" Interval ".len());
        let columns: usize = widths.iter().map(|width| width + 3).sum();
        let longest = head.iter().map(|line| line.len() + 2).max().unwrap_or(0);
        let width = (times + columns).max(longest);
        let line = |out: &mut dyn Write, text: &str| writeln!(out, "| {text:<0$}|", width - 1);
        let rule = "=".repeat(width + 2);
        writeln!(out, "\n{rule}")?;
        head.iter().try_for_each(|text| line(out, text))?;
        writeln!(out, "|{}|", "-".repeat(width))?;
        // Each column's number is above its headings.
        let (mut numbers, mut headings) = (" ".repeat(times), format!("{:<times$}", " Interval "));
        let mut each = widths.iter();
        for (index, counter) in self.counters.iter().enumerate() {
            numbers += &format!("|{}", index + 1);
            for (name, width) in counter.headings().into_iter().zip(&mut each) {
                let before = (width - name.len()).div_ceil(2);
                headings += &format!("| {:before$}{name:<1$} ", "", width - before);
            }
            numbers += &" ".repeat(headings.len().saturating_sub(numbers.len()));
        }
        writeln!(out, "|{numbers:<width$}|\n|{headings:<width$}|\n|{}|", "-".repeat(width))?;
        for (time, cells) in &rows {
            let mut row = format!("{time:<times$}");
            for (cell, width) in cells.iter().zip(&widths) {
                row += &format!("| {cell:>width$} ");
            }
            writeln!(out, "|{row:<width$}|")?;
        }
        writeln!(out, "{rule}")
    }
}

impl IoStatistics {
    /// Returns the intervals, each with its cells.
    fn rows(&self, interval: i64, short: impl Fn(i64) -> String) -> Vec<(String, Vec<String>)> {
        let mut rows = Vec::new();
        let mut from = 0;
        let digits = short(self.at).len();
        let width = digits.max("Dur".len());
        while (from < self.at || from == 0) && self.first.is_some() && !self.too_many {
            let ends = from.saturating_add(interval);
            let end =
                if ends > self.at { "Dur".to_owned() } else { format!("{:>digits$}", short(ends)) };
            let row = (from / interval) as usize;
            let cells = self.counters.iter().flat_map(|it| it.cells(row)).collect();
            rows.push((format!("{:>width$} <> {end:<width$}", short(from)), cells));
            from = ends;
        }
        rows
    }
}
