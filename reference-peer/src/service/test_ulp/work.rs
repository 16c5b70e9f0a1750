//! Receives and work requests by order (sections 6.3 and 7).

use super::answer::No;
use super::stream::{Job, Receive};
use super::target::TestUlp;
use crate::streams::Streams;
use crate::work::{LocalBuffer, Operation, RemoteBuffer, Source, WorkRequest};
use warpscope_wire::rdmap::AtomicOperation;
use warpscope_wire::test_ulp::{
    Answer, AtomicCode, CopyOrder, OperationCode, ReceivesOrder, RegionRange, SourceCode,
    WorkFlags, WorkOrder,
};

/// The longest message that is made of a pattern, in bytes; a longer one comes from a region.
const LONGEST_PATTERN: u32 = 1 << 20;

impl TestUlp {
    /// The part of a region from `offset` on, as a work request names it.
    fn local(
        &self,
        streams: &mut Streams,
        session: u32,
        region: u32,
        offset: u64,
    ) -> Result<LocalBuffer, No> {
        let steering_tag = self.region(session, region)?.steering_tag;
        let registration = streams.memory().registration(steering_tag);
        let base = registration.map_or(0, |it| it.base.tagged_offset());
        Ok(LocalBuffer { steering_tag, tagged_offset: base.wrapping_add(offset) })
    }

    pub(super) fn post_receives(
        &mut self,
        streams: &mut Streams,
        number: u64,
        order: &ReceivesOrder,
    ) -> Result<Answer, No> {
        let session = self.session_of(number);
        let target = self.named(number, order.stream)?;
        let limits = self.options.limits;
        if order.size > limits.longest_receive {
            return Err(No::limit("bytes in a receive", limits.longest_receive.into()));
        }
        let posted = self.streams.get(&target).map_or(0, |it| it.ordered_receives());
        if order.count > limits.receives.saturating_sub(posted) {
            return Err(No::limit("receives on a stream", limits.receives.into()));
        }
        let size = u64::from(order.size);
        if order.region != 0 {
            let steering_tag = self.region(session, order.region)?.steering_tag;
            let length = streams.memory().bytes(steering_tag).map_or(0, <[u8]>::len) as u64;
            let end =
                size.checked_mul(order.count.into()).and_then(|it| it.checked_add(order.offset));
            if end.is_none_or(|end| end > length) {
                return Err(No::unknown(format!("the region has {length} bytes")));
            }
        }
        for index in 0..u64::from(order.count) {
            let place = match order.region {
                0 => None,
                region => {
                    Some(self.local(streams, session, region, order.offset + index * size)?)
                }
            };
            let identifier = order.identifier.wrapping_add(index);
            let receive = Receive::Ordered { identifier };
            self.post_receive(streams, target, receive, (order.size, place))?;
        }
        Ok(Answer::Done)
    }

    /// Posts a receive, with the place of its message.
    pub(super) fn post_receive(
        &mut self,
        streams: &mut Streams,
        number: u64,
        receive: Receive,
        (size, place): (u32, Option<LocalBuffer>),
    ) -> Result<(), No> {
        let Some(stream) = self.streams.get_mut(&number) else { return Ok(()) };
        let name = stream.number();
        match place {
            None => streams.post_receive(number, name, size as usize)?,
            Some(place) => streams.post_receive_into(number, name, place, size as usize)?,
        }
        stream.receives.insert(name, receive);
        Ok(())
    }

    /// Posts receives for orders.
    pub(super) fn post_own(&mut self, streams: &mut Streams, number: u64, count: u32) {
        let size = self.options.limits.longest_order;
        for _ in 0..count {
            // A stream that is closing needs none.
            if self.post_receive(streams, number, Receive::Own, (size, None)).is_err() {
                break;
            }
        }
    }

    pub(super) fn post_work(
        &mut self,
        streams: &mut Streams,
        number: u64,
        order: &WorkOrder,
        bytes: &[u8],
    ) -> Result<Answer, No> {
        let session = self.session_of(number);
        let target = self.named(number, order.stream)?;
        let limits = self.options.limits;
        let (held, held_bytes) =
            self.streams.get(&target).map_or((0, 0), |stream| stream.ordered_work());
        if held >= limits.work {
            return Err(No::limit("work requests on a stream", limits.work.into()));
        }
        let mut weight = bytes.len() as u64;
        if order.source == SourceCode::Pattern {
            if order.length > LONGEST_PATTERN {
                return Err(No::limit("bytes of a pattern", LONGEST_PATTERN.into()));
            }
            weight += u64::from(order.length);
        }
        if held_bytes + weight > limits.work_bytes {
            return Err(No::limit("bytes in work requests of a stream", limits.work_bytes));
        }
        let operation = self.operation(streams, session, order, bytes)?;
        let fence = order.flags.contains(WorkFlags::FENCE);
        let job = Job::Ordered { identifier: order.identifier, bytes: weight };
        self.post(streams, target, operation, fence, job)?;
        Ok(Answer::Done)
    }

    /// Posts a work request.
    pub(super) fn post(
        &mut self,
        streams: &mut Streams,
        number: u64,
        operation: Operation,
        fence: bool,
        job: Job,
    ) -> Result<(), No> {
        let Some(stream) = self.streams.get_mut(&number) else {
            return Err(No::refused("the stream is gone"));
        };
        let identifier = stream.number();
        streams.post(number, WorkRequest { identifier, fence, operation })?;
        stream.work.insert(identifier, job);
        Ok(())
    }

    fn source(
        &self,
        streams: &mut Streams,
        session: u32,
        order: &WorkOrder,
        bytes: &[u8],
    ) -> Result<Source, No> {
        Ok(match order.source {
            SourceCode::None => Source::Bytes(Vec::new()),
            SourceCode::Inline => Source::Bytes(bytes.to_vec()),
            SourceCode::Pattern => {
                let mut bytes = vec![0; order.length as usize];
                order.pattern.fill(order.seed, &mut bytes);
                Source::Bytes(bytes)
            }
            SourceCode::Region => {
                let local = self.local(streams, session, order.region, order.offset)?;
                Source::Region(local, order.length)
            }
        })
    }

    fn operation(
        &self,
        streams: &mut Streams,
        session: u32,
        order: &WorkOrder,
        bytes: &[u8],
    ) -> Result<Operation, No> {
        let remote = RemoteBuffer {
            steering_tag: order.remote_steering_tag,
            tagged_offset: order.remote_tagged_offset,
        };
        let (length, data) = (order.length, order.data);
        let has = |flag| order.flags.contains(flag);
        let solicited = has(WorkFlags::SOLICITED);
        Ok(match order.operation {
            OperationCode::Receive => return Err(No::unsupported("a receive is no work request")),
            OperationCode::Send => Operation::Send {
                source: self.source(streams, session, order, bytes)?,
                invalidate: has(WorkFlags::INVALIDATE).then_some(order.invalidate_steering_tag),
                solicited,
                immediate: has(WorkFlags::IMMEDIATE).then_some(data),
            },
            OperationCode::Immediate => Operation::Immediate { data, solicited },
            OperationCode::Write => {
                Operation::Write { source: self.source(streams, session, order, bytes)?, remote }
            }
            OperationCode::Read => {
                let sink = self.local(streams, session, order.region, order.offset)?;
                Operation::Read { sink, length, remote }
            }
            OperationCode::ReadV2 => {
                let sink = self.local(streams, session, order.region, order.offset)?;
                Operation::ReadV2 { sink, length, remote }
            }
            OperationCode::Atomic => {
                let WorkOrder { mask, compare_data, compare_mask, .. } = *order;
                let operation = match order.atomic {
                    AtomicCode::FetchAdd => {
                        AtomicOperation::FetchAdd { add_data: data, add_mask: mask }
                    }
                    AtomicCode::Swap => AtomicOperation::Swap { swap_data: data },
                    AtomicCode::CmpSwap => {
                        let (swap_data, swap_mask) = (data, mask);
                        AtomicOperation::CmpSwap {
                            swap_data,
                            swap_mask,
                            compare_data,
                            compare_mask,
                        }
                    }
                };
                Operation::Atomic { operation, remote }
            }
            OperationCode::Flush => Operation::Flush {
                remote,
                length,
                persistence: has(WorkFlags::PERSISTENCE),
                global_visibility: has(WorkFlags::GLOBAL_VISIBILITY),
            },
            OperationCode::Verify => {
                let expected = has(WorkFlags::COMPARE).then(|| bytes.to_vec());
                Operation::Verify { remote, length, expected }
            }
            OperationCode::AtomicWrite => Operation::AtomicWrite { remote, data },
        })
    }

    /// Has bytes written into the asker's memory; the answer comes with the completion.
    pub(super) fn copy(
        &mut self,
        streams: &mut Streams,
        asker: u64,
        (sequence, again): (u32, bool),
        order: &CopyOrder,
    ) -> Result<(), No> {
        let session = self.session_of(asker);
        let target = self.named(asker, order.stream)?;
        let CopyOrder { region, length, offset, steering_tag, tagged_offset, .. } = *order;
        self.bytes(streams, session, RegionRange { region, length, offset })?;
        let local = self.local(streams, session, region, offset)?;
        let operation = Operation::Write {
            source: Source::Region(local, length),
            remote: RemoteBuffer { steering_tag, tagged_offset },
        };
        self.post(streams, target, operation, false, Job::Copy { asker, sequence, again })
    }
}
