//! The flags of a live capture, which several commands have.

use crate::recording::Criterion;
use clap::Args;

/// What is captured live, and until when.
#[derive(Debug, Args)]
pub(crate) struct LiveArguments {
    /// Capture on this interface: its name, `any`, or its number in the list of -D; repeatable.
    ///
    /// The frames of several interfaces are put in the order of their times.
    #[arg(short = 'i', value_name = "INTERFACE", help_heading = "Live capture")]
    pub(crate) interfaces: Vec<String>,

    /// List the interfaces that can be captured on.
    #[arg(short = 'D', help_heading = "Live capture")]
    pub(crate) list_interfaces: bool,

    /// Capture only what this capture filter passes: libpcap's language, see pcap-filter(7).
    ///
    /// It holds for every interface: tcp port 7174 and host 10.0.0.1.
    #[arg(short = 'f', value_name = "FILTER")]
    #[arg(help_heading = "Live capture")]
    pub(crate) capture_filter: Option<String>,

    /// Keep at most this many bytes of a frame; 0 (default) for 262144.
    #[arg(short = 's', value_name = "BYTES", default_value_t = 0, hide_default_value = true)]
    #[arg(help_heading = "Live capture")]
    pub(crate) snap_length: u32,

    /// Do not put the interfaces into promiscuous mode.
    #[arg(short = 'p', help_heading = "Live capture")]
    pub(crate) no_promiscuous: bool,

    /// Stop when: duration:SECONDS, filesize:KB, packets:N or files:N; repeatable.
    ///
    /// duration counts from the start, filesize (1 KB is 1000 bytes) is that of the file that -w
    /// names, packets counts those that the capture filter passed, files those of -b.
    #[arg(short = 'a', value_name = "LIMIT:VALUE", value_parser = Criterion::parse)]
    #[arg(help_heading = "Live capture")]
    pub(crate) stop: Vec<Criterion>,

    /// Write several files, a new one after: duration:SECONDS, filesize:KB or packets:N; repeatable.
    ///
    /// The files are named FILE_NUMBER_TIME with the suffix of -w: ring_00001_20260102030405.pcapng.
    /// files:N keeps the last N files and removes older ones.
    #[arg(short = 'b', value_name = "LIMIT:VALUE", value_parser = Criterion::parse)]
    #[arg(requires = "write", help_heading = "Live capture")]
    pub(crate) ring: Vec<Criterion>,
}

impl LiveArguments {
    /// The flags given that mean something only with `-i`.
    pub(crate) fn only_live(&self) -> Option<&'static str> {
        [
            (self.capture_filter.is_some(), "-f"),
            (self.snap_length != 0, "-s"),
            (self.no_promiscuous, "-p"),
            (!self.stop.is_empty(), "-a"),
            (!self.ring.is_empty(), "-b"),
        ]
        .iter()
        .find_map(|(given, flag)| given.then_some(*flag))
    }
}
