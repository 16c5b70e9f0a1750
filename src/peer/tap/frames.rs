//! Frames made up around bytes that went over TCP: Ethernet, IP and TCP headers as a loss-free
//! network would have them.

use super::units::Units;
use etherparse::{PacketBuilder, PacketBuilderStep, TcpHeader};
use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::mpsc::Sender;
use std::time::SystemTime;
use warpscope_peer::network::Tap;

/// The hardware addresses of the two sides: locally administered.
const HARDWARE: [[u8; 6]; 2] = [[2, 0, 0, 0, 0, 1], [2, 0, 0, 0, 0, 2]];
/// The most bytes of a made-up segment: IP's length field has 16 bits.
const LONGEST: usize = 65_000;
const TIME_TO_LIVE: u8 = 64;
const WINDOW: u16 = 65_535;

/// A frame and its time, in nanoseconds since 1970.
pub(super) type Made = (i64, Vec<u8>);

/// A TCP connection.
struct Flow {
    /// This side's address, then the peer's.
    ends: [SocketAddr; 2],
    /// The next sequence numbers of both.
    next: [u32; 2],
    /// Whether either has closed.
    finished: [bool; 2],
    /// Where both are in their units.
    units: [Units; 2],
}

/// Makes frames and hands them on.
pub(super) struct Frames {
    out: Sender<Made>,
    flows: HashMap<u64, Flow>,
}

impl Frames {
    /// Hands frames to `out`.
    pub(super) fn new(out: Sender<Made>) -> Self {
        Self { out, flows: HashMap::new() }
    }

    fn push(
        &mut self,
        at: SystemTime,
        number: u64,
        from: usize,
        payload: &[u8],
        flags: impl Fn(&mut TcpHeader),
    ) {
        let Some(flow) = self.flows.get_mut(&number) else { return };
        let to = 1 - from;
        let mut header =
            TcpHeader::new(flow.ends[from].port(), flow.ends[to].port(), flow.next[from], WINDOW);
        header.acknowledgment_number = flow.next[to];
        header.ack = true;
        flags(&mut header);
        if !header.ack {
            header.acknowledgment_number = 0;
        }
        let counted = payload.len() as u32 + u32::from(header.syn) + u32::from(header.fin);
        flow.next[from] = flow.next[from].wrapping_add(counted);
        let step = PacketBuilder::ethernet2(HARDWARE[from], HARDWARE[to]);
        let step: PacketBuilderStep<_> = match (flow.ends[from].ip(), flow.ends[to].ip()) {
            (IpAddr::V4(from), IpAddr::V4(to)) => {
                step.ipv4(from.octets(), to.octets(), TIME_TO_LIVE)
            }
            (from, to) => step.ipv6(v6(from), v6(to), TIME_TO_LIVE),
        };
        let step = step.tcp_header(header);
        let mut frame = Vec::with_capacity(step.size(payload.len()));
        let since = at.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        if step.write(&mut frame, payload).is_ok() {
            // The writer may have ended for an error that it tells of itself.
            let _ = self.out.send((since.as_nanos() as i64, frame));
        }
    }

    fn segments(&mut self, at: SystemTime, number: u64, from: usize, bytes: &[u8]) {
        for piece in bytes.chunks(LONGEST) {
            self.push(at, number, from, piece, |header| header.psh = true);
        }
    }
}

fn v6(address: IpAddr) -> [u8; 16] {
    match address {
        IpAddr::V4(address) => address.to_ipv6_mapped().octets(),
        IpAddr::V6(address) => address.octets(),
    }
}

impl Tap for Frames {
    fn opened(&mut self, at: SystemTime, number: u64, ends: [SocketAddr; 2], initiator: bool) {
        let flow = Flow {
            ends,
            next: [1_000, 2_000],
            finished: [false; 2],
            units: <[Units; 2]>::default(),
        };
        self.flows.insert(number, flow);
        let (asks, answers) = if initiator { (0, 1) } else { (1, 0) };
        self.push(at, number, asks, &[], |header| (header.syn, header.ack) = (true, false));
        self.push(at, number, answers, &[], |header| header.syn = true);
        self.push(at, number, asks, &[], |_| {});
    }

    fn bytes(&mut self, at: SystemTime, number: u64, sent: bool, bytes: &[u8]) {
        let from = usize::from(!sent);
        let mut rest = bytes;
        while let Some(flow) = self.flows.get_mut(&number).filter(|_| !rest.is_empty()) {
            let markers = flow.units[1 - from].wants_markers;
            let taken = flow.units[from].take(rest, markers);
            let (unit, behind) = rest.split_at(taken);
            rest = behind;
            if !sent {
                self.segments(at, number, from, unit);
            }
        }
        if sent {
            self.segments(at, number, from, bytes);
        }
    }

    fn finished(&mut self, at: SystemTime, number: u64, sent: bool) {
        let side = usize::from(!sent);
        self.push(at, number, side, &[], |header| header.fin = true);
        let Some(flow) = self.flows.get_mut(&number) else { return };
        flow.finished[side] = true;
        if flow.finished == [true; 2] {
            self.push(at, number, 1 - side, &[], |_| {});
            self.flows.remove(&number);
        }
    }

    fn reset(&mut self, at: SystemTime, number: u64, sent: bool) {
        self.push(at, number, usize::from(!sent), &[], |header| header.rst = true);
        self.flows.remove(&number);
    }
}
