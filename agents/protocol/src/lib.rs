//! The agent protocol: how a conformance runner controls a target, separately from the stack under test.
//!
//! An *agent* is a program on the target. A *runner* calls its methods over a separate TCP connection:
//! JSON-RPC 2.0, one object per line. What happens on the target's streams is reported in `event`
//! notifications. `agents/README.md` describes the protocol for authors of agents; [`schema`] is the JSON
//! Schema of all messages.
//!
//! There is no I/O here: [`Call`] and [`Reply`] are parsed from lines and written as lines.
//!
//! ```
//! use warpscope_agent::{Call, Method, Reply};
//!
//! let line = Call::new(7, Method::Reset).line();
//! assert_eq!(line, "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"reset\"}\n");
//! assert_eq!(Call::read(line.as_bytes()).unwrap().method, Method::Reset);
//! let answer = Reply::result(7, &serde_json::Value::Null).line();
//! assert_eq!(answer, "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":null}\n");
//! ```

/// Defines an enum of protocol words, which are spelled alike in JSON, the schema and the YAML of cases.
macro_rules! words {
    ($(#[$meta:meta])* pub enum $name:ident in $case:literal { $($body:tt)* }) => {
        $(#[$meta])*
        #[derive(
            Debug,
            Clone,
            Copy,
            PartialEq,
            Eq,
            PartialOrd,
            Ord,
            Hash,
            serde::Serialize,
            serde::Deserialize,
            schemars::JsonSchema,
            strum::EnumString,
            strum::Display,
            strum::IntoStaticStr,
            strum::VariantArray,
        )]
        #[serde(rename_all = $case)]
        #[strum(serialize_all = $case)]
        pub enum $name { $($body)* }
    };
}

mod capability;
mod event;
mod memory;
mod message;
mod method;
mod stream;
mod value;
mod work;

pub use capability::{Ability, Capabilities, Limits, Profile, VERSION};
pub use event::{
    Arrival, Completion, CompletionStatus, Ending, Event, EventKind, Happened, Setup, SetupFailure,
    Terminate, TerminateCode,
};
pub use memory::{
    Backing, BindWindow, Hash, MemoryRange, Region, RegionName, Register, Revalidate, Right, Scope,
    WriteMemory,
};
pub use message::{Call, Error, ErrorCode, Notification, Reply, Says, Unreadable, schema};
pub use method::Method;
pub use stream::{Indication, Open, Packing, Prepare, StreamName, StreamOptions};
pub use value::{Bytes, Word};
pub use work::{Atomic, Operation, Post, PostReceives, WorkFlag};
