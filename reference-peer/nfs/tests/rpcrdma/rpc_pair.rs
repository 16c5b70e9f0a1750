//! Two ends of RPC-over-RDMA, a program that they call, and the TCP connection between them.

use crate::judge::judge_clean;
use crate::prelude::*;
use std::ops::Range;
use warpscope_nfs::rpcrdma::RpcRdma;
use warpscope_peer::connection::{Event, Transmit};

/// Bytes of the RPC header of the program's calls and replies, without credentials.
pub(crate) const CALL_HEADER: usize = 40;
pub(crate) const REPLY_HEADER: usize = 24;

/// What a call of the program has, and what it asks for.
#[derive(Debug, Clone, Default)]
pub(crate) struct Plan {
    pub(crate) xid: u32,
    /// The lengths of the eligible arguments.
    pub(crate) arguments: Vec<usize>,
    /// The length of an argument that is not eligible, after the others.
    pub(crate) plain_argument: usize,
    /// The lengths of the eligible results.
    pub(crate) results: Vec<usize>,
    /// The length of a result that is not eligible, after the others.
    pub(crate) plain_result: usize,
    /// The room for each result; where it is missing, the result's length.
    pub(crate) room: Option<Vec<u32>>,
}

/// 32-bit words as bytes.
pub(crate) fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_be_bytes()).collect()
}

fn word(bytes: &mut Vec<u8>, value: usize) {
    bytes.extend_from_slice(&(value as u32).to_be_bytes());
}

/// An XDR opaque of variable length; where its bytes are.
fn opaque(bytes: &mut Vec<u8>, content: &[u8]) -> Range<usize> {
    word(bytes, content.len());
    let start = bytes.len();
    bytes.extend_from_slice(content);
    let end = bytes.len();
    bytes.resize(end.next_multiple_of(4), 0);
    start..end
}

/// Bytes that differ from call to call.
pub(crate) fn content(xid: u32, length: usize) -> Vec<u8> {
    pattern(length).into_iter().map(|byte| byte ^ xid as u8).collect()
}

impl Plan {
    /// The call: RPC header, lengths of the results, arguments.
    pub(crate) fn message(&self) -> RpcMessage {
        let mut bytes = words(&[self.xid, 0, 2, 0x2000_0001, 1, 7, 0, 0, 0, 0]);
        word(&mut bytes, self.results.len());
        for length in &self.results {
            word(&mut bytes, *length);
        }
        word(&mut bytes, self.plain_result);
        let arguments = self.arguments.iter();
        let eligible =
            arguments.map(|length| opaque(&mut bytes, &content(self.xid, *length))).collect();
        if self.plain_argument > 0 {
            opaque(&mut bytes, &content(!self.xid, self.plain_argument));
        }
        RpcMessage { bytes, eligible }
    }

    /// The call with what its reply may have.
    pub(crate) fn call(&self) -> OutgoingCall {
        let lengths = || self.results.iter().map(|length| *length as u32).collect::<Vec<_>>();
        let result_room = self.room.clone().unwrap_or_else(lengths);
        let longest = |(room, length): (&u32, &usize)| 4 + (*room as usize).max(*length) + 3;
        let results: usize = result_room.iter().zip(&self.results).map(longest).sum();
        let offered = result_room.len().saturating_sub(self.results.len()) * 4
            + result_room.iter().skip(self.results.len()).map(|it| *it as usize + 3).sum::<usize>();
        let longest_reply = REPLY_HEADER + results + offered + 4 + self.plain_result + 3;
        OutgoingCall { message: self.message(), result_room, longest_reply }
    }

    /// The reply: RPC header, results.
    pub(crate) fn reply(&self) -> RpcMessage {
        let mut bytes = words(&[self.xid, 1, 0, 0, 0, 0]);
        let results = self.results.iter();
        let eligible =
            results.map(|length| opaque(&mut bytes, &content(self.xid, *length))).collect();
        opaque(&mut bytes, &content(!self.xid, self.plain_result));
        RpcMessage { bytes, eligible }
    }

    /// Whether a reply is the right one, taken apart as `reduced`: item by item, whether it went
    /// by its write chunk.
    pub(crate) fn check(&self, reply: &ReducedReply, reduced: &[bool]) {
        let (mut bytes, mut chunks) = (Vec::new(), Vec::new());
        bytes.extend_from_slice(&self.reply().bytes[..REPLY_HEADER]);
        for (index, length) in self.results.iter().enumerate() {
            match reduced.get(index) {
                Some(true) => {
                    word(&mut bytes, *length);
                    chunks.push(content(self.xid, *length));
                }
                moved => {
                    opaque(&mut bytes, &content(self.xid, *length));
                    chunks.extend(moved.map(|_| Vec::new()));
                }
            }
        }
        chunks.resize(reduced.len(), Vec::new());
        opaque(&mut bytes, &content(!self.xid, self.plain_result));
        assert_eq!(reply.bytes, bytes, "{self:?}");
        assert_eq!(reply.chunks, chunks, "{self:?}");
    }
}

/// Answers as plans say, and keeps what it heard.
#[derive(Debug, Default)]
pub(crate) struct Program {
    pub(crate) heard: Vec<Vec<u8>>,
    /// Arguments from this position on are not eligible.
    pub(crate) ineligible_from: Option<usize>,
    /// What it answers instead.
    pub(crate) instead: Option<RpcMessage>,
}

impl Answer for Program {
    fn answer(&mut self, call: &[u8]) -> RpcMessage {
        self.heard.push(call.to_vec());
        if let Some(reply) = self.instead.clone() {
            return reply;
        }
        let (words, _) = call.as_chunks();
        let mut words = words.iter().map(|word| u32::from_be_bytes(*word) as usize);
        let xid = words.next().unwrap_or(0) as u32;
        let mut words = words.skip(CALL_HEADER / 4 - 1);
        let count = words.next().unwrap_or(0).min(16);
        let results: Vec<usize> = words.by_ref().take(count).map(|it| it.min(1 << 20)).collect();
        let plain_result = words.next().unwrap_or(0).min(1 << 20);
        Plan { xid, results, plain_result, ..Plan::default() }.reply()
    }

    fn may_take_out(&self, _call: &[u8], item: Range<usize>) -> bool {
        self.ineligible_from.is_none_or(|from| item.start < from)
    }
}

/// Two ends on one connection. The initiator's is the client's.
pub(crate) struct RpcPair<A = Program> {
    pub(crate) sides: [Streams; 2],
    pub(crate) numbers: [u64; 2],
    pub(crate) ends: [RpcRdma; 2],
    pub(crate) programs: [A; 2],
    pub(crate) ended: [Vec<(u64, Result<ReducedReply, CallFailure>)>; 2],
    /// The calls that a program has made, by side and handle.
    backward: Vec<(usize, u64)>,
    pub(crate) transcript: Vec<(usize, Option<Vec<u8>>)>,
    /// The most calls that ever waited at each side.
    pub(crate) most_outstanding: [usize; 2],
    /// A side whose bytes are changed on the way, and by whom.
    pub(crate) meddle: Option<(usize, Meddle)>,
}

/// Changes what a side has sent.
pub(crate) type Meddle = Box<dyn FnMut(&mut Vec<u8>)>;

impl RpcPair {
    /// Both ends; nothing has been carried.
    pub(crate) fn new(configs: [RpcRdmaConfig; 2]) -> Self {
        Self::with(configs, |_| {})
    }

    /// The same with connections that are changed before.
    pub(crate) fn with(configs: [RpcRdmaConfig; 2], change: impl Fn(&mut Config)) -> Self {
        Self::answering(configs, change, Default::default())
    }
}

impl<A: Answer> RpcPair<A> {
    /// The same with others who answer.
    pub(crate) fn answering(
        configs: [RpcRdmaConfig; 2],
        change: impl Fn(&mut Config),
        programs: [A; 2],
    ) -> Self {
        let connection = |role: Role, config: &RpcRdmaConfig| {
            let mut connection = Config::new(role, Accessor { stream: 0, protection_domain: 1 });
            connection.setup.private_data = config.private_data();
            connection.accepts = false;
            change(&mut connection);
            connection
        };
        let mut sides = [1, 2].map(|seed| Streams::new(Memory::seeded(seed)));
        let client = connection(Role::Initiator, &configs[INITIATOR]);
        let numbers = [
            sides[INITIATOR].connect(([127, 0, 0, 1], 20049).into(), client, false),
            sides[RESPONDER].accepted(connection(Role::Responder, &configs[RESPONDER]), None, None),
        ];
        assert!(sides[INITIATOR].poll_connect().is_some());
        sides[INITIATOR].opened(numbers[INITIATOR], None);
        let [client, server] = configs;
        let ends =
            [RpcRdma::new(client, numbers[INITIATOR]), RpcRdma::new(server, numbers[RESPONDER])];
        Self {
            sides,
            numbers,
            ends,
            programs,
            ended: Default::default(),
            backward: Vec::new(),
            transcript: Vec::new(),
            most_outstanding: [0; 2],
            meddle: None,
        }
    }

    pub(crate) fn call(&mut self, side: usize, call: OutgoingCall) -> u64 {
        let handle = self.ends[side].call(&mut self.sides[side], call);
        self.gather(side);
        handle
    }

    pub(crate) fn say(&mut self, side: usize, bytes: &[u8]) {
        let request = WorkRequest::new(0, Operation::send(bytes));
        self.sides[side].post(self.numbers[side], request).unwrap();
    }

    fn gather(&mut self, side: usize) {
        let most = &mut self.most_outstanding[side];
        *most = (*most).max(self.ends[side].outstanding());
        while let Some((handle, result)) = self.ends[side].poll() {
            let made = self.backward.iter().position(|made| *made == (side, handle));
            match made.map(|at| self.backward.remove(at)) {
                Some(_) => {
                    let reply = result.ok().map(|reply| reply.bytes);
                    self.programs[side].replied(self.numbers[side], reply.as_deref());
                }
                None => self.ended[side].push((handle, result)),
            }
        }
    }

    fn happen(&mut self, side: usize) -> bool {
        let mut busy = false;
        while let Some((number, event)) = self.sides[side].poll() {
            let requested = matches!(event, StreamEvent::Event(Event::Requested(_)));
            let streams = &mut self.sides[side];
            self.ends[side].handle(streams, event, &mut self.programs[side]);
            if requested {
                let private_data = streams.config(number).unwrap().setup.private_data.clone();
                streams.accept(number, &private_data);
            }
            self.gather(side);
            busy = true;
        }
        while let Some((_, call)) = self.programs[side].backward() {
            let handle = self.ends[side].call(&mut self.sides[side], call);
            self.backward.push((side, handle));
            busy = true;
        }
        busy
    }

    fn carry(&mut self, side: usize) -> bool {
        let Some(sent) = self.sides[side].poll_transmit(self.numbers[side]) else { return false };
        let (there, number) = (&mut self.sides[1 - side], self.numbers[1 - side]);
        match sent {
            Transmit::Bytes(mut bytes) => {
                if let Some((meddled, change)) = &mut self.meddle
                    && *meddled == side
                {
                    change(&mut bytes);
                }
                there.received(number, &bytes);
                self.transcript.push((side, Some(bytes)));
            }
            Transmit::Finish => {
                there.finished(number);
                self.transcript.push((side, None));
            }
            Transmit::Reset => there.lost(number),
        }
        true
    }

    pub(crate) fn run(&mut self) {
        for _ in 0..1_000_000 {
            let mut busy = false;
            for side in [INITIATOR, RESPONDER] {
                busy |= self.happen(side);
                busy |= self.carry(side);
            }
            if !busy {
                return;
            }
        }
        panic!("the ends do not come to rest");
    }

    /// The same with everything that a side has to send on the way at once.
    pub(crate) fn run_in_bursts(&mut self) {
        loop {
            let mut busy = false;
            for side in [INITIATOR, RESPONDER] {
                while self.carry(side) {
                    busy = true;
                }
                busy |= self.happen(1 - side);
            }
            if !busy {
                return;
            }
        }
    }

    /// Carries what one side has to send, and lets the other hear it; nothing goes the other way.
    pub(crate) fn run_from(&mut self, side: usize) {
        while self.carry(side) {}
        self.happen(1 - side);
    }

    /// Closes both sides, and judges what was said: no finding, no memory left.
    pub(crate) fn close_clean(&mut self, what: &str) {
        for side in [INITIATOR, RESPONDER] {
            self.sides[side].finish(self.numbers[side]);
        }
        self.run();
        self.nothing_left(what);
        judge_clean(&self.transcript, what);
    }

    pub(crate) fn nothing_left(&mut self, what: &str) {
        for side in &mut self.sides {
            assert_eq!(side.memory().count(), 0, "{what}: regions are left");
        }
    }

    /// The replies that a side got, all of them well, by handle.
    pub(crate) fn replies(&mut self, side: usize) -> Vec<ReducedReply> {
        let mut ended = std::mem::take(&mut self.ended[side]);
        ended.sort_by_key(|(handle, _)| *handle);
        ended
            .into_iter()
            .map(|(handle, it)| it.unwrap_or_else(|it| panic!("{handle}: {it}")))
            .collect()
    }
}
