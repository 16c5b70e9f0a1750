//! Attributes of objects (RFC 8881 section 5, RFC 7862 section 12.2, RFC 8276 section 8.2): a table of
//! readable attributes, and lists of settable ones.

use super::numbers::attribute;
use super::types::{Bitmap, Opaque, Values};
use crate::Status;
use crate::export::{Export, LINK_MAXIMUM, LONGEST_NAME, Object};
use crate::protocol::{Attributes, NewAttributes, Time, TimeChange};
use crate::rpc::{Builder, Reader};

/// The lease in seconds: a client that is silent for longer loses its state.
pub(crate) const LEASE: u32 = 60;

/// The attributes that SETATTR, CREATE and OPEN can set.
const SETTABLE: [u32; 6] = [
    attribute::SIZE,
    attribute::MODE,
    attribute::OWNER,
    attribute::OWNER_GROUP,
    attribute::TIME_ACCESS_SET,
    attribute::TIME_MODIFY_SET,
];
/// The attributes that an exclusive OPEN can set: not the times, which keep its verifier.
const SETTABLE_EXCLUSIVE: [u32; 4] =
    [attribute::SIZE, attribute::MODE, attribute::OWNER, attribute::OWNER_GROUP];

/// The first attribute that does not exist in version 4.1.
const FIRST_OF_MINOR_2: u32 = 76;

/// The sources of an attribute's value.
struct View<'a> {
    minor: u32,
    export: &'a Export,
    object: &'a Object,
    known: Attributes,
}

/// A function that adds the value of an attribute.
type Write = fn(&View<'_>, &mut Builder);

/// The readable attributes: number, value.
const READ: &[(u32, Write)] = &[
    (attribute::SUPPORTED_ATTRS, |it, out| _ = out.value(&supported(it.minor))),
    (attribute::TYPE, |it, out| _ = out.value(&it.known.file_type)),
    // Handles do not expire while the object exists (FH4_PERSISTENT).
    (attribute::FH_EXPIRE_TYPE, |_, out| _ = out.word(0)),
    (attribute::CHANGE, |it, out| _ = out.long(change(&it.known))),
    (attribute::SIZE, |it, out| _ = out.long(it.known.size)),
    // Hard links and symbolic links, but no named attributes.
    (attribute::LINK_SUPPORT, |_, out| _ = out.boolean(true)),
    (attribute::SYMLINK_SUPPORT, |_, out| _ = out.boolean(true)),
    (attribute::NAMED_ATTR, |_, out| _ = out.boolean(false)),
    (attribute::FSID, |it, out| _ = out.long(it.known.file_system).long(0)),
    (attribute::UNIQUE_HANDLES, |_, out| _ = out.boolean(true)),
    (attribute::LEASE_TIME, |_, out| _ = out.word(LEASE)),
    (attribute::RDATTR_ERROR, |_, out| _ = out.word(0)),
    // No access control lists.
    (attribute::ACLSUPPORT, |_, out| _ = out.word(0)),
    // Times can be set; names are case-sensitive and case-preserving; owners cannot give files away.
    (attribute::CANSETTIME, |_, out| _ = out.boolean(true)),
    (attribute::CASE_INSENSITIVE, |_, out| _ = out.boolean(false)),
    (attribute::CASE_PRESERVING, |_, out| _ = out.boolean(true)),
    (attribute::CHOWN_RESTRICTED, |_, out| _ = out.boolean(true)),
    (attribute::FILEHANDLE, |it, out| _ = out.opaque(&it.export.handle(it.object))),
    (attribute::FILEID, |it, out| _ = out.long(it.known.file_id)),
    (attribute::FILES_AVAIL, |it, out| {
        _ = out.long(it.object.space().map_or(0, |space| space.f_favail))
    }),
    (attribute::FILES_FREE, |it, out| {
        _ = out.long(it.object.space().map_or(0, |space| space.f_ffree))
    }),
    (attribute::FILES_TOTAL, |it, out| {
        _ = out.long(it.object.space().map_or(0, |space| space.f_files))
    }),
    (attribute::HOMOGENEOUS, |_, out| _ = out.boolean(true)),
    (attribute::MAXFILESIZE, |_, out| _ = out.long(i64::MAX as u64)),
    (attribute::MAXLINK, |_, out| _ = out.word(LINK_MAXIMUM)),
    (attribute::MAXNAME, |_, out| _ = out.word(LONGEST_NAME)),
    (attribute::MAXREAD, |it, out| _ = out.long(it.export.options.most_data.into())),
    (attribute::MAXWRITE, |it, out| _ = out.long(it.export.options.most_data.into())),
    (attribute::MODE, |it, out| _ = out.word(it.known.mode)),
    (attribute::NO_TRUNC, |_, out| _ = out.boolean(true)),
    (attribute::NUMLINKS, |it, out| _ = out.word(it.known.links)),
    (attribute::OWNER, |it, out| _ = out.opaque(it.known.user.to_string().as_bytes())),
    (attribute::OWNER_GROUP, |it, out| _ = out.opaque(it.known.group.to_string().as_bytes())),
    (attribute::RAWDEV, |it, out| _ = out.value(&it.known.device)),
    (attribute::SPACE_AVAIL, |it, out| _ = out.long(blocks(it.object, |space| space.f_bavail))),
    (attribute::SPACE_FREE, |it, out| _ = out.long(blocks(it.object, |space| space.f_bfree))),
    (attribute::SPACE_TOTAL, |it, out| _ = out.long(blocks(it.object, |space| space.f_blocks))),
    (attribute::SPACE_USED, |it, out| _ = out.long(it.known.used)),
    (attribute::TIME_ACCESS, |it, out| time(it.known.accessed, out)),
    (attribute::TIME_DELTA, |_, out| time(Time { seconds: 0, nanoseconds: 1 }, out)),
    (attribute::TIME_METADATA, |it, out| time(it.known.changed, out)),
    (attribute::TIME_MODIFY, |it, out| time(it.known.modified, out)),
    (attribute::MOUNTED_ON_FILEID, |it, out| _ = out.long(it.known.file_id)),
    (attribute::SUPPATTR_EXCLCREAT, |_, out| _ = out.value(&Bitmap::of(SETTABLE_EXCLUSIVE))),
    // The change attribute is the time of the last change (NFS4_CHANGE_TYPE_IS_TIME_METADATA).
    (attribute::CHANGE_ATTR_TYPE, |_, out| _ = out.word(3)),
    (attribute::XATTR_SUPPORT, |_, out| _ = out.boolean(true)),
];

fn supported(minor: u32) -> Bitmap {
    let all = READ.iter().map(|(number, _)| *number).chain(SETTABLE);
    Bitmap::of(all.filter(|number| minor > 1 || *number < FIRST_OF_MINOR_2))
}

fn blocks(object: &Object, of: impl Fn(&rustix::fs::StatVfs) -> u64) -> u64 {
    object.space().map_or(0, |space| of(&space).saturating_mul(space.f_frsize))
}

fn time(time: Time, out: &mut Builder) {
    out.long(time.seconds.into()).word(time.nanoseconds);
}

/// Returns the change attribute: the time of the last change of content or attributes, in nanoseconds.
pub(super) fn change(known: &Attributes) -> u64 {
    let Time { seconds, nanoseconds } = known.changed;
    u64::from(seconds) * 1_000_000_000 + u64::from(nanoseconds)
}

/// Returns the requested attributes of an object, as far as they are supported.
///
/// # Errors
/// [`Status::INVAL`] for attributes that can only be set (RFC 8881 section 5.5).
pub(super) fn read(
    export: &Export,
    object: &Object,
    wanted: &Bitmap,
    minor: u32,
) -> Result<Values, Status> {
    if wanted.has(attribute::TIME_ACCESS_SET) || wanted.has(attribute::TIME_MODIFY_SET) {
        return Err(Status::INVAL);
    }
    let known = object.attributes_now().unwrap_or_else(|| object.attributes());
    let view = View { minor, export, object, known };
    let (mut values, supported) = (Builder::default(), supported(minor));
    let wanted = |number| wanted.has(number) && supported.has(number);
    let given = READ.iter().filter(|(number, _)| wanted(*number));
    let mask = Bitmap::of(given.map(|(number, write)| {
        write(&view, &mut values);
        *number
    }));
    Ok(Values { mask, values: Opaque(values.bytes) })
}

/// Returns what READDIR gives for an entry that cannot be read: only the error, if it was requested.
///
/// # Errors
/// The error, if it was not requested.
pub(super) fn unreadable(wanted: &Bitmap, status: Status) -> Result<Values, Status> {
    if !wanted.has(attribute::RDATTR_ERROR) {
        return Err(status);
    }
    let values = Opaque(status.0.to_be_bytes().to_vec());
    Ok(Values { mask: Bitmap::of([attribute::RDATTR_ERROR]), values })
}

/// Returns the attributes to set, and their mask.
///
/// # Errors
/// [`Status::ATTRNOTSUPP`] for unsupported attributes, [`Status::INVAL`] for read-only ones,
/// [`Status::BADXDR`] if the values do not match the mask, [`Status::BADOWNER`].
pub(super) fn to_set(values: &Values) -> Result<(NewAttributes, Bitmap), Status> {
    let supported = supported(2);
    let mut new = NewAttributes::default();
    let mut reader = Reader::new(&values.values.0);
    for number in values.mask.numbers() {
        if !supported.has(number) {
            return Err(Status::ATTRNOTSUPP);
        }
        match number {
            attribute::SIZE => new.size = Some(reader.long("size")?),
            attribute::MODE => new.mode = Some(reader.word("mode")?).filter(|mode| *mode <= 0o7777),
            attribute::OWNER => new.user = Some(identity(&mut reader)?),
            attribute::OWNER_GROUP => new.group = Some(identity(&mut reader)?),
            attribute::TIME_ACCESS_SET => new.accessed = time_to_set(&mut reader)?,
            attribute::TIME_MODIFY_SET => new.modified = time_to_set(&mut reader)?,
            _ => return Err(Status::INVAL),
        }
    }
    if !reader.rest().is_empty() {
        return Err(Status::BADXDR);
    }
    if values.mask.has(attribute::MODE) && new.mode.is_none() {
        return Err(Status::INVAL);
    }
    Ok((new, values.mask.clone()))
}

/// Returns the attributes that an exclusive OPEN sets, and those that keep its verifier.
///
/// # Errors
/// [`Status::INVAL`] for attributes that it cannot set.
pub(super) fn to_set_exclusive(values: &Values) -> Result<(NewAttributes, Bitmap), Status> {
    let allowed = Bitmap::of(SETTABLE_EXCLUSIVE);
    if values.mask.numbers().any(|number| !allowed.has(number)) {
        return Err(Status::INVAL);
    }
    let (new, mask) = to_set(values)?;
    Ok((new, Bitmap::of(mask.numbers().chain([attribute::TIME_ACCESS, attribute::TIME_MODIFY]))))
}

/// Reads a user or group given as decimal digits (RFC 8881 section 5.9).
fn identity(reader: &mut Reader<'_>) -> Result<u32, Status> {
    let digits = reader.opaque("owner", 1024)?;
    let number = std::str::from_utf8(digits).ok().and_then(|digits| digits.parse().ok());
    number.ok_or(Status::BADOWNER)
}

fn time_to_set(reader: &mut Reader<'_>) -> Result<TimeChange, Status> {
    match reader.word("time")? {
        0 => Ok(TimeChange::Server),
        1 => {
            let (seconds, nanoseconds) = (reader.long("seconds")?, reader.word("nanoseconds")?);
            let seconds = u32::try_from(seconds).map_err(|_| Status::INVAL)?;
            if nanoseconds >= 1_000_000_000 {
                return Err(Status::INVAL);
            }
            Ok(TimeChange::Set(Time { seconds, nanoseconds }))
        }
        _ => Err(Status::BADXDR),
    }
}

impl From<warpscope_wire::Malformed> for Status {
    /// The arguments do not match the operation.
    fn from(_: warpscope_wire::Malformed) -> Self {
        Self::BADXDR
    }
}
