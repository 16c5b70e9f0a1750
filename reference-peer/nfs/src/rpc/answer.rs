//! From a call to the procedure that carries it out, and to the reply (RFC 5531 section 9).

use super::{Builder, Credential, Reader, RpcMessage};
use warpscope_wire::Malformed;
use warpscope_wire::rpc::{Auth, CallView, MAX_AUTH_BODY, RPC_VERSION, Reply, ReplyBody, RpcView};

const SUCCESS: u32 = 0;
const PROG_UNAVAIL: u32 = 1;
const PROG_MISMATCH: u32 = 2;
const PROC_UNAVAIL: u32 = 3;
const GARBAGE_ARGS: u32 = 4;

const AUTH_BADCRED: u32 = 1;
const AUTH_BADVERF: u32 = 3;

/// What a call asks of a service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcedureCall {
    /// The program.
    pub program: u32,
    /// Its version, one of [`Service::PROGRAMS`].
    pub version: u32,
    /// The procedure.
    pub procedure: u32,
    /// Who asks.
    pub credential: Credential,
}

/// Why a procedure was not carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The program has no such procedure.
    #[error("the program has no such procedure")]
    ProcedureUnavailable,
    /// The arguments are not the procedure's.
    #[error(transparent)]
    GarbageArguments(#[from] Malformed),
}

/// Programs that carry out procedures.
pub trait Service {
    /// The programs and versions that there are.
    const PROGRAMS: &'static [(u32, u32)];

    /// Carries out a procedure: takes its arguments, and adds its results.
    ///
    /// # Errors
    /// [`Refusal`]; results that were added are then dropped.
    fn call(
        &mut self,
        call: &ProcedureCall,
        arguments: &mut Reader<'_>,
        results: &mut Builder,
    ) -> Result<(), Refusal>;
}

/// Answers one call with what `service` does about it. In this order a call is refused for its RPC
/// version, credential, verifier, program, version of the program, procedure and arguments. A header
/// that ends too soon counts as garbage arguments. What is no call at all gets a reply of no bytes.
/// Bytes behind the arguments are not looked at.
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
        // A message of another type was sorted out above.
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
    let call = ProcedureCall { program, version, procedure, credential };
    let mut results = accepted(xid, SUCCESS, None);
    match service.call(&call, &mut Reader::new(arguments), &mut results) {
        Ok(()) => results.finish(),
        Err(Refusal::ProcedureUnavailable) => accepted(xid, PROC_UNAVAIL, None).finish(),
        Err(Refusal::GarbageArguments(_)) => accepted(xid, GARBAGE_ARGS, None).finish(),
    }
}

/// The caller, or the authentication status that refuses it.
fn credential(view: &CallView<'_>) -> Result<Credential, u32> {
    if view.credential.body.len() > MAX_AUTH_BODY {
        return Err(AUTH_BADCRED);
    }
    let credential = Credential::read(&view.credential).ok().flatten().ok_or(AUTH_BADCRED)?;
    // Both flavors go with an empty verifier of AUTH_NONE (RFC 5531 section 10.1, appendix A).
    if view.verifier.flavor != 0 || !view.verifier.body.is_empty() {
        return Err(AUTH_BADVERF);
    }
    Ok(credential)
}

fn accepted(xid: u32, accept_status: u32, mismatch: Option<(u32, u32)>) -> Builder {
    reply(xid, ReplyBody::Accepted { verifier: Auth::default(), accept_status, mismatch })
}

/// A reply with a header that says `body`. All bodies that are made here are legal; an illegal one
/// would leave no bytes, which sends nothing.
fn reply(xid: u32, body: ReplyBody<Auth>) -> Builder {
    Reply::new(xid, body)
        .map_or_else(|_| Builder::default(), |reply| Builder::after(|writer| reply.emit(writer)))
}
