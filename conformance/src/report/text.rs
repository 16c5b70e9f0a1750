//! Text for people: a line as soon as an instance needs to be seen, and at the end the failures in
//! full, a table by document and section, and the sum.

use super::model::spent;
use super::outline::{Form, details, outline};
use super::{Counts, InstanceResult, Run, Verdict};
use crate::format::escaped_lines;
use owo_colors::{OwoColorize as _, Style};
use std::io::{self, Write};
use unicode_width::UnicodeWidthStr as _;
use warpscope_requirements::document_name;
use warpscope_text::{escaped, wrap};

/// Columns of the sentences of a failure.
const COLUMNS: usize = 100;
/// Columns of the names before what is said of a failure.
const NAMES: usize = 10;

/// Text for people.
#[derive(Debug, Clone, Copy)]
pub struct Text {
    /// With colours, as ANSI escapes.
    pub coloured: bool,
    /// Every instance gets a line, and not only those that need to be seen.
    pub all: bool,
}

impl Text {
    /// Prints the line of an instance, if it needs to be seen: it did not pass, and it applies. To be
    /// called as soon as the instance has ended.
    ///
    /// # Errors
    /// Those of the output.
    pub fn instance(&self, instance: &InstanceResult, out: &mut dyn Write) -> io::Result<()> {
        let verdict = instance.verdict;
        let silent = matches!(verdict, Verdict::Pass | Verdict::NotApplicable);
        if silent && !self.all {
            return Ok(());
        }
        let head = format!("{} {verdict:16}", verdict.sign());
        let reason = instance.reason.as_deref().map(|reason| format!("  {}", escaped(reason)));
        writeln!(
            out,
            "{}  {}{}",
            self.styled(&head, style(verdict)),
            escaped(&instance.id),
            reason.unwrap_or_default()
        )
    }

    /// Prints what is after the last instance: failures in full, table, sum.
    ///
    /// # Errors
    /// Those of the output.
    pub fn end(&self, run: &Run, out: &mut dyn Write) -> io::Result<()> {
        for instance in &run.instances {
            if instance.verdict.needs_attention() {
                self.failure(instance, out)?;
            }
        }
        self.table(run, out)?;
        self.sum(run, out)
    }

    /// Prints all that is known of an instance.
    ///
    /// # Errors
    /// Those of the output.
    pub fn failure(&self, instance: &InstanceResult, out: &mut dyn Write) -> io::Result<()> {
        let verdict = instance.verdict;
        let head = format!("{} {verdict}", verdict.sign());
        writeln!(
            out,
            "\n{}  {}",
            self.styled(&head, style(verdict)),
            self.styled(&escaped(&instance.id), Style::new().bold())
        )?;
        writeln!(out, "  {}", escaped(&instance.title))?;
        for detail in details(instance) {
            let mut name = detail.name;
            for line in &detail.lines {
                let line = escaped(line);
                let lines = match detail.form {
                    Form::Words => wrap(&line, COLUMNS - NAMES - 2),
                    Form::Lines => vec![line],
                };
                for line in lines {
                    let shown = self.styled(&format!("{name:NAMES$}"), Style::new().dimmed());
                    writeln!(out, "  {shown}{line}")?;
                    name = "";
                }
            }
        }
        let Some(ladder) = &instance.ladder else { return Ok(()) };
        for line in escaped_lines(&ladder.text).lines() {
            writeln!(out, "{}", format!("    {line}").trim_end())?;
        }
        Ok(())
    }

    fn table(&self, run: &Run, out: &mut dyn Write) -> io::Result<()> {
        let counts = run.counts();
        let always = [Verdict::Pass, Verdict::Fail];
        let columns: Vec<Verdict> = Verdict::ALL
            .into_iter()
            .filter(|verdict| always.contains(verdict) || counts.of(*verdict) > 0)
            .collect();
        let mut rows: Vec<(bool, String, usize, Counts)> = Vec::new();
        for document in outline(run) {
            let name = document_name(document.id);
            rows.push((true, escaped(&name), document.cases(), document.counts()));
            for section in &document.sections {
                let name = escaped(&format!("  {} {}", section.number, section.title));
                let name = name.trim_end().to_owned();
                rows.push((false, name, section.cases.len(), section.counts()));
            }
        }
        if rows.is_empty() {
            return Ok(());
        }
        rows.push((true, "All".to_owned(), run.cases(), counts));
        let names = rows.iter().map(|(_, name, ..)| name.width()).max().unwrap_or(0);
        let mut head = format!("{:names$}  {:>6}  {:>9}", "", "cases", "instances");
        for verdict in &columns {
            head.push_str(&format!("  {:>6}", verdict.short()));
        }
        writeln!(out, "\n{}", self.styled(&head, Style::new().bold()))?;
        for (bold, name, cases, counts) in &rows {
            let blank = " ".repeat(names.saturating_sub(name.width()));
            let name = if *bold { self.styled(name, Style::new().bold()) } else { name.clone() };
            write!(out, "{name}{blank}  {cases:>6}  {:>9}", counts.total())?;
            for verdict in &columns {
                match counts.of(*verdict) {
                    0 => write!(out, "  {:>6}", self.styled("     -", Style::new().dimmed()))?,
                    count => {
                        let cell = format!("{count:>6}");
                        write!(out, "  {}", self.styled(&cell, style(*verdict)))?;
                    }
                }
            }
            writeln!(out)?;
        }
        Ok(())
    }

    fn sum(&self, run: &Run, out: &mut dyn Write) -> io::Result<()> {
        let counts = run.counts();
        let target = match &run.target.address {
            Some(address) if *address != run.target.name => {
                format!("{} ({address})", run.target.name)
            }
            _ => run.target.name.clone(),
        };
        let verdict = match counts.failing(false) {
            0 if counts.of(Verdict::StrictOnly) + counts.of(Verdict::Inconclusive) > 0 => {
                Style::new().yellow()
            }
            0 => Style::new().green(),
            _ => Style::new().red(),
        };
        writeln!(
            out,
            "\n{}, {}, seed {}: {} in {}",
            escaped(&target),
            escaped(&run.target.mode),
            run.seed,
            self.styled(&counts.describe(), verdict),
            spent(run.microseconds)
        )?;
        for allowance in &run.target.allowances {
            writeln!(out, "allowed by the profile: {}", escaped(allowance))?;
        }
        if let Some(why) = &run.broken_off {
            let words = format!("broken off: {}", escaped(why));
            writeln!(out, "{}", self.styled(&words, Style::new().red()))?;
        }
        Ok(())
    }

    fn styled(&self, text: &str, style: Style) -> String {
        if self.coloured { text.style(style).to_string() } else { text.to_owned() }
    }
}

fn style(verdict: Verdict) -> Style {
    match verdict {
        Verdict::Pass => Style::new().green(),
        Verdict::Fail | Verdict::UnexpectedPass => Style::new().red().bold(),
        Verdict::StrictOnly | Verdict::Inconclusive => Style::new().yellow().bold(),
        Verdict::ExpectedFailure => Style::new().yellow(),
        Verdict::NotApplicable => Style::new().dimmed(),
    }
}
