//! What was transferred on the connections of an instance, and its capture: the frames that a loss-free
//! network would have carried, their contents, and what the passive rules find in them.

use crate::frames::{Flow, LONGEST, TimedFrame, frame};
use crate::judge::{Difference, place_of};
use crate::proxy::capture_writer;
use std::collections::HashMap;
use std::io::{self, Write};
use std::net::SocketAddr;
use std::time::SystemTime;
use warpscope_dissector::capture::PacketToWrite;
use warpscope_dissector::dissect::FrameView;
use warpscope_dissector::ladder::{Builder, Ladder, Selection};
use warpscope_dissector::pipeline::{Item, ItemContext, Options, Pipeline, Sink};
use warpscope_dissector::rules::{Finding, Judge, Place};

/// One line for a frame of the capture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TranscriptLine {
    /// Its number in the capture, from 1.
    pub frame: u64,
    /// Nanoseconds since the first frame.
    pub time: i64,
    /// Whether the runner sent it.
    pub sent: bool,
    /// The number of bytes of the stream in it.
    pub bytes: usize,
    /// Whether it ends the stream: FIN or RST.
    pub ends: bool,
    /// Its contents in words, as in `dissect`.
    pub words: String,
}

/// What was transferred on the connections of an instance, as frames with made-up headers up to TCP's.
#[derive(Debug, Clone, Default)]
pub struct Evidence {
    frames: Vec<TimedFrame>,
    /// The address of the target for each connection, by number.
    targets: Vec<SocketAddr>,
    ended_unheard: bool,
}

impl Evidence {
    pub(super) fn new(transcript: &Transcript, targets: Vec<SocketAddr>) -> Self {
        Self { frames: transcript.frames(), targets, ended_unheard: transcript.ended_unheard() }
    }

    /// Returns the number of frames.
    pub fn frames(&self) -> usize {
        self.frames.len()
    }

    /// Whether the target ended a connection without having sent anything on it.
    pub(super) fn ended_unheard(&self) -> bool {
        self.ended_unheard
    }

    fn options(&self) -> Options {
        let mut options = Options::default();
        options.ports.extend(self.targets.iter().map(|target| (target.port(), true)));
        options
    }

    fn feed(&self, sink: &mut dyn Sink, mut after: impl FnMut(&mut dyn Sink, usize)) {
        let mut pipeline = Pipeline::new(self.options());
        for (index, (time, bytes)) in self.frames.iter().enumerate() {
            pipeline.frame(&frame(index as u64, *time, bytes), sink);
            after(sink, index);
        }
        pipeline.finish(sink);
    }

    /// Returns a line for each frame.
    pub fn transcript(&self) -> Vec<TranscriptLine> {
        let mut view = FrameView::new(false, true);
        let mut pipeline = Pipeline::new(self.options());
        let first = self.frames.first().map_or(0, |(time, _)| *time);
        let mut lines = Vec::new();
        for (index, (time, bytes)) in self.frames.iter().enumerate() {
            pipeline.frame(&frame(index as u64, *time, bytes), &mut view);
            let (carried, ends) = of_stream(bytes);
            lines.push(TranscriptLine {
                frame: index as u64 + 1,
                time: time - first,
                sent: self.sent(bytes),
                bytes: carried,
                ends,
                words: view.line.info.clone(),
            });
        }
        pipeline.finish(&mut view);
        lines
    }

    /// Whether the runner sent a frame, according to its source hardware address.
    fn sent(&self, bytes: &[u8]) -> bool {
        bytes.get(11) == Some(&1)
    }

    /// Returns the certain findings of the passive rules in the target's bytes, and those in the runner's
    /// bytes. The latter include a wrong CRC, which a network can cause too: there it is the runner's.
    pub fn findings(&self) -> (Vec<Finding>, Vec<Finding>) {
        let mut judge = Judge::new();
        self.feed(&mut judge, |_, _| {});
        let target = |finding: &Finding| {
            let place = finding.place;
            let end = place.connection.ends[place.side.index()];
            self.targets.iter().any(|it| (it.ip(), it.port()) == (end.address, end.port))
        };
        let (mut theirs, ours): (Vec<_>, Vec<_>) = judge.take().partition(target);
        theirs.retain(|finding| finding.at_fault == Some(finding.place.side));
        (theirs, ours)
    }

    /// Returns the FPDU or setup frame that a finding is about, with the field marked.
    pub(super) fn bytes_of(&self, finding: &Finding, how: &str) -> Option<Difference> {
        let mut wanted = ItemBytes { place: finding.place, found: None };
        self.feed(&mut wanted, |_, _| {});
        let (name, bytes) = wanted.found?;
        let marked: Vec<_> = place_of(finding.rule.id, &bytes).into_iter().collect();
        Some(Difference::at(format!("{name}, {how}"), &bytes, &marked))
    }

    /// Returns the ladder of a connection, by its number in the capture, from 0.
    pub fn ladder(&self, connection: u32) -> Option<Ladder> {
        let frames = 0..=u64::MAX;
        let mut builder = Builder::new(Selection { connection, frames, most: 1_000 });
        self.feed(&mut builder, |_, _| {});
        builder.finish()
    }

    /// Writes the capture as pcapng.
    pub fn write(&self, out: impl Write, application: &str) -> io::Result<()> {
        let mut writer = capture_writer(out, application)?;
        for (time, bytes) in &self.frames {
            let original_length = bytes.len() as u32;
            let packet = PacketToWrite { interface: 0, time: *time, bytes, original_length };
            writer.packet(&packet, &[])?;
        }
        writer.flush()
    }
}

/// Keeps the name and bytes of the item at a place.
struct ItemBytes {
    place: Place,
    found: Option<(&'static str, Vec<u8>)>,
}

impl Sink for ItemBytes {
    fn item(&mut self, context: &ItemContext<'_>, item: &Item<'_>) {
        let (offset, name, bytes) = match item {
            Item::Setup(setup) => (setup.stream_offset, "Setup frame", setup.bytes),
            Item::Segment(segment) => {
                let name = segment.message.map_or("FPDU", |message| message.info().name);
                (segment.fpdu.stream_offset, name, segment.fpdu.bytes)
            }
            _ => return,
        };
        let of = (context.connection.number, context.side, Some(offset));
        if of == (self.place.connection.number, self.place.side, self.place.stream_offset) {
            self.found = Some((name, bytes.to_vec()));
        }
    }
}

/// Returns the number of stream bytes in a frame that was made here, and whether it ends the stream.
fn of_stream(frame: &[u8]) -> (usize, bool) {
    let sliced = etherparse::SlicedPacket::from_ethernet(frame).ok();
    match sliced.and_then(|it| it.transport) {
        Some(etherparse::TransportSlice::Tcp(tcp)) => (tcp.payload().len(), tcp.fin() || tcp.rst()),
        _ => (0, false),
    }
}

/// What happened on a connection.
#[derive(Debug, Clone)]
pub(super) enum Event {
    /// The addresses of this side and of the target, and whether this side opened the connection.
    Opened([SocketAddr; 2], bool),
    Bytes(Vec<u8>),
    Finished,
    Reset,
}

/// What was transferred on the connections of an instance.
#[derive(Debug, Default)]
pub(super) struct Transcript {
    entries: Vec<(SystemTime, u64, bool, Event)>,
}

impl Transcript {
    /// Adds an event; `sent` if it was caused by this side.
    pub(super) fn add(&mut self, at: SystemTime, connection: u64, sent: bool, what: Event) {
        self.entries.push((at, connection, sent, what));
    }

    /// Returns the number of bytes that the target sent.
    pub(super) fn heard(&self) -> usize {
        let of = |what: &Event| if let Event::Bytes(bytes) = what { bytes.len() } else { 0 };
        self.entries.iter().filter(|(_, _, sent, _)| !sent).map(|(.., what)| of(what)).sum()
    }

    /// Forgets everything in a flood after this number of bytes.
    pub(super) fn cut(&mut self, mut most: usize) {
        self.entries.retain(|(.., what)| {
            let length = if let Event::Bytes(bytes) = what { bytes.len() } else { 0 };
            most = most.saturating_sub(length);
            most > 0
        });
        self.entries.shrink_to_fit();
    }

    fn ended_unheard(&self) -> bool {
        let of_target = || self.entries.iter().filter(|(_, _, sent, _)| !sent);
        let heard = |on: u64| {
            of_target().any(|(_, from, _, what)| *from == on && matches!(what, Event::Bytes(_)))
        };
        let mut ends =
            of_target().filter(|entry| matches!(entry.3, Event::Finished | Event::Reset));
        ends.any(|entry| !heard(entry.1))
    }

    /// Returns the frames, in the order of their times.
    pub(super) fn frames(&self) -> Vec<TimedFrame> {
        let mut entries: Vec<_> = self.entries.iter().collect();
        entries.sort_by_key(|entry| entry.0);
        let mut flows: HashMap<u64, (Flow, bool)> = HashMap::new();
        let mut out = Vec::new();
        for (at, connection, sent, what) in entries {
            let since = at.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
            let time = since.as_nanos() as i64;
            if let Event::Opened(ends, opened) = what {
                let mut flow = Flow::new(*ends, *connection);
                out.extend(flow.opened(time, usize::from(!*opened)));
                flows.insert(*connection, (flow, false));
                continue;
            }
            let Some((flow, over)) = flows.get_mut(connection).filter(|(_, over)| !over) else {
                continue;
            };
            let side = usize::from(!sent);
            flow.all_arrived();
            match what {
                Event::Bytes(bytes) => {
                    for piece in bytes.chunks(LONGEST) {
                        out.extend(flow.bytes(time, side, piece));
                    }
                }
                Event::Finished => out.extend(flow.finished(time, side)),
                Event::Reset => {
                    out.extend(flow.reset(time, side));
                    *over = true;
                }
                Event::Opened(..) => {}
            }
        }
        out
    }
}
