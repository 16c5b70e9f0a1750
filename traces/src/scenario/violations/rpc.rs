//! RPC-over-RDMA connections that break one rule each, and some that only appear to.

use super::setup::{self, Case, Cases};
use crate::message::Target;
use crate::scenario::catalogue::{
    BUFFER_OFFSET, Generated, SINK, SOURCE, Scenario, payload, read_header, tagged,
};
use crate::session::{Agreement, INITIATOR, RESPONDER};
use crate::{Result, message, rpc};
use warpscope_wire::mpa::RdmaPrivateData;
use warpscope_wire::rdmap::Message;
use warpscope_wire::rpcrdma::{Chunks, ReadSegment, Segment, TransportError};

pub(in crate::scenario) const RPC: Scenario = Scenario {
    name: "violations-rpc",
    contains: "connections whose RPC-over-RDMA breaks a rule each; the last ones look as if they did",
    purpose: "each rule of RPC-over-RDMA is tripped where it is broken, and where it is not, not",
    make: make_rpc,
};

/// A procedure with short results.
const GETATTR: u32 = 1;
/// A procedure with an item that may be in a read chunk.
const SYMLINK: u32 = 10;
/// Byte offsets of the words in a transport header.
const VERSION: usize = 4;
const CREDITS: usize = 8;
const PROCEDURE: usize = 12;
/// The number of frames before the request: the TCP handshake.
const HANDSHAKE: usize = 3;

/// A function that sends the messages of both ends.
type Play = fn(&mut RpcRdmaPair<'_>) -> Result<()>;

/// A connection that breaks a rule.
struct Violation {
    /// The rule; `None` if the whole connection is legal.
    rule: Option<&'static str>,
    /// Whether a call of XID 1 and its reply come first.
    greeted: bool,
    /// Private data of the request and of the reply.
    private_data: fn() -> Result<[Vec<u8>; 2]>,
    play: Play,
}

/// Returns a connection with the usual private data.
const fn breaks(rule: &'static str, play: Play) -> Violation {
    Violation { rule: Some(rule), greeted: true, private_data: agreed, play }
}

const fn breaks_at_once(rule: &'static str, play: Play) -> Violation {
    Violation { greeted: false, ..breaks(rule, play) }
}

fn make_rpc() -> Result<Generated> {
    let mut cases = Cases::new(52_000);
    let tables = [MESSAGES, EXCHANGES, LEGAL];
    for violation in tables.into_iter().flatten() {
        let private_data = (violation.private_data)()?;
        let agreement = Agreement { private_data, ..Agreement::default() };
        cases.new_connection(|case| {
            let rule = violation.rule;
            if let Some(rule) = rule.filter(|rule| rule.starts_with("rpc-private")) {
                case.breaks_later(rule, INITIATOR, HANDSHAKE);
            }
            case.session.open(&agreement)?;
            let mut talk = RpcRdmaPair { case, rule, wrong: None };
            if violation.greeted {
                talk.ordinary(1)?;
            }
            (violation.play)(&mut talk)
        })?;
    }
    Ok(cases.made())
}

/// Returns private data in which both sides support remote invalidation, and 4096 bytes inline.
fn agreed() -> Result<[Vec<u8>; 2]> {
    let private_data = RdmaPrivateData::new(true, 4096, 4096)?.bytes().to_vec();
    Ok([private_data.clone(), private_data])
}

/// Two ends that speak RPC-over-RDMA; their messages may be illegal.
struct RpcRdmaPair<'a> {
    case: &'a mut Case,
    rule: Option<&'static str>,
    /// The number of frames after the next one until the rule is broken.
    wrong: Option<usize>,
}

impl RpcRdmaPair<'_> {
    /// Marks the next frame as the one that breaks the rule.
    fn wrong(&mut self) -> &mut Self {
        self.wrong_in(0)
    }

    /// Marks the frame that is `later` frames after the next one as the one that breaks the rule.
    fn wrong_in(&mut self, later: usize) -> &mut Self {
        self.wrong = Some(later);
        self
    }

    fn send(&mut self, side: usize, message: Message, target: Target, bytes: &[u8]) -> Result<()> {
        if let (Some(later), Some(rule)) = (self.wrong.take(), self.rule) {
            self.case.breaks_later(rule, side, later);
        }
        self.case.send(side, message, target, bytes)
    }

    /// Sends a Send from the initiator.
    fn call(&mut self, bytes: &[u8]) -> Result<()> {
        self.send(INITIATOR, Message::Send, Target::Queue, bytes)
    }

    /// Sends a Send from the responder.
    fn answer(&mut self, bytes: &[u8]) -> Result<()> {
        self.send(RESPONDER, Message::Send, Target::Queue, bytes)
    }

    /// Sends a Send with Invalidate from the responder.
    fn answer_invalidating(&mut self, tag: u32, bytes: &[u8]) -> Result<()> {
        self.send(RESPONDER, Message::SendInvalidate, Target::Invalidate(tag), bytes)
    }

    /// Sends an ordinary call and its reply, which grants 32 credits.
    fn ordinary(&mut self, xid: u32) -> Result<()> {
        self.call(&plain_call(xid)?)?;
        self.answer(&plain_reply(xid)?)
    }

    /// Sends an RDMA Write from the responder into the offered buffer.
    fn write(&mut self, offset: u64, bytes: usize) -> Result<()> {
        self.write_bytes(offset, &payload(710, bytes))
    }

    fn write_bytes(&mut self, offset: u64, bytes: &[u8]) -> Result<()> {
        self.send(RESPONDER, Message::Write, tagged(offset), bytes)
    }

    /// Sends an RDMA Read Request from the responder for the memory that [`source`] names.
    fn read_request(&mut self, length: usize) -> Result<()> {
        let request = message::read_request(&read_header(length as u32));
        self.send(RESPONDER, Message::ReadRequest, Target::Queue, &request)
    }

    /// Sends the RDMA Read Response.
    fn read_response(&mut self, bytes: &[u8]) -> Result<()> {
        self.send(INITIATOR, Message::ReadResponse, tagged(0), bytes)
    }

    /// Sends an RDMA Read Request and its response.
    fn read(&mut self, bytes: &[u8]) -> Result<()> {
        self.read_request(bytes.len())?;
        self.read_response(bytes)
    }
}

const SOURCE_OFFSET: u64 = 0x2000;

/// Returns a segment of the initiator's memory to read.
fn source(length: u32) -> Segment {
    Segment { handle: SOURCE, length, offset: SOURCE_OFFSET }
}

/// Returns a segment of the initiator's memory to write to.
fn sink(offset: u64, length: u32) -> Segment {
    Segment { handle: SINK, length, offset: BUFFER_OFFSET + offset }
}

/// Returns a read list with these positions and lengths, all in the same memory.
fn reads(list: &[(u32, u32)]) -> Chunks {
    let read = |(position, length): &(u32, u32)| ReadSegment {
        position: *position,
        target: source(*length),
    };
    Chunks { reads: list.iter().map(read).collect(), ..Chunks::default() }
}

fn writes(list: &[&[Segment]]) -> Chunks {
    Chunks { writes: list.iter().map(|chunk| chunk.to_vec()).collect(), ..Chunks::default() }
}

fn reply_chunk(segments: &[Segment]) -> Chunks {
    Chunks { reply: Some(segments.to_vec()), ..Chunks::default() }
}

/// Returns a call with chunks and 36 bytes of arguments: 76 bytes of RPC message.
fn call_with(xid: u32, chunks: Chunks) -> Result<Vec<u8>> {
    let procedure = if chunks.reads.is_empty() { GETATTR } else { SYMLINK };
    rpc::message(xid, chunks, &rpc::call(xid, procedure, 36))
}

fn reply_with(xid: u32, chunks: Chunks) -> Result<Vec<u8>> {
    rpc::message(xid, chunks, &rpc::reply(xid, 40)?)
}

/// Returns a call without chunks.
fn plain_call(xid: u32) -> Result<Vec<u8>> {
    call_with(xid, Chunks::default())
}

/// Returns a reply without chunks.
fn plain_reply(xid: u32) -> Result<Vec<u8>> {
    reply_with(xid, Chunks::default())
}

/// Returns the bytes with the word at an offset replaced.
fn patched(bytes: Vec<u8>, at: usize, word: u32) -> Vec<u8> {
    setup::patched(bytes, at, &word.to_be_bytes())
}

// Single messages that break a rule.

const MESSAGES: &[Violation] = &[
    // A read list whose first word is 2.
    breaks("rpc-header", |talk| refused(talk, &patched(plain_call(2)?, 16, 2))),
    // Procedure 9.
    breaks("rpc-procedure", |talk| refused(talk, &patched(plain_call(2)?, PROCEDURE, 9))),
    // Version 2, and the RDMA_ERROR that answers it.
    breaks("rpc-version", |talk| {
        talk.wrong().call(&patched(plain_call(2)?, VERSION, 2))?;
        talk.answer(&rpc::error(2, 2, TransportError::Version { low: 1, high: 1 })?)
    }),
    // An RDMA_MSGP.
    breaks("rpc-msgp", |talk| {
        refused(talk, &rpc::message_padded(2, 4, 1024, &rpc::call(2, 1, 36))?)
    }),
    // An RDMA_DONE.
    breaks("rpc-done", |talk| talk.wrong().call(&rpc::done(2))),
    // Two XIDs in a Send.
    breaks("rpc-xid", |talk| {
        talk.wrong().call(&rpc::message(2, Chunks::default(), &rpc::call(3, 1, 36))?)?;
        talk.answer(&plain_reply(2)?)
    }),
    // Another XID in the read chunk.
    breaks("rpc-xid", |talk| {
        talk.call(&rpc::no_message(2, reads(&[(0, 76)]))?)?;
        talk.read_request(76)?;
        talk.wrong().read_response(&rpc::call(3, 1, 36))?;
        talk.answer(&plain_reply(2)?)
    }),
    // An RDMA_MSG that ends with its header.
    breaks("rpc-payload", |talk| refused(talk, &rpc::message(2, Chunks::default(), &[])?)),
    // An RDMA_NOMSG with bytes after its header.
    breaks("rpc-payload", |talk| {
        let header = rpc::no_message(2, reads(&[(0, 76)]))?;
        talk.wrong().call(&[header, vec![0; 4]].concat())?;
        talk.read(&rpc::call(2, 1, 36))?;
        talk.answer(&plain_reply(2)?)
    }),
    // An RDMA_NOMSG without chunks.
    breaks("rpc-nomsg-empty", |talk| {
        let header = rpc::message(2, Chunks::default(), &[])?;
        refused(talk, &patched(header, PROCEDURE, 1))
    }),
    // An RDMA_NOMSG call with only a chunk of position 40.
    breaks("rpc-nomsg-payload", |talk| refused(talk, &rpc::no_message(2, reads(&[(40, 100)]))?)),
    // An RDMA_NOMSG reply whose reply chunk is unused.
    breaks("rpc-nomsg-payload", |talk| {
        talk.call(&call_with(2, reply_chunk(&[sink(0, 4000)]))?)?;
        talk.wrong().answer(&rpc::no_message(2, reply_chunk(&[sink(0, 0)]))?)
    }),
    // A read chunk of position 42.
    breaks("rpc-read-position-multiple", |talk| refused(talk, &call_with(2, reads(&[(42, 100)]))?)),
    // A read chunk within another.
    breaks("rpc-read-position", |talk| {
        refused(talk, &call_with(2, reads(&[(44, 100), (96, 20)]))?)
    }),
    // A read chunk after the end of the call.
    breaks("rpc-read-position", |talk| refused(talk, &call_with(2, reads(&[(200, 100)]))?)),
    // An RDMA_MSG with a read chunk of position 0.
    breaks("rpc-read-header", |talk| refused(talk, &call_with(2, reads(&[(0, 100)]))?)),
    // The program's version in a read chunk.
    breaks("rpc-read-header", |talk| {
        let mut reduced = rpc::call(2, 1, 36);
        let version: Vec<u8> = reduced.drain(16..20).collect();
        talk.call(&rpc::message(2, reads(&[(16, 4)]), &reduced)?)?;
        talk.read_request(4)?;
        talk.wrong().read_response(&version)?;
        talk.answer(&plain_reply(2)?)
    }),
    // A read chunk in a call with integrity.
    breaks("rpc-gss-chunk", |talk| {
        talk.call(&rpc::message(2, reads(&[(72, 20)]), &protected_call(2))?)?;
        talk.read_request(20)?;
        talk.wrong().read_response(&[7; 20])?;
        talk.answer(&plain_reply(2)?)
    }),
    // A used write chunk in the reply to a call with integrity.
    breaks("rpc-gss-chunk", |talk| {
        let offered = writes(&[&[sink(0, 500)]]);
        talk.call(&rpc::message(2, offered.clone(), &protected_call(2))?)?;
        talk.write(0, 500)?;
        talk.wrong().answer(&reply_with(2, offered)?)
    }),
    // Part of GETATTR's file handle in a read chunk.
    breaks("rpc-read-ineligible", |talk| {
        let call = rpc::call_with(2, GETATTR, &rpc::getattr());
        talk.call(&rpc::message(2, reads(&[(44, 32)]), &call[..44])?)?;
        talk.read_request(32)?;
        talk.wrong().read_response(&call[44..])?;
        talk.answer(&plain_reply(2)?)
    }),
    // The same in a call of NFSACL.
    breaks("rpc-read-ineligible", |talk| {
        let mut call = rpc::call_with(2, GETATTR, &rpc::getattr());
        call[12..16].copy_from_slice(&NFSACL.to_be_bytes());
        talk.call(&rpc::message(2, reads(&[(44, 32)]), &call[..44])?)?;
        talk.read_request(32)?;
        talk.wrong().read_response(&call[44..])?;
        talk.answer(&plain_reply(2)?)
    }),
    // A WRITE of 98 bytes in a COMPOUND, with a read chunk of 96.
    breaks("rpc-read-length", |talk| {
        let write = [0, 0, 1, WRITE_4, 0, 0, 0, 0, 0, 0, 2, 98];
        let arguments: Vec<u8> = write.into_iter().flat_map(u32::to_be_bytes).collect();
        let mut call = rpc::call_with(2, COMPOUND, &arguments);
        call[16..20].copy_from_slice(&4_u32.to_be_bytes());
        talk.call(&rpc::message(2, reads(&[(call.len() as u32, 96)]), &call)?)?;
        talk.read_request(96)?;
        talk.wrong().read_response(&payload(712, 96))?;
        talk.answer(&plain_reply(2)?)
    }),
    // The data of a WRITE, 98 bytes long, in a read chunk of 96 bytes and in one of 104.
    breaks("rpc-read-length", |talk| wrote(talk, 98, 96)),
    breaks("rpc-read-length", |talk| wrote(talk, 98, 104)),
    // A READ of 600 bytes with a write chunk of 500.
    breaks("rpc-write-room", |talk| {
        let offered = writes(&[&[sink(0, 500)]]);
        let call = rpc::call_with(2, rpc::READ, &rpc::read(600));
        talk.wrong().call(&rpc::message(2, offered, &call)?)?;
        talk.answer(&rpc::error(2, 1, TransportError::Chunk)?)
    }),
    // 98 bytes of data with their padding in the write chunk.
    breaks("rpc-returned-item", |talk| was_read(talk, 98, 100)),
    // A call of 78 bytes in a read chunk.
    breaks("rpc-long-message-padding", |talk| {
        talk.wrong().call(&rpc::no_message(2, reads(&[(0, 78)]))?)?;
        talk.read(&rpc::call(2, 1, 38))?;
        talk.answer(&plain_reply(2)?)
    }),
    // A reply with a read list.
    breaks("rpc-reply-read-list", |talk| {
        talk.call(&plain_call(2)?)?;
        talk.wrong().answer(&reply_with(2, reads(&[(44, 100)]))?)
    }),
    // A reply that grants no credits.
    breaks("rpc-credits-zero", |talk| {
        talk.call(&plain_call(2)?)?;
        talk.wrong().answer(&patched(plain_reply(2)?, CREDITS, 0))
    }),
];

/// Sends a faulty call, and the correct refusal.
fn refused(talk: &mut RpcRdmaPair<'_>, call: &[u8]) -> Result<()> {
    talk.wrong().call(call)?;
    talk.answer(&rpc::error(2, 1, TransportError::Chunk)?)
}

/// The program number of NFSACL, and a procedure and an operation of NFS version 4.
const NFSACL: u32 = 100_227;
const COMPOUND: u32 = 1;
const WRITE_4: u32 = 38;

/// Sends a WRITE of `count` bytes, with a read chunk of `length` bytes.
fn wrote(talk: &mut RpcRdmaPair<'_>, count: u32, length: u32) -> Result<()> {
    let call = rpc::call_with(2, rpc::WRITE, &rpc::write(count));
    talk.call(&rpc::message(2, reads(&[(call.len() as u32, length)]), &call)?)?;
    talk.read_request(length as usize)?;
    talk.wrong().read_response(&payload(711, length as usize))?;
    talk.answer(&rpc::message(
        2,
        Chunks::default(),
        &rpc::reply_with(2, &rpc::write_results(count))?,
    )?)
}

/// Sends a READ that returns `count` bytes, and a write chunk that is returned with `length` bytes.
fn was_read(talk: &mut RpcRdmaPair<'_>, count: u32, length: u32) -> Result<()> {
    let offered = writes(&[&[sink(0, 500)]]);
    let call = rpc::call_with(2, rpc::READ, &rpc::read(500));
    talk.call(&rpc::message(2, offered, &call)?)?;
    talk.write(0, length as usize)?;
    let reply = rpc::reply_with(2, &rpc::read_results(count))?;
    talk.wrong().answer(&rpc::message(2, writes(&[&[sink(0, length)]]), &reply)?)
}

/// Returns a call whose credential asks for the integrity service of RPCSEC_GSS: 72 bytes of header.
fn protected_call(xid: u32) -> Vec<u8> {
    let credential = [6, 24, 1, 0, 1, 2, 4, 0x6861_6e64];
    let header = [xid, 0, 2, 100_003, 3, 1].into_iter().chain(credential).chain([6, 0]);
    header.chain([1, 2, 3]).flat_map(u32::to_be_bytes).collect()
}

// Calls and replies that break a rule in combination.

const EXCHANGES: &[Violation] = &[
    // Two calls before the first reply.
    breaks_at_once("rpc-credits-first", |talk| {
        talk.call(&plain_call(1)?)?;
        talk.wrong().call(&plain_call(2)?)?;
        talk.answer(&plain_reply(1)?)?;
        talk.answer(&plain_reply(2)?)
    }),
    // Three calls with two credits.
    breaks_at_once("rpc-credits-exceeded", |talk| {
        for xid in [1, 2] {
            talk.call(&plain_call(xid)?)?;
            talk.answer(&patched(plain_reply(xid)?, CREDITS, 2))?;
        }
        talk.call(&plain_call(3)?)?;
        talk.call(&plain_call(4)?)?;
        talk.wrong().call(&plain_call(5)?)?;
        [3, 4, 5].into_iter().try_for_each(|xid| talk.answer(&plain_reply(xid)?))
    }),
    // A reply for which no call is waiting.
    breaks("rpc-reply-unknown", |talk| {
        talk.wrong().answer(&plain_reply(9)?)?;
        talk.ordinary(2)
    }),
    // A second reply.
    breaks("rpc-reply-unknown", |talk| talk.wrong().answer(&plain_reply(1)?)),
    // A reply to a long call that was not read.
    breaks("rpc-reply-unread", |talk| {
        talk.call(&rpc::no_message(2, reads(&[(0, 76)]))?)?;
        talk.wrong().answer(&plain_reply(2)?)
    }),
    // Only one segment of two is returned.
    breaks("rpc-write-list", |talk| {
        let offered = writes(&[&[sink(0, 1500), sink(0x1000, 500)]]);
        written(talk, offered, 1000, writes(&[&[sink(0, 1000)]]))
    }),
    // A different handle is returned.
    breaks("rpc-write-list", |talk| {
        let returned = Segment { handle: 1, ..sink(0, 0) };
        written(talk, writes(&[&[sink(0, 1500)]]), 0, writes(&[&[returned]]))
    }),
    // No write list is returned.
    breaks("rpc-write-list", |talk| {
        written(talk, writes(&[&[sink(0, 1500)]]), 0, Chunks::default())
    }),
    // No reply chunk is returned.
    breaks("rpc-reply-chunk", |talk| {
        written(talk, reply_chunk(&[sink(0, 4000)]), 0, Chunks::default())
    }),
    // A reply chunk that was not offered.
    breaks("rpc-reply-chunk", |talk| {
        written(talk, Chunks::default(), 0, reply_chunk(&[sink(0, 0)]))
    }),
    // More bytes are returned than were offered.
    breaks("rpc-returned-length", |talk| {
        written(talk, writes(&[&[sink(0, 100)]]), 100, writes(&[&[sink(0, 200)]]))
    }),
    // 1500 bytes are returned, but only 1000 were written.
    breaks("rpc-returned-unwritten", |talk| {
        written(talk, writes(&[&[sink(0, 1500)]]), 1000, writes(&[&[sink(0, 1500)]]))
    }),
    // A Write that no call requested.
    breaks("rpc-write-unoffered", |talk| {
        talk.wrong().write(0, 100)?;
        talk.ordinary(2)
    }),
    // A Write after the end of the chunk.
    breaks("rpc-write-unoffered", |talk| {
        talk.call(&call_with(2, writes(&[&[sink(0, 100)]]))?)?;
        talk.wrong().write(0, 104)?;
        talk.answer(&reply_with(2, writes(&[&[sink(0, 0)]]))?)?;
        talk.ordinary(3)
    }),
    // A Write after the reply.
    breaks("rpc-write-unoffered", |talk| {
        let offered = writes(&[&[sink(0, 100)]]);
        talk.call(&call_with(2, offered.clone())?)?;
        talk.write(0, 100)?;
        talk.answer(&reply_with(2, offered)?)?;
        talk.wrong().write(0, 100)?;
        talk.ordinary(3)
    }),
    // A Read that no call requested.
    breaks("rpc-read-unoffered", |talk| {
        talk.wrong().read(&[5; 100])?;
        talk.ordinary(2)
    }),
    // An RDMA_ERROR for which no call is waiting.
    breaks("rpc-error-xid", |talk| {
        talk.wrong().answer(&rpc::error(9, 1, TransportError::Chunk)?)?;
        talk.ordinary(2)
    }),
    // An RDMA_ERROR from the requester.
    breaks("rpc-error-sender", |talk| {
        talk.wrong().call(&rpc::error(1, 1, TransportError::Chunk)?)?;
        talk.ordinary(2)
    }),
    // An RDMA_ERROR with version 3.
    breaks("rpc-error-version", |talk| {
        talk.call(&plain_call(2)?)?;
        talk.wrong().answer(&rpc::error(2, 3, TransportError::Chunk)?)
    }),
    // Version 1 is refused, but listed as supported.
    breaks("rpc-error-range", |talk| {
        talk.call(&plain_call(2)?)?;
        talk.wrong().answer(&rpc::error(2, 1, TransportError::Version { low: 1, high: 2 })?)
    }),
    // Versions from 3 to 2.
    breaks("rpc-error-range", |talk| {
        talk.call(&plain_call(2)?)?;
        talk.wrong().answer(&rpc::error(2, 1, TransportError::Version { low: 3, high: 2 })?)
    }),
    // 5000 bytes of arguments in a Send.
    breaks("rpc-inline-threshold", |talk| {
        talk.wrong_in(4).call(&rpc::message(2, Chunks::default(), &rpc::call(2, 1, 5000))?)?;
        talk.answer(&plain_reply(2)?)
    }),
    // 2000 bytes of results in a Send, without private data.
    Violation {
        private_data: || Ok([Vec::new(), Vec::new()]),
        ..breaks("rpc-inline-default", |talk| {
            talk.call(&plain_call(2)?)?;
            talk.wrong_in(1).answer(&rpc::message(2, Chunks::default(), &rpc::reply(2, 2000)?)?)
        })
    },
    // An STag that the call does not offer.
    breaks("rpc-invalidate-stag", |talk| {
        talk.call(&call_with(2, writes(&[&[sink(0, 100)]]))?)?;
        talk.wrong().answer_invalidating(0x99, &reply_with(2, writes(&[&[sink(0, 0)]]))?)
    }),
    // An STag that another call offers too.
    breaks("rpc-invalidate-stag", |talk| {
        for xid in [2, 3] {
            talk.call(&call_with(xid, writes(&[&[sink(0, 100)]]))?)?;
        }
        let unused = writes(&[&[sink(0, 0)]]);
        talk.wrong().answer_invalidating(sink(0, 0).handle, &reply_with(2, unused.clone())?)?;
        talk.answer(&reply_with(3, unused)?)
    }),
    // A responder with R clear invalidates.
    Violation {
        private_data: || {
            let [request, _] = agreed()?;
            Ok([request, RdmaPrivateData::new(false, 4096, 4096)?.bytes().to_vec()])
        },
        ..breaks("rpc-invalidate-unagreed", |talk| {
            talk.call(&call_with(2, reads(&[(76, 20)]))?)?;
            talk.read(&[9; 20])?;
            talk.wrong().answer_invalidating(source(0).handle, &plain_reply(2)?)
        })
    },
    // Six bytes of private data.
    Violation {
        private_data: || with_request(|data| data.truncate(6)),
        ..breaks("rpc-private-length", |_| Ok(()))
    },
    // Version 2 of the private data.
    Violation {
        private_data: || with_request(|data| data[4] = 2),
        ..breaks("rpc-private-version", |_| Ok(()))
    },
    // Reserved bits in the private data.
    Violation {
        private_data: || with_request(|data| data[5] |= 0x80),
        ..breaks("rpc-private-reserved", |_| Ok(()))
    },
];

/// Sends a call that offers chunks, a Write of some bytes to their beginning, and a reply that returns
/// others.
fn written(
    talk: &mut RpcRdmaPair<'_>,
    offered: Chunks,
    bytes: usize,
    returned: Chunks,
) -> Result<()> {
    talk.call(&call_with(2, offered)?)?;
    if bytes > 0 {
        talk.write(0, bytes)?;
    }
    talk.wrong().answer(&reply_with(2, returned)?)
}

/// Returns private data, with that of the request changed.
fn with_request(change: impl FnOnce(&mut Vec<u8>)) -> Result<[Vec<u8>; 2]> {
    let [mut request, reply] = agreed()?;
    change(&mut request);
    Ok([request, reply])
}

// Exchanges that appear to break a rule, but are legal.

const LEGAL: &[Violation] = &[
    // A reply chunk and write chunks that are not used.
    legal(|talk| {
        let with = |length| Chunks {
            writes: vec![vec![sink(0, length), sink(0x1000, length)], Vec::new()],
            ..reply_chunk(&[sink(0x2000, length)])
        };
        talk.call(&call_with(2, with(500))?)?;
        talk.answer(&reply_with(2, with(0))?)
    }),
    // A reply in a reply chunk of two segments, the second one half full.
    legal(|talk| {
        talk.call(&call_with(2, reply_chunk(&[sink(0, 1000), sink(0x1000, 2000)]))?)?;
        let reply = rpc::reply(2, 1976)?;
        talk.write_bytes(0, &reply[..1000])?;
        talk.write_bytes(0x1000, &reply[1000..])?;
        talk.answer(&rpc::no_message(2, reply_chunk(&[sink(0, 1000), sink(0x1000, 1000)]))?)
    }),
    // Calls up to the grant, replies in a different order.
    legal_at_once(|talk| {
        talk.call(&plain_call(1)?)?;
        talk.answer(&patched(plain_reply(1)?, CREDITS, 3))?;
        for xid in [2, 3, 4] {
            talk.call(&plain_call(xid)?)?;
        }
        for xid in [4, 2, 3] {
            talk.answer(&plain_reply(xid)?)?;
        }
        Ok(())
    }),
    // A call that was in progress when the grant shrank.
    legal(|talk| {
        for xid in [2, 3, 4] {
            talk.call(&plain_call(xid)?)?;
        }
        talk.answer(&patched(plain_reply(2)?, CREDITS, 1))?;
        talk.call(&plain_call(5)?)?;
        [3, 4, 5].into_iter().try_for_each(|xid| talk.answer(&plain_reply(xid)?))
    }),
    // The same XID in both directions, the backward call with a reply chunk.
    legal(|talk| {
        talk.call(&plain_call(5)?)?;
        talk.answer(&call_with(5, reply_chunk(&[sink(0, 500)]))?)?;
        talk.answer(&plain_reply(5)?)?;
        talk.call(&reply_with(5, reply_chunk(&[sink(0, 0)]))?)
    }),
    // Remote invalidation of a read chunk.
    legal(|talk| {
        talk.call(&call_with(2, reads(&[(76, 20)]))?)?;
        talk.read(&[9; 20])?;
        talk.answer_invalidating(source(0).handle, &plain_reply(2)?)
    }),
    // The data of a WRITE with its padding and without, and a READ's.
    legal(|talk| wrote(talk, 98, 98)),
    legal(|talk| wrote(talk, 98, 100)),
    legal(|talk| was_read(talk, 98, 98)),
    // 4096 bytes in a Send.
    legal(|talk| {
        let call = rpc::message(2, Chunks::default(), &rpc::call(2, 1, 4096 - 28 - 40))?;
        talk.call(&call)?;
        talk.answer(&plain_reply(2)?)
    }),
    // Two read chunks, the first without its padding, the second with it.
    legal(|talk| {
        talk.call(&call_with(2, reads(&[(60, 10), (72, 100)]))?)?;
        talk.read(&[1; 10])?;
        talk.read(&[2; 100])?;
        talk.answer(&plain_reply(2)?)
    }),
    // A long call with another read chunk in it.
    legal(|talk| {
        let call = rpc::call(2, SYMLINK, 36);
        talk.call(&rpc::no_message(2, reads(&[(0, 76), (48, 16)]))?)?;
        talk.read(&call)?;
        talk.read(&[3; 16])?;
        talk.answer(&plain_reply(2)?)
    }),
    // Private data after bytes of another protocol, and 2000 bytes in a Send.
    Violation {
        private_data: || {
            let [request, reply] = agreed()?;
            Ok([[vec![1, 2, 3], request].concat(), [vec![4], reply, vec![5]].concat()])
        },
        ..legal(|talk| {
            talk.call(&rpc::message(2, Chunks::default(), &rpc::call(2, 1, 2000))?)?;
            talk.answer(&plain_reply(2)?)
        })
    },
    // No private data, and no more than 1024 bytes in a Send.
    Violation { private_data: || Ok([Vec::new(), Vec::new()]), ..legal(|_| Ok(())) },
];

const fn legal(play: Play) -> Violation {
    Violation { rule: None, greeted: true, private_data: agreed, play }
}

const fn legal_at_once(play: Play) -> Violation {
    Violation { greeted: false, ..legal(play) }
}
