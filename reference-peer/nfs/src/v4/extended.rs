//! The operations of version 4.2: space and holes, COPY, extended attributes (RFC 7862 sections 15.1, 15.2,
//! 15.4, 15.10, 15.11; RFC 8276 section 8.4).

use super::compound::{Compound, Done};
use super::directory::changing;
use super::file::usable;
use super::types::{self, Opaque, SetExtended, StateId, Stretch};
use crate::Status;
use crate::export::{FILE_SYNC, Object};
use crate::protocol::FileType;
use crate::rpc::Builder;
use rustix::fs::{
    FallocateFlags, OFlags, SeekFrom, XattrFlags, copy_file_range, fallocate, fsync, getxattr,
    listxattr, removexattr, seek as seek_in, setxattr,
};
use rustix::io::Errno;

/// The content types of READ_PLUS and SEEK (data_content4).
const DATA: u32 = 0;
const HOLE: u32 = 1;
/// The most pieces in one READ_PLUS.
const MOST_PIECES: u32 = 64;
/// Bytes of a piece in addition to its data, and of the shortest piece with data.
const PIECE: u32 = 20;
const SHORTEST_PIECE: u32 = PIECE + 4;
/// The most bytes that one COPY copies; the client continues with another.
const MOST_COPIED: u64 = 64 << 20;
/// The file system's prefix of all extended attributes in the protocol.
const PREFIX: &[u8] = b"user.";
/// The longest name without the prefix, and the longest value and list, in bytes.
const LONGEST_NAME: usize = 250;
const LONGEST_VALUE: usize = 64 * 1024;

pub(super) fn allocate(compound: &mut Compound<'_>, asked: Stretch, _: &mut Builder) -> Done {
    space(compound, &asked, FallocateFlags::empty())
}

pub(super) fn deallocate(compound: &mut Compound<'_>, asked: Stretch, _: &mut Builder) -> Done {
    space(compound, &asked, FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE)
}

fn space(compound: &mut Compound<'_>, asked: &Stretch, how: FallocateFlags) -> Done {
    // The same error for every other type (RFC 7862 sections 15.1.3 and 15.4.3).
    if !is_file(compound.object()?) {
        return Err(Status::WRONG_TYPE.into());
    }
    let file = usable(compound, asked.state, true)?;
    let end = asked.offset.checked_add(asked.length);
    if asked.length == 0 || end.is_none_or(|end| i64::try_from(end).is_err()) {
        return Err(Status::INVAL.into());
    }
    let opened = file.reopen(OFlags::RDWR)?;
    Ok(fallocate(opened, how, asked.offset, asked.length).map_err(Status::from)?)
}

fn is_file(object: &Object) -> bool {
    object.file_type() == FileType::Regular
}

pub(super) fn seek(
    compound: &mut Compound<'_>,
    (id, offset, what): (StateId, u64, u32),
    results: &mut Builder,
) -> Done {
    let file = usable(compound, id, false)?;
    let opened = file.reopen(OFlags::RDONLY)?;
    if offset >= size(&file) {
        return Err(Status::NXIO.into());
    }
    let to = match what {
        DATA => SeekFrom::Data(offset),
        HOLE => SeekFrom::Hole(offset),
        _ => return Err(Status::UNION_NOTSUPP.into()),
    };
    match seek_in(&opened, to) {
        // The end of the file counts as a hole of no length (RFC 7862 section 15.11.3).
        Ok(found) => _ = results.boolean(found >= size(&file)).long(found),
        Err(Errno::NXIO) => _ = results.boolean(true).long(size(&file)),
        Err(error) => return Err(Status::from(error).into()),
    }
    Ok(())
}

fn size(file: &Object) -> u64 {
    file.attributes_now().map_or(0, |known| known.size)
}

pub(super) fn read_plus(
    compound: &mut Compound<'_>,
    asked: types::Read,
    results: &mut Builder,
) -> Done {
    let file = usable(compound, asked.state, false)?;
    let opened = file.reopen(OFlags::RDONLY)?;
    let (size, mut at) = (size(&file), asked.offset);
    let room = compound.room(results);
    if room < SHORTEST_PIECE && at < size && asked.count > 0 {
        return Err(Status::REP_TOO_BIG.into());
    }
    let end = at.saturating_add(asked.count.min(room).into()).min(size);
    let start = results.written();
    results.boolean(false).word(0);
    let (mut pieces, mut left) = (0, room);
    while at < end && pieces < MOST_PIECES && left >= SHORTEST_PIECE {
        let data = match seek_in(&opened, SeekFrom::Data(at)) {
            Ok(data) => data,
            Err(Errno::NXIO) => size,
            Err(error) => return Err(Status::from(error).into()),
        };
        left -= PIECE;
        if data > at {
            let until = data.min(size);
            results.word(HOLE).long(at).long(until - at);
            pieces += 1;
            at = until;
            continue;
        }
        let hole = seek_in(&opened, SeekFrom::Hole(at)).map_err(Status::from)?;
        let count = u32::try_from(hole.min(end) - at).unwrap_or(u32::MAX).min(left & !3);
        let (data, _) = file.read(at, count)?;
        if data.is_empty() {
            break;
        }
        results.word(DATA).long(at).opaque(&data);
        pieces += 1;
        left = left.saturating_sub(data.len() as u32);
        at += data.len() as u64;
    }
    results.patch(start, u32::from(at >= size));
    results.patch(start + 4, pieces);
    Ok(())
}

pub(super) fn copy(compound: &mut Compound<'_>, asked: types::Copy, results: &mut Builder) -> Done {
    let (source, target) = (compound.saved()?.again()?, compound.object()?.again()?);
    if !is_file(&source) || !is_file(&target) {
        return Err(Status::WRONG_TYPE.into());
    }
    if source.identity == target.identity {
        return Err(Status::INVAL.into());
    }
    if asked.servers != 0 {
        return Err(Status::NOTSUPP.into());
    }
    let (client, id) = (compound.client()?, asked.source);
    compound.version.held.may(client, &id, source.identity, false)?;
    let target = usable(compound, asked.destination, true)?;
    let whole = size(&source);
    let wanted = match asked.count {
        0 => whole.saturating_sub(asked.source_offset),
        count => count,
    };
    let fits = asked.source_offset.checked_add(wanted).is_some_and(|end| end <= whole);
    if !fits || asked.destination_offset.checked_add(wanted).is_none() {
        return Err(Status::INVAL.into());
    }
    let (from, to) = (source.reopen(OFlags::RDONLY)?, target.reopen(OFlags::WRONLY)?);
    let (mut from_at, mut to_at) = (asked.source_offset, asked.destination_offset);
    let mut left = wanted.min(MOST_COPIED);
    while left > 0 {
        let step = usize::try_from(left).unwrap_or(usize::MAX);
        let copied = copy_file_range(&from, Some(&mut from_at), &to, Some(&mut to_at), step);
        match copied.map_err(Status::from)? {
            0 => break,
            copied => left -= (copied as u64).min(left),
        }
    }
    fsync(&to).map_err(Status::from)?;
    // The copy is complete, so no callback follows. It was consecutive and synchronous.
    results.word(0).long(to_at - asked.destination_offset).word(FILE_SYNC);
    results.fixed(&compound.export.options.write_verifier).boolean(true).boolean(true);
    Ok(())
}

// Extended attributes: the `user.` attributes, without their prefix.

/// Returns the current object, if it can have extended attributes, and the name in the file system.
fn named(compound: &Compound<'_>, name: &Opaque) -> Result<(Object, Vec<u8>), Status> {
    let object = bearing(compound)?;
    match name.0.as_slice() {
        [] => Err(Status::INVAL),
        name if name.contains(&0) => Err(Status::BADCHAR),
        name if name.len() > LONGEST_NAME => Err(Status::NAMETOOLONG),
        name => Ok((object, [PREFIX, name].concat())),
    }
}

fn bearing(compound: &Compound<'_>) -> Result<Object, Status> {
    let object = compound.object()?;
    match object.file_type() {
        FileType::Regular | FileType::Directory => object.again(),
        _ => Err(Status::WRONG_TYPE),
    }
}

fn failed(error: Errno) -> Status {
    match error {
        Errno::NODATA => Status::NOXATTR,
        Errno::RANGE | Errno::TOOBIG => Status::XATTR2BIG,
        other => other.into(),
    }
}

pub(super) fn get(compound: &mut Compound<'_>, name: Opaque, results: &mut Builder) -> Done {
    let (object, name) = named(compound, &name)?;
    let mut value = vec![0; LONGEST_VALUE];
    let length = getxattr(object.magic(), name.as_slice(), value.as_mut_slice()).map_err(failed)?;
    value.truncate(length);
    if length > compound.room(results) as usize {
        return Err(Status::REP_TOO_BIG.into());
    }
    results.opaque(&value);
    Ok(())
}

pub(super) fn set(compound: &mut Compound<'_>, asked: SetExtended, results: &mut Builder) -> Done {
    compound.export.writable()?;
    let (object, name) = named(compound, &asked.name)?;
    let how = match asked.how {
        0 => XattrFlags::empty(),
        1 => XattrFlags::CREATE,
        2 => XattrFlags::REPLACE,
        _ => return Err(Status::BADXDR.into()),
    };
    compound.no_conflict(&object)?;
    let ((), info) = changing(compound, &object, |_| {
        setxattr(object.magic(), name.as_slice(), &asked.value.0, how).map_err(failed)
    })?;
    results.value(&info);
    Ok(())
}

pub(super) fn list(
    compound: &mut Compound<'_>,
    (cookie, most): (u64, u32),
    results: &mut Builder,
) -> Done {
    let object = bearing(compound)?;
    let mut names = vec![0; LONGEST_VALUE];
    let length = listxattr(object.magic(), names.as_mut_slice()).map_err(failed)?;
    names.truncate(length);
    let names: Vec<&[u8]> =
        names.split(|byte| *byte == 0).filter_map(|name| name.strip_prefix(PREFIX)).collect();
    let start = results.written();
    // The cookie is the number of names so far. The last 4 bytes say whether the end was reached.
    let most = start + (most.min(compound.room(results)) as usize).saturating_sub(4);
    results.long(cookie).word(0);
    let first = usize::try_from(cookie).unwrap_or(usize::MAX);
    let mut count = 0;
    for name in names.iter().skip(first) {
        let before = results.written();
        results.opaque(name);
        if results.written() > most {
            results.truncate(before);
            break;
        }
        count += 1;
    }
    let reached = first.saturating_add(count);
    if count == 0 && reached < names.len() {
        return Err(Status::TOOSMALL.into());
    }
    let [high, low] = [reached as u64 >> 32, reached as u64 & 0xffff_ffff];
    results.patch(start, high as u32);
    results.patch(start + 4, low as u32);
    results.patch(start + 8, count as u32);
    results.boolean(reached >= names.len());
    Ok(())
}

pub(super) fn remove(compound: &mut Compound<'_>, name: Opaque, results: &mut Builder) -> Done {
    compound.export.writable()?;
    let (object, name) = named(compound, &name)?;
    compound.no_conflict(&object)?;
    let ((), info) = changing(compound, &object, |_| {
        removexattr(object.magic(), name.as_slice()).map_err(failed)
    })?;
    results.value(&info);
    Ok(())
}
