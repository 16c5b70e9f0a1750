//! The `warpscope` command.

mod annotate;
mod capture;
mod check;
mod cli;
mod conform;
mod decoding;
mod dissect;
mod export;
mod failure;
mod fields;
mod flows;
mod follow;
mod generate;
mod input;
mod interfaces;
mod live;
mod output;
mod parallel;
mod peer;
mod privileges;
mod replay;
mod rules;
mod stats;
mod table;
mod terminal;
mod tui;
mod watch;

use clap::{CommandFactory as _, Parser as _};
use std::process::ExitCode;

fn main() -> ExitCode {
    let commands = cli::Cli::command();
    let is_command = |word: &str| word == "help" || commands.find_subcommand(word).is_some();
    let has = |command: &str, flag: char| {
        let arguments =
            commands.find_subcommand(command).into_iter().flat_map(|it| it.get_arguments());
        arguments.filter_map(|it| it.get_short()).any(|it| it == flag)
    };
    let prints = |flag: char| has("dissect", flag) && !has("tui", flag);
    let words = tui::with_command(std::env::args_os().collect(), is_command, prints);
    let outcome = match cli::Cli::try_parse_from(words) {
        Ok(cli) => match started(cli) {
            cli::Command::Tui(arguments) => tui::run(&arguments),
            cli::Command::Dissect(arguments) => dissect::run(&arguments),
            cli::Command::Follow(arguments) => follow::run(&arguments),
            cli::Command::Export(arguments) => export::run(&arguments),
            cli::Command::Capture(arguments) => capture::run(&arguments),
            cli::Command::Watch(arguments) => watch::run(&arguments),
            cli::Command::Flows(arguments) => flows::run(&arguments),
            cli::Command::Stats(arguments) => stats::run(&arguments),
            cli::Command::Check(arguments) => check::run(&arguments),
            cli::Command::Rules(arguments) => rules::run(&arguments),
            cli::Command::Replay(arguments) => replay::run(&arguments),
            cli::Command::Annotate(arguments) => annotate::run(&arguments),
            cli::Command::Peer(arguments) => peer::run(&arguments),
            cli::Command::Conform(arguments) => conform::run(&arguments),
            cli::Command::Fields(arguments) => fields::run(&arguments),
            cli::Command::Config => tui::print_settings(),
            cli::Command::Completions(arguments) => generate::completions(&arguments),
            cli::Command::Man(arguments) => generate::man(&arguments),
        },
        Err(refused) => return failure::usage(refused),
    };
    outcome.unwrap_or_else(|error| failure::report(&error))
}

/// Returns the command, in a process that has the rights for it if possible. A process that another one
/// of this program started ends together with it.
fn started(cli: cli::Cli) -> cli::Command {
    #[cfg(target_os = "linux")]
    privileges::settle(cli.command.captures());
    if cli.tied {
        std::thread::spawn(terminal::end_with_standard_input);
    }
    cli.command
}
