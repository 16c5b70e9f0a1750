//! Several runs in order, for example of the versions of a firmware.

use super::cause::causes;
use super::change::{Change, changes, count};
use super::html::head;
use super::{Run, Text, Verdict};
use std::io::{self, Write};
use unicode_width::UnicodeWidthStr as _;
use warpscope_text::{escaped, markup, wrap};

/// A run and its name: the file of its report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedRun {
    /// The file of its report.
    pub name: String,
    /// The run.
    pub run: Run,
}

/// The columns of numbers with the classes of their cells. The last two are relative to the previous run.
const COLUMNS: [(&str, &str); 7] = [
    ("instances", ""),
    ("pass", "pass"),
    ("fail", "fail"),
    ("strict", "strict-only"),
    ("unsure", "inconclusive"),
    ("newly failing", "fail"),
    ("mended", "pass"),
];
/// The maximum number of causes shown.
const CAUSES: usize = 200;
/// The maximum width of the name of a cause in text, in columns.
const WIDTH: usize = 96;

/// Returns the numbers of a run. Those relative to the previous run are unknown for the first.
fn numbers(run: &Run, before: Option<&Run>) -> [Option<u64>; COLUMNS.len()] {
    let counts = run.counts();
    let of = |verdict| Some(counts.of(verdict));
    let changes = before.map(|before| changes(before, run));
    let changed = |change| changes.as_ref().map(|it| count(it, change));
    [
        Some(counts.total()),
        of(Verdict::Pass),
        Some(counts.failing(false)),
        of(Verdict::StrictOnly),
        of(Verdict::Inconclusive),
        changed(Change::NewlyFailing),
        changed(Change::Mended),
    ]
}

/// Returns every run with its numbers.
fn rows(runs: &[NamedRun]) -> Vec<(&NamedRun, [Option<u64>; COLUMNS.len()])> {
    let before = std::iter::once(None).chain(runs.iter().map(|it| Some(&it.run)));
    runs.iter().zip(before).map(|(it, before)| (it, numbers(&it.run, before))).collect()
}

/// Returns what was wrong in any of the runs, with the number of instances that show it in each. What is
/// wrong in the last run comes first, then what most instances show.
fn causes_of(runs: &[NamedRun]) -> Vec<(String, Vec<usize>)> {
    let mut found: Vec<(String, Vec<usize>)> = Vec::new();
    for (at, NamedRun { run, .. }) in runs.iter().enumerate() {
        for cause in causes(run) {
            let place = found.iter().position(|(name, _)| name == cause.cause);
            let place = place.unwrap_or_else(|| {
                found.push((cause.cause.to_owned(), vec![0; runs.len()]));
                found.len() - 1
            });
            let number = found.get_mut(place).and_then(|(_, counts)| counts.get_mut(at));
            number.into_iter().for_each(|it| *it = cause.instances.len());
        }
    }
    found.sort_by_key(|(_, counts)| {
        std::cmp::Reverse((counts.last().copied(), counts.iter().sum::<usize>()))
    });
    found
}

impl Text {
    /// Prints several runs as a table, and the number of instances with each cause in each run.
    pub fn trend(&self, runs: &[NamedRun], out: &mut dyn Write) -> io::Result<()> {
        let names = runs.iter().map(|it| it.name.width()).max().unwrap_or(0);
        write!(out, "{:names$}  {:24}", "", "began")?;
        COLUMNS.iter().try_for_each(|(head, _)| write!(out, "  {head:>9}"))?;
        writeln!(out, "  target")?;
        for (NamedRun { name, run }, numbers) in rows(runs) {
            write!(out, "{:names$}  {:24}", escaped(name), run.started)?;
            for ((head, _), number) in COLUMNS.iter().zip(numbers) {
                let width = head.len().max(9);
                let number = number.map_or_else(|| "-".to_owned(), |it| it.to_string());
                write!(out, "  {number:>width$}")?;
            }
            writeln!(out, "  {}", escaped(&run.target.name))?;
        }
        for (cause, counts) in causes_of(runs).iter().take(CAUSES) {
            let counts: Vec<String> = counts.iter().map(ToString::to_string).collect();
            writeln!(out, "\n{}", counts.join(" \u{2192} "))?;
            for line in wrap(&escaped(cause), WIDTH) {
                writeln!(out, "  {line}")?;
            }
        }
        Ok(())
    }
}

/// Writes several runs as a page for a browser: their numbers, and the number of instances by cause.
pub fn write_trend_html(runs: &[NamedRun], out: &mut dyn Write) -> io::Result<()> {
    head("Conformance from run to run", out)?;
    writeln!(out, "</header>\n<main>\n<div class=\"scroll\"><table class=\"matrix trend\">")?;
    write!(out, "<thead><tr><th scope=\"col\">Run</th><th scope=\"col\"></th>")?;
    COLUMNS.iter().try_for_each(|(head, _)| write!(out, "<th scope=\"col\">{head}</th>"))?;
    writeln!(out, "</tr></thead>\n<tbody>")?;
    for (NamedRun { name, run }, numbers) in rows(runs) {
        write!(
            out,
            "<tr><th scope=\"row\"><b>{}</b> <small>{} \u{b7} {} \u{b7} warpscope {}</small></th><td>",
            markup(name),
            markup(&run.target.name),
            run.started,
            markup(&run.version)
        )?;
        bar(run, out)?;
        write!(out, "</td>")?;
        for ((_, class), number) in COLUMNS.iter().zip(numbers) {
            match number {
                Some(number @ 1..) => write!(out, "<td class=\"{class}\">{number}</td>")?,
                _ => write!(out, "<td class=\"none\">\u{b7}</td>")?,
            }
        }
        writeln!(out, "</tr>")?;
        if let Some(why) = run.incomplete() {
            let span = COLUMNS.len() + 2;
            writeln!(out, "<tr><td class=\"fail\" colspan=\"{span}\">{}</td></tr>", markup(&why))?;
        }
    }
    let causes = causes_of(runs);
    writeln!(out, "</tbody>\n</table></div>")?;
    if !causes.is_empty() {
        writeln!(
            out,
            "<section aria-labelledby=\"causes\">\n<h2 id=\"causes\">What is wrong, and in how many instances</h2>\n\
             <div class=\"scroll\"><table class=\"matrix trend\"><thead><tr><th scope=\"col\">Cause</th>"
        )?;
        for run in runs {
            write!(out, "<th scope=\"col\">{}</th>", markup(&run.name))?;
        }
        writeln!(out, "</tr></thead>\n<tbody>")?;
        for (cause, counts) in causes.iter().take(CAUSES) {
            write!(out, "<tr><th scope=\"row\">{}</th>", markup(cause))?;
            for count in counts {
                match count {
                    0 => write!(out, "<td class=\"none\">\u{b7}</td>")?,
                    count => write!(out, "<td class=\"fail\">{count}</td>")?,
                }
            }
            writeln!(out, "</tr>")?;
        }
        writeln!(out, "</tbody></table></div>\n</section>")?;
    }
    if causes.len() > CAUSES {
        writeln!(out, "<p>and {} more causes</p>", causes.len() - CAUSES)?;
    }
    writeln!(out, "</main>\n</body>\n</html>")
}

/// Writes the verdicts of a run as a bar of shares.
fn bar(run: &Run, out: &mut dyn Write) -> io::Result<()> {
    let counts = run.counts();
    write!(out, "<span class=\"bar\" role=\"img\" aria-label=\"{}\">", counts.describe())?;
    for verdict in Verdict::ALL {
        let share = counts.of(verdict) as f64 * 100.0 / counts.total().max(1) as f64;
        if share > 0.0 {
            let word = verdict.word();
            write!(out, "<i class=\"{word}\" style=\"width:{share:.2}%\"></i>")?;
        }
    }
    write!(out, "</span>")
}
