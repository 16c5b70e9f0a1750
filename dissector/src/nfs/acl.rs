//! The procedures of NFSACL version 3, as Solaris and Linux speak it (it has no public document).

use super::attributes3::OBJECT_ATTRIBUTES;
use super::layout::Pair;
use super::shape::Item::{Array, Flags, Group, Handle, Result, Use, Word};
use super::shape::Items;
use crate::field::Field;
use crate::field::nfs::v3;
use crate::field::nfsacl as fields;

const NOTHING: Items = &[];
const MASK_BITS: &[(&Field, u32)] = &[
    (&fields::MASK_ENTRIES, 0x1),
    (&fields::MASK_COUNT, 0x2),
    (&fields::MASK_DEFAULT_ENTRIES, 0x4),
    (&fields::MASK_DEFAULT_COUNT, 0x8),
];
const PERMISSION_BITS: &[(&Field, u32)] =
    &[(&fields::MAY_READ, 0x4), (&fields::MAY_WRITE, 0x2), (&fields::MAY_EXECUTE, 0x1)];

const OBJECT: Items = &[Group(&v3::OBJECT, &[Handle])];
const ENTRIES: Items = &[Array(
    &fields::LIST_COUNT,
    &[Group(
        &fields::ENTRY,
        &[
            Word(&fields::ENTRY_TYPE),
            Word(&fields::ENTRY_ID),
            Flags(&fields::PERMISSIONS, PERMISSION_BITS),
        ],
    )],
)];
/// Mask, list and default list.
const LISTS: Items = &[
    Flags(&fields::MASK, MASK_BITS),
    Word(&fields::COUNT),
    Use(ENTRIES),
    Word(&fields::DEFAULT_COUNT),
    Use(ENTRIES),
];

/// Version 3, from 0: NULL, GETACL, SETACL, GETXATTRDIR.
pub(super) const PROCEDURES_3: &[Pair] = &[
    (NOTHING, NOTHING),
    (
        &[Use(OBJECT), Flags(&fields::MASK, MASK_BITS)],
        &[Result(
            &v3::STATUS,
            &[Group(&fields::ACL, &[Use(OBJECT_ATTRIBUTES), Use(LISTS)])],
            OBJECT_ATTRIBUTES,
        )],
    ),
    (
        &[Use(OBJECT), Group(&fields::ACL, LISTS)],
        &[Result(&v3::STATUS, OBJECT_ATTRIBUTES, OBJECT_ATTRIBUTES)],
    ),
    (
        &[Use(OBJECT), Word(&fields::CREATE)],
        &[Result(&v3::STATUS, &[Handle, Use(OBJECT_ATTRIBUTES)], OBJECT_ATTRIBUTES)],
    ),
];
