//! `warpscope fields`.

use clap::{Args, ValueEnum};

pub(super) const EXAMPLES: &str = "\
Examples:
  warpscope fields
  warpscope fields tcp.flags
  warpscope fields --format json window";

/// List the fields that -e and display filters know.
#[derive(Debug, Args)]
pub(crate) struct FieldsArguments {
    /// Only fields whose name, label or description contains this, whatever the case.
    pub(crate) pattern: Option<String>,

    /// How to print the list.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: ListFormat,
}

/// How the list of fields is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ListFormat {
    /// An aligned table a protocol.
    Text,
    /// A JSON array with an object a field.
    Json,
    /// A Markdown table a protocol.
    Markdown,
}
