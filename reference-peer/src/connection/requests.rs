//! The peer's requests, checked when they are received (RFC 5040 section 7.2).

use super::endpoint::Config;
use super::inbound::{Judged, Refusal};
use crate::bug::{Bug, Bugs};
use crate::memory::{Memory, Place, Rights};
use crate::rdmap::Work;
use crate::variant::Variant;
use crate::violation::Violation;
use warpscope_wire::rdmap::{
    AtomicOperation, AtomicRequest, AtomicRequestView, AtomicWriteRequest, AtomicWriteRequestView,
    FlushRequest, FlushRequestView, Message, ReadRequest, ReadRequestView, ReadV2Request,
    ReadV2RequestView, VerifyRequest, VerifyRequestView,
};

/// The Compare Mask of a FetchAdd as senders fill it in (RFC 7306 section 5.2.1).
const ALL: u64 = u64::MAX;

/// Parses and checks the bytes of a request.
pub(super) fn judge(
    memory: &Memory,
    message: Message,
    bytes: &[u8],
    config: &Config,
) -> Judged<Work> {
    let judge = Judge { memory, bytes, config, bugs: config.bugs };
    Ok(match message {
        Message::ReadRequest => Work::Read(judge.read()?),
        Message::ReadV2Request => Work::ReadV2(judge.read_v2()?),
        Message::AtomicRequest => Work::Atomic(judge.atomic()?),
        Message::FlushRequest => Work::Flush(judge.flush()?),
        Message::VerifyRequest => Work::Verify(judge.verify()?),
        Message::AtomicWriteRequest => Work::AtomicWrite(judge.atomic_write()?),
        _ => return Err(Violation::Opcode.into()),
    })
}

/// Returns the rights that a flush needs: one for each requested disposition.
pub(super) fn flush_rights(request: &FlushRequest, bugs: Bugs) -> Rights {
    let both = bugs.has(Bug::FlushWantsBothRights);
    let right = |asked, right| if asked || both { right } else { Rights::NONE };
    right(request.persistence(), Rights::FLUSH_PERSISTENT)
        | right(request.global_visibility(), Rights::FLUSH_VISIBLE)
}

fn cut<E>(_: E) -> Violation {
    Violation::MessageLength
}

impl Config {
    /// Returns the place of a request's buffer (Steering Tag, Tagged Offset, length); `None` when the
    /// buffer has no bytes, which is not checked.
    pub(super) fn check_requested(
        &self,
        memory: &Memory,
        (steering_tag, tagged_offset, length): (u32, u64, u64),
        rights: Rights,
    ) -> Result<Option<Place>, Violation> {
        if length == 0 && !self.bugs.has(Bug::EmptyRequestJudged) {
            return Ok(None);
        }
        let place = memory.check(self.accessor, steering_tag, tagged_offset, length, rights);
        place.map(Some).map_err(Violation::requested)
    }
}

/// A request, and what it is checked against.
struct Judge<'a> {
    memory: &'a Memory,
    bytes: &'a [u8],
    config: &'a Config,
    bugs: Bugs,
}

impl Judge<'_> {
    /// Returns the header if nothing follows it in the request.
    fn whole<T>(&self, (view, rest): (T, &[u8])) -> Result<T, Violation> {
        if rest.is_empty() || self.bugs.has(Bug::RequestLengthLoose) {
            Ok(view)
        } else {
            Err(Violation::MessageLength)
        }
    }

    fn read(&self) -> Judged<ReadRequest> {
        let view = self.whole(ReadRequestView::parse(self.bytes).map_err(cut)?)?;
        let request = ReadRequest::from(view);
        let length = request.read_message_size.into();
        let buffer = (request.source_steering_tag, request.source_tagged_offset, length);
        match self.config.check_requested(self.memory, buffer, Rights::READ) {
            Ok(_) => Ok(request),
            Err(violation) => Err(Refusal { violation, read_request: Some(request) }),
        }
    }

    fn read_v2(&self) -> Result<ReadV2Request, Violation> {
        let view = self.whole(ReadV2RequestView::parse(self.bytes).map_err(cut)?)?;
        let request = ReadV2Request::from(view);
        let length = request.read_message_size.into();
        let buffer = (request.source_steering_tag, request.source_tagged_offset, length);
        self.config.check_requested(self.memory, buffer, Rights::READ)?;
        Ok(request)
    }

    /// Checks an Atomic (RFC 7306 sections 5.2.1, 8.2); ignores reserved bits and unused operands.
    fn atomic(&self) -> Result<AtomicRequest, Violation> {
        let bugs = self.bugs;
        let view = self.whole(AtomicRequestView::parse(self.bytes).map_err(cut)?)?;
        let (data, mask) = (view.add_or_swap_data(), view.add_or_swap_mask());
        let (compare_data, compare_mask) = (view.compare_data(), view.compare_mask());
        let compares = (compare_data != 0 && bugs.has(Bug::FetchAddCompareDataChecked))
            || (compare_mask != ALL && bugs.has(Bug::FetchAddCompareMaskChecked));
        let operation = match view.atomic_opcode() {
            _ if view.reserved() != 0 && bugs.has(Bug::AtomicReservedChecked) => {
                return Err(Violation::AtomicOperation);
            }
            0 if compares => return Err(Violation::AtomicOperation),
            0 => AtomicOperation::FetchAdd { add_data: data, add_mask: mask },
            1 if self.config.atomic_swap && bugs.has(Bug::SwapMaskHeeded) => {
                AtomicOperation::CmpSwap {
                    swap_data: data,
                    swap_mask: mask,
                    compare_data,
                    compare_mask: 0,
                }
            }
            1 if self.config.atomic_swap => AtomicOperation::Swap { swap_data: data },
            2 => AtomicOperation::CmpSwap {
                swap_data: data,
                swap_mask: mask,
                compare_data,
                compare_mask,
            },
            _ if bugs.has(Bug::AtomicCodeUnchecked) => {
                AtomicOperation::FetchAdd { add_data: data, add_mask: mask }
            }
            _ => return Err(Violation::AtomicOperation),
        };
        let buffer = (view.remote_steering_tag(), view.remote_tagged_offset(), 8);
        let place = self.config.check_requested(self.memory, buffer, Rights::ATOMIC)?;
        let unaligned = place.is_none_or(|place| !place.aligned());
        if unaligned && !bugs.has(Bug::AtomicAlignmentUnchecked) {
            return Err(Violation::AtomicAlignment);
        }
        Ok(AtomicRequest {
            request_identifier: view.request_identifier(),
            remote_steering_tag: view.remote_steering_tag(),
            remote_tagged_offset: view.remote_tagged_offset(),
            operation,
        })
    }

    fn flush(&self) -> Result<FlushRequest, Violation> {
        let view = self.whole(FlushRequestView::parse(self.bytes).map_err(cut)?)?;
        let request = FlushRequest::from(view);
        let length = request.data_sink_length.into();
        let buffer = (request.data_sink_steering_tag, request.data_sink_tagged_offset, length);
        self.config.check_requested(self.memory, buffer, flush_rights(&request, self.bugs))?;
        let asks = request.persistence() || request.global_visibility();
        if !asks && self.config.variants.has(Variant::FlushNeedsDisposition) {
            return Err(Violation::FlushFailed);
        }
        Ok(request)
    }

    fn verify(&self) -> Result<VerifyRequest, Violation> {
        let request = VerifyRequest::from(VerifyRequestView::parse(self.bytes).map_err(cut)?);
        let length = request.data_sink_length.into();
        let buffer = (request.data_sink_steering_tag, request.data_sink_tagged_offset, length);
        self.config.check_requested(self.memory, buffer, Rights::VERIFY)?;
        Ok(request)
    }

    /// Checks an Atomic Write (rdma-commit section 3.1.3.1): eight bytes, aligned.
    fn atomic_write(&self) -> Result<AtomicWriteRequest, Violation> {
        let bugs = self.bugs;
        let view = self.whole(AtomicWriteRequestView::parse(self.bytes).map_err(cut)?)?;
        let any = AtomicWriteRequest {
            data_sink_steering_tag: view.data_sink_steering_tag(),
            data_sink_tagged_offset: view.data_sink_tagged_offset(),
            data: view.data(),
        };
        let any = Some(any).filter(|_| bugs.has(Bug::AtomicWriteLengthUnchecked));
        let request = AtomicWriteRequest::try_from(view).ok().or(any);
        let request = request.ok_or(Violation::AtomicWriteAlignment)?;
        let buffer = (request.data_sink_steering_tag, request.data_sink_tagged_offset, 8);
        let rights = match bugs.has(Bug::AtomicWriteWantsAtomic) {
            true => Rights::WRITE | Rights::ATOMIC,
            false => Rights::WRITE,
        };
        let place = self.config.check_requested(self.memory, buffer, rights)?;
        let unaligned = place.is_none_or(|place| !place.aligned());
        if unaligned && !bugs.has(Bug::AtomicWriteUnaligned) {
            return Err(Violation::AtomicWriteAlignment);
        }
        Ok(request)
    }
}
