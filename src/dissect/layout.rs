//! `-E`: how fields are laid out.

use crate::cli::Format;
use anyhow::{Result, bail};

/// Which of a field's values are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Occurrence {
    First,
    Last,
    All,
}

/// How fields are laid out.
#[derive(Debug, Clone, Copy)]
pub(super) struct Layout {
    pub(super) header: bool,
    pub(super) separator: char,
    pub(super) quote: Option<char>,
    pub(super) occurrence: Occurrence,
    pub(super) aggregator: char,
}

impl Layout {
    /// Takes the values of `-E`.
    ///
    /// # Errors
    /// When one is unknown or does not go with the format.
    pub(super) fn new(given: &[String], format: Format) -> Result<Self> {
        let mut layout = Self {
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
                    "-E {option}: no such option; there are header=y|n, separator=/t|/s|C, \
                     quote=d|s|n, occurrence=f|l|a and aggregator=,|/s|C"
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
        _ => bail!("-E {option}: give one character, /t for a tab or /s for a space"),
    }
}
