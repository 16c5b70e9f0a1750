//! The manifest of exported files.

use super::content::Content;
use super::files::{Files, Moved};
use crate::failure::OutputError;
use anyhow::Result;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use warpscope_dissector::nfs_transfer::FileKey;

/// Writes the manifest.
pub(super) fn write(files: &mut Files, captures: &[PathBuf], path: &Path) -> Result<()> {
    let text = manifest(files, captures)
        .and_then(|manifest| Ok(serde_json::to_string_pretty(&manifest)? + "\n"))
        .and_then(|text| std::fs::write(path, text));
    text.map_err(OutputError)?;
    Ok(())
}

fn manifest(files: &Files, captures: &[PathBuf]) -> io::Result<Value> {
    let captures: Vec<_> = captures.iter().map(|path| path.to_string_lossy()).collect();
    let moved = |file: &&(&FileKey, &Moved)| file.1.written.is_some() || file.1.read.is_some();
    let mut sorted: Vec<(&FileKey, &Moved)> = files.files.iter().collect();
    sorted.sort_by_key(|(_, file)| file.number);
    let entries: io::Result<Vec<Value>> =
        sorted.iter().filter(moved).map(|(key, file)| entry(key, file)).collect();
    Ok(json!({
        "captures": captures,
        "files": entries?,
        "bytes_of_files_beyond": files.beyond,
    }))
}

fn entry(key: &FileKey, file: &Moved) -> io::Result<Value> {
    let mut handle = String::new();
    for byte in &key.handle {
        let _ = write!(handle, "{byte:02x}");
    }
    let mut entry = json!({
        "server": key.server.to_string(),
        "handle_hash": format!("0x{:08x}", key.hash()),
        "handle": handle,
        "names": file.names,
        "written": Value::Null,
        "read": Value::Null,
        "written_and_read": Value::Null,
    });
    if let Some(written) = &file.written {
        let mut content = content(written)?;
        content["unconfirmed_bytes"] = file.unconfirmed.into();
        entry["written"] = content;
    }
    if let Some(read) = &file.read {
        entry["read"] = content(read)?;
    }
    if let (Some(written), Some(read)) = (&file.written, &file.read) {
        let (bytes, different) = written.compare(read)?;
        entry["written_and_read"] = json!({
            "common_bytes": bytes,
            "equal": (bytes > 0).then_some(different.is_none()),
            "first_difference": different,
        });
    }
    Ok(entry)
}

fn content(content: &Content) -> io::Result<Value> {
    let pairs = |runs: &[Range<u64>]| {
        runs.iter().map(|run| json!([run.start, run.end])).collect::<Vec<_>>()
    };
    Ok(json!({
        "file": content.name,
        "sha256": content.sha256()?,
        "length": content.length(),
        "bytes": content.bytes(),
        "bytes_moved": content.moved,
        "ranges": pairs(&content.known),
        "holes": pairs(&content.holes()),
        "bytes_left_out": content.left_out,
    }))
}
