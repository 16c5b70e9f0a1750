//! Which procedure of which program a message is about.

use crate::field::nfs::{names, names4};

/// A procedure: what the header of the call says (RFC 5531 section 9).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Procedure {
    /// The program.
    pub program: u32,
    /// The version of the program.
    pub version: u32,
    /// The procedure.
    pub procedure: u32,
}

/// Whether a message is a call, with arguments, or a reply, with results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Arguments.
    Call,
    /// Results.
    Reply,
}

impl Direction {
    /// `Call` or `Reply`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Call => "Call",
            Self::Reply => "Reply",
        }
    }
}

impl Procedure {
    /// The program number of NFS.
    pub const NFS: u32 = 100_003;
    /// The program number of MOUNT.
    pub const MOUNT: u32 = 100_005;
    /// The program number of NFSACL.
    pub const ACL: u32 = 100_227;
    /// The program number that Linux gives for its callbacks. A client may choose another
    /// (RFC 8881 section 18.36).
    pub const CALLBACK: u32 = 0x4000_0000;

    /// A procedure of NFS.
    pub fn nfs(version: u32, procedure: u32) -> Self {
        Self { program: Self::NFS, version, procedure }
    }

    /// The name of the program.
    pub fn program_name(&self) -> Option<&'static str> {
        Some(match self.program {
            Self::NFS => "NFS",
            Self::MOUNT => "MOUNT",
            Self::ACL => "NFSACL",
            Self::CALLBACK => "NFS CB",
            _ => return None,
        })
    }

    /// The name of the procedure: `READ`, `COMPOUND`.
    pub fn name(&self) -> Option<&'static str> {
        let names = match (self.program, self.version) {
            (Self::NFS, 3) => names::PROCEDURES_3,
            (Self::NFS, 4) => names4::PROCEDURES_4,
            (Self::MOUNT, 1..=3) => names::MOUNT_PROCEDURES,
            (Self::ACL, 2) => names::ACL_PROCEDURES,
            (Self::ACL, 3) => names::ACL_PROCEDURES_3,
            (Self::CALLBACK, _) => names4::CALLBACK_PROCEDURES,
            _ => return None,
        };
        let number = u64::from(self.procedure);
        names.iter().find(|(value, _)| *value == number).map(|(_, name)| *name)
    }
}
