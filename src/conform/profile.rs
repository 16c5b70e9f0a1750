//! Known properties of a target, as a YAML file.

use anyhow::{Context as _, Result};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::path::Path;
use std::time::Duration;
use strum::VariantNames as _;
use warpscope_conformance::plan::Capabilities;
use warpscope_conformance::run::{Exception, Mode, parse_time};
use warpscope_dissector::rules;
use warpscope_yaml::{Entries, Place, Placed, YamlError, read, unknown};

/// A profile, in the form that the rest of the command uses.
#[derive(Debug, Clone, Default)]
pub(super) struct Profile {
    pub(super) name: Option<String>,
    pub(super) addresses: Vec<String>,
    pub(super) agents: Vec<String>,
    pub(super) agent_listen: Option<String>,
    pub(super) mode: Option<Mode>,
    pub(super) patience: Option<u32>,
    /// The command that restarts the target.
    pub(super) restart: Option<String>,
    pub(super) first_fpdu_delay: Duration,
    /// Whether streams request no CRCs if the case does not specify it.
    pub(super) without_crc: bool,
    pub(super) capabilities: Vec<(String, bool)>,
    pub(super) rpc: RpcProfile,
    /// Expected failures, each with a link to its description.
    pub(super) expected_failures: Vec<(Exception, Option<String>)>,
    /// Cases and instances that may pass or fail.
    pub(super) either: Vec<Exception>,
    /// Passive rules that the target is known to break.
    pub(super) excused_rules: Vec<Exception>,
    /// Cases and instances that the target does not survive.
    pub(super) left_out: Vec<Exception>,
}

/// The target's RPC-over-RDMA sides.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct RpcProfile {
    /// Where the responder listens.
    pub(super) address: Option<String>,
    /// Whether the responder serves MOUNT and NFS, and `/` is writable.
    #[serde(default)]
    pub(super) nfs: bool,
    /// Whether NFS version 4.1 serves the same files there, from `/` on.
    #[serde(default)]
    pub(super) nfs4: bool,
    /// The MOUNT server and path of a writable export, over plain TCP: HOST:PORT/PATH, or HOST/PATH.
    pub(super) mount: Option<String>,
    /// The handle of the writable folder, as hexadecimal digits.
    pub(super) file_handle: Option<String>,
    /// Whether its sides send the private data of RFC 8797.
    #[serde(default)]
    pub(super) private_data: bool,
    /// Where the runner waits for the requester.
    pub(super) listen: Option<IpAddr>,
    /// The commands that start the requester.
    #[serde(default)]
    pub(super) tasks: BTreeMap<String, String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Written {
    name: Option<String>,
    #[serde(default)]
    address: Addresses,
    #[serde(default)]
    agent: Addresses,
    agent_listen: Option<String>,
    mode: Option<Placed<String>>,
    patience: Option<Placed<u32>>,
    restart: Option<String>,
    first_fpdu_delay: Option<Placed<String>>,
    crc: Option<Placed<String>>,
    #[serde(default)]
    capabilities: Entries<Placed<String>>,
    #[serde(default)]
    rpc: RpcProfile,
    #[serde(default)]
    expected_failures: Vec<WrittenException>,
    #[serde(default)]
    either: Vec<WrittenException>,
    #[serde(default)]
    left_out: Vec<WrittenException>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(untagged)]
enum Addresses {
    One(String),
    Many(Vec<String>),
    #[default]
    None,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenException {
    id: Option<Placed<String>>,
    rule: Option<Placed<String>>,
    reason: Placed<String>,
    link: Option<String>,
}

impl Addresses {
    fn all(self) -> Vec<String> {
        match self {
            Self::One(one) => vec![one],
            Self::Many(many) => many,
            Self::None => Vec::new(),
        }
    }
}

impl Profile {
    pub(super) fn read(file: &Path) -> Result<Self> {
        let text = crate::input::read_text(file).with_context(|| {
            format!("cannot read the profile {}; check the name", file.display())
        })?;
        Ok(Self::parse(file, &text)?)
    }

    fn parse(file: &Path, text: &str) -> Result<Self, YamlError> {
        let written: Written = read(file, text)?;
        let mode = written.mode.map(|mode| self::mode(file, &mode)).transpose()?;
        let patience = written.patience.map(|it| match it.value {
            1..=1000 => Ok(it.value),
            other => {
                let what = format!("patience {other}: use a factor from 1 to 1000");
                Err(YamlError::new(file, it.place, what))
            }
        });
        let mut capabilities = Vec::new();
        for (name, value) in &written.capabilities.0 {
            capability(file, name)?;
            capabilities.push((name.value.clone(), switch(file, value)?));
        }
        let (of_rules, failures): (Vec<_>, Vec<_>) =
            written.expected_failures.into_iter().partition(|it| it.rule.is_some());
        let expected =
            "an expected failure needs the id of a case or instance, or a rule, and a reason";
        let expected_failures = exceptions(file, failures, expected)?;
        let excused_rules =
            of_rules.into_iter().map(|it| rule(file, it)).collect::<Result<_, _>>()?;
        let chance = "what may pass or fail needs the id of a case or instance, and a reason";
        let either = exceptions(file, written.either, chance)?;
        let left = "what is left out needs the id of a case or instance, and a reason";
        let left_out = exceptions(file, written.left_out, left)?;
        let first_fpdu_delay = written.first_fpdu_delay.map(|it| delay(file, &it)).transpose()?;
        let crc = written.crc.map(|it| switch(file, &it)).transpose()?;
        Ok(Self {
            name: written.name,
            addresses: written.address.all(),
            agents: written.agent.all(),
            agent_listen: written.agent_listen,
            mode,
            patience: patience.transpose()?,
            restart: written.restart,
            first_fpdu_delay: first_fpdu_delay.unwrap_or_default(),
            without_crc: crc == Some(false),
            capabilities,
            rpc: written.rpc,
            expected_failures,
            either: either.into_iter().map(|(it, _)| it).collect(),
            excused_rules,
            left_out: left_out.into_iter().map(|(it, _)| it).collect(),
        })
    }

    /// Returns the link to the description of an instance's failure.
    pub(super) fn link(&self, id: &str) -> Option<&str> {
        let entry = self.expected_failures.iter().find(|(entry, _)| entry.id == id)?;
        entry.1.as_deref()
    }
}

fn exceptions(
    file: &Path,
    written: Vec<WrittenException>,
    what: &str,
) -> Result<Vec<(Exception, Option<String>)>, YamlError> {
    let bare = |what: &Placed<String>| what.value.trim().is_empty();
    let read = written.into_iter().map(|it| {
        let Some(id) = it.id.filter(|_| it.rule.is_none()) else {
            let place = it.rule.map_or(it.reason.place, |rule| rule.place);
            return Err(YamlError::new(file, place, what));
        };
        if bare(&id) || bare(&it.reason) {
            let place: Place = if bare(&id) { id.place } else { it.reason.place };
            return Err(YamlError::new(file, place, what));
        }
        Ok((Exception { id: id.value, reason: it.reason.value }, it.link))
    });
    read.collect()
}

/// Checks an excused passive rule.
fn rule(file: &Path, written: WrittenException) -> Result<Exception, YamlError> {
    let WrittenException { id, rule: Some(rule), reason, .. } = written else {
        return Err(YamlError::new(file, written.reason.place, "unknown rule"));
    };
    if let Some(id) = id {
        return Err(YamlError::new(
            file,
            id.place,
            "an expected failure needs either an id or a rule, not both",
        ));
    }
    if rules::find(&rule.value).is_none() {
        let ids: Vec<&str> = rules::all().map(|it| it.id).collect();
        return Err(YamlError::new(file, rule.place, unknown(&rule.value, &ids)));
    }
    Ok(Exception { id: rule.value, reason: reason.value })
}

fn delay(file: &Path, written: &Placed<String>) -> Result<Duration, YamlError> {
    let no_time = || YamlError::new(file, written.place, "expected a time, such as `60ms`");
    parse_time(&written.value).ok_or_else(no_time)
}

fn mode(file: &Path, mode: &Placed<String>) -> Result<Mode, YamlError> {
    let unknown = |_| YamlError::new(file, mode.place, unknown(&mode.value, Mode::VARIANTS));
    mode.value.parse().map_err(unknown)
}

fn capability(file: &Path, name: &Placed<String>) -> Result<(), YamlError> {
    let known: Vec<&str> = Capabilities::all_names().collect();
    if known.contains(&name.value.as_str()) {
        return Ok(());
    }
    Err(YamlError::new(file, name.place, unknown(&name.value, &known)))
}

fn switch(file: &Path, value: &Placed<String>) -> Result<bool, YamlError> {
    match value.value.as_str() {
        "on" | "true" | "yes" => Ok(true),
        "off" | "false" | "no" => Ok(false),
        other => {
            let what = format!("expected `on` or `off`, not `{other}`");
            Err(YamlError::new(file, value.place, what))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Profile, String> {
        Profile::parse(Path::new("a.yaml"), text).map_err(|error| error.to_string())
    }

    #[test]
    fn a_whole_profile() {
        let profile = parse(
            "name: siw\naddress: [192.0.2.7:7174, 192.0.2.8:7174]\nmode: bare\npatience: 2\n\
             capabilities: {markers: off, rdma-read: on}\nexpected-failures:\n\
             - {id: mpa-crc-*, reason: it ignores C, link: https://example.org/1}\n",
        )
        .unwrap();
        assert_eq!((profile.addresses.len(), profile.mode), (2, Some(Mode::Bare)));
        let expected = [("markers".to_owned(), false), ("rdma-read".to_owned(), true)];
        assert_eq!(profile.capabilities, expected);
        assert_eq!(profile.link("mpa-crc-*"), Some("https://example.org/1"));
        assert_eq!(profile.link("mpa-crc-wrong"), None);
    }

    #[test]
    fn rpc_sides() {
        let profile = parse(
            "address: 192.0.2.7:7174\nrpc:\n  address: 192.0.2.7:20049\n  nfs: true\n  private-data: true\n  \
             listen: 0.0.0.0\n  tasks: {read: 'mount -o port={port} {host}:/ /mnt && cat /mnt/file'}\n",
        )
        .unwrap();
        let rpc = profile.rpc;
        assert_eq!(rpc.address.as_deref(), Some("192.0.2.7:20049"));
        assert!(rpc.nfs && rpc.private_data && rpc.listen.is_some());
        assert!(rpc.tasks["read"].contains("{port}"));
        assert!(parse("rpc: {adress: x}\n").is_err());
    }

    #[test]
    fn mistakes_have_places() {
        for (text, expected) in [
            ("mode: bar\n", "a.yaml:1:7: `bar` is not valid here; did you mean `bare`?"),
            (
                "capabilities: {marker: on}\n",
                "a.yaml:1:16: `marker` is not valid here; did you mean",
            ),
            ("capabilities: {markers: 7}\n", "a.yaml:1:25: expected `on` or `off`, not `7`"),
            ("expected-failures: [{reason: x}]\n", "a.yaml:1:30: an expected failure needs"),
            ("expected-failures: [{rule: x, reason: y}]\n", "a.yaml:1:28: `x` is not valid here"),
            ("either: [{rule: mpa-pad, reason: y}]\n", "a.yaml:1:17: what may pass or fail needs"),
            ("first-fpdu-delay: soon\n", "a.yaml:1:19: expected a time, such as `60ms`"),
            ("expected-failures: [{id: x}]\n", "a.yaml:1:22: the key `reason` is missing"),
            (
                "expected-failures: [{id: x, reason: ''}]\n",
                "a.yaml:1:37: an expected failure needs",
            ),
            ("left-out: [{id: x, reason: ''}]\n", "a.yaml:1:28: what is left out needs"),
            ("patience: 0\n", "a.yaml:1:11: patience 0: use a factor"),
            ("adress: x\n", "a.yaml:1:1: `adress` is not valid here; did you mean `address`?"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.starts_with(expected), "{text}: {error}");
        }
    }

    #[test]
    fn a_profile_without_any_byte_is_read_or_told_with_a_place() {
        let text = include_str!("../../conformance/findings/siw-linux-6.1.yaml");
        let whole = parse(text).unwrap();
        assert!(!whole.expected_failures.is_empty() && !whole.left_out.is_empty());
        warpscope_traces::without_each_byte(text, |cut| parse(cut).err());
    }
}
