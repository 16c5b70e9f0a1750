//! From flags to settings: everything the command line can get wrong is found here.

use super::column::Column;
use super::layout::Layout;
use crate::cli::{DissectArguments, Format};
use crate::selection::parse_filter;
use anyhow::{Result, anyhow, bail};
use std::collections::HashMap;
use warpscope_dissector::filter::Filter;
use warpscope_dissector::pipeline;
use warpscope_wire::rdmap::Profile;

/// The statistics that can be asked for.
const STATISTICS: &str = "io,phs[,FILTER]";
const PROFILE: &str = "iwarp.profile";
const RELATIVE: &str = "tcp.relative_sequence_numbers";

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
        let (profile, relative) = preferences(&arguments.preferences)?;
        let mut ports = HashMap::new();
        for rule in &arguments.decode_as {
            decode_as(rule, &mut ports)?;
        }
        let columns: Vec<Column> =
            arguments.fields.iter().map(|name| Column::new(name)).collect::<Result<_>>()?;
        check_format(arguments)?;
        let filter =
            arguments.filter.as_deref().map(|text| parse_filter(text, "-Y")).transpose()?;
        Ok(Self {
            pipeline: pipeline::Options { profile, ports },
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

fn preferences(given: &[String]) -> Result<(Profile, bool)> {
    let (mut profile, mut relative) = (Profile::ALL, true);
    for preference in given {
        let Some((name, value)) = preference.split_once(':') else {
            bail!("-o {preference}: a preference is set as NAME:VALUE; {}", known_preferences());
        };
        match name.trim() {
            PROFILE => {
                profile = Profile::by_name(value.trim()).ok_or_else(|| {
                    let names: Vec<&str> = Profile::NAMES.iter().map(|(name, _)| *name).collect();
                    anyhow!("-o {preference}: {PROFILE} is one of {}", names.join(", "))
                })?;
            }
            RELATIVE => {
                relative = match value.trim() {
                    value if value.eq_ignore_ascii_case("true") => true,
                    value if value.eq_ignore_ascii_case("false") => false,
                    _ => bail!("-o {preference}: {RELATIVE} is TRUE or FALSE"),
                };
            }
            _ => bail!("-o {preference}: no such preference; {}", known_preferences()),
        }
    }
    Ok((profile, relative))
}

fn known_preferences() -> String {
    format!("there are {PROFILE} and {RELATIVE}")
}

/// Takes a rule `tcp.port==PORTS,PROTOCOL`.
fn decode_as(rule: &str, ports: &mut HashMap<u16, bool>) -> Result<()> {
    let Some((layer, selection)) = rule.split_once("==") else {
        bail!("-d {rule}: a rule is written tcp.port==PORT,PROTOCOL");
    };
    if layer.trim() != "tcp.port" {
        bail!("-d {rule}: {layer} is no layer type that can be chosen by; there is tcp.port");
    }
    let Some((selector, protocol)) = selection.rsplit_once(',') else {
        bail!("-d {rule}: the protocol is missing; write {layer}=={selection},iwarp or ,data");
    };
    let iwarp = match protocol.trim() {
        "iwarp" | "iwarp_mpa" => true,
        "data" | "none" => false,
        other => bail!(
            "-d {rule}: {other} is no protocol for tcp.port; there are iwarp (or iwarp_mpa) and \
             data (or none)"
        ),
    };
    let Some(range) = port_range(selector.trim()) else {
        bail!(
            "-d {rule}: {selector} is no port; write a number from 0 to 65535, a range as \
             7174-7180, or 7174:7 for 7 ports from 7174"
        );
    };
    ports.extend(range.map(|port| (port, iwarp)));
    Ok(())
}

fn port_range(selector: &str) -> Option<std::ops::RangeInclusive<u16>> {
    if let Some((first, last)) = selector.split_once('-') {
        let (first, last) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
        return (first <= last).then_some(first..=last);
    }
    if let Some((first, count)) = selector.split_once(':') {
        let (first, count): (u16, u16) = (first.trim().parse().ok()?, count.trim().parse().ok()?);
        return Some(first..=first.checked_add(count.checked_sub(1)?)?);
    }
    let port = selector.parse().ok()?;
    Some(port..=port)
}
