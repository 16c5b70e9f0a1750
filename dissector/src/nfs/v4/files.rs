//! Operations of version 4.0: files, directories, opens and locks (RFC 7530 section 16, RFC 8881 section 18).

use super::compound::{
    CHANGE_INFO, COMPONENT, LOCK_OWNER, NETWORK_ADDRESS, OPEN_OWNER, STATE_ID, STATUS_ALONE, TIME,
    VERIFIER, ok,
};
use crate::field::Field;
use crate::field::nfs::common::{
    DATA, FILE_TYPE, MAJOR_DEVICE, MINOR_DEVICE, READ_LENGTH, WRITE_LENGTH,
};
use crate::field::nfs::names::op;
use crate::field::nfs::{attributes4, common, layout4, v4};
use crate::nfs::Datum;
use crate::nfs::v3::ACCESS_BITS;
use crate::nfs::walker::Item::{
    Array, ByStatus, Call, Eligible, Flags, Group, Handle, List, Long, Opaque, Result, SetFlags,
    Text, Union, Use, Word,
};
use crate::nfs::walker::{Item, Items, Operation, Walked, Walker};

const NOTHING: Items = &[];
const NFS4ERR_CLID_INUSE: u32 = 10017;
const NFS4ERR_DENIED: u32 = 10010;

const SUPPORTED_BITS: &[(&Field, u32)] = &[
    (&common::SUPPORTED_READ, 0x1),
    (&common::SUPPORTED_LOOKUP, 0x2),
    (&common::SUPPORTED_MODIFY, 0x4),
    (&common::SUPPORTED_EXTEND, 0x8),
    (&common::SUPPORTED_DELETE, 0x10),
    (&common::SUPPORTED_EXECUTE, 0x20),
    (&common::SUPPORTED_XATTR_READ, 0x40),
    (&common::SUPPORTED_XATTR_WRITE, 0x80),
    (&common::SUPPORTED_XATTR_LIST, 0x100),
];

/// Walks over the access that the server can check, and the access that it grants.
fn access(walker: &mut Walker<'_, '_>) -> Walked {
    let supported = walker.word(&common::ACCESS_SUPPORTED)?;
    walker.flags(supported, SUPPORTED_BITS, supported)?;
    let granted = walker.word(&common::ACCESS_RIGHTS)?;
    walker.flags(granted, ACCESS_BITS, supported)
}

const NOTIFICATION_BITS: &[(&Field, u32)] =
    &[(&v4::WANT_WHEN_AVAILABLE, 0x1_0000), (&v4::WANT_WHEN_UNCONTENDED, 0x2_0000)];

/// Walks over the access that a client wants to a file; since version 4.1 with the delegation it wants.
fn share_access(walker: &mut Walker<'_, '_>) -> Walked {
    let word = walker.silent_word(&v4::SHARE_ACCESS_BITS)?;
    let at = walker.at - 4;
    let number = crate::nfs::Datum::Number;
    walker.report(&v4::SHARE_ACCESS_BITS, number(u64::from(word & 0xff)), at, 4);
    if word > 0xff {
        walker.report(&v4::WANT, number(u64::from(word & 0xff00)), at, 4);
    }
    let notification = word & !0xffff;
    if notification != 0 {
        walker.report(&v4::WANT_NOTIFICATION, number(notification.into()), at, 4);
        walker.flags(word, NOTIFICATION_BITS, u32::MAX)?;
    }
    Ok(())
}

/// A failed READ or READLINK leaves its write chunk unused.
const FAILED_READ: Items = &[Call(|walker| {
    walker.spend_chunk();
    Ok(())
})];
const NEW_STATE: Item = ok!(&[STATE_ID]);
const CHANGED: Item = ok!(&[CHANGE_INFO]);
const DENIED: Items =
    &[Long(&v4::OFFSET), Long(&v4::LENGTH), Word(&v4::LOCK_TYPE), Use(LOCK_OWNER)];

const CREATE: Items = &[
    Union(
        &FILE_TYPE,
        &[
            (3, &[Word(&MAJOR_DEVICE), Word(&MINOR_DEVICE)]),
            (4, &[Word(&MAJOR_DEVICE), Word(&MINOR_DEVICE)]),
            (5, &[Eligible { length: None, data: &v4::LINK_TEXT }]),
        ],
        Some(NOTHING),
    ),
    COMPONENT,
    ATTRIBUTES,
];

const LOCK: Items = &[
    Word(&v4::LOCK_TYPE),
    Word(&v4::RECLAIM),
    Long(&v4::OFFSET),
    Long(&v4::LENGTH),
    Union(
        &v4::NEW_LOCK_OWNER,
        &[
            (0, &[STATE_ID, Word(&v4::LOCK_SEQUENCE_ID)]),
            (1, &[Word(&v4::SEQUENCE_ID), STATE_ID, Word(&v4::LOCK_SEQUENCE_ID), Use(LOCK_OWNER)]),
        ],
        None,
    ),
];

const CREATE_HOW: Items = &[Union(
    &v4::CREATE_MODE,
    &[(0, &[ATTRIBUTES]), (1, &[ATTRIBUTES]), (2, &[VERIFIER]), (3, &[VERIFIER, ATTRIBUTES])],
    None,
)];
const OPEN: Items = &[
    Word(&v4::SEQUENCE_ID),
    Call(share_access),
    Word(&v4::SHARE_DENY_BITS),
    Use(OPEN_OWNER),
    Union(&v4::OPEN_TYPE, &[(1, CREATE_HOW)], Some(NOTHING)),
    Union(
        &v4::CLAIM_TYPE,
        &[
            (0, &[COMPONENT]),
            (1, &[Word(&v4::DELEGATE_TYPE)]),
            (2, &[STATE_ID, COMPONENT]),
            (3, &[COMPONENT]),
            (4, NOTHING),
            (5, &[STATE_ID]),
            (6, NOTHING),
        ],
        None,
    ),
];

const RESULT_BITS: &[(&Field, u32)] = &[
    (&v4::RESULT_CONFIRM, 0x2),
    (&v4::RESULT_POSIX, 0x4),
    (&v4::RESULT_PRESERVE, 0x8),
    (&v4::RESULT_MAY_NOTIFY, 0x20),
];
const READ_DELEGATION: Items = &[STATE_ID, Word(&v4::RECALL), Use(ACE)];
const WRITE_DELEGATION: Items = &[
    STATE_ID,
    Word(&v4::WRITE_RECALL),
    Union(
        &v4::LIMIT_BY,
        &[
            (1, &[Long(&v4::LIMIT_SIZE)]),
            (2, &[Word(&v4::LIMIT_BLOCKS), Word(&v4::LIMIT_BLOCK_SIZE)]),
        ],
        None,
    ),
    Use(ACE),
];
/// `open_delegation4`; types 4 and 5 are from RFC 9754.
pub(super) const DELEGATION: Item = Union(
    &v4::DELEGATION_TYPE,
    &[
        (0, NOTHING),
        (1, READ_DELEGATION),
        (2, WRITE_DELEGATION),
        (
            3,
            &[Union(
                &v4::WHY_NONE,
                &[(1, &[Word(&v4::WILL_TELL)]), (2, &[Word(&v4::WILL_TELL)])],
                Some(NOTHING),
            )],
        ),
        (4, READ_DELEGATION),
        (5, WRITE_DELEGATION),
    ],
    None,
);
const OPENED: Items =
    &[STATE_ID, CHANGE_INFO, Flags(&v4::RESULT_FLAGS, RESULT_BITS), ATTRIBUTE_SET, DELEGATION];

const READDIR: Items = &[
    Long(&v4::COOKIE),
    Long(&v4::COOKIE_VERIFIER),
    Word(&v4::DIRECTORY_COUNT),
    Word(&v4::MAXIMUM_COUNT),
    ATTRIBUTE_SET,
];

/// Reports the name of an entry, and repeats it under the name that calls have.
fn entry_name(walker: &mut Walker<'_, '_>) -> Walked {
    let name = walker.opaque(&v4::ENTRY_NAME)?;
    let end = walker.at - (name.len().next_multiple_of(4) - name.len());
    walker.report(&common::NAME, Datum::Text(name), end - name.len(), name.len());
    Ok(())
}

const ENTRIES: Items = &[
    VERIFIER,
    List {
        follows: &v4::VALUE_FOLLOWS,
        heading: Some(&v4::ENTRY),
        element: &[Long(&v4::COOKIE), Call(entry_name), ATTRIBUTES],
    },
    Word(&v4::DIRECTORY_END),
];

/// `SECINFO4resok`.
pub(super) const SECINFO: Item = ok!(&[Group(
    &v4::FLAVORS_INFO,
    &[Array(
        &v4::FLAVORS_COUNT,
        &[Union(
            &v4::FLAVOR,
            &[(
                6,
                &[Opaque(&v4::FLAVOR_OID), Word(&v4::FLAVOR_QUALITY), Word(&v4::FLAVOR_SERVICE),],
            )],
            Some(NOTHING),
        )],
    )],
)]);

const SET_CLIENT_ID: Items = &[
    VERIFIER,
    Opaque(&v4::CLIENT_OWNER),
    Word(&v4::CALLBACK_PROGRAM),
    Use(NETWORK_ADDRESS),
    Word(&v4::CALLBACK_IDENT),
];

/// The operations, by number.
#[rustfmt::skip]
pub(super) const OPERATIONS: &[Operation] = &[
    (op::ACCESS, &[SetFlags(&common::ACCESS_CHECK, ACCESS_BITS)], ok!(&[Call(access)])),
    (op::CLOSE, &[Word(&v4::SEQUENCE_ID), STATE_ID], NEW_STATE),
    (op::COMMIT, &[Long(&v4::OFFSET), Word(&v4::COUNT)], ok!(&[VERIFIER])),
    (op::CREATE, CREATE, ok!(&[CHANGE_INFO, ATTRIBUTE_SET])),
    (op::DELEGPURGE, &[Long(&v4::CLIENT_ID)], STATUS_ALONE),
    (op::DELEGRETURN, &[STATE_ID], STATUS_ALONE),
    (op::GETATTR, &[ATTRIBUTE_SET], ok!(&[ATTRIBUTES])),
    (op::GETFH, NOTHING, ok!(&[Handle])),
    (op::LINK, &[COMPONENT], CHANGED),
    (op::LOCK, LOCK, ByStatus(&v4::STATUS, &[(0, &[STATE_ID]), (NFS4ERR_DENIED, DENIED)])),
    (op::LOCKT, &[Word(&v4::LOCK_TYPE), Long(&v4::OFFSET), Long(&v4::LENGTH), Use(LOCK_OWNER)],
        ByStatus(&v4::STATUS, &[(NFS4ERR_DENIED, DENIED)])),
    (op::LOCKU, &[Word(&v4::LOCK_TYPE), Word(&v4::SEQUENCE_ID), STATE_ID, Long(&v4::OFFSET), Long(&v4::LENGTH)],
        NEW_STATE),
    (op::LOOKUP, &[COMPONENT], STATUS_ALONE),
    (op::LOOKUPP, NOTHING, STATUS_ALONE),
    (op::NVERIFY, &[ATTRIBUTES], STATUS_ALONE),
    (op::OPEN, OPEN, ok!(OPENED)),
    (op::OPENATTR, &[Word(&v4::CREATE_DIRECTORY)], STATUS_ALONE),
    (op::OPEN_CONFIRM, &[STATE_ID, Word(&v4::SEQUENCE_ID)], NEW_STATE),
    (op::OPEN_DOWNGRADE, &[STATE_ID, Word(&v4::SEQUENCE_ID), Call(share_access), Word(&v4::SHARE_DENY_BITS)],
        NEW_STATE),
    (op::PUTFH, &[Handle], STATUS_ALONE),
    (op::PUTPUBFH, NOTHING, STATUS_ALONE),
    (op::PUTROOTFH, NOTHING, STATUS_ALONE),
    (op::READ, &[STATE_ID, Long(&v4::OFFSET), Word(&v4::COUNT)], Result(
        &v4::STATUS,
        &[Word(&v4::END_OF_FILE), Eligible { length: Some(&READ_LENGTH), data: &DATA }],
        FAILED_READ,
    )),
    (op::READDIR, READDIR, ok!(ENTRIES)),
    (op::READLINK, NOTHING,
        Result(&v4::STATUS, &[Eligible { length: None, data: &v4::LINK_TEXT }], FAILED_READ)),
    (op::REMOVE, &[COMPONENT], CHANGED),
    (op::RENAME, &[COMPONENT, COMPONENT], ok!(&[CHANGE_INFO, CHANGE_INFO])),
    (op::RENEW, &[Long(&v4::CLIENT_ID)], STATUS_ALONE),
    (op::RESTOREFH, NOTHING, STATUS_ALONE),
    (op::SAVEFH, NOTHING, STATUS_ALONE),
    (op::SECINFO, &[COMPONENT], SECINFO),
    // The attributes set follow whatever the status is.
    (op::SETATTR, &[STATE_ID, ATTRIBUTES], Result(&v4::STATUS, &[ATTRIBUTE_SET], &[ATTRIBUTE_SET])),
    (op::SETCLIENTID, SET_CLIENT_ID,
        ByStatus(&v4::STATUS, &[(0, &[Long(&v4::CLIENT_ID), VERIFIER]), (NFS4ERR_CLID_INUSE, NETWORK_ADDRESS)])),
    (op::SETCLIENTID_CONFIRM, &[Long(&v4::CLIENT_ID), VERIFIER], STATUS_ALONE),
    (op::VERIFY, &[ATTRIBUTES], STATUS_ALONE),
    (op::WRITE, &[
        STATE_ID, Long(&v4::OFFSET), Word(&v4::STABLE), Eligible { length: Some(&WRITE_LENGTH), data: &DATA },
    ], ok!(&[Word(&v4::COUNT), Word(&v4::STABLE), VERIFIER])),
    (op::RELEASE_LOCKOWNER, LOCK_OWNER, STATUS_ALONE),
    (op::ILLEGAL, NOTHING, STATUS_ALONE),
];

// Sets of attributes and their values: `bitmap4` and `fattr4` (RFC 8881 sections 3.2, 3.3.7 and 5).

/// A `bitmap4` of attributes that are requested, or were set.
pub(super) const ATTRIBUTE_SET: Item =
    Call(|walker| bitmap(walker, &attributes4::MASK, Some(&attributes4::ATTRIBUTE)));
/// `fattr4`.
pub(super) const ATTRIBUTES: Item = Call(attributes);

/// Walks over a `bitmap4`: its words, and the numbers of its set bits. Words without a bit are not shown.
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
            walker.report(mask, Datum::Number(word.into()), walker.at - 4, 4);
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

/// Walks over the words of the bitmap, each with the values of its attributes beneath it; the values follow
/// the bitmap one after the other, in the order of the bits.
fn attributes(walker: &mut Walker<'_, '_>) -> Walked {
    let count = walker.silent_word(&attributes4::MASK)? as usize;
    let words = walker.take(&attributes4::MASK, count.saturating_mul(4))?;
    let mask_at = walker.at - words.len();
    let length = walker.silent_word(&attributes4::ATTRIBUTE)? as usize;
    let start = walker.at;
    walker.take(&attributes4::ATTRIBUTE, length)?;
    // No value extends beyond the total length.
    let message = walker.body.bytes;
    walker.body.bytes = message.get(..walker.at).unwrap_or(message);
    walker.at = start;
    let walked = values(walker, words, mask_at);
    walker.body.bytes = message;
    walked?;
    walker.take(&attributes4::ATTRIBUTE, length.next_multiple_of(4) - length).map(drop)
}

fn values(walker: &mut Walker<'_, '_>, words: &[u8], mask_at: usize) -> Walked {
    let mut lost = false;
    for (index, word) in words.chunks_exact(4).enumerate() {
        let word = word.iter().fold(0, |number, byte| number << 8 | u32::from(*byte));
        if word == 0 {
            continue;
        }
        walker.report(&attributes4::MASK, Datum::Number(word.into()), mask_at + index * 4, 4);
        walker.beneath(|walker| {
            for bit in set_bits(word) {
                let number = index as u64 * 32 + u64::from(bit);
                let Some(items) = layout(number).filter(|_| !lost) else {
                    walker.derive(&attributes4::ATTRIBUTE, Datum::Number(number));
                    // It is not known where the next value begins.
                    lost = true;
                    continue;
                };
                let at = walker.at;
                walker.report(&attributes4::ATTRIBUTE, Datum::Number(number), at, 0);
                walker.beneath(|walker| walker.items(items))?;
            }
            Ok(())
        })?;
    }
    if walker.left() > 0 {
        let (at, left) = (walker.at, walker.left());
        let bytes = walker.take(&attributes4::NOT_DECODED, left)?;
        walker.report(&attributes4::NOT_DECODED, Datum::Bytes(bytes), at, left);
    }
    Ok(())
}

fn layout(attribute: u64) -> Option<Items> {
    let mut layouts = LAYOUTS.iter();
    layouts.find(|(number, _)| *number == attribute).map(|(_, items)| *items)
}

const MODE_BITS: &[(&Field, u32)] = &[
    (&attributes4::MODE_NAME, 0xe000),
    (&attributes4::MODE_SET_UID, 0x800),
    (&attributes4::MODE_SET_GID, 0x400),
    (&attributes4::MODE_STICKY, 0x200),
    (&attributes4::MODE_OWNER_READ, 0x100),
    (&attributes4::MODE_OWNER_WRITE, 0x80),
    (&attributes4::MODE_OWNER_EXECUTE, 0x40),
    (&attributes4::MODE_GROUP_READ, 0x20),
    (&attributes4::MODE_GROUP_WRITE, 0x10),
    (&attributes4::MODE_GROUP_EXECUTE, 0x8),
    (&attributes4::MODE_OTHER_READ, 0x4),
    (&attributes4::MODE_OTHER_WRITE, 0x2),
    (&attributes4::MODE_OTHER_EXECUTE, 0x1),
];
const MODE: Item = Flags(&attributes4::MODE, MODE_BITS);
const ACL_BITS: &[(&Field, u32)] = &[
    (&attributes4::ACL_ALLOW, 0x1),
    (&attributes4::ACL_DENY, 0x2),
    (&attributes4::ACL_AUDIT, 0x4),
    (&attributes4::ACL_ALARM, 0x8),
];
const CHARACTER_SET_BITS: &[(&Field, u32)] =
    &[(&attributes4::CONTAINS_NON_UTF8, 0x1), (&attributes4::ONLY_UTF8, 0x2)];

/// `nfsace4`.
pub(super) const ACE: Items = &[
    Word(&attributes4::ACE_TYPE),
    Word(&attributes4::ACE_FLAGS),
    Word(&attributes4::ACE_MASK),
    Text(&attributes4::WHO),
];
const ACES: Item = Array(&attributes4::ACE_COUNT, ACE);
const ACL_41: Items = &[Word(&attributes4::ACL_FLAGS), ACES];
const SET_TIME: Items = &[Union(&attributes4::TIME_SET, &[(1, TIME)], Some(&[]))];
const PATH: Item = Array(&v4::COMPONENTS, &[Text(&v4::COMPONENT)]);
const LOCATIONS: Items = &[
    PATH,
    Array(
        &attributes4::LOCATIONS,
        &[Group(
            &attributes4::LOCATION,
            &[
                Group(
                    &attributes4::SERVERS,
                    &[Array(&attributes4::SERVERS_COUNT, &[Text(&attributes4::SERVER)])],
                ),
                PATH,
            ],
        )],
    ),
];
const STATUS: Items = &[
    Word(&attributes4::ABSENT),
    Word(&attributes4::STATUS_TYPE),
    Text(&attributes4::STATUS_SOURCE),
    Text(&attributes4::STATUS_CURRENT),
    Word(&attributes4::STATUS_AGE),
    Use(TIME),
];
const RETENTION_GET: Items =
    &[Long(&attributes4::RETENTION_DURATION), Array(&attributes4::RETENTION_COUNT, TIME)];
const RETENTION_SET: Items = &[
    Word(&attributes4::RETENTION_ENABLED),
    Array(&attributes4::RETENTION_COUNT, &[Long(&attributes4::RETENTION_DURATION)]),
];
const LAYOUT_TYPES: Items = &[Array(&layout4::LAYOUT_TYPES_COUNT, &[Word(&layout4::LAYOUT_TYPE)])];
const THRESHOLDS: Items = &[Array(
    &layout4::THRESHOLDS,
    &[
        Word(&layout4::LAYOUT_TYPE),
        Call(|walker| bitmap(walker, &layout4::THRESHOLD_MASK, None)),
        Opaque(&layout4::THRESHOLD_VALUES),
    ],
)];

/// The value of each attribute, by its number. Attribute 67 (`fs_locations_info`) and those not listed here
/// end the reading of a set.
const LAYOUTS: &[(u64, Items)] = &[
    (0, &[ATTRIBUTE_SET]),
    (1, &[Word(&common::FILE_TYPE)]),
    (2, &[Word(&attributes4::EXPIRES)]),
    (3, &[Long(&attributes4::CHANGE)]),
    (4, &[Long(&attributes4::SIZE)]),
    (5, &[Word(&attributes4::LINK_SUPPORT)]),
    (6, &[Word(&attributes4::SYMLINK_SUPPORT)]),
    (7, &[Word(&attributes4::NAMED_ATTRIBUTES)]),
    (8, &[Long(&attributes4::FILE_SYSTEM_MAJOR), Long(&attributes4::FILE_SYSTEM_MINOR)]),
    (9, &[Word(&attributes4::UNIQUE_HANDLES)]),
    (10, &[Word(&attributes4::LEASE_TIME)]),
    (11, &[Word(&v4::STATUS)]),
    (12, &[ACES]),
    (13, &[Flags(&attributes4::ACL_SUPPORT, ACL_BITS)]),
    (14, &[Word(&attributes4::ARCHIVE)]),
    (15, &[Word(&attributes4::CAN_SET_TIME)]),
    (16, &[Word(&attributes4::CASE_INSENSITIVE)]),
    (17, &[Word(&attributes4::CASE_PRESERVING)]),
    (18, &[Word(&attributes4::CHOWN_RESTRICTED)]),
    (19, &[Handle]),
    (20, &[Long(&attributes4::FILE_ID)]),
    (21, &[Long(&attributes4::FILES_AVAILABLE)]),
    (22, &[Long(&attributes4::FILES_FREE)]),
    (23, &[Long(&attributes4::FILES_TOTAL)]),
    (24, LOCATIONS),
    (25, &[Word(&attributes4::HIDDEN)]),
    (26, &[Word(&attributes4::HOMOGENEOUS)]),
    (27, &[Long(&attributes4::LARGEST_FILE)]),
    (28, &[Word(&attributes4::MAXIMUM_LINKS)]),
    (29, &[Word(&attributes4::MAXIMUM_NAME)]),
    (30, &[Long(&attributes4::MAXIMUM_READ)]),
    (31, &[Long(&attributes4::MAXIMUM_WRITE)]),
    (32, &[Text(&attributes4::MIME_TYPE)]),
    (33, &[MODE]),
    (34, &[Word(&attributes4::NO_TRUNCATION)]),
    (35, &[Word(&attributes4::LINKS)]),
    (36, &[Text(&attributes4::OWNER)]),
    (37, &[Text(&attributes4::OWNER_GROUP)]),
    (38, &[Long(&attributes4::QUOTA_HARD)]),
    (39, &[Long(&attributes4::QUOTA_SOFT)]),
    (40, &[Long(&attributes4::QUOTA_USED)]),
    (41, &[Word(&MAJOR_DEVICE), Word(&MINOR_DEVICE)]),
    (42, &[Long(&attributes4::SPACE_AVAILABLE)]),
    (43, &[Long(&attributes4::SPACE_FREE)]),
    (44, &[Long(&attributes4::SPACE_TOTAL)]),
    (45, &[Long(&attributes4::SPACE_USED)]),
    (46, &[Word(&attributes4::SYSTEM)]),
    (47, TIME),
    (48, SET_TIME),
    (49, TIME),
    (50, TIME),
    (51, TIME),
    (52, TIME),
    (53, TIME),
    (54, SET_TIME),
    (55, &[Long(&attributes4::MOUNTED_ON)]),
    (56, TIME),
    (57, TIME),
    (58, ACL_41),
    (59, ACL_41),
    (60, &[Long(&attributes4::POLICY_MAJOR), Long(&attributes4::POLICY_MINOR)]),
    (61, STATUS),
    (62, LAYOUT_TYPES),
    (63, &[Word(&layout4::LAYOUT_TYPE), Opaque(&layout4::LAYOUT_HINT)]),
    (64, LAYOUT_TYPES),
    (65, &[Word(&attributes4::BLOCK_SIZE)]),
    (66, &[Word(&attributes4::ALIGNMENT)]),
    (68, THRESHOLDS),
    (69, RETENTION_GET),
    (70, RETENTION_SET),
    (71, RETENTION_GET),
    (72, RETENTION_SET),
    (73, &[Long(&attributes4::RETENTION_HOLD)]),
    (74, &[MODE, Word(&attributes4::MODE_MASK)]),
    (75, &[ATTRIBUTE_SET]),
    (76, &[Flags(&attributes4::CHARACTER_SETS, CHARACTER_SET_BITS)]),
    (77, &[Word(&attributes4::CLONE_BLOCK_SIZE)]),
    (78, &[Long(&attributes4::SPACE_FREED)]),
    (79, &[Word(&attributes4::CHANGE_TYPE)]),
    (
        80,
        &[
            Word(&attributes4::LABEL_FORMAT),
            Word(&attributes4::LABEL_POLICY),
            Text(&attributes4::LABEL),
        ],
    ),
    (81, &[MODE, Word(&attributes4::UMASK)]),
    (82, &[Word(&attributes4::XATTR_SUPPORT)]),
    (83, &[Word(&attributes4::OFFLINE)]),
    (84, TIME),
    (85, TIME),
];
