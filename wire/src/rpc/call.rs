//! The header of a call (RFC 5531 §9).

use super::message::word;
use super::{Auth, AuthView};
use crate::{Illegal, Layer, Malformed, Writer};

/// The version of RPC that this is.
pub const RPC_VERSION: u32 = 2;
const CALL: u32 = 0;

/// The header of a call as it stands in a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallView<'a> {
    /// Transaction ID (XID).
    pub xid: u32,
    /// The version of RPC.
    pub rpc_version: u32,
    /// The program.
    pub program: u32,
    /// The version of the program.
    pub program_version: u32,
    /// The procedure.
    pub procedure: u32,
    /// The credential.
    pub credential: AuthView<'a>,
    /// The verifier.
    pub verifier: AuthView<'a>,
}

impl<'a> CallView<'a> {
    pub(super) fn parse(xid: u32, input: &'a [u8]) -> Result<(Self, &'a [u8]), Malformed> {
        let (rest, rpc_version) = word("RPC version", input)?;
        let (rest, program) = word("program", rest)?;
        let (rest, program_version) = word("program version", rest)?;
        let (rest, procedure) = word("procedure", rest)?;
        let (credential, rest) = AuthView::parse(rest)?;
        let (verifier, rest) = AuthView::parse(rest)?;
        let view =
            Self { xid, rpc_version, program, program_version, procedure, credential, verifier };
        Ok((view, rest))
    }
}

/// A legal header of a call.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Call {
    /// Transaction ID (XID).
    pub xid: u32,
    /// The program.
    pub program: u32,
    /// The version of the program.
    pub program_version: u32,
    /// The procedure.
    pub procedure: u32,
    /// The credential.
    pub credential: Auth,
    /// The verifier.
    pub verifier: Auth,
}

impl Call {
    /// Writes the header.
    pub fn emit(&self, writer: &mut Writer<'_>) {
        writer
            .u32(self.xid)
            .u32(CALL)
            .u32(RPC_VERSION)
            .u32(self.program)
            .u32(self.program_version)
            .u32(self.procedure);
        self.credential.emit(writer);
        self.verifier.emit(writer);
    }
}

impl TryFrom<CallView<'_>> for Call {
    type Error = Illegal;

    fn try_from(view: CallView<'_>) -> Result<Self, Illegal> {
        if view.rpc_version != RPC_VERSION {
            return Err(Illegal {
                layer: Layer::Rpc,
                field: "RPC version",
                value: view.rpc_version.into(),
                section: "RFC 5531 section 9",
            });
        }
        Ok(Self {
            xid: view.xid,
            program: view.program,
            program_version: view.program_version,
            procedure: view.procedure,
            credential: view.credential.try_into()?,
            verifier: view.verifier.try_into()?,
        })
    }
}
