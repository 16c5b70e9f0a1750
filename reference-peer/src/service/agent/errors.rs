//! The errors with which the agent refuses a call.

use crate::memory::MemoryError;
use crate::work::PostError;
use warpscope_agent::{Error, ErrorCode};

/// Returns the error for a call that the target does not support.
pub(super) fn unsupported(text: impl Into<String>) -> Error {
    Error::new(ErrorCode::Unsupported, text)
}

/// Returns the error for a call that names something that does not exist.
pub(super) fn unknown(text: impl Into<String>) -> Error {
    Error::new(ErrorCode::Unknown, text)
}

/// Returns the error for a call that cannot be carried out now.
pub(super) fn refused(text: impl Into<String>) -> Error {
    Error::new(ErrorCode::Refused, text)
}

/// Returns the error for parameters that are not valid.
pub(super) fn invalid(text: impl Into<String>) -> Error {
    Error::new(ErrorCode::InvalidParams, text)
}

/// Returns the error for a call that would exceed a limit.
pub(super) fn limit(what: &str, limit: impl Into<u64>) -> Error {
    Error::new(ErrorCode::Limit, format!("at most {} {what}", limit.into()))
}

/// Returns the error for a work request or receive that could not be posted.
pub(super) fn not_posted(error: PostError) -> Error {
    let code = match error {
        PostError::Profile => ErrorCode::Unsupported,
        PostError::LocalBuffer(_) => ErrorCode::Unknown,
        PostError::TooLong(_) => ErrorCode::Limit,
        PostError::Closed | PostError::NoDepth => ErrorCode::Refused,
    };
    Error::new(code, error.to_string())
}

/// Returns the error for a memory operation that failed.
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
