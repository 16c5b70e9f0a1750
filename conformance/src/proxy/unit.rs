//! The units of a direction: the setup frame, then FPDUs; and where in them something stands.

use std::ops::Range;
use warpscope_wire::mpa::{
    CRC_LENGTH, LENGTH_FIELD, MARKER_INTERVAL, MARKER_LENGTH, REPLY_KEY, REQUEST_KEY,
    SETUP_HEADER_LENGTH, SetupHeaderView, fpdu_needs,
};

/// Bytes that count as a unit in a stream that is not MPA's.
const OPAQUE: usize = 1_460;
/// Bytes of the shorter DDP header, with RDMAP's control byte (RFC 5041 section 4.2).
const HEADER: usize = 14;
/// The place of PD_Length in a setup frame (RFC 5044 section 7.1.1).
const PRIVATE_DATA_LENGTH: Range<usize> = 18..20;

/// What a unit is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A setup frame.
    Setup,
    /// An FPDU, and its position among the bytes of Full Operation if it has markers.
    Fpdu(Option<u64>),
    /// Bytes of which nothing is known.
    Opaque,
}

/// A unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Unit {
    pub(super) kind: Kind,
    /// Bytes, markers counted.
    pub(super) length: usize,
}

impl Unit {
    /// Where its length word is.
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

    /// Where its header is: of a setup frame all before PD_Length, of an FPDU the DDP and RDMAP headers
    /// as far as every segment has them.
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

    /// Where its CRC is.
    pub(super) fn crc(&self) -> Option<Range<usize>> {
        let fpdu = matches!(self.kind, Kind::Fpdu(_));
        fpdu.then(|| self.length - CRC_LENGTH..self.length)
    }

    /// Where its markers are.
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

/// Bytes of a unit at this position before its content byte of this number, markers counted.
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
    /// Bytes of Full Operation that are behind; none before the setup frame.
    position: Option<u64>,
    opaque: bool,
    /// Whether the sender wants markers in what it receives.
    pub(super) wants_markers: bool,
}

impl Units {
    /// The unit whose first bytes these are; none as long as they do not tell its length. `markers` is
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
        // Without bytes, those are needed that say the length.
        let enough = front.len() >= fpdu_needs(position, &[]);
        enough.then(|| Unit { kind: Kind::Fpdu(position), length: fpdu_needs(position, front) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpscope_wire::mpa::append_fpdu;

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
    fn what_is_not_mpa_is_told_at_its_first_byte() {
        let mut units = Units::default();
        assert_eq!(units.next(b"M", false), None);
        assert_eq!(units.next(b"MPA ID Rep", false), None);
        let opaque = Unit { kind: Kind::Opaque, length: 1460 };
        assert_eq!(units.next(b"MPA ID Rex", false), Some(opaque));
        assert_eq!(units.next(b"M", false), Some(opaque));
    }
}
