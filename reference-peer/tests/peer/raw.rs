//! A responder that receives bytes built by hand.

use crate::prelude::*;

/// The region that the responder offers: 64 bytes from 0x1000 on, to be read and written.
pub(crate) const BASE: u64 = 0x1000;

/// A responder in Full Operation.
pub(crate) struct Raw {
    pub(crate) connection: Connection,
    pub(crate) memory: Memory,
    /// The region of this stream alone.
    pub(crate) region: u32,
}

/// The configuration of the responder.
pub(crate) fn config(profile: Profile) -> Config {
    Config { profile, ..Config::new(Role::Responder, STREAM) }
}

/// A request frame: flags, revision, private data.
pub(crate) fn request(flags: u8, revision: u8, private_data: &[u8]) -> Vec<u8> {
    let mut bytes = b"MPA ID Req Frame".to_vec();
    bytes.extend_from_slice(&[flags, revision, 0, private_data.len() as u8]);
    bytes.extend_from_slice(private_data);
    bytes
}

impl Raw {
    /// A responder that has accepted a request of revision 1; CRCs are in use.
    pub(crate) fn operating(config: Config) -> Self {
        let mut raw = Self::listening(config);
        raw.feed(&request(0x40, 1, &[]));
        let reply = raw.transmit();
        assert!(matches!(&reply[..], [Transmit::Bytes(_)]), "{reply:?}");
        raw
    }

    /// A responder that awaits a request.
    pub(crate) fn listening(config: Config) -> Self {
        let mut memory = memory(3);
        let registration = Registration::stream(STREAM.stream, Rights::READ | Rights::WRITE);
        let region = memory.register(vec![0; 64], registration.based_at(BASE)).unwrap();
        let connection = Connection::new(config, Duration::ZERO);
        Self { connection, memory, region }
    }

    /// Bytes as they are.
    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        self.connection.handle_bytes(Duration::ZERO, &mut self.memory, bytes);
    }

    /// A ULPDU in an FPDU with the right CRC.
    pub(crate) fn feed_ulpdu(&mut self, ulpdu: &[u8]) {
        self.feed(&fpdu(ulpdu));
    }

    /// Everything that is sent now.
    pub(crate) fn transmit(&mut self) -> Vec<Transmit> {
        let poll = || self.connection.poll_transmit(Duration::ZERO, &mut self.memory);
        std::iter::from_fn(poll).collect()
    }

    /// The violations that it reported.
    pub(crate) fn violations(&mut self) -> Vec<Violation> {
        let events = std::iter::from_fn(|| self.connection.poll_event());
        events
            .filter_map(|event| match event {
                Event::Violated(violation) => Some(violation),
                _ => None,
            })
            .collect()
    }

    /// The payload of the Terminate that is all that is sent, with a FIN after it.
    pub(crate) fn terminate(&mut self) -> Vec<u8> {
        let sent = self.transmit();
        let [Transmit::Bytes(bytes), Transmit::Finish] = &sent[..] else {
            panic!("no Terminate with a FIN: {sent:?}");
        };
        let length = usize::from(u16::from_be_bytes([bytes[0], bytes[1]]));
        let ulpdu = &bytes[2..2 + length];
        // L, DV 1; RV 1 or 2, opcode 7; queue 2, MSN 1, MO 0 (RFC 5040 section 5.4).
        assert_eq!((ulpdu[0], ulpdu[1] & 0x3f), (0x41, 0x07));
        assert_eq!(ulpdu[2..18], [0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 0]);
        ulpdu[18..].to_vec()
    }
}

/// An FPDU without markers.
pub(crate) fn fpdu(ulpdu: &[u8]) -> Vec<u8> {
    let mut bytes = (ulpdu.len() as u16).to_be_bytes().to_vec();
    bytes.extend_from_slice(ulpdu);
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    let crc = crc::field_bytes(crc::crc32c(&bytes));
    bytes.extend_from_slice(&crc);
    bytes
}

/// An untagged segment: both control bytes, the word after them, QN, MSN, MO, payload.
pub(crate) fn untagged(control: [u8; 2], words: [u32; 4], payload: &[u8]) -> Vec<u8> {
    let mut bytes = control.to_vec();
    for word in words {
        bytes.extend_from_slice(&word.to_be_bytes());
    }
    bytes.extend_from_slice(payload);
    bytes
}

/// A tagged segment: both control bytes, STag, TO, payload.
pub(crate) fn tagged(control: [u8; 2], tag: u32, offset: u64, payload: &[u8]) -> Vec<u8> {
    let mut bytes = control.to_vec();
    bytes.extend_from_slice(&tag.to_be_bytes());
    bytes.extend_from_slice(&offset.to_be_bytes());
    bytes.extend_from_slice(payload);
    bytes
}

/// A Read Request's header: sink STag and TO, size, source STag and TO.
pub(crate) fn read(size: u32, source: u32, offset: u64) -> Vec<u8> {
    let mut bytes = vec![0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 6];
    bytes.extend_from_slice(&size.to_be_bytes());
    bytes.extend_from_slice(&source.to_be_bytes());
    bytes.extend_from_slice(&offset.to_be_bytes());
    bytes
}
