//! Rights that only the opening of interfaces needs are given up behind it.

use anyhow::{Context as _, Result, anyhow, bail};
use nix::unistd::{User, geteuid, initgroups, setgid, setuid};
#[cfg(target_os = "linux")]
use rustix::thread::{CapabilitySet, CapabilitySets, set_capabilities};
use std::ffi::CString;

/// Goes on as the user of `-Z`, and for anybody but root without any capability, such as those that a file
/// of the program gives (setcap).
///
/// # Errors
/// When there is no such user, or the system does not let this process become it.
pub(super) fn give_up(user: Option<&str>) -> Result<()> {
    if let Some(name) = user {
        become_user(name)?;
    }
    #[cfg(target_os = "linux")]
    if !geteuid().is_root() {
        let none = CapabilitySet::empty();
        let sets = CapabilitySets { effective: none, permitted: none, inheritable: none };
        set_capabilities(None, sets).context("cannot give up the rights to capture")?;
    }
    Ok(())
}

fn become_user(name: &str) -> Result<()> {
    if !geteuid().is_root() {
        bail!("-Z {name}: only root can become another user; leave it out");
    }
    let user = User::from_name(name).ok().flatten();
    let user = user.ok_or_else(|| anyhow!("-Z {name}: there is no such user; see /etc/passwd"))?;
    let refused = || format!("-Z {name}: the system does not let this process become that user");
    initgroups(&CString::new(name)?, user.gid).with_context(refused)?;
    setgid(user.gid).with_context(refused)?;
    setuid(user.uid).with_context(refused)
}
