//! The report as JUnit's XML: a test suite a section, a test case an instance.
//!
//! * `fail` and `unexpected-pass` are failures, and with strictness `strict-only` is;
//! * `inconclusive` is an error: the test did not come to an end;
//! * `not-applicable` and `expected-failure` are skipped, with the reason;
//! * the others succeed; a `strict-only` tells what it is in its output.

use super::details::details;
use super::outline::{document_name, outline};
use super::{InstanceResult, Run, Verdict};
use quick_junit::{NonSuccessKind, Property, Report, TestCase, TestCaseStatus, TestSuite};
use std::io::{self, Write};
use std::time::Duration;

/// Writes the report; `strict` makes `strict-only` a failure.
///
/// # Errors
/// Those of the output.
pub fn write(run: &Run, strict: bool, out: &mut dyn Write) -> io::Result<()> {
    let mut report = Report::new("warpscope conform");
    report.set_timestamp(run.started.with_offset());
    report.set_time(Duration::from_micros(run.microseconds));
    for document in outline(run) {
        for section in &document.sections {
            let title = if section.title.is_empty() { "" } else { ": " };
            let (name, number) = (document_name(document.id), section.number);
            let section_word = if number.is_empty() { "" } else { " section " };
            let mut suite =
                TestSuite::new(format!("{name}{section_word}{number}{title}{}", section.title));
            let properties = [
                ("target", run.target.name.clone()),
                ("mode", run.target.mode.clone()),
                ("seed", run.seed.to_string()),
                ("version", run.version.clone()),
            ];
            suite.add_properties(
                properties.into_iter().map(|(name, value)| Property::new(name, value)),
            );
            let instances = section.cases.iter().flat_map(|case| &case.instances);
            let time: u64 = instances.clone().map(|instance| instance.microseconds).sum();
            suite.set_time(Duration::from_micros(time));
            suite.add_test_cases(instances.map(|instance| test_case(instance, strict)));
            report.add_test_suite(suite);
        }
    }
    if let Some(why) = &run.broken_off {
        let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
        status.set_message(format!("broken off: {why}"));
        let mut suite = TestSuite::new("the run");
        suite.add_test_case(TestCase::new("comes to its end", status));
        report.add_test_suite(suite);
    }
    report.serialize(out).map_err(io::Error::other)
}

fn test_case(instance: &InstanceResult, strict: bool) -> TestCase {
    let verdict = instance.verdict;
    let reason = instance.reason.as_deref().unwrap_or_default();
    let link = instance.link.as_deref().map(|link| format!(" ({link})")).unwrap_or_default();
    let mut status = match verdict {
        Verdict::Fail | Verdict::UnexpectedPass => {
            TestCaseStatus::non_success(NonSuccessKind::Failure)
        }
        Verdict::StrictOnly if strict => TestCaseStatus::non_success(NonSuccessKind::Failure),
        Verdict::Inconclusive => TestCaseStatus::non_success(NonSuccessKind::Error),
        Verdict::NotApplicable | Verdict::ExpectedFailure => TestCaseStatus::skipped(),
        Verdict::Pass | Verdict::StrictOnly => TestCaseStatus::success(),
    };
    if !matches!(status, TestCaseStatus::Success { .. }) {
        let mark = if reason.is_empty() { "" } else { ": " };
        status.set_message(format!("{verdict}{mark}{reason}{link}"));
    }
    let mut output = None;
    match verdict {
        Verdict::Fail | Verdict::UnexpectedPass | Verdict::Inconclusive => {
            status.set_type(verdict.word()).set_description(told(instance));
        }
        Verdict::StrictOnly if strict => {
            status.set_type(verdict.word()).set_description(told(instance));
        }
        Verdict::StrictOnly => output = Some(told(instance)),
        Verdict::Pass | Verdict::NotApplicable | Verdict::ExpectedFailure => {}
    }
    let mut case = TestCase::new(instance.id.as_str(), status);
    case.set_classname(format!("warpscope.{}.{}", instance.document, instance.case));
    case.set_time(Duration::from_micros(instance.microseconds));
    if let Some(output) = output {
        case.set_system_out(output);
    }
    case
}

/// All that is known of an instance, in lines.
fn told(instance: &InstanceResult) -> String {
    let mut told = format!("{}\n", instance.title);
    for detail in details(instance) {
        told.push_str(&format!("{}:\n", detail.name));
        detail.lines.iter().for_each(|line| told.push_str(&format!("  {line}\n")));
    }
    if let Some(ladder) = &instance.ladder {
        told.push_str(&format!("Ladder:\n{}\n", ladder.text.trim_end()));
    }
    told
}
