//! `warpscope replay`.

use clap::Args;
use std::path::PathBuf;

pub(super) const ABOUT: &str = "\
Compare captures with what is expected of them; or, with --onto, put their frames onto a link.

Every capture of a folder is dissected, and counts, findings and the values of fields are compared
with NAME.expect.yaml beside it. A capture without expectations is a failure.

With --onto, frames go out as they were captured, byte for byte, in the order of the file and with the pauses
that its times say. Only Ethernet frames can be sent; a frame that the capture cut short is sent as
far as it is there.";

pub(super) const EXAMPLES: &str = "\
Examples:
  Write expectations for captures that have none, and read them:
    warpscope replay --bless captures/
  Compare, with a report for a CI service:
    warpscope replay captures/ --junit report.xml
  A capture as it happened, onto one end of a virtual link:
    warpscope replay --onto veth0 capture.pcapng
  Twice as fast, one connection only, three times over:
    warpscope replay --onto veth0 --speed 2 -Y 'tcp.stream == 3' --loop 3 capture.pcapng
  As fast as it goes:
    warpscope replay --onto veth0 --full-speed capture.pcapng

Exit status:
  0  Everything is as expected; with --onto, every frame that passed was sent, or Ctrl-C or SIGTERM
     ended it.
  1  Something differs, expectations are missing, or a file cannot be read; with --onto, the capture
     is damaged or cut off, or a frame could not be sent: those before were sent.
  2  There is nothing to compare or to send, or the command line cannot be followed.";

/// Compare captures with what is expected of them, or put their frames onto a link.
#[derive(Debug, Args)]
pub(crate) struct ReplayArguments {
    /// Folders of captures; or captures, or expectations, one by one. Subfolders are not entered.
    /// With --onto, one capture; - for standard input.
    #[arg(required = true, value_name = "FOLDER")]
    pub(crate) paths: Vec<PathBuf>,

    /// Show how the expectations change, and write them.
    ///
    /// Counts and findings are written; options, waived and fields are never touched, and comments
    /// are kept. Counts that a file leaves out stay out.
    #[arg(long, conflicts_with = "onto")]
    pub(crate) bless: bool,

    /// Write a JUnit report to this file.
    #[arg(long, value_name = "FILE", conflicts_with = "onto")]
    pub(crate) junit: Option<PathBuf>,

    /// Put the frames onto the link of this interface.
    #[arg(long, value_name = "INTERFACE", help_heading = "Onto a link")]
    pub(crate) onto: Option<String>,

    /// So many times the recorded speed: 2 halves every pause.
    #[arg(long, value_name = "FACTOR", default_value = "1", value_parser = speed)]
    #[arg(allow_negative_numbers = true)]
    #[arg(requires = "onto", help_heading = "Onto a link")]
    pub(crate) speed: f64,

    /// Make no pauses.
    #[arg(long, conflicts_with = "speed", requires = "onto", help_heading = "Onto a link")]
    pub(crate) full_speed: bool,

    /// Send it all so many times.
    #[arg(long = "loop", value_name = "TIMES", default_value_t = 1, requires = "onto")]
    #[arg(value_parser = clap::value_parser!(u64).range(1..), help_heading = "Onto a link")]
    pub(crate) times: u64,

    /// Send only the frames that this display filter passes.
    #[arg(short = 'Y', value_name = "FILTER", requires = "onto", help_heading = "Onto a link")]
    pub(crate) filter: Option<String>,
}

fn speed(text: &str) -> Result<f64, String> {
    let factor = text.parse().ok().filter(|factor: &f64| factor.is_finite() && *factor > 0.0);
    factor.ok_or_else(|| "give a number above 0, as 0.5 or 2".to_owned())
}
