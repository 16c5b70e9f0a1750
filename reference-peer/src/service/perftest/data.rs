//! A stream of a test.

use super::program::PerftestOptions;
use crate::streams::Streams;
use crate::work::{Operation, RemoteBuffer, WorkRequest};

/// The work request whose completion counts: a credit.
pub(super) const CREDIT: u64 = 1;

/// A stream of a test.
#[derive(Debug, Clone, Copy)]
pub(super) struct Data {
    /// Which of the client's queue pairs it is.
    pub(super) index: usize,
    /// Messages that came of one length: a test of all sizes counts each anew.
    messages: u64,
    length: usize,
    /// What the client was told last, and whether that is still on its way.
    credited: u64,
    telling: bool,
}

impl Data {
    /// Posts receives; a test without Sends uses none.
    pub(super) fn begin(
        streams: &mut Streams,
        number: u64,
        index: usize,
        options: PerftestOptions,
    ) -> Result<Self, String> {
        for _ in 0..options.receives {
            receive(streams, number, options.room)?;
        }
        Ok(Self { index, messages: 0, length: 0, credited: 0, telling: false })
    }

    /// A Send came.
    pub(super) fn message(
        &mut self,
        streams: &mut Streams,
        number: u64,
        length: usize,
        options: PerftestOptions,
    ) -> Result<(), String> {
        if length != self.length {
            (self.length, self.messages, self.credited) = (length, 0, 0);
        }
        self.messages += 1;
        receive(streams, number, options.room)
    }

    /// Writes the number of messages to the client's memory, unless it is told just now. It is a
    /// number of the client's own order of bytes: little-endian ones are served.
    pub(super) fn credit(
        &mut self,
        streams: &mut Streams,
        number: u64,
        remote: Option<RemoteBuffer>,
    ) -> Result<(), String> {
        let Some(remote) = remote.filter(|_| !self.telling && self.credited < self.messages) else {
            return Ok(());
        };
        (self.telling, self.credited) = (true, self.messages);
        let source = (self.messages as u32).to_le_bytes()[..].into();
        let write = Operation::Write { source, remote };
        let posted = streams.post(number, WorkRequest::new(CREDIT, write));
        posted.map_err(|error| error.to_string())
    }

    /// A credit has gone.
    pub(super) fn told(&mut self) {
        self.telling = false;
    }
}

fn receive(streams: &mut Streams, number: u64, room: usize) -> Result<(), String> {
    streams.post_receive(number, 0, room).map_err(|error| error.to_string())
}
