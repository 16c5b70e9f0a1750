//! MOUNT version 3 (RFC 1813 appendix I).

use super::serve::Server;
use crate::rpc::{Builder, Credential, ProcedureCall, Reader, Refusal};
use crate::{LONGEST_MOUNT_PATH, Status, mount};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path};

/// The most mounts that are remembered for DUMP.
const MOST_MOUNTED: usize = 1024;
/// AUTH_NONE and AUTH_SYS: the latter first, as it is what clients look for.
const FLAVORS: [u32; 2] = [1, 0];

/// The failures that MOUNT has; all others are the server's fault.
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

pub(super) fn call(
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
        mount::NULL => {}
        mount::MNT => {
            let path = arguments.opaque("path", LONGEST_MOUNT_PATH)?;
            match handle(server, path) {
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
        mount::DUMP => {
            for (machine, path) in &server.mounted {
                results.boolean(true).opaque(machine).opaque(path);
            }
            results.boolean(false);
        }
        mount::UMNT => {
            let path = arguments.opaque("path", LONGEST_MOUNT_PATH)?;
            server.mounted.retain(|(by, at)| *by != machine || at != path);
        }
        mount::UMNTALL => server.mounted.retain(|(by, _)| *by != machine),
        mount::EXPORT => {
            // One folder, and no groups: everybody.
            let folder = server.folder.as_os_str().as_bytes();
            results.boolean(true).opaque(folder).boolean(false).boolean(false);
        }
        _ => return Err(Refusal::ProcedureUnavailable),
    }
    Ok(())
}

/// The handle of what is mounted: the folder, by its own path or `/`, or a directory beneath.
fn handle(server: &mut Server, path: &[u8]) -> Result<Vec<u8>, Status> {
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
