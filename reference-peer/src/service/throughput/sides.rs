//! A sink's stream.

use super::program::{Kind, Mode, Note, ThroughputOptions};
use crate::connection::Role;
use crate::memory::{Registration, Rights};
use crate::streams::Streams;
use crate::work::{LocalBuffer, Operation, RemoteBuffer, Source as Bytes, WorkRequest};
use std::time::Duration;

/// A sink's region has no more bytes than this, and its receives together neither.
pub(super) const ROOM: u64 = 64 << 20;
/// The most messages that a sink takes at a time, however short they are.
const MOST_SLOTS: u64 = 4096;
/// A work request that carries data.
const DATA: u64 = 1;

/// The bytes of every message.
pub(super) fn pattern() -> impl Iterator<Item = u8> {
    (0_u32..).map(|at| (at.wrapping_mul(7).wrapping_add(at / 251)) as u8)
}

/// A sink's stream.
#[derive(Debug)]
pub(super) struct Receiving {
    /// What the source offered.
    offer: Option<Note>,
    region: Option<u32>,
    slots: u32,
    /// Messages that came, or Reads that were posted and are done.
    got: u64,
    posted: u64,
    depth: u32,
    /// What every message has.
    expected: Vec<u8>,
    right: bool,
    begun: Duration,
    /// What came, and how long it took, once all has come.
    pub(super) taken: Option<(u64, u32, Duration)>,
    pub(super) mismatch: bool,
}

impl Receiving {
    /// Begins; an initiator says that it is there.
    pub(super) fn begin(streams: &mut Streams, number: u64) -> Result<Self, String> {
        receive(streams, number, 0)?;
        if streams.config(number).is_some_and(|config| config.role == Role::Initiator) {
            say(streams, number, Note::new(Kind::Hello, Mode::Write))?;
        }
        Ok(Self {
            offer: None,
            region: None,
            slots: 0,
            got: 0,
            posted: 0,
            depth: 0,
            expected: Vec::new(),
            right: true,
            begun: streams.now(),
            taken: None,
            mismatch: false,
        })
    }

    /// A message came.
    pub(super) fn message(
        &mut self,
        streams: &mut Streams,
        number: u64,
        bytes: &[u8],
    ) -> Result<(), String> {
        match self.offer {
            Some(offer) if offer.mode == Mode::Send && self.got < offer.count => {
                self.data(streams, number, offer, bytes)
            }
            offer => {
                let note = Note::parse(bytes).ok_or("the source says what is no note")?;
                match (note.kind, offer) {
                    (Kind::Offer, None) => self.ready(streams, number, note),
                    (Kind::Done, Some(offer)) if offer.mode != Mode::Read => {
                        if offer.mode == Mode::Write {
                            self.got = note.count;
                        }
                        self.report(streams, number, offer)
                    }
                    (kind, _) => Err(format!("the source says {kind:?} out of turn")),
                }
            }
        }
    }

    fn ready(&mut self, streams: &mut Streams, number: u64, offer: Note) -> Result<(), String> {
        let size = u64::from(offer.size);
        let most = ROOM.checked_div(size).unwrap_or(u64::from(u32::MAX));
        let slots = u64::from(offer.slots).min(most).min(MOST_SLOTS);
        if slots == 0 {
            let (size, slots) = (offer.size, offer.slots);
            return Err(format!("the source offers messages of {size} bytes, {slots} at a time"));
        }
        self.slots = slots as u32;
        self.expected = pattern().take(offer.size as usize).collect();
        self.offer = Some(offer);
        let mut ready = Note { slots: self.slots, ..Note::new(Kind::Ready, offer.mode) };
        if offer.mode == Mode::Send {
            // One of them for the note behind the data.
            for _ in 0..=self.slots {
                receive(streams, number, offer.size)?;
            }
        } else {
            let write = offer.mode == Mode::Write;
            let rights = if write { Rights::WRITE } else { Rights::NONE };
            let bytes = vec![0; (slots * size) as usize];
            let region = Registration::stream(number, rights);
            let region = streams.memory().register(bytes, region);
            let steering_tag = region.map_err(|error| error.to_string())?;
            self.region = Some(steering_tag);
            ready.region = RemoteBuffer { steering_tag, tagged_offset: 0 };
            receive(streams, number, 0)?;
        }
        self.begun = streams.now();
        say(streams, number, ready)?;
        if offer.mode == Mode::Read {
            let agreement = streams.connection(number).and_then(|it| it.agreement());
            let depth = agreement.map_or(1, |agreement| u32::from(agreement.ord));
            self.depth = depth.min(self.slots);
            self.read(streams, number, offer)?;
        }
        Ok(())
    }

    /// A Send with data.
    fn data(
        &mut self,
        streams: &mut Streams,
        number: u64,
        offer: Note,
        bytes: &[u8],
    ) -> Result<(), String> {
        receive(streams, number, offer.size)?;
        self.got += 1;
        self.right &= bytes == self.expected;
        let step = u64::from((self.slots / 4).max(1));
        if self.got.is_multiple_of(step) && self.got < offer.count {
            say(streams, number, Note { count: self.got, ..Note::new(Kind::Credit, offer.mode) })?;
        }
        Ok(())
    }

    /// Posts as many Reads as window and count allow.
    fn read(&mut self, streams: &mut Streams, number: u64, offer: Note) -> Result<(), String> {
        while self.posted < offer.count && self.posted < self.got + u64::from(self.depth) {
            let slot = self.posted % u64::from(self.slots);
            let tagged_offset = slot * u64::from(offer.size);
            let steering_tag = self.region.unwrap_or_default();
            let sink = LocalBuffer { steering_tag, tagged_offset };
            let read = Operation::Read { sink, length: offer.size, remote: offer.region };
            let posted = streams.post(number, WorkRequest::new(DATA, read));
            posted.map_err(|error| error.to_string())?;
            self.posted += 1;
        }
        if self.got == offer.count {
            return self.report(streams, number, offer);
        }
        match self.depth {
            0 => Err("no RDMA Reads were agreed on: the ORD is 0".into()),
            _ => Ok(()),
        }
    }

    /// A work request is done.
    pub(super) fn completed(
        &mut self,
        streams: &mut Streams,
        number: u64,
        identifier: u64,
    ) -> Result<(), String> {
        match self.offer {
            Some(offer) if identifier == DATA => {
                self.got += 1;
                self.read(streams, number, offer)
            }
            _ => Ok(()),
        }
    }

    fn report(&mut self, streams: &mut Streams, number: u64, offer: Note) -> Result<(), String> {
        let taken = streams.now().saturating_sub(self.begun);
        let used = u64::from(self.slots).min(self.got) * u64::from(offer.size);
        if let Some(bytes) = self.region.and_then(|tag| streams.memory().bytes(tag)) {
            let used = bytes.get(..used as usize).unwrap_or(bytes);
            let mut slots = used.chunks(offer.size.max(1) as usize);
            self.right &= slots.all(|slot| slot == self.expected);
        }
        self.taken = Some((self.got, offer.size, taken));
        self.mismatch = !self.right;
        let slots = u32::from(self.right);
        say(streams, number, Note { count: self.got, slots, ..Note::new(Kind::Report, offer.mode) })
    }

    /// Gives the region back.
    pub(super) fn end(&self, streams: &mut Streams) {
        if let Some(tag) = self.region {
            // It may be gone already.
            let _ = streams.memory().deregister(tag);
        }
    }
}

/// Posts a receive with room for a message of `size` bytes, and for a note.
fn receive(streams: &mut Streams, number: u64, size: u32) -> Result<(), String> {
    let room = Note::LENGTH.max(size as usize);
    streams.post_receive(number, 0, room).map_err(|error| error.to_string())
}

// A source's stream.

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
            receive(streams, number, 0)?;
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
        receive(streams, number, 0)?;
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

/// Sends a note.
pub(super) fn say(streams: &mut Streams, number: u64, note: Note) -> Result<(), String> {
    let request = WorkRequest::new(0, Operation::send(&note.bytes()));
    streams.post(number, request).map_err(|error| error.to_string())
}
