//! READ, WRITE, COMMIT (RFC 1813 sections 3.3.6, 3.3.7, 3.3.21).

use super::serve::{Server, change, handle, now, status};
use crate::export::FILE_SYNC;
use crate::rpc::{Builder, Reader, xdr_value};
use crate::{FileType, Status};
use warpscope_wire::Malformed;

type Done = Result<(), Malformed>;

pub(super) fn read(server: &mut Server, arguments: &mut Reader<'_>, results: &mut Builder) -> Done {
    let object = server.export.object(handle(arguments)?);
    let (offset, count) = (arguments.long("offset")?, arguments.word("count")?);
    let count = count.min(server.export.options.most_data);
    let read = object.as_ref().map_err(|status| *status);
    let read = read.and_then(|object| object.read(offset, count));
    status(&read, results);
    now(&object, results);
    if let Ok((data, end)) = read {
        results.word(data.len() as u32).boolean(end).eligible(&data);
    }
    Ok(())
}

pub(super) fn write(
    server: &mut Server,
    arguments: &mut Reader<'_>,
    results: &mut Builder,
) -> Done {
    let object = server.export.object(handle(arguments)?);
    let (offset, count) = (arguments.long("offset")?, arguments.word("count")?);
    let stable = arguments.word("stable")?;
    if stable > FILE_SYNC {
        return Err(xdr_value("stable", stable));
    }
    let data = arguments.opaque("data", u32::MAX)?;
    // More than is taken at once becomes a short write (RFC 1813 section 3.3.7).
    let taken = data.get(..server.export.options.most_data as usize).unwrap_or(data);
    let written = object.as_ref().map_err(|status| *status).and_then(|object| {
        server.export.writable()?;
        if count as usize != data.len() {
            return Err(Status::INVAL);
        }
        object.write(offset, taken, stable)
    });
    status(&written, results);
    change(&object, results);
    if written.is_ok() {
        results.word(taken.len() as u32).word(stable).fixed(&server.export.options.write_verifier);
    }
    Ok(())
}

pub(super) fn commit(
    server: &mut Server,
    arguments: &mut Reader<'_>,
    results: &mut Builder,
) -> Done {
    let object = server.export.object(handle(arguments)?);
    let (_, _) = (arguments.long("offset")?, arguments.word("count")?);
    // Nothing of it (no bytes) is a commit of all; so is any other range here.
    let settled = object.as_ref().map_err(|status| *status).and_then(|object| {
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
