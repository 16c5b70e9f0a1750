//! The cases as a reader sees them: the contents by document and section, a case in words, and the template
//! of a new case.
//!
//! A [`Card`] is what a listing needs of a case. It is read from the file's tree only, so that a case whose
//! steps are wrong can still be listed and explained.

mod card;
mod library;
#[cfg(test)]
mod tests;

pub use card::Card;
pub use library::{CASE_FILES, CaseFile, Library, MUTANTS_ACCEPTED, NoCaseId, Scaffold};
