//! A folder of cases.

use std::collections::BTreeSet;
use std::io;
use std::path::Path;

use super::model::{Case, Context, Fragment};
use super::read;
use crate::yaml::{self, Diagnostic, Diagnostics, Source};

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
    pub fn read_with(
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
                    let Some(fragment) = read::fragment(source, &root, &mut wrong) else {
                        continue;
                    };
                    if fragments.iter().any(|it| it.name == fragment.name) {
                        let what = format!("there is a fragment `{}` already", fragment.name);
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
                Ok(root) => fragments.extend(read::fragment(source, &root, &mut wrong)),
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
                let what = format!("`{}` is the id of {} already", case.id, other.file);
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

    /// Reads every `.yaml` file below a folder, in the order of their paths.
    ///
    /// # Errors
    /// When a file cannot be read as text, with its path.
    pub fn sources(folder: &Path) -> io::Result<Vec<Source>> {
        let mut files = Vec::new();
        let mut folders = vec![folder.to_owned()];
        while let Some(folder) = folders.pop() {
            let told = |error: io::Error| {
                io::Error::new(error.kind(), format!("{}: {error}", folder.display()))
            };
            for entry in std::fs::read_dir(&folder).map_err(told)? {
                let path = entry.map_err(told)?.path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|it| it == "yaml" || it == "yml") {
                    files.push(path);
                }
            }
        }
        files.sort();
        let read = |path: &std::path::PathBuf| {
            let bytes = std::fs::read(path).map_err(|error| {
                io::Error::new(error.kind(), format!("{}: {error}", path.display()))
            })?;
            // What is no UTF-8 shows as a character that no case has.
            let text = String::from_utf8_lossy(&bytes);
            Ok(Source::new(&path.display().to_string(), &text))
        };
        files.iter().map(read).collect()
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
