//! Types that many operations share: state IDs, owners, change information (RFC 8881 section 3.3).

use crate::field::nfs::attributes4 as attributes;
use crate::field::nfs::v4 as fields;
use crate::nfs::shape::Item::{Call, Group, Long, Opaque, Text, Word};
use crate::nfs::shape::{Item, Items};
use crate::nfs::walker::{Walked, Walker};
use crate::nfs::{Datum, handle_hash, state_id_hash};

/// Bytes of a `stateid4`.
const STATE_ID_LENGTH: usize = 16;
const SEQUENCE_LENGTH: usize = 4;

/// `stateid4`.
pub(super) const STATE_ID: Item = Call(state_id);
/// A status alone.
pub(super) const STATUS_ALONE: Items = &[Call(status)];

fn status(walker: &mut Walker<'_, '_>) -> Walked {
    walker.status(&fields::STATUS).map(drop)
}

fn state_id(walker: &mut Walker<'_, '_>) -> Walked {
    let bytes = walker.take(&fields::STATE_ID, STATE_ID_LENGTH)?;
    let at = walker.at - STATE_ID_LENGTH;
    walker.tell(&fields::STATE_ID, Datum::Bytes(bytes), at, STATE_ID_LENGTH);
    walker.beneath(|walker| {
        let hash = u64::from(state_id_hash(bytes));
        walker.tell(&fields::STATE_ID_HASH, Datum::Number(hash), at, STATE_ID_LENGTH);
        let (sequence, other) = bytes.split_at(SEQUENCE_LENGTH);
        let sequence = sequence.iter().fold(0, |number, byte| number << 8 | u64::from(*byte));
        walker.tell(&fields::STATE_ID_SEQUENCE, Datum::Number(sequence), at, SEQUENCE_LENGTH);
        let other_at = at + SEQUENCE_LENGTH;
        walker.tell(&fields::STATE_ID_OTHER, Datum::Bytes(other), other_at, other.len());
        let hash = u64::from(handle_hash(other));
        walker.tell(&fields::STATE_ID_OTHER_HASH, Datum::Number(hash), other_at, other.len());
        Ok(())
    })
}

/// `nfstime4`.
pub(super) const TIME: Items =
    &[Long(&attributes::TIME_SECONDS), Word(&attributes::TIME_NANOSECONDS)];
/// `change_info4`.
pub(super) const CHANGE_INFO: Item = Group(
    &fields::CHANGE_INFO,
    &[Word(&fields::CHANGE_ATOMIC), Long(&fields::CHANGE_BEFORE), Long(&fields::CHANGE_AFTER)],
);
/// `state_owner4` of an open.
pub(super) const OPEN_OWNER: Items = &[Long(&fields::CLIENT_ID), Opaque(&fields::OPEN_OWNER)];
/// `state_owner4` of a lock.
pub(super) const LOCK_OWNER: Items = &[Long(&fields::CLIENT_ID), Opaque(&fields::LOCK_OWNER)];
/// `netaddr4`.
pub(super) const NETWORK_ADDRESS: Items =
    &[Text(&fields::NETWORK_ID), Text(&fields::NETWORK_ADDRESS)];
/// `verifier4`.
pub(super) const VERIFIER: Item = Long(&fields::VERIFIER);
/// `component4`.
pub(super) const COMPONENT: Item = Text(&fields::COMPONENT);
