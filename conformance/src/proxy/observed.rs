//! What was seen of a connection, and the verdict.

use super::told::{Told, plural};
use crate::judge::Verdict;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;
use warpscope_dissector::ladder::Ladder;
use warpscope_dissector::rules::{Level, Rule};

/// How a side's direction ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Ending {
    /// It did not, before the run was over or the other side reset the connection.
    #[default]
    Open,
    /// In good order.
    Finished,
    /// With a reset.
    Reset,
}

/// What was seen of a side.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SideSeen {
    /// Whether it sent a setup frame.
    pub setup: bool,
    /// Whether that rejects the connection.
    pub rejects: bool,
    /// FPDUs.
    pub fpdus: u64,
    /// RDMAP messages that were complete.
    pub messages: u64,
    /// Terminates among them.
    pub terminates: u64,
    /// Bytes that could not be understood.
    pub skipped: u64,
    /// How its direction ended.
    pub ending: Ending,
}

/// A finding of a passive rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// The rule.
    pub rule: &'static Rule,
    /// The side whose bytes it is in.
    pub side: u8,
    /// The side at fault, where that can be told.
    pub at_fault: Option<u8>,
    /// The frame of the capture, from 1.
    pub frame: u64,
    /// What was seen and what was due.
    pub explanation: String,
}

impl Note {
    /// Who is at fault, in words. Where that cannot be told (bytes may have been damaged on the way),
    /// whose bytes they are.
    fn blamed(&self) -> String {
        match self.at_fault {
            Some(side) => format!("{} is at fault", side_words(side)),
            None => format!("bytes from {}, fault unclear", side_words(self.side)),
        }
    }
}

/// What was seen of a connection.
#[derive(Debug, Clone)]
pub struct Observed {
    /// Its number in the run.
    pub number: u64,
    /// The side that connected, and the target.
    pub ends: [SocketAddr; 2],
    /// What was seen of both.
    pub sides: [SideSeen; 2],
    /// What was done to what they sent.
    pub told: [Told; 2],
    /// The findings; of each rule the first few.
    pub notes: Vec<Note>,
    /// All findings of requirements (MUST).
    pub must: u64,
    /// All findings of recommendations (SHOULD).
    pub should: u64,
    /// Frames of the capture.
    pub frames: u64,
    /// The beginning of the conversation.
    pub ladder: Option<Ladder>,
    /// The file of its capture, where one is kept.
    pub capture: Option<PathBuf>,
    /// How long it lasted.
    pub took: Duration,
    /// Why nothing was relayed: the target could not be reached.
    pub unreached: Option<String>,
    /// Whether the run ended while it was open.
    pub cut_short: bool,
}

/// The words for a side.
pub(super) fn side_words(side: u8) -> &'static str {
    if side == 0 { "the connecting side" } else { "the target" }
}

impl Observed {
    /// A connection of which nothing was relayed, with the reason.
    pub fn unreached(number: u64, ends: [SocketAddr; 2], why: String) -> Self {
        Self {
            number,
            ends,
            sides: Default::default(),
            told: Default::default(),
            notes: Vec::new(),
            must: 0,
            should: 0,
            frames: 0,
            ladder: None,
            capture: None,
            took: Duration::ZERO,
            unreached: Some(why).filter(|why| !why.is_empty()),
            cut_short: false,
        }
    }

    /// The id of the connection in reports: `proxy[connection=1]`.
    pub fn id(&self) -> String {
        format!("proxy[connection={}]", self.number)
    }

    /// The sides that broke a requirement (MUST), as far as that can be told.
    pub fn at_fault(&self) -> Vec<u8> {
        let must = |note: &&Note| note.rule.level == Level::Must;
        let mut sides: Vec<u8> =
            self.notes.iter().filter(must).filter_map(|note| note.at_fault).collect();
        sides.sort_unstable();
        sides.dedup();
        sides
    }

    /// The verdict and its reason: a broken requirement fails it, a recommendation that was not followed is for those
    /// who ask for strictness, and of a connection without MPA nothing can be said.
    pub fn verdict(&self) -> (Verdict, Option<String>) {
        if let Some(why) = &self.unreached {
            return (Verdict::Inconclusive, Some(why.clone()));
        }
        let [first, second] = &self.sides;
        let spoke = |side: &SideSeen| side.setup || side.fpdus > 0;
        if !spoke(first) && !spoke(second) {
            let silent = self.told.iter().all(|told| told.bytes == 0);
            let why = if silent {
                "neither side sent anything"
            } else {
                "neither side speaks MPA: no setup frame and no FPDU passed"
            };
            return (Verdict::Inconclusive, Some(why.to_owned()));
        }
        let worst = self.notes.iter().find(|note| note.rule.level == Level::Must);
        if let Some(note) = worst {
            return (Verdict::Fail, Some(self.describe(note, self.must)));
        }
        if let Some(note) = self.notes.first() {
            return (Verdict::StrictOnly, Some(self.describe(note, self.should)));
        }
        for side in [0, 1] {
            let (mine, spoken) = if side == 0 { (first, second) } else { (second, first) };
            if !spoke(mine) && spoke(spoken) {
                let (silent, speaks) = (side_words(side), side_words(1 - side));
                let why = format!("{speaks} sent a setup frame, and {silent} answered with none");
                return (Verdict::Inconclusive, Some(why));
            }
        }
        (Verdict::Pass, None)
    }

    fn describe(&self, note: &Note, of_level: u64) -> String {
        let who = match self.at_fault().as_slice() {
            [0, 1] => "both sides are at fault".to_owned(),
            _ => note.blamed(),
        };
        let more = match of_level.saturating_sub(1) {
            0 => String::new(),
            1 => ", and 1 more finding".to_owned(),
            many => format!(", and {many} more findings"),
        };
        format!(
            "{who}: rule {} ({}): {} (frame {}){more}",
            note.rule.id, note.rule.section, note.explanation, note.frame
        )
    }

    /// What was done to what each side sent, a line a side.
    pub fn relayed(&self) -> Vec<String> {
        let [first, second] = &self.told;
        [(0, first), (1, second)]
            .into_iter()
            .map(|(side, told)| format!("from {}: {}", self.named(side), told.describe()))
            .collect()
    }

    /// What each side sent and how it ended, then the findings, a line each.
    pub fn came(&self) -> Vec<String> {
        let [first, second] = &self.sides;
        let mut lines: Vec<String> = [(0, first), (1, second)]
            .into_iter()
            .map(|(side, seen)| format!("{}: {}", self.named(side), seen.describe()))
            .collect();
        if self.cut_short {
            lines.push("the run ended while the connection was open".to_owned());
        }
        lines.extend(self.notes.iter().map(|note| {
            let (rule, frame) = (note.rule.id, note.frame);
            format!("rule {rule}, frame {frame}, {}: {}", note.blamed(), note.explanation)
        }));
        let more = (self.must + self.should).saturating_sub(self.notes.len() as u64);
        if more > 0 {
            lines.push(format!("and {more} more findings of these rules"));
        }
        lines
    }

    fn named(&self, side: u8) -> String {
        let [first, second] = &self.ends;
        format!("{} {}", side_words(side), if side == 0 { first } else { second })
    }
}

impl SideSeen {
    fn describe(&self) -> String {
        let setup = match (self.setup, self.rejects) {
            (true, true) => "a setup frame that rejects",
            (true, false) => "a setup frame",
            (false, _) => "no setup frame",
        };
        let (fpdus, messages) = (plural(self.fpdus, "FPDU"), plural(self.messages, "message"));
        let mut words = format!("{setup}, {fpdus}, {messages}");
        if self.terminates > 0 {
            words.push_str(", a Terminate");
        }
        if self.skipped > 0 {
            words.push_str(&format!(", {} bytes not understood", self.skipped));
        }
        words.push_str(match self.ending {
            Ending::Open => "; open to the end",
            Ending::Finished => "; closed in good order",
            Ending::Reset => "; reset",
        });
        words
    }
}
