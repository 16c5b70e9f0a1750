//! Rights to capture: where they come from, and how they are dropped after use.
//!
//! Packages install a second copy of the program that has these rights, for one group only, like Wireshark's
//! `dumpcap`: a live capture continues as that copy, opens its interfaces and drops all rights.

#[cfg(feature = "live")]
use anyhow::anyhow;
use anyhow::{Context as _, Result, bail};
use nix::unistd::{User, geteuid, initgroups, setgid, setuid};
#[cfg(target_os = "linux")]
use rustix::fs::{Access, access};
#[cfg(target_os = "linux")]
use rustix::thread::{CapabilitySet, CapabilitySets, capabilities, set_capabilities};
use std::ffi::CString;
#[cfg(target_os = "linux")]
use std::os::unix::process::CommandExt as _;
#[cfg(target_os = "linux")]
use std::path::PathBuf;

/// The folder of that copy, next to the folder of the program.
#[cfg(target_os = "linux")]
const HELPERS: &str = "libexec/warpscope";

/// Returns the copy of this program that has the rights to capture, if it is installed.
#[cfg(target_os = "linux")]
fn helper() -> Option<PathBuf> {
    let program = std::env::current_exe().ok()?;
    let helper = program.parent()?.parent()?.join(HELPERS).join("warpscope");
    helper.is_file().then_some(helper)
}

/// Replaces this process by the copy with the rights to capture, if this one lacks them. That copy
/// uses them for nothing else: its users may not send frames.
#[cfg(target_os = "linux")]
pub(crate) fn settle(captures: bool) {
    if !captures {
        let program = std::env::current_exe().unwrap_or_default();
        if program.parent().is_some_and(|folder| folder.ends_with(HELPERS)) {
            let _ = drop_capabilities();
        }
        return;
    }
    let has = capabilities(None).is_ok_and(|it| it.effective.contains(CapabilitySet::NET_RAW));
    if let Some(helper) = helper().filter(|it| !has && access(it, Access::EXEC_OK).is_ok()) {
        // `exec` returns only on failure; then the interfaces report the missing rights.
        let _ = std::process::Command::new(helper).args(std::env::args_os().skip(1)).exec();
    }
}

/// Describes how to give this program the rights to capture, or else to send frames.
pub(crate) fn rights(captures: bool) -> String {
    let program = std::env::current_exe();
    let program = program.map_or("warpscope".into(), |path| path.display().to_string());
    #[cfg(target_os = "linux")]
    return match helper().filter(|_| captures) {
        Some(_) => {
            "run it as root, or join the group that may capture and log in again:\n    sudo \
                    usermod -aG wireshark $USER"
                .to_owned()
        }
        None => format!(
            "run it as root, or give the program the rights once:\n    \
             sudo setcap cap_net_raw,cap_net_admin=eip {program}"
        ),
    };
    #[cfg(not(target_os = "linux"))]
    let _ = captures;
    #[cfg(not(target_os = "linux"))]
    format!("run it as root: sudo {program}")
}

/// The user with the fewest rights.
const NOBODY: &str = "nobody";

/// Switches to the user of `-Z`; for anybody but root, also drops all capabilities, such as those that a
/// file of the program gives (setcap).
///
/// # Errors
/// If there is no such user, or the system does not let this process switch to it.
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
        drop_capabilities().context("cannot give up the rights to capture")?;
    }
    Ok(())
}

/// Drops all capabilities of this thread and of the threads that it starts.
#[cfg(target_os = "linux")]
fn drop_capabilities() -> rustix::io::Result<()> {
    let none = CapabilitySet::empty();
    let sets = CapabilitySets { effective: none, permitted: none, inheritable: none };
    set_capabilities(None, sets)
}

/// Switches from root to nobody; does nothing for other users. Returns the name of the new user.
///
/// # Errors
/// If the system has no such user, or does not let this process switch to it.
pub(crate) fn squash() -> Result<Option<&'static str>> {
    if !geteuid().is_root() {
        return Ok(None);
    }
    become_user(NOBODY)
        .context("callers would have the rights of root (-o no-squash allows this)")?;
    Ok(Some(NOBODY))
}

/// Switches all threads to a user permanently.
fn become_user(name: &str) -> Result<()> {
    let Some(user) = User::from_name(name).ok().flatten() else {
        bail!("{name}: no such user; see /etc/passwd");
    };
    let refused = || format!("{name}: the system does not let this process become that user");
    initgroups(&CString::new(name)?, user.gid).with_context(refused)?;
    setgid(user.gid).with_context(refused)?;
    setuid(user.uid).with_context(refused)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rights_are_for_this_program() {
        if cfg!(target_os = "linux") {
            let program = std::env::current_exe().unwrap();
            let line = format!("sudo setcap cap_net_raw,cap_net_admin=eip {}", program.display());
            assert!(rights(true).ends_with(&line));
        }
    }
}
