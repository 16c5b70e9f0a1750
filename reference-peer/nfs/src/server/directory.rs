//! READDIR and READDIRPLUS (RFC 1813 sections 3.3.16 and 3.3.17).

use super::serve::{Server, handle, now, status};
use crate::Status;
use crate::attributes::Attributes;
use crate::export::{Object, entries};
use crate::rpc::{Builder, Reader};
use warpscope_wire::Malformed;

/// Cookies stay valid whatever happens to the directory, as far as the file system keeps them: there
/// are no versions of them.
const VERIFIER: [u8; 8] = [0; 8];
/// The end of the list and the word that tells the directory's end.
const END: usize = 8;

/// What a client asks for.
struct Wanted {
    cookie: u64,
    verifier: [u8; 8],
    /// The most bytes of names, file IDs and cookies.
    names: usize,
    /// The most bytes of the result without its status.
    whole: usize,
    /// Whether attributes and handles are wanted.
    plus: bool,
}

pub(super) fn read_directory(
    server: &mut Server,
    arguments: &mut Reader<'_>,
    results: &mut Builder,
) -> Result<(), Malformed> {
    let directory = server.export.directory(handle(arguments)?);
    let (cookie, verifier) = (arguments.long("cookie")?, arguments.fixed("cookie verifier")?);
    let whole = arguments.word("count")? as usize;
    let wanted = Wanted { cookie, verifier, names: usize::MAX, whole, plus: false };
    list(server, &directory, &wanted, results);
    Ok(())
}

pub(super) fn read_directory_plus(
    server: &mut Server,
    arguments: &mut Reader<'_>,
    results: &mut Builder,
) -> Result<(), Malformed> {
    let directory = server.export.directory(handle(arguments)?);
    let (cookie, verifier) = (arguments.long("cookie")?, arguments.fixed("cookie verifier")?);
    let names = arguments.word("directory count")? as usize;
    let whole = arguments.word("maximum count")? as usize;
    let wanted = Wanted { cookie, verifier, names, whole, plus: true };
    list(server, &directory, &wanted, results);
    Ok(())
}

fn list(
    server: &mut Server,
    directory: &Result<Object, Status>,
    wanted: &Wanted,
    results: &mut Builder,
) {
    let start = results.written();
    status(&Ok(()), results);
    now(directory, results);
    results.fixed(&VERIFIER);
    let listed = match directory {
        Ok(directory) => add_entries(server, directory, wanted, start + 4, results),
        Err(status) => Err(*status),
    };
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
    wanted: &Wanted,
    start: usize,
    results: &mut Builder,
) -> Result<bool, Status> {
    if wanted.cookie != 0 && wanted.verifier != VERIFIER {
        return Err(Status::BAD_COOKIE);
    }
    let own = directory.attributes().file_id;
    let above = server.export.lookup(directory, b"..")?.attributes().file_id;
    let most = start + wanted.whole.min(server.export.options.most_data as usize);
    let (mut names, mut full, mut none) = (0_usize, false, true);
    let end = entries(directory, wanted.cookie, &mut |entry| {
        let before = results.written();
        let file_id = match entry.name {
            b"." => own,
            b".." => above,
            _ => entry.file_id,
        };
        results.boolean(true).long(file_id).opaque(entry.name).long(entry.cookie);
        names += results.written() - before;
        if wanted.plus {
            // What was removed meanwhile has neither; the handle of what is above is not told.
            let object = match entry.name {
                b".." => None,
                name => server.export.lookup(directory, name).ok(),
            };
            let attributes = object.as_ref().map(Object::attributes);
            Attributes::write_optional(attributes.as_ref(), results);
            results.boolean(object.is_some());
            object.map(|object| results.opaque(&server.export.handle(&object)).written());
        }
        full = results.written() + END > most || names > wanted.names;
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
