//! `-T fields` and `-T csv`: the values of some fields, one line per frame.

use super::run::{Output, Shown};
use super::text::{Column, TimeColumn};
use crate::cli::Format;
use anyhow::{Result, bail};
use std::io::{self, Write};

#[derive(Debug)]
struct Cells {
    columns: Vec<Column>,
    layout: Layout,
    time: TimeColumn,
    scratch: String,
}

impl Cells {
    /// Appends the requested values of a column, joined.
    fn push(&mut self, index: usize, shown: &Shown<'_>, out: &mut String) {
        let Some(column) = self.columns.get(index) else { return };
        let start = out.len();
        let Layout { occurrence, aggregator, .. } = self.layout;
        let mut seen = 0_usize;
        column.values(shown, self.time, &mut self.scratch, |value| {
            match occurrence {
                Occurrence::First if seen > 0 => return,
                Occurrence::Last => out.truncate(start),
                _ if seen > 0 => out.push(aggregator),
                _ => {}
            }
            out.push_str(value);
            seen += 1;
        });
    }
}

/// `-T fields`.
#[derive(Debug)]
pub(super) struct Fields {
    cells: Cells,
    line: String,
}

impl Fields {
    pub(super) fn new(columns: Vec<Column>, layout: Layout, time: TimeColumn) -> Self {
        let cells = Cells { columns, layout, time, scratch: String::new() };
        Self { cells, line: String::new() }
    }
}

impl Output for Fields {
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        if self.cells.layout.bom {
            out.write_all("\u{feff}".as_bytes())?;
        }
        if !self.cells.layout.header {
            return Ok(());
        }
        let names: Vec<&str> = self.cells.columns.iter().map(|it| it.name.as_str()).collect();
        writeln!(out, "{}", names.join(&self.cells.layout.separator.to_string()))
    }

    fn frame(&mut self, shown: &Shown<'_>, out: &mut dyn Write) -> io::Result<()> {
        let line = &mut self.line;
        line.clear();
        for index in 0..self.cells.columns.len() {
            if index > 0 {
                line.push(self.cells.layout.separator);
            }
            let start = line.len();
            let quote = self.cells.layout.quote;
            line.extend(quote);
            let empty = line.len();
            self.cells.push(index, shown, line);
            // A field that the frame does not have gets no quotes.
            if line.len() == empty {
                line.truncate(start);
            } else {
                line.extend(quote);
            }
        }
        line.push('\n');
        out.write_all(line.as_bytes())
    }
}

/// `-T csv`.
#[derive(Debug)]
pub(super) struct Csv(Cells);

impl Csv {
    pub(super) fn new(columns: Vec<Column>, layout: Layout, time: TimeColumn) -> Self {
        Self(Cells { columns, layout, time, scratch: String::new() })
    }
}

fn record(cells: impl Iterator<Item = String>, out: &mut dyn Write) -> io::Result<()> {
    let mut writer = csv::WriterBuilder::new().buffer_capacity(1024).from_writer(Vec::new());
    writer.write_record(cells.map(String::into_bytes))?;
    out.write_all(&writer.into_inner().map_err(|error| error.into_error())?)
}

impl Output for Csv {
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let header = self.0.layout.header;
        let names = || self.0.columns.iter().map(|column| column.name.clone());
        if header { record(names(), out) } else { Ok(()) }
    }

    fn frame(&mut self, shown: &Shown<'_>, out: &mut dyn Write) -> io::Result<()> {
        let cells = (0..self.0.columns.len()).map(|index| {
            let mut cell = String::new();
            self.0.push(index, shown, &mut cell);
            cell
        });
        record(cells, out)
    }
}

// `-E`: the layout of fields.

/// Which of a field's values are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Occurrence {
    First,
    Last,
    All,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Layout {
    /// Whether the output begins with a byte order mark.
    pub(super) bom: bool,
    pub(super) header: bool,
    pub(super) separator: char,
    pub(super) quote: Option<char>,
    pub(super) occurrence: Occurrence,
    pub(super) aggregator: char,
}

impl Layout {
    /// Parses the values of `-E`.
    pub(super) fn new(given: &[String], format: Format) -> Result<Self> {
        let mut layout = Self {
            bom: false,
            header: format == Format::Csv,
            separator: '\t',
            quote: None,
            occurrence: Occurrence::All,
            aggregator: ',',
        };
        for option in given {
            let (name, value) = option.split_once('=').unwrap_or((option, ""));
            let csv = format == Format::Csv;
            match (format, name) {
                (Format::Fields | Format::Csv, _) => {}
                _ => bail!("-E {option}: -E is for -T fields and -T csv; leave it out"),
            }
            match (name, value) {
                ("separator" | "quote", _) if csv => bail!(
                    "-E {option}: -T csv has commas and quotes of its own; use -T fields for others"
                ),
                ("bom", "y") => layout.bom = true,
                ("bom", "n") => layout.bom = false,
                ("bom", _) => bail!("-E {option}: bom is y or n"),
                ("header", "y") => layout.header = true,
                ("header", "n") => layout.header = false,
                ("header", _) => bail!("-E {option}: header is y or n"),
                ("separator", value) => layout.separator = character(option, value)?,
                ("aggregator", value) => layout.aggregator = character(option, value)?,
                ("quote", "d") => layout.quote = Some('"'),
                ("quote", "s") => layout.quote = Some('\''),
                ("quote", "n") => layout.quote = None,
                ("quote", _) => bail!("-E {option}: quote is d (double), s (single) or n (none)"),
                ("occurrence", "f") => layout.occurrence = Occurrence::First,
                ("occurrence", "l") => layout.occurrence = Occurrence::Last,
                ("occurrence", "a") => layout.occurrence = Occurrence::All,
                ("occurrence", _) => {
                    bail!("-E {option}: occurrence is f (first), l (last) or a (all)")
                }
                _ => bail!(
                    "-E {option}: no such option; the options are bom=y|n, header=y|n, \
                     separator=/t|/s|C, quote=d|s|n, occurrence=f|l|a and aggregator=,|/s|C"
                ),
            }
        }
        Ok(layout)
    }
}

fn character(option: &str, value: &str) -> Result<char> {
    let mut characters = value.chars();
    match (value, characters.next(), characters.next()) {
        ("/t", ..) => Ok('\t'),
        ("/s", ..) => Ok(' '),
        (_, Some(character), None) => Ok(character),
        _ => bail!("-E {option}: use one character, /t for a tab or /s for a space"),
    }
}
