//! `conform variants`: tries the cases with the variants that the documents allow.

use super::cases::{Known, library, read};
use super::target::{ResolvedTarget, Switched};
use crate::cli::{ListFormat, VariantTrialsArguments};
use crate::table;
use crate::terminal::{in_parallel, print};
use anyhow::{Result, anyhow};
use rand::rngs::StdRng;
use rand::seq::{IndexedRandom as _, SliceRandom as _};
use rand::{Rng as _, SeedableRng as _};
use serde_json::json;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use warpscope_conformance::case::Instance;
use warpscope_conformance::judge::Verdict;
use warpscope_conformance::layout::Layouts;
use warpscope_conformance::run::{Options, probe, run_all};
use warpscope_peer::switch::Switch as _;
use warpscope_peer::variant::{TABLE, Variants};
use warpscope_text::counted;

/// Instances of a trial that run in parallel.
const JOBS: usize = 8;
/// The number of instances of each case for one variant.
const OF_EACH_CASE: usize = 2;
/// An instance with this many steps takes as long as a hundred others: only one of such a case is run.
const MANY_STEPS: usize = 1000;
/// The least and the most variants of a mixture.
const MIXED: [usize; 2] = [2, 6];

/// Tries the variants and mixtures of them; returns 1 if a case fails one.
pub(crate) fn run(arguments: &VariantTrialsArguments) -> Result<ExitCode> {
    let known = Known::builtin()?;
    let library = library(&arguments.cases, &known.catalogue)?;
    let cases = read(&library, &known)?;
    let instances: Vec<Instance> =
        cases.all().iter().flat_map(|case| case.instances.iter().cloned()).collect();
    let trials = trials(arguments)?;
    let results = in_parallel(&trials, arguments.jobs.into(), "trials", |trial| {
        let mut result = TrialResult::new(trial.variants);
        if let Err(error) = result.run(trial, &instances, &known.layouts) {
            result.wrong.push(("the run".to_owned(), format!("{error:#}")));
        }
        result
    });
    print(|out, look| match arguments.format {
        ListFormat::Json => {
            table::json(&results.iter().map(TrialResult::as_json).collect::<Vec<_>>(), out)
        }
        _ => text(&results, |words| look.heading(words).to_string(), out),
    })?;
    let right = results.iter().all(TrialResult::is_right);
    Ok(if right { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// A trial: a set of variants, and the instances to run with them.
struct Trial {
    variants: Variants,
    draw: Draw,
    /// The seed of the random selection.
    seed: u64,
}

/// The selection of instances.
#[derive(Clone, Copy)]
enum Draw {
    All,
    /// This number of each case.
    OfEachCase(usize),
    /// This number of all instances.
    OfAll(usize),
}

/// Returns the requested variants, each alone, and mixtures.
fn trials(arguments: &VariantTrialsArguments) -> Result<Vec<Trial>> {
    let asked: Variants = arguments
        .variants
        .join(",")
        .parse()
        .map_err(|unknown| anyhow!("{unknown}; `warpscope peer variants` lists them all"))?;
    let mut random = StdRng::seed_from_u64(arguments.seed);
    let named = !asked.is_empty();
    let mut alone: Vec<_> =
        if named { asked.iter().collect() } else { TABLE.iter().map(|row| row.variant).collect() };
    let mut mixtures = arguments.mixtures.unwrap_or(if named { 0 } else { 200 });
    if let Some(sample) = arguments.sample {
        alone.shuffle(&mut random);
        alone.truncate(sample);
        alone.sort_unstable();
        mixtures = mixtures.min(sample);
    }
    let draw = match arguments.whole || named {
        true => Draw::All,
        false => Draw::OfEachCase(OF_EACH_CASE),
    };
    let seeds: Vec<u64> = alone.iter().map(|_| random.random()).collect();
    let alone = alone.into_iter().zip(seeds);
    let alone = alone.map(|(it, seed)| Trial { variants: it.into(), draw, seed });
    let mixed = (0..mixtures).map(|_| {
        let count = random.random_range(MIXED[0]..=MIXED[1]);
        let variants = TABLE.choose_multiple(&mut random, count).map(|row| row.variant).collect();
        Trial { variants, draw: Draw::OfAll(arguments.instances), seed: random.random() }
    });
    Ok(alone.chain(mixed).collect())
}

/// The results of the cases against a peer without faults.
#[derive(Debug)]
struct TrialResult {
    variants: Variants,
    counts: BTreeMap<&'static str, usize>,
    /// Instances that fail or are inconclusive, and why.
    wrong: Vec<(String, String)>,
}

impl TrialResult {
    fn new(variants: Variants) -> Self {
        Self { variants, counts: BTreeMap::new(), wrong: Vec::new() }
    }

    fn run(&mut self, trial: &Trial, instances: &[Instance], layouts: &Layouts) -> Result<()> {
        let variants: Vec<String> = trial.variants.iter().map(|it| it.name().to_owned()).collect();
        let switched = Switched { bugs: &[], variants: &variants };
        let aim = ResolvedTarget::reference(2, switched)?;
        let options = Options { jobs: JOBS, ..Options::default() };
        let known = probe(&aim.target, &options)?;
        let mut random = StdRng::seed_from_u64(trial.seed);
        let drawn: Vec<Instance> = match trial.draw {
            Draw::All => instances.to_vec(),
            Draw::OfEachCase(count) => instances
                .chunk_by(|one, next| one.case == next.case)
                .flat_map(|of_case| {
                    let is_long = of_case.iter().any(|it| it.steps() > MANY_STEPS);
                    let count = if is_long { 1 } else { count };
                    of_case.choose_multiple(&mut random, count).cloned()
                })
                .collect(),
            Draw::OfAll(count) => instances.choose_multiple(&mut random, count).cloned().collect(),
        };
        let stop = AtomicBool::new(false);
        run_all(&aim.target, &known, layouts, &drawn, &options, &stop, |outcome| {
            let word = match outcome.verdict {
                Verdict::Fail => "fail",
                Verdict::Inconclusive => "inconclusive",
                Verdict::StrictOnly => "strict only",
                Verdict::NotApplicable => "not applicable",
                _ => "pass",
            };
            *self.counts.entry(word).or_default() += 1;
            if matches!(outcome.verdict, Verdict::Fail | Verdict::Inconclusive) {
                self.wrong.push((outcome.id, outcome.reason.unwrap_or_default()));
            }
        })?;
        self.wrong.sort();
        Ok(())
    }

    fn is_right(&self) -> bool {
        self.wrong.is_empty()
    }

    fn counted(&self) -> String {
        let counts = self.counts.iter().map(|(word, count)| format!("{count} {word}"));
        counts.collect::<Vec<_>>().join(", ")
    }

    fn as_json(&self) -> serde_json::Value {
        let variants: Vec<&str> = self.variants.iter().map(|it| it.name()).collect();
        let wrong: Vec<_> = self
            .wrong
            .iter()
            .map(|(instance, why)| json!({"instance": instance, "why": why}))
            .collect();
        json!({"variants": variants, "counts": self.counts, "wrong": wrong})
    }
}

fn text(
    results: &[TrialResult],
    heading: impl Fn(&str) -> String,
    out: &mut dyn Write,
) -> io::Result<()> {
    for result in results {
        writeln!(out, "{}: {}", heading(&result.variants.to_string()), result.counted())?;
        for (instance, why) in &result.wrong {
            writeln!(out, "  {instance}: {why}")?;
        }
    }
    let wrong = results.iter().filter(|it| !it.is_right()).count();
    let alone = results.iter().filter(|it| it.variants.iter().count() == 1).count();
    let tried = format!(
        "{} and {}",
        counted(alone as u64, "variant"),
        counted((results.len() - alone) as u64, "mixture")
    );
    match wrong {
        0 => writeln!(out, "\n{tried}: none of them fails a case"),
        wrong => {
            writeln!(out, "\n{tried}: {wrong} of them fail a case, which is a defect of the case")
        }
    }
}
