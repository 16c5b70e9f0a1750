//! Fragments of IP datagrams, kept until their datagram is complete.
//!
//! Memory is bounded: at most 128 datagrams of at most 65,535 bytes. Beyond that, the oldest is removed. If
//! fragments overlap, the bytes that came first are kept.

use std::net::IpAddr;

/// The most incomplete datagrams.
const MOST_DATAGRAMS: usize = 128;
/// The most fragments per datagram.
const MOST_FRAGMENTS: usize = 8192;
/// A datagram without a new fragment for this many frames is dropped; its identification may be reused.
const PATIENCE_FRAMES: u64 = 20_000;
/// The most bytes of a datagram after its IP header.
const LARGEST_DATAGRAM: u32 = 65_535;

/// The place of a fragment in its datagram.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FragmentPlace {
    /// The number of its frame.
    pub frame: u64,
    /// Offset of its first byte in the datagram.
    pub offset: u32,
    /// Length in bytes.
    pub length: u32,
}

/// A datagram reassembled from fragments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Reassembly<'a> {
    /// Its bytes, without the IP header.
    pub bytes: &'a [u8],
    /// The fragments in the order of their offsets.
    pub fragments: &'a [FragmentPlace],
    /// When the latest of them was captured, in nanoseconds since 1970.
    pub time: Option<i64>,
}

/// The fields that fragments of the same datagram share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct DatagramKey {
    pub(super) source: IpAddr,
    pub(super) destination: IpAddr,
    pub(super) identification: u32,
    /// The protocol for IPv4; 0 for IPv6.
    pub(super) protocol: u8,
}

/// A fragment that was captured completely.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fragment<'a> {
    pub(super) key: DatagramKey,
    pub(super) offset: u32,
    pub(super) more: bool,
    /// The protocol of the fragmented payload, according to this fragment.
    pub(super) protocol: u8,
    pub(super) bytes: &'a [u8],
}

/// The result of adding a fragment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    /// Others are missing.
    Waiting,
    /// The datagram is complete; its protocol.
    Complete(u8),
    /// The fragment is invalid.
    Misfit,
}

#[derive(Clone)]
struct Datagram {
    key: DatagramKey,
    last_frame: u64,
    protocol: u8,
    end: Option<u32>,
    bytes: Vec<u8>,
    /// Filled ranges in order, not adjacent to each other.
    filled: Vec<(u32, u32)>,
    /// When the latest of its fragments was captured.
    time: Option<i64>,
    places: Vec<FragmentPlace>,
}

impl Datagram {
    fn restart(&mut self, key: DatagramKey) {
        self.key = key;
        self.protocol = 0;
        self.end = None;
        self.time = None;
        self.bytes.clear();
        self.filled.clear();
        self.places.clear();
    }

    fn add(&mut self, frame: u64, fragment: &Fragment<'_>) -> Outcome {
        let length = fragment.bytes.len() as u32;
        let end = fragment.offset.saturating_add(length);
        let misfit = length == 0
            || end > LARGEST_DATAGRAM
            || (fragment.more && !length.is_multiple_of(8))
            || self.end.is_some_and(|known| end > known)
            || (!fragment.more && self.filled.last().is_some_and(|(_, last)| *last > end))
            || self.places.len() >= MOST_FRAGMENTS;
        if misfit {
            return Outcome::Misfit;
        }
        self.last_frame = frame;
        if fragment.offset == 0 || self.places.is_empty() {
            self.protocol = fragment.protocol;
        }
        if !fragment.more {
            self.end = Some(end);
        }
        self.places.push(FragmentPlace { frame, offset: fragment.offset, length });
        self.fill(fragment.offset, end, fragment.bytes);
        match (self.end, self.filled.as_slice()) {
            (Some(end), [(0, filled)]) if *filled == end => Outcome::Complete(self.protocol),
            _ => Outcome::Waiting,
        }
    }

    /// Copies bytes into the gaps, and joins the ranges.
    fn fill(&mut self, start: u32, end: u32, bytes: &[u8]) {
        if self.bytes.len() < end as usize {
            self.bytes.resize(end as usize, 0);
        }
        let mut position = start;
        for (filled_start, filled_end) in &self.filled {
            if *filled_end <= position {
                continue;
            }
            if *filled_start >= end {
                break;
            }
            if *filled_start > position {
                copy(&mut self.bytes, position, *filled_start, start, bytes);
            }
            position = *filled_end;
        }
        if position < end {
            copy(&mut self.bytes, position, end, start, bytes);
        }
        self.filled.push((start, end));
        self.filled.sort_unstable();
        self.filled.dedup_by(|next, previous| {
            let touches = next.0 <= previous.1;
            if touches {
                previous.1 = previous.1.max(next.1);
            }
            touches
        });
    }
}

/// Copies the bytes for `from..to` of a fragment that starts at `origin`.
fn copy(datagram: &mut [u8], from: u32, to: u32, origin: u32, bytes: &[u8]) {
    let source = bytes.get((from - origin) as usize..(to - origin) as usize);
    let target = datagram.get_mut(from as usize..to as usize);
    if let (Some(source), Some(target)) = (source, target) {
        target.copy_from_slice(source);
    }
}

/// The incomplete datagrams, and the one completed last.
#[derive(Clone, Default)]
pub(super) struct FragmentPool {
    waiting: Vec<Datagram>,
    spare: Vec<Datagram>,
    complete: Option<Datagram>,
}

impl FragmentPool {
    /// Adds a fragment.
    pub(super) fn add(
        &mut self,
        frame: u64,
        time: Option<i64>,
        fragment: &Fragment<'_>,
    ) -> Outcome {
        let known = self.waiting.iter().position(|datagram| datagram.key == fragment.key);
        let index = known.unwrap_or_else(|| self.start(frame, fragment.key));
        let Some(datagram) = self.waiting.get_mut(index) else { return Outcome::Misfit };
        if frame.saturating_sub(datagram.last_frame) > PATIENCE_FRAMES {
            datagram.restart(fragment.key);
        }
        let outcome = datagram.add(frame, fragment);
        datagram.time = datagram.time.max(time);
        if matches!(outcome, Outcome::Complete(_)) {
            let mut complete = self.waiting.swap_remove(index);
            complete.places.sort_by_key(|place| place.offset);
            self.spare.extend(self.complete.replace(complete));
        }
        outcome
    }

    /// Makes room for a datagram, and returns its index.
    fn start(&mut self, frame: u64, key: DatagramKey) -> usize {
        if self.waiting.len() >= MOST_DATAGRAMS {
            let ages = self.waiting.iter().enumerate().map(|(index, one)| (one.last_frame, index));
            if let Some((_, oldest)) = ages.min() {
                let given_up = self.waiting.swap_remove(oldest);
                self.spare.push(given_up);
            }
        }
        let mut datagram = self.spare.pop().unwrap_or_else(|| Datagram {
            key,
            last_frame: frame,
            protocol: 0,
            end: None,
            time: None,
            bytes: Vec::new(),
            filled: Vec::new(),
            places: Vec::new(),
        });
        datagram.restart(key);
        datagram.last_frame = frame;
        self.waiting.push(datagram);
        self.waiting.len() - 1
    }

    /// Returns the datagram that was completed last.
    pub(super) fn complete(&self) -> Reassembly<'_> {
        self.complete.as_ref().map_or(Reassembly::default(), |datagram| Reassembly {
            bytes: &datagram.bytes,
            fragments: &datagram.places,
            time: datagram.time,
        })
    }

    /// Returns the number of incomplete datagrams.
    pub(super) fn waiting(&self) -> usize {
        self.waiting.len()
    }
}
