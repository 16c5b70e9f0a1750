//! `conform mutants`: tries the cases with the seeded bugs.

use super::cases::{Known, library, read};
use super::target::{ResolvedTarget, Switched};
use crate::cli::{ListFormat, MutantsArguments};
use crate::table::{self, Cell, Column, Look, Table};
use crate::terminal::{in_parallel, print};
use anyhow::{Context as _, Result, bail};
use owo_colors::Style;
use rand::SeedableRng as _;
use rand::rngs::StdRng;
use rand::seq::SliceRandom as _;
use serde::Deserialize;
use serde_json::json;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use warpscope_conformance::case::Case;
use warpscope_conformance::judge::Verdict;
use warpscope_conformance::layout::Layouts;
use warpscope_conformance::listing::{Library, MUTANTS_ACCEPTED};
use warpscope_conformance::run::{Options, probe, run_all};
use warpscope_peer::bug::{SeededBug, TABLE};
use warpscope_peer::switch::Switch as _;
use warpscope_requirements::Catalogue;
use warpscope_text::{counted, suggest};
use warpscope_yaml::{self as yaml, Placed, YamlError, unknown};

/// Tries the bugs, and prints the matrix; returns 1 if a result is not as expected.
pub(crate) fn run(arguments: &MutantsArguments) -> Result<ExitCode> {
    let known = Known::builtin()?;
    let library = library(&arguments.cases, &known.catalogue)?;
    let cases = read(&library, &known)?;
    let all: Vec<&Case> = cases.all().iter().collect();
    let accepted = Accepted::take(arguments.accepted.as_deref(), &all, &known.catalogue)?;
    let bugs = bugs(arguments, &all)?;
    let whole = bugs.len() == TABLE.len();
    let trials = trials(&bugs, &all, &known.layouts, arguments);
    let matrix = Matrix::new(trials, &all, &accepted, &known.catalogue, whole);
    print(|out, look| match arguments.format {
        ListFormat::Text => text(&matrix, look, out),
        ListFormat::Json => table::json(&as_json(&matrix), out),
        ListFormat::Markdown => {
            let rows: Vec<_> = matrix.rows.iter().map(|row| words(row).into()).collect();
            table::markdown(&["bug", "breaks", "", "by"], &rows, out)?;
            writeln!(out, "\n{}", sum(&matrix))
        }
    })?;
    Ok(if matrix.in_order() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// Returns the requested bugs, in the order of their table. Without names: all, or those that the one file of
/// --cases names, without conditions, because these may need other cases.
fn bugs(arguments: &MutantsArguments, cases: &[&Case]) -> Result<Vec<SeededBug>> {
    let known = || TABLE.iter().map(|row| &*row.name);
    for name in &arguments.bugs {
        if !known().any(|known| known == name) {
            let near = suggest(name, known()).map(|near| format!("; did you mean {near}?"));
            bail!("no seeded bug has the name {name}{}", near.unwrap_or_default());
        }
    }
    let file = arguments.cases.cases.as_ref().filter(|path| !arguments.all && path.is_file());
    let asked = |bug: &SeededBug| match (arguments.bugs.as_slice(), file) {
        ([], None) => true,
        ([], Some(_)) => {
            bug.row().condition.is_none() && cases.iter().any(|case| names(case, *bug))
        }
        (asked, _) => asked.iter().any(|it| it == bug.name()),
    };
    let mut bugs: Vec<SeededBug> = SeededBug::all().filter(asked).collect();
    if let Some(file) = file.filter(|_| bugs.is_empty()) {
        bail!("--cases {}: no case there names a bug in `kills`", file.display());
    }
    if let Some(sample) = arguments.sample {
        bugs.shuffle(&mut StdRng::seed_from_u64(arguments.seed));
        bugs.truncate(sample);
        bugs.sort_unstable();
    }
    Ok(bugs)
}

/// Whether a case claims to kill a bug. A bug with a condition is tried with the cases that kill it without.
fn names(case: &Case, bug: SeededBug) -> bool {
    let name = SeededBug::from(bug.row().bug).name();
    case.kills.iter().any(|it| it == name)
}

/// Tries bugs, several in parallel.
fn trials(
    bugs: &[SeededBug],
    cases: &[&Case],
    layouts: &Layouts,
    arguments: &MutantsArguments,
) -> Vec<BugResult> {
    in_parallel(bugs, arguments.jobs.into(), "bugs", |bug| {
        let meant: Vec<&Case> =
            cases.iter().copied().filter(|case| arguments.all || names(case, *bug)).collect();
        let mut trial = BugResult::make(*bug, &meant, layouts);
        // Parallel trials may have hidden an effect, so try once more.
        let killed = !trial.effects.is_empty() && trial.effects.values().all(CaseEffect::kills);
        if !killed || trial.broken.is_some() {
            trial.add(BugResult::make(*bug, &meant, layouts));
        }
        trial
    })
}

/// Accepted survivors and idle cases: ids, each with its reason.
#[derive(Debug, Default)]
pub(super) struct Accepted {
    /// Bugs that no case kills.
    pub(super) survivors: Vec<(String, String)>,
    /// Cases that kill no bug.
    pub(super) idle: Vec<(String, String)>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    #[serde(default)]
    survivors: Vec<Entry>,
    #[serde(default)]
    idle: Vec<Entry>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    id: Placed<String>,
    reason: Placed<String>,
}

impl Accepted {
    /// Reads a file, or the built-in one, which applies to the built-in cases.
    pub(super) fn take(
        file: Option<&Path>,
        cases: &[&Case],
        catalogue: &Catalogue,
    ) -> Result<Self> {
        match file {
            None => {
                let library = Library::builtin(catalogue);
                let ids: Vec<&str> = library.cards.iter().map(|card| card.id.as_str()).collect();
                Ok(Self::parse(Path::new("mutants-accepted.yaml"), MUTANTS_ACCEPTED, &ids)?)
            }
            Some(file) => {
                let text = std::fs::read_to_string(file)
                    .with_context(|| format!("cannot read {}; check the name", file.display()))?;
                let ids: Vec<&str> = cases.iter().map(|case| case.id.as_str()).collect();
                Ok(Self::parse(file, &text, &ids)?)
            }
        }
    }

    fn parse(file: &Path, text: &str, cases: &[&str]) -> Result<Self, YamlError> {
        let written: Written = yaml::read(file, text)?;
        let bugs: Vec<&str> = SeededBug::all().map(SeededBug::name).collect();
        let known = |list: Vec<Entry>, names: &[&str]| {
            list.into_iter()
                .map(|entry| {
                    if !names.contains(&entry.id.value.as_str()) {
                        let what = unknown(&entry.id.value, names);
                        return Err(YamlError::new(file, entry.id.place, what));
                    }
                    if entry.reason.value.trim().is_empty() {
                        return Err(YamlError::new(
                            file,
                            entry.reason.place,
                            "the reason is empty; say why",
                        ));
                    }
                    Ok((entry.id.value, entry.reason.value))
                })
                .collect::<Result<Vec<_>, _>>()
        };
        Ok(Self { survivors: known(written.survivors, &bugs)?, idle: known(written.idle, cases)? })
    }

    /// Returns why a bug may survive.
    pub(super) fn survivor(&self, bug: SeededBug) -> Option<&str> {
        let name = bug.name();
        self.survivors.iter().find(|(id, _)| id == name).map(|(_, reason)| reason.as_str())
    }
}

/// The outcome of a bug's trial.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum BugOutcome {
    Killed,
    /// It is killed, but by no case that covers the requirement that it breaks.
    KilledByOthers,
    /// No case kills it, and there is a reason.
    Accepted(String),
    /// No case kills it.
    Survives,
    /// It could not be tried, for this reason.
    Untried(String),
}

#[derive(Debug)]
pub(super) struct Matrix {
    /// The result of each bug, in the order of their table.
    pub(super) rows: Vec<(BugResult, BugOutcome)>,
    /// A bug, a case that claims to kill it but does not, and the case's effect instead.
    pub(super) unkept: Vec<(SeededBug, String, CaseEffect)>,
    /// Cases that kill no bug; empty if not all bugs were tried.
    pub(super) idle: Vec<String>,
    /// Accepted ids that need no acceptance.
    pub(super) needless: Vec<String>,
}

impl Matrix {
    /// Creates the matrix of these trials; `whole` if every bug was tried.
    pub(super) fn new(
        trials: Vec<BugResult>,
        cases: &[&Case],
        accepted: &Accepted,
        catalogue: &Catalogue,
        whole: bool,
    ) -> Self {
        let covers = |case: &str, bug: SeededBug| {
            let id = bug.row().requirement;
            let same = catalogue.find(id).map(|it| it.same_as.clone()).unwrap_or_default();
            let case = cases.iter().find(|it| it.id == case);
            case.is_some_and(|case| case.covers.iter().any(|it| *it == id || same.contains(it)))
        };
        let mut rows = Vec::new();
        let (mut unkept, mut needless) = (Vec::new(), Vec::new());
        for trial in trials {
            let bug = trial.bug;
            let mut killers = trial.effects.iter().filter(|(_, says)| says.kills()).peekable();
            let killed = killers.peek().is_some();
            let fate = match &trial.broken {
                Some(why) => BugOutcome::Untried(why.clone()),
                // Its requirement has cases, which kill the bug without the condition.
                None if killed && bug.row().condition.is_some() => BugOutcome::Killed,
                None if killers.any(|(case, _)| covers(case, bug)) => BugOutcome::Killed,
                None if killed => BugOutcome::KilledByOthers,
                None => match accepted.survivor(bug) {
                    Some(reason) => BugOutcome::Accepted(reason.to_owned()),
                    None => BugOutcome::Survives,
                },
            };
            if killed && accepted.survivor(bug).is_some() {
                needless.push(format!("{}: a case kills it", bug.row().name));
            }
            let always = bug.row().condition.is_none();
            let broken = trial.effects.iter().filter(|(_, says)| always && !says.kills());
            unkept.extend(broken.map(|(case, says)| (bug, case.clone(), says.clone())));
            rows.push((trial, fate));
        }
        let kills = |case: &str| {
            rows.iter().any(|(trial, _)| trial.effects.get(case).is_some_and(CaseEffect::kills))
        };
        let mut idle = Vec::new();
        for case in cases.iter().filter(|_| whole) {
            let excused = accepted.idle.iter().any(|(id, _)| *id == case.id);
            match (kills(&case.id), excused) {
                (false, false) => idle.push(case.id.clone()),
                (true, true) => needless.push(format!("{}: it kills a bug", case.id)),
                _ => {}
            }
        }
        Self { rows, unkept, idle, needless }
    }

    pub(super) fn count(&self, of: impl Fn(&BugOutcome) -> bool) -> usize {
        self.rows.iter().filter(|(_, fate)| of(fate)).count()
    }

    pub(super) fn in_order(&self) -> bool {
        self.count(|fate| !matches!(fate, BugOutcome::Killed | BugOutcome::Accepted(_))) == 0
            && self.unkept.is_empty()
            && self.idle.is_empty()
            && self.needless.is_empty()
    }
}

impl BugOutcome {
    fn word(&self) -> &'static str {
        match self {
            Self::Killed => "killed",
            Self::KilledByOthers => "killed by others",
            Self::Accepted(_) => "accepted",
            Self::Survives => "survives",
            Self::Untried(_) => "not tried",
        }
    }

    /// Returns why it is accepted, or could not be tried.
    fn why(&self) -> Option<&str> {
        match self {
            Self::Accepted(why) | Self::Untried(why) => Some(why),
            _ => None,
        }
    }

    fn style(&self) -> Style {
        match self {
            Self::Killed => Style::new().green(),
            Self::Accepted(_) => Style::new().dimmed(),
            Self::KilledByOthers => Style::new().yellow(),
            Self::Survives | Self::Untried(_) => Style::new().red().bold(),
        }
    }
}

impl CaseEffect {
    fn describe(&self) -> &str {
        match self {
            Self::Fails(..) => "it fails",
            Self::Strict(..) => "it fails only with --strict",
            Self::Nothing => "it passes",
            Self::Cannot(why) => why,
        }
    }
}

pub(super) fn text(matrix: &Matrix, look: Look, out: &mut dyn Write) -> io::Result<()> {
    let columns = [
        Column::left("bug", 0),
        Column::left("breaks", 1),
        Column::left("", 0),
        Column::left("by", 2),
    ];
    let mut table = Table::new(0, columns);
    for row in &matrix.rows {
        let [name, breaks, fate, by] = words(row);
        let fate = Cell::styled(fate, row.1.style());
        table.push(vec![name.into(), breaks.into(), fate, by.into()]);
    }
    table.print(look, out)?;
    let list = |title: &str, lines: Vec<String>, out: &mut dyn Write| -> io::Result<()> {
        if lines.is_empty() {
            return Ok(());
        }
        writeln!(out, "\n{}", look.heading(title))?;
        lines.iter().try_for_each(|line| writeln!(out, "  {line}"))
    };
    let survivors = matrix.rows.iter().filter(|(_, fate)| *fate == BugOutcome::Survives);
    let survivors = survivors.map(|(trial, _)| {
        let row = trial.bug.row();
        format!("{} ({}): {}", row.name, row.requirement, row.does())
    });
    list("Bugs that survive", survivors.collect(), out)?;
    let strict = matrix.rows.iter().filter(|row| only_strict(row));
    let strict = strict.map(|(trial, _)| {
        let row = trial.bug.row();
        format!("{} ({}): {}", row.name, row.requirement, row.does())
    });
    list("Bugs that fail a run only with --strict", strict.collect(), out)?;
    let unkept = matrix.unkept.iter();
    let unkept = unkept.map(|(bug, case, says)| {
        format!("{case} names {}, but {}", bug.row().name, says.describe())
    });
    list("Cases that do not kill what they name", unkept.collect(), out)?;
    list("Cases that kill nothing", matrix.idle.clone(), out)?;
    list("Needlessly accepted", matrix.needless.clone(), out)?;
    writeln!(out, "\n{}", sum(matrix))
}

/// Returns a bug, the requirement that it breaks, its outcome, and what killed it or why nothing did.
fn words((trial, fate): &(BugResult, BugOutcome)) -> [String; 4] {
    let row = trial.bug.row();
    let by = fate.why().map_or_else(|| killers(trial).join(", "), str::to_owned);
    [row.name.to_string(), row.requirement.to_owned(), fate.word().to_owned(), by]
}

fn as_json(matrix: &Matrix) -> serde_json::Value {
    let rows: Vec<_> = matrix
        .rows
        .iter()
        .map(|(trial, fate)| {
            let row = trial.bug.row();
            let effect_json = |says: &CaseEffect| match says {
                CaseEffect::Fails(id, why) => {
                    json!({"verdict": "fail", "instance": id, "why": why})
                }
                CaseEffect::Strict(id, why) => {
                    json!({"verdict": "strict-only", "instance": id, "why": why})
                }
                CaseEffect::Nothing => json!({"verdict": "pass"}),
                CaseEffect::Cannot(why) => json!({"verdict": "inconclusive", "why": why}),
            };
            let cases: serde_json::Map<String, _> = trial
                .effects
                .iter()
                .map(|(case, says)| (case.clone(), effect_json(says)))
                .collect();
            json!({
                "bug": row.name, "requirement": row.requirement, "fate": fate.word(),
                "reason": fate.why(), "cases": cases,
            })
        })
        .collect();
    json!({"bugs": rows, "idle_cases": matrix.idle, "needless": matrix.needless})
}

fn killers(trial: &BugResult) -> Vec<String> {
    let killers = trial.effects.iter().filter(|(_, says)| says.kills());
    killers
        .map(|(case, says)| match says {
            CaseEffect::Strict(..) => format!("{case} (strict)"),
            _ => case.clone(),
        })
        .collect()
}

/// Whether a bug is noticed only by failures of `--strict`: a recommendation, or another code.
fn only_strict((trial, fate): &(BugResult, BugOutcome)) -> bool {
    let fails = trial.effects.values().any(|says| matches!(says, CaseEffect::Fails(..)));
    *fate == BugOutcome::Killed && !fails
}

fn sum(matrix: &Matrix) -> String {
    let mut parts = vec![format!("{} killed", matrix.count(|fate| *fate == BugOutcome::Killed))];
    let strict = matrix.rows.iter().filter(|row| only_strict(row)).count();
    if strict > 0 {
        parts[0] += &format!(" ({strict} of them only with --strict)");
    }
    let mut part = |count: usize, word: &str| {
        if count > 0 {
            parts.push(format!("{count} {word}"));
        }
    };
    part(
        matrix.count(|fate| *fate == BugOutcome::KilledByOthers),
        "killed by cases of other requirements only",
    );
    part(matrix.count(|fate| *fate == BugOutcome::Survives), "survive");
    part(matrix.count(|fate| matches!(fate, BugOutcome::Accepted(_))), "survive and are accepted");
    part(matrix.count(|fate| matches!(fate, BugOutcome::Untried(_))), "could not be tried");
    part(matrix.unkept.len(), "times a case does not kill what it names");
    part(matrix.idle.len(), "cases kill nothing");
    format!("{}: {}", counted(matrix.rows.len() as u64, "seeded bug"), parts.join(", "))
}

/// Instances of a trial that run in parallel.
const JOBS: usize = 4;

/// The effect of a bug on a case.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum CaseEffect {
    /// The case fails: the instance, and why.
    Fails(String, String),
    /// The refusal has another code: the instance, and why.
    Strict(String, String),
    /// No instance distinguishes the bug from the strict peer.
    Nothing,
    /// No instance could run or decide, for this reason.
    Cannot(String),
}

impl CaseEffect {
    pub(super) fn kills(&self) -> bool {
        matches!(self, Self::Fails(..) | Self::Strict(..))
    }
}

#[derive(Debug, Clone)]
pub(super) struct BugResult {
    pub(super) bug: SeededBug,
    /// The effect on each case; only cases that name the bug, or that kill it.
    pub(super) effects: BTreeMap<String, CaseEffect>,
    pub(super) broken: Option<String>,
}

impl BugResult {
    /// Runs the cases against the reference peer with the bug; all instances of a case until one fails.
    pub(super) fn make(bug: SeededBug, cases: &[&Case], layouts: &Layouts) -> Self {
        let mut trial = Self { bug, effects: BTreeMap::new(), broken: None };
        if cases.is_empty() {
            return trial;
        }
        if let Err(error) = trial.run(cases, layouts) {
            trial.broken = Some(format!("{error:#}"));
        }
        trial
    }

    /// Adds the kills of another trial of the same bug. If this one broke, the other one counts.
    fn add(&mut self, mut again: Self) {
        if self.broken.is_some() && again.broken.is_none() {
            std::mem::swap(self, &mut again);
        }
        self.effects.extend(again.effects.into_iter().filter(|(_, says)| says.kills()));
    }

    fn run(&mut self, cases: &[&Case], layouts: &Layouts) -> anyhow::Result<()> {
        let (row, name) = (self.bug.row(), self.bug.name().to_owned());
        let switched = Switched { bugs: std::slice::from_ref(&name), ..Switched::default() };
        let aim = ResolvedTarget::reference(1, switched)?;
        let target = &aim.target;
        // A case that fails once need not be tried again.
        let options = Options { jobs: JOBS, first_failure_ends: true, ..Options::default() };
        let known = probe(target, &options)?;
        for case in cases {
            let stop = AtomicBool::new(false);
            let mut worst: Option<CaseEffect> = None;
            run_all(target, &known, layouts, &case.instances, &options, &stop, |outcome| {
                let why = outcome.reason.unwrap_or_default();
                let says = match outcome.verdict {
                    Verdict::Fail => CaseEffect::Fails(outcome.id, why),
                    Verdict::StrictOnly => CaseEffect::Strict(outcome.id, why),
                    Verdict::Inconclusive | Verdict::NotApplicable => CaseEffect::Cannot(why),
                    _ => CaseEffect::Nothing,
                };
                if worst.as_ref().is_none_or(|worst| says < *worst) {
                    worst = Some(says);
                }
            })?;
            let fails = matches!(worst, Some(CaseEffect::Fails(..)));
            self.effects.extend(worst.map(|says| (case.id.clone(), says)));
            // With a condition, one failing case that tests it is enough.
            if fails
                && row.condition.is_some()
                && case.covers.iter().any(|id| id == row.requirement)
            {
                break;
            }
        }
        let named = |case: &str| {
            let named = cases.iter().find(|it| it.id == case);
            named.is_some_and(|it| it.kills.contains(&name))
        };
        self.effects.retain(|case, says| says.kills() || named(case));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_built_in_can_be_read_and_mistakes_have_places() {
        Accepted::take(None, &[], &Catalogue::builtin().unwrap()).unwrap();
        let parse = |text: &str| Accepted::parse(Path::new("a.yaml"), text, &["mpa-crc"]);
        let accepted = parse("survivors: [{id: crc-unchecked, reason: x}]").unwrap();
        assert_eq!(accepted.survivor(SeededBug::by_name("crc-unchecked").unwrap()), Some("x"));
        for (text, expected) in [
            ("survivors: [{id: crc-uncheckd, reason: x}]", "a.yaml:1:18: `crc-uncheckd` is not"),
            ("idle: [{id: mpa, reason: x}]", "a.yaml:1:13: `mpa` is not valid here"),
            ("idle: [{id: mpa-crc, reason: ' '}]", "a.yaml:1:30: the reason is empty; say why"),
        ] {
            let error = parse(text).unwrap_err().to_string();
            assert!(error.starts_with(expected), "{error}");
        }
    }
}
