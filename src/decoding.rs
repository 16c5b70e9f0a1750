//! How captures are decoded, from `-o` and `-d`: the same for every command that reads one.

use crate::cli::DecodingArguments;
use anyhow::{Result, anyhow, bail};
use std::collections::HashMap;
use warpscope_dissector::pipeline;
use warpscope_wire::rdmap::Profile;

const PROFILE: &str = "iwarp.profile";
const RELATIVE: &str = "tcp.relative_sequence_numbers";

/// What the flags decided about decoding.
#[derive(Debug)]
pub(crate) struct Decoding {
    /// How the capture is decoded.
    pub(crate) pipeline: pipeline::Options,
    /// Whether sequence numbers count from the connection's first.
    pub(crate) relative: bool,
}

impl Decoding {
    /// From the values of `-o` and of `-d`.
    ///
    /// # Errors
    /// When one of them cannot be followed.
    pub(crate) fn new(arguments: &DecodingArguments) -> Result<Self> {
        let (profile, relative) = preferences(&arguments.preferences)?;
        let mut ports = HashMap::new();
        for rule in &arguments.decode_as {
            decode_as(rule, &mut ports)?;
        }
        Ok(Self { pipeline: pipeline::Options { profile, ports }, relative })
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
