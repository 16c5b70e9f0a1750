//! The server: dispatches calls, and implements MOUNT. The procedures of version 3 are in `v3` here, those of
//! version 4 in `crate::v4`.

use super::duplicates::{Duplicates, Key};
use super::export::{Export, ExportOptions, Object};
use super::mount::{DUMP, EXPORT, MNT, NULL, UMNT, UMNTALL};
use super::rpc::{
    Answer, Builder, Credential, FLAVORS, OutgoingCall, ProcedureCall, Reader, Refusal, RpcMessage,
    Service, answer_call,
};
use super::v4::numbers::COMPOUND;
use super::v4::{Version4, compound, eligible_arguments};
use super::{LONGEST_MOUNT_PATH, MOUNT, NFS, Status, VERSION, VERSION_4};
use std::ffi::OsStr;
use std::ops::Range;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};
use std::time::Instant;
use v3::{PROCEDURES, eligible_argument};
use warpscope_wire::rpc::RpcView;

mod v3;

/// The error when the folder cannot be exported.
#[derive(Debug, thiserror::Error)]
#[error("cannot export {}: {source}; use a folder that exists and can be read", folder.display())]
pub struct ExportFailed {
    folder: PathBuf,
    source: std::io::Error,
}

/// A server of NFS and MOUNT that exports one folder under the name `/`, and under its own path.
///
/// Every caller acts as the user who runs the server: AUTH_SYS is accepted, but its user and group numbers
/// are ignored. Give access only to those who may do all that this user may do in the folder.
#[derive(Debug)]
pub struct Server {
    export: Export,
    folder: PathBuf,
    /// Mounts that were not unmounted, as the clients reported.
    mounted: Vec<(Vec<u8>, Vec<u8>)>,
    /// The duplicate request cache of version 3.
    duplicates: Duplicates,
    /// The state of version 4.
    version_4: Version4,
    /// The stream of the current call, if calls can be made on it.
    stream: Option<u64>,
}

impl Server {
    /// Creates a server that exports a folder.
    ///
    /// # Errors
    /// [`ExportFailed`] if the folder cannot be opened.
    pub fn new(folder: &Path, options: ExportOptions) -> Result<Self, ExportFailed> {
        let failed = |source| ExportFailed { folder: folder.to_path_buf(), source };
        let path = folder.canonicalize().map_err(failed)?;
        let [a, b, c, d, ..] = options.write_verifier;
        let export = Export::open(&path, options).map_err(|errno| failed(errno.into()))?;
        let version_4 = Version4::new([a, b, c, d]);
        let (mounted, duplicates) = (Vec::new(), Duplicates::default());
        Ok(Self { export, folder: path, mounted, duplicates, version_4, stream: None })
    }

    /// Checks that no version 4 client has a delegation that forbids a change of an object.
    ///
    /// # Errors
    /// [`Status::JUKEBOX`] until those clients have returned their delegations.
    fn undelegated(&mut self, object: &Object) -> Result<(), Status> {
        self.version_4.no_conflict(None, object.identity, Instant::now())
    }

    /// Checks the same for the object with a name in a directory, if there is one.
    ///
    /// # Errors
    /// As [`Self::undelegated`].
    fn unnamed(&mut self, directory: &Object, name: &[u8]) -> Result<(), Status> {
        match self.export.lookup(directory, name) {
            Ok(object) => self.undelegated(&object),
            Err(_) => Ok(()),
        }
    }
}

impl Service for Server {
    const PROGRAMS: &'static [(u32, u32)] = &[(NFS, VERSION), (NFS, VERSION_4), (MOUNT, VERSION)];

    fn call(
        &mut self,
        call: &ProcedureCall,
        arguments: &mut Reader<'_>,
        results: &mut Builder,
    ) -> Result<(), Refusal> {
        if call.program == MOUNT {
            return mount_call(self, call, arguments, results);
        }
        if call.version == VERSION_4 {
            return match call.procedure {
                NULL => Ok(()),
                COMPOUND => {
                    let (version, stream) = (&mut self.version_4, self.stream);
                    compound(version, &mut self.export, stream, arguments, results)
                }
                _ => Err(Refusal::ProcedureUnavailable),
            };
        }
        let handler = PROCEDURES.get(call.procedure as usize);
        let handler = handler.ok_or(Refusal::ProcedureUnavailable)?;
        let key = Key::of(call, self.stream, arguments.rest());
        if let Some(again) = key.as_ref().and_then(|key| self.duplicates.results(key)) {
            results.fixed(again);
            return Ok(());
        }
        let start = results.written();
        handler(self, arguments, results)?;
        if let Some(key) = key {
            self.duplicates.keep(key, results.bytes.get(start..).unwrap_or_default());
        }
        Ok(())
    }
}

impl Answer for Server {
    fn answer(&mut self, call: &[u8]) -> RpcMessage {
        answer_call(self, call)
    }

    fn may_take_out(&self, call: &[u8], item: Range<usize>) -> bool {
        eligible_in(call).iter().any(|eligible| {
            // With its round-up or without (RFC 8166 section 3.4.5).
            let ends = [eligible.end, eligible.end.next_multiple_of(4)];
            item.start == eligible.start && ends.contains(&item.end)
        })
    }

    fn answer_on(&mut self, stream: u64, call: &[u8]) -> RpcMessage {
        self.stream = Some(stream);
        let reply = self.answer(call);
        self.stream = None;
        reply
    }

    fn backward(&mut self) -> Option<(u64, OutgoingCall)> {
        self.version_4.call()
    }

    fn replied(&mut self, stream: u64, reply: Option<&[u8]>) {
        self.version_4.called(stream, reply);
    }

    fn gone(&mut self, stream: u64) {
        self.duplicates.gone(stream);
        self.version_4.gone(stream);
    }
}

/// Returns the ranges of a call's arguments that may move by chunks.
fn eligible_in(call: &[u8]) -> Vec<Range<usize>> {
    match RpcView::parse(call) {
        Ok((RpcView::Call(view), arguments))
            if (view.program, view.program_version, view.procedure)
                == (NFS, VERSION_4, COMPOUND) =>
        {
            eligible_arguments(call.len(), &mut Reader::new(arguments)).unwrap_or_default()
        }
        _ => eligible_argument(call).into_iter().collect(),
    }
}

// MOUNT version 3 (RFC 1813 appendix I).

/// The most mounts that are kept for DUMP.
const MOST_MOUNTED: usize = 1024;

/// The error statuses of MOUNT; any other error is a server fault.
const MOUNT_STATUSES: [Status; 8] = [
    Status::PERM,
    Status::NOENT,
    Status::IO,
    Status::ACCES,
    Status::NOTDIR,
    Status::INVAL,
    Status::NAMETOOLONG,
    Status::NOTSUPP,
];

fn mount_call(
    server: &mut Server,
    call: &ProcedureCall,
    arguments: &mut Reader<'_>,
    results: &mut Builder,
) -> Result<(), Refusal> {
    let machine = match &call.credential {
        Credential::Sys(user) => user.machine_name.clone(),
        Credential::None => Vec::new(),
    };
    match call.procedure {
        NULL => {}
        MNT => {
            let path = arguments.opaque("path", LONGEST_MOUNT_PATH)?;
            match handle_of(server, path) {
                Ok(handle) => {
                    results.word(0).opaque(&handle).word(FLAVORS.len() as u32);
                    for flavor in FLAVORS {
                        results.word(flavor);
                    }
                    let entry = (machine, path.to_vec());
                    if server.mounted.len() < MOST_MOUNTED && !server.mounted.contains(&entry) {
                        server.mounted.push(entry);
                    }
                }
                Err(status) => {
                    let known = MOUNT_STATUSES.contains(&status);
                    results.word(if known { status.0 } else { Status::SERVERFAULT.0 });
                }
            }
        }
        DUMP => {
            for (machine, path) in &server.mounted {
                results.boolean(true).opaque(machine).opaque(path);
            }
            results.boolean(false);
        }
        UMNT => {
            let path = arguments.opaque("path", LONGEST_MOUNT_PATH)?;
            server.mounted.retain(|(by, at)| *by != machine || at != path);
        }
        UMNTALL => server.mounted.retain(|(by, _)| *by != machine),
        EXPORT => {
            // One folder and no groups: everybody may mount it.
            let folder = server.folder.as_os_str().as_bytes();
            results.boolean(true).opaque(folder).boolean(false).boolean(false);
        }
        _ => return Err(Refusal::ProcedureUnavailable),
    }
    Ok(())
}

/// Returns the handle of a path to mount: the folder, by its own path or `/`, or a directory below it.
fn handle_of(server: &mut Server, path: &[u8]) -> Result<Vec<u8>, Status> {
    let path = Path::new(OsStr::from_bytes(path));
    if !path.is_absolute() {
        return Err(Status::ACCES);
    }
    let below = path.strip_prefix(&server.folder).unwrap_or(path).to_path_buf();
    let mut object = server.export.root()?;
    for component in below.components() {
        match component {
            Component::RootDir | Component::CurDir => {}
            Component::Normal(name) => {
                object = server.export.lookup(&object, name.as_bytes())?;
                if !object.is_directory() {
                    return Err(Status::NOTDIR);
                }
            }
            Component::ParentDir | Component::Prefix(_) => return Err(Status::ACCES),
        }
    }
    Ok(server.export.handle(&object))
}
