//! The methods of an agent.

use crate::{
    BindWindow, MemoryRange, Open, Post, PostReceives, Prepare, RegionName, Register, Revalidate,
    StreamName, WriteMemory,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantNames};

/// What a runner asks. The result is `null` unless the method names another.
#[derive(
    Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, IntoStaticStr, VariantNames,
)]
#[serde(tag = "method", content = "params", rename_all = "snake_case", deny_unknown_fields)]
#[strum(serialize_all = "snake_case")]
pub enum Method {
    /// What the target can do: [`Capabilities`](crate::Capabilities).
    Capabilities,
    /// Drops every stream of this connection, and all its memory.
    Reset,
    /// Registers memory: [`Region`](crate::Region).
    Register(Register),
    /// Binds a window: [`Region`](crate::Region).
    BindWindow(BindWindow),
    /// Makes an STag invalid.
    Invalidate {
        /// The region or window.
        region: RegionName,
    },
    /// Makes it valid again: [`Region`](crate::Region).
    Revalidate(Revalidate),
    /// Deregisters memory, or destroys a window.
    Deregister {
        /// The region or window.
        region: RegionName,
    },
    /// Reads a region: [`Bytes`](crate::Bytes).
    ReadMemory(MemoryRange),
    /// Fills bytes of a region.
    WriteMemory(WriteMemory),
    /// Puts back into a region what its file holds, as after a crash.
    Recall {
        /// The region.
        region: RegionName,
    },
    /// Posts receives.
    PostReceives(PostReceives),
    /// Posts a work request.
    Post(Post),
    /// Opens a stream.
    Open(Open),
    /// Says what the next stream is accepted with.
    Prepare(Prepare),
    /// Closes the target's direction of a stream, once what was posted is done.
    Finish {
        /// The stream.
        stream: StreamName,
    },
    /// Drops a stream's TCP connection.
    Abort {
        /// The stream.
        stream: StreamName,
    },
}

impl Method {
    /// Returns the method's name on the wire.
    pub fn name(&self) -> &'static str {
        self.into()
    }
}
