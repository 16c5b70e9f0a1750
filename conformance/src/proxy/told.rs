//! What was done to a direction, counted.

use super::impairment::Impairment;
use std::time::Duration;

/// What was done to a direction.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Told {
    /// Bytes that were taken in.
    pub bytes: u64,
    /// Pieces that they went out in.
    pub pieces: u64,
    /// How often each impairment was used, by its place in [`Impairment::ALL`].
    pub used: [u64; Impairment::ALL.len()],
    /// What the pauses come to, rests behind cuts not counted.
    pub paused: Duration,
}

/// So many of these: `1 byte`, `2 bytes`.
pub(super) fn plural(count: u64, word: &str) -> String {
    match count {
        1 => format!("1 {word}"),
        many => format!("{many} {word}s"),
    }
}

impl Told {
    pub(super) fn count(&mut self, impairment: Impairment) {
        let place = Impairment::ALL.iter().position(|it| *it == impairment);
        if let Some(count) = place.and_then(|place| self.used.get_mut(place)) {
            *count += 1;
        }
    }

    /// How often this impairment was used.
    pub fn used(&self, impairment: Impairment) -> u64 {
        let place = Impairment::ALL.iter().position(|it| *it == impairment);
        place.and_then(|place| self.used.get(place)).copied().unwrap_or(0)
    }

    /// What was done, in words: `4096 bytes in 31 pieces; 9 cuts within a header`.
    pub fn describe(&self) -> String {
        let mut words =
            format!("{} in {}", plural(self.bytes, "byte"), plural(self.pieces, "piece"));
        for impairment in Impairment::ALL {
            let times = self.used(impairment);
            if times == 0 {
                continue;
            }
            let more = match impairment {
                Impairment::Delays => {
                    format!("{} of {:?} in all", plural(times, "pause"), self.paused)
                }
                Impairment::Coalesce => format!("{} of joined units", plural(times, "piece")),
                Impairment::OneByte => format!("{} byte by byte", plural(times, "unit")),
                cut => format!("{} {}", plural(times, "cut"), cut.describe()),
            };
            words.push_str(if words.contains(';') { ", " } else { "; " });
            words.push_str(&more);
        }
        words
    }
}
