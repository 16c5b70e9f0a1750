//! What a side says of its memory.

use warpscope_wire::Writer;

/// Tags that a peer may invalidate: one for each Send that does.
pub(super) const SPARES: usize = 4;
/// What every advertisement begins with.
const MAGIC: &[u8; 8] = b"exercise";
const LENGTH: usize = 8 + 4 + 4 + 8 + 4 * SPARES;

/// A side's memory: 8 bytes `exercise`, Steering Tag, length, Tagged Offset, and the Steering Tags
/// of windows that may be invalidated; all numbers big-endian.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Advertisement {
    pub(super) steering_tag: u32,
    pub(super) length: u32,
    pub(super) tagged_offset: u64,
    pub(super) spares: [u32; SPARES],
}

impl Advertisement {
    pub(super) fn emit(&self) -> Vec<u8> {
        let mut bytes = vec![0; LENGTH];
        let mut writer = Writer::new(&mut bytes);
        writer.bytes(MAGIC).u32(self.steering_tag).u32(self.length).u64(self.tagged_offset);
        for spare in self.spares {
            writer.u32(spare);
        }
        bytes
    }

    /// The advertisement, if the bytes are one.
    pub(super) fn parse(bytes: &[u8]) -> Option<Self> {
        let bytes: &[u8; LENGTH] = bytes.try_into().ok()?;
        let numbers = bytes.strip_prefix(MAGIC)?;
        let number = |at: usize| {
            let four = numbers.get(at..).and_then(|rest| rest.first_chunk::<4>());
            four.map_or(0, |four| u32::from_be_bytes(*four))
        };
        let tagged_offset = u64::from(number(8)) << 32 | u64::from(number(12));
        let mut spares = [0; SPARES];
        for (index, spare) in spares.iter_mut().enumerate() {
            *spare = number(16 + 4 * index);
        }
        Some(Self { steering_tag: number(0), length: number(4), tagged_offset, spares })
    }
}
