//! Display filters against another analyzer (tshark): for every expression of `table.tsv` the frames
//! that pass must be the same ones.
//!
//! `WARPSCOPE_CAPTURES` names a directory with more captures (`*.pcap`): the expressions are run
//! over those too. Without tshark 4.0, the counts of the table are what is compared with.

mod sides;
mod table;

use crate::prelude::*;
use sides::{Frames, Tshark, ours};
use table::{Accepted, Row, accepted, rows};

/// What one capture is asked, and what came of it.
struct Job<'a> {
    capture: String,
    path: PathBuf,
    rows: Vec<&'a Row>,
}

/// What was found wrong, and the accepted entries that were needed.
#[derive(Default)]
struct Outcome {
    wrong: Vec<String>,
    used: BTreeSet<usize>,
    compared: usize,
}

/// The captures of the repository by name.
fn captures() -> BTreeMap<String, PathBuf> {
    let paths = captures::captures(&["captures", "synthetic"]);
    paths.into_iter().map(|path| (captures::name(&path).to_owned(), path)).collect()
}

/// Runs the jobs; what was wrong with any.
fn run(jobs: &[Job<'_>], one: &(dyn Fn(&Job<'_>) -> Outcome + Sync)) -> Outcome {
    let sum = Mutex::new(Outcome::default());
    in_parallel(jobs, |job| {
        let outcome = one(job);
        let mut sum = sum.lock().unwrap();
        sum.wrong.extend(outcome.wrong);
        sum.used.extend(outcome.used);
        sum.compared += outcome.compared;
    });
    sum.into_inner().unwrap()
}

/// The jobs of the table: a capture, and the rows that name it.
fn jobs(rows: &[Row]) -> Vec<Job<'_>> {
    let captures = captures();
    let mut jobs: BTreeMap<&str, Job<'_>> = BTreeMap::new();
    for row in rows {
        for expected in &row.expected {
            let name = expected.capture.as_str();
            let path = captures.get(name).unwrap_or_else(|| panic!("there is no capture {name}"));
            let job = jobs.entry(name).or_insert_with(|| Job {
                capture: name.to_owned(),
                path: path.clone(),
                rows: Vec::new(),
            });
            job.rows.push(row);
        }
    }
    jobs.into_values().collect()
}

fn describe(only_ours: &BTreeSet<u64>, only_theirs: &BTreeSet<u64>) -> String {
    let some = |frames: &BTreeSet<u64>| {
        let first: Vec<String> = frames.iter().take(8).map(u64::to_string).collect();
        format!("{} frames ({})", frames.len(), first.join(" "))
    };
    format!("only here {}, only with tshark {}", some(only_ours), some(only_theirs))
}

impl Outcome {
    /// Takes a difference of a job's row, which an entry may accept; else `words` describe it.
    fn differs(
        &mut self,
        accepted: &[Accepted],
        (job, row): (&Job<'_>, &Row),
        (more_here, more_there): (bool, bool),
        words: String,
    ) {
        let covers = |entry: &Accepted| {
            entry.is_about(&job.capture, &row.expression)
                && (!more_here || entry.more_here)
                && (!more_there || entry.more_there)
        };
        match accepted.iter().position(covers) {
            Some(entry) => drop(self.used.insert(entry)),
            None => self.wrong.push(words),
        }
    }
}

/// The counts of the table are ours, or an accepted entry says why they are not.
fn check_counts(job: &Job<'_>, found: &[Frames], accepted: &[Accepted]) -> Outcome {
    let mut outcome = Outcome::default();
    for (row, frames) in job.rows.iter().zip(found) {
        let expected = row.of(&job.capture).unwrap();
        outcome.compared += 1;
        let place = format!("{} `{}`", job.capture, row.expression);
        if frames.len() != expected.ours {
            let (ours, table) = (frames.len(), expected.ours);
            outcome.wrong.push(format!("{place}: {ours} frames pass, the table has {table}"));
        } else if expected.ours != expected.theirs {
            let (here, there) = (expected.ours > expected.theirs, expected.ours < expected.theirs);
            let words = format!("{place}: nothing explains the difference");
            outcome.differs(accepted, (job, row), (here, there), words);
        }
    }
    outcome
}

/// The frames are tshark's, or an accepted entry says why they are not.
fn check_frames(
    job: &Job<'_>,
    found: &[Frames],
    theirs: &[Result<Frames, String>],
    accepted: &[Accepted],
) -> Outcome {
    let mut outcome = Outcome::default();
    for ((row, ours), theirs) in job.rows.iter().zip(found).zip(theirs) {
        let place = format!("{} `{}`", job.capture, row.expression);
        let theirs = match theirs {
            Ok(theirs) => theirs,
            Err(refused) => {
                outcome.wrong.push(format!("{place}: tshark says {refused}"));
                continue;
            }
        };
        outcome.compared += 1;
        if let Some(expected) = row.of(&job.capture)
            && expected.theirs != theirs.len()
        {
            let (now, table) = (theirs.len(), expected.theirs);
            outcome.wrong.push(format!("{place}: tshark passes {now}, the table has {table}"));
        }
        let only_ours: BTreeSet<u64> = ours.difference(theirs).copied().collect();
        let only_theirs: BTreeSet<u64> = theirs.difference(ours).copied().collect();
        let (here, there) = (!only_ours.is_empty(), !only_theirs.is_empty());
        if here || there {
            let words = format!("{place}: {}", describe(&only_ours, &only_theirs));
            outcome.differs(accepted, (job, row), (here, there), words);
        }
    }
    outcome
}

#[test]
fn as_many_frames_pass_as_the_table_has() {
    let (rows, accepted) = (rows(), accepted());
    let outcome =
        run(&jobs(&rows), &|job| check_counts(job, &ours(&job.path, &job.rows), &accepted));
    assert!(outcome.wrong.is_empty(), "{}", outcome.wrong.join("\n"));
    assert!(outcome.compared >= 600, "{} are few", outcome.compared);
}

#[test]
fn the_frames_that_pass_are_tsharks() {
    let Some(tshark) = Tshark::find() else { return missing("tshark", "version 4.0 with Lua") };
    let (mut rows, accepted) = (rows(), accepted());
    rows.retain(Row::is_shared);
    let outcome = run(&jobs(&rows), &|job| {
        let theirs = tshark.frames(&job.capture, &job.path, &job.rows);
        check_frames(job, &ours(&job.path, &job.rows), &theirs, &accepted)
    });
    assert!(outcome.wrong.is_empty(), "{}", outcome.wrong.join("\n"));
    let unused: Vec<&Accepted> = (0..accepted.len())
        .filter(|entry| !outcome.used.contains(entry))
        .filter_map(|entry| accepted.get(entry))
        .collect();
    assert!(unused.is_empty(), "accepted differences that do not occur: {unused:#?}");
    println!("{} pairs of an expression and a capture", outcome.compared);
}

/// Every expression over captures that the environment names, whatever rows they were written for.
#[test]
fn the_frames_that_pass_in_other_captures_are_tsharks() {
    let Some(folder) = std::env::var_os("WARPSCOPE_CAPTURES") else { return };
    let Some(tshark) = Tshark::find() else { return missing("tshark", "version 4.0 with Lua") };
    let (mut rows, accepted) = (rows(), accepted());
    rows.retain(Row::is_shared);
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut jobs: Vec<Job<'_>> = entries
        .filter(|path| path.extension().is_some_and(|end| end == "pcap"))
        .map(|path| Job {
            capture: path.file_stem().unwrap().to_string_lossy().into_owned(),
            path,
            rows: rows.iter().collect(),
        })
        .collect();
    jobs.sort_by(|one, other| one.capture.cmp(&other.capture));
    let outcome = run(&jobs, &|job| {
        let theirs = tshark.frames(&job.capture, &job.path, &job.rows);
        // The counts are of other captures with perhaps the same name.
        let mut outcome = check_frames(job, &ours(&job.path, &job.rows), &theirs, &accepted);
        outcome.wrong.retain(|line| !line.contains("the table has"));
        println!("{}: {} open", job.capture, outcome.wrong.len());
        outcome
    });
    println!("{} pairs of an expression and a capture", outcome.compared);
    assert!(outcome.wrong.is_empty(), "{}", outcome.wrong.join("\n"));
}

#[test]
fn the_expressions_discriminate() {
    let rows = rows();
    assert!(rows.len() >= 400, "{} expressions are few", rows.len());
    let mut frames: BTreeMap<String, usize> = BTreeMap::new();
    for job in jobs(&rows) {
        frames.insert(job.capture, sides::frame_count(&job.path));
    }
    let discriminating = rows.iter().filter(|row| {
        row.expected
            .iter()
            .any(|expected| expected.theirs > 0 && expected.theirs < frames[&expected.capture])
    });
    let discriminating = discriminating.count();
    assert!(
        discriminating * 10 >= rows.len() * 8,
        "{discriminating} of {} tell frames apart",
        rows.len()
    );
}
