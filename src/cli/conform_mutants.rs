//! The arguments of `warpscope conform mutants`.

use super::ListFormat;
use super::conform::CasesArguments;
use clap::Args;
use std::path::PathBuf;

pub(super) const MUTANTS_ABOUT: &str = "\
Test the cases: does each catch the bugs that it says it catches?

The reference peer is started with one seeded bug after another, and the cases that name the bug \
are run against it. A bug is killed when a case fails that covers the requirement which the bug \
breaks.";

pub(super) const MUTANTS_EXAMPLES: &str = "\
Examples:
  Every bug, with the cases that name it:
    warpscope conform mutants
  A few, drawn by a number:
    warpscope conform mutants --sample 40 --seed 7
  One bug, with every case there is:
    warpscope conform mutants crc-unchecked --all

Exit status:
  0  Every bug was killed by a case of its requirement, every case kills what it names and at least
     one bug; or the file of what is accepted has a reason.
  1  Something of that does not hold.
  2  It could not be tried.";

/// `conform mutants`.
#[derive(Debug, Args)]
pub(crate) struct MutantsArguments {
    /// Only these bugs; without one, all: `warpscope peer bugs`.
    #[arg(value_name = "BUG")]
    pub(crate) bugs: Vec<String>,

    /// Run every case against each bug, and not only those that name it.
    #[arg(long)]
    pub(crate) all: bool,

    /// Draw so many bugs.
    #[arg(long, value_name = "N", conflicts_with = "bugs")]
    pub(crate) sample: Option<usize>,

    /// Draw the sample by this number.
    #[arg(long, value_name = "N", default_value = "1", requires = "sample")]
    pub(crate) seed: u64,

    /// How many bugs are tried at a time.
    #[arg(short = 'j', long, value_name = "N", default_value = "6", value_parser = clap::value_parser!(u16).range(1..=64))]
    pub(crate) jobs: u16,

    /// Take what is accepted from this file instead of the one that is built in.
    #[arg(long, value_name = "FILE")]
    pub(crate) accepted: Option<PathBuf>,

    /// Where cases come from.
    #[command(flatten)]
    pub(crate) cases: CasesArguments,

    /// How to print the matrix.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: ListFormat,
}
