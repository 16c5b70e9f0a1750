//! What the UI remembers, in the folder of the XDG base directories for states.

use std::path::PathBuf;

/// The file, where a folder for it is known.
fn file() -> Option<PathBuf> {
    let set = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|it| it.is_absolute());
    let folder = set("XDG_STATE_HOME").or_else(|| Some(set("HOME")?.join(".local/state")))?;
    Some(folder.join("warpscope/tui.json"))
}

/// What was remembered; nothing when there is none, or it cannot be read.
pub(super) fn recall() -> String {
    file().and_then(|file| std::fs::read_to_string(file).ok()).unwrap_or_default()
}

/// Remembers. That it cannot be is no reason to complain: nothing is lost but comfort.
pub(super) fn keep(what: &str) {
    let Some(file) = file() else { return };
    if let Some(folder) = file.parent() {
        let _ = std::fs::create_dir_all(folder);
    }
    let _ = std::fs::write(file, what);
}
