//! RPC-over-RDMA as a service: answers the calls of every stream, and makes calls on any stream.

use crate::rpc::{Answer, OutgoingCall};
use crate::rpcrdma::{CallFailure, ReducedReply, RpcRdma, RpcRdmaConfig, Statistics};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt;
use warpscope_peer::bug::Bug;
use warpscope_peer::connection::{Event, Role};
use warpscope_peer::service::Service;
use warpscope_peer::streams::{StreamEvent, Streams};

/// Bytes of unsent answers and of sinks: over all streams, the limit at which one of them is ended; and for
/// one stream, the amount from which the total is computed.
const MOST_HELD: usize = 96 << 20;
const SOME_HELD: usize = 1 << 20;

/// The outcome of a call: the stream, the number that [`Rpc::call`] returned, and the reply.
pub type Answered = (u64, u64, Result<ReducedReply, CallFailure>);

/// RPC-over-RDMA on all streams of one side. `A` answers incoming calls; on streams that this side opened
/// they are backward calls (RFC 8167).
pub struct Rpc<A> {
    /// What answers the calls.
    pub answer: A,
    accepted: RpcRdmaConfig,
    opened: RpcRdmaConfig,
    ends: BTreeMap<u64, RpcRdma>,
    answered: VecDeque<Answered>,
    /// The calls of [`Answer::backward`] that have no reply yet.
    backward: BTreeSet<(u64, u64)>,
    /// The last private data received; only a bug keeps it.
    settings: Vec<u8>,
    /// Statistics of the streams that are closed.
    gone: Statistics,
    count: u64,
    stopping: bool,
}

impl<A> fmt::Debug for Rpc<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rpc").field("ends", &self.ends).finish_non_exhaustive()
    }
}

impl<A: Answer> Rpc<A> {
    /// Creates a service with one configuration for accepted streams, and another for opened ones. The
    /// private data of [`RpcRdmaConfig::private_data`] goes into the setup of streams that it opens, and of
    /// those that a connection accepts by itself.
    pub fn new(answer: A, accepted: RpcRdmaConfig, opened: RpcRdmaConfig) -> Self {
        Self {
            answer,
            accepted,
            opened,
            ends: BTreeMap::new(),
            answered: VecDeque::new(),
            backward: BTreeSet::new(),
            settings: Vec::new(),
            gone: Statistics::default(),
            count: 0,
            stopping: false,
        }
    }

    /// Makes a call on a stream, which need not be established yet. Returns the call's number on that stream.
    /// If the stream is tried again with revision 1, the outcome of the call is reported with the new
    /// stream's number.
    pub fn call(&mut self, streams: &mut Streams, number: u64, call: OutgoingCall) -> u64 {
        let handle = self.end(streams, number).call(streams, call);
        self.gather(number);
        handle
    }

    /// Returns the outcome of a call.
    pub fn poll(&mut self) -> Option<Answered> {
        self.answered.pop_front()
    }

    /// Returns the RPC-over-RDMA end of a stream.
    pub fn of(&self, number: u64) -> Option<&RpcRdma> {
        self.ends.get(&number)
    }

    fn end(&mut self, streams: &Streams, number: u64) -> &mut RpcRdma {
        self.ends.entry(number).or_insert_with(|| {
            let connection = streams.config(number);
            let mut config = match connection.map(|config| config.role) {
                Some(Role::Initiator) => self.opened,
                _ => self.accepted,
            };
            if let Some(connection) = connection {
                config.bugs = connection.bugs;
                config.vary(connection.variants);
            }
            RpcRdma::new(config, number)
        })
    }

    fn gather(&mut self, number: u64) {
        let Some(end) = self.ends.get_mut(&number) else { return };
        while let Some((handle, result)) = end.poll() {
            if self.backward.remove(&(number, handle)) {
                let reply = result.ok().map(|reply| reply.bytes);
                self.answer.replied(number, reply.as_deref());
            } else {
                self.answered.push_back((number, handle, result));
            }
        }
    }

    /// Makes the calls that the answering side wants made.
    fn call_back(&mut self, streams: &mut Streams) {
        while let Some((number, call)) = self.answer.backward() {
            if !self.ends.contains_key(&number) {
                self.answer.replied(number, None);
                continue;
            }
            let handle = self.end(streams, number).call(streams, call);
            self.backward.insert((number, handle));
            self.gather(number);
        }
    }

    /// Finishes a stream if the user wants to stop and no call is in progress on it.
    fn finish_idle(&self, streams: &mut Streams, number: u64) {
        if self.stopping && self.ends.get(&number).is_none_or(RpcRdma::is_idle) {
            streams.finish(number);
        }
    }

    /// Ends the stream that holds most if all together hold too much: its peer does not read answers.
    fn bound(&self, streams: &mut Streams, number: u64) {
        let some = self.ends.get(&number).is_some_and(|end| end.holding() > SOME_HELD);
        if some
            && self.ends.values().map(RpcRdma::holding).sum::<usize>() > MOST_HELD
            && let Some((most, _)) = self.ends.iter().max_by_key(|(_, end)| end.holding())
        {
            streams.abort(*most);
        }
    }

    fn total(&self) -> Statistics {
        self.ends.values().fold(self.gone, |sum, end| sum + end.statistics())
    }
}

impl<A: Answer> Service for Rpc<A> {
    fn handle(&mut self, streams: &mut Streams, number: u64, mut event: StreamEvent) {
        let (requested, finished) = match &event {
            StreamEvent::Event(event) => {
                (matches!(event, Event::Requested(_)), matches!(event, Event::FinishReceived))
            }
            _ => (false, false),
        };
        let closed = matches!(event, StreamEvent::Closed);
        if let StreamEvent::Event(Event::Established(agreement)) = &mut event {
            self.count += 1;
            let bugs = streams.config(number).map(|config| config.bugs).unwrap_or_default();
            if bugs.has(Bug::RpcSettingsKept) {
                match agreement.private_data.is_empty() {
                    true => agreement.private_data.clone_from(&self.settings),
                    false => self.settings.clone_from(&agreement.private_data),
                }
            }
        }
        if let StreamEvent::FellBack(again) = event {
            if let Some(mut end) = self.ends.remove(&number) {
                end.move_to(again);
                self.ends.insert(again, end);
            }
            return;
        }
        if closed && !self.ends.contains_key(&number) {
            return;
        }
        self.end(streams, number);
        if let Some(end) = self.ends.get_mut(&number) {
            end.handle(streams, event, &mut self.answer);
            if requested {
                let private_data = end.private_data();
                streams.accept(number, &private_data);
            }
        }
        self.bound(streams, number);
        self.gather(number);
        self.call_back(streams);
        if finished {
            streams.finish(number);
        }
        self.finish_idle(streams, number);
        if closed && let Some(end) = self.ends.remove(&number) {
            self.gone = self.gone + end.statistics();
            self.backward.retain(|(stream, _)| *stream != number);
            self.answer.gone(number);
        }
    }

    fn stop(&mut self, streams: &mut Streams) {
        self.stopping = true;
        for number in streams.numbers() {
            self.finish_idle(streams, number);
        }
    }

    fn is_done(&self, streams: &Streams) -> bool {
        self.stopping && streams.count() == 0
    }

    fn summary(&self) -> Vec<String> {
        let done = self.total();
        vec![
            match self.count {
                1 => "1 stream of RPC-over-RDMA".to_owned(),
                count => format!("{count} streams of RPC-over-RDMA"),
            },
            format!(
                "{} calls received, {} replies and {} errors sent",
                done.calls_received, done.replies_sent, done.errors_sent
            ),
            format!(
                "{} calls sent, {} replies and {} errors received",
                done.calls_sent, done.replies_received, done.errors_received
            ),
            format!(
                "{} messages dropped, {} Steering Tags wrongly invalidated",
                done.discarded, done.wrongly_invalidated
            ),
        ]
    }
}
