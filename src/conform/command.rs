//! Hands an action to its file.

use super::{coverage, explain, lint, list, mutants, new, proxy, schema};
use crate::cli::{ConformAction, ConformArguments};
use anyhow::Result;
use std::process::ExitCode;

/// Does what is asked for.
///
/// # Errors
/// When there is no such case, a file cannot be read or written, or the output failed.
pub(crate) fn run(arguments: &ConformArguments) -> Result<ExitCode> {
    match &arguments.action {
        ConformAction::Run(arguments) => super::run::run(arguments),
        ConformAction::Proxy(arguments) => proxy::run(arguments),
        ConformAction::Mutants(arguments) => mutants::run(arguments),
        ConformAction::List(arguments) => list::run(arguments),
        ConformAction::Explain(arguments) => explain::run(arguments),
        ConformAction::Lint(arguments) => lint::run(arguments),
        ConformAction::Schema => schema::run(),
        ConformAction::Coverage(arguments) => coverage::run(arguments),
        ConformAction::New(arguments) => new::run(arguments),
    }
}
