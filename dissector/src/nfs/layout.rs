//! The layout of every procedure's arguments and results.

use super::shape::Items;
use super::{Direction, Procedure, acl, mount, v3, v4};
use crate::field::Field;
use crate::field::nfs::{common as fields, v4 as v4_fields};
use crate::field::{mount as mount_fields, nfsacl as acl_fields};

/// Arguments and results of a procedure.
pub(super) type Pair = (Items, Items);

/// How a body is read, and what it is called.
pub(super) struct Layout {
    /// The protocol.
    pub(super) program: &'static Field,
    /// The field of the procedure's number.
    pub(super) number: &'static Field,
    /// The body.
    pub(super) items: Items,
}

/// The layout of a procedure's arguments or results; none when it is not decoded.
pub(super) fn layout(procedure: &Procedure, direction: Direction) -> Option<Layout> {
    let (program, number, pairs): (_, _, &'static [Pair]) =
        match (procedure.program, procedure.version) {
            (Procedure::NFS, 3) => (&fields::NFS, &fields::PROCEDURE_3, v3::PROCEDURES),
            (Procedure::NFS, 4) => (&fields::NFS, &fields::PROCEDURE_4, v4::PROCEDURES),
            (Procedure::CALLBACK, 1 | 4) => {
                (&v4_fields::CALLBACK, &v4_fields::CALLBACK_PROCEDURE, v4::CALLBACKS)
            }
            (Procedure::MOUNT, 1) => {
                (&mount_fields::MOUNT, &mount_fields::PROCEDURE_1, mount::PROCEDURES_1)
            }
            (Procedure::MOUNT, 2) => {
                (&mount_fields::MOUNT, &mount_fields::PROCEDURE_2, mount::PROCEDURES_2)
            }
            (Procedure::MOUNT, 3) => {
                (&mount_fields::MOUNT, &mount_fields::PROCEDURE_3, mount::PROCEDURES_3)
            }
            (Procedure::ACL, 3) => {
                (&acl_fields::NFSACL, &acl_fields::PROCEDURE_3, acl::PROCEDURES_3)
            }
            _ => return None,
        };
    let (arguments, results) = pairs.get(procedure.procedure as usize)?;
    let items = match direction {
        Direction::Call => arguments,
        Direction::Reply => results,
    };
    Some(Layout { program, number, items })
}
