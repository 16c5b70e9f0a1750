//! Reports that wait to be asked for.

use std::collections::VecDeque;
use std::time::Duration;
use warpscope_wire::test_ulp::{Happened, Report, ReportsHead, ReportsOrder};

/// The reports of a session; of too many the oldest are lost, and counted (section 9).
#[derive(Debug)]
pub(super) struct Reports {
    kept: VecDeque<Report>,
    most: u32,
    lost: u32,
    number: u32,
}

impl Reports {
    pub(super) fn new(most: u32) -> Self {
        Self { kept: VecDeque::new(), most, lost: 0, number: 0 }
    }

    /// Something happened.
    pub(super) fn push(&mut self, stream: u32, now: Duration, happened: Happened) {
        self.number = self.number.wrapping_add(1);
        let time = now.as_micros() as u64;
        self.kept.push_back(Report { stream, number: self.number, time, happened });
        while self.kept.len() > self.most as usize {
            self.kept.pop_front();
            self.lost = self.lost.saturating_add(1);
        }
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        *self = Self::new(self.most);
    }

    /// Whether there is something to tell of a stream; 0: of any.
    pub(super) fn any(&self, stream: u32) -> bool {
        self.kept.iter().any(|it| stream == 0 || it.stream == stream)
    }

    /// What an answer of at most `room` bytes can tell; it is forgotten then. A report that no
    /// such answer has room for is cut to what it must have.
    pub(super) fn take(&mut self, order: &ReportsOrder, room: usize) -> (ReportsHead, Vec<Report>) {
        let mut room = room.saturating_sub(ReportsHead::LENGTH);
        let (mut told, mut left) = (Vec::new(), VecDeque::new());
        let mut full = false;
        for mut report in self.kept.drain(..) {
            let asked = order.stream == 0 || report.stream == order.stream;
            full |= asked && told.len() >= order.most as usize;
            if !asked || full {
                left.push_back(report);
                continue;
            }
            let whole = report.clone();
            cut(&mut report, order.front as usize);
            if report.length() > room && told.is_empty() {
                let over = report.length() - room;
                shorten(&mut report, over);
            }
            if report.length() > room {
                full = true;
                left.push_back(whole);
                continue;
            }
            room -= report.length();
            told.push(report);
        }
        let waiting = left.iter().filter(|it| order.stream == 0 || it.stream == order.stream);
        let head = ReportsHead { lost: self.lost, left: waiting.count() as u32 };
        self.kept = left;
        self.lost = 0;
        (head, told)
    }
}

fn cut(report: &mut Report, front: usize) {
    if let Happened::Arrival(_, bytes) = &mut report.happened {
        bytes.truncate(front);
    }
}

/// Leaves out bytes of what has no fixed length.
fn shorten(report: &mut Report, over: usize) {
    match &mut report.happened {
        Happened::Arrival(_, bytes)
        | Happened::Completed(_, bytes)
        | Happened::Requested(_, bytes)
        | Happened::Established(_, bytes)
        | Happened::Rejected(_, bytes)
        | Happened::TerminateReceived(_, bytes) => {
            bytes.truncate(bytes.len().saturating_sub(over));
        }
        Happened::SetupFailed(_, text) | Happened::TerminateSent(_, text) => text.clear(),
        Happened::FinishReceived
        | Happened::Ended(_)
        | Happened::Solicited
        | Happened::FellBack(_) => {}
    }
}
