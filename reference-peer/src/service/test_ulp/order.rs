//! Messages on control and shared streams: orders, and what becomes of each.

use super::answer::No;
use super::stream::{Job, Receive, Waiting};
use super::target::TestUlp;
use crate::streams::Streams;
use crate::work::Operation;
use std::time::Duration;
use warpscope_wire::test_ulp::{
    ANSWER, Answer, Greeting, Message, Order, Purpose, ReportsOrder, StreamDescription, kind,
};

/// The longest that reports are waited for, in milliseconds.
const LONGEST_WAIT: u32 = 600_000;

/// What is done to the stream once an answer is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Then {
    Nothing,
    Finish,
    Abort,
}

impl TestUlp {
    /// A message of the test ULP came; `again` says whether its receive is to be posted again.
    pub(super) fn message(
        &mut self,
        streams: &mut Streams,
        number: u64,
        bytes: &[u8],
        again: bool,
    ) {
        let own_hello = self.streams.get(&number).is_some_and(|it| it.greeting);
        if own_hello && self.hello_answered(number, bytes) {
            self.post_own(streams, number, again.into());
            return;
        }
        self.orders += 1;
        let parsed = Message::parse_order(bytes);
        let (order, kind, sequence) = match parsed {
            Ok(message) => {
                let order = Order::parse(&message).map_err(No::from);
                (order, message.kind, message.sequence)
            }
            Err(fault) => {
                let (kind, sequence) = Message::blamed(bytes);
                (Err(No::from(warpscope_wire::test_ulp::NoOrder::from(fault))), kind, sequence)
            }
        };
        let mut then = Then::Nothing;
        let answer = match order {
            Ok(order) => self.carry_out(streams, number, (sequence, again), order, &mut then),
            Err(no) => Err(no),
        };
        let answer = match answer {
            Ok(None) => return,
            Ok(Some(answer)) => answer,
            Err(no) => {
                self.refused += 1;
                no.answer()
            }
        };
        self.answer(streams, number, (kind, sequence), &answer, (again, then == Then::Abort));
        if then == Then::Finish {
            streams.finish(number);
        }
    }

    fn hello_answered(&mut self, number: u64, bytes: &[u8]) -> bool {
        let Ok(message) = Message::parse(bytes) else { return false };
        if message.kind != kind::HELLO | ANSWER {
            return false;
        }
        if let (Ok(Answer::Greeting(greeting)), Some(stream)) =
            (Answer::parse(&message), self.streams.get_mut(&number))
        {
            stream.takes(greeting.longest);
        }
        if let Some(stream) = self.streams.get_mut(&number) {
            stream.greeting = false;
        }
        true
    }

    /// Sends an answer. One that is too long for the asker is refused instead.
    pub(super) fn answer(
        &mut self,
        streams: &mut Streams,
        number: u64,
        (kind, sequence): (u8, u32),
        answer: &Answer,
        (again, abort): (bool, bool),
    ) {
        let mut bytes = answer.message(kind, sequence);
        let longest = self.streams.get(&number).map_or(0, |it| it.longest);
        if bytes.len() > longest as usize {
            let no = No::limit("bytes in an answer", longest.into());
            bytes = no.answer().message(kind, sequence);
        }
        let job = Job::Answer { again, abort };
        // A stream that is closing cannot be answered on.
        let _ = self.post(streams, number, Operation::send(&bytes), false, job);
    }

    fn carry_out(
        &mut self,
        streams: &mut Streams,
        number: u64,
        (sequence, again): (u32, bool),
        order: Order,
        then: &mut Then,
    ) -> Result<Option<Answer>, No> {
        let session = self.session_of(number);
        let room = self.streams.get(&number).map_or(0, |it| it.room());
        Ok(Some(match order {
            Order::Hello(greeting) => self.hello(streams, number, &greeting)?,
            Order::Capabilities => self.capabilities(),
            Order::Reset => {
                self.reset(streams, session, Some(number));
                Answer::Done
            }
            Order::Goodbye => {
                self.reset(streams, session, Some(number));
                if let Some(session) = self.sessions.get_mut(&session) {
                    session.leaving = true;
                }
                *then = Then::Finish;
                Answer::Done
            }
            Order::ListRegions(skip) => self.list_regions(streams, (session, room), skip),
            Order::Register(order, name) => self.register(streams, number, &order, &name)?,
            Order::Bind(order) => self.bind(streams, number, &order)?,
            Order::Invalidate(region) => self.invalidate(streams, session, region)?,
            Order::Revalidate(order) => self.revalidate(streams, session, &order)?,
            Order::Deregister(region) => self.deregister(streams, session, region)?,
            Order::Read(range) => {
                if range.length as usize > room {
                    return Err(No::limit("bytes in an answer", room as u64));
                }
                Answer::Bytes(self.bytes(streams, session, range)?.to_vec())
            }
            Order::Copy(order) => {
                self.copy(streams, number, (sequence, again), &order)?;
                return Ok(None);
            }
            Order::Write(range, bytes) => {
                self.bytes(streams, session, range)?.copy_from_slice(&bytes);
                Answer::Done
            }
            Order::Fill(order) => self.fill(streams, session, &order)?,
            Order::Checksum(order) => self.checksum(streams, session, &order)?,
            Order::Recall(region) => self.recall(streams, session, region)?,
            Order::Receives(order) => self.post_receives(streams, number, &order)?,
            Order::Work(order, bytes) => self.post_work(streams, number, &order, &bytes)?,
            Order::Open(options, private_data, address) => {
                self.open(streams, number, (&options, &private_data), address)?
            }
            Order::Prepare(options, private_data) => {
                self.prepare(streams, number, (&options, &private_data))?
            }
            Order::Finish(stream) => self.end(streams, number, stream, Then::Finish, then)?,
            Order::Abort(stream) => self.end(streams, number, stream, Then::Abort, then)?,
            Order::ListStreams(skip) => self.list_streams((session, room), skip),
            Order::Reports(order) => {
                return Ok(self.reports(streams, number, (sequence, again), order));
            }
        }))
    }

    fn end(
        &mut self,
        streams: &mut Streams,
        number: u64,
        stream: u32,
        how: Then,
        then: &mut Then,
    ) -> Result<Answer, No> {
        let target = self.named(number, stream)?;
        if target == number {
            *then = how;
        } else if how == Then::Finish && streams.connection(target).is_none() {
            return Err(No::refused("the stream is not open yet"));
        } else if how == Then::Finish {
            streams.finish(target);
        } else {
            self.abort(streams, target);
        }
        Ok(Answer::Done)
    }

    fn hello(
        &mut self,
        streams: &mut Streams,
        number: u64,
        greeting: &Greeting,
    ) -> Result<Answer, No> {
        if !self.enter_session(streams, greeting.session) {
            return Err(No::limit("sessions", self.options.limits.sessions as u64));
        }
        if greeting.purpose == Purpose::Bare {
            self.judge_receives(greeting.receives.into(), greeting.longest)?;
        }
        let name = match self.streams.get(&number) {
            Some(stream) if greeting.stream == 0 => stream.name,
            _ => greeting.stream,
        };
        let Some(stream) = self.streams.get_mut(&number) else {
            return Err(No::refused("the stream is gone"));
        };
        stream.session = greeting.session;
        stream.name = name;
        stream.purpose = greeting.purpose;
        stream.takes(greeting.longest);
        if greeting.purpose == Purpose::Bare {
            stream.to_post = (greeting.receives.into(), greeting.longest);
            // What was posted for orders takes messages under test from now on.
            self.post_prepared(streams, number);
        }
        let stream = self.streams.get(&number);
        let greeting = stream.map(|stream| self.greeting_of(stream));
        Ok(greeting.map_or(Answer::Done, Answer::Greeting))
    }

    /// Posts the receives that a greeting or options ask for.
    pub(super) fn post_prepared(&mut self, streams: &mut Streams, number: u64) {
        let (count, size) = self.streams.get(&number).map_or((0, 0), |it| it.to_post);
        for identifier in 1..=u64::from(count) {
            let receive = Receive::Ordered { identifier };
            if self.post_receive(streams, number, receive, (size, None)).is_err() {
                break;
            }
        }
    }

    fn list_streams(&self, (session, room): (u32, usize), skip: u32) -> Answer {
        let ended = self.sessions.get(&session).map(|it| it.ended.iter().copied());
        let up = self.streams.values().filter(|it| it.session == session);
        let all: Vec<StreamDescription> =
            ended.into_iter().flatten().chain(up.map(|it| it.describe())).collect();
        let room = room.saturating_sub(4) / StreamDescription::LENGTH;
        let total = all.len() as u32;
        Answer::Streams(total, all.into_iter().skip(skip as usize).take(room).collect())
    }

    fn reports(
        &mut self,
        streams: &mut Streams,
        number: u64,
        (sequence, again): (u32, bool),
        mut order: ReportsOrder,
    ) -> Option<Answer> {
        // One at a time waits: the earlier is answered without reports.
        self.tell_none(streams, number);
        let (session, room) = self.streams.get(&number).map(|it| (it.session, it.room()))?;
        order.front = order.front.min(self.options.limits.front);
        let kept = &mut self.sessions.get_mut(&session)?.reports;
        if order.wait == 0 || kept.any(order.stream) {
            let (head, reports) = kept.take(&order, room);
            return Some(Answer::Reports(head, reports));
        }
        let wait = Duration::from_millis(order.wait.min(LONGEST_WAIT).into());
        let until = streams.now().saturating_add(wait);
        let waiting = Waiting { order, sequence, until, again };
        self.streams.get_mut(&number)?.waiting = Some(waiting);
        None
    }

    /// Answers the order for reports that waits on a stream, with none.
    pub(super) fn tell_none(&mut self, streams: &mut Streams, number: u64) {
        self.tell_reports(streams, number, 0);
    }

    /// Answers the order for reports that waits on a stream, with at most so many.
    pub(super) fn tell_reports(&mut self, streams: &mut Streams, number: u64, most: u32) {
        let Some(stream) = self.streams.get_mut(&number) else { return };
        let (session, room) = (stream.session, stream.room());
        let Some(waiting) = stream.waiting.take() else { return };
        let Waiting { mut order, sequence, again, .. } = waiting;
        order.most = order.most.min(most);
        let Some(session) = self.sessions.get_mut(&session) else { return };
        let (head, reports) = session.reports.take(&order, room);
        let answer = Answer::Reports(head, reports);
        self.answer(streams, number, (kind::REPORTS, sequence), &answer, (again, false));
    }

    /// An ordered copy ended.
    pub(super) fn copied_or_not(
        &mut self,
        streams: &mut Streams,
        (asker, sequence, again): (u64, u32, bool),
        done: bool,
    ) {
        let answer = if done {
            Answer::Done
        } else {
            No::refused("the stream ended before the bytes were written").answer()
        };
        self.answer(streams, asker, (kind::COPY, sequence), &answer, (again, false));
    }
}
