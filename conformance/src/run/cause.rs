//! Why an instance did not pass: what the passive rules find in the target's bytes, and what differs from
//! what was expected. A cause has the same name in all instances, so that reports can describe it once.

use super::executor::Outcome;
use crate::judge::{Check, Difference, Verdict, deciding};
use warpscope_dissector::rules::{Fault, Finding, Level};

/// The maximum number of characters of what was sent in a reason.
const SENT: usize = 90;
/// Replaces a value in the name of a cause.
const VALUE: char = '\u{2026}';

impl Outcome {
    /// Adds what the passive rules find. A requirement (MUST) that the target's bytes break makes an instance
    /// fail, however far it came, unless its rule (by id) is excused. Then gives the reasons why it did not
    /// pass, the certain ones first.
    pub(super) fn conclude(&mut self, excuses: impl Fn(&str) -> bool) {
        let (theirs, ours) = self.evidence.findings();
        let mut broken: Vec<&Finding> = Vec::new();
        for it in theirs.iter().filter(|it| it.rule.level == Level::Must) {
            if !excuses(it.rule.id) && !broken.iter().any(|of| of.rule == it.rule) {
                broken.push(it);
            }
        }
        self.findings.clone_from(&theirs);
        if broken.is_empty() && matches!(self.verdict, Verdict::Pass | Verdict::NotApplicable) {
            return;
        }
        // What stopped it says more than what was not quite right before.
        let trouble = self.reason.take();
        let decided = deciding(&self.checks).filter(|_| trouble.is_none());
        let place = decided.and_then(|check| check.place.as_ref());
        let reported = place.is_some_and(|place| {
            broken.iter().any(|it| {
                let ports = it.place.connection.ends.map(|end| end.port);
                let at = it.place.stream_offset;
                ports.contains(&place.port) && at.is_some_and(|at| place.bytes.contains(&at))
            })
        });
        let mut reasons = Vec::new();
        for it in &broken {
            let (rule, frame) = (it.rule, it.place.frame);
            let why = it.explanation.trim_end_matches('.');
            reasons.push(format!("{why} (rule {}, {}, frame {frame})", rule.id, rule.section()));
            self.causes.push(rule.broken());
        }
        let mut own = match decided {
            Some(check) => vec![check.came.clone()],
            None => trouble.into_iter().collect(),
        };
        if reported {
            own.clear();
        } else if !broken.is_empty()
            && let Some(why) = own.first_mut()
        {
            why.insert_str(0, "besides: ");
        }
        reasons.extend(own);
        let fault = fault_sent(&ours);
        reasons.extend(self.evidence.sent_last(&ours, fault));
        self.difference = match (broken.first(), decided.and_then(|it| it.difference.as_ref())) {
            (Some(it), _) if !reported => self.evidence.bytes_of(it, "as it came"),
            (_, Some(difference)) => Some(difference.clone()),
            _ => fault.and_then(|it| self.evidence.bytes_of(it, "as it was sent")),
        };
        if !reported {
            reasons.extend(decided.map(|check| format!("expected {}", check.wanted())));
        }
        if self.verdict == Verdict::Fail || broken.is_empty() {
            let other = match decided {
                Some(check) if !reported => Some(named(check)),
                Some(_) => None,
                None => reasons.first().map(|why| shape(why)),
            };
            self.causes.extend(other);
        }
        if !broken.is_empty() {
            self.verdict = Verdict::Fail;
        }
        self.reason = Some(reasons.join("; ")).filter(|why| !why.is_empty());
    }
}

/// Returns what was sent that should be refused according to the passive rules; the last one.
fn fault_sent(ours: &[Finding]) -> Option<&Finding> {
    ours.iter().rfind(|it| it.rule.fault != Fault::Receiver)
}

impl super::evidence::Evidence {
    /// Describes what was sent that should be refused, or what was sent last.
    fn sent_last(&self, ours: &[Finding], fault: Option<&Finding>) -> Option<String> {
        if let Some(fault) = fault {
            let frame = fault.place.frame;
            let first = ours.iter().find(|it| it.place.frame == frame).unwrap_or(fault);
            let why = first.explanation.trim_end_matches('.');
            return Some(format!("the fault sent: {why} ({}, frame {frame})", first.rule.id));
        }
        let lines = self.transcript();
        let last = lines.iter().rfind(|line| line.sent && line.bytes > 0)?;
        let mut words: String = last.words.chars().take(SENT).collect();
        if words.len() < last.words.len() {
            words.push(VALUE);
        }
        Some(format!("sent last: {words} (frame {})", last.frame))
    }
}

/// Returns the name of what a check found, without the values, which differ from instance to instance.
fn named(check: &Check) -> String {
    let came = check.came.split("; ").next().unwrap_or_default();
    if check.difference.as_ref().is_some_and(Difference::is_of_framing) {
        // This is wrong in any message, whichever was expected.
        return match came.starts_with("its CRC field") {
            true if came.contains(" 0x00000000,") => "the CRC field is sent as 0".to_owned(),
            true => "the CRC field is not the CRC of the FPDU".to_owned(),
            false => shape(came),
        };
    }
    let wanted = shape(check.wanted());
    let kind = wanted.split([',', '(']).next().unwrap_or_default();
    format!("{}; expected {}", shape(came), kind.trim_end())
}

/// Returns a text without its numbers and quoted parts.
fn shape(text: &str) -> String {
    let mut out = String::new();
    let mut quoted = false;
    let push = |out: &mut String, word: &str| {
        let value = word.chars().any(|it| it.is_ascii_digit());
        if !value {
            out.push_str(word);
        } else if !out.trim_end_matches(['/', '.', ':']).ends_with(VALUE) {
            out.push(VALUE);
        } else {
            out.truncate(out.trim_end_matches(['/', '.', ':']).len());
        }
    };
    let mut word = String::new();
    for it in text.chars() {
        if it == '"' {
            quoted = !quoted;
            if quoted {
                push(&mut out, &std::mem::take(&mut word));
                out.push(VALUE);
            }
            continue;
        }
        if quoted {
            continue;
        }
        if it.is_alphanumeric() || it == '_' {
            word.push(it);
        } else {
            push(&mut out, &std::mem::take(&mut word));
            out.push(it);
        }
    }
    push(&mut out, &word);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_no_part_of_a_cause() {
        for (text, name) in [
            (
                "its DDP Segment Length is 4, not 18",
                "its DDP Segment Length is \u{2026}, not \u{2026}",
            ),
            ("a Terminate 1/1/0x01 (DDP)", "a Terminate \u{2026} (DDP)"),
            ("nothing came within 2.05 s", "nothing came within \u{2026} s"),
            ("it is \"abc\" here", "it is \u{2026} here"),
        ] {
            assert_eq!(shape(text), name);
        }
        let check = |came: &str, accepted: &str| Check {
            verdict: Verdict::Fail,
            accepted: accepted.to_owned(),
            came: came.to_owned(),
            place: None,
            difference: None,
        };
        let one =
            check("nothing came within 2 s", "a Terminate 1/1/0x01 (DDP), with the DDP header");
        let other = check("nothing came within 5 s", "a Terminate 0/1/0x05 (RDMAP), or nothing");
        assert_eq!(named(&one), "nothing came within \u{2026} s; expected a Terminate \u{2026}");
        assert_eq!(named(&one), named(&other));
    }
}
