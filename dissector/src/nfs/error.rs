//! Why arguments or results cannot be read: malformed, or of a program that is not done here.

use super::Procedure;
use std::fmt;

/// Bytes that cannot be read as what they should be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("malformed at byte {offset}: {field} {problem}")]
pub struct Malformed {
    /// The name of the field that could not be read.
    pub field: &'static str,
    /// Where it begins in the message's bytes.
    pub offset: u32,
    /// Why.
    pub problem: Problem,
}

/// Why a field could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Problem {
    /// It does not fit into the bytes that are there.
    Short {
        /// Bytes that it needs.
        needed: u64,
        /// Bytes that there are.
        available: u64,
    },
    /// It decides how the rest is read, and has a value that decides nothing.
    Value(u64),
    /// It says that more values follow than there can be.
    Count(u64),
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Short { needed, available } => {
                write!(f, "needs {needed} bytes, {available} are there")
            }
            Self::Value(value) => write!(f, "has the value {value}, which no layout goes with"),
            Self::Count(count) => write!(f, "counts {count}, and there is no room for them"),
        }
    }
}

/// Why arguments or results were not read to their end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// The bytes are not what they should be.
    #[error(transparent)]
    Malformed(#[from] Malformed),
    /// The program, version or procedure is legal, and not done here.
    #[error("program {} version {} procedure {} is not decoded", .0.program, .0.version, .0.procedure)]
    Unsupported(Procedure),
}
