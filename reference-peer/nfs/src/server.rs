//! The server: one file for each kind of procedure, a table that lists them.

use super::duplicates::{Duplicates, Key};
use super::export::{Creation, Export, ExportOptions, FILE_SYNC, Object, entries};
use super::mount::{DUMP, EXPORT, MNT, NULL, UMNT, UMNTALL};
use super::protocol::{BeforeAndAfter, FileType, NewAttributes, Time};
use super::rpc::{
    self, Answer, Builder, Credential, OutgoingCall, ProcedureCall, Reader, Refusal, RpcMessage,
    Service, answer_call,
};
use super::v4::{Version4, compound, eligible_arguments};
use super::{
    LONGEST_HANDLE, LONGEST_MOUNT_PATH, MOUNT, NFS, Status, VERSION, VERSION_4, procedure,
};
use std::ffi::OsStr;
use std::ops::Range;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};
use std::time::Instant;
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
    export: Export,
    folder: PathBuf,
    /// What was mounted and not unmounted, as the clients said.
    mounted: Vec<(Vec<u8>, Vec<u8>)>,
    /// What version 3 remembers, of calls that may come again.
    duplicates: Duplicates,
    /// What version 4 remembers.
    version_4: Version4,
    /// Where the call that is answered came, if calls can be made there.
    stream: Option<u64>,
}

/// The procedure of version 4 that does all (RFC 8881 section 16.2).
const COMPOUND: u32 = 1;

type Done = Result<(), Malformed>;

/// Takes the arguments of a procedure, and adds its results.
type Handler = fn(&mut Server, &mut Reader<'_>, &mut Builder) -> Done;

/// The procedures of NFS, from 0.
const PROCEDURES: [Handler; 22] = [
    |_, _, _| Ok(()),
    attributes,
    set_attributes,
    lookup,
    access,
    read_link,
    read,
    write,
    create,
    make_directory,
    make_link,
    make_node,
    |server, arguments, results| remove(server, arguments, results, false),
    |server, arguments, results| remove(server, arguments, results, true),
    rename,
    link,
    |server, arguments, results| read_directory(server, arguments, results, false),
    |server, arguments, results| read_directory(server, arguments, results, true),
    statistics,
    information,
    limits,
    commit,
];

impl Server {
    /// Exports a folder.
    ///
    /// # Errors
    /// [`ExportFailed`] when the folder cannot be opened.
    pub fn new(folder: &Path, options: ExportOptions) -> Result<Self, ExportFailed> {
        let failed = |source| ExportFailed { folder: folder.to_path_buf(), source };
        let path = folder.canonicalize().map_err(failed)?;
        let [a, b, c, d, ..] = options.write_verifier;
        let export = Export::open(&path, options).map_err(|errno| failed(errno.into()))?;
        let version_4 = Version4::new([a, b, c, d]);
        let (mounted, duplicates) = (Vec::new(), Duplicates::default());
        Ok(Self { export, folder: path, mounted, duplicates, version_4, stream: None })
    }
}

impl Server {
    /// Whether no client of version 4 has a delegation that forbids a change of an object.
    ///
    /// # Errors
    /// [`Status::JUKEBOX`] until those that do have given back.
    fn undelegated(&mut self, object: &Object) -> Result<(), Status> {
        self.version_4.no_conflict(None, object.identity, Instant::now())
    }

    /// The same of what has a name in a directory, if anything does.
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

    fn replied(&mut self, stream: u64, _: Option<&[u8]>) {
        self.version_4.called(stream);
    }

    fn gone(&mut self, stream: u64) {
        self.duplicates.gone(stream);
        self.version_4.gone(stream);
    }
}

/// The arguments of a call that may move by themselves.
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
            reader.value::<NewAttributes>("new attributes").ok()?;
        }
        _ => return None,
    }
    let start = call.len() - reader.rest().len() + 4;
    let length = reader.opaque("eligible argument", u32::MAX).ok()?.len();
    Some(start..start + length)
}

/// A file handle among arguments.
fn handle<'a>(arguments: &mut Reader<'a>) -> Result<&'a [u8], Malformed> {
    arguments.opaque("file handle", LONGEST_HANDLE)
}

/// A directory and a name among arguments (diropargs3).
fn place<'a>(arguments: &mut Reader<'a>) -> Result<(&'a [u8], &'a [u8]), Malformed> {
    Ok((handle(arguments)?, arguments.opaque("name", u32::MAX)?))
}

/// The object, or why it was not reached.
fn reached(object: &Result<Object, Status>) -> Result<&Object, Status> {
    object.as_ref().map_err(|status| *status)
}

fn status<T>(outcome: &Result<T, Status>, results: &mut Builder) {
    results.word(outcome.as_ref().err().unwrap_or(&Status::OK).0);
}

/// The attributes that an object has now, if it was reached (post_op_attr).
fn now(object: &Result<Object, Status>, results: &mut Builder) {
    let attributes = object.as_ref().ok().and_then(Object::attributes_now);
    results.value(&attributes);
}

/// What an object was when it was reached, and what it is now (wcc_data).
fn change(object: &Result<Object, Status>, results: &mut Builder) {
    let known = object.as_ref().ok().map(Object::attributes);
    let before = known.map(|known| (known.size, known.modified, known.changed));
    let after = object.as_ref().ok().and_then(Object::attributes_now);
    results.value(&BeforeAndAfter { before, after });
}

// READ, WRITE, COMMIT (RFC 1813 sections 3.3.6, 3.3.7, 3.3.21).

fn read(server: &mut Server, arguments: &mut Reader<'_>, results: &mut Builder) -> Done {
    let object = server.export.object(handle(arguments)?);
    let (offset, count) = (arguments.long("offset")?, arguments.word("count")?);
    let count = count.min(server.export.options.most_data);
    let read = reached(&object);
    let read = read.and_then(|object| object.read(offset, count));
    status(&read, results);
    now(&object, results);
    if let Ok((data, end)) = read {
        results.word(data.len() as u32).boolean(end).eligible(&data);
    }
    Ok(())
}

fn write(server: &mut Server, arguments: &mut Reader<'_>, results: &mut Builder) -> Done {
    let object = server.export.object(handle(arguments)?);
    let (offset, count) = (arguments.long("offset")?, arguments.word("count")?);
    let stable = arguments.word("stable")?;
    if stable > FILE_SYNC {
        return Err(rpc::value("stable", stable));
    }
    let data = arguments.opaque("data", u32::MAX)?;
    // More than is taken at once becomes a short write (RFC 1813 section 3.3.7).
    let taken = data.get(..server.export.options.most_data as usize).unwrap_or(data);
    let written = reached(&object).and_then(|object| {
        server.export.writable()?;
        if count as usize != data.len() {
            return Err(Status::INVAL);
        }
        server.undelegated(object)?;
        object.write(offset, taken, stable)
    });
    status(&written, results);
    change(&object, results);
    if written.is_ok() {
        results.word(taken.len() as u32).word(stable).fixed(&server.export.options.write_verifier);
    }
    Ok(())
}

fn commit(server: &mut Server, arguments: &mut Reader<'_>, results: &mut Builder) -> Done {
    let object = server.export.object(handle(arguments)?);
    let (_, _) = (arguments.long("offset")?, arguments.word("count")?);
    // Nothing of it (no bytes) is a commit of all; so is any other range here.
    let settled = reached(&object).and_then(|object| {
        server.export.writable()?;
        if object.file_type() != FileType::Regular {
            return Err(Status::INVAL);
        }
        object.settle()
    });
    status(&settled, results);
    change(&object, results);
    if settled.is_ok() {
        results.fixed(&server.export.options.write_verifier);
    }
    Ok(())
}

// READDIR and READDIRPLUS (RFC 1813 sections 3.3.16 and 3.3.17).

/// Cookies stay valid whatever happens to the directory, as far as the file system keeps them: there
/// are no versions of them.
const VERIFIER: [u8; 8] = [0; 8];
/// The end of the list and the word that marks the end of the directory.
const END: usize = 8;

/// What a client asks for.
struct ListRequest {
    cookie: u64,
    verifier: [u8; 8],
    /// The most bytes of names, file IDs and cookies.
    names: usize,
    /// The most bytes of the result without its status.
    whole: usize,
    /// Whether attributes and handles are wanted.
    plus: bool,
}

fn read_directory(
    server: &mut Server,
    arguments: &mut Reader<'_>,
    results: &mut Builder,
    plus: bool,
) -> Done {
    let directory = server.export.directory(handle(arguments)?);
    let (cookie, verifier) = (arguments.long("cookie")?, arguments.fixed("cookie verifier")?);
    let names = if plus { arguments.word("directory count")? as usize } else { usize::MAX };
    let whole = arguments.word(if plus { "maximum count" } else { "count" })? as usize;
    list(server, &directory, &ListRequest { cookie, verifier, names, whole, plus }, results);
    Ok(())
}

fn list(
    server: &mut Server,
    directory: &Result<Object, Status>,
    request: &ListRequest,
    results: &mut Builder,
) {
    let start = results.written();
    status(&Ok(()), results);
    now(directory, results);
    results.fixed(&VERIFIER);
    let listed = reached(directory)
        .and_then(|directory| add_entries(server, directory, request, start + 4, results));
    match listed {
        Ok(end) => {
            results.boolean(false).boolean(end);
        }
        Err(_) => {
            results.truncate(start);
            status(&listed, results);
            now(directory, results);
        }
    }
}

/// Adds entries as long as they fit; true at the end of the directory.
fn add_entries(
    server: &mut Server,
    directory: &Object,
    request: &ListRequest,
    start: usize,
    results: &mut Builder,
) -> Result<bool, Status> {
    if request.cookie != 0 && request.verifier != VERIFIER {
        return Err(Status::BAD_COOKIE);
    }
    let own = directory.attributes().file_id;
    let above = server.export.lookup(directory, b"..")?.attributes().file_id;
    let most = start + request.whole.min(server.export.options.most_data as usize);
    let (mut names, mut full, mut none) = (0_usize, false, true);
    let end = entries(directory, request.cookie, &mut |entry| {
        let before = results.written();
        let file_id = match entry.name {
            b"." => own,
            b".." => above,
            _ => entry.file_id,
        };
        results.boolean(true).long(file_id).opaque(entry.name).long(entry.cookie);
        names += results.written() - before;
        if request.plus {
            // What was removed meanwhile has neither; the handle of what is above is not given.
            let object = match entry.name {
                b".." => None,
                name => server.export.lookup(directory, name).ok(),
            };
            results.value(&object.as_ref().map(Object::attributes)).boolean(object.is_some());
            object.map(|object| results.opaque(&server.export.handle(&object)).written());
        }
        full = results.written() + END > most || names > request.names;
        if full {
            results.truncate(before);
        } else {
            none = false;
        }
        !full
    })?;
    // Not even the first fits, or not even the end of an empty list.
    if (full && none) || results.written() + END > most {
        return Err(Status::TOOSMALL);
    }
    Ok(end)
}

// MOUNT version 3 (RFC 1813 appendix I).

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
            // One folder, and no groups: everybody.
            let folder = server.folder.as_os_str().as_bytes();
            results.boolean(true).opaque(folder).boolean(false).boolean(false);
        }
        _ => return Err(Refusal::ProcedureUnavailable),
    }
    Ok(())
}

/// The handle of what is mounted: the folder, by its own path or `/`, or a directory beneath.
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

// CREATE, MKDIR, SYMLINK, MKNOD, REMOVE, RMDIR, RENAME, LINK (RFC 1813 sections 3.3.8 to 3.3.15).

/// Makes something in a directory, and says what: handle, attributes, the directory's change.
fn make(
    server: &mut Server,
    directory: &[u8],
    results: &mut Builder,
    make: impl FnOnce(&mut Export, &Object) -> Result<Object, Status>,
) {
    let directory = server.export.directory(directory);
    let made = reached(&directory).and_then(|directory| {
        server.export.writable()?;
        make(&mut server.export, directory)
    });
    status(&made, results);
    if let Ok(object) = &made {
        results.boolean(true).opaque(&server.export.handle(object));
        now(&made, results);
    }
    change(&directory, results);
}

fn create(server: &mut Server, arguments: &mut Reader<'_>, results: &mut Builder) -> Done {
    let (directory, name) = place(arguments)?;
    let how = match arguments.word("create mode")? {
        0 => Creation::Unchecked(arguments.value("new attributes")?),
        1 => Creation::Guarded(arguments.value("new attributes")?),
        2 => Creation::Exclusive(arguments.fixed("create verifier")?),
        other => return Err(rpc::value("create mode", other)),
    };
    make(server, directory, results, |export, parent| export.create(parent, name, &how));
    Ok(())
}

fn make_directory(server: &mut Server, arguments: &mut Reader<'_>, results: &mut Builder) -> Done {
    let (directory, name) = place(arguments)?;
    let new = arguments.value("new attributes")?;
    make(server, directory, results, |export, parent| export.make_directory(parent, name, &new));
    Ok(())
}

fn make_link(server: &mut Server, arguments: &mut Reader<'_>, results: &mut Builder) -> Done {
    let (directory, name) = place(arguments)?;
    let new = arguments.value("new attributes")?;
    let target = arguments.opaque("link target", u32::MAX)?;
    make(server, directory, results, |export, parent| export.make_link(parent, name, target, &new));
    Ok(())
}

fn make_node(server: &mut Server, arguments: &mut Reader<'_>, results: &mut Builder) -> Done {
    let (directory, name) = place(arguments)?;
    let file_type = FileType::from_repr(arguments.word("node type")?);
    let new = match file_type {
        Some(FileType::BlockDevice | FileType::CharacterDevice) => {
            let new = arguments.value("new attributes")?;
            arguments.long("device numbers")?;
            new
        }
        Some(FileType::Socket | FileType::NamedPipe) => arguments.value("new attributes")?,
        _ => NewAttributes::default(),
    };
    make(server, directory, results, |export, parent| {
        export.make_node(parent, name, file_type, &new)
    });
    Ok(())
}

fn remove(
    server: &mut Server,
    arguments: &mut Reader<'_>,
    results: &mut Builder,
    of_directory: bool,
) -> Done {
    let (directory, name) = place(arguments)?;
    let directory = server.export.directory(directory);
    let removed = reached(&directory).and_then(|directory| {
        server.export.writable()?;
        server.unnamed(directory, name)?;
        server.export.remove(directory, name, of_directory)
    });
    status(&removed, results);
    change(&directory, results);
    Ok(())
}

fn rename(server: &mut Server, arguments: &mut Reader<'_>, results: &mut Builder) -> Done {
    let (from, to) = (place(arguments)?, place(arguments)?);
    let from_directory = server.export.directory(from.0);
    let to_directory = server.export.directory(to.0);
    let renamed = reached(&from_directory).and_then(|from_directory| {
        let to = (reached(&to_directory)?, to.1);
        server.export.writable()?;
        server.unnamed(from_directory, from.1)?;
        server.unnamed(to.0, to.1)?;
        server.export.rename((from_directory, from.1), to)
    });
    status(&renamed, results);
    change(&from_directory, results);
    change(&to_directory, results);
    Ok(())
}

fn link(server: &mut Server, arguments: &mut Reader<'_>, results: &mut Builder) -> Done {
    let object = server.export.object(handle(arguments)?);
    let (directory, name) = place(arguments)?;
    let directory = server.export.directory(directory);
    let linked = reached(&object).and_then(|object| {
        let directory = reached(&directory)?;
        server.export.writable()?;
        server.undelegated(object)?;
        server.export.link(object, directory, name)
    });
    status(&linked, results);
    now(&object, results);
    change(&directory, results);
    Ok(())
}

// GETATTR, SETATTR, LOOKUP, ACCESS, READLINK (RFC 1813 sections 3.3.1 to 3.3.5).

fn attributes(server: &mut Server, arguments: &mut Reader<'_>, results: &mut Builder) -> Done {
    let object = server.export.object(handle(arguments)?);
    status(&object, results);
    if let Ok(object) = object {
        results.value(&object.attributes());
    }
    Ok(())
}

fn set_attributes(server: &mut Server, arguments: &mut Reader<'_>, results: &mut Builder) -> Done {
    let object = server.export.object(handle(arguments)?);
    let new = arguments.value("new attributes")?;
    let guard: Option<Time> = arguments.value("guard follows")?;
    let outcome = reached(&object).and_then(|object| {
        server.export.writable()?;
        if guard.is_some_and(|guard| guard != object.attributes().changed) {
            return Err(Status::NOT_SYNC);
        }
        server.undelegated(object)?;
        object.change(&new)?;
        object.settle()
    });
    status(&outcome, results);
    change(&object, results);
    Ok(())
}

fn lookup(server: &mut Server, arguments: &mut Reader<'_>, results: &mut Builder) -> Done {
    let (directory, name) = place(arguments)?;
    let directory = server.export.directory(directory);
    let found = match reached(&directory).and_then(|at| server.export.lookup(at, name)) {
        // An error that LOOKUP has.
        Err(Status::INVAL) => Err(Status::ACCES),
        found => found,
    };
    status(&found, results);
    if let Ok(object) = &found {
        results.opaque(&server.export.handle(object));
        now(&found, results);
    }
    now(&directory, results);
    Ok(())
}

fn access(server: &mut Server, arguments: &mut Reader<'_>, results: &mut Builder) -> Done {
    let object = server.export.object(handle(arguments)?);
    let wanted = arguments.word("access")?;
    status(&object, results);
    now(&object, results);
    if let Ok(object) = object {
        results.word(object.access(wanted, server.export.options.read_only));
    }
    Ok(())
}

fn read_link(server: &mut Server, arguments: &mut Reader<'_>, results: &mut Builder) -> Done {
    let object = server.export.object(handle(arguments)?);
    let target = reached(&object).and_then(|object| object.target());
    status(&target, results);
    now(&object, results);
    if let Ok(target) = target {
        results.eligible(&target);
    }
    Ok(())
}

// FSSTAT, FSINFO, PATHCONF (RFC 1813 sections 3.3.18 to 3.3.20).

/// Hard links, symbolic links, the same answers everywhere, times can be set.
const PROPERTIES: u32 = 0x01 | 0x02 | 0x08 | 0x10;
/// The most hard links that are promised.
const LINK_MAXIMUM: u32 = 32_000;
/// Data should be moved in multiples of this many bytes.
const MULTIPLE: u32 = 4096;

fn statistics(server: &mut Server, arguments: &mut Reader<'_>, results: &mut Builder) -> Done {
    let object = server.export.object(handle(arguments)?);
    let space = reached(&object).and_then(|object| object.space());
    status(&space, results);
    now(&object, results);
    if let Ok(space) = space {
        for blocks in [space.f_blocks, space.f_bfree, space.f_bavail] {
            results.long(blocks.saturating_mul(space.f_frsize));
        }
        results.long(space.f_files).long(space.f_ffree).long(space.f_favail).word(0);
    }
    Ok(())
}

fn information(server: &mut Server, arguments: &mut Reader<'_>, results: &mut Builder) -> Done {
    let object = server.export.object(handle(arguments)?);
    status(&object, results);
    now(&object, results);
    if object.is_ok() {
        let most = server.export.options.most_data;
        for _ in ["read", "write"] {
            results.word(most).word(most).word(MULTIPLE);
        }
        results.word(most.min(64 * 1024)).long(i64::MAX as u64).word(0).word(1).word(PROPERTIES);
    }
    Ok(())
}

fn limits(server: &mut Server, arguments: &mut Reader<'_>, results: &mut Builder) -> Done {
    let object = server.export.object(handle(arguments)?);
    status(&object, results);
    now(&object, results);
    if object.is_ok() {
        // Names that are too long are refused, owners cannot give files away, case matters.
        results.word(LINK_MAXIMUM).word(255);
        results.boolean(true).boolean(true).boolean(false).boolean(true);
    }
    Ok(())
}
