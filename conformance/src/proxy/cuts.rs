//! What is done to a unit.

use super::impairment::{Draw, Impairment, Impairments, Origin};
use std::ops::Range;
use std::time::Duration;
use warpscope_wire::mpa::{
    CRC_LENGTH, LENGTH_FIELD, MARKER_INTERVAL, MARKER_LENGTH, REPLY_KEY, REQUEST_KEY,
    SETUP_HEADER_LENGTH, SetupHeaderView, fpdu_needs,
};

/// The longest pause, in milliseconds.
const LONGEST_PAUSE: usize = 30;
const PAUSES: u64 = 8;
/// One in this number of cuts is followed by a short rest, so that the other side reads what has come: pieces
/// in quick succession are often read as one.
const RESTS: u64 = 4;
const REST: Duration = Duration::from_millis(1);
/// If single bytes are one of several impairments: one in this number of units, and its first bytes.
const ONE_BYTE: u64 = 4;
const FRONT: usize = 256;
/// The maximum number of cuts anywhere in a unit.
const ANYWHERE: usize = 3;
/// The maximum number of units that are joined.
const JOINED: usize = 8;
/// How long joined units may wait for the next, in milliseconds.
const HOLD: Range<usize> = 2..20;

/// What is done to a unit. All of it is drawn before its first byte is sent.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Plan {
    /// Its cuts in order: the bytes before each, the reason, and the pause after it.
    pub(super) cuts: Vec<Cut>,
    /// The number of its first bytes that are sent one by one.
    pub(super) one_by_one: usize,
    /// The pause before it begins.
    pub(super) pause: Duration,
    /// The number of joined units, if a group begins with this one, and how long they may wait.
    pub(super) group: usize,
    pub(super) hold: Duration,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cut {
    /// The number of bytes of the unit before it.
    pub(super) at: usize,
    pub(super) why: Impairment,
    pub(super) rest: Duration,
}

impl Plan {
    /// Draws what is done to the unit of this number.
    pub(super) fn draw(wanted: Impairments, origin: Origin, number: u64, unit: &Unit) -> Self {
        let mut draw = Draw::of(origin, number);
        let mut plan = Self::default();
        plan.draw_cuts(wanted, unit, &mut draw);
        let alone = Impairments::from_iter([Impairment::OneByte]) == wanted;
        if wanted.has(Impairment::OneByte) && (alone || draw.one_in(ONE_BYTE)) {
            plan.one_by_one = if alone { unit.length } else { unit.length.min(FRONT) };
        }
        if wanted.has(Impairment::Delays) && draw.one_in(PAUSES) {
            plan.pause = Duration::from_millis(draw.between(1, LONGEST_PAUSE) as u64);
        }
        if wanted.has(Impairment::Coalesce) {
            // Setup frames are sent by themselves: nothing may follow them before an answer.
            let joins = unit.kind != Kind::Setup;
            plan.group = if joins { draw.between(2, JOINED) } else { 1 };
            let hold = draw.between(HOLD.start, HOLD.end);
            plan.hold = Duration::from_millis(hold as u64);
        }
        plan
    }

    fn draw_cuts(&mut self, wanted: Impairments, unit: &Unit, draw: &mut Draw) {
        let kinds: Vec<Impairment> =
            Impairment::CUTS.into_iter().filter(|it| wanted.has(*it)).collect();
        for kind in &kinds {
            // With several impairments, each is used every other time; a single one always.
            if kinds.len() > 1 && !draw.one_in(2) {
                continue;
            }
            let within = match kind {
                Impairment::CutLength => unit.length_word(),
                Impairment::CutHeader => unit.header(),
                Impairment::CutCrc => unit.crc(),
                Impairment::CutMarker => {
                    let all: Vec<_> = unit.markers().collect();
                    let last = all.len().saturating_sub(1);
                    all.get(draw.between(0, last)).cloned()
                }
                _ => Some(0..unit.length),
            };
            let Some(within) = within.filter(|within| within.len() > 1) else { continue };
            let many = if *kind == Impairment::CutAnywhere { ANYWHERE } else { 1 };
            for _ in 0..draw.between(1, many) {
                let at = draw.between(within.start + 1, within.end - 1);
                let rest = if draw.one_in(RESTS) { REST } else { Duration::ZERO };
                self.cuts.push(Cut { at, why: *kind, rest });
            }
        }
        self.cuts.sort_by_key(|cut| cut.at);
        self.cuts.dedup_by_key(|cut| cut.at);
    }
}

/// Splits the bytes of a direction where units end.
#[derive(Debug, Default)]
pub struct Split {
    pub(super) units: Units,
    /// The bytes of a unit whose length is not known yet.
    front: Vec<u8>,
    /// The number of bytes that the current unit still lacks.
    left: usize,
}

impl Split {
    /// Whether the sender's setup frame requires markers in what it receives (M).
    pub fn wants_markers(&self) -> bool {
        self.units.wants_markers
    }

    /// Returns the pieces of received bytes. `markers` is whether the peer of their sender wants markers.
    pub fn pieces<'a>(&mut self, bytes: &'a [u8], markers: bool) -> Vec<&'a [u8]> {
        let mut pieces = Vec::new();
        let (mut rest, mut held) = (bytes, 0);
        while let Some(byte) = rest.get(held) {
            if self.left == 0 {
                self.front.push(*byte);
                held += 1;
                if let Some(unit) = self.units.next(&self.front, markers) {
                    self.left = unit.length.saturating_sub(self.front.len());
                    self.front.clear();
                } else {
                    continue;
                }
            }
            let more = self.left.min(rest.len().saturating_sub(held));
            self.left -= more;
            held += more;
            if self.left == 0 {
                let (piece, behind) = rest.split_at(held);
                pieces.push(piece);
                (rest, held) = (behind, 0);
            }
        }
        if !rest.is_empty() {
            pieces.push(rest);
        }
        pieces
    }
}

/// The number of bytes that count as a unit in a stream that is not MPA.
const OPAQUE: usize = 1_460;
/// The length of the shorter DDP header, with RDMAP's control byte (RFC 5041 section 4.2).
const HEADER: usize = 14;
/// The position of PD_Length in a setup frame (RFC 5044 section 7.1.1).
const PRIVATE_DATA_LENGTH: Range<usize> = 18..20;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Setup,
    /// An FPDU, and its position among the bytes of Full Operation if it has markers.
    Fpdu(Option<u64>),
    /// Unknown bytes.
    Opaque,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Unit {
    pub(super) kind: Kind,
    /// The length in bytes, including markers.
    pub(super) length: usize,
}

impl Unit {
    pub(super) fn length_word(&self) -> Option<Range<usize>> {
        match self.kind {
            Kind::Setup => Some(PRIVATE_DATA_LENGTH),
            Kind::Fpdu(position) => {
                let start = place(position, 0);
                Some(start..start + LENGTH_FIELD)
            }
            Kind::Opaque => None,
        }
    }

    /// Returns the range of its header: in a setup frame everything before PD_Length, in an FPDU the DDP and
    /// RDMAP headers as far as all segments have them.
    pub(super) fn header(&self) -> Option<Range<usize>> {
        match self.kind {
            Kind::Setup => Some(0..PRIVATE_DATA_LENGTH.start),
            Kind::Fpdu(position) => {
                let end = place(position, LENGTH_FIELD + HEADER - 1) + 1;
                Some(place(position, LENGTH_FIELD)..end.min(self.length - CRC_LENGTH))
            }
            Kind::Opaque => None,
        }
    }

    pub(super) fn crc(&self) -> Option<Range<usize>> {
        let fpdu = matches!(self.kind, Kind::Fpdu(_));
        fpdu.then(|| self.length - CRC_LENGTH..self.length)
    }

    pub(super) fn markers(&self) -> impl Iterator<Item = Range<usize>> {
        let position = match self.kind {
            Kind::Fpdu(Some(position)) => Some(position % MARKER_INTERVAL),
            _ => None,
        };
        let interval = MARKER_INTERVAL as usize;
        let first =
            position.map(|at| at.next_multiple_of(MARKER_INTERVAL).wrapping_sub(at) as usize);
        let all = first.map(|first| (first..self.length).step_by(interval));
        all.into_iter().flatten().map(|start| start..start + MARKER_LENGTH)
    }
}

/// Returns the number of bytes before a content byte of a unit at this position, including markers.
fn place(position: Option<u64>, content: usize) -> usize {
    let Some(position) = position else { return content };
    let (interval, marker) = (MARKER_INTERVAL as usize, MARKER_LENGTH);
    let into = (position % MARKER_INTERVAL) as usize;
    let room_first = (interval - into) % interval;
    if content < room_first {
        return content;
    }
    content + marker * (1 + (content - room_first) / (interval - marker))
}

/// Finds the units of a direction.
#[derive(Debug, Default)]
pub(super) struct Units {
    /// The number of bytes of Full Operation so far; `None` before the setup frame.
    position: Option<u64>,
    opaque: bool,
    /// Whether the sender wants markers in what it receives.
    pub(super) wants_markers: bool,
}

impl Units {
    /// Returns the unit that begins with these bytes; `None` until they contain its length. `markers` is
    /// whether the peer wants markers.
    pub(super) fn next(&mut self, front: &[u8], markers: bool) -> Option<Unit> {
        let unit = self.at(front, markers)?;
        if unit.kind == Kind::Setup {
            self.position = Some(0);
        } else if let Some(position) = &mut self.position {
            *position = position.wrapping_add(unit.length as u64);
        }
        Some(unit)
    }

    fn at(&mut self, front: &[u8], markers: bool) -> Option<Unit> {
        let Some(position) = self.position.filter(|_| !self.opaque) else {
            let begins = |key: &[u8; 16]| front.iter().zip(key).all(|(byte, due)| byte == due);
            if self.opaque || !(begins(REQUEST_KEY) || begins(REPLY_KEY)) {
                self.opaque = true;
                return Some(Unit { kind: Kind::Opaque, length: OPAQUE });
            }
            let (header, _) = SetupHeaderView::parse(front).ok()?;
            self.wants_markers = header.markers();
            let private_data = usize::from(header.private_data_length());
            return Some(Unit { kind: Kind::Setup, length: SETUP_HEADER_LENGTH + private_data });
        };
        let position = markers.then_some(position);
        // Without bytes, this is the number of bytes needed to know the length.
        let enough = front.len() >= fpdu_needs(position, &[]);
        enough.then(|| Unit { kind: Kind::Fpdu(position), length: fpdu_needs(position, front) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpscope_wire::mpa::{REQUEST_KEY, append_fpdu};

    #[test]
    fn pieces_end_where_units_end() {
        for markers in [false, true] {
            let mut stream = [&REQUEST_KEY[..], &[0x40, 1, 0, 2], b"ab"].concat();
            let mut ends = vec![stream.len()];
            for length in [100, 1, 3000] {
                let position = markers.then(|| (stream.len() - 22) as u64);
                append_fpdu(&mut stream, position, &[&vec![3; length]], true).unwrap();
                ends.push(stream.len());
            }
            for chunk in [1, 7, 50, stream.len()] {
                let mut split = Split::default();
                let (mut at, mut found, mut together) = (0, Vec::new(), Vec::new());
                for bytes in stream.chunks(chunk) {
                    for piece in split.pieces(bytes, markers) {
                        together.extend_from_slice(piece);
                        at += piece.len();
                        found.push(at);
                    }
                }
                assert_eq!(together, stream, "nothing is lost");
                assert!(ends.iter().all(|end| found.contains(end)), "{chunk}: {found:?}");
                if chunk == stream.len() {
                    assert_eq!(found, ends);
                }
            }
        }
    }

    /// A setup frame with three bytes of private data (RFC 5044 section 7.1.1).
    fn setup(flags: u8) -> Vec<u8> {
        [&REQUEST_KEY[..], &[flags, 1, 0, 3], b"abc"].concat()
    }

    fn all(stream: &[u8], markers: bool) -> (Vec<Unit>, Units) {
        let (mut units, mut found) = (Units::default(), Vec::new());
        let (mut at, mut taken) = (0, 0);
        while at + taken < stream.len() {
            taken += 1;
            if let Some(unit) = units.next(&stream[at..at + taken], markers) {
                at += unit.length;
                found.push(unit);
                taken = 0;
            }
        }
        assert_eq!(at, stream.len());
        (found, units)
    }

    #[test]
    fn units_and_places_without_markers() {
        // Length word, 3 bytes, 3 of pad, CRC; then 2 + 256 + 2 + 4 bytes (RFC 5044 section 4.1).
        let short = [&[0, 3][..], &[0; 10]].concat();
        let long = [&[1, 0][..], &[7; 256 + 2 + 4]].concat();
        let (units, state) = all(&[setup(0x80), short, long].concat(), false);
        assert!(state.wants_markers, "M is the highest bit of the flags");
        let lengths: Vec<usize> = units.iter().map(|unit| unit.length).collect();
        assert_eq!(lengths, [23, 12, 264]);
        assert_eq!(units[0].length_word(), Some(18..20));
        assert_eq!((units[0].header(), units[0].crc()), (Some(0..18), None));
        assert_eq!(units[1].header(), Some(2..8), "no more than there is before the CRC");
        assert_eq!((units[2].length_word(), units[2].crc()), (Some(0..2), Some(260..264)));
        assert_eq!(units[2].header(), Some(2..16));
        assert_eq!(units[2].markers().count(), 0);
    }

    /// The codec puts the markers in; they are where every 512th byte begins.
    #[test]
    fn units_and_places_with_markers() {
        let (mut full, mut begins) = (Vec::new(), Vec::new());
        for length in [600, 30, 484, 2, 1, 5000] {
            begins.push(full.len());
            let position = Some(full.len() as u64);
            append_fpdu(&mut full, position, &[&vec![9; length]], true).unwrap();
        }
        let (units, _) = all(&[setup(0), full.clone()].concat(), true);
        assert_eq!(units.len(), begins.len() + 1);
        let mut markers = Vec::new();
        for (unit, begin) in units[1..].iter().zip(&begins) {
            markers.extend(unit.markers().map(|marker| marker.start + begin));
            let word = unit.length_word().unwrap();
            let place = begin + word.start;
            let inside = |at: usize| at % 512 < 4;
            assert!(word.clone().all(|at| !inside(at + begin)), "{unit:?}");
            assert!(unit.crc().unwrap().all(|at| !inside(at + begin)), "{unit:?}");
            assert!(place == *begin || (place == begin + 4 && begin % 512 == 0), "{unit:?}");
        }
        let due: Vec<usize> = (0..full.len()).step_by(512).collect();
        assert_eq!(markers, due);
    }

    #[test]
    fn what_is_not_mpa_is_found_at_its_first_byte() {
        let mut units = Units::default();
        assert_eq!(units.next(b"M", false), None);
        assert_eq!(units.next(b"MPA ID Rep", false), None);
        let opaque = Unit { kind: Kind::Opaque, length: 1460 };
        assert_eq!(units.next(b"MPA ID Rex", false), Some(opaque));
        assert_eq!(units.next(b"M", false), Some(opaque));
    }
}
