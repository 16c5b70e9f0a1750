//! From what came of an instance to what is reported of it.

use super::{InstanceResult, Requirement};
use crate::listing::Card;
use crate::run::Outcome;
use warpscope_requirements::Catalogue;

impl InstanceResult {
    /// What is reported of an instance of a case. Ladder and link are left to the caller, and it counts
    /// as tried once; `rerun` is the command that runs it again.
    pub fn new(outcome: &Outcome, card: &Card, catalogue: &Catalogue, rerun: String) -> Self {
        let (mut sent, mut came) = (Vec::new(), Vec::new());
        for line in outcome.evidence.transcript() {
            if is_of_tcp_alone(&line.words) {
                continue;
            }
            let side = if line.sent { &mut sent } else { &mut came };
            side.push(format!("frame {}: {}", line.frame, line.words));
        }
        came.extend(outcome.reports.iter().map(|report| format!("report: {report}")));
        came.extend(outcome.notes.iter().cloned());
        came.extend(outcome.findings.iter().map(|finding| {
            let (rule, frame) = (finding.rule.id, finding.place.frame);
            format!("rule {rule}, frame {frame}: {}", finding.explanation)
        }));
        let decided = outcome.checks.iter().min_by_key(|check| check.verdict);
        let known = card.covers.iter().filter_map(|id| catalogue.find(id).ok());
        Self {
            id: outcome.id.clone(),
            case: card.id.clone(),
            title: card.title.clone(),
            document: card.document.clone(),
            section: card.section.clone(),
            section_title: card.section_title.clone(),
            level: card.level(catalogue),
            covers: known.map(Requirement::from).collect(),
            verdict: outcome.verdict,
            reason: outcome.reason.clone(),
            link: None,
            microseconds: u64::try_from(outcome.took.as_micros()).unwrap_or(u64::MAX),
            attempts: 1,
            sent,
            accepted: decided.map(|check| check.accepted.clone()).into_iter().collect(),
            came,
            ladder: None,
            rerun,
            capture: outcome.capture.as_ref().map(|path| path.display().to_string()),
        }
    }
}

/// Whether a frame is of TCP's handshake, or acknowledges and says nothing more.
fn is_of_tcp_alone(words: &str) -> bool {
    words.ends_with("Len=0") && !["FIN", "RST"].iter().any(|flag| words.contains(flag))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

    use super::*;
    use crate::judge::{Check, Verdict, judge_checks};
    use crate::run::Evidence;
    use std::time::Duration;

    #[test]
    fn what_is_accepted_is_that_of_the_check_that_decided() {
        let catalogue = Catalogue::builtin().unwrap();
        let text = "id: a\ntitle: t\ncovers: [RFC5041-3-01]\n";
        let card = Card::read("rfc5041/3-x/a.yaml", text).unwrap().unwrap();
        let check = |verdict, accepted: &str, came: &str| Check {
            verdict,
            accepted: accepted.to_owned(),
            came: came.to_owned(),
        };
        let checks = vec![
            check(Verdict::Pass, "a reply", "a reply came"),
            check(Verdict::Fail, "a Terminate", "nothing came"),
        ];
        let (verdict, reason) = judge_checks(&checks);
        let mut outcome = Outcome {
            id: "a[crc=on]".to_owned(),
            case: "a".to_owned(),
            verdict,
            reason,
            checks,
            findings: Vec::new(),
            reports: vec!["an arrival of 32 bytes".to_owned()],
            notes: vec!["refused at first".to_owned()],
            evidence: Evidence::default(),
            capture: Some("caps/a.pcapng".into()),
            took: Duration::from_millis(3),
        };
        let result =
            |outcome: &Outcome| InstanceResult::new(outcome, &card, &catalogue, "again".to_owned());
        let failed = result(&outcome);
        assert_eq!(failed.verdict, Verdict::Fail);
        assert_eq!(failed.reason.as_deref(), Some("expected a Terminate; nothing came"));
        assert_eq!(failed.accepted, ["a Terminate"]);
        assert_eq!(failed.came, ["report: an arrival of 32 bytes", "refused at first"]);
        assert_eq!((failed.document.as_str(), failed.section.as_str()), ("RFC5041", "3"));
        assert_eq!((failed.covers.len(), failed.microseconds), (1, 3000));
        assert_eq!(failed.capture.as_deref(), Some("caps/a.pcapng"));
        (outcome.verdict, outcome.reason) =
            outcome.verdict.expecting_failure(outcome.reason.take(), "bug 17");
        let expected = result(&outcome);
        assert_eq!(expected.verdict, Verdict::ExpectedFailure);
        assert_eq!(expected.reason.as_deref(), Some("bug 17 (expected a Terminate; nothing came)"));
    }
}
