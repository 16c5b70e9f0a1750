//! The server and the table of its procedures.

use super::{data, directory, mount, names, objects, system};
use crate::attributes::{Attributes, BeforeAndAfter, NewAttributes};
use crate::export::{Export, ExportOptions, Object};
use crate::rpc::{
    Answer, Builder, ProcedureCall, Reader, Refusal, RpcMessage, Service, answer_call,
};
use crate::{LONGEST_HANDLE, MOUNT, NFS, Status, VERSION, procedure};
use std::ops::Range;
use std::path::{Path, PathBuf};
use warpscope_wire::Malformed;
use warpscope_wire::rpc::RpcView;

/// The folder cannot be exported.
#[derive(Debug, thiserror::Error)]
#[error("cannot export {}: {source}; name a folder that exists and may be read", folder.display())]
pub struct ExportFailed {
    folder: PathBuf,
    source: std::io::Error,
}

/// A server of NFS and MOUNT that exports one folder under the name `/`, and under its own path.
///
/// Every caller acts as the user who runs the server: AUTH_SYS is taken, and its numbers are not looked
/// at. Give only those a way to it who may do all that this user may do in the folder.
#[derive(Debug)]
pub struct Server {
    pub(super) export: Export,
    pub(super) folder: PathBuf,
    /// What was mounted and not unmounted, as the clients said.
    pub(super) mounted: Vec<(Vec<u8>, Vec<u8>)>,
}

/// Takes the arguments of a procedure, and adds its results.
pub(super) type Handler = fn(&mut Server, &mut Reader<'_>, &mut Builder) -> Result<(), Malformed>;

/// The procedures of NFS, from 0.
const PROCEDURES: [Handler; 22] = [
    |_, _, _| Ok(()),
    objects::attributes,
    objects::set_attributes,
    objects::lookup,
    objects::access,
    objects::read_link,
    data::read,
    data::write,
    names::create,
    names::make_directory,
    names::make_link,
    names::make_node,
    names::remove_file,
    names::remove_directory,
    names::rename,
    names::link,
    directory::read_directory,
    directory::read_directory_plus,
    system::statistics,
    system::information,
    system::limits,
    data::commit,
];

impl Server {
    /// Exports a folder.
    ///
    /// # Errors
    /// [`ExportFailed`] when the folder cannot be opened.
    pub fn new(folder: &Path, options: ExportOptions) -> Result<Self, ExportFailed> {
        let failed = |source| ExportFailed { folder: folder.to_path_buf(), source };
        let path = folder.canonicalize().map_err(failed)?;
        let export = Export::open(&path, options).map_err(|errno| failed(errno.into()))?;
        Ok(Self { export, folder: path, mounted: Vec::new() })
    }
}

impl Service for Server {
    const PROGRAMS: &'static [(u32, u32)] = &[(NFS, VERSION), (MOUNT, VERSION)];

    fn call(
        &mut self,
        call: &ProcedureCall,
        arguments: &mut Reader<'_>,
        results: &mut Builder,
    ) -> Result<(), Refusal> {
        if call.program == MOUNT {
            return mount::call(self, call, arguments, results);
        }
        let handler = PROCEDURES.get(call.procedure as usize);
        let handler = handler.ok_or(Refusal::ProcedureUnavailable)?;
        Ok(handler(self, arguments, results)?)
    }
}

impl Answer for Server {
    fn answer(&mut self, call: &[u8]) -> RpcMessage {
        answer_call(self, call)
    }

    fn may_take_out(&self, call: &[u8], item: Range<usize>) -> bool {
        let Some(eligible) = eligible_argument(call) else { return false };
        // With its round-up or without (RFC 8166 section 3.4.5).
        let ends = [eligible.end, eligible.end.next_multiple_of(4)];
        item.start == eligible.start && ends.contains(&item.end)
    }
}

/// The argument that may move by itself: the data of a WRITE, the target of a SYMLINK (RFC 8267
/// section 4).
fn eligible_argument(call: &[u8]) -> Option<Range<usize>> {
    let (RpcView::Call(view), arguments) = RpcView::parse(call).ok()? else { return None };
    let mut reader = Reader::new(arguments);
    match (view.program, view.program_version, view.procedure) {
        (NFS, VERSION, procedure::WRITE) => {
            handle(&mut reader).ok()?;
            // Offset, count, stability.
            reader.fixed::<16>("place").ok()?;
        }
        (NFS, VERSION, procedure::SYMLINK) => {
            place(&mut reader).ok()?;
            NewAttributes::read(&mut reader).ok()?;
        }
        _ => return None,
    }
    let start = call.len() - reader.rest().len() + 4;
    let length = reader.opaque("eligible argument", u32::MAX).ok()?.len();
    Some(start..start + length)
}

/// A file handle among arguments.
pub(super) fn handle<'a>(arguments: &mut Reader<'a>) -> Result<&'a [u8], Malformed> {
    arguments.opaque("file handle", LONGEST_HANDLE)
}

/// A directory and a name among arguments (diropargs3).
pub(super) fn place<'a>(arguments: &mut Reader<'a>) -> Result<(&'a [u8], &'a [u8]), Malformed> {
    Ok((handle(arguments)?, arguments.opaque("name", u32::MAX)?))
}

/// The status of an outcome.
pub(super) fn status<T>(outcome: &Result<T, Status>, results: &mut Builder) {
    results.word(outcome.as_ref().err().unwrap_or(&Status::OK).0);
}

/// The attributes that an object has now, if it was reached (post_op_attr).
pub(super) fn now(object: &Result<Object, Status>, results: &mut Builder) {
    let attributes = object.as_ref().ok().and_then(Object::attributes_now);
    Attributes::write_optional(attributes.as_ref(), results);
}

/// What an object was when it was reached, and what it is now (wcc_data).
pub(super) fn change(object: &Result<Object, Status>, results: &mut Builder) {
    let known = object.as_ref().ok().map(Object::attributes);
    BeforeAndAfter {
        before: known.map(|known| (known.size, known.modified, known.changed)),
        after: object.as_ref().ok().and_then(Object::attributes_now),
    }
    .write(results);
}
