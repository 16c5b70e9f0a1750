//! Cases and their instances.

use warpscope_requirements::{Catalogue, Level};

use super::step::Step;
use super::value::{Bytes, Region, Value};
use crate::layout::Layouts;
use crate::yaml::{Node, Source};

/// What cases are read and checked against.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// The headers and messages.
    pub layouts: &'a Layouts,
    /// The requirements that cases name.
    pub catalogue: &'a Catalogue,
    /// The seeded bugs that cases name; `None` if they are not known here, and not checked.
    pub bugs: Option<&'a [&'a str]>,
}

/// The runner's role in the setup.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// It opens the connection and sends the request.
    Initiator,
    /// It waits for the target to do so.
    Responder,
}

impl Role {
    /// Its word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Initiator => "initiator",
            Self::Responder => "responder",
        }
    }
}

/// A case: what a file says in its head, and its instances.
#[derive(Clone, Debug)]
pub struct Case {
    /// Its name for good.
    pub id: String,
    /// What must be so.
    pub title: String,
    /// The file, as it was named when it was read.
    pub file: String,
    /// Ids of the requirements that it judges.
    pub covers: Vec<String>,
    /// Seeded bugs that it must catch.
    pub kills: Vec<String>,
    /// What the target must be able to do.
    pub needs: Vec<&'static str>,
    /// The documents that are in force.
    pub profile: &'static str,
    /// How strongly it is demanded.
    pub level: Level,
    /// Words to select it by.
    pub tags: Vec<String>,
    /// One for each role and each combination of its axes, in the order of the file.
    pub instances: Vec<Instance>,
}

/// A case with its role and a value for each axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Instance {
    /// Its name for good: `case[role=initiator,crc=on]`; the case's, if it is the only one.
    pub id: String,
    /// The runner's role.
    pub role: Role,
    /// Its axes and their values.
    pub axes: Vec<(String, String)>,
    /// The memory that must be there before the first step.
    pub buffers: Vec<Buffer>,
    /// What is done.
    pub steps: Vec<Step>,
}

/// Memory that an instance needs.
#[derive(Clone, Debug, PartialEq)]
pub struct Buffer {
    /// Its side and name.
    pub region: Region,
    /// Bytes.
    pub length: u64,
    /// What a remote peer may do.
    pub rights: Vec<&'static str>,
    /// What is in it at first; zeros, if it is not said.
    pub fill: Option<Bytes>,
    /// The Tagged Offset of its first byte; its owner chooses, if it is not said.
    pub base: Option<Value>,
    /// The buffer that it is a window of, and the bytes of that before its first; none for a region.
    pub window: Option<(Region, u64)>,
    /// Who may use the STag: `stream`, `protection_domain` or `foreign`.
    pub scope: Option<&'static str>,
    /// The stream of scope `stream`, by its name in the case.
    pub stream: Option<String>,
    /// What holds the target's bytes: `memory`, `file` or `failing`; memory, if it is not said.
    pub backing: Option<&'static str>,
    /// What a Verify computes: `crc32c`, `sha256` or `blake3`; the target chooses, if it is not said.
    pub hash: Option<&'static str>,
}

/// Steps that cases share.
#[derive(Clone, Debug)]
pub(crate) struct Fragment {
    pub(crate) name: String,
    pub(crate) source: Source,
    pub(crate) root: Node,
}
