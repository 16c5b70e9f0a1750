//! Builds a peer, and runs it.

use super::services::{self, ReportedService};
use super::{nfs, switches, tap};
use crate::cli::{
    AgentArguments, CommonArguments, ConnectArguments, IndicationChoice, ListenArguments,
    PackingChoice, PeerAction, PeerArguments, ServiceArguments,
};
use crate::failure::{complain, say};
use crate::privileges;
use crate::terminal::{Stop, print};
use anyhow::{Context as _, Result, anyhow, bail};
use rand::{Rng as _, SeedableRng as _};
use std::collections::HashMap;
use std::net::{SocketAddr, ToSocketAddrs as _};
use std::process::ExitCode;
use std::time::{Duration, Instant};
use warpscope_peer::connection::{Config, Packing, Role};
use warpscope_peer::memory::{Accessor, Memory, RegionSpec, Registered, Scope};
use warpscope_peer::network::{Host, HostOptions};
use warpscope_peer::service::Service;
use warpscope_peer::service::agent::{Agent, AgentOptions, FolderFiles};
use warpscope_peer::setup::{SetupConfig, SetupRevision};
use warpscope_peer::streams::Streams;
use warpscope_peer::switch::{Switch, Switches};
use warpscope_wire::mpa::{MAX_PRIVATE_DATA, ReadyToReceive};
use warpscope_wire::rdmap::Profile;
use warpscope_yaml as yaml;

/// How long streams may take to end after the user asks to stop.
pub(super) const GRACE: Duration = Duration::from_secs(3);

pub(crate) fn run(arguments: &PeerArguments) -> Result<ExitCode> {
    match &arguments.action {
        PeerAction::Listen(arguments) => listen(arguments),
        PeerAction::Connect(arguments) => connect(arguments),
        PeerAction::Agent(arguments) => agent(arguments),
        PeerAction::Nfs(arguments) => nfs::act_as_client(arguments),
        PeerAction::Services => services::list(),
        PeerAction::Bugs(arguments) => switches::bugs(arguments),
        PeerAction::Variants(arguments) => switches::variants(arguments),
    }
}

fn listen(arguments: &ListenArguments) -> Result<ExitCode> {
    let (common, service) = (&arguments.common, &arguments.service);
    let mut config = config(Role::Responder, common)?;
    let address = address(&arguments.address)?;
    let accepts = services::accepts(&service.name);
    config.accepts = !arguments.reject && !accepts;
    if accepts && !arguments.reject && !common.private_data.is_empty() {
        bail!("--private-data: {} sends private data of its own", service.name);
    }
    let idle = seconds("--idle-timeout", arguments.idle_timeout)?;
    let limits = Limits {
        streams: arguments.most_streams,
        idle: Some(idle).filter(|idle| !idle.is_zero()),
        end_after: arguments.end_after,
    };
    let mut peer = Peer::new(common, service, None, limits)?;
    peer.service.rejects = arguments.reject;
    let bound = peer.host.listen(address, config).with_context(|| cannot_listen(address))?;
    peer.begin(common, bound)?;
    if peer.squash
        && let Some(user) = privileges::squash()?
    {
        peer.notes.push(format!("callers have the rights of {user} (root's with -o no-squash)"));
    }
    if !common.quiet {
        peer.notes.iter().for_each(|note| say!("{note}\n"));
        say!("listening at {bound}: {}, profile {}\n", service.name, common.profile);
    }
    peer.serve(common)
}

fn cannot_listen(address: SocketAddr) -> String {
    format!(
        "cannot listen at {address}; is another program listening there? Port 0 picks any free port"
    )
}

fn agent(arguments: &AgentArguments) -> Result<ExitCode> {
    let common = &arguments.common;
    let config = Config { accepts: false, ..config(Role::Responder, common)? };
    let address = address(&arguments.address)?;
    let mut options = AgentOptions::new(config.clone());
    if let Some(folder) = &arguments.files {
        if !folder.is_dir() {
            bail!("--files {}: there is no such folder", folder.display());
        }
        options.files = Some(Box::new(FolderFiles::new(folder.clone())));
    }
    let stop = Stop::on_signals()?;
    let mut host = host(common, usize::MAX, None)?;
    let bound = host.listen(address, config).with_context(|| cannot_listen(address))?;
    options.listens = Some(bound);
    let (runner, control) = match (&arguments.runner, &arguments.control) {
        (Some(runner), _) => {
            let runner = self::address(runner)?;
            host.call_runner(runner);
            (Some(runner), None)
        }
        (None, control) => {
            let next = bound.port().checked_add(1).filter(|_| address.port() != 0).unwrap_or(0);
            let usual = || Ok(SocketAddr::new(bound.ip(), next));
            let control = control.as_deref().map_or_else(usual, self::address)?;
            let control = host.listen_for_control(control);
            (
                None,
                Some(control.context(
                    "cannot listen for control connections; name an address with --control",
                )?),
            )
        }
    };
    let regions = Regions::new(common, host.streams().memory())?;
    let service: Box<dyn Service> = Box::new(Agent::new(options));
    let service = ReportedService::new(service, regions, common.quiet, None);
    let mut peer = Peer { host, service, notes: Vec::new(), tap: None, squash: false, stop };
    peer.begin(common, bound)?;
    if !common.quiet {
        match (runner, control) {
            (Some(runner), _) => say!("calling the runner at {runner}\n"),
            (None, control) => control.iter().for_each(|at| say!("control at {at}\n")),
        }
        say!("listening at {bound}: agent, profile {}\n", common.profile);
    }
    peer.serve(common)
}

fn connect(arguments: &ConnectArguments) -> Result<ExitCode> {
    let common = &arguments.common;
    let config = config(Role::Initiator, common)?;
    let address = address(&arguments.address)?;
    let streams = arguments.streams.into();
    if streams != 1 && services::opens(&arguments.service.name) {
        bail!(
            "--streams: a client of perftest opens its own streams; use -o qps=N to set how many"
        );
    }
    let limits = Limits { streams: usize::MAX, idle: None, end_after: Some(streams) };
    let mut peer = Peer::new(common, &arguments.service, Some(address), limits)?;
    peer.begin(common, address)?;
    for _ in 0..streams {
        peer.host.streams().connect(address, config.clone(), !arguments.no_fallback);
    }
    peer.serve(common)
}

/// The limits of a peer.
struct Limits {
    /// The most streams at the same time.
    streams: usize,
    /// How long a stream may be idle.
    idle: Option<Duration>,
    /// The number of streams after which the run ends.
    end_after: Option<u64>,
}

struct Peer {
    host: Host,
    service: ReportedService<dyn Service>,
    /// Notes on the service for the user.
    notes: Vec<String>,
    tap: Option<tap::Recording>,
    /// Whether root switches to nobody.
    squash: bool,
    stop: Stop,
}

/// Creates a host with random Steering Tags, and the bugs of the command line.
pub(super) fn host(
    arguments: &CommonArguments,
    most_streams: usize,
    idle_timeout: Option<Duration>,
) -> Result<Host> {
    let mut numbers = match arguments.seed {
        Some(seed) => rand::rngs::StdRng::seed_from_u64(seed),
        None => rand::rngs::StdRng::from_os_rng(),
    };
    let mut memory = Memory::new(move || numbers.random());
    memory.set_bugs(switched("bug", &arguments.bugs)?);
    let options = HostOptions { most_streams, emss: arguments.emss, idle_timeout };
    Host::new(Streams::new(memory), options).context("the system cannot wait for sockets")
}

impl Peer {
    /// Creates a peer of this service, whose streams go to `remote` if it opens them.
    fn new(
        arguments: &CommonArguments,
        service: &ServiceArguments,
        remote: Option<SocketAddr>,
        limits: Limits,
    ) -> Result<Self> {
        // First, because a signal must leave nothing half done.
        let stop = Stop::on_signals()?;
        let mut host = host(arguments, limits.streams, limits.idle)?;
        let regions = Regions::new(arguments, host.streams().memory())?;
        let built = services::build(service, remote)?;
        let service =
            ReportedService::new(built.service, regions, arguments.quiet, limits.end_after);
        let (notes, squash) = (built.notes, built.squash);
        Ok(Self { host, service, notes, tap: None, squash, stop })
    }

    /// Starts the recording, before anything is sent.
    fn begin(&mut self, arguments: &CommonArguments, address: SocketAddr) -> Result<()> {
        if let Some((recording, tap)) = tap::begin(arguments, address)? {
            self.tap = Some(recording);
            if let Some(tap) = tap {
                self.host.tap(tap);
            }
        }
        Ok(())
    }

    /// Runs until the service is done, or the user asks to stop.
    fn serve(mut self, arguments: &CommonArguments) -> Result<ExitCode> {
        let began = Instant::now();
        let served = self.host.serve(&mut self.service, || self.stop.asked(), GRACE);
        let bytes = self.host.bytes();
        let lost = self.service.end(self.host.streams().memory());
        lost.iter().for_each(|failure| complain(failure));
        // The tap is dropped with the host: only then is everything recorded.
        drop(self.host);
        if let Some(recording) = self.tap {
            recording.finish()?;
        }
        served.context("a system call on the sockets failed")?;
        let lines = self.service.statistics(bytes, began.elapsed());
        let lines = if arguments.quiet { Vec::new() } else { lines };
        let shown = print(|out, _| lines.iter().try_for_each(|line| writeln!(out, "{line}")));
        if let Some(failure) = self.service.failure() {
            complain(&failure);
            return Ok(ExitCode::FAILURE);
        }
        let well = lost.is_empty() && !self.service.went_wrong();
        crate::failure::printed(shown, u8::from(!well))
    }
}

/// Parses `HOST:PORT`, with `[...]` around IPv6.
pub(super) fn address(text: &str) -> Result<SocketAddr> {
    let resolved = text.to_socket_addrs().map_err(|error| {
        anyhow!("{text}: {error}; use HOST:PORT, such as 192.0.2.7:7174 or [2001:db8::7]:7174")
    })?;
    let mut resolved = resolved;
    let Some(first) = resolved.next() else { bail!("{text}: the name has no address") };
    Ok(first)
}

// The settings of a connection, from flags.

/// The Protection Domain of all streams.
pub(super) const PROTECTION_DOMAIN: u32 = 1;

pub(super) fn config(role: Role, arguments: &CommonArguments) -> Result<Config> {
    let accessor = Accessor { stream: 0, protection_domain: PROTECTION_DOMAIN };
    let packing = match arguments.packing {
        PackingChoice::One => Packing::One,
        PackingChoice::Several => Packing::Several,
        PackingChoice::Unaligned => Packing::Unaligned,
    };
    let mut config = Config {
        setup: setup(arguments)?,
        profile: profile(&arguments.profile)?,
        longest_ulpdu: arguments.longest_ulpdu,
        packing,
        atomic_swap: arguments.atomic_swap,
        setup_timeout: seconds("--setup-timeout", arguments.setup_timeout)?,
        close_timeout: seconds("--close-timeout", arguments.close_timeout)?,
        bugs: switched("bug", &arguments.bugs)?,
        ..Config::new(role, accessor)
    };
    config.vary(switched("variant", &arguments.variants)?);
    Ok(config)
}

/// Returns the switches of a table that a flag names.
pub(super) fn switched<S: Switch>(flag: &str, names: &[String]) -> Result<Switches<S>> {
    let parsed = names.join(",").parse();
    parsed.map_err(|unknown| anyhow!("--{flag}: {unknown} `warpscope peer {flag}s` lists them all"))
}

fn setup(arguments: &CommonArguments) -> Result<SetupConfig> {
    let private_data = bytes(&arguments.private_data)?;
    let revision = match arguments.revision {
        0 => SetupRevision::Zero,
        1 => SetupRevision::One,
        _ => SetupRevision::Two,
    };
    let enhanced = revision == SetupRevision::Two && !arguments.no_enhanced;
    if arguments.peer_to_peer && !enhanced {
        bail!(
            "--peer-to-peer needs revision 2 with enhanced data: leave out --no-enhanced and --revision"
        );
    }
    let most = MAX_PRIVATE_DATA - if enhanced { 4 } else { 0 };
    if private_data.len() > most {
        bail!("--private-data has {} bytes; there is room for {most}", private_data.len());
    }
    let has = |kind| arguments.rtr.contains(&kind);
    let (send, write, read) =
        (has(IndicationChoice::Send), has(IndicationChoice::Write), has(IndicationChoice::Read));
    Ok(SetupConfig {
        revision,
        markers: arguments.markers,
        crc: !arguments.no_crc,
        enhanced,
        negotiate_depths: !arguments.no_depths,
        ird: arguments.ird,
        ord: arguments.ord,
        required_ord: arguments.required_ord,
        peer_to_peer: arguments.peer_to_peer,
        // In this order, because an empty set means that all are supported.
        ready_to_receive: ReadyToReceive::new(send, write, read),
        private_data,
        ..SetupConfig::default()
    })
}

fn profile(name: &str) -> Result<Profile> {
    Profile::by_name(name).ok_or_else(|| {
        let names: Vec<&str> = Profile::NAMES.iter().map(|(name, _)| *name).collect();
        anyhow!("--profile {name}: a profile is one of {}", names.join(", "))
    })
}

fn seconds(flag: &str, seconds: f64) -> Result<Duration> {
    Duration::try_from_secs_f64(seconds)
        .map_err(|_| anyhow!("{flag} {seconds}: use seconds, such as 2 or 0.5"))
}

/// Parses text, or `hex:` and hexadecimal digits.
fn bytes(text: &str) -> Result<Vec<u8>> {
    let Some(digits) = text.strip_prefix("hex:") else { return Ok(text.as_bytes().to_vec()) };
    let digits: String = digits.chars().filter(|it| !it.is_whitespace() && *it != ':').collect();
    hex::decode(digits).map_err(|_| {
        anyhow!("--private-data {text}: hex: must be followed by pairs of hexadecimal digits")
    })
}

// The regions that the command line describes.

/// Regions that exist from the start, and those that every stream gets.
#[derive(Debug, Default)]
pub(super) struct Regions {
    /// The shared regions, created at the start.
    pub(super) shared: Vec<Registered>,
    per_stream: Vec<RegionSpec>,
    of_streams: HashMap<u64, Vec<Registered>>,
}

impl Regions {
    /// Parses `--region` and `--regions`, and creates the shared regions.
    pub(super) fn new(arguments: &CommonArguments, memory: &mut Memory) -> Result<Self> {
        let mut specs: Vec<RegionSpec> = Vec::new();
        for text in &arguments.region {
            specs.push(text.parse().map_err(|error| anyhow!("--region {text}: {error}"))?);
        }
        for path in &arguments.regions {
            let text = crate::input::read_text(path)
                .with_context(|| format!("cannot read {}; check the name", path.display()))?;
            let listed: Vec<RegionSpec> = yaml::read(path, &text)?;
            for spec in &listed {
                spec.check()
                    .map_err(|error| anyhow!("{}: {}: {error}", path.display(), spec.name))?;
            }
            specs.extend(listed);
        }
        RegionSpec::check_names(&specs).map_err(|error| anyhow!("--region: {error}"))?;
        let (per_stream, at_start): (Vec<_>, Vec<_>) =
            specs.into_iter().partition(|spec| spec.scope == Scope::Stream);
        let mut regions = Self { per_stream, ..Self::default() };
        let accessor = Accessor { stream: 0, protection_domain: PROTECTION_DOMAIN };
        for spec in at_start {
            regions.shared.extend(spec.register(memory, accessor)?);
        }
        Ok(regions)
    }

    /// Creates a stream's own regions; returns them.
    pub(super) fn stream_begins(
        &mut self,
        memory: &mut Memory,
        stream: u64,
    ) -> Result<&[Registered]> {
        let accessor = Accessor { stream, protection_domain: PROTECTION_DOMAIN };
        let made = self.of_streams.entry(stream).or_default();
        for spec in &self.per_stream {
            made.extend(spec.register(memory, accessor)?);
        }
        Ok(made)
    }

    /// Removes a stream's own regions; reports what could not be saved.
    pub(super) fn stream_ends(&mut self, memory: &mut Memory, stream: u64) -> Vec<String> {
        let made = self.of_streams.remove(&stream).unwrap_or_default();
        take_away(memory, &made)
    }

    /// Removes all regions, including those of open streams, and writes to their files what is not written
    /// yet. Reports what could not be saved.
    pub(super) fn end(&mut self, memory: &mut Memory) -> Vec<String> {
        let mut failures = Vec::new();
        for made in std::mem::take(&mut self.of_streams).into_values() {
            failures.extend(take_away(memory, &made));
        }
        failures.extend(take_away(memory, &std::mem::take(&mut self.shared)));
        failures
    }
}

fn take_away(memory: &mut Memory, made: &[Registered]) -> Vec<String> {
    // Windows come after their regions.
    let gone = made.iter().rev().map(|it| (it, memory.deregister(it.steering_tag)));
    gone.filter_map(|(it, result)| Some(format!("region {}: {}", it.name, result.err()?))).collect()
}

pub(super) fn line(made: &Registered) -> String {
    let Registered { name, steering_tag, tagged_offset, length, rights } = made;
    format!(
        "region {name}: STag 0x{steering_tag:08x}, TO 0x{tagged_offset:x}, {length} bytes, {rights}"
    )
}
