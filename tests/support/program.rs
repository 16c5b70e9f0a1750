//! Runs the program with a line as a shell takes it, and looks at what it leaves behind.

use serde_json::Value;
use std::fmt::{Display, Formatter, Result};
use tempfile::TempDir;

/// What a command line left behind.
#[derive(Debug)]
pub struct Ended {
    pub status: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Ended {
    #[track_caller]
    pub fn with(self, status: i32) -> Self {
        assert_eq!(self.status, Some(status), "{}{}", self.out, self.err);
        self
    }
}

/// Runs `warpscope` with the arguments in a line, without colours and in UTC.
pub fn run(line: impl AsRef<str>) -> Ended {
    run_on(b"", line)
}

/// Runs a line with these bytes on standard input.
pub fn run_on(input: &[u8], line: impl AsRef<str>) -> Ended {
    let mut command = assert_cmd::cargo::cargo_bin_cmd!("warpscope");
    command.args(shell_words::split(line.as_ref()).unwrap()).env("TZ", "UTC").env("NO_COLOR", "1");
    let output = command.write_stdin(input).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Ended { status: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
}

/// What a line prints that succeeds and says nothing on standard error.
#[track_caller]
pub fn printed(line: impl AsRef<str>) -> String {
    let ended = run(line).with(0);
    assert_eq!(ended.err, "");
    ended.out
}

/// What `dissect -r` prints of a file.
pub fn dissected(file: &str, arguments: &str) -> String {
    printed(format!("dissect -r {file} {arguments}"))
}

/// What a line is refused with, after the program's name; nothing is on standard output.
#[track_caller]
pub fn refused(line: impl AsRef<str>) -> String {
    let ended = run(line).with(2);
    assert_eq!(ended.out, "");
    assert!(ended.err.starts_with("warpscope: ") && ended.err.ends_with('\n'), "{}", ended.err);
    ended.err["warpscope: ".len()..].to_owned()
}

#[track_caller]
pub fn has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part:?} is not in\n{text}");
    }
}

pub fn json(text: impl AsRef<[u8]>) -> Value {
    serde_json::from_slice(text.as_ref()).unwrap()
}

/// The JSON documents of as many lines.
pub fn json_lines(text: &str) -> Vec<Value> {
    text.lines().map(json).collect()
}

/// A document has these values, each by its place (RFC 6901).
#[track_caller]
pub fn json_has(document: &Value, expected: Value) {
    for (place, value) in expected.as_object().unwrap() {
        assert_eq!(document.pointer(place), Some(value), "{place} of {document:#}");
    }
}

/// The path of a shipped capture.
pub fn shipped(name: &str) -> String {
    format!("{}/traces/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// A folder of a test's own, which goes with it. It is written as its path.
pub struct Folder(TempDir);

impl Folder {
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// The path of a file in it.
    pub fn at(&self, name: &str) -> String {
        format!("{self}/{name}")
    }

    /// Writes a file, with the folders that it is in; its path.
    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> String {
        let path = self.0.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
        self.at(name)
    }

    pub fn bytes(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.at(name)).unwrap()
    }

    pub fn read(&self, name: &str) -> String {
        String::from_utf8(self.bytes(name)).unwrap()
    }
}

impl Display for Folder {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> Result {
        self.0.path().display().fmt(formatter)
    }
}
