//! Classifies a TCP segment against those before it: lost, retransmitted, out of order, a duplicate
//! acknowledgment, and the bytes in flight. Follows Wireshark's definitions, so that its names mean the same.
//!
//! Structure and thresholds are those of its manual and field reference (`tcp.analysis.*`).

use super::link::{TcpFlags, TcpOption, TcpOptions, TcpSegment};
use arrayvec::ArrayVec;
use std::ops::{BitOr, BitOrAssign};

/// The most segments per direction that wait for their acknowledgment; any beyond these are not measured.
const MOST_WAITING: usize = 10_000;
/// A retransmission this soon after the last duplicate acknowledgment is a fast retransmission (nanoseconds).
const FAST: i64 = 20_000_000;
/// A late segment within this time is out of order if the round-trip time is not known (nanoseconds).
const DISORDER: i64 = 3_000_000;

/// A set of signs: what a segment is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Signs(u32);

macro_rules! signs {
    ($($(#[$doc:meta])* $name:ident = $bit:literal;)*) => {
        impl Signs {
            $($(#[$doc])* pub const $name: Self = Self(1 << $bit);)*
        }
    };
}

signs! {
    /// Its bytes were sent before.
    RETRANSMISSION = 0;
    /// A retransmission after duplicate acknowledgments that ask for it.
    FAST_RETRANSMISSION = 1;
    /// A retransmission of bytes that were already acknowledged.
    SPURIOUS_RETRANSMISSION = 2;
    /// It arrives after a segment that follows it.
    OUT_OF_ORDER = 3;
    /// Segments before it are not in the capture.
    LOST_SEGMENT = 4;
    /// It acknowledges bytes that are not in the capture.
    ACKED_LOST_SEGMENT = 5;
    /// It repeats an acknowledgment.
    DUPLICATE_ACK = 6;
    /// Its sender has no room to receive.
    ZERO_WINDOW = 7;
    /// It asks a receiver with a zero window whether there is room.
    ZERO_WINDOW_PROBE = 8;
    /// It answers a zero-window probe.
    ZERO_WINDOW_PROBE_ACK = 9;
    /// It fills the receiver's window.
    WINDOW_FULL = 10;
    /// It only changes the window.
    WINDOW_UPDATE = 11;
    /// It asks whether the other end is still alive.
    KEEP_ALIVE = 12;
    /// It answers a keep-alive.
    KEEP_ALIVE_ACK = 13;
    /// Its ports were used by an earlier connection.
    REUSED_PORTS = 14;
    /// The first FIN of the connection.
    CLOSES = 15;
    /// A FIN after that of the other end.
    CLOSES_TOO = 16;
    /// Its first SACK block covers bytes that arrived twice (RFC 2883).
    DUPLICATE_SACK = 17;
}

impl Signs {
    /// The signs that `tcp.analysis.flags` stands for.
    pub const FLAGS: Self = Self(0x7fff);

    /// Returns whether the two sets have a sign in common.
    pub fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

impl BitOr for Signs {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitOrAssign for Signs {
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

/// The results for a segment. Times are in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Analysis {
    /// Whether there is anything to report besides those `signs` that are not in [`Signs::FLAGS`].
    pub noted: bool,
    /// The signs of the segment.
    pub signs: Signs,
    /// The frame whose last byte it acknowledges, and the time since that frame.
    pub acknowledges: Option<(u64, i64)>,
    /// The time from the SYN to the first ACK after it.
    pub initial_round_trip: Option<i64>,
    /// Bytes in flight after it; `None` if not known.
    pub in_flight: Option<u32>,
    /// Bytes since the last segment with PSH, including this one.
    pub since_push: Option<u32>,
    /// How many duplicates of this acknowledgment there are so far, and the frame that first sent it.
    pub duplicates: Option<(u32, u64)>,
}

/// A segment waiting for its acknowledgment.
#[derive(Debug, Clone, Copy)]
struct Waiting {
    frame: u64,
    time: i64,
    begin: u32,
    end: u32,
}

/// The state of a direction. Sequence numbers are raw; `None` before the first segment.
#[derive(Debug, Clone, Default)]
struct Direction {
    /// The sequence number after the highest byte seen, and its time.
    next: Option<(u32, i64)>,
    /// Up to where the other side may acknowledge without a byte being missing from the capture.
    seen_to: Option<u32>,
    waiting: Vec<Waiting>,
    /// The window of its last segment.
    window: u16,
    /// Whether that window is from a SYN, and so is never scaled.
    unscaled: bool,
    acknowledgment: u32,
    acknowledged_at: i64,
    signs: Signs,
    sacked: ArrayVec<(u32, u32), 4>,
    /// Duplicates of its last acknowledgment, and the frame that first sent that.
    duplicates: u32,
    first_of_duplicates: u64,
    /// Whether the bytes in flight are not known: something was lost since the other side's last ACK.
    unmeasured: bool,
    since_push: u32,
    pushed: bool,
    has_fin: bool,
}

/// The state of a connection.
#[derive(Debug, Clone, Default)]
pub struct Analyzer {
    sides: [Direction; 2],
    syn_at: Option<i64>,
    initial_round_trip: Option<i64>,
}

fn before(one: u32, other: u32) -> bool {
    (one.wrapping_sub(other) as i32) < 0
}

impl Analyzer {
    /// Analyzes a segment of side 0 or 1. `scale` is the shift of the other side's windows, if known;
    /// `reused` says whether its ports were used before.
    pub fn segment(
        &mut self,
        side: usize,
        segment: &TcpSegment<'_>,
        frame: u64,
        time: i64,
        scale: Option<u8>,
        reused: bool,
    ) -> Analysis {
        let [one, other] = &mut self.sides;
        let (mine, theirs) = if side == 0 { (one, other) } else { (other, one) };
        let mut found = Analysis::default();
        let flags = segment.flags;
        let (begin, length) = (segment.sequence_number, segment.payload_length);
        let acknowledgment = if flags.ack() { segment.acknowledgment_number } else { 0 };
        let control = flags.syn() || flags.fin();
        let end = begin.wrapping_add(length).wrapping_add(u32::from(control));
        if flags.syn() && !flags.ack() {
            self.syn_at = Some(time);
        } else if !flags.syn() && flags.ack() && self.initial_round_trip.is_none() {
            self.initial_round_trip = self.syn_at.map(|at| time - at);
        }
        if flags.syn() && !flags.ack() && reused {
            found.signs |= Signs::REUSED_PORTS;
        }
        theirs.unmeasured &= !flags.ack();
        mine.shape(theirs, segment, acknowledgment, frame, scale, &mut found);
        let lost = theirs.seen_to.is_some_and(|seen| flags.ack() && before(seen, acknowledgment));
        if lost {
            found.signs |= Signs::ACKED_LOST_SEGMENT;
            theirs.seen_to = theirs.next.map(|(next, ..)| next);
        }
        if (length > 0 || control) && !found.signs.has(Signs::KEEP_ALIVE) {
            mine.repetition(theirs, segment, end, time, self.initial_round_trip, &mut found);
        }
        mine.keep(segment, acknowledgment, end, frame, time, found.signs);
        theirs.acknowledged(acknowledgment, time, &mut found);
        if length > 0 {
            mine.flight(theirs, segment, &mut found);
        }
        mine.sacks(segment, &mut found);
        if flags.fin() {
            found.signs |= if theirs.has_fin { Signs::CLOSES_TOO } else { Signs::CLOSES };
            mine.has_fin |= !theirs.has_fin;
        }
        found.noted |= found.signs.has(Signs::FLAGS) || found.acknowledges.is_some();
        found.initial_round_trip = self.initial_round_trip.filter(|_| found.noted);
        found
    }
}

impl Direction {
    /// Adds the signs that follow from the header and the length, compared with the segment before.
    fn shape(
        &mut self,
        theirs: &Self,
        segment: &TcpSegment<'_>,
        acknowledgment: u32,
        frame: u64,
        scale: Option<u8>,
        found: &mut Analysis,
    ) {
        let flags = segment.flags;
        let (begin, length, window) =
            (segment.sequence_number, segment.payload_length, segment.window);
        let next = self.next.map(|(next, ..)| next);
        let plain = !(flags.syn() || flags.fin() || flags.rst());
        let at_next = next == Some(begin);
        let same_ack = acknowledgment == self.acknowledgment;
        let empty = length == 0 && plain && at_next;
        let changed = |it: &mut Self| {
            if !same_ack {
                (it.first_of_duplicates, it.duplicates) = (frame, 0);
            }
        };
        if length == 1 && at_next && theirs.next.is_some() && theirs.window == 0 {
            found.signs |= Signs::ZERO_WINDOW_PROBE;
            return changed(self);
        }
        if window == 0 && plain {
            found.signs |= Signs::ZERO_WINDOW;
        }
        if next.is_some_and(|next| before(next, begin)) && !flags.rst() {
            found.signs |= Signs::LOST_SEGMENT;
            self.unmeasured = true;
        }
        if length <= 1 && plain && next.is_some_and(|next| begin == next.wrapping_sub(1)) {
            found.signs |= Signs::KEEP_ALIVE;
        }
        if empty && window > 0 && window != self.window && same_ack {
            found.signs |= Signs::WINDOW_UPDATE;
        }
        if let (Some(scale), true) = (scale, length > 0 && plain) {
            let scale = if theirs.unscaled { 0 } else { scale.min(14) };
            let edge = theirs.acknowledgment.wrapping_add(u32::from(theirs.window) << scale);
            if begin.wrapping_add(length) == edge {
                found.signs |= Signs::WINDOW_FULL;
            }
        }
        let same_window = window == self.window;
        if empty && window > 0 && same_window && same_ack && theirs.signs.has(Signs::KEEP_ALIVE) {
            found.signs |= Signs::KEEP_ALIVE_ACK;
            return changed(self);
        }
        let probed = theirs.signs.has(Signs::ZERO_WINDOW_PROBE);
        let one_more = acknowledgment == self.acknowledgment.wrapping_add(1);
        if empty && window == 0 && same_window && (same_ack || one_more) && probed {
            found.signs |= Signs::ZERO_WINDOW_PROBE_ACK;
            return changed(self);
        }
        if empty && window > 0 && same_window && same_ack {
            self.duplicates += 1;
            found.signs |= Signs::DUPLICATE_ACK;
            found.duplicates = Some((self.duplicates, self.first_of_duplicates));
        }
        changed(self);
    }

    /// Adds the sign of a segment that repeats bytes or arrives late.
    fn repetition(
        &self,
        theirs: &Self,
        segment: &TcpSegment<'_>,
        end: u32,
        time: i64,
        round_trip: Option<i64>,
        found: &mut Analysis,
    ) {
        let (begin, length) = (segment.sequence_number, segment.payload_length);
        let Some((next, next_time)) = self.next else { return };
        // Bytes that may follow a window probe are new.
        let goes_on = length > 1 && begin == next.wrapping_sub(1);
        let repeats = before(begin, next) && !goes_on;
        let acknowledged = theirs.acknowledgment;
        let data_end = begin.wrapping_add(length);
        if length > 0 && acknowledged != 0 && !before(acknowledged, data_end) {
            found.signs |= Signs::SPURIOUS_RETRANSMISSION;
            return;
        }
        if !repeats {
            return;
        }
        let soon_after = time - theirs.acknowledged_at < FAST;
        if soon_after && theirs.duplicates >= 2 && acknowledged == begin {
            found.signs |= Signs::FAST_RETRANSMISSION;
            return;
        }
        let soon = round_trip.filter(|it| *it > 0).unwrap_or(DISORDER);
        if time - next_time < soon && next != end {
            found.signs |= Signs::OUT_OF_ORDER;
            return;
        }
        found.signs |= Signs::RETRANSMISSION;
    }

    /// Remembers the segment.
    fn keep(
        &mut self,
        segment: &TcpSegment<'_>,
        acknowledgment: u32,
        end: u32,
        frame: u64,
        time: i64,
        signs: Signs,
    ) {
        let begin = segment.sequence_number;
        let probe = signs.has(Signs::ZERO_WINDOW_PROBE);
        if end != begin && self.waiting.len() < MOST_WAITING {
            self.waiting.push(Waiting { frame, time, begin, end });
        }
        if self.next.is_none_or(|(next, ..)| before(next, end)) && !probe {
            self.next = Some((end, time));
        }
        if self.seen_to.is_none_or(|seen| seen == begin) && !probe {
            self.seen_to = self.next.map(|(next, ..)| next);
        }
        (self.window, self.unscaled) = (segment.window, segment.flags.syn());
        (self.acknowledgment, self.acknowledged_at) = (acknowledgment, time);
        self.signs = signs;
    }

    /// Processes the other side's acknowledgment up to a byte.
    fn acknowledged(&mut self, to: u32, time: i64, found: &mut Analysis) {
        self.waiting.retain_mut(|it| {
            if it.end == to {
                found.acknowledges.get_or_insert((it.frame, time - it.time));
                return false;
            }
            if before(it.begin, to) && before(to, it.end) {
                it.begin = to;
            }
            before(to, it.end)
        });
    }

    /// Computes the bytes in flight after the segment.
    fn flight(&mut self, theirs: &Self, segment: &TcpSegment<'_>, found: &mut Analysis) {
        let Some(newest) = self.waiting.last().filter(|_| !self.unmeasured) else { return };
        found.noted = true;
        let (mut first, mut last) = (newest.begin, newest.end);
        for it in &self.waiting {
            first = if before(it.begin, first) { it.begin } else { first };
            last = if before(last, it.end) { it.end } else { last };
        }
        // Its own FIN is not a byte.
        let fin = u32::from(segment.flags.fin() && last == newest.end);
        let sacked: u32 = theirs.sacked.iter().map(|(left, right)| right.wrapping_sub(*left)).sum();
        let bytes = last.wrapping_sub(first).saturating_sub(sacked + fin);
        if bytes == 0 || bytes >= 2_000_000_000 {
            return;
        }
        found.in_flight = Some(bytes);
        self.since_push = if self.pushed { 0 } else { self.since_push };
        self.since_push = self.since_push.wrapping_add(segment.payload_length);
        self.pushed = segment.flags.has(TcpFlags::PSH);
        found.since_push = Some(self.since_push);
    }

    /// Stores its SACK blocks.
    fn sacks(&mut self, segment: &TcpSegment<'_>, found: &mut Analysis) {
        self.sacked = sack_blocks(segment);
        if duplicate(segment, &self.sacked).is_some() {
            found.signs |= Signs::DUPLICATE_SACK;
        }
    }
}

/// Returns the blocks that a segment acknowledges beyond its acknowledgment number (RFC 2018 section 3).
fn sack_blocks(segment: &TcpSegment<'_>) -> ArrayVec<(u32, u32), 4> {
    let options = TcpOptions::new(segment.options());
    let sacks = options.filter(|it| it.kind == TcpOption::SACK && it.bytes.len() >= 10);
    let mut blocks = ArrayVec::new();
    for option in sacks {
        for [left, right] in option.edges() {
            let _ = blocks.try_push((left, right));
        }
    }
    blocks
}

/// Returns the bytes that a segment reports as received twice.
pub(crate) fn duplicate_sack(segment: &TcpSegment<'_>) -> Option<(u32, u32)> {
    duplicate(segment, &sack_blocks(segment))
}

/// Returns its first SACK block if that is already acknowledged or lies within the second one (RFC 2883
/// section 4).
fn duplicate(segment: &TcpSegment<'_>, blocks: &[(u32, u32)]) -> Option<(u32, u32)> {
    let (left, right) = *blocks.first()?;
    let within = |(begin, end): &(u32, u32)| !before(left, *begin) && !before(*end, right);
    let acknowledged = segment.flags.ack() && before(left, segment.acknowledgment_number);
    (acknowledged || blocks.get(1).is_some_and(within)).then_some((left, right))
}
