//! The regions that the command line describes.

use super::config::PROTECTION_DOMAIN;
use crate::cli::CommonArguments;
use crate::yaml;
use anyhow::{Context as _, Result, anyhow};
use std::collections::HashMap;
use std::fs;
use warpscope_peer::memory::{Accessor, Memory, RegionSpec, Registered, Scope};

/// Regions that are there from the start, and those that every stream gets.
#[derive(Debug, Default)]
pub(super) struct Regions {
    /// Made at the start; shared.
    pub(super) shared: Vec<Registered>,
    per_stream: Vec<RegionSpec>,
    of_streams: HashMap<u64, Vec<Registered>>,
}

impl Regions {
    /// Reads `--region` and `--regions`, and makes what is shared.
    ///
    /// # Errors
    /// When a description is wrong, or a region cannot be made.
    pub(super) fn new(arguments: &CommonArguments, memory: &mut Memory) -> Result<Self> {
        let mut specs: Vec<RegionSpec> = Vec::new();
        for text in &arguments.region {
            specs.push(text.parse().map_err(|error| anyhow!("--region {text}: {error}"))?);
        }
        for path in &arguments.regions {
            let text = fs::read_to_string(path)
                .with_context(|| format!("cannot read {}; check the name", path.display()))?;
            let listed: Vec<RegionSpec> = yaml::read(path, &text)?;
            for spec in &listed {
                spec.check()
                    .map_err(|error| anyhow!("{}: {}: {error}", path.display(), spec.name))?;
            }
            specs.extend(listed);
        }
        RegionSpec::check_names(&specs).map_err(|error| anyhow!("--region: {error}"))?;
        let (per_stream, at_start): (Vec<_>, Vec<_>) =
            specs.into_iter().partition(|spec| spec.scope == Scope::Stream);
        let mut regions = Self { per_stream, ..Self::default() };
        let accessor = Accessor { stream: 0, protection_domain: PROTECTION_DOMAIN };
        for spec in at_start {
            regions.shared.extend(spec.register(memory, accessor)?);
        }
        Ok(regions)
    }

    /// Makes a stream's own regions; returns them.
    ///
    /// # Errors
    /// When one cannot be made.
    pub(super) fn stream_begins(
        &mut self,
        memory: &mut Memory,
        stream: u64,
    ) -> Result<&[Registered]> {
        let accessor = Accessor { stream, protection_domain: PROTECTION_DOMAIN };
        let made = self.of_streams.entry(stream).or_default();
        for spec in &self.per_stream {
            made.extend(spec.register(memory, accessor)?);
        }
        Ok(made)
    }

    /// Takes a stream's own regions away; says what could not be kept.
    pub(super) fn stream_ends(&mut self, memory: &mut Memory, stream: u64) -> Vec<String> {
        let made = self.of_streams.remove(&stream).unwrap_or_default();
        take_away(memory, &made)
    }

    /// Takes all regions away, of streams that are still there too: what their files did not get
    /// yet, they get now. Says what could not be kept.
    pub(super) fn end(&mut self, memory: &mut Memory) -> Vec<String> {
        let mut failures = Vec::new();
        for made in std::mem::take(&mut self.of_streams).into_values() {
            failures.extend(take_away(memory, &made));
        }
        failures.extend(take_away(memory, &std::mem::take(&mut self.shared)));
        failures
    }
}

fn take_away(memory: &mut Memory, made: &[Registered]) -> Vec<String> {
    // Windows stand behind their regions.
    let gone = made.iter().rev().map(|it| (it, memory.deregister(it.steering_tag)));
    gone.filter_map(|(it, result)| Some(format!("region {}: {}", it.name, result.err()?))).collect()
}

/// A region in a line.
pub(super) fn line(made: &Registered) -> String {
    let Registered { name, steering_tag, tagged_offset, length, rights } = made;
    format!(
        "region {name}: STag 0x{steering_tag:08x}, TO 0x{tagged_offset:x}, {length} bytes, {rights}"
    )
}
