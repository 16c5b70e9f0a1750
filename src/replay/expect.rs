//! What is expected of a capture: `NAME.expect.yaml`, read and checked.

use super::count::{MAPS, NUMBERS, is_kind, kinds};
use super::value::Expected;
use crate::yaml::{Entries, Place, Placed, YamlError, read, unknown};
use serde::Deserialize;
use std::collections::HashMap;
use std::path::Path;
use warpscope_dissector::field::{self, Field};
use warpscope_dissector::pipeline;
use warpscope_wire::rdmap::Profile;

/// The file as it is written.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    capture: Option<Placed<String>>,
    #[serde(default)]
    options: OptionsOfFile,
    #[serde(default)]
    counts: CountsOfFile,
    findings: Option<Entries<Placed<u64>>>,
    #[serde(default)]
    waived: Entries<Placed<String>>,
    #[serde(default)]
    fields: Entries<Entries<Expected>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct OptionsOfFile {
    profile: Option<Placed<String>>,
    #[serde(default)]
    ports: Entries<Placed<String>>,
}

type Number = Option<Placed<u64>>;
type Map = Option<Entries<Placed<u64>>>;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct CountsOfFile {
    frames: Number,
    connections: Number,
    setup_frames: Number,
    fpdus: Number,
    without_header: Number,
    crc: Map,
    segments: Map,
    messages: Map,
    rpc_over_rdma: Map,
    rpc: Map,
    skipped_bytes: Map,
}

/// The values that a field has to have in a frame.
#[derive(Debug)]
pub(crate) struct FieldExpectation {
    /// The frame, from 1.
    pub(crate) frame: u64,
    /// The field.
    pub(crate) field: &'static Field,
    /// Where the file names it.
    pub(crate) place: Place,
    /// All its values, in order.
    pub(crate) values: Expected,
}

/// What is expected of a capture. What the file leaves out is not compared.
#[derive(Debug, Default)]
pub(crate) struct Expectations {
    /// The capture's file name.
    pub(crate) capture: Option<Placed<String>>,
    /// How the capture is to be decoded.
    pub(crate) options: pipeline::Options,
    /// Of [`NUMBERS`], those that are expected.
    pub(crate) numbers: Vec<(&'static str, Placed<u64>)>,
    /// Of [`MAPS`], those that are expected; each names all its kinds.
    pub(crate) maps: Vec<(&'static str, Entries<Placed<u64>>)>,
    /// How often each rule finds something; none when findings are not compared.
    pub(crate) findings: Option<Entries<Placed<u64>>>,
    /// The rules whose findings are accepted, and why.
    pub(crate) waived: Entries<Placed<String>>,
    /// Values of fields.
    pub(crate) fields: Vec<FieldExpectation>,
}

impl Expectations {
    /// Reads a file's text.
    ///
    /// # Errors
    /// When it is not YAML, or a key or value in it means nothing.
    pub(crate) fn read(file: &Path, text: &str) -> Result<Self, YamlError> {
        // A file of comments alone expects nothing.
        let written =
            text.lines().any(|line| !line.trim_start().starts_with('#') && !line.trim().is_empty());
        let read: File = if written { read(file, text)? } else { File::default() };
        let CountsOfFile { frames, connections, setup_frames, fpdus, without_header, .. } =
            read.counts;
        let CountsOfFile { crc, segments, messages, rpc_over_rdma, rpc, skipped_bytes, .. } =
            read.counts;
        let numbers = [frames, connections, setup_frames, fpdus, without_header];
        let maps = [crc, segments, messages, rpc_over_rdma, rpc, skipped_bytes];
        let maps: Vec<_> =
            MAPS.into_iter().zip(maps).filter_map(|(name, map)| Some((name, map?))).collect();
        for (name, map) in &maps {
            check_kinds(file, name, map)?;
        }
        Ok(Self {
            capture: read.capture,
            options: options(file, &read.options)?,
            numbers: NUMBERS
                .into_iter()
                .zip(numbers)
                .filter_map(|(name, number)| Some((name, number?)))
                .collect(),
            maps,
            findings: read.findings,
            waived: read.waived,
            fields: fields(file, read.fields)?,
        })
    }
}

fn check_kinds(file: &Path, name: &str, map: &Entries<Placed<u64>>) -> Result<(), YamlError> {
    let wrong = map.0.iter().find(|(kind, _)| !is_kind(name, &kind.value));
    match wrong {
        Some((kind, _)) => {
            Err(YamlError::new(file, kind.place, unknown(&kind.value, &kinds(name))))
        }
        None => Ok(()),
    }
}

fn options(file: &Path, options: &OptionsOfFile) -> Result<pipeline::Options, YamlError> {
    let mut profile = Profile::ALL;
    if let Some(named) = &options.profile {
        let names: Vec<&str> = Profile::NAMES.iter().map(|(name, _)| *name).collect();
        profile = Profile::by_name(&named.value)
            .ok_or_else(|| YamlError::new(file, named.place, unknown(&named.value, &names)))?;
    }
    let mut ports = HashMap::new();
    for (port, protocol) in &options.ports.0 {
        let number: u16 = port.value.parse().map_err(|_| {
            let message = format!("`{}` is no port: a number from 0 to 65535", port.value);
            YamlError::new(file, port.place, message)
        })?;
        let iwarp = match protocol.value.as_str() {
            "iwarp" => true,
            "data" => false,
            other => {
                let message = unknown(other, &["iwarp", "data"]);
                return Err(YamlError::new(file, protocol.place, message));
            }
        };
        ports.insert(number, iwarp);
    }
    Ok(pipeline::Options { profile, ports })
}

fn fields(
    file: &Path,
    frames: Entries<Entries<Expected>>,
) -> Result<Vec<FieldExpectation>, YamlError> {
    let mut found = Vec::new();
    for (frame, fields) in frames.0 {
        let number = frame.value.parse().ok().filter(|number| *number > 0).ok_or_else(|| {
            let message = format!("`{}` is no frame: a number from 1", frame.value);
            YamlError::new(file, frame.place, message)
        })?;
        for (name, values) in fields.0 {
            let place = name.place;
            let field = field::find(&name.value).ok_or_else(|| {
                let advice = match field::nearest(&name.value) {
                    Some(known) => format!("did you mean `{known}`?"),
                    None => "`warpscope fields` lists them".to_owned(),
                };
                YamlError::new(file, place, format!("`{}` is no field; {advice}", name.value))
            })?;
            values.check(field).map_err(|message| YamlError::new(file, place, message))?;
            found.push(FieldExpectation { frame: number, field, place, values });
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expectations_without_any_byte_are_read_or_told_with_a_place() {
        let texts = [
            include_str!("../../traces/captures/c4-mpav2-client-mpav1-server.expect.yaml"),
            include_str!("../../traces/captures/e1-terminate-stock.expect.yaml"),
        ];
        for text in texts {
            let read = |text: &str| Expectations::read(Path::new("a.yaml"), text);
            assert!(!read(text).unwrap().numbers.is_empty());
            crate::yaml::without_each_byte(text, |cut| {
                read(cut).err().map(|error| error.to_string())
            });
        }
    }
}
