//! Cases and their instances.

use super::read;
use super::step::Step;
use super::value::{Bytes, Region, Value};
use crate::layout::Layouts;
use crate::yaml::{self, Diagnostic, Diagnostics, Node, Source};
use std::collections::BTreeSet;
use warpscope_requirements::Catalogue;

/// What cases are read with and checked against.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// The headers and messages.
    pub layouts: &'a Layouts,
    /// The requirements that cases name.
    pub catalogue: &'a Catalogue,
    /// The seeded bugs that cases name; `None` if they are not known here and therefore not checked.
    pub bugs: Option<&'a [&'a str]>,
}

/// The runner's role in the setup.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Role {
    /// The runner opens the connection and sends the request.
    Initiator,
    /// The runner waits for the target to do so.
    Responder,
}

impl Role {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Initiator => "initiator",
            Self::Responder => "responder",
        }
    }
}

/// A case: the head of its file, and its instances.
#[derive(Clone, Debug)]
pub struct Case {
    /// Its permanent id.
    pub id: String,
    /// What must be true.
    pub title: String,
    /// The file, as named when it was read.
    pub file: String,
    /// The ids of the requirements that it judges.
    pub covers: Vec<String>,
    /// Seeded bugs that it must catch.
    pub kills: Vec<String>,
    /// The abilities that the target must have.
    pub(crate) needs: Vec<&'static str>,
    pub(crate) profile: &'static str,
    /// Whether it judges nothing stronger than a SHOULD or a MAY.
    pub(crate) recommended: bool,
    /// One instance for each role and each combination of axis values, in the order of the file.
    pub instances: Vec<Instance>,
}

/// A case with a role and a value for each axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Instance {
    /// Its permanent id: `case[role=initiator,crc=on]`, or the id of the case if it is the only instance.
    pub id: String,
    /// The case's id.
    pub case: String,
    /// The abilities that the target must have.
    pub(crate) needs: Vec<&'static str>,
    pub(crate) profile: &'static str,
    /// Whether its case judges nothing stronger than a SHOULD or a MAY: a failure is then strict-only.
    pub(crate) recommended: bool,
    pub(crate) role: Role,
    /// The memory that must exist before the first step.
    pub(crate) buffers: Vec<Buffer>,
    pub(crate) steps: Vec<Step>,
}

impl Instance {
    /// Returns the number of steps, counting each round of those that are repeated.
    pub fn steps(&self) -> usize {
        self.steps.len()
    }
}

/// Memory that an instance needs.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Buffer {
    /// Its side and name.
    pub(crate) region: Region,
    pub(crate) length: u64,
    /// What a remote peer may do.
    pub(crate) rights: Vec<&'static str>,
    /// The initial contents; zeros if not given.
    pub(crate) fill: Option<Bytes>,
    /// The Tagged Offset of its first byte; its owner chooses if not given.
    pub(crate) base: Option<Value>,
    /// For a window, the buffer that it is bound to and its offset there in bytes; `None` for a region.
    pub(crate) window: Option<(Region, u64)>,
    /// Who may use the STag: `stream`, `protection_domain` or `foreign`.
    pub(crate) scope: Option<&'static str>,
    /// The stream of scope `stream`, by its name in the case.
    pub(crate) stream: Option<String>,
    /// What holds the target's bytes: `memory`, `file` or `failing`; memory if not given.
    pub(crate) backing: Option<&'static str>,
    /// What a Verify computes: `crc32c`, `sha256` or `blake3`; the target chooses if not given.
    pub(crate) hash: Option<&'static str>,
}

/// Steps that several cases use.
#[derive(Clone, Debug)]
pub(crate) struct Fragment {
    pub(crate) name: String,
    pub(crate) source: Source,
    pub(crate) root: Node,
}

/// The cases of a folder, by file.
#[derive(Clone, Debug, Default)]
pub struct Cases {
    cases: Vec<Case>,
}

impl Cases {
    /// Reads files: cases, and the fragments that they share (files with the key `fragment`).
    ///
    /// # Errors
    /// Returns everything that is wrong, by file and place.
    pub fn read(files: &[Source], context: Context<'_>) -> Result<Self, Vec<Diagnostic>> {
        Self::read_with(files, &[], context)
    }

    /// Like [`Cases::read`], with additional fragments that the files may use but need not.
    ///
    /// # Errors
    /// Returns everything that is wrong, by file and place.
    pub(crate) fn read_with(
        files: &[Source],
        lent: &[Source],
        context: Context<'_>,
    ) -> Result<Self, Vec<Diagnostic>> {
        let mut wrong = Diagnostics::default();
        let mut trees = Vec::new();
        let mut fragments: Vec<Fragment> = Vec::new();
        for source in files {
            match yaml::parse(source) {
                Ok(root) if root.of("fragment").is_some() => {
                    let Some(fragment) = read::fragment(source, &root, context, &mut wrong) else {
                        continue;
                    };
                    if fragments.iter().any(|it| it.name == fragment.name) {
                        let what = format!("the fragment `{}` already exists", fragment.name);
                        wrong.push(source.diagnostic(root.place, what));
                    }
                    fragments.push(fragment);
                }
                Ok(root) => trees.push((source, root)),
                Err(diagnostic) => wrong.push(diagnostic),
            }
        }
        let own = fragments.len();
        for source in lent {
            match yaml::parse(source) {
                Ok(root) => fragments.extend(read::fragment(source, &root, context, &mut wrong)),
                Err(diagnostic) => wrong.push(diagnostic),
            }
        }
        let mut cases: Vec<Case> = Vec::new();
        let mut used = BTreeSet::new();
        for (source, root) in &trees {
            let mut here = Diagnostics::default();
            let case = read::case(source, root, context, &fragments, &mut here, &mut used);
            wrong.extend(here.sorted());
            let Some(case) = case else { continue };
            if let Some(other) = cases.iter().find(|it| it.id == case.id) {
                let place = root.of("id").map_or(root.place, |node| node.place);
                let what = format!("the id `{}` is already used by {}", case.id, other.file);
                wrong.push(source.diagnostic(place, what));
            }
            cases.push(case);
        }
        for fragment in fragments.iter().take(own).filter(|it| !used.contains(&it.name)) {
            let what = format!("no case uses the fragment `{}`", fragment.name);
            wrong.push(fragment.source.diagnostic(fragment.root.place, what));
        }
        if wrong.is_empty() { Ok(Self { cases }) } else { Err(wrong.sorted()) }
    }

    /// Returns every case.
    pub fn all(&self) -> &[Case] {
        &self.cases
    }

    /// Returns the case with an id.
    pub fn find(&self, id: &str) -> Option<&Case> {
        self.cases.iter().find(|case| case.id == id)
    }
}
