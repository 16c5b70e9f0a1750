//! What the protocol costs: the peer over loopback TCP against plain TCP that moves the same bytes
//! between two processes, in the same run. Each measurement is taken in turn with its plain
//! counterpart, and the median of the ratios is printed.
//!
//! `throughput`, `small` and `latency` as arguments choose what is measured; without one, all is.
//!
//! The first process measures; it starts itself again as the other end (`serve`).

mod peer;
mod plain;

use std::error::Error;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

pub(crate) type Outcome<T> = Result<T, Box<dyn Error>>;

/// Bytes of a message.
pub(crate) const MESSAGE: usize = 1 << 20;
/// Messages in a measurement of throughput.
pub(crate) const MESSAGES: usize = 512;
/// Bytes of a small message.
pub(crate) const SMALL: usize = 64;
/// Small messages in a measurement of their rate.
pub(crate) const SMALL_MESSAGES: usize = 200_000;
/// Bytes of an RDMA Read.
pub(crate) const READ: usize = 4096;
/// RDMA Reads in a measurement of latency.
pub(crate) const READS: usize = 5000;
/// Times that everything is measured.
const ROUNDS: usize = 7;

/// The other process.
pub(crate) struct Other {
    child: Child,
    /// Where it listens.
    pub(crate) address: SocketAddr,
    /// The Steering Tag of its region; 0 for plain TCP.
    pub(crate) steering_tag: u32,
}

impl Other {
    /// Starts this program as the other end of a kind.
    pub(crate) fn start(kind: &[&str]) -> Outcome<Self> {
        let mut child = Command::new(std::env::current_exe()?)
            .arg("serve")
            .args(kind)
            .stdout(Stdio::piped())
            .spawn()?;
        let mut line = String::new();
        BufReader::new(child.stdout.take().ok_or("no output")?).read_line(&mut line)?;
        let (address, tag) = line.trim().split_once(' ').ok_or("no address")?;
        Ok(Self { address: address.parse()?, steering_tag: tag.parse()?, child })
    }

    /// Waits for its end, which the end of the connection brings.
    pub(crate) fn end(mut self) -> Outcome<()> {
        match self.child.wait()?.success() {
            true => Ok(()),
            false => Err("the other process failed".into()),
        }
    }
}

impl Drop for Other {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The middle of some values; `at` is 0.5 for the median.
fn quantile(values: &[f64], at: f64) -> f64 {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    let place = (values.len().saturating_sub(1)) as f64 * at;
    values.get(place.round() as usize).copied().unwrap_or(f64::NAN)
}

fn median(values: &[f64]) -> f64 {
    quantile(values, 0.5)
}

/// A line: what plain TCP had, what the peer had, and the ratio.
fn line(what: &str, plain: String, peer: String, ratios: &[f64]) {
    println!("{what:<44} {plain:>14} {peer:>14} {:>8.2}", median(ratios));
}

fn ratios(of: &[f64], to: &[f64]) -> Vec<f64> {
    of.iter().zip(to).map(|(of, to)| of / to).collect()
}

fn throughput() -> Outcome<()> {
    let bytes = (MESSAGE * MESSAGES) as f64;
    let speed = |times: &[f64]| format!("{:.2} GB/s", bytes / median(times) / 1e9);
    let kinds =
        [("CRC", "crc", "none"), ("no CRC", "none", "none"), ("CRC and markers", "crc", "markers")];
    let mut plain: [Vec<f64>; 3] = Default::default();
    let mut peer: [Vec<f64>; 3] = Default::default();
    for _ in 0..ROUNDS {
        for ((plain, peer), (_, crc, markers)) in plain.iter_mut().zip(&mut peer).zip(kinds) {
            plain.push(plain::copy(MESSAGE, MESSAGES)?.as_secs_f64());
            peer.push(peer::write(crc, markers)?.as_secs_f64());
        }
    }
    for ((plain, peer), (name, ..)) in plain.iter().zip(&peer).zip(kinds) {
        let what = format!("RDMA Write of 1 MiB, {name}");
        line(&what, speed(plain), speed(peer), &ratios(plain, peer));
    }
    Ok(())
}

fn small_messages() -> Outcome<()> {
    let (mut plain, mut peer) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        plain.push(plain::copy(SMALL, SMALL_MESSAGES)?.as_secs_f64());
        peer.push(peer::send()?.as_secs_f64());
    }
    let rate = |times: &[f64]| format!("{:.0} k/s", SMALL_MESSAGES as f64 / median(times) / 1e3);
    line("Send of 64 bytes, many at once, CRC", rate(&plain), rate(&peer), &ratios(&plain, &peer));
    Ok(())
}

fn latency() -> Outcome<()> {
    let mut plain: [Vec<f64>; 2] = Default::default();
    let mut peer: [Vec<f64>; 2] = Default::default();
    let keep = |all: &mut [Vec<f64>; 2], times: Vec<Duration>| {
        let times: Vec<f64> = times.iter().map(Duration::as_secs_f64).collect();
        let [middle, slow] = all;
        middle.push(median(&times));
        slow.push(quantile(&times, 0.99));
    };
    for _ in 0..ROUNDS {
        keep(&mut plain, plain::ask()?);
        keep(&mut peer, peer::read()?);
    }
    let time = |times: &[f64]| format!("{:.1} us", median(times) * 1e6);
    for ((plain, peer), name) in plain.iter().zip(&peer).zip(["median", "99th percentile"]) {
        let what = format!("RDMA Read of 4 KiB, CRC, one at a time, {name}");
        line(&what, time(plain), time(peer), &ratios(peer, plain));
    }
    Ok(())
}

type Part = fn() -> Outcome<()>;

fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["serve", "sink", message] => plain::serve_sink(message.parse()?),
        ["serve", "answer"] => plain::serve_answers(),
        ["serve", "peer", crc, markers] => peer::serve(crc, markers),
        _ => {
            println!("{:<44} {:>14} {:>14} {:>8}", "over loopback", "plain TCP", "peer", "ratio");
            let parts: [(&str, Part); 3] =
                [("throughput", throughput), ("small", small_messages), ("latency", latency)];
            let named = |name: &str| arguments.contains(&name);
            let all = !parts.iter().any(|(name, _)| named(name));
            for (_, part) in parts.iter().filter(|(name, _)| all || named(name)) {
                part()?;
            }
            println!(
                "Throughput and rate: the peer's over plain TCP's, one write a message. Latency: the \
                 peer's over that of plain TCP with a request of 52 bytes.\nMedians of {ROUNDS} \
                 measurements that took turns, for the ratios only: compare nothing else with them."
            );
            Ok(())
        }
    }
}
