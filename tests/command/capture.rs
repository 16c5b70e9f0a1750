//! Builds a capture: a TCP connection with MPA setup frames and FPDUs, and an ARP request.

use warpscope_wire::mpa::Fpdu;

const CLIENT: [u8; 4] = [10, 0, 0, 2];
const SERVER: [u8; 4] = [10, 0, 0, 1];
const FIN: u8 = 1;
const SYN: u8 = 2;
const PUSH: u8 = 8;
const ACK: u8 = 16;

/// Bytes of the small capture's file header and of each record's header.
pub(crate) const HEADERS: (usize, usize) = (24, 16);

/// A capture file under construction.
#[derive(Default)]
pub(crate) struct Capture {
    pub(crate) bytes: Vec<u8>,
    frames: u32,
    sequence: [u32; 2],
}

impl Capture {
    /// A pcap file without frames.
    pub(crate) fn new() -> Self {
        let mut capture = Self { sequence: [999, 4_999], ..Self::default() };
        for word in [0xa1b2_c3d4_u32, 0x0004_0002, 0, 0, 65_535, 1] {
            capture.bytes.extend(word.to_le_bytes());
        }
        capture
    }

    /// Ten frames: a handshake, a request and a reply frame, a Send, a Write with a bad CRC, a
    /// Read Request, an ARP request and a FIN.
    pub(crate) fn conversation() -> Self {
        let mut capture = Self::new();
        capture.segment(0, SYN, &[]);
        capture.segment(1, SYN | ACK, &[]);
        capture.segment(0, ACK, &[]);
        capture.segment(0, PUSH | ACK, b"MPA ID Req Frame\x40\x01\x00\x00");
        capture.segment(1, PUSH | ACK, b"MPA ID Rep Frame\x40\x01\x00\x00");
        let send = untagged(0x43, 0, 1, b"hello, iWARP");
        capture.segment(0, PUSH | ACK, &fpdu(&send));
        let mut write = fpdu(&tagged(0x40, 0x1234_5678, 0x1000, b"written"));
        *write.last_mut().unwrap() ^= 1;
        capture.segment(0, PUSH | ACK, &write);
        let read = untagged(0x41, 1, 1, &[0; 28]);
        capture.segment(1, PUSH | ACK, &fpdu(&read));
        let mut arp = vec![0xff; 6];
        arp.extend([2, 0, 0, 0, 0, 2, 8, 6, 0, 1, 8, 0, 6, 4, 0, 1, 2, 0, 0, 0, 0, 2]);
        arp.extend(CLIENT);
        arp.extend([0; 6]);
        arp.extend(SERVER);
        capture.frame(&arp);
        capture.segment(0, FIN | ACK, &[]);
        capture
    }

    /// Adds a frame, a millisecond and a microsecond after the one before.
    pub(crate) fn frame(&mut self, frame: &[u8]) {
        let time = self.frames * 1_001;
        self.frames += 1;
        let length = frame.len() as u32;
        for word in [1_700_000_000, time, length, length] {
            self.bytes.extend(word.to_le_bytes());
        }
        self.bytes.extend(frame);
    }

    #[allow(dead_code, reason = "another test does")]
    /// Leaves out bytes of the client's (0) or the server's stream.
    pub(crate) fn skip(&mut self, side: usize, bytes: u32) {
        self.sequence[side] = self.sequence[side].wrapping_add(bytes);
    }

    /// Adds a TCP segment of the client (0) or the server (1).
    pub(crate) fn segment(&mut self, side: usize, flags: u8, payload: &[u8]) {
        let (addresses, ports) = match side {
            0 => ([CLIENT, SERVER], [40_000_u16, 7_174]),
            _ => ([SERVER, CLIENT], [7_174, 40_000]),
        };
        let [to, from] = [1 + side as u8, 2 - side as u8];
        let mut frame = vec![2, 0, 0, 0, 0, to, 2, 0, 0, 0, 0, from, 8, 0, 0x45, 0];
        frame.extend((40 + payload.len() as u16).to_be_bytes());
        frame.extend([0, 1, 0x40, 0, 64, 6, 0, 0]);
        frame.extend(addresses.concat());
        frame.extend(ports.iter().flat_map(|port| port.to_be_bytes()));
        frame.extend(self.sequence[side].to_be_bytes());
        let acknowledged = if flags & ACK != 0 { self.sequence[side ^ 1] } else { 0 };
        frame.extend(acknowledged.to_be_bytes());
        frame.extend([0x50, flags, 0x10, 0, 0, 0, 0, 0]);
        frame.extend(payload);
        self.sequence[side] += payload.len() as u32 + u32::from(flags & (SYN | FIN) != 0);
        self.frame(&frame);
    }
}

fn fpdu(ulpdu: &[u8]) -> Vec<u8> {
    let fpdu = Fpdu::new(ulpdu).unwrap();
    let mut bytes = vec![0; fpdu.length()];
    fpdu.emit(&mut bytes).unwrap();
    bytes
}

fn untagged(control: u8, queue: u32, message: u32, payload: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0x41, control, 0, 0, 0, 0];
    bytes.extend([queue, message, 0].iter().flat_map(|word| word.to_be_bytes()));
    bytes.extend(payload);
    bytes
}

fn tagged(control: u8, steering_tag: u32, offset: u64, payload: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0xc1, control];
    bytes.extend(steering_tag.to_be_bytes());
    bytes.extend(offset.to_be_bytes());
    bytes.extend(payload);
    bytes
}
