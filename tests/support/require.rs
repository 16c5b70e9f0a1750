//! What tests need of the system, and what becomes of them without it.

use std::path::Path;
use std::process::Command;

/// Says that a test is skipped because something is missing. The test fails when the environment variable
/// `WARPSCOPE_REQUIRE` names it: a list such as `tshark,netns`.
pub fn missing(what: &str, why: &str) {
    let required = std::env::var("WARPSCOPE_REQUIRE").unwrap_or_default();
    let is_required = required.split(',').any(|required| required.trim() == what);
    assert!(!is_required, "{what} is missing, and WARPSCOPE_REQUIRE asks for it: {why}");
    eprintln!("skipped: {what} is missing: {why}");
}

/// What a program of Wireshark's prints of a file; none where it is not installed.
pub fn wireshark(program: &str, arguments: &[&str], file: &Path) -> Option<String> {
    let mut command = Command::new(program);
    if program == "tshark" {
        // A free port may be one that tshark knows for another protocol.
        command.args(["-o", "tcp.try_heuristic_first:TRUE"]);
    }
    let Ok(output) = command.args(arguments).arg(file).output() else {
        missing("tshark", &format!("{program} is not installed; `scripts/setup test` installs it"));
        return None;
    };
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program}: {complaint}");
    assert!(!complaint.contains("malformed") && !complaint.contains("cut short"), "{complaint}");
    Some(String::from_utf8(output.stdout).unwrap())
}
