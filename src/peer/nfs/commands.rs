//! The commands for files.

use super::show::{self, Line, LineError};
use crate::cli::{CallFormChoice, NfsArguments, NfsCommand, NfsVersion};
use crate::failure::{OutputError, complain};
use crate::peer::run::{address, host};
use crate::peer::services::Given;
use crate::peer::tap;
use crate::terminal::{Stop, copying, print, standard_output};
use anyhow::{Context as _, Result, anyhow, bail};
use rustix::process::{getegid, geteuid};
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::net::SocketAddr;
use std::ops::Range;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use warpscope_nfs::client::{Client, Files, FilesError, Nfs, ResultError, SessionConfig};
use warpscope_nfs::rpc::{
    Answer, AuthSys, CallError, CallHeader, Credential, OutgoingCall, REPLY_HEADER, RpcMessage,
    begin_call, results_of,
};
use warpscope_nfs::rpcrdma::{CallForm, RpcRdmaConfig};
use warpscope_nfs::{ExportOptions, FileType, NFS, Rpc, Server, Status, VERSION, VERSION_4};
use warpscope_peer::connection::Role;
use warpscope_peer::service::Service;
use warpscope_wire::mpa::RdmaPrivateData;

type Error = FilesError<LineError>;

/// Advice for a status.
const ADVICE: &[(Status, &str)] = &[
    (Status::NOENT, "use ls to list the names"),
    (Status::ACCES, "ask the server's administrator for the right, or use another --user"),
    (Status::PERM, "ask the server's administrator for the right, or use another --user"),
    (Status::ROFS, "the server is read-only"),
    (Status::NOTEMPTY, "remove its contents first"),
    (Status::EXIST, "remove it first, or use another name"),
    (Status::ISDIR, "name a file in it; rmdir removes a folder"),
    (Status::NOTDIR, "only folders have names below them, and symbolic links are not followed"),
    (Status::INVAL, "symbolic links are not followed: readlink shows the target"),
    (Status::SYMLINK, "symbolic links are not followed: readlink shows the target"),
    (Status::MINOR_VERS_MISMATCH, "try another --vers"),
    (Status::SHARE_DENIED, "another client has it open and does not share it; try again later"),
    (Status::GRACE, "the server's grace period is over; try again later"),
    (Status::STALE, "it was removed in the meantime; try again"),
    (Status::NOSPC, "make room on the server"),
    (Status::DQUOT, "make room on the server"),
    (Status::JUKEBOX, "try again later"),
];

/// Returns the error with the attempted action and advice.
pub(super) fn explained(what: &str, error: &Error) -> anyhow::Error {
    let advice = match error {
        FilesError::Result(error) => {
            let status = error.status();
            ADVICE.iter().find(|(known, _)| Some(*known) == status).map(|(_, advice)| *advice)
        }
        _ => None,
    };
    match advice {
        Some(advice) => anyhow!("{what}: {error}; {advice}"),
        None => anyhow!("{what}: {error}"),
    }
}

fn run<'a, N: Nfs<Session = &'a mut Line>>(
    files: &mut Files<N>,
    command: &NfsCommand,
) -> Result<ExitCode> {
    let failed = |what: &str| {
        let what = what.to_owned();
        move |error: Error| explained(&what, &error)
    };
    match command {
        NfsCommand::Ls { long, path } => {
            let entries = files.list(path.as_bytes()).map_err(failed(path))?;
            print(|out, look| show::list(entries, *long, look, out))?;
        }
        // Done without a mount.
        NfsCommand::Null { .. } => {}
        NfsCommand::Get { remote, local } => get(files, remote, local.as_deref())?,
        NfsCommand::Put { local, remote } => put(files, local, remote.as_deref())?,
        NfsCommand::Mkdir { paths } => {
            return each(paths, |path| files.make_directory(path.as_bytes()));
        }
        NfsCommand::Rm { paths } => return each(paths, |path| files.remove(path.as_bytes())),
        NfsCommand::Rmdir { paths } => {
            return each(paths, |path| files.remove_directory(path.as_bytes()));
        }
        NfsCommand::Mv { from, to } => {
            files.rename(from.as_bytes(), to.as_bytes()).map_err(failed(from))?;
        }
        NfsCommand::Ln { symbolic: true, target, path } => {
            files.make_link(path.as_bytes(), target.as_bytes()).map_err(failed(path))?;
        }
        NfsCommand::Ln { symbolic: false, target, path } => {
            files.link(target.as_bytes(), path.as_bytes()).map_err(failed(path))?;
        }
        NfsCommand::Readlink { paths } => {
            let (mut out, _) = standard_output();
            let code = each(paths, |path| {
                let target = files.read_link(path.as_bytes())?;
                Ok(writeln!(out, "{}", show::name(&target))?)
            })?;
            out.flush().map_err(OutputError)?;
            return Ok(code);
        }
        NfsCommand::Stat { paths } => {
            let (mut out, look) = standard_output();
            let code = each(paths, |path| {
                let attributes = files.attributes(path.as_bytes())?;
                Ok(show::attributes(path, &attributes, look, &mut *out)?)
            })?;
            out.flush().map_err(OutputError)?;
            return Ok(code);
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Applies an action to each path; reports failures.
fn each(paths: &[String], mut act: impl FnMut(&str) -> Result<(), Error>) -> Result<ExitCode> {
    let mut failures = 0;
    for path in paths {
        match act(path) {
            Ok(()) => {}
            // After a session error no further calls are possible.
            Err(error @ FilesError::Session(_)) => return Err(explained(path, &error)),
            Err(FilesError::Local(error)) => return Err(OutputError(error).into()),
            Err(error) => {
                complain(&explained(path, &error).to_string());
                failures += 1;
            }
        }
    }
    Ok(match failures {
        0 => ExitCode::SUCCESS,
        all if all == paths.len() => ExitCode::from(2),
        _ => ExitCode::FAILURE,
    })
}

// `warpscope peer nfs`: connects to the server, runs the command, and disconnects cleanly.

/// The name of this machine that AUTH_SYS gives; servers go by the address.
const MACHINE: &[u8] = b"warpscope";

pub(crate) fn act_as_client(arguments: &NfsArguments) -> Result<ExitCode> {
    let common = &arguments.common;
    let mut config = crate::peer::run::config(Role::Initiator, common)?;
    if !common.private_data.is_empty() {
        bail!("--private-data: the private data of RFC 8797 is sent instead");
    }
    let longest = inline("--inline ", arguments.inline)?;
    let mut rpc = RpcRdmaConfig {
        credits_asked: arguments.credits,
        send_size: longest,
        receive_size: longest,
        private_data: !arguments.no_rpc_private_data,
        form: match arguments.form {
            CallFormChoice::Shortest => CallForm::Shortest,
            CallFormChoice::Chunked => CallForm::Chunked,
            CallFormChoice::Long => CallForm::Long,
        },
        answers_faulty_replies: arguments.answer_faulty_replies,
        longest_segment: arguments.longest_segment.unwrap_or(u32::MAX),
        longest_call: BESIDE_DATA,
        bugs: config.bugs,
        ..RpcRdmaConfig::client(callbacks(arguments))
    };
    rpc.vary(config.variants);
    config.setup.private_data = rpc.private_data();
    let timeout = Duration::try_from_secs_f64(arguments.timeout)
        .map_err(|_| anyhow!("--timeout {}: use seconds, such as 2 or 0.5", arguments.timeout))?;
    let address = address(&arguments.address)?;
    let mut host = host(common, 1, None)?;
    let stop = Stop::on_signals()?;
    let mut recording = None;
    if let Some((begun, tap)) = tap::begin(common, address)? {
        recording = Some(begun);
        if let Some(tap) = tap {
            host.tap(tap);
        }
    }
    let mut line = Line::new(host, rpc, (address, config, true), timeout, stop);
    let worked = work(&mut line, arguments);
    // The tap is dropped with the line: only then is everything recorded.
    let ended = line.end();
    if let Some(recording) = recording {
        recording.finish()?;
    }
    let code = worked?;
    ended.context("a system call on the sockets failed")?;
    Ok(code)
}

fn work(line: &mut Line, arguments: &NfsArguments) -> Result<ExitCode> {
    line.open()?;
    line.pass(Duration::from_millis(arguments.pause.into()))?;
    let user = arguments.user.unwrap_or_else(|| geteuid().as_raw());
    let group = arguments.group.unwrap_or_else(|| getegid().as_raw());
    let caller = AuthSys { stamp: 0, machine_name: MACHINE.to_vec(), user, group, groups: vec![] };
    let credential = Credential::Sys(caller);
    let version = minor(arguments).map_or(VERSION, |_| VERSION_4);
    if let NfsCommand::Null { count } = &arguments.command {
        return null(line, &credential, version, *count);
    }
    let client =
        Client::new(rand::random(), credential.clone()).context("the credential cannot be sent")?;
    match minor(arguments) {
        None => with_mount(line, client, arguments),
        Some(minor) => with_session(line, client, minor, arguments),
    }
}

/// Returns the minor version of version 4.
fn minor(arguments: &NfsArguments) -> Option<u32> {
    match arguments.vers {
        NfsVersion::Three => None,
        NfsVersion::FourOne => Some(1),
        NfsVersion::FourTwo => Some(2),
    }
}

/// Returns how many calls of the server are accepted at the same time.
fn callbacks(arguments: &NfsArguments) -> u32 {
    let usual = if minor(arguments).is_some() { 4 } else { 0 };
    arguments.callbacks.unwrap_or(usual)
}

/// Runs the command, and ends the mount or the session.
fn finished<'a, N: Nfs<Session = &'a mut Line>>(
    mut files: Files<N>,
    arguments: &NfsArguments,
    leaving: &str,
) -> Result<ExitCode> {
    let worked = run(&mut files, &arguments.command);
    let left = files.unmount();
    let code = worked?;
    left.map_err(|error| explained(leaving, &error))?;
    Ok(code)
}

/// Version 3: mounts the export.
fn with_mount(line: &mut Line, client: Client, arguments: &NfsArguments) -> Result<ExitCode> {
    let export = &arguments.export;
    let host = arguments.mount.clone();
    let credential = client.credential().clone();
    let root = match &arguments.file_handle {
        Some(digits) => Some(super::handle(digits)?),
        None => host.map(|host| super::mount(&host, credential.clone(), export)).transpose()?,
    };
    let failed = |error: Error| explained(&format!("mounting {export}"), &error);
    let mounted = match root {
        Some(root) => Files::below(&mut *line, client.clone(), root),
        None => Files::mount(&mut *line, client.clone(), export.as_bytes()),
    };
    let files = match mounted {
        Err(error) if is_program_unavailable(&error) => {
            let host = line.address().ip().to_string();
            let root = super::mount(&host, credential, export).with_context(
                || "the server has no MOUNT over RPC-over-RDMA (--mount, --file-handle)",
            )?;
            Files::below(line, client, root).map_err(failed)?
        }
        mounted => mounted.map_err(failed)?,
    };
    finished(files, arguments, &format!("unmounting {export}"))
}

/// Bytes of the transport's header before a message without chunks (RFC 8166 section 4).
const TRANSPORT_HEADER: usize = 28;

/// Version 4: creates a session.
fn with_session(
    line: &mut Line,
    client: Client,
    minor: u32,
    arguments: &NfsArguments,
) -> Result<ExitCode> {
    if arguments.mount.is_some() {
        bail!("--mount: version 4 has no MOUNT; --export names the folder");
    }
    let inline = line.inline().unwrap_or(0).saturating_sub(TRANSPORT_HEADER);
    let config = SessionConfig {
        minor,
        owner: [MACHINE, &rand::random::<[u8; 16]>()].concat(),
        verifier: rand::random(),
        longest_callback: (callbacks(arguments) > 0).then_some(inline as u32),
    };
    let callbacks = line.callbacks();
    let (export, root) = match &arguments.file_handle {
        Some(digits) => ("/", Some(super::handle(digits)?)),
        None => (arguments.export.as_str(), None),
    };
    let files = Files::begin(line, client, &config, callbacks, export.as_bytes());
    let files = files.map_err(|error| explained(&format!("mounting {export}"), &error))?;
    let files = match root {
        Some(root) => files.at(root),
        None => files,
    };
    finished(files, arguments, "ending the session")
}

/// Whether the server does not have the program that was called (PROG_UNAVAIL, RFC 5531 section 9).
fn is_program_unavailable(error: &Error) -> bool {
    matches!(error, FilesError::Result(ResultError::Call(CallError::Refused { status: 1, .. })))
}

/// Calls NULL, with as many calls in parallel as credits allow.
fn null(line: &mut Line, credential: &Credential, version: u32, count: u32) -> Result<ExitCode> {
    let first: u32 = rand::random();
    let xids: Vec<u32> = (0..count).map(|number| first.wrapping_add(number)).collect();
    let call = |xid: &u32| -> Result<OutgoingCall> {
        let (program, procedure) = (NFS, 0);
        let header = CallHeader { xid: *xid, program, version, procedure, credential };
        let builder = begin_call(&header).context("the credential cannot be sent")?;
        let longest_reply = REPLY_HEADER;
        Ok(OutgoingCall { message: builder.finish(), result_room: Vec::new(), longest_reply })
    };
    let calls = xids.iter().map(call).collect::<Result<Vec<_>>>()?;
    for (reply, xid) in line.replies(calls)?.iter().zip(xids) {
        results_of(reply, xid)?;
    }
    Ok(ExitCode::SUCCESS)
}

// The service: a folder, over RPC-over-RDMA, and over plain TCP if requested.

/// Bytes of a call without its data: more than the longest header and the longest names need.
pub(super) const BESIDE_DATA: u32 = 64 * 1024;
/// The most bytes of data that one call may have.
const MOST_DATA: u32 = 64 << 20;
/// The most calls that are accepted at the same time.
const MOST_CREDITS: u32 = 65_536;

/// Options: name, default, meaning.
pub(crate) const OPTIONS: &[(&str, &str, &str)] = &[
    ("export", "", "the folder to serve (required)"),
    ("read-only", "false", "true refuses all changes"),
    (
        "no-squash",
        "false",
        "true gives callers root's rights if root runs the server; false makes such a server run as nobody",
    ),
    ("tcp", "", "ADDRESS:PORT to answer at over plain TCP as well, for the MOUNT of Linux"),
    ("data", "1048576", "most bytes of a READ or WRITE, a multiple of 4096"),
    ("credits", "32", "calls accepted at once on each stream"),
    ("inline", "4096", "bytes of the longest message sent or accepted inline, a multiple of 1024"),
    ("private-data", "true", "false sends no private data of RFC 8797"),
    ("invalidation", "true", "false has replies invalidate no Steering Tags"),
];

/// The server, shared by everything that answers with it.
#[derive(Debug, Clone)]
pub(super) struct Shared(Arc<Mutex<Server>>);

impl Shared {
    /// Locks the server. A panic during a call leaves nothing half done, so poisoning is ignored.
    fn server(&self) -> MutexGuard<'_, Server> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Answer for Shared {
    fn answer(&mut self, call: &[u8]) -> RpcMessage {
        self.server().answer(call)
    }

    fn may_take_out(&self, call: &[u8], item: Range<usize>) -> bool {
        self.server().may_take_out(call, item)
    }

    fn answer_on(&mut self, stream: u64, call: &[u8]) -> RpcMessage {
        self.server().answer_on(stream, call)
    }

    fn backward(&mut self) -> Option<(u64, OutgoingCall)> {
        self.server().backward()
    }

    fn replied(&mut self, stream: u64, reply: Option<&[u8]>) {
        self.server().replied(stream, reply);
    }

    fn gone(&mut self, stream: u64) {
        self.server().gone(stream);
    }
}

pub(crate) fn build(given: &Given<'_>) -> Result<Box<dyn Service>> {
    if given.remote.is_some() {
        bail!(
            "-s nfs serves files and needs a listener; to use the files of a server: `warpscope \
             peer nfs HOST:PORT ls`"
        );
    }
    let folder = given.text("export");
    if folder.is_empty() {
        bail!("-s nfs needs a folder to serve: -o export=FOLDER");
    }
    let most_data: u32 = given.value("data")?;
    if most_data == 0 || most_data > MOST_DATA || !most_data.is_multiple_of(4096) {
        bail!("-o data={most_data}: use a multiple of 4096, up to {MOST_DATA}");
    }
    let options = ExportOptions {
        read_only: given.value("read-only")?,
        key: rand::random(),
        write_verifier: rand::random(),
        most_data,
    };
    let server = Server::new(Path::new(folder), options)?;
    let shared = Shared(Arc::new(Mutex::new(server)));
    if !given.value::<bool>("no-squash")? {
        given.squash();
    }
    let credits: u32 = given.value("credits")?;
    if credits == 0 || credits > MOST_CREDITS {
        bail!("-o credits={credits}: use 1 to {MOST_CREDITS}");
    }
    let longest = inline("-o inline=", given.value("inline")?)?;
    let config = RpcRdmaConfig {
        send_size: longest,
        receive_size: longest,
        private_data: given.value("private-data")?,
        remote_invalidation: given.value("invalidation")?,
        longest_call: most_data + BESIDE_DATA,
        ..RpcRdmaConfig::server(credits)
    };
    let plain = given.text("tcp");
    if !plain.is_empty() {
        let address: SocketAddr = given.value("tcp")?;
        let most = (most_data + BESIDE_DATA) as usize;
        let bound = show::listen(address, &shared, most)
            .with_context(|| format!("-o tcp={plain}: cannot listen there; try another port"))?;
        given.note(format!("listening at {bound}: nfs and mount over plain TCP"));
    }
    Ok(Box::new(Rpc::new(shared, config, RpcRdmaConfig::client(0))))
}

/// Checks that private data can express an inline threshold (RFC 8797 section 4).
pub(super) fn inline(flag: &str, bytes: u32) -> Result<u32> {
    if RdmaPrivateData::new(false, bytes, bytes).is_err() {
        bail!("{flag}{bytes}: use a multiple of 1024, from 1024 to 262144");
    }
    Ok(bytes)
}

// Copies files from the server, and to it.

/// The name of standard input or output.
const STANDARD: &str = "-";

fn get<'a, N: Nfs<Session = &'a mut Line>>(
    files: &mut Files<N>,
    remote: &str,
    local: Option<&Path>,
) -> Result<()> {
    let known = files.attributes(remote.as_bytes()).map_err(|error| explained(remote, &error))?;
    match known.file_type {
        FileType::Regular => {}
        FileType::Directory => bail!("{remote} is a folder: get copies files; ls lists it"),
        FileType::SymbolicLink => {
            bail!("{remote} is a symbolic link: get its target, which readlink shows")
        }
        _ => bail!("{remote} is not a regular file: nothing can be read from it over NFS"),
    }
    if local.is_some_and(|local| local.as_os_str() == STANDARD) {
        let (mut to, _) = standard_output();
        return match files.read(remote.as_bytes(), &mut to).and_then(|_| Ok(to.flush()?)) {
            Err(FilesError::Local(error)) => Err(OutputError(error).into()),
            other => other.map_err(|error| explained(remote, &error)),
        };
    }
    let local = destination(remote, local)?;
    // A device or pipe is written directly; a file is replaced after its content is complete.
    let replaced = fs::metadata(&local).map_or(true, |it| it.is_file());
    let beside = if replaced { partial(&local)? } else { local.clone() };
    let named = || format!("cannot write {}: check the folder and the disk", beside.display());
    let file = match replaced {
        true => File::create_new(&beside),
        false => File::options().write(true).open(&beside),
    };
    let progress = copying(known.size);
    let mut to = progress.wrap_write(file.with_context(named)?);
    let copied = files.read(remote.as_bytes(), &mut to);
    progress.finish_and_clear();
    drop(to);
    let copied = match copied {
        Err(FilesError::Local(error)) => Err(error).with_context(named),
        other => other.map_err(|error| explained(remote, &error)),
    };
    if !replaced {
        return copied.map(|_| ());
    }
    let kept = copied.and_then(|_| fs::rename(&beside, &local).with_context(named));
    if kept.is_err() {
        let _ = fs::remove_file(&beside);
    }
    kept
}

fn destination(remote: &str, local: Option<&Path>) -> Result<PathBuf> {
    let last = || remote.split('/').rfind(|name| !name.is_empty());
    let name = || last().ok_or_else(|| anyhow!("{remote}: name a file"));
    Ok(match local {
        None => PathBuf::from(name()?),
        Some(folder) if folder.is_dir() => folder.join(name()?),
        Some(file) => file.to_path_buf(),
    })
}

/// Returns a temporary name next to a file, for incomplete content.
fn partial(file: &Path) -> Result<PathBuf> {
    let name = file.file_name().ok_or_else(|| anyhow!("{}: name a file", file.display()))?;
    let mut partial = OsString::from(".");
    partial.push(name);
    partial.push(format!(".{:08x}.partial", rand::random::<u32>()));
    Ok(file.with_file_name(partial))
}

fn put<'a, N: Nfs<Session = &'a mut Line>>(
    files: &mut Files<N>,
    local: &Path,
    remote: Option<&str>,
) -> Result<()> {
    let standard = local.as_os_str() == STANDARD;
    let name = local.file_name().filter(|_| !standard).map(OsStr::as_bytes);
    let remote = match (remote, name) {
        (Some(folder), Some(name)) if folder.ends_with('/') => [folder.as_bytes(), name].concat(),
        (Some(remote), _) => remote.as_bytes().to_vec(),
        (None, Some(name)) => name.to_vec(),
        (None, None) => bail!("{}: name the file on the server too", local.display()),
    };
    let (inner, size): (Box<dyn Read>, u64) = if standard {
        (Box::new(io::stdin().lock()), 0)
    } else {
        let cannot = || format!("cannot read {}: check the name", local.display());
        let file = File::open(local).with_context(cannot)?;
        let known = file.metadata().with_context(cannot)?;
        if known.is_dir() {
            bail!("{} is a folder: put copies files; mkdir makes a folder", local.display());
        }
        (Box::new(file), known.len())
    };
    let progress = copying(size);
    let copied = files.write(&remote, &mut progress.wrap_read(inner));
    progress.finish_and_clear();
    match copied {
        Err(FilesError::Local(error)) => {
            Err(error).with_context(|| format!("cannot read {} to its end", local.display()))
        }
        other => other.map(|_| ()).map_err(|error| explained(&super::show::name(&remote), &error)),
    }
}
