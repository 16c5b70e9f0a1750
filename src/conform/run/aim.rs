//! Which target is meant, and how it is reached.

use super::export::Folder;
use super::profile::Profile;
use super::program::Program;
use super::reference::Reference;
use crate::cli::{RunArguments, RunMode};
use anyhow::{Context as _, Result, bail};
use std::net::{SocketAddr, ToSocketAddrs as _};
use warpscope_conformance::run::{Mode, RpcTarget, Target};

/// Copies of the reference peer that share the work.
const COPIES: u16 = 4;

/// The target of a run.
#[derive(Debug)]
pub(crate) struct Aim {
    /// As the runner takes it.
    pub(crate) target: Target,
    /// What is known of it.
    pub(super) profile: Profile,
    /// Its name for people.
    pub(super) name: String,
    /// How to name it on a command line.
    pub(super) words: String,
    /// The reference peers: they end with the run.
    _peers: Vec<Reference>,
    /// What they and RPC requesters are started from.
    _program: Option<Program>,
    /// What RPC requesters see, and the reference peer exports; it ends with the run.
    _folder: Folder,
}

impl Aim {
    /// The target that the arguments mean; the reference peer is started.
    ///
    /// # Errors
    /// An address that cannot be found, a profile that is wrong, a reference peer that does not start.
    pub(super) fn take(arguments: &RunArguments) -> Result<Self> {
        if arguments.itself {
            return Self::reference(COPIES.min(arguments.jobs), &arguments.bugs);
        }
        let profile = arguments.profile.as_deref().map(Profile::read).transpose()?;
        let profile = profile.unwrap_or_default();
        let mut words = Vec::new();
        if let Some(file) = &arguments.profile {
            words.push(format!("--profile {}", quoted(&file.display().to_string())));
        }
        let given = match arguments.mode {
            Some(RunMode::Agent) => Some(Mode::Agent),
            Some(RunMode::Bare) => Some(Mode::Bare),
            Some(RunMode::Listen) => Some(Mode::Listen),
            None => None,
        };
        let listen = arguments.listen.map(|it| it.to_string()).or_else(|| profile.listen.clone());
        let listens =
            listen.is_some() && arguments.target.is_empty() && profile.addresses.is_empty();
        let usual = if listens { Mode::Listen } else { Mode::Agent };
        let mode = given.or(profile.mode).unwrap_or(usual);
        let named = match (mode, &listen) {
            (Mode::Listen, Some(listen)) => vec![listen.clone()],
            (Mode::Listen, None) => {
                bail!("--mode listen: say where, with --listen ADDR:PORT")
            }
            _ if arguments.target.is_empty() => profile.addresses.clone(),
            _ => arguments.target.clone(),
        };
        if named.is_empty() {
            bail!("no target: give --target HOST:PORT, or `address` in the profile");
        }
        let addresses = named.iter().map(|name| resolved(name)).collect::<Result<Vec<_>>>()?;
        let control = arguments.control.iter().chain(&profile.control);
        let control = control.map(|name| resolved(name)).collect::<Result<Vec<_>>>()?;
        for control in &arguments.control {
            words.push(format!("--control {control}"));
        }
        for target in &arguments.target {
            words.push(format!("--target {target}"));
        }
        if let Some(listen) = arguments.listen {
            words.push(format!("--listen {listen}"));
        }
        if given.is_some() {
            words.push(format!("--mode {}", mode_name(mode)));
        }
        let expected = profile.expected_failures.iter().map(|(entry, _)| entry.clone());
        let expected_failures = expected.collect();
        let folder = Folder::make()?;
        let rpc = RpcTarget {
            address: match arguments.rpc.as_ref().or(profile.rpc.address.as_ref()) {
                Some(name) => Some(resolved(name)?),
                None => None,
            },
            nfs: profile.rpc.nfs,
            private_data: profile.rpc.private_data,
            listen: profile.rpc.listen.unwrap_or(RpcTarget::default().listen),
            tasks: profile.rpc.tasks.clone(),
            answers: if profile.rpc.tasks.is_empty() { None } else { Some(folder.answers()?) },
        };
        if let Some(rpc) = &arguments.rpc {
            words.push(format!("--rpc {rpc}"));
        }
        let capabilities = profile.capabilities.clone();
        let left_out = profile.left_out.clone();
        let target =
            Target { addresses, control, mode, capabilities, expected_failures, left_out, rpc };
        let name = profile.name.clone().unwrap_or_else(|| named.join(", "));
        let (words, _peers) = (words.join(" "), Vec::new());
        Ok(Self { target, profile, name, words, _peers, _program: None, _folder: folder })
    }

    /// Copies of the reference peer that share the work, and its RPC-over-RDMA side, all with these
    /// seeded bugs.
    ///
    /// # Errors
    /// When one does not start.
    pub(crate) fn reference(copies: u16, bugs: &[String]) -> Result<Self> {
        let folder = Folder::make()?;
        let program = Program::hold(folder.path())?;
        let mut peers: Vec<Reference> =
            (0..copies).map(|_| Reference::test_ulp(&program, bugs)).collect::<Result<_>>()?;
        let addresses = peers.iter().map(|peer| peer.address).collect();
        let server = Reference::start(&program, &folder.server(), bugs)?;
        let rpc = RpcTarget {
            address: Some(server.address),
            nfs: true,
            private_data: true,
            tasks: folder.tasks(&program, bugs),
            answers: Some(folder.answers()?),
            ..RpcTarget::default()
        };
        peers.push(server);
        let mut words = "--self".to_owned();
        let mut name = "the reference peer".to_owned();
        if !bugs.is_empty() {
            let bugs = bugs.join(",");
            words.push_str(&format!(" --bug {bugs}"));
            name.push_str(&format!(" with {bugs}"));
        }
        let control = peers.iter().filter_map(|peer| peer.control).collect();
        let target = Target { addresses, control, rpc, ..Target::default() };
        let profile = Profile::default();
        let (_program, _folder) = (Some(program), folder);
        Ok(Self { target, profile, name, words, _peers: peers, _program, _folder })
    }
}

/// The word for a mode.
pub(super) fn mode_name(mode: Mode) -> &'static str {
    match mode {
        Mode::Agent => "agent",
        Mode::Bare => "bare",
        Mode::Listen => "listen",
    }
}

/// A word for a shell, in quotes where it needs them.
pub(in crate::conform) fn quoted(word: &str) -> String {
    let plain = |it: char| it.is_ascii_alphanumeric() || "-_./:,+=@%".contains(it);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

fn resolved(name: &str) -> Result<SocketAddr> {
    let found = name
        .to_socket_addrs()
        .with_context(|| format!("--target {name}: give HOST:PORT, as 192.0.2.7:7174"))?
        .next();
    found.with_context(|| format!("--target {name}: the host has no address"))
}
