//! The files that are built in.

/// Every file of the catalogue: its name and its text, in the order in which documents are listed.
pub(crate) const FILES: &[(&str, &str)] = &[
    ("rfc5040.yaml", include_str!("../rfc5040.yaml")),
    ("rfc5041.yaml", include_str!("../rfc5041.yaml")),
    ("rfc5044.yaml", include_str!("../rfc5044.yaml")),
    ("rfc6581.yaml", include_str!("../rfc6581.yaml")),
    ("rfc7306.yaml", include_str!("../rfc7306.yaml")),
    ("extv2.yaml", include_str!("../extv2.yaml")),
    ("commit.yaml", include_str!("../commit.yaml")),
    ("rfc8166.yaml", include_str!("../rfc8166.yaml")),
    ("rfc8167.yaml", include_str!("../rfc8167.yaml")),
    ("rfc8797.yaml", include_str!("../rfc8797.yaml")),
];

/// The documents that the catalogue is about. An entry may say that it is the same as one of a
/// document in this list before that document's file exists.
pub(crate) const DOCUMENTS: &[&str] = &[
    "RFC5040", "RFC5041", "RFC5044", "RFC6581", "RFC7306", "EXTV2", "COMMIT", "RFC8166", "RFC8167",
    "RFC8797",
];
