//! Takes FPDUs out of a stream that comes in any pieces (RFC 5044 sections 4.3, 4.4 and 6).

use crate::bug::{Bug, Bugs};
use crate::violation::Violation;
use warpscope_wire::crc;
use warpscope_wire::mpa::{FpduView, MARKER_LENGTH, MarkerView, demark, fpdu_needs};

/// Takes FPDUs out of the octets of one direction. An FPDU that lies whole in what came is read
/// where it is; only one that is cut is put together here.
#[derive(Debug, Clone, Default)]
pub struct Receiver {
    markers: bool,
    crc: bool,
    /// The position in the stream of the FPDU that comes next.
    position: u64,
    /// The front of an FPDU whose end has not come.
    waiting: Vec<u8>,
    /// Whether `waiting` is done with.
    done: bool,
    /// The FPDU without its markers.
    fpdu: Vec<u8>,
    marker_offsets: Vec<usize>,
    bugs: Bugs,
}

impl Receiver {
    /// A receiver at the first octet of Full Operation.
    pub fn new(markers: bool, crc: bool) -> Self {
        Self { markers, crc, ..Self::default() }
    }

    /// The same with these bugs.
    #[must_use]
    pub fn with_bugs(self, bugs: Bugs) -> Self {
        Self { bugs, ..self }
    }

    /// True between FPDUs: a stream that ends here ends well.
    pub fn between_fpdus(&self) -> bool {
        self.done || self.waiting.is_empty()
    }

    /// The next ULPDU, once its FPDU is all there and right; `octets` goes on behind it. When there
    /// is none, all of `octets` was taken, and more must come.
    ///
    /// # Errors
    /// [`Violation::Crc`], or with a right CRC [`Violation::MarkerPosition`]; nothing may be taken
    /// after that (RFC 5044 section 8).
    pub fn ulpdu<'a, 'b: 'a>(
        &'a mut self,
        octets: &mut &'b [u8],
    ) -> Result<Option<&'a [u8]>, Violation> {
        if std::mem::take(&mut self.done) {
            self.waiting.clear();
        }
        let position = self.markers.then_some(self.position);
        let whole = match octets.split_at_checked(fpdu_needs(position, octets)) {
            Some((whole, rest)) if self.waiting.is_empty() => {
                *octets = rest;
                whole
            }
            _ if self.bugs.has(Bug::CutFpduDropped) => {
                *octets = &[];
                return Ok(None);
            }
            _ => {
                loop {
                    let needed = fpdu_needs(position, &self.waiting);
                    let missing = needed.saturating_sub(self.waiting.len());
                    if missing == 0 {
                        break;
                    }
                    if octets.is_empty() {
                        return Ok(None);
                    }
                    let (front, rest) = octets.split_at(missing.min(octets.len()));
                    self.waiting.extend_from_slice(front);
                    *octets = rest;
                }
                self.done = true;
                &self.waiting
            }
        };
        self.position = self.position.wrapping_add(whole.len() as u64);
        let Some(position) = position else {
            let Ok((fpdu, _)) = FpduView::parse(whole) else { return Ok(None) };
            check(self.crc, self.bugs, &fpdu, || crc::crc32c(fpdu.covered()))?;
            return Ok(Some(fpdu.ulpdu()));
        };
        let demarked = demark(position, whole, &mut self.fpdu, &mut self.marker_offsets);
        let Ok(demarked) = demarked else { return Ok(None) };
        let Ok((fpdu, _)) = FpduView::parse(&self.fpdu) else { return Ok(None) };
        check(self.crc, self.bugs, &fpdu, || demarked.computed_crc)?;
        for offset in &self.marker_offsets {
            let marker = whole.get(*offset..*offset + MARKER_LENGTH).unwrap_or(&[]);
            let due = offset.saturating_sub(demarked.start);
            let points = MarkerView::parse(marker).map(|(marker, _)| pointer(self.bugs, marker));
            let unchecked = self.bugs.has(Bug::MarkerPositionUnchecked);
            if points.is_ok_and(|points| usize::from(points) != due) && !unchecked {
                return Err(Violation::MarkerPosition);
            }
        }
        Ok(Some(fpdu.ulpdu()))
    }
}

/// Judges an FPDU without its markers; `computed` is its CRC.
fn check(
    crc: bool,
    bugs: Bugs,
    fpdu: &FpduView<'_>,
    computed: impl Fn() -> u32,
) -> Result<(), Violation> {
    let in_use = crc || bugs.has(Bug::CrcCheckedThoughOff);
    if in_use && fpdu.crc() != computed() && !bugs.has(Bug::CrcUnchecked) {
        return Err(Violation::Crc);
    }
    let padded = fpdu.pad().iter().any(|octet| *octet != 0);
    if padded && bugs.has(Bug::PadChecked) {
        return Err(Violation::Crc);
    }
    if fpdu.ulpdu_length() > 1460 && bugs.has(Bug::LongUlpduRefused) {
        return Err(Violation::MarkerPosition);
    }
    Ok(())
}

/// FPDUPTR as it counts.
fn pointer(bugs: Bugs, marker: MarkerView<'_>) -> u16 {
    if marker.reserved() != 0 && bugs.has(Bug::MarkerReservedChecked) {
        return u16::MAX;
    }
    if bugs.has(Bug::MarkerLowBitsCounted) { marker.pointer_field() } else { marker.fpdu_pointer() }
}
