//! `warpscope annotate`.

use clap::Args;
use std::path::PathBuf;

pub(super) const ABOUT: &str = "\
Write what is wrong in a capture into comments of its packets.

The new capture has every frame of the old one. Wireshark shows the comments and finds them with the
display filter frame.comment; comments that were there stay. The capture is read twice.";

pub(super) const EXAMPLES: &str = "\
Examples:
  Find what is wrong, and look at it in Wireshark:
    warpscope annotate -r capture.pcapng -w annotated.pcapng
    wireshark -Y frame.comment annotated.pcapng
  The same as a list:
    tshark -r annotated.pcapng -Y frame.comment -T fields -e frame.number -e frame.comment

Exit status:
  0  The whole capture was written.
  1  The capture is damaged or cut off: the frames before that were written; or writing failed
     midway.
  2  Nothing could be read or written, or the command line cannot be followed.";

/// Write what is wrong in a capture into comments of its packets.
#[derive(Debug, Args)]
pub(crate) struct AnnotateArguments {
    /// The capture file.
    #[arg(short = 'r', value_name = "FILE")]
    pub(crate) read: PathBuf,

    /// The pcapng file to write; - for standard output.
    #[arg(short = 'w', value_name = "FILE")]
    pub(crate) write: PathBuf,
}
