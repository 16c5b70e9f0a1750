//! The operations of version 4.2 and of extended attributes (RFC 7862 section 15, RFC 8276 section 8.4).

use super::attributes::bitmap;
use super::compound::Operation;
use super::layouts::{DEVICE_ID, RANGE};
use super::state::{CHANGE_INFO, NETWORK_ADDRESS, STATE_ID, STATUS_ALONE, TIME, VERIFIER};
use crate::field::nfs::common::{DATA, READ_LENGTH};
use crate::field::nfs::layout4 as fields;
use crate::field::nfs::v4;
use crate::nfs::shape::Item::{
    Array, Call, Eligible, Long, Opaque, Result, Text, Union, Use, Word,
};
use crate::nfs::shape::{Item, Items};
use crate::nfs::walker::{Walked, Walker};

const NOTHING: Items = &[];
const NFS4ERR_OFFLOAD_NO_REQS: u32 = 10094;

/// `netloc4`.
const LOCATION: Item = Union(
    &fields::LOCATION_TYPE,
    &[
        (1, &[Text(&fields::LOCATION_NAME)]),
        (2, &[Text(&fields::LOCATION_URL)]),
        (3, NETWORK_ADDRESS),
    ],
    None,
);
const LOCATIONS: Item = Array(&fields::SOURCE_SERVERS, &[LOCATION]);
/// `write_response4`.
pub(super) const WRITE_RESPONSE: Items =
    &[Array(&fields::CALLBACK_IDS, &[STATE_ID]), Long(&v4::LENGTH), Word(&v4::STABLE), VERIFIER];
const REQUIREMENTS: Items = &[Word(&fields::CONSECUTIVE), Word(&fields::SYNCHRONOUS)];
const RANGE_OF_STATE: Items = &[STATE_ID, Use(RANGE)];
const IO: Items = &[Long(&fields::IO_COUNT), Long(&fields::IO_BYTES)];

/// `layoutupdate4` of LAYOUTSTATS.
const STATISTICS: Items = &[Word(&fields::LAYOUT_TYPE), Opaque(&fields::LAYOUT_STATISTICS)];

fn hints(walker: &mut Walker<'_, '_>) -> Walked {
    bitmap(walker, &fields::HINT_MASK, None)
}

/// `app_data_block4`.
const BLOCKS: Items = &[
    Long(&v4::OFFSET),
    Long(&fields::BLOCK_SIZE),
    Long(&fields::BLOCK_COUNT),
    Long(&fields::BLOCK_NUMBER_OFFSET),
    Word(&fields::BLOCK_NUMBER),
    Long(&fields::PATTERN_OFFSET),
    Opaque(&fields::PATTERN),
];
/// `read_plus_res4`.
const CONTENTS: Items = &[
    Word(&v4::END_OF_FILE),
    Array(
        &fields::CONTENTS,
        &[Union(
            &fields::CONTENT_TYPE,
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
pub(super) const OPERATIONS: &[Operation] = &[
    // ALLOCATE
    (59, RANGE_OF_STATE, STATUS_ALONE),
    // COPY
    (60, &[
        STATE_ID, STATE_ID, Long(&v4::OFFSET), Long(&v4::OFFSET), Long(&v4::LENGTH), Use(REQUIREMENTS), LOCATIONS,
    ], &[Item::ByStatus(
        &v4::STATUS,
        &[(0, &[Use(WRITE_RESPONSE), Use(REQUIREMENTS)]), (NFS4ERR_OFFLOAD_NO_REQS, REQUIREMENTS)],
    )]),
    // COPY_NOTIFY
    (61, &[STATE_ID, LOCATION], &[Result(&v4::STATUS, &[Use(TIME), STATE_ID, LOCATIONS], NOTHING)]),
    // DEALLOCATE
    (62, RANGE_OF_STATE, STATUS_ALONE),
    // IO_ADVISE
    (63, &[Use(RANGE_OF_STATE), Call(hints)], &[Result(&v4::STATUS, &[Call(hints)], NOTHING)]),
    // LAYOUTERROR
    (64, &[Use(RANGE), STATE_ID, Array(
        &fields::DEVICE_ERRORS,
        &[DEVICE_ID, Use(STATUS_ALONE), Word(&fields::ERROR_OPERATION)],
    )], STATUS_ALONE),
    // LAYOUTSTATS
    (65, &[Use(RANGE), STATE_ID, Use(IO), Use(IO), DEVICE_ID, Use(STATISTICS)], STATUS_ALONE),
    // OFFLOAD_CANCEL
    (66, &[STATE_ID], STATUS_ALONE),
    // OFFLOAD_STATUS
    (67, &[STATE_ID], &[Result(
        &v4::STATUS,
        &[Long(&v4::LENGTH), Array(&fields::OFFLOAD_STATUSES, &[Word(&v4::STATUS)])],
        NOTHING,
    )]),
    // READ_PLUS
    (68, &[STATE_ID, Long(&v4::OFFSET), Word(&v4::COUNT)], &[Result(&v4::STATUS, CONTENTS, NOTHING)]),
    // SEEK
    (69, &[STATE_ID, Long(&v4::OFFSET), Word(&fields::SEEK_FOR)],
        &[Result(&v4::STATUS, &[Word(&v4::END_OF_FILE), Long(&v4::OFFSET)], NOTHING)]),
    // WRITE_SAME
    (70, &[STATE_ID, Word(&v4::STABLE), Use(BLOCKS)], &[Result(&v4::STATUS, WRITE_RESPONSE, NOTHING)]),
    // CLONE
    (71, &[STATE_ID, STATE_ID, Long(&v4::OFFSET), Long(&v4::OFFSET), Long(&v4::LENGTH)], STATUS_ALONE),
    // GETXATTR
    (72, &[Text(&fields::XATTR_NAME)], &[Result(&v4::STATUS, &[Opaque(&DATA)], NOTHING)]),
    // SETXATTR
    (73, &[Word(&fields::XATTR_OPTION), Text(&fields::XATTR_NAME), Opaque(&DATA)],
        &[Result(&v4::STATUS, &[CHANGE_INFO], NOTHING)]),
    // LISTXATTRS
    (74, &[Long(&fields::XATTR_COOKIE), Word(&fields::XATTR_MAXIMUM)], &[Result(
        &v4::STATUS,
        &[
            Long(&fields::XATTR_COOKIE), Array(&fields::XATTR_COUNT, &[Text(&fields::XATTR_NAME)]),
            Word(&fields::XATTR_END),
        ],
        NOTHING,
    )]),
    // REMOVEXATTR
    (75, &[Text(&fields::XATTR_NAME)], &[Result(&v4::STATUS, &[CHANGE_INFO], NOTHING)]),
];
