//! What operations of version 4 return that the client looks at (RFC 8881 section 18, RFC 7862 section
//! 15.10).

use crate::rpc::{Builder, Reader, value};
use crate::v4::types::{
    Bitmap, ChangeInfo, Channel, Implementation, List, Opaque, Protection, SessionId, StateId,
};
use crate::xdr::{Xdr, xdr};
use warpscope_wire::Malformed;

xdr! {
    /// The result of EXCHANGE_ID up to how state is protected.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub(super) struct Exchanged {
        /// The client ID.
        pub(super) client: u64 = "client ID",
        /// The sequence ID for CREATE_SESSION.
        pub(super) sequence: u32 = "sequence ID",
        /// What was granted.
        pub(super) flags: u32 = "flags",
        /// How state is protected: as was asked for, not at all.
        pub(super) protection: Protection = "state protection",
        /// The server: a number and a name.
        pub(super) server: (u64, Opaque) = "server owner",
        /// Where its names hold.
        pub(super) scope: Opaque = "server scope",
        /// Who made it.
        pub(super) implementation: List<Implementation> = "implementation",
    }

    /// The result of CREATE_SESSION.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub(super) struct SessionCreated {
        /// The session.
        pub(super) session: SessionId = "session ID",
        /// As in the request.
        pub(super) sequence: u32 = "sequence ID",
        /// What was granted.
        pub(super) flags: u32 = "flags",
        /// From client to server.
        pub(super) fore: Channel = "fore channel",
        /// From server to client.
        pub(super) back: Channel = "back channel",
    }

    /// The result of SEQUENCE.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub(super) struct Sequenced {
        /// The session, as in the request.
        pub(super) session: SessionId = "session ID",
        /// The request of the slot.
        pub(super) sequence: u32 = "sequence ID",
        /// The slot.
        pub(super) slot: u32 = "slot ID",
        /// The highest slot that is taken.
        pub(super) highest: u32 = "highest slot ID",
        /// The highest slot that is wished for.
        pub(super) target: u32 = "target highest slot ID",
        /// What is wrong with what the client holds.
        pub(super) flags: u32 = "status flags",
    }

    /// The result of OPEN.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub(super) struct OpenedFile {
        /// The state.
        pub(super) state: StateId = "state ID",
        /// The directory.
        pub(super) directory: ChangeInfo = "change info",
        /// What holds of it.
        pub(super) flags: u32 = "flags",
        /// The attributes that were set.
        pub(super) set: Bitmap = "attributes set",
        /// What the client may do by itself.
        pub(super) delegation: Delegated = "delegation",
    }

    /// The result of WRITE.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub(super) struct WrittenTo {
        /// Bytes that were written.
        pub(super) count: u32 = "count",
        /// What is on stable storage.
        pub(super) committed: u32 = "committed",
        /// Another one than before: the server was started again.
        pub(super) verifier: [u8; 8] = "write verifier",
    }
}

/// The state of a delegation, if OPEN gave one (open_delegation4).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Delegated(pub(super) Option<StateId>);

impl Xdr for Delegated {
    fn read(reader: &mut Reader<'_>, field: &'static str) -> Result<Self, Malformed> {
        // Of the access control entry that goes with it: type, flags, mask, who.
        type Entry = (u32, u32, (u32, Opaque));
        Ok(Self(match reader.word(field)? {
            // None.
            0 => None,
            // To read.
            1 => {
                let (state, _, _): (StateId, bool, Entry) = reader.value(field)?;
                Some(state)
            }
            // To write: with how far the file may grow, as a size or as blocks and their size.
            2 => {
                let (state, _): (StateId, bool) = reader.value(field)?;
                match reader.word("space limit")? {
                    1 => _ = reader.long("space limit")?,
                    2 => _ = reader.value::<(u32, u32)>("space limit")?,
                    other => return Err(value("space limit", other)),
                }
                reader.value::<Entry>(field)?;
                Some(state)
            }
            // None, and why: of contention and resource, whether it will be said when there is one.
            3 => {
                if matches!(reader.word("why none")?, 1 | 2) {
                    reader.boolean("will be said")?;
                }
                None
            }
            other => return Err(value(field, other)),
        }))
    }

    /// Clients get it alone.
    fn write(&self, builder: &mut Builder) {
        builder.word(0);
    }
}

/// A stretch of a file (read_plus_content).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Piece {
    /// Where it begins.
    pub(super) offset: u64,
    /// Its bytes, or how many there would be, all of them zero.
    pub(super) content: Result<Vec<u8>, u64>,
}

impl Piece {
    /// Reads one of READ_PLUS.
    pub(super) fn read(reader: &mut Reader<'_>) -> Result<Self, Malformed> {
        let kind = reader.word("content")?;
        let offset = reader.long("offset")?;
        let content = match kind {
            0 => Ok(reader.opaque("data", u32::MAX)?.to_vec()),
            1 => Err(reader.long("length of a hole")?),
            other => return Err(value("content", other)),
        };
        Ok(Self { offset, content })
    }
}
