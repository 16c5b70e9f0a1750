//! Rights that only the beginning of a command needs are given up behind it.

#[cfg(feature = "live")]
use anyhow::anyhow;
use anyhow::{Context as _, Result, bail};
use nix::unistd::{User, geteuid, initgroups, setgid, setuid};
#[cfg(all(target_os = "linux", feature = "live"))]
use rustix::thread::{CapabilitySet, CapabilitySets, set_capabilities};
use std::ffi::CString;

/// Who may do least.
const NOBODY: &str = "nobody";

/// Goes on as the user of `-Z`, and for anybody but root without any capability, such as those that a file
/// of the program gives (setcap).
///
/// # Errors
/// When there is no such user, or the system does not let this process become it.
#[cfg(feature = "live")]
pub(crate) fn give_up(user: Option<&str>) -> Result<()> {
    if let Some(name) = user {
        if !geteuid().is_root() {
            bail!("-Z {name}: only root can become another user; leave it out");
        }
        become_user(name).map_err(|error| anyhow!("-Z {error:#}"))?;
    }
    #[cfg(target_os = "linux")]
    if !geteuid().is_root() {
        let none = CapabilitySet::empty();
        let sets = CapabilitySets { effective: none, permitted: none, inheritable: none };
        set_capabilities(None, sets).context("cannot give up the rights to capture")?;
    }
    Ok(())
}

/// Root goes on as nobody; anybody else as before. The name of the user that this process became.
///
/// # Errors
/// When the system has no such user, or does not let this process become it.
pub(crate) fn squash() -> Result<Option<&'static str>> {
    if !geteuid().is_root() {
        return Ok(None);
    }
    become_user(NOBODY)
        .context("callers would have the rights of root (-o no-squash lets them)")?;
    Ok(Some(NOBODY))
}

/// All threads go on as a user, for good.
fn become_user(name: &str) -> Result<()> {
    let Some(user) = User::from_name(name).ok().flatten() else {
        bail!("{name}: there is no such user; see /etc/passwd");
    };
    let refused = || format!("{name}: the system does not let this process become that user");
    initgroups(&CString::new(name)?, user.gid).with_context(refused)?;
    setgid(user.gid).with_context(refused)?;
    setuid(user.uid).with_context(refused)
}
