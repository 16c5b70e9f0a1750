//! From flags to settings: every mistake in the command line is found here.

use super::fields::Layout;
use super::select::Layers;
use super::statistics::{Tap, named};
use super::text::Column;
use crate::cli::{DissectArguments, FileFormat, Format};
use crate::decoding::{Decoding, TWO_FILTERS, parse_filter};
use anyhow::{Result, bail};
use std::path::PathBuf;
use warpscope_dissector::filter::Filter;
use warpscope_dissector::pipeline;
use warpscope_dissector::recording::Criterion;

pub(super) struct Settings {
    pub(super) pipeline: pipeline::Options,
    /// Whether sequence numbers are relative to the connection's first.
    pub(super) relative: bool,
    pub(super) filter: Option<Filter>,
    /// The filter for frames to read; other frames are ignored.
    pub(super) read_filter: Option<Filter>,
    pub(super) columns: Vec<Column>,
    pub(super) layout: Layout,
    pub(super) layers: Layers,
    pub(super) statistics: Vec<Box<dyn Tap>>,
}

impl Settings {
    /// Whether statistics need the trees of frames.
    pub(super) fn needs_tree(&self) -> bool {
        self.statistics.iter().any(|tap| tap.needs_tree())
    }

    pub(super) fn new(arguments: &DissectArguments) -> Result<Self> {
        let Decoding { pipeline, relative } = Decoding::new(&arguments.decoding)?;
        let columns: Vec<Column> =
            arguments.fields.iter().map(|name| Column::new(name)).collect::<Result<_>>()?;
        check_format(arguments)?;
        let filter = |text: &Option<String>, flag| {
            text.as_deref().map(|text| parse_filter(text, flag)).transpose()
        };
        let layers = match (&arguments.shallow, &arguments.deep, &arguments.opened) {
            (Some(names), ..) => Layers::new(Some(names), false),
            (_, Some(names), _) | (.., Some(names)) => Layers::new(Some(names), true),
            _ => Layers::default(),
        };
        let statistics =
            arguments.statistics.iter().map(|it| named(it)).collect::<Result<Vec<_>>>()?;
        if arguments.read_filter.is_some()
            && let Some(at) = statistics.iter().position(|tap| !tap.counts_frames())
        {
            bail!(
                "-z {}: it is about whole connections, from which -R cannot leave frames out",
                arguments.statistics.get(at).map_or("", String::as_str)
            );
        }
        Ok(Self {
            pipeline,
            relative,
            filter: filter(&arguments.filter, "-Y")?,
            read_filter: filter(&arguments.read_filter, "-R")?,
            columns,
            layout: Layout::new(&arguments.layout, arguments.format)?,
            layers,
            statistics,
        })
    }
}

/// Interprets the positional arguments: a file and a display filter, or a capture filter.
pub(super) fn with_words(arguments: &DissectArguments) -> Result<DissectArguments> {
    let mut arguments = arguments.clone();
    let mut words = std::mem::take(&mut arguments.words);
    if !arguments.live.interfaces.is_empty() {
        if arguments.file_format == FileFormat::Pcap {
            bail!(
                "-F pcap: a live capture is written as pcapng; use dissect -r to convert it to pcap"
            );
        }
        if !words.is_empty() && arguments.live.capture_filter.is_some() {
            bail!(
                "a capture filter is given both with -f and at the end of the command line: leave one out"
            );
        }
        arguments.live.capture_filter =
            arguments.live.capture_filter.or_else(|| some(&words.join(" ")));
        return Ok(arguments);
    }
    if arguments.read.is_none() && !words.is_empty() {
        arguments.read = Some(PathBuf::from(words.remove(0)));
    }
    if let Some(file) = words.first().filter(|word| std::path::Path::new(word).is_file()) {
        bail!("{file}: dissect takes one capture at a time; a display filter can follow its name");
    }
    if !words.is_empty() && arguments.filter.is_some() {
        bail!(TWO_FILTERS);
    }
    arguments.filter = arguments.filter.or_else(|| some(&words.join(" ")));
    // Only one of the conditions for a capture's end applies to reading.
    for stop in &arguments.live.stop {
        match stop {
            Criterion::Packets(packets) if arguments.read.is_some() => {
                arguments.count = Some(arguments.count.map_or(*packets, |it| it.min(*packets)));
            }
            _ if arguments.read.is_some() => {
                bail!("-a: only packets:N applies to a file that is read; -c N does the same")
            }
            _ => {}
        }
    }
    Ok(arguments)
}

fn some(text: &str) -> Option<String> {
    Some(text.to_owned()).filter(|text| !text.is_empty())
}

/// Rejects flags that do not fit the format.
fn check_format(arguments: &DissectArguments) -> Result<()> {
    match (arguments.format, arguments.fields.is_empty()) {
        (Format::Fields | Format::Csv, true) => {
            bail!("-T fields and -T csv need fields: name some with -e, such as -e frame.number")
        }
        (Format::Text | Format::Tabs | Format::Psml, false) => {
            bail!(
                "-e needs an output format with fields: add -T fields, csv, json, ndjson, ek or pdml"
            )
        }
        _ => {}
    }
    let whole = arguments.fields.is_empty();
    let bytes = match arguments.format {
        Format::Text | Format::Tabs => true,
        Format::Json | Format::Jsonraw | Format::Ek => whole,
        _ => false,
    };
    if arguments.hex && !bytes {
        bail!(
            "-x can be used with -T text, and with -T json and ek only without -e: leave one of them out"
        );
    }
    let opens = matches!(
        arguments.format,
        Format::Json | Format::Jsonraw | Format::Ndjson | Format::Ek | Format::Pdml
    );
    if (arguments.shallow.is_some() || arguments.deep.is_some()) && !opens {
        bail!("-j and -J are for -T json, ek and pdml; -O opens layers of -T text");
    }
    Ok(())
}
