//! Runs the rules over a capture, whole or with something missing.

use std::path::Path;
use warpscope_dissector::capture::{CaptureReader, Frame};
use warpscope_dissector::pipeline::{Options, Pipeline};
use warpscope_dissector::rules::{Finding, Judge};
use warpscope_traces::noise::Noise;

/// What of a capture is not seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loss {
    Nothing,
    /// The first frames.
    Beginning(u64),
    /// One frame of so many on average, chosen by a seed.
    Frames {
        one_of: u64,
        seed: u64,
    },
    /// What lies after so many bytes of each frame.
    Ends(usize),
    /// Every frame that the second host sends.
    OneDirection,
}

impl Loss {
    /// What the tests take away.
    pub fn all() -> impl Iterator<Item = Self> {
        let beginnings = [1, 2, 3, 4, 5, 6, 7, 9, 20, 101].map(Self::Beginning);
        let frames = (0..12).map(|seed| Self::Frames { one_of: 3 + 7 * seed, seed });
        let ends = [60, 80, 90, 110, 128, 300, 1000].map(Self::Ends);
        beginnings.into_iter().chain(frames).chain(ends).chain([Self::OneDirection])
    }
}

/// The findings in a capture, in order.
pub fn findings(path: &Path) -> Vec<Finding> {
    findings_with(path, Loss::Nothing)
}

/// The findings in a capture of which something is not seen.
pub fn findings_with(path: &Path, loss: Loss) -> Vec<Finding> {
    let mut reader = CaptureReader::open(path).unwrap();
    let (mut pipeline, mut judge) = (Pipeline::new(Options::default()), Judge::new());
    let mut findings = Vec::new();
    let mut noise = Noise::new(match loss {
        Loss::Frames { seed, .. } => seed,
        _ => 0,
    });
    let mut second = None;
    while let Some(frame) = reader.next_frame().unwrap() {
        let mut kept = frame.bytes.len();
        let seen = match loss {
            Loss::Nothing => true,
            Loss::Beginning(count) => frame.number > count,
            Loss::Frames { one_of, .. } => noise.below(one_of) != 0,
            Loss::Ends(bytes) => {
                kept = kept.min(bytes);
                true
            }
            Loss::OneDirection => {
                // The frames that go to where the first one came from, by Ethernet's addresses.
                let to = frame.bytes.first_chunk::<6>().copied();
                let from = frame.bytes.get(6..12).map(<[u8]>::to_vec);
                let second = second.get_or_insert(from);
                second.as_deref() != to.as_ref().map(<[u8; 6]>::as_slice)
            }
        };
        if seen {
            pipeline.frame(&Frame { bytes: &frame.bytes[..kept], ..frame }, &mut judge);
            findings.extend(judge.take());
        }
    }
    pipeline.finish(&mut judge);
    findings.extend(judge.take());
    findings
}
