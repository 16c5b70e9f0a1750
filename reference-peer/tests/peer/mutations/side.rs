//! A side of a talk: a connection with work to do, and memory that is granted in part.

use crate::prelude::*;
use crate::raw::Trace;
use std::sync::LazyLock;

/// Bytes of each region.
const REGION: usize = 4096;
/// What of a region the peer may use, through a window: from here on, so long.
const WINDOW: (usize, usize) = (1024, 1024);
/// Bytes of the messages that have any number.
const LENGTH: usize = 700;
/// Where Reads and Reads V2 put their bytes.
const SINKS: [usize; 2] = [512, 2048];
/// Receives, each of this room.
const RECEIVES: u64 = 6;
const ROOM: usize = 800;

/// What every region holds at first.
pub(super) static PATTERN: LazyLock<Vec<u8>> = LazyLock::new(|| pattern(REGION));
/// The Steering Tags of both sides, which are always the same.
static TAGS: LazyLock<[Tags; 2]> = LazyLock::new(|| [prepared(0).1, prepared(1).1]);

/// The stream beside it, in the same memory.
pub(super) const NEIGHBOUR: u64 = STREAM.stream + 1;

/// The documents and the wishes of both sides.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Terms {
    pub(crate) profile: Profile,
    pub(crate) crc: bool,
    pub(crate) markers: bool,
}

impl Terms {
    fn config(self, config: Config) -> Config {
        let Self { profile, crc, markers } = self;
        let setup = SetupConfig { crc, markers, ..SetupConfig::enhanced() };
        let packing = if markers && !crc { Packing::Unaligned } else { Packing::One };
        Config { profile, setup, packing, longest_ulpdu: Some(300), ..config }
    }
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Tags {
    /// What the peer may use.
    pub(super) window: u32,
    /// A window that the peer may invalidate.
    pub(super) spare: u32,
    /// The region after both: no rights.
    pub(super) region: u32,
    /// Where Reads go.
    pub(super) sink: u32,
    /// To be read only.
    pub(super) readable: u32,
    /// The neighbour's, and one of another Protection Domain.
    pub(super) neighbours: u32,
    pub(super) foreign: u32,
}

impl Tags {
    pub(super) fn all(&self) -> [u32; 7] {
        let Self { window, spare, region, sink, readable, neighbours, foreign } = *self;
        [window, spare, region, sink, readable, neighbours, foreign]
    }
}

/// The memory of a side, always the same.
fn prepared(side: usize) -> (Memory, Tags) {
    let mut memory = Memory::seeded(side as u32 + 1);
    let mut register =
        |registration| memory.register(PATTERN.clone(), registration).expect("a region");
    let own = |rights| Registration::stream(STREAM.stream, rights);
    let region = register(own(Rights::NONE));
    let sink = register(own(Rights::NONE));
    let readable = register(own(Rights::READ));
    let neighbours = register(Registration::stream(NEIGHBOUR, Rights::ALL));
    let foreign = register(Registration::shared(2, Rights::ALL));
    let (start, length) = (WINDOW.0 as u64, WINDOW.1 as u64);
    let mut bind =
        |length| memory.bind_window(region, start, length, own(Rights::ALL)).expect("a window");
    let (window, spare) = (bind(length), bind(8));
    (memory, Tags { window, spare, region, sink, readable, neighbours, foreign })
}

pub(crate) struct Side {
    pub(super) connection: Connection,
    pub(super) memory: Memory,
    pub(super) tags: Tags,
    /// Work requests and receives that were posted.
    pub(super) posted: usize,
}

impl Side {
    /// A side with everything posted that it is to do.
    pub(crate) fn new(side: usize, terms: Terms, bugs: Bugs) -> Self {
        let config = Config { bugs, ..terms.config(configs()[side].clone()) };
        let (mut memory, tags) = prepared(side);
        memory.set_bugs(bugs);
        let mut connection = Connection::new(config, Duration::ZERO);
        for name in 0..RECEIVES {
            connection.post_receive(name, ROOM).expect("a receive");
        }
        let operations = operations(terms.profile, tags, TAGS[1 - side]);
        let posted = operations.len() + RECEIVES as usize;
        for (name, operation) in (0..).zip(operations) {
            connection.post(&memory, WorkRequest::new(name, operation)).expect("a work request");
        }
        Self { connection, memory, tags, posted }
    }

    pub(super) fn feed(&mut self, bytes: &[u8]) {
        self.connection.handle_bytes(Duration::ZERO, &mut self.memory, bytes);
    }

    pub(super) fn transmit(&mut self) -> Option<Transmit> {
        self.connection.poll_transmit(Duration::ZERO, &mut self.memory)
    }

    /// What happened, what completed, and what is in memory.
    pub(crate) fn record(&mut self, trace: &mut Trace) {
        let Self { connection, memory, tags, .. } = self;
        let events: Vec<_> = std::iter::from_fn(|| connection.poll_event()).collect();
        let completions: Vec<_> = std::iter::from_fn(|| connection.poll_completion()).collect();
        trace.record("events, completions", (events, completions));
        tags.all().iter().for_each(|tag| trace.record_region(memory, *tag));
    }

    /// What was changed beyond what was granted or asked for; `neighbours` is what the other stream
    /// has made of its region.
    pub(super) fn harm(&self, neighbours: &[u8]) -> Option<&'static str> {
        let due = &PATTERN[..];
        let of = |tag| self.memory.bytes(tag).expect("a region");
        let (region, sink) = (of(self.tags.region), of(self.tags.sink));
        let (start, end) = (WINDOW.0, WINDOW.0 + WINDOW.1);
        let [first, second] = SINKS;
        let mut beside =
            [(0, first), (first + LENGTH, second), (second + LENGTH, REGION)].into_iter();
        let kept = [
            (region[..start] == due[..start], "in front of the window"),
            (region[end..] == due[end..], "after the window"),
            (beside.all(|(from, to)| sink[from..to] == due[from..to]), "beside a Read's sink"),
            (of(self.tags.readable) == due, "memory without the right to be written"),
            (of(self.tags.foreign) == due, "memory of another Protection Domain"),
            (of(self.tags.neighbours) == neighbours, "memory of another stream"),
        ];
        kept.into_iter().find(|(kept, _)| !kept).map(|(_, place)| place)
    }
}

/// Lets two sides talk; whether they come to rest. What each sends is shown first.
pub(crate) fn converse(sides: &mut [Side; 2], mut shown: impl FnMut(usize, &[u8])) -> bool {
    for _ in 0..1000 {
        let mut busy = false;
        for side in [INITIATOR, RESPONDER] {
            let Some(transmit) = sides[side].transmit() else { continue };
            busy = true;
            match transmit {
                Transmit::Bytes(bytes) => {
                    shown(side, &bytes);
                    sides[1 - side].feed(&bytes);
                }
                _ => sides[1 - side].connection.handle_finish(Duration::ZERO),
            }
        }
        if !busy {
            return true;
        }
    }
    false
}

/// Everything that the profile has.
fn operations(profile: Profile, own: Tags, peer: Tags) -> Vec<Operation> {
    let window = remote(peer.window, 0);
    let length = LENGTH as u32;
    // Not what is there already, wherever it is written.
    let written: Vec<u8> = PATTERN[..LENGTH].iter().map(|byte| !byte).collect();
    let mut operations = vec![
        send_op(&PATTERN[..LENGTH], None, false, None),
        write_op(&written, window),
        read_op(local(own.sink, SINKS[0] as u64), length, window),
        send_op(&PATTERN[..LENGTH], Some(peer.spare), true, None),
    ];
    if profile.extensions {
        let add = AtomicOperation::FetchAdd { add_data: 5, add_mask: 0x80 };
        // The lowest bits are those of the second, and not of the first.
        let swap = |compare_data| AtomicOperation::CmpSwap {
            swap_data: 0xa5a5,
            swap_mask: 0x0ff0,
            compare_data,
            compare_mask: 3,
        };
        operations.extend([add, add, swap(2), swap(1)].map(|it| atomic_op(it, window)));
        operations.push(Operation::Immediate { data: 3, solicited: true });
    }
    if profile.ext_v2 {
        let sink = local(own.sink, SINKS[1] as u64);
        operations.push(Operation::ReadV2 { sink, length, remote: window });
        operations.push(send_op(&PATTERN[..LENGTH], None, true, Some(9)));
    }
    if profile.commit {
        operations.push(flush_op(window, length, [true, true]));
        operations.push(Operation::Verify { remote: window, length: 64, expected: None });
        operations.push(Operation::AtomicWrite { remote: remote(peer.window, 64), data: 6 });
    }
    operations
}
