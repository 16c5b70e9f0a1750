//! Puts the segments of messages together to records, in bounded memory.

use super::message::MessageRecord;
use crate::message::SegmentItem;
use crate::pipeline::ItemContext;
use std::collections::VecDeque;

/// Messages under way that are kept, over all connections; the oldest makes room.
const UNDER_WAY: usize = 4096;

/// Messages under way.
#[derive(Debug, Default)]
pub struct Assembly {
    under_way: VecDeque<MessageRecord>,
}

impl Assembly {
    /// Takes a segment; returns the message that it ends, or one that had to make room for it.
    pub fn segment(
        &mut self,
        context: &ItemContext<'_>,
        item: &SegmentItem<'_>,
    ) -> Option<MessageRecord> {
        let same = |record: &MessageRecord| {
            record.number == item.number
                && record.sender == context.side
                && record.connection.number == context.connection.number
        };
        let known = self.under_way.iter().rposition(same);
        let known = known.and_then(|index| self.under_way.remove(index));
        let (moment, link) = (context.moment, &context.link);
        let record = match known {
            Some(mut record) => {
                record.extend(moment, link, item);
                record
            }
            None => MessageRecord::new(context.connection, context.side, moment, link, item),
        };
        if record.ended {
            return Some(record);
        }
        self.under_way.push_back(record);
        if self.under_way.len() > UNDER_WAY { self.under_way.pop_front() } else { None }
    }

    /// The messages of which the last segment did not come, oldest first.
    pub fn finish(&mut self) -> impl Iterator<Item = MessageRecord> + '_ {
        self.under_way.drain(..)
    }
}
