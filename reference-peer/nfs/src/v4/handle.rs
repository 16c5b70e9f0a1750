//! The operations on file handles and attributes (RFC 8881 sections 18.1, 18.7, 18.8, 18.13 to 18.15, 18.19
//! to 18.21, 18.24, 18.27 to 18.31, 18.45).

use super::attributes;
use super::compound::{Compound, Done};
use super::numbers::attribute;
use super::types::{Bitmap, Opaque, StateId, Values};
use crate::export::{Object, legal};
use crate::protocol::{FileType, NewAttributes, access as right};
use crate::rpc::{Builder, FLAVORS};
use crate::{LONGEST_HANDLE, Status};

/// Checks a name from the protocol (RFC 8881 section 14.5).
///
/// # Errors
/// [`Status::INVAL`] for an empty name, [`Status::BADNAME`], [`Status::BADCHAR`], [`Status::NAMETOOLONG`].
pub(super) fn name(name: &Opaque) -> Result<&[u8], Status> {
    match name.0.as_slice() {
        [] => Err(Status::INVAL),
        b"." | b".." => Err(Status::BADNAME),
        name => legal(name).map_err(|status| match status {
            Status::ACCES => Status::BADCHAR,
            other => other,
        }),
    }
}

/// Returns an object if it is a directory.
///
/// # Errors
/// [`Status::SYMLINK`], [`Status::NOTDIR`].
pub(super) fn directory(object: &Object) -> Result<Object, Status> {
    match object.file_type() {
        FileType::Directory => object.again(),
        FileType::SymbolicLink => Err(Status::SYMLINK),
        _ => Err(Status::NOTDIR),
    }
}

/// Returns an object if it is a regular file.
///
/// # Errors
/// [`Status::ISDIR`], [`Status::SYMLINK`], [`Status::WRONG_TYPE`].
pub(super) fn regular(object: &Object) -> Result<&Object, Status> {
    match object.file_type() {
        FileType::Regular => Ok(object),
        FileType::Directory => Err(Status::ISDIR),
        FileType::SymbolicLink => Err(Status::SYMLINK),
        _ => Err(Status::WRONG_TYPE),
    }
}

pub(super) fn put(compound: &mut Compound<'_>, handle: Opaque, _: &mut Builder) -> Done {
    if handle.0.len() > LONGEST_HANDLE as usize {
        return Err(Status::BADHANDLE.into());
    }
    let object = compound.export.object(&handle.0)?;
    set(compound, object);
    Ok(())
}

pub(super) fn put_root(compound: &mut Compound<'_>, (): (), _: &mut Builder) -> Done {
    let root = compound.export.root()?;
    set(compound, root);
    Ok(())
}

/// Makes an object the current one, and clears the current state ID.
pub(super) fn set(compound: &mut Compound<'_>, object: Object) {
    (compound.current, compound.current_state) = (Some(object), None);
}

pub(super) fn get_handle(compound: &mut Compound<'_>, (): (), results: &mut Builder) -> Done {
    let handle = compound.export.handle(compound.object()?);
    results.opaque(&handle);
    Ok(())
}

pub(super) fn save(compound: &mut Compound<'_>, (): (), _: &mut Builder) -> Done {
    compound.saved = Some(compound.object()?.again()?);
    compound.saved_state = compound.current_state;
    Ok(())
}

pub(super) fn restore(compound: &mut Compound<'_>, (): (), _: &mut Builder) -> Done {
    compound.current = Some(compound.saved()?.again()?);
    compound.current_state = compound.saved_state;
    Ok(())
}

pub(super) fn lookup(compound: &mut Compound<'_>, asked: Opaque, _: &mut Builder) -> Done {
    let directory = compound.directory()?;
    let found = compound.export.lookup(&directory, name(&asked)?)?;
    set(compound, found);
    Ok(())
}

pub(super) fn lookup_parent(compound: &mut Compound<'_>, (): (), _: &mut Builder) -> Done {
    let directory = compound.directory()?;
    // The exported folder has no parent (RFC 8881 section 18.14.3).
    if directory.identity == compound.export.root()?.identity {
        return Err(Status::NOENT.into());
    }
    let found = compound.export.lookup(&directory, b"..")?;
    set(compound, found);
    Ok(())
}

pub(super) fn access(compound: &mut Compound<'_>, wanted: u32, results: &mut Builder) -> Done {
    const KNOWN: u32 = 0x3f;
    /// The access bits of GETXATTR, SETXATTR, LISTXATTRS, from RFC 8276 section 8.1.
    const EXTENDED: [(u32, u32); 3] =
        [(0x40, right::READ), (0x80, right::MODIFY), (0x100, right::READ)];
    let (object, read_only) = (compound.object()?, compound.export.options.read_only);
    let granted = object.access(KNOWN, read_only);
    let extended = EXTENDED.iter().filter(|_| compound.minor > 1);
    let (mut known, mut given) = (KNOWN, granted);
    for (bit, needs) in extended {
        known |= bit;
        given |= if granted & needs != 0 { *bit } else { 0 };
    }
    results.word(wanted & known).word(wanted & given);
    Ok(())
}

pub(super) fn get_attributes(
    compound: &mut Compound<'_>,
    wanted: Bitmap,
    results: &mut Builder,
) -> Done {
    let object = compound.object()?;
    results.value(&attributes::read(compound.export, object, &wanted, compound.minor)?);
    Ok(())
}

pub(super) fn set_attributes(
    compound: &mut Compound<'_>,
    (id, values): (StateId, Values),
    results: &mut Builder,
) -> Done {
    let (new, mask) = attributes::to_set(&values)?;
    change(compound, id, &new)?;
    results.value(&mask);
    Ok(())
}

fn change(compound: &mut Compound<'_>, id: StateId, new: &NewAttributes) -> Result<(), Status> {
    compound.export.writable()?;
    let (object, client) = (compound.object()?.again()?, compound.client()?);
    if new.size.is_some() {
        regular(&object)?;
        let id = compound.state(id)?;
        compound.version.held.may(client, &id, object.identity, true)?;
    }
    compound.no_conflict(&object)?;
    object.change(new)?;
    object.settle()
}

pub(super) fn verify(compound: &mut Compound<'_>, values: Values, _: &mut Builder) -> Done {
    if same(compound, &values)? { Ok(()) } else { Err(Status::NOT_SAME.into()) }
}

pub(super) fn verify_not(compound: &mut Compound<'_>, values: Values, _: &mut Builder) -> Done {
    if same(compound, &values)? { Err(Status::SAME.into()) } else { Ok(()) }
}

fn same(compound: &Compound<'_>, values: &Values) -> Result<bool, Status> {
    // It is not an attribute of the object (RFC 8881 sections 18.15.4 and 18.31.4).
    if values.mask.has(attribute::RDATTR_ERROR) {
        return Err(Status::INVAL);
    }
    let known =
        attributes::read(compound.export, compound.object()?, &values.mask, compound.minor)?;
    if known.mask != Bitmap::of(values.mask.numbers()) {
        return Err(Status::ATTRNOTSUPP);
    }
    Ok(known.values == values.values)
}

pub(super) fn read_link(compound: &mut Compound<'_>, (): (), results: &mut Builder) -> Done {
    let object = compound.object()?;
    if object.file_type() != FileType::SymbolicLink {
        return Err(Status::WRONG_TYPE.into());
    }
    results.eligible(&object.target()?);
    Ok(())
}

pub(super) fn security(compound: &mut Compound<'_>, asked: Opaque, results: &mut Builder) -> Done {
    let directory = compound.directory()?;
    compound.export.lookup(&directory, name(&asked)?)?;
    flavors(compound, results);
    Ok(())
}

pub(super) fn security_of_handle(
    compound: &mut Compound<'_>,
    style: u32,
    results: &mut Builder,
) -> Done {
    match style {
        0 => _ = compound.object()?,
        1 => lookup_parent(compound, (), results)?,
        _ => return Err(Status::BADXDR.into()),
    }
    flavors(compound, results);
    Ok(())
}

/// Adds the accepted flavors, and consumes the current file handle (RFC 8881 section 2.6.3.1.1.8).
fn flavors(compound: &mut Compound<'_>, results: &mut Builder) {
    (compound.current, compound.current_state) = (None, None);
    results.word(FLAVORS.len() as u32);
    FLAVORS.iter().for_each(|flavor| _ = results.word(*flavor));
}
