//! The attributes of NFS version 3 and what they are wrapped in (RFC 1813 sections 2.5 and 2.6).

use super::shape::Item::{Flags, Group, Handle, Long, Optional, Text, Time, Union, Use, Word};
use super::shape::Items;
use crate::field::Field;
use crate::field::nfs::common::{MAJOR_DEVICE, MINOR_DEVICE, NAME};
use crate::field::nfs::v3 as fields;

const MODE_BITS: &[(&Field, u32)] = &[
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

/// `nfstime3` of the modify time.
const MODIFY_TIME: Items =
    &[Time(&fields::MODIFY_TIME, &fields::MODIFY_SECONDS, &fields::MODIFY_NANOSECONDS)];
/// `nfstime3` of the change time.
pub(super) const CHANGE_TIME: Items =
    &[Time(&fields::CHANGE_TIME, &fields::CHANGE_SECONDS, &fields::CHANGE_NANOSECONDS)];
/// `nfstime3` of the access time.
const ACCESS_TIME: Items =
    &[Time(&fields::ACCESS_TIME, &fields::ACCESS_SECONDS, &fields::ACCESS_NANOSECONDS)];

/// `fattr3`.
pub(super) const ATTRIBUTES: Items = &[
    Word(&fields::TYPE),
    Flags(&fields::MODE, MODE_BITS),
    Word(&fields::LINKS),
    Word(&fields::UID),
    Word(&fields::GID),
    Long(&fields::SIZE),
    Long(&fields::USED),
    Word(&MAJOR_DEVICE),
    Word(&MINOR_DEVICE),
    Long(&fields::FILE_SYSTEM_ID),
    Long(&fields::FILE_ID),
    Use(ACCESS_TIME),
    Use(MODIFY_TIME),
    Use(CHANGE_TIME),
];

const POST_OPERATION: Items = &[Optional(&fields::ATTRIBUTES_FOLLOW, ATTRIBUTES)];

/// `post_op_attr` of the object that the procedure is about.
pub(super) const OBJECT_ATTRIBUTES: Items = &[Group(&fields::OBJECT_ATTRIBUTES, POST_OPERATION)];
/// `post_op_attr` of its directory.
pub(super) const DIRECTORY_ATTRIBUTES: Items =
    &[Group(&fields::DIRECTORY_ATTRIBUTES, POST_OPERATION)];

/// What is in a `wcc_data`.
pub(super) const BEFORE_AND_AFTER: Items = &[
    Group(
        &fields::BEFORE,
        &[Optional(
            &fields::ATTRIBUTES_FOLLOW,
            &[Long(&fields::SIZE_BEFORE), Use(MODIFY_TIME), Use(CHANGE_TIME)],
        )],
    ),
    Group(&fields::AFTER, POST_OPERATION),
];
/// `wcc_data`.
pub(super) const WEAK_CACHE_CONSISTENCY: Items =
    &[Group(&fields::WEAK_CACHE_CONSISTENCY, BEFORE_AND_AFTER)];

/// `post_op_fh3`.
pub(super) const HANDLE: Items = &[Optional(&fields::HANDLE_FOLLOW, &[Handle])];

/// `sattr3`.
pub(super) const NEW_ATTRIBUTES: Items = &[Group(
    &fields::NEW_ATTRIBUTES,
    &[
        Optional(&fields::SET_IT, &[Flags(&fields::MODE, MODE_BITS)]),
        Optional(&fields::SET_IT, &[Word(&fields::SET_UID)]),
        Optional(&fields::SET_IT, &[Word(&fields::SET_GID)]),
        Optional(&fields::SET_IT, &[Long(&fields::SET_SIZE)]),
        Union(&fields::SET_IT, &[(0, &[]), (1, &[]), (2, ACCESS_TIME)], None),
        Union(&fields::SET_IT, &[(0, &[]), (1, &[]), (2, MODIFY_TIME)], None),
    ],
)];

/// What is in a `diropargs3`.
pub(super) const DIRECTORY_AND_NAME: Items = &[Handle, Text(&NAME)];
/// `diropargs3`.
pub(super) const WHERE: Items = &[Group(&fields::WHERE, DIRECTORY_AND_NAME)];
