//! The arguments of `warpscope follow`.

use super::DecodingArguments;
use clap::Args;
use std::path::PathBuf;

pub(super) const ABOUT: &str = "\
Draw the conversation of a connection as a ladder.

One arrow a message, whatever packets it came in: setup frames, Writes, Reads with their responses, \
Sends with the RPC calls and replies in them, Terminates with what they mean, what was lost, and the \
end. #n is the number of an operation in its connection, from 1.";

pub(super) const EXAMPLES: &str = "\
Examples:
  The connections of a capture:
    warpscope follow capture.pcapng
  The conversation of connection 3 (tcp.stream == 3):
    warpscope follow capture.pcapng 3
  What happened in the frames 1000 to 1200, as a page for a browser:
    warpscope follow capture.pcapng 3 --from 1000 --to 1200 --html ladder.html
  A picture of the first 40 messages:
    warpscope follow capture.pcapng 3 --limit 40 --svg ladder.svg

Exit status:
  0  The whole capture was read.
  1  The capture is damaged or cut off: what was before that is shown; or the output could not be
     written.
  2  Nothing could be read, there is no such connection, or the command line cannot be followed.";

/// Draw the conversation of a connection as a ladder.
#[derive(Debug, Args)]
pub(crate) struct FollowArguments {
    /// The capture file; - for standard input.
    ///
    /// pcap or pcapng, plain or compressed with gzip, zstd or lz4: told from its content.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    /// The number of the connection (tcp.stream); without it, the connections are listed.
    #[arg(value_name = "FLOW")]
    pub(crate) flow: Option<u32>,

    /// Leave out what was complete before this frame.
    #[arg(long, value_name = "FRAME", default_value_t = 0, hide_default_value = true)]
    #[arg(requires = "flow", help_heading = "Selection")]
    pub(crate) from: u64,

    /// Leave out what was complete only behind this frame.
    #[arg(long, value_name = "FRAME", requires = "flow", help_heading = "Selection")]
    pub(crate) to: Option<u64>,

    /// Draw so many arrows at most, and say how many there are beyond.
    ///
    /// Without it, all are printed as text, and 2000 go to an SVG or HTML file.
    #[arg(long, value_name = "COUNT", requires = "flow", help_heading = "Selection")]
    pub(crate) limit: Option<usize>,

    /// Write a picture to this file instead of printing text.
    #[arg(long, value_name = "FILE", requires = "flow", help_heading = "Output")]
    pub(crate) svg: Option<PathBuf>,

    /// Write a page for a browser to this file instead of printing text.
    ///
    /// It needs nothing but itself: no network, no other file.
    #[arg(long, value_name = "FILE", requires = "flow", help_heading = "Output")]
    pub(crate) html: Option<PathBuf>,

    /// Print text of so many columns; without it, as wide as the terminal, or 120.
    #[arg(long, value_name = "COLUMNS", help_heading = "Output")]
    pub(crate) width: Option<usize>,

    /// How captures are decoded.
    #[command(flatten)]
    pub(crate) decoding: DecodingArguments,
}
