//! The stream that an end works with.

use super::chunk::divide;
use super::config::RpcRdmaConfig;
use warpscope_peer::memory::{Registration, Rights};
use warpscope_peer::streams::Streams;
use warpscope_peer::work::{LocalBuffer, Operation, PostError, RemoteBuffer, WorkRequest};
use warpscope_wire::rpcrdma::Segment;

/// One stream of a side.
pub(super) struct Line<'a> {
    pub(super) streams: &'a mut Streams,
    pub(super) number: u64,
}

impl Line<'_> {
    /// Registers bytes for the peer; returns the Steering Tag and the segments.
    pub(super) fn offer(
        &mut self,
        config: &RpcRdmaConfig,
        bytes: Vec<u8>,
        rights: Rights,
    ) -> Option<(u32, Vec<Segment>)> {
        let length = bytes.len();
        let accessor = self.streams.config(self.number)?.accessor;
        let mut registration = match config.shared_tags {
            true => Registration::shared(accessor.protection_domain, rights),
            false => Registration::stream(accessor.stream, rights),
        };
        registration.base = config.base;
        let tag = self.streams.memory().register(bytes, registration).ok()?;
        let base = config.base.tagged_offset();
        Some((tag, divide(tag, base, length, config.longest_segment)))
    }

    /// Registers room for what is read from the peer.
    pub(super) fn sink(&mut self, length: usize) -> Option<u32> {
        let stream = self.streams.config(self.number)?.accessor.stream;
        let registration = Registration::stream(stream, Rights::NONE);
        self.streams.memory().register(vec![0; length], registration).ok()
    }

    /// Takes memory back; its bytes.
    pub(super) fn withdraw(&mut self, tag: u32) -> Vec<u8> {
        self.streams.memory().deregister(tag).unwrap_or_default()
    }

    /// Posts a buffer for a message.
    pub(super) fn receive(&mut self, room: u32) -> Result<(), PostError> {
        self.streams.post_receive(self.number, 0, room as usize)
    }

    fn post(&mut self, identifier: u64, operation: Operation) -> Result<(), PostError> {
        self.streams.post(self.number, WorkRequest::new(identifier, operation))
    }

    /// Sends a message; `identifier` says what its completion is of.
    pub(super) fn send(
        &mut self,
        identifier: u64,
        bytes: Vec<u8>,
        invalidate: Option<u32>,
    ) -> Result<(), PostError> {
        let source = warpscope_peer::work::Source::Bytes(bytes);
        self.post(
            identifier,
            Operation::Send { source, invalidate, solicited: false, immediate: None },
        )
    }

    /// Writes bytes to a segment of the peer.
    pub(super) fn write(&mut self, segment: &Segment, bytes: &[u8]) -> Result<(), PostError> {
        self.post(0, Operation::Write { source: bytes.into(), remote: remote(segment) })
    }

    /// Reads a segment of the peer to `offset` of a sink.
    pub(super) fn read(
        &mut self,
        identifier: u64,
        segment: &Segment,
        sink: u32,
        offset: u64,
    ) -> Result<(), PostError> {
        let sink = LocalBuffer { steering_tag: sink, tagged_offset: offset };
        let (length, remote) = (segment.length, remote(segment));
        self.post(identifier, Operation::Read { sink, length, remote })
    }
}

fn remote(segment: &Segment) -> RemoteBuffer {
    RemoteBuffer { steering_tag: segment.handle, tagged_offset: segment.offset }
}
