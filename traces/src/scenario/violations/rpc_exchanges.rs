//! Calls and replies that break a rule together.

use super::rpc::{
    CREDITS, Talk, Violation, agreed, breaks, call_with, patched, plain_call, plain_reply, reads,
    reply_chunk, reply_with, sink, source, writes,
};
use crate::Result;
use crate::rpc;
use warpscope_wire::mpa::RdmaPrivateData;
use warpscope_wire::rpcrdma::{Chunks, Segment, TransportError};

pub(super) const VIOLATIONS: &[Violation] = &[
    // Two calls before the first reply.
    breaks("rpc-credits-first", |talk| {
        talk.call(&plain_call(1)?)?;
        talk.wrong().call(&plain_call(2)?)?;
        talk.answer(&plain_reply(1)?)?;
        talk.answer(&plain_reply(2)?)
    }),
    // Three calls with two credits.
    breaks("rpc-credits-exceeded", |talk| {
        for xid in [1, 2] {
            talk.call(&plain_call(xid)?)?;
            talk.answer(&patched(plain_reply(xid)?, CREDITS, 2))?;
        }
        talk.call(&plain_call(3)?)?;
        talk.call(&plain_call(4)?)?;
        talk.wrong().call(&plain_call(5)?)?;
        [3, 4, 5].into_iter().try_for_each(|xid| talk.answer(&plain_reply(xid)?))
    }),
    // A reply that no call waits for.
    breaks("rpc-reply-unknown", |talk| {
        talk.ordinary(1)?;
        talk.wrong().answer(&plain_reply(9)?)?;
        talk.ordinary(2)
    }),
    // A second reply.
    breaks("rpc-reply-unknown", |talk| {
        talk.ordinary(1)?;
        talk.wrong().answer(&plain_reply(1)?)
    }),
    // A reply to a long call that nobody read.
    breaks("rpc-reply-unread", |talk| {
        talk.ordinary(1)?;
        talk.call(&rpc::no_message(2, reads(&[(0, 76)]))?)?;
        talk.wrong().answer(&plain_reply(2)?)
    }),
    // One segment of two comes back.
    breaks("rpc-write-list", |talk| {
        let offered = writes(&[&[sink(0, 1500), sink(0x1000, 500)]]);
        written(talk, offered, 1000, writes(&[&[sink(0, 1000)]]))
    }),
    // Another handle comes back.
    breaks("rpc-write-list", |talk| {
        let returned = Segment { handle: 1, ..sink(0, 0) };
        written(talk, writes(&[&[sink(0, 1500)]]), 0, writes(&[&[returned]]))
    }),
    // No write list comes back.
    breaks("rpc-write-list", |talk| {
        written(talk, writes(&[&[sink(0, 1500)]]), 0, Chunks::default())
    }),
    // No reply chunk comes back.
    breaks("rpc-reply-chunk", |talk| {
        written(talk, reply_chunk(&[sink(0, 4000)]), 0, Chunks::default())
    }),
    // A reply chunk that was not offered.
    breaks("rpc-reply-chunk", |talk| {
        written(talk, Chunks::default(), 0, reply_chunk(&[sink(0, 0)]))
    }),
    // More than was offered comes back.
    breaks("rpc-returned-length", |talk| {
        written(talk, writes(&[&[sink(0, 100)]]), 100, writes(&[&[sink(0, 200)]]))
    }),
    // 1500 bytes come back, 1000 were written.
    breaks("rpc-returned-unwritten", |talk| {
        written(talk, writes(&[&[sink(0, 1500)]]), 1000, writes(&[&[sink(0, 1500)]]))
    }),
    // A Write that no call asked for.
    breaks("rpc-write-unoffered", |talk| {
        talk.ordinary(1)?;
        talk.wrong().write(0, 100)?;
        talk.ordinary(2)
    }),
    // A Write behind the end of the chunk.
    breaks("rpc-write-unoffered", |talk| {
        talk.ordinary(1)?;
        talk.call(&call_with(2, writes(&[&[sink(0, 100)]]))?)?;
        talk.wrong().write(0, 104)?;
        talk.answer(&reply_with(2, writes(&[&[sink(0, 0)]]))?)?;
        talk.ordinary(3)
    }),
    // A Write after the reply.
    breaks("rpc-write-unoffered", |talk| {
        let offered = writes(&[&[sink(0, 100)]]);
        talk.ordinary(1)?;
        talk.call(&call_with(2, offered.clone())?)?;
        talk.write(0, 100)?;
        talk.answer(&reply_with(2, offered)?)?;
        talk.wrong().write(0, 100)?;
        talk.ordinary(3)
    }),
    // A Read that no call asked for.
    breaks("rpc-read-unoffered", |talk| {
        talk.ordinary(1)?;
        talk.wrong().read(&[5; 100])?;
        talk.ordinary(2)
    }),
    // An RDMA_ERROR that no call waits for.
    breaks("rpc-error-xid", |talk| {
        talk.ordinary(1)?;
        talk.wrong().answer(&rpc::error(9, 1, TransportError::Chunk)?)?;
        talk.ordinary(2)
    }),
    // An RDMA_ERROR of the requester.
    breaks("rpc-error-sender", |talk| {
        talk.ordinary(1)?;
        talk.wrong().call(&rpc::error(1, 1, TransportError::Chunk)?)?;
        talk.ordinary(2)
    }),
    // An RDMA_ERROR of version 3.
    breaks("rpc-error-version", |talk| {
        talk.ordinary(1)?;
        talk.call(&plain_call(2)?)?;
        talk.wrong().answer(&rpc::error(2, 3, TransportError::Chunk)?)
    }),
    // Version 1 refused, and said to be supported.
    breaks("rpc-error-range", |talk| {
        talk.ordinary(1)?;
        talk.call(&plain_call(2)?)?;
        talk.wrong().answer(&rpc::error(2, 1, TransportError::Version { low: 1, high: 2 })?)
    }),
    // Versions from 3 to 2.
    breaks("rpc-error-range", |talk| {
        talk.ordinary(1)?;
        talk.call(&plain_call(2)?)?;
        talk.wrong().answer(&rpc::error(2, 1, TransportError::Version { low: 3, high: 2 })?)
    }),
    // 5000 bytes of arguments in a Send.
    breaks("rpc-inline-threshold", |talk| {
        talk.ordinary(1)?;
        talk.wrong_in(4).call(&rpc::message(2, Chunks::default(), &rpc::call(2, 1, 5000))?)?;
        talk.answer(&plain_reply(2)?)
    }),
    // 2000 bytes of results in a Send, without private data.
    Violation {
        rule: Some("rpc-inline-default"),
        private_data: || Ok([Vec::new(), Vec::new()]),
        play: |talk| {
            talk.ordinary(1)?;
            talk.call(&plain_call(2)?)?;
            talk.wrong_in(1).answer(&rpc::message(2, Chunks::default(), &rpc::reply(2, 2000)?)?)
        },
    },
    // An STag that the call does not offer.
    breaks("rpc-invalidate-stag", |talk| {
        talk.ordinary(1)?;
        talk.call(&call_with(2, writes(&[&[sink(0, 100)]]))?)?;
        talk.wrong().answer_invalidating(0x99, &reply_with(2, writes(&[&[sink(0, 0)]]))?)
    }),
    // An STag that another call offers too.
    breaks("rpc-invalidate-stag", |talk| {
        talk.ordinary(1)?;
        for xid in [2, 3] {
            talk.call(&call_with(xid, writes(&[&[sink(0, 100)]]))?)?;
        }
        let unused = writes(&[&[sink(0, 0)]]);
        talk.wrong().answer_invalidating(sink(0, 0).handle, &reply_with(2, unused.clone())?)?;
        talk.answer(&reply_with(3, unused)?)
    }),
    // A responder invalidates that has R clear.
    Violation {
        rule: Some("rpc-invalidate-unagreed"),
        private_data: || {
            let [request, _] = agreed()?;
            Ok([request, RdmaPrivateData::new(false, 4096, 4096)?.bytes().to_vec()])
        },
        play: |talk| {
            talk.ordinary(1)?;
            talk.call(&call_with(2, reads(&[(76, 20)]))?)?;
            talk.read(&[9; 20])?;
            talk.wrong().answer_invalidating(source(0).handle, &plain_reply(2)?)
        },
    },
    // Six bytes of private data.
    Violation {
        rule: Some("rpc-private-length"),
        private_data: || with_request(|data| data.truncate(6)),
        play: |talk| talk.ordinary(1),
    },
    // Version 2 of the private data.
    Violation {
        rule: Some("rpc-private-version"),
        private_data: || with_request(|data| data[4] = 2),
        play: |talk| talk.ordinary(1),
    },
    // Reserved bits in the private data.
    Violation {
        rule: Some("rpc-private-reserved"),
        private_data: || with_request(|data| data[5] |= 0x80),
        play: |talk| talk.ordinary(1),
    },
];

/// A call that offers chunks, a Write of so many bytes to their beginning, and a reply that
/// returns others.
fn written(talk: &mut Talk<'_>, offered: Chunks, bytes: usize, returned: Chunks) -> Result<()> {
    talk.ordinary(1)?;
    talk.call(&call_with(2, offered)?)?;
    if bytes > 0 {
        talk.write(0, bytes)?;
    }
    talk.wrong().answer(&reply_with(2, returned)?)
}

/// Private data of which the request's is changed.
fn with_request(change: impl FnOnce(&mut Vec<u8>)) -> Result<[Vec<u8>; 2]> {
    let [mut request, reply] = agreed()?;
    change(&mut request);
    Ok([request, reply])
}
