//! Opens interfaces, and says what to do where that fails.

use super::devices;
use crate::cli::LiveArguments;
use crate::interfaces::rights;
use anyhow::{Result, anyhow};
use pcap::{Active, Capture, Linktype};
use warpscope_dissector::capture::{Interface, LinkType};

/// What the kernel keeps of an interface's packets until they are read, in bytes.
const BUFFER: i32 = 64 << 20;
/// The most bytes of a packet that are kept where `-s` does not say it: libpcap's own limit.
const SNAP_LENGTH: i32 = 262_144;
/// How long the kernel collects packets before it shows them, in milliseconds.
pub(super) const COLLECTING: i32 = 50;
/// Digits behind the point of times.
pub(super) const TIME_DIGITS: u8 = if cfg!(target_os = "linux") { 9 } else { 6 };

/// An interface that is being captured on.
pub(super) struct Opened {
    pub(super) interface: Interface,
    pub(super) capture: Capture<Active>,
}

/// Opens the interface that `-i` names as the `number`th.
///
/// # Errors
/// When there is none of that name, the rights are missing, or the capture filter is wrong.
pub(super) fn open(given: &str, number: u32, arguments: &LiveArguments) -> Result<Opened> {
    let name = devices::named(given);
    let snap_length = match i32::try_from(arguments.snap_length) {
        Ok(0) | Err(_) => SNAP_LENGTH,
        Ok(bytes) => bytes.min(SNAP_LENGTH),
    };
    let inactive = Capture::from_device(name.as_str()).map_err(|error| refused(&name, &error))?;
    // libpcap takes promiscuous mode on `any` for an error.
    let promiscuous = !arguments.no_promiscuous && name != "any";
    let inactive =
        inactive.promisc(promiscuous).snaplen(snap_length).buffer_size(BUFFER).timeout(COLLECTING);
    #[cfg(target_os = "linux")]
    let inactive = inactive.precision(pcap::Precision::Nano);
    let mut capture = inactive.open().map_err(|error| refused(&name, &error))?;
    if let Some(filter) = &arguments.capture_filter {
        capture.filter(filter, true).map_err(|error| {
            anyhow!("-f '{filter}': {}; see pcap-filter(7) for its language", words(&error))
        })?;
    }
    let link_type = link_type(capture.get_datalink());
    let capture = capture.setnonblock().map_err(|error| refused(&name, &error))?;
    let interface = Interface {
        section: 0,
        number,
        link_type,
        snap_length: snap_length.unsigned_abs(),
        name: Some(name),
        description: None,
    };
    Ok(Opened { interface, capture })
}

/// The number that files have for a live interface's type of link: some systems number raw IP
/// otherwise.
fn link_type(live: Linktype) -> LinkType {
    match u32::try_from(live.0).unwrap_or(0) {
        12 => LinkType::RAW,
        14 if cfg!(target_os = "openbsd") => LinkType::RAW,
        number => LinkType(number),
    }
}

/// What libpcap says.
pub(super) fn words(error: &pcap::Error) -> String {
    match error {
        pcap::Error::PcapError(words) if !words.is_empty() => words.trim().to_owned(),
        error => error.to_string(),
    }
}

/// Why an interface cannot be opened, and what to do.
fn refused(name: &str, error: &pcap::Error) -> anyhow::Error {
    if let Some(unknown) = devices::unknown(name) {
        return anyhow!(unknown);
    }
    let words = words(error);
    if is_about_rights(&words) {
        return anyhow!("-i {name}: {words}; {}", rights());
    }
    anyhow!("-i {name}: {words}; check that it is up (`ip link`), or choose another of -D")
}

/// True when libpcap's words are about missing rights.
fn is_about_rights(words: &str) -> bool {
    let words = words.to_lowercase();
    ["permission", "not permitted", "cap_net_raw"].iter().any(|word| words.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_rights_are_told_from_libpcaps_words() {
        for words in [
            "Attempt to create packet socket failed - CAP_NET_RAW may be required",
            "socket: Operation not permitted",
            "You don't have permission to perform this capture on that device",
            "(cannot open device) /dev/bpf0: Permission denied",
        ] {
            assert!(is_about_rights(words), "{words}");
        }
        assert!(!is_about_rights("SIOCETHTOOL(ETHTOOL_GET_TS_INFO) ioctl failed: No such device"));
    }
}
