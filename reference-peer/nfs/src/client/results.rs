//! Results of successful calls (RFC 1813 section 3.3).

use crate::protocol::{Attributes, BeforeAndAfter, Time};
use crate::rpc::{Builder, Reader};
use crate::v4::operation;
use crate::xdr::{Xdr, xdr};
use crate::{LONGEST_HANDLE, LONGEST_MOUNT_PATH, NFS, Status, VERSION, VERSION_4, procedure};
use warpscope_peer::bug::{Bug, Bugs};
use warpscope_wire::Malformed;
use warpscope_wire::rpc::{ReplyBody, RpcView};

type Read<T> = Result<T, Malformed>;

/// A file handle: opaque, up to 64 bytes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Handle(pub(super) Vec<u8>);

impl Handle {
    /// Creates a handle from these bytes; `None` if there are more than 64.
    pub fn new(bytes: Vec<u8>) -> Option<Self> {
        (bytes.len() <= LONGEST_HANDLE as usize).then_some(Self(bytes))
    }

    /// Returns the bytes of the handle.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }
}

impl Xdr for Handle {
    fn read(reader: &mut Reader<'_>, field: &'static str) -> Read<Self> {
        reader.opaque(field, LONGEST_HANDLE).map(|bytes| Self(bytes.to_vec()))
    }

    fn write(&self, builder: &mut Builder) {
        builder.opaque(&self.0);
    }
}

/// The result of MNT.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mounted {
    /// The handle of the mounted object.
    pub handle: Handle,
    /// The authentication flavors that the server accepts.
    pub flavors: Vec<u32>,
}

impl Mounted {
    pub(super) fn read(reader: &mut Reader<'_>) -> Read<Self> {
        let handle = reader.value("file handle")?;
        let count = reader.word("number of flavors")?;
        // The list grows with the data received, not with the claimed count.
        let flavors = (0..count).map(|_| reader.word("flavor")).collect::<Result<_, _>>()?;
        Ok(Self { handle, flavors })
    }
}

xdr! {
    /// The result of LOOKUP.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Found {
        /// The handle of the object.
        pub handle: Handle = "file handle",
        /// The attributes of the object.
        pub attributes: Option<Attributes> = "attributes follow",
        /// The attributes of the directory.
        pub directory: Option<Attributes> = "attributes follow",
    }

    /// The result of READ.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Data {
        /// Attributes of the file.
        pub attributes: Option<Attributes> = "attributes follow",
        /// The number of bytes read, as the server counts them.
        pub count: u32 = "count",
        /// Whether they reach the end of the file.
        pub end: bool = "end of file",
        /// The data.
        pub data: Vec<u8> = "data",
    }

    /// The result of WRITE.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Written {
        /// The attributes of the file before and after.
        pub file: BeforeAndAfter = "attributes",
        /// The number of bytes written.
        pub count: u32 = "count",
        /// What is on stable storage: 0 nothing, 1 the data, 2 all.
        pub committed: u32 = "committed",
        /// The write verifier. It changes when the server restarts, and uncommitted data may then be lost.
        pub verifier: [u8; 8] = "write verifier",
    }

    /// The result of a procedure that creates an object.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Created {
        /// The handle of the object, if the server returns it.
        pub handle: Option<Handle> = "handle follows",
        /// The attributes of the object.
        pub attributes: Option<Attributes> = "attributes follow",
        /// The attributes of the directory before and after.
        pub directory: BeforeAndAfter = "attributes",
    }

    /// The result of RENAME.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Renamed {
        /// The attributes of the old directory before and after.
        pub from: BeforeAndAfter = "attributes",
        /// The attributes of the new directory before and after.
        pub to: BeforeAndAfter = "attributes",
    }

    /// The result of FSINFO.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Information {
        /// Attributes of the root.
        pub attributes: Option<Attributes> = "attributes follow",
        /// Bytes of a READ: maximum, preferred, suggested multiple.
        pub read: (u32, u32, u32) = "most",
        /// Bytes of a WRITE: maximum, preferred, suggested multiple.
        pub write: (u32, u32, u32) = "most",
        /// Preferred bytes of a READDIR.
        pub directory: u32 = "preferred",
        /// The size of the largest file.
        pub largest_file: u64 = "largest file",
        /// The resolution of times.
        pub time_delta: Time = "time delta",
        /// Properties: 1 hard links, 2 symbolic links, 8 homogeneous, 16 times can be set.
        pub properties: u32 = "properties",
    }
}

/// A name in a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedEntry {
    /// The ID of the object within its file system.
    pub file_id: u64,
    /// The name.
    pub name: Vec<u8>,
    /// The cookie that continues after this entry.
    pub cookie: u64,
    /// Attributes, with READDIRPLUS.
    pub attributes: Option<Attributes>,
    /// The handle, with READDIRPLUS.
    pub handle: Option<Handle>,
}

/// The result of READDIR and READDIRPLUS.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// Attributes of the directory.
    pub directory: Option<Attributes>,
    /// The cookie verifier.
    pub verifier: [u8; 8],
    /// The directory entries.
    pub entries: Vec<ListedEntry>,
    /// Whether these are the last entries.
    pub end: bool,
}

impl Listed {
    pub(super) fn read(reader: &mut Reader<'_>) -> Read<Self> {
        Self::read_entries(reader, false)
    }

    pub(super) fn read_plus(reader: &mut Reader<'_>) -> Read<Self> {
        Self::read_entries(reader, true)
    }

    fn read_entries(reader: &mut Reader<'_>, plus: bool) -> Read<Self> {
        let directory = reader.value("attributes follow")?;
        let verifier = reader.fixed("cookie verifier")?;
        let mut entries = Vec::new();
        while reader.boolean("entry follows")? {
            let file_id = reader.long("file ID")?;
            let name = reader.opaque("name", LONGEST_MOUNT_PATH)?.to_vec();
            let cookie = reader.long("cookie")?;
            let attributes = if plus { reader.value("attributes follow")? } else { None };
            let handle = if plus { reader.value("handle follows")? } else { None };
            entries.push(ListedEntry { file_id, name, cookie, attributes, handle });
        }
        Ok(Self { directory, verifier, entries, end: reader.boolean("end of directory")? })
    }
}

/// Reads the link target that READLINK returns.
pub(super) fn target(reader: &mut Reader<'_>) -> Read<Vec<u8>> {
    let (_, target): (Option<Attributes>, _) = reader.value("link target")?;
    Ok(target)
}

/// Whether the reply to a call has its only eligible result inline: the data of READ, the target of READLINK
/// (RFC 8267 sections 4, 6.1). It must not if a write chunk was offered for it (RFC 8166 section 6.1). Call
/// and reply begin at the XID. Returns false for all other calls.
pub fn result_is_inline(call: &[u8], reply: &[u8], bugs: Bugs) -> bool {
    if bugs.has(Bug::RpcInlineResultTaken) {
        return false;
    }
    let Ok((RpcView::Call(view), _)) = RpcView::parse(call) else { return false };
    let called = (view.program, view.program_version, view.procedure);
    let Ok((RpcView::Reply(view), results)) = RpcView::parse(reply) else { return false };
    let ReplyBody::Accepted { accept_status: 0, .. } = view.body else { return false };
    let mut results = Reader::new(results);
    let length = match called {
        (NFS, VERSION, procedure::READ | procedure::READLINK) => {
            length_of_result(&mut results, called.2 == procedure::READ)
        }
        (NFS, VERSION_4, 1) => length_of_last_result(&mut results),
        _ => return false,
    };
    let Ok(length @ 1..) = length else { return false };
    // Some servers leave the round-up of an item inline when the item goes by a chunk.
    results.rest().len() >= (length as usize).next_multiple_of(4)
}

/// Returns the length of the eligible result of version 3; 0 if the call failed.
fn length_of_result(results: &mut Reader<'_>, reads: bool) -> Read<u32> {
    if results.word("status")? != Status::OK.0 {
        return Ok(0);
    }
    results.value::<Option<Attributes>>("attributes follow")?;
    if reads {
        results.fixed::<8>("count and end")?;
    }
    results.word("length")
}

/// The same for a COMPOUND whose last operation has the result, after SEQUENCE and PUTFH.
fn length_of_last_result(results: &mut Reader<'_>) -> Read<u32> {
    results.word("status")?;
    results.opaque("tag", u32::MAX)?;
    for _ in 0..results.word("number of results")? {
        let (number, status): (u32, u32) = results.value("result")?;
        match number {
            _ if status != Status::OK.0 => return Ok(0),
            operation::SEQUENCE => _ = results.fixed::<36>("result of SEQUENCE")?,
            operation::PUTFH => {}
            operation::READ => {
                results.boolean("end of file")?;
                return results.word("length");
            }
            operation::READLINK => return results.word("length"),
            _ => return Ok(0),
        }
    }
    Ok(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::Client;
    use crate::rpc::Credential;

    /// A READ's reply without attributes, whose data is of this length.
    fn reply(xid: u32, status: u32, length: u32, inline: &[u8]) -> Vec<u8> {
        let words = [xid, 1, 0, 0, 0, 0, status, 0];
        let read = [length, 1, length];
        let words = words.iter().chain(if status == 0 { &read[..] } else { &[] });
        let mut bytes: Vec<u8> = words.flat_map(|word| word.to_be_bytes()).collect();
        bytes.extend_from_slice(inline);
        bytes
    }

    fn is_inline(call: &[u8], reply: &[u8]) -> bool {
        result_is_inline(call, reply, Bugs::NONE)
    }

    #[test]
    fn data_inline_and_data_elsewhere() {
        let mut client = Client::new(7, Credential::None).unwrap();
        let read = client.read(&Handle(vec![1; 8]), 0, 100).call.message.bytes;
        assert!(is_inline(&read, &reply(7, 0, 4, b"data")));
        assert!(!is_inline(&read, &reply(7, 0, 4, b"")), "it went by a chunk");
        assert!(!is_inline(&read, &reply(7, 0, 5, b"\0\0\0")), "all but its round-up");
        assert!(!is_inline(&read, &reply(7, 0, 0, b"")), "there is none");
        assert!(!is_inline(&read, &reply(7, 5, 0, b"")), "the READ failed");
        let other = client.attributes(&Handle(vec![1; 8])).call.message.bytes;
        assert!(!is_inline(&other, &reply(8, 0, 4, b"data")));
        // The bug that takes it is one that a requester's user would not see otherwise.
        let bugs = "rpc-inline-result-taken".parse().unwrap();
        assert!(!result_is_inline(&read, &reply(7, 0, 4, b"data"), bugs));
    }
}
