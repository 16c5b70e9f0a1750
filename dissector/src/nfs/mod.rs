//! Programs that RPC carries: NFS versions 3 and 4, its callbacks, MOUNT and NFSACL.
//!
//! [`walk`] passes once over the bytes of arguments or results, using tables that describe the XDR of each
//! procedure, and reports every value with its field and place to a [`Visit`]or. The tree turns them into
//! nodes; [`summarise`] keeps what lists, statistics and exports need.

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
