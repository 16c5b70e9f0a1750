//! `warpscope capture`: writes captured frames without decoding them.

use super::cli::CaptureArguments;
use super::live::{CapturedFrameSink, Plan, capture, list_interfaces};
use anyhow::Result;
use std::process::ExitCode;
use warpscope_dissector::capture::DescribedFrame;
use warpscope_dissector::recording::Destination;

pub(crate) fn run(arguments: &CaptureArguments) -> Result<ExitCode> {
    if arguments.live.list_interfaces {
        return list_interfaces();
    }
    // The files of a ring have their own names.
    let replace = arguments.existing.force || !arguments.live.ring.is_empty();
    let destination = arguments.write.as_deref().map(|path| Destination::new(path, None, replace));
    let destination = destination.transpose()?;
    let plan = Plan {
        arguments: &arguments.live,
        count: arguments.count,
        destination: destination.as_ref(),
        shows_progress: !arguments.quiet,
    };
    capture(&plan, &mut Everything)
}

/// A filter that accepts every frame.
struct Everything;

impl CapturedFrameSink for Everything {
    fn frame(&mut self, _described: &DescribedFrame<'_>) -> Result<bool> {
        Ok(true)
    }
}
