//! Why a call is not carried out.

use crate::memory::MemoryError;
use crate::work::PostError;
use warpscope_agent::{Error, ErrorCode};

/// The target does not do that.
pub(super) fn unsupported(text: impl Into<String>) -> Error {
    Error::new(ErrorCode::Unsupported, text)
}

/// The call names what is not there.
pub(super) fn unknown(text: impl Into<String>) -> Error {
    Error::new(ErrorCode::Unknown, text)
}

/// It cannot be done now.
pub(super) fn refused(text: impl Into<String>) -> Error {
    Error::new(ErrorCode::Refused, text)
}

/// It has no such parameters.
pub(super) fn invalid(text: impl Into<String>) -> Error {
    Error::new(ErrorCode::InvalidParams, text)
}

/// It would pass a limit.
pub(super) fn limit(what: &str, limit: impl Into<u64>) -> Error {
    Error::new(ErrorCode::Limit, format!("at most {} {what}", limit.into()))
}

/// A work request or receive is not posted.
pub(super) fn not_posted(error: PostError) -> Error {
    let code = match error {
        PostError::Profile => ErrorCode::Unsupported,
        PostError::LocalBuffer(_) => ErrorCode::Unknown,
        PostError::TooLong(_) => ErrorCode::Limit,
        PostError::Closed | PostError::NoDepth => ErrorCode::Refused,
    };
    Error::new(code, error.to_string())
}

/// Memory is not as the call would have it.
pub(super) fn no_memory(error: MemoryError) -> Error {
    let code = match error {
        MemoryError::UnknownSteeringTag(_)
        | MemoryError::OutsideRegion { .. }
        | MemoryError::NotRegion(_) => ErrorCode::Unknown,
        MemoryError::Wraps { .. }
        | MemoryError::WindowsBound(_)
        | MemoryError::Full
        | MemoryError::NotSaved(_)
        | MemoryError::NotRecalled(_) => ErrorCode::Refused,
    };
    Error::new(code, error.to_string())
}
