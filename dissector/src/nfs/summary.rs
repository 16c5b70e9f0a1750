//! What a list, statistics, matching and exports need of a message, without a tree.

use super::{Body, Datum, Direction, Place, Procedure, Unreadable, Visit, Within, walk};
use crate::field::Field;
use crate::field::mount;
use crate::field::nfs::{common, names, v3, v4};
use std::ptr;

/// The most names, handles and data ranges of an operation that are kept; a message may hold more.
const MOST_KEPT: usize = 64;
/// The most operations that are kept.
const MOST_OPERATIONS: usize = 1024;
/// The most bytes of a name that are kept.
const LONGEST_NAME: usize = 255;

/// A message in short.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// The procedure.
    pub procedure: Procedure,
    /// Call or reply.
    pub direction: Direction,
    /// Name of the procedure: `READ`, `COMPOUND`.
    pub name: &'static str,
    /// The status of the whole reply.
    pub status: Option<u32>,
    /// The minor version of an NFSv4 call.
    pub minor_version: Option<u32>,
    /// What it asks or answers: one operation, or those of a compound, in order.
    pub operations: Vec<Operation>,
}

/// One operation, or a procedure that is one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Operation {
    /// Its number.
    pub number: u32,
    /// Its name: `READ`, `SEQUENCE`.
    pub name: &'static str,
    /// The status of its result.
    pub status: Option<u32>,
    /// CRC-32 of the file handles in it, in order; the first is the one that it is about.
    pub handles: Vec<u32>,
    /// The names in it, in order: of files, of a link's target, of a path; not of directory entries.
    pub names: Vec<String>,
    /// CRC-16 of the state ID.
    pub state_id: Option<u16>,
    /// Where in the file.
    pub offset: Option<u64>,
    /// Bytes to move, or moved.
    pub count: Option<u32>,
    /// Whether the end of the file or directory was reached.
    pub end_of_file: Option<bool>,
    /// What is on stable storage, or must be: 0 nothing, 1 the data, 2 all.
    pub stable: Option<u32>,
    /// The access that is asked for, or granted.
    pub access: Option<u32>,
    /// Entries of a directory that were returned.
    pub entries: u32,
    /// The bytes of file data: one range, or the pieces of a READ_PLUS.
    pub data: Vec<DataRange>,
}

/// Where a body holds data of a file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DataRange {
    /// The run of bytes.
    pub within: Within,
    /// First byte in it.
    pub offset: u32,
    /// Number of bytes that are there.
    pub length: u32,
    /// Where they belong in the file, when the body says so; the results of a READ do not, its call does.
    pub file_offset: Option<u64>,
}

impl DataRange {
    /// The data.
    pub fn bytes<'a>(&self, body: &Body<'a>) -> &'a [u8] {
        let Self { within, offset, length, .. } = *self;
        body.bytes_at(&Place { within, offset, length, ..Place::default() })
    }
}

/// Operations of NFSv4 that go along with others: what a compound is about is the last that is none
/// of these, then an ACCESS.
const COMPANIONS: &[&str] = &[
    "SEQUENCE",
    "CB_SEQUENCE",
    "PUTFH",
    "PUTROOTFH",
    "PUTPUBFH",
    "SAVEFH",
    "RESTOREFH",
    "GETFH",
    "GETATTR",
    "ACCESS",
];

impl Summary {
    /// The operation that the message is about: the last one, but for those that go along with others.
    /// Of these an ACCESS comes before the rest: a client asks for the attributes along with it.
    pub fn main(&self) -> Option<&Operation> {
        let last = |wanted: fn(&str) -> bool| {
            self.operations.iter().rev().find(|operation| wanted(operation.name))
        };
        last(|name| !COMPANIONS.contains(&name))
            .or_else(|| last(|name| name == "ACCESS"))
            .or(self.operations.last())
    }

    /// The hash of the file handle that an operation is about, by its place in the message: its own one,
    /// or in a compound the current file handle, as far as the message itself names it (LOOKUP, OPEN and
    /// others make one that only the reply to a GETFH names).
    pub fn handle_of(&self, index: usize) -> Option<u32> {
        let (mut current, mut saved) = (None, None);
        for operation in self.operations.get(..index)? {
            let own = operation.handles.first().copied();
            match operation.name {
                "PUTFH" | "GETFH" => current = own.or(current),
                "SAVEFH" => saved = current,
                "RESTOREFH" => current = saved,
                "LOOKUP" | "LOOKUPP" | "OPEN" | "OPENATTR" | "CREATE" | "PUTROOTFH"
                | "PUTPUBFH" => current = None,
                _ => {}
            }
        }
        let operation = self.operations.get(index)?;
        let of = if operation.name == "RESTOREFH" { saved } else { current };
        operation.handles.first().copied().or(of)
    }

    /// The name of the status: `NFS3ERR_NOENT`.
    pub fn status_name(&self) -> Option<&'static str> {
        status_name(&self.procedure, self.status?)
    }
}

/// The name of a status in the version at hand.
fn status_name(procedure: &Procedure, status: u32) -> Option<&'static str> {
    let field = match (procedure.program, procedure.version) {
        (Procedure::MOUNT, _) => &mount::STATUS,
        (Procedure::NFS, 3) | (Procedure::ACL, _) => &v3::STATUS,
        _ => &v4::STATUS,
    };
    field.value_name(status.into())
}

/// Reads a message in short.
///
/// # Errors
/// [`Unreadable`], with the summary of what could be read; none when the procedure is not decoded.
pub fn summarise(
    procedure: &Procedure,
    direction: Direction,
    body: &Body<'_>,
) -> Result<Summary, (Option<Summary>, Unreadable)> {
    let name = procedure.name().unwrap_or("unknown");
    let compound = matches!(name, "COMPOUND" | "CB_COMPOUND");
    let operation = Operation { number: procedure.procedure, name, ..Operation::default() };
    let summary = Summary {
        procedure: *procedure,
        direction,
        name,
        status: None,
        minor_version: None,
        operations: if compound { Vec::new() } else { vec![operation] },
    };
    let mut listener = Listener { summary, full: false };
    let walked = walk(procedure, direction, body, &mut listener);
    match walked {
        Ok(()) => Ok(listener.summary),
        Err(unreadable @ Unreadable::Malformed(_)) => Err((Some(listener.summary), unreadable)),
        Err(unreadable @ Unreadable::Unsupported(_)) => Err((None, unreadable)),
    }
}

/// Picks what a summary keeps.
struct Listener {
    summary: Summary,
    /// True behind the last operation that is kept.
    full: bool,
}

/// True for the very declaration: statics have one address each.
fn is(field: &'static Field, any_of: &[&'static Field]) -> bool {
    any_of.iter().any(|other| ptr::eq(field, *other))
}

impl Listener {
    /// The operation that the values at hand belong to.
    fn operation(&mut self) -> Option<&mut Operation> {
        self.summary.operations.last_mut().filter(|_| !self.full)
    }

    fn begin(&mut self, field: &'static Field, number: u64) {
        if self.summary.operations.len() >= MOST_OPERATIONS {
            self.full = true;
            return;
        }
        let name = field.value_name(number).unwrap_or("unknown");
        let operation = Operation { number: number as u32, name, ..Operation::default() };
        self.summary.operations.push(operation);
    }

    fn number(&mut self, field: &'static Field, number: u64) {
        let word = number as u32;
        if is(field, &[&v4::OPERATION, &v4::CALLBACK_OPERATION]) {
            self.begin(field, number);
        } else if is(field, &[&v4::MINOR_VERSION]) {
            self.summary.minor_version = Some(word);
        }
        // Some calls tell of a status that something had.
        let is_status = is(field, STATUSES) && self.summary.direction == Direction::Reply;
        if is_status {
            self.summary.status.get_or_insert(word);
        }
        let Some(operation) = self.operation() else { return };
        if is_status {
            operation.status.get_or_insert(word);
        } else if is(field, &[&common::HANDLE_HASH]) {
            if operation.handles.len() < MOST_KEPT {
                operation.handles.push(word);
            }
        } else if is(field, &[&v3::OFFSET, &v4::OFFSET]) {
            operation.offset = Some(number);
        } else if is(field, COUNTS) {
            operation.count = Some(word);
        } else if is(field, ENDS) {
            operation.end_of_file = Some(word != 0);
        } else if is(field, &[&v3::STABLE, &v3::COMMITTED, &v4::STABLE]) {
            operation.stable = Some(word);
        } else if is(field, &[&common::ACCESS_CHECK, &common::ACCESS_RIGHTS]) {
            operation.access = Some(word);
        } else if is(field, &[&v4::STATE_ID_HASH]) {
            operation.state_id.get_or_insert(number as u16);
        }
    }

    fn data(&mut self, place: Place) {
        let Some(operation) = self.operation() else { return };
        // An EXCHANGE_ID has its owner in that field too.
        if ["READ", "WRITE", "READ_PLUS"].contains(&operation.name)
            && operation.data.len() < MOST_KEPT
        {
            let Place { within, offset, length, .. } = place;
            let file_offset = operation.offset;
            operation.data.push(DataRange { within, offset, length, file_offset });
        }
    }
}

impl Visit for Listener {
    fn value(&mut self, field: &'static Field, datum: Datum<'_>, place: Option<Place>) {
        match (datum, place) {
            (Datum::Number(number), _) => self.number(field, number),
            (Datum::Heading, _) if is(field, &[&v3::ENTRY, &v4::ENTRY]) => {
                if let Some(operation) = self.operation() {
                    operation.entries = operation.entries.saturating_add(1);
                }
            }
            (Datum::Text(text), _) if is(field, NAMES) => {
                let Some(operation) = self.operation() else { return };
                // An entry of a directory tells its name in that field too.
                if operation.entries == 0 && operation.names.len() < MOST_KEPT {
                    let text = text.get(..LONGEST_NAME).unwrap_or(text);
                    operation.names.push(String::from_utf8_lossy(text).into_owned());
                }
            }
            (Datum::Bytes(_), Some(place)) if is(field, &[&common::DATA]) => self.data(place),
            _ => {}
        }
    }
}

/// The fields of a status.
const STATUSES: &[&Field] = &[&common::STATUS_ANY, &mount::STATUS];
/// The fields that say how many bytes.
const COUNTS: &[&Field] = &[
    &v3::COUNT,
    &v3::MAXIMUM_COUNT,
    &v4::COUNT,
    &v4::MAXIMUM_COUNT,
    &common::READ_LENGTH,
    &common::WRITE_LENGTH,
];
/// The fields that tell the end of a file or directory.
const ENDS: &[&Field] =
    &[&v3::END_OF_FILE, &v3::DIRECTORY_END, &v4::END_OF_FILE, &v4::DIRECTORY_END];
/// The fields whose text is a name.
const NAMES: &[&Field] =
    &[&common::NAME, &v3::LINK_TARGET, &v3::LINK_CONTENTS, &v4::COMPONENT, &mount::PATH];

/// The words for what must be on stable storage.
pub(super) fn stable_name(stable: u32) -> Option<&'static str> {
    names::STABLE_HOW.iter().find(|(value, _)| *value == u64::from(stable)).map(|(_, name)| *name)
}
