//! Connections of iSER and iSCSI over it that break one rule each.

use super::setup::{Cases, LEGAL, Pair, Play, patched, put};
use crate::Result;
use crate::scenario::catalogue::{Generated, Scenario};
use crate::session::{Agreement, INITIATOR, RESPONDER};
use warpscope_wire::Writer;
use warpscope_wire::iscsi::{BASIC_HEADER_LENGTH, NO_TAG, Opcode, padding_length};
use warpscope_wire::iser::{Advertised, HEADER_LENGTH, Header, PrivateData};

pub(in crate::scenario) const ISER: Scenario = Scenario {
    name: "violations-iser",
    contains: "connections whose iSER, or iSCSI in it, breaks a rule each",
    purpose: "each rule of iSER and iSCSI is tripped where it is broken",
    make: make_iser,
};

/// The STag that a command offers.
const BUFFER: u32 = 0x1111_1101;
/// The task tag of a login, and of the command after it.
const LOGIN_TAG: u32 = 1;
const TAG: u32 = 2;
/// The flags of a SCSI Command (RFC 7143 §11.3.1): F, R, W, and a simple task.
const FINAL: u8 = 0x80;
const READ: u8 = 0x40;
const WRITE: u8 = 0x20;
const SIMPLE: u8 = 0x01;
/// The flags of a login from operational negotiation to full feature phase.
const TO_FULL_FEATURE: u8 = 0x87;
/// Length of a block in bytes.
const BLOCK: u32 = 512;

/// A PDU under construction: an iSER header, a Basic Header Segment, and data.
struct Pdu {
    header: Header,
    basic: [u8; BASIC_HEADER_LENGTH],
    data: Vec<u8>,
}

impl Pdu {
    /// Creates a PDU without data, with flags and a task tag; the rest is zero.
    fn new(opcode: Opcode, flags: u8, tag: u32) -> Self {
        let mut basic = [0; BASIC_HEADER_LENGTH];
        basic[0] = opcode as u8;
        basic[1] = flags;
        let header = Header::Control { write: None, read: None };
        let mut pdu = Self { header, basic, data: Vec::new() };
        pdu.word(16, tag);
        pdu
    }

    /// Sets a word of the Basic Header Segment at an offset.
    fn word(&mut self, at: usize, word: u32) -> &mut Self {
        put(&mut self.basic, at, &word.to_be_bytes());
        self
    }

    fn bytes(&self) -> Vec<u8> {
        let padding = padding_length(self.data.len());
        let mut bytes = vec![0; HEADER_LENGTH];
        self.header.emit(&mut Writer::new(&mut bytes));
        let mut basic = self.basic;
        basic[5..8].copy_from_slice(&(self.data.len() as u32).to_be_bytes()[1..]);
        bytes.extend(basic);
        bytes.extend(&self.data);
        bytes.resize(bytes.len() + padding, 0);
        bytes
    }
}

/// Returns a request with its number and the next expected status number.
fn request(opcode: Opcode, flags: u8, tag: u32, number: u32) -> Pdu {
    let mut pdu = Pdu::new(opcode, flags, tag);
    pdu.word(24, number).word(28, number);
    pdu
}

/// Returns a response with its number and the command window.
fn answer(opcode: Opcode, flags: u8, tag: u32, number: u32) -> Pdu {
    let mut pdu = Pdu::new(opcode, flags, tag);
    pdu.word(24, number).word(28, number + 1).word(32, number + 64);
    pdu
}

fn login() -> Pdu {
    let mut pdu = request(Opcode::LoginRequest, TO_FULL_FEATURE, LOGIN_TAG, 0);
    pdu.basic[0] |= 0x40;
    pdu.data = b"InitiatorName=iqn.2026-01.example:a\0SessionType=Discovery\0".to_vec();
    pdu
}

fn login_response() -> Pdu {
    let mut pdu = answer(Opcode::LoginResponse, TO_FULL_FEATURE, LOGIN_TAG, 0);
    // Room for one command, because a login is not counted.
    pdu.word(28, 0).word(32, 0);
    pdu.data = b"TargetPortalGroupTag=1\0".to_vec();
    pdu
}

/// Returns a READ(10) or WRITE(10) of one block, without the buffer that it needs.
fn command(flags: u8) -> Pdu {
    let mut pdu = request(Opcode::ScsiCommand, flags | SIMPLE, TAG, 0);
    pdu.word(20, BLOCK);
    pdu.basic[32] = if flags & WRITE != 0 { 0x2a } else { 0x28 };
    pdu.basic[40] = 1;
    pdu
}

/// Returns a READ(10) of one block with its Read STag.
fn read() -> Pdu {
    let buffer = Advertised { steering_tag: BUFFER, base_offset: 0x1000 };
    let header = Header::Control { write: None, read: Some(buffer) };
    Pdu { header, ..command(FINAL | READ) }
}

/// Returns a TEST UNIT READY with this CmdSN.
fn ready(number: u32) -> Pdu {
    let mut ready = command(FINAL);
    ready.word(20, 0).word(24, number).basic[32] = 0;
    ready
}

/// Returns a SCSI Response with a status.
fn response(status: u8) -> Pdu {
    let mut pdu = answer(Opcode::ScsiResponse, FINAL, TAG, 1);
    pdu.basic[3] = status;
    pdu
}

impl Pair<'_> {
    /// Sends a login and its response.
    fn login(&mut self) -> Result<()> {
        self.send(INITIATOR, &login().bytes())?;
        self.send(RESPONDER, &login_response().bytes())
    }
}

fn hello(header: Header) -> Vec<u8> {
    let mut bytes = vec![0; HEADER_LENGTH];
    header.emit(&mut Writer::new(&mut bytes));
    bytes
}

fn make_iser() -> Result<Generated> {
    let mut cases = Cases::new(55_000);
    for (rule, play) in CASES {
        let private = PrivateData { no_zero_based_addresses: true, no_send_with_invalidate: false };
        let private_data = [private.bytes().to_vec(), private.bytes().to_vec()];
        cases.opened(&Agreement { private_data, ..Agreement::default() }, |case| {
            let mut pair = Pair { case, rule };
            pair.login()?;
            play(&mut pair)
        })?;
    }
    Ok(cases.made())
}

const CASES: &[(&str, Play)] = &[
    // A reserved bit next to WSV and RSV.
    ("iser-header-reserved", |pair| {
        pair.wrong(INITIATOR, &patched(read().bytes(), 0, &[0x16]))?;
        pair.send(RESPONDER, &response(0).bytes())
    }),
    // A Write STag without WSV.
    ("iser-header-reserved", |pair| {
        pair.wrong(INITIATOR, &patched(read().bytes(), 4, &[1, 2, 3, 4]))?;
        pair.send(RESPONDER, &response(0).bytes())
    }),
    // A Hello of version 9, and a HelloReply of version 11.
    ("iser-hello-version", |pair| {
        let header = Header::Hello { inbound_read_depth: 4 };
        pair.wrong(INITIATOR, &patched(hello(header), 1, &[0x99]))
    }),
    ("iser-hello-version", |pair| {
        pair.send(INITIATOR, &hello(Header::Hello { inbound_read_depth: 4 }))?;
        let header = Header::HelloReply { rejected: false, outbound_read_depth: 4 };
        pair.wrong(RESPONDER, &patched(hello(header), 1, &[0xba]))
    }),
    ("iser-read-stag-missing", |pair| {
        pair.wrong(INITIATOR, &command(FINAL | READ).bytes())?;
        pair.send(RESPONDER, &response(0).bytes())
    }),
    // 512 bytes to write, 100 of them immediate.
    ("iser-write-stag-missing", |pair| {
        let mut write = command(FINAL | WRITE);
        write.data = vec![0x55; 100];
        pair.wrong(INITIATOR, &write.bytes())?;
        pair.send(RESPONDER, &response(0).bytes())
    }),
    ("iser-invalidate-stag", |pair| {
        pair.send(INITIATOR, &read().bytes())?;
        pair.wrong_invalidating(BUFFER + 1, &response(0).bytes())
    }),
    // A command that offers no buffer.
    ("iser-invalidate-stag", |pair| {
        let mut ready = command(FINAL);
        ready.word(20, 0).basic[32] = 0;
        pair.send(INITIATOR, &ready.bytes())?;
        pair.wrong_invalidating(BUFFER, &response(0).bytes())
    }),
    ("iser-data-type-pdu", |pair| {
        pair.send(INITIATOR, &read().bytes())?;
        let mut data = answer(Opcode::DataIn, FINAL, TAG, 1);
        data.data = vec![0x55; BLOCK as usize];
        pair.wrong(RESPONDER, &data.bytes())?;
        pair.send(RESPONDER, &response(0).bytes())
    }),
    ("iser-data-type-pdu", |pair| {
        let buffer = Advertised { steering_tag: BUFFER, base_offset: 0 };
        let header = Header::Control { write: Some(buffer), read: None };
        pair.send(INITIATOR, &Pdu { header, ..command(FINAL | WRITE) }.bytes())?;
        pair.wrong(RESPONDER, &answer(Opcode::ReadyToTransfer, FINAL, TAG, 1).bytes())?;
        pair.send(RESPONDER, &response(0).bytes())
    }),
    // A Status SNACK.
    ("iser-snack", |pair| {
        pair.wrong(INITIATOR, &Pdu::new(Opcode::Snack, FINAL | 1, NO_TAG).bytes())
    }),
    // MaxCmdSN is ExpCmdSN - 2.
    ("iscsi-maxcmdsn", |pair| {
        pair.send(INITIATOR, &read().bytes())?;
        pair.wrong(RESPONDER, &response(0).word(32, 0).bytes())
    }),
    // The previous response closed the window.
    ("iscsi-cmdsn-window", |pair| {
        pair.send(INITIATOR, &ready(0).bytes())?;
        pair.send(RESPONDER, &response(0).word(28, 1).word(32, 0).bytes())?;
        pair.wrong(INITIATOR, &ready(1).bytes())
    }),
    ("iscsi-cmdsn", |pair| {
        pair.send(INITIATOR, &ready(0).bytes())?;
        pair.send(RESPONDER, &response(0).bytes())?;
        pair.wrong(INITIATOR, &ready(2).bytes())?;
        pair.send(RESPONDER, &response(0).word(24, 2).bytes())
    }),
    // Two commands with the same number.
    ("iscsi-cmdsn", |pair| {
        pair.send(INITIATOR, &ready(0).bytes())?;
        pair.wrong(INITIATOR, &ready(0).word(16, TAG + 1).bytes())
    }),
    // An immediate command that is counted.
    ("iscsi-cmdsn", |pair| {
        let mut immediate = ready(1);
        immediate.basic[0] |= 0x40;
        pair.wrong(INITIATOR, &immediate.bytes())?;
        pair.send(RESPONDER, &response(0).bytes())
    }),
    ("iscsi-opcode-role", |pair| pair.wrong(INITIATOR, &response(0).bytes())),
    ("iscsi-opcode-role", |pair| pair.wrong(RESPONDER, &read().bytes())),
    // A READ(10) that appears to announce data.
    ("iscsi-command-final", |pair| {
        let mut read = read();
        read.basic[1] = READ | SIMPLE;
        pair.wrong(INITIATOR, &read.bytes())?;
        pair.send(RESPONDER, &response(0).bytes())
    }),
    ("iscsi-command-direction", |pair| {
        pair.wrong(INITIATOR, &command(FINAL).bytes())?;
        pair.send(RESPONDER, &response(0).bytes())
    }),
    ("iscsi-sense-missing", |pair| {
        pair.send(INITIATOR, &read().bytes())?;
        pair.wrong(RESPONDER, &response(2).bytes())
    }),
    // Empty sense data.
    ("iscsi-sense-missing", |pair| {
        pair.send(INITIATOR, &read().bytes())?;
        let mut response = response(2);
        response.data = vec![0, 0];
        pair.wrong(RESPONDER, &response.bytes())
    }),
    ("iscsi-data-not-allowed", |pair| {
        let mut logout = request(Opcode::LogoutRequest, FINAL, TAG, 0);
        logout.data = vec![1];
        pair.wrong(INITIATOR, &logout.bytes())?;
        pair.send(RESPONDER, &answer(Opcode::LogoutResponse, FINAL, TAG, 1).bytes())
    }),
    // A final Text Response that nevertheless has a tag.
    ("iscsi-text-tag", |pair| {
        let mut text = request(Opcode::TextRequest, FINAL, TAG, 0);
        text.word(20, NO_TAG).data = b"SendTargets=All\0".to_vec();
        pair.send(INITIATOR, &text.bytes())?;
        pair.wrong(RESPONDER, &answer(Opcode::TextResponse, FINAL, TAG, 1).word(20, 7).bytes())
    }),
    // C and T in another Login Request.
    ("iscsi-login-continue", |pair| {
        let mut login = login();
        login.basic[1] |= 0x40;
        pair.wrong(INITIATOR, &login.bytes())
    }),
    ("iscsi-version", |pair| {
        let mut login = login();
        login.basic[2] = 1;
        pair.wrong(INITIATOR, &login.bytes())
    }),
    // A command that the target rejected is sent again (RFC 7143 sections 7.2.1 and 7.3).
    (LEGAL, |pair| {
        pair.send(INITIATOR, &ready(0).bytes())?;
        let mut reject = answer(Opcode::Reject, FINAL, NO_TAG, 1);
        reject.basic[2] = 4;
        reject.word(28, 0).word(32, 0).data = ready(0).basic.to_vec();
        pair.send(RESPONDER, &reject.bytes())?;
        pair.send(INITIATOR, &ready(0).bytes())?;
        pair.send(RESPONDER, &response(0).word(24, 2).bytes())?;
        let mut next = ready(1);
        pair.send(INITIATOR, &next.word(16, TAG + 1).bytes())
    }),
];
