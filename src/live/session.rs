//! A capture on several interfaces at once.

use super::batch::Report;
use super::merge::Merge;
use super::open::{self, TIME_DIGITS};
use super::source::{self, StopTime};
use super::turn::{Ending, LivePacket};
use crate::cli::LiveArguments;
use anyhow::{Context as _, Result};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::Duration;
use warpscope_dissector::capture::Interface;

/// Reports that wait at most; more packets wait in the kernel.
const WAITING: usize = 16;
/// How long one turn waits for packets.
const WAIT: Duration = Duration::from_millis(100);

/// Interfaces that are being captured on, a thread each.
pub(super) struct Session {
    interfaces: Vec<Interface>,
    stop: StopTime,
    reports: Receiver<Report>,
    merge: Merge,
    endings: Vec<Option<Ending>>,
}

impl Session {
    /// Opens every interface, then begins to capture on all.
    ///
    /// # Errors
    /// When one of them cannot be opened.
    pub(super) fn start(arguments: &LiveArguments) -> Result<Self> {
        let mut opened = Vec::new();
        for (number, name) in (0..).zip(&arguments.interfaces) {
            opened.push(open::open(name, number, arguments)?);
        }
        let stop = StopTime::never();
        let (sender, reports) = sync_channel(WAITING);
        let mut interfaces = Vec::new();
        for (index, opened) in opened.into_iter().enumerate() {
            let (stop, sender) = (stop.clone(), sender.clone());
            std::thread::Builder::new()
                .name(format!("capture {index}"))
                .spawn(move || source::run(index, opened.capture, &stop, &sender))
                .context("cannot start a thread for an interface; end other programs")?;
            interfaces.push(opened.interface);
        }
        let (merge, endings) = (Merge::new(interfaces.len()), vec![None; interfaces.len()]);
        Ok(Self { interfaces, stop, reports, merge, endings })
    }

    /// The interfaces, by their numbers.
    pub(super) fn interfaces(&self) -> &[Interface] {
        &self.interfaces
    }

    /// Digits behind the point of the packets' times.
    pub(super) fn time_digits(&self) -> u8 {
        TIME_DIGITS
    }

    /// Captures no more from now on; what was captured until now still comes.
    pub(super) fn stop(&self) {
        self.stop.set_now();
    }

    /// Hands the next packet to `take`, or waits a little for one: true when there was one, false
    /// when there was none for now, and none when there will be no more.
    pub(super) fn turn(&mut self, take: &mut dyn FnMut(LivePacket<'_>)) -> Option<bool> {
        if self.merge.next(take) {
            return Some(true);
        }
        match self.reports.recv_timeout(WAIT) {
            Ok(mut report) => {
                if let Some(ending) = report.ending.take() {
                    // The others go on no longer than this one.
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

    /// How the capture on each interface ended.
    pub(super) fn endings(&self) -> Vec<Ending> {
        self.endings.iter().cloned().map(Option::unwrap_or_default).collect()
    }
}
