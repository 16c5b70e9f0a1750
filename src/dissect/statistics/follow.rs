//! `-z follow,tcp`: the bytes of a connection, in the order of their arrival.

use super::tap::Tap;
use crate::table::Look;
use anyhow::{Result, bail};
use std::collections::BTreeMap;
use std::io::{self, Write};
use warpscope_dissector::link::{Endpoint, TcpSegment};
use warpscope_dissector::pipeline::{PacketItem, Sink};
use warpscope_text::hexadecimal;

const RULE: &str = "===================================================================";
/// The most bytes that are kept, including those that wait for others.
const MOST: usize = 256 << 20;
/// Bytes in a row of hexadecimal digits.
const ROW: usize = 16;

#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::EnumString, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
enum Mode {
    Ascii,
    Hex,
    Raw,
}

/// One direction.
#[derive(Debug, Default)]
struct Direction {
    /// The next expected sequence number.
    next: Option<u32>,
    /// The bytes received after a gap, by their distance from the first sequence number.
    waiting: BTreeMap<u32, Vec<u8>>,
}

#[derive(Debug)]
pub(super) struct Follow {
    mode: Mode,
    stream: u32,
    ends: Option<[Endpoint; 2]>,
    directions: [Direction; 2],
    /// The received chunks, each with its direction.
    chunks: Vec<(usize, Vec<u8>)>,
    kept: usize,
    cut: bool,
}

impl Follow {
    /// Parses the words after `follow,tcp`: the output format, and the number of the connection.
    pub(super) fn new(asked: &str, words: &[&str]) -> Result<Self> {
        let mode = words.first().and_then(|word| word.parse().ok());
        let stream = words.get(1).and_then(|word| word.parse().ok());
        let (Some(mode), Some(stream), true) = (mode, stream, words.len() == 2) else {
            bail!("-z {asked}: write follow,tcp,MODE,STREAM, where MODE is ascii, hex or raw");
        };
        let directions = Default::default();
        Ok(Self { mode, stream, ends: None, directions, chunks: Vec::new(), kept: 0, cut: false })
    }

    fn keep(&mut self, side: usize, bytes: &[u8]) {
        self.kept += bytes.len();
        self.cut |= self.kept > MOST;
        if !self.cut && !bytes.is_empty() {
            self.chunks.push((side, bytes.to_vec()));
        }
    }

    fn segment(&mut self, side: usize, segment: &TcpSegment<'_>) {
        if segment.flags.ack() {
            self.acknowledged(side ^ 1, segment.acknowledgment_number);
        }
        let (syn, begin) = (segment.flags.syn(), segment.sequence_number);
        let begin = begin.wrapping_add(u32::from(syn));
        let Some(direction) = self.directions.get_mut(side) else { return };
        let next = *direction.next.get_or_insert(begin);
        if segment.payload.is_empty() {
            return;
        }
        let ahead = begin.wrapping_sub(next) as i32;
        if ahead > 0 {
            let waiting = direction.waiting.entry(begin).or_default();
            if segment.payload.len() > waiting.len() && !self.cut {
                self.kept += segment.payload.len() - waiting.len();
                self.cut = self.kept > MOST;
                *waiting = segment.payload.to_vec();
            }
            return;
        }
        let seen = ahead.unsigned_abs() as usize;
        if let Some(new) = segment.payload.get(seen..).filter(|new| !new.is_empty()) {
            direction.next = Some(begin.wrapping_add(segment.payload.len() as u32));
            self.keep(side, new);
            self.settle(side);
        }
    }

    /// Appends waiting bytes that are now in sequence.
    fn settle(&mut self, side: usize) {
        while let Some(direction) = self.directions.get_mut(side) {
            let Some(next) = direction.next else { return };
            let fits = |begin: &u32| (begin.wrapping_sub(next) as i32) <= 0;
            let Some(begin) = direction.waiting.keys().copied().find(fits) else { return };
            let Some(bytes) = direction.waiting.remove(&begin) else { return };
            self.kept -= bytes.len();
            let seen = next.wrapping_sub(begin) as usize;
            if let Some(new) = bytes.get(seen..).filter(|new| !new.is_empty()) {
                direction.next = Some(next.wrapping_add(new.len() as u32));
                self.keep(side, new);
            }
        }
    }

    /// Handles an acknowledgment: bytes missing before it will not arrive in the capture.
    fn acknowledged(&mut self, side: usize, to: u32) {
        while let Some(direction) = self.directions.get_mut(side) {
            let Some(next) = direction.next else { return };
            let first = direction.waiting.keys().map(|begin| begin.wrapping_sub(next)).min();
            let Some(missing) =
                first.filter(|ahead| (to.wrapping_sub(next) as i32) > *ahead as i32)
            else {
                return;
            };
            direction.next = Some(next.wrapping_add(missing));
            self.keep(side, format!("[{missing} bytes missing in capture file]\0").as_bytes());
            self.settle(side);
        }
    }
}

impl Sink for Follow {
    fn packet(&mut self, item: &PacketItem<'_>) {
        let (Some(segment), Some(tcp)) = (&item.packet.tcp, &item.tcp) else { return };
        if tcp.stream != self.stream {
            return;
        }
        self.ends.get_or_insert(tcp.ends(segment));
        self.segment(tcp.side.index(), segment);
    }
}

impl Tap for Follow {
    fn counts_frames(&self) -> bool {
        false
    }

    fn print(&self, _look: Look, out: &mut dyn Write) -> io::Result<()> {
        let mode: &str = self.mode.into();
        writeln!(out, "\n{RULE}\nFollow: tcp,{mode}\nFilter: tcp.stream eq {}", self.stream)?;
        let ends = self.ends.unwrap_or_default();
        for (index, end) in ends.iter().enumerate() {
            let end = if self.ends.is_some() { end.to_string() } else { ":0".to_owned() };
            writeln!(out, "Node {index}: {end}")?;
        }
        let mut offsets = [0_usize; 2];
        for (side, bytes) in &self.chunks {
            let tab = if *side == 1 { "\t" } else { "" };
            match self.mode {
                Mode::Ascii => {
                    writeln!(out, "{tab}{}", bytes.len())?;
                    let shown = |byte: &u8| match byte {
                        b' '..=b'~' | b'\n' | b'\r' => *byte,
                        _ => b'.',
                    };
                    out.write_all(&bytes.iter().map(shown).collect::<Vec<_>>())?;
                    writeln!(out)?;
                }
                Mode::Raw => {
                    writeln!(out, "{tab}{}", hexadecimal(bytes, ""))?;
                }
                Mode::Hex => {
                    let Some(offset) = offsets.get_mut(*side) else { continue };
                    for row in bytes.chunks(ROW) {
                        writeln!(out, "{tab}{}", hex(*offset, row))?;
                        *offset += row.len();
                    }
                }
            }
        }
        if self.cut {
            writeln!(out, "[the rest is too long to keep]")?;
        }
        writeln!(out, "{RULE}")
    }
}

/// Formats a row of digits and characters, each in two halves.
fn hex(offset: usize, row: &[u8]) -> String {
    let (first, second) = row.split_at(row.len().min(ROW / 2));
    let [left, right] = [first, second].map(|half| hexadecimal(half, " "));
    let mut characters = String::new();
    for (half, before) in [(first, ""), (second, " ")] {
        characters.push_str(if half.is_empty() { "" } else { before });
        let shown = |byte: &u8| if (b' '..=b'~').contains(byte) { char::from(*byte) } else { '.' };
        characters.extend(half.iter().map(shown));
    }
    let row = format!("{offset:08X}  {left:<23}  {right:<23}  {characters}");
    row.trim_end().to_owned()
}
