//! What a list, statistics, matching and exports need of a message, without a tree.

use super::{Body, Datum, Direction, Place, Procedure, Unreadable, Visit, Within, walk};
use crate::field::Field;
use crate::field::nfs::{common, v3};
use crate::field::{mount, nfs::names};
use std::ptr;

/// The most names, handles and operations that are kept; a message may hold more.
const MOST_KEPT: usize = 64;
/// The most octets of a name that are kept.
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
    /// Octets to move, or moved.
    pub count: Option<u32>,
    /// Whether the end of the file or directory was reached.
    pub end_of_file: Option<bool>,
    /// What is on stable storage, or must be: 0 nothing, 1 the data, 2 all.
    pub stable: Option<u32>,
    /// The access that is asked for, or granted.
    pub access: Option<u32>,
    /// Entries of a directory that were returned.
    pub entries: u32,
    /// The octets of file data.
    pub data: Option<DataRange>,
}

/// Where a body holds data of a file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DataRange {
    /// The run of octets.
    pub within: Within,
    /// First octet in it.
    pub offset: u32,
    /// Number of octets that are there.
    pub length: u32,
}

impl DataRange {
    /// The data.
    pub fn octets<'a>(&self, body: &Body<'a>) -> &'a [u8] {
        let Self { within, offset, length } = *self;
        body.octets_at(&Place { within, offset, length, ..Place::default() })
    }
}

/// Operations of NFSv4 that go along with others: what a compound is about is the last that is none
/// of these.
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
    pub fn main(&self) -> Option<&Operation> {
        let mut operations = self.operations.iter().rev();
        let main = operations.find(|operation| !COMPANIONS.contains(&operation.name));
        main.or(self.operations.last())
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
        _ => &common::STATUS_ANY,
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
    let summary = Summary {
        procedure: *procedure,
        direction,
        name,
        status: None,
        minor_version: None,
        operations: vec![Operation { number: procedure.procedure, name, ..Operation::default() }],
    };
    let mut listener = Listener { summary };
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
}

/// True for the very declaration: statics have one address each.
fn is(field: &'static Field, any_of: &[&'static Field]) -> bool {
    any_of.iter().any(|other| ptr::eq(field, *other))
}

impl Listener {
    fn number(&mut self, field: &'static Field, number: u64) {
        let word = number as u32;
        if is(field, &[&common::STATUS_ANY]) && self.summary.status.is_none() {
            self.summary.status = Some(word);
        }
        let Some(operation) = self.summary.operations.last_mut() else { return };
        if is(field, &[&common::STATUS_ANY]) {
            operation.status = Some(word);
        } else if is(field, &[&common::HANDLE_HASH]) {
            if operation.handles.len() < MOST_KEPT {
                operation.handles.push(word);
            }
        } else if is(field, &[&v3::OFFSET]) {
            operation.offset = Some(number);
        } else if is(field, &[&v3::COUNT, &v3::MAXIMUM_COUNT]) {
            operation.count = Some(word);
        } else if is(field, &[&v3::END_OF_FILE, &v3::DIRECTORY_END]) {
            operation.end_of_file = Some(word != 0);
        } else if is(field, &[&v3::STABLE, &v3::COMMITTED]) {
            operation.stable = Some(word);
        } else if is(field, &[&common::ACCESS_CHECK, &common::ACCESS_RIGHTS]) {
            operation.access = Some(word);
        }
    }
}

impl Visit for Listener {
    fn value(&mut self, field: &'static Field, datum: Datum<'_>, place: Option<Place>) {
        match datum {
            Datum::Number(number) => self.number(field, number),
            Datum::Heading if is(field, &[&v3::ENTRY]) => {
                if let Some(operation) = self.summary.operations.last_mut() {
                    operation.entries = operation.entries.saturating_add(1);
                }
            }
            Datum::Text(text) if is(field, NAMES) => {
                let Some(operation) = self.summary.operations.last_mut() else { return };
                if operation.names.len() < MOST_KEPT {
                    let text = text.get(..LONGEST_NAME).unwrap_or(text);
                    operation.names.push(String::from_utf8_lossy(text).into_owned());
                }
            }
            Datum::Octets(_) if is(field, &[&common::DATA]) => {
                let Some(operation) = self.summary.operations.last_mut() else { return };
                if let (None, Some(Place { within, offset, length, .. })) = (operation.data, place)
                {
                    operation.data = Some(DataRange { within, offset, length });
                }
            }
            _ => {}
        }
    }
}

/// The fields whose text is a name.
const NAMES: &[&Field] = &[&common::NAME, &v3::LINK_TARGET, &v3::LINK_CONTENTS, &mount::PATH];

/// The words for what must be on stable storage.
pub(super) fn stable_name(stable: u32) -> Option<&'static str> {
    names::STABLE_HOW.iter().find(|(value, _)| *value == u64::from(stable)).map(|(_, name)| *name)
}
