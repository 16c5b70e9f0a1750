//! Takes FPDUs out of a stream that comes in any pieces (RFC 5044 sections 4.3, 4.4 and 6).

use crate::bug::{Bug, Bugs};
use crate::violation::Violation;
use warpscope_wire::crc;
use warpscope_wire::mpa::{CRC_LENGTH, FpduView, MARKER_LENGTH, MarkerView, demark, fpdu_needs};

/// Takes FPDUs out of the bytes of one direction. An FPDU that lies whole in what came is read
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
    /// Bytes to come of an FPDU that was taken; only a bug takes one.
    early: usize,
    bugs: Bugs,
}

impl Receiver {
    /// A receiver at the first byte of Full Operation.
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

    /// The next ULPDU, once its FPDU is all there and right; `bytes` goes on behind it. When there
    /// is none, all of `bytes` was taken, and more must come.
    ///
    /// # Errors
    /// [`Violation::Crc`], or with a right CRC [`Violation::MarkerPosition`]; nothing may be taken
    /// after that (RFC 5044 section 8).
    pub fn ulpdu<'a, 'b: 'a>(
        &'a mut self,
        bytes: &mut &'b [u8],
    ) -> Result<Option<&'a [u8]>, Violation> {
        if std::mem::take(&mut self.done) {
            self.waiting.clear();
        }
        let late = self.early.min(bytes.len());
        self.early -= late;
        *bytes = bytes.get(late..).unwrap_or(&[]);
        let position = self.markers.then_some(self.position);
        let whole = match bytes.split_at_checked(fpdu_needs(position, bytes)) {
            Some((whole, rest)) if self.waiting.is_empty() => {
                *bytes = rest;
                whole
            }
            _ if self.bugs.has(Bug::CutFpduDropped) => {
                *bytes = &[];
                return Ok(None);
            }
            _ if !bytes.is_empty() && self.bugs.has(Bug::CutFpduRefused) => {
                return Err(Violation::Crc);
            }
            _ => {
                loop {
                    let needed = fpdu_needs(position, &self.waiting);
                    let missing = needed.saturating_sub(self.waiting.len());
                    if missing == 0 {
                        break;
                    }
                    if bytes.is_empty() {
                        let all_but_crc = (CRC_LENGTH + 1..).contains(&needed)
                            && missing <= CRC_LENGTH
                            && position.is_none();
                        if !all_but_crc || !self.bugs.has(Bug::FpduTakenEarly) {
                            return Ok(None);
                        }
                        self.early = missing;
                        self.waiting.truncate(needed - CRC_LENGTH);
                        let crc = crc::field_bytes(crc::crc32c(&self.waiting));
                        self.waiting.extend_from_slice(&crc);
                        break;
                    }
                    let (front, rest) = bytes.split_at(missing.min(bytes.len()));
                    self.waiting.extend_from_slice(front);
                    *bytes = rest;
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
    let padded = fpdu.pad().iter().any(|byte| *byte != 0);
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
