//! The operations of version 4.0: files, directories, opens and locks (RFC 7530 section 16, RFC 8881 section 18).

use super::attributes::{ACE, ATTRIBUTE_SET, ATTRIBUTES};
use super::compound::Operation;
use super::state::{
    CHANGE_INFO, COMPONENT, LOCK_OWNER, NETWORK_ADDRESS, OPEN_OWNER, STATE_ID, STATUS_ALONE,
    VERIFIER,
};
use crate::field::Field;
use crate::field::nfs::common::{
    self, DATA, FILE_TYPE, MAJOR_DEVICE, MINOR_DEVICE, READ_LENGTH, WRITE_LENGTH,
};
use crate::field::nfs::v4 as fields;
use crate::nfs::Datum;
use crate::nfs::shape::Item::{
    Array, ByStatus, Call, Eligible, Flags, Group, Handle, List, Long, Opaque, Result, SetFlags,
    Union, Use, Word,
};
use crate::nfs::shape::{Item, Items};
use crate::nfs::v3::ACCESS_BITS;
use crate::nfs::walker::{Walked, Walker};

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

/// The access that the server can tell about, and that which it grants of it.
fn access(walker: &mut Walker<'_, '_>) -> Walked {
    let supported = walker.word(&common::ACCESS_SUPPORTED)?;
    walker.flags(supported, SUPPORTED_BITS, supported)?;
    let granted = walker.word(&common::ACCESS_RIGHTS)?;
    walker.flags(granted, ACCESS_BITS, supported)
}

const NOTIFICATION_BITS: &[(&Field, u32)] =
    &[(&fields::WANT_WHEN_AVAILABLE, 0x1_0000), (&fields::WANT_WHEN_UNCONTENDED, 0x2_0000)];

/// The access that a client wants of an open file; since version 4.1 with the delegation that it wants.
fn share_access(walker: &mut Walker<'_, '_>) -> Walked {
    let word = walker.silent_word(&fields::SHARE_ACCESS_BITS)?;
    let at = walker.at - 4;
    let number = crate::nfs::Datum::Number;
    walker.tell(&fields::SHARE_ACCESS_BITS, number(u64::from(word & 0xff)), at, 4);
    if word > 0xff {
        walker.tell(&fields::WANT, number(u64::from(word & 0xff00)), at, 4);
    }
    let notification = word & !0xffff;
    if notification != 0 {
        walker.tell(&fields::WANT_NOTIFICATION, number(notification.into()), at, 4);
        walker.flags(word, NOTIFICATION_BITS, u32::MAX)?;
    }
    Ok(())
}

/// A READ or READLINK that failed leaves its write chunk unused.
fn failed_read(walker: &mut Walker<'_, '_>) -> Walked {
    walker.spend_chunk();
    Ok(())
}

const FAILED_READ: Items = &[Call(failed_read)];
const NEW_STATE: Items = &[Result(&fields::STATUS, &[STATE_ID], NOTHING)];
const CHANGED: Items = &[Result(&fields::STATUS, &[CHANGE_INFO], NOTHING)];
const DENIED: Items =
    &[Long(&fields::OFFSET), Long(&fields::LENGTH), Word(&fields::LOCK_TYPE), Use(LOCK_OWNER)];

const CREATE: Items = &[
    Union(
        &FILE_TYPE,
        &[
            (3, &[Word(&MAJOR_DEVICE), Word(&MINOR_DEVICE)]),
            (4, &[Word(&MAJOR_DEVICE), Word(&MINOR_DEVICE)]),
            (5, &[Eligible { length: None, data: &fields::LINK_TEXT }]),
        ],
        Some(NOTHING),
    ),
    COMPONENT,
    ATTRIBUTES,
];

const LOCK: Items = &[
    Word(&fields::LOCK_TYPE),
    Word(&fields::RECLAIM),
    Long(&fields::OFFSET),
    Long(&fields::LENGTH),
    Union(
        &fields::NEW_LOCK_OWNER,
        &[
            (0, &[STATE_ID, Word(&fields::LOCK_SEQUENCE_ID)]),
            (
                1,
                &[
                    Word(&fields::SEQUENCE_ID),
                    STATE_ID,
                    Word(&fields::LOCK_SEQUENCE_ID),
                    Use(LOCK_OWNER),
                ],
            ),
        ],
        None,
    ),
];

const CREATE_HOW: Items = &[Union(
    &fields::CREATE_MODE,
    &[(0, &[ATTRIBUTES]), (1, &[ATTRIBUTES]), (2, &[VERIFIER]), (3, &[VERIFIER, ATTRIBUTES])],
    None,
)];
const OPEN: Items = &[
    Word(&fields::SEQUENCE_ID),
    Call(share_access),
    Word(&fields::SHARE_DENY_BITS),
    Use(OPEN_OWNER),
    Union(&fields::OPEN_TYPE, &[(1, CREATE_HOW)], Some(NOTHING)),
    Union(
        &fields::CLAIM_TYPE,
        &[
            (0, &[COMPONENT]),
            (1, &[Word(&fields::DELEGATE_TYPE)]),
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
    (&fields::RESULT_CONFIRM, 0x2),
    (&fields::RESULT_POSIX, 0x4),
    (&fields::RESULT_PRESERVE, 0x8),
    (&fields::RESULT_MAY_NOTIFY, 0x20),
];
const READ_DELEGATION: Items = &[STATE_ID, Word(&fields::RECALL), Use(ACE)];
const WRITE_DELEGATION: Items = &[
    STATE_ID,
    Word(&fields::WRITE_RECALL),
    Union(
        &fields::LIMIT_BY,
        &[
            (1, &[Long(&fields::LIMIT_SIZE)]),
            (2, &[Word(&fields::LIMIT_BLOCKS), Word(&fields::LIMIT_BLOCK_SIZE)]),
        ],
        None,
    ),
    Use(ACE),
];
/// `open_delegation4`; types 4 and 5 are of RFC 9754.
pub(super) const DELEGATION: Item = Union(
    &fields::DELEGATION_TYPE,
    &[
        (0, NOTHING),
        (1, READ_DELEGATION),
        (2, WRITE_DELEGATION),
        (
            3,
            &[Union(
                &fields::WHY_NONE,
                &[(1, &[Word(&fields::WILL_TELL)]), (2, &[Word(&fields::WILL_TELL)])],
                Some(NOTHING),
            )],
        ),
        (4, READ_DELEGATION),
        (5, WRITE_DELEGATION),
    ],
    None,
);
const OPENED: Items =
    &[STATE_ID, CHANGE_INFO, Flags(&fields::RESULT_FLAGS, RESULT_BITS), ATTRIBUTE_SET, DELEGATION];

const READDIR: Items = &[
    Long(&fields::COOKIE),
    Long(&fields::COOKIE_VERIFIER),
    Word(&fields::DIRECTORY_COUNT),
    Word(&fields::MAXIMUM_COUNT),
    ATTRIBUTE_SET,
];

/// The name of an entry, and once more under the name that calls have.
fn entry_name(walker: &mut Walker<'_, '_>) -> Walked {
    let name = walker.opaque(&fields::ENTRY_NAME)?;
    let end = walker.at - (name.len().next_multiple_of(4) - name.len());
    walker.tell(&common::NAME, Datum::Text(name), end - name.len(), name.len());
    Ok(())
}

const ENTRIES: Items = &[
    VERIFIER,
    List {
        follows: &fields::VALUE_FOLLOWS,
        heading: Some(&fields::ENTRY),
        element: &[Long(&fields::COOKIE), Call(entry_name), ATTRIBUTES],
    },
    Word(&fields::DIRECTORY_END),
];

/// `SECINFO4resok`.
pub(super) const SECINFO: Items = &[Result(
    &fields::STATUS,
    &[Group(
        &fields::FLAVORS_INFO,
        &[Array(
            &fields::FLAVORS_COUNT,
            &[Union(
                &fields::FLAVOR,
                &[(
                    6,
                    &[
                        Opaque(&fields::FLAVOR_OID),
                        Word(&fields::FLAVOR_QUALITY),
                        Word(&fields::FLAVOR_SERVICE),
                    ],
                )],
                Some(NOTHING),
            )],
        )],
    )],
    NOTHING,
)];

const SET_CLIENT_ID: Items = &[
    VERIFIER,
    Opaque(&fields::CLIENT_OWNER),
    Word(&fields::CALLBACK_PROGRAM),
    Use(NETWORK_ADDRESS),
    Word(&fields::CALLBACK_IDENT),
];

/// The operations, by number.
#[rustfmt::skip]
pub(super) const OPERATIONS: &[Operation] = &[
    // ACCESS
    (3, &[SetFlags(&common::ACCESS_CHECK, ACCESS_BITS)], &[Result(&fields::STATUS, &[Call(access)], NOTHING)]),
    // CLOSE
    (4, &[Word(&fields::SEQUENCE_ID), STATE_ID], NEW_STATE),
    // COMMIT
    (5, &[Long(&fields::OFFSET), Word(&fields::COUNT)], &[Result(&fields::STATUS, &[VERIFIER], NOTHING)]),
    // CREATE
    (6, CREATE, &[Result(&fields::STATUS, &[CHANGE_INFO, ATTRIBUTE_SET], NOTHING)]),
    // DELEGPURGE
    (7, &[Long(&fields::CLIENT_ID)], STATUS_ALONE),
    // DELEGRETURN
    (8, &[STATE_ID], STATUS_ALONE),
    // GETATTR
    (9, &[ATTRIBUTE_SET], &[Result(&fields::STATUS, &[ATTRIBUTES], NOTHING)]),
    // GETFH
    (10, NOTHING, &[Result(&fields::STATUS, &[Handle], NOTHING)]),
    // LINK
    (11, &[COMPONENT], CHANGED),
    // LOCK
    (12, LOCK, &[ByStatus(&fields::STATUS, &[(0, &[STATE_ID]), (NFS4ERR_DENIED, DENIED)])]),
    // LOCKT
    (13, &[Word(&fields::LOCK_TYPE), Long(&fields::OFFSET), Long(&fields::LENGTH), Use(LOCK_OWNER)],
        &[ByStatus(&fields::STATUS, &[(NFS4ERR_DENIED, DENIED)])]),
    // LOCKU
    (14, &[Word(&fields::LOCK_TYPE), Word(&fields::SEQUENCE_ID), STATE_ID, Long(&fields::OFFSET), Long(&fields::LENGTH)],
        NEW_STATE),
    // LOOKUP
    (15, &[COMPONENT], STATUS_ALONE),
    // LOOKUPP
    (16, NOTHING, STATUS_ALONE),
    // NVERIFY
    (17, &[ATTRIBUTES], STATUS_ALONE),
    // OPEN
    (18, OPEN, &[Result(&fields::STATUS, OPENED, NOTHING)]),
    // OPENATTR
    (19, &[Word(&fields::CREATE_DIRECTORY)], STATUS_ALONE),
    // OPEN_CONFIRM
    (20, &[STATE_ID, Word(&fields::SEQUENCE_ID)], NEW_STATE),
    // OPEN_DOWNGRADE
    (21, &[STATE_ID, Word(&fields::SEQUENCE_ID), Call(share_access), Word(&fields::SHARE_DENY_BITS)], NEW_STATE),
    // PUTFH
    (22, &[Handle], STATUS_ALONE),
    // PUTPUBFH
    (23, NOTHING, STATUS_ALONE),
    // PUTROOTFH
    (24, NOTHING, STATUS_ALONE),
    // READ
    (25, &[STATE_ID, Long(&fields::OFFSET), Word(&fields::COUNT)], &[Result(
        &fields::STATUS,
        &[Word(&fields::END_OF_FILE), Eligible { length: Some(&READ_LENGTH), data: &DATA }],
        FAILED_READ,
    )]),
    // READDIR
    (26, READDIR, &[Result(&fields::STATUS, ENTRIES, NOTHING)]),
    // READLINK
    (27, NOTHING,
        &[Result(&fields::STATUS, &[Eligible { length: None, data: &fields::LINK_TEXT }], FAILED_READ)]),
    // REMOVE
    (28, &[COMPONENT], CHANGED),
    // RENAME
    (29, &[COMPONENT, COMPONENT], &[Result(&fields::STATUS, &[CHANGE_INFO, CHANGE_INFO], NOTHING)]),
    // RENEW
    (30, &[Long(&fields::CLIENT_ID)], STATUS_ALONE),
    // RESTOREFH
    (31, NOTHING, STATUS_ALONE),
    // SAVEFH
    (32, NOTHING, STATUS_ALONE),
    // SECINFO
    (33, &[COMPONENT], SECINFO),
    // SETATTR: the attributes set follow whatever the status is.
    (34, &[STATE_ID, ATTRIBUTES], &[Result(&fields::STATUS, &[ATTRIBUTE_SET], &[ATTRIBUTE_SET])]),
    // SETCLIENTID
    (35, SET_CLIENT_ID,
        &[ByStatus(&fields::STATUS, &[(0, &[Long(&fields::CLIENT_ID), VERIFIER]), (NFS4ERR_CLID_INUSE, NETWORK_ADDRESS)])]),
    // SETCLIENTID_CONFIRM
    (36, &[Long(&fields::CLIENT_ID), VERIFIER], STATUS_ALONE),
    // VERIFY
    (37, &[ATTRIBUTES], STATUS_ALONE),
    // WRITE
    (38, &[STATE_ID, Long(&fields::OFFSET), Word(&fields::STABLE), Eligible { length: Some(&WRITE_LENGTH), data: &DATA }],
        &[Result(&fields::STATUS, &[Word(&fields::COUNT), Word(&fields::STABLE), VERIFIER], NOTHING)]),
    // RELEASE_LOCKOWNER
    (39, LOCK_OWNER, STATUS_ALONE),
    // ILLEGAL
    (10044, NOTHING, STATUS_ALONE),
];
