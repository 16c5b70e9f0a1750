//! The COMPOUND procedure: a list of operations, each after its number (RFC 8881 section 16.2).

use super::files::{self, ATTRIBUTE_SET, ATTRIBUTES, DELEGATION, SECINFO, bitmap};
use crate::field::Field;
use crate::field::nfs::attributes4::{FILE_SYSTEM_MAJOR, FILE_SYSTEM_MINOR};
use crate::field::nfs::common::{DATA, READ_LENGTH};
use crate::field::nfs::names::{callback, op};
use crate::field::nfs::{attributes4 as attributes, layout4, session4, v4};
use crate::nfs::walker::Item::{
    Array, ByStatus, Call, Eligible, Fixed, Flags, Group, Handle, Long, Opaque, Optional, Result,
    Text, Union, Use, Word,
};
use crate::nfs::walker::{Item, Items, Operation, Walked, Walker, find};
use crate::nfs::{Datum, handle_hash, state_id_hash};

/// NULL and COMPOUND.
pub(in crate::nfs) const PROCEDURES: &[Operation] = &[
    (0, &[], Use(&[])),
    (
        1,
        &[Text(&v4::TAG), Word(&v4::MINOR_VERSION), Call(forward_operations)],
        Use(&[Call(status), Text(&v4::TAG), Call(forward_operations)]),
    ),
];

/// CB_NULL and CB_COMPOUND.
pub(in crate::nfs) const CALLBACKS: &[Operation] = &[
    (0, &[], Use(&[])),
    (
        1,
        &[
            Text(&v4::TAG),
            Word(&v4::MINOR_VERSION),
            Word(&v4::CALLBACK_IDENT),
            Call(callback_operations),
        ],
        Use(&[Call(status), Text(&v4::TAG), Call(callback_operations)]),
    ),
];

fn status(walker: &mut Walker<'_, '_>) -> Walked {
    walker.status(&v4::STATUS).map(drop)
}

fn callback_operations(walker: &mut Walker<'_, '_>) -> Walked {
    operations(walker, &v4::CALLBACK_OPERATION, &[CALLBACK_OPERATIONS]).map(drop)
}

fn forward_operations(walker: &mut Walker<'_, '_>) -> Walked {
    let main = operations(walker, &v4::OPERATION, FORWARD)?;
    for number in main.iter().flatten() {
        walker.derive(&v4::MAIN_OPERATION, Datum::Number(u64::from(*number)));
    }
    Ok(())
}

/// The maximum number of operations of a compound that are listed as its main ones.
const MOST_MAIN: usize = 16;

/// Walks over the operations; returns the numbers of the main ones.
fn operations(
    walker: &mut Walker<'_, '_>,
    field: &'static Field,
    tables: &[&'static [Operation]],
) -> Walked<[Option<u32>; MOST_MAIN]> {
    let count = walker.word(&v4::OPERATIONS_COUNT)?;
    let (mut main, mut mains, mut best) = ([None; MOST_MAIN], 0, u8::MAX);
    walker.beneath(|walker| {
        walker.times(count, |walker| {
            let number = walker.word(field)?;
            let operation =
                find(tables, number).ok_or_else(|| walker.undecided(field, number.into()))?;
            let tier = tier(number);
            if tier < best {
                (best, mains, main) = (tier, 0, [None; MOST_MAIN]);
            }
            if let (true, Some(place)) = (tier == best, main.get_mut(mains)) {
                *place = Some(number);
                mains += 1;
            }
            walker.beneath(|walker| walker.operation(operation))
        })
    })?;
    Ok(main)
}

/// Returns how likely a compound is about an operation: the lower, the likelier. The others accompany it.
fn tier(operation: u32) -> u8 {
    match operation {
        op::ACCESS | op::NVERIFY => 2,
        op::GETATTR | op::PUTPUBFH | op::PUTROOTFH => 3,
        op::GETFH | op::PUTFH | op::RESTOREFH | op::SAVEFH | op::SEQUENCE => 4,
        _ => 1,
    }
}

const FORWARD: &[&[Operation]] =
    &[files::OPERATIONS, SESSION_OPERATIONS, LAYOUT_OPERATIONS, COPY_OPERATIONS];

// The callback operations: what a server requests from its client (RFC 8881 section 20, RFC 7862 section 16).

const NOTHING: Items = &[];

/// `notify4`, preceded by their number.
const NOTIFICATIONS: Item =
    Array(&layout4::NOTIFY_COUNT, &[NOTIFICATION_SET, Opaque(&layout4::NOTIFY_VALUES)]);
const RECALL_ANY: Items =
    &[Word(&layout4::OBJECTS_TO_KEEP), Call(|walker| bitmap(walker, &layout4::TYPE_MASK, None))];
const RECALLED: Item = Union(
    &layout4::RECALL_TYPE,
    &[
        (1, &[Handle, Use(RANGE), STATE_ID]),
        (2, &[Long(&FILE_SYSTEM_MAJOR), Long(&FILE_SYSTEM_MINOR)]),
        (3, NOTHING),
    ],
    None,
);
const REFERRING: Item = Array(
    &session4::REFERRING_LISTS,
    &[
        SESSION_ID,
        Array(&session4::REFERRING_CALLS, &[Word(&v4::SEQUENCE_ID), Word(&session4::SLOT)]),
    ],
);

/// The operations, by number.
#[rustfmt::skip]
pub(super) const CALLBACK_OPERATIONS: &[Operation] = &[
    (callback::GETATTR, &[Handle, ATTRIBUTE_SET], ok!(&[ATTRIBUTES])),
    (callback::RECALL, &[STATE_ID, Word(&v4::TRUNCATE), Handle], STATUS_ALONE),
    (callback::LAYOUTRECALL, &[
        Word(&layout4::LAYOUT_TYPE), Word(&layout4::IO_MODE), Word(&layout4::RECALL_CHANGED), RECALLED,
    ], STATUS_ALONE),
    (callback::NOTIFY, &[STATE_ID, Handle, NOTIFICATIONS], STATUS_ALONE),
    (callback::PUSH_DELEG, &[Handle, DELEGATION], STATUS_ALONE),
    (callback::RECALL_ANY, RECALL_ANY, STATUS_ALONE),
    (callback::RECALLABLE_OBJ_AVAIL, RECALL_ANY, STATUS_ALONE),
    (callback::RECALL_SLOT, &[Word(&session4::TARGET_HIGHEST_SLOT)], STATUS_ALONE),
    (callback::SEQUENCE, &[Use(SLOT), Word(&session4::CACHE_THIS), REFERRING],
        ok!(&[Use(SLOT), Word(&session4::TARGET_HIGHEST_SLOT)])),
    (callback::WANTS_CANCELLED, &[Word(&layout4::WANTS_CANCELLED), Word(&layout4::WANTS_CANCELLED)], STATUS_ALONE),
    (callback::NOTIFY_LOCK, &[Handle, Use(LOCK_OWNER)], STATUS_ALONE),
    (callback::NOTIFY_DEVICEID, &[NOTIFICATIONS], STATUS_ALONE),
    (callback::OFFLOAD,
        &[Handle, STATE_ID, Result(&v4::STATUS, WRITE_RESPONSE, &[Long(&layout4::BYTES_COPIED)])], STATUS_ALONE),
    (callback::ILLEGAL, NOTHING, STATUS_ALONE),
];

// The operations of version 4.1 for client IDs and sessions (RFC 8881 sections 18.33 to 18.51).

/// `sessionid4`.
pub(super) const SESSION_ID: Item = Fixed(&session4::SESSION_ID, 16);

const SEQUENCE_BITS: &[(&Field, u32)] = &[
    (&session4::CB_PATH_DOWN, 0x1),
    (&session4::CB_GSS_EXPIRING, 0x2),
    (&session4::CB_GSS_EXPIRED, 0x4),
    (&session4::EXPIRED_ALL, 0x8),
    (&session4::EXPIRED_SOME, 0x10),
    (&session4::ADMIN_REVOKED, 0x20),
    (&session4::RECALLABLE_REVOKED, 0x40),
    (&session4::LEASE_MOVED, 0x80),
    (&session4::RESTART_RECLAIM, 0x100),
    (&session4::CB_PATH_DOWN_SESSION, 0x200),
    (&session4::BACKCHANNEL_FAULT, 0x400),
    (&session4::DEVICE_CHANGED, 0x800),
    (&session4::DEVICE_DELETED, 0x1000),
];
const EXCHANGE_BITS: &[(&Field, u32)] = &[
    (&session4::CONFIRMED, 0x8000_0000),
    (&session4::UPDATE_CONFIRMED, 0x4000_0000),
    (&session4::DATA_SERVER, 0x4_0000),
    (&session4::METADATA_SERVER, 0x2_0000),
    (&session4::NON_PNFS, 0x1_0000),
    (&session4::BIND_PRINCIPAL, 0x100),
    (&session4::MOVED_MIGRATION, 0x2),
    (&session4::MOVED_REFERRAL, 0x1),
];
const SESSION_BITS: &[(&Field, u32)] =
    &[(&session4::PERSISTENT, 0x1), (&session4::BACK_CHANNEL, 0x2), (&session4::RDMA_MODE, 0x4)];

/// `channel_attrs4`.
const CHANNEL: Items = &[
    Word(&session4::HEADER_PADDING),
    Word(&session4::MAXIMUM_REQUEST),
    Word(&session4::MAXIMUM_RESPONSE),
    Word(&session4::MAXIMUM_CACHED),
    Word(&session4::MAXIMUM_OPERATIONS),
    Word(&session4::MAXIMUM_REQUESTS),
    Array(&session4::RDMA_IRD_COUNT, &[Word(&session4::RDMA_IRD)]),
];
const CHANNELS: Items =
    &[Group(&session4::FORE_CHANNEL, CHANNEL), Group(&session4::BACKWARD_CHANNEL, CHANNEL)];

/// `callback_sec_parms4`, preceded by their number.
const SECURITY: Item = Array(
    &session4::SECURITY_COUNT,
    &[Union(
        &session4::SECURITY_FLAVOR,
        &[
            (0, NOTHING),
            (
                1,
                &[
                    Word(&session4::STAMP),
                    Text(&session4::MACHINE_NAME),
                    Word(&session4::UID),
                    Word(&session4::GID),
                    Array(&session4::GIDS_COUNT, &[Word(&session4::GID)]),
                ],
            ),
            (
                6,
                &[
                    Word(&session4::SERVICE),
                    Opaque(&session4::GSS_HANDLE),
                    Opaque(&session4::GSS_HANDLE),
                ],
            ),
        ],
        None,
    )],
);

/// `state_protect_ops4`.
const PROTECTED: Items = &[OPERATION_SET, OPERATION_SET];
const OPERATION_SET: Item =
    Call(|walker| bitmap(walker, &session4::OPERATION_MASK, Some(&session4::NAMED_OPERATION)));
const OIDS: Item = Array(&session4::OID_COUNT, &[Opaque(&v4::FLAVOR_OID)]);
const ASKED_PROTECTION: Item = Union(
    &session4::STATE_PROTECTION,
    &[
        (0, NOTHING),
        (1, PROTECTED),
        (
            2,
            &[
                Use(PROTECTED),
                OIDS,
                OIDS,
                Word(&session4::ASKED_WINDOW),
                Word(&session4::GSS_HANDLES),
            ],
        ),
    ],
    None,
);
const GIVEN_PROTECTION: Item = Union(
    &session4::STATE_PROTECTION,
    &[
        (0, NOTHING),
        (1, PROTECTED),
        (
            2,
            &[
                Use(PROTECTED),
                Word(&session4::HASH_ALGORITHM),
                Word(&session4::ENCRYPTION_ALGORITHM),
                Word(&session4::SECRET_LENGTH),
                Word(&session4::WINDOW),
                Array(&session4::GSS_HANDLES_COUNT, &[Opaque(&session4::GSS_HANDLE)]),
            ],
        ),
    ],
    None,
);
/// `nfs_impl_id4`, if present.
const IMPLEMENTATION: Item = Array(
    &session4::IMPLEMENTATION,
    &[Text(&session4::IMPLEMENTATION_DOMAIN), Text(&session4::IMPLEMENTATION_NAME), Use(TIME)],
);

const EXCHANGE_ID: Items = &[
    VERIFIER,
    Opaque(&DATA),
    Flags(&session4::CALL_FLAGS, EXCHANGE_BITS),
    ASKED_PROTECTION,
    IMPLEMENTATION,
];
const EXCHANGED: Items = &[
    Long(&v4::CLIENT_ID),
    Word(&v4::SEQUENCE_ID),
    Flags(&session4::REPLY_FLAGS, EXCHANGE_BITS),
    GIVEN_PROTECTION,
    Long(&session4::SERVER_MINOR),
    Opaque(&session4::SERVER_MAJOR),
    Opaque(&session4::SERVER_SCOPE),
    IMPLEMENTATION,
];
/// Session, sequence number, slot and highest slot, of requests and results.
pub(super) const SLOT: Items =
    &[SESSION_ID, Word(&v4::SEQUENCE_ID), Word(&session4::SLOT), Word(&session4::HIGHEST_SLOT)];

/// The operations, by number.
#[rustfmt::skip]
pub(super) const SESSION_OPERATIONS: &[Operation] = &[
    (op::BACKCHANNEL_CTL, &[Word(&v4::CALLBACK_PROGRAM), SECURITY], STATUS_ALONE),
    (op::BIND_CONN_TO_SESSION,
        &[SESSION_ID, Word(&session4::CLIENT_DIRECTION), Word(&session4::CLIENT_RDMA)],
        ok!(&[SESSION_ID, Word(&session4::SERVER_DIRECTION), Word(&session4::SERVER_RDMA)])),
    (op::EXCHANGE_ID, EXCHANGE_ID, ok!(EXCHANGED)),
    (op::CREATE_SESSION, &[
        Long(&v4::CLIENT_ID), Word(&v4::SEQUENCE_ID), Flags(&session4::SESSION_FLAGS, SESSION_BITS), Use(CHANNELS),
        Word(&v4::CALLBACK_PROGRAM), SECURITY,
    ], ok!(&[SESSION_ID, Word(&v4::SEQUENCE_ID), Flags(&session4::SESSION_FLAGS, SESSION_BITS), Use(CHANNELS)])),
    (op::DESTROY_SESSION, &[SESSION_ID], STATUS_ALONE),
    (op::FREE_STATEID, &[STATE_ID], STATUS_ALONE),
    (op::SECINFO_NO_NAME, &[Word(&v4::SECINFO_STYLE)], SECINFO),
    (op::SEQUENCE, &[Use(SLOT), Word(&session4::CACHE_THIS)], ok!(&[
        Use(SLOT), Word(&session4::TARGET_HIGHEST_SLOT), Flags(&session4::SEQUENCE_FLAGS, SEQUENCE_BITS),
    ])),
    (op::SET_SSV, &[Opaque(&session4::SECRET), Opaque(&session4::DIGEST)],
        ok!(&[Opaque(&session4::DIGEST)])),
    (op::TEST_STATEID, &[Array(&session4::STATE_IDS, &[STATE_ID])],
        ok!(&[Array(&session4::STATE_IDS, &[STATUS_ALONE])])),
    (op::DESTROY_CLIENTID, &[Long(&v4::CLIENT_ID)], STATUS_ALONE),
    (op::RECLAIM_COMPLETE, &[Word(&session4::ONE_FILE_SYSTEM)], STATUS_ALONE),
];

// Types that many operations share: state IDs, owners, change information (RFC 8881 section 3.3).

/// Bytes of a `stateid4`.
const STATE_ID_LENGTH: usize = 16;
const SEQUENCE_LENGTH: usize = 4;

/// `stateid4`.
pub(super) const STATE_ID: Item = Call(state_id);
/// The results of an operation that has only its status.
pub(super) const STATUS_ALONE: Item = Call(status);

/// The results of an operation: what follows the status of a success.
macro_rules! ok {
    ($success:expr) => {
        Result(&v4::STATUS, $success, NOTHING)
    };
}
pub(super) use ok;

fn state_id(walker: &mut Walker<'_, '_>) -> Walked {
    let bytes = walker.take(&v4::STATE_ID, STATE_ID_LENGTH)?;
    let at = walker.at - STATE_ID_LENGTH;
    walker.report(&v4::STATE_ID, Datum::Bytes(bytes), at, STATE_ID_LENGTH);
    walker.beneath(|walker| {
        let hash = u64::from(state_id_hash(bytes));
        walker.report(&v4::STATE_ID_HASH, Datum::Number(hash), at, STATE_ID_LENGTH);
        let (sequence, other) = bytes.split_at(SEQUENCE_LENGTH);
        let sequence = sequence.iter().fold(0, |number, byte| number << 8 | u64::from(*byte));
        walker.report(&v4::STATE_ID_SEQUENCE, Datum::Number(sequence), at, SEQUENCE_LENGTH);
        let other_at = at + SEQUENCE_LENGTH;
        walker.report(&v4::STATE_ID_OTHER, Datum::Bytes(other), other_at, other.len());
        let hash = u64::from(handle_hash(other));
        walker.report(&v4::STATE_ID_OTHER_HASH, Datum::Number(hash), other_at, other.len());
        Ok(())
    })
}

/// `nfstime4`.
pub(super) const TIME: Items =
    &[Long(&attributes::TIME_SECONDS), Word(&attributes::TIME_NANOSECONDS)];
/// `change_info4`.
pub(super) const CHANGE_INFO: Item = Group(
    &v4::CHANGE_INFO,
    &[Word(&v4::CHANGE_ATOMIC), Long(&v4::CHANGE_BEFORE), Long(&v4::CHANGE_AFTER)],
);
/// `state_owner4` of an open.
pub(super) const OPEN_OWNER: Items = &[Long(&v4::CLIENT_ID), Opaque(&v4::OPEN_OWNER)];
/// `state_owner4` of a lock.
pub(super) const LOCK_OWNER: Items = &[Long(&v4::CLIENT_ID), Opaque(&v4::LOCK_OWNER)];
/// `netaddr4`.
pub(super) const NETWORK_ADDRESS: Items = &[Text(&v4::NETWORK_ID), Text(&v4::NETWORK_ADDRESS)];
/// `verifier4`.
pub(super) const VERIFIER: Item = Long(&v4::VERIFIER);
/// `component4`.
pub(super) const COMPONENT: Item = Text(&v4::COMPONENT);

// The operations of version 4.2 and of extended attributes (RFC 7862 section 15, RFC 8276 section
// 8.4).

const NFS4ERR_OFFLOAD_NO_REQS: u32 = 10094;

/// `netloc4`.
const LOCATION: Item = Union(
    &layout4::LOCATION_TYPE,
    &[
        (1, &[Text(&layout4::LOCATION_NAME)]),
        (2, &[Text(&layout4::LOCATION_URL)]),
        (3, NETWORK_ADDRESS),
    ],
    None,
);
const LOCATIONS: Item = Array(&layout4::SOURCE_SERVERS, &[LOCATION]);
/// `write_response4`.
pub(super) const WRITE_RESPONSE: Items =
    &[Array(&layout4::CALLBACK_IDS, &[STATE_ID]), Long(&v4::LENGTH), Word(&v4::STABLE), VERIFIER];
const REQUIREMENTS: Items = &[Word(&layout4::CONSECUTIVE), Word(&layout4::SYNCHRONOUS)];
const RANGE_OF_STATE: Items = &[STATE_ID, Use(RANGE)];
const IO: Items = &[Long(&layout4::IO_COUNT), Long(&layout4::IO_BYTES)];

/// `layoutupdate4` of LAYOUTSTATS.
const STATISTICS: Items = &[Word(&layout4::LAYOUT_TYPE), Opaque(&layout4::LAYOUT_STATISTICS)];

fn hints(walker: &mut Walker<'_, '_>) -> Walked {
    bitmap(walker, &layout4::HINT_MASK, None)
}

/// `app_data_block4`.
const BLOCKS: Items = &[
    Long(&v4::OFFSET),
    Long(&layout4::BLOCK_SIZE),
    Long(&layout4::BLOCK_COUNT),
    Long(&layout4::BLOCK_NUMBER_OFFSET),
    Word(&layout4::BLOCK_NUMBER),
    Long(&layout4::PATTERN_OFFSET),
    Opaque(&layout4::PATTERN),
];
/// `read_plus_res4`.
const CONTENTS: Items = &[
    Word(&v4::END_OF_FILE),
    Array(
        &layout4::CONTENTS,
        &[Union(
            &layout4::CONTENT_TYPE,
            &[
                (0, &[Long(&v4::OFFSET), Eligible { length: Some(&READ_LENGTH), data: &DATA }]),
                (1, RANGE),
            ],
            Some(NOTHING),
        )],
    ),
];

/// The operations, by number.
#[rustfmt::skip]
pub(super) const COPY_OPERATIONS: &[Operation] = &[
    (op::ALLOCATE, RANGE_OF_STATE, STATUS_ALONE),
    (op::COPY, &[
        STATE_ID, STATE_ID, Long(&v4::OFFSET), Long(&v4::OFFSET), Long(&v4::LENGTH), Use(REQUIREMENTS), LOCATIONS,
    ], ByStatus(
        &v4::STATUS,
        &[(0, &[Use(WRITE_RESPONSE), Use(REQUIREMENTS)]), (NFS4ERR_OFFLOAD_NO_REQS, REQUIREMENTS)],
    )),
    (op::COPY_NOTIFY, &[STATE_ID, LOCATION], ok!(&[Use(TIME), STATE_ID, LOCATIONS])),
    (op::DEALLOCATE, RANGE_OF_STATE, STATUS_ALONE),
    (op::IO_ADVISE, &[Use(RANGE_OF_STATE), Call(hints)], ok!(&[Call(hints)])),
    (op::LAYOUTERROR, &[Use(RANGE), STATE_ID, Array(
        &layout4::DEVICE_ERRORS,
        &[DEVICE_ID, STATUS_ALONE, Word(&layout4::ERROR_OPERATION)],
    )], STATUS_ALONE),
    (op::LAYOUTSTATS, &[Use(RANGE), STATE_ID, Use(IO), Use(IO), DEVICE_ID, Use(STATISTICS)], STATUS_ALONE),
    (op::OFFLOAD_CANCEL, &[STATE_ID], STATUS_ALONE),
    (op::OFFLOAD_STATUS, &[STATE_ID],
        ok!(&[Long(&v4::LENGTH), Array(&layout4::OFFLOAD_STATUSES, &[Word(&v4::STATUS)])])),
    (op::READ_PLUS, &[STATE_ID, Long(&v4::OFFSET), Word(&v4::COUNT)], ok!(CONTENTS)),
    (op::SEEK, &[STATE_ID, Long(&v4::OFFSET), Word(&layout4::SEEK_FOR)],
        ok!(&[Word(&v4::END_OF_FILE), Long(&v4::OFFSET)])),
    (op::WRITE_SAME, &[STATE_ID, Word(&v4::STABLE), Use(BLOCKS)], ok!(WRITE_RESPONSE)),
    (op::CLONE, &[STATE_ID, STATE_ID, Long(&v4::OFFSET), Long(&v4::OFFSET), Long(&v4::LENGTH)], STATUS_ALONE),
    (op::GETXATTR, &[Text(&layout4::XATTR_NAME)], ok!(&[Opaque(&DATA)])),
    (op::SETXATTR, &[Word(&layout4::XATTR_OPTION), Text(&layout4::XATTR_NAME), Opaque(&DATA)],
        ok!(&[CHANGE_INFO])),
    (op::LISTXATTRS, &[Long(&layout4::XATTR_COOKIE), Word(&layout4::XATTR_MAXIMUM)], ok!(&[
        Long(&layout4::XATTR_COOKIE), Array(&layout4::XATTR_COUNT, &[Text(&layout4::XATTR_NAME)]),
        Word(&layout4::XATTR_END),
    ])),
    (op::REMOVEXATTR, &[Text(&layout4::XATTR_NAME)], ok!(&[CHANGE_INFO])),
];

// The operations of version 4.1 for layouts (pNFS), directory delegations and wanted delegations
// (RFC 8881 sections 18.39 to 18.44 and 18.49).

const NFS4ERR_TOOSMALL: u32 = 10005;
const NFS4ERR_LAYOUTTRYLATER: u32 = 10058;

/// `deviceid4`.
pub(super) const DEVICE_ID: Item = Fixed(&layout4::DEVICE_ID, 16);
/// `layoutupdate4`.
const LAYOUT_UPDATE: Items = &[Word(&layout4::LAYOUT_TYPE), Opaque(&layout4::LAYOUT_UPDATE)];
/// A range of a file.
pub(super) const RANGE: Items = &[Long(&v4::OFFSET), Long(&v4::LENGTH)];
/// A `bitmap4` of notifications.
pub(super) const NOTIFICATION_SET: Item =
    Call(|walker| bitmap(walker, &layout4::NOTIFY_MASK, None));

const LAYOUT: Items =
    &[Use(RANGE), Word(&layout4::IO_MODE), Word(&layout4::LAYOUT_TYPE), Opaque(&layout4::LAYOUT)];
const RETURNED_FILE: Items = &[Use(RANGE), STATE_ID, Opaque(&layout4::RETURN_BODY)];
const DIRECTORY_DELEGATION: Items = &[Union(
    &layout4::DIRECTORY_DELEGATION,
    &[
        (0, &[VERIFIER, STATE_ID, NOTIFICATION_SET, ATTRIBUTE_SET, ATTRIBUTE_SET]),
        (1, &[Word(&layout4::SIGNAL_DELEGATION)]),
    ],
    None,
)];

/// The operations, by number.
#[rustfmt::skip]
pub(super) const LAYOUT_OPERATIONS: &[Operation] = &[
    (op::GET_DIR_DELEGATION, &[
        Word(&layout4::SIGNAL_DELEGATION), NOTIFICATION_SET, Use(TIME), Use(TIME), ATTRIBUTE_SET, ATTRIBUTE_SET,
    ], ok!(DIRECTORY_DELEGATION)),
    (op::GETDEVICEINFO, &[DEVICE_ID, Word(&layout4::LAYOUT_TYPE), Word(&v4::MAXIMUM_COUNT), NOTIFICATION_SET], ByStatus(
        &v4::STATUS,
        &[
            (0, &[Word(&layout4::LAYOUT_TYPE), Opaque(&layout4::DEVICE_ADDRESS), NOTIFICATION_SET]),
            (NFS4ERR_TOOSMALL, &[Word(&v4::COUNT)]),
        ],
    )),
    (op::GETDEVICELIST, &[
        Word(&layout4::LAYOUT_TYPE), Word(&v4::MAXIMUM_COUNT), Long(&v4::COOKIE), Long(&v4::COOKIE_VERIFIER),
    ], ok!(&[
        Long(&v4::COOKIE), Long(&v4::COOKIE_VERIFIER), Array(&layout4::DEVICES, &[DEVICE_ID]),
        Word(&v4::END_OF_FILE),
    ])),
    (op::LAYOUTCOMMIT, &[
        Use(RANGE), Word(&layout4::RECLAIM), STATE_ID, Optional(&layout4::NEW_OFFSET, &[Long(&v4::OFFSET)]),
        Optional(&layout4::NEW_TIME, TIME), Use(LAYOUT_UPDATE),
    ], ok!(&[Optional(&layout4::NEW_SIZE, &[Long(&v4::LENGTH)])])),
    (op::LAYOUTGET, &[
        Word(&layout4::LAYOUT_AVAILABLE), Word(&layout4::LAYOUT_TYPE), Word(&layout4::IO_MODE), Use(RANGE),
        Long(&layout4::MINIMUM_LENGTH), STATE_ID, Word(&v4::MAXIMUM_COUNT),
    ], ByStatus(
        &v4::STATUS,
        &[
            (0, &[Word(&layout4::RETURN_ON_CLOSE), STATE_ID, Array(&layout4::LAYOUTS, LAYOUT)]),
            (NFS4ERR_LAYOUTTRYLATER, &[Word(&layout4::LAYOUT_AVAILABLE)]),
        ],
    )),
    (op::LAYOUTRETURN, &[
        Word(&layout4::RECLAIM), Word(&layout4::LAYOUT_TYPE), Word(&layout4::IO_MODE),
        Union(&layout4::RETURN_TYPE, &[(1, RETURNED_FILE)], Some(NOTHING)),
    ], ok!(&[Optional(&layout4::STATE_ID_PRESENT, &[STATE_ID])])),
    (op::WANT_DELEGATION, &[
        Word(&v4::WANT),
        Union(&v4::CLAIM_TYPE, &[(1, &[Word(&v4::DELEGATE_TYPE)]), (4, NOTHING), (6, NOTHING)], None),
    ], ok!(&[DELEGATION])),
];
