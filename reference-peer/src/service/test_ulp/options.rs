//! What a target is made with.

use super::{Files, Limits};
use crate::connection::{Config, Role};
use crate::memory::Accessor;
use warpscope_wire::rdmap::Profile;

/// What a target is made with.
#[derive(Debug)]
pub struct TestUlpOptions {
    /// What streams are opened and prepared with, where orders say nothing else. It should be what
    /// the adapter accepts with, and `accepts` must be false there: the target accepts itself, once
    /// it has read the greeting and posted receives.
    pub config: Config,
    /// Regions that the target advertises by itself: their names and Steering Tags.
    pub regions: Vec<(String, u32)>,
    /// Makes files behind regions, if the target can have such.
    pub files: Option<Box<dyn Files>>,
    /// What the target is, for people.
    pub description: String,
    /// What it bears.
    pub limits: Limits,
}

impl TestUlpOptions {
    /// A target with these streams, without regions and files of its own.
    pub fn new(config: Config) -> Self {
        Self {
            config,
            regions: Vec::new(),
            files: None,
            description: "warpscope reference peer".to_owned(),
            limits: Limits::default(),
        }
    }
}

impl Default for TestUlpOptions {
    /// Streams of Protection Domain 1 with RFC 5040 and RFC 7306, which peers that know RFC 5040
    /// alone can talk to; orders choose other documents.
    fn default() -> Self {
        let accessor = Accessor { stream: 0, protection_domain: 1 };
        let config = Config::new(Role::Responder, accessor);
        Self::new(Config { profile: Profile::RFC7306, accepts: false, ..config })
    }
}
