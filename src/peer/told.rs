//! Says what happens to streams, and counts it.

use super::regions::{Regions, line};
use crate::failure::complain;
use anstream::eprintln;
use std::collections::BTreeMap;
use std::time::Duration;
use warpscope_dissector::format::counted;
use warpscope_peer::connection::{Ending, Event, SetupFailure};
use warpscope_peer::memory::Memory;
use warpscope_peer::service::Service;
use warpscope_peer::setup::{Agreement, SetupRevision};
use warpscope_peer::streams::{StreamEvent, Streams};
use warpscope_peer::violation::Violation;
use warpscope_peer::work::{Completion, OperationKind, Outcome};
use warpscope_wire::mpa::NOT_NEGOTIATED;
use warpscope_wire::rdmap::{error_code_name, error_type_name, layer_name};

/// A service whose streams are told of.
#[derive(Debug)]
pub(super) struct Told<S: Service + ?Sized> {
    /// The service.
    pub(super) inner: Box<S>,
    regions: Regions,
    quiet: bool,
    /// Whether every request is rejected, with the setup's private data.
    pub(super) rejects: bool,
    /// What went wrong last.
    pub(super) trouble: Option<String>,
    end_after: Option<u64>,
    closed: u64,
    established: u64,
    failed: u64,
    violations: BTreeMap<Violation, u64>,
    terminates: u64,
    completions: BTreeMap<&'static str, [u64; 2]>,
}

impl<S: Service + ?Sized> Told<S> {
    /// This service; done at last after so many streams, if a number is given.
    pub(super) fn new(
        inner: Box<S>,
        regions: Regions,
        quiet: bool,
        end_after: Option<u64>,
    ) -> Self {
        if !quiet {
            regions.shared.iter().for_each(|made| eprintln!("{}", line(made)));
        }
        Self {
            inner,
            regions,
            quiet,
            rejects: false,
            trouble: None,
            end_after,
            closed: 0,
            established: 0,
            failed: 0,
            violations: BTreeMap::new(),
            terminates: 0,
            completions: BTreeMap::new(),
        }
    }

    /// Takes the regions away; what their files did not get yet, they get now. Says what could not be
    /// kept.
    pub(super) fn end(&mut self, memory: &mut Memory) -> Vec<String> {
        self.regions.end(memory)
    }

    /// Streams that came to nothing, or ended for an error.
    pub(super) fn went_wrong(&self) -> bool {
        self.failed > 0 || self.terminates > 0 || !self.violations.is_empty()
    }

    /// Makes the stream's own regions.
    fn begin(&mut self, streams: &mut Streams, number: u64) {
        match self.regions.stream_begins(streams.memory(), number) {
            Ok(made) => {
                let lines: Vec<String> = made.iter().map(line).collect();
                lines.iter().for_each(|line| self.say(number, line));
            }
            Err(error) => {
                complain(&format!("stream {number}: {error:#}"));
                streams.abort(number);
            }
        }
    }

    fn say(&self, number: u64, what: &str) {
        if !self.quiet {
            eprintln!("stream {number}: {what}");
        }
    }

    fn count(&mut self, done: &Completion) {
        let bytes = match &done.result {
            Ok(Outcome::Received(got)) => got.bytes.len() as u64,
            Ok(_) => 0,
            Err(_) => return,
        };
        let [count, sum] = self.completions.entry(kind(done.kind)).or_default();
        *count += 1;
        *sum += bytes;
    }

    fn tell(&mut self, number: u64, event: &Event) {
        let what = match event {
            Event::Established(agreement) => {
                self.established += 1;
                agreed(agreement)
            }
            Event::Rejected { private_data, .. } => {
                self.failed += 1;
                format!("rejected, {} of private data", counted(private_data.len() as u64, "byte"))
            }
            Event::SetupFailed { failure, .. } => {
                self.failed += 1;
                format!("setup failed: {}", failed(failure))
            }
            Event::Violated(violation) => {
                *self.violations.entry(*violation).or_default() += 1;
                meaning(*violation)
            }
            Event::TerminateReceived(terminate) => {
                self.terminates += 1;
                let (layer, error_type) = (terminate.layer, terminate.error_type);
                let code = terminate.error_code;
                let words = [
                    layer_name(layer).map(str::to_owned),
                    error_type_name(layer, error_type).map(str::to_owned),
                    error_code_name(layer, error_type, code).map(str::to_owned),
                ];
                let words: Vec<String> = words.into_iter().flatten().collect();
                format!(
                    "the peer sent a Terminate: {} (layer {layer}, type {error_type}, code 0x{code:02x})",
                    words.join(", ")
                )
            }
            Event::FinishReceived => "the peer closed its direction".to_owned(),
            Event::Ended(ending) => match ending {
                Ending::Finished => "closed by both sides".to_owned(),
                Ending::Terminated(_) => "ended by an error found here".to_owned(),
                Ending::RemoteTerminate => "ended by the peer's Terminate".to_owned(),
                Ending::Lost => "the TCP connection was reset or lost".to_owned(),
                Ending::Aborted => "dropped".to_owned(),
            },
            Event::Requested(_) | Event::Solicited => return,
        };
        self.say(number, &what);
        match event {
            Event::Established(_) | Event::FinishReceived | Event::Ended(Ending::Finished) => {}
            // What ended the stream came before the end.
            Event::Ended(_) if self.trouble.is_some() => {}
            _ => self.trouble = Some(what),
        }
    }

    /// What happened over the whole run, a line each.
    pub(super) fn statistics(&self, [sent, received]: [u64; 2], took: Duration) -> Vec<String> {
        let mut lines = vec![format!(
            "{} established, {} failed; {} sent, {} received in {:.1} s",
            counted(self.established, "stream"),
            self.failed,
            counted(sent, "byte"),
            counted(received, "byte"),
            took.as_secs_f64()
        )];
        for (kind, [count, bytes]) in &self.completions {
            let bytes = match bytes {
                0 => String::new(),
                bytes => format!(", {}", counted(*bytes, "byte")),
            };
            lines.push(format!("  {kind}: {count}{bytes}"));
        }
        if self.terminates > 0 {
            lines.push(format!("  Terminates received: {}", self.terminates));
        }
        for (violation, count) in &self.violations {
            lines.push(format!("  {}: {count}", meaning(*violation)));
        }
        lines.extend(self.inner.summary());
        lines
    }
}

impl<S: Service + ?Sized> Service for Told<S> {
    fn handle(&mut self, streams: &mut Streams, number: u64, event: StreamEvent) {
        match &event {
            StreamEvent::Event(Event::Requested(_)) if self.rejects => {
                let setup = streams.config(number).map(|config| &config.setup.private_data);
                let private_data = setup.cloned().unwrap_or_default();
                return streams.reject(number, &private_data);
            }
            StreamEvent::Event(event) => {
                self.tell(number, event);
                match event {
                    Event::Established(_) => self.begin(streams, number),
                    Event::Violated(Violation::FlushFailed) => flush_failed(streams, number),
                    _ => {}
                }
            }
            StreamEvent::Completion(done) => self.count(done),
            StreamEvent::FellBack(next) => {
                self.say(number, &format!("no revision 2 here: stream {next} tries revision 1"));
            }
            StreamEvent::Closed => {
                self.closed += 1;
                for failure in self.regions.stream_ends(streams.memory(), number) {
                    complain(&format!("stream {number}: {failure}"));
                }
            }
        }
        self.inner.handle(streams, number, event);
    }

    fn poll_timeout(&self) -> Option<Duration> {
        self.inner.poll_timeout()
    }

    fn handle_timeout(&mut self, streams: &mut Streams) {
        self.inner.handle_timeout(streams);
    }

    fn stop(&mut self, streams: &mut Streams) {
        self.inner.stop(streams);
    }

    fn is_done(&self, streams: &Streams) -> bool {
        let enough = self.end_after.is_some_and(|most| self.closed >= most);
        (enough && streams.count() == 0) || self.inner.is_done(streams)
    }

    fn failure(&self) -> Option<String> {
        self.inner.failure()
    }
}

/// Says why a Flush failed: the peer hears no reason, and the operator has to act.
fn flush_failed(streams: &mut Streams, number: u64) {
    if let Some(failure) = streams.memory().flush_failure() {
        complain(&format!("stream {number}: a Flush failed: {failure}"));
    }
}

fn kind(kind: OperationKind) -> &'static str {
    match kind {
        OperationKind::Receive => "messages received",
        OperationKind::Send => "Sends",
        OperationKind::Immediate => "Immediate Data sent",
        OperationKind::Write => "RDMA Writes",
        OperationKind::Read => "RDMA Reads",
        OperationKind::ReadV2 => "RDMA Reads V2",
        OperationKind::Atomic => "atomic operations",
        OperationKind::Flush => "Flushes",
        OperationKind::Verify => "Verifies",
        OperationKind::AtomicWrite => "Atomic Writes",
    }
}

/// What the table says of a violation, and whose fault it is where that is known.
fn meaning(violation: Violation) -> String {
    let row = violation.row();
    let of_peer = !matches!(
        violation,
        Violation::ConnectionLost
            | Violation::FlushFailed
            | Violation::Local
            | Violation::SetupLocal
    );
    let whose = if of_peer { "the peer broke a rule" } else { "an error" };
    format!("{whose}: {} ({})", row.meaning, row.section)
}

fn failed(failure: &SetupFailure) -> String {
    match failure {
        SetupFailure::Violation(violation) => meaning(*violation),
        SetupFailure::Timeout => "the peer's frame did not come in time".to_owned(),
        SetupFailure::Lost => "TCP could not connect, or was closed".to_owned(),
        SetupFailure::Configuration => "the flags make no legal frame".to_owned(),
    }
}

/// The agreement in one line.
fn agreed(agreement: &Agreement) -> String {
    let revision = match agreement.revision {
        SetupRevision::Zero => 0,
        SetupRevision::One => 1,
        SetupRevision::Two => 2,
    };
    let crc = if agreement.crc { "CRC" } else { "no CRC" };
    let markers = match (agreement.send_markers, agreement.receive_markers) {
        (true, true) => "markers both ways",
        (true, false) => "markers sent",
        (false, true) => "markers received",
        (false, false) => "no markers",
    };
    let depth = |depth: Option<u16>| match depth {
        None => "not named".to_owned(),
        Some(NOT_NEGOTIATED) => "not negotiated".to_owned(),
        Some(depth) => depth.to_string(),
    };
    let model = if agreement.ready_to_receive.is_some() { ", peer-to-peer" } else { "" };
    format!(
        "established: revision {revision}, {crc}, {markers}, IRD {} ORD {} (the peer's: {}, {}){model}",
        agreement.ird,
        agreement.ord,
        depth(agreement.peer_ird),
        depth(agreement.peer_ord)
    )
}
