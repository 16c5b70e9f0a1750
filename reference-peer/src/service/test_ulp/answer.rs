//! Why an order is not carried out.

use crate::memory::MemoryError;
use crate::work::PostError;
use warpscope_wire::test_ulp::{Answer, NoOrder, Refusal, Status};

/// What stands for no byte.
const NO_OFFSET: u32 = u32::MAX;

/// An order that is not carried out, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct No {
    status: Status,
    offset: u32,
    value: u32,
    text: String,
}

impl No {
    fn new(status: Status, text: impl Into<String>) -> Self {
        Self { status, offset: NO_OFFSET, value: 0, text: text.into() }
    }

    /// This target does not do that.
    pub(super) fn unsupported(text: impl Into<String>) -> Self {
        Self::new(Status::Unsupported, text)
    }

    /// It names what is not there.
    pub(super) fn unknown(text: impl Into<String>) -> Self {
        Self::new(Status::Unknown, text)
    }

    /// It cannot be done now.
    pub(super) fn refused(text: impl Into<String>) -> Self {
        Self::new(Status::Refused, text)
    }

    /// It would pass a limit.
    pub(super) fn limit(what: &str, limit: u64) -> Self {
        let value = u32::try_from(limit).unwrap_or(u32::MAX);
        Self { value, ..Self::new(Status::Limit, format!("at most {limit} {what}")) }
    }

    pub(super) fn answer(self) -> Answer {
        let refusal = Refusal { offset: self.offset, value: self.value };
        Answer::Refused(self.status, refusal, self.text)
    }
}

impl From<NoOrder> for No {
    fn from(error: NoOrder) -> Self {
        let text = error.to_string();
        match error.offset() {
            Some(offset) => Self { offset: offset as u32, ..Self::new(Status::Malformed, text) },
            None => Self::unsupported(text),
        }
    }
}

impl From<PostError> for No {
    fn from(error: PostError) -> Self {
        let text = error.to_string();
        match error {
            PostError::Profile => Self::unsupported(text),
            PostError::LocalBuffer(_) => Self::unknown(text),
            PostError::TooLong(_) => Self::new(Status::Limit, text),
            PostError::Closed | PostError::NoDepth => Self::refused(text),
        }
    }
}

impl From<MemoryError> for No {
    fn from(error: MemoryError) -> Self {
        let text = error.to_string();
        match error {
            MemoryError::UnknownSteeringTag(_)
            | MemoryError::OutsideRegion { .. }
            | MemoryError::NotRegion(_) => Self::unknown(text),
            MemoryError::Wraps { .. }
            | MemoryError::WindowsBound(_)
            | MemoryError::Full
            | MemoryError::NotSaved(_)
            | MemoryError::NotRecalled(_) => Self::refused(text),
        }
    }
}
