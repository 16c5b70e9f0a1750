//! RPC-over-RDMA headers and ONC RPC messages.

use super::file::{Fields, Value};
use super::shown::{Emit, Shown, add, fields, writes};
use warpscope_wire::Malformed;
use warpscope_wire::rpc::{AuthView, Call, CallView, Reply, ReplyBody, ReplyView, RpcView};
use warpscope_wire::rpcrdma::{Body, Chunks, Header, HeaderView, Segment, TransportError};

pub(crate) fn rpc_over_rdma(bytes: &[u8]) -> Result<Shown<'_>, Malformed> {
    let (view, payload) = HeaderView::parse(bytes)?;
    let mut fields = fields!(view; xid version credits procedure);
    match &view.body {
        Body::Message(_) | Body::NoMessage(_) | Body::Done => {}
        Body::MessagePadded { align, threshold, .. } => {
            add(&mut fields, "align", *align);
            add(&mut fields, "threshold", *threshold);
        }
        Body::Error(TransportError::Version { low, high }) => {
            add(&mut fields, "error", 1u32);
            add(&mut fields, "version_low", *low);
            add(&mut fields, "version_high", *high);
        }
        Body::Error(TransportError::Chunk) => add(&mut fields, "error", 2u32),
    }
    if let Some(chunks) = view.body.chunks() {
        fields.append(&mut chunk_fields(chunks));
    }
    let covered = view.length;
    let repr = Header::try_from(view).map(|header| {
        assert_eq!(header.length(), covered);
        Box::new(move |buffer: &mut [u8]| header.emit(buffer)) as Emit<'_>
    });
    Ok(Shown { fields, payload, covered, repr })
}

fn chunk_fields(chunks: &Chunks) -> Fields {
    let reads = chunks.reads.iter().map(|read| {
        let mut fields = segment_fields(&read.target);
        add(&mut fields, "position", read.position);
        Value::Map(fields)
    });
    Fields::from([
        ("read_list".into(), Value::List(reads.collect())),
        ("write_list".into(), Value::List(chunks.writes.iter().map(|chunk| list(chunk)).collect())),
        ("reply_chunk".into(), chunks.reply.as_ref().map_or(Value::Null, |chunk| list(chunk))),
    ])
}

fn list(chunk: &[Segment]) -> Value {
    Value::List(chunk.iter().map(|segment| Value::Map(segment_fields(segment))).collect())
}

fn segment_fields(segment: &Segment) -> Fields {
    let mut fields = Fields::new();
    add(&mut fields, "handle", segment.handle);
    add(&mut fields, "length", segment.length);
    add(&mut fields, "offset", segment.offset);
    fields
}

pub(crate) fn rpc(bytes: &[u8]) -> Result<Shown<'_>, Malformed> {
    let (view, payload) = RpcView::parse(bytes)?;
    let mut fields = fields!(view; xid);
    let repr = match view {
        RpcView::Call(call) => {
            call_fields(&mut fields, &call);
            Call::try_from(call).map(|call| writes(move |writer| call.emit(writer)))
        }
        RpcView::Reply(reply) => {
            reply_fields(&mut fields, &reply);
            Reply::try_from(reply).map(|reply| writes(move |writer| reply.emit(writer)))
        }
    };
    Ok(Shown { fields, payload, covered: bytes.len() - payload.len(), repr })
}

fn call_fields(fields: &mut Fields, call: &CallView<'_>) {
    add(fields, "message_type", 0u32);
    add(fields, "rpc_version", call.rpc_version);
    add(fields, "program", call.program);
    add(fields, "program_version", call.program_version);
    add(fields, "rpc_procedure", call.procedure);
    auth_fields(fields, "credential", &call.credential);
    auth_fields(fields, "verifier", &call.verifier);
}

fn auth_fields(fields: &mut Fields, name: &str, auth: &AuthView<'_>) {
    add(fields, &format!("{name}_flavor"), auth.flavor);
    add(fields, &format!("{name}_body"), auth.body);
}

fn reply_fields(fields: &mut Fields, reply: &ReplyView<'_>) {
    add(fields, "message_type", 1u32);
    let (reply_status, mismatch) = match reply.body {
        ReplyBody::Accepted { verifier, accept_status, mismatch } => {
            auth_fields(fields, "verifier", &verifier);
            add(fields, "accept_status", accept_status);
            (0u32, mismatch)
        }
        ReplyBody::RpcMismatch { low, high } => {
            add(fields, "reject_status", 0u32);
            (1, Some((low, high)))
        }
        ReplyBody::AuthError { auth_status } => {
            add(fields, "reject_status", 1u32);
            add(fields, "auth_status", auth_status);
            (1, None)
        }
    };
    add(fields, "reply_status", reply_status);
    if let Some((low, high)) = mismatch {
        add(fields, "mismatch_low", low);
        add(fields, "mismatch_high", high);
    }
}
