//! The trait of reports, which receive findings and files one after the other.

use super::run::{FileResult, Found, Repetition, RuleResult, Summary};
use crate::table::{self, Look};
use owo_colors::Style;
use quick_junit::{NonSuccessKind, TestCase, TestCaseStatus, TestSuite};
use serde_json::{Value, json};
use std::io::{self, Write};
use warpscope_dissector::mpa::Side;
use warpscope_dissector::rules::{Level, Rule};
use warpscope_text::{counted, decimal_seconds, escaped, some};

pub(super) trait Report {
    fn begin(&mut self, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }
    fn finding(&mut self, _file: &str, _found: &Found, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }
    fn file(&mut self, result: FileResult, out: &mut dyn Write) -> io::Result<()>;
    fn end(&mut self, summary: &Summary, out: &mut dyn Write) -> io::Result<()>;
}

// `--format text`: for each file the broken rules, each with its first findings.

#[derive(Debug)]
pub(super) struct Text(pub(super) Look);

impl Text {
    fn rule(&self, of_rule: &RuleResult, out: &mut dyn Write) -> io::Result<()> {
        let rule = of_rule.rule;
        let level = match rule.level {
            Level::Must => Style::new().red().bold(),
            Level::Should => Style::new().yellow().bold(),
        };
        let requirement = rule.requirements.first().copied().unwrap_or_default();
        writeln!(
            out,
            "  {}  {}  {} ({requirement})",
            self.0.styled(&format!("{:6}", rule.level), level),
            self.0.styled(rule.id, Style::new().bold()),
            rule.section(),
        )?;
        writeln!(out, "          {}", rule.title)?;
        self.findings(&of_rule.kept(), out)?;
        of_rule.more().iter().try_for_each(|more| writeln!(out, "    {more}"))
    }

    /// Prints one line per finding, in columns.
    fn findings(&self, kept: &[&Found], out: &mut dyn Write) -> io::Result<()> {
        let cells: Vec<[String; 4]> = kept
            .iter()
            .map(|found| {
                let place = &found.finding.place;
                let offset = place.stream_offset.map(|offset| offset.to_string());
                [
                    place.frame.to_string(),
                    place.connection.number.to_string(),
                    offset.unwrap_or_default(),
                    found.at_fault(),
                ]
            })
            .collect();
        let width = |index: usize| {
            cells.iter().filter_map(|cells| cells.get(index)).map(String::len).max().unwrap_or(0)
        };
        let [frames, connections, offsets, ends] = [width(0), width(1), width(2), width(3)];
        for (found, [frame, connection, offset, end]) in kept.iter().zip(&cells) {
            let words = escaped(&found.finding.explanation);
            let byte = match (offset.as_str(), offsets) {
                (_, 0) => String::new(),
                ("", _) => format!("{:width$}", "", width = "byte ".len() + offsets + 2),
                (offset, _) => format!("byte {offset:>offsets$}  "),
            };
            let mut line = format!(
                "    frame {frame:>frames$}  connection {connection:>connections$}  {byte}\
                 {end:ends$}  {words}"
            );
            if let Some(reason) = &found.waived {
                line += &format!(" [waived: {}]", escaped(reason));
                line = self.0.styled(&line, Style::new().dimmed());
            }
            writeln!(out, "{line}")?;
        }
        Ok(())
    }
}

impl Report for Text {
    fn file(&mut self, result: FileResult, out: &mut dyn Write) -> io::Result<()> {
        let name = escaped(&result.name);
        let frames = counted(result.frames, "frame");
        let carried = match result.connections {
            0 => "no iWARP connection".to_owned(),
            connections => counted(connections, "iWARP connection"),
        };
        let verdict = match result.connections {
            0 if result.counts.standing() + result.counts.waived == 0 => String::new(),
            _ => format!(": {}", result.counts.describe()),
        };
        let cut = if result.error.is_some() { " (not read to its end)" } else { "" };
        writeln!(
            out,
            "{}: {frames}, {carried}{verdict}{cut}",
            self.0.styled(&name, Style::new().bold())
        )?;
        for of_rule in &result.rules {
            self.rule(of_rule, out)?;
        }
        if !result.rules.is_empty() {
            writeln!(out)?;
        }
        Ok(())
    }

    fn end(&mut self, summary: &Summary, out: &mut dyn Write) -> io::Result<()> {
        let counts = &summary.counts;
        let style = match (counts.must, counts.should) {
            (0, 0) => Style::new().green(),
            (0, _) => Style::new().yellow(),
            _ => Style::new().red(),
        };
        let unreadable =
            some(summary.unreadable, |unreadable| format!(", {unreadable} not read to the end"));
        let unused = some(summary.unused_waivers.len() as u64, |unused| {
            format!(", {} not used", counted(unused, "waiver"))
        });
        let files = counted(summary.files, "file");
        let words = self.0.styled(&counts.describe(), style);
        writeln!(out, "{files}{unreadable}: {words}{unused}")
    }
}

// `--format json` and `--format ndjson`: every finding, written at once.

#[derive(Debug, Default)]
pub(super) struct Json {
    /// Whether a finding was written.
    followed: bool,
    files: Vec<Value>,
}

impl Report for Json {
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        write!(out, "{{\"findings\":[")
    }

    fn finding(&mut self, file: &str, found: &Found, out: &mut dyn Write) -> io::Result<()> {
        write!(out, "{}\n{}", if self.followed { "," } else { "" }, finding(file, found))?;
        self.followed = true;
        Ok(())
    }

    fn file(&mut self, result: FileResult, _out: &mut dyn Write) -> io::Result<()> {
        self.files.push(file_object(&result));
        Ok(())
    }

    fn end(&mut self, summary: &Summary, out: &mut dyn Write) -> io::Result<()> {
        let gap = if self.followed { "\n" } else { "" };
        let (files, total) = (Value::from(std::mem::take(&mut self.files)), total(summary));
        writeln!(out, "{gap}],\n\"files\":{files},\n\"summary\":{total}}}")
    }
}

/// `--format ndjson`: one object per line; `type` tells its kind.
#[derive(Debug)]
pub(super) struct Lines;

impl Lines {
    fn line(kind: &str, mut object: Value, out: &mut dyn Write) -> io::Result<()> {
        object["type"] = Value::from(kind);
        writeln!(out, "{object}")
    }
}

impl Report for Lines {
    fn finding(&mut self, file: &str, found: &Found, out: &mut dyn Write) -> io::Result<()> {
        Self::line("finding", finding(file, found), out)
    }

    fn file(&mut self, result: FileResult, out: &mut dyn Write) -> io::Result<()> {
        Self::line("file", file_object(&result), out)
    }

    fn end(&mut self, summary: &Summary, out: &mut dyn Write) -> io::Result<()> {
        Self::line("summary", total(summary), out)
    }
}

fn file_object(result: &FileResult) -> Value {
    json!({
        "file": result.name,
        "frames": result.frames,
        "connections": result.connections,
        "counts": result.counts,
        "repeated": result.rules.iter().flat_map(repeated).collect::<Vec<Value>>(),
        "error": result.error,
    })
}

/// Returns the findings of a rule, counted by connection and sender.
fn repeated(of_rule: &RuleResult) -> impl Iterator<Item = Value> {
    of_rule.repetitions.values().map(|Repetition { first, count, last, .. }| {
        let place = &first.finding.place;
        json!({
            "rule": of_rule.rule.id,
            "connection": place.connection.number,
            "sender": side(first, place.side),
            "waived": first.waived,
            "count": count,
            "first_frame": place.frame,
            "last_frame": last,
        })
    })
}

fn total(summary: &Summary) -> Value {
    json!({
        "files": summary.files,
        "unreadable": summary.unreadable,
        "counts": summary.counts,
        "unused_waivers": summary.unused_waivers,
    })
}

// A finding as a JSON object.

pub(super) fn finding(file: &str, found: &Found) -> Value {
    let (rule, place) = (found.finding.rule, &found.finding.place);
    let ends: Vec<String> = place.connection.ends.iter().map(ToString::to_string).collect();
    json!({
        "file": file,
        "frame": place.frame,
        // As text, because a JSON number may lose digits.
        "time": place.time.map(|time| decimal_seconds(time, 9)),
        "connection": place.connection.number,
        "ends": ends,
        "sender": side(found, place.side),
        "stream_offset": place.stream_offset,
        "message": place.message,
        "rule": rule.id,
        "level": rule.level.to_string(),
        "section": rule.section(),
        "requirement": found.requirement(),
        "at_fault": found.finding.at_fault.map(|at_fault| side(found, at_fault)),
        "explanation": found.finding.explanation,
        "waived": found.waived,
    })
}

fn side(found: &Found, side: Side) -> Value {
    json!({
        "address": found.address(side),
        "role": found.role(side),
    })
}

// `--format junit`: one test suite per file, one test case per rule.

#[derive(Debug)]
pub(super) struct Junit {
    rules: Vec<&'static Rule>,
    strict: bool,
    report: quick_junit::Report,
}

impl Junit {
    /// Creates a report on these rules; `strict` makes broken SHOULDs failures.
    pub(super) fn new(rules: Vec<&'static Rule>, strict: bool) -> Self {
        Self { rules, strict, report: quick_junit::Report::new("warpscope check") }
    }

    /// Returns the test case of a rule. A broken SHOULD that is no failure is in its output.
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

/// Returns the first findings of a rule, one line each, and the number of the others.
fn lines(broken: &RuleResult) -> String {
    let line = |found: &&Found| match &found.waived {
        Some(reason) => format!("{} [waived: {reason}]\n", found.line()),
        None => format!("{}\n", found.line()),
    };
    let mut lines: String = broken.kept().iter().map(line).collect();
    broken.more().iter().for_each(|more| lines.push_str(&format!("{more}\n")));
    lines
}

/// Returns a test case that failed for a reason other than a rule.
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

// `--format sarif`: SARIF 2.1.0, with the rules and their help in the driver.

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

#[derive(Debug)]
pub(super) struct Sarif {
    rules: Vec<&'static Rule>,
    results: Vec<Value>,
    artifacts: Vec<Value>,
    notifications: Vec<Value>,
}

impl Sarif {
    pub(super) fn new(rules: Vec<&'static Rule>) -> Self {
        let (results, artifacts, notifications) = (Vec::new(), Vec::new(), Vec::new());
        Self { rules, results, artifacts, notifications }
    }

    fn result(&self, artifact: usize, file: &str, broken: &RuleResult, found: &Found) -> Value {
        let (rule, place) = (broken.rule, &found.finding.place);
        let connection = format!("connection {}", place.connection.number);
        let text = format!("{} At fault: {}.", found.finding.explanation, found.at_fault());
        let mut result = json!({
            "ruleId": rule.id,
            "ruleIndex": self.rules.iter().position(|known| *known == rule),
            "level": level(rule.level),
            "message": { "text": format!("Frame {}, {connection}: {text}", place.frame) },
            "locations": [{
                "physicalLocation": {
                    "artifactLocation": { "uri": uri(file), "index": artifact },
                },
                "logicalLocations": [{
                    "name": format!("frame {}", place.frame),
                    "fullyQualifiedName": format!("{connection}/frame {}", place.frame),
                    "kind": "element",
                }],
            }],
            "properties": {
                "frame": place.frame,
                "connection": place.connection.number,
                "streamOffset": place.stream_offset,
                "requirement": found.requirement(),
                "atFault": found.at_fault(),
            },
        });
        if let Some(reason) = &found.waived {
            result["suppressions"] = json!([{ "kind": "external", "justification": reason }]);
        }
        result
    }
}

fn level(level: Level) -> &'static str {
    match level {
        Level::Must => "error",
        Level::Should => "warning",
    }
}

/// Returns a rule's entry in the driver.
fn descriptor(rule: &Rule) -> Value {
    let requirements = rule.requirements.join(", ");
    json!({
        "id": rule.id,
        "shortDescription": { "text": rule.title },
        "fullDescription": { "text": format!("{} ({})", rule.title, rule.section()) },
        "help": {
            "text": format!("{}\n\n{}: {requirements}", rule.meaning, rule.section()),
            "markdown": format!("{}\n\n{}: `{requirements}`", rule.meaning, rule.section()),
        },
        "defaultConfiguration": { "level": level(rule.level) },
        "properties": { "requirements": rule.requirements, "level": rule.level.to_string() },
    })
}

/// Returns a file's name as a URI reference: separators kept, characters invalid in a URI percent-encoded.
pub(super) fn uri(file: &str) -> String {
    let mut uri = String::with_capacity(file.len());
    if file.starts_with('/') {
        uri.push_str("file://");
    }
    for byte in file.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(char::from(byte));
            }
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

impl Report for Sarif {
    fn file(&mut self, result: FileResult, _out: &mut dyn Write) -> io::Result<()> {
        let artifact = self.artifacts.len();
        self.artifacts.push(json!({ "location": { "uri": uri(&result.name) } }));
        for broken in &result.rules {
            for found in broken.kept() {
                let result = self.result(artifact, &result.name, broken, found);
                self.results.push(result);
            }
            if broken.rest() > 0 {
                let text = format!(
                    "{}: {} more findings of {} are not listed",
                    result.name,
                    broken.rest(),
                    broken.rule.id
                );
                self.notifications.push(json!({ "level": "note", "message": { "text": text } }));
            }
        }
        if let Some(error) = &result.error {
            self.notifications.push(json!({ "level": "error", "message": { "text": error } }));
        }
        Ok(())
    }

    fn end(&mut self, summary: &Summary, out: &mut dyn Write) -> io::Result<()> {
        for unused in &summary.unused_waivers {
            self.notifications.push(json!({ "level": "error", "message": { "text": unused } }));
        }
        let rules: Vec<Value> = self.rules.iter().map(|rule| descriptor(rule)).collect();
        let log = json!({
            "$schema": SCHEMA,
            "version": "2.1.0",
            "runs": [{
                "tool": { "driver": {
                    "name": "warpscope",
                    "version": env!("CARGO_PKG_VERSION"),
                    "semanticVersion": env!("CARGO_PKG_VERSION"),
                    "rules": rules,
                }},
                "invocations": [{
                    "executionSuccessful": summary.unreadable == 0,
                    "toolExecutionNotifications": std::mem::take(&mut self.notifications),
                }],
                "artifacts": std::mem::take(&mut self.artifacts),
                "results": std::mem::take(&mut self.results),
            }],
        });
        table::json(&log, out)
    }
}
