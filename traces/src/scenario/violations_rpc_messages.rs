//! Messages that break a rule by themselves.

use super::violations_rpc::{
    CREDITS, PROCEDURE, Talk, VERSION, Violation, agreed, call_with, patched, plain_call,
    plain_reply, reads, reply_chunk, reply_with, sink, writes,
};
use crate::Result;
use crate::rpc;
use warpscope_wire::rpcordma::{Chunks, TransportError};

pub(super) const VIOLATIONS: &[Violation] = &[
    row("rpc-header", "a read list whose first word is 2", |talk| {
        refused(talk, &patched(plain_call(2)?, 16, 2))
    }),
    row("rpc-procedure", "procedure 9", |talk| {
        refused(talk, &patched(plain_call(2)?, PROCEDURE, 9))
    }),
    row("rpc-version", "version 2, and the RDMA_ERROR that it deserves", |talk| {
        talk.ordinary(1)?;
        talk.call(&patched(plain_call(2)?, VERSION, 2))?;
        talk.answer(&rpc::error(2, 2, TransportError::Version { low: 1, high: 1 })?)
    }),
    row("rpc-msgp", "an RDMA_MSGP", |talk| {
        refused(talk, &rpc::message_padded(2, 4, 1024, &rpc::call(2, 1, 36))?)
    }),
    row("rpc-done", "an RDMA_DONE", |talk| {
        talk.ordinary(1)?;
        talk.call(&rpc::done(2))
    }),
    row("rpc-xid", "two XIDs in a Send", |talk| {
        talk.ordinary(1)?;
        talk.call(&rpc::message(2, Chunks::default(), &rpc::call(3, 1, 36))?)?;
        talk.answer(&plain_reply(2)?)
    }),
    row("rpc-xid", "another XID in the read chunk", |talk| {
        talk.ordinary(1)?;
        talk.call(&rpc::no_message(2, reads(&[(0, 76)]))?)?;
        talk.read(&rpc::call(3, 1, 36))?;
        talk.answer(&plain_reply(2)?)
    }),
    row("rpc-payload", "an RDMA_MSG that ends with its header", |talk| {
        refused(talk, &rpc::message(2, Chunks::default(), &[])?)
    }),
    row("rpc-payload", "an RDMA_NOMSG with octets behind its header", |talk| {
        talk.ordinary(1)?;
        let header = rpc::no_message(2, reads(&[(0, 76)]))?;
        talk.call(&[header, vec![0; 4]].concat())?;
        talk.read(&rpc::call(2, 1, 36))?;
        talk.answer(&plain_reply(2)?)
    }),
    row("rpc-nomsg-empty", "an RDMA_NOMSG without chunks", |talk| {
        let header = rpc::message(2, Chunks::default(), &[])?;
        refused(talk, &patched(header, PROCEDURE, 1))
    }),
    row("rpc-nomsg-payload", "an RDMA_NOMSG call with a chunk of position 40 alone", |talk| {
        refused(talk, &rpc::no_message(2, reads(&[(40, 100)]))?)
    }),
    row("rpc-nomsg-payload", "an RDMA_NOMSG reply whose reply chunk is unused", |talk| {
        talk.ordinary(1)?;
        talk.call(&call_with(2, reply_chunk(&[sink(0, 4000)]))?)?;
        talk.answer(&rpc::no_message(2, reply_chunk(&[sink(0, 0)]))?)
    }),
    row("rpc-read-position-multiple", "a read chunk of position 42", |talk| {
        refused(talk, &call_with(2, reads(&[(42, 100)]))?)
    }),
    row("rpc-read-position", "a read chunk within another", |talk| {
        refused(talk, &call_with(2, reads(&[(44, 100), (96, 20)]))?)
    }),
    row("rpc-read-position", "a read chunk behind the end of the call", |talk| {
        refused(talk, &call_with(2, reads(&[(200, 100)]))?)
    }),
    row("rpc-read-header", "an RDMA_MSG with a read chunk of position 0", |talk| {
        refused(talk, &call_with(2, reads(&[(0, 100)]))?)
    }),
    row("rpc-read-header", "the program's version in a read chunk", |talk| {
        talk.ordinary(1)?;
        let mut reduced = rpc::call(2, 1, 36);
        let version: Vec<u8> = reduced.drain(16..20).collect();
        talk.call(&rpc::message(2, reads(&[(16, 4)]), &reduced)?)?;
        talk.read(&version)?;
        talk.answer(&plain_reply(2)?)
    }),
    row("rpc-gss-chunk", "a read chunk in a call with integrity", |talk| {
        talk.ordinary(1)?;
        talk.call(&rpc::message(2, reads(&[(72, 20)]), &protected_call(2))?)?;
        talk.read(&[7; 20])?;
        talk.answer(&plain_reply(2)?)
    }),
    row("rpc-gss-chunk", "a used write chunk in the reply to a call with integrity", |talk| {
        talk.ordinary(1)?;
        let offered = writes(&[&[sink(0, 500)]]);
        talk.call(&rpc::message(2, offered.clone(), &protected_call(2))?)?;
        talk.write(0, 500)?;
        talk.answer(&reply_with(2, offered)?)
    }),
    row("rpc-long-message-padding", "a call of 78 octets in a read chunk", |talk| {
        talk.ordinary(1)?;
        talk.call(&rpc::no_message(2, reads(&[(0, 78)]))?)?;
        talk.read(&rpc::call(2, 1, 38))?;
        talk.answer(&plain_reply(2)?)
    }),
    row("rpc-reply-read-list", "a reply with a read list", |talk| {
        talk.ordinary(1)?;
        talk.call(&plain_call(2)?)?;
        talk.answer(&reply_with(2, reads(&[(44, 100)]))?)
    }),
    row("rpc-credits-zero", "a reply that grants nothing", |talk| {
        talk.ordinary(1)?;
        talk.call(&plain_call(2)?)?;
        talk.answer(&patched(plain_reply(2)?, CREDITS, 0))
    }),
];

const fn row(
    rule: &'static str,
    what: &'static str,
    play: fn(&mut Talk) -> Result<()>,
) -> Violation {
    Violation { rule: Some(rule), what, private_data: agreed, play }
}

/// A faulty call, refused as it must be.
fn refused(talk: &mut Talk, call: &[u8]) -> Result<()> {
    talk.ordinary(1)?;
    talk.call(call)?;
    talk.answer(&rpc::error(2, 1, TransportError::Chunk)?)
}

/// A call whose credential asks for the integrity service of RPCSEC_GSS: 72 octets of header.
fn protected_call(xid: u32) -> Vec<u8> {
    let credential = [6, 24, 1, 0, 1, 2, 4, 0x6861_6e64];
    let header = [xid, 0, 2, 100_003, 3, 1].into_iter().chain(credential).chain([6, 0]);
    header.chain([1, 2, 3]).flat_map(u32::to_be_bytes).collect()
}
