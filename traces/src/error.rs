//! Errors from generating a capture.

use warpscope_wire::{BufferTooSmall, Illegal, Malformed};

/// Why a capture could not be made.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// A message has a value that no sender may send.
    #[error(transparent)]
    Illegal(#[from] Illegal),
    /// A message does not fit its buffer.
    #[error(transparent)]
    BufferTooSmall(#[from] BufferTooSmall),
    /// A generated message cannot be parsed.
    #[error(transparent)]
    Malformed(#[from] Malformed),
    /// A file cannot be written.
    #[error("{name}: {source}")]
    Io {
        /// The file or directory.
        name: String,
        /// The system's error.
        source: std::io::Error,
    },
    /// A capture that the floor benchmark does not support.
    #[error("{0} is no little-endian pcap of Ethernet frames: the floor measures no other")]
    NotMeasured(String),
    /// The name of a scenario that does not exist.
    #[error("no scenario is called {0}; `make-traces list` shows their names")]
    NoScenario(String),
}

/// A result of this crate.
pub type Result<T> = std::result::Result<T, TraceError>;
