//! What has happened in an instance, for what comes next.

use super::stream::Stream;
use crate::engine::expect::Met;
use crate::engine::{Capabilities, Link, greeting_bytes};
use std::collections::BTreeMap;
use std::net::SocketAddr;
use warpscope_wire::test_ulp::{Answer, Purpose, RegionDescription, Report};

/// What has happened in an instance so far.
#[derive(Debug, Clone, Copy)]
pub struct Scene<'a> {
    /// What the target can do.
    pub capabilities: &'a Capabilities,
    /// The session at the target; 0 without the test ULP.
    pub session: u32,
    /// Where the target is.
    pub target: SocketAddr,
    /// The run's seed.
    pub seed: u64,
    pub(super) streams: &'a BTreeMap<u32, Stream>,
    pub(super) regions: &'a BTreeMap<String, RegionDescription>,
    pub(super) answers: &'a BTreeMap<String, Answer>,
    pub(super) reports: &'a BTreeMap<usize, Report>,
    pub(super) met: &'a BTreeMap<usize, (u32, Met)>,
}

impl<'a> Scene<'a> {
    /// The link of a stream.
    pub fn link(&self, stream: u32) -> Option<&'a Link> {
        self.streams.get(&stream).map(|it| &it.link)
    }

    /// A region or window of the target that the instance has named.
    pub fn region(&self, name: &str) -> Option<&'a RegionDescription> {
        self.regions.get(name)
    }

    /// The names of the instance's regions.
    pub fn regions(&self) -> impl Iterator<Item = (&'a str, &'a RegionDescription)> {
        self.regions.iter().map(|(name, region)| (name.as_str(), region))
    }

    /// The answer to an order, by its name.
    pub fn answer(&self, name: &str) -> Option<&'a Answer> {
        self.answers.get(name)
    }

    /// The report that met the action of this number.
    pub fn report(&self, action: usize) -> Option<&'a Report> {
        self.reports.get(&action)
    }

    /// How the expectation of this action was met, and on which stream.
    pub fn met(&self, action: usize) -> Option<(u32, &'a Met)> {
        self.met.get(&action).map(|(stream, met)| (*stream, met))
    }

    /// The greeting of a bare stream, for private data; empty where the target does not speak the test
    /// ULP.
    pub fn greeting(&self, stream: u32, receives: u16, longest: u32) -> Vec<u8> {
        if !self.capabilities.has("agent") {
            return Vec::new();
        }
        greeting_bytes(Purpose::Bare, self.session, stream, receives, longest)
    }
}
