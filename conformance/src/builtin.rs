//! The cases that are built in.

/// Every file of `cases/`: its path there (`rfc5044/7.1-setup/key.yaml`) and its text, in the order of
/// the paths.
pub const CASE_FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/cases.rs"));

/// What the trial of the cases with seeded bugs accepts: the text of `mutants-accepted.yaml`.
pub const MUTANTS_ACCEPTED: &str = include_str!("../mutants-accepted.yaml");
