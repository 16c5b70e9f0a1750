//! Wireshark's programs, as witnesses of what was written.

use std::path::Path;
use std::process::Command;

/// What a program of Wireshark's prints; none where it is not installed.
pub(crate) fn wireshark(program: &str, arguments: &[&str], file: &Path) -> Option<String> {
    let Ok(output) = Command::new(program).args(arguments).arg(file).output() else {
        eprintln!("skipped: {program} is not installed; `scripts/setup test` installs it");
        return None;
    };
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program}: {complaint}");
    assert!(!complaint.contains("malformed") && !complaint.contains("cut short"), "{complaint}");
    Some(String::from_utf8(output.stdout).unwrap())
}
