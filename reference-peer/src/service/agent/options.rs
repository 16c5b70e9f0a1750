//! What an agent is made with.

use super::Files;
use crate::connection::{Config, Role};
use crate::memory::Accessor;
use std::net::SocketAddr;
use warpscope_agent::Limits;
use warpscope_wire::mpa::MAX_PRIVATE_DATA;
use warpscope_wire::rdmap::Profile;

/// The greatest depth that a setup can name (RFC 6581 section 9.1); 0x3FFF means none.
const MOST_DEPTH: u16 = 0x3ffe;

/// What an agent is made with.
#[derive(Debug)]
pub struct AgentOptions {
    /// What streams are opened and prepared with, where nothing else is said. It should be what the
    /// adapter accepts with; `accepts` must be false there: the agent accepts by itself, once it has
    /// posted receives.
    pub config: Config,
    /// Where the adapter listens for streams.
    pub listens: Option<SocketAddr>,
    /// Makes files behind regions, if the target can have such.
    pub files: Option<Box<dyn Files>>,
    /// What the target is, for people.
    pub description: String,
    /// What it bears.
    pub limits: Limits,
    /// The longest that bytes of all regions may be together.
    pub memory: u64,
    /// Bytes that the work requests of a stream may hold.
    pub work_bytes: u64,
}

impl AgentOptions {
    /// An agent with these streams, without files.
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
    /// Streams of Protection Domain 1 with RFC 5040 and RFC 7306, which peers that know RFC 5040
    /// alone can talk to; calls choose other profiles.
    fn default() -> Self {
        let accessor = Accessor { stream: 0, protection_domain: 1 };
        let config = Config::new(Role::Responder, accessor);
        Self::new(Config { profile: Profile::RFC7306, accepts: false, ..config })
    }
}
