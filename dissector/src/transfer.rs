//! File data moved by NFS, NVMe, SCSI and SMB, collected from requests and answers.

use crate::item::{Item, ItemContext, Sink};
use crate::link::Endpoint;
use crate::nfs::{Body, Direction, Procedure, Summary, handle_hash, listed, summarise, targets};
use crate::ulp::rpc::{RpcItem, RpcKind};
use crate::ulp::{Access, IoItem};
use std::collections::VecDeque;

#[cfg(test)]
mod tests;

/// The most calls without a reply kept, over all connections.
const OPEN: usize = 1 << 14;
/// The most bytes kept of calls without a reply.
const BUFFERED: usize = 64 << 20;

/// The identity of a file: the server's address and its file handle; for protocols other than NFS, what names
/// the namespace, logical unit or file.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileKey {
    /// The server's end; connections to the same address and port are to the same server.
    pub server: Endpoint,
    /// The file handle.
    pub handle: Vec<u8>,
}

impl FileKey {
    /// Returns the CRC-32 of the handle, as shown in lists.
    pub fn hash(&self) -> u32 {
        handle_hash(&self.handle)
    }
}

/// The direction of a transfer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TransferDirection {
    /// To the file.
    Written {
        /// Whether the reply confirms it; false if no reply was captured.
        confirmed: bool,
    },
    /// From the file.
    Read,
}

/// Bytes of a file, moved over the wire.
#[derive(Debug, PartialEq, Eq)]
pub struct Transferred<'a> {
    /// The file.
    pub file: &'a FileKey,
    /// The direction.
    pub way: TransferDirection,
    /// Offset in the file of the first byte.
    pub offset: u64,
    /// The bytes.
    pub bytes: &'a [u8],
}

/// A name used to look up, open or create a file.
#[derive(Debug, PartialEq, Eq)]
pub struct Named<'a> {
    /// The file.
    pub file: &'a FileKey,
    /// The name, without its directory.
    pub name: &'a str,
}

/// Matches calls with replies, and reports what they moved.
#[derive(Debug)]
pub struct Collector<T, N> {
    transferred: T,
    named: N,
    open: VecDeque<(u32, u64, Endpoint, Call)>,
    buffered: usize,
}

impl<T, N> Collector<T, N>
where
    T: FnMut(&Transferred<'_>),
    N: FnMut(&Named<'_>),
{
    /// Creates a collector that calls these with its results: data when the reply has come, in that order.
    pub fn new(transferred: T, named: N) -> Self {
        Self { transferred, named, open: VecDeque::new(), buffered: 0 }
    }

    /// Reports the calls that got no reply. Call it after [`crate::pipeline::Pipeline::finish`].
    pub fn finish(&mut self) {
        while let Some((_, _, server, call)) = self.open.pop_front() {
            self.settle(server, &call, None);
        }
        self.buffered = 0;
    }

    /// Reports what an I/O of a protocol without RPC moved.
    fn io(&mut self, context: &ItemContext<'_>, item: &IoItem<'_>) {
        let io = item.io();
        let (Some(place), false) = (&io.file, io.failed()) else { return };
        let Some(bytes) = item.data() else { return };
        let way = match io.access {
            Some(Access::Read) => TransferDirection::Read,
            Some(Access::Write) => TransferDirection::Written { confirmed: io.completed.is_some() },
            None => return,
        };
        let server = context.connection.ends[io.requester.peer().index()];
        let file = FileKey { server, handle: place.handle.clone() };
        if !place.name.is_empty() {
            (self.named)(&Named { file: &file, name: &place.name });
        }
        let (offset, bytes) = (place.offset, &bytes[..]);
        (self.transferred)(&Transferred { file: &file, way, offset, bytes });
    }

    fn rpc(&mut self, context: &ItemContext<'_>, item: &RpcItem<'_>) {
        let Some(record) = item.call else { return };
        let connection = context.connection.number;
        if item.kind == RpcKind::Call {
            let Some(call) = Call::new(item) else { return };
            let server = context.connection.ends[item.sender.peer().index()];
            self.buffered += call.buffered();
            self.open.push_back((connection, record.exchange, server, call));
            while self.open.len() > OPEN || self.buffered > BUFFERED {
                let Some((_, _, server, call)) = self.open.pop_front() else { break };
                self.buffered -= call.buffered().min(self.buffered);
                self.settle(server, &call, None);
            }
            return;
        }
        let same =
            |open: &(u32, u64, Endpoint, Call)| (open.0, open.1) == (connection, record.exchange);
        let index = self.open.iter().rposition(same);
        let Some((_, _, server, call)) = index.and_then(|index| self.open.remove(index)) else {
            return;
        };
        self.buffered -= call.buffered().min(self.buffered);
        let reply = Reply::new(item);
        // A complete reply without results refuses the call; a truncated one does not say what was done.
        if reply.is_some() || !item.whole {
            self.settle(server, &call, reply.as_ref());
        }
    }

    /// Reports what a call and its reply moved.
    fn settle(&mut self, server: Endpoint, call: &Call, reply: Option<&Reply<'_>>) {
        let targets = targets(&call.summary, reply.map(|reply| &reply.summary));
        let listed = reply.map(|reply| reply.listed.clone()).unwrap_or_default();
        for (handle, name) in targets.names.into_iter().chain(listed) {
            let file = FileKey { server, handle };
            (self.named)(&Named { file: &file, name: &name });
        }
        for asked in &call.asked {
            let Some(Some(handle)) = targets.handles.get(asked.index) else { continue };
            let file = FileKey { server, handle: handle.clone() };
            self.transfer(&file, asked, reply);
        }
    }

    fn transfer(&mut self, file: &FileKey, asked: &Asked, reply: Option<&Reply<'_>>) {
        let Some(reply) = reply else {
            // Nothing says whether it was written.
            if let Some(bytes) = &asked.written {
                let way = TransferDirection::Written { confirmed: false };
                let offset = asked.offset;
                (self.transferred)(&Transferred { file, way, offset, bytes });
            }
            return;
        };
        let operation = reply.summary.operations.get(asked.index);
        let Some(operation) = operation.filter(|operation| operation.status == Some(0)) else {
            return;
        };
        match &asked.written {
            Some(bytes) => {
                // A server may write less than requested (RFC 1813 section 3.3.7).
                let count = operation.count.map_or(bytes.len(), |count| count as usize);
                let bytes = bytes.get(..count).unwrap_or(bytes);
                let (way, offset) = (TransferDirection::Written { confirmed: true }, asked.offset);
                (self.transferred)(&Transferred { file, way, offset, bytes });
            }
            None => {
                for range in &operation.data {
                    // The results of a READ do not say where they belong; those of a READ_PLUS do.
                    let offset = range.file_offset.unwrap_or(asked.offset);
                    let bytes = range.bytes(&reply.body);
                    let way = TransferDirection::Read;
                    (self.transferred)(&Transferred { file, way, offset, bytes });
                }
            }
        }
    }
}

impl<T, N> Sink for Collector<T, N>
where
    T: FnMut(&Transferred<'_>),
    N: FnMut(&Named<'_>),
{
    fn item(&mut self, context: &ItemContext<'_>, item: &Item<'_>) {
        if let Item::Rpc(rpc) | Item::PlainRpc(rpc) = item {
            self.rpc(context, rpc);
        }
        if let Item::Io(item) = item {
            self.io(context, item);
        }
    }
}

// Handles, names and data in one message, for every version.

/// NFS procedures and operations that write or read.
const WRITE: &str = "WRITE";
const READ: &str = "READ";
const READ_PLUS: &str = "READ_PLUS";

/// A transfer requested by a call.
#[derive(Debug, Clone)]
struct Asked {
    /// The index of the operation in its message.
    index: usize,
    /// Offset in the file.
    offset: u64,
    /// The data of a WRITE; `None` for a READ.
    written: Option<Vec<u8>>,
}

/// A call waiting for its reply.
#[derive(Debug, Clone)]
struct Call {
    summary: Summary,
    asked: Vec<Asked>,
}

impl Call {
    /// Reads what an NFS call requests; returns `None` for another program.
    fn new(item: &RpcItem<'_>) -> Option<Self> {
        let (procedure, direction, body) = item.carried()?;
        let summary = read(&procedure, direction, &body)?;
        let mut asked = Vec::new();
        for (index, operation) in summary.operations.iter().enumerate() {
            let offset = operation.offset.unwrap_or(0);
            match operation.name {
                WRITE => {
                    let bytes = operation.data.first().map(|range| range.bytes(&body));
                    let written = Some(bytes.unwrap_or_default().to_vec());
                    asked.push(Asked { index, offset, written });
                }
                READ | READ_PLUS => asked.push(Asked { index, offset, written: None }),
                _ => {}
            }
        }
        Some(Self { summary, asked })
    }

    /// Returns the bytes kept, including itself.
    fn buffered(&self) -> usize {
        let written = self.asked.iter().filter_map(|asked| asked.written.as_ref());
        let asked = self.asked.capacity() * size_of::<Asked>();
        size_of::<Self>()
            + self.summary.buffered()
            + asked
            + written.map(Vec::capacity).sum::<usize>()
    }
}

/// An NFS reply.
struct Reply<'a> {
    summary: Summary,
    body: Body<'a>,
    /// Directory entries that came with their handles.
    listed: Vec<(Vec<u8>, String)>,
}

impl<'a> Reply<'a> {
    /// Reads the results in a reply; returns `None` if there are none that can be parsed.
    fn new(item: &RpcItem<'a>) -> Option<Self> {
        let (procedure, direction, body) = item.carried()?;
        let summary = read(&procedure, direction, &body)?;
        let listing = summary.operations.iter().any(|it| it.entries > 0);
        let listed = if listing { listed(&procedure, &body) } else { Vec::new() };
        Some(Self { summary, body, listed })
    }
}

fn read(procedure: &Procedure, direction: Direction, body: &Body<'_>) -> Option<Summary> {
    if procedure.program != Procedure::NFS {
        return None;
    }
    match summarise(procedure, direction, body) {
        Ok(summary) => Some(summary),
        Err((summary, _)) => summary,
    }
}
