//! Tables for people: aligned columns; in a narrow terminal the columns that say least are left out.

use owo_colors::{OwoColorize as _, Style};
use std::io::{self, Write};
use warpscope_dissector::table::{self, InFile, Shown, Tone};

const BETWEEN: usize = 2;

/// A column: what is above it, flush left or right, and how soon it is left out.
pub(crate) use warpscope_dissector::table::Heading as Column;

#[derive(Debug, Clone, Default)]
pub(crate) struct Cell {
    text: String,
    style: Option<Style>,
}

impl Cell {
    /// A cell with a style of its own.
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
    /// Characters of a line; `None` for as many as are needed.
    pub(crate) width: Option<usize>,
}

impl Look {
    /// Text in a style, where there are colours.
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

    /// A table of rows in their columns for people.
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

    /// Adds a row in its columns for people.
    pub(crate) fn row<R>(&mut self, columns: &[table::Column<R>], file: &InFile<'_>, row: &R) {
        self.push(table::shown(columns, row, file).into_iter().map(Cell::from).collect());
    }

    /// Without a column.
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

    /// Prints it, and the names of the columns that had to be left out.
    pub(crate) fn print(&self, look: Look, out: &mut dyn Write) -> io::Result<()> {
        let widths: Vec<usize> =
            self.columns.iter().enumerate().map(|(index, _)| self.width_of(index)).collect();
        let mut shown: Vec<usize> = (0..self.columns.len()).collect();
        // A column with nothing in it says nothing.
        shown.retain(|index| self.rows.is_empty() || self.says_something(*index));
        let left_out = self.leave_out(&mut shown, &widths, look.width);
        let header: Vec<Cell> = self
            .columns
            .iter()
            .map(|column| Cell::styled(column.text, Style::new().bold()))
            .collect();
        for row in std::iter::once(&header).chain(&self.rows) {
            self.print_row(row, &shown, &widths, look, out)?;
        }
        if left_out.is_empty() {
            return Ok(());
        }
        let words = format!("Not shown for want of room: {}.", left_out.join(", "));
        let words = look.styled(&words, Style::new().dimmed());
        writeln!(out, "{}{words}", " ".repeat(self.indent))
    }

    /// Takes out of the shown columns those that there is no room for; returns their names.
    fn leave_out(
        &self,
        shown: &mut Vec<usize>,
        widths: &[usize],
        width: Option<usize>,
    ) -> Vec<&'static str> {
        let Some(width) = width else { return Vec::new() };
        let mut left_out = Vec::new();
        while self.total(shown, widths) > width {
            let last = shown.iter().copied().max_by_key(|index| (self.rank(*index), *index));
            let Some(last) = last.filter(|index| self.rank(*index) > 0) else { break };
            shown.retain(|index| *index != last);
            left_out.push(last);
        }
        // A narrow column may find room where a wide one that says more did not.
        for index in std::mem::take(&mut left_out).into_iter().rev() {
            shown.push(index);
            if self.total(shown, widths) > width {
                shown.pop();
                left_out.push(index);
            }
        }
        shown.sort_unstable();
        let name = |index: &usize| self.columns.get(*index).map(|column| column.text);
        left_out.sort_unstable();
        left_out.iter().filter_map(name).collect()
    }

    fn rank(&self, index: usize) -> u8 {
        self.columns.get(index).map_or(0, |column| column.rank)
    }

    fn says_something(&self, index: usize) -> bool {
        let mut cells = self.rows.iter().filter_map(|row| row.get(index));
        cells.any(|cell| !cell.text.is_empty())
    }

    fn total(&self, shown: &[usize], widths: &[usize]) -> usize {
        let cells: usize = shown.iter().filter_map(|index| widths.get(*index)).sum();
        self.indent + cells + BETWEEN * shown.len().saturating_sub(1)
    }

    fn width_of(&self, index: usize) -> usize {
        let name = self.columns.get(index).map_or(0, |column| width(column.text));
        let cells = self.rows.iter().filter_map(|row| row.get(index));
        cells.map(|cell| width(&cell.text)).chain([name]).max().unwrap_or(0)
    }

    fn print_row(
        &self,
        row: &[Cell],
        shown: &[usize],
        widths: &[usize],
        look: Look,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let mut line = " ".repeat(self.indent);
        for (place, index) in shown.iter().enumerate() {
            let (Some(column), Some(cell)) = (self.columns.get(*index), row.get(*index)) else {
                continue;
            };
            let room = widths.get(*index).copied().unwrap_or(0).saturating_sub(width(&cell.text));
            let (before, behind) = if column.right { (room, 0) } else { (0, room) };
            line.extend(std::iter::repeat_n(' ', before + if place > 0 { BETWEEN } else { 0 }));
            match cell.style {
                Some(style) if look.coloured && !cell.text.is_empty() => {
                    line.push_str(&cell.text.style(style).to_string());
                }
                _ => line.push_str(&cell.text),
            }
            line.extend(std::iter::repeat_n(' ', behind));
        }
        writeln!(out, "{}", line.trim_end())
    }
}

/// Characters that a text takes: all characters in tables are one column wide.
fn width(text: &str) -> usize {
    text.chars().count()
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
        match text.split_once(" Not shown for want of room: ") {
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
