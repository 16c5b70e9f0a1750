//! What lists, statistics, matching and exports need of a message, without building a tree.

use super::{Datum, Unreadable, Visit, walk};
use crate::field::nfs::{common, names, v3, v4};
use crate::field::{Field, mount};
use std::fmt::Write;
use std::{fmt, ptr};
use warpscope_wire::{crc, name_of};

/// The maximum number of names, handles and data ranges kept per operation; a message may have more.
const MOST_KEPT: usize = 64;
/// The maximum number of operations kept.
const MOST_OPERATIONS: usize = 1024;
/// The maximum number of bytes kept of a name.
const LONGEST_NAME: usize = 255;

/// A summary of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// The procedure.
    pub procedure: Procedure,
    /// Call or reply.
    pub direction: Direction,
    /// The name of the procedure: `READ`, `COMPOUND`.
    pub name: &'static str,
    /// The status of the whole reply.
    pub status: Option<u32>,
    /// The minor version of an NFSv4 call.
    pub minor_version: Option<u32>,
    /// What it requests or answers: one operation, or those of a compound, in order.
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
    /// The file handles in it, in order; it concerns the first one.
    pub handles: Vec<Vec<u8>>,
    /// The names in it, in order: of files, of a link's target, of a path; not of directory entries.
    pub names: Vec<String>,
    /// CRC-16 of the state ID.
    pub state_id: Option<u16>,
    /// Offset in the file.
    pub offset: Option<u64>,
    /// Number of bytes to move, or moved.
    pub count: Option<u32>,
    /// Whether the end of the file or directory was reached.
    pub end_of_file: Option<bool>,
    /// What is, or must be, on stable storage: 0 nothing, 1 the data, 2 everything.
    pub stable: Option<u32>,
    /// The access that is requested or granted.
    pub access: Option<u32>,
    /// Number of directory entries that were returned.
    pub entries: u32,
    /// The bytes of file data: one range, or the pieces of a READ_PLUS.
    pub data: Vec<DataRange>,
}

/// The location of file data in a body.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DataRange {
    /// The run of bytes.
    pub within: Within,
    /// Offset of the first byte in it.
    pub offset: u32,
    /// Number of bytes that are present.
    pub length: u32,
    /// Their offset in the file, if the body gives it; the results of a READ do not, its call does.
    pub file_offset: Option<u64>,
}

impl DataRange {
    /// Returns the data.
    pub fn bytes<'a>(&self, body: &Body<'a>) -> &'a [u8] {
        let Self { within, offset, length, .. } = *self;
        body.bytes_at(&Place { within, offset, length, ..Place::default() })
    }
}

/// Operations of NFSv4 that accompany others: the main operation of a compound is the last that is none of
/// these, then an ACCESS.
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
    /// Returns the main operation of the message: the last one that does not only accompany others. Among
    /// those, an ACCESS is preferred: a client requests the attributes along with it.
    pub fn main(&self) -> Option<&Operation> {
        let last = |wanted: fn(&str) -> bool| {
            self.operations.iter().rev().find(|operation| wanted(operation.name))
        };
        last(|name| !COMPANIONS.contains(&name))
            .or_else(|| last(|name| name == "ACCESS"))
            .or(self.operations.last())
    }

    /// Returns the bytes kept, including this struct.
    pub fn buffered(&self) -> usize {
        fn of<T>(all: &Vec<T>) -> usize {
            all.capacity() * size_of::<T>()
        }
        let operations = self.operations.iter().map(|it| {
            let names: usize = it.names.iter().map(String::capacity).sum();
            let handles: usize = it.handles.iter().map(Vec::capacity).sum();
            of(&it.handles) + handles + of(&it.names) + names + of(&it.data)
        });
        size_of::<Self>() + of(&self.operations) + operations.sum::<usize>()
    }

    /// Returns the name of the status: `NFS3ERR_NOENT`.
    pub fn status_name(&self) -> Option<&'static str> {
        status_name(&self.procedure, self.status?)
    }
}

/// Returns the name of a status in this version.
fn status_name(procedure: &Procedure, status: u32) -> Option<&'static str> {
    let field = match (procedure.program, procedure.version) {
        (Procedure::MOUNT, _) => &mount::STATUS,
        (Procedure::NFS, 3) | (Procedure::ACL, _) => &v3::STATUS,
        _ => &v4::STATUS,
    };
    field.value_name(status.into())
}

/// Summarises a message.
///
/// # Errors
/// [`Unreadable`], with the summary of what could be read; without one if the procedure is not decoded.
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

/// Collects what a summary keeps.
struct Listener {
    summary: Summary,
    /// True after the last operation that is kept.
    full: bool,
}

/// Returns true for exactly this declaration: each static has one address.
fn is(field: &'static Field, any_of: &[&'static Field]) -> bool {
    any_of.iter().any(|other| ptr::eq(field, *other))
}

impl Listener {
    /// Returns the operation that the current values belong to.
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
        // Some calls carry the status of something else.
        let is_status = is(field, STATUSES) && self.summary.direction == Direction::Reply;
        if is_status {
            self.summary.status.get_or_insert(word);
        }
        let Some(operation) = self.operation() else { return };
        if is_status {
            operation.status.get_or_insert(word);
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
        // EXCHANGE_ID has its owner in the same field.
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
                // Directory entries have their names in the same field.
                if operation.entries == 0 && operation.names.len() < MOST_KEPT {
                    let text = text.get(..LONGEST_NAME).unwrap_or(text);
                    operation.names.push(String::from_utf8_lossy(text).into_owned());
                }
            }
            (Datum::Bytes(bytes), _) if is(field, &[&common::HANDLE]) => {
                let operation = self.operation();
                if let Some(it) = operation.filter(|it| it.handles.len() < MOST_KEPT) {
                    it.handles.push(bytes.to_vec());
                }
            }
            (Datum::Bytes(_), Some(place)) if is(field, &[&common::DATA]) => self.data(place),
            _ => {}
        }
    }
}

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
/// The fields that mark the end of a file or directory.
const ENDS: &[&Field] =
    &[&v3::END_OF_FILE, &v3::DIRECTORY_END, &v4::END_OF_FILE, &v4::DIRECTORY_END];
const NAMES: &[&Field] =
    &[&common::NAME, &v3::LINK_TARGET, &v3::LINK_CONTENTS, &v4::COMPONENT, &mount::PATH];

/// A procedure, as given in the header of the call (RFC 5531 section 9).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Procedure {
    /// The program.
    pub program: u32,
    /// The version of the program.
    pub version: u32,
    /// The procedure.
    pub procedure: u32,
}

/// Whether a message is a call, with arguments, or a reply, with results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, strum::IntoStaticStr)]
pub enum Direction {
    /// Arguments.
    Call,
    /// Results.
    Reply,
}

impl Direction {
    /// Returns `Call` or `Reply`.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

impl Procedure {
    /// The program number of NFS.
    pub const NFS: u32 = 100_003;
    /// The program number of MOUNT.
    pub const MOUNT: u32 = 100_005;
    /// The program number of NFSACL.
    pub const ACL: u32 = 100_227;
    /// The program number that Linux uses for its callbacks. A client may choose another
    /// (RFC 8881 section 18.36).
    pub const CALLBACK: u32 = 0x4000_0000;

    /// Creates a procedure of NFS.
    pub fn nfs(version: u32, procedure: u32) -> Self {
        Self { program: Self::NFS, version, procedure }
    }

    /// Returns the name of the program.
    pub fn program_name(&self) -> Option<&'static str> {
        Some(match self.program {
            Self::NFS => "NFS",
            Self::MOUNT => "MOUNT",
            Self::ACL => "NFSACL",
            Self::CALLBACK => "NFS CB",
            _ => return None,
        })
    }

    /// Returns the name of the procedure: `READ`, `COMPOUND`.
    pub fn name(&self) -> Option<&'static str> {
        let names = match (self.program, self.version) {
            (Self::NFS, 3) => names::PROCEDURES_3,
            (Self::NFS, 4) => names::PROCEDURES_4,
            (Self::MOUNT, 1..=3) => names::MOUNT_PROCEDURES,
            (Self::ACL, 2) => names::ACL_PROCEDURES,
            (Self::ACL, 3) => names::ACL_PROCEDURES_3,
            (Self::CALLBACK, 1 | 4) => names::CALLBACK_PROCEDURES,
            _ => return None,
        };
        name_of(names, self.procedure)
    }
}

/// The maximum number of operations of a compound that a line shows.
const MOST_SHOWN: usize = 32;
/// The maximum number of handles and names of an operation that a line shows.
const MOST_NAMES: usize = 4;

/// Writes a message as one line: `V3 READ Call, FH: 0x62d40c52 Offset: 0 Len: 4096`, `V4 Call SEQUENCE |
/// PUTFH FH: 0x62d40c52 | GETATTR`.
pub fn write_line(summary: &Summary, out: &mut String) {
    let written = write_message(summary, out);
    debug_assert!(written.is_ok());
}

fn write_message(summary: &Summary, out: &mut String) -> fmt::Result {
    let version = summary.procedure.version;
    let direction = summary.direction.name();
    if matches!(summary.name, "COMPOUND" | "CB_COMPOUND") {
        return write_compound(summary, out);
    }
    write!(out, "V{version} {} {direction}", summary.name)?;
    if let Some(operation) = summary.operations.first() {
        let mut details = String::new();
        write_operation(operation, summary, &mut details)?;
        if !details.is_empty() {
            let separator = if summary.direction == Direction::Call { "," } else { "" };
            write!(out, "{separator}{details}")?;
        }
    }
    write_error(summary, summary.status, out)
}

fn write_compound(summary: &Summary, out: &mut String) -> fmt::Result {
    let callback = if summary.procedure.program == Procedure::CALLBACK { " CB" } else { "" };
    write!(out, "V4{callback} {}", summary.direction.name())?;
    for (index, operation) in summary.operations.iter().take(MOST_SHOWN).enumerate() {
        write!(out, "{}{}", if index > 0 { " | " } else { " " }, operation.name)?;
        write_operation(operation, summary, out)?;
    }
    if summary.operations.len() > MOST_SHOWN {
        write!(out, " | …")?;
    }
    write_error(summary, summary.status, out)
}

/// Writes handles, names, offset and size of an operation, each preceded by a blank.
fn write_operation(operation: &Operation, summary: &Summary, out: &mut String) -> fmt::Result {
    let call = summary.direction == Direction::Call;
    for (index, handle) in operation.handles.iter().take(MOST_NAMES).enumerate() {
        write!(out, " FH: 0x{:08x}", handle_hash(handle))?;
        if let (true, Some(name)) = (call, operation.names.get(index)) {
            write!(out, "/")?;
            write_name(name, out)?;
        }
    }
    let named = if call { operation.handles.len() } else { 0 };
    for name in operation.names.iter().take(MOST_NAMES).skip(named) {
        write!(out, " ")?;
        write_name(name, out)?;
    }
    if let Some(hash) = operation.state_id {
        write!(out, " StateID: 0x{hash:04x}")?;
    }
    if let Some(offset) = operation.offset {
        write!(out, " Offset: {offset}")?;
    }
    if let Some(count) = operation.count {
        write!(out, " Len: {count}")?;
    }
    let stable = |stable: u32| name_of(names::STABLE_HOW, stable);
    if let Some(name) = operation.stable.and_then(stable) {
        write!(out, " {name}")?;
    }
    if let Some(access) = operation.access {
        write!(out, " [{}:", if call { "Check" } else { "Allowed" })?;
        let bits = ["RD", "LU", "MD", "XT", "DL", "XE", "XAR", "XAW", "XAL"];
        for (_, name) in bits.iter().enumerate().filter(|(bit, _)| access >> bit & 1 != 0) {
            write!(out, " {name}")?;
        }
        write!(out, "]")?;
    }
    if operation.entries > 0 {
        write!(out, " Entries: {}", operation.entries)?;
    }
    if operation.end_of_file == Some(true) {
        write!(out, " EOF")?;
    }
    Ok(())
}

/// Writes a name without characters that would break the line.
fn write_name(name: &str, out: &mut String) -> fmt::Result {
    name.chars().try_for_each(|character| match character.is_control() {
        true => write!(out, "{}", character.escape_default()),
        false => write!(out, "{character}"),
    })
}

fn write_error(summary: &Summary, status: Option<u32>, out: &mut String) -> fmt::Result {
    match (status, summary.status_name()) {
        (None | Some(0), _) => Ok(()),
        (Some(_), Some(name)) => write!(out, " Error: {name}"),
        (Some(status), None) => write!(out, " Error: {status}"),
    }
}

/// The bytes of a call's arguments or a reply's results.
#[derive(Debug, Clone, Copy, Default)]
pub struct Body<'a> {
    /// The bytes after the RPC header. A call's read chunks are already in their places.
    pub bytes: &'a [u8],
    /// The bytes that the responder wrote into each chunk of the write list, in order; an unused chunk is
    /// empty. Calls have none (RFC 8166 section 3.4.6).
    pub write_chunks: &'a [&'a [u8]],
}

impl<'a> Body<'a> {
    /// Creates a body without write chunks.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, write_chunks: &[] }
    }

    /// Returns the bytes of a place that are present.
    pub fn bytes_at(&self, place: &Place) -> &'a [u8] {
        let bytes = match place.within {
            Within::Message => self.bytes,
            Within::WriteChunk(number) => {
                self.write_chunks.get(usize::from(number)).copied().unwrap_or(&[])
            }
        };
        let start = (place.offset as usize).min(bytes.len());
        let end = start.saturating_add(place.length as usize).min(bytes.len());
        bytes.get(start..end).unwrap_or(&[])
    }
}

/// The run of bytes that a place refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Within {
    /// [`Body::bytes`].
    #[default]
    Message,
    /// The chunk of [`Body::write_chunks`] with this index, from 0.
    WriteChunk(u16),
}

/// The position of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Place {
    /// The run of bytes.
    pub within: Within,
    /// Offset of the first byte in it.
    pub offset: u32,
    /// Number of bytes.
    pub length: u32,
    /// First bit in the first byte, counted from the most significant.
    pub first_bit: u8,
    /// Number of bits; 0 if the value is whole bytes.
    pub bits: u8,
}

impl Place {
    /// Creates a place in the message itself.
    pub(super) fn message(offset: usize, length: usize) -> Self {
        Self { offset: offset as u32, length: length as u32, ..Self::default() }
    }
}

// Short names for file handles and state IDs: the checksums that Wireshark shows.

/// Returns the CRC-32 of a file handle's bytes (`nfs.fh.hash`), as in Ethernet and zlib.
pub fn handle_hash(bytes: &[u8]) -> u32 {
    crc::crc32(bytes)
}

/// Returns the CRC-16 of a state ID's 16 bytes (`nfs.stateid.hash`): reflected polynomial 0x1021, initialised
/// to all ones, inverted at the end, as in X.25.
pub fn state_id_hash(bytes: &[u8]) -> u16 {
    let mut crc = 0xffff_u16;
    for byte in bytes {
        crc ^= u16::from(*byte);
        for _ in 0..8 {
            crc = if crc & 1 != 0 { crc >> 1 ^ 0x8408 } else { crc >> 1 };
        }
    }
    !crc
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The check values of the two CRCs, over the digits 1 to 9.
    #[test]
    fn the_checksums_are_the_known_ones() {
        assert_eq!(handle_hash(b"123456789"), 0xcbf4_3926);
        assert_eq!(state_id_hash(b"123456789"), 0x906e);
    }

    /// Metrics are kept by these names: traffic must not be able to choose any number of them.
    #[test]
    fn callbacks_have_names_in_the_versions_that_are_decoded() {
        let name =
            |version| Procedure { program: Procedure::CALLBACK, version, procedure: 1 }.name();
        assert_eq!([1, 4].map(name), [Some("CB_COMPOUND"); 2]);
        assert_eq!([0, 2, 5, u32::MAX].map(name), [None; 4]);
    }
}
