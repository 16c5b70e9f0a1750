//! The current file handle along a compound of NFS version 4 (RFC 8881 section 16.2.3.1).

use super::operations::Hashes;
use crate::nfs::Summary;

/// The handle that each operation of a compound is about, and the names that LOOKUP, OPEN and CREATE
/// give to handles: the call says the names and the handles of PUTFH, the reply those of GETFH.
pub(super) fn targets(call: &Summary, reply: Option<&Summary>) -> Hashes {
    let mut handles: Vec<Option<u32>> = Vec::new();
    let mut names = Vec::new();
    let (mut current, mut saved) = (None, None);
    // Operations since the current handle changed to one that no bytes name yet.
    let mut unnamed = 0;
    let mut name: Option<String> = None;
    for (index, operation) in call.operations.iter().enumerate() {
        let replied = reply.and_then(|reply| reply.operations.get(index));
        let replied = replied.filter(|it| it.name == operation.name && it.status == Some(0));
        match operation.name {
            "PUTFH" => {
                current = operation.handles.first().copied();
                (unnamed, name) = (index, None);
            }
            "SAVEFH" => saved = current,
            "RESTOREFH" => {
                current = saved;
                (unnamed, name) = (index, None);
            }
            "LOOKUP" | "OPEN" | "CREATE" => {
                current = None;
                name = operation.names.first().cloned();
                unnamed = index + 1;
            }
            "LOOKUPP" | "OPENATTR" | "PUTROOTFH" | "PUTPUBFH" => {
                current = None;
                (unnamed, name) = (index + 1, None);
            }
            "GETFH" => {
                if let Some(handle) = replied.and_then(|it| it.handles.first().copied()) {
                    current = Some(handle);
                    for earlier in handles.iter_mut().skip(unnamed) {
                        earlier.get_or_insert(handle);
                    }
                    names.extend(name.take().map(|name| (handle, name)));
                }
            }
            _ => {}
        }
        handles.push(current);
    }
    Hashes { handles, names }
}
