//! The arguments of `warpscope tui`.

use super::DecodingArguments;
use clap::Args;
use std::path::PathBuf;

pub(super) const ABOUT: &str = "\
Look at a capture in the terminal.

Connections first, then messages with their trees and bytes, operations, RPC calls, ladders, \
findings and statistics. The first screen is there before the capture is read; everything works on \
what is there already. `warpscope FILE` does the same. ? tells the keys.";

pub(super) const EXAMPLES: &str = "\
Examples:
  Look at a capture:
    warpscope tui capture.pcapng
  The messages that a filter lets through:
    warpscope tui capture.pcapng -Y 'iwarp_rdma.terminate'
  Two more columns in the list of messages:
    warpscope tui capture.pcapng --view messages -e iwarp_ddp.stag -e iwarp_ddp.msn
  What is on a link, as it comes:
    warpscope tui -i eth0 -f 'tcp port 20049'
  What another program writes to a file, as it comes:
    warpscope tui growing.pcapng --tail
  A screen as text, for a report of a defect:
    warpscope tui capture.pcapng --snapshot flows --size 100x30

Exit status:
  0  The user left.
  1  The terminal failed, or the capture could not be read to its end (--snapshot).
  2  There is no terminal, or the command line cannot be followed.";

/// Look at a capture in the terminal.
#[derive(Debug, Args)]
pub(crate) struct TuiArguments {
    /// The capture file; - for standard input.
    ///
    /// pcap or pcapng, plain or compressed with gzip, zstd or lz4: told from its content.
    #[arg(value_name = "FILE", required_unless_present_any = ["interfaces", "run"])]
    pub(crate) file: Option<PathBuf>,

    /// Look at the report of a conformance run: what `warpscope conform` wrote as JSON.
    #[arg(long, value_name = "REPORT")]
    pub(crate) run: Option<PathBuf>,

    /// Capture on this interface: its name, `any`, or its number; repeatable.
    #[arg(short = 'i', value_name = "INTERFACE", conflicts_with = "file")]
    #[arg(help_heading = "Live capture")]
    pub(crate) interfaces: Vec<String>,

    /// Capture only what this capture filter passes: libpcap's language, see pcap-filter(7).
    #[arg(short = 'f', value_name = "FILTER", requires = "interfaces")]
    #[arg(help_heading = "Live capture")]
    pub(crate) capture_filter: Option<String>,

    /// Keep at most this many bytes of a frame; 0 (default) for 262144.
    #[arg(short = 's', value_name = "BYTES", default_value_t = 0, hide_default_value = true)]
    #[arg(help_heading = "Live capture")]
    pub(crate) snap_length: u32,

    /// Do not put the interfaces into promiscuous mode.
    #[arg(short = 'p', requires = "interfaces", help_heading = "Live capture")]
    pub(crate) no_promiscuous: bool,

    /// Go on reading at the end of the file as it grows.
    #[arg(long, requires = "file", help_heading = "Live capture")]
    pub(crate) tail: bool,

    /// Keep about the last so many bytes of what is read once; 0 for all.
    ///
    /// They are kept in unnamed temporary files. A number, or one with k, M or G (1024 each). Without it 1G
    /// of live traffic, and all of a pipe.
    #[arg(long, value_name = "BYTES", value_parser = size, help_heading = "Live capture")]
    pub(crate) ring: Option<u64>,

    /// Begin with this display filter.
    #[arg(short = 'Y', long, value_name = "FILTER")]
    pub(crate) filter: Option<String>,

    /// Show this field as a column of the messages too; repeatable.
    ///
    /// For this session; in the messages `a` makes the chosen field a column that is remembered. `warpscope
    /// fields` lists all.
    #[arg(short = 'e', value_name = "FIELD")]
    pub(crate) fields: Vec<String>,

    /// Begin with this view: flows, messages, operations, calls, ladder, findings, statistics, fields.
    #[arg(long, value_name = "VIEW")]
    pub(crate) view: Option<String>,

    /// Print one screen of this view as text, and leave.
    #[arg(long, value_name = "VIEW", conflicts_with = "view", help_heading = "Output")]
    pub(crate) snapshot: Option<String>,

    /// Keys to press before the screen is printed, apart by blanks: 'G Tab j j'.
    #[arg(long, value_name = "KEYS", requires = "snapshot", help_heading = "Output")]
    pub(crate) keys: Option<String>,

    /// The size of the printed screen.
    #[arg(long, value_name = "COLUMNSxROWS", requires = "snapshot", help_heading = "Output")]
    pub(crate) size: Option<String>,

    /// Colours: dark, light, or none. Without it, dark; none when NO_COLOR is set.
    #[arg(long, value_name = "THEME", help_heading = "Look")]
    pub(crate) theme: Option<String>,

    /// Give what is copied to this command's standard input, as `wl-copy` or 'xclip -selection clipboard'.
    ///
    /// Without it the terminal is asked (OSC 52), which not all terminals take.
    #[arg(long, value_name = "COMMAND", help_heading = "Look")]
    pub(crate) copy_command: Option<String>,

    /// Draw with ASCII alone, whatever the locale.
    #[arg(long, help_heading = "Look")]
    pub(crate) ascii: bool,

    /// How captures are decoded.
    #[command(flatten)]
    pub(crate) decoding: DecodingArguments,
}

/// Bytes with a unit.
fn size(text: &str) -> Result<u64, String> {
    let (digits, shift) = match text.strip_suffix(['k', 'K', 'M', 'G']) {
        Some(digits) if text.ends_with('G') => (digits, 30),
        Some(digits) if text.ends_with('M') => (digits, 20),
        Some(digits) => (digits, 10),
        None => (text, 0),
    };
    let number: Option<u64> = digits.parse().ok();
    let bytes = number.and_then(|number| number.checked_mul(1 << shift));
    bytes.ok_or_else(|| "write bytes, as 500M".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        assert_eq!((size("0"), size("12"), size("3k")), (Ok(0), Ok(12), Ok(3072)));
        assert_eq!((size("5M"), size("1G")), (Ok(5 << 20), Ok(1 << 30)));
        assert!(size("M").is_err() && size("1.5G").is_err() && size("99999999999999G").is_err());
    }
}
