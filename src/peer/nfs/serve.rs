//! The service: a folder, over RPC-over-RDMA, and over plain TCP where that is asked for.

use super::plain;
use crate::peer::services::Given;
use anyhow::{Context as _, Result, bail};
use std::net::SocketAddr;
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use warpscope_nfs::Rpc;
use warpscope_nfs::rpc::{Answer, RpcMessage};
use warpscope_nfs::rpcrdma::RpcRdmaConfig;
use warpscope_nfs::{ExportOptions, Server};
use warpscope_peer::service::Service;
use warpscope_wire::mpa::RdmaPrivateData;

/// Bytes of a call beside its data: more than the longest header and the longest names take.
pub(super) const BESIDE_DATA: u32 = 64 * 1024;
/// The most bytes of data that one call may have.
const MOST_DATA: u32 = 64 << 20;
/// The most calls that are taken at once.
const MOST_CREDITS: u32 = 65_536;

/// Options: name, default, meaning.
pub(crate) const OPTIONS: &[(&str, &str, &str)] = &[
    ("export", "", "the folder to serve: it must be named"),
    ("read-only", "false", "true refuses all changes"),
    ("tcp", "", "ADDRESS:PORT to answer at over plain TCP too, for the MOUNT of Linux"),
    ("data", "1048576", "bytes of a READ or WRITE at most, a multiple of 4096"),
    ("credits", "32", "calls taken at once on each stream"),
    ("inline", "4096", "bytes of the longest message sent or taken inline, a multiple of 1024"),
    ("private-data", "true", "false sends no private data of RFC 8797"),
    ("invalidation", "true", "false has replies invalidate no Steering Tags"),
];

/// The server, for all that answer with it.
#[derive(Debug, Clone)]
pub(super) struct Shared(Arc<Mutex<Server>>);

impl Shared {
    /// A server that failed amid a call holds nothing that is half done: go on with it.
    fn server(&self) -> MutexGuard<'_, Server> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Answer for Shared {
    fn answer(&mut self, call: &[u8]) -> RpcMessage {
        self.server().answer(call)
    }

    fn may_take_out(&self, call: &[u8], item: Range<usize>) -> bool {
        self.server().may_take_out(call, item)
    }
}

/// The service with its options.
///
/// # Errors
/// When an option's value cannot be had, or the folder cannot be exported.
pub(crate) fn build(given: &Given<'_>) -> Result<Box<dyn Service>> {
    if given.initiator {
        bail!(
            "-s nfs serves files, and serves them where it listens; to work with those of a server: \
             `warpscope peer nfs HOST:PORT ls`"
        );
    }
    let folder = given.text("export");
    if folder.is_empty() {
        bail!("-s nfs needs a folder to serve: -o export=FOLDER");
    }
    let most_data: u32 = given.value("data")?;
    if most_data == 0 || most_data > MOST_DATA || !most_data.is_multiple_of(4096) {
        bail!("-o data={most_data}: give a multiple of 4096, up to {MOST_DATA}");
    }
    let options = ExportOptions {
        read_only: given.value("read-only")?,
        key: rand::random(),
        write_verifier: rand::random(),
        most_data,
    };
    let server = Server::new(Path::new(folder), options)?;
    let shared = Shared(Arc::new(Mutex::new(server)));
    let credits: u32 = given.value("credits")?;
    if credits == 0 || credits > MOST_CREDITS {
        bail!("-o credits={credits}: give 1 to {MOST_CREDITS}");
    }
    let longest = inline("-o inline=", given.value("inline")?)?;
    let config = RpcRdmaConfig {
        send_size: longest,
        receive_size: longest,
        private_data: given.value("private-data")?,
        remote_invalidation: given.value("invalidation")?,
        longest_call: most_data + BESIDE_DATA,
        ..RpcRdmaConfig::server(credits)
    };
    let plain = given.text("tcp");
    if !plain.is_empty() {
        let address: SocketAddr = given.value("tcp")?;
        let most = (most_data + BESIDE_DATA) as usize;
        let bound = plain::listen(address, &shared, most)
            .with_context(|| format!("-o tcp={plain}: cannot listen there; try another port"))?;
        given.note(format!("listening at {bound}: nfs and mount over plain TCP"));
    }
    Ok(Box::new(Rpc::new(shared, config, RpcRdmaConfig::client(0))))
}

/// An inline threshold, if private data can say it (RFC 8797 section 4).
///
/// # Errors
/// When it cannot.
pub(super) fn inline(flag: &str, bytes: u32) -> Result<u32> {
    if RdmaPrivateData::new(false, bytes, bytes).is_err() {
        bail!("{flag}{bytes}: give a multiple of 1024, from 1024 to 262144");
    }
    Ok(bytes)
}
