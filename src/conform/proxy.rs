//! Relays connections, and reports on them.

use super::run::{Lines, ReportFile, drawn};
use super::target::quoted;
use crate::cli::ProxyArguments;
use crate::failure::{OutputError, complain, say};
use crate::terminal::{Stop, print};
use anyhow::{Context as _, Result, bail};
use std::net::{SocketAddr, ToSocketAddrs as _};
use std::process::ExitCode;
use std::time::{Duration, Instant, SystemTime};
use warpscope_conformance::proxy::Observed;
use warpscope_conformance::report::{
    InstanceResult, Run, Target, Text, Timestamp, Verdict, exit_code,
};
use warpscope_conformance::run::{Proxy, ProxyOptions};
use warpscope_requirements::Catalogue;

/// The most bytes of ladders in a report; later connections have no ladder.
const LADDERS: usize = 32 << 20;

/// Relays connections until the run ends; returns the exit status for its results.
pub(crate) fn run(arguments: &ProxyArguments) -> Result<ExitCode> {
    let catalogue = Catalogue::builtin()?;
    let reports = ReportFile::open_all(&arguments.output.reports, arguments.output.existing, &[])?;
    if let Some(folder) = &arguments.output.pcap {
        std::fs::create_dir_all(folder)
            .with_context(|| format!("--pcap {}: cannot create the folder", folder.display()))?;
    }
    // A seed that people can type.
    let seed = arguments.seed.unwrap_or_else(|| u64::from(rand::random::<u32>()));
    let options = ProxyOptions {
        to: resolved(&arguments.to)?,
        impairments: arguments.impair,
        seed,
        first: arguments.first,
        connections: arguments.connections,
        during: arguments.seconds.map(Duration::from_secs),
        captures: arguments.output.pcap.clone(),
        application: concat!("warpscope ", env!("CARGO_PKG_VERSION"), " conform").to_owned(),
    };
    let stop = Stop::on_signals()?;
    let proxy = Proxy::listen(arguments.listen).context("--listen")?;
    let to = &arguments.to;
    say!(
        "listening at {}: to {to}, impair {}, seed {seed}\n",
        proxy.address(),
        options.impairments
    );
    let (started, begun) = (SystemTime::now(), Instant::now());
    let (mut lines, mut instances) = (Lines::new(&arguments.output), Vec::new());
    let mut ladders = 0;
    proxy
        .run(&options, stop.flag(), |observed| {
            let mut result = result(&observed, arguments, seed, &catalogue);
            lines.print(&result);
            ladders += result.ladder.as_ref().map_or(0, |ladder| ladder.text.len());
            result.ladder = result.ladder.filter(|_| ladders <= LADDERS);
            instances.push((observed.number, result));
        })
        .with_context(|| format!("cannot relay to {to}"))?;
    instances.sort_by_key(|(number, _)| *number);
    let run = Run {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        target: Target {
            name: to.clone(),
            address: options.to.first().map(ToString::to_string),
            profile: None,
            mode: "proxy".to_owned(),
            capabilities: Vec::new(),
            allowances: Vec::new(),
        },
        seed,
        started: Timestamp::from(started),
        microseconds: u64::try_from(begun.elapsed().as_micros()).unwrap_or(u64::MAX),
        broken_off: None,
        instances: instances.into_iter().map(|(_, result)| result).collect(),
    };
    let (all, strict) = (arguments.output.verbose, arguments.strict);
    ReportFile::write_all(reports, &run, None, strict)?;
    let shown = lines.printed.map_err(|error| OutputError(error).into()).and_then(|()| {
        print(|out, look| Text { coloured: look.coloured, all, strict }.end(&run, out))
    });
    if run.instances.is_empty() {
        complain(
            "no connection arrived; have a stack connect to the address that this program listens at",
        );
    }
    crate::failure::printed(shown, exit_code(&run, strict))
}

fn resolved(name: &str) -> Result<Vec<SocketAddr>> {
    let found: Vec<SocketAddr> = name
        .to_socket_addrs()
        .with_context(|| format!("--to {name}: use HOST:PORT, such as 192.0.2.7:7174"))?
        .collect();
    if found.is_empty() {
        bail!("--to {name}: the host has no address");
    }
    Ok(found)
}

pub(super) fn result(
    observed: &Observed,
    arguments: &ProxyArguments,
    seed: u64,
    catalogue: &Catalogue,
) -> InstanceResult {
    let rerun = rerun(observed, arguments, seed);
    let mut result = InstanceResult::of_connection(observed, catalogue, rerun);
    // As with `conform run`: no ladders of passed connections.
    if result.verdict != Verdict::Pass {
        let ladder = observed.ladder.as_ref().filter(|ladder| !ladder.rows.is_empty());
        result.ladder = drawn(ladder.map(std::slice::from_ref).unwrap_or_default());
    }
    result
}

/// Returns the command that relays a connection in the same way again.
fn rerun(observed: &Observed, arguments: &ProxyArguments, seed: u64) -> String {
    format!(
        "warpscope conform proxy --listen {} --to {} --impair {} --seed {seed} --first {} \
         --connections 1",
        arguments.listen,
        quoted(&arguments.to),
        arguments.impair,
        observed.number
    )
}
