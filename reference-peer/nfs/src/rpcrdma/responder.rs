//! Calls of the peer: read chunks are pulled, the call answered, the reply put where it belongs
//! (RFC 8166 sections 3.4.5, 3.4.6 and 4.3).

use super::chunk::{handles, read_chunks, total};
use super::config::RpcRdmaConfig;
use super::incoming::{Message, belongs};
use super::line::Line;
use super::outgoing::{Outgoing, refusal, respond};
use super::payload::restore;
use super::threshold::Thresholds;
use crate::rpc::{Answer, RpcMessage};
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use warpscope_peer::bug::{Bug, Bugs};
use warpscope_wire::rpc::{Auth, Reply, ReplyBody, RpcView};
use warpscope_wire::rpcrdma::Chunks;
use warpscope_wire::{Writer, rpc};

/// The second word of a call (RFC 5531 section 9), and the accept status GARBAGE_ARGS.
const CALL: [u8; 4] = [0; 4];
const GARBAGE_ARGS: u32 = 4;

/// A chunk that is pulled: its position, the sink, its length.
#[derive(Debug)]
struct Sink {
    position: u32,
    tag: u32,
}

/// A call whose chunks are pulled.
#[derive(Debug)]
struct Pull {
    xid: u32,
    chunks: Chunks,
    /// What came in the Send.
    payload: Option<Vec<u8>>,
    sinks: Vec<Sink>,
    /// Reads that are not done.
    left: usize,
}

/// Calls that are being pulled.
#[derive(Debug, Default)]
pub(super) struct Responder {
    pulls: BTreeMap<u64, Pull>,
    next_pull: u64,
    /// The pull of each Read.
    reads: HashMap<u64, u64>,
    next_read: u64,
}

/// A call that is all there.
struct Whole<'a> {
    xid: u32,
    bytes: &'a [u8],
    /// What came by read chunks of other positions than 0.
    items: Vec<Range<usize>>,
    chunks: &'a Chunks,
}

impl Responder {
    /// How many calls are being pulled.
    pub(super) fn pulling(&self) -> usize {
        self.pulls.len()
    }

    /// Takes a call; its reply, unless chunks must be pulled first.
    pub(super) fn call(
        &mut self,
        call: Message<'_>,
        config: &RpcRdmaConfig,
        thresholds: &Thresholds,
        line: &mut Line<'_>,
        answer: &mut dyn Answer,
    ) -> Option<Outgoing> {
        if call.chunks.reads.is_empty() {
            let bytes = call.payload.unwrap_or(&[]);
            let whole = Whole { xid: call.xid, bytes, items: Vec::new(), chunks: &call.chunks };
            return Some(self.answer(&whole, config, thresholds, answer));
        }
        let number = self.next_pull;
        self.next_pull += 1;
        let payload = call.payload.map(<[u8]>::to_vec);
        let (xid, chunks) = (call.xid, call.chunks);
        let mut pull = Pull { xid, chunks, payload, sinks: Vec::new(), left: 0 };
        let refuses = pull.payload.is_none() && config.bugs.has(Bug::RpcLongCallRefused);
        let asked = match refuses {
            true => None,
            false => self.pull(&mut pull, number, config.bugs, line),
        };
        if asked.is_none() {
            // Memory or Reads cannot be had. A Read that is under way already has nothing to fill.
            self.reads.retain(|_, of| *of != number);
            discard(pull, line);
            return Some(refusal(xid, config));
        }
        if pull.left == 0 {
            return Some(self.pulled(pull, config, thresholds, line, answer));
        }
        self.pulls.insert(number, pull);
        None
    }

    /// Asks for the bytes of all read chunks.
    fn pull(
        &mut self,
        pull: &mut Pull,
        number: u64,
        bugs: Bugs,
        line: &mut Line<'_>,
    ) -> Option<()> {
        let chunks = read_chunks(&pull.chunks.reads);
        // All memory first: what was asked for must find its sink.
        for (position, segments) in &chunks {
            // No longer than the longest call.
            let tag = line.sink(total(segments) as usize)?;
            pull.sinks.push(Sink { position: *position, tag });
        }
        let tags: Vec<u32> = pull.sinks.iter().map(|sink| sink.tag).collect();
        for ((_, mut segments), tag) in chunks.into_iter().zip(tags) {
            if bugs.has(Bug::RpcSegmentsReversed) {
                segments.reverse();
            }
            let mut offset = 0;
            for segment in segments.iter().filter(|segment| segment.length > 0) {
                let read = self.next_read;
                self.next_read += 1;
                line.read(read, segment, tag, offset).ok()?;
                self.reads.insert(read, number);
                pull.left += 1;
                offset += u64::from(segment.length);
            }
        }
        Some(())
    }

    /// A Read has ended; the reply, if it was the last of its call.
    pub(super) fn read(
        &mut self,
        read: u64,
        well: bool,
        config: &RpcRdmaConfig,
        thresholds: &Thresholds,
        line: &mut Line<'_>,
        answer: &mut dyn Answer,
    ) -> Option<Outgoing> {
        let number = self.reads.remove(&read)?;
        let pull = self.pulls.get_mut(&number)?;
        pull.left -= 1;
        if well && pull.left > 0 {
            return None;
        }
        let pull = self.pulls.remove(&number)?;
        if !well {
            // The connection ends: there is nobody to tell.
            discard(pull, line);
            return None;
        }
        Some(self.pulled(pull, config, thresholds, line, answer))
    }

    /// Everything is there: puts the call together and answers it.
    fn pulled(
        &mut self,
        pull: Pull,
        config: &RpcRdmaConfig,
        thresholds: &Thresholds,
        line: &mut Line<'_>,
        answer: &mut dyn Answer,
    ) -> Outgoing {
        let Pull { xid, chunks, payload, sinks, .. } = pull;
        let mut items: Vec<(u32, Vec<u8>)> =
            sinks.iter().map(|sink| (sink.position, line.withdraw(sink.tag))).collect();
        let stem = match payload {
            Some(payload) => payload,
            None if items.is_empty() => Vec::new(),
            None => items.remove(0).1,
        };
        let places = items.iter().map(|(position, bytes)| {
            let start = *position as usize;
            start..start + bytes.len()
        });
        let places = places.collect();
        let Some(bytes) = restore(&stem, &items, config.bugs) else { return refusal(xid, config) };
        let whole = Whole { xid, bytes: &bytes, items: places, chunks: &chunks };
        self.answer(&whole, config, thresholds, answer)
    }

    fn answer(
        &self,
        call: &Whole<'_>,
        config: &RpcRdmaConfig,
        thresholds: &Thresholds,
        answer: &mut dyn Answer,
    ) -> Outgoing {
        let Whole { xid, bytes, items, chunks } = call;
        if !belongs(bytes, *xid, config.bugs) || bytes.get(4..8) != Some(&CALL) {
            return refusal(*xid, config);
        }
        let bugs = config.bugs;
        let mut reply = match items.iter().all(|item| eligible(bytes, item, answer, bugs)) {
            true => answer.answer(bytes),
            false => garbage(*xid),
        };
        // Of a reply that says SUCCESS, all that is between type and results is zero.
        let refused = reply.bytes.get(8..24).is_none_or(|says| says.iter().any(|it| *it != 0));
        if refused && bugs.has(Bug::RpcRefusalsAsErrors) {
            return refusal(*xid, config);
        }
        if reply.bytes.first_chunk::<4>() != bytes.first_chunk() {
            // There is no reply to this call, and the requester must not wait for ever.
            return refusal(*xid, config);
        }
        if let Some(kind) = reply.bytes.get_mut(4..8)
            && bugs.has(Bug::RpcReplySaysCall)
        {
            kind.fill(0);
        }
        let agreed = thresholds.remote_invalidation || bugs.has(Bug::RpcInvalidateUnagreed);
        let mut invalidate = handles(chunks).find(|handle| {
            // A tag that another call offers too is left alone (RFC 8797 section 4.1).
            let mut others = self.pulls.values().flat_map(|pull| handles(&pull.chunks));
            agreed && !others.any(|other| other == *handle)
        });
        if bugs.has(Bug::RpcInvalidateOther) {
            invalidate = invalidate.map(|handle| handle ^ 1);
        }
        let mut outgoing = respond(*xid, &reply, chunks, config, thresholds);
        outgoing.invalidate = invalidate.filter(|_| outgoing.replies);
        outgoing
    }

    /// Gives all calls up: the connection is gone.
    pub(super) fn lose(&mut self, line: &mut Line<'_>) {
        self.reads.clear();
        for (_, pull) in std::mem::take(&mut self.pulls) {
            discard(pull, line);
        }
    }
}

fn discard(pull: Pull, line: &mut Line<'_>) {
    for sink in pull.sinks {
        line.withdraw(sink.tag);
    }
}

/// Whether an argument may have come by a chunk: nothing of the RPC header, and only what the
/// program's binding lists (RFC 8166 section 6.1).
fn eligible(call: &[u8], item: &Range<usize>, answer: &dyn Answer, bugs: Bugs) -> bool {
    if bugs.has(Bug::RpcAnythingTakenOut) {
        return true;
    }
    let header = RpcView::parse(call).map_or(usize::MAX, |(_, rest)| call.len() - rest.len());
    item.is_empty() || (item.start >= header && answer.may_take_out(call, item.clone()))
}

/// The reply to a call of which something was taken out that is not eligible (RFC 8166 sections 6.1
/// and 4.5.2).
fn garbage(xid: u32) -> RpcMessage {
    let (verifier, mismatch) = (Auth::default(), None);
    let body = ReplyBody::Accepted { verifier, accept_status: GARBAGE_ARGS, mismatch };
    let mut bytes = vec![0; 24];
    match rpc::Reply::new(xid, body) {
        Ok(reply) => Reply::emit(&reply, &mut Writer::new(&mut bytes)),
        Err(_) => bytes.clear(),
    }
    RpcMessage::plain(bytes)
}
