//! The interfaces available for capture.

use super::run::{Ending, now};
use super::session::{Batch, Report};
use crate::cli::LiveArguments;
use crate::interfaces;
use crate::privileges::rights;
use crate::terminal::print;
use anyhow::{Result, anyhow};
use pcap::{Active, Capture, Device, IfFlags, Linktype, Packet, Stat};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::mpsc::SyncSender;
use std::time::{Duration, Instant};
use warpscope_dissector::capture::{Interface, InterfaceStatistics, LinkType};
use warpscope_text::escaped;

/// Prints the interfaces as tshark does: number, name, description.
pub(crate) fn list_interfaces() -> Result<ExitCode> {
    let devices = devices()?;
    if devices.is_empty() {
        return Err(anyhow!(
            "there is no interface to capture on; check `ip link` (on most systems, listing \
             interfaces needs no special rights)"
        ));
    }
    print(|out, _| {
        for (index, device) in devices.iter().enumerate() {
            let loopback = device.flags.if_flags.contains(IfFlags::LOOPBACK);
            let about = match &device.desc {
                Some(description) => format!(" ({})", escaped(description)),
                None if loopback => " (Loopback)".to_owned(),
                None => String::new(),
            };
            let down = !device.flags.if_flags.contains(IfFlags::UP) && device.name != "any";
            let down = if down { " [down]" } else { "" };
            writeln!(out, "{}. {}{about}{down}", index + 1, escaped(&device.name))?;
        }
        Ok(())
    })
}

/// Returns the name that `-i` selects: by a name, or by a number in the list.
pub(super) fn named(given: &str) -> String {
    let number = given.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
    let Some(index) = number else { return given.to_owned() };
    let devices = devices().unwrap_or_default();
    if devices.iter().any(|device| device.name == given) {
        return given.to_owned();
    }
    devices.get(index).map_or_else(|| given.to_owned(), |device| device.name.clone())
}

/// Returns the error for an interface that does not exist; none if it exists.
pub(super) fn unknown(name: &str) -> Option<String> {
    let names: Vec<String> = devices().ok()?.into_iter().map(|device| device.name).collect();
    if names.iter().any(|known| known == name) {
        return None;
    }
    Some(interfaces::unknown("-i", name, &names))
}

fn devices() -> Result<Vec<Device>> {
    Device::list().map_err(|error| anyhow!("cannot list the interfaces: {error}"))
}

// Opens interfaces, with advice if that fails.

/// The kernel's buffer for an interface's unread packets, in bytes.
const BUFFER: i32 = 64 << 20;
/// The most bytes of a packet to keep without `-s`: libpcap's own limit.
const SNAP_LENGTH: i32 = 262_144;
/// How long the kernel collects packets before it delivers them, in milliseconds.
pub(super) const COLLECTING: i32 = 50;
/// Decimal digits of timestamps.
pub(super) const TIME_DIGITS: u8 = if cfg!(target_os = "linux") { 9 } else { 6 };

/// An interface opened for capture.
pub(super) struct Opened {
    pub(super) interface: Interface,
    pub(super) capture: Capture<Active>,
}

/// Opens the interface that `-i` names as the `number`th.
pub(super) fn open(given: &str, number: u32, arguments: &LiveArguments) -> Result<Opened> {
    let name = named(given);
    let snap_length = match i32::try_from(arguments.snap_length) {
        Ok(0) | Err(_) => SNAP_LENGTH,
        Ok(bytes) => bytes.min(SNAP_LENGTH),
    };
    let inactive = Capture::from_device(name.as_str()).map_err(|error| refused(&name, &error))?;
    // libpcap treats promiscuous mode on `any` as an error.
    let promiscuous = !arguments.no_promiscuous && name != "any";
    let inactive =
        inactive.promisc(promiscuous).snaplen(snap_length).buffer_size(BUFFER).timeout(COLLECTING);
    #[cfg(target_os = "linux")]
    let inactive = inactive.precision(pcap::Precision::Nano);
    let mut capture = inactive.open().map_err(|error| refused(&name, &error))?;
    if let Some(filter) = &arguments.capture_filter {
        capture.filter(filter, true).map_err(|error| {
            anyhow!("-f '{filter}': {}; see pcap-filter(7) for the syntax", words(&error))
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

/// Returns the number that files use for a live interface's type of link: some systems number raw IP
/// differently.
fn link_type(live: Linktype) -> LinkType {
    match u32::try_from(live.0).unwrap_or(0) {
        12 => LinkType::RAW,
        14 if cfg!(target_os = "openbsd") => LinkType::RAW,
        number => LinkType(number),
    }
}

pub(super) fn words(error: &pcap::Error) -> String {
    match error {
        pcap::Error::PcapError(words) if !words.is_empty() => words.trim().to_owned(),
        error => error.to_string(),
    }
}

/// Describes why an interface cannot be opened, with advice.
fn refused(name: &str, error: &pcap::Error) -> anyhow::Error {
    if let Some(unknown) = unknown(name) {
        return anyhow!(unknown);
    }
    let words = words(error);
    if is_about_rights(&words) {
        return anyhow!("-i {name}: {words}; {}", rights(true));
    }
    anyhow!("-i {name}: {words}; check that it is up (`ip link`), or choose another one from -D")
}

/// Whether libpcap's message is about missing rights.
fn is_about_rights(words: &str) -> bool {
    let words = words.to_lowercase();
    ["permission", "not permitted", "cap_net_raw"].iter().any(|word| words.contains(word))
}

// The thread that captures on one interface.

/// The most packets that are read from the kernel before they are passed on.
const BATCH: usize = 256;
/// How long to wait for packets before checking whether to stop.
const WAIT: Timespec = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };
/// The kernel delivers the packets that it holds back within this time, in nanoseconds.
const HELD_BACK: i64 = 2 * COLLECTING as i64 * 1_000_000;

/// The interval at which an interface's statistics are read.
const ASK: Duration = Duration::from_secs(1);

/// The statistics of an interface's packets, as far as the system reports them.
#[derive(Default)]
struct Counted {
    last: Option<Stat>,
    sums: InterfaceStatistics,
}

impl Counted {
    /// Reads the system's 32-bit counters, which may have wrapped since the last time.
    fn ask(&mut self, capture: &mut Capture<Active>) -> Option<InterfaceStatistics> {
        let now = capture.stats().ok()?;
        let since = |part: fn(&Stat) -> u32| {
            u64::from(part(&now).wrapping_sub(self.last.as_ref().map_or(0, part)))
        };
        self.sums.received += since(|it| it.received);
        self.sums.dropped += since(|it| it.if_dropped);
        self.sums.dropped_by_system += since(|it| it.dropped);
        self.last = Some(now);
        Some(self.sums)
    }
}

/// When to stop: a time in nanoseconds since 1970, far in the future until it is set.
#[derive(Debug, Clone)]
pub(super) struct StopTime(Arc<AtomicI64>);

impl StopTime {
    pub(super) fn never() -> Self {
        Self(Arc::new(AtomicI64::new(i64::MAX)))
    }

    /// Stops now: packets until now are still delivered.
    pub(super) fn set_now(&self) {
        self.0.fetch_min(now(), Ordering::Relaxed);
    }

    fn get(&self) -> i64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Captures until it is stopped, or the receiver is dropped.
pub(super) fn run(
    interface: usize,
    mut capture: Capture<Active>,
    stop: &StopTime,
    reports: &SyncSender<Report>,
) {
    let (mut failure, mut counted, mut asked) = (None, Counted::default(), Instant::now());
    loop {
        let mut statistics = None;
        if asked.elapsed() >= ASK {
            (statistics, asked) = (counted.ask(&mut capture), Instant::now());
        }
        let before = now();
        let stop_time = stop.get();
        let mut batch = Batch::default();
        let taken = capture.dispatch(Some(BATCH), |packet| {
            let time = time(&packet);
            if time <= stop_time {
                batch.push(time, packet.header.len, packet.data);
            }
        });
        let complete_until = if matches!(taken, Ok(0)) { before - HELD_BACK } else { 0 };
        let some = batch.len() > 0;
        let report = Report { interface, batch, complete_until, statistics, ending: None };
        if reports.send(report).is_err() {
            return;
        }
        match taken {
            Err(error) => failure = Some(words(&error)),
            // All packets from before the stop are delivered.
            Ok(_) if !some && before.saturating_sub(HELD_BACK) > stop_time => {}
            Ok(0) => {
                let _ = poll(&mut [PollFd::new(&capture, PollFlags::IN)], Some(&WAIT));
                continue;
            }
            Ok(_) => continue,
        }
        break;
    }
    let statistics = counted.ask(&mut capture);
    let ending = Some(Ending { statistics, failure });
    let batch = Batch::default();
    let _ = reports.send(Report { interface, batch, complete_until: i64::MAX, statistics, ending });
}

/// Returns a packet's time in nanoseconds since 1970.
#[allow(clippy::unnecessary_cast, reason = "the parts are narrower on other systems")]
fn time(packet: &Packet<'_>) -> i64 {
    let seconds = packet.header.ts.tv_sec as i64;
    let fraction = packet.header.ts.tv_usec as i64;
    let unit = if cfg!(target_os = "linux") { 1 } else { 1_000 };
    seconds.saturating_mul(1_000_000_000).saturating_add(fraction * unit)
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
