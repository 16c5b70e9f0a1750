//! The thread that captures on one interface.

use super::batch::{Batch, Report};
use super::open::{COLLECTING, words};
use super::turn::Ending;
use pcap::{Active, Capture, Packet};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::mpsc::SyncSender;
use std::time::{SystemTime, UNIX_EPOCH};
use warpscope_dissector::capture::InterfaceStatistics;

/// The most packets that are taken from the kernel before they are handed on.
const BATCH: usize = 256;
/// How long to wait for packets before looking whether to stop.
const WAIT: Timespec = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };
/// What the kernel still holds back is shown within this time, in nanoseconds.
const HELD_BACK: i64 = 2 * COLLECTING as i64 * 1_000_000;

/// When to stop: a time in nanoseconds since 1970, far away as long as there is none.
#[derive(Debug, Clone)]
pub(super) struct StopTime(Arc<AtomicI64>);

impl StopTime {
    /// No time yet.
    pub(super) fn never() -> Self {
        Self(Arc::new(AtomicI64::new(i64::MAX)))
    }

    /// Stops now: packets until now are still delivered.
    pub(super) fn set_now(&self) {
        self.0.fetch_min(now(), Ordering::Relaxed);
    }

    fn get(&self) -> i64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Nanoseconds since 1970-01-01 UTC.
pub(super) fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
}

/// Captures until it is told to stop, or nobody listens any more.
pub(super) fn run(
    interface: usize,
    mut capture: Capture<Active>,
    stop: &StopTime,
    reports: &SyncSender<Report>,
) {
    let mut failure = None;
    loop {
        let before = now();
        let stop_time = stop.get();
        let mut batch = Batch::default();
        let taken = capture.dispatch(Some(BATCH), |packet| {
            let time = time(&packet);
            if time <= stop_time {
                batch.push(time, packet.header.len, packet.data);
            }
        });
        let complete_until = if matches!(taken, Ok(0)) { before - HELD_BACK } else { 0 };
        let some = batch.len() > 0;
        let report = Report { interface, batch, complete_until, ending: None };
        if reports.send(report).is_err() {
            return;
        }
        match taken {
            Err(error) => failure = Some(words(&error)),
            // All that came before the stop was delivered.
            Ok(_) if !some && before.saturating_sub(HELD_BACK) > stop_time => {}
            Ok(0) => {
                let _ = poll(&mut [PollFd::new(&capture, PollFlags::IN)], Some(&WAIT));
                continue;
            }
            Ok(_) => continue,
        }
        break;
    }
    let statistics = capture.stats().ok().map(|counted| InterfaceStatistics {
        received: counted.received.into(),
        dropped: counted.if_dropped.into(),
        dropped_by_system: counted.dropped.into(),
    });
    let ending = Some(Ending { statistics, failure });
    let batch = Batch::default();
    let _ = reports.send(Report { interface, batch, complete_until: i64::MAX, ending });
}

/// A packet's time in nanoseconds since 1970.
#[allow(clippy::unnecessary_cast, reason = "the parts are narrower on other systems")]
fn time(packet: &Packet<'_>) -> i64 {
    let seconds = packet.header.ts.tv_sec as i64;
    let fraction = packet.header.ts.tv_usec as i64;
    let unit = if cfg!(target_os = "linux") { 1 } else { 1_000 };
    seconds.saturating_mul(1_000_000_000).saturating_add(fraction * unit)
}
