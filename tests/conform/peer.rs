//! A peer of this program, as a process of its own.

use super::listener::Listener;
use tempfile::TempDir;
use warpscope_conformance::run::Target;

/// A listening peer; it ends with the value.
pub(crate) struct Peer {
    listener: Listener,
    /// Where the files behind its regions are.
    _files: TempDir,
}

impl Peer {
    /// A peer that speaks the test ULP, with further arguments.
    pub(crate) fn listen(arguments: &str) -> Self {
        let files = tempfile::tempdir().unwrap();
        let option = format!("-o files={}", files.path().display());
        Self {
            listener: Listener::start(format!("-s test-ulp {arguments} {option}")),
            _files: files,
        }
    }

    pub(crate) fn target(&self) -> Target {
        Target::agent(self.listener.address.parse().unwrap())
    }
}
