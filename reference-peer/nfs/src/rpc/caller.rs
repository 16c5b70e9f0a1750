//! The caller's side: the header of a call, and what a reply's header says (RFC 5531 section 9).

use super::{Builder, Credential, Reader};
use warpscope_wire::rpc::{Auth, Call, ReplyBody, RpcView, accept_status_name, auth_status_name};
use warpscope_wire::{Illegal, Malformed};

/// Bytes of the header of a reply that was accepted, with the empty verifier that goes with AUTH_NONE
/// and AUTH_SYS.
pub const REPLY_HEADER: usize = 24;

/// What the header of a call says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallHeader<'a> {
    /// Transaction ID (XID).
    pub xid: u32,
    /// The program.
    pub program: u32,
    /// Its version.
    pub version: u32,
    /// The procedure.
    pub procedure: u32,
    /// Who calls.
    pub credential: &'a Credential,
}

/// Why there are no results.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    /// The reply cannot be read.
    #[error(transparent)]
    Malformed(#[from] Malformed),
    /// What came is a call.
    #[error("a call came in place of the reply")]
    NotAReply,
    /// The reply answers another call.
    #[error("the reply has XID {found:#010x}, the call has {wanted:#010x}")]
    OtherXid {
        /// The XID of the call.
        wanted: u32,
        /// The XID of the reply.
        found: u32,
    },
    /// The server does not have this version of RPC.
    #[error("the server speaks RPC version {low} to {high}")]
    RpcMismatch {
        /// Lowest version.
        low: u32,
        /// Highest version.
        high: u32,
    },
    /// The server does not take the credential.
    #[error("the server refuses the credential: {}", auth_status_name(*.0).unwrap_or("unknown status"))]
    AuthError(u32),
    /// The server did not carry out the call.
    #[error("the server refuses the call: {}{}", accept_status_name(*.status).unwrap_or("unknown status"), range(*.versions))]
    Refused {
        /// The accept status.
        status: u32,
        /// The versions of the program that the server has, with PROG_MISMATCH.
        versions: Option<(u32, u32)>,
    },
}

fn range(versions: Option<(u32, u32)>) -> String {
    versions.map(|(low, high)| format!(", versions {low} to {high}")).unwrap_or_default()
}

/// Begins a call; its arguments are added to what is returned.
///
/// # Errors
/// [`Illegal`] when the credential is.
pub fn begin_call(header: &CallHeader<'_>) -> Result<Builder, Illegal> {
    let call = Call {
        xid: header.xid,
        program: header.program,
        program_version: header.version,
        procedure: header.procedure,
        credential: header.credential.to_auth()?,
        verifier: Auth::default(),
    };
    Ok(Builder::after(|writer| call.emit(writer)))
}

/// The results in the reply to the call with that XID.
///
/// # Errors
/// [`CallError`] when there are none.
pub fn results_of(reply: &[u8], xid: u32) -> Result<Reader<'_>, CallError> {
    let (view, results) = RpcView::parse(reply)?;
    let RpcView::Reply(view) = view else { return Err(CallError::NotAReply) };
    if view.xid != xid {
        return Err(CallError::OtherXid { wanted: xid, found: view.xid });
    }
    match view.body {
        ReplyBody::Accepted { accept_status: 0, .. } => Ok(Reader::new(results)),
        ReplyBody::Accepted { accept_status: status, mismatch: versions, .. } => {
            Err(CallError::Refused { status, versions })
        }
        ReplyBody::RpcMismatch { low, high } => Err(CallError::RpcMismatch { low, high }),
        ReplyBody::AuthError { auth_status } => Err(CallError::AuthError(auth_status)),
    }
}
