//! Damaged captures: 50 variants of every shipped capture. Nothing panics, the memory kept for later
//! stays bounded, and what cannot be read is reported with a message.

use crate::prelude::*;
use warpscope_dissector::rules::Judge;

/// Bytes of a capture that are damaged and read.
const PART: usize = 200_000;
const VARIANTS: u64 = 50;
/// What all connections may keep together, and a little for what one frame adds.
const KEPT: usize = 26 << 20;

fn bytes(path: &Path) -> Vec<u8> {
    let mut bytes = std::fs::read(plain(path, "hostile")).unwrap();
    bytes.truncate(PART);
    bytes
}

/// Damages some bytes in one of several ways.
fn damage(bytes: &mut Vec<u8>, numbers: &mut Noise) {
    let mut below = |limit: usize| numbers.below(limit.max(1) as u64) as usize;
    let times = 1 << below(8);
    for _ in 0..times {
        let at = below(bytes.len());
        match below(6) {
            0 => bytes[at] ^= 1 << below(8),
            1 => bytes[at] = below(256) as u8,
            2 => bytes[at] = 0xff,
            3 => {
                let end = (at + below(8)).min(bytes.len());
                bytes[at..end].fill(0xff);
            }
            4 => {
                // Only in the second half: the frames before it stay in step.
                let from = bytes.len() / 2 + at / 2;
                bytes.drain(from..(from + below(64)).min(bytes.len()));
            }
            _ => {
                let from = below(bytes.len());
                let length = below(64).min(bytes.len() - from.max(at));
                bytes.copy_within(from..from + length, at);
            }
        }
    }
    if below(4) == 0 {
        bytes.truncate(below(bytes.len()) + 1);
    }
}

fn read(bytes: Vec<u8>, name: &str) -> (u64, Option<String>) {
    let mut reader = match CaptureReader::from_reader(std::io::Cursor::new(bytes), name) {
        Ok(reader) => reader,
        Err(error) => return (0, Some(error.to_string())),
    };
    let (mut pipeline, mut view) = (Pipeline::default(), FrameView::new(true, true));
    let mut problem = None;
    loop {
        match reader.next_frame() {
            Ok(Some(frame)) => pipeline.frame(&frame, &mut view),
            Ok(None) => break,
            Err(error) => problem = Some(error.to_string()),
        }
        let kept: usize = pipeline.connections().iter().map(|each| each.buffered()).sum();
        assert!(kept <= KEPT, "{name}: {kept} bytes kept");
    }
    pipeline.finish(&mut view);
    (reader.frames_read(), problem)
}

#[test]
fn damaged_captures_are_read_as_far_as_they_go() {
    let mut reported = 0;
    for path in captures(&["captures", "synthetic"]) {
        let whole = bytes(&path);
        for variant in 0..VARIANTS {
            let mut numbers = Noise::new(variant * 0x9e37_79b9 + whole.len() as u64 + 1);
            let mut damaged = whole.clone();
            damage(&mut damaged, &mut numbers);
            let name = format!("{} variant {variant}", path.display());
            // A file header alone is a capture of no frames.
            let empty = damaged.len() == 24;
            let (frames, problem) = read(damaged, &name);
            if let Some(problem) = problem {
                assert!(problem.contains(&name), "the message names no file: {problem}");
                assert!(problem.len() > name.len() + 10, "the message says nothing: {problem}");
                reported += 1;
            } else {
                assert!(frames > 0 || empty, "{name}: nothing read and nothing told");
            }
        }
    }
    assert!(reported > 100, "only {reported} of the damaged captures were told to be damaged");
}

#[test]
fn garbage_is_told_to_be_garbage() {
    let mut numbers = Noise::new(42);
    for length in [1usize, 3, 4, 23, 24, 100, 5000] {
        let garbage = numbers.bytes(length);
        let (frames, problem) = read(garbage, "garbage");
        assert_eq!(frames, 0);
        assert!(problem.is_some_and(|problem| problem.contains("garbage")));
    }
}

/// A TCP segment of port `port` to port 7, or back.
fn segment(port: u16, back: bool, sequence: u32, flags: u8, payload: &[u8]) -> (Vec<u8>, u32) {
    let mut tcp = frames::tcp(flags.into(), &[], payload);
    tcp[..4].copy_from_slice(&[port.to_be_bytes(), [0, 7]].concat());
    tcp[4..8].copy_from_slice(&sequence.to_be_bytes());
    tcp[8..12].fill(0);
    let mut packet = frames::ipv4(6, &tcp);
    if back {
        packet[12..20].rotate_left(4);
        packet[20..24].rotate_left(2);
    }
    frames::whole(frames::ethernet(0x0800, &packet))
}

/// An FPDU with a Read Request that nobody answers.
fn read_request(sequence_number: u32) -> Vec<u8> {
    let mut fpdu = vec![0, 46, 0x41, 0x41, 0, 0, 0, 0, 0, 0, 0, 1];
    fpdu.extend(sequence_number.to_be_bytes());
    fpdu.resize(52, 0);
    fpdu
}

/// Requests without answers, on more connections than all together may keep: the oldest are given up.
#[test]
fn requests_that_nobody_answers_stay_bounded() {
    const CONNECTIONS: u16 = 20;
    const ALL_TOGETHER: usize = 72 << 20;
    let mut segments = Vec::new();
    for port in 1000..1000 + CONNECTIONS {
        let setup = |key: &[u8]| [key, &[0, 1, 0, 0]].concat();
        segments.push(segment(port, false, 0, 2, &[]));
        segments.push(segment(port, true, 0, 2, &[]));
        segments.push(segment(port, false, 1, 24, &setup(b"MPA ID Req Frame")));
        segments.push(segment(port, true, 1, 24, &setup(b"MPA ID Rep Frame")));
        for group in 0..660 {
            let requests: Vec<u8> = (1..=25).flat_map(|n| read_request(group * 25 + n)).collect();
            segments.push(segment(port, false, 21 + group * 25 * 52, 24, &requests));
        }
    }
    let bytes = frames::pcap(1, &segments);
    let mut reader = CaptureReader::from_reader(std::io::Cursor::new(bytes), "requests").unwrap();
    let (mut pipeline, mut view) = (Pipeline::default(), FrameView::new(false, false));
    let mut outstanding = 0;
    while let Some(frame) = reader.next_frame().unwrap() {
        pipeline.frame(&frame, &mut view);
        if frame.number.is_multiple_of(500) {
            let connections = pipeline.connections();
            let kept: usize = connections.iter().map(|connection| connection.buffered()).sum();
            assert!(kept < ALL_TOGETHER, "{kept} bytes are kept");
            outstanding = outstanding.max(kept);
        }
    }
    assert!(outstanding > 32 << 20, "only {outstanding} bytes were kept: the test tests nothing");
}

// Calls that wait for their replies.

/// A conversation of one connection.
struct Talk {
    port: u16,
    sequence: [u32; 2],
    message: [u32; 2],
    segments: Vec<(Vec<u8>, u32)>,
}

impl Talk {
    /// A connection that carries plain TCP, or after the setup frames iWARP without CRC.
    fn new(port: u16, iwarp: bool) -> Self {
        let mut talk = Self { port, sequence: [0; 2], message: [0; 2], segments: Vec::new() };
        for (side, key) in [b"MPA ID Req Frame", b"MPA ID Rep Frame"].into_iter().enumerate() {
            talk.segments.push(segment(port, side == 1, 0, 2, &[]));
            talk.sequence[side] = 1;
            if iwarp {
                talk.says(side, &[&key[..], &[0, 1, 0, 0]].concat());
            }
        }
        talk
    }

    fn says(&mut self, side: usize, payload: &[u8]) {
        let sequence = self.sequence[side];
        self.segments.push(segment(self.port, side == 1, sequence, 24, payload));
        self.sequence[side] = sequence.wrapping_add(payload.len() as u32);
    }

    /// An FPDU with a DDP segment.
    fn fpdu(&mut self, side: usize, segment: &[u8]) {
        let mut fpdu = (segment.len() as u16).to_be_bytes().to_vec();
        fpdu.extend(segment);
        fpdu.resize(fpdu.len().next_multiple_of(4) + 4, 0);
        self.says(side, &fpdu);
    }

    /// A Send, in as many segments as it takes.
    fn sends(&mut self, side: usize, words: &[u32]) {
        const PART: usize = 60_000;
        self.message[side] += 1;
        let bytes = big(words);
        for (index, part) in bytes.chunks(PART).enumerate() {
            let last = (index + 1) * PART >= bytes.len();
            let header = big(&[0, 0, self.message[side], (index * PART) as u32]);
            self.fpdu(side, &[&[if last { 0x41 } else { 1 }, 0x43][..], &header, part].concat());
        }
    }

    /// An NFS READ with a write chunk of so many segments of 16 bytes, one after the other.
    fn reads(&mut self, xid: u32, segments: u32) {
        let mut words = vec![xid, 1, 32, 0, 0, 1, segments];
        words.extend((0..segments).flat_map(|index| [7, 16, 0, 16 * index]));
        words.extend([0, 0, xid, 0, 2, 100_003, 3, 6, 0, 0, 0, 0, 4, 0, 0, 0, 16]);
        self.sends(0, &words);
    }
}

fn big(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_be_bytes()).collect()
}

/// Reads what was said, and calls `look` after every frame.
fn listen(talks: &[Talk], sink: &mut impl Sink, mut look: impl FnMut(&mut Pipeline)) {
    let segments: Vec<_> = talks.iter().flat_map(|talk| talk.segments.iter().cloned()).collect();
    let bytes = pcap(1, &segments);
    let mut reader = CaptureReader::from_reader(Cursor::new(bytes), "calls").unwrap();
    let mut pipeline = Pipeline::default();
    while let Some(frame) = reader.next_frame().unwrap() {
        pipeline.frame(&frame, sink);
        look(&mut pipeline);
    }
    pipeline.finish(sink);
}

fn kept(pipeline: &mut Pipeline) -> usize {
    pipeline.connections().iter().map(|connection| connection.buffered()).sum()
}

/// The XIDs of the I/Os that have no answer.
#[derive(Default)]
struct Unanswered(Vec<u64>);

impl Sink for Unanswered {
    fn item(&mut self, _: &ItemContext<'_>, item: &Item<'_>) {
        if let Item::Io(item) = item
            && item.io().completed.is_none()
        {
            self.0.push(item.io().identifier);
        }
    }
}

/// More calls without replies than are followed: each is an I/O without an answer, once.
#[test]
fn calls_that_are_no_longer_followed_are_told() {
    const CALLS: u32 = 1500;
    let mut talk = Talk::new(1000, true);
    for xid in 0..CALLS {
        talk.sends(0, &[xid, 1, 32, 0, 0, 0, 0, xid, 0, 2, 100_003, 3, 0, 0, 0, 0, 0]);
    }
    let mut unanswered = Unanswered::default();
    listen(&[talk], &mut unanswered, |_| {});
    let all: Vec<u64> = (0..u64::from(CALLS)).collect();
    assert_eq!(unanswered.0, all);
}

/// The chunks of each RPC message, whether it was whole, and whether its call was seen.
#[derive(Default)]
struct Messages(Vec<(usize, bool, bool)>);

impl Sink for Messages {
    fn item(&mut self, _: &ItemContext<'_>, item: &Item<'_>) {
        if let Item::Rpc(rpc) | Item::PlainRpc(rpc) = item {
            self.0.push((rpc.chunks.len(), rpc.whole, rpc.call.is_some()));
        }
    }
}

/// A call with more segments in its chunks than are followed is followed without them, and so is shown
/// incomplete; its reply breaks no rule. Segments that are followed count.
#[test]
fn chunk_segments_stay_bounded() {
    let mut talk = Talk::new(1000, true);
    talk.reads(1, 20_000);
    // What comes back: 16 bytes, which were written into the first segment.
    talk.fpdu(1, &[&[0xc1, 0x40][..], &big(&[7, 0, 0]), &[9; 16]].concat());
    let mut reply = vec![1, 1, 32, 0, 0, 1, 20_000];
    reply.extend((0..20_000).flat_map(|index| [7, if index == 0 { 16 } else { 0 }, 0, 16 * index]));
    reply.extend([0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 16, 1, 16]);
    talk.sends(1, &reply);
    (10..20).for_each(|xid| talk.reads(xid, 16_000));
    let (mut messages, mut judge, mut most) = (Messages::default(), Judge::new(), 0);
    listen(&[talk], &mut [&mut messages as &mut dyn Sink, &mut judge], |pipeline| {
        most = most.max(kept(pipeline));
    });
    assert_eq!(messages.0[..2], [(0, false, true), (0, false, true)]);
    assert_eq!(messages.0[2..], [(16_000, true, true); 10]);
    assert!((1_600_000..6_000_000).contains(&most), "{most} bytes are kept");
    let about: Vec<_> = judge.take().map(|finding| finding.rule.id).collect();
    let about_chunks = ["rpc-returned-unwritten", "rpc-returned-item", "rpc-reply-unknown"];
    assert!(!about.iter().any(|id| about_chunks.contains(id)), "{about:?}");
}

/// Open calls on more connections than all together may keep: those of the last are let go of, and
/// a reply to one is a reply whose call was not seen.
#[test]
fn open_calls_stay_bounded() {
    const CONNECTIONS: u16 = 420;
    const ALL_TOGETHER: usize = 68 << 20;
    let call = |xid| [0x8000_0028, xid, 0, 2, 100_003, 3, 0, 0, 0, 0, 0];
    let calls: Vec<u8> = (0..1024).flat_map(|xid| big(&call(xid))).collect();
    let mut talks: Vec<Talk> = (0..CONNECTIONS).map(|at| Talk::new(1000 + at, false)).collect();
    talks.iter_mut().for_each(|talk| talk.says(0, &calls));
    for talk in [0, usize::from(CONNECTIONS) - 1] {
        talks[talk].says(1, &big(&[0x8000_0018, 5, 1, 0, 0, 0, 0]));
    }
    let (mut messages, mut most) = (Messages::default(), 0);
    listen(&talks, &mut messages, |pipeline| most = most.max(kept(pipeline)));
    assert!((60 << 20..ALL_TOGETHER).contains(&most), "{most} bytes are kept");
    assert_eq!(messages.0[1024], (0, true, true));
    assert_eq!(messages.0.last(), Some(&(0, true, false)));
}
