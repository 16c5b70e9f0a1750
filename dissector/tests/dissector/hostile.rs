//! Damaged captures: 50 variants of every shipped capture. Nothing panics, the memory kept for later
//! stays bounded, and what cannot be read is told with a message.

use crate::support::captures::captures;
use std::io::Read as _;
use std::path::Path;
use warpscope_dissector::capture::CaptureReader;
use warpscope_dissector::dissect::FrameView;
use warpscope_dissector::pipeline::Pipeline;

/// Bytes of a capture that are damaged and read.
const PART: usize = 200_000;
const VARIANTS: u64 = 50;
/// What all connections may keep together, and a little for what one frame adds.
const KEPT: usize = 26 << 20;

fn bytes(path: &Path) -> Vec<u8> {
    let file = std::fs::File::open(path).unwrap();
    let mut bytes = Vec::new();
    if path.extension().is_some_and(|extension| extension == "zst") {
        let reader = zstd::stream::Decoder::new(file).unwrap();
        reader.take(PART as u64).read_to_end(&mut bytes).unwrap();
    } else {
        file.take(PART as u64).read_to_end(&mut bytes).unwrap();
    }
    bytes
}

/// A small generator of numbers that look random: the same every time.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }
}

/// Damages some bytes in one of several ways.
fn damage(bytes: &mut Vec<u8>, numbers: &mut Numbers) {
    let times = 1 << numbers.below(8);
    for _ in 0..times {
        let at = numbers.below(bytes.len());
        match numbers.below(6) {
            0 => bytes[at] ^= 1 << numbers.below(8),
            1 => bytes[at] = numbers.next() as u8,
            2 => bytes[at] = 0xff,
            3 => {
                let end = (at + numbers.below(8)).min(bytes.len());
                bytes[at..end].fill(0xff);
            }
            4 => {
                // Only in the second half: the frames before it stay in step.
                let from = bytes.len() / 2 + at / 2;
                bytes.drain(from..(from + numbers.below(64)).min(bytes.len()));
            }
            _ => {
                let from = numbers.below(bytes.len());
                let length = numbers.below(64).min(bytes.len() - from.max(at));
                bytes.copy_within(from..from + length, at);
            }
        }
    }
    if numbers.below(4) == 0 {
        bytes.truncate(numbers.below(bytes.len()) + 1);
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
    let mut told = 0;
    for path in captures(&["captures", "synthetic"]) {
        let whole = bytes(&path);
        for variant in 0..VARIANTS {
            let mut numbers = Numbers(variant * 0x9e37_79b9 + whole.len() as u64 + 1);
            let mut damaged = whole.clone();
            damage(&mut damaged, &mut numbers);
            let name = format!("{} variant {variant}", path.display());
            let (frames, problem) = read(damaged, &name);
            if let Some(problem) = problem {
                assert!(problem.contains(&name), "the message names no file: {problem}");
                assert!(problem.len() > name.len() + 10, "the message says nothing: {problem}");
                told += 1;
            } else {
                assert!(frames > 0, "{name}: nothing read and nothing told");
            }
        }
    }
    assert!(told > 100, "only {told} of the damaged captures were told to be damaged");
}

#[test]
fn garbage_is_told_to_be_garbage() {
    let mut numbers = Numbers(42);
    for length in [1usize, 3, 4, 23, 24, 100, 5000] {
        let garbage: Vec<u8> = (0..length).map(|_| numbers.next() as u8).collect();
        let (frames, problem) = read(garbage, "garbage");
        assert_eq!(frames, 0);
        assert!(problem.is_some_and(|problem| problem.contains("garbage")));
    }
}

/// A TCP segment in an Ethernet frame of a pcap file; `ends` are the last bytes of the addresses.
fn frame(ends: [u8; 2], ports: [u16; 2], sequence: u32, flags: u8, payload: &[u8]) -> Vec<u8> {
    let mut tcp = [ports[0].to_be_bytes(), ports[1].to_be_bytes()].concat();
    tcp.extend(sequence.to_be_bytes());
    tcp.extend([0, 0, 0, 0, 0x50, flags, 0xff, 0xff, 0, 0, 0, 0]);
    let total = (20 + tcp.len() + payload.len()) as u16;
    let mut bytes = [[0; 12].as_slice(), &[8, 0, 0x45, 0], &total.to_be_bytes()].concat();
    bytes.extend([0, 0, 0, 0, 64, 6, 0, 0, 10, 0, 0, ends[0], 10, 0, 0, ends[1]]);
    bytes.extend(tcp);
    bytes.extend(payload);
    let length = (bytes.len() as u32).to_le_bytes();
    [[0; 8].as_slice(), &length, &length, &bytes].concat()
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
    let mut bytes = vec![0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    bytes.extend([0xff, 0xff, 0, 0, 1, 0, 0, 0]);
    for port in 1000..1000 + CONNECTIONS {
        let setup = |key: &[u8]| [key, &[0, 1, 0, 0]].concat();
        bytes.extend(frame([1, 2], [port, 7], 0, 2, &[]));
        bytes.extend(frame([2, 1], [7, port], 0, 2, &[]));
        bytes.extend(frame([1, 2], [port, 7], 1, 24, &setup(b"MPA ID Req Frame")));
        bytes.extend(frame([2, 1], [7, port], 1, 24, &setup(b"MPA ID Rep Frame")));
        for group in 0..660 {
            let requests: Vec<u8> = (1..=25).flat_map(|n| read_request(group * 25 + n)).collect();
            let sequence = 21 + group * 25 * 52;
            bytes.extend(frame([1, 2], [port, 7], sequence, 24, &requests));
        }
    }
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
