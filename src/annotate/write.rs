//! A copy of a capture with findings in it.

use crate::failure::ReadError;
use crate::recording::{APPLICATION, Destination};
use anyhow::Result;
use std::collections::BTreeMap;
use warpscope_dissector::capture::{CaptureCopy, CaptureReader};

/// Findings by the number of the frame that they are about.
#[derive(Debug, Default)]
pub(super) struct Findings(BTreeMap<u64, Vec<String>>);

impl FromIterator<(u64, String)> for Findings {
    /// From frame numbers with a text each, in any order; those of one frame keep theirs.
    fn from_iter<T: IntoIterator<Item = (u64, String)>>(findings: T) -> Self {
        let mut by_frame: BTreeMap<u64, Vec<String>> = BTreeMap::new();
        for (frame, text) in findings {
            by_frame.entry(frame).or_default().push(text);
        }
        Self(by_frame)
    }
}

/// How much was written.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct Written {
    /// Frames.
    pub(super) frames: u64,
    /// Findings.
    pub(super) findings: u64,
    /// Frames with findings.
    pub(super) annotated: u64,
}

/// Writes the reader's frames with findings as comments behind those that they have; also says what
/// kept it from reading to the end.
///
/// # Errors
/// When writing failed.
pub(super) fn write(
    reader: &mut CaptureReader,
    destination: &Destination,
    findings: &Findings,
) -> Result<(Written, Option<ReadError>)> {
    let failed = |error| destination.failed(error);
    let mut copy = CaptureCopy::new(destination.open()?, reader, APPLICATION).map_err(failed)?;
    let mut written = Written::default();
    let damage = loop {
        match reader.next_described() {
            Ok(Some(described)) => {
                let found = findings.0.get(&described.frame.number).map_or(&[][..], Vec::as_slice);
                copy.frame(&described, found).map_err(failed)?;
                written.frames += 1;
                written.findings += found.len() as u64;
                written.annotated += u64::from(!found.is_empty());
            }
            Ok(None) => break None,
            Err(error) => break Some(ReadError::from(error)),
        }
    };
    copy.finish(reader).map_err(failed)?;
    Ok((written, damage))
}
