//! What the reports look like.

use super::super::report::Report;
use super::{FILL, SEQUENCE, all, found};
use crate::check::report;
use crate::check::run::{FileResult, Found, Limits, REPEATED, Summary};
use crate::table::Look;
use serde_json::{Value, json};

const LIMITS: Limits = Limits { of_rule: 2, of_side: REPEATED };

/// What a report prints of a file with these findings, two of each rule kept, and of a clean one.
fn printed(report: &mut dyn Report, findings: Vec<Found>) -> String {
    let mut out = Vec::new();
    let mut summary = Summary::default();
    report.begin(&mut out).unwrap();
    for (name, findings) in [("a b/1.pcap", findings), ("2.pcap", Vec::new())] {
        let mut result = FileResult::new(name.to_owned(), LIMITS);
        (result.frames, result.connections) = (30, 1);
        for found in findings {
            report.finding(name, &found, &mut out).unwrap();
            result.take(found, |rule| all().iter().position(|known| *known == rule));
        }
        summary.take(&result);
        report.file(result, &mut out).unwrap();
    }
    summary.unused_waivers.push("w.yaml:1: the waiver of x was not used; remove it".to_owned());
    report.end(&summary, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// A SHOULD, and four MUSTs of which one is waived.
fn findings() -> Vec<Found> {
    let mut findings = vec![found(&FILL, 2, None)];
    findings.extend([9, 10, 11].map(|frame| found(&SEQUENCE, frame, None)));
    findings.push(found(&SEQUENCE, 8, Some("old card")));
    findings
}

#[test]
fn text_groups_by_rule_and_counts_the_rest() {
    let expected = r"a b/1.pcap: 30 frames, 1 iWARP connection: 4 findings (3 MUST, 1 SHOULD), 1 waived
  MUST    ddp-msn-sequence  RFC 5041 section 5.1 (RFC5041-5.1-01)
          Message sequence numbers follow one another.
    frame  8  connection 3  byte 1234  10.0.0.2:40000 (initiator)  message <5>\u{1b}[31m, due was 4 [waived: old card]
    frame  9  connection 3  byte 1234  10.0.0.2:40000 (initiator)  message <5>\u{1b}[31m, due was 4
    frame 10  connection 3  byte 1234  10.0.0.2:40000 (initiator)  message <5>\u{1b}[31m, due was 4
    and 1 more of the same in connection 3, frame 11
  SHOULD  mpa-fill  RFC 5044 section 4.3 (RFC5044-4.3-01)
          FPDUs are as long as a TCP segment.
    frame 2  connection 3  byte 1234  either side  message <5>\u{1b}[31m, due was 4

2.pcap: 30 frames, 1 iWARP connection: nothing found
2 files: 4 findings (3 MUST, 1 SHOULD), 1 waived, 1 waiver not used
";
    let text = |coloured| printed(&mut report::Text(Look { coloured, width: None }), findings());
    assert_eq!(text(false), expected);
    let coloured = text(true);
    assert!(coloured.contains("\u{1b}[31;1mMUST  \u{1b}[0m"), "{coloured:?}");
}

#[test]
fn json_holds_every_finding() {
    let whole = printed(&mut report::Json::default(), findings());
    let whole: Value = serde_json::from_str(&whole).unwrap();
    let list = whole["findings"].as_array().unwrap();
    assert_eq!(list.len(), 5);
    assert_eq!(whole["files"].as_array().unwrap().len(), 2);
    for (place, value) in [
        ("/findings/1/file", json!("a b/1.pcap")),
        ("/findings/1/frame", json!(9)),
        ("/findings/1/time", json!("1700000000.001001000")),
        ("/findings/1/level", json!("MUST")),
        ("/findings/1/requirement", json!("RFC5041-5.1-01")),
        ("/findings/1/at_fault/address", json!("10.0.0.2:40000")),
        ("/findings/1/at_fault/role", json!("initiator")),
        ("/findings/0/at_fault", Value::Null),
        ("/findings/4/waived", json!("old card")),
        ("/files/0/counts/must", json!(3)),
        ("/files/0/repeated/0/rule", json!("ddp-msn-sequence")),
        ("/files/0/repeated/0/count", json!(3)),
        ("/files/0/repeated/0/first_frame", json!(9)),
        ("/files/0/repeated/0/last_frame", json!(11)),
        ("/files/0/repeated/1/waived", json!("old card")),
        ("/summary/counts/waived", json!(1)),
    ] {
        assert_eq!(whole.pointer(place), Some(&value), "{place}");
    }
    let lines = printed(&mut report::Lines, findings());
    let kinds: Vec<Value> = lines
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["type"].clone())
        .collect();
    let expected = ["finding"; 5].into_iter().chain(["file", "file", "summary"]);
    assert!(kinds.iter().map(|kind| kind.as_str().unwrap()).eq(expected), "{kinds:?}");
}

#[test]
fn junit_has_a_suite_a_file_and_a_case_a_rule() {
    let of = |strict, findings| printed(&mut report::Junit::new(all(), strict), findings);
    let text = of(false, findings());
    let report = quick_junit::Report::deserialize_from_str(&text).unwrap();
    let suites = report.test_suites.iter();
    let suites: Vec<_> =
        suites.map(|suite| format!("{}|{}", suite.name.as_str(), suite.failures)).collect();
    assert_eq!(suites, ["a b/1.pcap|1", "2.pcap|0", "waivers|1"]);
    assert_eq!(text.matches("<testcase").count(), 5);
    assert_eq!(text.matches("<failure").count(), 2);
    // The SHOULD passes, and is reported nevertheless.
    assert_eq!(text.matches("<system-out").count(), 1);
    assert_eq!(of(true, findings()).matches("<failure").count(), 3);
    let waived = of(true, vec![found(&SEQUENCE, 8, Some("old card"))]);
    assert_eq!(waived.matches("<failure").count(), 1, "the unused waiver alone");
    assert!(waived.contains("<skipped message=\"waived: old card\""), "{waived}");
}

#[test]
fn sarif_has_what_its_schema_requires() {
    let log = printed(&mut report::Sarif::new(all()), findings());
    let log: Value = serde_json::from_str(&log).unwrap();
    assert_eq!(log["version"], "2.1.0");
    let run = &log["runs"][0];
    assert_eq!(run["artifacts"].as_array().unwrap().len(), 2);
    let driver = &run["tool"]["driver"];
    assert_eq!(driver["name"], "warpscope");
    let rules = driver["rules"].as_array().unwrap();
    assert_eq!(rules.len(), 2);
    for rule in rules {
        assert!(rule["id"].is_string() && rule["help"]["text"].is_string());
        assert!(rule["shortDescription"]["text"].is_string());
    }
    assert_eq!(run["invocations"][0]["executionSuccessful"], true);
    let notes = run["invocations"][0]["toolExecutionNotifications"].as_array().unwrap();
    assert_eq!(notes.len(), 2, "one more finding, and the unused waiver");
    assert!(notes.iter().all(|note| note["message"]["text"].is_string()));
    let results = run["results"].as_array().unwrap();
    assert_eq!(results.len(), 4, "two of the MUSTs, the waived one, and the SHOULD");
    for result in results {
        assert!(result["message"]["text"].is_string());
        let index = result["ruleIndex"].as_u64().unwrap() as usize;
        assert_eq!(rules[index]["id"], result["ruleId"]);
        let place = &result["locations"][0]["physicalLocation"]["artifactLocation"];
        assert_eq!(place["uri"], "a%20b/1.pcap");
        assert_eq!(
            run["artifacts"][place["index"].as_u64().unwrap() as usize]["location"]["uri"],
            place["uri"]
        );
    }
    let levels: Vec<_> = results.iter().map(|result| result["level"].as_str().unwrap()).collect();
    assert_eq!(levels, ["error", "error", "error", "warning"]);
    let suppressed = results.iter().filter(|result| result.get("suppressions").is_some());
    let suppressed: Vec<_> = suppressed.collect();
    assert_eq!(suppressed.len(), 1);
    assert_eq!(suppressed[0]["suppressions"][0]["kind"], "external");
    assert_eq!(suppressed[0]["suppressions"][0]["justification"], "old card");
}

/// A file with any number of findings keeps the first of each rule.
#[test]
fn findings_beyond_the_limit_are_counted_and_not_kept() {
    let mut result = FileResult::new("a".to_owned(), Limits { of_rule: 20, of_side: u64::MAX });
    for frame in 0..100_000 {
        let rule = if frame % 2 == 0 { &SEQUENCE } else { &FILL };
        result.take(found(rule, frame, None), |rule| all().iter().position(|it| *it == rule));
    }
    assert_eq!((result.counts.must, result.counts.should), (50_000, 50_000));
    assert_eq!(result.rules.len(), 2);
    for of_rule in &result.rules {
        assert_eq!(of_rule.kept().len(), 20);
        assert_eq!(of_rule.rest(), 49_980);
    }
}

/// Of a side that breaks a rule again and again the first findings are kept; of other sides as many.
#[test]
fn repeated_findings_are_counted_by_connection_and_side() {
    let limits = |of_side| Limits { of_rule: 7, of_side };
    let taken = |limits| {
        let mut result = FileResult::new("a".to_owned(), limits);
        for frame in 1..=4_483 {
            let mut found = found(&SEQUENCE, frame, None);
            found.finding.place.side.0 = (frame % 2) as u8;
            found.finding.place.connection.number = if frame > 4_000 { 9 } else { 3 };
            result.take(found, |_| Some(0));
        }
        let of_rule = result.rules.remove(0);
        let frames: Vec<u64> = of_rule.kept().iter().map(|it| it.finding.place.frame).collect();
        (frames, of_rule.more(), of_rule.rest())
    };
    let (frames, more, rest) = taken(limits(REPEATED));
    assert_eq!(frames, [1, 2, 3, 4, 5, 6, 4_001]);
    let expected = [
        "and 1997 more of the same in connection 3, frames 8 to 4000",
        "and 1997 more of the same in connection 3, frames 7 to 3999",
        "and 241 more of the same in connection 9, frames 4003 to 4483",
        "and 241 more",
    ];
    assert_eq!(more, expected);
    assert_eq!(rest, 4_476);
    assert_eq!(taken(limits(u64::MAX)).0, [1, 2, 3, 4, 5, 6, 7]);
}
