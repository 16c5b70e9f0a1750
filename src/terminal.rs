//! Standard output: buffered for a file or pipe, coloured for a terminal.

use crate::failure::OutputError;
use crate::table::Look;
use anstream::{AutoStream, ColorChoice};
use anyhow::{Context as _, Result};
use indicatif::{ProgressBar, ProgressStyle};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufWriter, IsTerminal as _, Read, Write, stderr, stdout};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

/// Bytes that are collected before they are written to a file or pipe.
const BUFFER: usize = 1 << 17;

/// Returns standard output and its look: plain and of unlimited width if it is not a terminal.
pub(crate) fn standard_output() -> (Box<dyn Write>, Look) {
    let stdout = stdout();
    let choice = AutoStream::choice(&stdout);
    let width = terminal_size::terminal_size_of(&stdout).map(|(width, _)| usize::from(width.0));
    let width = width.filter(|width| *width > 0);
    if stdout.is_terminal() {
        let coloured = choice != ColorChoice::Never;
        (Box::new(AutoStream::new(stdout.lock(), choice)), Look { coloured, width })
    } else {
        let out = BufWriter::with_capacity(BUFFER, stdout.lock());
        (Box::new(out), Look { coloured: false, width })
    }
}

/// Prints the whole output of a command on standard output.
pub(crate) fn print(
    write: impl FnOnce(&mut dyn Write, Look) -> io::Result<()>,
) -> Result<ExitCode> {
    let (mut out, look) = standard_output();
    write(&mut *out, look).and_then(|()| out.flush()).map_err(OutputError)?;
    Ok(ExitCode::SUCCESS)
}

// A progress bar for a user at a terminal.

/// Files below this many bytes are read too fast for a bar.
const LARGE: u64 = 64 << 20;
/// Copies of files below this many bytes are also too fast for a bar.
const LARGE_COPY: u64 = 8 << 20;
/// Frames between two updates of the position.
const INTERVAL: u64 = 4096;

/// Returns the progress bar for a file of this many bytes, for a command that may print meanwhile.
pub(crate) fn reading(bytes: Option<u64>, prints: bool) -> ProgressBar {
    let seen = !prints || !stdout().is_terminal();
    moving(bytes.filter(|bytes| seen && *bytes > LARGE))
}

/// Returns the progress bar for a copy of this many bytes.
pub(crate) fn copying(bytes: u64) -> ProgressBar {
    moving(Some(bytes).filter(|bytes| *bytes > LARGE_COPY))
}

fn moving(bytes: Option<u64>) -> ProgressBar {
    let template = "{bar:40} {bytes}/{total_bytes} {eta}";
    bytes.map_or_else(ProgressBar::hidden, |bytes| bar(bytes, template))
}

/// Updates the position from time to time.
pub(crate) fn at(bar: &ProgressBar, frame: u64, bytes: u64) {
    if frame.is_multiple_of(INTERVAL) {
        bar.set_position(bytes);
    }
}

/// Returns a bar for a user at a terminal.
pub(crate) fn bar(length: u64, template: &str) -> ProgressBar {
    if !stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(length);
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar
}

/// Maps the items, `jobs` in parallel, and returns the results in order; `what` names them behind a bar.
pub(crate) fn in_parallel<T: Sync, R: Send>(
    all: &[T],
    jobs: usize,
    what: &str,
    make: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let bar = bar(all.len() as u64, &format!("{{bar:40}} {{pos}}/{{len}} {what}  {{elapsed}}"));
    let (next, done) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(made) = all.get(number).map(&make) else { break };
                    done.lock().unwrap_or_else(PoisonError::into_inner).insert(number, made);
                    bar.inc(1);
                }
            });
        }
    });
    bar.finish_and_clear();
    done.into_inner().unwrap_or_else(PoisonError::into_inner).into_values().collect()
}

// Ctrl-C, SIGTERM and SIGHUP: the first requests a stop, the second ends the program at once.

/// Whether the user asked to stop.
#[derive(Debug, Clone, Default)]
pub(crate) struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Handles the signals from now on; all callers share the same state.
    pub(crate) fn on_signals() -> Result<Self> {
        Self::take(|stop| Ok(Arc::clone(&stop.0)))
    }

    /// As [`on_signals`](Self::on_signals), but signals close together count as one. `timeout` sends each
    /// twice, to the process and to its group, and a command that must write a report would end at once.
    pub(crate) fn on_signals_together() -> Result<Self> {
        Self::take(|stop| {
            let (stop, ends) = (stop.clone(), Arc::new(AtomicBool::new(false)));
            let raised = Arc::clone(&ends);
            std::thread::Builder::new().name("signals".to_owned()).spawn(move || {
                while !stop.asked() {
                    std::thread::sleep(TOGETHER);
                }
                std::thread::sleep(TOGETHER);
                ends.store(true, Ordering::Relaxed);
            })?;
            Ok(raised)
        })
    }

    /// Handles the signals, once: a signal that finds the second flag set ends the program at once.
    fn take(ends: impl Fn(&Self) -> Result<Arc<AtomicBool>>) -> Result<Self> {
        static TAKEN: OnceLock<Stop> = OnceLock::new();
        if let Some(taken) = TAKEN.get() {
            return Ok(taken.clone());
        }
        let stop = Self::default();
        let ends = ends(&stop)?;
        let signals = [SIGINT, SIGTERM, SIGHUP];
        for signal in signals.into_iter().filter(|it| *it != SIGHUP || !is_ignored(*it)) {
            // In this order: the first signal finds the flag unset and sets it.
            flag::register_conditional_shutdown(signal, 128 + signal, Arc::clone(&ends))
                .and_then(|_| flag::register(signal, Arc::clone(&stop.0)))
                .context("cannot handle Ctrl-C and SIGTERM")?;
        }
        Ok(TAKEN.get_or_init(|| stop).clone())
    }

    pub(crate) fn flag(&self) -> &Arc<AtomicBool> {
        &self.0
    }

    pub(crate) fn asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Whether a signal was ignored at the program's start, as with `nohup`, if the system shows that.
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    mask >> (signal - 1) & 1 == 1
}

/// Standard input or a pipe, whose reader stops waiting after the user asks to stop.
pub(crate) struct Interruptible {
    pub(crate) file: File,
    pub(crate) stop: Stop,
}

impl Read for Interruptible {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            if self.stop.asked() {
                return Err(io::Error::other("stopped as asked"));
            }
            let mut ready = [PollFd::new(&self.file, PollFlags::IN)];
            match poll(&mut ready, Some(&LOOK)) {
                Ok(0) | Err(Errno::INTR) => {}
                _ => return self.file.read(into),
            }
        }
    }
}

/// Signals within this time after the first, or twice as much, are the same request.
const TOGETHER: Duration = Duration::from_millis(300);
/// How often a waiting reader checks whether to stop.
const LOOK: Timespec = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };
/// How long a process that is asked to end may take.
const END: Duration = Duration::from_secs(30);

/// Waits for the end of standard input, and ends this process as SIGTERM does.
pub(crate) fn end_with_standard_input() {
    let _ = io::copy(&mut io::stdin().lock(), &mut io::sink());
    let _ = signal_hook::low_level::raise(SIGTERM);
    std::thread::sleep(END);
    std::process::exit(1);
}
