//! `--format sarif`: SARIF 2.1.0, with the rules and their help in the driver.

use super::found::{Found, level_word};
use super::report::Report;
use super::result::{FileResult, RuleResult, Summary};
use serde_json::{Value, json};
use std::io::{self, Write};
use warpscope_dissector::rules::{Level, Rule};

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// `--format sarif`.
#[derive(Debug)]
pub(super) struct Sarif {
    rules: Vec<&'static Rule>,
    results: Vec<Value>,
    artifacts: Vec<Value>,
    notifications: Vec<Value>,
}

impl Sarif {
    /// A report on these rules.
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
        if let (Some(reason), Some(result)) = (&found.waived, result.as_object_mut()) {
            let suppressions = json!([{ "kind": "external", "justification": reason }]);
            result.insert("suppressions".to_owned(), suppressions);
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

/// A rule as the driver lists it.
fn descriptor(rule: &Rule) -> Value {
    let requirements = rule.requirements.join(", ");
    json!({
        "id": rule.id,
        "shortDescription": { "text": rule.title },
        "fullDescription": { "text": format!("{} ({})", rule.title, rule.section) },
        "help": {
            "text": format!("{}\n\n{}: {requirements}", rule.meaning, rule.section),
            "markdown": format!("{}\n\n{}: `{requirements}`", rule.meaning, rule.section),
        },
        "defaultConfiguration": { "level": level(rule.level) },
        "properties": { "requirements": rule.requirements, "level": level_word(rule.level) },
    })
}

/// A file's name as a URI reference: separators kept, what a URI cannot hold in percent form.
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
        serde_json::to_writer_pretty(&mut *out, &log)?;
        writeln!(out)
    }
}
