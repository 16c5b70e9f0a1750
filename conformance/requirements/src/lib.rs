//! The catalogue of requirements: what the iWARP documents demand, one entry per statement, each with an id
//! that rules, cases and findings name.
//!
//! The entries are in the YAML files of this crate, one per document. [`Catalogue`] reads, checks and finds
//! them. A [`Fault`] says what is wrong with a file, with its line.
//!
//! ```
//! let catalogue = warpscope_requirements::Catalogue::builtin()?;
//! let requirement = catalogue.find("RFC5044-4.1-01")?;
//! println!("{} {}: {}", requirement.id, requirement.level, requirement.text);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod catalogue;
mod read;
mod requirement;
#[cfg(test)]
mod tests;

pub use catalogue::{Catalogue, Fault, Faults, UnknownId};
pub use requirement::{
    Document, Judged, Level, NoSection, Party, Requirement, Section, Stated, document_name,
};
