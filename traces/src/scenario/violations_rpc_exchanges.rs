//! Calls and replies that break a rule together.

use super::violations_rpc::{
    CREDITS, Talk, Violation, agreed, call_with, patched, plain_call, plain_reply, reads,
    reply_chunk, reply_with, sink, source, writes,
};
use crate::Result;
use crate::rpc;
use warpscope_wire::mpa::RdmaPrivateData;
use warpscope_wire::rpcordma::{Chunks, Segment, TransportError};

pub(super) const VIOLATIONS: &[Violation] = &[
    row("rpc-credits-first", "two calls before the first reply", |talk| {
        talk.call(&plain_call(1)?)?;
        talk.call(&plain_call(2)?)?;
        talk.answer(&plain_reply(1)?)?;
        talk.answer(&plain_reply(2)?)
    }),
    row("rpc-credits-exceeded", "three calls with two credits", |talk| {
        for xid in [1, 2] {
            talk.call(&plain_call(xid)?)?;
            talk.answer(&patched(plain_reply(xid)?, CREDITS, 2))?;
        }
        for xid in [3, 4, 5] {
            talk.call(&plain_call(xid)?)?;
        }
        [3, 4, 5].into_iter().try_for_each(|xid| talk.answer(&plain_reply(xid)?))
    }),
    row("rpc-reply-unknown", "a reply that no call waits for", |talk| {
        talk.ordinary(1)?;
        talk.answer(&plain_reply(9)?)?;
        talk.ordinary(2)
    }),
    row("rpc-reply-unknown", "a second reply", |talk| {
        talk.ordinary(1)?;
        talk.answer(&plain_reply(1)?)
    }),
    row("rpc-reply-unread", "a reply to a long call that nobody read", |talk| {
        talk.ordinary(1)?;
        talk.call(&rpc::no_message(2, reads(&[(0, 76)]))?)?;
        talk.answer(&plain_reply(2)?)
    }),
    row("rpc-write-list", "one segment of two comes back", |talk| {
        let offered = writes(&[&[sink(0, 1500), sink(0x1000, 500)]]);
        written(talk, offered, 1000, writes(&[&[sink(0, 1000)]]))
    }),
    row("rpc-write-list", "another handle comes back", |talk| {
        let returned = Segment { handle: 1, ..sink(0, 0) };
        written(talk, writes(&[&[sink(0, 1500)]]), 0, writes(&[&[returned]]))
    }),
    row("rpc-write-list", "no write list comes back", |talk| {
        written(talk, writes(&[&[sink(0, 1500)]]), 0, Chunks::default())
    }),
    row("rpc-reply-chunk", "no reply chunk comes back", |talk| {
        written(talk, reply_chunk(&[sink(0, 4000)]), 0, Chunks::default())
    }),
    row("rpc-reply-chunk", "a reply chunk that was not offered", |talk| {
        written(talk, Chunks::default(), 0, reply_chunk(&[sink(0, 0)]))
    }),
    row("rpc-returned-length", "more than was offered comes back", |talk| {
        written(talk, writes(&[&[sink(0, 100)]]), 100, writes(&[&[sink(0, 200)]]))
    }),
    row("rpc-returned-unwritten", "1500 octets come back, 1000 were written", |talk| {
        written(talk, writes(&[&[sink(0, 1500)]]), 1000, writes(&[&[sink(0, 1500)]]))
    }),
    row("rpc-write-unoffered", "a Write that no call asked for", |talk| {
        talk.ordinary(1)?;
        talk.write(0, 100)?;
        talk.ordinary(2)
    }),
    row("rpc-write-unoffered", "a Write behind the end of the chunk", |talk| {
        talk.ordinary(1)?;
        talk.call(&call_with(2, writes(&[&[sink(0, 100)]]))?)?;
        talk.write(0, 104)?;
        talk.answer(&reply_with(2, writes(&[&[sink(0, 0)]]))?)?;
        talk.ordinary(3)
    }),
    row("rpc-write-unoffered", "a Write after the reply", |talk| {
        let offered = writes(&[&[sink(0, 100)]]);
        written(talk, offered.clone(), 100, offered)?;
        talk.write(0, 100)?;
        talk.ordinary(3)
    }),
    row("rpc-read-unoffered", "a Read that no call asked for", |talk| {
        talk.ordinary(1)?;
        talk.read(&[5; 100])?;
        talk.ordinary(2)
    }),
    row("rpc-error-xid", "an RDMA_ERROR that no call waits for", |talk| {
        talk.ordinary(1)?;
        talk.answer(&rpc::error(9, 1, TransportError::Chunk)?)?;
        talk.ordinary(2)
    }),
    row("rpc-error-sender", "an RDMA_ERROR of the requester", |talk| {
        talk.ordinary(1)?;
        talk.call(&rpc::error(1, 1, TransportError::Chunk)?)?;
        talk.ordinary(2)
    }),
    row("rpc-error-version", "an RDMA_ERROR of version 3", |talk| {
        talk.ordinary(1)?;
        talk.call(&plain_call(2)?)?;
        talk.answer(&rpc::error(2, 3, TransportError::Chunk)?)
    }),
    row("rpc-error-range", "version 1 refused, and said to be supported", |talk| {
        talk.ordinary(1)?;
        talk.call(&plain_call(2)?)?;
        talk.answer(&rpc::error(2, 1, TransportError::Version { low: 1, high: 2 })?)
    }),
    row("rpc-error-range", "versions from 3 to 2", |talk| {
        talk.ordinary(1)?;
        talk.call(&plain_call(2)?)?;
        talk.answer(&rpc::error(2, 1, TransportError::Version { low: 3, high: 2 })?)
    }),
    row("rpc-inline-threshold", "5000 octets of arguments in a Send", |talk| {
        talk.ordinary(1)?;
        talk.call(&rpc::message(2, Chunks::default(), &rpc::call(2, 1, 5000))?)?;
        talk.answer(&plain_reply(2)?)
    }),
    Violation {
        rule: Some("rpc-inline-default"),
        what: "2000 octets of results in a Send, without private data",
        private_data: || Ok([Vec::new(), Vec::new()]),
        play: |talk| {
            talk.ordinary(1)?;
            talk.call(&plain_call(2)?)?;
            talk.answer(&rpc::message(2, Chunks::default(), &rpc::reply(2, 2000)?)?)
        },
    },
    row("rpc-invalidate-stag", "an STag that the call does not offer", |talk| {
        talk.ordinary(1)?;
        talk.call(&call_with(2, writes(&[&[sink(0, 100)]]))?)?;
        talk.answer_invalidating(0x99, &reply_with(2, writes(&[&[sink(0, 0)]]))?)
    }),
    row("rpc-invalidate-stag", "an STag that another call offers too", |talk| {
        talk.ordinary(1)?;
        for xid in [2, 3] {
            talk.call(&call_with(xid, writes(&[&[sink(0, 100)]]))?)?;
        }
        let unused = writes(&[&[sink(0, 0)]]);
        talk.answer_invalidating(sink(0, 0).handle, &reply_with(2, unused.clone())?)?;
        talk.answer(&reply_with(3, unused)?)
    }),
    Violation {
        rule: Some("rpc-invalidate-unagreed"),
        what: "a responder invalidates that has R clear",
        private_data: || {
            let [request, _] = agreed()?;
            Ok([request, RdmaPrivateData::new(false, 4096, 4096)?.octets().to_vec()])
        },
        play: |talk| {
            talk.ordinary(1)?;
            talk.call(&call_with(2, reads(&[(76, 20)]))?)?;
            talk.read(&[9; 20])?;
            talk.answer_invalidating(source(0).handle, &plain_reply(2)?)
        },
    },
    Violation {
        rule: Some("rpc-private-length"),
        what: "six octets of private data",
        private_data: || with_request(|data| data.truncate(6)),
        play: |talk| talk.ordinary(1),
    },
    Violation {
        rule: Some("rpc-private-version"),
        what: "version 2 of the private data",
        private_data: || with_request(|data| data[4] = 2),
        play: |talk| talk.ordinary(1),
    },
    Violation {
        rule: Some("rpc-private-reserved"),
        what: "reserved bits in the private data",
        private_data: || with_request(|data| data[5] |= 0x80),
        play: |talk| talk.ordinary(1),
    },
];

const fn row(
    rule: &'static str,
    what: &'static str,
    play: fn(&mut Talk) -> Result<()>,
) -> Violation {
    Violation { rule: Some(rule), what, private_data: agreed, play }
}

/// A call that offers chunks, a Write of so many octets to their beginning, and a reply that
/// returns others.
fn written(talk: &mut Talk, offered: Chunks, octets: usize, returned: Chunks) -> Result<()> {
    talk.ordinary(1)?;
    talk.call(&call_with(2, offered)?)?;
    if octets > 0 {
        talk.write(0, octets)?;
    }
    talk.answer(&reply_with(2, returned)?)
}

/// Private data of which the request's is changed.
fn with_request(change: impl FnOnce(&mut Vec<u8>)) -> Result<[Vec<u8>; 2]> {
    let [mut request, reply] = agreed()?;
    change(&mut request);
    Ok([request, reply])
}
