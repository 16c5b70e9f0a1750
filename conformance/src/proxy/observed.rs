//! What was seen of a connection, and the verdict.

use super::cuts::Split;
use super::relay::RelayCounts;
use crate::frames::{Flow, LONGEST, TimedFrame, frame, interface};
use crate::judge::Verdict;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;
use warpscope_dissector::capture::{PacketToWrite, PcapngWriter};
use warpscope_dissector::ladder::{Builder, Ladder, Selection};
use warpscope_dissector::mpa::Side;
use warpscope_dissector::pipeline::{Item, ItemContext, Options, Pipeline, Sink};
use warpscope_dissector::rules::{Finding, Judge, Level, Rule};
use warpscope_text::counted;
use warpscope_wire::rdmap::Message;

/// How a side's direction ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Ending {
    /// It did not end before the run was over or the other side reset the connection.
    #[default]
    Open,
    Finished,
    Reset,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct SideSeen {
    /// Whether it sent a setup frame.
    pub setup: bool,
    /// Whether the setup frame rejects the connection.
    pub(crate) rejects: bool,
    pub(crate) fpdus: u64,
    /// The number of complete RDMAP messages.
    pub messages: u64,
    /// The number of Terminates among them.
    pub terminates: u64,
    /// The number of bytes that could not be understood.
    pub skipped: u64,
    /// How its direction ended.
    pub(crate) ending: Ending,
}

/// A finding of a passive rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Note {
    pub rule: &'static Rule,
    /// The side whose bytes contain it.
    pub side: u8,
    /// The side at fault, if known.
    pub(crate) at_fault: Option<u8>,
    /// The frame number in the capture, from 1.
    pub frame: u64,
    /// What was seen and what was expected.
    pub explanation: String,
}

impl Note {
    /// Returns the side at fault, in words. If it is not known (bytes may have been damaged on the way),
    /// returns the side that the bytes are from.
    fn blamed(&self) -> String {
        match self.at_fault {
            Some(side) => format!("{} is at fault", side_text(side)),
            None => format!("bytes from {}, fault unclear", side_text(self.side)),
        }
    }
}

/// What was seen of a connection.
#[derive(Debug, Clone)]
pub struct Observed {
    /// Its number in the run.
    pub number: u64,
    /// The addresses of the side that connected and of the target.
    pub ends: [SocketAddr; 2],
    /// What was seen of each side.
    pub(crate) sides: [SideSeen; 2],
    /// What was done to the bytes of each side.
    pub(crate) counts: [RelayCounts; 2],
    /// The first few findings of each rule about each side.
    pub(crate) notes: Vec<Note>,
    /// The number of findings about requirements (MUST).
    pub must: u64,
    /// The number of findings about recommendations (SHOULD).
    pub should: u64,
    /// The number of frames in the capture.
    pub frames: u64,
    /// The beginning of the conversation.
    pub ladder: Option<Ladder>,
    /// The file of its capture, if it is kept.
    pub capture: Option<PathBuf>,
    /// How long it lasted.
    pub took: Duration,
    /// Why nothing was relayed: the target could not be reached.
    pub(crate) unreached: Option<String>,
    /// Whether the run ended while the connection was open.
    pub(crate) cut_short: bool,
}

pub(super) fn side_text(side: u8) -> &'static str {
    if side == 0 { "the connecting side" } else { "the target" }
}

impl Observed {
    /// Returns a connection on which nothing was relayed, with the reason.
    pub(crate) fn unreached(number: u64, ends: [SocketAddr; 2], why: String) -> Self {
        Self {
            number,
            ends,
            sides: Default::default(),
            counts: Default::default(),
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

    /// Returns the id of the connection in reports: `proxy[connection=1]`.
    pub fn id(&self) -> String {
        format!("proxy[connection={}]", self.number)
    }

    /// Returns the sides that broke a requirement (MUST), as far as this is known.
    pub(crate) fn at_fault(&self) -> Vec<u8> {
        let must = |note: &&Note| note.rule.level == Level::Must;
        let mut sides: Vec<u8> =
            self.notes.iter().filter(must).filter_map(|note| note.at_fault).collect();
        sides.sort_unstable();
        sides.dedup();
        sides
    }

    /// Returns the verdict and its reason: a broken requirement is a failure, an ignored recommendation is
    /// for those who ask for strictness, and nothing can be said of a connection without MPA.
    pub fn verdict(&self) -> (Verdict, Option<String>) {
        if let Some(why) = &self.unreached {
            return (Verdict::Inconclusive, Some(why.clone()));
        }
        let [first, second] = &self.sides;
        let spoke = |side: &SideSeen| side.setup || side.fpdus > 0;
        if !spoke(first) && !spoke(second) {
            let silent = self.counts.iter().all(|counts| counts.bytes == 0);
            let why = if silent {
                "neither side sent anything"
            } else {
                "neither side speaks MPA: no setup frame or FPDU was seen"
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
                let (silent, speaks) = (side_text(side), side_text(1 - side));
                let why =
                    format!("{speaks} sent a setup frame, but {silent} did not answer with one");
                return (Verdict::Inconclusive, Some(why));
            }
        }
        (Verdict::Pass, None)
    }

    /// Returns the names of what is wrong, which are the same for all connections.
    pub fn causes(&self) -> Vec<String> {
        let (verdict, reason) = self.verdict();
        let level = match verdict {
            Verdict::Fail => Level::Must,
            Verdict::StrictOnly => Level::Should,
            _ => return reason.into_iter().collect(),
        };
        let mut causes = Vec::new();
        for Note { rule, .. } in self.notes.iter().filter(|note| note.rule.level == level) {
            let cause = rule.broken();
            if !causes.contains(&cause) {
                causes.push(cause);
            }
        }
        causes
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
        let (rule, section) = (note.rule.id, note.rule.section());
        format!("{who}: rule {rule} ({section}): {} (frame {}){more}", note.explanation, note.frame)
    }

    /// Describes what was done to what each side sent, one line per side.
    pub fn relayed(&self) -> Vec<String> {
        let [first, second] = &self.counts;
        [(0, first), (1, second)]
            .into_iter()
            .map(|(side, counts)| format!("from {}: {}", self.named(side), counts.describe()))
            .collect()
    }

    /// Describes what each side sent and how it ended, then the findings, one per line.
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
        format!("{} {}", side_text(side), if side == 0 { first } else { second })
    }
}

impl SideSeen {
    fn describe(&self) -> String {
        let setup = match (self.setup, self.rejects) {
            (true, true) => "a setup frame that rejects",
            (true, false) => "a setup frame",
            (false, _) => "no setup frame",
        };
        let (fpdus, messages) = (counted(self.fpdus, "FPDU"), counted(self.messages, "message"));
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

/// The maximum number of ladder rows that are kept, from the beginning of the conversation.
const ROWS: usize = 200;
/// The number of findings of a rule about a side that are kept. The others are only counted.
const KEPT: u64 = 5;

/// Collects what the stages report, and keeps a bounded part of it.
#[derive(Debug)]
pub(super) struct ObservedItems {
    judge: Judge,
    builder: Builder,
    pub(super) sides: [SideSeen; 2],
    pub(super) notes: Vec<Note>,
    /// How many findings there are of a rule with this side at fault.
    by_fault: BTreeMap<(&'static str, Option<u8>), u64>,
    pub(super) must: u64,
    pub(super) should: u64,
}

impl ObservedItems {
    pub(super) fn new() -> Self {
        let frames = 0..=u64::MAX;
        Self {
            judge: Judge::new(),
            builder: Builder::new(Selection { connection: 0, frames, most: ROWS }),
            sides: Default::default(),
            notes: Vec::new(),
            by_fault: BTreeMap::new(),
            must: 0,
            should: 0,
        }
    }

    /// Collects the findings since the last call.
    pub(super) fn judged(&mut self) {
        for finding in self.judge.take() {
            match finding.rule.level {
                Level::Must => self.must += 1,
                Level::Should => self.should += 1,
            }
            let note = note(&finding);
            let count = self.by_fault.entry((note.rule.id, note.at_fault)).or_default();
            *count += 1;
            if *count <= KEPT {
                self.notes.push(note);
            }
        }
    }

    pub(super) fn ladder(self) -> Option<Ladder> {
        self.builder.finish()
    }
}

fn note(finding: &Finding) -> Note {
    Note {
        rule: finding.rule,
        side: finding.place.side.0,
        at_fault: finding.at_fault.map(|side| side.0),
        frame: finding.place.frame,
        explanation: finding.explanation.clone(),
    }
}

impl Sink for ObservedItems {
    fn pass_on(&mut self, to: &mut dyn FnMut(&mut dyn Sink)) {
        to(&mut self.judge);
        to(&mut self.builder);
    }

    fn item(&mut self, context: &ItemContext<'_>, item: &Item<'_>) {
        self.pass_on(&mut |sink| sink.item(context, item));
        let [first, second] = &mut self.sides;
        let side = if context.side == Side(0) { first } else { second };
        match item {
            Item::Setup(setup) => {
                side.setup = true;
                side.rejects |= setup.view.header.rejected();
            }
            Item::Segment(segment) => {
                side.fpdus += 1;
                let whole = segment.completed.is_some();
                side.messages += u64::from(whole);
                side.terminates += u64::from(whole && segment.message == Some(Message::Terminate));
            }
            Item::Skipped(skipped) => side.skipped += skipped.length,
            Item::Operation(_) | Item::Rpc(_) | Item::PlainRpc(_) | Item::Ulp(_) | Item::Io(_) => {}
        }
    }
}

/// Observes what passes on a connection. Times are nanoseconds since 1970. A byte is seen when its sender
/// sends it. It counts as acknowledged only after it has been relayed to the other side.
#[derive(Debug)]
pub(crate) struct Witness<W> {
    ends: [SocketAddr; 2],
    flow: Flow,
    pipeline: Pipeline,
    seen: ObservedItems,
    /// Indexed by the sending side.
    splits: [Split; 2],
    endings: [Ending; 2],
    capture: Option<PcapngWriter<W>>,
    frames: u64,
}

/// Returns a writer of a capture without packets yet.
pub(crate) fn capture_writer<W: Write>(out: W, application: &str) -> io::Result<PcapngWriter<W>> {
    let mut writer = PcapngWriter::new(out);
    writer.section(std::env::consts::OS, application)?;
    writer.interface(&interface("conform"), 9, None)?;
    Ok(writer)
}

impl<W: Write> Witness<W> {
    /// Records that a connection was opened between these ends, by the first.
    pub(crate) fn opened(
        time: i64,
        ends: [SocketAddr; 2],
        capture: Option<PcapngWriter<W>>,
    ) -> io::Result<Self> {
        // The user says that it is iWARP, however it begins.
        let mut options = Options::default();
        options.ports.insert(ends[1].port(), true);
        let mut witness = Self {
            ends,
            flow: Flow::new(ends, 0),
            pipeline: Pipeline::new(options),
            seen: ObservedItems::new(),
            splits: Default::default(),
            endings: [Ending::Open; 2],
            capture,
            frames: 0,
        };
        for made in witness.flow.opened(time, 0) {
            witness.take(&made)?;
        }
        Ok(witness)
    }

    /// Records bytes that a side sent.
    pub(crate) fn bytes(&mut self, time: i64, from: u8, bytes: &[u8]) -> io::Result<()> {
        let [first, second] = &mut self.splits;
        let (mine, theirs) = if from == 0 { (first, second) } else { (second, first) };
        let pieces = mine.pieces(bytes, theirs.wants_markers());
        for piece in pieces.into_iter().flat_map(|piece| piece.chunks(LONGEST)) {
            let made = self.flow.bytes(time, usize::from(from), piece);
            made.map_or(Ok(()), |made| self.take(&made))?;
        }
        Ok(())
    }

    /// Records that bytes of the other side were relayed to this one. A FIN counts as one.
    pub(crate) fn arrived(&mut self, side: u8, bytes: usize) {
        self.flow.arrived(usize::from(side), bytes);
    }

    /// Records that a side closed its direction.
    pub(crate) fn finished(&mut self, time: i64, from: u8) -> io::Result<()> {
        self.ends_with(from, Ending::Finished);
        self.flow.finished(time, usize::from(from)).map_or(Ok(()), |made| self.take(&made))
    }

    /// Records that a side reset the connection, or was lost.
    pub(crate) fn reset(&mut self, time: i64, from: u8) -> io::Result<()> {
        self.ends_with(from, Ending::Reset);
        self.flow.reset(time, usize::from(from)).map_or(Ok(()), |made| self.take(&made))
    }

    fn ends_with(&mut self, from: u8, ending: Ending) {
        if let Some(place) = self.endings.get_mut(usize::from(from)) {
            *place = ending;
        }
    }

    fn take(&mut self, made: &TimedFrame) -> io::Result<()> {
        let (time, bytes) = made;
        self.pipeline.frame(&frame(self.frames, *time, bytes), &mut self.seen);
        self.frames += 1;
        self.seen.judged();
        let Some(capture) = &mut self.capture else { return Ok(()) };
        let original_length = bytes.len() as u32;
        let packet = PacketToWrite { interface: 0, time: *time, bytes, original_length };
        capture.packet(&packet, &[])
    }

    /// Flushes the capture, so that it can be read in the meantime.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        self.capture.as_mut().map_or(Ok(()), PcapngWriter::flush)
    }

    /// Ends the connection, and returns what was seen of it with what was done to it.
    pub(crate) fn end(mut self, number: u64, counts: [RelayCounts; 2]) -> io::Result<Observed> {
        self.flush()?;
        self.pipeline.finish(&mut self.seen);
        self.seen.judged();
        let mut sides = self.seen.sides.clone();
        for (side, ending) in sides.iter_mut().zip(self.endings) {
            side.ending = ending;
        }
        Ok(Observed {
            number,
            ends: self.ends,
            sides,
            counts,
            notes: std::mem::take(&mut self.seen.notes),
            must: self.seen.must,
            should: self.seen.should,
            frames: self.frames,
            ladder: self.seen.ladder(),
            ..Observed::unreached(number, self.ends, String::new())
        })
    }
}
