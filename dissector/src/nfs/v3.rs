//! The procedures of NFS version 3 (RFC 1813 section 3.3).

use super::walker::Item::{
    Array, Call, Eligible, Fixed, Flags, Group, Handle, List, Long, Optional, Result, SetFlags,
    Text, Time, Union, Use, Word,
};
use super::walker::{Item, Items, Operation, Walked, Walker};
use crate::field::nfs::common::{DATA, MAJOR_DEVICE, MINOR_DEVICE, NAME};
use crate::field::nfs::names::procedure;
use crate::field::nfs::{common, v3 as fields};
use crate::field::{Field, mount, nfsacl};

/// The bits of ACCESS; those from 0x40 on belong to version 4 (RFC 8276).
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
const NO_RESULTS: Item = Use(NOTHING);

/// The results of a procedure: what follows the status of success, and of failure.
macro_rules! status {
    ($success:expr, $failure:expr) => {
        Result(&fields::STATUS, $success, $failure)
    };
}

const OBJECT: Items = &[Group(&fields::OBJECT, &[Handle])];
const VERIFIER: Item = Fixed(&fields::VERIFIER, 8);
const DATA_ITEM: Item = Eligible { length: None, data: &DATA };

/// The result of a procedure that creates a file: handle, attributes, its directory before and after.
const MADE: Item = status!(
    &[Use(HANDLE), Use(OBJECT_ATTRIBUTES), Use(WEAK_CACHE_CONSISTENCY)],
    WEAK_CACHE_CONSISTENCY
);
/// The result of a procedure that changes an object: the object before and after.
const CHANGED: Item = status!(WEAK_CACHE_CONSISTENCY, WEAK_CACHE_CONSISTENCY);
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

const READDIR: Item = status!(
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
    DIRECTORY_ATTRIBUTES
);
const READDIRPLUS: Item = status!(
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
    DIRECTORY_ATTRIBUTES
);

const FSSTAT: Item = status!(
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
    OBJECT_ATTRIBUTES
);
const FSINFO: Item = status!(
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
    OBJECT_ATTRIBUTES
);
const PATHCONF: Item = status!(
    &[
        Use(OBJECT_ATTRIBUTES),
        Word(&fields::LINK_MAXIMUM),
        Word(&fields::NAME_MAXIMUM),
        Word(&fields::NO_TRUNCATION),
        Word(&fields::CHOWN_RESTRICTED),
        Word(&fields::CASE_INSENSITIVE),
        Word(&fields::CASE_PRESERVING),
    ],
    OBJECT_ATTRIBUTES
);

/// The procedures, with arguments and results.
pub(super) const PROCEDURES: &[Operation] = &[
    NULL,
    (
        procedure::GETATTR,
        OBJECT,
        status!(&[Group(&fields::OBJECT_ATTRIBUTES, ATTRIBUTES)], NOTHING),
    ),
    (
        procedure::SETATTR,
        &[Use(OBJECT), Use(NEW_ATTRIBUTES), Optional(&fields::CHECK, CHANGE_TIME)],
        CHANGED,
    ),
    (
        procedure::LOOKUP,
        WHERE,
        status!(&[Handle, Use(OBJECT_ATTRIBUTES), Use(DIRECTORY_ATTRIBUTES)], DIRECTORY_ATTRIBUTES),
    ),
    (
        procedure::ACCESS,
        &[Use(OBJECT), SetFlags(&common::ACCESS_CHECK, ACCESS_BITS)],
        status!(
            &[Use(OBJECT_ATTRIBUTES), SetFlags(&common::ACCESS_RIGHTS, ACCESS_BITS)],
            OBJECT_ATTRIBUTES
        ),
    ),
    (
        procedure::READLINK,
        OBJECT,
        status!(
            &[Use(OBJECT_ATTRIBUTES), Eligible { length: None, data: &fields::LINK_CONTENTS }],
            OBJECT_ATTRIBUTES
        ),
    ),
    (
        procedure::READ,
        &[Use(OBJECT), Long(&fields::OFFSET), Word(&fields::COUNT)],
        status!(
            &[Use(OBJECT_ATTRIBUTES), Word(&fields::COUNT), Word(&fields::END_OF_FILE), DATA_ITEM],
            OBJECT_ATTRIBUTES
        ),
    ),
    (
        procedure::WRITE,
        &[
            Use(OBJECT),
            Long(&fields::OFFSET),
            Word(&fields::COUNT),
            Word(&fields::STABLE),
            DATA_ITEM,
        ],
        status!(
            &[
                Use(WEAK_CACHE_CONSISTENCY),
                Word(&fields::COUNT),
                Word(&fields::COMMITTED),
                VERIFIER,
            ],
            WEAK_CACHE_CONSISTENCY
        ),
    ),
    (procedure::CREATE, CREATE, MADE),
    (procedure::MKDIR, &[Use(WHERE), Use(NEW_ATTRIBUTES)], MADE),
    (
        procedure::SYMLINK,
        &[Use(WHERE), Use(NEW_ATTRIBUTES), Eligible { length: None, data: &fields::LINK_TARGET }],
        MADE,
    ),
    (procedure::MKNOD, MKNOD, MADE),
    (procedure::REMOVE, WHERE, CHANGED),
    (procedure::RMDIR, WHERE, CHANGED),
    (
        procedure::RENAME,
        &[Group(&fields::FROM, DIRECTORY_AND_NAME), Group(&fields::TO, DIRECTORY_AND_NAME)],
        status!(RENAMED, RENAMED),
    ),
    (procedure::LINK, &[Use(OBJECT), Use(WHERE)], status!(LINKED, LINKED)),
    (
        procedure::READDIR,
        &[Use(OBJECT), Long(&fields::COOKIE), VERIFIER, Word(&fields::COUNT)],
        READDIR,
    ),
    (
        procedure::READDIRPLUS,
        &[
            Use(OBJECT),
            Long(&fields::COOKIE),
            VERIFIER,
            Word(&fields::DIRECTORY_COUNT),
            Word(&fields::MAXIMUM_COUNT),
        ],
        READDIRPLUS,
    ),
    (procedure::FSSTAT, OBJECT, FSSTAT),
    (procedure::FSINFO, OBJECT, FSINFO),
    (procedure::PATHCONF, OBJECT, PATHCONF),
    (
        procedure::COMMIT,
        &[Use(OBJECT), Long(&fields::OFFSET), Word(&fields::COUNT)],
        status!(&[Use(WEAK_CACHE_CONSISTENCY), VERIFIER], WEAK_CACHE_CONSISTENCY),
    ),
];

// The attributes of NFS version 3 and their wrappers (RFC 1813 sections 2.5 and 2.6).

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

/// `post_op_attr` of the object that the procedure concerns.
pub(super) const OBJECT_ATTRIBUTES: Items = &[Group(&fields::OBJECT_ATTRIBUTES, POST_OPERATION)];
/// `post_op_attr` of its directory.
pub(super) const DIRECTORY_ATTRIBUTES: Items =
    &[Group(&fields::DIRECTORY_ATTRIBUTES, POST_OPERATION)];

/// The contents of a `wcc_data`.
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

/// The contents of a `diropargs3`.
pub(super) const DIRECTORY_AND_NAME: Items = &[Handle, Text(&NAME)];
/// `diropargs3`.
pub(super) const WHERE: Items = &[Group(&fields::WHERE, DIRECTORY_AND_NAME)];

// The procedures of NFSACL version 3, as implemented by Solaris and Linux (it has no public document).

const MASK_BITS: &[(&Field, u32)] = &[
    (&nfsacl::MASK_ENTRIES, 0x1),
    (&nfsacl::MASK_COUNT, 0x2),
    (&nfsacl::MASK_DEFAULT_ENTRIES, 0x4),
    (&nfsacl::MASK_DEFAULT_COUNT, 0x8),
];
const PERMISSION_BITS: &[(&Field, u32)] =
    &[(&nfsacl::MAY_READ, 0x4), (&nfsacl::MAY_WRITE, 0x2), (&nfsacl::MAY_EXECUTE, 0x1)];

const ENTRIES: Items = &[Array(
    &nfsacl::LIST_COUNT,
    &[Group(
        &nfsacl::ENTRY,
        &[
            Word(&nfsacl::ENTRY_TYPE),
            Word(&nfsacl::ENTRY_ID),
            Flags(&nfsacl::PERMISSIONS, PERMISSION_BITS),
        ],
    )],
)];
/// Mask, list and default list.
const LISTS: Items = &[
    Flags(&nfsacl::MASK, MASK_BITS),
    Word(&nfsacl::COUNT),
    Use(ENTRIES),
    Word(&nfsacl::DEFAULT_COUNT),
    Use(ENTRIES),
];

/// Version 3: NULL, GETACL, SETACL, GETXATTRDIR.
pub(super) const ACL_3: &[Operation] = &[
    NULL,
    (
        1,
        &[Use(OBJECT), Flags(&nfsacl::MASK, MASK_BITS)],
        status!(&[Group(&nfsacl::ACL, &[Use(OBJECT_ATTRIBUTES), Use(LISTS)])], OBJECT_ATTRIBUTES),
    ),
    (2, &[Use(OBJECT), Group(&nfsacl::ACL, LISTS)], status!(OBJECT_ATTRIBUTES, OBJECT_ATTRIBUTES)),
    (
        3,
        &[Use(OBJECT), Word(&nfsacl::CREATE)],
        status!(&[Handle, Use(OBJECT_ATTRIBUTES)], OBJECT_ATTRIBUTES),
    ),
];

// The procedures of MOUNT (RFC 1813 section 5.2; versions 1 and 2 have handles of 32 bytes).

const PATH: Items = &[Text(&mount::PATH)];

/// The handles of NFS version 2 (RFC 1094 section 2.3.3).
const OLD_HANDLE_LENGTH: usize = 32;

fn old_handle(walker: &mut Walker<'_, '_>) -> Walked {
    walker.group(&common::FILE_HANDLE, |walker| {
        let bytes = walker.take(&common::HANDLE, OLD_HANDLE_LENGTH)?;
        walker.report_handle(bytes);
        Ok(())
    })
}

const MOUNTED_OLD: Item = Union(&mount::STATUS, &[(0, &[Call(old_handle)])], Some(NOTHING));
const MOUNTED: Item = Union(
    &mount::STATUS,
    &[(0, &[Handle, Array(&mount::FLAVORS_COUNT, &[Word(&mount::FLAVOR)])])],
    Some(NOTHING),
);
const DUMP: Item = List {
    follows: &fields::VALUE_FOLLOWS,
    heading: Some(&mount::MOUNT_ENTRY),
    element: &[Text(&mount::HOST_NAME), Text(&mount::DIRECTORY)],
};
const EXPORTS: Item = List {
    follows: &fields::VALUE_FOLLOWS,
    heading: Some(&mount::EXPORT_ENTRY),
    element: &[
        Text(&mount::EXPORT_DIRECTORY),
        Group(
            &mount::EXPORT_GROUPS,
            &[List {
                follows: &fields::VALUE_FOLLOWS,
                heading: None,
                element: &[Text(&mount::EXPORT_GROUP)],
            }],
        ),
    ],
};

const NULL: Operation = (procedure::NULL, NOTHING, NO_RESULTS);
const UNMOUNT: Operation = (3, PATH, NO_RESULTS);
const UNMOUNT_ALL: Operation = (4, NOTHING, NO_RESULTS);

/// Version 1: NULL, MNT, DUMP, UMNT, UMNTALL, EXPORT, EXPORTALL.
pub(super) const MOUNT_1: &[Operation] = &[
    NULL,
    (1, PATH, MOUNTED_OLD),
    (2, NOTHING, DUMP),
    UNMOUNT,
    UNMOUNT_ALL,
    (5, NOTHING, EXPORTS),
    (6, NOTHING, EXPORTS),
];
/// Version 3: NULL, MNT, DUMP, UMNT, UMNTALL, EXPORT.
pub(super) const MOUNT_3: &[Operation] =
    &[NULL, (1, PATH, MOUNTED), (2, NOTHING, DUMP), UNMOUNT, UNMOUNT_ALL, (5, NOTHING, EXPORTS)];
