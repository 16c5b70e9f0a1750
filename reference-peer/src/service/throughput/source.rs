//! A source's stream.

use super::note::{Kind, Mode, Note};
use super::program::ThroughputOptions;
use super::sink::pattern;
use crate::connection::Role;
use crate::memory::{Registration, Rights};
use crate::streams::Streams;
use crate::work::{LocalBuffer, Operation, RemoteBuffer, Source as Bytes, WorkRequest};
use std::time::Duration;

/// A work request that carries data.
const DATA: u64 = 1;
/// Receives that are posted at once: credits and the report cannot be more.
const RECEIVES: usize = 10;

/// A source's stream.
#[derive(Debug)]
pub(super) struct Sending {
    pub(super) options: ThroughputOptions,
    region: LocalBuffer,
    /// What the sink is ready with.
    ready: Option<Note>,
    posted: u64,
    outstanding: u32,
    /// Messages that the sink has received, as it said.
    credited: u64,
    begun: Duration,
    /// How long it took, once the sink has reported.
    pub(super) taken: Option<Duration>,
}

impl Sending {
    /// Begins; an initiator makes its offer.
    pub(super) fn begin(
        streams: &mut Streams,
        number: u64,
        options: ThroughputOptions,
    ) -> Result<Self, String> {
        let rights = if options.mode == Mode::Read { Rights::READ } else { Rights::NONE };
        let bytes: Vec<u8> = pattern().take(options.size as usize).collect();
        let registration = Registration::stream(number, rights);
        let region = streams.memory().register(bytes, registration);
        let steering_tag = region.map_err(|error| error.to_string())?;
        let region = LocalBuffer { steering_tag, tagged_offset: 0 };
        let begun = streams.now();
        let sending = Self {
            options,
            region,
            ready: None,
            posted: 0,
            outstanding: 0,
            credited: 0,
            begun,
            taken: None,
        };
        for _ in 0..RECEIVES {
            receive(streams, number)?;
        }
        if streams.config(number).is_some_and(|config| config.role == Role::Initiator) {
            sending.offer(streams, number)?;
        }
        Ok(sending)
    }

    fn offer(&self, streams: &mut Streams, number: u64) -> Result<(), String> {
        let ThroughputOptions { mode, size, count, window } = self.options;
        let LocalBuffer { steering_tag, tagged_offset } = self.region;
        let region = RemoteBuffer { steering_tag, tagged_offset };
        let kind = Kind::Offer;
        say(streams, number, Note { kind, mode, region, size, count, slots: window.max(1) })
    }

    /// A note of the sink's came; says whether it was the last.
    pub(super) fn note(
        &mut self,
        streams: &mut Streams,
        number: u64,
        note: Note,
    ) -> Result<bool, String> {
        receive(streams, number)?;
        match note.kind {
            Kind::Hello if self.ready.is_none() => self.offer(streams, number)?,
            Kind::Ready if self.ready.is_none() => {
                if note.slots == 0 || note.slots > self.options.window.max(1) {
                    return Err(format!("the sink is ready with {} slots", note.slots));
                }
                self.begun = streams.now();
                self.ready = Some(note);
                self.pump(streams, number)?;
            }
            Kind::Credit if self.ready.is_some() && note.count <= self.posted => {
                self.credited = self.credited.max(note.count);
                self.pump(streams, number)?;
            }
            Kind::Report if self.ready.is_some() => {
                if note.count != self.options.count {
                    let count = self.options.count;
                    return Err(format!("the sink got {} messages of {count}", note.count));
                }
                if note.slots != 1 {
                    return Err("the sink got bytes that are not those that were sent".into());
                }
                self.taken = Some(streams.now().saturating_sub(self.begun));
                return Ok(true);
            }
            kind => return Err(format!("the sink says {kind:?} out of turn")),
        }
        Ok(false)
    }

    /// A work request is done.
    pub(super) fn completed(
        &mut self,
        streams: &mut Streams,
        number: u64,
        identifier: u64,
    ) -> Result<(), String> {
        if identifier != DATA {
            return Ok(());
        }
        self.outstanding = self.outstanding.saturating_sub(1);
        self.pump(streams, number)
    }

    /// Posts as many messages as window, credit and count allow.
    fn pump(&mut self, streams: &mut Streams, number: u64) -> Result<(), String> {
        let Some(ready) = self.ready else { return Ok(()) };
        let ThroughputOptions { mode, size, count, window } = self.options;
        if mode == Mode::Read {
            return Ok(());
        }
        let may = match mode {
            Mode::Send => self.credited.saturating_add(ready.slots.into()).min(count),
            _ => count,
        };
        let before = self.posted;
        while self.posted < may && self.outstanding < window.max(1) {
            let source = Bytes::Region(self.region, size);
            let operation = if mode == Mode::Send {
                Operation::Send { source, invalidate: None, solicited: false, immediate: None }
            } else {
                let slot = self.posted % u64::from(ready.slots);
                let RemoteBuffer { steering_tag, tagged_offset } = ready.region;
                let tagged_offset = tagged_offset.wrapping_add(slot * u64::from(size));
                Operation::Write { source, remote: RemoteBuffer { steering_tag, tagged_offset } }
            };
            let posted = streams.post(number, WorkRequest::new(DATA, operation));
            posted.map_err(|error| error.to_string())?;
            self.posted += 1;
            self.outstanding += 1;
        }
        if self.posted == count && (before < count || count == 0) {
            say(streams, number, Note { count, ..Note::new(Kind::Done, mode) })?;
        }
        Ok(())
    }

    /// Gives the region back.
    pub(super) fn end(&self, streams: &mut Streams) {
        // It may be gone already.
        let _ = streams.memory().deregister(self.region.steering_tag);
    }
}

fn receive(streams: &mut Streams, number: u64) -> Result<(), String> {
    streams.post_receive(number, 0, Note::LENGTH).map_err(|error| error.to_string())
}

/// Sends a note.
pub(super) fn say(streams: &mut Streams, number: u64, note: Note) -> Result<(), String> {
    let request = WorkRequest::new(0, Operation::send(&note.bytes()));
    streams.post(number, request).map_err(|error| error.to_string())
}
