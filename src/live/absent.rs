//! Replacements in a build without live capture.

use super::run::{Ending, LivePacket};
use crate::cli::LiveArguments;
use anyhow::{Result, bail};
use std::process::ExitCode;
use warpscope_dissector::capture::{Interface, InterfaceStatistics};

const ABSENT: &str = "this build of warpscope has no live capture: it was built without the cargo \
                      feature `live`; install libpcap's development files (libpcap-dev, \
                      libpcap-devel) and build it again without --no-default-features";

pub(crate) fn list_interfaces() -> Result<ExitCode> {
    bail!("-D: {ABSENT}")
}

/// There is none.
pub(super) enum Session {}

impl Session {
    pub(super) fn start(_arguments: &LiveArguments) -> Result<Self> {
        bail!("-i: {ABSENT}")
    }

    pub(super) fn interfaces(&self) -> &[Interface] {
        match *self {}
    }

    pub(super) fn time_digits(&self) -> u8 {
        match *self {}
    }

    pub(super) fn stop(&self) {
        match *self {}
    }

    pub(super) fn turn(&mut self, _take: &mut dyn FnMut(LivePacket<'_>)) -> Option<bool> {
        match *self {}
    }

    pub(super) fn counted(&self) -> &[Option<InterfaceStatistics>] {
        match *self {}
    }

    pub(super) fn endings(&self) -> Vec<Ending> {
        match *self {}
    }
}
