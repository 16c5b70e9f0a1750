//! Where a capture is written to.

use anyhow::{Result, bail};
use std::fs::{File, Metadata};
use std::io::{self, BufWriter, IsTerminal as _, Write};
use std::path::{Path, PathBuf};

/// Bytes that are collected before they are written.
const BUFFER: usize = 1 << 18;

/// Writing a capture failed.
#[derive(Debug, thiserror::Error)]
#[error("{name}: cannot write: {error}; check the name, the disk and your permissions")]
pub(crate) struct RecordError {
    /// The file.
    pub(crate) name: String,
    /// What the system says.
    pub(crate) error: io::Error,
    /// True when something was written before.
    pub(crate) begun: bool,
}

/// A file, or standard output.
#[derive(Debug, Clone)]
pub(crate) struct Destination {
    path: PathBuf,
}

impl Destination {
    /// What `-w` names; `input` is the file that is read meanwhile.
    ///
    /// # Errors
    /// When it is that file, or a terminal.
    pub(crate) fn new(path: &Path, input: Option<&Path>) -> Result<Self> {
        if let Some(input) = input.filter(|input| same_file(input, path)) {
            bail!(
                "-w {}: this is the file that is read ({}); give another name",
                path.display(),
                input.display()
            );
        }
        let destination = Self { path: path.to_owned() };
        if destination.is_standard_output() && io::stdout().is_terminal() {
            bail!("-w -: standard output is a terminal; redirect it to a file or a program");
        }
        Ok(destination)
    }

    /// A file that is not read meanwhile.
    pub(super) fn unchecked(path: PathBuf) -> Self {
        Self { path }
    }

    /// True for standard output.
    pub(crate) fn is_standard_output(&self) -> bool {
        self.path.as_os_str() == "-"
    }

    /// The file's name.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Opens it, empty.
    ///
    /// # Errors
    /// When it cannot be created.
    pub(crate) fn open(&self) -> Result<Box<dyn Write>, RecordError> {
        if self.is_standard_output() {
            return Ok(Box::new(BufWriter::with_capacity(BUFFER, io::stdout())));
        }
        match File::create(&self.path) {
            Ok(file) => Ok(Box::new(BufWriter::with_capacity(BUFFER, file))),
            Err(error) => Err(RecordError { begun: false, ..self.failed(error) }),
        }
    }

    /// The error about this destination, which was opened.
    pub(crate) fn failed(&self, error: io::Error) -> RecordError {
        let standard_output = self.is_standard_output();
        let name = if standard_output {
            "standard output".into()
        } else {
            self.path.display().to_string()
        };
        RecordError { name, error, begun: true }
    }
}

/// True when both names are of one regular file, by whatever way.
fn same_file(first: &Path, second: &Path) -> bool {
    let (Ok(one), Ok(other)) = (std::fs::metadata(first), std::fs::metadata(second)) else {
        return false;
    };
    one.is_file() && same_place(&one, &other, first, second)
}

#[cfg(unix)]
fn same_place(one: &Metadata, other: &Metadata, _first: &Path, _second: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

#[cfg(not(unix))]
fn same_place(_one: &Metadata, _other: &Metadata, first: &Path, second: &Path) -> bool {
    matches!((first.canonicalize(), second.canonicalize()), (Ok(one), Ok(other)) if one == other)
}
