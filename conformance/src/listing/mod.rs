//! The cases as a reader sees them: the contents by document and section, a case in words, and the
//! beginning of a new one.
//!
//! A [`Card`] is what a listing needs of a case; it is read from the file's tree alone, so that a case
//! whose steps are wrong is listed and explained all the same.

mod card;
mod library;
#[cfg(test)]
mod tests;

pub use card::Card;
pub use library::{CASE_FILES, CaseFile, Library, MUTANTS_ACCEPTED, NoCaseId, Scaffold};
