//! Results of version 4 operations, which the server writes and the client reads (RFC 8881 section 18).

use super::types::{
    Bitmap, ChangeInfo, Channel, Implementation, List, Opaque, Protection, SessionId, StateId,
};
use crate::rpc::{Builder, Reader, value};
use crate::xdr::{Xdr, xdr};
use warpscope_wire::Malformed;

xdr! {
    /// The result of EXCHANGE_ID, up to the state protection.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub(crate) struct Exchanged {
        /// The client ID.
        pub(crate) client: u64 = "client ID",
        /// The sequence ID for CREATE_SESSION.
        pub(crate) sequence: u32 = "sequence ID",
        /// The granted flags.
        pub(crate) flags: u32 = "flags",
        /// The state protection: none, as requested.
        pub(crate) protection: Protection = "state protection",
        /// The identity of the server: a number and a name.
        pub(crate) server: (u64, Opaque) = "server owner",
        /// The scope in which the server's names are valid.
        pub(crate) scope: Opaque = "server scope",
        /// The implementation of the server.
        pub(crate) implementation: List<Implementation> = "implementation",
    }

    /// The result of CREATE_SESSION.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(crate) struct SessionCreated {
        /// The session.
        pub(crate) session: SessionId = "session ID",
        /// The sequence ID, as in the request.
        pub(crate) sequence: u32 = "sequence ID",
        /// The granted flags.
        pub(crate) flags: u32 = "flags",
        /// The channel from client to server.
        pub(crate) fore: Channel = "fore channel",
        /// The channel from server to client.
        pub(crate) back: Channel = "back channel",
    }

    /// The result of SEQUENCE.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub(crate) struct Sequenced {
        /// The session, as in the request.
        pub(crate) session: SessionId = "session ID",
        /// The sequence ID of the request in its slot.
        pub(crate) sequence: u32 = "sequence ID",
        /// The slot.
        pub(crate) slot: u32 = "slot ID",
        /// The highest slot that is accepted.
        pub(crate) highest: u32 = "highest slot ID",
        /// The highest slot that the server wants the client to use.
        pub(crate) target: u32 = "target highest slot ID",
        /// Problems with state that the client holds.
        pub(crate) flags: u32 = "status flags",
    }

    /// The result of OPEN.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub(crate) struct OpenedFile {
        /// The state ID of the open.
        pub(crate) state: StateId = "state ID",
        /// The change of the directory.
        pub(crate) directory: ChangeInfo = "change info",
        /// Properties of the open.
        pub(crate) flags: u32 = "flags",
        /// The attributes that were set.
        pub(crate) set: Bitmap = "attributes set",
        /// The granted delegation, or none.
        pub(crate) delegation: Delegated = "delegation",
    }

    /// The result of WRITE.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub(crate) struct WrittenTo {
        /// The number of bytes written.
        pub(crate) count: u32 = "count",
        /// What is on stable storage now.
        pub(crate) committed: u32 = "committed",
        /// The write verifier. It changes when the server restarts.
        pub(crate) verifier: [u8; 8] = "write verifier",
    }
}

/// The delegation that OPEN returns (open_delegation4).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Delegated {
    /// No delegation.
    No,
    /// A read delegation.
    Read(StateId),
    /// A write delegation.
    Write(StateId),
    /// No delegation, with the reason (why_no_delegation4); for contention and resource, also whether the
    /// server will notify the client when there is one.
    NoBecause(u32, bool),
}

/// WND4_NOT_WANTED, WND4_CONTENTION and WND4_RESOURCE: the latter two come with a Boolean.
pub(super) const NOT_WANTED: u32 = 0;
pub(super) const CONTENTION: u32 = 1;
const RESOURCE: u32 = 2;

/// The access control entry of a delegation: type, flags, mask, who.
type Entry = (u32, u32, (u32, Opaque));

impl Delegated {
    /// Returns the state of the delegation.
    pub(crate) fn state(self) -> Option<StateId> {
        match self {
            Self::Read(state) | Self::Write(state) => Some(state),
            Self::No | Self::NoBecause(..) => None,
        }
    }
}

impl Xdr for Delegated {
    fn read(reader: &mut Reader<'_>, field: &'static str) -> Result<Self, Malformed> {
        Ok(match reader.word(field)? {
            0 => Self::No,
            1 => {
                let (state, _, _): (StateId, bool, Entry) = reader.value(field)?;
                Self::Read(state)
            }
            // Followed by how far the file may grow, as a size or as blocks and their size.
            2 => {
                let (state, _): (StateId, bool) = reader.value(field)?;
                match reader.word("space limit")? {
                    1 => _ = reader.long("space limit")?,
                    2 => _ = reader.value::<(u32, u32)>("space limit")?,
                    other => return Err(value("space limit", other)),
                }
                reader.value::<Entry>(field)?;
                Self::Write(state)
            }
            3 => {
                let why = reader.word("why none")?;
                let has_flag = matches!(why, CONTENTION | RESOURCE);
                Self::NoBecause(why, has_flag && reader.boolean("will be said")?)
            }
            other => return Err(value(field, other)),
        })
    }

    /// Writes a delegation that is not being recalled. Its access control entry allows nothing beyond the
    /// file's mode, and a write delegation has no room to grow.
    fn write(&self, builder: &mut Builder) {
        let entry: Entry = (0, 0, (0, Opaque::default()));
        match self {
            Self::No => builder.word(0),
            Self::Read(state) => builder.word(1).value(state).boolean(false).value(&entry),
            Self::Write(state) => {
                builder.word(2).value(state).boolean(false).word(1).long(0).value(&entry)
            }
            Self::NoBecause(why @ (CONTENTION | RESOURCE), will_signal) => {
                builder.word(3).word(*why).boolean(*will_signal)
            }
            Self::NoBecause(why, _) => builder.word(3).word(*why),
        };
    }
}
