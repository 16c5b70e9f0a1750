//! `--format junit`: a test suite a file, a test case a rule.

use super::found::Found;
use super::report::Report;
use super::result::{FileResult, RuleResult, Summary};
use quick_junit::{NonSuccessKind, TestCase, TestCaseStatus, TestSuite};
use std::io::{self, Write};
use warpscope_dissector::rules::Rule;

/// `--format junit`.
#[derive(Debug)]
pub(super) struct Junit {
    rules: Vec<&'static Rule>,
    strict: bool,
    report: quick_junit::Report,
}

impl Junit {
    /// A report on these rules; `strict` makes broken SHOULDs failures.
    pub(super) fn new(rules: Vec<&'static Rule>, strict: bool) -> Self {
        Self { rules, strict, report: quick_junit::Report::new("warpscope check") }
    }

    /// The test case of a rule. A broken SHOULD that is no failure is told in its output.
    fn case(&self, rule: &Rule, broken: Option<&RuleResult>) -> TestCase {
        let layer = rule.id.split('-').next().unwrap_or_default();
        let (status, output) = match broken {
            None => (TestCaseStatus::success(), None),
            Some(broken) if broken.counts.failing(self.strict) > 0 => {
                let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
                status
                    .set_message(format!("{}: {}", rule.title, broken.counts.describe()))
                    .set_type(rule.requirements.first().copied().unwrap_or_default())
                    .set_description(lines(broken));
                (status, None)
            }
            Some(broken) if broken.counts.standing() == 0 => {
                let mut status = TestCaseStatus::skipped();
                let reason = broken.waived.first().and_then(|found| found.waived.as_deref());
                status.set_message(format!("waived: {}", reason.unwrap_or_default()));
                (status, Some(lines(broken)))
            }
            Some(broken) => (TestCaseStatus::success(), Some(lines(broken))),
        };
        let mut case = TestCase::new(rule.id, status);
        case.set_classname(format!("warpscope.{layer}"));
        if let Some(output) = output {
            case.set_system_out(output);
        }
        case
    }
}

/// The first findings of a rule, a line each, and the number of the others.
fn lines(broken: &RuleResult) -> String {
    let line = |found: &&Found| match &found.waived {
        Some(reason) => format!("{} [waived: {reason}]\n", found.line()),
        None => format!("{}\n", found.line()),
    };
    let mut lines: String = broken.kept().iter().map(line).collect();
    if broken.rest() > 0 {
        lines.push_str(&format!("and {} more\n", broken.rest()));
    }
    lines
}

/// A test case that went wrong for another reason than a rule.
fn wrong(name: &str, kind: NonSuccessKind, what: &str) -> TestCase {
    let mut status = TestCaseStatus::non_success(kind);
    status.set_message(what);
    let mut case = TestCase::new(name, status);
    case.set_classname("warpscope");
    case
}

impl Report for Junit {
    fn file(&mut self, result: FileResult, _out: &mut dyn Write) -> io::Result<()> {
        let mut suite = TestSuite::new(result.name.as_str());
        if let Some(error) = &result.error {
            suite.add_test_case(wrong("readable", NonSuccessKind::Error, error));
        }
        for rule in &self.rules {
            let broken = result.rules.iter().find(|broken| broken.rule == *rule);
            suite.add_test_case(self.case(rule, broken));
        }
        self.report.add_test_suite(suite);
        Ok(())
    }

    fn end(&mut self, summary: &Summary, out: &mut dyn Write) -> io::Result<()> {
        if !summary.unused_waivers.is_empty() {
            let mut suite = TestSuite::new("waivers");
            for unused in &summary.unused_waivers {
                suite.add_test_case(wrong("used", NonSuccessKind::Failure, unused));
            }
            self.report.add_test_suite(suite);
        }
        self.report.serialize(out).map_err(io::Error::other)
    }
}
