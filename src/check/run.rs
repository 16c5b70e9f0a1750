//! Reads the captures, judges them, and passes the findings to the report.

use super::report::{self, Report};
use super::waivers::Waivers;
use crate::cli::{CheckArguments, ReportFormat};
use crate::decoding::{self, Decoding, open_on};
use crate::failure::{OutputError, ReadError, complain};
use crate::parallel::{Jobs, Part, Taken};
use crate::table::Look;
use crate::terminal::standard_output;
use anyhow::{Result, anyhow};
use serde::Serialize;
use std::collections::{BTreeMap, HashMap};
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use warpscope_dissector::capture::CaptureError;
use warpscope_dissector::mpa::Side;
use warpscope_dissector::pipeline::{self, Item, ItemContext, Sink};
use warpscope_dissector::rules::{self, Finding, Judge, Level, Rule};
use warpscope_text::{some, suggest};

/// The exit status if something was found, or a waiver was not used.
const FOUND: u8 = 1;
/// The exit status if a file could not be read to its end.
const UNREADABLE: u8 = 2;

pub(crate) fn run(arguments: &CheckArguments) -> Result<ExitCode> {
    let all: Vec<_> = rules::all().collect();
    let selection = Selection::new(&all, &arguments.rules, &arguments.ignored)?;
    let decoding = Decoding::new(&arguments.input.decoding)?;
    let waivers = arguments.waivers.as_deref().map(|path| Waivers::read(path, &all));
    let waivers = waivers.transpose()?.unwrap_or_default();
    let (out, look) = standard_output();
    let mut out = UntilClosed { out, closed: false };
    let report = report(arguments, &selection, look);
    let mut check = Check {
        selection,
        waivers,
        pipeline: decoding.pipeline,
        jobs: Jobs::new(arguments.jobs.jobs),
        limits: Limits {
            of_rule: arguments.limit,
            of_side: if arguments.repeated { u64::MAX } else { REPEATED },
        },
        prompt: false,
        summary: Summary::default(),
        report,
    };
    check.report.begin(&mut out).map_err(OutputError)?;
    for path in &arguments.input.captures {
        check.prompt = arguments.format == ReportFormat::Ndjson && path.as_os_str() == "-";
        check.file(path, &mut out)?;
    }
    let summary = check.end(&mut out)?;
    out.flush().map_err(OutputError)?;
    for unused in &summary.unused_waivers {
        complain(unused);
    }
    Ok(status(&summary, arguments.strict))
}

fn status(summary: &Summary, strict: bool) -> ExitCode {
    if summary.unreadable > 0 {
        ExitCode::from(UNREADABLE)
    } else if summary.counts.failing(strict) > 0 || !summary.unused_waivers.is_empty() {
        ExitCode::from(FOUND)
    } else {
        ExitCode::SUCCESS
    }
}

/// Output that nobody needs to read to its end: the exit status is that of all findings. A running capture has no end,
/// and is read as long as somebody reads its findings.
struct UntilClosed {
    out: Box<dyn Write>,
    closed: bool,
}

impl UntilClosed {
    fn unless_closed<T>(
        &mut self,
        done: T,
        write: impl FnOnce(&mut dyn Write) -> io::Result<T>,
    ) -> io::Result<T> {
        if self.closed {
            return Ok(done);
        }
        write(&mut *self.out).or_else(|error| {
            self.closed = error.kind() == io::ErrorKind::BrokenPipe;
            if self.closed { Ok(done) } else { Err(error) }
        })
    }
}

impl Write for UntilClosed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.unless_closed(bytes.len(), |out| out.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.unless_closed((), |out| out.flush())
    }
}

fn report(arguments: &CheckArguments, selection: &Selection, look: Look) -> Box<dyn Report> {
    let rules = selection.rules().to_vec();
    match arguments.format {
        ReportFormat::Text => Box::new(report::Text(look)),
        ReportFormat::Json => Box::new(report::Json::default()),
        ReportFormat::Ndjson => Box::new(report::Lines),
        ReportFormat::Junit => Box::new(report::Junit::new(rules, arguments.strict)),
        ReportFormat::Sarif => Box::new(report::Sarif::new(rules)),
    }
}

struct Check {
    selection: Selection,
    waivers: Waivers,
    pipeline: pipeline::Options,
    jobs: Jobs,
    limits: Limits,
    /// Whether findings are passed on at once, because the input may be a running capture.
    prompt: bool,
    summary: Summary,
    report: Box<dyn Report>,
}

impl Check {
    /// Judges a file. Reports a file that cannot be read, and continues.
    fn file(&mut self, path: &Path, out: &mut UntilClosed) -> Result<()> {
        let mut result = FileResult::new(path.display().to_string(), self.limits);
        if let Some(error) = self.judge(path, &mut result, out)? {
            let error = ReadError::from(error).to_string();
            complain(&error);
            result.error = Some(error);
        }
        self.summary.take(&result);
        Ok(self.report.file(result, out).map_err(OutputError)?)
    }

    fn judge(
        &mut self,
        path: &Path,
        result: &mut FileResult,
        out: &mut UntilClosed,
    ) -> Result<Option<CaptureError>> {
        let (options, jobs) = (self.pipeline.clone(), self.jobs);
        let opened = match open_on(path, jobs) {
            Ok(opened) => opened,
            Err(error) => return Ok(Some(error)),
        };
        let take = |found| self.take(found, result, out);
        let Taken { sink, frames, damage } =
            decoding::take(path, opened, &options, jobs, CheckSink::default, take)?;
        (result.frames, result.connections) = (frames, sink.connections.len() as u64);
        Ok(damage)
    }

    /// Accepts a finding, with the initiator of its connection.
    fn take(
        &mut self,
        (finding, initiator): (Finding, Option<Side>),
        result: &mut FileResult,
        out: &mut UntilClosed,
    ) -> Result<(), OutputError> {
        if self.selection.position(finding.rule).is_none() {
            return Ok(());
        }
        let waived = self.waivers.reason(&result.name, &finding);
        let found = Found { finding, initiator, waived };
        self.report.finding(&result.name, &found, out)?;
        if self.prompt {
            out.flush()?;
            if out.closed {
                return Err(OutputError(io::ErrorKind::BrokenPipe.into()));
            }
        }
        result.take(found, |rule| self.selection.position(rule));
        Ok(())
    }

    /// Ends the report. A waiver for a file that could not be read may stay unused.
    fn end(mut self, out: &mut dyn Write) -> Result<Summary, OutputError> {
        if self.summary.unreadable == 0 {
            self.summary.unused_waivers = self.waivers.unused(&self.selection);
        }
        self.report.end(&self.summary, out)?;
        Ok(self.summary)
    }
}

// The selection of rules: `--rule` and `--ignore`.

/// The selected rules, in the order of the list of rules.
#[derive(Debug)]
pub(super) struct Selection {
    rules: Vec<&'static Rule>,
}

impl Selection {
    /// Selects the requested rules of `all`, without the ignored ones.
    pub(super) fn new(all: &[&'static Rule], asked: &[String], ignored: &[String]) -> Result<Self> {
        let named = |flag: &str, ids: &[String]| -> Result<Vec<&'static Rule>> {
            let found = ids
                .iter()
                .map(|id| named(all, id).map_err(|unknown| anyhow!("{flag} {id}: {unknown}")));
            Ok(found.collect::<Result<Vec<_>>>()?.concat())
        };
        let (asked_rules, ignored) = (named("--rule", asked)?, named("--ignore", ignored)?);
        let wanted = |rule: &&Rule| {
            (asked.is_empty() || asked_rules.contains(rule)) && !ignored.contains(rule)
        };
        Ok(Self { rules: all.iter().copied().filter(|rule| wanted(rule)).collect() })
    }

    pub(super) fn rules(&self) -> &[&'static Rule] {
        &self.rules
    }

    /// Returns the index of a rule in the selection; `None` if it is not selected.
    pub(super) fn position(&self, rule: &Rule) -> Option<usize> {
        self.rules.iter().position(|known| std::ptr::eq(*known, rule) || *known == rule)
    }
}

/// Returns the rules that an id names: one rule, or all rules that judge a requirement.
pub(super) fn named(all: &[&'static Rule], id: &str) -> Result<Vec<&'static Rule>, String> {
    let named: Vec<_> = all
        .iter()
        .copied()
        .filter(|rule| rule.id == id || rule.requirements.contains(&id))
        .collect();
    if !named.is_empty() {
        return Ok(named);
    }
    let known = all.iter().flat_map(|rule| std::iter::once(&rule.id).chain(rule.requirements));
    Err(match suggest(id, known.copied()) {
        Some(nearest) => {
            format!("no such rule; did you mean {nearest}? `warpscope rules` lists all")
        }
        None => "no such rule; `warpscope rules` lists all".to_owned(),
    })
}

// Feeds the judge, and records who initiated the connection of each finding.

/// A sink around the judge.
#[derive(Debug, Default)]
pub(super) struct CheckSink {
    judge: Judge,
    /// The numbers of the connections with iWARP, each with the side that initiated it, if that
    /// was seen.
    connections: HashMap<u32, Option<Side>, foldhash::fast::RandomState>,
}

impl Part for CheckSink {
    /// A finding, with the side that initiated its connection.
    type Found = (Finding, Option<Side>);

    fn take(&mut self, found: &mut Vec<Self::Found>) {
        let connections = &self.connections;
        found.extend(self.judge.take().map(|finding| {
            let number = finding.place.connection.number;
            (finding, connections.get(&number).copied().flatten())
        }));
    }

    fn join(&mut self, other: Self) -> bool {
        self.connections.extend(other.connections);
        true
    }
}

impl Sink for CheckSink {
    fn pass_on(&mut self, to: &mut dyn FnMut(&mut dyn Sink)) {
        to(&mut self.judge);
    }

    fn item(&mut self, context: &ItemContext<'_>, item: &Item<'_>) {
        if matches!(item, Item::Setup(_) | Item::Segment(_)) {
            let known = self.connections.entry(context.connection.number).or_default();
            *known = known.or_else(|| context.negotiation.initiator());
        }
        self.judge.item(context, item);
    }
}

// A finding with its context, and its description.

/// A finding with its context.
#[derive(Debug, Clone)]
pub(super) struct Found {
    pub(super) finding: Finding,
    /// The side that initiated the connection, if its setup was seen.
    pub(super) initiator: Option<Side>,
    /// The reason of its waiver, if it is waived.
    pub(super) waived: Option<String>,
}

impl Found {
    /// Returns the role of a side in the setup of the connection, if that was seen.
    pub(super) fn role(&self, side: Side) -> Option<&'static str> {
        Some(if side == self.initiator? { "initiator" } else { "responder" })
    }

    pub(super) fn address(&self, side: Side) -> String {
        let ends = &self.finding.place.connection.ends;
        ends.get(side.index()).map(ToString::to_string).unwrap_or_default()
    }

    /// Returns the address and role of the side at fault, or that it is unknown.
    pub(super) fn at_fault(&self) -> String {
        let Some(side) = self.finding.at_fault else {
            return "either side".to_owned();
        };
        match self.role(side) {
            Some(role) => format!("{} ({role})", self.address(side)),
            None => self.address(side),
        }
    }

    /// Returns the requirement that it names: the first of the rule.
    pub(super) fn requirement(&self) -> &'static str {
        self.finding.rule.requirements.first().copied().unwrap_or_default()
    }

    /// Returns frame, connection, place, side at fault and explanation, in one line.
    pub(super) fn line(&self) -> String {
        let place = &self.finding.place;
        let offset = place.stream_offset.map(|offset| format!(", byte {offset}"));
        format!(
            "frame {}, connection {}{}, {}: {}",
            place.frame,
            place.connection.number,
            offset.unwrap_or_default(),
            self.at_fault(),
            self.finding.explanation
        )
    }
}

// The findings in a file, counted, with the first findings of each rule.

/// Counts of findings by their consequence.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, derive_more::AddAssign)]
pub(crate) struct Counts {
    pub(crate) must: u64,
    pub(crate) should: u64,
    /// Waived findings.
    pub(crate) waived: u64,
}

impl Counts {
    pub(super) fn take(&mut self, found: &Found) {
        match (&found.waived, found.finding.rule.level) {
            (Some(_), _) => self.waived += 1,
            (None, Level::Must) => self.must += 1,
            (None, Level::Should) => self.should += 1,
        }
    }

    pub(crate) fn standing(&self) -> u64 {
        self.must + self.should
    }

    /// Returns the number of findings that make the check fail.
    pub(crate) fn failing(&self, strict: bool) -> u64 {
        if strict { self.standing() } else { self.must }
    }

    /// Describes the counts: `3 findings (2 MUST, 1 SHOULD), 1 waived`.
    pub(crate) fn describe(&self) -> String {
        let standing = self.standing();
        let levels = match (self.must, self.should) {
            (0, 0) => String::new(),
            (must, 0) => format!(" ({must} MUST)"),
            (0, should) => format!(" ({should} SHOULD)"),
            (must, should) => format!(" ({must} MUST, {should} SHOULD)"),
        };
        let waived = some(self.waived, |waived| format!(", {waived} waived"));
        match standing {
            0 if waived.is_empty() => "nothing found".to_owned(),
            0 => format!("nothing found{waived}"),
            1 => format!("1 finding{levels}{waived}"),
            _ => format!("{standing} findings{levels}{waived}"),
        }
    }
}

/// How many findings of one rule on one side of one connection are printed; the others are only counted.
pub(super) const REPEATED: u64 = 3;

/// The findings of one rule on one side of one connection.
#[derive(Debug)]
pub(super) struct Repetition {
    /// The first finding.
    pub(super) first: Found,
    pub(super) count: u64,
    /// The number of findings that are kept.
    pub(super) kept: u64,
    /// The first and the last frame of the findings that are only counted.
    pub(super) frames: Option<(u64, u64)>,
    /// The frame of the last finding.
    pub(super) last: u64,
}

impl Repetition {
    /// Describes the findings that are only counted; none if all are kept, or none is.
    pub(super) fn more(&self) -> Option<String> {
        let (first, last) = self.frames.filter(|_| self.kept > 0)?;
        let (rest, number) = (self.count - self.kept, self.first.finding.place.connection.number);
        let frames = if first == last {
            format!("frame {first}")
        } else {
            format!("frames {first} to {last}")
        };
        Some(format!("and {rest} more of the same in connection {number}, {frames}"))
    }
}

/// The findings of one rule in a file.
#[derive(Debug)]
pub(super) struct RuleResult {
    pub(super) rule: &'static Rule,
    pub(super) counts: Counts,
    /// The first findings that are not waived.
    pub(super) standing: Vec<Found>,
    /// The first waived findings.
    pub(super) waived: Vec<Found>,
    /// All findings, by connection, side and whether they are waived.
    pub(super) repetitions: BTreeMap<(u32, u8, bool), Repetition>,
}

impl RuleResult {
    /// Counts a finding, and keeps it if it is among the first.
    fn take(&mut self, found: Found, limits: Limits) {
        self.counts.take(&found);
        let (waived, place) = (found.waived.is_some(), &found.finding.place);
        let kept = if waived { &mut self.waived } else { &mut self.standing };
        let key = (place.connection.number, place.side.0, waived);
        let entry = self.repetitions.entry(key);
        let of_side = entry.or_insert_with(|| Repetition {
            first: found.clone(),
            count: 0,
            kept: 0,
            frames: None,
            last: 0,
        });
        of_side.count += 1;
        of_side.last = of_side.last.max(place.frame);
        if kept.len() < limits.of_rule && of_side.kept < limits.of_side {
            of_side.kept += 1;
            kept.push(found);
        } else {
            let frame = place.frame;
            let (first, last) = of_side.frames.unwrap_or((frame, frame));
            of_side.frames = Some((first.min(frame), last.max(frame)));
        }
    }

    /// Describes the findings that are only counted: a line for each side with kept ones, and for all others.
    pub(super) fn more(&self) -> Vec<String> {
        let mut lines: Vec<String> =
            self.repetitions.values().filter_map(Repetition::more).collect();
        let others = self.repetitions.values().filter(|it| it.kept == 0);
        let others: u64 = others.map(|it| it.count).sum();
        if others > 0 {
            lines.push(format!("and {others} more"));
        }
        lines
    }

    /// Returns the kept findings, in the order of their frames.
    pub(super) fn kept(&self) -> Vec<&Found> {
        let mut kept: Vec<&Found> = self.standing.iter().chain(&self.waived).collect();
        kept.sort_by_key(|found| found.finding.place.frame);
        kept
    }

    /// Returns the number of findings that are only counted.
    pub(super) fn rest(&self) -> u64 {
        let all = self.counts.standing() + self.counts.waived;
        all.saturating_sub((self.standing.len() + self.waived.len()) as u64)
    }
}

/// How many findings are kept.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// The limit for a rule in a file; waived findings have the same limit again.
    pub(super) of_rule: usize,
    /// The limit for a rule on one side of one connection.
    pub(super) of_side: u64,
}

/// The findings in a file.
#[derive(Debug)]
pub(super) struct FileResult {
    /// Its name on the command line.
    pub(super) name: String,
    pub(super) frames: u64,
    pub(super) connections: u64,
    pub(super) counts: Counts,
    /// The broken rules, in the order of the rules.
    pub(super) rules: Vec<RuleResult>,
    /// Why it could not be read to its end.
    pub(super) error: Option<String>,
    limits: Limits,
}

impl FileResult {
    /// Creates the result of a file before it is read.
    pub(super) fn new(name: String, limits: Limits) -> Self {
        let (counts, rules) = (Counts::default(), Vec::new());
        Self { name, frames: 0, connections: 0, counts, rules, error: None, limits }
    }

    /// Counts a finding, and keeps it if it is among the first of its rule.
    pub(super) fn take(&mut self, found: Found, position: impl Fn(&Rule) -> Option<usize>) {
        self.counts.take(&found);
        let rule = found.finding.rule;
        let index = match self.rules.iter().position(|known| known.rule == rule) {
            Some(index) => index,
            None => {
                let place = position(rule);
                let index = self.rules.partition_point(|known| position(known.rule) < place);
                let (standing, waived) = (Vec::new(), Vec::new());
                let (counts, repetitions) = (Counts::default(), BTreeMap::new());
                let new = RuleResult { rule, counts, standing, waived, repetitions };
                self.rules.insert(index, new);
                index
            }
        };
        if let Some(of_rule) = self.rules.get_mut(index) {
            of_rule.take(found, self.limits);
        }
    }
}

#[derive(Debug, Default)]
pub(super) struct Summary {
    pub(super) files: u64,
    /// Files that could not be read to their end.
    pub(super) unreadable: u64,
    /// All findings.
    pub(super) counts: Counts,
    /// Descriptions of unused waivers, with file and line.
    pub(super) unused_waivers: Vec<String>,
}

impl Summary {
    pub(super) fn take(&mut self, file: &FileResult) {
        self.files += 1;
        self.unreadable += u64::from(file.error.is_some());
        self.counts += file.counts;
    }
}
