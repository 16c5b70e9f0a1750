//! Text for people: a line as soon as an instance needs attention, and at the end the failures in full, a
//! table by document and section, and the totals.

use super::cause::{Cause, causes};
use super::change::{Changed, changes, count, summary};
use super::model::spent;
use super::outline::{DIFFERS, Form, details, outline};
use super::{Counts, InstanceResult, Run, Verdict};
use crate::format::escaped_lines;
use owo_colors::{OwoColorize as _, Style};
use std::collections::{BTreeSet, HashMap};
use std::io::{self, Write};
use unicode_width::UnicodeWidthStr as _;
use warpscope_requirements::document_name;
use warpscope_text::{counted, escaped, wrap};

/// The width of the sentences of a failure, in columns.
const COLUMNS: usize = 100;
/// The width of the names before the details of a failure, in columns.
const NAMES: usize = 10;
/// The number of lines printed for each kind of change, unless all are requested.
const CHANGES: usize = 20;

/// Prints a report as text for people.
#[derive(Debug, Clone, Copy)]
pub struct Text {
    /// Whether to use colours, as ANSI escapes.
    pub coloured: bool,
    /// Whether every instance gets a line, and not only those that need attention.
    pub all: bool,
    /// Whether `strict-only` fails the run.
    pub strict: bool,
}

impl Text {
    /// Prints the line of an instance if it needs attention: it did not pass, and it applies. To be called as
    /// soon as the instance has ended.
    pub fn instance(&self, instance: &InstanceResult, out: &mut dyn Write) -> io::Result<()> {
        let verdict = instance.verdict;
        let silent = matches!(verdict, Verdict::Pass | Verdict::NotApplicable);
        if silent && !self.all {
            return Ok(());
        }
        let head = format!("{} {verdict:16}", verdict.sign());
        // What was expected is shown at the end.
        let reason =
            instance.reason.as_deref().and_then(|reason| reason.split("; expected ").next());
        let reason = reason.map(|reason| format!("  {}", escaped(reason)));
        writeln!(
            out,
            "{}  {}{}",
            self.styled(&head, style(verdict)),
            escaped(&instance.id),
            reason.unwrap_or_default()
        )
    }

    /// Prints what follows the last instance: failures in full, the table and the totals.
    pub fn end(&self, run: &Run, out: &mut dyn Write) -> io::Result<()> {
        let mut shown = BTreeSet::new();
        let places: HashMap<&str, usize> =
            run.instances.iter().enumerate().map(|(at, it)| (it.id.as_str(), at)).collect();
        let place = |it: &InstanceResult| places.get(it.id.as_str()).copied();
        for cause in causes(run) {
            self.cause(&cause, &place, &mut shown, out)?;
        }
        self.table(run, out)?;
        self.sum(run, out)
    }

    /// Prints a cause, all that is known of the clearest instance, and the others in short; or all of them in
    /// full. Instances that were already shown are only named.
    fn cause<'a>(
        &self,
        cause: &Cause<'a>,
        place: &dyn Fn(&InstanceResult) -> Option<usize>,
        shown: &mut BTreeSet<&'a str>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let head = format!("{} {}", cause.verdict.sign(), cause.verdict);
        let count = cause.count();
        writeln!(out, "\n{}  {count}", self.styled(&head, style(cause.verdict)))?;
        for line in wrap(&escaped(cause.cause), COLUMNS - 2) {
            writeln!(out, "  {}", self.styled(&line, Style::new().bold()))?;
        }
        let mut others = Vec::new();
        for (at, instance) in cause.instances.iter().enumerate() {
            if (at == 0 || self.all) && shown.insert(&instance.id) {
                self.failure(instance, out)?;
            } else {
                others.push(*instance);
            }
        }
        // In the order of the run.
        others.sort_by_key(|it| (it.verdict, place(it)));
        if !others.is_empty() {
            writeln!(out, "\n  {}", if self.all { "Shown above" } else { "And in" })?;
        }
        for of_case in others.chunk_by(|one, next| one.case == next.case) {
            let [first, more @ ..] = of_case else { continue };
            let mut words = escaped(&first.id);
            if !more.is_empty() {
                let count = counted(of_case.len() as u64, "instance");
                words = format!("{}, {count}", escaped(&first.case));
            }
            writeln!(out, "  {} {words}", first.verdict.sign())?;
        }
        Ok(())
    }

    /// Prints all that is known of an instance.
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
                    Form::Text => wrap(&line, COLUMNS - NAMES - 2),
                    Form::Lines => vec![line],
                };
                for line in lines {
                    let differs =
                        if line.starts_with(DIFFERS) { Style::new().red() } else { Style::new() };
                    let line = self.styled(&line, differs);
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

    /// Prints what changed since an older run, whose report is in this file.
    pub fn changes(
        &self,
        file: &str,
        older: &Run,
        run: &Run,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let changes = changes(older, run);
        let (target, began, version) = (&older.target.name, older.started, &older.version);
        writeln!(
            out,
            "\nCompared with {} ({}, {began}, warpscope {}): {}",
            escaped(file),
            escaped(target),
            escaped(version),
            summary(&changes)
        )?;
        for of_change in changes.chunk_by(|one, next| one.change == next.change) {
            let Some(Changed { change, .. }) = of_change.first() else { continue };
            let head = format!("{}  {}", change.describe(), count(of_change, *change));
            writeln!(out, "\n  {}", self.styled(&head, Style::new().bold()))?;
            for changed in of_change.iter().take(if self.all { usize::MAX } else { CHANGES }) {
                writeln!(out, "  {}", escaped(&changed.name()))?;
                for line in wrap(&escaped(&changed.words), COLUMNS - 6) {
                    writeln!(out, "      {line}")?;
                }
            }
            if of_change.len() > CHANGES && !self.all {
                writeln!(out, "  and {} more (-v prints all)", of_change.len() - CHANGES)?;
            }
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
        if let Some(why) = run.conclusion(self.strict) {
            writeln!(out, "{}", self.styled(&escaped(&why), Style::new().red()))?;
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
