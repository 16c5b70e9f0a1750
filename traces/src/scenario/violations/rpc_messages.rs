//! Messages that break a rule by themselves.

use super::rpc::{
    CREDITS, PROCEDURE, Talk, VERSION, Violation, breaks, call_with, patched, plain_call,
    plain_reply, reads, reply_chunk, reply_with, sink, writes,
};
use crate::Result;
use crate::rpc;
use warpscope_wire::rpcrdma::{Chunks, TransportError};

pub(super) const VIOLATIONS: &[Violation] = &[
    // A read list whose first word is 2.
    breaks("rpc-header", |talk| refused(talk, &patched(plain_call(2)?, 16, 2))),
    // Procedure 9.
    breaks("rpc-procedure", |talk| refused(talk, &patched(plain_call(2)?, PROCEDURE, 9))),
    // Version 2, and the RDMA_ERROR that it deserves.
    breaks("rpc-version", |talk| {
        talk.ordinary(1)?;
        talk.wrong().call(&patched(plain_call(2)?, VERSION, 2))?;
        talk.answer(&rpc::error(2, 2, TransportError::Version { low: 1, high: 1 })?)
    }),
    // An RDMA_MSGP.
    breaks("rpc-msgp", |talk| {
        refused(talk, &rpc::message_padded(2, 4, 1024, &rpc::call(2, 1, 36))?)
    }),
    // An RDMA_DONE.
    breaks("rpc-done", |talk| {
        talk.ordinary(1)?;
        talk.wrong().call(&rpc::done(2))
    }),
    // Two XIDs in a Send.
    breaks("rpc-xid", |talk| {
        talk.ordinary(1)?;
        talk.wrong().call(&rpc::message(2, Chunks::default(), &rpc::call(3, 1, 36))?)?;
        talk.answer(&plain_reply(2)?)
    }),
    // Another XID in the read chunk.
    breaks("rpc-xid", |talk| {
        talk.ordinary(1)?;
        talk.call(&rpc::no_message(2, reads(&[(0, 76)]))?)?;
        talk.read_request(76)?;
        talk.wrong().read_response(&rpc::call(3, 1, 36))?;
        talk.answer(&plain_reply(2)?)
    }),
    // An RDMA_MSG that ends with its header.
    breaks("rpc-payload", |talk| refused(talk, &rpc::message(2, Chunks::default(), &[])?)),
    // An RDMA_NOMSG with bytes behind its header.
    breaks("rpc-payload", |talk| {
        talk.ordinary(1)?;
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
    // An RDMA_NOMSG call with a chunk of position 40 alone.
    breaks("rpc-nomsg-payload", |talk| refused(talk, &rpc::no_message(2, reads(&[(40, 100)]))?)),
    // An RDMA_NOMSG reply whose reply chunk is unused.
    breaks("rpc-nomsg-payload", |talk| {
        talk.ordinary(1)?;
        talk.call(&call_with(2, reply_chunk(&[sink(0, 4000)]))?)?;
        talk.wrong().answer(&rpc::no_message(2, reply_chunk(&[sink(0, 0)]))?)
    }),
    // A read chunk of position 42.
    breaks("rpc-read-position-multiple", |talk| refused(talk, &call_with(2, reads(&[(42, 100)]))?)),
    // A read chunk within another.
    breaks("rpc-read-position", |talk| {
        refused(talk, &call_with(2, reads(&[(44, 100), (96, 20)]))?)
    }),
    // A read chunk behind the end of the call.
    breaks("rpc-read-position", |talk| refused(talk, &call_with(2, reads(&[(200, 100)]))?)),
    // An RDMA_MSG with a read chunk of position 0.
    breaks("rpc-read-header", |talk| refused(talk, &call_with(2, reads(&[(0, 100)]))?)),
    // The program's version in a read chunk.
    breaks("rpc-read-header", |talk| {
        talk.ordinary(1)?;
        let mut reduced = rpc::call(2, 1, 36);
        let version: Vec<u8> = reduced.drain(16..20).collect();
        talk.call(&rpc::message(2, reads(&[(16, 4)]), &reduced)?)?;
        talk.read_request(4)?;
        talk.wrong().read_response(&version)?;
        talk.answer(&plain_reply(2)?)
    }),
    // A read chunk in a call with integrity.
    breaks("rpc-gss-chunk", |talk| {
        talk.ordinary(1)?;
        talk.call(&rpc::message(2, reads(&[(72, 20)]), &protected_call(2))?)?;
        talk.read_request(20)?;
        talk.wrong().read_response(&[7; 20])?;
        talk.answer(&plain_reply(2)?)
    }),
    // A used write chunk in the reply to a call with integrity.
    breaks("rpc-gss-chunk", |talk| {
        talk.ordinary(1)?;
        let offered = writes(&[&[sink(0, 500)]]);
        talk.call(&rpc::message(2, offered.clone(), &protected_call(2))?)?;
        talk.write(0, 500)?;
        talk.wrong().answer(&reply_with(2, offered)?)
    }),
    // A call of 78 bytes in a read chunk.
    breaks("rpc-long-message-padding", |talk| {
        talk.ordinary(1)?;
        talk.wrong().call(&rpc::no_message(2, reads(&[(0, 78)]))?)?;
        talk.read(&rpc::call(2, 1, 38))?;
        talk.answer(&plain_reply(2)?)
    }),
    // A reply with a read list.
    breaks("rpc-reply-read-list", |talk| {
        talk.ordinary(1)?;
        talk.call(&plain_call(2)?)?;
        talk.wrong().answer(&reply_with(2, reads(&[(44, 100)]))?)
    }),
    // A reply that grants nothing.
    breaks("rpc-credits-zero", |talk| {
        talk.ordinary(1)?;
        talk.call(&plain_call(2)?)?;
        talk.wrong().answer(&patched(plain_reply(2)?, CREDITS, 0))
    }),
];

/// A faulty call, refused as it must be.
fn refused(talk: &mut Talk<'_>, call: &[u8]) -> Result<()> {
    talk.ordinary(1)?;
    talk.wrong().call(call)?;
    talk.answer(&rpc::error(2, 1, TransportError::Chunk)?)
}

/// A call whose credential asks for the integrity service of RPCSEC_GSS: 72 bytes of header.
fn protected_call(xid: u32) -> Vec<u8> {
    let credential = [6, 24, 1, 0, 1, 2, 4, 0x6861_6e64];
    let header = [xid, 0, 2, 100_003, 3, 1].into_iter().chain(credential).chain([6, 0]);
    header.chain([1, 2, 3]).flat_map(u32::to_be_bytes).collect()
}
