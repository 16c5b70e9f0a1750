//! What is in a build without live capture.

use super::run::{Ending, LivePacket};
use crate::cli::LiveArguments;
use anyhow::{Result, bail};
use std::process::ExitCode;
use warpscope_dissector::capture::Interface;

const ABSENT: &str = "this build of warpscope has no live capture: it was built without the cargo \
                      feature `live`; install libpcap's development files (libpcap-dev, \
                      libpcap-devel) and build it again without --no-default-features";

/// Says that there is no live capture.
///
/// # Errors
/// Always.
pub(crate) fn list_interfaces() -> Result<ExitCode> {
    bail!("-D: {ABSENT}")
}

/// There is none.
pub(super) enum Session {}

impl Session {
    /// Says that there is no live capture.
    ///
    /// # Errors
    /// Always.
    pub(super) fn start(_arguments: &LiveArguments) -> Result<Self> {
        bail!("-i: {ABSENT}")
    }

    /// There are none.
    pub(super) fn interfaces(&self) -> &[Interface] {
        match *self {}
    }

    /// There are none.
    pub(super) fn time_digits(&self) -> u8 {
        match *self {}
    }

    /// Nothing is captured.
    pub(super) fn stop(&self) {
        match *self {}
    }

    /// Nothing is captured.
    pub(super) fn turn(&mut self, _take: &mut dyn FnMut(LivePacket<'_>)) -> Option<bool> {
        match *self {}
    }

    /// There are none.
    pub(super) fn endings(&self) -> Vec<Ending> {
        match *self {}
    }
}
