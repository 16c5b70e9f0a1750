//! What RPC carries: NFS versions 3 and 4, its callbacks, MOUNT and NFSACL.
//!
//! [`walk`] goes over the bytes of arguments or results once, by tables that say what the XDR of
//! each procedure is, and reports every value with its field and place to a [`Visit`]or. The tree
//! makes nodes of them; [`summarise`] keeps what a list, statistics and exports need.

mod acl;
mod attributes3;
mod body;
mod error;
mod hash;
mod layout;
mod line;
mod mount;
mod procedure;
mod shape;
mod summary;
mod v3;
mod v4;
mod visit;
mod walk;
mod walker;

pub use body::{Body, Place, Within};
pub use error::{Malformed, Problem, Unreadable};
pub use hash::{handle_hash, state_id_hash};
pub use line::write_line;
pub use procedure::{Direction, Procedure};
pub use summary::{DataRange, Operation, Summary, summarise};
pub use visit::{Datum, Visit};
pub use walk::walk;
