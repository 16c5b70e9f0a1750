//! ONC RPC without a transport (RFC 5531): messages, answering calls, and making calls.
//!
//! A transport takes calls from the network, passes each to an [`Answer`], and sends back the reply that it
//! returns; or it sends [`OutgoingCall`]s and passes up the replies. Each message lists the items that
//! RPC-over-RDMA may move by chunks: [`RpcMessage::eligible`].
//!
//! A server of programs implements [`Service`], and answers through [`answer_call`]; a client begins its
//! calls with [`begin_call`] and reads replies with [`results_of`]. Both use the XDR of [`Reader`] and
//! [`Builder`] (RFC 4506).

pub(crate) use crate::xdr::value;
pub use crate::xdr::{Builder, Reader};
use std::ops::Range;
use warpscope_wire::rpc::{
    Auth, AuthView, Call, CallView, MAX_AUTH_BODY, RPC_VERSION, Reply, ReplyBody, RpcView,
    accept_status_name, auth_status_name,
};
use warpscope_wire::{Illegal, Layer, Malformed, Writer};

#[cfg(test)]
mod tests;

// From a call to the procedure that carries it out, and on to the reply (RFC 5531 section 9).

const SUCCESS: u32 = 0;
const PROG_UNAVAIL: u32 = 1;
const PROG_MISMATCH: u32 = 2;
const PROC_UNAVAIL: u32 = 3;
const GARBAGE_ARGS: u32 = 4;

const AUTH_BADCRED: u32 = 1;
const AUTH_BADVERF: u32 = 3;

/// The call of a procedure, without its arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcedureCall {
    /// Transaction ID (XID).
    pub xid: u32,
    /// The program.
    pub program: u32,
    /// The version of the program, one of [`Service::PROGRAMS`].
    pub version: u32,
    /// The procedure.
    pub procedure: u32,
    /// The caller's credential.
    pub credential: Credential,
}

/// Why a procedure was not carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The program has no such procedure.
    #[error("the program has no such procedure")]
    ProcedureUnavailable,
    /// The arguments do not match the procedure.
    #[error(transparent)]
    GarbageArguments(#[from] Malformed),
}

/// A service: programs that carry out procedures.
pub trait Service {
    /// The programs and versions that the service has.
    const PROGRAMS: &'static [(u32, u32)];

    /// Carries out a procedure: reads its arguments and adds its results.
    ///
    /// # Errors
    /// [`Refusal`]; any results that were added are then dropped.
    fn call(
        &mut self,
        call: &ProcedureCall,
        arguments: &mut Reader<'_>,
        results: &mut Builder,
    ) -> Result<(), Refusal>;
}

/// Answers one call through `service`. Checks, in this order: RPC version, credential, verifier, program,
/// version of the program, procedure and arguments. A header that ends too soon counts as garbage arguments.
/// A message that is not a call gets a reply of no bytes. Bytes after the arguments are ignored.
pub fn answer_call<S: Service>(service: &mut S, call: &[u8]) -> RpcMessage {
    let mut front = Reader::new(call);
    let (Ok(xid), Ok(0)) = (front.word("xid"), front.word("message type")) else {
        return RpcMessage::default();
    };
    let denied = |body| reply(xid, body).finish();
    if front.word("RPC version").is_ok_and(|version| version != RPC_VERSION) {
        return denied(ReplyBody::RpcMismatch { low: RPC_VERSION, high: RPC_VERSION });
    }
    let (view, arguments) = match RpcView::parse(call) {
        Ok((RpcView::Call(view), arguments)) => (view, arguments),
        // Messages of another type were excluded above.
        Ok((RpcView::Reply(_), _)) => return RpcMessage::default(),
        Err(_) => return accepted(xid, GARBAGE_ARGS, None).finish(),
    };
    let credential = match credential(&view) {
        Ok(credential) => credential,
        Err(auth_status) => return denied(ReplyBody::AuthError { auth_status }),
    };
    let versions = || {
        let of_program = S::PROGRAMS.iter().filter(|(program, _)| *program == view.program);
        of_program.map(|(_, version)| *version)
    };
    let (Some(low), Some(high)) = (versions().min(), versions().max()) else {
        return accepted(xid, PROG_UNAVAIL, None).finish();
    };
    if !versions().any(|version| version == view.program_version) {
        return accepted(xid, PROG_MISMATCH, Some((low, high))).finish();
    }
    let (program, version, procedure) = (view.program, view.program_version, view.procedure);
    let call = ProcedureCall { xid, program, version, procedure, credential };
    let mut results = accepted(xid, SUCCESS, None);
    match service.call(&call, &mut Reader::new(arguments), &mut results) {
        Ok(()) => results.finish(),
        Err(Refusal::ProcedureUnavailable) => accepted(xid, PROC_UNAVAIL, None).finish(),
        Err(Refusal::GarbageArguments(_)) => accepted(xid, GARBAGE_ARGS, None).finish(),
    }
}

/// Returns the caller's credential, or the authentication status that refuses it.
fn credential(view: &CallView<'_>) -> Result<Credential, u32> {
    if view.credential.body.len() > MAX_AUTH_BODY {
        return Err(AUTH_BADCRED);
    }
    let credential = Credential::read(&view.credential).ok().flatten().ok_or(AUTH_BADCRED)?;
    // Both flavors require an empty verifier of AUTH_NONE (RFC 5531 section 10.1, appendix A).
    if view.verifier.flavor != 0 || !view.verifier.body.is_empty() {
        return Err(AUTH_BADVERF);
    }
    Ok(credential)
}

fn accepted(xid: u32, accept_status: u32, mismatch: Option<(u32, u32)>) -> Builder {
    reply(xid, ReplyBody::Accepted { verifier: Auth::default(), accept_status, mismatch })
}

/// Builds a reply with a header that has `body`. All bodies that are made here are legal; an illegal one
/// would leave no bytes, so nothing would be sent.
fn reply(xid: u32, body: ReplyBody<Auth>) -> Builder {
    Reply::new(xid, body)
        .map_or_else(|_| Builder::default(), |reply| Builder::after(|writer| reply.emit(writer)))
}

// The caller's side: the header of a call, and the header of its reply (RFC 5531 section 9).

/// Length in bytes of the header of an accepted reply with an empty verifier. A server may return a longer one of
/// AUTH_SHORT to a call of AUTH_SYS (RFC 5531 appendix A); there is no room for it.
pub const REPLY_HEADER: usize = 24;

/// The header of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallHeader<'a> {
    /// Transaction ID (XID).
    pub xid: u32,
    /// The program.
    pub program: u32,
    /// The version of the program.
    pub version: u32,
    /// The procedure.
    pub procedure: u32,
    /// The caller's credential.
    pub credential: &'a Credential,
}

/// Why a call has no results.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    /// The reply cannot be parsed.
    #[error(transparent)]
    Malformed(#[from] Malformed),
    /// The message is a call.
    #[error("a call arrived instead of the reply")]
    NotAReply,
    /// The reply answers another call.
    #[error("the reply has XID {found:#010x}, the call has {wanted:#010x}")]
    OtherXid {
        /// The XID of the call.
        wanted: u32,
        /// The XID of the reply.
        found: u32,
    },
    /// The server does not support this version of RPC.
    #[error("the server speaks RPC version {low} to {high}")]
    RpcMismatch {
        /// Lowest version.
        low: u32,
        /// Highest version.
        high: u32,
    },
    /// The server does not accept the credential.
    #[error("the server refuses the credential: {}", auth_status_name(*.0).unwrap_or("unknown status"))]
    AuthError(u32),
    /// The server did not carry out the call.
    #[error("the server refuses the call: {}{}", accept_status_name(*.status).unwrap_or("unknown status"), range(*.versions))]
    Refused {
        /// The accept status.
        status: u32,
        /// The versions of the program that the server supports, with PROG_MISMATCH.
        versions: Option<(u32, u32)>,
    },
}

fn range(versions: Option<(u32, u32)>) -> String {
    versions.map(|(low, high)| format!(", versions {low} to {high}")).unwrap_or_default()
}

/// Begins a call; the caller adds the arguments to the returned builder.
///
/// # Errors
/// [`Illegal`] if the credential is illegal.
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

/// Returns the results in the reply to the call with this XID.
///
/// # Errors
/// [`CallError`] if there are none.
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

// The caller's identity: none, or a user of a system (RFC 5531 sections 10.1 and appendix A).

/// The flavor of [`Credential::None`], and of all verifiers here.
const AUTH_NONE: u32 = 0;
/// The flavor of [`Credential::Sys`].
const AUTH_SYS: u32 = 1;
/// The flavors that are accepted, with the one that clients look for first.
pub(crate) const FLAVORS: [u32; 2] = [AUTH_SYS, AUTH_NONE];
/// The longest machine name in bytes.
const LONGEST_MACHINE_NAME: usize = 255;
/// The most groups in addition to the first.
const MOST_GROUPS: usize = 16;

/// The identity that a caller claims.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Credential {
    /// AUTH_NONE: no identity.
    #[default]
    None,
    /// AUTH_SYS: a user, which is not authenticated.
    Sys(AuthSys),
}

/// A user as AUTH_SYS identifies it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AuthSys {
    /// An arbitrary number from the caller's machine.
    pub stamp: u32,
    /// The name of the caller's machine, up to 255 bytes.
    pub machine_name: Vec<u8>,
    /// User ID.
    pub user: u32,
    /// Group ID.
    pub group: u32,
    /// Supplementary group IDs, up to 16.
    pub groups: Vec<u32>,
}

impl Credential {
    /// Reads a credential; `None` if its flavor is neither AUTH_NONE nor AUTH_SYS.
    ///
    /// # Errors
    /// [`Malformed`] if the body does not match the flavor.
    fn read(view: &AuthView<'_>) -> Result<Option<Self>, Malformed> {
        match view.flavor {
            AUTH_NONE => Ok(Some(Self::None)),
            AUTH_SYS => Ok(Some(Self::Sys(AuthSys::read(&mut Reader::new(view.body))?))),
            _ => Ok(None),
        }
    }

    /// Returns the credential for a header.
    ///
    /// # Errors
    /// [`Illegal`] if the machine name has over 255 bytes, or there are over 16 further groups.
    pub(crate) fn to_auth(&self) -> Result<Auth, Illegal> {
        match self {
            Self::None => Ok(Auth::default()),
            Self::Sys(user) => user.to_auth(),
        }
    }
}

impl AuthSys {
    pub(crate) fn read(body: &mut Reader<'_>) -> Result<Self, Malformed> {
        let stamp = body.word("stamp")?;
        let machine_name = body.opaque("machine name", LONGEST_MACHINE_NAME as u32)?.to_vec();
        let user = body.word("user")?;
        let group = body.word("group")?;
        let count = body.word("number of groups")?;
        if count as usize > MOST_GROUPS {
            return Err(value("number of groups", count));
        }
        let groups = (0..count).map(|_| body.word("group")).collect::<Result<_, _>>()?;
        Ok(Self { stamp, machine_name, user, group, groups })
    }

    fn to_auth(&self) -> Result<Auth, Illegal> {
        let illegal = |field, value| {
            let section = "RFC 5531 appendix A";
            Illegal { layer: Layer::Rpc, field, value, section }
        };
        let (name, groups) = (self.machine_name.as_slice(), &self.groups);
        if name.len() > LONGEST_MACHINE_NAME {
            return Err(illegal("machine name", name.len() as u64));
        }
        if groups.len() > MOST_GROUPS {
            return Err(illegal("number of groups", groups.len() as u64));
        }
        let mut buffer = [0; MAX_AUTH_BODY];
        let mut writer = Writer::new(&mut buffer);
        writer.u32(self.stamp).u32(name.len() as u32).bytes(name);
        writer.zeros(name.len().next_multiple_of(4) - name.len());
        writer.u32(self.user).u32(self.group).u32(groups.len() as u32);
        for group in groups {
            writer.u32(*group);
        }
        Auth::new(AUTH_SYS, writer.so_far())
    }
}

// What a transport and the programs above it pass to each other.

/// An RPC message, call or reply, in XDR, with the items in it that a transport may move by chunks: the
/// DDP-eligible ones (RFC 8166 section 6.1).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RpcMessage {
    /// The complete message from the XID on, with eligible items and their XDR round-up included.
    pub bytes: Vec<u8>,
    /// The ranges of the eligible items in `bytes`, in ascending order and not overlapping. They cover the
    /// opaque bytes only, without the length word before or the round-up after them. In a call each may
    /// become a read chunk at the position of its start; in a reply the first belongs in the first write
    /// chunk of the call, the second in the second.
    pub eligible: Vec<Range<usize>>,
}

impl RpcMessage {
    /// Creates a message without eligible items.
    pub fn plain(bytes: Vec<u8>) -> Self {
        Self { bytes, eligible: Vec::new() }
    }

    /// Returns the XID, if there is one.
    pub fn xid(&self) -> Option<u32> {
        self.bytes.first_chunk().map(|bytes| u32::from_be_bytes(*bytes))
    }
}

/// A service that answers calls.
pub trait Answer {
    /// Answers one call: the complete RPC message from the XID on, with the content of chunks put back in its
    /// place. The reply is complete too. A reply of no bytes means that nothing must be sent: the message is
    /// not a call, or is too short to be one.
    fn answer(&mut self, call: &[u8]) -> RpcMessage;

    /// Whether the bytes at `item` of a call may have come by a read chunk: the binding of the called program
    /// lists them as eligible (RFC 8166 section 6.1). By default everything may.
    fn may_take_out(&self, call: &[u8], item: Range<usize>) -> bool {
        let _ = (call, item);
        true
    }

    /// Answers a call from a stream on which calls can be made too: see [`Self::backward`].
    fn answer_on(&mut self, stream: u64, call: &[u8]) -> RpcMessage {
        let _ = stream;
        self.answer(call)
    }

    /// Returns the next call to make on a stream, in the backward direction (RFC 8167).
    fn backward(&mut self) -> Option<(u64, OutgoingCall)> {
        None
    }

    /// Reports the outcome of each call of [`Self::backward`], in order: the reply, or `None`.
    fn replied(&mut self, stream: u64, reply: Option<&[u8]>) {
        let _ = (stream, reply);
    }

    /// Reports that a stream is closed.
    fn gone(&mut self, stream: u64) {
        let _ = stream;
    }
}

/// A call that a client wants to make.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OutgoingCall {
    /// The call, with its eligible arguments.
    pub message: RpcMessage,
    /// The most bytes of each eligible item of the reply, in order, without round-up: one write chunk may be
    /// offered for each. Empty if no result is eligible.
    pub result_room: Vec<u32>,
    /// The most bytes of the complete reply: RPC header, eligible items and round-up included. If it does not
    /// fit inline, the call offers write chunks or a reply chunk.
    pub longest_reply: usize,
}

impl OutgoingCall {
    /// Returns the most bytes that the reply may have when all its eligible items and their round-up go by
    /// write chunks.
    pub fn longest_reduced_reply(&self) -> usize {
        let moved = |room: &u32| (*room as usize).next_multiple_of(4);
        self.longest_reply.saturating_sub(self.result_room.iter().map(moved).sum())
    }
}

impl Builder {
    /// Returns the finished message.
    pub fn finish(self) -> RpcMessage {
        RpcMessage { bytes: self.bytes, eligible: self.eligible }
    }
}
