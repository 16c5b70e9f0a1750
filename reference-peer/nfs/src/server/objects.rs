//! GETATTR, SETATTR, LOOKUP, ACCESS, READLINK (RFC 1813 sections 3.3.1 to 3.3.5).

use super::serve::{Server, change, handle, now, place, status};
use crate::Status;
use crate::attributes::{NewAttributes, Time};
use crate::rpc::{Builder, Reader};
use warpscope_wire::Malformed;

type Done = Result<(), Malformed>;

pub(super) fn attributes(
    server: &mut Server,
    arguments: &mut Reader<'_>,
    results: &mut Builder,
) -> Done {
    let object = server.export.object(handle(arguments)?);
    status(&object, results);
    if let Ok(object) = object {
        object.attributes().write(results);
    }
    Ok(())
}

pub(super) fn set_attributes(
    server: &mut Server,
    arguments: &mut Reader<'_>,
    results: &mut Builder,
) -> Done {
    let object = server.export.object(handle(arguments)?);
    let new = NewAttributes::read(arguments)?;
    let guard =
        if arguments.boolean("guard follows")? { Some(Time::read(arguments)?) } else { None };
    let outcome = object.as_ref().map_err(|status| *status).and_then(|object| {
        server.export.writable()?;
        if guard.is_some_and(|guard| guard != object.attributes().changed) {
            return Err(Status::NOT_SYNC);
        }
        object.change(&new)?;
        object.settle()
    });
    status(&outcome, results);
    change(&object, results);
    Ok(())
}

pub(super) fn lookup(
    server: &mut Server,
    arguments: &mut Reader<'_>,
    results: &mut Builder,
) -> Done {
    let (directory, name) = place(arguments)?;
    let directory = server.export.directory(directory);
    let found = match &directory {
        Ok(directory) => match server.export.lookup(directory, name) {
            // Errors that LOOKUP has.
            Err(Status::INVAL) => Err(Status::ACCES),
            found => found,
        },
        Err(status) => Err(*status),
    };
    status(&found, results);
    if let Ok(object) = &found {
        results.opaque(&server.export.handle(object));
        now(&found, results);
    }
    now(&directory, results);
    Ok(())
}

pub(super) fn access(
    server: &mut Server,
    arguments: &mut Reader<'_>,
    results: &mut Builder,
) -> Done {
    let object = server.export.object(handle(arguments)?);
    let wanted = arguments.word("access")?;
    status(&object, results);
    now(&object, results);
    if let Ok(object) = object {
        results.word(object.access(wanted, server.export.options.read_only));
    }
    Ok(())
}

pub(super) fn read_link(
    server: &mut Server,
    arguments: &mut Reader<'_>,
    results: &mut Builder,
) -> Done {
    let object = server.export.object(handle(arguments)?);
    let target = object.as_ref().map_err(|status| *status).and_then(|object| object.target());
    status(&target, results);
    now(&object, results);
    if let Ok(target) = target {
        results.eligible(&target);
    }
    Ok(())
}
