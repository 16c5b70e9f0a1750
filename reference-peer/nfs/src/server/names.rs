//! CREATE, MKDIR, SYMLINK, MKNOD, REMOVE, RMDIR, RENAME, LINK (RFC 1813 sections 3.3.8 to 3.3.15).

use super::serve::{Server, change, handle, now, place, status};
use crate::Status;
use crate::attributes::{FileType, NewAttributes};
use crate::export::{Creation, Export, Object};
use crate::rpc::{Builder, Reader, xdr_value};
use warpscope_wire::Malformed;

type Done = Result<(), Malformed>;

/// Makes something in a directory, and says what: handle, attributes, the directory's change.
fn make(
    server: &mut Server,
    directory: &[u8],
    results: &mut Builder,
    make: impl FnOnce(&mut Export, &Object) -> Result<Object, Status>,
) {
    let directory = server.export.directory(directory);
    let made = match &directory {
        Ok(directory) => {
            server.export.writable().and_then(|()| make(&mut server.export, directory))
        }
        Err(status) => Err(*status),
    };
    status(&made, results);
    if let Ok(object) = &made {
        results.boolean(true).opaque(&server.export.handle(object));
        now(&made, results);
    }
    change(&directory, results);
}

pub(super) fn create(
    server: &mut Server,
    arguments: &mut Reader<'_>,
    results: &mut Builder,
) -> Done {
    let (directory, name) = place(arguments)?;
    let how = match arguments.word("create mode")? {
        0 => Creation::Unchecked(NewAttributes::read(arguments)?),
        1 => Creation::Guarded(NewAttributes::read(arguments)?),
        2 => Creation::Exclusive(arguments.fixed("create verifier")?),
        other => return Err(xdr_value("create mode", other)),
    };
    make(server, directory, results, |export, parent| export.create(parent, name, &how));
    Ok(())
}

pub(super) fn make_directory(
    server: &mut Server,
    arguments: &mut Reader<'_>,
    results: &mut Builder,
) -> Done {
    let (directory, name) = place(arguments)?;
    let new = NewAttributes::read(arguments)?;
    make(server, directory, results, |export, parent| export.make_directory(parent, name, &new));
    Ok(())
}

pub(super) fn make_link(
    server: &mut Server,
    arguments: &mut Reader<'_>,
    results: &mut Builder,
) -> Done {
    let (directory, name) = place(arguments)?;
    let new = NewAttributes::read(arguments)?;
    let target = arguments.opaque("link target", u32::MAX)?;
    make(server, directory, results, |export, parent| export.make_link(parent, name, target, &new));
    Ok(())
}

pub(super) fn make_node(
    server: &mut Server,
    arguments: &mut Reader<'_>,
    results: &mut Builder,
) -> Done {
    let (directory, name) = place(arguments)?;
    let file_type = FileType::from_number(arguments.word("node type")?);
    let new = match file_type {
        Some(FileType::BlockDevice | FileType::CharacterDevice) => {
            let new = NewAttributes::read(arguments)?;
            arguments.long("device numbers")?;
            new
        }
        Some(FileType::Socket | FileType::NamedPipe) => NewAttributes::read(arguments)?,
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
    let removed = match &directory {
        Ok(directory) => {
            let writable = server.export.writable();
            writable.and_then(|()| server.export.remove(directory, name, of_directory))
        }
        Err(status) => Err(*status),
    };
    status(&removed, results);
    change(&directory, results);
    Ok(())
}

pub(super) fn remove_file(
    server: &mut Server,
    arguments: &mut Reader<'_>,
    results: &mut Builder,
) -> Done {
    remove(server, arguments, results, false)
}

pub(super) fn remove_directory(
    server: &mut Server,
    arguments: &mut Reader<'_>,
    results: &mut Builder,
) -> Done {
    remove(server, arguments, results, true)
}

pub(super) fn rename(
    server: &mut Server,
    arguments: &mut Reader<'_>,
    results: &mut Builder,
) -> Done {
    let (from, to) = (place(arguments)?, place(arguments)?);
    let from_directory = server.export.directory(from.0);
    let to_directory = server.export.directory(to.0);
    let renamed = match (&from_directory, &to_directory) {
        (Ok(from_directory), Ok(to_directory)) => {
            let writable = server.export.writable();
            let (from, to) = ((from_directory, from.1), (to_directory, to.1));
            writable.and_then(|()| server.export.rename(from, to))
        }
        (Err(status), _) | (_, Err(status)) => Err(*status),
    };
    status(&renamed, results);
    change(&from_directory, results);
    change(&to_directory, results);
    Ok(())
}

pub(super) fn link(server: &mut Server, arguments: &mut Reader<'_>, results: &mut Builder) -> Done {
    let object = server.export.object(handle(arguments)?);
    let (directory, name) = place(arguments)?;
    let directory = server.export.directory(directory);
    let linked = match (&object, &directory) {
        (Ok(object), Ok(directory)) => {
            let writable = server.export.writable();
            writable.and_then(|()| server.export.link(object, directory, name))
        }
        (Err(status), _) | (_, Err(status)) => Err(*status),
    };
    status(&linked, results);
    now(&object, results);
    change(&directory, results);
    Ok(())
}
