//! The octets of the file handles in a body by their hashes, and the names in a compound.

use crate::field::Field;
use crate::field::nfs::{common, v4};
use crate::nfs::{Body, Datum, Direction, Place, Procedure, Visit, handle_hash, walk};
use std::collections::HashMap;
use std::ptr;

/// The most octets of a name that are kept.
const LONGEST_NAME: usize = 255;

/// What a body says of handles and names.
#[derive(Debug, Clone, Default)]
pub(super) struct Heard {
    /// The file handles by the hash that a summary names them by.
    pub(super) handles: HashMap<u32, Vec<u8>>,
    /// The first name in each operation of a compound, by the operation's place.
    pub(super) names: HashMap<usize, String>,
    operations: usize,
}

impl Heard {
    /// Goes over a body.
    pub(super) fn new(procedure: &Procedure, direction: Direction, body: &Body<'_>) -> Self {
        let mut heard = Self::default();
        // What stands before the place where a body cannot be read is told all the same.
        let _ = walk(procedure, direction, body, &mut heard);
        heard
    }
}

impl Visit for Heard {
    fn value(&mut self, field: &'static Field, datum: Datum<'_>, _: Option<Place>) {
        match datum {
            Datum::Octets(octets) if ptr::eq(field, &common::HANDLE) => {
                self.handles.insert(handle_hash(octets), octets.to_vec());
            }
            Datum::Number(_) if ptr::eq(field, &v4::OPERATION) => self.operations += 1,
            Datum::Text(text) if ptr::eq(field, &v4::COMPONENT) => {
                let text = text.get(..LONGEST_NAME).unwrap_or(text);
                let name = || String::from_utf8_lossy(text).into_owned();
                if let Some(index) = self.operations.checked_sub(1) {
                    self.names.entry(index).or_insert_with(name);
                }
            }
            _ => {}
        }
    }
}
