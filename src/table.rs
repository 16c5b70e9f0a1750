//! Aligned tables as text; in a narrow terminal the least important columns are left out.

use owo_colors::{OwoColorize as _, Style};
use serde::Serialize;
use std::io::{self, Write};
use unicode_width::UnicodeWidthStr as _;
use warpscope_dissector::table::{self, InFile, Shown, Tone};

const BETWEEN: usize = 2;

/// A column: its heading, left or right alignment, and its priority when columns are left out.
pub(crate) use warpscope_dissector::table::Heading as Column;

#[derive(Debug, Clone, Default)]
pub(crate) struct Cell {
    text: String,
    style: Option<Style>,
}

impl Cell {
    pub(crate) fn styled(text: impl Into<String>, style: Style) -> Self {
        Self { text: text.into(), style: Some(style) }
    }
}

macro_rules! cell_from {
    ($($text:ty)*) => {
        $(impl From<$text> for Cell {
            fn from(text: $text) -> Self {
                Self { text: text.to_string(), style: None }
            }
        })*
    };
}

cell_from!(&str String u8 u16 u32 u64 usize);

impl From<Shown> for Cell {
    fn from(shown: Shown) -> Self {
        let style = match shown.tone {
            Tone::Plain => None,
            Tone::Bar => Some(Style::new().green()),
            Tone::Warning => Some(Style::new().yellow()),
            Tone::Bad => Some(Style::new().red()),
            Tone::Alarm => Some(Style::new().red().bold()),
        };
        Self { text: shown.text, style }
    }
}

#[derive(Debug)]
pub(crate) struct Table {
    columns: Vec<Column>,
    rows: Vec<Vec<Cell>>,
    indent: usize,
}

/// How a table is printed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Look {
    pub(crate) coloured: bool,
    /// The most characters of a line; `None` for no limit.
    pub(crate) width: Option<usize>,
}

impl Look {
    /// Returns text in a style, if colours are enabled.
    pub(crate) fn styled(&self, text: &str, style: Style) -> String {
        if self.coloured { text.style(style).to_string() } else { text.to_owned() }
    }

    pub(crate) fn heading(&self, text: &str) -> String {
        self.styled(text, Style::new().bold())
    }
}

impl Table {
    pub(crate) fn new(indent: usize, columns: impl Into<Vec<Column>>) -> Self {
        Self { columns: columns.into(), rows: Vec::new(), indent }
    }

    /// Creates a table of rows, with their printed columns.
    pub(crate) fn of<R>(
        indent: usize,
        columns: &[table::Column<R>],
        file: &InFile<'_>,
        rows: &[R],
    ) -> Self {
        let headings: Vec<Column> = columns.iter().filter_map(|column| column.heading).collect();
        let mut table = Self::new(indent, headings);
        for row in rows {
            table.row(columns, file, row);
        }
        table
    }

    /// Adds a row, with its printed columns.
    pub(crate) fn row<R>(&mut self, columns: &[table::Column<R>], file: &InFile<'_>, row: &R) {
        self.push(table::shown(columns, row, file).into_iter().map(Cell::from).collect());
    }

    /// Removes a column.
    pub(crate) fn without(mut self, heading: &str) -> Self {
        if let Some(index) = self.columns.iter().position(|column| column.text == heading) {
            self.columns.remove(index);
            self.rows
                .iter_mut()
                .filter(|row| index < row.len())
                .for_each(|row| _ = row.remove(index));
        }
        self
    }

    pub(crate) fn push(&mut self, cells: Vec<Cell>) {
        self.rows.push(cells);
    }

    /// Prints the table, and the names of the columns that were left out.
    pub(crate) fn print(&self, look: Look, out: &mut dyn Write) -> io::Result<()> {
        let cells = |index: usize| self.rows.iter().filter_map(move |row| row.get(index));
        let mut shown = Vec::new();
        for (index, column) in self.columns.iter().copied().enumerate() {
            let width = cells(index).map(|cell| cell.text.width()).max().unwrap_or(0);
            // An empty column has no information.
            if width > 0 || self.rows.is_empty() {
                shown.push(Placed { index, column, width: width.max(column.text.width()) });
            }
        }
        let room = look.width.map_or(usize::MAX, |width| width.saturating_sub(self.indent));
        let left_out = leave_out(&mut shown, room);
        let bold = |column: &Column| Cell::styled(column.text, Style::new().bold());
        let header: Vec<Cell> = self.columns.iter().map(bold).collect();
        let header = Some(&header).filter(|_| self.columns.iter().any(|it| !it.text.is_empty()));
        for row in header.into_iter().chain(&self.rows) {
            self.print_row(row, &shown, look, out)?;
        }
        if left_out.is_empty() {
            return Ok(());
        }
        let words = format!("Not shown for lack of space: {}.", left_out.join(", "));
        let words = look.styled(&words, Style::new().dimmed());
        writeln!(out, "{}{words}", " ".repeat(self.indent))
    }

    fn print_row(
        &self,
        row: &[Cell],
        shown: &[Placed],
        look: Look,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let mut line = " ".repeat(self.indent);
        for (place, it) in shown.iter().enumerate() {
            let Some(cell) = row.get(it.index) else { continue };
            let gap = " ".repeat(if place > 0 { BETWEEN } else { 0 });
            let blank = " ".repeat(it.width.saturating_sub(cell.text.width()));
            let text = match cell.style {
                Some(style) if !cell.text.is_empty() => look.styled(&cell.text, style),
                _ => cell.text.clone(),
            };
            line += &if it.column.right { gap + &blank + &text } else { gap + &text + &blank };
        }
        writeln!(out, "{}", line.trim_end())
    }
}

/// A shown column and its width in characters.
struct Placed {
    index: usize,
    column: Column,
    width: usize,
}

/// Removes the shown columns that do not fit; returns their names.
fn leave_out(shown: &mut Vec<Placed>, room: usize) -> Vec<&'static str> {
    let too_wide = |shown: &[Placed]| {
        shown.iter().map(|it| it.width + BETWEEN).sum::<usize>() > room.saturating_add(BETWEEN)
    };
    let mut left_out = Vec::new();
    while too_wide(shown) {
        let last = shown.iter().enumerate().max_by_key(|(at, it)| (it.column.rank, *at));
        let Some((at, _)) = last.filter(|(_, it)| it.column.rank > 0) else { break };
        left_out.push(shown.remove(at));
    }
    // A narrow column may fit even if a more important wide one did not.
    for placed in std::mem::take(&mut left_out).into_iter().rev() {
        shown.push(placed);
        if too_wide(shown) {
            left_out.extend(shown.pop());
        }
    }
    shown.sort_unstable_by_key(|it| it.index);
    left_out.sort_unstable_by_key(|it| it.index);
    left_out.iter().map(|it| it.column.text).collect()
}

/// Rows of cells, with their heading.
pub(crate) type Group = (String, Vec<Vec<String>>);

/// Prints rows below their headings, with columns aligned across all groups.
pub(crate) fn groups(groups: &[Group], look: Look, out: &mut dyn Write) -> io::Result<()> {
    let rows = || groups.iter().flat_map(|(_, rows)| rows);
    let width =
        |index| rows().filter_map(|row| row.get(index)).map(|cell: &String| cell.width()).max();
    let widths: Vec<usize> = (0..).map_while(width).collect();
    for (index, (heading, rows)) in groups.iter().enumerate() {
        let gap = if index > 0 { "\n" } else { "" };
        writeln!(out, "{gap}{}", look.heading(heading))?;
        for row in rows {
            let cells = row.iter().zip(&widths).map(|(cell, width)| format!("  {cell:width$}"));
            writeln!(out, "{}", cells.collect::<String>().trim_end())?;
        }
    }
    Ok(())
}

/// Prints Markdown tables with these columns below their headings.
pub(crate) fn markdown_groups(
    groups: &[Group],
    columns: &[&str],
    out: &mut dyn Write,
) -> io::Result<()> {
    for (index, (heading, rows)) in groups.iter().enumerate() {
        let gap = if index > 0 { "\n" } else { "" };
        writeln!(out, "{gap}## {heading}\n")?;
        markdown(columns, rows, out)?;
    }
    Ok(())
}

/// Prints a Markdown table.
pub(crate) fn markdown(
    columns: &[&str],
    rows: &[Vec<String>],
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(out, "| {} |\n|{}", columns.join(" | "), " --- |".repeat(columns.len()))?;
    for row in rows {
        let cells: Vec<String> = row.iter().map(|cell| cell.replace('|', "\\|")).collect();
        writeln!(out, "| {} |", cells.join(" | "))?;
    }
    Ok(())
}

/// Prints a value as indented JSON.
pub(crate) fn json(value: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, value)?;
    writeln!(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(width: Option<usize>) -> (String, String) {
        let mut table = Table::new(
            1,
            [Column::right("number", 0), Column::left("words", 1), Column::right("more", 2)],
        );
        table.push(vec![1_u32.into(), "µs".into(), 22_u32.into()]);
        table.push(vec![23_456_789_u32.into(), "and so on".into(), "".into()]);
        let mut out = Vec::new();
        table.print(Look { coloured: false, width }, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        match text.split_once(" Not shown for lack of space: ") {
            Some((table, left_out)) => (table.to_owned(), left_out.trim_end().to_owned()),
            None => (text, String::new()),
        }
    }

    #[test]
    fn columns_are_aligned() {
        let (text, left_out) = printed(None);
        assert_eq!(
            text,
            "   number  words      more\n        1  µs           22\n 23456789  and so on\n"
        );
        assert!(left_out.is_empty());
    }

    #[test]
    fn a_narrow_terminal_shows_what_says_most() {
        // 1 blank, 8, 2 blanks, 9, 2 blanks, 4 characters.
        assert!(printed(Some(26)).1.is_empty());
        assert_eq!(printed(Some(25)).1, "more.");
        // Too few for the words, and enough for what says less than they do.
        assert_eq!(printed(Some(16)).1, "words.");
        let (text, left_out) = printed(Some(5));
        assert_eq!(left_out, "words, more.");
        assert_eq!(text, "   number\n        1\n 23456789\n");
    }
}
