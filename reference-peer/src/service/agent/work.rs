//! Receives and work requests.

use super::errors::{invalid, limit, not_posted, refused, unknown};
use super::session::Agent;
use super::stream::Job;
use crate::streams::Streams;
use crate::work::{LocalBuffer, Operation, RemoteBuffer, Source, WorkRequest};
use warpscope_agent::{Atomic, Error, Operation as Asked, Post, PostReceives, WorkFlag};
use warpscope_wire::rdmap::AtomicOperation;

impl Agent {
    pub(super) fn post_receives(
        &mut self,
        streams: &mut Streams,
        session: u64,
        asked: &PostReceives,
    ) -> Result<(), Error> {
        let number = self.named(session, &asked.stream)?;
        let limits = self.options.limits;
        if asked.size > limits.receive_size {
            return Err(limit("bytes in a receive", limits.receive_size));
        }
        let posted = self.streams.get(&number).map_or(0, |it| it.receives.len() as u32);
        if asked.count > limits.receives.saturating_sub(posted) {
            return Err(limit("receives on a stream", limits.receives));
        }
        let size = u64::from(asked.size);
        if let Some(region) = &asked.region {
            let steering_tag = self.registered(session, region)?.steering_tag;
            let length = streams.memory().bytes(steering_tag).map_or(0, <[u8]>::len) as u64;
            let all = size.checked_mul(asked.count.into());
            let end = all.and_then(|it| it.checked_add(asked.offset));
            if end.is_none_or(|end| end > length) {
                return Err(unknown(format!("the region has {length} bytes")));
            }
        }
        for index in 0..u64::from(asked.count) {
            let place = match &asked.region {
                None => None,
                Some(region) => {
                    Some(self.local(streams, session, region, asked.offset + index * size)?)
                }
            };
            let identifier = asked.identifier.wrapping_add(index);
            self.post_receive(streams, number, identifier, (asked.size, place))?;
        }
        Ok(())
    }

    /// Posts a receive, with the place of its message.
    pub(super) fn post_receive(
        &mut self,
        streams: &mut Streams,
        number: u64,
        identifier: u64,
        (size, place): (u32, Option<LocalBuffer>),
    ) -> Result<(), Error> {
        let Some(stream) = self.streams.get_mut(&number) else { return Ok(()) };
        let name = stream.number();
        let posted = match place {
            None => streams.post_receive(number, name, size as usize),
            Some(place) => streams.post_receive_into(number, name, place, size as usize),
        };
        posted.map_err(not_posted)?;
        stream.receives.insert(name, identifier);
        Ok(())
    }

    pub(super) fn post(
        &mut self,
        streams: &mut Streams,
        session: u64,
        asked: &Post,
    ) -> Result<(), Error> {
        let number = self.named(session, &asked.stream)?;
        let (most, most_bytes) = (self.options.limits.work, self.options.work_bytes);
        let work = self.streams.get(&number).map(|stream| &stream.work);
        if work.map_or(0, |it| it.len()) >= most as usize {
            return Err(limit("work requests on a stream", most));
        }
        let held: u64 = work.map_or(0, |work| work.values().map(|job| job.bytes).sum());
        let bytes = asked.payload.as_ref().map_or(0, |it| it.0.len() as u64);
        if held + bytes > most_bytes {
            return Err(limit("bytes in work requests of a stream", most_bytes));
        }
        let operation = self.operation(streams, session, asked)?;
        let fence = asked.flags.contains(&WorkFlag::Fence);
        let Some(stream) = self.streams.get_mut(&number) else {
            return Err(refused("the stream is gone"));
        };
        let name = stream.number();
        let request = WorkRequest { identifier: name, fence, operation };
        streams.post(number, request).map_err(not_posted)?;
        stream.work.insert(name, Job { identifier: asked.identifier, bytes });
        Ok(())
    }

    fn source(&self, streams: &mut Streams, session: u64, asked: &Post) -> Result<Source, Error> {
        Ok(match (&asked.payload, &asked.region) {
            (Some(bytes), _) => Source::Bytes(bytes.0.clone()),
            (None, Some(region)) => {
                let local = self.local(streams, session, region, asked.offset)?;
                Source::Region(local, asked.length)
            }
            (None, None) => Source::Bytes(Vec::new()),
        })
    }

    fn sink(
        &self,
        streams: &mut Streams,
        session: u64,
        asked: &Post,
    ) -> Result<LocalBuffer, Error> {
        let region = asked.region.as_deref().ok_or_else(|| invalid("a Read needs a region"))?;
        self.local(streams, session, region, asked.offset)
    }

    fn operation(
        &self,
        streams: &mut Streams,
        session: u64,
        asked: &Post,
    ) -> Result<Operation, Error> {
        let remote = RemoteBuffer { steering_tag: asked.stag, tagged_offset: asked.to.0 };
        let (length, data) = (asked.length, asked.data.0);
        let has = |flag| asked.flags.contains(&flag);
        let solicited = has(WorkFlag::Solicited);
        Ok(match asked.operation {
            Asked::Receive => return Err(invalid("a receive is not a work request")),
            Asked::Send => Operation::Send {
                source: self.source(streams, session, asked)?,
                invalidate: has(WorkFlag::Invalidate).then_some(asked.invalidate_stag),
                solicited,
                immediate: has(WorkFlag::Immediate).then_some(data),
            },
            Asked::ImmediateData => Operation::Immediate { data, solicited },
            Asked::RdmaWrite => {
                Operation::Write { source: self.source(streams, session, asked)?, remote }
            }
            Asked::RdmaRead => {
                Operation::Read { sink: self.sink(streams, session, asked)?, length, remote }
            }
            Asked::RdmaReadV2 => {
                Operation::ReadV2 { sink: self.sink(streams, session, asked)?, length, remote }
            }
            Asked::Atomic => Operation::Atomic { operation: atomic(asked)?, remote },
            Asked::Flush => Operation::Flush {
                remote,
                length,
                persistence: has(WorkFlag::Persistence),
                global_visibility: has(WorkFlag::Visibility),
            },
            Asked::Verify => {
                let hash = asked.hash.as_ref().map(|it| it.0.clone()).unwrap_or_default();
                let expected = has(WorkFlag::Compare).then_some(hash);
                Operation::Verify { remote, length, expected }
            }
            Asked::AtomicWrite => Operation::AtomicWrite { remote, data },
        })
    }
}

fn atomic(asked: &Post) -> Result<AtomicOperation, Error> {
    let (data, mask) = (asked.data.0, asked.mask.0);
    Ok(match asked.atomic {
        None => return Err(invalid("an Atomic needs `atomic`: what it does")),
        Some(Atomic::FetchAdd) => AtomicOperation::FetchAdd { add_data: data, add_mask: mask },
        Some(Atomic::Swap) => AtomicOperation::Swap { swap_data: data },
        Some(Atomic::CmpSwap) => AtomicOperation::CmpSwap {
            swap_data: data,
            swap_mask: mask,
            compare_data: asked.compare_data.0,
            compare_mask: asked.compare_mask.0,
        },
    })
}
