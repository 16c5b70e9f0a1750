//! What went over the connections of an instance, and the frames that a loss-free network would have
//! carried it in.

use etherparse::{PacketBuilder, TcpHeader};
use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::time::SystemTime;

/// The hardware addresses of the two sides: locally administered.
const HARDWARE: [[u8; 6]; 2] = [[2, 0, 0, 0, 0, 1], [2, 0, 0, 0, 0, 2]];
/// The most octets of a made-up segment: IP's length field has 16 bits.
const LONGEST: usize = 65_000;
const TIME_TO_LIVE: u8 = 64;
const WINDOW: u16 = 65_535;

/// What happened on a connection.
#[derive(Debug, Clone)]
pub(super) enum Happened {
    /// This side, the target; whether this side opened it.
    Opened([SocketAddr; 2], bool),
    Octets(Vec<u8>),
    Finished,
    Reset,
}

/// What went over connections.
#[derive(Debug, Default)]
pub(super) struct Tape {
    entries: Vec<(SystemTime, u64, bool, Happened)>,
}

/// A frame that was made up: nanoseconds since 1970, and its octets.
pub(super) type Made = (i64, Vec<u8>);

struct Flow {
    ends: [SocketAddr; 2],
    next: [u32; 2],
    over: bool,
}

impl Tape {
    /// Something happened; `sent` when it was this side's doing.
    pub(super) fn add(&mut self, at: SystemTime, connection: u64, sent: bool, what: Happened) {
        self.entries.push((at, connection, sent, what));
    }

    /// The frames, in the order of their times.
    pub(super) fn frames(&self) -> Vec<Made> {
        let mut entries: Vec<_> = self.entries.iter().collect();
        entries.sort_by_key(|entry| entry.0);
        let mut flows: HashMap<u64, Flow> = HashMap::new();
        let mut out = Vec::new();
        for (at, connection, sent, what) in entries {
            let since = at.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
            let time = since.as_nanos() as i64;
            if let Happened::Opened(ends, opened) = what {
                let flow = Flow { ends: *ends, next: [1_000, 2_000], over: false };
                flows.insert(*connection, flow);
                let Some(flow) = flows.get_mut(connection) else { continue };
                let (asks, answers) = if *opened { (0, 1) } else { (1, 0) };
                flow.push(time, asks, &[], &mut out, |tcp| (tcp.syn, tcp.ack) = (true, false));
                flow.push(time, answers, &[], &mut out, |tcp| tcp.syn = true);
                flow.push(time, asks, &[], &mut out, |_| {});
                continue;
            }
            let Some(flow) = flows.get_mut(connection).filter(|flow| !flow.over) else { continue };
            let side = usize::from(!sent);
            match what {
                Happened::Octets(octets) => {
                    for piece in octets.chunks(LONGEST) {
                        flow.push(time, side, piece, &mut out, |tcp| tcp.psh = true);
                    }
                }
                Happened::Finished => flow.push(time, side, &[], &mut out, |tcp| tcp.fin = true),
                Happened::Reset => {
                    flow.push(time, side, &[], &mut out, |tcp| tcp.rst = true);
                    flow.over = true;
                }
                Happened::Opened(..) => {}
            }
        }
        out
    }
}

impl Flow {
    fn push(
        &mut self,
        time: i64,
        from: usize,
        payload: &[u8],
        out: &mut Vec<Made>,
        flags: impl Fn(&mut TcpHeader),
    ) {
        let [a, b] = self.ends;
        let [first, second] = &mut self.next;
        let (mine, theirs, next, acknowledged) =
            if from == 0 { (a, b, first, *second) } else { (b, a, second, *first) };
        let mut header = TcpHeader::new(mine.port(), theirs.port(), *next, WINDOW);
        (header.ack, header.acknowledgment_number) = (true, acknowledged);
        flags(&mut header);
        if !header.ack {
            header.acknowledgment_number = 0;
        }
        let counted = payload.len() as u32 + u32::from(header.syn) + u32::from(header.fin);
        *next = next.wrapping_add(counted);
        let [first, second] = HARDWARE;
        let (source, destination) = if from == 0 { (first, second) } else { (second, first) };
        let step = PacketBuilder::ethernet2(source, destination);
        let step = match (mine.ip(), theirs.ip()) {
            (IpAddr::V4(from), IpAddr::V4(to)) => {
                step.ipv4(from.octets(), to.octets(), TIME_TO_LIVE)
            }
            (from, to) => step.ipv6(v6(from), v6(to), TIME_TO_LIVE),
        };
        let step = step.tcp_header(header);
        let mut frame = Vec::with_capacity(step.size(payload.len()));
        if step.write(&mut frame, payload).is_ok() {
            out.push((time, frame));
        }
    }
}

fn v6(address: IpAddr) -> [u8; 16] {
    match address {
        IpAddr::V4(address) => address.to_ipv6_mapped().octets(),
        IpAddr::V6(address) => address.octets(),
    }
}
