//! Folders of captures, each with what is expected of it beside it.

use super::bless;
use super::compare::{Difference, differences};
use super::expect::Expectations;
use super::expect_text::{fresh, updated};
use super::observe::{Observed, observe};
use super::report;
use crate::cli::ReplayArguments;
use crate::failure::{OutputError, ReadError};
use crate::terminal::standard_output;
use anyhow::{Context as _, Result, bail};
use indicatif::{ProgressBar, ProgressStyle};
use std::collections::BTreeMap;
use std::io::{IsTerminal as _, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// What the name of expectations ends with.
const EXPECTATIONS: &str = ".expect.yaml";
const FORMATS: [&str; 3] = [".pcap", ".pcapng", ".cap"];
const COMPRESSIONS: [&str; 4] = ["", ".gz", ".zst", ".lz4"];

/// A capture and the file that says what is expected of it; one of them may be missing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Case {
    /// The folder.
    pub(crate) folder: PathBuf,
    /// The captures of that name; one, unless something is wrong.
    pub(crate) captures: Vec<PathBuf>,
    /// The expectations, there or not.
    pub(crate) expectations: PathBuf,
}

impl Case {
    /// The name that reports give it: the capture's.
    pub(crate) fn name(&self) -> String {
        file_name(self.captures.first().unwrap_or(&self.expectations))
    }
}

/// How a case came out.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// Everything is as expected.
    Expected,
    /// Some of it is not.
    Differs(Vec<Difference>),
    /// Nothing says what is expected.
    Unexpected,
    /// The expectations were written or needed no change.
    Blessed {
        /// Whether the file was written.
        written: bool,
    },
    /// The capture or the expectations cannot be read, or do not go together.
    Broken(String),
}

/// A case, what was found, and how it came out.
#[derive(Debug)]
pub(crate) struct Record {
    pub(crate) case: Case,
    pub(crate) observed: Option<Observed>,
    pub(crate) outcome: Outcome,
    pub(crate) duration: Duration,
}

impl Record {
    /// True when nothing is left to be done about it.
    pub(crate) fn passed(&self) -> bool {
        matches!(self.outcome, Outcome::Expected | Outcome::Blessed { .. })
    }
}

/// Dissects the captures again and compares them with what is expected, or writes down what was
/// found.
///
/// # Errors
/// When there is nothing to read, or the output failed.
pub(crate) fn run(arguments: &ReplayArguments) -> Result<ExitCode> {
    let cases = find(&arguments.paths)?;
    let (mut out, coloured) = standard_output();
    let progress = progress(cases.len());
    let mut records = Vec::with_capacity(cases.len());
    for case in cases {
        progress.set_message(case.name());
        let started = Instant::now();
        let (observed, outcome) = if arguments.bless {
            progress.suspend(|| bless_one(&case, coloured, &mut *out))?
        } else {
            judge(&case)
        };
        records.push(Record { case, observed, outcome, duration: started.elapsed() });
        progress.inc(1);
    }
    progress.finish_and_clear();
    if let Some(file) = &arguments.junit {
        report::junit(&records, file)?;
    }
    report::print(&records, coloured, &mut *out).map_err(OutputError)?;
    out.flush().map_err(OutputError)?;
    let passed = records.iter().all(Record::passed);
    Ok(if passed { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

fn progress(cases: usize) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(cases as u64);
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} {msg}") {
        bar.set_style(style);
    }
    bar
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The name of a capture without its endings; none for a file that is not called like one.
fn stem(file: &str) -> Option<&str> {
    COMPRESSIONS.iter().find_map(|compression| {
        let file = file.strip_suffix(compression)?;
        FORMATS.iter().find_map(|format| file.strip_suffix(format))
    })
}

/// The cases of the paths: folders, captures and expectations.
fn find(paths: &[PathBuf]) -> Result<Vec<Case>> {
    let mut cases: BTreeMap<(PathBuf, String), Case> = BTreeMap::new();
    for path in paths {
        let before = cases.len();
        let metadata = std::fs::metadata(path)
            .with_context(|| format!("{}: cannot be read; check the name", path.display()))?;
        if !metadata.is_dir() {
            add_beside(path, &mut cases)?;
            continue;
        }
        for entry in files(path)? {
            add(path, &entry, &mut cases);
        }
        if cases.len() == before {
            bail!(
                "{}: there is no capture in it; name a folder with files that end with .pcap, \
                 .pcapng or .cap (and .gz, .zst, .lz4), or a capture",
                path.display()
            );
        }
    }
    Ok(cases.into_values().collect())
}

fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let read = || -> std::io::Result<Vec<PathBuf>> {
        let mut files = Vec::new();
        for entry in std::fs::read_dir(folder)? {
            files.push(entry?.path());
        }
        Ok(files)
    };
    read().with_context(|| format!("{}: the folder cannot be read", folder.display()))
}

/// Adds a single file, with the other half of its case that may stand beside it.
fn add_beside(path: &Path, cases: &mut BTreeMap<(PathBuf, String), Case>) -> Result<()> {
    let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new(".")).to_owned();
    let file = file_name(path);
    if let Some(name) = file.strip_suffix(EXPECTATIONS) {
        for other in files(&folder)? {
            if stem(&file_name(&other)) == Some(name) {
                add(&folder, &other, cases);
            }
        }
    }
    let name = file.strip_suffix(EXPECTATIONS).or_else(|| stem(&file)).unwrap_or(&file).to_owned();
    let case = case(&folder, &name, cases);
    if !file.ends_with(EXPECTATIONS) && !case.captures.iter().any(|known| known == path) {
        case.captures.push(path.to_owned());
    }
    Ok(())
}

/// Adds a file of a folder, if it is a capture or expectations.
fn add(folder: &Path, path: &Path, cases: &mut BTreeMap<(PathBuf, String), Case>) {
    let file = file_name(path);
    if let Some(name) = file.strip_suffix(EXPECTATIONS) {
        case(folder, name, cases);
    } else if let Some(name) = stem(&file) {
        let case = case(folder, name, cases);
        case.captures.push(path.to_owned());
        case.captures.sort();
    }
}

fn case<'c>(
    folder: &Path,
    name: &str,
    cases: &'c mut BTreeMap<(PathBuf, String), Case>,
) -> &'c mut Case {
    cases.entry((folder.to_owned(), name.to_owned())).or_insert_with(|| Case {
        folder: folder.to_owned(),
        captures: Vec::new(),
        expectations: folder.join(format!("{name}{EXPECTATIONS}")),
    })
}

/// The capture of a case, or what is wrong.
fn capture(case: &Case) -> Result<&Path, Outcome> {
    let expectations = file_name(&case.expectations);
    match &case.captures[..] {
        [capture] => Ok(capture),
        [] => Err(Outcome::Broken(format!(
            "{expectations} stands beside no capture of its name: delete or rename it"
        ))),
        [first, second, ..] => Err(Outcome::Broken(format!(
            "{} and {} would share {expectations}: rename one of them",
            file_name(first),
            file_name(second)
        ))),
    }
}

/// The text of the expectations, and what it says.
type Written = (String, Expectations);

/// The expectations as they are written; none when there is no file.
fn expectations(case: &Case) -> Result<Option<Written>, Outcome> {
    let text = match std::fs::read_to_string(&case.expectations) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => {
            return Err(Outcome::Broken(format!("{}: {error}", case.expectations.display())));
        }
    };
    match Expectations::read(&case.expectations, &text) {
        Ok(expectations) => Ok(Some((text, expectations))),
        Err(error) => Err(Outcome::Broken(error.to_string())),
    }
}

fn judge(case: &Case) -> (Option<Observed>, Outcome) {
    let judged = || -> Result<(Option<Observed>, Outcome), Outcome> {
        let path = capture(case)?;
        let (_, expectations) = expectations(case)?.unwrap_or_default();
        let observed = look(path, &expectations)?;
        if !case.expectations.exists() {
            return Ok((Some(observed), Outcome::Unexpected));
        }
        let differences = differences(&file_name(path), &expectations, &observed);
        let outcome = match differences.is_empty() {
            true => Outcome::Expected,
            false => Outcome::Differs(differences),
        };
        Ok((Some(observed), outcome))
    };
    judged().unwrap_or_else(|outcome| (None, outcome))
}

fn look(path: &Path, expectations: &Expectations) -> Result<Observed, Outcome> {
    observe(path, &expectations.options, &expectations.fields)
        .map_err(|error| Outcome::Broken(ReadError::from(error).to_string()))
}

/// Brings the expectations of a case up to date: shows what changes, then writes it. What is
/// written by hand is not touched, so that it can still differ.
fn bless_one(
    case: &Case,
    coloured: bool,
    out: &mut dyn Write,
) -> Result<(Option<Observed>, Outcome)> {
    let read = || -> Result<(&Path, Option<Written>, Observed), Outcome> {
        let path = capture(case)?;
        let old = expectations(case)?;
        let default = Expectations::default();
        let observed = look(path, old.as_ref().map_or(&default, |(_, expectations)| expectations))?;
        Ok((path, old, observed))
    };
    let (path, old, observed) = match read() {
        Ok(read) => read,
        Err(outcome) => return Ok((None, outcome)),
    };
    let name = file_name(path);
    let (text, new) = match &old {
        None => (String::new(), fresh(&name, &observed)),
        Some((text, expectations)) => (text.clone(), updated(text, expectations, &observed)),
    };
    let written = text != new;
    if written && !is_up_to_date(case, &name, &new, &observed) {
        let reason = format!(
            "{}: counts and findings cannot be replaced in this form; write the keys one a line, \
             or delete these sections",
            case.expectations.display()
        );
        return Ok((Some(observed), Outcome::Broken(reason)));
    }
    if written {
        bless::show(&case.expectations, &text, &new, coloured, out).map_err(OutputError)?;
        std::fs::write(&case.expectations, &new)
            .with_context(|| format!("{}: cannot be written", case.expectations.display()))?;
    }
    let mut left = match &old {
        None => Vec::new(),
        Some((_, expectations)) => differences(&name, expectations, &observed),
    };
    left.retain(Difference::by_hand);
    let outcome =
        if left.is_empty() { Outcome::Blessed { written } } else { Outcome::Differs(left) };
    Ok((Some(observed), outcome))
}

/// Whether a text that is to be written can be read, and differs in handwritten parts at most.
fn is_up_to_date(case: &Case, name: &str, text: &str, observed: &Observed) -> bool {
    Expectations::read(&case.expectations, text).is_ok_and(|expectations| {
        differences(name, &expectations, observed).iter().all(Difference::by_hand)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn captures_are_known_by_their_endings() {
        assert_eq!(stem("a.pcap"), Some("a"));
        assert_eq!(stem("a-v4.1.pcapng.zst"), Some("a-v4.1"));
        assert_eq!(stem("a.cap.gz"), Some("a"));
        for other in ["a.txt", "a.zst", "pcap", "a.pcap.bak"] {
            assert_eq!(stem(other), None, "{other}");
        }
    }
}
