//! The nodes of what RPC carries: NFS, MOUNT, NFSACL.

use super::node::{Location, Tree, Value};
use super::place::Run;
use crate::field::Field;
use crate::field::nfs::common as fields;
use crate::field::nfs::v3;
use crate::field::rpc::message;
use crate::nfs::{
    Body, Datum, Direction, Place, Problem, Procedure, Unreadable, Visit, Within, walk,
};
use std::ptr;

/// The most nodes that one body gets: a directory of thousands of entries has more.
const MOST_NODES: usize = 100_000;

/// What is said where the capture ends before the message.
const NOT_CAPTURED: &str = "the capture does not hold the rest";

/// Adds the arguments or results of a procedure: `message` is where `body.bytes` stand, and each of
/// `write_chunks` where the bytes of that write chunk do; `whole` tells that the capture has all of the
/// message.
///
/// Returns what could not be read; that is told in a node too. A procedure that is not decoded gets no
/// node at all.
pub(super) fn push_program(
    tree: &mut Tree,
    message: Run,
    write_chunks: &[Run],
    procedure: &Procedure,
    direction: Direction,
    body: &Body<'_>,
    whole: bool,
) -> Result<(), Unreadable> {
    let room = MOST_NODES + tree.nodes.len();
    let version = Some(procedure.version);
    let mut nodes =
        Nodes { tree, message, write_chunks, version, depth: 0, above: Vec::new(), room };
    let walked = walk(procedure, direction, body, &mut nodes);
    if let Err(Unreadable::Malformed(malformed)) = walked {
        let cut = !whole && matches!(malformed.problem, Problem::Short { .. });
        // Not the sender's fault: the capture has no more of it.
        let (field, words) = match cut {
            true => (&fields::NOTE, NOT_CAPTURED.into()),
            false => (&fields::MALFORMED, malformed.to_string().into()),
        };
        tree.push_generated(1, field, Value::Text(words));
    } else if tree.nodes.len() >= room {
        let words = Value::Text(format!("only the first {MOST_NODES} values are shown").into());
        tree.push_generated(1, &fields::NOTE, words);
    }
    walked
}

/// Makes nodes.
struct Nodes<'t, 'r> {
    tree: &'t mut Tree,
    message: Run,
    write_chunks: &'r [Run],
    /// The program's version, until its heading has it below it.
    version: Option<u32>,
    depth: u8,
    /// The nodes that are open.
    above: Vec<usize>,
    /// How many nodes the tree may have.
    room: usize,
}

impl Nodes<'_, '_> {
    fn location(&self, place: &Place) -> Option<Location> {
        let run = match place.within {
            Within::Message => Some(&self.message),
            Within::WriteChunk(number) => self.write_chunks.get(usize::from(number)),
        }?;
        Some(Location {
            source: run.source,
            offset: run.start + place.offset,
            length: place.length,
            first_bit: place.first_bit,
            bits: place.bits,
        })
    }

    /// Bytes that stand in a source are not kept twice.
    fn bytes_value(&mut self, bytes: &[u8], location: Option<&Location>) -> Value {
        let within = location.and_then(|location| {
            let source = self.tree.sources.get(usize::from(location.source.0))?;
            let there = location.offset + location.length <= source.length;
            there.then(|| Value::Bytes {
                start: source.start + location.offset,
                length: location.length,
            })
        });
        let same = within.filter(|value| self.tree.value_bytes(value) == bytes);
        same.unwrap_or_else(|| self.tree.bytes_value(bytes))
    }
}

impl Visit for Nodes<'_, '_> {
    fn value(&mut self, field: &'static Field, datum: Datum<'_>, place: Option<Place>) {
        if self.tree.nodes.len() >= self.room {
            return;
        }
        let location = place.and_then(|place| self.location(&place));
        let value = match datum {
            Datum::Heading => Value::None,
            Datum::Number(number) => Value::Unsigned(number),
            Datum::Bytes(bytes) => self.bytes_value(bytes, location.as_ref()),
            Datum::Text(text) => Value::Text(String::from_utf8_lossy(text).into_owned().into()),
            Datum::Time(nanoseconds) => Value::Time(nanoseconds),
            Datum::Words(words) => Value::Text(words.to_owned().into()),
        };
        let note = match datum {
            Datum::Number(mode) if ptr::eq(field, &v3::MODE) => Some(format!("0{mode:03o}").into()),
            _ => None,
        };
        let index = match location {
            Some(location) => self.tree.push(self.depth, field, value, location),
            None => self.tree.push_generated(self.depth, field, value),
        };
        if let Some(node) = self.tree.nodes.get_mut(index) {
            node.note = note;
        }
    }

    fn open(&mut self) {
        self.above.push(self.tree.nodes.len().saturating_sub(1));
        self.depth = self.depth.saturating_add(1);
        if let Some(version) = self.version.take() {
            let version = Value::Unsigned(version.into());
            self.tree.push_generated(self.depth, &message::PROGRAM_VERSION, version);
        }
    }

    fn close(&mut self, end: u32) {
        self.depth = self.depth.saturating_sub(1);
        let Some(node) = self.above.pop().and_then(|index| self.tree.nodes.get_mut(index)) else {
            return;
        };
        // A heading was told before its end was known; what is not a heading knows its own.
        if node.value == Value::None && !node.generated {
            node.location.length = (self.message.start + end).saturating_sub(node.location.offset);
        }
    }
}
