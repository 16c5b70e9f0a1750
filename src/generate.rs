//! `warpscope completions` and `warpscope man`: generated from the definitions of the command line.

use crate::cli::{Cli, CompletionsArguments, ManArguments};
use crate::failure::OutputError;
use crate::terminal::standard_output;
use anyhow::{Context as _, Result};
use clap::CommandFactory as _;
use std::fs;
use std::process::ExitCode;

pub(crate) fn completions(arguments: &CompletionsArguments) -> Result<ExitCode> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Cli::command(), "warpscope", &mut script);
    print_out(&script)
}

pub(crate) fn man(arguments: &ManArguments) -> Result<ExitCode> {
    // One page per command is enough: the library's `help` subcommands would only add pages.
    let command = Cli::command().disable_help_subcommand(true);
    let Some(folder) = &arguments.folder else {
        let mut page = Vec::new();
        clap_mangen::Man::new(command).render(&mut page)?;
        return print_out(&page);
    };
    let failed = || format!("cannot write manual pages to {}", folder.display());
    fs::create_dir_all(folder).with_context(failed)?;
    clap_mangen::generate_to(command, folder).with_context(failed)?;
    Ok(ExitCode::SUCCESS)
}

fn print_out(text: &[u8]) -> Result<ExitCode> {
    let (mut out, _) = standard_output();
    out.write_all(text).and_then(|()| out.flush()).map_err(OutputError)?;
    Ok(ExitCode::SUCCESS)
}
