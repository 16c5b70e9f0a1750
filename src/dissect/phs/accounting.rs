//! What became of the bytes of iWARP connections: setup frames, FPDUs, messages, what was skipped.

use super::sighting::{Completed, Event, Sighting};
use std::collections::{BTreeMap, HashSet};
use std::io::{self, Write};
use warpscope_dissector::mpa::{CrcVerdict, SkipReason};
use warpscope_wire::rdmap::Message;

const VERDICTS: [CrcVerdict; 5] = [
    CrcVerdict::Good,
    CrcVerdict::Bad,
    CrcVerdict::NotInUse,
    CrcVerdict::Unknown,
    CrcVerdict::Unchecked,
];

/// The counts.
#[derive(Debug, Default)]
pub(super) struct Accounting {
    connections: HashSet<u32>,
    last_connection: Option<u32>,
    setup: u64,
    fpdus: [u64; VERDICTS.len()],
    without_header: u64,
    messages: BTreeMap<Message, u64>,
    unknown: BTreeMap<u8, u64>,
    skipped: Vec<(SkipReason, u64)>,
}

impl Accounting {
    /// Adds what was seen in a frame.
    pub(super) fn count(&mut self, sighting: &Sighting) {
        for (connection, event) in &sighting.events {
            if self.last_connection != Some(*connection) {
                self.last_connection = Some(*connection);
                self.connections.insert(*connection);
            }
            match event {
                Event::Setup => self.setup += 1,
                Event::Fpdu(verdict, completed) => {
                    let counts = VERDICTS.iter().zip(&mut self.fpdus);
                    for (_, count) in counts.filter(|(known, _)| *known == verdict) {
                        *count += 1;
                    }
                    match completed {
                        Completed::Nothing => {}
                        Completed::Message(message) => {
                            *self.messages.entry(*message).or_default() += 1;
                        }
                        Completed::Unknown(opcode) => {
                            *self.unknown.entry(*opcode).or_default() += 1;
                        }
                        Completed::NoHeader => self.without_header += 1,
                    }
                }
                Event::Skipped(reason, bytes) => {
                    match self.skipped.iter_mut().find(|(known, _)| known == reason) {
                        Some((_, count)) => *count += bytes,
                        None => self.skipped.push((*reason, *bytes)),
                    }
                }
            }
        }
    }

    /// Prints the counts, if there is anything.
    pub(super) fn print(&self, out: &mut dyn Write) -> io::Result<()> {
        if self.connections.is_empty() {
            return Ok(());
        }
        writeln!(out, "iWARP")?;
        line(out, 1, "connections", self.connections.len() as u64)?;
        line(out, 1, "setup frames", self.setup)?;
        line(out, 1, "FPDUs", self.fpdus.iter().sum())?;
        for (verdict, count) in VERDICTS.iter().zip(&self.fpdus) {
            line(out, 2, &format!("CRC {}", verdict.describe().to_lowercase()), *count)?;
        }
        if self.without_header > 0 {
            line(out, 2, "without a whole DDP header", self.without_header)?;
        }
        let messages = self.messages.values().chain(self.unknown.values()).sum();
        line(out, 1, "complete messages", messages)?;
        for (message, count) in &self.messages {
            line(out, 2, message.info().name, *count)?;
        }
        for (opcode, count) in &self.unknown {
            line(out, 2, &format!("opcode 0x{opcode:02x}"), *count)?;
        }
        line(out, 1, "bytes skipped", self.skipped.iter().map(|(_, bytes)| bytes).sum())?;
        for (reason, bytes) in &self.skipped {
            line(out, 2, reason.describe(), *bytes)?;
        }
        Ok(())
    }
}

fn line(out: &mut dyn Write, depth: usize, name: &str, count: u64) -> io::Result<()> {
    let indent = depth * 2;
    let width = 58 - indent;
    writeln!(out, "{:indent$}{name:width$} {count:>8}", "")
}
