//! Runs a live capture: from the interfaces to whoever takes the frames, and into files.

use super::Session;
use super::report;
use super::turn::{Ending, LivePacket};
use crate::cli::LiveArguments;
use crate::recording::{Destination, Limits, Next, RecordedInterface, Recorder};
use crate::stop::Stop;
use anstream::eprint;
use anyhow::Result;
use std::io::{IsTerminal as _, Write as _, stderr};
use std::process::ExitCode;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use warpscope_dissector::capture::{
    Blocks, DescribedFrame, Frame, Interface, InterfaceStatistics, LinkType, PacketToWrite,
};
use warpscope_dissector::format::counted;

/// How often what was collected is handed on, even when packets never stop coming.
const FLUSH: Duration = Duration::from_millis(500);

/// Takes a terminal's line away, what the user typed on it included.
const CLEAR_LINE: &str = "\r\u{1b}[K";

/// Some interface could not go on.
const PARTLY: u8 = 1;

/// What a live capture is asked to do.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plan<'a> {
    /// What is captured.
    pub(crate) arguments: &'a LiveArguments,
    /// The most packets (`-c`).
    pub(crate) count: Option<u64>,
    /// Where packets are written to.
    pub(crate) destination: Option<&'a Destination>,
    /// True when nothing else tells the user how far it is.
    pub(crate) shows_progress: bool,
}

/// Takes the frames of a live capture.
pub(crate) trait Taker {
    /// A frame; true when it shall be written.
    ///
    /// # Errors
    /// Its own: they end the capture.
    fn frame(&mut self, described: &DescribedFrame<'_>) -> Result<bool>;
    /// Nothing waits for now.
    ///
    /// # Errors
    /// Its own: they end the capture.
    fn idle(&mut self) -> Result<()>;
    /// The capture is over.
    ///
    /// # Errors
    /// Its own.
    fn finish(&mut self) -> Result<()>;
}

/// Captures until a limit, Ctrl-C or SIGTERM.
///
/// # Errors
/// When an interface cannot be opened, the limits do not go together, or writing failed.
pub(crate) fn capture(plan: &Plan<'_>, taker: &mut dyn Taker) -> Result<ExitCode> {
    let Plan { arguments, count, destination, .. } = *plan;
    let limits = Limits::new(&arguments.stop, &arguments.ring, count, destination)?;
    let stop = Stop::on_signals()?;
    let mut session = Session::start(arguments)?;
    let now = Instant::now();
    let recorder = destination
        .map(|destination| Recorder::new(destination, limits, recorded(&session, arguments), now));
    let mut run = Run {
        interfaces: session.interfaces().to_vec(),
        time_digits: session.time_digits(),
        limits,
        taker,
        captured: vec![0; session.interfaces().len()],
        frames: 0,
        recorder: recorder.transpose()?,
        counts: plan.shows_progress && stderr().is_terminal(),
        begun: now,
        flushed: now,
        ended: false,
    };
    eprint!("{}", report::beginning(&run.interfaces));
    let outcome = run.until_stopped(&mut session, &stop);
    // An output that failed does not keep the capture from being closed.
    run.end(&session.endings(), outcome)
}

fn recorded(session: &Session, arguments: &LiveArguments) -> Vec<RecordedInterface> {
    let recorded = |interface: &Interface| RecordedInterface {
        interface: interface.clone(),
        time_digits: session.time_digits(),
        filter: arguments.capture_filter.clone(),
    };
    session.interfaces().iter().map(recorded).collect()
}

/// A capture that goes on.
struct Run<'a> {
    interfaces: Vec<Interface>,
    time_digits: u8,
    limits: Limits,
    taker: &'a mut dyn Taker,
    /// Packets of each interface.
    captured: Vec<u64>,
    frames: u64,
    recorder: Option<Recorder>,
    /// True when someone waits at a terminal and sees a counter.
    counts: bool,
    begun: Instant,
    flushed: Instant,
    /// True once no more packets are wanted.
    ended: bool,
}

impl Run<'_> {
    fn until_stopped(&mut self, session: &mut Session, stop: &Stop) -> Result<()> {
        let mut outcome = Ok(());
        let mut stopped = false;
        loop {
            let mut taken = Ok(());
            let turn = session.turn(&mut |packet| taken = self.packet(packet));
            let turned = taken.and_then(|()| self.between(turn == Some(true)));
            if let Err(error) = turned {
                if outcome.is_ok() {
                    outcome = Err(error);
                }
                self.ended = true;
            }
            let over = self.limits.duration.is_some_and(|limit| self.begun.elapsed() >= limit);
            if !stopped && (self.ended || over || stop.asked()) {
                session.stop();
                stopped = true;
            }
            if turn.is_none() {
                return outcome;
            }
        }
    }

    fn packet(&mut self, packet: LivePacket<'_>) -> Result<()> {
        if self.ended {
            return Ok(());
        }
        self.frames += 1;
        if let Some(captured) = self.captured.get_mut(packet.interface as usize) {
            *captured += 1;
        }
        let LivePacket { interface, time, original_length, bytes } = packet;
        let described = self.interfaces.get(interface as usize);
        let frame = Frame {
            number: self.frames,
            interface,
            time: Some(time),
            link_type: described.map_or(LinkType::NULL, |described| described.link_type),
            bytes,
            original_length,
        };
        let (time_digits, blocks) = (self.time_digits, Blocks::default());
        let described = DescribedFrame { frame, interface: described, time_digits, blocks };
        let passed = self.taker.frame(&described)?;
        if let Some(recorder) = self.recorder.as_mut().filter(|_| passed) {
            let packet = PacketToWrite { interface, time, bytes, original_length };
            self.ended |= recorder.packet(&packet, Instant::now())? == Next::Stop;
        }
        self.ended |= self.limits.packets.is_some_and(|limit| self.frames >= limit);
        Ok(())
    }

    /// What is to be done between packets.
    fn between(&mut self, busy: bool) -> Result<()> {
        let now = Instant::now();
        if busy && now.saturating_duration_since(self.flushed) < FLUSH {
            return Ok(());
        }
        self.flushed = now;
        if self.counts {
            let _ = write!(stderr(), "\r{}", counted(self.frames, "packet"));
        }
        self.taker.idle()?;
        if let Some(recorder) = &mut self.recorder
            && !self.ended
        {
            self.ended |= recorder.tick(now)? == Next::Stop;
            recorder.flush()?;
        }
        Ok(())
    }

    /// Closes what was written, and says how it went.
    fn end(self, endings: &[Ending], outcome: Result<()>) -> Result<ExitCode> {
        if self.counts {
            let _ = write!(stderr(), "{CLEAR_LINE}");
        }
        let closed = match self.recorder {
            Some(recorder) => {
                let statistics: Vec<Option<InterfaceStatistics>> =
                    endings.iter().map(|ending| ending.statistics).collect();
                recorder.close(&statistics, now())
            }
            None => Ok(()),
        };
        let finished = if outcome.is_ok() { self.taker.finish() } else { Ok(()) };
        eprint!("{}", report::end(&self.interfaces, &self.captured, endings));
        outcome?;
        closed?;
        finished?;
        let mut status = ExitCode::SUCCESS;
        for (interface, ending) in self.interfaces.iter().zip(endings) {
            if let Some(failure) = &ending.failure {
                let name = interface.name.as_deref().unwrap_or_default();
                eprint!("warpscope: -i {name}: {failure}; what was captured before is complete\n");
                status = ExitCode::from(PARTLY);
            }
        }
        Ok(status)
    }
}

/// Nanoseconds since 1970-01-01 UTC.
fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
}
