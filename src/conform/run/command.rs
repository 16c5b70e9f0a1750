//! `conform run`: makes a run.

use super::aim::{Aim, mode_name};
use super::output::ReportFile;
use super::result::Reporter;
use crate::cli::RunArguments;
use crate::conform::cases::{Known, library, read};
use crate::conform::selection::Selection;
use crate::failure::{OutputError, complain};
use crate::terminal::Stop;
use crate::terminal::standard_output;
use anyhow::{Context as _, Result, bail};
use indicatif::{ProgressBar, ProgressStyle};
use std::collections::{BTreeMap, HashMap};
use std::io::IsTerminal as _;
use std::process::ExitCode;
use std::time::{Instant, SystemTime};
use warpscope_conformance::case::{Cases, Instance};
use warpscope_conformance::layout::Layouts;
use warpscope_conformance::listing::Card;
use warpscope_conformance::report::{
    self, InstanceResult, Run, Text, Timestamp, Verdict, exit_code,
};
use warpscope_conformance::run::{Options, Outcome, Probe, probe, run_all, sanity};
use warpscope_dissector::text::suggest;

/// Makes the run; the exit status says what came of it.
///
/// # Errors
/// When it could not be made.
pub(crate) fn run(arguments: &RunArguments) -> Result<ExitCode> {
    let known = Known::builtin()?;
    let library = library(&arguments.cases, &known.catalogue)?;
    let cases = read(&library, &known)?;
    let selection = Selection::new(&arguments.selection, &known.catalogue)?;
    let cards = selection.cards(&library, &known.catalogue)?;
    let reports = ReportFile::open_all(&arguments.output)?;
    let aim = Aim::take(arguments)?;
    expected_are_known(&aim, &cases)?;
    let stop = Stop::on_signals()?;
    let options = Options {
        jobs: usize::from(arguments.jobs),
        seed: arguments.seed,
        first_failure_ends: arguments.fail_fast,
        captures: arguments.output.pcap.clone(),
        patience: arguments.patience.or(aim.profile.patience).unwrap_or(1),
        application: concat!("warpscope ", env!("CARGO_PKG_VERSION"), " conform").to_owned(),
        ..Options::default()
    };
    let (started, begun) = (SystemTime::now(), Instant::now());
    let known_of_target = probe(&aim.target, &options).with_context(|| absent(&aim))?;
    let instances = instances(&cards, &cases, &arguments.selection.ids);
    if instances.is_empty() {
        bail!("no instance fits; `warpscope conform explain CASE` lists those of a case");
    }
    let runner = Runner {
        arguments,
        options: &options,
        probe: &known_of_target,
        layouts: &known.layouts,
        stop: &stop,
        cards: cards.iter().map(|card| (card.id.as_str(), *card)).collect(),
        reporter: Reporter { arguments, aim: &aim, catalogue: &known.catalogue },
    };
    let first = runner.converse("first").with_context(|| absent(&aim));
    if let Err(why) = first {
        // A seeded bug may be such that nothing works: that is what the cases are to say.
        if arguments.bugs.is_empty() {
            return Err(why);
        }
        complain(&format!("{why:#}"));
    }
    let mut results = runner.all(&instances)?;
    runner.again(&instances, &mut results)?;
    let mut broken_off = None;
    let failed = results.values().any(|it| it.verdict.fails(false));
    if arguments.fail_fast && failed {
        // Stopped as asked; nothing more is to be said of the target.
    } else if stop.asked() {
        broken_off = Some("stopped by the user".to_owned());
    } else if let Err(why) = runner.converse("last")
        && arguments.bugs.is_empty()
    {
        broken_off = Some(format!("{why:#}"));
    }
    let ran = instances.iter().filter_map(|instance| results.remove(&instance.id)).collect();
    let run = Run {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        target: described(arguments, &aim, &known_of_target),
        seed: arguments.seed.unwrap_or(0),
        started: Timestamp::from(started),
        microseconds: u64::try_from(begun.elapsed().as_micros()).unwrap_or(u64::MAX),
        broken_off,
        instances: ran,
    };
    let (mut out, coloured) = standard_output();
    let text = Text { coloured, all: arguments.output.verbose };
    text.end(&run, &mut *out).and_then(|()| out.flush()).map_err(OutputError)?;
    for report in reports {
        report.write(&run, arguments.strict)?;
    }
    Ok(ExitCode::from(exit_code(&run, arguments.strict)))
}

/// Every exception of the profile is of a case or an instance that there is.
fn expected_are_known(aim: &Aim, cases: &Cases) -> Result<()> {
    for entry in aim.target.expected_failures.iter().chain(&aim.target.left_out) {
        let matches = cases
            .all()
            .iter()
            .any(|case| case.instances.iter().any(|it| entry.means(&it.id, &case.id)));
        if !matches {
            let ids = cases.all().iter().map(|case| case.id.as_str());
            let near = suggest(&entry.id, ids).map(|near| format!("; did you mean {near}?"));
            bail!(
                "the profile speaks of {}, and no case or instance is called so{}",
                entry.id,
                near.unwrap_or_default()
            );
        }
    }
    Ok(())
}

/// The instances of these cases; of a case that is meant by instances' ids, those.
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

fn absent(aim: &Aim) -> String {
    format!("the run against {} cannot be made; see that it is there and listens", aim.name)
}

fn described(arguments: &RunArguments, aim: &Aim, probe: &Probe) -> report::Target {
    let addresses: Vec<String> = aim.target.addresses.iter().map(ToString::to_string).collect();
    report::Target {
        name: aim.name.clone(),
        address: Some(addresses.join(", ")),
        profile: arguments.profile.as_ref().map(|file| file.display().to_string()),
        mode: mode_name(aim.target.mode).to_owned(),
        capabilities: probe.capabilities.available().map(str::to_owned).collect(),
    }
}

/// Runs instances, and tells what comes.
struct Runner<'a> {
    arguments: &'a RunArguments,
    options: &'a Options,
    probe: &'a Probe,
    layouts: &'a Layouts,
    stop: &'a Stop,
    cards: BTreeMap<&'a str, &'a Card>,
    reporter: Reporter<'a>,
}

impl Runner<'_> {
    /// Runs instances; tells each outcome as it comes.
    fn these(
        &self,
        instances: &[Instance],
        options: &Options,
        report: impl FnMut(Outcome),
    ) -> Result<()> {
        let target = &self.reporter.aim.target;
        run_all(target, self.probe, self.layouts, instances, options, self.stop.flag(), report)?;
        Ok(())
    }

    /// The conversation that any target can hold.
    fn converse(&self, when: &str) -> Result<()> {
        let mut came = None;
        let options = Options { captures: None, jobs: 1, ..self.options.clone() };
        self.these(&[sanity(self.probe)], &options, |outcome| {
            came = Some((outcome.verdict, outcome.reason));
        })?;
        match came {
            None | Some((Verdict::Pass | Verdict::StrictOnly, _)) => Ok(()),
            Some((_, why)) => {
                let why = why.unwrap_or_default();
                bail!("the {when} conversation, with nothing wrong in it, went wrong: {why}")
            }
        }
    }

    /// Runs all instances.
    fn all(&self, instances: &[Instance]) -> Result<HashMap<String, InstanceResult>> {
        let bar = bar(instances.len());
        let (mut out, coloured) = standard_output();
        let text = Text { coloured, all: self.arguments.output.verbose };
        let mut failed = None;
        let mut results = HashMap::with_capacity(instances.len());
        self.these(instances, self.options, |outcome| {
            let Some(card) = self.cards.get(outcome.case.as_str()) else { return };
            let result = self.reporter.result(&outcome, card, 1);
            bar.suspend(|| {
                if let Err(error) = text.instance(&result, &mut *out).and_then(|()| out.flush()) {
                    failed = failed.take().or(Some(error));
                }
            });
            bar.inc(1);
            results.insert(outcome.id, result);
        })?;
        bar.finish_and_clear();
        failed.map_or(Ok(results), |error| Err(OutputError(error).into()))
    }

    /// Runs what did not pass again, alone; the worst verdict stands.
    fn again(
        &self,
        instances: &[Instance],
        results: &mut HashMap<String, InstanceResult>,
    ) -> Result<()> {
        let options = Options { jobs: 1, captures: None, ..self.options.clone() };
        for _ in 0..self.arguments.retries {
            let bad = |instance: &&Instance| {
                let verdict = results.get(&instance.id).map(|result| result.verdict);
                use Verdict::{Fail, Inconclusive, StrictOnly};
                matches!(verdict, Some(Fail | Inconclusive | StrictOnly))
            };
            let bad: Vec<Instance> = instances.iter().filter(bad).cloned().collect();
            self.these(&bad, &options, |outcome| {
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
            })?;
        }
        Ok(())
    }
}

/// The progress of a run, for someone who waits at a terminal.
fn bar(instances: usize) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(instances as u64);
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} instances  {elapsed}") {
        bar.set_style(style);
    }
    bar
}
