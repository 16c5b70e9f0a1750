//! The matrix for readers: text, Markdown, JSON.

use super::matrix::{Fate, Matrix};
use super::trial::Says;
use crate::table::{Cell, Column, Look, Table};
use owo_colors::Style;
use serde_json::json;
use std::io::{self, Write};

impl Fate {
    fn word(&self) -> &'static str {
        match self {
            Self::Killed => "killed",
            Self::KilledByOthers => "killed by others",
            Self::Accepted(_) => "accepted",
            Self::Survives => "survives",
            Self::Untried(_) => "not tried",
        }
    }

    fn style(&self) -> Style {
        match self {
            Self::Killed => Style::new().green(),
            Self::Accepted(_) => Style::new().dimmed(),
            Self::KilledByOthers => Style::new().yellow(),
            Self::Survives | Self::Untried(_) => Style::new().red().bold(),
        }
    }
}

impl Says {
    fn describe(&self) -> &str {
        match self {
            Self::Fails(..) => "it fails",
            Self::Strict(..) => "it is refused by another code",
            Self::Nothing => "it passes",
            Self::Cannot(why) => why,
        }
    }
}

/// The matrix as text.
pub(super) fn text(matrix: &Matrix, look: Look, out: &mut dyn Write) -> io::Result<()> {
    let columns = [
        Column::left("bug", 0),
        Column::left("breaks", 1),
        Column::left("", 0),
        Column::left("by", 2),
    ];
    let mut table = Table::new(0, columns);
    for (trial, fate) in &matrix.rows {
        let row = trial.bug.row();
        let cells = [row.name.to_owned(), row.requirement.to_owned()];
        let mut cells: Vec<Cell> = cells.into_iter().map(Cell::from).collect();
        cells.push(Cell::styled(fate.word(), fate.style()));
        let by = match fate {
            Fate::Accepted(why) | Fate::Untried(why) => why.clone(),
            _ => killers(trial).join(", "),
        };
        cells.push(Cell::from(by));
        table.push(cells);
    }
    table.print(look, out)?;
    let list = |title: &str, lines: Vec<String>, out: &mut dyn Write| -> io::Result<()> {
        if lines.is_empty() {
            return Ok(());
        }
        writeln!(out, "\n{}", look.heading(title))?;
        lines.iter().try_for_each(|line| writeln!(out, "  {line}"))
    };
    let survivors = matrix.rows.iter().filter(|(_, fate)| *fate == Fate::Survives);
    let survivors = survivors.map(|(trial, _)| {
        let row = trial.bug.row();
        format!("{} ({}): {}", row.name, row.requirement, row.meaning)
    });
    list("Bugs that survive", survivors.collect(), out)?;
    let unkept = matrix.unkept.iter();
    let unkept = unkept.map(|(bug, case, says)| {
        format!("{case} names {}, and {}", bug.row().name, says.describe())
    });
    list("Cases that do not kill what they name", unkept.collect(), out)?;
    list("Cases that kill nothing", matrix.idle.clone(), out)?;
    list("Accepted without need", matrix.needless.clone(), out)?;
    writeln!(out, "\n{}", sum(matrix))
}

/// The matrix as Markdown.
pub(super) fn markdown(matrix: &Matrix, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "| bug | breaks | | by |\n|---|---|---|---|")?;
    for (trial, fate) in &matrix.rows {
        let row = trial.bug.row();
        let by = match fate {
            Fate::Accepted(why) | Fate::Untried(why) => why.replace('|', "\\|"),
            _ => killers(trial).join(", "),
        };
        writeln!(out, "| {} | {} | {} | {by} |", row.name, row.requirement, fate.word())?;
    }
    writeln!(out, "\n{}", sum(matrix))
}

/// The matrix as JSON.
pub(super) fn as_json(matrix: &Matrix, out: &mut dyn Write) -> io::Result<()> {
    let rows: Vec<_> = matrix
        .rows
        .iter()
        .map(|(trial, fate)| {
            let row = trial.bug.row();
            let said = |says: &Says| match says {
                Says::Fails(id, why) => json!({"verdict": "fail", "instance": id, "why": why}),
                Says::Strict(id, why) => {
                    json!({"verdict": "strict-only", "instance": id, "why": why})
                }
                Says::Nothing => json!({"verdict": "pass"}),
                Says::Cannot(why) => json!({"verdict": "inconclusive", "why": why}),
            };
            let cases: serde_json::Map<String, _> =
                trial.said.iter().map(|(case, says)| (case.clone(), said(says))).collect();
            let reason = match fate {
                Fate::Accepted(why) | Fate::Untried(why) => Some(why),
                _ => None,
            };
            json!({
                "bug": row.name, "requirement": row.requirement, "fate": fate.word(),
                "reason": reason, "cases": cases,
            })
        })
        .collect();
    let whole = json!({"bugs": rows, "idle_cases": matrix.idle, "needless": matrix.needless});
    serde_json::to_writer_pretty(&mut *out, &whole)?;
    writeln!(out)
}

fn killers(trial: &super::trial::Trial) -> Vec<String> {
    let killers = trial.said.iter().filter(|(_, says)| says.kills());
    killers
        .map(|(case, says)| match says {
            Says::Strict(..) => format!("{case} (strict)"),
            _ => case.clone(),
        })
        .collect()
}

/// The sum in a line.
fn sum(matrix: &Matrix) -> String {
    let mut parts = vec![format!("{} killed", matrix.count(|fate| *fate == Fate::Killed))];
    let mut part = |count: usize, word: &str| {
        if count > 0 {
            parts.push(format!("{count} {word}"));
        }
    };
    part(
        matrix.count(|fate| *fate == Fate::KilledByOthers),
        "killed by cases of other requirements only",
    );
    part(matrix.count(|fate| *fate == Fate::Survives), "survive");
    part(matrix.count(|fate| matches!(fate, Fate::Accepted(_))), "survive and are accepted");
    part(matrix.count(|fate| matches!(fate, Fate::Untried(_))), "could not be tried");
    part(matrix.unkept.len(), "times a case does not kill what it names");
    part(matrix.idle.len(), "cases kill nothing");
    format!("{} seeded bugs: {}", matrix.rows.len(), parts.join(", "))
}
