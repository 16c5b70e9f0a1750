//! What several targets share: frames around bytes, and a sink that does all that a command does.

use warpscope_dissector::capture::{CaptureReader, DescribedFrame, Frame, LinkType};
use warpscope_dissector::dissect::FrameView;
use warpscope_dissector::ladder::FlowList;
use warpscope_dissector::pipeline::{Pipeline, Sink};
use warpscope_dissector::rules::Judge;
use warpscope_dissector::statistics::Statistics;
use warpscope_wire::mpa::Fpdu;

/// A TCP connection between two hosts, as the frames that carry it.
#[derive(Debug, Default)]
pub struct Conversation {
    /// The last three bytes of its opener's address.
    pub number: u32,
    /// How many bytes either side has sent.
    sent: [u32; 2],
}

impl Conversation {
    /// The Ethernet frame with a TCP segment of these bytes, from the opener (0) or the other (1).
    pub fn frame(&mut self, side: usize, payload: &[u8]) -> Vec<u8> {
        let payload = &payload[..payload.len().min(65_495)];
        let mut out = vec![2; 12];
        out[if side == 1 { 5 } else { 11 }] = 1;
        out.extend([0x08, 0, 0x45, 0]);
        out.extend((40 + payload.len() as u16).to_be_bytes());
        out.extend([0, 0, 0x40, 0, 64, 6, 0, 0]);
        let opener = 0x0a00_0001 + (self.number & 0x00ff_ffff);
        let ends = [(opener, 40_000_u16), (0x0b00_0001, 20_049)];
        out.extend(ends[side].0.to_be_bytes());
        out.extend(ends[1 - side].0.to_be_bytes());
        out.extend(ends[side].1.to_be_bytes());
        out.extend(ends[1 - side].1.to_be_bytes());
        out.extend(self.sent[side].wrapping_add(1).to_be_bytes());
        out.extend(self.sent[1 - side].wrapping_add(1).to_be_bytes());
        out.extend([0x50, 0x10, 0xff, 0xff, 0, 0, 0, 0]);
        out.extend(payload);
        self.sent[side] = self.sent[side].wrapping_add(payload.len() as u32);
        out
    }

    /// The frames of an MPA setup with these flags.
    pub fn setup(&mut self, flags: u8) -> [Vec<u8>; 2] {
        let keys: [&[u8]; 2] = [b"MPA ID Req Frame", b"MPA ID Rep Frame"];
        [0, 1].map(|side| self.frame(side, &[keys[side], &[flags, 1, 0, 0]].concat()))
    }
}

/// The FPDU with its CRC that carries a ULPDU; nothing where it is too long for one.
pub fn fpdu(ulpdu: &[u8]) -> Vec<u8> {
    let mut out = vec![0; ulpdu.len() + 16];
    let length = Fpdu::new(ulpdu).ok().and_then(|fpdu| fpdu.emit(&mut out).ok()).unwrap_or(0);
    out.truncate(length);
    out
}

/// Parts of an input, each after a byte that says what it is and two of its length.
pub fn parts(mut rest: &[u8]) -> impl Iterator<Item = (u8, &[u8])> {
    std::iter::from_fn(move || {
        let [what, high, low, behind @ ..] = rest else { return None };
        let length = usize::from(high & 7) << 8 | usize::from(*low);
        let (part, next) = behind.split_at(length.min(behind.len()));
        rest = next;
        Some((*what, part))
    })
}

/// Takes everything: lines, trees, findings, statistics and flows.
pub struct Everything {
    /// The last frame.
    pub view: FrameView,
    rest: (Judge, Statistics, FlowList),
    pipeline: Pipeline,
    frames: u64,
    text: String,
}

impl Default for Everything {
    fn default() -> Self {
        Self {
            view: FrameView::new(true, true),
            rest: (Judge::default(), Statistics::new(None, None), FlowList::default()),
            pipeline: Pipeline::default(),
            frames: 0,
            text: String::new(),
        }
    }
}

impl Everything {
    /// Takes a frame.
    pub fn frame(&mut self, described: &DescribedFrame<'_>) {
        let (judge, statistics, flows) = &mut self.rest;
        self.view.begin(described, false);
        let sinks: &mut [&mut dyn Sink; 4] = &mut [&mut self.view, judge, statistics, flows];
        self.pipeline.frame(&described.frame, sinks);
        self.show();
        self.view.end(true);
        self.rest.0.take().for_each(drop);
    }

    /// Takes a frame of these bytes.
    pub fn bytes(&mut self, bytes: &[u8], link_type: LinkType) {
        self.frames += 1;
        let frame = Frame {
            number: self.frames,
            interface: 0,
            time: Some(self.frames as i64 * 1000),
            link_type,
            bytes,
            original_length: bytes.len() as u32,
        };
        let described =
            DescribedFrame { frame, interface: None, time_digits: 9, blocks: Default::default() };
        self.frame(&described);
    }

    /// Takes a capture whole.
    pub fn capture(&mut self, bytes: Vec<u8>) {
        let Ok(mut reader) = CaptureReader::from_reader(std::io::Cursor::new(bytes), "fuzz") else {
            return;
        };
        while let Ok(Some(described)) = reader.next_described() {
            self.frame(&described);
        }
    }

    /// Values as text, and each node within what it is in.
    fn show(&mut self) {
        let tree = &self.view.tree;
        for node in &tree.nodes {
            self.text.clear();
            tree.value_text(node, &mut self.text);
            tree.node_bytes(node);
        }
    }

    /// The end of the capture.
    pub fn finish(mut self) {
        let (judge, statistics, flows) = &mut self.rest;
        let sinks: &mut [&mut dyn Sink; 4] = &mut [&mut self.view, judge, statistics, flows];
        self.pipeline.finish(sinks);
        while self.view.next_late() {
            self.show();
        }
    }
}
