//! The two kinds of replay.

use super::report;
use crate::cli::ReplayArguments;
use crate::decoding::{open, parse_filter};
use crate::failure::{self, OutputError, PARTLY, ReadError, report, say};
use crate::interfaces::unknown;
use crate::output::{OutputFile, failed, write_file};
use crate::parallel::{self, Jobs};
use crate::privileges::rights;
use crate::table::Look;
use crate::terminal::{Stop, bar, standard_output};
use anyhow::{Context as _, Result, anyhow, bail};
use owo_colors::Style;
use pnet_datalink::{Channel, Config, DataLinkSender};
use rustix::io::Errno;
use similar::{ChangeTag, TextDiff};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};
use warpscope_dissector::capture::{CaptureError, CaptureReader, Frame, LinkType};
use warpscope_dissector::filter::Filter;
use warpscope_dissector::pipeline::Options;
use warpscope_dissector::selection::Selection;
use warpscope_replay::{Difference, Expectations, Observed, differences, fresh, observe, updated};
use warpscope_text::counted;

pub(crate) fn run(arguments: &ReplayArguments) -> Result<ExitCode> {
    match (&arguments.onto, arguments.paths.as_slice()) {
        (None, _) => compare(arguments),
        (Some(interface), [capture]) => inject(interface, capture, arguments),
        (Some(_), _) => bail!("replay: --onto takes one capture at a time"),
    }
}

// Folders of captures, each with its file of expectations.

/// The suffix of a file of expectations.
const EXPECTATIONS: &str = ".expect.yaml";
const FORMATS: [&str; 3] = [".pcap", ".pcapng", ".cap"];
const COMPRESSIONS: [&str; 4] = ["", ".gz", ".zst", ".lz4"];

/// A capture and its file of expectations; one of them may be missing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Case {
    pub(crate) folder: PathBuf,
    /// The captures of that name; exactly one, unless something is wrong.
    pub(crate) captures: Vec<PathBuf>,
    /// The path of the expectations, which may not exist.
    pub(crate) expectations: PathBuf,
}

impl Case {
    pub(crate) fn name(&self) -> String {
        file_name(self.captures.first().unwrap_or(&self.expectations))
    }
}

#[derive(Debug)]
pub(crate) enum Outcome {
    /// Everything is as expected.
    Expected,
    /// There are differences.
    Differs(Vec<Difference>),
    /// There are no expectations.
    Unexpected,
    /// The expectations were written or needed no change.
    Blessed { written: bool },
    /// The capture or the expectations cannot be read, or do not match each other.
    Broken(String),
}

/// A case, its observed results, and the outcome.
#[derive(Debug)]
pub(crate) struct Record {
    pub(crate) case: Case,
    pub(crate) observed: Option<Observed>,
    pub(crate) outcome: Outcome,
    pub(crate) duration: Duration,
}

impl Record {
    /// Whether the case passed; `required` tells whether there must be expectations.
    pub(crate) fn passed(&self, required: bool) -> bool {
        match self.outcome {
            Outcome::Expected | Outcome::Blessed { .. } => true,
            Outcome::Unexpected => !required,
            Outcome::Differs(_) | Outcome::Broken(_) => false,
        }
    }
}

/// Dissects the captures again and compares the results with the expectations, or records the results
/// as expectations.
pub(crate) fn compare(arguments: &ReplayArguments) -> Result<ExitCode> {
    let cases = find(&arguments.paths)?;
    let inputs: Vec<&PathBuf> = cases.iter().flat_map(|case| &case.captures).collect();
    let junit = arguments.junit.as_deref().map(|file| {
        OutputFile::create(file, &inputs, arguments.existing.force).map(|output| (file, output))
    });
    let junit = junit.transpose()?;
    let required = arguments.require_expectations;
    let (mut out, look) = standard_output();
    let progress = bar(cases.len() as u64, "{bar:40} {pos}/{len} {msg}");
    let mut records = Vec::with_capacity(cases.len());
    let mut take = |case: &Case, (observed, outcome), duration| {
        records.push(Record { case: case.clone(), observed, outcome, duration });
        progress.set_message(case.name());
        progress.inc(1);
    };
    if arguments.bless {
        for case in &cases {
            let began = Instant::now();
            let blessed = progress.suspend(|| bless_one(case, look, &mut *out))?;
            take(case, blessed, began.elapsed());
        }
    } else {
        let judged = |case: &Case, _| {
            let began = Instant::now();
            (judge(case), began.elapsed())
        };
        parallel::files(&cases, Jobs::new(arguments.jobs.jobs), judged, |all| {
            all.zip(&cases).for_each(|((judged, duration), case)| take(case, judged, duration));
        });
    }
    progress.finish_and_clear();
    if let Some((name, (output, mut file))) = junit {
        let text = report::junit(&records, required)?;
        file.write_all(text.as_bytes()).map_err(|error| failed(name, error))?;
        output.keep()?;
    }
    let printed = report::print(&records, required, look, &mut *out).and_then(|()| out.flush());
    let printed = printed.map(|()| ExitCode::SUCCESS).map_err(|error| OutputError(error).into());
    let passed = records.iter().all(|record| record.passed(required));
    failure::printed(printed, u8::from(!passed))
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Returns the name of a capture without its extensions; none if the name is not that of a capture.
fn stem(file: &str) -> Option<&str> {
    COMPRESSIONS.iter().find_map(|compression| {
        let file = file.strip_suffix(compression)?;
        FORMATS.iter().find_map(|format| file.strip_suffix(format))
    })
}

/// Finds the cases in the paths: folders, captures and expectations.
fn find(paths: &[PathBuf]) -> Result<Vec<Case>> {
    let mut cases = Cases::new();
    for path in paths {
        let before = cases.len();
        let metadata = std::fs::metadata(path)
            .with_context(|| format!("{}: cannot be read; check the name", path.display()))?;
        if !metadata.is_dir() {
            add_single(path, &mut cases)?;
            continue;
        }
        let mut folders = vec![path.clone()];
        while let Some(folder) = folders.pop() {
            for entry in files(&folder)? {
                if entry.is_dir() && !entry.is_symlink() {
                    folders.push(entry);
                } else if let Some(name) = case_name(&file_name(&entry)).filter(|_| entry.is_file())
                {
                    add(&folder, &entry, name, &mut cases);
                }
            }
        }
        if cases.len() == before {
            bail!(
                "{}: the folder and its subfolders have no capture; name a capture, or a folder \
                 with files that end in .pcap, .pcapng or .cap (and .gz, .zst, .lz4)",
                path.display()
            );
        }
    }
    Ok(cases.into_values().collect())
}

/// The cases by folder and name.
type Cases = BTreeMap<(PathBuf, String), Case>;

/// Returns the name of a file's case; none if it is neither a capture nor expectations.
fn case_name(file: &str) -> Option<&str> {
    file.strip_suffix(EXPECTATIONS).or_else(|| stem(file))
}

fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    std::fs::read_dir(folder)
        .and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect())
        .with_context(|| format!("{}: the folder cannot be read", folder.display()))
}

/// Adds a single file, with the other file of its case if that exists next to it.
fn add_single(path: &Path, cases: &mut Cases) -> Result<()> {
    let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    let file = file_name(path);
    let name = case_name(&file).unwrap_or(&file);
    if file.ends_with(EXPECTATIONS) {
        for other in files(folder)? {
            if stem(&file_name(&other)) == Some(name) {
                add(folder, &other, name, cases);
            }
        }
    }
    add(folder, path, name, cases);
    Ok(())
}

/// Adds a file to its case.
fn add(folder: &Path, path: &Path, name: &str, cases: &mut Cases) {
    let case = cases.entry((folder.to_owned(), name.to_owned())).or_insert_with(|| Case {
        folder: folder.to_owned(),
        captures: Vec::new(),
        expectations: folder.join(format!("{name}{EXPECTATIONS}")),
    });
    let is_capture = !file_name(path).ends_with(EXPECTATIONS);
    // All are in one folder, which may be named in two ways.
    if is_capture && !case.captures.iter().any(|known| known.file_name() == path.file_name()) {
        case.captures.push(path.to_owned());
        case.captures.sort();
    }
}

/// Returns the capture of a case, or the problem.
fn capture(case: &Case) -> Result<&Path, Outcome> {
    let expectations = file_name(&case.expectations);
    match &case.captures[..] {
        [capture] => Ok(capture),
        [] => Err(Outcome::Broken(format!(
            "{expectations} has no capture of its name beside it: delete or rename it"
        ))),
        [first, second, ..] => Err(Outcome::Broken(format!(
            "{} and {} would share {expectations}: rename one of them",
            file_name(first),
            file_name(second)
        ))),
    }
}

/// The text of the expectations, and its parsed content.
type Written = (String, Expectations);

/// Reads the expectations; returns none if there is no file.
fn expectations(case: &Case) -> Result<Option<Written>, Outcome> {
    let text = match crate::input::read_text(&case.expectations) {
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
        let observed = dissected(path, &expectations)?;
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

fn dissected(path: &Path, expectations: &Expectations) -> Result<Observed, Outcome> {
    open(path)
        .and_then(|(reader, _)| observe(reader, &expectations.options, &expectations.fields))
        .map_err(|error| Outcome::Broken(ReadError::from(error).to_string()))
}

/// Updates the expectations of a case: shows the changes, then writes them. Handwritten parts are
/// not changed, so they can still differ.
fn bless_one(case: &Case, look: Look, out: &mut dyn Write) -> Result<(Option<Observed>, Outcome)> {
    let read = || -> Result<(&Path, Option<Written>, Observed), Outcome> {
        let path = capture(case)?;
        let old = expectations(case)?;
        let default = Expectations::default();
        let observed =
            dissected(path, old.as_ref().map_or(&default, |(_, expectations)| expectations))?;
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
    let old_parts = old.as_ref().map(|(_, expectations)| expectations);
    if written && !is_up_to_date(case, &name, &new, old_parts, &observed) {
        let reason = format!(
            "{}: counts and findings cannot be replaced in this form; write one key per line, or \
             delete these sections",
            case.expectations.display()
        );
        return Ok((Some(observed), Outcome::Broken(reason)));
    }
    if written {
        show(&case.expectations, &text, &new, look, out).map_err(OutputError)?;
        write_file(&case.expectations, &[path], true, |out| out.write_all(new.as_bytes()))?;
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

/// Whether the new text can be read, has the handwritten parts of the old one, and what was observed
/// differs at most from these.
fn is_up_to_date(
    case: &Case,
    name: &str,
    text: &str,
    old: Option<&Expectations>,
    observed: &Observed,
) -> bool {
    Expectations::read(&case.expectations, text).is_ok_and(|expectations| {
        old.is_none_or(|old| expectations.same_by_hand(old))
            && differences(name, &expectations, observed).iter().all(Difference::by_hand)
    })
}

// The time at which a frame is due.

/// Converts a capture's timestamps to send times.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pace {
    /// The multiple of the recorded speed; none for no pauses.
    factor: Option<f64>,
    /// When the first frame with a timestamp was sent, and that timestamp in nanoseconds.
    start: Option<(Instant, i64)>,
}

impl Pace {
    pub(super) fn new(factor: Option<f64>) -> Self {
        Self { factor, start: None }
    }

    /// Returns when a frame with this timestamp is due; none for at once, as for frames before the first.
    pub(super) fn due(&mut self, time: Option<i64>, now: Instant) -> Option<Instant> {
        let (factor, time) = (self.factor?, time?);
        let (start, first) = *self.start.get_or_insert((now, time));
        let nanoseconds = u64::try_from(time.saturating_sub(first)).ok()?;
        let pause = Duration::from_nanos(nanoseconds).as_secs_f64() / factor;
        // An overlong pause ends with the program.
        let pause = Duration::try_from_secs_f64(pause).unwrap_or(Duration::MAX);
        Some(
            start
                .checked_add(pause)
                .unwrap_or_else(|| start + Duration::from_secs(u32::MAX.into())),
        )
    }
}

// Sends a capture's frames onto a link.

/// The longest sleep before checking whether to stop.
const NAP: Duration = Duration::from_millis(100);
/// How long to wait if the link accepts no more frames.
const FULL: Duration = Duration::from_millis(1);
/// How long a frame may wait for a link that accepts none.
const PATIENCE: Duration = Duration::from_secs(1);

/// Sends the frames that pass the filter.
pub(super) fn inject(
    interface: &str,
    capture: &Path,
    arguments: &ReplayArguments,
) -> Result<ExitCode> {
    let filter = arguments.filter.as_deref().map(|text| parse_filter(text, "-Y")).transpose()?;
    let from_standard_input = capture.as_os_str() == "-";
    if from_standard_input && arguments.times > 1 {
        bail!("--loop: standard input can be read only once; use a file");
    }
    // Open the capture first: without it the link is not needed.
    let (mut reader, _) = open(capture).map_err(ReadError::from)?;
    let stop = Stop::on_signals()?;
    let mut replay = Replay {
        sender: sender(interface)?,
        interface,
        stop,
        factor: (!arguments.full_speed).then_some(arguments.speed),
        filter: filter.as_ref(),
        sent: Sent::default(),
    };
    let begun = Instant::now();
    let mut outcome = replay.once(&mut reader);
    for _ in 1..arguments.times {
        if outcome.is_err() || replay.stop.asked() {
            break;
        }
        outcome = open(capture)
            .map_err(|error| ReadError::from(error).into())
            .and_then(|(mut reader, _)| replay.once(&mut reader));
    }
    if replay.sent.frames > 0 || outcome.is_ok() {
        say!("{}", replay.sent.describe(interface, begun.elapsed()));
    }
    match outcome {
        Err(error) if replay.sent.frames > 0 => {
            report(&error);
            Ok(ExitCode::from(PARTLY))
        }
        outcome => outcome.map(|()| ExitCode::SUCCESS),
    }
}

fn sender(name: &str) -> Result<Box<dyn DataLinkSender>> {
    let interfaces = pnet_datalink::interfaces();
    let Some(interface) = interfaces.iter().find(|interface| interface.name == name) else {
        let names: Vec<String> = interfaces.into_iter().map(|interface| interface.name).collect();
        bail!(unknown("--onto", name, &names));
    };
    let config = Config { write_timeout: Some(PATIENCE), promiscuous: false, ..Config::default() };
    match pnet_datalink::channel(interface, config) {
        Ok(Channel::Ethernet(sender, _)) => Ok(sender),
        Ok(_) => Err(anyhow!(
            "--onto {name}: this interface does not accept Ethernet frames; choose another"
        )),
        Err(error) if error.kind() == ErrorKind::PermissionDenied => {
            Err(anyhow!("--onto {name}: {error}; {}", rights(false)))
        }
        Err(error) => Err(anyhow!("--onto {name}: {error}; check that it is up (`ip link`)")),
    }
}

#[derive(Debug, Default)]
struct Sent {
    frames: u64,
    bytes: u64,
    /// Frames that are truncated in the capture.
    cut: u64,
    left_out: u64,
}

impl Sent {
    fn describe(&self, interface: &str, time: Duration) -> String {
        let mut text = format!(
            "{} ({}) sent onto {interface} in {:.3} s\n",
            counted(self.frames, "frame"),
            counted(self.bytes, "byte"),
            time.as_secs_f64()
        );
        if self.left_out > 0 {
            let _ = writeln!(text, "{} left out by the filter", counted(self.left_out, "frame"));
        }
        if self.cut > 0 {
            let _ = writeln!(text, "{} sent cut short, as captured", counted(self.cut, "frame"));
        }
        text
    }
}

/// A capture that is being sent onto a link.
struct Replay<'a> {
    sender: Box<dyn DataLinkSender>,
    interface: &'a str,
    stop: Stop,
    factor: Option<f64>,
    filter: Option<&'a Filter>,
    sent: Sent,
}

impl Replay<'_> {
    fn once(&mut self, reader: &mut CaptureReader) -> Result<()> {
        let mut pace = Pace::new(self.factor);
        let new = |filter: &Filter| Selection::new(filter.clone(), Options::default());
        let mut selection = self.filter.map(new);
        let names_interfaces = reader.names_interfaces();
        loop {
            let described = match reader.next_described() {
                Ok(Some(described)) => described,
                // Ctrl-C ends a replay; the number of sent frames is still reported.
                Ok(None) | Err(CaptureError::Stopped { .. }) => return Ok(()),
                Err(error) => return Err(ReadError::from(error).into()),
            };
            let selection = selection.as_mut();
            if selection.is_some_and(|it| !it.passes(&described, names_interfaces)) {
                self.sent.left_out += 1;
                continue;
            }
            let frame = &described.frame;
            if let Some(due) = pace.due(frame.time, Instant::now()) {
                self.wait(due);
            }
            if self.stop.asked() {
                return Ok(());
            }
            self.send(frame)?;
        }
    }

    /// Sleeps until `due`, or until the user asks to stop.
    fn wait(&self, due: Instant) {
        loop {
            let left = due.saturating_duration_since(Instant::now());
            if left.is_zero() || self.stop.asked() {
                return;
            }
            std::thread::sleep(left.min(NAP));
        }
    }

    fn send(&mut self, frame: &Frame<'_>) -> Result<()> {
        let Frame { number, link_type, bytes, .. } = *frame;
        if link_type != LinkType::ETHERNET {
            bail!(
                "frame {number}: its link type is {}, and only Ethernet frames (1) can be sent \
                 onto a link; leave it out with -Y",
                link_type.0
            );
        }
        while let Err(error) = self.sender.send_to(bytes, None).unwrap_or(Ok(())) {
            let full = Errno::from_io_error(&error) == Some(Errno::NOBUFS);
            if !full && !matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) {
                return Err(self.refused(frame, &error));
            }
            if self.stop.asked() {
                return Ok(());
            }
            std::thread::sleep(FULL);
        }
        self.sent.frames += 1;
        self.sent.bytes += bytes.len() as u64;
        self.sent.cut += u64::from((bytes.len() as u64) < u64::from(frame.original_length));
        Ok(())
    }

    /// Describes why a frame could not be sent, with advice.
    fn refused(&self, frame: &Frame<'_>, error: &io::Error) -> anyhow::Error {
        let (name, length) = (self.interface, frame.bytes.len());
        let advice = match Errno::from_io_error(error) {
            Some(Errno::MSGSIZE) => format!(
                "it has {length} bytes, more than the link accepts: use `ip link set {name} mtu \
                 65535` if the interface supports it, or leave long frames out with -Y 'frame.len \
                 <= 1514'"
            ),
            Some(Errno::NETDOWN) => format!("`ip link set {name} up` brings the interface up"),
            Some(Errno::INVAL) => {
                "the link does not accept its bytes as a frame; leave it out with -Y".into()
            }
            _ => format!("check the interface {name} (`ip link`)"),
        };
        anyhow!("frame {} could not be sent onto {name}: {error}; {advice}", frame.number)
    }
}

// Writes expectations, after showing the changes.

/// The number of unchanged lines shown around a change.
const CONTEXT: usize = 2;

/// Shows how the text of a file changes.
pub(crate) fn show(
    file: &Path,
    old: &str,
    new: &str,
    look: Look,
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(out, "{}{}", file.display(), if old.is_empty() { " (new)" } else { "" })?;
    let diff = TextDiff::from_lines(old, new);
    for (index, group) in diff.grouped_ops(CONTEXT).iter().enumerate() {
        if index > 0 {
            writeln!(out, "  ...")?;
        }
        for change in group.iter().flat_map(|operation| diff.iter_changes(operation)) {
            let (sign, style) = match change.tag() {
                ChangeTag::Delete => ("-", Style::new().red()),
                ChangeTag::Insert => ("+", Style::new().green()),
                ChangeTag::Equal => (" ", Style::new()),
            };
            let line = format!("{sign} {}", change.value().trim_end_matches('\n'));
            writeln!(out, "  {}", look.styled(line.trim_end(), style))?;
        }
    }
    writeln!(out)?;
    out.flush()
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

    #[test]
    fn pauses_are_those_of_the_capture_divided_by_the_speed() {
        let start = Instant::now();
        let later = start + Duration::from_secs(9);
        let mut pace = Pace::new(Some(2.0));
        assert_eq!(pace.due(Some(5_000_000_000), start), Some(start));
        let due = |pace: &mut Pace, time| pace.due(Some(time), later).unwrap() - start;
        assert_eq!(due(&mut pace, 6_000_000_000), Duration::from_millis(500));
        assert_eq!(due(&mut pace, 5_500_000_000), Duration::from_millis(250));
        assert_eq!(pace.due(Some(4_000_000_000), later), None, "before the first");
        assert_eq!(pace.due(None, later), None, "a frame without a time");
    }

    #[test]
    fn full_speed_makes_no_pauses() {
        let mut pace = Pace::new(None);
        assert_eq!(pace.due(Some(1), Instant::now()), None);
        assert_eq!(pace.due(Some(i64::MAX), Instant::now()), None);
    }
}
