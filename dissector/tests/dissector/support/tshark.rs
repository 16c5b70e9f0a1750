//! Another analyzer: tshark.

use crate::prelude::*;
use std::io::Write as _;
use tempfile::NamedTempFile;

/// Major and minor version; none where it is not installed.
pub fn version() -> Option<(u32, u32)> {
    let output = Command::new("tshark").arg("--version").output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let version = text.split_whitespace().find(|word| word.starts_with(char::is_numeric))?;
    let mut numbers = version.split('.').map(str::parse);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}

/// The line of each frame with the values of these fields: tabs separate fields, `|` separates values.
pub fn lines(capture: &Path, options: &[&str], fields: &[&str]) -> Vec<String> {
    let mut command = Command::new("tshark");
    command.args(["-n", "-r"]).arg(capture).args(["-T", "fields", "-E", "separator=/t"]);
    command.args(["-E", "occurrence=a", "-E", "aggregator=|"]).args(options);
    command.args(fields.iter().flat_map(|field| ["-e", field]));
    // Nobody's own preferences, and dates in the time of no place.
    command.env("WIRESHARK_CONFIG_DIR", env!("CARGO_TARGET_TMPDIR")).env("TZ", "UTC");
    let output = command.stderr(Stdio::null()).output().unwrap();
    assert!(output.status.success(), "tshark cannot read {}", capture.display());
    String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect()
}

/// A folder for files that tshark reads.
pub fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// Writes a file for tshark at once as a whole: another run of these tests may read the old one now.
pub fn put(path: &Path, bytes: &[u8]) {
    let mut file = NamedTempFile::new_in(path.parent().unwrap()).unwrap();
    file.write_all(bytes).unwrap();
    file.persist(path).unwrap();
}

/// The capture as a file that is not compressed, in a folder of this name.
pub fn plain(capture: &Path, name: &str) -> PathBuf {
    if capture.extension().is_none_or(|end| end != "zst") {
        return capture.to_owned();
    }
    let path = folder(name).join(capture.file_stem().unwrap());
    let bytes = zstd::decode_all(std::fs::File::open(capture).unwrap()).unwrap();
    put(&path, &bytes);
    path
}

/// Whether the pattern, in which `*` stands for anything, fits.
pub fn fits(pattern: &str, text: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(text) = text.strip_prefix(start) else { return false };
    (0..=text.len()).any(|at| text.is_char_boundary(at) && fits(rest, &text[at..]))
}
