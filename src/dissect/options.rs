//! From flags to settings: everything the command line can get wrong is found here.

use super::column::Column;
use super::layout::Layout;
use crate::cli::{DissectArguments, Format};
use crate::decoding::Decoding;
use crate::selection::parse_filter;
use anyhow::{Result, bail};
use warpscope_dissector::filter::Filter;
use warpscope_dissector::pipeline;

/// The statistics that can be asked for.
const STATISTICS: &str = "io,phs[,FILTER]";

/// A display filter with its text.
#[derive(Debug)]
pub(super) struct NamedFilter {
    pub(super) text: String,
    pub(super) filter: Filter,
}

/// What the command line decided.
#[derive(Debug)]
pub(super) struct Settings {
    /// How the capture is decoded.
    pub(super) pipeline: pipeline::Options,
    /// Whether sequence numbers count from the connection's first.
    pub(super) relative: bool,
    /// The display filter.
    pub(super) filter: Option<Filter>,
    /// What `-e` names.
    pub(super) columns: Vec<Column>,
    /// How fields are laid out.
    pub(super) layout: Layout,
    /// The filter of each protocol hierarchy asked for; `None` to count every frame.
    pub(super) hierarchies: Vec<Option<NamedFilter>>,
}

impl Settings {
    /// Checks the command line.
    ///
    /// # Errors
    /// When something in it cannot be followed.
    pub(super) fn new(arguments: &DissectArguments) -> Result<Self> {
        let Decoding { pipeline, relative } = Decoding::new(&arguments.decoding)?;
        let columns: Vec<Column> =
            arguments.fields.iter().map(|name| Column::new(name)).collect::<Result<_>>()?;
        check_format(arguments)?;
        let filter =
            arguments.filter.as_deref().map(|text| parse_filter(text, "-Y")).transpose()?;
        Ok(Self {
            pipeline,
            relative,
            filter,
            columns,
            layout: Layout::new(&arguments.layout, arguments.format)?,
            hierarchies: arguments
                .statistics
                .iter()
                .map(|asked| statistics(asked))
                .collect::<Result<_>>()?,
        })
    }
}

/// What does not go with the format.
fn check_format(arguments: &DissectArguments) -> Result<()> {
    match (arguments.format, arguments.fields.is_empty()) {
        (Format::Fields | Format::Csv, true) => {
            bail!("-T fields and -T csv need fields: name some with -e, as -e frame.number")
        }
        (Format::Text, false) => {
            bail!("-e needs an output of fields: add -T fields, -T csv, -T json or -T ndjson")
        }
        _ => {}
    }
    let whole_json = arguments.format == Format::Json && arguments.fields.is_empty();
    if arguments.hex && !whole_json && arguments.format != Format::Text {
        bail!("-x goes with -T text, and with -T json without -e: leave out one of them");
    }
    Ok(())
}

fn statistics(asked: &str) -> Result<Option<NamedFilter>> {
    let rest = asked.strip_prefix("io,phs");
    match rest {
        Some("" | ",") => Ok(None),
        Some(rest) if rest.starts_with(',') => {
            let text = rest.trim_start_matches(',').to_owned();
            let filter = parse_filter(&text, "-z io,phs")?;
            Ok(Some(NamedFilter { text, filter }))
        }
        _ => bail!("-z {asked}: no such statistics; there is {STATISTICS}"),
    }
}
