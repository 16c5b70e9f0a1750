//! ONC RPC version 2: the headers of calls and replies (RFC 5531 §9).

use crate::figure::{Parsed, finish, no_layout, take};
use crate::{Illegal, Layer, Malformed, Writer, figure};
use nom::Parser;
use nom::combinator::cond;

// Credentials and verifiers: a flavor and up to 400 bytes (RFC 5531 §8.2).

/// The greatest length of the body of a credential or verifier, in bytes.
pub const MAX_AUTH_BODY: usize = 400;

/// A credential or verifier as it appears in a header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AuthView<'a> {
    /// The flavor.
    pub flavor: u32,
    /// The body, without XDR's round-up bytes.
    pub body: &'a [u8],
    /// XDR's round-up bytes, up to three.
    pub padding: &'a [u8],
}

impl<'a> AuthView<'a> {
    fn parse(input: &'a [u8]) -> Parsed<'a, Self> {
        let (input, (flavor, length)) =
            (word("authentication flavor"), word("authentication length")).parse(input)?;
        let length = length as usize;
        let padded = length.checked_next_multiple_of(4).unwrap_or(usize::MAX);
        let (input, body) = take(Layer::Rpc, "authentication body", padded)(input)?;
        let (body, padding) = body.split_at(length);
        Ok((input, Self { flavor, body, padding }))
    }

    /// Returns its length in the header, in bytes.
    pub fn length(&self) -> usize {
        8 + self.body.len() + self.padding.len()
    }
}

/// A legal credential or verifier.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Auth {
    /// The flavor.
    pub flavor: u32,
    body: Vec<u8>,
}

impl Auth {
    /// Creates a credential or verifier with this body.
    ///
    /// # Errors
    /// [`Illegal`] when the body is over 400 bytes.
    pub fn new(flavor: u32, body: &[u8]) -> Result<Self, Illegal> {
        if body.len() > MAX_AUTH_BODY {
            return Err(Illegal::new(
                Layer::Rpc,
                "authentication length",
                body.len() as u64,
                "RFC 5531 section 8.2",
            ));
        }
        Ok(Self { flavor, body: body.to_vec() })
    }

    fn emit(&self, writer: &mut Writer<'_>) {
        let padding = self.body.len().next_multiple_of(4) - self.body.len();
        writer.u32(self.flavor).u32(self.body.len() as u32).bytes(&self.body).zeros(padding);
    }
}

impl TryFrom<AuthView<'_>> for Auth {
    type Error = Illegal;

    /// Refuses round-up bytes that are not zero, and a body that is too long.
    fn try_from(view: AuthView<'_>) -> Result<Self, Illegal> {
        if view.padding.iter().any(|byte| *byte != 0) {
            return Err(Illegal::new(
                Layer::Rpc,
                "authentication padding",
                view.padding.len() as u64,
                "RFC 4506 section 4.10",
            ));
        }
        Self::new(view.flavor, view.body)
    }
}

// The header of a call (RFC 5531 §9).

/// The RPC version of this module.
pub const RPC_VERSION: u32 = 2;
const CALL: u32 = 0;

/// The header of a call as it appears in a message.
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
    fn parse(xid: u32, input: &'a [u8]) -> Parsed<'a, Self> {
        let (input, (rpc_version, program, program_version, procedure)) =
            (word("RPC version"), word("program"), word("program version"), word("procedure"))
                .parse(input)?;
        let (input, (credential, verifier)) = (AuthView::parse, AuthView::parse).parse(input)?;
        let view =
            Self { xid, rpc_version, program, program_version, procedure, credential, verifier };
        Ok((input, view))
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
            return Err(Illegal::new(
                Layer::Rpc,
                "RPC version",
                view.rpc_version,
                "RFC 5531 section 9",
            ));
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

// The header of a reply (RFC 5531 §9).

const REPLY: u32 = 1;
const ACCEPTED: u32 = 0;
const DENIED: u32 = 1;
const PROG_MISMATCH: u32 = 2;
const RPC_MISMATCH: u32 = 0;
const AUTH_ERROR: u32 = 1;

/// The contents of a reply.
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
    /// Rejected: the RPC version is not supported; gives the supported range.
    RpcMismatch {
        /// Lowest RPC version.
        low: u32,
        /// Highest RPC version.
        high: u32,
    },
    /// Rejected: the caller is not authenticated.
    AuthError {
        /// The reason (`auth_stat`, RFC 5531 section 9).
        auth_status: u32,
    },
}

/// The header of a reply as it appears in a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReplyView<'a> {
    /// Transaction ID (XID).
    pub xid: u32,
    /// Its contents.
    pub body: ReplyBody<AuthView<'a>>,
}

impl<'a> ReplyView<'a> {
    fn parse(xid: u32, input: &'a [u8]) -> Parsed<'a, Self> {
        let (input, reply_status) = word("reply status")(input)?;
        let (input, body) = match reply_status {
            ACCEPTED => accepted(input)?,
            DENIED => denied(input)?,
            other => return no_layout(Layer::Rpc, "reply status", other),
        };
        Ok((input, Self { xid, body }))
    }
}

fn accepted(input: &[u8]) -> Parsed<'_, ReplyBody<AuthView<'_>>> {
    let (input, (verifier, accept_status)) =
        (AuthView::parse, word("accept status")).parse(input)?;
    let versions = (word("lowest program version"), word("highest program version"));
    let (input, mismatch) = cond(accept_status == PROG_MISMATCH, versions).parse(input)?;
    Ok((input, ReplyBody::Accepted { verifier, accept_status, mismatch }))
}

fn denied(input: &[u8]) -> Parsed<'_, ReplyBody<AuthView<'_>>> {
    let (input, reject_status) = word("reject status")(input)?;
    match reject_status {
        RPC_MISMATCH => (word("lowest RPC version"), word("highest RPC version"))
            .map(|(low, high)| ReplyBody::RpcMismatch { low, high })
            .parse(input),
        AUTH_ERROR => word("authentication status")
            .map(|auth_status| ReplyBody::AuthError { auth_status })
            .parse(input),
        other => no_layout(Layer::Rpc, "reject status", other),
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
    /// Creates a reply with this body.
    ///
    /// # Errors
    /// [`Illegal`] when a status is undefined, or its version range is missing or out of place.
    pub fn new(xid: u32, body: ReplyBody<Auth>) -> Result<Self, Illegal> {
        let illegal =
            |field, value: u32| Illegal::new(Layer::Rpc, field, value, "RFC 5531 section 9");
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

/// Returns the name of an accept status.
pub fn accept_status_name(status: u32) -> Option<&'static str> {
    ["SUCCESS", "PROG_UNAVAIL", "PROG_MISMATCH", "PROC_UNAVAIL", "GARBAGE_ARGS", "SYSTEM_ERR"]
        .get(status as usize)
        .copied()
}

/// Returns the name of an authentication status.
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

/// A call or a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RpcView<'a> {
    /// A call.
    Call(CallView<'a>),
    /// A reply.
    Reply(ReplyView<'a>),
}

impl<'a> RpcView<'a> {
    /// Reads the header of an RPC message; returns it and the procedure's arguments or results.
    ///
    /// # Errors
    /// [`Malformed`] when the header is incomplete, or a discriminator has a value that selects no
    /// layout.
    pub fn parse(input: &'a [u8]) -> Result<(Self, &'a [u8]), Malformed> {
        finish(Self::message(input))
    }

    fn message(input: &'a [u8]) -> Parsed<'a, Self> {
        let (input, (xid, message_type)) = (word("xid"), word("message type")).parse(input)?;
        match message_type {
            CALL => CallView::parse(xid, input).map(|(rest, view)| (rest, Self::Call(view))),
            REPLY => ReplyView::parse(xid, input).map(|(rest, view)| (rest, Self::Reply(view))),
            other => no_layout(Layer::Rpc, "message type", other),
        }
    }

    /// Transaction ID (XID).
    pub fn xid(&self) -> u32 {
        match self {
            Self::Call(view) => view.xid,
            Self::Reply(view) => view.xid,
        }
    }
}

/// Returns a parser for a 32-bit word; an error names `field`.
fn word<'a>(field: &'static str) -> impl Fn(&'a [u8]) -> Parsed<'a, u32> {
    figure::word(Layer::Rpc, field)
}
