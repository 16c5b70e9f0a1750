//! What a source and a sink tell each other.

use crate::work::RemoteBuffer;

/// How bytes go from the source to the sink.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Mode {
    /// The source writes, with RDMA Writes.
    #[default]
    Write,
    /// The source sends, with Sends.
    Send,
    /// The sink reads, with RDMA Reads.
    Read,
}

impl Mode {
    /// Every mode with its number on the wire.
    const NUMBERS: [(u32, Self); 3] = [(1, Self::Write), (2, Self::Send), (3, Self::Read)];
}

/// What a note says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A sink that is the initiator is there.
    Hello,
    /// What the source wants to do.
    Offer,
    /// The sink is ready for it.
    Ready,
    /// The sink has received `count` messages.
    Credit,
    /// The source has sent `count` messages, and sends no more.
    Done,
    /// The sink has got `count` messages; `slots` is 1 when their bytes are right.
    Report,
}

impl Kind {
    /// Every kind with its number on the wire.
    const NUMBERS: [(u32, Self); 6] = [
        (1, Self::Hello),
        (2, Self::Offer),
        (3, Self::Ready),
        (4, Self::Credit),
        (5, Self::Done),
        (6, Self::Report),
    ];
}

/// A message of 40 bytes, all numbers big-endian: kind, mode, STag and size in 32 bits each,
/// Tagged Offset and count in 64, slots in 32, and 32 bits of zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Note {
    /// What it says.
    pub kind: Kind,
    /// How bytes go.
    pub mode: Mode,
    /// The region of the side that says it, where others reach it.
    pub region: RemoteBuffer,
    /// Bytes of a message.
    pub size: u32,
    /// How many messages.
    pub count: u64,
    /// Messages that the region has room for, or that receives are posted for.
    pub slots: u32,
}

impl Note {
    /// Its length in bytes.
    pub const LENGTH: usize = 40;

    /// A note without a region.
    pub fn new(kind: Kind, mode: Mode) -> Self {
        let region = RemoteBuffer { steering_tag: 0, tagged_offset: 0 };
        Self { kind, mode, region, size: 0, count: 0, slots: 0 }
    }

    /// Reads a message; none when it is no note.
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        let bytes: &[u8; Self::LENGTH] = bytes.try_into().ok()?;
        let (words, _) = bytes.as_chunks::<4>();
        let mut words = words.iter().map(|word| u32::from_be_bytes(*word));
        let mut word = || words.next().unwrap_or_default();
        let (kind, mode, steering_tag, size) = (word(), word(), word(), word());
        let mut long = || u64::from(word()) << 32 | u64::from(word());
        let (tagged_offset, count) = (long(), long());
        let slots = word();
        let kind = Kind::NUMBERS.iter().find(|it| it.0 == kind)?.1;
        let mode = Mode::NUMBERS.iter().find(|it| it.0 == mode)?.1;
        let region = RemoteBuffer { steering_tag, tagged_offset };
        Some(Self { kind, mode, region, size, count, slots })
    }

    /// The message.
    pub fn bytes(self) -> Vec<u8> {
        let kind = Kind::NUMBERS.iter().find(|it| it.1 == self.kind).map_or(0, |it| it.0);
        let mode = Mode::NUMBERS.iter().find(|it| it.1 == self.mode).map_or(0, |it| it.0);
        let mut bytes = Vec::with_capacity(Self::LENGTH);
        for word in [kind, mode, self.region.steering_tag, self.size] {
            bytes.extend(word.to_be_bytes());
        }
        bytes.extend(self.region.tagged_offset.to_be_bytes());
        bytes.extend(self.count.to_be_bytes());
        bytes.extend(self.slots.to_be_bytes());
        bytes.extend([0; 4]);
        bytes
    }
}
