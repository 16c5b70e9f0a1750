//! The operations that create, list, move and remove names (RFC 8881 sections 18.4, 18.9, 18.23, 18.25,
//! 18.26).

use super::attributes::{self, change};
use super::compound::{Compound, Done};
use super::handle::{directory, name, set};
use super::types::{ChangeInfo, Create, Kind, Opaque, ReadDirectory};
use crate::export::{COOKIES, Object, entries};
use crate::protocol::FileType;
use crate::rpc::Builder;
use crate::{Status, access};

/// Bytes for the end of the list and the word that marks the end of the directory.
const END: usize = 8;

/// Performs an operation in a directory, and returns how the change attribute changed.
pub(super) fn changing<T>(
    compound: &mut Compound<'_>,
    directory: &Object,
    change_it: impl FnOnce(&mut Compound<'_>) -> Result<T, Status>,
) -> Result<(T, ChangeInfo), Status> {
    let before = directory.attributes_now().map_or(0, |known| change(&known));
    let done = change_it(compound)?;
    let after = directory.attributes_now().map_or(0, |known| change(&known));
    Ok((done, ChangeInfo { atomic: false, before, after }))
}

pub(super) fn create(compound: &mut Compound<'_>, asked: Create, results: &mut Builder) -> Done {
    compound.export.writable()?;
    let parent = compound.directory()?;
    let (new, mask) = attributes::to_set(&asked.attributes)?;
    let name = name(&asked.name)?;
    let (made, info) = changing(compound, &parent, |compound| {
        let export = &mut *compound.export;
        match &asked.kind {
            Kind::Link(target) => export.make_link(&parent, name, target, &new),
            Kind::Device(kind, _) => export.make_node(&parent, name, Some(*kind), &new),
            Kind::Plain(kind) => match FileType::from_repr(*kind) {
                Some(FileType::Directory) => export.make_directory(&parent, name, &new),
                kind => export.make_node(&parent, name, kind, &new),
            },
        }
    })?;
    set(compound, made);
    results.value(&info).value(&mask);
    Ok(())
}

pub(super) fn remove(compound: &mut Compound<'_>, asked: Opaque, results: &mut Builder) -> Done {
    compound.export.writable()?;
    let parent = compound.directory()?;
    let name = name(&asked)?;
    let object = compound.export.lookup(&parent, name)?;
    compound.no_conflict(&object)?;
    let ((), info) = changing(compound, &parent, |compound| {
        compound.export.remove(&parent, name, object.is_directory())
    })?;
    results.value(&info);
    Ok(())
}

pub(super) fn rename(
    compound: &mut Compound<'_>,
    (from, to): (Opaque, Opaque),
    results: &mut Builder,
) -> Done {
    compound.export.writable()?;
    let (source, target) = (directory(compound.saved()?)?, compound.directory()?);
    let (from, to) = (name(&from)?, name(&to)?);
    let moved = compound.export.lookup(&source, from)?;
    compound.no_conflict(&moved)?;
    if let Ok(replaced) = compound.export.lookup(&target, to) {
        compound.no_conflict(&replaced)?;
    }
    let done = changing(compound, &source, |compound| {
        changing(compound, &target, |compound| {
            compound.export.rename((&source, from), (&target, to))
        })
    });
    // A target directory that is not empty is reported like any other conflict (RFC 8881 section 18.26.3).
    let (((), there), here) = done.map_err(|status| match status {
        Status::NOTEMPTY => Status::EXIST,
        status => status,
    })?;
    results.value(&here).value(&there);
    Ok(())
}

pub(super) fn link(compound: &mut Compound<'_>, asked: Opaque, results: &mut Builder) -> Done {
    compound.export.writable()?;
    let (parent, object) = (compound.directory()?, compound.saved()?.again()?);
    if object.is_directory() {
        return Err(Status::ISDIR.into());
    }
    let name = name(&asked)?;
    compound.no_conflict(&object)?;
    let ((), info) =
        changing(compound, &parent, |compound| compound.export.link(&object, &parent, name))?;
    results.value(&info);
    Ok(())
}

pub(super) fn read(
    compound: &mut Compound<'_>,
    asked: ReadDirectory,
    results: &mut Builder,
) -> Done {
    let parent = compound.directory()?;
    if parent.access(access::READ, true) == 0 {
        return Err(Status::ACCES.into());
    }
    match asked.cookie {
        0 => {}
        // Reserved cookies (RFC 8881 section 18.23.3).
        1 | 2 => return Err(Status::BAD_COOKIE.into()),
        _ if asked.verifier != COOKIES => return Err(Status::NOT_SAME.into()),
        _ => {}
    }
    let start = results.written();
    let most = start + (asked.maximum.min(compound.room(results)) as usize);
    results.fixed(&COOKIES);
    let (mut full, mut none, mut failed) = (false, true, None);
    let end = entries(&parent, asked.cookie, &mut |entry| {
        if matches!(entry.name, b"." | b"..") {
            return true;
        }
        let before = results.written();
        let known = compound.export.lookup(&parent, entry.name).and_then(|object| {
            attributes::read(compound.export, &object, &asked.attributes, compound.minor)
        });
        let values = match known {
            // An entry removed in the meantime is skipped.
            Err(Status::NOENT) => return true,
            Err(status) => attributes::unreadable(&asked.attributes, status),
            Ok(values) => Ok(values),
        };
        let Ok(values) = values.map_err(|status| failed = Some(status)) else { return false };
        results.boolean(true).long(entry.cookie).opaque(entry.name).value(&values);
        full = results.written() + END > most;
        if full {
            results.truncate(before);
        } else {
            none = false;
        }
        !full
    })?;
    if let Some(status) = failed {
        return Err(status.into());
    }
    if (full && none) || results.written() + END > most {
        return Err(Status::TOOSMALL.into());
    }
    results.boolean(false).boolean(end);
    Ok(())
}
