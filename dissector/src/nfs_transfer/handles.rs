//! The bytes of the file handles in a body by their hashes.

use crate::field::Field;
use crate::field::nfs::common;
use crate::nfs::{Body, Datum, Direction, Place, Procedure, Visit, handle_hash, walk};
use std::collections::HashMap;
use std::ptr;

/// What a body says of handles.
#[derive(Debug, Clone, Default)]
pub(super) struct Heard {
    /// The file handles by the hash that a summary names them by.
    pub(super) handles: HashMap<u32, Vec<u8>>,
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
        if let Datum::Bytes(bytes) = datum
            && ptr::eq(field, &common::HANDLE)
        {
            self.handles.insert(handle_hash(bytes), bytes.to_vec());
        }
    }
}
