//! The available services, and their options: one table.

use super::nfs;
use super::run::{Regions, line};
use crate::cli::ServiceArguments;
use crate::failure::{complain, say};
use crate::terminal::print;
use anyhow::{Result, anyhow, bail};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::process::ExitCode;
use std::str::FromStr;
use std::time::Duration;
use warpscope_peer::connection::{Ending, Event, SetupFailure};
use warpscope_peer::memory::Memory;
use warpscope_peer::service::throughput::Mode;
use warpscope_peer::service::{
    Exercise, ExerciseOptions, Passive, Perftest, PerftestClient, PerftestClientOptions,
    PerftestKind, PerftestOptions, PingPong, PingPongOptions, Service, Throughput,
    ThroughputOptions,
};
use warpscope_peer::setup::{Agreement, SetupRevision};
use warpscope_peer::streams::{ControlEvent, StreamEvent, Streams};
use warpscope_peer::violation::Violation;
use warpscope_peer::work::{Completion, OperationKind, Outcome};
use warpscope_text::{counted, some};
use warpscope_wire::mpa::NOT_NEGOTIATED;
use warpscope_wire::rdmap::{error_code_name, error_type_name, layer_name};

pub(super) struct Offer {
    pub(super) name: &'static str,
    about: &'static str,
    /// Its options: name, default, meaning.
    options: &'static [(&'static str, &'static str, &'static str)],
    /// Whether it accepts streams itself, with its own private data.
    accepts: bool,
    build: fn(&Given<'_>) -> Result<Box<dyn Service>>,
}

/// The inputs from which a service is built.
pub(super) struct Given<'a> {
    offer: &'a Offer,
    values: BTreeMap<&'a str, &'a str>,
    /// The destination of the streams, if this side opens them.
    pub(super) remote: Option<SocketAddr>,
    notes: RefCell<Vec<String>>,
    squash: Cell<bool>,
}

pub(super) struct Built {
    pub(super) service: Box<dyn Service>,
    /// Notes for the user, one line each.
    pub(super) notes: Vec<String>,
    /// Whether callers get only the rights of nobody.
    pub(super) squash: bool,
}

const OFFERS: &[Offer] = &[
    Offer {
        name: "passive",
        about: "Accepts what arrives: posts receives, offers the regions, and reports what happened.",
        options: &[
            ("receives", "64", "receives posted on each stream"),
            ("room", "65536", "bytes of room in each"),
        ],
        accepts: false,
        build: |given| {
            Ok(Box::new(Passive { receives: given.value("receives")?, room: given.value("room")? }))
        },
    },
    Offer {
        name: "exercise",
        about: "Runs every operation of the profile, in both directions, against a peer that does the same.",
        options: &[("sizes", "0,1,7,1400,4096,65536", "bytes of messages, the same on both sides")],
        accepts: false,
        build: |given| {
            let sizes = given.text("sizes").split(',').map(|size| size.trim().parse().ok());
            let sizes: Option<Vec<u32>> = sizes.collect();
            let sizes = sizes.ok_or_else(|| {
                anyhow!("-o sizes={}: use numbers separated by commas", given.text("sizes"))
            })?;
            Ok(Box::new(Exercise::new(ExerciseOptions { sizes })))
        },
    },
    Offer {
        name: "pingpong",
        about: "Does what rping does: a listener is its server, a peer that connects is its client.",
        options: &[
            ("count", "10", "rounds of a client; 0: until Ctrl-C"),
            ("size", "64", "bytes sent there and back"),
            ("pause", "0", "milliseconds before each round of a client"),
        ],
        accepts: false,
        build: |given| {
            let count = Some(given.value("count")?).filter(|count| *count > 0);
            let pause = Duration::from_millis(given.value("pause")?);
            let options = PingPongOptions { size: given.value("size")?, count, pause };
            Ok(Box::new(PingPong::new(options)))
        },
    },
    Offer {
        name: "source",
        about: "Sends bytes to a sink as fast as possible.",
        options: &[
            ("mode", "write", "write or send; with read, the sink reads the bytes"),
            ("size", "65536", "bytes of a message"),
            ("count", "1000", "messages on each stream"),
            ("window", "16", "messages posted at once"),
        ],
        accepts: false,
        build: |given| {
            let mode = match given.text("mode") {
                "write" => Mode::Write,
                "send" => Mode::Send,
                "read" => Mode::Read,
                other => bail!("-o mode={other}: expected write, send or read"),
            };
            let (size, count, window) =
                (given.value("size")?, given.value("count")?, given.value("window")?);
            Ok(Box::new(Throughput::source(ThroughputOptions { mode, size, count, window })))
        },
    },
    Offer {
        name: "sink",
        about: "Receives what a source sends, checks it, and reports how fast it arrived.",
        options: &[],
        accepts: false,
        build: |_| Ok(Box::new(Throughput::sink())),
    },
    Offer {
        name: "perftest",
        about: "ib_write_bw -R, ib_read_bw -R and ib_send_bw -R: a listener is the server for all \
                of them, one client at a time; a peer that connects is the client of one. The \
                server has its own -n, -s, -q and -r.",
        options: &[
            ("room", "16777216", "bytes of a server's memory, and of the longest Send"),
            ("receives", "1024", "receives that a server posts on each stream of a test"),
            ("test", "write", "what a client does: write, read or send"),
            ("size", "65536", "bytes of a client's message (-s)"),
            ("count", "1000", "messages on each queue pair of a client (-n)"),
            ("qps", "1", "a client's queue pairs (-q)"),
            ("window", "128", "messages that a client posts at once on each queue pair"),
            ("depth", "512", "most receives that the client's server posts (-r)"),
            ("pause", "0", "milliseconds before a client's first message"),
        ],
        accepts: false,
        build: perftest,
    },
    Offer {
        name: "nfs",
        about: "Serves the files of a folder, as a listener: NFS 3 with MOUNT, 4.1 and 4.2 over \
                RPC-over-RDMA. The other side is `warpscope peer nfs` or a Linux client.",
        options: nfs::OPTIONS,
        accepts: true,
        build: nfs::build,
    },
];

/// Builds the server of perftest's tests, or the client of one of them.
fn perftest(given: &Given<'_>) -> Result<Box<dyn Service>> {
    let Some(server) = given.remote else {
        let (room, receives) = (given.value("room")?, given.value("receives")?);
        return Ok(Box::new(Perftest::new(PerftestOptions { room, receives })));
    };
    let kind = match given.text("test") {
        "write" => PerftestKind::Write,
        "read" => PerftestKind::Read,
        "send" => PerftestKind::Send,
        other => bail!("-o test={other}: expected write, read or send"),
    };
    for key in ["count", "qps", "window", "depth"] {
        if given.value::<u32>(key)? == 0 {
            bail!("-o {key}=0: it must be at least 1");
        }
    }
    Ok(Box::new(PerftestClient::new(PerftestClientOptions {
        kind,
        size: given.value("size")?,
        count: given.value("count")?,
        queue_pairs: given.value("qps")?,
        window: given.value("window")?,
        depth: given.value("depth")?,
        pause: Duration::from_millis(given.value("pause")?),
        ..PerftestClientOptions::new(server)
    })))
}

/// Whether a connecting service opens all streams after the first itself.
pub(super) fn opens(name: &str) -> bool {
    name == "perftest"
}

/// Whether a service accepts streams itself, with its own private data.
pub(super) fn accepts(name: &str) -> bool {
    OFFERS.iter().any(|offer| offer.name == name && offer.accepts)
}

/// Builds the service that `-s` names, with the options of `-o`. `remote` is the destination of its
/// streams, if this side opens them.
pub(super) fn build(arguments: &ServiceArguments, remote: Option<SocketAddr>) -> Result<Built> {
    let ServiceArguments { name, options } = arguments;
    if name == "test-ulp" {
        bail!("-s test-ulp: replaced by `warpscope peer agent ADDRESS:PORT`");
    }
    let offer = OFFERS.iter().find(|offer| offer.name == *name).ok_or_else(|| {
        let names: Vec<&str> = OFFERS.iter().map(|offer| offer.name).collect();
        anyhow!("-s {name}: no such service; expected one of {}", names.join(", "))
    })?;
    let mut values = BTreeMap::new();
    for option in options {
        let switch = || offer.options.iter().any(|it| it.0 == option && it.1 == "false");
        let pair = option.split_once('=').or_else(|| switch().then_some((option, "true")));
        let Some((key, value)) = pair else {
            bail!("-o {option}: write an option of a service as NAME=VALUE");
        };
        if !offer.options.iter().any(|(known, ..)| *known == key) {
            let known: Vec<&str> = offer.options.iter().map(|(known, ..)| *known).collect();
            bail!("-o {option}: {name} has no such option; its options are {}", known.join(", "));
        }
        values.insert(key, value);
    }
    let given = Given { offer, values, remote, notes: RefCell::default(), squash: Cell::default() };
    let service = (offer.build)(&given)?;
    Ok(Built { service, squash: given.squash.get(), notes: given.notes.into_inner() })
}

impl Given<'_> {
    pub(super) fn note(&self, line: String) {
        self.notes.borrow_mut().push(line);
    }

    /// Requests a switch from root to nobody before anything is served.
    pub(super) fn squash(&self) {
        self.squash.set(true);
    }

    /// Returns an option's text, or its default.
    pub(super) fn text(&self, key: &str) -> &str {
        let default = || self.offer.options.iter().find(|(known, ..)| *known == key);
        self.values
            .get(key)
            .copied()
            .or_else(|| default().map(|(_, value, _)| *value))
            .unwrap_or_default()
    }

    /// Returns an option's parsed value, or its default.
    pub(super) fn value<T: FromStr>(&self, key: &str) -> Result<T> {
        let text = self.text(key);
        let meaning = self.offer.options.iter().find(|(known, ..)| *known == key);
        text.parse().map_err(|_| {
            let meaning = meaning.map_or("", |(_, _, meaning)| *meaning);
            anyhow!("-o {key}={text}: no such value; {key} is: {meaning}")
        })
    }
}

pub(super) fn list() -> Result<ExitCode> {
    print(|out, look| {
        for (index, offer) in OFFERS.iter().enumerate() {
            let gap = if index > 0 { "\n" } else { "" };
            writeln!(out, "{gap}{}\n  {}", look.heading(offer.name), offer.about)?;
            let shown = |(name, default, _): &(&str, &str, &str)| format!("-o {name}={default}");
            let width = offer.options.iter().map(|option| shown(option).len()).max().unwrap_or(0);
            for option in offer.options {
                writeln!(out, "  {:width$}  {}", shown(option), option.2)?;
            }
        }
        Ok(())
    })
}

// Reports the events of streams, and counts them.

/// A service whose streams are reported.
#[derive(Debug)]
pub(super) struct ReportedService<S: Service + ?Sized> {
    pub(super) inner: Box<S>,
    regions: Regions,
    quiet: bool,
    /// Whether every MPA request is rejected, with the setup's private data.
    pub(super) rejects: bool,
    /// The last error.
    pub(super) trouble: Option<String>,
    end_after: Option<u64>,
    closed: u64,
    established: u64,
    failed: u64,
    violations: BTreeMap<Violation, u64>,
    terminates: u64,
    completions: BTreeMap<&'static str, [u64; 2]>,
}

impl<S: Service + ?Sized> ReportedService<S> {
    /// Wraps this service; it is done after the given number of streams at the latest, if there is one.
    pub(super) fn new(
        inner: Box<S>,
        regions: Regions,
        quiet: bool,
        end_after: Option<u64>,
    ) -> Self {
        if !quiet {
            regions.shared.iter().for_each(|made| say!("{}\n", line(made)));
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

    /// Removes the regions, and writes to their files what is not written yet. Reports what could not be
    /// saved.
    pub(super) fn end(&mut self, memory: &mut Memory) -> Vec<String> {
        self.regions.end(memory)
    }

    /// Whether a stream could not be set up, or ended with an error.
    pub(super) fn went_wrong(&self) -> bool {
        self.failed > 0 || self.terminates > 0 || !self.violations.is_empty()
    }

    /// Creates the stream's own regions.
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
            say!("stream {number}: {what}\n");
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

    fn report(&mut self, number: u64, event: &Event) {
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
                Ending::Idle => "dropped: idle for longer than --idle-timeout".to_owned(),
            },
            Event::Requested(_) | Event::Solicited => return,
        };
        self.say(number, &what);
        match event {
            Event::Established(_) | Event::FinishReceived | Event::Ended(Ending::Finished) => {}
            // The error that ended the stream is already reported.
            Event::Ended(_) if self.trouble.is_some() => {}
            _ => self.trouble = Some(what),
        }
    }

    /// Returns the statistics of the whole run, one line each.
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
            let bytes = some(*bytes, |bytes| format!(", {}", counted(bytes, "byte")));
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

impl<S: Service + ?Sized> Service for ReportedService<S> {
    fn handle(&mut self, streams: &mut Streams, number: u64, event: StreamEvent) {
        match &event {
            StreamEvent::Event(Event::Requested(_)) if self.rejects => {
                let setup = streams.config(number).map(|config| &config.setup.private_data);
                let private_data = setup.cloned().unwrap_or_default();
                return streams.reject(number, &private_data);
            }
            StreamEvent::Event(event) if self.inner.tries_again(number, event) => {
                self.say(number, "nothing is listening yet: trying again with another stream");
            }
            StreamEvent::Event(event) => {
                self.report(number, event);
                match event {
                    Event::Established(_) => self.begin(streams, number),
                    Event::Violated(Violation::FlushFailed) => flush_failed(streams, number),
                    _ => {}
                }
            }
            StreamEvent::Completion(done) => self.count(done),
            StreamEvent::FellBack(next) => {
                self.say(
                    number,
                    &format!("revision 2 was refused: stream {next} tries revision 1"),
                );
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

    fn control(&mut self, streams: &mut Streams, connection: u64, event: ControlEvent) {
        self.inner.control(streams, connection, event);
    }

    fn poll_control(&mut self) -> Option<(u64, String)> {
        self.inner.poll_control()
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

/// Reports why a Flush failed: the peer gets no reason, and the operator has to act.
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

/// Describes a violation as the table does, and whose fault it is if that is known.
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
        SetupFailure::Timeout => "the peer's frame did not arrive in time".to_owned(),
        SetupFailure::NotConnected(why) => format!("TCP could not connect: {why}"),
        SetupFailure::Lost => "the TCP connection was closed".to_owned(),
        SetupFailure::Configuration => "the flags do not make a legal frame".to_owned(),
    }
}

fn agreed(agreement: &Agreement) -> String {
    let revision = match agreement.revision {
        SetupRevision::Zero => 0,
        SetupRevision::One => 1,
        SetupRevision::Two => 2,
    };
    let crc = if agreement.crc { "CRC" } else { "no CRC" };
    let markers = match (agreement.send_markers, agreement.receive_markers) {
        (true, true) => "markers in both directions",
        (true, false) => "markers sent",
        (false, true) => "markers received",
        (false, false) => "no markers",
    };
    let depth = |depth: Option<u16>| match depth {
        None => "not specified".to_owned(),
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
