//! Reports from the target's agent.

use super::session::{Chances, RunError, Session};
use crate::format::time;
use crate::judge::{ReportPattern, describe_report};
use std::time::{Duration, Instant};
use warpscope_agent::{Event, EventKind, Happened};

/// How long a report that does not match yet may be followed by one that does.
const GRACE: Duration = Duration::from_millis(300);
/// How long the target may take to report that a stream is set up.
const SETUP: Duration = Duration::from_secs(2);
/// The maximum number of reports in the result of an instance.
const HEARD: usize = 100;

/// Reports that have not been asked for yet.
#[derive(Debug, Default)]
pub(super) struct Reports {
    /// Each with its number, from 0.
    kept: Vec<(usize, Event)>,
    count: usize,
    /// Everything that the target reported, in words, up to the limit of the result.
    heard: Vec<String>,
    last: usize,
}

impl Reports {
    /// Collects the reports; waits this long for the first.
    fn fetch(&mut self, session: &mut Session, wait: Duration) -> Result<(), RunError> {
        session.pump(Duration::ZERO);
        let until = Instant::now() + wait;
        loop {
            let control = session.control.as_mut().ok_or(RunError::NoAgent("a report"))?;
            let events = std::mem::take(&mut control.events);
            if !events.is_empty() {
                for event in events {
                    if self.heard.len() < HEARD {
                        self.heard.push(words(&event));
                    }
                    self.kept.push((self.count, event));
                    self.count += 1;
                }
                return Ok(());
            }
            control.usable()?;
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(());
            }
            session.pump(left);
        }
    }

    /// Waits until a stream's setup has ended, as the target sees it. Keeps the report.
    pub(super) fn await_setup(
        &mut self,
        session: &mut Session,
        stream: &str,
    ) -> Result<(), RunError> {
        use EventKind::{Ended, Established, Rejected, SetupFailed};
        let until = Instant::now() + session.pace.within(SETUP);
        loop {
            let ends = |event: &Event| {
                let kind = EventKind::from(&event.happened);
                event.stream == stream
                    && matches!(kind, Established | Rejected | SetupFailed | Ended)
            };
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() || self.kept.iter().any(|(_, event)| ends(event)) {
                return Ok(());
            }
            self.fetch(session, left)?;
        }
    }

    /// Finds the first report of a stream that matches the pattern, if required only after the one that was
    /// found last. Otherwise returns why others of its kind do not match.
    fn find(
        &mut self,
        stream: &str,
        pattern: &ReportPattern,
        after_last: bool,
    ) -> Result<Happened, Option<String>> {
        let mut reason = None;
        for index in 0..self.kept.len() {
            let Some((number, event)) = self.kept.get(index) else { continue };
            if EventKind::from(&event.happened) != pattern.kind || event.stream != stream {
                continue;
            }
            match pattern.judge(&event.happened) {
                Ok(()) if after_last && *number < self.last => {
                    let why = "it came before the report that must be first";
                    reason = reason.or(Some(why.to_owned()));
                }
                Ok(()) => {
                    self.last = *number;
                    return Ok(self.kept.remove(index).1.happened);
                }
                Err(Some(why)) => reason = reason.or(Some(why)),
                Err(None) => {}
            }
        }
        Err(reason)
    }

    /// Whether all reports of that kind are about other work: that of the named work is still to come.
    fn waits_for_more(&self, stream: &str, pattern: &ReportPattern) -> bool {
        let mut of_kind = self.kept.iter().map(|(_, event)| event).filter(|event| {
            EventKind::from(&event.happened) == pattern.kind && event.stream == stream
        });
        of_kind.all(|event| pattern.is_of_other_work(&event.happened))
    }

    /// Waits for a report; an error inside says what came instead.
    pub(super) fn wait(
        &mut self,
        session: &mut Session,
        stream: &str,
        pattern: &ReportPattern,
        within: Duration,
        after_last: bool,
    ) -> Result<Result<(), String>, RunError> {
        let begun = Instant::now();
        let mut until = begun + within;
        let mut chances = Chances::default();
        loop {
            let why = match self.find(stream, pattern, after_last) {
                Ok(_) => return Ok(Ok(())),
                Err(why) => why,
            };
            if why.is_some() && !self.waits_for_more(stream, pattern) {
                until = until.min(begun + within.min(GRACE));
            }
            let now = Instant::now();
            if now >= until && chances.left() {
                // The next fetch shows whether the agent is gone.
                if chances.slow(matches!(session.settle(), Ok(true))) {
                    until = Instant::now() + within;
                }
                self.fetch(session, Duration::ZERO)?;
                continue;
            }
            if now >= until {
                return Ok(Err(why.unwrap_or_else(|| self.others(stream, within))));
            }
            self.fetch(session, until - now)?;
        }
    }

    /// Checks that no such report comes; an error inside says what came.
    pub(super) fn watch(
        &mut self,
        session: &mut Session,
        stream: &str,
        pattern: &ReportPattern,
        during: Duration,
    ) -> Result<Result<(), String>, RunError> {
        let mut until = Instant::now() + during;
        let mut chances = Chances::default();
        loop {
            let left = until.saturating_duration_since(Instant::now());
            self.fetch(session, left)?;
            if let Ok(happened) = self.find(stream, pattern, false)
                && pattern.is_known_in(&happened)
            {
                return Ok(Err(format!("the target reported {}", describe_report(&happened))));
            }
            if !left.is_zero() {
                continue;
            }
            if !chances.left() {
                return Ok(Ok(()));
            }
            // The next fetch shows whether the agent is gone.
            if chances.slow(matches!(session.settle(), Ok(true))) {
                until = Instant::now() + during;
            }
        }
    }

    /// Returns everything that the target has reported so far, in order, in words.
    pub(super) fn described(mut self, session: &mut Session) -> Vec<String> {
        // A session without an agent, or with one that has gone, has nothing to add.
        let _ = self.fetch(session, Duration::ZERO);
        if self.count > self.heard.len() {
            self.heard.push(format!("{} more", self.count - self.heard.len()));
        }
        self.heard
    }

    fn others(&self, stream: &str, within: Duration) -> String {
        let mine = self.kept.iter().filter(|it| it.1.stream == stream);
        let others: Vec<String> = mine.map(|it| describe_report(&it.1.happened)).collect();
        match others.as_slice() {
            [] => format!("the target did not report it within {}", time(within)),
            others => {
                let others = in_short(others);
                format!("the target did not report it within {}, but {others}", time(within))
            }
        }
    }
}

/// The number of reports that a sentence names from the beginning and from the end.
const NAMED: [usize; 2] = [5, 2];

/// Describes reports: all, or the first and the last, as a stream that ends may flush thousands of receives.
fn in_short(reports: &[String]) -> String {
    let [first, last] = NAMED;
    let left_out = reports.len().saturating_sub(first + last);
    if left_out < 2 {
        return reports.join("; ");
    }
    let (head, tail) = (&reports[..first], &reports[first + left_out..]);
    format!("{}; {left_out} more; {}", head.join("; "), tail.join("; "))
}

fn words(event: &Event) -> String {
    let what = describe_report(&event.happened);
    match event.stream.as_str() {
        "a" => what,
        name => format!("{what} (stream {name})"),
    }
}

#[cfg(test)]
mod tests {
    use super::in_short;

    #[test]
    fn of_many_reports_a_sentence_names_the_first_and_the_last() {
        let reports =
            |count: u32| -> Vec<String> { (1..=count).map(|it| it.to_string()).collect() };
        assert_eq!(in_short(&reports(1)), "1");
        assert_eq!(in_short(&reports(8)), "1; 2; 3; 4; 5; 6; 7; 8");
        assert_eq!(in_short(&reports(9)), "1; 2; 3; 4; 5; 2 more; 8; 9");
        assert_eq!(in_short(&reports(900)), "1; 2; 3; 4; 5; 893 more; 899; 900");
    }
}
