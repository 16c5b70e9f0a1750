//! Files from the server, and to it.

use super::commands::{Mounted, explained};
use crate::failure::OutputError;
use crate::progress::Progress;
use crate::terminal::standard_output;
use anyhow::{Context as _, Result, anyhow, bail};
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use warpscope_nfs::FileType;
use warpscope_nfs::client::FilesError;

/// What stands for standard input or output.
const STANDARD: &str = "-";

/// Moves bytes, and says how many.
struct Watched<T> {
    inner: T,
    moved: u64,
    progress: Progress,
}

impl<T> Watched<T> {
    fn moved(&mut self, count: usize) -> usize {
        self.moved += count as u64;
        self.progress.moved(self.moved);
        count
    }
}

impl<T: Read> Read for Watched<T> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(into)?;
        Ok(self.moved(count))
    }
}

impl<T: Write> Write for Watched<T> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.inner.write(bytes)?;
        Ok(self.moved(count))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// Copies a file from the server.
///
/// # Errors
/// When that fails. What goes by the local name is then as it was.
pub(super) fn get(files: &mut Mounted<'_>, remote: &str, local: Option<&Path>) -> Result<()> {
    let known = files.attributes(remote.as_bytes()).map_err(|error| explained(remote, &error))?;
    match known.file_type {
        FileType::Regular => {}
        FileType::Directory => bail!("{remote} is a folder: get copies files; ls lists it"),
        FileType::SymbolicLink => {
            bail!("{remote} is a symbolic link: get its target; readlink says where it goes")
        }
        _ => bail!("{remote} is no regular file: nothing can be read from it over NFS"),
    }
    if local.is_some_and(|local| local.as_os_str() == STANDARD) {
        let (inner, _) = standard_output();
        let mut to = Watched { inner, moved: 0, progress: Progress::new(None) };
        return match files.read(remote.as_bytes(), &mut to).and_then(|_| Ok(to.flush()?)) {
            Err(FilesError::Local(error)) => Err(OutputError(error).into()),
            other => other.map_err(|error| explained(remote, &error)),
        };
    }
    let local = destination(remote, local)?;
    // A device or pipe is written to; a file is replaced once its content is whole.
    let replaced = fs::metadata(&local).map_or(true, |it| it.is_file());
    let beside = if replaced { partial(&local)? } else { local.clone() };
    let named = || format!("cannot write {}: check the folder and the disk", beside.display());
    let file = match replaced {
        true => File::create_new(&beside),
        false => File::options().write(true).open(&beside),
    };
    let inner = file.with_context(named)?;
    let mut to = Watched { inner, moved: 0, progress: Progress::of_copy(known.size) };
    let copied = files.read(remote.as_bytes(), &mut to);
    to.progress.clear();
    drop(to);
    let copied = match copied {
        Err(FilesError::Local(error)) => Err(error).with_context(named),
        other => other.map_err(|error| explained(remote, &error)),
    };
    if !replaced {
        return copied.map(|_| ());
    }
    let kept = copied.and_then(|_| fs::rename(&beside, &local).with_context(named));
    if kept.is_err() {
        let _ = fs::remove_file(&beside);
    }
    kept
}

/// Where a remote file goes.
fn destination(remote: &str, local: Option<&Path>) -> Result<PathBuf> {
    let last = || remote.split('/').rfind(|name| !name.is_empty());
    let name = || last().ok_or_else(|| anyhow!("{remote}: name a file"));
    Ok(match local {
        None => PathBuf::from(name()?),
        Some(folder) if folder.is_dir() => folder.join(name()?),
        Some(file) => file.to_path_buf(),
    })
}

/// A name beside that of a file, for what is not yet whole.
fn partial(file: &Path) -> Result<PathBuf> {
    let name = file.file_name().ok_or_else(|| anyhow!("{}: name a file", file.display()))?;
    let mut partial = OsString::from(".");
    partial.push(name);
    partial.push(format!(".{:08x}.partial", rand::random::<u32>()));
    Ok(file.with_file_name(partial))
}

/// Copies a file to the server.
///
/// # Errors
/// When that fails.
pub(super) fn put(files: &mut Mounted<'_>, local: &Path, remote: Option<&str>) -> Result<()> {
    let standard = local.as_os_str() == STANDARD;
    let name = local.file_name().filter(|_| !standard).map(OsStr::as_bytes);
    let remote = match (remote, name) {
        (Some(folder), Some(name)) if folder.ends_with('/') => [folder.as_bytes(), name].concat(),
        (Some(remote), _) => remote.as_bytes().to_vec(),
        (None, Some(name)) => name.to_vec(),
        (None, None) => bail!("{}: name the file on the server too", local.display()),
    };
    let (inner, size): (Box<dyn Read>, u64) = if standard {
        (Box::new(io::stdin().lock()), 0)
    } else {
        let cannot = || format!("cannot read {}: check the name", local.display());
        let file = File::open(local).with_context(cannot)?;
        let known = file.metadata().with_context(cannot)?;
        if known.is_dir() {
            bail!("{} is a folder: put copies files; mkdir makes a folder", local.display());
        }
        (Box::new(file), known.len())
    };
    let mut from = Watched { inner, moved: 0, progress: Progress::of_copy(size) };
    let copied = files.write(&remote, &mut from);
    from.progress.clear();
    match copied {
        Err(FilesError::Local(error)) => {
            Err(error).with_context(|| format!("cannot read {} to its end", local.display()))
        }
        other => other.map(|_| ()).map_err(|error| explained(&super::show::name(&remote), &error)),
    }
}
