//! RPC-over-RDMA messages: transport headers of every procedure, calls and replies behind them.

use crate::Result;
use crate::noise::Noise;
use warpscope_wire::Writer;
use warpscope_wire::rpc::{Auth, Call, Reply, ReplyBody};
use warpscope_wire::rpcrdma::{Body, Chunks, Header, TransportError};

/// The program number of NFS.
const NFS: u32 = 100_003;
const NFS_VERSION: u32 = 3;
const CREDITS: u32 = 32;
const MESSAGE_PADDED: u32 = 2;
const DONE: u32 = 3;

/// An RPC call of NFS version 3.
pub fn call_with(xid: u32, procedure: u32, arguments: &[u8]) -> Vec<u8> {
    let header = Call {
        xid,
        program: NFS,
        program_version: NFS_VERSION,
        procedure,
        credential: Auth::default(),
        verifier: Auth::default(),
    };
    behind(arguments, |writer| header.emit(writer))
}

/// A successful RPC reply.
///
/// # Errors
/// Never in practice: success is a legal status.
pub fn reply_with(xid: u32, results: &[u8]) -> Result<Vec<u8>> {
    let verifier = Auth::default();
    let header =
        Reply::new(xid, ReplyBody::Accepted { verifier, accept_status: 0, mismatch: None })?;
    Ok(behind(results, |writer| header.emit(writer)))
}

/// An RPC call of NFS version 3 with so many made-up bytes in place of arguments.
pub fn call(xid: u32, procedure: u32, arguments: usize) -> Vec<u8> {
    call_with(xid, procedure, &noise(xid, arguments))
}

/// A successful RPC reply with so many made-up bytes in place of results.
///
/// # Errors
/// Never in practice: success is a legal status.
pub fn reply(xid: u32, results: usize) -> Result<Vec<u8>> {
    reply_with(xid, &noise(xid, results))
}

fn noise(xid: u32, bytes: usize) -> Vec<u8> {
    Noise::new(u64::from(xid) << 8).bytes(bytes)
}

/// The bytes behind what a header emits.
fn behind(bytes: &[u8], emit: impl FnOnce(&mut Writer<'_>)) -> Vec<u8> {
    let mut buffer = [0; 128];
    let mut writer = Writer::new(&mut buffer);
    emit(&mut writer);
    [writer.so_far(), bytes].concat()
}

fn emitted(header: &Header) -> Result<Vec<u8>> {
    let mut buffer = vec![0; header.length()];
    header.emit(&mut buffer)?;
    Ok(buffer)
}

/// RDMA_MSG: chunk lists and an RPC message.
///
/// # Errors
/// Never in practice: the credits are not zero.
pub fn message(xid: u32, chunks: Chunks, rpc: &[u8]) -> Result<Vec<u8>> {
    let mut bytes = emitted(&Header::new(xid, CREDITS, Body::Message(chunks))?)?;
    bytes.extend_from_slice(rpc);
    Ok(bytes)
}

/// RDMA_NOMSG: chunk lists alone.
///
/// # Errors
/// When there is no chunk.
pub fn no_message(xid: u32, chunks: Chunks) -> Result<Vec<u8>> {
    emitted(&Header::new(xid, CREDITS, Body::NoMessage(chunks))?)
}

/// RDMA_MSGP, reserved: alignment and threshold stand before the chunk lists.
///
/// # Errors
/// Never in practice: the credits are not zero.
pub fn message_padded(xid: u32, align: u32, threshold: u32, rpc: &[u8]) -> Result<Vec<u8>> {
    let mut bytes = message(xid, Chunks::default(), rpc)?;
    bytes[12..16].copy_from_slice(&MESSAGE_PADDED.to_be_bytes());
    let words = [align.to_be_bytes(), threshold.to_be_bytes()].concat();
    bytes.splice(16..16, words);
    Ok(bytes)
}

/// RDMA_DONE, reserved: the four fixed words.
pub fn done(xid: u32) -> Vec<u8> {
    [xid, 1, CREDITS, DONE].iter().flat_map(|word| word.to_be_bytes()).collect()
}

/// RDMA_ERROR about a header of that version.
///
/// # Errors
/// Never in practice: the buffer is as long as the header.
pub fn error(xid: u32, version: u32, error: TransportError) -> Result<Vec<u8>> {
    emitted(&Header::error(xid, version, CREDITS, error))
}

/// The same message with another version in its transport header.
pub fn with_version(mut bytes: Vec<u8>, version: u32) -> Vec<u8> {
    bytes[4..8].copy_from_slice(&version.to_be_bytes());
    bytes
}
