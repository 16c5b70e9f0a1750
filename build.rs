//! Collects what `warpscope --version` prints in addition to the version: commit, features, libpcap.

use std::env::var;
use std::path::Path;
use std::process::Command;

fn main() {
    for name in ["WARPSCOPE_COMMIT", "LIBPCAP_VER"] {
        println!("cargo:rerun-if-env-changed={name}");
    }
    // This file changes whenever HEAD moves.
    let moves = ".git/logs/HEAD";
    if Path::new(moves).exists() {
        println!("cargo:rerun-if-changed={moves}");
    }
    println!("cargo:rerun-if-changed=build.rs");
    let commit = var("WARPSCOPE_COMMIT").ok();
    let commit = commit.or_else(|| output_of("git", &["rev-parse", "--short=12", "HEAD"]));
    let commit = commit.map_or_else(|| "of no commit".to_owned(), |it| format!("commit {it}"));
    let mut features = Vec::new();
    for feature in ["live", "parquet"] {
        if var(format!("CARGO_FEATURE_{}", feature.to_uppercase())).is_ok() {
            features.push(feature);
        }
    }
    let capture = match (features.contains(&"live"), var("LIBPCAP_VER")) {
        (false, _) => "no live capture".to_owned(),
        (true, Ok(version)) => format!("libpcap {version} linked in"),
        (true, Err(_)) => {
            let version = output_of("pcap-config", &["--version"]);
            let version = version.or_else(|| output_of("pkg-config", &["--modversion", "libpcap"]));
            format!("built with libpcap {}", version.as_deref().unwrap_or("of unknown version"))
        }
    };
    let features = match features.as_slice() {
        [] => "none".to_owned(),
        features => features.join(", "),
    };
    println!("cargo:rustc-env=WARPSCOPE_COMMIT={commit}");
    println!("cargo:rustc-env=WARPSCOPE_FEATURES={features}");
    println!("cargo:rustc-env=WARPSCOPE_LIBPCAP={capture}");
}

/// Returns the output of a program, if it exists and succeeds.
fn output_of(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    (output.status.success() && !text.is_empty()).then_some(text)
}
