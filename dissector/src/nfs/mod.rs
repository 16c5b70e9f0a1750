//! What RPC carries: NFS versions 3 and 4, its callbacks, MOUNT and NFSACL.
//!
//! [`walk`] goes over the bytes of arguments or results once, by tables that say what the XDR of
//! each procedure is, and reports every value with its field and place to a [`Visit`]or. The tree
//! makes nodes of them; [`summarise`] keeps what a list, statistics and exports need.

mod files;
mod summary;
mod v3;
mod v4;
mod walker;

pub use files::{FileNames, Targets, listed, targets};
pub use summary::{
    Body, DataRange, Direction, Operation, Place, Procedure, Summary, Within, handle_hash,
    state_id_hash, summarise, write_line,
};
pub use walker::{Datum, Malformed, Problem, Unreadable, Visit, walk};
