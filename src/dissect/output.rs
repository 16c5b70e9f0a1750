//! What an output is: something that prints frames, one after the other.

use std::io::{self, Write};
use warpscope_dissector::dissect::FrameView;

/// A frame to be printed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shown<'a> {
    /// Its tree and line, as far as they were wanted.
    pub(super) view: &'a FrameView,
    /// Digits behind the point that its time has in the capture.
    pub(super) time_digits: u8,
}

/// Prints frames.
pub(super) trait Output {
    /// Prints what stands before the first frame.
    fn begin(&mut self, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }
    /// Prints a frame.
    fn frame(&mut self, shown: &Shown<'_>, out: &mut dyn Write) -> io::Result<()>;
    /// Prints what stands behind the last frame.
    fn end(&mut self, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }
}

/// Prints nothing.
#[derive(Debug)]
pub(super) struct Nothing;

impl Output for Nothing {
    fn frame(&mut self, _shown: &Shown<'_>, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }
}
