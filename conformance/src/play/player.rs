//! The state of an instance that is being played.

use super::script::CaseScript;
use super::wanted::Wanted;
use crate::case::PROCEDURES;
use crate::case::step::{Action as StepAction, Close, Connect, Step};
use crate::engine::{Part, What};
use crate::run::{Action, Closing, Play, Scene, Serve};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

/// Streams get names from here on.
const FIRST_STREAM: u32 = 0x100;

/// What waits for an expectation to be met: variables that get values.
#[derive(Debug)]
pub(super) struct Binding {
    /// The number of the expectation's action.
    pub(super) action: usize,
    /// What reads them; one for each alternative.
    pub(super) wanted: Vec<Option<Arc<Wanted>>>,
}

/// An instance that is being played.
#[derive(Debug)]
pub(super) struct Playing<'a> {
    pub(super) script: &'a CaseScript,
    /// The step that comes next.
    step: usize,
    begun: bool,
    /// Actions of the step at hand.
    pub(super) queue: VecDeque<Action>,
    /// What is done behind them, with what they brought.
    later: VecDeque<Later>,
    pub(super) numbers: BTreeMap<String, u64>,
    pub(super) bytes: BTreeMap<String, Vec<u8>>,
    streams: Vec<String>,
    /// Named sendings: the stream, and the number of the first segment.
    pub(super) sent: BTreeMap<String, (u32, usize)>,
    /// What waits to go out with what is sent next, by stream.
    pub(super) held: BTreeMap<u32, Vec<Part>>,
    pub(super) bindings: Vec<Binding>,
}

/// What is done once the actions before it are.
#[derive(Debug, Clone)]
pub(super) enum Later {
    /// The request of a requester that was started is answered.
    Reply(u32, Box<Connect>),
    /// Buffers of a stream are offered and registered.
    Buffers(u32),
    /// The ready-to-receive indication goes out.
    Ready(u32),
    /// Windows of a stream are bound; of stream 0, those of none.
    Windows(u32),
    /// The target's buffers get what is in them at first.
    Fill,
}

impl<'a> Playing<'a> {
    pub(super) fn new(script: &'a CaseScript) -> Self {
        Self {
            script,
            step: 0,
            begun: false,
            queue: VecDeque::new(),
            later: VecDeque::new(),
            numbers: BTreeMap::new(),
            bytes: BTreeMap::new(),
            streams: Vec::new(),
            sent: BTreeMap::new(),
            held: BTreeMap::new(),
            bindings: Vec::new(),
        }
    }

    /// The name that the test ULP knows a stream by.
    pub(super) fn stream(&mut self, name: &str) -> u32 {
        let at = self.streams.iter().position(|it| it == name).unwrap_or_else(|| {
            self.streams.push(name.to_owned());
            self.streams.len() - 1
        });
        FIRST_STREAM + at as u32
    }

    pub(super) fn then(&mut self, later: Later) {
        self.later.push_back(later);
    }

    fn step(&mut self, step: &Step, scene: &Scene<'_>, number: usize) -> Result<(), String> {
        let stream = self.stream(&step.stream);
        match &step.action {
            StepAction::Connect(connect) => self.connect(stream, connect, scene)?,
            StepAction::Send(send) => self.send(stream, send, scene)?,
            StepAction::Expect(expect) => self.expect(stream, expect, scene, number)?,
            StepAction::Order(record) => self.order(stream, record, scene)?,
            StepAction::Serve(record) => {
                let number = |key: &str, usual: u64| match record.number(key) {
                    Some(value) => self.number(value, stream, scene),
                    None => Ok(usual),
                };
                let serve = Serve {
                    until: record.words("until").iter().filter_map(|it| procedure(it)).collect(),
                    credits: number("credits", SERVED.0)? as u32,
                    inline: number("inline", SERVED.1)? as usize,
                    again: record.flag("again") == Some(true),
                    within: record.time("within").unwrap_or(SERVING),
                };
                self.queue.push_back(Action::Serve { stream, serve });
            }
            StepAction::Wait(time) => self.queue.push_back(Action::Wait(*time)),
            StepAction::Hear(on) => self.queue.push_back(Action::Hear { stream, on: *on }),
            StepAction::Close(close) => {
                let closing = match close {
                    Close::Half | Close::Graceful => Closing::Finish,
                    Close::Reset => Closing::Reset,
                };
                self.queue.push_back(Action::Close { stream, closing });
            }
            StepAction::Ready => self.ready_to_receive(stream, scene),
            StepAction::Set { name, value } => {
                let value = self.number(value, stream, scene)?;
                self.numbers.insert(name.clone(), value);
            }
        }
        Ok(())
    }

    /// Gives variables the values that what came has.
    fn bind(&mut self, scene: &Scene<'_>) {
        for binding in std::mem::take(&mut self.bindings) {
            let Some((stream, met)) = scene.met(binding.action) else { continue };
            let arrivals = scene.link(stream).map_or(&[][..], |link| link.arrivals());
            for (place, at) in met.arrivals.iter().enumerate() {
                let index = if met.arrivals.len() == 1 { met.alternative } else { place };
                let wanted = binding.wanted.get(index).and_then(Option::as_ref);
                let what: Option<&What> = arrivals.get(*at).map(|arrival| &arrival.what);
                if let (Some(wanted), Some(what)) = (wanted, what) {
                    wanted.bind(what, &mut self.numbers, &mut self.bytes);
                }
            }
        }
    }
}

impl Play for Playing<'_> {
    fn action(&mut self, number: usize, scene: &Scene<'_>) -> Result<Option<Action>, String> {
        self.bind(scene);
        if !self.begun {
            self.begun = true;
            self.register(scene)?;
        }
        loop {
            if let Some(action) = self.queue.pop_front() {
                return Ok(Some(action));
            }
            if let Some(later) = self.later.pop_front() {
                self.do_later(later, scene)?;
                continue;
            }
            let script = self.script;
            let Some(step) = script.instance.steps.get(self.step) else { return Ok(None) };
            self.step += 1;
            self.step(step, scene, number)
                .map_err(|why| format!("{}:{}: {why}", step.file, step.place.line))?;
        }
    }
}

/// Program and procedure of a call by its word.
fn procedure(word: &str) -> Option<(u32, u32)> {
    let number = PROCEDURES.iter().position(|it| *it == word)?;
    let first_of_mount = PROCEDURES.iter().position(|it| it.starts_with("mount_"))?;
    Some(match number.checked_sub(first_of_mount) {
        Some(number) => (MOUNT, number as u32),
        None => (NFS, number as u32),
    })
}

/// The numbers of the programs NFS and MOUNT (RFC 1813).
const NFS: u32 = 100_003;
const MOUNT: u32 = 100_005;
/// Credits that are granted, and bytes of the longest reply inline, where the case says nothing.
const SERVED: (u64, u64) = (8, 1024);
/// How long calls are answered where the case says nothing.
const SERVING: Duration = Duration::from_secs(10);
/// What an expectation has where the case says nothing.
pub(super) const USUAL: Duration = Duration::from_secs(2);
/// How long a silence lasts where the case says nothing.
pub(super) const SILENCE: Duration = Duration::from_millis(50);
