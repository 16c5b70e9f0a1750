//! Packets on their way from an interface's thread.

use super::turn::{Ending, LivePacket};

/// Packets of one interface, in the order in which libpcap delivered them.
#[derive(Debug, Default)]
pub(super) struct Batch {
    bytes: Vec<u8>,
    packets: Vec<Head>,
}

#[derive(Debug, Clone, Copy)]
struct Head {
    time: i64,
    original_length: u32,
    /// Where its bytes end; they start where those of the one before end.
    end: usize,
}

impl Batch {
    /// Adds a packet; `time` in nanoseconds since 1970.
    pub(super) fn push(&mut self, time: i64, original_length: u32, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        self.packets.push(Head { time, original_length, end: self.bytes.len() });
    }

    /// How many packets it has.
    pub(super) fn len(&self) -> usize {
        self.packets.len()
    }

    /// The time of the packet at `index`.
    pub(super) fn time(&self, index: usize) -> Option<i64> {
        self.packets.get(index).map(|head| head.time)
    }

    /// The packet at `index`, of that interface.
    pub(super) fn packet(&self, index: usize, interface: u32) -> Option<LivePacket<'_>> {
        let head = self.packets.get(index)?;
        let start = index.checked_sub(1).and_then(|before| self.packets.get(before));
        let start = start.map_or(0, |before| before.end);
        let bytes = self.bytes.get(start..head.end)?;
        let Head { time, original_length, .. } = *head;
        Some(LivePacket { interface, time, original_length, bytes })
    }
}

/// What an interface's thread tells.
#[derive(Debug)]
pub(super) struct Report {
    /// The interface's number.
    pub(super) interface: usize,
    /// What was captured since the report before.
    pub(super) batch: Batch,
    /// No packet that is still to come is older than this.
    pub(super) complete_until: i64,
    /// Set in the last report.
    pub(super) ending: Option<Ending>,
}
