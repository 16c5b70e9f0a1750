//! The options of an agent.

use super::Files;
use crate::connection::{Config, Role};
use crate::memory::Accessor;
use std::net::SocketAddr;
use warpscope_agent::Limits;
use warpscope_wire::mpa::MAX_PRIVATE_DATA;
use warpscope_wire::rdmap::Profile;

/// The greatest depth that a setup can name (RFC 6581 section 9.1); 0x3FFF means none.
const MOST_DEPTH: u16 = 0x3ffe;

/// The options of an agent.
#[derive(Debug)]
pub struct AgentOptions {
    /// The default configuration of streams that are opened and prepared. It should be the one with
    /// which the adapter accepts; `accepts` must be false there, because the agent accepts once it has
    /// posted receives.
    pub config: Config,
    /// The address at which the adapter listens for streams.
    pub listens: Option<SocketAddr>,
    /// Creates files behind regions, if the target supports them.
    pub files: Option<Box<dyn Files>>,
    /// A description of the target, for people.
    pub description: String,
    /// The limits of the target.
    pub limits: Limits,
    /// The limit in bytes for all regions together.
    pub memory: u64,
    /// The limit in bytes for the work requests of a stream.
    pub work_bytes: u64,
}

impl AgentOptions {
    /// Returns options with this configuration, without files.
    pub fn new(config: Config) -> Self {
        let setup = &config.setup;
        let limits = Limits {
            regions: 1024,
            region_length: 64 << 20,
            streams: 1024,
            receives: 4096,
            receive_size: 16 << 20,
            work: 1024,
            private_data: MAX_PRIVATE_DATA as u16,
            ird: setup.ird.max(MOST_DEPTH),
            ord: setup.ord.max(MOST_DEPTH),
        };
        Self {
            config,
            listens: None,
            files: None,
            description: "warpscope reference peer".to_owned(),
            limits,
            memory: 256 << 20,
            work_bytes: 16 << 20,
        }
    }
}

impl Default for AgentOptions {
    /// Streams of Protection Domain 1 with RFC 5040 and RFC 7306, which also work with peers that know
    /// RFC 5040 alone; calls choose other profiles.
    fn default() -> Self {
        let accessor = Accessor { stream: 0, protection_domain: 1 };
        let config = Config::new(Role::Responder, accessor);
        Self::new(Config { profile: Profile::RFC7306, accepts: false, ..config })
    }
}
