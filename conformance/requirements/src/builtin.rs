//! The files that are built in.

/// Every file of the catalogue: its name and its text, in the order in which documents are listed.
pub(crate) const FILES: &[(&str, &str)] = &[
    ("rfc5040.yaml", include_str!("../rfc5040.yaml")),
    ("rfc5041.yaml", include_str!("../rfc5041.yaml")),
];

/// The documents that the catalogue is about. An entry may say that it is the same as one of a
/// document in this list before that document's file exists.
pub(crate) const DOCUMENTS: &[&str] = &[
    "RFC5040", "RFC5041", "RFC5044", "RFC6581", "RFC7306", "EXTV2", "COMMIT", "RFC8166", "RFC8167",
    "RFC8797",
];
