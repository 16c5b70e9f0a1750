//! Writes frames to a capture file.

use super::replay::Replay;
use std::fs::File;
use std::io::{self, BufWriter, Write as _};
use std::path::Path;
use warpscope_dissector::capture::{PacketToWrite, PcapngWriter};

/// Writes frames as pcapng; returns how many.
///
/// # Errors
/// When a frame cannot be read again, or the file cannot be written.
pub(super) fn frames(replay: &mut Replay, wanted: &[u32], name: &Path) -> io::Result<u64> {
    let mut writer = PcapngWriter::new(BufWriter::new(create(name)?));
    writer.section(std::env::consts::OS, concat!("warpscope ", env!("CARGO_PKG_VERSION")))?;
    let interfaces = replay.frames.interfaces().clone();
    let mut numbers = Vec::new();
    for interface in interfaces.iter() {
        numbers.push(writer.interface(interface, 9, None)?);
    }
    let mut written = 0;
    for number in wanted.iter().copied() {
        let Some(entry) = replay.frames.find(number).copied() else { continue };
        let bytes = replay.bytes(number)?;
        let interface = numbers.get(usize::from(entry.interface)).copied().unwrap_or(0);
        let time = entry.time().unwrap_or(0).max(0);
        let packet = PacketToWrite { interface, time, bytes, original_length: entry.length };
        writer.packet(&packet, &[])?;
        written += 1;
    }
    writer.into_inner().flush()?;
    Ok(written)
}

/// A file that was not there before: what is there may be the very capture that is read.
fn create(name: &Path) -> io::Result<File> {
    File::create_new(name).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => io::Error::other("it is there already; take another name"),
        _ => error,
    })
}
