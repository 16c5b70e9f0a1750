//! The procedures of NFS version 3 (RFC 1813 section 3.3): a table, and one function for each.

use super::Server;
use crate::export::{COOKIES, Creation, FILE_SYNC, LINK_MAXIMUM, LONGEST_NAME, Object, entries};
use crate::protocol::{BeforeAndAfter, FileType, NewAttributes, Time};
use crate::rpc::{self, Builder, Reader};
use crate::{LONGEST_HANDLE, NFS, Status, VERSION, procedure};
use std::ops::Range;
use warpscope_wire::Malformed;
use warpscope_wire::rpc::RpcView;

pub(super) type Done = Result<(), Malformed>;

/// A function that reads the arguments of a procedure and adds its results.
pub(super) type Handler = fn(&mut Server, &mut Reader<'_>, &mut Builder) -> Done;

/// The procedures of NFS, indexed by number from 0.
pub(super) const PROCEDURES: [Handler; 22] = [
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

/// Returns the argument that may move by chunks: the data of a WRITE, the target of a SYMLINK (RFC 8267
/// section 4).
pub(super) fn eligible_argument(call: &[u8]) -> Option<Range<usize>> {
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

/// Reads a file handle.
fn handle<'a>(arguments: &mut Reader<'a>) -> Result<&'a [u8], Malformed> {
    arguments.opaque("file handle", LONGEST_HANDLE)
}

/// Reads a directory and a name (diropargs3).
fn place<'a>(arguments: &mut Reader<'a>) -> Result<(&'a [u8], &'a [u8]), Malformed> {
    Ok((handle(arguments)?, arguments.opaque("name", u32::MAX)?))
}

/// Returns the object, or the error from reaching it.
fn reached(object: &Result<Object, Status>) -> Result<&Object, Status> {
    object.as_ref().map_err(|status| *status)
}

fn status<T>(outcome: &Result<T, Status>, results: &mut Builder) {
    results.word(outcome.as_ref().err().unwrap_or(&Status::OK).0);
}

/// Adds the current attributes of an object, if it was reached (post_op_attr).
fn now(object: &Result<Object, Status>, results: &mut Builder) {
    let attributes = object.as_ref().ok().and_then(Object::attributes_now);
    results.value(&attributes);
}

/// Adds the attributes of an object from when it was reached, and its current ones (wcc_data).
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
    // Data beyond the limit makes this a short write (RFC 1813 section 3.3.7).
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
    // A range of no bytes commits everything; here, so does any other range.
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

/// Bytes for the end of the list and the word that marks the end of the directory.
const END: usize = 8;

/// What a client asks for in READDIR or READDIRPLUS.
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
    results.fixed(&COOKIES);
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

/// Adds entries as long as they fit; returns true at the end of the directory.
fn add_entries(
    server: &mut Server,
    directory: &Object,
    request: &ListRequest,
    start: usize,
    results: &mut Builder,
) -> Result<bool, Status> {
    if request.cookie != 0 && request.verifier != COOKIES {
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
            // An entry removed in the meantime has neither; the parent's handle is not given.
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
    // Not even the first entry fits, or not even the end of an empty list.
    if (full && none) || results.written() + END > most {
        return Err(Status::TOOSMALL);
    }
    Ok(end)
}

// CREATE, MKDIR, SYMLINK, MKNOD, REMOVE, RMDIR, RENAME, LINK (RFC 1813 sections 3.3.8 to 3.3.15).

/// Creates an object in a directory, and adds the results: handle, attributes, the directory's change.
fn make(
    server: &mut Server,
    directory: &[u8],
    results: &mut Builder,
    make: impl FnOnce(&mut Server, &Object) -> Result<Object, Status>,
) {
    let directory = server.export.directory(directory);
    let made = reached(&directory).and_then(|directory| {
        server.export.writable()?;
        make(server, directory)
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
    make(server, directory, results, |server, parent| {
        if matches!(&how, Creation::Unchecked(new) if new.size.is_some()) {
            server.unnamed(parent, name)?;
        }
        server.export.create(parent, name, &how)
    });
    Ok(())
}

fn make_directory(server: &mut Server, arguments: &mut Reader<'_>, results: &mut Builder) -> Done {
    let (directory, name) = place(arguments)?;
    let new = arguments.value("new attributes")?;
    make(server, directory, results, |server, parent| {
        server.export.make_directory(parent, name, &new)
    });
    Ok(())
}

fn make_link(server: &mut Server, arguments: &mut Reader<'_>, results: &mut Builder) -> Done {
    let (directory, name) = place(arguments)?;
    let new = arguments.value("new attributes")?;
    let target = arguments.opaque("link target", u32::MAX)?;
    make(server, directory, results, |server, parent| {
        server.export.make_link(parent, name, target, &new)
    });
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
    make(server, directory, results, |server, parent| {
        server.export.make_node(parent, name, file_type, &new)
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
        // LOOKUP may return this error.
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

/// Hard links, symbolic links, the same values everywhere, times can be set.
const PROPERTIES: u32 = 0x01 | 0x02 | 0x08 | 0x10;
/// Data should be transferred in multiples of this many bytes.
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
        // Too long names are refused, owners cannot give files away, names are case-sensitive.
        results.word(LINK_MAXIMUM).word(LONGEST_NAME);
        results.boolean(true).boolean(true).boolean(false).boolean(true);
    }
    Ok(())
}
