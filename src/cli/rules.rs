//! The arguments of `warpscope rules`.

use super::ListFormat;
use clap::{Args, Subcommand};

pub(super) const EXAMPLES: &str = "\
Examples:
  warpscope rules
  warpscope rules --layer ddp
  warpscope rules --format markdown
  warpscope rules show RULE
  warpscope rules show RFC5041-5.1-01";

/// List the rules that `check` judges by, or explain one.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct RulesArguments {
    /// Explain one instead.
    #[command(subcommand)]
    pub(crate) action: Option<RulesAction>,

    /// Only the rules of a layer: the first part of their names, as mpa or ddp.
    #[arg(long, value_name = "LAYER")]
    pub(crate) layer: Option<String>,

    /// How to print the list.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: ListFormat,
}

/// What else can be done with rules.
#[derive(Debug, Subcommand)]
pub(crate) enum RulesAction {
    /// Explain a rule or a requirement: what it demands, what a finding means, who is at fault.
    Show {
        /// The name of a rule, or the id of a requirement.
        #[arg(value_name = "ID")]
        id: String,
    },
}
