//! Which files the operations of a call concern, and the names that calls and replies give to file handles.

use super::{Body, Datum, Direction, Place, Procedure, Summary, Visit, walk};
use crate::field::Field;
use crate::field::nfs::{common, v3, v4};
use std::collections::HashMap;
use std::{mem, ptr};

/// Number of names kept per connection; if there are twice as many, the older half is forgotten.
const NAMES: usize = 4096;
/// Bytes that a name takes in addition to its own and its handle's.
const PLACE: usize = 2 * size_of::<(Vec<u8>, String)>();

/// The file handles that the operations of a call concern, and names of file handles.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Targets {
    /// The handle that each operation concerns; `None` if call and reply do not say it.
    pub handles: Vec<Option<Vec<u8>>>,
    /// Handles with the names by which they were looked up, opened or created.
    pub names: Vec<(Vec<u8>, String)>,
}

/// Returns what the operations of an NFS call concern, as far as call and reply say it.
pub fn targets(call: &Summary, reply: Option<&Summary>) -> Targets {
    match call.name {
        "COMPOUND" => compound(call, reply),
        _ => single(call, reply),
    }
}

/// Follows version 4's current file handle through a compound (RFC 8881 section 16.2.3.1). The call has
/// the names and the handles of PUTFH, the reply those of GETFH.
fn compound(call: &Summary, reply: Option<&Summary>) -> Targets {
    let mut handles: Vec<Option<Vec<u8>>> = Vec::new();
    let mut names = Vec::new();
    let (mut current, mut saved) = (None, None);
    // Operations since the current handle changed to one that is not yet known.
    let mut unnamed = 0;
    let mut name: Option<String> = None;
    for (index, operation) in call.operations.iter().enumerate() {
        let replied = reply.and_then(|reply| reply.operations.get(index));
        let replied = replied.filter(|it| it.name == operation.name && it.status == Some(0));
        match operation.name {
            "PUTFH" => {
                current = operation.handles.first().cloned();
                (unnamed, name) = (index, None);
            }
            "SAVEFH" => saved = current.clone(),
            "RESTOREFH" => {
                current = saved.clone();
                (unnamed, name) = (index, None);
            }
            // An OPEN by handle has no name, and does not change the current handle (section 18.16.3).
            "OPEN" if operation.names.is_empty() => {}
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
                if let Some(handle) = replied.and_then(|it| it.handles.first()) {
                    current = Some(handle.clone());
                    for earlier in handles.iter_mut().skip(unnamed) {
                        earlier.get_or_insert_with(|| handle.clone());
                    }
                    names.extend(name.take().map(|name| (handle.clone(), name)));
                }
            }
            _ => {}
        }
        handles.push(current.clone());
    }
    Targets { handles, names }
}

/// Handles a procedure of version 3: it concerns its first handle; LOOKUP, CREATE and similar ones name the
/// first handle of the reply (RFC 1813 section 3.3).
fn single(call: &Summary, reply: Option<&Summary>) -> Targets {
    let operation = call.operations.first();
    let about = operation.and_then(|operation| operation.handles.first().cloned());
    let mut names = Vec::new();
    if let (Some(operation), Some(reply)) = (operation, reply)
        && NAMING.contains(&operation.name)
        && reply.status == Some(0)
        && let Some(name) = operation.names.first()
        && let Some(handle) = reply.operations.first().and_then(|it| it.handles.first())
    {
        names.push((handle.clone(), name.clone()));
    }
    Targets { handles: vec![about], names }
}

/// Procedures and operations of a call whose reply may give a handle to the name in the call.
const NAMING: &[&str] = &["LOOKUP", "CREATE", "MKDIR", "SYMLINK", "MKNOD", "OPEN"];
/// Procedures and operations whose reply may contain names with their handles.
const LISTING: &[&str] = &["READDIRPLUS", "READDIR"];

/// Returns the handles and names of the directory entries of a reply that come with handles.
pub fn listed(procedure: &Procedure, body: &Body<'_>) -> Vec<(Vec<u8>, String)> {
    let mut entries = Entries::default();
    // What precedes the place where a body cannot be read is used anyway.
    let _ = walk(procedure, Direction::Reply, body, &mut entries);
    entries.found
}

#[derive(Default)]
struct Entries {
    name: Option<String>,
    found: Vec<(Vec<u8>, String)>,
}

impl Visit for Entries {
    fn value(&mut self, field: &'static Field, datum: Datum<'_>, _: Option<Place>) {
        let is = |other: &'static Field| ptr::eq(field, other);
        match datum {
            Datum::Heading if is(&v3::ENTRY) || is(&v4::ENTRY) => self.name = None,
            Datum::Text(text) if is(&v3::PLUS_NAME) || is(&v4::ENTRY_NAME) => {
                self.name = Some(String::from_utf8_lossy(text).into_owned());
            }
            Datum::Bytes(bytes) if is(&common::HANDLE) && self.found.len() < NAMES => {
                self.found.extend(self.name.take().map(|name| (bytes.to_vec(), name)));
            }
            _ => {}
        }
    }
}

/// The names of file handles, as shown so far by the calls and replies of a connection.
#[derive(Debug, Clone, Default)]
pub struct FileNames {
    recent: HashMap<Vec<u8>, String>,
    older: HashMap<Vec<u8>, String>,
    kept: usize,
}

impl FileNames {
    /// Learns the names that a call and its reply give.
    pub fn learn(&mut self, call: &Summary, reply: &Body<'_>) {
        let any = |names: &[&str]| call.operations.iter().any(|it| names.contains(&it.name));
        if any(NAMING)
            && let Ok(reply) | Err((Some(reply), _)) =
                super::summarise(&call.procedure, Direction::Reply, reply)
        {
            self.take(targets(call, Some(&reply)).names);
        }
        if any(LISTING) {
            self.take(listed(&call.procedure, reply));
        }
    }

    fn take(&mut self, names: Vec<(Vec<u8>, String)>) {
        for (handle, name) in names {
            // Entries for the directory itself and its parent are not names of theirs.
            if matches!(name.as_str(), "." | "..") {
                continue;
            }
            if self.recent.len() >= NAMES {
                self.older = mem::take(&mut self.recent);
                self.kept = self.older.iter().map(bytes).sum();
            }
            self.kept += bytes((&handle, &name));
            if let Some(former) = self.recent.insert(handle, name) {
                self.kept -= former.capacity().min(self.kept);
            }
        }
    }

    /// Returns the last name that was given to a handle.
    pub fn name(&self, handle: &[u8]) -> Option<&str> {
        self.recent.get(handle).or_else(|| self.older.get(handle)).map(String::as_str)
    }

    /// Returns approximately how many bytes are kept.
    pub fn buffered(&self) -> usize {
        self.kept
    }

    /// Forgets all names.
    pub fn release(&mut self) {
        *self = Self::default();
    }
}

fn bytes((handle, name): (&Vec<u8>, &String)) -> usize {
    PLACE + handle.capacity() + name.capacity()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nfs::Operation;

    /// A compound of these operations, each with the handles after its name.
    fn compound(direction: Direction, operations: &str) -> Summary {
        let names = "PUTFH SAVEFH OPEN WRITE GETFH RESTOREFH READ LOOKUP";
        let mut all: Vec<Operation> = Vec::new();
        for word in operations.split(' ') {
            match (names.split(' ').find(|name| *name == word), all.last_mut()) {
                (Some(name), _) => all.push(Operation {
                    name,
                    status: (direction == Direction::Reply).then_some(0),
                    ..Operation::default()
                }),
                (None, last) => last.unwrap().handles.push(word.as_bytes().to_vec()),
            }
        }
        Summary {
            procedure: Procedure::nfs(4, 1),
            direction,
            name: "COMPOUND",
            status: None,
            minor_version: Some(1),
            operations: all,
        }
    }

    fn handle(name: &str) -> Option<Vec<u8>> {
        Some(name.as_bytes().to_vec())
    }

    #[test]
    fn the_current_handle_goes_along_a_compound() {
        let mut call = compound(Direction::Call, "PUTFH 1 SAVEFH OPEN WRITE GETFH RESTOREFH READ");
        let reply = compound(Direction::Reply, "PUTFH SAVEFH OPEN WRITE GETFH 2 RESTOREFH READ");
        call.operations[2].names = vec!["file".to_owned()];
        let found = targets(&call, Some(&reply));
        // The WRITE goes to what was opened, which only the reply names; the READ to what was saved.
        assert_eq!((&found.handles[3], &found.handles[6]), (&handle("2"), &handle("1")));
        assert_eq!(found.names, [(b"2".to_vec(), "file".to_owned())]);
        // Without reply nobody knows what was opened.
        let found = targets(&call, None);
        assert_eq!((&found.handles[3], &found.handles[6]), (&None, &handle("1")));
        assert!(found.names.is_empty());
    }

    /// RFC 8881 section 18.16.3: with CLAIM_FH the current file handle is the file that is opened.
    #[test]
    fn an_open_by_handle_leaves_the_current_handle() {
        let call = compound(Direction::Call, "PUTFH 1 OPEN READ");
        assert_eq!(targets(&call, None).handles[2], handle("1"));
    }

    #[test]
    fn a_handle_that_an_operation_leaves_is_not_given_to_others() {
        let mut call = compound(Direction::Call, "PUTFH 1 LOOKUP READ LOOKUP GETFH");
        let reply = compound(Direction::Reply, "PUTFH 1 LOOKUP READ LOOKUP GETFH 9");
        call.operations[1].names = vec!["one".to_owned()];
        call.operations[3].names = vec!["two".to_owned()];
        let found = targets(&call, Some(&reply));
        // The first LOOKUP's handle is nowhere; 9 is that of the second.
        assert_eq!(found.handles[2], None);
        assert_eq!(found.names, [(b"9".to_vec(), "two".to_owned())]);
    }

    #[test]
    fn names_are_bounded_and_the_last_counts() {
        let mut names = FileNames::default();
        let many = |range: std::ops::Range<usize>| {
            range.map(|n| (n.to_string().into_bytes(), format!("f{n}"))).collect()
        };
        names.take(many(0..1));
        names.take(vec![(b"0".to_vec(), "renamed".to_owned())]);
        assert_eq!(names.name(b"0"), Some("renamed"));
        names.take(many(1..3 * NAMES));
        assert_eq!(names.name(b"0"), None);
        assert_eq!(names.name((3 * NAMES - 1).to_string().as_bytes()), Some("f12287"));
        assert!(names.recent.len() <= NAMES && names.older.len() <= NAMES);
        assert!(names.buffered() < 2 * NAMES * 256, "{}", names.buffered());
        names.release();
        assert_eq!(names.buffered(), 0);
    }
}
