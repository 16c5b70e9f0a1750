//! Resolves the target, and how to reach it.

use super::profile::Profile;
use crate::cli::{RunArguments, RunMode};
use crate::peer::nfs;
use anyhow::{Context as _, Result, anyhow, bail};
use rustix::io::{FdFlags, fcntl_setfd};
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{BufRead as _, BufReader};
use std::net::{SocketAddr, ToSocketAddrs as _};
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, Once, PoisonError};
use tempfile::TempDir;
use warpscope_conformance::run::{Mode, RpcAnswer, RpcAnswers, RpcTarget, Target};
use warpscope_nfs::rpc::{Answer as _, Credential};
use warpscope_nfs::{ExportOptions, Server};

/// Copies of the reference peer that share the work.
const COPIES: u16 = 4;

#[derive(Debug)]
pub(crate) struct ResolvedTarget {
    pub(crate) target: Target,
    pub(super) profile: Profile,
    pub(super) name: String,
    /// Its arguments on a command line.
    pub(super) words: String,
    /// The reference peers, which end with the run.
    _peers: Vec<Reference>,
    /// The program that starts them and the RPC requesters.
    _program: Option<Program>,
    /// The folder that RPC requesters see and the reference peer exports; it is removed after the run.
    _folder: Folder,
}

/// The differences from the strict reference peer: names of bugs and of variants.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Switched<'a> {
    pub(crate) bugs: &'a [String],
    pub(crate) variants: &'a [String],
}

impl<'a> Switched<'a> {
    /// Returns each flag with its names, if it has any.
    fn flags(self) -> impl Iterator<Item = (&'static str, &'a [String])> {
        let flags = [("--bug", self.bugs), ("--variant", self.variants)];
        flags.into_iter().filter(|(_, names)| !names.is_empty())
    }
}

impl ResolvedTarget {
    /// Returns the target that the arguments select; starts the reference peer if needed.
    pub(super) fn take(arguments: &RunArguments) -> Result<Self> {
        if arguments.itself {
            let switched = Switched { bugs: &arguments.bugs, variants: &arguments.variants };
            return Self::reference(COPIES.min(arguments.jobs), switched);
        }
        let profile = arguments.profile.as_deref().map(Profile::read).transpose()?;
        let profile = profile.unwrap_or_default();
        let file = |file: &PathBuf| format!("--profile {}", quoted(&file.display().to_string()));
        let mut words: Vec<String> = arguments.profile.iter().map(file).collect();
        let given = arguments.mode.map(|mode| match mode {
            RunMode::Agent => Mode::Agent,
            RunMode::Bare => Mode::Bare,
        });
        let or = |given: &Vec<String>, known: &Vec<String>| {
            if given.is_empty() { known.clone() } else { given.clone() }
        };
        let listen = arguments.agent_listen.map(|it| it.to_string());
        let listen = listen.or_else(|| profile.agent_listen.clone());
        let listens = listen.is_some() && arguments.agent.is_empty();
        let agents = match listen.filter(|_| listens) {
            Some(listen) => vec![listen],
            None => or(&arguments.agent, &profile.agents),
        };
        let named = or(&arguments.target, &profile.addresses);
        let mode = match given.or(profile.mode) {
            Some(Mode::Bare) => Mode::Bare,
            _ if listens => Mode::Listen,
            _ => Mode::Agent,
        };
        if mode == Mode::Bare && named.is_empty() {
            bail!("no target: use --target HOST:PORT, or set `address` in the profile");
        }
        if mode != Mode::Bare && agents.is_empty() {
            let target = named.first().map_or("the target", String::as_str);
            bail!(
                "no agent for {target}: use --agent HOST:PORT, or set `agent` in the profile; for \
                 a target without an agent, use --mode bare"
            );
        }
        let all = |names: &[String], flag: &str| -> Result<Vec<SocketAddr>> {
            names.iter().map(|name| resolved(flag, name)).collect()
        };
        let (addresses, agents) = (all(&named, "--target")?, all(&agents, "--agent")?);
        words.extend(arguments.agent.iter().map(|agent| format!("--agent {agent}")));
        words.extend(arguments.agent_listen.map(|at| format!("--agent-listen {at}")));
        words.extend(arguments.target.iter().map(|target| format!("--target {target}")));
        words.extend(given.map(|mode| format!("--mode {mode}")));
        words.extend(arguments.rpc.iter().map(|rpc| format!("--rpc {rpc}")));
        let expected = profile.expected_failures.iter().map(|(entry, _)| entry.clone());
        let expected_failures = expected.collect();
        let folder = Folder::make()?;
        let rpc = arguments.rpc.as_ref().or(profile.rpc.address.as_ref());
        words.extend(arguments.mount.iter().map(|it| format!("--mount {}", quoted(it))));
        words.extend(arguments.file_handle.iter().map(|it| format!("--file-handle {it}")));
        let given = arguments.file_handle.is_some() || arguments.mount.is_some();
        let root = match given {
            true => root(arguments.mount.as_deref(), arguments.file_handle.as_deref())?,
            false => root(profile.rpc.mount.as_deref(), profile.rpc.file_handle.as_deref())?,
        };
        let rpc = RpcTarget {
            address: rpc.map(|name| resolved("--rpc", name)).transpose()?,
            nfs: profile.rpc.nfs || root.is_some(),
            nfs4: profile.rpc.nfs4,
            root,
            private_data: profile.rpc.private_data,
            listen: profile.rpc.listen.unwrap_or(RpcTarget::default().listen),
            tasks: profile.rpc.tasks.clone(),
            answers: if profile.rpc.tasks.is_empty() { None } else { Some(folder.answers()?) },
        };
        let capabilities = profile.capabilities.clone();
        let left_out = profile.left_out.clone();
        words.extend(arguments.restart.iter().map(|it| format!("--restart {}", quoted(it))));
        let target = Target {
            addresses,
            agents,
            mode,
            capabilities,
            expected_failures,
            either: profile.either.clone(),
            excused_rules: profile.excused_rules.clone(),
            without_crc: profile.without_crc,
            first_fpdu_delay: profile.first_fpdu_delay,
            left_out,
            rpc,
        };
        let name = profile.name.clone().unwrap_or_else(|| target.place());
        let (words, _peers) = (words.join(" "), Vec::new());
        Ok(Self { target, profile, name, words, _peers, _program: None, _folder: folder })
    }

    /// Starts copies of the reference peer that share the work, and its RPC-over-RDMA side, all with these
    /// switches.
    pub(crate) fn reference(copies: u16, switched: Switched<'_>) -> Result<Self> {
        let folder = Folder::make()?;
        let program = Program::hold(folder.path())?;
        let mut peers: Vec<Reference> =
            (0..copies).map(|_| Reference::agent(&program, switched)).collect::<Result<_>>()?;
        let agents = peers.iter().filter_map(|peer| peer.control).collect();
        let server = Reference::start(&program, &folder.server(), switched)?;
        let rpc = RpcTarget {
            address: Some(server.address),
            nfs: true,
            nfs4: true,
            private_data: true,
            tasks: folder.tasks(&program, switched),
            answers: Some(folder.answers()?),
            ..RpcTarget::default()
        };
        peers.push(server);
        let mut words = "--self".to_owned();
        let mut name = "the reference peer".to_owned();
        for (flag, names) in switched.flags() {
            let names = names.join(",");
            words.push_str(&format!(" {flag} {names}"));
            name.push_str(&format!(" with {names}"));
        }
        let target = Target { agents, rpc, ..Target::default() };
        let profile = Profile::default();
        let (_program, _folder) = (Some(program), folder);
        Ok(Self { target, profile, name, words, _peers: peers, _program, _folder })
    }
}

/// Quotes a word for a shell if necessary.
pub(super) fn quoted(word: &str) -> String {
    let plain = |it: char| it.is_ascii_alphanumeric() || "-_./:,+=@%".contains(it);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// Returns the root handle for NFS if it is not mounted over RPC-over-RDMA: from digits, or HOST:PORT/PATH.
fn root(mount: Option<&str>, handle: Option<&str>) -> Result<Option<Vec<u8>>> {
    let root = match (handle, mount) {
        (Some(digits), _) => nfs::handle(digits)?,
        (None, Some(mount)) => {
            let (host, _) = mount.split_once('/').with_context(|| {
                format!("mount {mount}: use HOST:PORT/PATH, such as 192.0.2.7:20048/srv/data")
            })?;
            nfs::mount(host, Credential::None, mount.get(host.len()..).unwrap_or("/"))?
        }
        (None, None) => return Ok(None),
    };
    Ok(Some(root.bytes().to_vec()))
}

fn resolved(flag: &str, name: &str) -> Result<SocketAddr> {
    let found = name
        .to_socket_addrs()
        .with_context(|| format!("{flag} {name}: use HOST:PORT, such as 192.0.2.7:7174"))?
        .next();
    found.with_context(|| format!("{flag} {name}: the host has no address"))
}

/// A listening reference peer, which is stopped on drop.
#[derive(Debug)]
pub(super) struct Reference {
    process: Child,
    pub(super) address: SocketAddr,
    /// The address of its agent, if it has one.
    pub(super) control: Option<SocketAddr>,
    /// The folder with the files of its regions; removed on drop.
    files: Option<TempDir>,
}

impl Reference {
    /// Starts a reference peer with an agent and these switches.
    pub(super) fn agent(program: &Program, switched: Switched<'_>) -> Result<Self> {
        let files = temporary("cannot make a folder for the files of regions")?;
        let mut words: Vec<&OsStr> = ["peer", "agent", "127.0.0.1:0"].map(OsStr::new).to_vec();
        words.extend(
            ["--control", "127.0.0.1:0", "--setup-timeout", "3", "--files"].map(OsStr::new),
        );
        words.push(files.path().as_os_str());
        let mut peer = Self::spawn(program, &words, switched)?;
        peer.files = Some(files);
        Ok(peer)
    }

    /// Starts a reference peer on a free port, with this service and these switches.
    pub(super) fn start(
        program: &Program,
        service: &[OsString],
        switched: Switched<'_>,
    ) -> Result<Self> {
        let listen = ["peer", "listen", "127.0.0.1:0"].map(OsStr::new);
        let words: Vec<&OsStr> =
            listen.into_iter().chain(service.iter().map(OsString::as_os_str)).collect();
        Self::spawn(program, &words, switched)
    }

    fn spawn(program: &Program, words: &[&OsStr], switched: Switched<'_>) -> Result<Self> {
        let mut command = Command::new(program.path());
        command.args(words).arg("--tied");
        for (flag, names) in switched.flags() {
            command.args([flag, &names.join(",")]);
        }
        let mut process = command
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .context("cannot start the reference peer")?;
        let stderr = process.stderr.take();
        let mut lines = BufReader::new(stderr.ok_or_else(|| anyhow!("no pipe"))?).lines();
        let (mut output, mut control) = (Vec::new(), None);
        for line in lines.by_ref().map_while(Result::ok) {
            if let Some(address) = address_after("control at ", &line) {
                control = Some(address);
            } else if let Some(address) = address_after("listening at ", &line) {
                // Keep reading its output, so that it never blocks on a full pipe.
                std::thread::spawn(move || lines.for_each(drop));
                return Ok(Self { process, address, control, files: None });
            }
            output.push(line);
        }
        let _ = process.wait();
        let output = output.join("; ");
        bail!("the reference peer did not start: {}", output.trim_start_matches("warpscope: "))
    }
}

fn address_after(words: &str, line: &str) -> Option<SocketAddr> {
    let rest = line.split_once(words)?.1;
    rest.split_whitespace().next()?.trim_end_matches(':').parse().ok()
}

impl Drop for Reference {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The program that reference peers are started from.
///
/// A build during a run removes or replaces the program's file. Where the system shows its processes as
/// files (Linux), the file is held open, and the started link leads to it: every child process
/// inherits it.
#[derive(Debug)]
pub(super) struct Program {
    path: PathBuf,
    /// The open file that the link leads to.
    _held: Option<File>,
}

impl Program {
    /// Keeps this program available by a link in a folder, which is removed after the run.
    pub(super) fn hold(folder: &Path) -> Result<Self> {
        let path = folder.join("warpscope");
        if let Ok(held) = File::open("/proc/self/exe")
            && fcntl_setfd(&held, FdFlags::empty()).is_ok()
            && symlink(format!("/proc/self/fd/{}", held.as_raw_fd()), &path).is_ok()
        {
            return Ok(Self { path, _held: Some(held) });
        }
        let path = std::env::current_exe().context("cannot find this program's executable")?;
        Ok(Self { path, _held: None })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

/// The sizes in bytes of the files that requesters read: a multiple of an XDR word, not a multiple, and 0.
const FILES: [(&str, usize); 3] = [("file", 8192), ("odd", 1001), ("empty", 0)];
/// The number of names in the folder `many`: more than fit in a short reply.
const NAMES: usize = 60;
/// The length in bytes of the path that the task `long` requests.
const LONG: usize = 1000;

/// A folder that exists during a run.
#[derive(Debug)]
pub(super) struct Folder(TempDir);

impl Folder {
    pub(super) fn make() -> Result<Self> {
        let folder = temporary("cannot make a folder to export")?;
        let failed = || format!("cannot fill the folder {}", folder.path().display());
        fill(folder.path()).with_context(failed)?;
        Ok(Self(folder))
    }

    pub(super) fn path(&self) -> &Path {
        self.0.path()
    }

    fn seen(&self) -> PathBuf {
        self.path().join("seen")
    }

    /// Returns the arguments of a reference peer that exports this folder.
    pub(super) fn server(&self) -> Vec<OsString> {
        let mut export = OsString::from("export=");
        export.push(self.path().join("exported"));
        // The folder is this run's own, and nobody else can enter it.
        vec!["-s".into(), "nfs".into(), "-o".into(), export, "-o".into(), "no-squash".into()]
    }

    /// Returns the commands that start a reference peer as requester.
    pub(super) fn tasks(
        &self,
        program: &Program,
        switched: Switched<'_>,
    ) -> BTreeMap<String, String> {
        let mut front = format!(
            "exec {} peer nfs {{host}}:{{port}} -q --timeout 20",
            quoted(&program.path().display().to_string())
        );
        for (flag, names) in switched.flags() {
            front.push_str(&format!(" {flag} {}", quoted(&names.join(","))));
        }
        let odd = quoted(&self.seen().join("odd").display().to_string());
        let long = "x".repeat(LONG);
        let tasks = [
            ("ping", "null --count 12".to_owned()),
            ("ping-plain-mpa", "--revision 1 null --count 12".to_owned()),
            ("ping-5666bis", "--answer-faulty-replies null --count 12".to_owned()),
            ("callbacks", "--callbacks 4 null --count 12".to_owned()),
            ("stat", "stat file".to_owned()),
            ("list", "ls many".to_owned()),
            ("read", "get file -".to_owned()),
            ("read-odd", "get odd -".to_owned()),
            ("read-plain", "--no-rpc-private-data get file -".to_owned()),
            ("readlink", "readlink link".to_owned()),
            ("write-odd", format!("put {odd} written")),
            ("write-chunk", format!("--form chunked put {odd} written")),
            ("write-segments", format!("--form chunked --longest-segment 400 put {odd} written")),
            ("long", format!("--export /{long} stat file")),
            ("long-plain", format!("--no-rpc-private-data --export /{long} stat file")),
        ];
        let task = |(name, what): (&str, String)| (name.to_owned(), format!("{front} {what}"));
        tasks.into_iter().map(task).collect()
    }

    /// Returns answers to calls from the folder's content.
    pub(super) fn answers(&self) -> Result<RpcAnswers> {
        let options = ExportOptions { key: rand::random(), ..ExportOptions::default() };
        let server = Mutex::new(Server::new(&self.seen(), options)?);
        Ok(RpcAnswers::new(move |call| {
            let mut server = server.lock().unwrap_or_else(PoisonError::into_inner);
            let reply = server.answer(call);
            RpcAnswer { bytes: reply.bytes, eligible: reply.eligible }
        }))
    }
}

/// Creates a folder that is removed on drop.
fn temporary(failed: &'static str) -> Result<TempDir> {
    static ONCE: Once = Once::new();
    ONCE.call_once(remove_left);
    let prefix = format!("{TEMPORARY}{}-", std::process::id());
    tempfile::Builder::new().prefix(&prefix).tempdir().context(failed)
}

/// The prefix of these folders' names; the number of their process follows.
const TEMPORARY: &str = "warpscope-";

/// Removes the folders of killed processes, if the system shows which processes exist.
fn remove_left() {
    let processes = Path::new("/proc");
    if !processes.join("self").exists() {
        return;
    }
    for entry in fs::read_dir(std::env::temp_dir()).into_iter().flatten().flatten() {
        let name = entry.file_name().into_string().unwrap_or_default();
        let process = name.strip_prefix(TEMPORARY).and_then(|rest| rest.split_once('-'));
        let Some((process, _)) = process.filter(|(it, _)| it.parse::<u32>().is_ok()) else {
            continue;
        };
        if !processes.join(process).exists() {
            // A folder of another user stays.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Fills a folder with the files that both sides export.
fn fill(folder: &Path) -> std::io::Result<()> {
    fs::create_dir(folder.join("exported"))?;
    let seen = folder.join("seen");
    fs::create_dir_all(seen.join("many"))?;
    for (name, length) in FILES {
        let bytes: Vec<u8> = (0..length).map(|at| (at % 251) as u8).collect();
        fs::write(seen.join(name), bytes)?;
    }
    for number in 0..NAMES {
        fs::write(seen.join("many").join(format!("one-of-many-names-{number:03}")), b"")?;
    }
    std::os::unix::fs::symlink("file", seen.join("link"))
}
