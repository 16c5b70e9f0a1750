//! Messages by their length, in powers of two.

use super::opcode::Opcode;
use crate::message::SegmentItem;
use warpscope_wire::rdmap::Message;

/// Messages that carry the user's data, by what they are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SizeGroup {
    /// Sends of all kinds.
    Sends,
    /// Writes.
    Writes,
    /// Read Responses of both kinds.
    ReadResponses,
}

impl SizeGroup {
    /// Every group.
    pub const ALL: [Self; 3] = [Self::Sends, Self::Writes, Self::ReadResponses];

    fn of(opcode: Opcode) -> Option<Self> {
        let Opcode::Known(message) = opcode else { return None };
        match message {
            Message::Write => Some(Self::Writes),
            Message::ReadResponse | Message::ReadV2Response => Some(Self::ReadResponses),
            message if message.is_send() => Some(Self::Sends),
            _ => None,
        }
    }
}

/// Messages of a range of lengths.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SizeBucket {
    /// Messages, in the order of [`SizeGroup::ALL`].
    pub messages: [u64; 3],
    /// Bytes of payload in them.
    pub bytes: u64,
}

/// A histogram of lengths: one bucket for no bytes, then one for each power of two.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sizes {
    buckets: Vec<SizeBucket>,
    /// Messages of which something was not captured: they are in no bucket.
    pub incomplete: u64,
}

impl Sizes {
    /// Counts the message that a segment completes.
    pub fn count(&mut self, segment: &SegmentItem<'_>) {
        let Some(completed) = &segment.completed else { return };
        let Some(group) = SizeGroup::of(Opcode::of(segment)) else { return };
        if completed.whole {
            self.add(group, completed.length);
        } else {
            self.incomplete += 1;
        }
    }

    fn add(&mut self, group: SizeGroup, length: u64) {
        // 0 has no bits, 1 has one, 2 and 3 have two, and so on.
        let index = (u64::BITS - length.leading_zeros()) as usize;
        if self.buckets.len() <= index {
            self.buckets.resize(index + 1, SizeBucket::default());
        }
        let Some(bucket) = self.buckets.get_mut(index) else { return };
        bucket.messages[group as usize] += 1;
        bucket.bytes = bucket.bytes.saturating_add(length);
    }

    /// The buckets from the first with a message to the last: each with its least and greatest length.
    pub fn buckets(&self) -> impl Iterator<Item = (u64, u64, &SizeBucket)> {
        let empty = |bucket: &SizeBucket| bucket.messages.iter().sum::<u64>() == 0;
        let all = self.buckets.iter().enumerate().skip_while(move |(_, bucket)| empty(bucket));
        all.map(|(index, bucket)| {
            let least = if index == 0 { 0 } else { 1 << (index - 1) };
            let greatest = if index == 0 { 0 } else { least + (least - 1) };
            (least, greatest, bucket)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_holds_a_power_of_two_and_what_follows_it() {
        let mut sizes = Sizes::default();
        for length in [0, 1, 2, 3, 4, 7, 8, 1023, 1024, 1 << 63, u64::MAX] {
            sizes.add(SizeGroup::Writes, length);
        }
        let seen: Vec<_> = sizes
            .buckets()
            .filter(|(_, _, bucket)| bucket.messages[1] > 0)
            .map(|(least, greatest, bucket)| (least, greatest, bucket.messages[1]))
            .collect();
        let expected = [
            (0, 0, 1),
            (1, 1, 1),
            (2, 3, 2),
            (4, 7, 2),
            (8, 15, 1),
            (512, 1023, 1),
            (1024, 2047, 1),
            (1 << 63, u64::MAX, 2),
        ];
        assert_eq!(seen, expected);
    }

    #[test]
    fn buckets_begin_with_the_first_that_holds_something() {
        let mut sizes = Sizes::default();
        assert_eq!(sizes.buckets().count(), 0);
        sizes.add(SizeGroup::Sends, 16);
        sizes.add(SizeGroup::ReadResponses, 100);
        let seen: Vec<_> =
            sizes.buckets().map(|(least, _, bucket)| (least, bucket.bytes)).collect();
        assert_eq!(seen, [(16, 16), (32, 0), (64, 100)]);
    }
}
