//! The procedures of MOUNT (RFC 1813 section 5.2; versions 1 and 2 have handles of 32 bytes).

use super::layout::Pair;
use super::shape::Item::{Array, Call, Group, Handle, List, Text, Union, Word};
use super::shape::Items;
use super::walker::{Walked, Walker};
use crate::field::mount as fields;
use crate::field::nfs::common;
use crate::field::nfs::v3::VALUE_FOLLOWS;

const NOTHING: Items = &[];
const PATH: Items = &[Text(&fields::PATH)];

/// The handles of NFS version 2 (RFC 1094 section 2.3.3).
const OLD_HANDLE_LENGTH: usize = 32;

fn old_handle(walker: &mut Walker<'_, '_>) -> Walked {
    walker.group(&common::FILE_HANDLE, |walker| {
        let bytes = walker.take(&common::HANDLE, OLD_HANDLE_LENGTH)?;
        walker.tell_handle(bytes);
        Ok(())
    })
}

const MOUNTED_OLD: Items = &[Union(&fields::STATUS, &[(0, &[Call(old_handle)])], Some(NOTHING))];
const MOUNTED: Items = &[Union(
    &fields::STATUS,
    &[(0, &[Handle, Array(&fields::FLAVORS_COUNT, &[Word(&fields::FLAVOR)])])],
    Some(NOTHING),
)];
const DUMP: Items = &[List {
    follows: &VALUE_FOLLOWS,
    heading: Some(&fields::MOUNT_ENTRY),
    element: &[Text(&fields::HOST_NAME), Text(&fields::DIRECTORY)],
}];
const EXPORTS: Items = &[List {
    follows: &VALUE_FOLLOWS,
    heading: Some(&fields::EXPORT_ENTRY),
    element: &[
        Text(&fields::EXPORT_DIRECTORY),
        Group(
            &fields::EXPORT_GROUPS,
            &[List {
                follows: &VALUE_FOLLOWS,
                heading: None,
                element: &[Text(&fields::EXPORT_GROUP)],
            }],
        ),
    ],
}];

const NULL: Pair = (NOTHING, NOTHING);
const UNMOUNT: Pair = (PATH, NOTHING);

/// Version 1, from 0: NULL, MNT, DUMP, UMNT, UMNTALL, EXPORT, EXPORTALL.
pub(super) const PROCEDURES_1: &[Pair] = &[
    NULL,
    (PATH, MOUNTED_OLD),
    (NOTHING, DUMP),
    UNMOUNT,
    NULL,
    (NOTHING, EXPORTS),
    (NOTHING, EXPORTS),
];
/// Version 2: as version 1. Its PATHCONF is not decoded.
pub(super) const PROCEDURES_2: &[Pair] = PROCEDURES_1;
/// Version 3, from 0: NULL, MNT, DUMP, UMNT, UMNTALL, EXPORT.
pub(super) const PROCEDURES_3: &[Pair] =
    &[NULL, (PATH, MOUNTED), (NOTHING, DUMP), UNMOUNT, NULL, (NOTHING, EXPORTS)];
