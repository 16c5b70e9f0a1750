//! The MPA request and reply frames (RFC 5044 §7.1.1, RFC 6581 §6 and §9).

use crate::figure::{figure, finish, take};
use crate::{BufferTooSmall, Illegal, Layer, Malformed, Writer};

/// Length of the key that begins a setup frame, in bytes.
pub const KEY_LENGTH: usize = 16;
/// Length of a setup frame before its private data, in bytes.
pub const SETUP_HEADER_LENGTH: usize = 20;
/// The greatest length of the private data in bytes, including the enhanced header.
pub const MAX_PRIVATE_DATA: usize = 512;
/// The key of a request frame.
pub const REQUEST_KEY: &[u8; KEY_LENGTH] = b"MPA ID Req Frame";
/// The key of a reply frame.
pub const REPLY_KEY: &[u8; KEY_LENGTH] = b"MPA ID Rep Frame";

const MARKERS: u8 = 0x80;
const CRC: u8 = 0x40;
const REJECTED: u8 = 0x20;
const ENHANCED: u8 = 0x10;

/// The role of a setup frame's sender.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// The request, sent by the initiator of the connection.
    Request,
    /// The reply, sent by the responder.
    Reply,
}

figure! {
    /// The header of a setup frame, before its private data.
    SetupHeaderView: 20 bytes, Mpa "setup frame header" {
        /// The flag byte: M, C, R, S and four reserved bits.
        16 flags u8;
        /// The revision (Rev).
        17 revision u8;
        /// Length of the private data in bytes (PD_Length), as given in the frame.
        18 private_data_length u16;
    }
}

impl<'a> SetupHeaderView<'a> {
    /// Returns the key.
    pub fn key(&self) -> &'a [u8] {
        &self.bytes()[..KEY_LENGTH]
    }

    /// Returns the role of the sender, by the key; `None` for any other key.
    pub fn role(&self) -> Option<Role> {
        match self.key() {
            key if key == REQUEST_KEY => Some(Role::Request),
            key if key == REPLY_KEY => Some(Role::Reply),
            _ => None,
        }
    }

    /// M: the sender of the frame requires markers in what it receives.
    pub fn markers(&self) -> bool {
        self.flags() & MARKERS != 0
    }

    /// C: the sender of the frame wants CRCs.
    pub fn crc(&self) -> bool {
        self.flags() & CRC != 0
    }

    /// R: the responder rejects the connection.
    pub fn rejected(&self) -> bool {
        self.flags() & REJECTED != 0
    }

    /// S: the private data begins with an enhanced header. False before revision 2, which reserves the
    /// bit.
    pub fn enhanced_flag(&self) -> bool {
        self.revision() >= 2 && self.flags() & ENHANCED != 0
    }

    /// Returns the reserved bits: five before revision 2, four from then on.
    pub fn reserved(&self) -> u8 {
        self.flags() & if self.revision() >= 2 { 0x0f } else { 0x1f }
    }
}

/// A complete setup frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SetupView<'a> {
    /// Key, flags, revision and length.
    pub header: SetupHeaderView<'a>,
    /// The private data, including an enhanced header.
    pub private_data: &'a [u8],
}

impl<'a> SetupView<'a> {
    /// Reads a setup frame from the front of `input`; returns it and the bytes after it.
    ///
    /// # Errors
    /// [`Malformed`] when the header or its private data is incomplete.
    pub fn parse(input: &'a [u8]) -> Result<(Self, &'a [u8]), Malformed> {
        let (header, rest) = SetupHeaderView::parse(input)?;
        let needed = usize::from(header.private_data_length());
        let (private_data, rest) = finish(take(Layer::Mpa, "private data", needed)(rest))?;
        Ok((Self { header, private_data }, rest))
    }

    /// Returns the enhanced header: present in revision 2 with S set and at least four bytes of private data.
    pub fn enhanced(&self) -> Option<EnhancedView<'a>> {
        if self.header.revision() != 2 || !self.header.enhanced_flag() {
            return None;
        }
        EnhancedView::parse(self.private_data).ok().map(|(view, _)| view)
    }

    /// Returns the private data of the ULP, without the enhanced header.
    pub fn ulp_private_data(&self) -> &'a [u8] {
        match self.enhanced() {
            Some(_) => self.private_data.get(ENHANCED_LENGTH..).unwrap_or(&[]),
            None => self.private_data,
        }
    }
}

/// The MPA revision of a setup frame, with the fields that only that revision has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Revision {
    /// Revision 0, of the RDMA Consortium.
    Consortium,
    /// Revision 1 (RFC 5044).
    One,
    /// Revision 2 (RFC 6581), with the enhanced header when S is set.
    Two(Option<Enhanced>),
}

/// A legal setup frame.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Setup {
    role: Role,
    /// M: this side requires markers in what it receives.
    pub markers: bool,
    /// C: this side wants CRCs.
    pub crc: bool,
    rejected: bool,
    /// The revision, and the enhanced header.
    pub revision: Revision,
    private_data: Vec<u8>,
}

impl Setup {
    /// Creates a request frame. `private_data` is the ULP's, without an enhanced header.
    ///
    /// # Errors
    /// [`Illegal`] when the private data, with an enhanced header, is over 512 bytes.
    pub fn request(
        markers: bool,
        crc: bool,
        revision: Revision,
        private_data: &[u8],
    ) -> Result<Self, Illegal> {
        Self::new(Role::Request, markers, crc, false, revision, private_data)
    }

    /// Creates a reply frame. `private_data` is the ULP's, without an enhanced header.
    ///
    /// # Errors
    /// [`Illegal`] when the private data, with an enhanced header, is over 512 bytes.
    pub fn reply(
        markers: bool,
        crc: bool,
        rejected: bool,
        revision: Revision,
        private_data: &[u8],
    ) -> Result<Self, Illegal> {
        Self::new(Role::Reply, markers, crc, rejected, revision, private_data)
    }

    fn new(
        role: Role,
        markers: bool,
        crc: bool,
        rejected: bool,
        revision: Revision,
        private_data: &[u8],
    ) -> Result<Self, Illegal> {
        let setup =
            Self { role, markers, crc, rejected, revision, private_data: private_data.to_vec() };
        let length = setup.private_data_length();
        if length > MAX_PRIVATE_DATA {
            return Err(illegal("private data length", length as u64, "RFC 5044 section 7.1.1"));
        }
        Ok(setup)
    }

    /// Returns whether it is a request or a reply.
    pub fn role(&self) -> Role {
        self.role
    }

    fn private_data_length(&self) -> usize {
        let enhanced = match self.revision {
            Revision::Two(Some(_)) => ENHANCED_LENGTH,
            _ => 0,
        };
        enhanced + self.private_data.len()
    }

    /// Returns the length of the frame in bytes.
    pub fn length(&self) -> usize {
        SETUP_HEADER_LENGTH + self.private_data_length()
    }

    /// Writes the frame to the front of `buffer`; returns its length.
    ///
    /// # Errors
    /// [`BufferTooSmall`] when the frame does not fit.
    pub fn emit(&self, buffer: &mut [u8]) -> Result<usize, BufferTooSmall> {
        let (revision, enhanced) = match self.revision {
            Revision::Consortium => (0, None),
            Revision::One => (1, None),
            Revision::Two(enhanced) => (2, enhanced),
        };
        let flag = |set: bool, bit: u8| if set { bit } else { 0 };
        let flags = flag(self.markers, MARKERS)
            | flag(self.crc, CRC)
            | flag(self.rejected, REJECTED)
            | flag(enhanced.is_some(), ENHANCED);
        let mut writer = Writer::new(buffer);
        writer
            .bytes(match self.role {
                Role::Request => REQUEST_KEY,
                Role::Reply => REPLY_KEY,
            })
            .u8(flags)
            .u8(revision)
            .u16(self.private_data_length() as u16);
        if let Some(enhanced) = enhanced {
            writer.bytes(&enhanced.bytes());
        }
        writer.bytes(&self.private_data).finish()
    }
}

impl TryFrom<SetupView<'_>> for Setup {
    type Error = Illegal;

    fn try_from(view: SetupView<'_>) -> Result<Self, Illegal> {
        let header = view.header;
        let section = "RFC 5044 section 7.1.1";
        let Some(role) = header.role() else {
            return Err(illegal("key", u64::from(header.bytes()[7]), section));
        };
        if header.reserved() != 0 {
            return Err(illegal("reserved", header.reserved().into(), section));
        }
        if role == Role::Request && header.rejected() {
            return Err(illegal("rejected connection flag", 1, section));
        }
        let revision = match (header.revision(), header.enhanced_flag()) {
            (0, _) => Revision::Consortium,
            (1, _) => Revision::One,
            (2, false) => Revision::Two(None),
            (2, true) => {
                let (enhanced, _) = EnhancedView::parse(view.private_data).map_err(|_| {
                    let length = view.private_data.len() as u64;
                    illegal("private data length", length, "RFC 6581 section 6")
                })?;
                Revision::Two(Some(enhanced.try_into()?))
            }
            (other, _) => return Err(illegal("revision", other.into(), section)),
        };
        let private_data = view.ulp_private_data();
        Self::new(role, header.markers(), header.crc(), header.rejected(), revision, private_data)
    }
}

fn illegal(field: &'static str, value: u64, section: &'static str) -> Illegal {
    Illegal::new(Layer::Mpa, field, value, section)
}

// Enhanced RDMA connection establishment data: the first four bytes of the private data (RFC 6581
// §9).

/// Length of the enhanced header in bytes.
pub const ENHANCED_LENGTH: usize = 4;
/// The IRD or ORD value that says "not negotiated here" (RFC 6581 §9.1).
pub const NOT_NEGOTIATED: u16 = 0x3fff;

const HIGH: u16 = 0x8000;
const SECOND: u16 = 0x4000;
const DEPTH: u16 = 0x3fff;
const ENHANCED_SECTION: &str = "RFC 6581 section 9.2";

figure! {
    /// Four control flags and two queue depths.
    EnhancedView: 4 bytes, Mpa "enhanced connection establishment data" {
        /// A, B and IRD together.
        0 a_b_ird u16;
        /// C, D and ORD together.
        2 c_d_ord u16;
    }
}

impl EnhancedView<'_> {
    /// A: the peer-to-peer model is requested (request) or used (reply).
    pub fn control_a(&self) -> bool {
        self.a_b_ird() & HIGH != 0
    }

    /// B: a zero-length Send may be the ready-to-receive indication.
    pub fn control_b(&self) -> bool {
        self.a_b_ird() & SECOND != 0
    }

    /// C: a zero-length RDMA Write may be the ready-to-receive indication.
    pub fn control_c(&self) -> bool {
        self.c_d_ord() & HIGH != 0
    }

    /// D: a zero-length RDMA Read may be the ready-to-receive indication.
    pub fn control_d(&self) -> bool {
        self.c_d_ord() & SECOND != 0
    }

    /// Inbound RDMA Read Queue Depth (IRD), a number of requests.
    pub fn ird(&self) -> u16 {
        self.a_b_ird() & DEPTH
    }

    /// Outbound RDMA Read Queue Depth (ORD), a number of requests.
    pub fn ord(&self) -> u16 {
        self.c_d_ord() & DEPTH
    }
}

/// The ready-to-receive (RTR) indications that a side supports. At least one is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ReadyToReceive {
    send: bool,
    write: bool,
    read: bool,
}

impl ReadyToReceive {
    /// Creates a set of indications; returns `None` if it would be empty.
    pub fn new(send: bool, write: bool, read: bool) -> Option<Self> {
        (send || write || read).then_some(Self { send, write, read })
    }

    /// B: a zero-length Send.
    pub fn send(&self) -> bool {
        self.send
    }

    /// C: a zero-length RDMA Write.
    pub fn write(&self) -> bool {
        self.write
    }

    /// D: a zero-length RDMA Read.
    pub fn read(&self) -> bool {
        self.read
    }
}

/// The connection model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mode {
    /// A = 0, and with it B, C and D.
    ClientServer,
    /// A = 1, with the indications supported.
    PeerToPeer(ReadyToReceive),
}

/// Legal enhanced connection establishment data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Enhanced {
    /// The connection model.
    pub mode: Mode,
    ird: u16,
    ord: u16,
}

impl Enhanced {
    /// Creates data with these depths; [`NOT_NEGOTIATED`] is allowed.
    ///
    /// # Errors
    /// [`Illegal`] when a depth needs more than 14 bits.
    pub fn new(mode: Mode, ird: u16, ord: u16) -> Result<Self, Illegal> {
        for (field, value) in [("IRD", ird), ("ORD", ord)] {
            if value > DEPTH {
                let section = "RFC 6581 section 9";
                return Err(Illegal::new(Layer::Mpa, field, value, section));
            }
        }
        Ok(Self { mode, ird, ord })
    }

    /// Returns the four bytes on the wire.
    pub fn bytes(&self) -> [u8; ENHANCED_LENGTH] {
        let flag = |set: bool, bit: u16| if set { bit } else { 0 };
        let (a, b, c, d) = match self.mode {
            Mode::ClientServer => (false, false, false, false),
            Mode::PeerToPeer(rtr) => (true, rtr.send, rtr.write, rtr.read),
        };
        let [first, second] = (self.ird | flag(a, HIGH) | flag(b, SECOND)).to_be_bytes();
        let [third, fourth] = (self.ord | flag(c, HIGH) | flag(d, SECOND)).to_be_bytes();
        [first, second, third, fourth]
    }
}

impl TryFrom<EnhancedView<'_>> for Enhanced {
    type Error = Illegal;

    fn try_from(view: EnhancedView<'_>) -> Result<Self, Illegal> {
        let rtr = ReadyToReceive::new(view.control_b(), view.control_c(), view.control_d());
        let mode = match (view.control_a(), rtr) {
            (false, None) => Mode::ClientServer,
            (true, Some(rtr)) => Mode::PeerToPeer(rtr),
            (a, _) => {
                let (layer, field, section) = (Layer::Mpa, "control flags", ENHANCED_SECTION);
                return Err(Illegal::new(layer, field, a, section));
            }
        };
        Self::new(mode, view.ird(), view.ord())
    }
}

// RPC-over-RDMA version 1's private data, which announces the protocol and its inline thresholds (RFC
// 8797 §4).

/// The word that begins this private data.
const MAGIC: u32 = 0xf6ab_0e18;
const VERSION: u8 = 1;
const REMOTE_INVALIDATION: u8 = 0x01;
const PRIVATE_DATA_SECTION: &str = "RFC 8797 section 4";

figure! {
    /// The private data, eight bytes.
    RdmaPrivateDataView: 8 bytes, RpcOverRdma "private data" {
        /// The format identifier.
        0 magic u32;
        /// The version of the format.
        4 version u8;
        /// The flags.
        5 flags u8;
        /// The largest message that the sender of this data sends inline: (bytes / 1024) - 1.
        6 encoded_send_size u8;
        /// The largest message that it receives inline: (bytes / 1024) - 1.
        7 encoded_receive_size u8;
    }
}

impl RdmaPrivateDataView<'_> {
    /// Returns whether magic and version identify RFC 8797's private data.
    pub fn recognised(&self) -> bool {
        self.magic() == MAGIC && self.version() == VERSION
    }

    /// R: the sender supports remote invalidation.
    pub fn remote_invalidation(&self) -> bool {
        self.flags() & REMOTE_INVALIDATION != 0
    }

    /// Returns the inline send threshold in bytes.
    pub fn send_size(&self) -> u32 {
        (u32::from(self.encoded_send_size()) + 1) * 1024
    }

    /// Returns the inline receive threshold in bytes.
    pub fn receive_size(&self) -> u32 {
        (u32::from(self.encoded_receive_size()) + 1) * 1024
    }
}

/// Legal private data of RPC-over-RDMA version 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RdmaPrivateData {
    /// R: the sender supports remote invalidation.
    pub remote_invalidation: bool,
    send_kib: u8,
    receive_kib: u8,
}

impl RdmaPrivateData {
    /// Creates private data with these inline thresholds in bytes.
    ///
    /// # Errors
    /// [`Illegal`] when a size is not a multiple of 1024 from 1024 to 262144.
    pub fn new(
        remote_invalidation: bool,
        send_size: u32,
        receive_size: u32,
    ) -> Result<Self, Illegal> {
        let encode = |field, size: u32| {
            let kib = (size / 1024).checked_sub(1).filter(|_| size.is_multiple_of(1024));
            kib.and_then(|kib| u8::try_from(kib).ok()).ok_or(Illegal::new(
                Layer::RpcOverRdma,
                field,
                size,
                PRIVATE_DATA_SECTION,
            ))
        };
        let send_kib = encode("send size", send_size)?;
        let receive_kib = encode("receive size", receive_size)?;
        Ok(Self { remote_invalidation, send_kib, receive_kib })
    }

    /// Returns the eight bytes on the wire.
    pub fn bytes(&self) -> [u8; 8] {
        let [a, b, c, d] = MAGIC.to_be_bytes();
        [a, b, c, d, VERSION, self.remote_invalidation.into(), self.send_kib, self.receive_kib]
    }
}

impl TryFrom<RdmaPrivateDataView<'_>> for RdmaPrivateData {
    type Error = Illegal;

    fn try_from(view: RdmaPrivateDataView<'_>) -> Result<Self, Illegal> {
        let checks = [
            ("magic", u64::from(view.magic()), view.magic() == MAGIC),
            ("version", view.version().into(), view.version() == VERSION),
            ("flags", view.flags().into(), view.flags() & !REMOTE_INVALIDATION == 0),
        ];
        for (field, value, legal) in checks {
            if !legal {
                let layer = Layer::RpcOverRdma;
                return Err(Illegal::new(layer, field, value, PRIVATE_DATA_SECTION));
            }
        }
        Self::new(view.remote_invalidation(), view.send_size(), view.receive_size())
    }
}
