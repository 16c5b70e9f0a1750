//! What looks as if it broke a rule, and is legal.

use super::rpc::{
    CREDITS, Talk, Violation, agreed, call_with, patched, plain_call, plain_reply, reads,
    reply_chunk, reply_with, sink, source,
};
use crate::Result;
use crate::rpc;
use warpscope_wire::rpcrdma::Chunks;

pub(super) const VIOLATIONS: &[Violation] = &[
    // A reply chunk and write chunks that are not used.
    legal(|talk| {
        let with = |length| Chunks {
            writes: vec![vec![sink(0, length), sink(0x1000, length)], Vec::new()],
            ..reply_chunk(&[sink(0x2000, length)])
        };
        talk.ordinary(1)?;
        talk.call(&call_with(2, with(500))?)?;
        talk.answer(&reply_with(2, with(0))?)
    }),
    // A reply in a reply chunk of two segments, the second one half full.
    legal(|talk| {
        talk.ordinary(1)?;
        talk.call(&call_with(2, reply_chunk(&[sink(0, 1000), sink(0x1000, 2000)]))?)?;
        let reply = rpc::reply(2, 1976)?;
        talk.write_bytes(0, &reply[..1000])?;
        talk.write_bytes(0x1000, &reply[1000..])?;
        talk.answer(&rpc::no_message(2, reply_chunk(&[sink(0, 1000), sink(0x1000, 1000)]))?)
    }),
    // Calls up to the grant, replies in another order.
    legal(|talk| {
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
    // A call that was under way when the grant shrank.
    legal(|talk| {
        talk.ordinary(1)?;
        for xid in [2, 3, 4] {
            talk.call(&plain_call(xid)?)?;
        }
        talk.answer(&patched(plain_reply(2)?, CREDITS, 1))?;
        talk.call(&plain_call(5)?)?;
        [3, 4, 5].into_iter().try_for_each(|xid| talk.answer(&plain_reply(xid)?))
    }),
    // The same XID in both directions, the backward call with a reply chunk.
    legal(|talk| {
        talk.ordinary(1)?;
        talk.call(&plain_call(5)?)?;
        talk.answer(&call_with(5, reply_chunk(&[sink(0, 500)]))?)?;
        talk.answer(&plain_reply(5)?)?;
        talk.call(&reply_with(5, reply_chunk(&[sink(0, 0)]))?)
    }),
    // Remote invalidation of a read chunk.
    legal(|talk| {
        talk.ordinary(1)?;
        talk.call(&call_with(2, reads(&[(76, 20)]))?)?;
        talk.read(&[9; 20])?;
        talk.answer_invalidating(source(0).handle, &plain_reply(2)?)
    }),
    // 4096 bytes in a Send.
    legal(|talk| {
        talk.ordinary(1)?;
        let call = rpc::message(2, Chunks::default(), &rpc::call(2, 1, 4096 - 28 - 40))?;
        talk.call(&call)?;
        talk.answer(&plain_reply(2)?)
    }),
    // Two read chunks, the first without its padding, the second with it.
    legal(|talk| {
        talk.ordinary(1)?;
        talk.call(&call_with(2, reads(&[(60, 10), (72, 100)]))?)?;
        talk.read(&[1; 10])?;
        talk.read(&[2; 100])?;
        talk.answer(&plain_reply(2)?)
    }),
    // A long call with another read chunk in it.
    legal(|talk| {
        talk.ordinary(1)?;
        let call = rpc::call(2, 1, 36);
        talk.call(&rpc::no_message(2, reads(&[(0, 76), (48, 16)]))?)?;
        talk.read(&call)?;
        talk.read(&[3; 16])?;
        talk.answer(&plain_reply(2)?)
    }),
    // Private data behind bytes of somebody else, and 2000 bytes in a Send.
    Violation {
        rule: None,
        private_data: || {
            let [request, reply] = agreed()?;
            Ok([[vec![1, 2, 3], request].concat(), [vec![4], reply, vec![5]].concat()])
        },
        play: |talk| {
            talk.ordinary(1)?;
            talk.call(&rpc::message(2, Chunks::default(), &rpc::call(2, 1, 2000))?)?;
            talk.answer(&plain_reply(2)?)
        },
    },
    // No private data, and no more than 1024 bytes in a Send.
    Violation {
        rule: None,
        private_data: || Ok([Vec::new(), Vec::new()]),
        play: |talk| talk.ordinary(1),
    },
];

const fn legal(play: fn(&mut Talk<'_>) -> Result<()>) -> Violation {
    Violation { rule: None, private_data: agreed, play }
}
