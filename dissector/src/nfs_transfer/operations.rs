//! What one message says of files: handles, names and data, whatever the version.

use super::compound::targets;
use super::handles::Heard;
use crate::nfs::{Body, Direction, Procedure, Summary, summarise};
use crate::rpc::RpcItem;

/// NFS procedures and operations that write and read.
const WRITE: &str = "WRITE";
const READ: &str = "READ";
const READ_PLUS: &str = "READ_PLUS";

/// A transfer that a call asks for.
#[derive(Debug, Clone)]
pub(super) struct Asked {
    /// The place of the operation in its message.
    pub(super) index: usize,
    /// Byte of the file.
    pub(super) offset: u64,
    /// What a WRITE writes; `None` for a READ.
    pub(super) written: Option<Vec<u8>>,
}

/// A call that waits for its reply.
#[derive(Debug, Clone)]
pub(super) struct Call {
    pub(super) summary: Summary,
    pub(super) heard: Heard,
    pub(super) asked: Vec<Asked>,
}

impl Call {
    /// What a call of NFS asks; `None` for another program.
    pub(super) fn new(item: &RpcItem<'_>) -> Option<Self> {
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
        Some(Self { heard: Heard::new(&procedure, direction, &body), summary, asked })
    }

    /// Bytes kept.
    pub(super) fn buffered(&self) -> usize {
        self.asked.iter().filter_map(|asked| asked.written.as_ref()).map(Vec::len).sum()
    }

    /// The handle that each operation is about, and the name that each gives to a handle, as far
    /// as call and reply say them.
    pub(super) fn targets(&self, reply: Option<&Reply<'_>>) -> Targets {
        let summary = reply.map(|reply| &reply.summary);
        let found = if self.summary.name == "COMPOUND" {
            targets(&self.summary, summary)
        } else {
            single(&self.summary, summary)
        };
        let bytes = |hash: u32| {
            let replied = || reply.and_then(|reply| reply.heard.handles.get(&hash));
            self.heard.handles.get(&hash).or_else(replied).cloned()
        };
        Targets {
            handles: found.handles.into_iter().map(|hash| bytes(hash?)).collect(),
            names: found
                .names
                .into_iter()
                .filter_map(|(hash, name)| Some((bytes(hash)?, name)))
                .collect(),
        }
    }
}

/// A reply of NFS.
pub(super) struct Reply<'a> {
    pub(super) summary: Summary,
    pub(super) body: Body<'a>,
    heard: Heard,
}

impl<'a> Reply<'a> {
    /// What a reply says; `None` when there is nothing that can be read.
    pub(super) fn new(item: &RpcItem<'a>) -> Option<Self> {
        let (procedure, direction, body) = item.carried()?;
        let summary = read(&procedure, direction, &body)?;
        let heard = Heard::new(&procedure, direction, &body);
        Some(Self { summary, body, heard })
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

/// Handles by operation, and names given to handles.
#[derive(Debug, Default)]
pub(super) struct Targets {
    pub(super) handles: Vec<Option<Vec<u8>>>,
    pub(super) names: Vec<(Vec<u8>, String)>,
}

/// The same by hashes.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Hashes {
    pub(super) handles: Vec<Option<u32>>,
    pub(super) names: Vec<(u32, String)>,
}

/// A procedure of version 3: its first handle is what it is about, and LOOKUP, CREATE and their like
/// name the first handle of the reply (RFC 1813 section 3.3).
fn single(call: &Summary, reply: Option<&Summary>) -> Hashes {
    let operation = call.operations.first();
    let about = operation.and_then(|operation| operation.handles.first().copied());
    let mut names = Vec::new();
    if let (Some(operation), Some(reply)) = (operation, reply)
        && ["LOOKUP", "CREATE", "MKDIR", "SYMLINK", "MKNOD"].contains(&operation.name)
        && reply.status == Some(0)
        && let Some(name) = operation.names.first()
        && let Some(handle) = reply.operations.first().and_then(|it| it.handles.first())
    {
        names.push((*handle, name.clone()));
    }
    Hashes { handles: vec![about], names }
}
