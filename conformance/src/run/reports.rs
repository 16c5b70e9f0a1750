//! The reports of the target.

use super::control::order_words;
use super::executor::FIRST_STREAM;
use super::session::RunError;
use super::session::Session;
use crate::format::time;
use crate::judge::{ReportPattern, describe_report};
use std::time::{Duration, Instant};
use warpscope_wire::test_ulp::{Answer, Order, Report, ReportsOrder, kind};

/// How many reports are asked for at once.
const MOST: u32 = 64;
/// How many bytes of an arrival.
const FRONT: u32 = 1 << 12;
/// How long one order waits at the target.
const SLICE: Duration = Duration::from_millis(500);
/// How long a report that is not right yet may be followed by one that is.
const GRACE: Duration = Duration::from_millis(300);
/// How many reports of an instance its result has.
const HEARD: usize = 100;

/// Reports that nobody has asked for.
#[derive(Debug, Default)]
pub(super) struct Reports {
    kept: Vec<Report>,
    /// Everything that the target reported, in words, as far as the result has it.
    heard: Vec<String>,
    beyond: u64,
    /// Reports that the target lost, for want of room.
    pub(super) lost: u32,
    /// The number of the report that was found last.
    last: u32,
}

impl Reports {
    /// Asks the target for more; waits so long for the first.
    fn fetch(&mut self, session: &mut Session, wait: Duration) -> Result<(), RunError> {
        loop {
            let wait = wait.min(SLICE).as_millis() as u32;
            let order = ReportsOrder { stream: 0, most: MOST, wait, front: FRONT };
            let Answer::Reports(head, reports) = session.need(&Order::Reports(order))? else {
                return Err(RunError::Refused {
                    order: order_words(kind::REPORTS),
                    why: "the answer is none of reports".to_owned(),
                });
            };
            self.lost += head.lost;
            let some = !reports.is_empty();
            for report in &reports {
                if self.heard.len() < HEARD {
                    self.heard.push(words(report));
                } else {
                    self.beyond += 1;
                }
            }
            self.kept.extend(reports);
            if head.left == 0 || !some {
                return Ok(());
            }
        }
    }

    /// The first report of a stream that a pattern takes, after the one that was found last if that
    /// must be so; and why others of its kind are not it.
    fn find(
        &mut self,
        stream: u32,
        pattern: &ReportPattern,
        after_last: bool,
    ) -> Result<Report, Option<String>> {
        let mut reason = None;
        for index in 0..self.kept.len() {
            let Some(report) = self.kept.get(index).filter(|it| it.stream == stream) else {
                continue;
            };
            match pattern.judge(report) {
                Ok(()) if after_last && report.number < self.last => {
                    let why = "it came before the report that must be first";
                    reason = reason.or(Some(why.to_owned()));
                }
                Ok(()) => {
                    self.last = report.number;
                    return Ok(self.kept.remove(index));
                }
                Err(Some(why)) => reason = reason.or(Some(why)),
                Err(None) => {}
            }
        }
        Err(reason)
    }

    /// Waits for a report; an error inside says what came instead.
    pub(super) fn wait(
        &mut self,
        session: &mut Session,
        stream: u32,
        pattern: &ReportPattern,
        within: Duration,
        after_last: bool,
    ) -> Result<Result<Report, String>, RunError> {
        let begun = Instant::now();
        let mut until = begun + within;
        loop {
            let why = match self.find(stream, pattern, after_last) {
                Ok(report) => return Ok(Ok(report)),
                Err(why) => why,
            };
            if why.is_some() {
                until = until.min(begun + within.min(GRACE));
            }
            let now = Instant::now();
            if now >= until {
                return Ok(Err(why.unwrap_or_else(|| self.others(stream, within))));
            }
            self.fetch(session, until - now)?;
        }
    }

    /// Watches that no such report comes; an error inside says what came.
    pub(super) fn watch(
        &mut self,
        session: &mut Session,
        stream: u32,
        pattern: &ReportPattern,
        during: Duration,
    ) -> Result<Result<(), String>, RunError> {
        let until = Instant::now() + during;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            self.fetch(session, left)?;
            if let Ok(report) = self.find(stream, pattern, false) {
                return Ok(Err(format!(
                    "the target reported {}",
                    describe_report(&report.happened)
                )));
            }
            if left.is_zero() {
                return Ok(Ok(()));
            }
        }
    }

    /// Everything that the target reported, in order and in words.
    pub(super) fn described(&self) -> Vec<String> {
        let mut heard = self.heard.clone();
        if self.beyond > 0 {
            heard.push(format!("{} more", self.beyond));
        }
        heard
    }

    fn others(&self, stream: u32, within: Duration) -> String {
        let mine = self.kept.iter().filter(|it| it.stream == stream);
        let others: Vec<String> = mine.map(|it| describe_report(&it.happened)).collect();
        match others.as_slice() {
            [] => format!("the target reported nothing of it within {}", time(within)),
            others => {
                let others = others.join("; ");
                format!("the target did not report it within {}, but {others}", time(within))
            }
        }
    }
}

fn words(report: &Report) -> String {
    let what = describe_report(&report.happened);
    match report.stream {
        FIRST_STREAM => what,
        _ => format!("{what} (another stream)"),
    }
}
