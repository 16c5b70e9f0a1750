//! Where the units of MPA end in what goes over a connection: TCP does not say how the bytes that
//! were received lay in segments, so that made-up segments begin where a unit does.

use warpscope_wire::mpa::{SETUP_HEADER_LENGTH, SetupHeaderView, fpdu_needs};

/// One direction: a setup frame, then FPDUs.
#[derive(Debug, Default)]
pub(super) struct Units {
    /// The front of a unit whose length is not known yet.
    front: Vec<u8>,
    /// Bytes of the unit, and those of them that are still to come; 0 when it is not known.
    length: usize,
    left: usize,
    /// Where the unit begins, counted from the first FPDU; none for a setup frame.
    position: Option<u64>,
    /// M: whether this side's setup frame requires markers in what it receives.
    pub(super) wants_markers: bool,
}

impl Units {
    /// Bytes at the front of `bytes` that belong to one unit; `markers` says whether this
    /// direction has any.
    pub(super) fn take(&mut self, bytes: &[u8], markers: bool) -> usize {
        let mut taken = 0;
        while self.left == 0 {
            match self.known(markers) {
                Some(length) => {
                    (self.length, self.left) = (length, length - self.front.len());
                    self.front.clear();
                    break;
                }
                None => match bytes.get(taken) {
                    Some(byte) => self.front.push(*byte),
                    None => return taken,
                },
            }
            taken += 1;
        }
        let rest = self.left.min(bytes.len() - taken);
        self.left -= rest;
        if self.left == 0 {
            let length = self.length as u64;
            self.position = Some(self.position.map_or(0, |at| at.wrapping_add(length)));
        }
        taken + rest
    }

    /// The unit's length, once its front says it.
    fn known(&mut self, markers: bool) -> Option<usize> {
        let Some(position) = self.position else {
            let (header, _) = SetupHeaderView::parse(&self.front).ok()?;
            self.wants_markers = header.markers();
            return Some(SETUP_HEADER_LENGTH + usize::from(header.private_data_length()));
        };
        let position = markers.then_some(position);
        // Without bytes, those are needed that say the length.
        let enough = self.front.len() >= fpdu_needs(position, &[]);
        enough.then(|| fpdu_needs(position, &self.front))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pieces that bytes fall into when they come `step` at a time.
    fn pieces(units: &mut Units, bytes: &[u8], step: usize, markers: bool) -> Vec<usize> {
        let (mut pieces, mut sum) = (Vec::new(), 0);
        for mut part in bytes.chunks(step) {
            while !part.is_empty() {
                let taken = units.take(part, markers);
                sum += taken;
                part = &part[taken..];
                if units.left == 0 && units.front.is_empty() {
                    pieces.push(std::mem::take(&mut sum));
                }
            }
        }
        pieces
    }

    /// A setup frame with 3 bytes of private data (RFC 5044 section 7.1.1).
    fn setup(flags: u8) -> Vec<u8> {
        [&b"MPA ID Req Frame"[..], &[flags, 1, 0, 3], b"abc"].concat()
    }

    #[test]
    fn units_end_where_their_lengths_say() {
        // An FPDU: length, ULPDU, pad to a multiple of four, CRC (RFC 5044 section 4.1).
        let (short, long) = (vec![0; 12], [&[1, 0][..], &[7; 256 + 2 + 4]].concat());
        let short = [&[0, 3][..], &short[2..]].concat();
        let stream = [setup(0), short, long].concat();
        for step in [1, 2, 7, 1000] {
            let mut units = Units::default();
            // 2 + 3 + 3 + 4 bytes, and 2 + 256 + 2 + 4.
            assert_eq!(pieces(&mut units, &stream, step, false), [23, 12, 264], "{step}");
            assert!(!units.wants_markers);
        }
    }

    #[test]
    fn markers_belong_to_units() {
        // The first FPDU has a marker before it, and one at 512: 4 + 2 + 600 + 2 + 4 + 4 bytes.
        let mut bytes = vec![0; 616];
        bytes[5] = 0x58;
        bytes[4] = 0x02;
        let next = [&[0, 2][..], &[0; 6]].concat();
        let stream = [setup(0x80), bytes, next].concat();
        for step in [1, 3, 1000] {
            let mut units = Units::default();
            assert_eq!(pieces(&mut units, &stream, step, true), [23, 616, 8], "{step}");
            assert!(units.wants_markers, "M is the highest bit of the flags");
        }
    }
}
