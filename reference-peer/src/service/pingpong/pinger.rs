//! The client's side of a stream: it advertises, and compares what came back.

use super::Advertisement;
use crate::memory::{MemoryError, Registration, Rights};
use crate::streams::Streams;
use crate::work::{Operation, PostError, RemoteBuffer, WorkRequest};
use std::time::Duration;

/// What the client's letters run through.
const LETTERS: std::ops::RangeInclusive<u8> = b'A'..=b'z';

/// Which go-ahead comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Awaited {
    Read,
    Write,
}

/// What a go-ahead brought.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Progress {
    /// Half a round.
    Half,
    /// A round, and how long it took.
    Round(Duration),
}

/// Why a client cannot go on.
#[derive(Debug, thiserror::Error)]
pub(super) enum PingError {
    #[error("the buffers could not be registered: {0}")]
    Memory(#[from] MemoryError),
    #[error("a message could not be posted: {0}")]
    Post(#[from] PostError),
    #[error("ping {round}: byte {at} of what came back differs")]
    Differs { round: u64, at: usize },
}

/// A client's stream.
#[derive(Debug)]
pub(super) struct Pinger {
    source: u32,
    sink: u32,
    length: u32,
    /// Rounds that are done.
    pub(super) rounds: u64,
    awaited: Awaited,
    begun: Duration,
}

impl Pinger {
    /// Registers the buffers.
    pub(super) fn begin(
        streams: &mut Streams,
        number: u64,
        length: u32,
    ) -> Result<Self, PingError> {
        let buffer = || vec![0; length as usize];
        let registration = |rights| Registration::stream(number, rights);
        let memory = streams.memory();
        let source = memory.register(buffer(), registration(Rights::READ))?;
        let sink = memory.register(buffer(), registration(Rights::WRITE))?;
        let awaited = Awaited::Read;
        Ok(Self { source, sink, length, rounds: 0, awaited, begun: Duration::ZERO })
    }

    /// Begins a round.
    pub(super) fn ping(&mut self, streams: &mut Streams, number: u64) -> Result<(), PingError> {
        self.awaited = Awaited::Read;
        self.begun = streams.now();
        if let Some(bytes) = streams.memory().bytes_mut(self.source) {
            bytes.copy_from_slice(&data(self.rounds, self.length as usize));
        }
        if let Some(bytes) = streams.memory().bytes_mut(self.sink) {
            bytes.fill(0);
        }
        self.advertise(streams, number, self.source)
    }

    /// The receive comes first: the answer may be quick.
    fn advertise(&self, streams: &mut Streams, number: u64, tag: u32) -> Result<(), PingError> {
        let buffer = RemoteBuffer { steering_tag: tag, tagged_offset: 0 };
        let advertisement = Advertisement { buffer, length: self.length };
        streams.post_receive(number, 0, Advertisement::LENGTH)?;
        let send = Operation::send(&advertisement.bytes());
        Ok(streams.post(number, WorkRequest::new(0, send))?)
    }

    /// A go-ahead came.
    pub(super) fn go_ahead(
        &mut self,
        streams: &mut Streams,
        number: u64,
    ) -> Result<Progress, PingError> {
        if self.awaited == Awaited::Read {
            self.awaited = Awaited::Write;
            self.advertise(streams, number, self.sink)?;
            return Ok(Progress::Half);
        }
        self.compare(streams)?;
        self.rounds += 1;
        Ok(Progress::Round(streams.now().saturating_sub(self.begun)))
    }

    fn compare(&self, streams: &mut Streams) -> Result<(), PingError> {
        let memory = streams.memory();
        let sent = memory.bytes(self.source).unwrap_or_default();
        let back = memory.bytes(self.sink).unwrap_or_default();
        match sent.iter().zip(back).position(|(sent, back)| sent != back) {
            Some(at) => Err(PingError::Differs { round: self.rounds, at }),
            None => Ok(()),
        }
    }

    /// Gives the buffers back.
    pub(super) fn end(&self, streams: &mut Streams) {
        super::program::release(streams, [self.source, self.sink]);
    }
}

/// What rping's client sends: its number, letters that begin one later every round, and a NUL.
pub(super) fn data(round: u64, length: usize) -> Vec<u8> {
    let (first, last) = LETTERS.into_inner();
    let letters = (first..=last).cycle();
    let start = (round % u64::from(last - first + 1)) as usize;
    let words = format!("rdma-ping-{round}: ").into_bytes();
    let words = words.into_iter().take(length.saturating_sub(1));
    let letters = letters.skip(start);
    let mut bytes: Vec<u8> = words.chain(letters).take(length).collect();
    if let Some(last) = bytes.last_mut() {
        *last = 0;
    }
    bytes
}
