//! Cases and their instances.

use super::read;
use super::step::Step;
use super::value::{Bytes, Region, Value};
use crate::layout::Layouts;
use crate::yaml::{self, Diagnostic, Diagnostics, Node, Source};
use std::collections::BTreeSet;
use warpscope_requirements::Catalogue;

/// What cases are read and checked against.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// The headers and messages.
    pub layouts: &'a Layouts,
    /// The requirements that cases name.
    pub catalogue: &'a Catalogue,
    /// The seeded bugs that cases name; `None` if they are not known here, and not checked.
    pub bugs: Option<&'a [&'a str]>,
}

/// The runner's role in the setup.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Role {
    /// It opens the connection and sends the request.
    Initiator,
    /// It waits for the target to do so.
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

/// A case: what a file says in its head, and its instances.
#[derive(Clone, Debug)]
pub struct Case {
    /// Its name for good.
    pub id: String,
    /// What must be so.
    pub title: String,
    /// The file, as it was named when it was read.
    pub file: String,
    /// Ids of the requirements that it judges.
    pub covers: Vec<String>,
    /// Seeded bugs that it must catch.
    pub kills: Vec<String>,
    /// What the target must be able to do.
    pub(crate) needs: Vec<&'static str>,
    pub(crate) profile: &'static str,
    /// Whether it judges nothing stronger than a SHOULD or a MAY.
    pub(crate) recommended: bool,
    /// One for each role and each combination of its axes, in the order of the file.
    pub instances: Vec<Instance>,
}

/// A case with its role and a value for each axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Instance {
    /// Its name for good: `case[role=initiator,crc=on]`; the case's, if it is the only one.
    pub id: String,
    /// The case's id.
    pub case: String,
    /// What the target must be able to do.
    pub(crate) needs: Vec<&'static str>,
    pub(crate) profile: &'static str,
    /// Whether its case judges nothing stronger than a SHOULD or a MAY: a failure is strict only.
    pub(crate) recommended: bool,
    pub(crate) role: Role,
    /// The memory that must be there before the first step.
    pub(crate) buffers: Vec<Buffer>,
    pub(crate) steps: Vec<Step>,
}

impl Instance {
    /// How many steps it has, each round of what is repeated counted.
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
    /// What is in it at first; zeros, if it is not said.
    pub(crate) fill: Option<Bytes>,
    /// The Tagged Offset of its first byte; its owner chooses, if it is not said.
    pub(crate) base: Option<Value>,
    /// The buffer that it is a window of, and the bytes of that before its first; none for a region.
    pub(crate) window: Option<(Region, u64)>,
    /// Who may use the STag: `stream`, `protection_domain` or `foreign`.
    pub(crate) scope: Option<&'static str>,
    /// The stream of scope `stream`, by its name in the case.
    pub(crate) stream: Option<String>,
    /// What holds the target's bytes: `memory`, `file` or `failing`; memory, if it is not said.
    pub(crate) backing: Option<&'static str>,
    /// What a Verify computes: `crc32c`, `sha256` or `blake3`; the target chooses, if it is not said.
    pub(crate) hash: Option<&'static str>,
}

/// Steps that cases share.
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
    /// Reads files: cases, and the fragments that they share (files with a key `fragment`).
    ///
    /// # Errors
    /// When anything is wrong: all of it, by file and place.
    pub fn read(files: &[Source], context: Context<'_>) -> Result<Self, Vec<Diagnostic>> {
        Self::read_with(files, &[], context)
    }

    /// As [`Cases::read`], with fragments that the files may use and need not.
    ///
    /// # Errors
    /// When anything is wrong: all of it, by file and place.
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

    /// Every case.
    pub fn all(&self) -> &[Case] {
        &self.cases
    }

    /// The case of that id.
    pub fn find(&self, id: &str) -> Option<&Case> {
        self.cases.iter().find(|case| case.id == id)
    }
}
