//! The services that there are, and their options: one table.

use super::nfs;
use crate::cli::ServiceArguments;
use crate::failure::OutputError;
use crate::terminal::standard_output;
use anyhow::{Result, anyhow, bail};
use owo_colors::OwoColorize as _;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::str::FromStr;
use std::time::Duration;
use warpscope_peer::connection::{Config, Role};
use warpscope_peer::memory::Registered;
use warpscope_peer::service::test_ulp::{FolderFiles, TestUlp, TestUlpOptions};
use warpscope_peer::service::throughput::Mode;
use warpscope_peer::service::{
    Exercise, ExerciseOptions, Passive, Perftest, PerftestOptions, PingPong, PingPongOptions,
    Service, Throughput, ThroughputOptions,
};

/// A service.
pub(super) struct Offer {
    /// Its name.
    pub(super) name: &'static str,
    /// What it does.
    about: &'static str,
    /// Its options: name, default, meaning.
    options: &'static [(&'static str, &'static str, &'static str)],
    /// Whether it accepts streams itself, with private data of its own.
    accepts: bool,
    build: fn(&Given<'_>) -> Result<Box<dyn Service>>,
}

/// What a service is built from.
pub(super) struct Given<'a> {
    offer: &'a Offer,
    values: BTreeMap<&'a str, &'a str>,
    /// Whether this side opens the streams.
    pub(super) initiator: bool,
    /// The regions that all streams share: name and Steering Tag.
    regions: Vec<(String, u32)>,
    /// What streams are made with.
    config: &'a Config,
    notes: RefCell<Vec<String>>,
}

/// A service that was built.
pub(super) struct Built {
    /// The service.
    pub(super) service: Box<dyn Service>,
    /// What the user should know, a line each.
    pub(super) notes: Vec<String>,
}

/// Every service.
const OFFERS: &[Offer] = &[
    Offer {
        name: "test-ulp",
        about: "Carries out what a conformance runner orders (conformance/TEST-ULP.md).",
        options: &[("files", "", "a folder for the files behind regions that orders ask for")],
        accepts: true,
        build: |given| {
            let mut options = TestUlpOptions::new(given.config.clone());
            options.regions.clone_from(&given.regions);
            let folder = Path::new(given.text("files"));
            if !folder.as_os_str().is_empty() {
                if !folder.is_dir() {
                    bail!("-o files={}: there is no such folder", folder.display());
                }
                options.files = Some(Box::new(FolderFiles::new(folder.to_owned())));
            }
            Ok(Box::new(TestUlp::new(options)))
        },
    },
    Offer {
        name: "passive",
        about: "Takes what comes: posts receives, offers the regions, says what happened.",
        options: &[
            ("receives", "64", "receives posted on each stream"),
            ("room", "65536", "bytes that each has room for"),
        ],
        accepts: false,
        build: |given| {
            Ok(Box::new(Passive { receives: given.value("receives")?, room: given.value("room")? }))
        },
    },
    Offer {
        name: "exercise",
        about: "Every operation of the profile, both ways, against a peer that does the same.",
        options: &[("sizes", "0,1,7,1400,4096,65536", "bytes of messages, alike at both sides")],
        accepts: false,
        build: |given| {
            let sizes = given.text("sizes").split(',').map(|size| size.trim().parse().ok());
            let sizes: Option<Vec<u32>> = sizes.collect();
            let sizes = sizes.ok_or_else(|| {
                anyhow!("-o sizes={}: give numbers with commas between them", given.text("sizes"))
            })?;
            Ok(Box::new(Exercise::new(ExerciseOptions { sizes })))
        },
    },
    Offer {
        name: "pingpong",
        about: "What rping does: a listener is its server, one that connects its client.",
        options: &[
            ("count", "10", "a client's rounds; 0: until Ctrl-C"),
            ("size", "64", "bytes that go there and back"),
            ("pause", "0", "milliseconds before each round of a client"),
        ],
        accepts: false,
        build: |given| {
            let count = Some(given.value("count")?).filter(|count| *count > 0);
            let pause = Duration::from_millis(given.value("pause")?);
            let options = PingPongOptions { size: given.value("size")?, count, pause };
            Ok(Box::new(PingPong::new(options)))
        },
    },
    Offer {
        name: "source",
        about: "Sends bytes to a sink as fast as they go.",
        options: &[
            ("mode", "write", "write or send; read has the sink read them"),
            ("size", "65536", "bytes of a message"),
            ("count", "1000", "messages on each stream"),
            ("window", "16", "messages that are posted at once"),
        ],
        accepts: false,
        build: |given| {
            let mode = match given.text("mode") {
                "write" => Mode::Write,
                "send" => Mode::Send,
                "read" => Mode::Read,
                other => bail!("-o mode={other}: there are write, send and read"),
            };
            let (size, count, window) =
                (given.value("size")?, given.value("count")?, given.value("window")?);
            Ok(Box::new(Throughput::source(ThroughputOptions { mode, size, count, window })))
        },
    },
    Offer {
        name: "sink",
        about: "Takes what a source sends, looks whether it is right, and says how fast it came.",
        options: &[],
        accepts: false,
        build: |_| Ok(Box::new(Throughput::sink())),
    },
    Offer {
        name: "perftest",
        about: "The server of ib_write_bw -R, ib_read_bw -R and ib_send_bw -R, one client at a time.",
        options: &[
            ("room", "16777216", "bytes of memory, and of the longest Send"),
            ("receives", "1024", "receives posted on each stream of a test"),
        ],
        accepts: false,
        build: |given| {
            if given.initiator {
                bail!("-s perftest is a server: use it with `warpscope peer listen`");
            }
            let (room, receives) = (given.value("room")?, given.value("receives")?);
            Ok(Box::new(Perftest::new(PerftestOptions { room, receives })))
        },
    },
    Offer {
        name: "nfs",
        about: "Serves the files of a folder: NFSv3 and MOUNT over RPC-over-RDMA, for a listener. The \
                other side is `warpscope peer nfs`, or a Linux client.",
        options: nfs::OPTIONS,
        accepts: true,
        build: nfs::build,
    },
];

/// Whether a service accepts streams itself, with private data of its own.
pub(super) fn accepts(name: &str) -> bool {
    OFFERS.iter().any(|offer| offer.name == name && offer.accepts)
}

/// The service that `-s` names, with the options of `-o`.
///
/// # Errors
/// When there is no such service or option, or an option's value cannot be had.
pub(super) fn build(
    arguments: &ServiceArguments,
    config: &Config,
    regions: &[Registered],
) -> Result<Built> {
    let ServiceArguments { name, options } = arguments;
    let initiator = config.role == Role::Initiator;
    let regions = regions.iter().map(|made| (made.name.clone(), made.steering_tag)).collect();
    let offer = OFFERS.iter().find(|offer| offer.name == *name).ok_or_else(|| {
        let names: Vec<&str> = OFFERS.iter().map(|offer| offer.name).collect();
        anyhow!("-s {name}: there is no such service; there are {}", names.join(", "))
    })?;
    let mut values = BTreeMap::new();
    for option in options {
        let Some((key, value)) = option.split_once('=') else {
            bail!("-o {option}: an option of a service is given as NAME=VALUE");
        };
        if !offer.options.iter().any(|(known, ..)| *known == key) {
            let known: Vec<&str> = offer.options.iter().map(|(known, ..)| *known).collect();
            bail!("-o {option}: {name} has no such option; it has {}", known.join(", "));
        }
        values.insert(key, value);
    }
    let given = Given { offer, values, initiator, regions, config, notes: RefCell::default() };
    let service = (offer.build)(&given)?;
    Ok(Built { service, notes: given.notes.into_inner() })
}

impl Given<'_> {
    /// Has something told to the user.
    pub(super) fn note(&self, line: String) {
        self.notes.borrow_mut().push(line);
    }

    /// An option's value as it was given, or its default.
    pub(super) fn text(&self, key: &str) -> &str {
        let default = || self.offer.options.iter().find(|(known, ..)| *known == key);
        self.values
            .get(key)
            .copied()
            .or_else(|| default().map(|(_, value, _)| *value))
            .unwrap_or_default()
    }

    /// An option's value, or its default.
    ///
    /// # Errors
    /// When it is no such value.
    pub(super) fn value<T: FromStr>(&self, key: &str) -> Result<T> {
        let text = self.text(key);
        let meaning = self.offer.options.iter().find(|(known, ..)| *known == key);
        text.parse().map_err(|_| {
            let meaning = meaning.map_or("", |(_, _, meaning)| *meaning);
            anyhow!("-o {key}={text}: no such value; {key} is: {meaning}")
        })
    }
}

/// Prints the services and their options.
///
/// # Errors
/// When the output failed.
pub(super) fn list() -> Result<ExitCode> {
    let (mut out, coloured) = standard_output();
    print(coloured, &mut *out).map_err(OutputError)?;
    Ok(ExitCode::SUCCESS)
}

fn print(coloured: bool, out: &mut dyn Write) -> io::Result<()> {
    for (index, offer) in OFFERS.iter().enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        let name = offer.name;
        if coloured {
            writeln!(out, "{}", name.bold())?;
        } else {
            writeln!(out, "{name}")?;
        }
        writeln!(out, "  {}", offer.about)?;
        let shown = |(name, default, _): &(&str, &str, &str)| format!("-o {name}={default}");
        let width = offer.options.iter().map(|option| shown(option).len()).max().unwrap_or(0);
        for option in offer.options {
            writeln!(out, "  {:width$}  {}", shown(option), option.2)?;
        }
    }
    out.flush()
}
