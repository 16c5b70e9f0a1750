//! Files that a command writes: complete or not at all, and never over a file that it reads.

use anyhow::{Context as _, Result, bail};
use std::fs::{self, File, Permissions};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;
use warpscope_dissector::recording::{RecordError, keep_existing};

/// A file that is written under a temporary name and renamed once it is complete. Until then an existing
/// file stays; if the write is given up, no partial file is left.
#[derive(Debug)]
pub(crate) struct OutputFile {
    /// The path as the user gave it.
    name: PathBuf,
    /// The final path: for a link, its target.
    place: PathBuf,
    /// The temporary file; none for a device or a pipe, which is written to directly.
    beside: Option<NamedTempFile>,
}

impl OutputFile {
    /// Creates a file while `inputs` are read. The second value is the writer to use until
    /// [`keep`](Self::keep).
    ///
    /// # Errors
    /// If it is one of the inputs, by any name, exists and must not be replaced, or cannot be created.
    pub(crate) fn create<I: AsRef<Path>>(
        name: &Path,
        inputs: &[I],
        replace: bool,
    ) -> Result<(Self, File)> {
        let shown = name.display();
        if let Some(input) = inputs.iter().find(|input| is_same(name, input.as_ref())) {
            let input = input.as_ref().display();
            bail!("{shown}: this is the input file ({input}); use another name");
        }
        keep_existing(name, replace)?;
        let refused = || format!("cannot write {shown}: check the folder and its permissions");
        let place = fs::canonicalize(name).unwrap_or_else(|_| name.to_owned());
        if fs::metadata(&place).is_ok_and(|it| !it.is_file()) {
            let file = File::options().write(true).open(&place).with_context(refused)?;
            return Ok((Self { name: name.to_owned(), place, beside: None }, file));
        }
        let folder = place.parent().filter(|it| !it.as_os_str().is_empty());
        // The usual mode of a new file; the umask removes the rest.
        let beside = tempfile::Builder::new()
            .prefix(".warpscope-")
            .permissions(Permissions::from_mode(0o666))
            .tempfile_in(folder.unwrap_or(Path::new(".")))
            .with_context(refused)?;
        let file = beside.reopen().with_context(refused)?;
        Ok((Self { name: name.to_owned(), place, beside: Some(beside) }, file))
    }

    /// Renames the complete file to its final path.
    pub(crate) fn keep(self) -> Result<()> {
        let name = self.name;
        let Some(beside) = self.beside else { return Ok(()) };
        // A full disk is reported at the latest here.
        beside.as_file().sync_data().map_err(|error| failed(&name, error))?;
        beside.persist(&self.place).map_err(|error| failed(&name, error.error))?;
        Ok(())
    }
}

/// Writes a file with the content that `write` produces.
///
/// # Errors
/// As [`OutputFile::create`], and if the file cannot be written.
pub(crate) fn write_file<I: AsRef<Path>>(
    name: &Path,
    inputs: &[I],
    replace: bool,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<()> {
    let (output, file) = OutputFile::create(name, inputs, replace)?;
    let mut out = BufWriter::new(file);
    write(&mut out).and_then(|()| out.flush()).map_err(|error| failed(name, error))?;
    output.keep()
}

/// Returns the error for a file that was created but could not be written.
pub(crate) fn failed(name: &Path, error: io::Error) -> RecordError {
    RecordError { name: name.display().to_string(), error, begun: true }
}

/// Whether both names refer to the same file.
fn is_same(first: &Path, second: &Path) -> bool {
    let (Ok(one), Ok(other)) = (fs::metadata(first), fs::metadata(second)) else { return false };
    one.is_file() && (one.dev(), one.ino()) == (other.dev(), other.ino())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_there_once_it_is_whole_and_no_input_is_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let names = || {
            let entries = fs::read_dir(folder.path()).unwrap();
            let mut names: Vec<String> =
                entries.map(|it| it.unwrap().file_name().into_string().unwrap()).collect();
            names.sort();
            names
        };
        fs::write(at("input"), "in").unwrap();
        fs::write(at("old"), "old").unwrap();
        fs::hard_link(at("input"), at("hard")).unwrap();
        std::os::unix::fs::symlink("input", at("link")).unwrap();
        std::os::unix::fs::symlink("old", at("to-old")).unwrap();
        for name in ["input", "hard", "link"] {
            let refused = write_file(&at(name), &[at("input")], true, |out| out.write_all(b"x"));
            assert!(refused.unwrap_err().to_string().contains("this is the input file"), "{name}");
        }
        assert_eq!(fs::read(at("input")).unwrap(), b"in");
        let full = io::Error::from(io::ErrorKind::StorageFull);
        let there = write_file(&at("to-old"), &[at("input")], false, |out| out.write_all(b"x"));
        assert!(there.unwrap_err().to_string().contains("to-old: this file already exists"));
        assert_eq!(fs::read(at("old")).unwrap(), b"old");
        let given_up = write_file(&at("old"), &[at("input")], true, |out| {
            out.write_all(b"half")?;
            Err(full)
        });
        let message = given_up.unwrap_err().to_string();
        assert!(
            message.contains("old: cannot write: ") && message.contains("the disk"),
            "{message}"
        );
        assert_eq!(fs::read(at("old")).unwrap(), b"old");
        // A link stays one.
        write_file(&at("to-old"), &[at("input")], true, |out| out.write_all(b"new")).unwrap();
        assert_eq!(fs::read(at("old")).unwrap(), b"new");
        assert!(at("to-old").is_symlink());
        assert_eq!(names(), ["hard", "input", "link", "old", "to-old"]);
        write_file(Path::new("/dev/null"), &[at("input")], false, |out| out.write_all(b"x"))
            .unwrap();
        let nowhere = write_file(&at("no/where"), &[at("input")], false, |_| Ok(()));
        assert!(format!("{:#}", nowhere.unwrap_err()).starts_with("cannot write "));
    }
}
