//! The procedures of NFS version 3 (RFC 1813 section 3.3).

use super::attributes3::{
    ATTRIBUTES, BEFORE_AND_AFTER, CHANGE_TIME, DIRECTORY_AND_NAME, DIRECTORY_ATTRIBUTES, HANDLE,
    NEW_ATTRIBUTES, OBJECT_ATTRIBUTES, WEAK_CACHE_CONSISTENCY, WHERE,
};
use super::layout::Pair;
use super::shape::Item::{
    Eligible, Fixed, Flags, Group, Handle, List, Long, Optional, Result, SetFlags, Text, Time,
    Union, Use, Word,
};
use super::shape::{Item, Items};
use crate::field::Field;
use crate::field::nfs::common::{self, DATA, MAJOR_DEVICE, MINOR_DEVICE};
use crate::field::nfs::v3 as fields;

/// The bits of ACCESS; those from 0x40 are version 4's (RFC 8276).
pub(super) const ACCESS_BITS: &[(&Field, u32)] = &[
    (&common::ACCESS_READ, 0x1),
    (&common::ACCESS_LOOKUP, 0x2),
    (&common::ACCESS_MODIFY, 0x4),
    (&common::ACCESS_EXTEND, 0x8),
    (&common::ACCESS_DELETE, 0x10),
    (&common::ACCESS_EXECUTE, 0x20),
    (&common::ACCESS_XATTR_READ, 0x40),
    (&common::ACCESS_XATTR_WRITE, 0x80),
    (&common::ACCESS_XATTR_LIST, 0x100),
];
const PROPERTY_BITS: &[(&Field, u32)] = &[
    (&fields::CAN_SET_TIME, 0x10),
    (&fields::HOMOGENEOUS, 0x8),
    (&fields::SYMBOLIC_LINKS, 0x2),
    (&fields::HARD_LINKS, 0x1),
];

const NOTHING: Items = &[];
const OBJECT: Items = &[Group(&fields::OBJECT, &[Handle])];
const VERIFIER: Item = Fixed(&fields::VERIFIER, 8);
const DATA_ITEM: Item = Eligible { length: None, data: &DATA };

/// The result of what makes a file: handle, attributes, its directory before and after.
const MADE: Items = &[Result(
    &fields::STATUS,
    &[Use(HANDLE), Use(OBJECT_ATTRIBUTES), Use(WEAK_CACHE_CONSISTENCY)],
    WEAK_CACHE_CONSISTENCY,
)];
/// The result of what changes an object: it before and after.
const CHANGED: Items = &[Result(&fields::STATUS, WEAK_CACHE_CONSISTENCY, WEAK_CACHE_CONSISTENCY)];
const RENAMED: Items = &[
    Group(&fields::FROM_DIRECTORY, BEFORE_AND_AFTER),
    Group(&fields::TO_DIRECTORY, BEFORE_AND_AFTER),
];
const LINKED: Items = &[Use(OBJECT_ATTRIBUTES), Use(WEAK_CACHE_CONSISTENCY)];

const CREATE: Items = &[
    Use(WHERE),
    Union(
        &fields::CREATE_MODE,
        &[(0, NEW_ATTRIBUTES), (1, NEW_ATTRIBUTES), (2, &[VERIFIER])],
        None,
    ),
];
const DEVICE: Items = &[Use(NEW_ATTRIBUTES), Word(&MAJOR_DEVICE), Word(&MINOR_DEVICE)];
const MKNOD: Items = &[
    Use(WHERE),
    Union(
        &fields::NODE_TYPE,
        &[(3, DEVICE), (4, DEVICE), (6, NEW_ATTRIBUTES), (7, NEW_ATTRIBUTES)],
        Some(NOTHING),
    ),
];

const READDIR: Items = &[Result(
    &fields::STATUS,
    &[
        Use(DIRECTORY_ATTRIBUTES),
        VERIFIER,
        List {
            follows: &fields::VALUE_FOLLOWS,
            heading: Some(&fields::ENTRY),
            element: &[
                Long(&fields::ENTRY_FILE_ID),
                Text(&fields::ENTRY_NAME),
                Long(&fields::ENTRY_COOKIE),
            ],
        },
        Word(&fields::DIRECTORY_END),
    ],
    DIRECTORY_ATTRIBUTES,
)];
const READDIRPLUS: Items = &[Result(
    &fields::STATUS,
    &[
        Use(DIRECTORY_ATTRIBUTES),
        VERIFIER,
        List {
            follows: &fields::VALUE_FOLLOWS,
            heading: Some(&fields::ENTRY),
            element: &[
                Long(&fields::PLUS_FILE_ID),
                Text(&fields::PLUS_NAME),
                Long(&fields::PLUS_COOKIE),
                Use(OBJECT_ATTRIBUTES),
                Use(HANDLE),
            ],
        },
        Word(&fields::DIRECTORY_END),
    ],
    DIRECTORY_ATTRIBUTES,
)];

const FSSTAT: Items = &[Result(
    &fields::STATUS,
    &[
        Use(OBJECT_ATTRIBUTES),
        Long(&fields::TOTAL_BYTES),
        Long(&fields::FREE_BYTES),
        Long(&fields::AVAILABLE_BYTES),
        Long(&fields::TOTAL_FILES),
        Long(&fields::FREE_FILES),
        Long(&fields::AVAILABLE_FILES),
        Word(&fields::INVARIANT_SECONDS),
    ],
    OBJECT_ATTRIBUTES,
)];
const FSINFO: Items = &[Result(
    &fields::STATUS,
    &[
        Use(OBJECT_ATTRIBUTES),
        Word(&fields::READ_MAXIMUM),
        Word(&fields::READ_PREFERRED),
        Word(&fields::READ_MULTIPLE),
        Word(&fields::WRITE_MAXIMUM),
        Word(&fields::WRITE_PREFERRED),
        Word(&fields::WRITE_MULTIPLE),
        Word(&fields::DIRECTORY_PREFERRED),
        Long(&fields::LARGEST_FILE),
        Time(&fields::TIME_DELTA, &fields::DELTA_SECONDS, &fields::DELTA_NANOSECONDS),
        Flags(&fields::PROPERTIES, PROPERTY_BITS),
    ],
    OBJECT_ATTRIBUTES,
)];
const PATHCONF: Items = &[Result(
    &fields::STATUS,
    &[
        Use(OBJECT_ATTRIBUTES),
        Word(&fields::LINK_MAXIMUM),
        Word(&fields::NAME_MAXIMUM),
        Word(&fields::NO_TRUNCATION),
        Word(&fields::CHOWN_RESTRICTED),
        Word(&fields::CASE_INSENSITIVE),
        Word(&fields::CASE_PRESERVING),
    ],
    OBJECT_ATTRIBUTES,
)];

/// Arguments and results of the procedures, from 0.
pub(super) const PROCEDURES: &[Pair] = &[
    // NULL
    (NOTHING, NOTHING),
    // GETATTR
    (OBJECT, &[Result(&fields::STATUS, &[Group(&fields::OBJECT_ATTRIBUTES, ATTRIBUTES)], NOTHING)]),
    // SETATTR
    (&[Use(OBJECT), Use(NEW_ATTRIBUTES), Optional(&fields::CHECK, CHANGE_TIME)], CHANGED),
    // LOOKUP
    (
        WHERE,
        &[Result(
            &fields::STATUS,
            &[Handle, Use(OBJECT_ATTRIBUTES), Use(DIRECTORY_ATTRIBUTES)],
            DIRECTORY_ATTRIBUTES,
        )],
    ),
    // ACCESS
    (
        &[Use(OBJECT), SetFlags(&common::ACCESS_CHECK, ACCESS_BITS)],
        &[Result(
            &fields::STATUS,
            &[Use(OBJECT_ATTRIBUTES), SetFlags(&common::ACCESS_RIGHTS, ACCESS_BITS)],
            OBJECT_ATTRIBUTES,
        )],
    ),
    // READLINK
    (
        OBJECT,
        &[Result(
            &fields::STATUS,
            &[Use(OBJECT_ATTRIBUTES), Eligible { length: None, data: &fields::LINK_CONTENTS }],
            OBJECT_ATTRIBUTES,
        )],
    ),
    // READ
    (
        &[Use(OBJECT), Long(&fields::OFFSET), Word(&fields::COUNT)],
        &[Result(
            &fields::STATUS,
            &[Use(OBJECT_ATTRIBUTES), Word(&fields::COUNT), Word(&fields::END_OF_FILE), DATA_ITEM],
            OBJECT_ATTRIBUTES,
        )],
    ),
    // WRITE
    (
        &[
            Use(OBJECT),
            Long(&fields::OFFSET),
            Word(&fields::COUNT),
            Word(&fields::STABLE),
            DATA_ITEM,
        ],
        &[Result(
            &fields::STATUS,
            &[
                Use(WEAK_CACHE_CONSISTENCY),
                Word(&fields::COUNT),
                Word(&fields::COMMITTED),
                VERIFIER,
            ],
            WEAK_CACHE_CONSISTENCY,
        )],
    ),
    // CREATE
    (CREATE, MADE),
    // MKDIR
    (&[Use(WHERE), Use(NEW_ATTRIBUTES)], MADE),
    // SYMLINK
    (
        &[Use(WHERE), Use(NEW_ATTRIBUTES), Eligible { length: None, data: &fields::LINK_TARGET }],
        MADE,
    ),
    // MKNOD
    (MKNOD, MADE),
    // REMOVE
    (WHERE, CHANGED),
    // RMDIR
    (WHERE, CHANGED),
    // RENAME
    (
        &[Group(&fields::FROM, DIRECTORY_AND_NAME), Group(&fields::TO, DIRECTORY_AND_NAME)],
        &[Result(&fields::STATUS, RENAMED, RENAMED)],
    ),
    // LINK
    (&[Use(OBJECT), Use(WHERE)], &[Result(&fields::STATUS, LINKED, LINKED)]),
    // READDIR
    (&[Use(OBJECT), Long(&fields::COOKIE), VERIFIER, Word(&fields::COUNT)], READDIR),
    // READDIRPLUS
    (
        &[
            Use(OBJECT),
            Long(&fields::COOKIE),
            VERIFIER,
            Word(&fields::DIRECTORY_COUNT),
            Word(&fields::MAXIMUM_COUNT),
        ],
        READDIRPLUS,
    ),
    // FSSTAT
    (OBJECT, FSSTAT),
    // FSINFO
    (OBJECT, FSINFO),
    // PATHCONF
    (OBJECT, PATHCONF),
    // COMMIT
    (
        &[Use(OBJECT), Long(&fields::OFFSET), Word(&fields::COUNT)],
        &[Result(
            &fields::STATUS,
            &[Use(WEAK_CACHE_CONSISTENCY), VERIFIER],
            WEAK_CACHE_CONSISTENCY,
        )],
    ),
];
