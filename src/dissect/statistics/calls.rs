//! `-z rpc,programs` and `-z rpc,srt`: the response times of RPC calls.

use super::tap::{Condition, Tap};
use crate::table::{Cell, Column, Look, Table};
use std::collections::BTreeMap;
use std::io::{self, Write};
use warpscope_dissector::nfs::Procedure;
use warpscope_dissector::pipeline::{Item, ItemContext, Sink};
use warpscope_dissector::tree::Tree;
use warpscope_dissector::ulp::rpc::{RpcItem, RpcKind};
use warpscope_text::decimal_seconds;

const RULE: &str = "===================================================================";

/// Times from calls to their replies, in nanoseconds.
#[derive(Debug, Clone, Copy, Default)]
struct Times {
    calls: u64,
    least: i64,
    most: i64,
    sum: i64,
}

impl Times {
    fn take(&mut self, time: i64) {
        (self.least, self.most) = match self.calls {
            0 => (time, time),
            _ => (self.least.min(time), self.most.max(time)),
        };
        self.sum += time;
        self.calls += 1;
    }

    /// Returns the number of calls, and the minimum, maximum, mean and sum of their times in seconds.
    fn cells(&self) -> [String; 5] {
        let seconds = |time: i64| decimal_seconds(time.saturating_add(500 * time.signum()), 6);
        let mean = self.sum / i64::try_from(self.calls).unwrap_or(1).max(1);
        let calls = self.calls.to_string();
        [calls, seconds(self.least), seconds(self.most), seconds(mean), seconds(self.sum)]
    }
}

/// Returns the call of a reply and the time between them.
fn answered(item: &Item<'_>) -> Option<(Procedure, i64)> {
    let (Item::Rpc(rpc) | Item::PlainRpc(rpc)) = item else { return None };
    let RpcItem { kind: RpcKind::Reply, sent, call: Some(call), .. } = rpc else { return None };
    let asked = call.completed.unwrap_or(call.sent).1?;
    Some((rpc.procedure()?, sent.1?.saturating_sub(asked)))
}

/// The keys of a frame's calls, kept until it is known whether the frame passes.
type Waiting = Vec<(Procedure, i64)>;

fn head(columns: &[&'static str]) -> Vec<Column> {
    let column = |(at, name): (usize, &&'static str)| match at {
        0 => Column::left(name, 0),
        _ => Column::right(name, 0),
    };
    columns.iter().enumerate().map(column).collect()
}

/// `-z rpc,programs`.
#[derive(Debug)]
pub(super) struct Programs {
    filter: Condition,
    waiting: Waiting,
    programs: BTreeMap<(u32, u32), Times>,
}

impl Programs {
    pub(super) fn new(filter: Condition) -> Self {
        Self { filter, waiting: Vec::new(), programs: BTreeMap::new() }
    }
}

impl Sink for Programs {
    fn item(&mut self, _context: &ItemContext<'_>, item: &Item<'_>) {
        self.waiting.extend(answered(item));
    }
}

impl Tap for Programs {
    fn needs_tree(&self) -> bool {
        !self.filter.is_any()
    }

    fn frame_ended(&mut self, tree: Option<&Tree>, passes: bool) {
        let passes = passes && self.filter.passes(tree);
        for (procedure, time) in self.waiting.drain(..).filter(|_| passes) {
            let key = (procedure.program, procedure.version);
            self.programs.entry(key).or_default().take(time);
        }
    }

    fn print(&self, look: Look, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "\n{RULE}\nONC-RPC Program Statistics:")?;
        let names = ["Program", "Version", "Calls", "Min SRT", "Max SRT", "Avg SRT"];
        let mut table = Table::new(0, head(&names));
        for ((program, version), times) in &self.programs {
            let of = Procedure { program: *program, version: *version, procedure: 0 };
            let name = match program {
                100_000 => "Portmap",
                _ => of.program_name().unwrap_or("Unknown"),
            };
            let [calls, least, most, mean, _] = times.cells();
            let first = [format!("{name}({program})"), version.to_string()];
            let cells = first.into_iter().chain([calls, least, most, mean]);
            table.push(cells.map(Cell::from).collect());
        }
        table.print(Look { width: None, ..look }, out)?;
        writeln!(out, "{RULE}")
    }
}

/// `-z rpc,srt`.
#[derive(Debug)]
pub(super) struct ServiceTimes {
    program: u32,
    version: u32,
    filter: Condition,
    waiting: Waiting,
    procedures: BTreeMap<u32, Times>,
}

impl ServiceTimes {
    pub(super) fn new(program: u32, version: u32, filter: Condition) -> Self {
        Self { program, version, filter, waiting: Vec::new(), procedures: BTreeMap::new() }
    }
}

impl Sink for ServiceTimes {
    fn item(&mut self, _context: &ItemContext<'_>, item: &Item<'_>) {
        let wanted =
            |it: &(Procedure, i64)| (it.0.program, it.0.version) == (self.program, self.version);
        self.waiting.extend(answered(item).filter(wanted));
    }
}

impl Tap for ServiceTimes {
    fn needs_tree(&self) -> bool {
        !self.filter.is_any()
    }

    fn frame_ended(&mut self, tree: Option<&Tree>, passes: bool) {
        let passes = passes && self.filter.passes(tree);
        for (procedure, time) in self.waiting.drain(..).filter(|_| passes) {
            self.procedures.entry(procedure.procedure).or_default().take(time);
        }
    }

    fn print(&self, look: Look, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "\n{RULE}\nRPC SRT Statistics:\nFilter: {}", self.filter.text)?;
        let names = ["Index", "Procedure", "Calls", "Min SRT", "Max SRT", "Avg SRT", "Sum SRT"];
        let mut table = Table::new(0, head(&names));
        for (procedure, times) in &self.procedures {
            let of =
                Procedure { program: self.program, version: self.version, procedure: *procedure };
            let name = of.name().map_or_else(|| procedure.to_string(), str::to_owned);
            let cells = [procedure.to_string(), name].into_iter().chain(times.cells());
            table.push(cells.map(Cell::from).collect());
        }
        table.print(Look { width: None, ..look }, out)?;
        writeln!(out, "{RULE}")
    }
}
