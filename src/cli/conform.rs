//! The arguments of `warpscope conform`.

use super::ListFormat;
use super::conform_mutants::{MUTANTS_ABOUT, MUTANTS_EXAMPLES, MutantsArguments};
use super::conform_proxy::{PROXY_ABOUT, PROXY_EXAMPLES, ProxyArguments};
use super::conform_run::{RUN_ABOUT, RUN_EXAMPLES, RunArguments};
use clap::{Args, Subcommand};
use std::path::PathBuf;

pub(super) const ABOUT: &str = "\
The conformance suite: cases that drive an iWARP implementation and judge what it does.

A case is a YAML file: what is sent, what is accepted, and the requirements of the documents that \
it judges. It stands for instances: one for each combination of what it is multiplied by.";

const NEW_ABOUT: &str = "\
Begin a case: a file with comments that say what belongs where.

Without --cases and -o, ID.yaml is written into the folder where you are. With --cases DIR, it goes \
into the folder of its section within DIR: that of the first requirement of --covers. A file that is \
there is never written over.";

const NEW_EXAMPLES: &str = "\
Examples:
  Here, as my-case.yaml:
    warpscope conform new my-case --covers RFC5040-4.8-03
  In a folder of cases, as DIR/rfc5040/4.8-.../my-case.yaml:
    warpscope conform new my-case --covers RFC5040-4.8-03 --cases conformance/cases
  Elsewhere, or to look at it:
    warpscope conform new my-case -o cases/mine.yaml
    warpscope conform new my-case -o -
  And then:
    warpscope conform lint my-case.yaml
    warpscope conform run --self --cases my-case.yaml -v my-case";

pub(super) const EXAMPLES: &str = "\
Examples:
  See the suite work, and then run it against a target:
    warpscope conform run --self
    warpscope conform run --target 192.0.2.7:7174
  Sit between two stacks, cut and delay what passes, and judge it:
    warpscope conform proxy --listen 0.0.0.0:7174 --to 192.0.2.7:7174
  The cases, like the documents' contents:
    warpscope conform list
    warpscope conform list --section rfc5040-4.8
    warpscope conform list 'mpa-*' --level must
  What a case does, or what judges a requirement:
    warpscope conform explain CASE
    warpscope conform explain RFC5040-4.8-03
  Which requirements are judged, and which are not:
    warpscope conform coverage
  A case of your own:
    warpscope conform new my-case --covers RFC5040-4.8-03
    warpscope conform lint my-case.yaml
    warpscope conform run --self --cases my-case.yaml -v my-case

Exit status:
  0  It was printed, and nothing is wrong.
  1  lint and coverage: something is wrong with a case, a waiver, or a MUST without a case.
  2  There is no such case, or the command line cannot be followed.";

/// The conformance suite.
#[derive(Debug, Args)]
pub(crate) struct ConformArguments {
    /// What to do.
    #[command(subcommand)]
    pub(crate) action: ConformAction,
}

/// What can be done with cases.
#[derive(Debug, Subcommand)]
pub(crate) enum ConformAction {
    /// Run the cases against a target, and judge what it does.
    #[command(long_about = RUN_ABOUT, after_long_help = RUN_EXAMPLES)]
    Run(Box<RunArguments>),
    /// Sit between two stacks, impair the TCP stream as TCP allows, and judge what passes.
    #[command(long_about = PROXY_ABOUT, after_long_help = PROXY_EXAMPLES)]
    Proxy(Box<ProxyArguments>),
    /// Test the cases: does each catch the bugs that it says it catches?
    #[command(long_about = MUTANTS_ABOUT, after_long_help = MUTANTS_EXAMPLES)]
    Mutants(MutantsArguments),
    /// List cases by document and section.
    List(ListArguments),
    /// Explain a case: what it demands, does and catches; or list what judges a requirement.
    Explain(ExplainArguments),
    /// Check case files, and say what is wrong and where.
    Lint(LintArguments),
    /// Print the JSON Schema of case files, for editors.
    Schema,
    /// Say which requirements cases and rules judge, and which nothing does.
    Coverage(CoverageArguments),
    /// Begin a case: a file with comments that say what belongs where.
    #[command(long_about = NEW_ABOUT, after_long_help = NEW_EXAMPLES)]
    New(NewArguments),
}

/// Where cases come from.
#[derive(Debug, Clone, Args)]
pub(crate) struct CasesArguments {
    /// Take the cases of this folder or file instead of those that are built in.
    ///
    /// Fragments that are built in can be used in them.
    #[arg(long, value_name = "DIR|FILE")]
    pub(crate) cases: Option<PathBuf>,
}

/// Which cases; all of these must hold.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct SelectionArguments {
    /// Only cases with this id; * stands for anything.
    ///
    /// Of an instance's id, what stands before the bracket counts.
    #[arg(value_name = "ID", help_heading = "Selection")]
    pub(crate) ids: Vec<String>,

    /// Only cases of this document or section, and those within: rfc5040, rfc5040-4.8; repeatable.
    #[arg(long = "section", value_name = "SECTION", help_heading = "Selection")]
    pub(crate) sections: Vec<String>,

    /// Only cases that cover this requirement; repeatable.
    #[arg(long = "covers", value_name = "REQUIREMENT", help_heading = "Selection")]
    pub(crate) covers: Vec<String>,

    /// Only cases with this tag; repeatable.
    #[arg(long = "tag", value_name = "TAG", help_heading = "Selection")]
    pub(crate) tags: Vec<String>,

    /// Only cases of this level: must, should, may; repeatable.
    #[arg(long = "level", value_name = "LEVEL", help_heading = "Selection")]
    pub(crate) levels: Vec<String>,
}

/// `conform list`.
#[derive(Debug, Args)]
pub(crate) struct ListArguments {
    /// Which cases.
    #[command(flatten)]
    pub(crate) selection: SelectionArguments,

    /// Where cases come from.
    #[command(flatten)]
    pub(crate) cases: CasesArguments,

    /// How to print the list.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: ListFormat,
}

/// `conform explain`.
#[derive(Debug, Args)]
pub(crate) struct ExplainArguments {
    /// The id of a case, an instance or a requirement.
    #[arg(value_name = "ID")]
    pub(crate) id: String,

    /// Where cases come from.
    #[command(flatten)]
    pub(crate) cases: CasesArguments,
}

/// `conform lint`.
#[derive(Debug, Args)]
pub(crate) struct LintArguments {
    /// Files, or folders with files in them; without one, the cases that are built in.
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
}

/// `conform coverage`.
#[derive(Debug, Args)]
pub(crate) struct CoverageArguments {
    /// Where cases come from.
    #[command(flatten)]
    pub(crate) cases: CasesArguments,

    /// Take the waivers of this file instead of those that are built in.
    #[arg(long, value_name = "FILE")]
    pub(crate) waivers: Option<PathBuf>,

    /// Only this document: rfc5040, extv2, commit.
    #[arg(long, value_name = "DOCUMENT")]
    pub(crate) document: Option<String>,

    /// Print every requirement with what judges it, and not only those that nothing judges.
    ///
    /// JSON has all of them whatever this says.
    #[arg(long)]
    pub(crate) all: bool,

    /// How to print it.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: ListFormat,
}

/// `conform new`.
#[derive(Debug, Args)]
pub(crate) struct NewArguments {
    /// The id of the case: small letters, digits, hyphens.
    #[arg(value_name = "ID")]
    pub(crate) id: String,

    /// A requirement that it is to judge; repeatable.
    #[arg(long = "covers", value_name = "REQUIREMENT")]
    pub(crate) covers: Vec<String>,

    /// Put it into this folder of cases, where its section is; without it, ID.yaml is written here.
    #[command(flatten)]
    pub(crate) cases: CasesArguments,

    /// Write to this file; - for standard output.
    #[arg(short = 'o', long, value_name = "FILE", conflicts_with = "cases")]
    pub(crate) output: Option<PathBuf>,
}
