//! The RPC-over-RDMA sides of a target: how they are reached, and how the calls of its requester are answered
//! when the case does not test that: reads the chunks of a call, writes those of the reply, and nothing else.

use super::session::{RunError, Session, unknown};
use crate::format::time;
use crate::stream::{Bits, MessageOut, MessageSeen, Part, Received};
use std::collections::BTreeMap;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};
use warpscope_wire::mpa::RdmaPrivateDataView;
use warpscope_wire::rpcrdma::{Body, Chunks, Header, HeaderView, Segment};

/// Opcodes of the four Sends.
const SENDS: std::ops::RangeInclusive<u8> = 3..=6;
/// The first STag for data that is read from the target.
const SINKS: u32 = 0x5e7e_0000;
/// The maximum length of a call that is assembled from chunks.
const LONGEST: u64 = 8 << 20;
/// The maximum length of an inline message without private data, in bytes (RFC 8166 §3.3.3).
const SMALLEST: usize = 1024;

/// The RPC-over-RDMA sides of a target: a responder that listens, a requester that is started by a command,
/// or both.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RpcTarget {
    /// The address where the responder listens.
    pub address: Option<SocketAddr>,
    /// Whether it answers NFS version 3, and the root of the export is writable.
    pub nfs: bool,
    /// Whether NFS version 4.1 has the same files, from `/` on.
    pub nfs4: bool,
    /// The root's handle; `None` if it answers MOUNT too, and MOUNT returns that of the export `/`.
    pub root: Option<Vec<u8>>,
    /// Whether its sides send the private data of RFC 8797.
    pub private_data: bool,
    /// The address where the runner listens for the requester.
    pub listen: IpAddr,
    /// Shell commands that start the requester, by its task; `{host}` and `{port}` stand for where the runner
    /// listens.
    pub tasks: BTreeMap<String, String>,
    /// The function that answers the requester's calls.
    pub answers: Option<RpcAnswers>,
}

impl Default for RpcTarget {
    fn default() -> Self {
        let listen = IpAddr::V4(Ipv4Addr::LOCALHOST);
        let (tasks, private_data) = (BTreeMap::new(), false);
        let (address, root, answers) = (None, None, None);
        Self { address, nfs: false, nfs4: false, root, private_data, listen, tasks, answers }
    }
}

impl RpcTarget {
    /// Returns what it can do, by the names used in cases.
    pub(super) fn capabilities(&self) -> [(&'static str, bool); 6] {
        let nfs = self.address.is_some() && self.nfs;
        [
            ("rpc-over-rdma", self.address.is_some()),
            ("rpc-requester", !self.tasks.is_empty() && self.answers.is_some()),
            ("rpc-private-data", self.private_data),
            ("nfs", nfs),
            ("nfs4", nfs && self.nfs4),
            ("mount", nfs && self.root.is_none()),
        ]
    }
}

/// A complete RPC reply, from the XID on.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RpcAnswer {
    /// The bytes; `None` if nothing is to be sent.
    pub bytes: Vec<u8>,
    /// The ranges of the items that may be sent by write chunks, in order: without length word and round-up.
    pub eligible: Vec<Range<usize>>,
}

type Answer = dyn Fn(&[u8]) -> RpcAnswer + Send + Sync;

/// Answers complete RPC calls.
#[derive(Clone)]
pub struct RpcAnswers(Arc<Answer>);

impl RpcAnswers {
    /// Creates answers from a function.
    pub fn new(answer: impl Fn(&[u8]) -> RpcAnswer + Send + Sync + 'static) -> Self {
        Self(Arc::new(answer))
    }

    pub(super) fn answer(&self, call: &[u8]) -> RpcAnswer {
        (self.0)(call)
    }
}

impl fmt::Debug for RpcAnswers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RpcAnswers")
    }
}

impl PartialEq for RpcAnswers {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}
impl Eq for RpcAnswers {}

/// How RPC calls of the target are answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Serve {
    /// The program and procedure of the calls that are not answered, and end the serving. Without any, the
    /// end of the stream does.
    pub(super) until: Vec<(u32, u32)>,
    /// The program and procedure of the calls that are answered with GARBAGE_ARGS.
    pub(super) refuse: Vec<(u32, u32)>,
    /// Credits that replies grant.
    pub(super) credits: u32,
    /// The maximum length of a reply that is sent inline although its call offers a Reply chunk, in bytes.
    pub(super) inline: usize,
    /// Whether to answer calls again for whose XID something has already been sent.
    pub(super) again: bool,
    pub(super) within: Duration,
}

/// A call that waits for its reply.
struct Call {
    /// Its index among the arrivals.
    at: usize,
    xid: u32,
    chunks: Chunks,
    /// The contents of the Send.
    inline: Vec<u8>,
}

impl Call {
    /// Parses the call in a Send; `None` if it is something else.
    fn read(at: usize, message: &MessageSeen) -> Option<Self> {
        let (view, rest) = HeaderView::parse(&message.payload).ok()?;
        let xid = view.xid();
        let (chunks, inline) = match view.body {
            Body::Message(chunks) if Bits::bytes(4, 4).read(rest) == Some(0) => (chunks, rest),
            Body::NoMessage(chunks) if !chunks.reads.is_empty() => (chunks, &[][..]),
            _ => return None,
        };
        Some(Self { at, xid, chunks, inline: inline.to_vec() })
    }

    /// Returns the complete call, with what was read from its chunks: each at its position, and rounded up.
    fn whole(&self, items: &BTreeMap<u32, Vec<u8>>) -> Option<Vec<u8>> {
        let mut stem = self.inline.as_slice();
        let mut items = items.iter().peekable();
        if stem.is_empty() {
            stem = items.next()?.1;
        }
        let (mut whole, mut taken) = (Vec::new(), 0_usize);
        for (position, bytes) in items {
            let missing = (*position as usize).checked_sub(whole.len())?;
            whole.extend_from_slice(stem.get(taken..taken.checked_add(missing)?)?);
            taken += missing;
            whole.extend_from_slice(bytes);
            whole.resize(whole.len().next_multiple_of(4), 0);
        }
        whole.extend_from_slice(stem.get(taken..)?);
        Some(whole)
    }
}

impl Session {
    /// Answers calls until one is left to the case, or the stream ends. Returns what is wrong.
    pub(super) fn serve(&mut self, name: u32, how: &Serve) -> Result<Option<String>, RunError> {
        let limit = self.pace.within(how.within);
        let until = Instant::now() + limit;
        loop {
            self.pump(Duration::ZERO);
            let stream = self.streams.get(&name).ok_or_else(|| unknown(name))?;
            let over = stream.raw.ended();
            if let Some(call) = self.next_call(name, how.again)? {
                let Some(whole) = self.gather(name, &call, until)? else {
                    return Ok(Some("the chunks of a call could not be read".to_owned()));
                };
                let procedure = (Bits::bytes(12, 4).read(&whole), Bits::bytes(20, 4).read(&whole));
                let meant = |it: &&(u32, u32)| procedure == (Some(it.0.into()), Some(it.1.into()));
                if how.until.iter().any(|it| meant(&it)) {
                    let stream = self.stream(name)?;
                    stream.cursor = call.at;
                    return Ok(None);
                }
                let refused = how.refuse.iter().any(|it| meant(&it));
                if let Some(wrong) = self.reply(name, &call, &whole, how, refused)? {
                    return Ok(Some(wrong));
                }
                continue;
            }
            let stream = self.stream(name)?;
            let received = stream.raw.received();
            if over {
                let end = received.iter().rposition(|it| matches!(it, Received::Message(_)));
                stream.cursor = end.map_or(received.len(), |at| at + 1);
                let wrong = "the stream ended before such a call came";
                return Ok((!how.until.is_empty()).then(|| wrong.to_owned()));
            }
            if Instant::now() >= until {
                return Ok(Some(format!("nothing more came within {}", time(limit))));
            }
            self.pump(
                until.saturating_duration_since(Instant::now()).min(Duration::from_millis(50)),
            );
        }
    }

    /// Returns the first call that has no answer yet.
    fn next_call(&self, name: u32, again: bool) -> Result<Option<Call>, RunError> {
        let stream = self.streams.get(&name).ok_or_else(|| unknown(name))?;
        let sent = stream.raw.sent().iter().filter(|it| {
            // DDP control, RDMAP control: untagged, and one of the Sends.
            let opcode = Bits::new(12, 4).read(it).unwrap_or(0) as u8;
            Bits::new(0, 1).read(it) == Some(0) && SENDS.contains(&opcode)
        });
        let by_case: Vec<u64> = sent.filter_map(|it| Bits::bytes(18, 4).read(it)).collect();
        let calls = stream.raw.received().iter().enumerate().filter_map(|(at, it)| {
            let Received::Message(message) = it else { return None };
            let sends = message.opcode().is_some_and(|it| SENDS.contains(&it));
            Call::read(at, message).filter(|_| sends)
        });
        let mut open = calls.filter(|call| {
            !self.served.contains(&(name, call.xid))
                && (again || !by_case.contains(&call.xid.into()))
        });
        Ok(open.next())
    }

    /// Reads the chunks of a call, and returns the complete call.
    fn gather(
        &mut self,
        name: u32,
        call: &Call,
        until: Instant,
    ) -> Result<Option<Vec<u8>>, RunError> {
        let mut items: BTreeMap<u32, Vec<u8>> = BTreeMap::new();
        let total: u64 = call.chunks.reads.iter().map(|it| u64::from(it.target.length)).sum();
        if total > LONGEST {
            return Ok(None);
        }
        for (index, read) in call.chunks.reads.iter().enumerate() {
            let length = read.target.length;
            let item = items.entry(read.position).or_default();
            if length == 0 {
                continue;
            }
            let sink = SINKS + index as u32;
            let source = (read.target.handle, read.target.offset);
            let request = MessageOut::read_request((sink, 0), length, source);
            let stream = self.stream(name)?;
            stream.raw.buffers.offer(sink, 0, vec![0; length as usize]);
            self.put(name, vec![request])?;
            loop {
                let stream = self.streams.get(&name).ok_or_else(|| unknown(name))?;
                let buffer = stream.raw.buffers.find(sink);
                if let Some(buffer) = buffer.filter(|it| it.written.iter().all(|it| *it > 0)) {
                    item.extend_from_slice(&buffer.bytes);
                    break;
                }
                if stream.raw.ended() || Instant::now() >= until {
                    return Ok(None);
                }
                self.pump(Duration::from_millis(50));
            }
        }
        Ok(call.whole(&items))
    }

    /// Answers a call. Returns what is wrong if this is impossible.
    fn reply(
        &mut self,
        name: u32,
        call: &Call,
        whole: &[u8],
        how: &Serve,
        refused: bool,
    ) -> Result<Option<String>, RunError> {
        let answers = self.rpc_target.answers.clone();
        let answers = answers.ok_or(RunError::Unknown("nothing answers RPC calls".to_owned()))?;
        self.served.insert((name, call.xid));
        let answer = if refused { garbage_args(call.xid) } else { answers.answer(whole) };
        let raw = &self.stream(name)?.raw;
        let theirs = raw.peer_setup().map(|it| it.private_data()).unwrap_or_default();
        let most = threshold(raw.sent_private_data(), theirs);
        let Some(mut out) = placed(&answer, call, how, most) else {
            return Ok(Some("a call leaves no room for its reply".to_owned()));
        };
        let send = out.pop();
        self.put(name, out)?;
        self.put(name, send.into_iter().collect())?;
        Ok(None)
    }

    fn put(&mut self, name: u32, messages: Vec<MessageOut>) -> Result<(), RunError> {
        let stream = self.stream(name)?;
        let parts: Vec<Part> = messages.into_iter().map(Part::Message).collect();
        let writes = stream.raw.send(&parts);
        self.write(name, &writes)
    }
}

/// Returns a reply that refuses a call's arguments: REPLY, accepted, AUTH_NONE, GARBAGE_ARGS (RFC 5531).
fn garbage_args(xid: u32) -> RpcAnswer {
    let bytes = [xid, 1, 0, 0, 0, 4].into_iter().flat_map(u32::to_be_bytes).collect();
    RpcAnswer { bytes, ..RpcAnswer::default() }
}

/// Returns the maximum length of a message to the target that is sent inline, in bytes: the smaller of our send
/// size and its receive size, if both sides have announced theirs (RFC 8797 §4.2 and §5.1).
fn threshold(ours: &[u8], theirs: &[u8]) -> usize {
    let sizes = |data: &[u8]| {
        data.windows(8).find_map(|bytes| {
            let (view, _) = RdmaPrivateDataView::parse(bytes).ok()?;
            view.recognised().then_some((view.send_size(), view.receive_size()))
        })
    };
    match (sizes(ours), sizes(theirs)) {
        (Some((send, _)), Some((_, receive))) => send.min(receive) as usize,
        _ => SMALLEST,
    }
}

/// Returns the Writes and the Send of a reply. One for which there is no Reply chunk is sent inline up to `most`
/// bytes: the requester may count on that (RFC 8166 §4.3.3).
fn placed(answer: &RpcAnswer, call: &Call, how: &Serve, most: usize) -> Option<Vec<MessageOut>> {
    let mut out = Vec::new();
    let mut chunks = Chunks::default();
    let mut payload = answer.bytes.clone();
    let mut eligible = answer.eligible.iter();
    let mut moved = Vec::new();
    for offered in &call.chunks.writes {
        let item = eligible.next().filter(|_| !offered.is_empty());
        let bytes = item.map_or(&[][..], |it| answer.bytes.get(it.clone()).unwrap_or_default());
        chunks.writes.push(filled(offered, bytes, &mut out)?);
        moved.extend(item.filter(|it| !it.is_empty()));
    }
    for item in moved.into_iter().rev() {
        payload.drain(item.start..item.end.next_multiple_of(4).min(payload.len()));
    }
    chunks.reply = call.chunks.reply.as_ref().map(|offered| unused(offered));
    let inline = if chunks.reply.is_some() { how.inline } else { how.inline.max(most) };
    let room = inline.checked_sub(16 + chunks.length());
    let body = if room.is_some_and(|room| payload.len() <= room) {
        Body::Message(chunks)
    } else {
        let offered = call.chunks.reply.as_ref()?;
        chunks.reply = Some(filled(offered, &payload, &mut out)?);
        payload.clear();
        Body::NoMessage(chunks)
    };
    let header = Header::new(call.xid, how.credits, body).ok()?;
    let mut bytes = vec![0; header.length()];
    header.emit(&mut bytes).ok()?;
    bytes.extend_from_slice(&payload);
    out.push(MessageOut::send(&bytes));
    Some(out)
}

fn unused(offered: &[Segment]) -> Vec<Segment> {
    offered.iter().map(|it| Segment { length: 0, ..*it }).collect()
}

/// Writes bytes into the segments of a chunk, in order. Returns the chunk with the written lengths.
fn filled(offered: &[Segment], bytes: &[u8], out: &mut Vec<MessageOut>) -> Option<Vec<Segment>> {
    let mut rest = bytes;
    let mut returned = Vec::new();
    for segment in offered {
        let (now, later) = rest.split_at_checked(rest.len().min(segment.length as usize))?;
        if !now.is_empty() {
            out.push(MessageOut::write(segment.handle, segment.offset, now));
        }
        returned.push(Segment { length: now.len() as u32, ..*segment });
        rest = later;
    }
    rest.is_empty().then_some(returned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reply_without_a_reply_chunk_goes_inline_as_far_as_both_sides_allow() {
        let size = |send, receive| [0xf6_u8, 0xab, 0x0e, 0x18, 1, 0, send, receive];
        assert_eq!(threshold(&size(3, 0), &size(0, 7)), 4096);
        assert_eq!(threshold(&size(7, 0), &[&[0; 4][..], &size(0, 1)].concat()), 2048);
        assert_eq!(threshold(&size(3, 3), &[]), 1024);
        assert_eq!(threshold(&[], &size(3, 3)), 1024);

        let answer = RpcAnswer { bytes: vec![0; 2000], ..RpcAnswer::default() };
        let (chunks, inline) = (Chunks::default(), Vec::new());
        let mut call = Call { at: 0, xid: 1, chunks, inline };
        let (until, refuse, within) = (Vec::new(), Vec::new(), Duration::ZERO);
        let how = Serve { until, refuse, credits: 1, inline: 1024, again: false, within };
        let placed = |call: &Call, most| Some(placed(&answer, call, &how, most)?.len());
        assert_eq!((placed(&call, 1024), placed(&call, 4096)), (None, Some(1)));
        // A Reply chunk is used as before: a Write, and the Send of an RDMA_NOMSG.
        call.chunks.reply = Some(vec![Segment { handle: 1, length: 2000, offset: 0 }]);
        assert_eq!(placed(&call, 4096), Some(2));
    }
}
