//! Markers: four bytes at every 512th byte of a direction's Full Operation (RFC 5044 §4.2, §4.3).

use crate::figure::figure;
use crate::{Illegal, Layer};

/// Bytes of a marker.
pub const MARKER_LENGTH: usize = 4;
/// Bytes of TCP stream from the start of one marker to the start of the next.
pub const MARKER_INTERVAL: u64 = 512;

const LOW_BITS: u16 = 3;
const SECTION: &str = "RFC 5044 section 4.2";

figure! {
    /// A marker as it stands in the stream.
    MarkerView: 4 bytes, Mpa "marker" {
        /// Reserved: zero.
        0 reserved u16;
        /// The whole second half word: FPDUPTR and its two low bits.
        2 pointer_field u16;
    }
}

impl MarkerView<'_> {
    /// FPDUPTR: bytes of stream from the FPDU's ULPDU_Length field to this marker. The two low
    /// bits are taken as zero whatever they are (RFC 5044 §4.2).
    pub fn fpdu_pointer(&self) -> u16 {
        self.pointer_field() & !LOW_BITS
    }
}

/// A legal marker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Marker {
    fpdu_pointer: u16,
}

impl Marker {
    /// A marker that stands `fpdu_pointer` bytes behind its FPDU's start (0: just before it).
    ///
    /// # Errors
    /// [`Illegal`] when the pointer is not a multiple of four.
    pub fn new(fpdu_pointer: u16) -> Result<Self, Illegal> {
        if fpdu_pointer & LOW_BITS != 0 {
            let (layer, field) = (Layer::Mpa, "FPDUPTR");
            return Err(Illegal { layer, field, value: fpdu_pointer.into(), section: SECTION });
        }
        Ok(Self { fpdu_pointer })
    }

    /// FPDUPTR.
    pub fn fpdu_pointer(&self) -> u16 {
        self.fpdu_pointer
    }

    /// The four bytes on the wire.
    pub fn bytes(&self) -> [u8; MARKER_LENGTH] {
        let [high, low] = self.fpdu_pointer.to_be_bytes();
        [0, 0, high, low]
    }
}

impl TryFrom<MarkerView<'_>> for Marker {
    type Error = Illegal;

    fn try_from(view: MarkerView<'_>) -> Result<Self, Illegal> {
        if view.reserved() != 0 {
            let (layer, field) = (Layer::Mpa, "marker reserved");
            return Err(Illegal { layer, field, value: view.reserved().into(), section: SECTION });
        }
        Self::new(view.pointer_field())
    }
}
