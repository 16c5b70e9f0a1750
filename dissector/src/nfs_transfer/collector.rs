//! A sink that tells what was written to files and read from them.

use super::operations::{Asked, Call, Reply};
use crate::link::Endpoint;
use crate::nfs::handle_hash;
use crate::pipeline::{Item, ItemContext, PacketItem, Sink};
use crate::rpc::{RpcItem, RpcKind};
use std::collections::VecDeque;

/// Calls without a reply that are kept, over all connections.
const OPEN: usize = 1 << 14;
/// Bytes of WRITEs without a reply that are kept.
const BUFFERED: usize = 256 << 20;

/// A file: the server's address and the file handle that it gave.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileKey {
    /// The server's end; connections to one address and port are to one server.
    pub server: Endpoint,
    /// The file handle.
    pub handle: Vec<u8>,
}

impl FileKey {
    /// CRC-32 of the handle, as lists show it.
    pub fn hash(&self) -> u32 {
        handle_hash(&self.handle)
    }
}

/// Which way bytes went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Way {
    /// To the file.
    Written {
        /// Whether the reply says so; false when no reply was captured.
        confirmed: bool,
    },
    /// From the file.
    Read,
}

/// Bytes of a file that went over the wire.
#[derive(Debug, PartialEq, Eq)]
pub struct Transferred<'a> {
    /// The file.
    pub file: &'a FileKey,
    /// Which way.
    pub way: Way,
    /// Byte of the file that the first one is.
    pub offset: u64,
    /// The bytes.
    pub bytes: &'a [u8],
}

/// A name that a file was looked up, opened or created by.
#[derive(Debug, PartialEq, Eq)]
pub struct Named<'a> {
    /// The file.
    pub file: &'a FileKey,
    /// The name, without its directory.
    pub name: &'a str,
}

/// Puts calls and replies together, and hands on what they moved.
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
    /// A collector that calls these with what it finds: data when the reply has come, in that order.
    pub fn new(transferred: T, named: N) -> Self {
        Self { transferred, named, open: VecDeque::new(), buffered: 0 }
    }

    /// Tells of the calls that got no reply. Call it after [`crate::pipeline::Pipeline::finish`].
    pub fn finish(&mut self) {
        while let Some((_, _, server, call)) = self.open.pop_front() {
            self.settle(server, &call, None);
        }
        self.buffered = 0;
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
        // A whole reply without results refuses the call; one that was cut does not say what was done.
        if reply.is_some() || !item.whole {
            self.settle(server, &call, reply.as_ref());
        }
    }

    /// Tells what a call and its reply moved.
    fn settle(&mut self, server: Endpoint, call: &Call, reply: Option<&Reply<'_>>) {
        let targets = call.targets(reply);
        for (handle, name) in targets.names {
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
            // Nobody says that it was written, and nobody that it was not.
            if let Some(bytes) = &asked.written {
                let way = Way::Written { confirmed: false };
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
                // A server may write less than it was asked to (RFC 1813 section 3.3.7).
                let count = operation.count.map_or(bytes.len(), |count| count as usize);
                let bytes = bytes.get(..count).unwrap_or(bytes);
                let (way, offset) = (Way::Written { confirmed: true }, asked.offset);
                (self.transferred)(&Transferred { file, way, offset, bytes });
            }
            None => {
                for range in &operation.data {
                    // A READ's results do not say where they belong; those of a READ_PLUS do.
                    let offset = range.file_offset.unwrap_or(asked.offset);
                    let bytes = range.bytes(&reply.body);
                    let way = Way::Read;
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
    fn packet(&mut self, _packet: &PacketItem<'_>) {}

    fn item(&mut self, context: &ItemContext<'_>, item: &Item<'_>) {
        if let Item::Rpc(rpc) | Item::PlainRpc(rpc) = item {
            self.rpc(context, rpc);
        }
    }
}
