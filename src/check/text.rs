//! `--format text`: for each file the rules that were broken, each with its first findings.

use super::found::{Found, level_word};
use super::report::Report;
use super::result::{FileResult, RuleResult, Summary};
use owo_colors::{OwoColorize as _, Style};
use std::io::{self, Write};
use warpscope_dissector::format::{escape_from, push_shown};
use warpscope_dissector::rules::Level;

/// `--format text`.
#[derive(Debug)]
pub(super) struct Text {
    coloured: bool,
}

impl Text {
    /// A report with or without colours.
    pub(super) fn new(coloured: bool) -> Self {
        Self { coloured }
    }

    fn styled(&self, text: &str, style: Style) -> String {
        if self.coloured { text.style(style).to_string() } else { text.to_owned() }
    }

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
            self.styled(&format!("{:6}", level_word(rule.level)), level),
            self.styled(rule.id, Style::new().bold()),
            rule.section,
        )?;
        writeln!(out, "          {}", rule.title)?;
        self.findings(&of_rule.kept(), out)?;
        match of_rule.rest() {
            0 => Ok(()),
            rest => writeln!(out, "    and {rest} more"),
        }
    }

    /// A line a finding, in columns.
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
            let mut words = String::new();
            push_shown(&found.finding.explanation, &mut words);
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
                line.push_str(" [waived: ");
                push_shown(reason, &mut line);
                line.push(']');
                line = self.styled(&line, Style::new().dimmed());
            }
            writeln!(out, "{line}")?;
        }
        Ok(())
    }
}

impl Report for Text {
    fn file(&mut self, result: FileResult, out: &mut dyn Write) -> io::Result<()> {
        let mut name = result.name.clone();
        escape_from(&mut name, 0);
        let frames = plural(result.frames, "frame");
        let carried = match result.connections {
            0 => "no iWARP connection".to_owned(),
            connections => plural(connections, "iWARP connection"),
        };
        let verdict = match result.connections {
            0 if result.counts.standing() + result.counts.waived == 0 => String::new(),
            _ => format!(": {}", result.counts.describe()),
        };
        let cut = if result.error.is_some() { " (not read to its end)" } else { "" };
        writeln!(
            out,
            "{}: {frames}, {carried}{verdict}{cut}",
            self.styled(&name, Style::new().bold())
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
        let unreadable = match summary.unreadable {
            0 => String::new(),
            unreadable => format!(", {unreadable} not read to the end"),
        };
        let unused = match summary.unused_waivers.len() as u64 {
            0 => String::new(),
            unused => format!(", {} not used", plural(unused, "waiver")),
        };
        let files = plural(summary.files, "file");
        let words = self.styled(&counts.describe(), style);
        writeln!(out, "{files}{unreadable}: {words}{unused}")
    }
}

/// A number with its noun.
fn plural(number: u64, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}
