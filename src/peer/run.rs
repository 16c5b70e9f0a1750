//! Puts a peer together, and runs it.

use super::regions::Regions;
use super::{bugs, config, nfs, services, tap, told};
use crate::cli::{
    CommonArguments, ConnectArguments, ListenArguments, PeerAction, PeerArguments, ServiceArguments,
};
use crate::failure::complain;
use crate::stop::Stop;
use anstream::{eprintln, println};
use anyhow::{Context as _, Result, anyhow, bail};
use rand::{Rng as _, SeedableRng as _};
use std::net::{SocketAddr, ToSocketAddrs as _};
use std::process::ExitCode;
use std::time::{Duration, Instant};
use told::Told;
use warpscope_peer::bug::Bugs;
use warpscope_peer::connection::{Config, Role};
use warpscope_peer::memory::Memory;
use warpscope_peer::network::{Host, HostOptions};
use warpscope_peer::service::Service;
use warpscope_peer::streams::Streams;

/// How long streams may take to end once the user wants to stop.
pub(super) const GRACE: Duration = Duration::from_secs(3);

/// Does what the command line says.
///
/// # Errors
/// When the command line cannot be followed, or the peer cannot begin.
pub(crate) fn run(arguments: &PeerArguments) -> Result<ExitCode> {
    match &arguments.action {
        PeerAction::Listen(arguments) => listen(arguments),
        PeerAction::Connect(arguments) => connect(arguments),
        PeerAction::Nfs(arguments) => nfs::run(arguments),
        PeerAction::Services => services::list(),
        PeerAction::Bugs(arguments) => bugs::list(arguments),
    }
}

fn listen(arguments: &ListenArguments) -> Result<ExitCode> {
    let (common, service) = (&arguments.common, &arguments.service);
    let mut config = config::config(Role::Responder, common)?;
    let address = address(&arguments.address)?;
    let accepts = services::accepts(&service.name);
    config.accepts = !arguments.reject && !accepts;
    if accepts && !arguments.reject && !common.private_data.is_empty() {
        bail!("--private-data: {} sends private data of its own", service.name);
    }
    let limits = (arguments.most_streams, arguments.end_after);
    let mut peer = Peer::new(common, service, &config, limits)?;
    peer.service.rejects = arguments.reject;
    let control = arguments.control.as_deref().map(self::address).transpose()?;
    let strict = Config { bugs: Bugs::default(), ..config.clone() };
    let bound = peer.host.listen(address, config).with_context(|| {
        format!("cannot listen at {address}; is another program there? Port 0 takes any free one")
    })?;
    let control = control.map(|control| peer.host.listen(control, strict)).transpose();
    let control = control.context("cannot listen at the address of --control")?;
    peer.begin(common, bound)?;
    if !common.quiet {
        if let Some(control) = control {
            eprintln!("control stream at {control}");
        }
        peer.notes.iter().for_each(|note| eprintln!("{note}"));
        eprintln!("listening at {bound}: {}, profile {}", service.name, common.profile);
    }
    peer.serve(common)
}

fn connect(arguments: &ConnectArguments) -> Result<ExitCode> {
    let common = &arguments.common;
    let config = config::config(Role::Initiator, common)?;
    let address = address(&arguments.address)?;
    let streams = arguments.streams.into();
    let limits = (usize::MAX, Some(streams));
    let mut peer = Peer::new(common, &arguments.service, &config, limits)?;
    peer.begin(common, address)?;
    for _ in 0..streams {
        peer.host.streams().connect(address, config.clone(), !arguments.no_fallback);
    }
    peer.serve(common)
}

/// A peer that is put together.
struct Peer {
    host: Host,
    service: Told<dyn Service>,
    /// What the user should know of the service.
    notes: Vec<String>,
    tap: Option<tap::Recording>,
    stop: Stop,
}

/// A host with random numbers for Steering Tags, and the bugs of the command line.
///
/// # Errors
/// When there is no such bug, or the system is short of something.
pub(super) fn host(arguments: &CommonArguments, most_streams: usize) -> Result<Host> {
    let mut numbers = match arguments.seed {
        Some(seed) => rand::rngs::StdRng::seed_from_u64(seed),
        None => rand::rngs::StdRng::from_os_rng(),
    };
    let mut memory = Memory::new(move || numbers.random());
    memory.set_bugs(config::bugs(arguments)?);
    let options = HostOptions { most_streams, emss: arguments.emss };
    Host::new(Streams::new(memory), options).context("the system gives no way to wait for sockets")
}

impl Peer {
    /// A peer of this service; `most_streams` at once, and done after `end_after`.
    fn new(
        arguments: &CommonArguments,
        service: &ServiceArguments,
        config: &Config,
        (most_streams, end_after): (usize, Option<u64>),
    ) -> Result<Self> {
        // Before there is anything that a signal could leave half done.
        let stop = Stop::on_signals()?;
        let mut host = host(arguments, most_streams)?;
        let regions = Regions::new(arguments, host.streams().memory())?;
        let built = services::build(service, config, &regions.shared)?;
        let service = Told::new(built.service, regions, arguments.quiet, end_after);
        Ok(Self { host, service, notes: built.notes, tap: None, stop })
    }

    /// Begins what is to be recorded, before anything is sent.
    fn begin(&mut self, arguments: &CommonArguments, address: SocketAddr) -> Result<()> {
        if let Some((recording, tap)) = tap::begin(arguments, address)? {
            self.tap = Some(recording);
            if let Some(tap) = tap {
                self.host.tap(tap);
            }
        }
        Ok(())
    }

    /// Runs until the service is done, or the user has enough.
    fn serve(mut self, arguments: &CommonArguments) -> Result<ExitCode> {
        let began = Instant::now();
        let served = self.host.serve(&mut self.service, || self.stop.asked(), GRACE);
        let bytes = self.host.bytes();
        let lost = self.service.end(self.host.streams().memory());
        lost.iter().for_each(|failure| complain(failure));
        // The tap ends with the host: only then is everything recorded.
        drop(self.host);
        if let Some(recording) = self.tap {
            recording.finish()?;
        }
        served.context("the system let the sockets down")?;
        if !arguments.quiet {
            for line in self.service.statistics(bytes, began.elapsed()) {
                println!("{line}");
            }
        }
        if let Some(failure) = self.service.failure() {
            complain(&failure);
            return Ok(ExitCode::FAILURE);
        }
        let well = lost.is_empty() && !self.service.went_wrong();
        Ok(if well { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}

/// `HOST:PORT`, with `[...]` around IPv6.
///
/// # Errors
/// When it is none, or the name has no address.
pub(super) fn address(text: &str) -> Result<SocketAddr> {
    let resolved = text.to_socket_addrs().map_err(|error| {
        anyhow!("{text}: {error}; give HOST:PORT, as 192.0.2.7:7174 or [2001:db8::7]:7174")
    })?;
    let mut resolved = resolved;
    let Some(first) = resolved.next() else { bail!("{text}: the name has no address") };
    Ok(first)
}
