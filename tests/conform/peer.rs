//! A peer of this program, as a process of its own.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use tempfile::TempDir;
use warpscope_conformance::run::Target;

/// A listening peer; it ends with the value.
pub(crate) struct Peer {
    process: Child,
    pub(crate) address: SocketAddr,
    /// Where the files behind its regions are.
    _files: TempDir,
}

impl Peer {
    /// A peer that speaks the test ULP, with further arguments.
    pub(crate) fn listen(arguments: &[&str]) -> Self {
        let files = tempfile::tempdir().unwrap();
        let mut process = Command::new(env!("CARGO_BIN_EXE_warpscope"))
            .args(["peer", "listen", "127.0.0.1:0", "-s", "test-ulp"])
            .args(arguments)
            .arg("-o")
            .arg(format!("files={}", files.path().display()))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(process.stderr.take().unwrap()).lines();
        let address = lines
            .by_ref()
            .map_while(Result::ok)
            .find_map(|line| {
                let rest = line.split_once("listening at ")?.1;
                rest.split_whitespace().next()?.trim_end_matches(':').parse().ok()
            })
            .expect("the peer tells where it listens");
        std::thread::spawn(move || lines.for_each(drop));
        Self { process, address, _files: files }
    }

    pub(crate) fn target(&self) -> Target {
        Target::agent(self.address)
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
