//! `conform run`: runs cases against a target.

use super::cases::{Known, Selection, library, read};
use super::report::{print_summary, read_older};
use super::target::{ResolvedTarget, quoted};
use crate::cli::{InstanceOutputArguments, ReplaceArguments, RunArguments};
use crate::failure::{OutputError, complain, printed as ended};
use crate::follow;
use crate::output::{OutputFile, failed};
use crate::terminal::{Stop, bar, standard_output};
use anyhow::{Context as _, Result, bail};
use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Instant, SystemTime};
use warpscope_conformance::case::{Cases, Instance};
use warpscope_conformance::layout::Layouts;
use warpscope_conformance::listing::Card;
use warpscope_conformance::report::{
    self, InstanceResult, Ladder, NamedRun, Run, Text, Timestamp, Verdict, exit_code, write_html,
    write_json, write_junit,
};
use warpscope_conformance::run::{Options, Outcome, Probe, probe, run_all, sanity};
use warpscope_requirements::Catalogue;
use warpscope_text::suggest;

/// Runs the cases; returns the exit status for the results.
pub(crate) fn run(arguments: &RunArguments) -> Result<ExitCode> {
    let known = Known::builtin()?;
    let library = library(&arguments.cases, &known.catalogue)?;
    let cases = read(&library, &known)?;
    let selection = Selection::new(&arguments.selection, &known.catalogue)?;
    let cards = selection.cards(&library, &known.catalogue)?;
    let instances = instances(&cards, &cases, &arguments.selection.ids);
    if instances.is_empty() {
        bail!("no instance matches; `warpscope conform explain CASE` lists those of a case");
    }
    let aim = ResolvedTarget::take(arguments)?;
    expected_are_known(&aim, &cases)?;
    // From here on, every report is written, whatever happens.
    let output = &arguments.output.reports;
    let reports = ReportFile::open_all(output, arguments.output.existing, &inputs(arguments))?;
    let older = arguments.compare.as_deref().map(read_older).transpose()?;
    let stop = Stop::on_signals_together()?;
    let options = Options {
        jobs: usize::from(arguments.jobs),
        seed: arguments.seed,
        first_failure_ends: arguments.fail_fast,
        // A seeded bug does not go away.
        watches: arguments.bugs.is_empty(),
        gives_up: arguments.bugs.is_empty() && !arguments.keep_going,
        restart: arguments.restart.clone().or_else(|| aim.profile.restart.clone()),
        captures: arguments.output.pcap.clone(),
        patience: arguments.patience.or(aim.profile.patience).unwrap_or(1),
        application: concat!("warpscope ", env!("CARGO_PKG_VERSION"), " conform").to_owned(),
    };
    let (started, begun) = (SystemTime::now(), Instant::now());
    let mut capabilities = Vec::new();
    let made = probe(&aim.target, &options).map_err(anyhow::Error::from).and_then(|probe| {
        capabilities = probe.capabilities.available().map(str::to_owned).collect();
        Runner {
            arguments,
            options: options.clone(),
            probe: &probe,
            layouts: &known.layouts,
            stop: &stop,
            cards: cards.iter().map(|card| (card.id.as_str(), *card)).collect(),
            reporter: Reporter { arguments, aim: &aim, catalogue: &known.catalogue },
        }
        .make(&instances)
    });
    let (made, absent) = match made.with_context(|| absent(&aim)) {
        Ok(made) => (made, None),
        Err(why) => (Made { broken_off: Some(format!("{why:#}")), ..Made::default() }, Some(why)),
    };
    let Made { mut results, mut broken_off, printed } = made;
    let ran: Vec<_> =
        instances.iter().filter_map(|instance| results.remove(&instance.id)).collect();
    if let (Some(why), missing @ 1..) = (&mut broken_off, instances.len() - ran.len()) {
        why.push_str(&format!("; {} not run", warpscope_text::counted(missing as u64, "instance")));
    }
    let run = Run {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        target: described(arguments, &aim, capabilities),
        seed: arguments.seed.unwrap_or(0),
        started: Timestamp::from(started),
        microseconds: u64::try_from(begun.elapsed().as_micros()).unwrap_or(u64::MAX),
        broken_off,
        instances: ran,
    };
    let written = ReportFile::write_all(reports, &run, older.as_ref(), arguments.strict);
    if let Some(why) = absent {
        return Err(why);
    }
    written?;
    let (all, strict) = (arguments.output.verbose, arguments.strict);
    match printed {
        Ok(()) => print_summary(&run, older.as_ref(), all, strict),
        Err(error) => ended(Err(OutputError(error).into()), exit_code(&run, strict)),
    }
}

/// Returns the input files: the profile, cases, an older report.
fn inputs(arguments: &RunArguments) -> Vec<&Path> {
    let files = arguments.profile.iter().chain(&arguments.cases.cases).chain(&arguments.compare);
    files.map(PathBuf::as_path).collect()
}

/// Checks that every exception of the profile names an existing case or instance.
fn expected_are_known(aim: &ResolvedTarget, cases: &Cases) -> Result<()> {
    let target = &aim.target;
    for entry in target.expected_failures.iter().chain(&target.either).chain(&target.left_out) {
        let mut instances = cases
            .all()
            .iter()
            .flat_map(|case| case.instances.iter().map(|instance| (&instance.id, &case.id)));
        if !instances.any(|(instance, case)| entry.means(instance, case)) {
            let ids = cases.all().iter().map(|case| case.id.as_str());
            let near = suggest(&entry.id, ids).map(|near| format!("; did you mean {near}?"));
            let near = near.unwrap_or_default();
            bail!("the profile names {}, but no case or instance has that name{near}", entry.id);
        }
    }
    Ok(())
}

/// Returns the instances of these cases; of a case selected by ids of instances, only those.
fn instances(cards: &[&Card], cases: &Cases, ids: &[String]) -> Vec<Instance> {
    let meant = |instance: &&Instance| {
        let of_case = |id: &&String| {
            let case = id.split('[').next().unwrap_or(id);
            glob::Pattern::new(&case.to_lowercase()).is_ok_and(|it| it.matches(&instance.case))
        };
        let mut naming = ids.iter().filter(of_case).peekable();
        naming.peek().is_none() || naming.any(|id| !id.contains('[') || *id == instance.id)
    };
    let cases = cards.iter().filter_map(|card| cases.find(&card.id));
    cases.flat_map(|case| &case.instances).filter(meant).cloned().collect()
}

fn absent(aim: &ResolvedTarget) -> String {
    format!("cannot run against {}; check that it is running and listening", aim.name)
}

fn described(
    arguments: &RunArguments,
    aim: &ResolvedTarget,
    capabilities: Vec<String>,
) -> report::Target {
    report::Target {
        name: aim.name.clone(),
        address: Some(aim.target.place()),
        profile: arguments.profile.as_ref().map(|file| file.display().to_string()),
        mode: aim.target.mode.to_string(),
        capabilities,
        allowances: aim.target.allowances(),
    }
}

/// The result of a run.
struct Made {
    results: HashMap<String, InstanceResult>,
    /// Why it ended early, if it did.
    broken_off: Option<String>,
    /// Whether its lines could be printed.
    printed: io::Result<()>,
}

impl Default for Made {
    fn default() -> Self {
        Self { results: HashMap::new(), broken_off: None, printed: Ok(()) }
    }
}

struct Runner<'a> {
    arguments: &'a RunArguments,
    options: Options,
    probe: &'a Probe,
    layouts: &'a Layouts,
    stop: &'a Stop,
    cards: BTreeMap<&'a str, &'a Card>,
    reporter: Reporter<'a>,
}

impl Runner<'_> {
    /// Runs the instances.
    ///
    /// # Errors
    /// If the target is not reachable.
    fn make(mut self, instances: &[Instance]) -> Result<Made> {
        let first = self.converse("first");
        if let Some((verdict, why)) = &first {
            // A seeded bug may break everything: the cases must show it.
            if *verdict == Verdict::Inconclusive && self.arguments.bugs.is_empty() {
                bail!("{why}");
            }
            // This conversation cannot detect that a target is gone either.
            self.options.watches = false;
            complain(&format!("{why}; running the cases all the same"));
        }
        let mut made = self.all(instances);
        if made.broken_off.is_none() {
            made.broken_off = self.again(instances, &mut made.results);
        }
        let failed = made.results.values().any(|it| it.verdict.fails(false));
        if made.broken_off.is_some() || (self.arguments.fail_fast && failed) {
            // There is nothing more to report about the target.
        } else if self.stop.asked() {
            made.broken_off = Some("stopped by the user".to_owned());
        } else if first.is_none() && self.arguments.bugs.is_empty() {
            made.broken_off = self.converse("last").map(|(_, why)| why);
        }
        Ok(made)
    }

    /// Runs these instances; returns why the run ended early, if it did.
    fn these(
        &self,
        instances: &[Instance],
        options: &Options,
        report: impl FnMut(Outcome),
    ) -> Option<String> {
        let target = &self.reporter.aim.target;
        let flag = self.stop.flag();
        let ended = run_all(target, self.probe, self.layouts, instances, options, flag, report);
        ended.unwrap_or_else(|error| Some(format!("cannot write the captures: {error}")))
    }

    /// Makes the conversation that every target supports; returns its failure, if any.
    fn converse(&self, when: &str) -> Option<(Verdict, String)> {
        let mut came = None;
        let options = Options { captures: None, jobs: 1, watches: false, ..self.options.clone() };
        self.these(&[sanity(self.probe)], &options, |outcome| {
            came = Some((outcome.verdict, outcome.reason));
        });
        let (verdict, why) = came?;
        if matches!(verdict, Verdict::Pass | Verdict::StrictOnly) {
            return None;
        }
        let why = why.unwrap_or_default();
        let why = format!("the {when} conversation, which has no faults in it, failed: {why}");
        Some((verdict, why))
    }

    fn all(&self, instances: &[Instance]) -> Made {
        let bar = bar(instances.len() as u64, "{bar:40} {pos}/{len} instances  {elapsed}");
        let mut lines = Lines::new(&self.arguments.output);
        let mut results = HashMap::with_capacity(instances.len());
        let broken_off = self.these(instances, &self.options, |outcome| {
            let Some(card) = self.cards.get(outcome.case.as_str()) else { return };
            let result = self.reporter.result(&outcome, card, 1);
            bar.suspend(|| lines.print(&result));
            bar.inc(1);
            results.insert(outcome.id, result);
        });
        bar.finish_and_clear();
        Made { results, broken_off, printed: lines.printed }
    }

    /// Reruns instances that did not pass, alone; the worst verdict counts. Returns why that ended early.
    fn again(
        &self,
        instances: &[Instance],
        results: &mut HashMap<String, InstanceResult>,
    ) -> Option<String> {
        let options = Options { jobs: 1, captures: None, ..self.options.clone() };
        for _ in 0..self.arguments.retries {
            let bad = |instance: &&Instance| {
                let verdict = results.get(&instance.id).map(|result| result.verdict);
                use Verdict::{Fail, Inconclusive, StrictOnly};
                matches!(verdict, Some(Fail | Inconclusive | StrictOnly))
            };
            let bad: Vec<Instance> = instances.iter().filter(bad).cloned().collect();
            let broken_off = self.these(&bad, &options, |outcome| {
                let before = results.get_mut(&outcome.id);
                let (Some(before), Some(card)) = (before, self.cards.get(outcome.case.as_str()))
                else {
                    return;
                };
                let attempts = before.attempts + 1;
                let now = self.reporter.result(&outcome, card, attempts);
                before.attempts = attempts;
                let words = format!("attempt {attempts}: {}", now.verdict);
                if now.verdict < before.verdict {
                    *before = now;
                }
                before.came.push(words);
            });
            if broken_off.is_some() {
                return broken_off;
            }
        }
        None
    }
}

/// Prints one line per instance; keeps the first write error.
pub(super) struct Lines {
    text: Text,
    out: Box<dyn Write>,
    pub(super) printed: io::Result<()>,
}

impl Lines {
    pub(super) fn new(arguments: &InstanceOutputArguments) -> Self {
        let (out, look) = standard_output();
        let text = Text { coloured: look.coloured, all: arguments.verbose, strict: false };
        Self { text, out, printed: Ok(()) }
    }

    pub(super) fn print(&mut self, result: &InstanceResult) {
        let Self { text, out, printed } = self;
        let now = text.instance(result, &mut **out).and_then(|()| out.flush());
        if printed.is_ok() {
            *printed = now;
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Junit,
    Json,
    Html,
}

/// A requested report. Its file is opened before the run, so that a bad path is found early.
#[derive(Debug)]
pub(super) struct ReportFile {
    format: Format,
    path: PathBuf,
    output: OutputFile,
    file: File,
}

impl ReportFile {
    /// Opens the files of the requested reports.
    pub(super) fn open_all(
        asked: &[String],
        existing: ReplaceArguments,
        inputs: &[&Path],
    ) -> Result<Vec<Self>> {
        asked.iter().map(|asked| Self::open(asked, inputs, existing.force)).collect()
    }

    /// Opens the file of `FORMAT=FILE`.
    fn open(asked: &str, inputs: &[&Path], replace: bool) -> Result<Self> {
        let (format, path) = asked.split_once('=').unwrap_or((asked, ""));
        let format = match format {
            "junit" => Format::Junit,
            "json" => Format::Json,
            "html" => Format::Html,
            _ => bail!("--report {asked}: use junit=FILE, json=FILE or html=FILE"),
        };
        if path.is_empty() {
            bail!(
                "--report {asked}: name a file, such as {asked}=report.{}",
                asked.trim_end_matches('=')
            );
        }
        let path = PathBuf::from(path);
        let (output, file) = OutputFile::create(&path, inputs, replace)
            .with_context(|| format!("--report {asked}"))?;
        Ok(Self { format, path, output, file })
    }

    /// Writes all reports, even if one fails; returns the first failure.
    pub(super) fn write_all(
        reports: Vec<Self>,
        run: &Run,
        older: Option<&NamedRun>,
        strict: bool,
    ) -> Result<()> {
        let written: Vec<_> = reports.into_iter().map(|it| it.write(run, older, strict)).collect();
        written.into_iter().collect()
    }

    fn write(self, run: &Run, older: Option<&NamedRun>, strict: bool) -> Result<()> {
        let mut out = BufWriter::new(&self.file);
        let run = &as_seen_from(&self.path, run);
        match self.format {
            Format::Junit => write_junit(run, strict, &mut out),
            Format::Json => write_json(run, &mut out),
            Format::Html => write_html(run, strict, older, &mut out),
        }
        .and_then(|()| out.flush())
        .map_err(|error| failed(&self.path, error))?;
        drop(out);
        self.output.keep()
    }
}

/// Returns the run with the paths of its captures relative to the report's folder.
fn as_seen_from(report: &Path, run: &Run) -> Run {
    let mut run = run.clone();
    let folder = report.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let Ok(folder) = folder.canonicalize() else { return run };
    for instance in &mut run.instances {
        let Some(capture) = &instance.capture else { continue };
        let Ok(capture) = Path::new(capture).canonicalize() else { continue };
        let below = capture.strip_prefix(&folder).map(Path::to_owned);
        instance.capture = Some(below.unwrap_or(capture).display().to_string());
    }
    run
}

/// The width of a ladder in a report, in columns.
const COLUMNS: usize = 100;
/// The most connections of an instance that are drawn.
const DRAWN: u32 = 4;

/// The inputs of reports other than the results.
pub(super) struct Reporter<'a> {
    pub(super) arguments: &'a RunArguments,
    pub(super) aim: &'a ResolvedTarget,
    pub(super) catalogue: &'a Catalogue,
}

impl Reporter<'_> {
    /// Returns the report of a case's instance after `attempts` attempts.
    pub(super) fn result(&self, outcome: &Outcome, card: &Card, attempts: u32) -> InstanceResult {
        let rerun = self.rerun(&outcome.id);
        let mut result = InstanceResult::new(outcome, card, self.catalogue, rerun);
        result.attempts = attempts;
        if result.verdict == Verdict::ExpectedFailure {
            let expected = self.aim.target.expects_failure(&outcome.id, &outcome.case);
            let link = expected.and_then(|entry| self.aim.profile.link(&entry.id));
            result.link = link.map(str::to_owned);
        }
        // A run may have thousands of instances: no ladders of those that passed.
        if !matches!(result.verdict, Verdict::Pass | Verdict::NotApplicable) {
            let ladders = (0..DRAWN).map_while(|it| outcome.evidence.ladder(it));
            result.ladder = drawn(&ladders.collect::<Vec<_>>());
        }
        result
    }

    fn rerun(&self, id: &str) -> String {
        let mut words = vec!["warpscope conform run".to_owned(), self.aim.words.clone()];
        if let Some(folder) = &self.arguments.cases.cases {
            words.push(format!("--cases {}", quoted(&folder.display().to_string())));
        }
        if let Some(seed) = self.arguments.seed {
            words.push(format!("--seed {seed}"));
        }
        words.push(format!("-v {}", quoted(id)));
        words.join(" ")
    }
}

/// Draws ladders for a report.
pub(super) fn drawn(ladders: &[warpscope_dissector::ladder::Ladder]) -> Option<Ladder> {
    let mut text = Vec::new();
    for ladder in ladders {
        follow::print(ladder, COLUMNS, false, &mut text).ok()?;
    }
    let text = String::from_utf8_lossy(&text).into_owned();
    Some(Ladder { text }).filter(|it| !it.text.is_empty())
}
