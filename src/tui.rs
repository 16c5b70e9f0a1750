//! `warpscope tui`: the terminal UI, configured from flags.

use super::cli::{LiveArguments, TuiArguments};
use super::decoding::{Decoding, TWO_FILTERS};
use super::failure::{OutputError, PARTLY, ReadError};
use super::fields::named;
use super::follow::save_ladder;
use super::input::read_report;
use super::live::LiveFeed;
use anyhow::{Context as _, Result, anyhow, bail};
use std::ffi::OsString;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;
use terminal_colorsaurus::{QueryOptions, background_color};
use warpscope_conformance::report::{Counts, InstanceResult, Run, Verdict, outline, read_json};
use warpscope_dissector::capture::{CaptureError, CaptureReader, MergedCaptures};
use warpscope_dissector::field::Field;
use warpscope_dissector::filter::Filter;
use warpscope_requirements::document_name;
use warpscope_text::{counted, escaped};
use warpscope_tui::action::Key;
use warpscope_tui::layout::View;
use warpscope_tui::look::{Look, Theme, Tone};
use warpscope_tui::session::Session;
use warpscope_tui::settings::Settings;
use warpscope_tui::snapshot;
use warpscope_tui::state::{MOST_FIELDS, RunEntry, State};
use warpscope_tui::terminal::{self, StartOptions};
use warpscope_tui::text::{TextLine, piece};
use warpscope_tui::worker::Source;

// Colours and characters, from flags and environment.

fn look(arguments: &TuiArguments) -> Result<Look> {
    let theme = match &arguments.theme {
        Some(name) => Theme::find(name).ok_or_else(|| {
            let names: Vec<&str> = Theme::ALL.iter().map(|theme| theme.name()).collect();
            anyhow!("--theme {name}: no such theme; there are {}", names.join(", "))
        })?,
        None if no_colour() || arguments.snapshot.is_some() => Theme::Plain,
        None => suited(),
    };
    Ok(Look { theme, ascii: arguments.ascii || !speaks_unicode(), few: has_few_colours() })
}

/// Whether the environment disables colours.
fn no_colour() -> bool {
    std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
}

/// How long the terminal may take to report its background. Nearly all answer at once that they do not know.
const ANSWER: Duration = Duration::from_millis(500);

/// Returns the theme for the terminal's background: from its answer (OSC 11), else from COLORFGBG, else dark.
fn suited() -> Theme {
    let mut options = QueryOptions::default();
    options.timeout = ANSWER;
    let light = match background_color(options) {
        Ok(colour) => colour.perceived_lightness() >= 0.5,
        Err(_) => std::env::var("COLORFGBG").is_ok_and(|value| is_light(&value)),
    };
    if light { Theme::Light } else { Theme::Dark }
}

/// Whether the last number of COLORFGBG, as in `0;15`, is a light colour of the 16.
fn is_light(value: &str) -> bool {
    let last = value.rsplit(';').next().and_then(|number| number.parse().ok());
    matches!(last, Some(7 | 9..=15))
}

/// Whether the terminal has only 16 colours. A terminal that does not tell is assumed to have more.
fn has_few_colours() -> bool {
    let set = |name: &str| std::env::var(name).unwrap_or_default();
    let old =
        ["linux", "xterm", "xterm-color", "xterm-16color", "screen", "rxvt", "ansi", "vt", "cons"];
    let term = set("TERM");
    let family = term.trim_end_matches(|digit: char| digit.is_ascii_digit());
    set("COLORTERM").is_empty() && (old.contains(&&*term) || old.contains(&family))
}

/// Whether the locale supports Unicode.
fn speaks_unicode() -> bool {
    let set = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let locale = set("LC_ALL").or_else(|| set("LC_CTYPE")).or_else(|| set("LANG"));
    // Without a locale, assume a modern terminal with Unicode.
    locale.is_none_or(|locale| {
        let locale = locale.to_ascii_lowercase();
        locale.contains("utf-8") || locale.contains("utf8")
    })
}

// The settings file and the UI's saved state, in the folders of the XDG base directories.

/// Returns a file in the folder that a variable names, or else in a folder of the user's home, if known.
fn file(variable: &str, otherwise: &str, name: &str) -> Option<PathBuf> {
    let set = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|it| it.is_absolute());
    let folder = set(variable).or_else(|| Some(set("HOME")?.join(otherwise)))?;
    Some(folder.join("warpscope").join(name))
}

fn settings_file() -> Option<PathBuf> {
    file("XDG_CONFIG_HOME", ".config", "config.toml")
}

/// Reads the settings file; returns the defaults if there is none.
fn settings() -> Result<Settings> {
    let Some(path) = settings_file() else { return Ok(Settings::default()) };
    let name = path.display().to_string();
    match std::fs::read_to_string(&path) {
        Ok(text) => Settings::parse(&text).map_err(|error| anyhow!("{name}, {error}")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Settings::default()),
        Err(error) => Err(error).with_context(|| format!("cannot read {name}")),
    }
}

/// `warpscope config`: prints the default settings.
pub(crate) fn print_settings() -> Result<ExitCode> {
    let place = settings_file().map_or(String::new(), |path| {
        format!("# Settings of the terminal UI, read from {}\n", path.display())
    });
    let text = place + &Settings::defaults();
    super::terminal::print(|out, _| out.write_all(text.as_bytes()))
}

fn memory() -> Option<PathBuf> {
    file("XDG_STATE_HOME", ".local/state", "tui.json")
}

/// Saves the state. Ignores errors, because only convenience is lost.
fn keep(what: &str) {
    let Some(file) = memory() else { return };
    if let Some(folder) = file.parent() {
        let _ = std::fs::create_dir_all(folder);
    }
    let _ = std::fs::write(file, what);
}

// A report of a conformance run in the UI.

fn read(path: &Path) -> Result<(String, Vec<RunEntry>)> {
    let text = read_report(path)
        .with_context(|| format!("cannot read {}: check the name", path.display()))?;
    let run = read_json(&text).with_context(|| path.display().to_string())?;
    let counts = run.counts();
    let broken =
        run.broken_off.as_ref().map_or(String::new(), |why| format!("; broken off: {why}"));
    let cases = counted(run.cases() as u64, "case");
    let title = format!("{}: {} of {cases}{broken}", run.target.name, counts.describe());
    Ok((escaped(&title), entries(&run)))
}

fn entries(run: &Run) -> Vec<RunEntry> {
    let mut entries = Vec::new();
    for document in outline(run) {
        entries.push(summed(0, document_name(document.id), &document.counts()));
        for section in &document.sections {
            let name = format!("{} {}", section.number, section.title);
            entries.push(summed(1, name, &section.counts()));
            for case in &section.cases {
                let mut entry = summed(2, case.id.to_owned(), &case.counts());
                entry.details = vec![line(Tone::Plain, case.title), line(Tone::Dim, case.level)];
                entries.push(entry);
                entries.extend(case.instances.iter().map(|instance| instance_entry(instance)));
            }
        }
    }
    entries
}

fn summed(depth: u8, name: String, counts: &Counts) -> RunEntry {
    let fails = counts.failing(false) > 0;
    let tone = match (fails, counts.of(Verdict::Pass)) {
        (true, _) => Tone::Bad,
        (false, 0) => Tone::Dim,
        (false, _) => Tone::Good,
    };
    RunEntry {
        depth,
        name: escaped(&name),
        verdict: counts.describe(),
        tone,
        fails,
        details: Vec::new(),
    }
}

fn instance_entry(instance: &InstanceResult) -> RunEntry {
    let tone = match instance.verdict {
        Verdict::Pass => Tone::Good,
        verdict if verdict.fails(false) => Tone::Bad,
        Verdict::NotApplicable => Tone::Dim,
        _ => Tone::Warn,
    };
    RunEntry {
        depth: 3,
        name: escaped(&instance.id),
        verdict: instance.verdict.describe().to_owned(),
        tone,
        fails: instance.verdict.fails(false),
        details: details(instance),
    }
}

fn line(tone: Tone, text: &str) -> TextLine {
    vec![piece(tone, escaped(text))]
}

fn details(instance: &InstanceResult) -> Vec<TextLine> {
    let mut lines = vec![line(Tone::Strong, &instance.title)];
    let mut field = |name: &str, tone, texts: &mut dyn Iterator<Item = &str>| {
        for (index, text) in texts.flat_map(str::lines).enumerate() {
            let name = if index == 0 { name } else { "" };
            lines.push(vec![piece(Tone::Dim, format!("{name:<10}")), piece(tone, escaped(text))]);
        }
    };
    let tone = if instance.verdict.fails(false) { Tone::Bad } else { Tone::Plain };
    field("why", tone, &mut instance.reason.iter().map(String::as_str));
    for requirement in &instance.covers {
        let document = document_name(&requirement.document);
        let (level, section, id) = (&requirement.level, &requirement.section, &requirement.id);
        let text = format!("{} ({level}, {document} section {section}, {id})", requirement.text);
        field("demanded", Tone::Plain, &mut [text.as_str()].into_iter());
    }
    field("sent", Tone::Plain, &mut instance.sent.iter().map(String::as_str));
    field("accepted", Tone::Plain, &mut instance.accepted.iter().map(String::as_str));
    field("came", tone, &mut instance.came.iter().map(String::as_str));
    field("see", Tone::Accent, &mut instance.link.iter().map(String::as_str));
    field("capture", Tone::Accent, &mut instance.capture.iter().map(String::as_str));
    field("again", Tone::Dim, &mut [instance.rerun.as_str()].into_iter());
    if let Some(ladder) = &instance.ladder {
        lines.push(Vec::new());
        lines.extend(ladder.text.lines().map(|text| line(Tone::Plain, text)));
    }
    lines
}

// Runs the UI, or prints one screen of it.

/// The size of a printed screen if the user gives none.
const SIZE: (u16, u16) = (100, 30);
const LARGEST: u16 = 1000;
/// The bytes of live traffic to keep if the user gives no limit.
const RING: u64 = 1 << 30;

/// Interprets the positional arguments: files, then a display filter.
fn with_words(arguments: &TuiArguments) -> Result<TuiArguments> {
    let mut arguments = arguments.clone();
    let is_file = |word: &PathBuf| word.as_os_str() == "-" || word.exists();
    let filter = arguments.files.iter().skip(1).position(|word| !is_file(word));
    let Some(at) = filter.map(|at| at + 1) else { return Ok(arguments) };
    let words: Vec<_> = arguments.files.iter().skip(at).map(|it| it.to_string_lossy()).collect();
    let text = words.join(" ");
    match Filter::parse(&text) {
        Ok(_) if arguments.filter.is_some() => {
            bail!(TWO_FILTERS)
        }
        Ok(_) => {
            arguments.filter = Some(text);
            arguments.files.truncate(at);
        }
        // A word that looks like a filter is an invalid filter; any other word is a missing file.
        Err(error) if text.contains(['=', '<', '>', '!', '&', '|', '(', ' ']) => {
            bail!("the display filter after the file: {}", error.render())
        }
        Err(_) => {}
    }
    Ok(arguments)
}

pub(crate) fn run(arguments: &TuiArguments) -> Result<ExitCode> {
    let arguments = &with_words(arguments)?;
    let mut decoding = Decoding::new(&arguments.decoding)?;
    decoding.pipeline.analysis = true;
    decoding.pipeline.by_interface = arguments.merge;
    if let Some(filter) = &arguments.filter {
        Filter::parse(filter).map_err(|error| anyhow!("-Y: {}", error.render()))?;
    }
    let columns = columns(&arguments.fields)?;
    let look = look(arguments)?;
    let name = arguments.snapshot.as_ref().or(arguments.view.as_ref());
    let mut view = name.map(|name| view_of(name)).transpose()?;
    let run = arguments.run.as_deref().map(read).transpose()?;
    if run.is_some() && view.is_none() {
        view = Some(View::Run);
    }
    if arguments.snapshot.is_some() {
        let size = arguments.size.as_deref().map_or(Ok(SIZE), size)?;
        if arguments.files.len() > 1 && !arguments.merge {
            bail!("--snapshot takes only one file");
        }
        let Some(source) = sources(arguments)?.pop() else { bail!("there is nothing to show") };
        let mut session = Session::open(source, decoding.pipeline, size, look)?;
        add(&mut session.state, &columns);
        return print(arguments, &mut session, view.unwrap_or(View::Flows), run);
    }
    // Report a missing file first.
    let sources = sources(arguments)?;
    terminal::ready()?;
    let mut settings = settings()?;
    settings.copy_command = arguments.copy_command.clone().or(settings.copy_command);
    let copy_command = settings.copy_command.clone();
    let live = sources.iter().any(|it| matches!(it, Source::Live { .. } | Source::Growing(_)));
    let prepare = |state: &mut State| {
        let (theme, ascii) = (arguments.theme.is_none(), !arguments.ascii && !look.ascii);
        let kept = memory().and_then(|file| std::fs::read_to_string(file).ok()).unwrap_or_default();
        let theme = theme && !no_colour();
        let open = (theme && settings.theme.is_none(), ascii && settings.ascii.is_none());
        state.remember(&kept, open.0, open.1);
        settings.apply(state, theme, ascii);
        state.settings_file = settings_file().map(|it| it.display().to_string());
        add(state, &columns);
        state.follow = live;
        begin(state, view, arguments.filter.as_deref(), run.clone());
    };
    let mut save = |state: &State, name: &str| -> Option<io::Result<()>> {
        let ladder = state.ladder.at_hand().filter(|_| state.view == View::Ladder)?;
        let saved = save_ladder(ladder, &state.name, name.as_ref())?;
        Some(saved.map_err(|error| io::Error::other(format!("{error:#}"))))
    };
    let wishes = StartOptions { options: decoding.pipeline, look, copy_command };
    let left = terminal::run(sources, wishes, prepare, &mut save)?;
    keep(&left.state.kept());
    if let Some(signal) = left.signal {
        terminal::end_by(signal);
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the sources of frames. Reports a source that cannot be opened before the screen starts.
fn sources(arguments: &TuiArguments) -> Result<Vec<Source>> {
    if !arguments.interfaces.is_empty() {
        let live = LiveArguments {
            interfaces: arguments.interfaces.clone(),
            list_interfaces: false,
            capture_filter: arguments.capture_filter.clone(),
            snap_length: arguments.snap_length,
            no_promiscuous: arguments.no_promiscuous,
            user: None,
            stop: Vec::new(),
            ring: Vec::new(),
        };
        let name = arguments.interfaces.join(", ");
        let ring = Some(arguments.ring.unwrap_or(RING)).filter(|bytes| *bytes > 0);
        let feed = Box::new(LiveFeed::start(&live)?);
        return Ok(vec![Source::Live { name, feed, ring }]);
    }
    if arguments.files.is_empty() {
        return Ok(vec![Source::Nothing]);
    }
    if arguments.merge {
        let names: Vec<_> = arguments.files.iter().map(|file| named_briefly(file)).collect();
        let merged = MergedCaptures::open(&arguments.files).map_err(ReadError::from)?;
        let ring = arguments.ring.filter(|bytes| *bytes > 0);
        return Ok(vec![Source::Stream {
            name: names.join(" + "),
            reader: Box::new(merged),
            ring,
        }]);
    }
    arguments.files.iter().map(|file| source(arguments, file)).collect()
}

/// Returns the name of a file without its folder.
fn named_briefly(file: &Path) -> String {
    file.file_name().unwrap_or(file.as_os_str()).to_string_lossy().into_owned()
}

fn source(arguments: &TuiArguments, file: &Path) -> Result<Source> {
    let ring = arguments.ring.filter(|bytes| *bytes > 0);
    match file {
        file if file.as_os_str() == "-" => {
            let name = "standard input".to_owned();
            Ok(Source::Stream { name, reader: Box::new(io::stdin()), ring })
        }
        // A named pipe can be opened and read only once.
        file if file.metadata().is_ok_and(|it| !it.is_file() && !it.is_dir()) => {
            let name = file.display().to_string();
            let opened = std::fs::File::open(file);
            let reader = opened.with_context(|| format!("cannot read {name}"))?;
            Ok(Source::Stream { name, reader: Box::new(reader), ring })
        }
        file if arguments.tail => match CaptureReader::open(file) {
            // An empty or incomplete file may become a capture soon.
            Ok(_) | Err(CaptureError::Empty { .. } | CaptureError::Truncated { .. }) => {
                Ok(Source::Growing(file.to_owned()))
            }
            Err(error) => Err(ReadError::from(error).into()),
        },
        file => {
            CaptureReader::open(file).map_err(ReadError::from)?;
            Ok(Source::File(file.to_owned()))
        }
    }
}

fn print(
    arguments: &TuiArguments,
    session: &mut Session,
    view: View,
    run: Option<(String, Vec<RunEntry>)>,
) -> Result<ExitCode> {
    session.settle();
    begin(&mut session.state, None, arguments.filter.as_deref(), run);
    session.run();
    session.settle();
    if session.state.view != view {
        session.state.show(view);
    }
    session.run();
    session.settle();
    for word in arguments.keys.iter().flat_map(|keys| keys.split_whitespace()) {
        let key = Key::parse(word).ok_or_else(|| {
            anyhow!("--keys: {word} is not a key; write j, Ctrl-d, PageDown, Space")
        })?;
        session.state.key(key);
        session.run();
        session.settle();
    }
    let mut out = io::stdout().lock();
    snapshot::write(session, &mut out).and_then(|()| out.flush()).map_err(OutputError)?;
    let cut = session.state.capture.progress.error.is_some();
    Ok(if cut { ExitCode::from(PARTLY) } else { ExitCode::SUCCESS })
}

/// Prepares the state before the first screen.
fn begin(
    state: &mut State,
    view: Option<View>,
    filter: Option<&str>,
    run: Option<(String, Vec<RunEntry>)>,
) {
    if let Some((title, entries)) = run {
        if state.name.is_empty() {
            state.name.clone_from(&title);
        }
        state.run.set(title, entries);
    }
    if let Some(filter) = filter {
        state.filter.editor.set(filter);
        state.enter_filter();
    }
    if let Some(view) = view {
        state.view = view;
        state.settle_cursors();
    }
}

fn columns(names: &[String]) -> Result<Vec<&'static Field>> {
    if names.len() > MOST_FIELDS {
        bail!("-e: at most {MOST_FIELDS} fields can be columns, not {}", names.len());
    }
    names.iter().map(|name| named(name)).collect()
}

/// Adds fields as columns of the messages.
fn add(state: &mut State, columns: &[&'static Field]) {
    for field in columns {
        state.messages.columns.add(field, true);
    }
    state.messages.columns.cursor = Default::default();
}

fn view_of(name: &str) -> Result<View> {
    View::find(name).ok_or_else(|| {
        let names: Vec<&str> = View::ALL.iter().map(|view| view.name()).collect();
        anyhow!("{name}: no such view; there are {}", names.join(", "))
    })
}

fn size(text: &str) -> Result<(u16, u16)> {
    let parsed = text.split_once('x').and_then(|(columns, rows)| {
        Some((columns.trim().parse().ok()?, rows.trim().parse().ok()?))
    });
    match parsed {
        Some(size @ (1..=LARGEST, 1..=LARGEST)) => Ok(size),
        _ => bail!("--size {text}: write COLUMNSxROWS, such as 80x24, each up to {LARGEST}"),
    }
}

// `warpscope FILE`: the default command.

/// The command that shows a file, and the one that has the flags of tshark.
const SHOW: &str = "tui";
const DISSECT: &str = "dissect";

/// Inserts the default command into the command line: a first word that is a file, or looks like the name of
/// one, and not a command, is shown; if there are only flags, with tshark's -r or -i among them, it is
/// dissected. So is a file with a short flag that only `dissect` has, which `prints` tells.
pub(crate) fn with_command(
    mut words: Vec<OsString>,
    is_command: impl Fn(&str) -> bool,
    prints: impl Fn(char) -> bool,
) -> Vec<OsString> {
    let Some(first) = words.get(1) else { return words };
    let text = first.to_string_lossy();
    let is_input = |word: &OsString| ["-r", "-i"].iter().any(|it| word == it);
    let is_printed = |word: &OsString| {
        let word = word.to_string_lossy();
        word.strip_prefix('-').and_then(|flags| flags.chars().next()).is_some_and(&prints)
    };
    let is_file = || text.contains(['.', '/']) || Path::new(first).is_file();
    let meant = match text.starts_with('-') {
        true => words.iter().any(is_input).then_some(DISSECT),
        false if is_command(&text) || !is_file() => None,
        false => Some(if words.iter().skip(2).any(is_printed) { DISSECT } else { SHOW }),
    };
    if let Some(command) = meant {
        words.insert(1, command.into());
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_colour_of_colorfgbg_is_the_background() {
        let light = ["0;15", "0;default;15", "0;7", "15"].map(is_light);
        assert_eq!(light, [true; 4]);
        assert_eq!(["15;0", "12;8", "7;default", "", "x"].map(is_light), [false; 5]);
    }

    #[test]
    fn a_file_is_shown_and_a_command_stays_one() {
        let line = |words: &[&str]| -> Vec<String> {
            let words = words.iter().map(OsString::from).collect();
            let meant = with_command(words, |word| word == "flows", |flag| "qVw".contains(flag));
            meant.into_iter().map(|word| word.to_string_lossy().into_owned()).collect()
        };
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
        assert_eq!(
            line(&["warpscope", file, "-Y", "mpa"]),
            ["warpscope", "tui", file, "-Y", "mpa"]
        );
        let none = ["warpscope", "nothere.pcap"];
        assert_eq!(line(&none), ["warpscope", "tui", "nothere.pcap"]);
        assert_eq!(line(&["warpscope", "flows"]), ["warpscope", "flows"]);
        assert_eq!(line(&["warpscope", "flosw"]), ["warpscope", "flosw"]);
        assert_eq!(line(&["warpscope", "--help"]), ["warpscope", "--help"]);
        let filtered = line(&["warpscope", "-Y", "mpa", "-r", "a.pcap"]);
        assert_eq!(filtered, ["warpscope", "dissect", "-Y", "mpa", "-r", "a.pcap"]);
        assert_eq!(line(&["warpscope", "flows", "-r"]), ["warpscope", "flows", "-r"]);
        let counted = line(&["warpscope", "a.pcap", "-Y", "mpa", "-qz", "io,stat,1"]);
        assert_eq!(counted[..4], ["warpscope", "dissect", "a.pcap", "-Y"]);
        let long = ["warpscope", "a.pcap", "--view", "messages"];
        assert_eq!(line(&long)[1], "tui");
        assert_eq!(line(&["warpscope"]), ["warpscope"]);
    }
}
