//! A capture on several interfaces in parallel.

use super::devices::{self, StopTime, TIME_DIGITS};
use super::run::{Ending, LivePacket};
use crate::cli::LiveArguments;
use crate::privileges::give_up;
use anyhow::{Context as _, Result};
use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::Duration;
use warpscope_dissector::capture::{Interface, InterfaceStatistics};

/// The most reports that wait; further packets wait in the kernel.
const WAITING: usize = 16;
/// How long one turn waits for packets.
const WAIT: Duration = Duration::from_millis(100);

/// The interfaces of a capture, one thread each.
pub(super) struct Session {
    interfaces: Vec<Interface>,
    stop: StopTime,
    reports: Receiver<Report>,
    merge: Merge,
    counted: Vec<Option<InterfaceStatistics>>,
    endings: Vec<Option<Ending>>,
}

impl Session {
    /// Opens every interface, then starts to capture on all.
    pub(super) fn start(arguments: &LiveArguments) -> Result<Self> {
        let mut opened = Vec::new();
        for (number, name) in (0..).zip(&arguments.interfaces) {
            opened.push(devices::open(name, number, arguments)?);
        }
        give_up(arguments.user.as_deref())?;
        let stop = StopTime::never();
        let (sender, reports) = sync_channel(WAITING);
        let mut interfaces = Vec::new();
        for (index, opened) in opened.into_iter().enumerate() {
            let (stop, sender) = (stop.clone(), sender.clone());
            std::thread::Builder::new()
                .name(format!("capture {index}"))
                .spawn(move || devices::run(index, opened.capture, &stop, &sender))
                .context("cannot start a thread for an interface; close other programs")?;
            interfaces.push(opened.interface);
        }
        let count = interfaces.len();
        let (merge, counted, endings) = (Merge::new(count), vec![None; count], vec![None; count]);
        Ok(Self { interfaces, stop, reports, merge, counted, endings })
    }

    /// Returns the interfaces, by their numbers.
    pub(super) fn interfaces(&self) -> &[Interface] {
        &self.interfaces
    }

    pub(super) fn time_digits(&self) -> u8 {
        TIME_DIGITS
    }

    /// Stops capturing; packets captured until now are still delivered.
    pub(super) fn stop(&self) {
        self.stop.set_now();
    }

    /// Passes the next packet to `take`, or waits briefly for one. Returns true if there was one, false
    /// if there was none for now, and none if there will be no more.
    pub(super) fn turn(&mut self, take: &mut dyn FnMut(LivePacket<'_>)) -> Option<bool> {
        if self.merge.next(take) {
            return Some(true);
        }
        match self.reports.recv_timeout(WAIT) {
            Ok(mut report) => {
                if let Some(place) = self.counted.get_mut(report.interface) {
                    *place = report.statistics.or(*place);
                }
                if let Some(ending) = report.ending.take() {
                    // The other interfaces stop at the same time.
                    self.stop.set_now();
                    if let Some(place) = self.endings.get_mut(report.interface) {
                        *place = Some(ending.clone());
                    }
                    report.ending = Some(ending);
                }
                let some = report.batch.len() > 0;
                self.merge.take(report);
                Some(some)
            }
            Err(RecvTimeoutError::Timeout) => Some(false),
            Err(RecvTimeoutError::Disconnected) => {
                self.merge.complete();
                self.merge.next(take).then_some(true)
            }
        }
    }

    /// Returns the packet statistics of each interface so far, if the system reports them.
    pub(super) fn counted(&self) -> &[Option<InterfaceStatistics>] {
        &self.counted
    }

    /// Returns how the capture on each interface ended.
    pub(super) fn endings(&self) -> Vec<Ending> {
        self.endings.iter().cloned().map(Option::unwrap_or_default).collect()
    }
}

// Packets from an interface's thread.

/// Packets of one interface, in the order in which libpcap delivered them.
#[derive(Debug, Default)]
pub(super) struct Batch {
    bytes: Vec<u8>,
    packets: Vec<Head>,
}

#[derive(Debug, Clone, Copy)]
struct Head {
    time: i64,
    original_length: u32,
    /// The end of its bytes; they start at the end of the previous packet's bytes.
    end: usize,
}

impl Batch {
    /// Adds a packet; `time` in nanoseconds since 1970.
    pub(super) fn push(&mut self, time: i64, original_length: u32, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        self.packets.push(Head { time, original_length, end: self.bytes.len() });
    }

    pub(super) fn len(&self) -> usize {
        self.packets.len()
    }

    pub(super) fn time(&self, index: usize) -> Option<i64> {
        self.packets.get(index).map(|head| head.time)
    }

    pub(super) fn packet(&self, index: usize, interface: u32) -> Option<LivePacket<'_>> {
        let head = self.packets.get(index)?;
        let start = index.checked_sub(1).and_then(|before| self.packets.get(before));
        let start = start.map_or(0, |before| before.end);
        let bytes = self.bytes.get(start..head.end)?;
        let Head { time, original_length, .. } = *head;
        Some(LivePacket { interface, time, original_length, bytes })
    }
}

/// A report of an interface's thread.
#[derive(Debug)]
pub(super) struct Report {
    pub(super) interface: usize,
    /// The packets captured since the previous report.
    pub(super) batch: Batch,
    /// No later packet is older than this.
    pub(super) complete_until: i64,
    /// The statistics of its packets so far, once a second.
    pub(super) statistics: Option<InterfaceStatistics>,
    /// Set in the last report.
    pub(super) ending: Option<Ending>,
}

// Sorts the packets of several interfaces by time.

/// One interface's packets that are not delivered yet.
#[derive(Debug, Default)]
struct Queue {
    batches: VecDeque<Batch>,
    /// The next packet of the first batch.
    next: usize,
    complete_until: i64,
}

impl Queue {
    fn time(&self) -> Option<i64> {
        self.batches.front().and_then(|batch| batch.time(self.next))
    }
}

#[derive(Debug)]
pub(super) struct Merge {
    queues: Vec<Queue>,
}

impl Merge {
    pub(super) fn new(interfaces: usize) -> Self {
        let mut queues = Vec::new();
        queues.resize_with(interfaces, Queue::default);
        Self { queues }
    }

    pub(super) fn take(&mut self, report: Report) {
        let Some(queue) = self.queues.get_mut(report.interface) else { return };
        if report.batch.len() > 0 {
            queue.batches.push_back(report.batch);
        }
        let ended = report.ending.is_some();
        let until = if ended { i64::MAX } else { report.complete_until };
        queue.complete_until = queue.complete_until.max(until);
    }

    /// Records that no interface will deliver more packets.
    pub(super) fn complete(&mut self) {
        for queue in &mut self.queues {
            queue.complete_until = i64::MAX;
        }
    }

    /// Passes the next packet to `take` if its order is certain: every interface has one waiting, or
    /// has none that is older. Returns false if it is not.
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
    use crate::live::run::Ending;

    /// A report of packets with these times.
    fn report(interface: usize, times: &[i64], complete_until: i64) -> Report {
        let mut batch = Batch::default();
        for time in times {
            batch.push(*time, 100, &[interface as u8, *time as u8]);
        }
        Report { interface, batch, complete_until, statistics: None, ending: None }
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
