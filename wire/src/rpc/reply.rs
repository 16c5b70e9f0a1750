//! The header of a reply (RFC 5531 §9).

use super::message::{value, word};
use super::{Auth, AuthView};
use crate::{Illegal, Layer, Malformed, Writer};

const REPLY: u32 = 1;
const ACCEPTED: u32 = 0;
const DENIED: u32 = 1;
const PROG_MISMATCH: u32 = 2;
const RPC_MISMATCH: u32 = 0;
const AUTH_ERROR: u32 = 1;

/// What a reply says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ReplyBody<A> {
    /// Accepted, with a status (0: success, the results follow).
    Accepted {
        /// The verifier.
        verifier: A,
        /// The accept status.
        accept_status: u32,
        /// The lowest and highest program version, with status 2 (PROG_MISMATCH).
        mismatch: Option<(u32, u32)>,
    },
    /// Rejected: the RPC version is not supported; the range that is.
    RpcMismatch {
        /// Lowest RPC version.
        low: u32,
        /// Highest RPC version.
        high: u32,
    },
    /// Rejected: the caller is not authenticated.
    AuthError {
        /// Why.
        auth_status: u32,
    },
}

/// The header of a reply as it stands in a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReplyView<'a> {
    /// Transaction ID (XID).
    pub xid: u32,
    /// What it says.
    pub body: ReplyBody<AuthView<'a>>,
}

impl<'a> ReplyView<'a> {
    pub(super) fn parse(xid: u32, input: &'a [u8]) -> Result<(Self, &'a [u8]), Malformed> {
        let (rest, reply_status) = word("reply status", input)?;
        let (body, rest) = match reply_status {
            ACCEPTED => parse_accepted(rest)?,
            DENIED => parse_denied(rest)?,
            other => return Err(value("reply status", other)),
        };
        Ok((Self { xid, body }, rest))
    }
}

type Parsed<'a> = Result<(ReplyBody<AuthView<'a>>, &'a [u8]), Malformed>;

fn parse_accepted(input: &[u8]) -> Parsed<'_> {
    let (verifier, rest) = AuthView::parse(input)?;
    let (mut rest, accept_status) = word("accept status", rest)?;
    let mut mismatch = None;
    if accept_status == PROG_MISMATCH {
        let (after_low, low) = word("lowest program version", rest)?;
        let (after_high, high) = word("highest program version", after_low)?;
        rest = after_high;
        mismatch = Some((low, high));
    }
    Ok((ReplyBody::Accepted { verifier, accept_status, mismatch }, rest))
}

fn parse_denied(input: &[u8]) -> Parsed<'_> {
    let (rest, reject_status) = word("reject status", input)?;
    match reject_status {
        RPC_MISMATCH => {
            let (rest, low) = word("lowest RPC version", rest)?;
            let (rest, high) = word("highest RPC version", rest)?;
            Ok((ReplyBody::RpcMismatch { low, high }, rest))
        }
        AUTH_ERROR => {
            let (rest, auth_status) = word("authentication status", rest)?;
            Ok((ReplyBody::AuthError { auth_status }, rest))
        }
        other => Err(value("reject status", other)),
    }
}

/// A legal header of a reply.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Reply {
    /// Transaction ID (XID).
    pub xid: u32,
    body: ReplyBody<Auth>,
}

impl Reply {
    /// A reply that says `body`.
    ///
    /// # Errors
    /// [`Illegal`] when a status is undefined, or its version range is missing or out of place.
    pub fn new(xid: u32, body: ReplyBody<Auth>) -> Result<Self, Illegal> {
        let illegal = |field, value: u32| Illegal {
            layer: Layer::Rpc,
            field,
            value: value.into(),
            section: "RFC 5531 section 9",
        };
        match &body {
            ReplyBody::Accepted { accept_status, mismatch, .. } => {
                let ranged = *accept_status == PROG_MISMATCH;
                if accept_status_name(*accept_status).is_none() || ranged != mismatch.is_some() {
                    return Err(illegal("accept status", *accept_status));
                }
            }
            ReplyBody::AuthError { auth_status } if auth_status_name(*auth_status).is_none() => {
                return Err(illegal("authentication status", *auth_status));
            }
            ReplyBody::AuthError { .. } | ReplyBody::RpcMismatch { .. } => {}
        }
        Ok(Self { xid, body })
    }

    /// What it says.
    pub fn body(&self) -> &ReplyBody<Auth> {
        &self.body
    }

    /// Writes the header.
    pub fn emit(&self, writer: &mut Writer<'_>) {
        writer.u32(self.xid).u32(REPLY);
        match &self.body {
            ReplyBody::Accepted { verifier, accept_status, mismatch } => {
                verifier.emit(writer.u32(ACCEPTED));
                writer.u32(*accept_status);
                if let Some((low, high)) = mismatch {
                    writer.u32(*low).u32(*high);
                }
            }
            ReplyBody::RpcMismatch { low, high } => {
                writer.u32(DENIED).u32(RPC_MISMATCH).u32(*low).u32(*high);
            }
            ReplyBody::AuthError { auth_status } => {
                writer.u32(DENIED).u32(AUTH_ERROR).u32(*auth_status);
            }
        }
    }
}

impl TryFrom<ReplyView<'_>> for Reply {
    type Error = Illegal;

    fn try_from(view: ReplyView<'_>) -> Result<Self, Illegal> {
        let body = match view.body {
            ReplyBody::Accepted { verifier, accept_status, mismatch } => {
                ReplyBody::Accepted { verifier: verifier.try_into()?, accept_status, mismatch }
            }
            ReplyBody::RpcMismatch { low, high } => ReplyBody::RpcMismatch { low, high },
            ReplyBody::AuthError { auth_status } => ReplyBody::AuthError { auth_status },
        };
        Self::new(view.xid, body)
    }
}

/// The name of an accept status.
pub fn accept_status_name(status: u32) -> Option<&'static str> {
    ["SUCCESS", "PROG_UNAVAIL", "PROG_MISMATCH", "PROC_UNAVAIL", "GARBAGE_ARGS", "SYSTEM_ERR"]
        .get(status as usize)
        .copied()
}

/// The name of a reject status.
pub fn reject_status_name(status: u32) -> Option<&'static str> {
    ["RPC_MISMATCH", "AUTH_ERROR"].get(status as usize).copied()
}

/// The name of an authentication status.
pub fn auth_status_name(status: u32) -> Option<&'static str> {
    #[rustfmt::skip]
    let names = [
        "AUTH_OK", "AUTH_BADCRED", "AUTH_REJECTEDCRED", "AUTH_BADVERF", "AUTH_REJECTEDVERF",
        "AUTH_TOOWEAK", "AUTH_INVALIDRESP", "AUTH_FAILED", "AUTH_KERB_GENERIC", "AUTH_TIMEEXPIRE",
        "AUTH_TKT_FILE", "AUTH_DECODE", "AUTH_NET_ADDR", "RPCSEC_GSS_CREDPROBLEM",
        "RPCSEC_GSS_CTXPROBLEM",
    ];
    names.get(status as usize).copied()
}
