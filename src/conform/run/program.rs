//! This program, as it was when the run began.

use anyhow::{Context as _, Result};
use rustix::io::{FdFlags, fcntl_setfd};
use std::fs::File;
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

/// The program that reference peers are started from.
///
/// A build beside a run takes the program's file away, or puts another version in its place. Where the
/// system shows its processes as files (Linux), the file is held open, and the link that is started
/// leads to it: whoever is started inherits it.
#[derive(Debug)]
pub(super) struct Program {
    path: PathBuf,
    /// What the link leads to.
    _held: Option<File>,
}

impl Program {
    /// Holds this program by a link in a folder, which ends with the run.
    ///
    /// # Errors
    /// When the program's file cannot be found.
    pub(super) fn hold(folder: &Path) -> Result<Self> {
        let path = folder.join("warpscope");
        if let Ok(held) = File::open("/proc/self/exe")
            && fcntl_setfd(&held, FdFlags::empty()).is_ok()
            && symlink(format!("/proc/self/fd/{}", held.as_raw_fd()), &path).is_ok()
        {
            return Ok(Self { path, _held: Some(held) });
        }
        let path = std::env::current_exe().context("cannot find this program's file")?;
        Ok(Self { path, _held: None })
    }

    /// What to start.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}
