//! Where the frames of a capture begin. A socket does not tell how TCP cut its bytes, and what is read at
//! once is no segment: a frame for each unit is what a sender that keeps to RFC 5044 section 5.1 sends.

use super::unit::Units;

/// Splits a direction's bytes where units end.
#[derive(Debug, Default)]
pub(super) struct Split {
    pub(super) units: Units,
    /// Bytes of a unit whose length is not known yet.
    front: Vec<u8>,
    /// Bytes that the unit at hand lacks.
    left: usize,
}

impl Split {
    /// The pieces of bytes that came; `markers` is whether the peer of their sender wants markers.
    pub(super) fn pieces<'a>(&mut self, bytes: &'a [u8], markers: bool) -> Vec<&'a [u8]> {
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
}
