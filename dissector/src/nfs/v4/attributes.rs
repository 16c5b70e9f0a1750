//! Sets of attributes and their values: `bitmap4` and `fattr4` (RFC 8881 sections 3.2, 3.3.7 and 5).

use super::state::TIME;
use crate::field::Field;
use crate::field::nfs::attributes4 as fields;
use crate::field::nfs::common::{self, MAJOR_DEVICE, MINOR_DEVICE};
use crate::field::nfs::{layout4, v4};
use crate::nfs::Datum;
use crate::nfs::shape::Item::{
    Array, Call, Flags, Group, Handle, Long, Opaque, Text, Union, Use, Word,
};
use crate::nfs::shape::{Item, Items};
use crate::nfs::walker::{Walked, Walker};

/// A `bitmap4` of attributes that are asked for, or were set.
pub(super) const ATTRIBUTE_SET: Item = Call(attribute_set);
/// `fattr4`.
pub(super) const ATTRIBUTES: Item = Call(attributes);

fn attribute_set(walker: &mut Walker<'_, '_>) -> Walked {
    bitmap(walker, &fields::MASK, Some(&fields::ATTRIBUTE))
}

/// A `bitmap4`: its words, and the numbers of the bits that are set. Words without a bit do not show.
pub(super) fn bitmap(
    walker: &mut Walker<'_, '_>,
    mask: &'static Field,
    number: Option<&'static Field>,
) -> Walked {
    let count = walker.silent_word(mask)?;
    let mut index = 0;
    walker.times(count, |walker| {
        let word = walker.silent_word(mask)?;
        if word != 0 {
            walker.tell(mask, Datum::Number(word.into()), walker.at - 4, 4);
            walker.beneath(|walker| {
                for bit in set_bits(word) {
                    if let Some(number) = number {
                        walker.derive(number, Datum::Number(index * 32 + u64::from(bit)));
                    }
                }
                Ok(())
            })?;
        }
        index += 1;
        Ok(())
    })
}

fn set_bits(word: u32) -> impl Iterator<Item = u32> {
    (0..32).filter(move |bit| word >> bit & 1 != 0)
}

/// The words of the bitmap, each with the values of its attributes beneath; the values stand one after
/// the other behind the bitmap, in the order of the bits.
fn attributes(walker: &mut Walker<'_, '_>) -> Walked {
    let count = walker.silent_word(&fields::MASK)? as usize;
    let words = walker.take(&fields::MASK, count.saturating_mul(4))?;
    let mask_at = walker.at - words.len();
    let length = walker.silent_word(&fields::ATTRIBUTE)? as usize;
    let start = walker.at;
    walker.take(&fields::ATTRIBUTE, length)?;
    // No value goes beyond the length of all.
    let message = walker.body.bytes;
    walker.body.bytes = message.get(..walker.at).unwrap_or(message);
    walker.at = start;
    let walked = values(walker, words, mask_at);
    walker.body.bytes = message;
    walked?;
    walker.take(&fields::ATTRIBUTE, length.next_multiple_of(4) - length).map(drop)
}

fn values(walker: &mut Walker<'_, '_>, words: &[u8], mask_at: usize) -> Walked {
    let mut lost = false;
    for (index, word) in words.chunks_exact(4).enumerate() {
        let word = word.iter().fold(0, |number, byte| number << 8 | u32::from(*byte));
        if word == 0 {
            continue;
        }
        walker.tell(&fields::MASK, Datum::Number(word.into()), mask_at + index * 4, 4);
        walker.beneath(|walker| {
            for bit in set_bits(word) {
                let number = index as u64 * 32 + u64::from(bit);
                let Some(items) = layout(number).filter(|_| !lost) else {
                    walker.derive(&fields::ATTRIBUTE, Datum::Number(number));
                    // Where the next value begins is not known.
                    lost = true;
                    continue;
                };
                let at = walker.at;
                walker.tell(&fields::ATTRIBUTE, Datum::Number(number), at, 0);
                walker.beneath(|walker| walker.items(items))?;
            }
            Ok(())
        })?;
    }
    if walker.left() > 0 {
        let (at, left) = (walker.at, walker.left());
        let bytes = walker.take(&fields::NOT_DECODED, left)?;
        walker.tell(&fields::NOT_DECODED, Datum::Bytes(bytes), at, left);
    }
    Ok(())
}

fn layout(attribute: u64) -> Option<Items> {
    let mut layouts = LAYOUTS.iter();
    layouts.find(|(number, _)| *number == attribute).map(|(_, items)| *items)
}

const MODE_BITS: &[(&Field, u32)] = &[
    (&fields::MODE_NAME, 0xe000),
    (&fields::MODE_SET_UID, 0x800),
    (&fields::MODE_SET_GID, 0x400),
    (&fields::MODE_STICKY, 0x200),
    (&fields::MODE_OWNER_READ, 0x100),
    (&fields::MODE_OWNER_WRITE, 0x80),
    (&fields::MODE_OWNER_EXECUTE, 0x40),
    (&fields::MODE_GROUP_READ, 0x20),
    (&fields::MODE_GROUP_WRITE, 0x10),
    (&fields::MODE_GROUP_EXECUTE, 0x8),
    (&fields::MODE_OTHER_READ, 0x4),
    (&fields::MODE_OTHER_WRITE, 0x2),
    (&fields::MODE_OTHER_EXECUTE, 0x1),
];
const MODE: Item = Flags(&fields::MODE, MODE_BITS);
const ACL_BITS: &[(&Field, u32)] = &[
    (&fields::ACL_ALLOW, 0x1),
    (&fields::ACL_DENY, 0x2),
    (&fields::ACL_AUDIT, 0x4),
    (&fields::ACL_ALARM, 0x8),
];
const CHARACTER_SET_BITS: &[(&Field, u32)] =
    &[(&fields::CONTAINS_NON_UTF8, 0x1), (&fields::ONLY_UTF8, 0x2)];

/// `nfsace4`.
pub(super) const ACE: Items = &[
    Word(&fields::ACE_TYPE),
    Word(&fields::ACE_FLAGS),
    Word(&fields::ACE_MASK),
    Text(&fields::WHO),
];
const ACES: Item = Array(&fields::ACE_COUNT, ACE);
const ACL_41: Items = &[Word(&fields::ACL_FLAGS), ACES];
const SET_TIME: Items = &[Union(&fields::TIME_SET, &[(1, TIME)], Some(&[]))];
const PATH: Item = Array(&v4::COMPONENTS, &[Text(&v4::COMPONENT)]);
const LOCATIONS: Items = &[
    PATH,
    Array(
        &fields::LOCATIONS,
        &[Group(
            &fields::LOCATION,
            &[
                Group(&fields::SERVERS, &[Array(&fields::SERVERS_COUNT, &[Text(&fields::SERVER)])]),
                PATH,
            ],
        )],
    ),
];
const STATUS: Items = &[
    Word(&fields::ABSENT),
    Word(&fields::STATUS_TYPE),
    Text(&fields::STATUS_SOURCE),
    Text(&fields::STATUS_CURRENT),
    Word(&fields::STATUS_AGE),
    Use(TIME),
];
const RETENTION_GET: Items =
    &[Long(&fields::RETENTION_DURATION), Array(&fields::RETENTION_COUNT, TIME)];
const RETENTION_SET: Items = &[
    Word(&fields::RETENTION_ENABLED),
    Array(&fields::RETENTION_COUNT, &[Long(&fields::RETENTION_DURATION)]),
];
const LAYOUT_TYPES: Items = &[Array(&layout4::LAYOUT_TYPES_COUNT, &[Word(&layout4::LAYOUT_TYPE)])];
const THRESHOLDS: Items = &[Array(
    &layout4::THRESHOLDS,
    &[Word(&layout4::LAYOUT_TYPE), Call(threshold_set), Opaque(&layout4::THRESHOLD_VALUES)],
)];

fn threshold_set(walker: &mut Walker<'_, '_>) -> Walked {
    bitmap(walker, &layout4::THRESHOLD_MASK, None)
}

/// The value of each attribute, by its number. Attribute 67 (`fs_locations_info`) and what is not here end
/// the reading of a set.
const LAYOUTS: &[(u64, Items)] = &[
    (0, &[ATTRIBUTE_SET]),
    (1, &[Word(&common::FILE_TYPE)]),
    (2, &[Word(&fields::EXPIRES)]),
    (3, &[Long(&fields::CHANGE)]),
    (4, &[Long(&fields::SIZE)]),
    (5, &[Word(&fields::LINK_SUPPORT)]),
    (6, &[Word(&fields::SYMLINK_SUPPORT)]),
    (7, &[Word(&fields::NAMED_ATTRIBUTES)]),
    (8, &[Long(&fields::FILE_SYSTEM_MAJOR), Long(&fields::FILE_SYSTEM_MINOR)]),
    (9, &[Word(&fields::UNIQUE_HANDLES)]),
    (10, &[Word(&fields::LEASE_TIME)]),
    (11, &[Word(&v4::STATUS)]),
    (12, &[ACES]),
    (13, &[Flags(&fields::ACL_SUPPORT, ACL_BITS)]),
    (14, &[Word(&fields::ARCHIVE)]),
    (15, &[Word(&fields::CAN_SET_TIME)]),
    (16, &[Word(&fields::CASE_INSENSITIVE)]),
    (17, &[Word(&fields::CASE_PRESERVING)]),
    (18, &[Word(&fields::CHOWN_RESTRICTED)]),
    (19, &[Handle]),
    (20, &[Long(&fields::FILE_ID)]),
    (21, &[Long(&fields::FILES_AVAILABLE)]),
    (22, &[Long(&fields::FILES_FREE)]),
    (23, &[Long(&fields::FILES_TOTAL)]),
    (24, LOCATIONS),
    (25, &[Word(&fields::HIDDEN)]),
    (26, &[Word(&fields::HOMOGENEOUS)]),
    (27, &[Long(&fields::LARGEST_FILE)]),
    (28, &[Word(&fields::MAXIMUM_LINKS)]),
    (29, &[Word(&fields::MAXIMUM_NAME)]),
    (30, &[Long(&fields::MAXIMUM_READ)]),
    (31, &[Long(&fields::MAXIMUM_WRITE)]),
    (32, &[Text(&fields::MIME_TYPE)]),
    (33, &[MODE]),
    (34, &[Word(&fields::NO_TRUNCATION)]),
    (35, &[Word(&fields::LINKS)]),
    (36, &[Text(&fields::OWNER)]),
    (37, &[Text(&fields::OWNER_GROUP)]),
    (38, &[Long(&fields::QUOTA_HARD)]),
    (39, &[Long(&fields::QUOTA_SOFT)]),
    (40, &[Long(&fields::QUOTA_USED)]),
    (41, &[Word(&MAJOR_DEVICE), Word(&MINOR_DEVICE)]),
    (42, &[Long(&fields::SPACE_AVAILABLE)]),
    (43, &[Long(&fields::SPACE_FREE)]),
    (44, &[Long(&fields::SPACE_TOTAL)]),
    (45, &[Long(&fields::SPACE_USED)]),
    (46, &[Word(&fields::SYSTEM)]),
    (47, TIME),
    (48, SET_TIME),
    (49, TIME),
    (50, TIME),
    (51, TIME),
    (52, TIME),
    (53, TIME),
    (54, SET_TIME),
    (55, &[Long(&fields::MOUNTED_ON)]),
    (56, TIME),
    (57, TIME),
    (58, ACL_41),
    (59, ACL_41),
    (60, &[Long(&fields::POLICY_MAJOR), Long(&fields::POLICY_MINOR)]),
    (61, STATUS),
    (62, LAYOUT_TYPES),
    (63, &[Word(&layout4::LAYOUT_TYPE), Opaque(&layout4::LAYOUT_HINT)]),
    (64, LAYOUT_TYPES),
    (65, &[Word(&fields::BLOCK_SIZE)]),
    (66, &[Word(&fields::ALIGNMENT)]),
    (68, THRESHOLDS),
    (69, RETENTION_GET),
    (70, RETENTION_SET),
    (71, RETENTION_GET),
    (72, RETENTION_SET),
    (73, &[Long(&fields::RETENTION_HOLD)]),
    (74, &[MODE, Word(&fields::MODE_MASK)]),
    (75, &[ATTRIBUTE_SET]),
    (76, &[Flags(&fields::CHARACTER_SETS, CHARACTER_SET_BITS)]),
    (77, &[Word(&fields::CLONE_BLOCK_SIZE)]),
    (78, &[Long(&fields::SPACE_FREED)]),
    (79, &[Word(&fields::CHANGE_TYPE)]),
    (80, &[Word(&fields::LABEL_FORMAT), Word(&fields::LABEL_POLICY), Text(&fields::LABEL)]),
    (81, &[MODE, Word(&fields::UMASK)]),
    (82, &[Word(&fields::XATTR_SUPPORT)]),
    (83, &[Word(&fields::OFFLINE)]),
    (84, TIME),
    (85, TIME),
];
