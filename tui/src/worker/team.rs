//! The threads, and how they are reached.

use super::command::Command;
use super::{dissect, ladder, reading, scan, source::Source};
use crate::event::{Effect, Event, ScanKind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};
use warpscope_dissector::pipeline::Options;

/// Where workers put what they have to tell.
#[derive(Debug, Clone)]
pub(super) struct Outbox {
    stop: Arc<AtomicBool>,
    events: EventSender,
    workers: Vec<Sender<Command>>,
}

/// Hands events to whoever waits for them.
#[derive(Clone)]
pub(super) struct EventSender(Arc<dyn Fn(Event) + Send + Sync>);

impl std::fmt::Debug for EventSender {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("EventSender")
    }
}

impl Outbox {
    /// True when the session is over.
    pub(super) fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Tells the state something.
    pub(super) fn event(&self, event: Event) {
        (self.events.0)(event);
    }

    /// Tells the other workers something; one that has gone does not matter.
    pub(super) fn command(&self, command: &Command) {
        for worker in &self.workers {
            let _ = worker.send(command.clone());
        }
    }
}

/// The workers of a session. They are told to stop when this is dropped.
#[derive(Debug)]
pub struct Team {
    stop: Arc<AtomicBool>,
    dissect: Sender<Command>,
    filter: Sender<Command>,
    search: Sender<Command>,
    ladder: Sender<Command>,
    threads: Vec<JoinHandle<()>>,
}

/// Starts the workers; `tell` is called with what they have to tell, from any thread.
///
/// # Errors
/// When the system gives no threads.
pub fn start(
    source: Source,
    options: Options,
    tell: impl Fn(Event) + Send + Sync + 'static,
) -> std::io::Result<Team> {
    let stop = Arc::new(AtomicBool::new(false));
    let events = EventSender(Arc::new(tell));
    let (dissect, dissect_commands) = channel();
    let (filter, filter_commands) = channel();
    let (search, search_commands) = channel();
    let (ladder, ladder_commands) = channel();
    let workers = vec![dissect.clone(), filter.clone(), search.clone(), ladder.clone()];
    let quiet = Outbox { stop: stop.clone(), events: events.clone(), workers: Vec::new() };
    let out = Outbox { stop: stop.clone(), events, workers };
    let spawn = |name: &str, run: Box<dyn FnOnce() + Send>| {
        thread::Builder::new().name(name.to_owned()).spawn(run)
    };
    let mut threads = Vec::new();
    let mut add = |name: &str, commands: Receiver<Command>, work: Work| {
        let (out, options) = (quiet.clone(), options.clone());
        spawn(name, Box::new(move || work(commands, options, &out))).map(|it| threads.push(it))
    };
    add("dissect", dissect_commands, dissect::run)?;
    add("filter", filter_commands, |commands, options, out| {
        scan::run(ScanKind::Filter, commands, options, out);
    })?;
    add("search", search_commands, |commands, options, out| {
        scan::run(ScanKind::Search, commands, options, out);
    })?;
    add("ladder", ladder_commands, ladder::run)?;
    threads.push(spawn("index", Box::new(move || reading::run(source, options, &out)))?);
    Ok(Team { stop, dissect, filter, search, ladder, threads })
}

/// What a worker does with its commands.
type Work = fn(Receiver<Command>, Options, &Outbox);

impl Team {
    /// Does what the state asks of workers; hands back what it asks of others.
    pub fn take(&self, effect: Effect) -> Option<Effect> {
        let (worker, command) = match effect {
            Effect::Lines(asked) => (&self.dissect, Command::Lines(asked)),
            Effect::Tree(frame) => (&self.dissect, Command::Tree(frame)),
            Effect::Scan(ScanKind::Filter, question, wanted) => {
                (&self.filter, Command::Scan(question, wanted))
            }
            Effect::Scan(ScanKind::Search, question, wanted) => {
                (&self.search, Command::Scan(question, wanted))
            }
            Effect::SaveFrames { name, frames } => (&self.ladder, Command::Write(name, frames)),
            Effect::Ladder(flow) => (&self.ladder, Command::Ladder(flow)),
            other => return Some(other),
        };
        // A worker that has gone answers nothing, and the session is at its end.
        let _ = worker.send(command);
        None
    }
}

impl Drop for Team {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        for worker in [&self.dissect, &self.filter, &self.search, &self.ladder] {
            let _ = worker.send(Command::Stop);
        }
        for thread in self.threads.drain(..) {
            // A reader may wait for standard input; nobody waits for it.
            if thread.is_finished() {
                let _ = thread.join();
            }
        }
    }
}
