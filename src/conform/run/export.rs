//! The folder that RPC requesters see, and that the reference peer exports.

use super::aim::quoted;
use super::program::Program;
use anyhow::{Context as _, Result};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use warpscope_conformance::run::{RpcAnswer, RpcAnswers};
use warpscope_nfs::rpc::Answer as _;
use warpscope_nfs::{ExportOptions, Server};

/// Bytes of the files that requesters read: of a whole number of XDR words, and not.
const FILES: [(&str, usize); 3] = [("file", 8192), ("odd", 1001), ("empty", 0)];
/// Names in the folder `many`: more than a short reply holds.
const NAMES: usize = 60;
/// Bytes of the path that the task `long` asks for.
const LONG: usize = 1000;

/// A folder for the time of a run.
#[derive(Debug)]
pub(super) struct Folder(PathBuf);

impl Folder {
    /// Makes it.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(super) fn make() -> Result<Self> {
        let name = format!("warpscope-{:x}-{:08x}", std::process::id(), rand::random::<u32>());
        let folder = Self(std::env::temp_dir().join(name));
        fs::create_dir(&folder.0)
            .and_then(|()| fill(&folder.0))
            .with_context(|| format!("cannot make the folder {}", folder.0.display()))?;
        Ok(folder)
    }

    /// Where it is.
    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    fn seen(&self) -> PathBuf {
        self.0.join("seen")
    }

    /// The arguments of a reference peer that exports it.
    pub(super) fn server(&self) -> Vec<OsString> {
        let mut export = OsString::from("export=");
        export.push(self.0.join("exported"));
        vec!["-s".into(), "nfs".into(), "-o".into(), export]
    }

    /// The commands that start a reference peer as requester.
    pub(super) fn tasks(&self, program: &Program, bugs: &[String]) -> BTreeMap<String, String> {
        let mut front = format!(
            "exec {} peer nfs {{host}}:{{port}} -q --timeout 20",
            quoted(&program.path().display().to_string())
        );
        for bug in bugs {
            front.push_str(&format!(" --bug {}", quoted(bug)));
        }
        let odd = quoted(&self.seen().join("odd").display().to_string());
        let long = "x".repeat(LONG);
        let tasks = [
            ("ping", "null --count 12".to_owned()),
            ("ping-plain-mpa", "--revision 1 null --count 12".to_owned()),
            ("callbacks", "--callbacks 4 null --count 12".to_owned()),
            ("stat", "stat file".to_owned()),
            ("list", "ls many".to_owned()),
            ("read", "get file -".to_owned()),
            ("read-odd", "get odd -".to_owned()),
            ("read-plain", "--no-rpc-private-data get file -".to_owned()),
            ("readlink", "readlink link".to_owned()),
            ("write-odd", format!("put {odd} written")),
            ("write-chunk", format!("--form chunked put {odd} written")),
            ("write-segments", format!("--form chunked --longest-segment 400 put {odd} written")),
            ("long", format!("--export /{long} stat file")),
            ("long-plain", format!("--no-rpc-private-data --export /{long} stat file")),
        ];
        let task = |(name, what): (&str, String)| (name.to_owned(), format!("{front} {what}"));
        tasks.into_iter().map(task).collect()
    }

    /// Answers calls with what is in it.
    ///
    /// # Errors
    /// When it cannot be exported.
    pub(super) fn answers(&self) -> Result<RpcAnswers> {
        let options = ExportOptions { key: rand::random(), ..ExportOptions::default() };
        let server = Mutex::new(Server::new(&self.seen(), options)?);
        Ok(RpcAnswers::new(move |call| {
            let mut server = server.lock().unwrap_or_else(PoisonError::into_inner);
            let reply = server.answer(call);
            RpcAnswer { bytes: reply.bytes, eligible: reply.eligible }
        }))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Puts into a folder what the two sides export.
fn fill(folder: &Path) -> std::io::Result<()> {
    fs::create_dir(folder.join("exported"))?;
    let seen = folder.join("seen");
    fs::create_dir_all(seen.join("many"))?;
    for (name, length) in FILES {
        let bytes: Vec<u8> = (0..length).map(|at| (at % 251) as u8).collect();
        fs::write(seen.join(name), bytes)?;
    }
    for number in 0..NAMES {
        fs::write(seen.join("many").join(format!("one-of-many-names-{number:03}")), b"")?;
    }
    std::os::unix::fs::symlink("file", seen.join("link"))
}
