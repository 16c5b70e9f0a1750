//! The two fields that say whose message it is (section 2.1).

use super::record::Coded;
use crate::Writer;

/// The first word of every message and greeting: `TULP`.
pub const MAGIC: u32 = 0x5455_4c50;
/// The version of the test ULP.
pub const VERSION: u8 = 1;

/// The word [`MAGIC`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Magic;

impl Coded<u32> for Magic {
    fn read(raw: u32) -> Option<Self> {
        (raw == MAGIC).then_some(Self)
    }

    fn write(self, writer: &mut Writer<'_>) {
        writer.u32(MAGIC);
    }
}

/// The byte [`VERSION`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Version;

impl Coded<u8> for Version {
    fn read(raw: u8) -> Option<Self> {
        (raw == VERSION).then_some(Self)
    }

    fn write(self, writer: &mut Writer<'_>) {
        writer.u8(VERSION);
    }
}
