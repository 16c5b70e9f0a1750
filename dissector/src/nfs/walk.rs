//! The entry: finds the layout of a procedure, and walks over a body by it.

use super::layout::{Layout, layout};
use super::visit::Deaf;
use super::walker::{Assumptions, Walked, Walker};
use super::{Body, Datum, Direction, Place, Procedure, Unreadable, Visit};
use crate::field::nfs::common as fields;

/// Goes over the arguments or results of a procedure, and tells the visitor every value: first the
/// program and the procedure, then what the bytes hold. Bytes behind the end are told as
/// `nfs.left_over`.
///
/// # Errors
/// [`Unreadable::Unsupported`] when the procedure is not one that is decoded here; the visitor was
/// told nothing. [`Unreadable::Malformed`] when the bytes end too soon or a union has no such arm;
/// the visitor was told what stands before.
pub fn walk(
    procedure: &Procedure,
    direction: Direction,
    body: &Body<'_>,
    visit: &mut dyn Visit,
) -> Result<(), Unreadable> {
    let layout = layout(procedure, direction).ok_or(Unreadable::Unsupported(*procedure))?;
    let mut walker = Walker::new(*body, assumptions(&layout, body), visit);
    let length = body.bytes.len();
    walker.visit.value(layout.program, Datum::Heading, Some(Place::message(0, length)));
    walker.visit.open();
    walker.derive(layout.number, Datum::Number(procedure.procedure.into()));
    let walked = walker.items(layout.items);
    if walked.is_ok() && walker.left() > 0 {
        let (at, left) = (walker.at, walker.left());
        let bytes = body.bytes.get(at..).unwrap_or(&[]);
        walker.tell(&fields::LEFT_OVER, Datum::Bytes(bytes), at, left);
    }
    visit.close(length as u32);
    Ok(walked?)
}

/// Finds out by trial what holds of data items in chunks. Only bodies with write chunks, and those that
/// are no multiple of 4 bytes long, leave a doubt.
fn assumptions(layout: &Layout, body: &Body<'_>) -> Assumptions {
    let usual = Assumptions::default();
    if body.write_chunks.is_empty() && body.bytes.len().is_multiple_of(4) {
        return usual;
    }
    let reads_to_the_end = |assumptions: &Assumptions| {
        let mut deaf = Deaf;
        let mut walker = Walker::new(*body, *assumptions, &mut deaf);
        let walked: Walked = walker.items(layout.items);
        walked.is_ok() && walker.left() == 0
    };
    [(false, false), (true, false), (false, true), (true, true)]
        .map(|(odd_roundup, lost_chunks)| Assumptions { odd_roundup, lost_chunks })
        .into_iter()
        .find(reads_to_the_end)
        .unwrap_or(usual)
}
