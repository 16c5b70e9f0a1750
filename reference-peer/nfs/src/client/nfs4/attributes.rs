//! Converts version 4 attributes (RFC 8881 section 5) to those of version 3, for callers that use either.

use crate::client::results::ListedEntry;
use crate::protocol::{Attributes, FileType, Time};
use crate::rpc::{Builder, Reader};
use crate::v4::numbers::attribute;
use crate::v4::types::{Bitmap, Opaque, Values};
use warpscope_wire::Malformed;

/// Bytes of all requested attribute values, with owners of usual length.
pub(super) const LONGEST: usize = 1024;
/// The user ID for all owners whose name is not a number (nobody).
const NOBODY: u32 = 65_534;
/// The longest owner in bytes.
const LONGEST_OWNER: u32 = 1024;

/// The attributes of an object and of the server.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Known {
    pub(super) attributes: Attributes,
    /// The most bytes of a READ and a WRITE.
    pub(super) most: (Option<u64>, Option<u64>),
}

/// A function that reads the value of an attribute.
type Take = fn(&mut Known, &mut Reader<'_>) -> Result<(), Malformed>;

/// The requested attributes: number, function that reads the value.
const TAKEN: &[(u32, Take)] = &[
    (attribute::TYPE, |it, from| {
        // A named attribute and its directory are treated as a file and a directory.
        it.attributes.file_type = match from.word("file type")? {
            8 => FileType::Directory,
            9 => FileType::Regular,
            number => {
                FileType::from_repr(number).ok_or_else(|| crate::rpc::value("file type", number))?
            }
        };
        Ok(())
    }),
    (attribute::SIZE, |it, from| from.long("size").map(|size| it.attributes.size = size)),
    (attribute::FSID, |it, from| {
        // Major and minor number; the latter is 0 almost everywhere.
        let (major, minor): (u64, u64) = from.value("file system")?;
        it.attributes.file_system = major ^ minor.rotate_left(32);
        Ok(())
    }),
    (attribute::RDATTR_ERROR, |_, from| from.word("read error").map(|_| ())),
    (attribute::FILEID, |it, from| from.long("file ID").map(|id| it.attributes.file_id = id)),
    (attribute::MAXREAD, |it, from| from.long("maximum read").map(|most| it.most.0 = Some(most))),
    (attribute::MAXWRITE, |it, from| from.long("maximum write").map(|most| it.most.1 = Some(most))),
    (attribute::MODE, |it, from| from.word("mode").map(|mode| it.attributes.mode = mode)),
    (attribute::NUMLINKS, |it, from| from.word("links").map(|links| it.attributes.links = links)),
    (attribute::OWNER, |it, from| owner(from).map(|user| it.attributes.user = user)),
    (attribute::OWNER_GROUP, |it, from| owner(from).map(|group| it.attributes.group = group)),
    (attribute::RAWDEV, |it, from| {
        from.value("device numbers").map(|device| it.attributes.device = device)
    }),
    (attribute::SPACE_USED, |it, from| {
        from.long("space used").map(|used| it.attributes.used = used)
    }),
    (attribute::TIME_ACCESS, |it, from| time(from).map(|time| it.attributes.accessed = time)),
    (attribute::TIME_METADATA, |it, from| time(from).map(|time| it.attributes.changed = time)),
    (attribute::TIME_MODIFY, |it, from| time(from).map(|time| it.attributes.modified = time)),
];

/// Reads a user or group: a number in digits, or a name, which is mapped to nobody (RFC 8881 section 5.9).
fn owner(from: &mut Reader<'_>) -> Result<u32, Malformed> {
    let name = from.opaque("owner", LONGEST_OWNER)?;
    Ok(std::str::from_utf8(name).ok().and_then(|name| name.parse().ok()).unwrap_or(NOBODY))
}

/// Reads a time; one that version 3 cannot represent becomes the nearest that it can.
fn time(from: &mut Reader<'_>) -> Result<Time, Malformed> {
    let seconds = from.long("seconds")?.cast_signed();
    let seconds = seconds.clamp(0, u32::MAX.into()) as u32;
    Ok(Time { seconds, nanoseconds: from.word("nanoseconds")? })
}

/// Returns the attributes requested for an object.
pub(super) fn of_object() -> Bitmap {
    let asked = TAKEN.iter().map(|(number, _)| *number);
    Bitmap::of(asked.filter(|it| {
        ![attribute::RDATTR_ERROR, attribute::MAXREAD, attribute::MAXWRITE].contains(it)
    }))
}

/// Returns the attributes requested for each directory entry, with an error in place of unreadable ones.
pub(super) fn of_entry() -> Bitmap {
    Bitmap::of(of_object().numbers().chain([attribute::RDATTR_ERROR]))
}

/// Returns the attributes requested for the server.
pub(super) fn of_server() -> Bitmap {
    Bitmap::of([attribute::MAXREAD, attribute::MAXWRITE])
}

/// Returns attributes with only the type.
pub(super) fn of_type(file_type: FileType) -> Values {
    let values = Opaque((file_type as u32).to_be_bytes().to_vec());
    Values { mask: Bitmap::of([attribute::TYPE]), values }
}

/// Returns the attributes of a new object: its mode, and size 0 if `empty`.
pub(super) fn new(empty: bool, mode: Option<u32>) -> Values {
    let mut values = Builder::default();
    if empty {
        values.long(0);
    }
    mode.map(|mode| values.word(mode).written());
    let mask = [(attribute::SIZE, empty), (attribute::MODE, mode.is_some())];
    let mask = Bitmap::of(mask.into_iter().filter(|(_, it)| *it).map(|(number, _)| number));
    Values { mask, values: Opaque(values.bytes) }
}

/// Reads attribute values.
///
/// # Errors
/// [`Malformed`] if they do not match the mask, or include attributes that were not requested.
pub(super) fn known(values: &Values) -> Result<Known, Malformed> {
    let (mut known, mut from) = (Known::default(), Reader::new(&values.values.0));
    for number in values.mask.numbers() {
        let taken = TAKEN.iter().find(|(known, _)| *known == number);
        let (_, take) = taken.ok_or_else(|| crate::rpc::value("attribute mask", number))?;
        take(&mut known, &mut from)?;
    }
    if !from.rest().is_empty() {
        return Err(crate::rpc::value("attribute values", from.rest().len() as u32));
    }
    Ok(known)
}

/// Reads a directory entry of READDIR, after the word that says that there is one.
///
/// # Errors
/// [`Malformed`] if it cannot be parsed.
pub(super) fn entry(reader: &mut Reader<'_>) -> Result<ListedEntry, Malformed> {
    let cookie = reader.long("cookie")?;
    let name = reader.opaque("name", crate::LONGEST_MOUNT_PATH)?.to_vec();
    let values: Values = reader.value("attributes")?;
    let attributes = known(&values)?.attributes;
    let attributes = values.mask.has(attribute::TYPE).then_some(attributes);
    Ok(ListedEntry {
        file_id: attributes.map_or(0, |it| it.file_id),
        name,
        cookie,
        attributes,
        handle: None,
    })
}
