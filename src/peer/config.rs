//! What the flags make of a connection.

use crate::cli::{CommonArguments, IndicationChoice, PackingChoice};
use anyhow::{Result, anyhow, bail};
use std::time::Duration;
use warpscope_peer::bug::Bugs;
use warpscope_peer::connection::{Config, Packing, Role};
use warpscope_peer::memory::Accessor;
use warpscope_peer::setup::{SetupConfig, SetupRevision};
use warpscope_wire::mpa::{MAX_PRIVATE_DATA, ReadyToReceive};
use warpscope_wire::rdmap::Profile;

/// The Protection Domain of all streams.
pub(super) const PROTECTION_DOMAIN: u32 = 1;

/// A connection of this role.
///
/// # Errors
/// When a flag's value cannot be had.
pub(super) fn config(role: Role, arguments: &CommonArguments) -> Result<Config> {
    let accessor = Accessor { stream: 0, protection_domain: PROTECTION_DOMAIN };
    Ok(Config {
        setup: setup(arguments)?,
        profile: profile(&arguments.profile)?,
        longest_ulpdu: arguments.longest_ulpdu,
        packing: match arguments.packing {
            PackingChoice::One => Packing::One,
            PackingChoice::Several => Packing::Several,
            PackingChoice::Unaligned => Packing::Unaligned,
        },
        atomic_swap: arguments.atomic_swap,
        setup_timeout: seconds("--setup-timeout", arguments.setup_timeout)?,
        close_timeout: seconds("--close-timeout", arguments.close_timeout)?,
        bugs: bugs(arguments)?,
        ..Config::new(role, accessor)
    })
}

/// The bugs that `--bug` names.
///
/// # Errors
/// When there is no such bug.
pub(super) fn bugs(arguments: &CommonArguments) -> Result<Bugs> {
    arguments
        .bugs
        .join(",")
        .parse()
        .map_err(|unknown| anyhow!("--bug: {unknown} `warpscope peer bugs` lists them all"))
}

fn setup(arguments: &CommonArguments) -> Result<SetupConfig> {
    let private_data = bytes(&arguments.private_data)?;
    let revision = match arguments.revision {
        0 => SetupRevision::Zero,
        1 => SetupRevision::One,
        _ => SetupRevision::Two,
    };
    let enhanced = revision == SetupRevision::Two && !arguments.no_enhanced;
    if arguments.peer_to_peer && !enhanced {
        bail!(
            "--peer-to-peer needs revision 2 with enhanced data: leave --no-enhanced and --revision out"
        );
    }
    let most = MAX_PRIVATE_DATA - if enhanced { 4 } else { 0 };
    if private_data.len() > most {
        bail!("--private-data has {} bytes; there is room for {most}", private_data.len());
    }
    let has = |kind| arguments.rtr.contains(&kind);
    let (send, write, read) =
        (has(IndicationChoice::Send), has(IndicationChoice::Write), has(IndicationChoice::Read));
    Ok(SetupConfig {
        revision,
        markers: arguments.markers,
        crc: !arguments.no_crc,
        enhanced,
        negotiate_depths: !arguments.no_depths,
        ird: arguments.ird,
        ord: arguments.ord,
        required_ord: arguments.required_ord,
        peer_to_peer: arguments.peer_to_peer,
        // In this order: a set of none means that all are supported.
        ready_to_receive: ReadyToReceive::new(send, write, read),
        private_data,
        ..SetupConfig::default()
    })
}

fn profile(name: &str) -> Result<Profile> {
    Profile::by_name(name).ok_or_else(|| {
        let names: Vec<&str> = Profile::NAMES.iter().map(|(name, _)| *name).collect();
        anyhow!("--profile {name}: a profile is one of {}", names.join(", "))
    })
}

fn seconds(flag: &str, seconds: f64) -> Result<Duration> {
    Duration::try_from_secs_f64(seconds)
        .map_err(|_| anyhow!("{flag} {seconds}: give seconds, as 2 or 0.5"))
}

/// Text, or `hex:` and hexadecimal digits.
fn bytes(text: &str) -> Result<Vec<u8>> {
    let Some(digits) = text.strip_prefix("hex:") else { return Ok(text.as_bytes().to_vec()) };
    let digits: String = digits.chars().filter(|it| !it.is_whitespace() && *it != ':').collect();
    let bytes = (0..digits.len())
        .step_by(2)
        .map(|at| digits.get(at..at + 2).and_then(|pair| u8::from_str_radix(pair, 16).ok()));
    bytes.collect::<Option<_>>().ok_or_else(|| {
        anyhow!("--private-data {text}: behind hex: come pairs of hexadecimal digits")
    })
}
