//! Writes synthetic captures.

use clap::{Parser, Subcommand};
use std::fs::File;
use std::io::{BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use warpscope_traces::scenario::Scenario;
use warpscope_traces::{Result, TraceError, bench, scenario};

const EXAMPLES: &str = "\
Examples:
  make-traces list                                    names of the synthetic captures
  make-traces synthetic traces/synthetic              write all of them to a directory
  make-traces synthetic out --only markers-both       write one of them
  make-traces violations traces/violations            write those of peers that break rules
  make-traces bench --bytes 100000000 --acks b.pcap  a capture of 100 MB to measure with";

/// Writes synthetic captures of iWARP connections, the same bytes at every run.
#[derive(Debug, Parser)]
#[command(version, after_help = EXAMPLES)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Write the synthetic captures to a directory.
    Synthetic {
        /// The directory; it is made if it is not there.
        directory: PathBuf,
        /// Write only the capture of this name; may be given again.
        #[arg(long, value_name = "NAME")]
        only: Vec<String>,
    },
    /// Write the captures of peers that break rules to a directory.
    Violations {
        /// The directory; it is made if it is not there.
        directory: PathBuf,
    },
    /// Show the names of the synthetic captures, and what they contain.
    List,
    /// Show the synthetic captures as the rows of a Markdown table.
    Table,
    /// Write a large capture to measure with.
    Bench {
        /// Bytes that the file has at least.
        #[arg(long, value_name = "N")]
        bytes: u64,
        /// Let the receiver acknowledge every second segment.
        #[arg(long)]
        acks: bool,
        /// Bytes of data of each message, if they are not to differ: 512 to 65,535.
        #[arg(long, value_name = "N")]
        message: Option<u16>,
        file: PathBuf,
    },
    /// Read a capture and compute CRC-32C over its TCP payloads: the least that reading it costs.
    Floor {
        /// The capture: a little-endian pcap.
        file: PathBuf,
    },
}

fn main() -> ExitCode {
    match run(&Arguments::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        // The reader of the output has closed it.
        Err(TraceError::Io { source, .. }) if source.kind() == std::io::ErrorKind::BrokenPipe => {
            ExitCode::SUCCESS
        }
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "make-traces: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: &Command) -> Result<()> {
    match command {
        Command::Synthetic { directory, only } => synthetic(directory, only),
        Command::Violations { directory } => write(directory, scenario::with_breaches()),
        Command::List => print(|scenario| format!("{:28} {}", scenario.name, scenario.contains)),
        Command::Table => print(|scenario| {
            let (file, contains, purpose) =
                (scenario.file_name(), scenario.contains, scenario.purpose);
            let folder = if scenario.breaks_rules() { "violations" } else { "synthetic" };
            format!("| `{folder}/{file}` | {contains} | {purpose} | `make-traces {folder}` |")
        }),
        Command::Bench { bytes, acks, message, file } => {
            let output = File::create(file).map_err(named(file))?;
            bench::write(BufWriter::with_capacity(1 << 20, output), *bytes, *acks, *message)
        }
        Command::Floor { file } => {
            let input = File::open(file).map_err(named(file))?;
            let (frames, sum) = bench::measure(BufReader::with_capacity(1 << 20, input))
                .ok_or_else(|| TraceError::NotMeasured(file.display().to_string()))?;
            writeln!(std::io::stdout(), "{frames} frames, CRCs add up to {sum:#010x}")
                .map_err(named(Path::new("standard output")))
        }
    }
}

fn synthetic(directory: &Path, only: &[String]) -> Result<()> {
    if let Some(unknown) = only.iter().find(|name| scenario::by_name(name).is_none()) {
        return Err(TraceError::NoScenario(unknown.clone()));
    }
    let wanted = |scenario: &&'static Scenario| only.iter().any(|name| name == scenario.name);
    if only.is_empty() {
        return write(directory, scenario::all());
    }
    // Any capture can be requested by name.
    write(directory, scenario::all().chain(scenario::with_breaches()).filter(wanted))
}

fn write(directory: &Path, scenarios: impl Iterator<Item = &'static Scenario>) -> Result<()> {
    std::fs::create_dir_all(directory).map_err(named(directory))?;
    for scenario in scenarios {
        let path = directory.join(scenario.file_name());
        std::fs::write(&path, scenario.file_bytes()?).map_err(named(&path))?;
    }
    Ok(())
}

fn print(line: impl Fn(&Scenario) -> String) -> Result<()> {
    let mut output = std::io::stdout().lock();
    scenario::all()
        .chain(scenario::with_breaches())
        .try_for_each(|scenario| writeln!(output, "{}", line(scenario)))
        .map_err(named(Path::new("standard output")))
}

fn named(path: &Path) -> impl FnOnce(std::io::Error) -> TraceError {
    let name = path.display().to_string();
    move |source| TraceError::Io { name, source }
}
