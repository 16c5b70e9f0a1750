//! The server's side of a stream: it reads what is advertised, and writes it back.

use super::Advertisement;
use crate::memory::{MemoryError, Registration, Rights};
use crate::streams::Streams;
use crate::work::{LocalBuffer, Operation, PostError, Source, WorkRequest};

/// The longest buffer that is read, in bytes. rping's own has 65535.
pub(super) const LONGEST: u32 = 1 << 20;

/// The work request whose completion the server waits for.
pub(super) const READ: u64 = 1;
/// A work request that nobody waits for.
const OTHER: u64 = 0;

/// What an advertisement is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Awaited {
    Source,
    Read,
    Sink,
}

/// Why a server cannot go on.
#[derive(Debug, thiserror::Error)]
pub(super) enum PongError {
    #[error("no buffer could be registered: {0}")]
    Memory(#[from] MemoryError),
    #[error("a request could not be posted: {0}")]
    Post(#[from] PostError),
    #[error("{0} bytes are advertised: this service reads up to {LONGEST}")]
    Long(u32),
    #[error("an advertisement came before the go-ahead")]
    Early,
}

/// A server's stream.
#[derive(Debug)]
pub(super) struct Ponger {
    /// What was read, and is written back.
    buffer: Option<LocalBuffer>,
    room: u32,
    length: u32,
    awaited: Awaited,
}

impl Ponger {
    /// Waits for the first advertisement.
    pub(super) fn begin(streams: &mut Streams, number: u64) -> Result<Self, PongError> {
        streams.post_receive(number, OTHER, Advertisement::LENGTH)?;
        Ok(Self { buffer: None, room: 0, length: 0, awaited: Awaited::Source })
    }

    /// An advertisement came; says whether a round is done.
    pub(super) fn advertised(
        &mut self,
        streams: &mut Streams,
        number: u64,
        advertisement: Advertisement,
    ) -> Result<bool, PongError> {
        streams.post_receive(number, OTHER, Advertisement::LENGTH)?;
        let Advertisement { buffer: remote, length } = advertisement;
        match self.awaited {
            Awaited::Source => {
                let sink = self.provide(streams, number, length)?;
                self.length = length;
                self.awaited = Awaited::Read;
                let read = Operation::Read { sink, length, remote };
                streams.post(number, WorkRequest::new(READ, read))?;
                Ok(false)
            }
            Awaited::Read => Err(PongError::Early),
            Awaited::Sink => {
                self.awaited = Awaited::Source;
                let length = length.min(self.length);
                if let Some(buffer) = self.buffer {
                    let write = Operation::Write { source: Source::Region(buffer, length), remote };
                    streams.post(number, WorkRequest::new(OTHER, write))?;
                }
                go_ahead(streams, number)?;
                Ok(true)
            }
        }
    }

    /// The RDMA Read is done.
    pub(super) fn read(&mut self, streams: &mut Streams, number: u64) -> Result<(), PongError> {
        self.awaited = Awaited::Sink;
        go_ahead(streams, number)
    }

    /// A buffer of this length at least.
    fn provide(
        &mut self,
        streams: &mut Streams,
        number: u64,
        length: u32,
    ) -> Result<LocalBuffer, PongError> {
        if length > LONGEST {
            return Err(PongError::Long(length));
        }
        match self.buffer {
            Some(buffer) if length <= self.room => Ok(buffer),
            old => {
                super::program::release(streams, old.map(|it| it.steering_tag));
                let registration = Registration::stream(number, Rights::NONE);
                let bytes = vec![0; length as usize];
                let steering_tag = streams.memory().register(bytes, registration)?;
                let buffer = LocalBuffer { steering_tag, tagged_offset: 0 };
                (self.buffer, self.room) = (Some(buffer), length);
                Ok(buffer)
            }
        }
    }

    /// Gives the buffer back.
    pub(super) fn end(&self, streams: &mut Streams) {
        super::program::release(streams, self.buffer.map(|it| it.steering_tag));
    }
}

fn go_ahead(streams: &mut Streams, number: u64) -> Result<(), PongError> {
    let send = Operation::send(&Advertisement::GO_AHEAD.bytes());
    Ok(streams.post(number, WorkRequest::new(OTHER, send))?)
}
