//! Puts the packets of several interfaces in the order of their times.

use super::batch::{Batch, Report};
use super::turn::LivePacket;
use std::collections::VecDeque;

/// One interface's packets that were not handed up yet.
#[derive(Debug, Default)]
struct Queue {
    batches: VecDeque<Batch>,
    /// The next packet of the first batch.
    next: usize,
    complete_until: i64,
}

impl Queue {
    /// The time of the next packet.
    fn time(&self) -> Option<i64> {
        self.batches.front().and_then(|batch| batch.time(self.next))
    }
}

/// Merges the packets of interfaces.
#[derive(Debug)]
pub(super) struct Merge {
    queues: Vec<Queue>,
}

impl Merge {
    /// A merge of so many interfaces.
    pub(super) fn new(interfaces: usize) -> Self {
        let mut queues = Vec::new();
        queues.resize_with(interfaces, Queue::default);
        Self { queues }
    }

    /// Takes what an interface's thread tells.
    pub(super) fn take(&mut self, report: Report) {
        let Some(queue) = self.queues.get_mut(report.interface) else { return };
        if report.batch.len() > 0 {
            queue.batches.push_back(report.batch);
        }
        let ended = report.ending.is_some();
        let until = if ended { i64::MAX } else { report.complete_until };
        queue.complete_until = queue.complete_until.max(until);
    }

    /// Nothing more comes of any interface.
    pub(super) fn complete(&mut self) {
        for queue in &mut self.queues {
            queue.complete_until = i64::MAX;
        }
    }

    /// Hands the next packet to `take`, if it is certain which one that is: every interface has one
    /// waiting, or has none that is older. False when it is not.
    pub(super) fn next(&mut self, take: &mut dyn FnMut(LivePacket<'_>)) -> bool {
        let waiting = self.queues.iter().enumerate();
        let first = waiting.filter_map(|(index, queue)| Some((queue.time()?, index))).min();
        let Some((time, index)) = first else { return false };
        let certain = |queue: &Queue| queue.time().is_some() || queue.complete_until >= time;
        let others = self.queues.iter().enumerate().filter(|(other, _)| *other != index);
        if !others.map(|(_, queue)| queue).all(certain) {
            return false;
        }
        let Some(queue) = self.queues.get_mut(index) else { return false };
        let at = queue.next;
        queue.next += 1;
        if let Some(packet) = queue.batches.front().and_then(|batch| batch.packet(at, index as u32))
        {
            take(packet);
        }
        if queue.batches.front().is_some_and(|batch| queue.next >= batch.len()) {
            queue.batches.pop_front();
            queue.next = 0;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::live::turn::Ending;

    /// A report of packets with these times.
    fn report(interface: usize, times: &[i64], complete_until: i64) -> Report {
        let mut batch = Batch::default();
        for time in times {
            batch.push(*time, 100, &[interface as u8, *time as u8]);
        }
        Report { interface, batch, complete_until, ending: None }
    }

    /// Interface and time of what comes out.
    fn all(merge: &mut Merge) -> Vec<(u32, i64)> {
        let mut out = Vec::new();
        while merge.next(&mut |packet| {
            assert_eq!(packet.bytes, [packet.interface as u8, packet.time as u8]);
            out.push((packet.interface, packet.time));
        }) {}
        out
    }

    #[test]
    fn one_interface_waits_for_nobody() {
        let mut merge = Merge::new(1);
        merge.take(report(0, &[1, 2], 0));
        merge.take(report(0, &[3], 0));
        assert_eq!(all(&mut merge), [(0, 1), (0, 2), (0, 3)]);
        assert_eq!(all(&mut merge), []);
    }

    #[test]
    fn packets_come_in_the_order_of_their_times() {
        let mut merge = Merge::new(2);
        merge.take(report(0, &[1, 4, 5], 0));
        assert_eq!(all(&mut merge), []);
        merge.take(report(1, &[2, 3], 0));
        assert_eq!(all(&mut merge), [(0, 1), (1, 2), (1, 3)]);
        merge.take(report(1, &[], 4));
        assert_eq!(all(&mut merge), [(0, 4)]);
        merge.take(report(1, &[6], 4));
        assert_eq!(all(&mut merge), [(0, 5)]);
        let ending = Some(Ending::default());
        merge.take(Report { ending, ..report(0, &[7], 0) });
        assert_eq!(all(&mut merge), [(1, 6)]);
        merge.take(report(1, &[], 7));
        assert_eq!(all(&mut merge), [(0, 7)]);
        merge.take(report(1, &[8], 7));
        assert_eq!(all(&mut merge), [(1, 8)], "an interface that ended holds nobody up");
    }
}
