//! The operations of version 4.1 for client IDs and sessions (RFC 8881 sections 18.33 to 18.51).

use super::attributes::bitmap;
use super::compound::Operation;
use super::files::SECINFO;
use super::state::{STATE_ID, STATUS_ALONE, TIME, VERIFIER};
use crate::field::Field;
use crate::field::nfs::common::DATA;
use crate::field::nfs::session4 as fields;
use crate::field::nfs::v4;
use crate::nfs::shape::Item::{
    Array, Call, Fixed, Flags, Group, Long, Opaque, Result, Text, Union, Use, Word,
};
use crate::nfs::shape::{Item, Items};
use crate::nfs::walker::{Walked, Walker};

const NOTHING: Items = &[];
/// `sessionid4`.
pub(super) const SESSION_ID: Item = Fixed(&fields::SESSION_ID, 16);

const SEQUENCE_BITS: &[(&Field, u32)] = &[
    (&fields::CB_PATH_DOWN, 0x1),
    (&fields::CB_GSS_EXPIRING, 0x2),
    (&fields::CB_GSS_EXPIRED, 0x4),
    (&fields::EXPIRED_ALL, 0x8),
    (&fields::EXPIRED_SOME, 0x10),
    (&fields::ADMIN_REVOKED, 0x20),
    (&fields::RECALLABLE_REVOKED, 0x40),
    (&fields::LEASE_MOVED, 0x80),
    (&fields::RESTART_RECLAIM, 0x100),
    (&fields::CB_PATH_DOWN_SESSION, 0x200),
    (&fields::BACKCHANNEL_FAULT, 0x400),
    (&fields::DEVICE_CHANGED, 0x800),
    (&fields::DEVICE_DELETED, 0x1000),
];
const EXCHANGE_BITS: &[(&Field, u32)] = &[
    (&fields::CONFIRMED, 0x8000_0000),
    (&fields::UPDATE_CONFIRMED, 0x4000_0000),
    (&fields::DATA_SERVER, 0x4_0000),
    (&fields::METADATA_SERVER, 0x2_0000),
    (&fields::NON_PNFS, 0x1_0000),
    (&fields::BIND_PRINCIPAL, 0x100),
    (&fields::MOVED_MIGRATION, 0x2),
    (&fields::MOVED_REFERRAL, 0x1),
];
const SESSION_BITS: &[(&Field, u32)] =
    &[(&fields::PERSISTENT, 0x1), (&fields::BACK_CHANNEL, 0x2), (&fields::RDMA_MODE, 0x4)];

/// `channel_attrs4`.
const CHANNEL: Items = &[
    Word(&fields::HEADER_PADDING),
    Word(&fields::MAXIMUM_REQUEST),
    Word(&fields::MAXIMUM_RESPONSE),
    Word(&fields::MAXIMUM_CACHED),
    Word(&fields::MAXIMUM_OPERATIONS),
    Word(&fields::MAXIMUM_REQUESTS),
    Array(&fields::RDMA_IRD_COUNT, &[Word(&fields::RDMA_IRD)]),
];
const CHANNELS: Items =
    &[Group(&fields::FORE_CHANNEL, CHANNEL), Group(&fields::BACKWARD_CHANNEL, CHANNEL)];

/// `callback_sec_parms4`, and how many there are.
const SECURITY: Item = Array(
    &fields::SECURITY_COUNT,
    &[Union(
        &fields::SECURITY_FLAVOR,
        &[
            (0, NOTHING),
            (
                1,
                &[
                    Word(&fields::STAMP),
                    Text(&fields::MACHINE_NAME),
                    Word(&fields::UID),
                    Word(&fields::GID),
                    Array(&fields::GIDS_COUNT, &[Word(&fields::GID)]),
                ],
            ),
            (
                6,
                &[Word(&fields::SERVICE), Opaque(&fields::GSS_HANDLE), Opaque(&fields::GSS_HANDLE)],
            ),
        ],
        None,
    )],
);

fn operation_set(walker: &mut Walker<'_, '_>) -> Walked {
    bitmap(walker, &fields::OPERATION_MASK, Some(&fields::NAMED_OPERATION))
}

/// `state_protect_ops4`.
const PROTECTED: Items = &[Call(operation_set), Call(operation_set)];
const OIDS: Item = Array(&fields::OID_COUNT, &[Opaque(&v4::FLAVOR_OID)]);
const ASKED_PROTECTION: Item = Union(
    &fields::STATE_PROTECTION,
    &[
        (0, NOTHING),
        (1, PROTECTED),
        (2, &[Use(PROTECTED), OIDS, OIDS, Word(&fields::ASKED_WINDOW), Word(&fields::GSS_HANDLES)]),
    ],
    None,
);
const GIVEN_PROTECTION: Item = Union(
    &fields::STATE_PROTECTION,
    &[
        (0, NOTHING),
        (1, PROTECTED),
        (
            2,
            &[
                Use(PROTECTED),
                Word(&fields::HASH_ALGORITHM),
                Word(&fields::ENCRYPTION_ALGORITHM),
                Word(&fields::SECRET_LENGTH),
                Word(&fields::WINDOW),
                Array(&fields::GSS_HANDLES_COUNT, &[Opaque(&fields::GSS_HANDLE)]),
            ],
        ),
    ],
    None,
);
/// `nfs_impl_id4`, when it is there.
const IMPLEMENTATION: Item = Array(
    &fields::IMPLEMENTATION,
    &[Text(&fields::IMPLEMENTATION_DOMAIN), Text(&fields::IMPLEMENTATION_NAME), Use(TIME)],
);

const EXCHANGE_ID: Items = &[
    VERIFIER,
    Opaque(&DATA),
    Flags(&fields::CALL_FLAGS, EXCHANGE_BITS),
    ASKED_PROTECTION,
    IMPLEMENTATION,
];
const EXCHANGED: Items = &[
    Long(&v4::CLIENT_ID),
    Word(&v4::SEQUENCE_ID),
    Flags(&fields::REPLY_FLAGS, EXCHANGE_BITS),
    GIVEN_PROTECTION,
    Long(&fields::SERVER_MINOR),
    Opaque(&fields::SERVER_MAJOR),
    Opaque(&fields::SERVER_SCOPE),
    IMPLEMENTATION,
];
/// Session, sequence number, slot and highest slot, of requests and results.
pub(super) const SLOT: Items =
    &[SESSION_ID, Word(&v4::SEQUENCE_ID), Word(&fields::SLOT), Word(&fields::HIGHEST_SLOT)];

/// The operations, by number.
#[rustfmt::skip]
pub(super) const OPERATIONS: &[Operation] = &[
    // BACKCHANNEL_CTL
    (40, &[Word(&v4::CALLBACK_PROGRAM), SECURITY], STATUS_ALONE),
    // BIND_CONN_TO_SESSION
    (41, &[SESSION_ID, Word(&fields::CLIENT_DIRECTION), Word(&fields::CLIENT_RDMA)], &[Result(
        &v4::STATUS,
        &[SESSION_ID, Word(&fields::SERVER_DIRECTION), Word(&fields::SERVER_RDMA)],
        NOTHING,
    )]),
    // EXCHANGE_ID
    (42, EXCHANGE_ID, &[Result(&v4::STATUS, EXCHANGED, NOTHING)]),
    // CREATE_SESSION
    (43, &[
        Long(&v4::CLIENT_ID), Word(&v4::SEQUENCE_ID), Flags(&fields::SESSION_FLAGS, SESSION_BITS), Use(CHANNELS),
        Word(&v4::CALLBACK_PROGRAM), SECURITY,
    ], &[Result(
        &v4::STATUS,
        &[SESSION_ID, Word(&v4::SEQUENCE_ID), Flags(&fields::SESSION_FLAGS, SESSION_BITS), Use(CHANNELS)],
        NOTHING,
    )]),
    // DESTROY_SESSION
    (44, &[SESSION_ID], STATUS_ALONE),
    // FREE_STATEID
    (45, &[STATE_ID], STATUS_ALONE),
    // SECINFO_NO_NAME
    (52, &[Word(&v4::SECINFO_STYLE)], SECINFO),
    // SEQUENCE
    (53, &[Use(SLOT), Word(&fields::CACHE_THIS)], &[Result(
        &v4::STATUS,
        &[Use(SLOT), Word(&fields::TARGET_HIGHEST_SLOT), Flags(&fields::SEQUENCE_FLAGS, SEQUENCE_BITS)],
        NOTHING,
    )]),
    // SET_SSV
    (54, &[Opaque(&fields::SECRET), Opaque(&fields::DIGEST)],
        &[Result(&v4::STATUS, &[Opaque(&fields::DIGEST)], NOTHING)]),
    // TEST_STATEID
    (55, &[Array(&fields::STATE_IDS, &[STATE_ID])],
        &[Result(&v4::STATUS, &[Array(&fields::STATE_IDS, STATUS_ALONE)], NOTHING)]),
    // DESTROY_CLIENTID
    (57, &[Long(&v4::CLIENT_ID)], STATUS_ALONE),
    // RECLAIM_COMPLETE
    (58, &[Word(&fields::ONE_FILE_SYSTEM)], STATUS_ALONE),
];
