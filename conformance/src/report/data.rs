//! The report for programs: JSON, which can be read back, and JUnit XML.

use super::cause::{Cause, causes, names};
use super::model::{InstanceResult, Run, exit_code};
use super::outline::{details, outline};
use crate::judge::{Counts, Verdict};
use quick_junit::{NonSuccessKind, Property, Report, TestCase, TestCaseStatus, TestSuite};
use serde::{Deserialize, Serialize};
use std::io::{self, Write};
use std::time::Duration;
use warpscope_requirements::document_name;

/// The name and version of the object.
const FORMAT: &str = "warpscope-conformance-run/1";

#[derive(Serialize)]
struct Written<'a> {
    format: &'a str,
    exit_code: u8,
    counts: Counts,
    causes: Vec<Cause<'a>>,
    #[serde(flatten)]
    run: &'a Run,
}

#[derive(Deserialize)]
struct Header {
    format: String,
}

/// Why a text is not a report.
#[derive(Debug, thiserror::Error)]
pub enum NoReport {
    /// It is not JSON, or lacks a key.
    #[error("this is not a report of a run: {0}")]
    Malformed(#[from] serde_json::Error),
    /// It is a report of an unknown version.
    #[error("the report has the format `{0}`, but this program reads `{FORMAT}`")]
    Format(String),
}

/// Writes the report as JSON. `docs/conformance-report.md` has every key.
///
/// The object is stable: `format` names it. Within a version, keys may be added, but are not renamed or given
/// another meaning. Its keys:
///
/// | key | what |
/// |---|---|
/// | `format` | `warpscope-conformance-run/1` |
/// | `exit_code` | as [`exit_code`], without strictness |
/// | `counts` | instances by verdict: `pass`, `fail`, `strict-only`, `unexpected-pass`, `inconclusive`, `expected-failure`, `not-applicable` |
/// | `causes` | what is wrong: each `cause`, its worst `verdict`, and the ids of `instances` |
/// | the fields of [`Run`] | `version`, `target`, `seed`, `started` (RFC 3339, UTC), `microseconds`, `broken_off`, `instances` |
///
/// Each of `instances` has the fields of [`InstanceResult`]; a verdict is one of the keys of `counts`.
/// Unknown values are `null`.
pub fn write_json(run: &Run, out: &mut dyn Write) -> io::Result<()> {
    let (counts, exit_code, causes) = (run.counts(), exit_code(run, false), causes(run));
    let written = Written { format: FORMAT, exit_code, counts, causes, run };
    serde_json::to_writer_pretty(&mut *out, &written)?;
    writeln!(out)
}

/// Reads a report that [`write_json`] wrote. Ignores `counts`, `exit_code` and `causes`, because they follow
/// from the instances.
///
/// # Errors
/// Fails if the text is not a report, or is one of another version.
pub fn read_json(text: &str) -> Result<Run, NoReport> {
    let header: Header = serde_json::from_str(text)?;
    if header.format != FORMAT {
        return Err(NoReport::Format(header.format));
    }
    Ok(serde_json::from_str(text)?)
}

/// Writes the report as JUnit XML: a test suite per section, a test case per instance; `strict` makes
/// `strict-only` a failure.
///
/// * `fail` and `unexpected-pass` are failures, and if `strict` is set, so is `strict-only`;
/// * `inconclusive` is an error: the test was not completed;
/// * `not-applicable` and `expected-failure` are skipped, with the reason;
/// * the others succeed; a `strict-only` says what it is in its output.
///
/// The type of a failure or error is its first cause, and all of them are properties `cause` ([`causes`]).
pub fn write_junit(run: &Run, strict: bool, out: &mut dyn Write) -> io::Result<()> {
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
    if let Some(why) = run.incomplete() {
        let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
        status.set_message(why);
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
    let names = names(instance);
    let needs_attention = verdict.needs_attention();
    if matches!(status, TestCaseStatus::NonSuccess { .. }) {
        let cause = names.first().copied().unwrap_or_default();
        status.set_type(cause).set_description(report_text(instance));
    }
    let succeeds = matches!(status, TestCaseStatus::Success { .. });
    let mut case = TestCase::new(instance.id.as_str(), status);
    case.set_classname(format!("warpscope.{}.{}", instance.document, instance.case));
    case.set_time(Duration::from_micros(instance.microseconds));
    if needs_attention {
        case.add_properties(names.into_iter().map(|it| Property::new("cause", it)));
    }
    if needs_attention && succeeds {
        case.set_system_out(report_text(instance));
    }
    case
}

/// Returns all that is known of an instance, in lines.
fn report_text(instance: &InstanceResult) -> String {
    let mut text = format!("{}\n", instance.title);
    for detail in details(instance) {
        text.push_str(&format!("{}:\n", detail.name));
        detail.lines.iter().for_each(|line| text.push_str(&format!("  {line}\n")));
    }
    if let Some(ladder) = &instance.ladder {
        text.push_str(&format!("Ladder:\n{}\n", ladder.text.trim_end()));
    }
    text
}
