//! Messages, segments and bytes by opcode.

use crate::message::SegmentItem;
use crate::mpa::Side;
use warpscope_wire::rdmap::{Message, Payload, RdmapControlView};

/// What a segment is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Opcode {
    /// A message that the profile knows.
    Known(Message),
    /// An opcode that it does not know.
    Unknown(u8),
    /// The DDP header cannot be read.
    NoHeader,
}

impl Opcode {
    /// What a segment is of.
    pub fn of(segment: &SegmentItem<'_>) -> Self {
        match (&segment.header, segment.message) {
            (Err(_), _) => Self::NoHeader,
            (Ok(_), Some(message)) => Self::Known(message),
            (Ok(header), None) => Self::Unknown(RdmapControlView(header.rdmap_control()).opcode()),
        }
    }

    /// Its name, as people say it.
    pub fn name(self) -> String {
        match self {
            Self::Known(message) => message.info().name.to_owned(),
            Self::Unknown(opcode) => format!("opcode {opcode:#04x}"),
            Self::NoHeader => "no whole header".to_owned(),
        }
    }

    /// The opcode, where there is one.
    pub fn number(self) -> Option<u8> {
        match self {
            Self::Known(message) => Some(message.info().opcode),
            Self::Unknown(opcode) => Some(opcode),
            Self::NoHeader => None,
        }
    }

    /// Whether its payload is the user's: not a header that RDMAP defines.
    pub fn carries_data(self) -> bool {
        let Self::Known(message) = self else { return self != Self::NoHeader };
        matches!(message.info().payload, Payload::Ulp | Payload::UlpThenImmediate)
    }
}

/// How much of something one side sent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sent {
    /// Messages whose last segment came.
    pub messages: u64,
    /// Segments.
    pub segments: u64,
    /// Bytes of payload in them: what follows the DDP header.
    pub bytes: u64,
}

impl Sent {
    /// Adds what was sent elsewhere.
    pub fn add(&mut self, other: &Self) {
        self.messages += other.messages;
        self.segments += other.segments;
        self.bytes += other.bytes;
    }
}

/// Counts by opcode and by who sent it, in the order of the opcodes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Opcodes {
    rows: Vec<(Opcode, [Sent; 2])>,
}

impl Opcodes {
    /// Counts a segment; `column` is the side, or what else the caller tells apart.
    pub fn count(&mut self, segment: &SegmentItem<'_>, column: Side) {
        let opcode = Opcode::of(segment);
        let index = self.rows.binary_search_by_key(&opcode, |row| row.0).unwrap_or_else(|index| {
            self.rows.insert(index, (opcode, Default::default()));
            index
        });
        let Some((_, sides)) = self.rows.get_mut(index) else { return };
        let sent = &mut sides[column.index()];
        sent.messages += u64::from(segment.completed.is_some());
        sent.segments += 1;
        sent.bytes += u64::from(segment.payload_length);
    }

    /// Every opcode that was seen, with what each side sent.
    pub fn rows(&self) -> impl Iterator<Item = (Opcode, &[Sent; 2])> {
        self.rows.iter().map(|(opcode, sides)| (*opcode, sides))
    }

    /// What both sides sent of everything.
    pub fn total(&self) -> Sent {
        let mut total = Sent::default();
        self.rows.iter().flat_map(|(_, sides)| sides).for_each(|sent| total.add(sent));
        total
    }

    /// Bytes of the user's data that both sides sent.
    pub fn data(&self) -> u64 {
        let rows = self.rows.iter().filter(|(opcode, _)| opcode.carries_data());
        rows.flat_map(|(_, sides)| sides).map(|sent| sent.bytes).sum()
    }

    /// Gives back memory that is not needed.
    pub(super) fn shrink(&mut self) {
        self.rows.shrink_to_fit();
    }
}
