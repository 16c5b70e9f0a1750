//! Damaged captures: 50 variants of every shipped capture. Nothing panics, the memory kept for later
//! stays bounded, and what cannot be read is told with a message.

use crate::prelude::*;

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
    let mut told = 0;
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
                told += 1;
            } else {
                assert!(frames > 0 || empty, "{name}: nothing read and nothing told");
            }
        }
    }
    assert!(told > 100, "only {told} of the damaged captures were told to be damaged");
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
