//! The active MUSTs that no case covers, each accepted with a reason: `coverage-waivers.yaml`.

use super::model::{Coverage, Standing};
use serde::Deserialize;
use serde_saphyr::Spanned;
use warpscope_requirements::{Catalogue, Fault};

/// The text of the file that is built in.
const BUILTIN: &str = include_str!("../../coverage-waivers.yaml");
/// Its name.
const NAME: &str = "coverage-waivers.yaml";

/// Why a requirement is accepted without a case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiver {
    /// The id of the requirement.
    pub id: String,
    /// Why.
    pub reason: String,
    /// The line of the file, from 1.
    pub line: u64,
}

/// The waivers of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waivers {
    file: String,
    waivers: Vec<Waiver>,
}

/// A file, as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    waivers: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    id: Spanned<String>,
    reason: String,
}

/// The waivers that are built in.
///
/// # Errors
/// What is wrong with the file. A test sees to it that nothing is.
pub fn builtin_waivers(catalogue: &Catalogue) -> Result<Waivers, Vec<Fault>> {
    Waivers::read(NAME, BUILTIN, catalogue)
}

impl Waivers {
    /// Reads a file: its name for messages, and its text. `waivers` are entries with `id` and `reason`.
    ///
    /// # Errors
    /// Text that is no such file, ids that no requirement has or that stand there twice, and reasons
    /// of nothing: each with its line.
    pub fn read(file: &str, text: &str, catalogue: &Catalogue) -> Result<Self, Vec<Fault>> {
        let fault = |line: u64, what: String| Fault { file: file.to_owned(), line, what };
        let read: File = serde_saphyr::from_str(text).map_err(|error| {
            let line = error.location().map_or(1, |location| location.line());
            vec![fault(line, error.without_snippet().to_string())]
        })?;
        let (mut waivers, mut faults): (Vec<Waiver>, Vec<Fault>) = (Vec::new(), Vec::new());
        for Entry { id, reason } in read.waivers {
            let line = id.referenced.line();
            match catalogue.find(&id.value) {
                Err(error) => faults.push(fault(line, error.to_string())),
                Ok(requirement) if waivers.iter().any(|it| it.id == requirement.id) => {
                    faults.push(fault(line, format!("{} is waived already", requirement.id)));
                }
                Ok(requirement) if reason.trim().is_empty() => {
                    faults.push(fault(line, format!("say why {} needs no case", requirement.id)));
                }
                Ok(requirement) => {
                    waivers.push(Waiver { id: requirement.id.clone(), reason, line });
                }
            }
        }
        if faults.is_empty() { Ok(Self { file: file.to_owned(), waivers }) } else { Err(faults) }
    }

    /// The waivers, in the order of the file.
    pub fn all(&self) -> &[Waiver] {
        &self.waivers
    }
}

impl Coverage {
    /// Marks what is waived. Returns the waivers that match nothing: that of a requirement that a
    /// case covers, and that of one that is no active MUST, which needs none.
    pub fn waive(&mut self, waivers: &Waivers) -> Vec<Fault> {
        let mut unused = Vec::new();
        for waiver in &waivers.waivers {
            let requirements = self
                .documents
                .iter_mut()
                .flat_map(|document| &mut document.sections)
                .flat_map(|section| &mut section.requirements);
            let id = &waiver.id;
            let what = match requirements.into_iter().find(|it| it.requirement.id == *id) {
                None => format!("the catalogue has no {id}: take the waiver out"),
                Some(it) if !it.is_active_must() => {
                    format!("{id} is no MUST that needs a peer: take the waiver out")
                }
                Some(it) if it.standing() == Standing::Covered => {
                    let by = it.cases.join(", ");
                    format!("{id} is covered, by {by}: take the waiver out")
                }
                Some(it) => {
                    it.waived = Some(waiver.reason.clone());
                    continue;
                }
            };
            unused.push(Fault { file: waivers.file.clone(), line: waiver.line, what });
        }
        unused
    }
}
