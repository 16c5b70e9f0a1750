//! Lists the files of `cases/`, so that they are built in: each as its path within that folder and
//! its text.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default()).join("cases");
    println!("cargo::rerun-if-changed={}", root.display());
    let mut files = Vec::new();
    if root.is_dir() {
        walk(&root, &mut files)?;
    }
    files.sort();
    let mut list = String::from("&[\n");
    for file in files {
        let name = file.strip_prefix(&root).unwrap_or(&file);
        let parts: Vec<String> =
            name.components().map(|part| part.as_os_str().to_string_lossy().into_owned()).collect();
        let _ = writeln!(list, "({:?}, include_str!({:?})),", parts.join("/"), file);
    }
    list.push_str("]\n");
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    fs::write(out.join("cases.rs"), list)
}

/// Adds the YAML files of a folder, and of those in it.
fn walk(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    // A folder that gets a file is itself changed.
    println!("cargo::rerun-if-changed={}", folder.display());
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            walk(&path, files)?;
        } else if path.extension().is_some_and(|it| it == "yaml") {
            files.push(path);
        }
    }
    Ok(())
}
