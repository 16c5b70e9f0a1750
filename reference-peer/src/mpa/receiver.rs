//! Takes FPDUs out of a stream that comes in any pieces (RFC 5044 sections 4.3, 4.4 and 6).

use crate::violation::Violation;
use warpscope_wire::mpa::{FpduView, MARKER_LENGTH, MarkerView, demark};

/// Takes FPDUs out of the octets of one direction.
#[derive(Debug, Clone, Default)]
pub struct Receiver {
    markers: bool,
    crc: bool,
    /// The position in the stream of the first octet that waits.
    position: u64,
    waiting: Vec<u8>,
    /// Octets at the front of `waiting` that are done with.
    done: usize,
    fpdu: Vec<u8>,
    marker_offsets: Vec<usize>,
}

impl Receiver {
    /// A receiver at the first octet of Full Operation.
    pub fn new(markers: bool, crc: bool) -> Self {
        Self { markers, crc, ..Self::default() }
    }

    /// Takes octets of the stream, in order.
    pub fn push(&mut self, octets: &[u8]) {
        self.waiting.drain(..self.done);
        self.done = 0;
        self.waiting.extend_from_slice(octets);
    }

    /// True between FPDUs: a stream that ends here ends well.
    pub fn between_fpdus(&self) -> bool {
        self.done == self.waiting.len()
    }

    /// The next ULPDU, once its FPDU is all there and right.
    ///
    /// # Errors
    /// [`Violation::Crc`], or with a right CRC [`Violation::MarkerPosition`]; nothing may be taken
    /// after that (RFC 5044 section 8).
    pub fn ulpdu(&mut self) -> Result<Option<&[u8]>, Violation> {
        let rest = self.waiting.get(self.done..).unwrap_or(&[]);
        if !self.markers {
            let Ok((fpdu, _)) = FpduView::parse(rest) else { return Ok(None) };
            self.done += fpdu.octets().len();
            let computed = || warpscope_wire::crc::crc32c(fpdu.covered());
            if self.crc && fpdu.crc() != computed() {
                return Err(Violation::Crc);
            }
            return Ok(Some(fpdu.ulpdu()));
        }
        let demarked = demark(self.position, rest, &mut self.fpdu, &mut self.marker_offsets);
        let Ok(demarked) = demarked else { return Ok(None) };
        self.done += demarked.consumed;
        self.position = self.position.wrapping_add(demarked.consumed as u64);
        let Ok((fpdu, _)) = FpduView::parse(&self.fpdu) else { return Ok(None) };
        if self.crc && fpdu.crc() != demarked.computed_crc {
            return Err(Violation::Crc);
        }
        for offset in &self.marker_offsets {
            let octets = rest.get(*offset..*offset + MARKER_LENGTH).unwrap_or(&[]);
            let due = offset.saturating_sub(demarked.start);
            let points = MarkerView::parse(octets).map(|(marker, _)| marker.fpdu_pointer());
            if points.is_ok_and(|points| usize::from(points) != due) {
                return Err(Violation::MarkerPosition);
            }
        }
        Ok(Some(fpdu.ulpdu()))
    }
}
