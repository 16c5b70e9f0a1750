//! Damaged captures: 50 variants of every shipped capture. Nothing panics, the memory kept for later
//! stays bounded, and what cannot be read is told with a message.

#![allow(clippy::unwrap_used, clippy::panic, reason = "these are tests")]

use std::io::Read as _;
use std::path::{Path, PathBuf};
use warpscope_dissector::capture::CaptureReader;
use warpscope_dissector::dissect::FrameView;
use warpscope_dissector::pipeline::Pipeline;

/// Octets of a capture that are damaged and read.
const PART: usize = 200_000;
const VARIANTS: u64 = 50;
/// What all connections may keep together, and a little for what one frame adds.
const KEPT: usize = 26 << 20;

fn captures() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../traces");
    let mut found: Vec<PathBuf> = ["captures", "synthetic"]
        .iter()
        .filter_map(|folder| std::fs::read_dir(root.join(folder)).ok())
        .flatten()
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.to_string_lossy().contains(".pcap"))
        .collect();
    found.sort();
    assert!(found.len() >= 20, "the captures are not where they should be");
    found
}

fn octets(path: &Path) -> Vec<u8> {
    let file = std::fs::File::open(path).unwrap();
    let mut octets = Vec::new();
    if path.extension().is_some_and(|extension| extension == "zst") {
        let reader = zstd::stream::Decoder::new(file).unwrap();
        reader.take(PART as u64).read_to_end(&mut octets).unwrap();
    } else {
        file.take(PART as u64).read_to_end(&mut octets).unwrap();
    }
    octets
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

/// Damages some octets in one of several ways.
fn damage(octets: &mut Vec<u8>, numbers: &mut Numbers) {
    let times = 1 << numbers.below(8);
    for _ in 0..times {
        let at = numbers.below(octets.len());
        match numbers.below(6) {
            0 => octets[at] ^= 1 << numbers.below(8),
            1 => octets[at] = numbers.next() as u8,
            2 => octets[at] = 0xff,
            3 => {
                let end = (at + numbers.below(8)).min(octets.len());
                octets[at..end].fill(0xff);
            }
            4 => {
                // Only in the second half: the frames before it stay in step.
                let from = octets.len() / 2 + at / 2;
                octets.drain(from..(from + numbers.below(64)).min(octets.len()));
            }
            _ => {
                let from = numbers.below(octets.len());
                let length = numbers.below(64).min(octets.len() - from.max(at));
                octets.copy_within(from..from + length, at);
            }
        }
    }
    if numbers.below(4) == 0 {
        octets.truncate(numbers.below(octets.len()) + 1);
    }
}

fn read(octets: Vec<u8>, name: &str) -> (u64, Option<String>) {
    let mut reader = match CaptureReader::from_reader(std::io::Cursor::new(octets), name) {
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
        assert!(kept <= KEPT, "{name}: {kept} octets kept");
    }
    pipeline.finish(&mut view);
    (reader.frames_read(), problem)
}

#[test]
fn damaged_captures_are_read_as_far_as_they_go() {
    let mut told = 0;
    for path in captures() {
        let whole = octets(&path);
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
