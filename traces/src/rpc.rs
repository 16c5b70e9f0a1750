//! RPC-over-RDMA messages: transport headers of every procedure, calls and replies after them.

use super::Result;
use super::noise::Noise;
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
pub(crate) fn call_with(xid: u32, procedure: u32, arguments: &[u8]) -> Vec<u8> {
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
pub(crate) fn reply_with(xid: u32, results: &[u8]) -> Result<Vec<u8>> {
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

/// The bytes after what a header emits.
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

/// RDMA_MSGP, reserved: alignment and threshold are before the chunk lists.
pub(crate) fn message_padded(xid: u32, align: u32, threshold: u32, rpc: &[u8]) -> Result<Vec<u8>> {
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
pub(crate) fn with_version(mut bytes: Vec<u8>, version: u32) -> Vec<u8> {
    bytes[4..8].copy_from_slice(&version.to_be_bytes());
    bytes
}

// Arguments and results of NFS version 3 in XDR (RFC 1813 section 3.3), all about one file.

/// GETATTR's procedure number.
pub const GETATTR: u32 = 1;
/// READ's procedure number.
pub const READ: u32 = 6;
/// WRITE's procedure number.
pub const WRITE: u32 = 7;

/// Bytes of the header of a call without credentials.
pub(crate) const CALL_HEADER: usize = 40;
/// Bytes of WRITE's arguments in front of the data.
pub const BEFORE_WRITTEN: usize = 56;
/// Bytes of READ's results in front of the data.
pub const BEFORE_READ: usize = 20;

const HANDLE_LENGTH: usize = 32;
const REGULAR_FILE: u32 = 1;
const FILE_LENGTH: u32 = 1 << 20;
const FILE_SYNC: u32 = 2;
/// 2026-01-01 00:00:00 UTC.
const CHANGED: u32 = 1_767_225_600;

fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_be_bytes()).collect()
}

/// The file's handle after its length.
fn handle() -> Vec<u8> {
    [words(&[HANDLE_LENGTH as u32]), Noise::new(0x1813).bytes(HANDLE_LENGTH)].concat()
}

/// Arguments of GETATTR: 36 bytes.
pub fn getattr() -> Vec<u8> {
    handle()
}

/// Results of GETATTR: 88 bytes.
pub(crate) fn getattr_results() -> Vec<u8> {
    words(&[
        0, // NFS3_OK
        REGULAR_FILE,
        0o644,
        1, // links
        1000,
        1000,
        0,
        FILE_LENGTH,
        0,
        FILE_LENGTH, // used
        0,
        0, // no device
        0,
        1, // file system
        0,
        42, // number of the file
        CHANGED,
        0,
        CHANGED,
        0,
        CHANGED,
        0,
    ])
}

/// Arguments of READ: so many bytes from the file's beginning.
pub fn read(count: u32) -> Vec<u8> {
    [handle(), words(&[0, 0, count])].concat()
}

/// Results of READ without attributes, up to and with the length of the data.
pub(crate) fn read_results(count: u32) -> Vec<u8> {
    words(&[0, 0, count, 0, count])
}

/// Arguments of WRITE, up to and with the length of the data.
pub fn write(count: u32) -> Vec<u8> {
    [handle(), words(&[0, 0, count, FILE_SYNC, count])].concat()
}

/// Results of WRITE without attributes: 28 bytes.
pub(crate) fn write_results(count: u32) -> Vec<u8> {
    words(&[0, 0, 0, count, FILE_SYNC, 0x5eed, 0x5eed])
}
