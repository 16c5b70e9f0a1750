//! Writes the matrix as text, Markdown and JSON.

use super::matrix::{COLUMNS, Cell, Matrix, OpcodeRow, OrderRow};
use serde_json::{Value, json};
use std::io::{self, Write};

/// The name and version of the object.
const FORMAT: &str = "warpscope-conformance-matrix/1";
/// The headings of the columns of a table of opcodes.
const HEADS: [&str; 4] =
    ["taken, responder", "taken, initiator", "sent, responder", "sent, initiator"];

/// Returns the number of a cell's cases, or `-` if a waiver explains why there is none.
fn number(cell: &Cell) -> String {
    match (cell.cases.len(), &cell.waived) {
        (0, Some(_)) => "-".to_owned(),
        (count, _) => count.to_string(),
    }
}

/// Returns the names of a cell's cases, or the reason why there is none.
fn names(cell: &Cell) -> String {
    match (&cell.waived, cell.cases.is_empty()) {
        (Some(reason), true) => {
            format!("none: {}", reason.split_whitespace().collect::<Vec<_>>().join(" "))
        }
        (None, true) => "none".to_owned(),
        _ => cell.cases.iter().map(String::as_str).collect::<Vec<_>>().join(", "),
    }
}

fn order(row: &OrderRow) -> String {
    row.order.join(", ")
}

impl Matrix {
    fn profiles(&self) -> impl Iterator<Item = (&'static str, &[OpcodeRow])> {
        let groups = self.opcodes.chunk_by(|one, other| one.profile == other.profile);
        groups.filter_map(|rows| Some((rows.first()?.profile, rows)))
    }

    /// Writes a table of counts for each profile, with the names too if `all` is set, and the tables of
    /// orders with their cases. `-` is a waived cell.
    pub fn write_text(&self, all: bool, out: &mut dyn Write) -> io::Result<()> {
        let widest = self.opcodes.iter().map(|row| row.message.len()).max().unwrap_or_default();
        for (profile, rows) in self.profiles() {
            write!(out, "{:1$}", format!("Profile {profile}"), widest + 8)?;
            writeln!(out, "{}", HEADS.map(|head| format!("{head:>18}")).concat())?;
            for row in rows {
                write!(out, "  0x{:02X}  {:widest$}", row.opcode, row.message)?;
                writeln!(
                    out,
                    "{}",
                    row.cells.each_ref().map(|it| format!("{:>18}", number(it))).concat()
                )?;
                for (cell, head) in row.cells.iter().zip(HEADS).filter(|_| all) {
                    writeln!(out, "        {head}: {}", names(cell))?;
                }
            }
            writeln!(out)?;
        }
        let orders = self.tables.iter().flat_map(|(_, rows)| rows);
        let widest = orders.clone().map(|row| order(row).len()).max().unwrap_or_default();
        for (index, (title, rows)) in self.tables.iter().enumerate() {
            writeln!(out, "{}{title}", if index > 0 { "\n" } else { "" })?;
            for row in rows {
                let (order, count) = (order(row), number(&row.cell));
                writeln!(out, "  {order:widest$}  {count:>3}  {}", names(&row.cell))?;
            }
        }
        Ok(())
    }

    /// Writes the same as Markdown.
    pub fn write_markdown(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "# Matrix")?;
        for (profile, rows) in self.profiles() {
            writeln!(
                out,
                "\n## Profile {profile}\n\n| Opcode | Message | {} |",
                HEADS.join(" | ")
            )?;
            writeln!(out, "| --- | --- | ---: | ---: | ---: | ---: |")?;
            for row in rows {
                let cells = row.cells.each_ref().map(number).join(" | ");
                writeln!(out, "| 0x{:02X} | `{}` | {cells} |", row.opcode, row.message)?;
            }
        }
        for (title, rows) in &self.tables {
            writeln!(out, "\n## {title}\n\n| Order | What is said | Cases | |")?;
            writeln!(out, "| --- | --- | ---: | --- |")?;
            for row in rows {
                let (order, count) = (order(row), number(&row.cell));
                writeln!(out, "| {order} | {} | {count} | {} |", row.says, names(&row.cell))?;
            }
        }
        Ok(())
    }

    /// Writes the matrix as JSON.
    ///
    /// | key | what |
    /// |---|---|
    /// | `format` | `warpscope-conformance-matrix/1` |
    /// | `opcodes` | a list: `profile`, `opcode`, `message`, `direction` (`taken` or `sent` by the target), `role` (the target's), `cases`, `waived` (the reason) |
    /// | `orders` | a list: `table`, `order` (operations, and `answer` where one is waited for), `says`, `cases`, `waived` |
    pub fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        let opcode = |row: &OpcodeRow| -> Vec<Value> {
            let cells = row.cells.iter().zip(COLUMNS);
            let cell = cells.map(|(cell, (direction, role))| {
                json!({
                    "profile": row.profile,
                    "opcode": row.opcode,
                    "message": row.message,
                    "direction": direction,
                    "role": role,
                    "cases": cell.cases,
                    "waived": cell.waived,
                })
            });
            cell.collect()
        };
        let order = |title: &str, row: &OrderRow| {
            json!({
                "table": title,
                "order": row.order,
                "says": row.says,
                "cases": row.cell.cases,
                "waived": row.cell.waived,
            })
        };
        let whole = json!({
            "format": FORMAT,
            "opcodes": self.opcodes.iter().flat_map(opcode).collect::<Vec<_>>(),
            "orders": self.tables.iter().flat_map(|(title, rows)| {
                rows.iter().map(move |row| order(title, row))
            }).collect::<Vec<_>>(),
        });
        serde_json::to_writer_pretty(&mut *out, &whole)?;
        writeln!(out)
    }
}
