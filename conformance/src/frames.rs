//! Builds frames around bytes of a TCP stream, as a loss-free network would have carried them: all headers up
//! to TCP's are made up.

use etherparse::{PacketBuilder, TcpHeader};
use std::net::{IpAddr, SocketAddr};
use warpscope_dissector::capture::{Frame, Interface, LinkType};

/// The hardware addresses of the two sides: locally administered.
const HARDWARE: [[u8; 6]; 2] = [[2, 0, 0, 0, 0, 1], [2, 0, 0, 0, 0, 2]];
/// The maximum number of bytes in a made-up segment: IP's length field has 16 bits.
pub const LONGEST: usize = 65_000;
const TIME_TO_LIVE: u8 = 64;
const WINDOW: u16 = 65_535;
/// The initial sequence numbers of both sides of the first connection.
const FIRST: [u32; 2] = [1_000, 2_000];
/// The distance to the sequence numbers of the next connection.
const FURTHER: u32 = 1 << 20;

/// A made-up frame: nanoseconds since 1970, and its bytes.
pub type TimedFrame = (i64, Vec<u8>);

/// A TCP connection between two sides, 0 and 1.
#[derive(Debug)]
pub struct Flow {
    ends: [SocketAddr; 2],
    /// The next sequence number of each side.
    next: [u32; 2],
    /// The acknowledgement number of each side.
    arrived: [u32; 2],
}

impl Flow {
    /// Returns a connection between these ends that is not open yet. Ports may be used again: `number` gives
    /// the connection sequence numbers that distinguish it from an earlier one between the same ends.
    pub fn new(ends: [SocketAddr; 2], number: u64) -> Self {
        let next = FIRST.map(|first| first.wrapping_add((number as u32).wrapping_mul(FURTHER)));
        Self { ends, next, arrived: [next[1], next[0]] }
    }

    /// Counts everything sent as arrived.
    pub fn all_arrived(&mut self) {
        self.arrived = [self.next[1], self.next[0]];
    }

    /// Counts more bytes as arrived at a side. The peer's FIN counts as one.
    pub(crate) fn arrived(&mut self, side: usize, bytes: usize) {
        if let Some(arrived) = self.arrived.get_mut(side) {
            *arrived = arrived.wrapping_add(bytes as u32);
        }
    }

    /// Returns the handshake of a connection that the side `asks` opens.
    pub fn opened(&mut self, time: i64, asks: usize) -> Vec<TimedFrame> {
        let mut out = Vec::new();
        let answers = 1 - asks.min(1);
        out.extend(self.frame(time, asks, &[], |tcp| (tcp.syn, tcp.ack) = (true, false)));
        self.arrived(answers, 1);
        out.extend(self.frame(time, answers, &[], |tcp| tcp.syn = true));
        self.arrived(asks, 1);
        out.extend(self.acknowledged(time, asks));
        out
    }

    /// Returns a side's acknowledgement of what has arrived.
    pub fn acknowledged(&mut self, time: i64, from: usize) -> Option<TimedFrame> {
        self.frame(time, from, &[], |_| {})
    }

    /// Returns a segment with bytes of a side, at most [`LONGEST`].
    pub fn bytes(&mut self, time: i64, from: usize, bytes: &[u8]) -> Option<TimedFrame> {
        self.frame(time, from, bytes, |tcp| tcp.psh = true)
    }

    /// Returns a FIN: the side closes its direction.
    pub fn finished(&mut self, time: i64, from: usize) -> Option<TimedFrame> {
        self.frame(time, from, &[], |tcp| tcp.fin = true)
    }

    /// Returns a RST: the side resets the connection.
    pub fn reset(&mut self, time: i64, from: usize) -> Option<TimedFrame> {
        self.frame(time, from, &[], |tcp| tcp.rst = true)
    }

    fn frame(
        &mut self,
        time: i64,
        from: usize,
        payload: &[u8],
        flags: impl Fn(&mut TcpHeader),
    ) -> Option<TimedFrame> {
        let [a, b] = self.ends;
        let [first, second] = HARDWARE;
        let (mine, theirs, source, destination) =
            if from == 0 { (a, b, first, second) } else { (b, a, second, first) };
        let next = self.next.get_mut(from)?;
        let mut header = TcpHeader::new(mine.port(), theirs.port(), *next, WINDOW);
        (header.ack, header.acknowledgment_number) = (true, *self.arrived.get(from)?);
        flags(&mut header);
        if !header.ack {
            header.acknowledgment_number = 0;
        }
        let counted = payload.len() as u32 + u32::from(header.syn) + u32::from(header.fin);
        *next = next.wrapping_add(counted);
        let step = PacketBuilder::ethernet2(source, destination);
        let step = match (mine.ip(), theirs.ip()) {
            (IpAddr::V4(from), IpAddr::V4(to)) => {
                step.ipv4(from.octets(), to.octets(), TIME_TO_LIVE)
            }
            (from, to) => step.ipv6(v6(from), v6(to), TIME_TO_LIVE),
        };
        let step = step.tcp_header(header);
        let mut frame = Vec::with_capacity(step.size(payload.len()));
        step.write(&mut frame, payload).ok()?;
        Some((time, frame))
    }
}

fn v6(address: IpAddr) -> [u8; 16] {
    match address {
        IpAddr::V4(address) => address.to_ipv6_mapped().octets(),
        IpAddr::V6(address) => address.octets(),
    }
}

/// Returns the interface of this name, which made-up frames come from.
pub fn interface(name: &str) -> Interface {
    Interface {
        link_type: LinkType::ETHERNET,
        name: Some(name.to_owned()),
        description: Some("bytes of TCP; all headers up to TCP's are made up".to_owned()),
        ..Interface::default()
    }
}

/// Returns a made-up frame as the dissector takes it; `before` is the number of frames before it.
pub fn frame(before: u64, time: i64, bytes: &[u8]) -> Frame<'_> {
    Frame {
        number: before + 1,
        interface: 0,
        time: Some(time),
        link_type: LinkType::ETHERNET,
        bytes,
        original_length: bytes.len() as u32,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use warpscope_dissector::pipeline::{Options, PacketItem, Pipeline, Sink};

    #[derive(Default)]
    struct Streams(BTreeSet<u32>);

    impl Sink for Streams {
        fn packet(&mut self, item: &PacketItem<'_>) {
            self.0.extend(item.tcp.as_ref().map(|tcp| tcp.stream));
        }
    }

    #[test]
    fn a_port_that_comes_again_has_a_connection_of_its_own() {
        let ends = ["127.0.0.1:7174", "127.0.0.1:40000"].map(|end| end.parse().unwrap());
        let mut pipeline = Pipeline::new(Options::default());
        let mut streams = Streams::default();
        let mut before = 0;
        for number in 0..3 {
            let mut flow = Flow::new(ends, number);
            let mut frames = flow.opened(0, 1);
            for side in [1, 0] {
                flow.all_arrived();
                frames.extend(flow.finished(1, side));
            }
            for (time, bytes) in frames {
                pipeline.frame(&frame(before, time, &bytes), &mut streams);
                before += 1;
            }
        }
        assert_eq!(streams.0.len(), 3);
    }
}
