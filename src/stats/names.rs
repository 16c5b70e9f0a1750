//! What sections, sides and procedures are called.

use crate::cli::Section;
use warpscope_dissector::mpa::Side;
use warpscope_dissector::statistics::ProcedureKey;

/// Every section, in the order in which they are printed.
pub(super) const SECTIONS: [Section; 7] = [
    Section::Opcodes,
    Section::Sizes,
    Section::Latency,
    Section::Procedures,
    Section::Throughput,
    Section::Depth,
    Section::Credits,
];

/// What the two columns of the counts are.
pub(super) const ROLES: [&str; 2] = ["initiator", "responder"];

/// The role that a column of the counts stands for.
pub(super) fn role(column: Side) -> &'static str {
    ROLES[column.index()]
}

/// Program and version: `NFS 4`.
pub(super) fn program(key: &ProcedureKey) -> String {
    match (key, key.names().0) {
        (ProcedureKey::Known { version, .. }, Some(name)) => format!("{name} {version}"),
        (ProcedureKey::Known { program, version, .. }, None) => format!("{program} {version}"),
        (ProcedureKey::Unknown, _) => "not known".to_owned(),
        (ProcedureKey::Others, _) => "others".to_owned(),
    }
}

/// The procedure, with the operation that a COMPOUND is about: `COMPOUND: READ`.
pub(super) fn procedure(key: &ProcedureKey) -> String {
    let ProcedureKey::Known { procedure, operation, .. } = key else { return String::new() };
    let name = key.names().1.map_or_else(|| procedure.to_string(), str::to_owned);
    match operation {
        Some(operation) => format!("{name}: {operation}"),
        None => name,
    }
}
