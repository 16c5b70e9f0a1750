//! The operations of version 4.1 for layouts (pNFS), directory delegations and wanted delegations
//! (RFC 8881 sections 18.39 to 18.44 and 18.49).

use super::attributes::{ATTRIBUTE_SET, bitmap};
use super::compound::Operation;
use super::files::DELEGATION;
use super::state::{STATE_ID, TIME, VERIFIER};
use crate::field::nfs::layout4 as fields;
use crate::field::nfs::v4;
use crate::nfs::shape::Item::{
    Array, Call, Fixed, Long, Opaque, Optional, Result, Union, Use, Word,
};
use crate::nfs::shape::{Item, Items};
use crate::nfs::walker::{Walked, Walker};

const NOTHING: Items = &[];
const NFS4ERR_TOOSMALL: u32 = 10005;
const NFS4ERR_LAYOUTTRYLATER: u32 = 10058;

/// `deviceid4`.
pub(super) const DEVICE_ID: Item = Fixed(&fields::DEVICE_ID, 16);
/// `layoutupdate4`.
const LAYOUT_UPDATE: Items = &[Word(&fields::LAYOUT_TYPE), Opaque(&fields::LAYOUT_UPDATE)];
/// A range of a file.
pub(super) const RANGE: Items = &[Long(&v4::OFFSET), Long(&v4::LENGTH)];
/// A `bitmap4` of notifications.
pub(super) const NOTIFICATION_SET: Item = Call(notification_set);

fn notification_set(walker: &mut Walker<'_, '_>) -> Walked {
    bitmap(walker, &fields::NOTIFY_MASK, None)
}

const LAYOUT: Items =
    &[Use(RANGE), Word(&fields::IO_MODE), Word(&fields::LAYOUT_TYPE), Opaque(&fields::LAYOUT)];
const RETURNED_FILE: Items = &[Use(RANGE), STATE_ID, Opaque(&fields::RETURN_BODY)];
const DIRECTORY_DELEGATION: Items = &[Union(
    &fields::DIRECTORY_DELEGATION,
    &[
        (0, &[VERIFIER, STATE_ID, NOTIFICATION_SET, ATTRIBUTE_SET, ATTRIBUTE_SET]),
        (1, &[Word(&fields::SIGNAL_DELEGATION)]),
    ],
    None,
)];

/// The operations, by number.
#[rustfmt::skip]
pub(super) const OPERATIONS: &[Operation] = &[
    // GET_DIR_DELEGATION
    (46, &[
        Word(&fields::SIGNAL_DELEGATION), NOTIFICATION_SET, Use(TIME), Use(TIME), ATTRIBUTE_SET, ATTRIBUTE_SET,
    ], &[Result(&v4::STATUS, DIRECTORY_DELEGATION, NOTHING)]),
    // GETDEVICEINFO
    (47, &[DEVICE_ID, Word(&fields::LAYOUT_TYPE), Word(&v4::MAXIMUM_COUNT), NOTIFICATION_SET], &[Item::ByStatus(
        &v4::STATUS,
        &[
            (0, &[Word(&fields::LAYOUT_TYPE), Opaque(&fields::DEVICE_ADDRESS), NOTIFICATION_SET]),
            (NFS4ERR_TOOSMALL, &[Word(&v4::COUNT)]),
        ],
    )]),
    // GETDEVICELIST
    (48, &[
        Word(&fields::LAYOUT_TYPE), Word(&v4::MAXIMUM_COUNT), Long(&v4::COOKIE), Long(&v4::COOKIE_VERIFIER),
    ], &[Result(
        &v4::STATUS,
        &[
            Long(&v4::COOKIE), Long(&v4::COOKIE_VERIFIER), Array(&fields::DEVICES, &[DEVICE_ID]),
            Word(&v4::END_OF_FILE),
        ],
        NOTHING,
    )]),
    // LAYOUTCOMMIT
    (49, &[
        Use(RANGE), Word(&fields::RECLAIM), STATE_ID, Optional(&fields::NEW_OFFSET, &[Long(&v4::OFFSET)]),
        Optional(&fields::NEW_TIME, TIME), Use(LAYOUT_UPDATE),
    ], &[Result(&v4::STATUS, &[Optional(&fields::NEW_SIZE, &[Long(&v4::LENGTH)])], NOTHING)]),
    // LAYOUTGET
    (50, &[
        Word(&fields::LAYOUT_AVAILABLE), Word(&fields::LAYOUT_TYPE), Word(&fields::IO_MODE), Use(RANGE),
        Long(&fields::MINIMUM_LENGTH), STATE_ID, Word(&v4::MAXIMUM_COUNT),
    ], &[Item::ByStatus(
        &v4::STATUS,
        &[
            (0, &[Word(&fields::RETURN_ON_CLOSE), STATE_ID, Array(&fields::LAYOUTS, LAYOUT)]),
            (NFS4ERR_LAYOUTTRYLATER, &[Word(&fields::LAYOUT_AVAILABLE)]),
        ],
    )]),
    // LAYOUTRETURN
    (51, &[
        Word(&fields::RECLAIM), Word(&fields::LAYOUT_TYPE), Word(&fields::IO_MODE),
        Union(&fields::RETURN_TYPE, &[(1, RETURNED_FILE)], Some(NOTHING)),
    ], &[Result(&v4::STATUS, &[Optional(&fields::STATE_ID_PRESENT, &[STATE_ID])], NOTHING)]),
    // WANT_DELEGATION
    (56, &[
        Word(&v4::WANT),
        Union(&v4::CLAIM_TYPE, &[(1, &[Word(&v4::DELEGATE_TYPE)]), (4, NOTHING), (6, NOTHING)], None),
    ], &[Result(&v4::STATUS, &[DELEGATION], NOTHING)]),
];
