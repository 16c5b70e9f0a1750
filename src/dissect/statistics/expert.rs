//! `-z expert`: counts of notable items and of broken rules.

use super::tap::{Condition, Tap};
use crate::table::Look;
use anyhow::Result;
use std::io::{self, Write};
use warpscope_dissector::field::Kind;
use warpscope_dissector::field::analysis::expert::{
    CHAT, ERROR, EXPERT, GROUP, GROUPS, MESSAGE, NOTE, SEVERITY, WARNING,
};
use warpscope_dissector::pipeline::Sink;
use warpscope_dissector::rules::{Judge, Level};
use warpscope_dissector::tree::{Tree, Value};

/// Severity, group, protocol and text, and their count.
type Row = ((u64, String, String, String), u64);

#[derive(Debug)]
pub(super) struct Experts {
    least: u64,
    filter: Condition,
    judge: Judge,
    rows: Vec<Row>,
}

/// Severities with their names, the most severe first.
const SEVERITIES: [(u64, &str); 4] =
    [(ERROR, "Errors"), (WARNING, "Warns"), (NOTE, "Notes"), (CHAT, "Chats")];

impl Experts {
    /// Parses the words after `expert`: the least severity, and a filter.
    pub(super) fn new(asked: &str, words: &[&str]) -> Result<Self> {
        let named = |word: &&str| {
            SEVERITIES.iter().find(|it| *word == it.1.to_lowercase().trim_end_matches('s'))
        };
        let least = words.first().and_then(named);
        let filter = words.get(usize::from(least.is_some())..).unwrap_or_default().join(",");
        let least = least.map_or(0, |it| it.0);
        let filter = Condition::new(&filter, asked)?;
        Ok(Self { least, filter, judge: Judge::default(), rows: Vec::new() })
    }

    fn count(&mut self, severity: u64, group: &str, protocol: &str, words: &str) {
        if severity < self.least {
            return;
        }
        let key = (severity, group.to_owned(), protocol.to_owned(), words.to_owned());
        match self.rows.iter_mut().find(|(known, _)| *known == key) {
            Some((_, count)) => *count += 1,
            None => self.rows.push((key, 1)),
        }
    }

    fn judged(&mut self, passes: bool) {
        let found: Vec<_> = self.judge.take().filter(|_| passes).collect();
        for rule in found.iter().map(|finding| finding.rule) {
            let severity = if rule.level == Level::Must { ERROR } else { WARNING };
            let layer = rule.id.split('-').next().unwrap_or_default().to_uppercase();
            self.count(
                severity,
                "Rule",
                &layer,
                &format!("{} ({}, {})", rule.title, rule.id, rule.section()),
            );
        }
    }
}

impl Sink for Experts {
    fn pass_on(&mut self, to: &mut dyn FnMut(&mut dyn Sink)) {
        to(&mut self.judge);
    }
}

impl Tap for Experts {
    fn needs_tree(&self) -> bool {
        true
    }

    fn frame_ended(&mut self, tree: Option<&Tree>, passes: bool) {
        let passes = passes && self.filter.passes(tree);
        self.judged(passes);
        let Some(tree) = tree.filter(|_| passes) else { return };
        let mut protocol = "";
        for (at, node) in tree.nodes.iter().enumerate() {
            if node.field.kind == Kind::Protocol
                && node.field != &EXPERT
                && !node.field.name.starts_with("_ws")
            {
                protocol = node.field.name;
            }
            if node.field != &EXPERT {
                continue;
            }
            let of = tree.nodes.get(at + 1..).unwrap_or_default();
            let value = |field| of.iter().find(|it| it.field == field).map(|it| &it.value);
            let (
                Some(Value::Text(words)),
                Some(Value::Unsigned(severity)),
                Some(Value::Unsigned(group)),
            ) = (value(&MESSAGE), value(&SEVERITY), value(&GROUP))
            else {
                continue;
            };
            let group = GROUPS.iter().find(|it| it.0 == *group).map_or("", |it| it.1);
            self.count(*severity, group, &protocol.to_uppercase(), words);
        }
    }

    fn capture_finished(&mut self) {
        self.judged(self.filter.is_any());
    }

    fn print(&self, _look: Look, out: &mut dyn Write) -> io::Result<()> {
        for (severity, name) in SEVERITIES {
            let rows = || self.rows.iter().filter(|it| it.0.0 == severity);
            let sum: u64 = rows().map(|it| it.1).sum();
            if sum == 0 {
                continue;
            }
            writeln!(out, "\n{name} ({sum})\n=============")?;
            writeln!(out, "   Frequency      Group           Protocol  Summary")?;
            for ((_, group, protocol, words), count) in rows() {
                writeln!(out, "{count:12} {group:>10} {protocol:>18}  {words}")?;
            }
        }
        Ok(())
    }
}
