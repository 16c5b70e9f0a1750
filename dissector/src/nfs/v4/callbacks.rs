//! The callback operations: what a server asks of its client (RFC 8881 section 20, RFC 7862 section 16).

use super::attributes::{ATTRIBUTE_SET, ATTRIBUTES, bitmap};
use super::compound::Operation;
use super::copies::WRITE_RESPONSE;
use super::files::DELEGATION;
use super::layouts::{NOTIFICATION_SET, RANGE};
use super::sessions::{SESSION_ID, SLOT};
use super::state::{LOCK_OWNER, STATE_ID, STATUS_ALONE};
use crate::field::nfs::attributes4::{FILE_SYSTEM_MAJOR, FILE_SYSTEM_MINOR};
use crate::field::nfs::layout4 as fields;
use crate::field::nfs::{session4, v4};
use crate::nfs::shape::Item::{Array, Call, Handle, Long, Opaque, Result, Union, Use, Word};
use crate::nfs::shape::{Item, Items};
use crate::nfs::walker::{Walked, Walker};

const NOTHING: Items = &[];

fn object_types(walker: &mut Walker<'_, '_>) -> Walked {
    bitmap(walker, &fields::TYPE_MASK, None)
}

/// `notify4`, and how many there are.
const NOTIFICATIONS: Item =
    Array(&fields::NOTIFY_COUNT, &[NOTIFICATION_SET, Opaque(&fields::NOTIFY_VALUES)]);
const RECALL_ANY: Items = &[Word(&fields::OBJECTS_TO_KEEP), Call(object_types)];
const RECALLED: Item = Union(
    &fields::RECALL_TYPE,
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
pub(super) const OPERATIONS: &[Operation] = &[
    // CB_GETATTR
    (3, &[Handle, ATTRIBUTE_SET], &[Result(&v4::STATUS, &[ATTRIBUTES], NOTHING)]),
    // CB_RECALL
    (4, &[STATE_ID, Word(&v4::TRUNCATE), Handle], STATUS_ALONE),
    // CB_LAYOUTRECALL
    (5, &[Word(&fields::LAYOUT_TYPE), Word(&fields::IO_MODE), Word(&fields::RECALL_CHANGED), RECALLED], STATUS_ALONE),
    // CB_NOTIFY
    (6, &[STATE_ID, Handle, NOTIFICATIONS], STATUS_ALONE),
    // CB_PUSH_DELEG
    (7, &[Handle, DELEGATION], STATUS_ALONE),
    // CB_RECALL_ANY
    (8, RECALL_ANY, STATUS_ALONE),
    // CB_RECALLABLE_OBJ_AVAIL
    (9, RECALL_ANY, STATUS_ALONE),
    // CB_RECALL_SLOT
    (10, &[Word(&session4::TARGET_HIGHEST_SLOT)], STATUS_ALONE),
    // CB_SEQUENCE
    (11, &[Use(SLOT), Word(&session4::CACHE_THIS), REFERRING],
        &[Result(&v4::STATUS, &[Use(SLOT), Word(&session4::TARGET_HIGHEST_SLOT)], NOTHING)]),
    // CB_WANTS_CANCELLED
    (12, &[Word(&fields::WANTS_CANCELLED), Word(&fields::WANTS_CANCELLED)], STATUS_ALONE),
    // CB_NOTIFY_LOCK
    (13, &[Handle, Use(LOCK_OWNER)], STATUS_ALONE),
    // CB_NOTIFY_DEVICEID
    (14, &[NOTIFICATIONS], STATUS_ALONE),
    // CB_OFFLOAD
    (15, &[Handle, STATE_ID, Result(&v4::STATUS, WRITE_RESPONSE, &[Long(&fields::BYTES_COPIED)])], STATUS_ALONE),
    // CB_ILLEGAL
    (10044, NOTHING, STATUS_ALONE),
];
