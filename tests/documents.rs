//! Every `warpscope` command in the documents works: it is run on a shipped capture. Commands that
//! need a network, a terminal or minutes are parsed only; other tests run their like.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const DOCUMENTS: &str = "README.md agents/README.md docs/archives.md docs/ci.md docs/conformance.md docs/conformance-report.md docs/export.md \
    docs/install.md docs/nfs.md docs/peer.md docs/rnic.md docs/tshark.md docs/tui.md docs/watch.md lab/README.md conformance/WRITING-CASES.md";

/// What marks a command that is parsed and not run.
const PARSED_ONLY: &[&str] = &[
    " -i eth0",
    "127.0.0.1",
    "0.0.0.0",
    "192.0.2.",
    "conform mutants",
    "conform run",
    "warpscope tui -",
    "warpscope tui growing",
    "warpscope tui trace.pcapng -Y",
    "warpscope trace.pcapng",
];

/// The lines in code blocks for a shell that run `warpscope`, without comments; each with its line
/// number. A line that ends in a backslash goes on.
fn commands(document: &str) -> Vec<(usize, String)> {
    let (mut found, mut shell, mut block) = (Vec::new(), false, false);
    let mut unfinished: Option<(usize, String)> = None;
    for (at, line) in document.lines().enumerate() {
        if let Some(language) = line.strip_prefix("```") {
            block = !block;
            shell = block && (language.is_empty() || language == "sh" || language == "console");
            continue;
        }
        let line = line.split(" # ").next().unwrap_or(line).trim();
        let line = line.strip_prefix("$ ").unwrap_or(line);
        let (first, text) = match unfinished.take() {
            Some((first, text)) => (first, format!("{text} {line}")),
            None if shell && is_command(line) => (at + 1, line.to_owned()),
            None => continue,
        };
        match text.strip_suffix('\\') {
            Some(text) => unfinished = Some((first, text.trim_end().to_owned())),
            None => found.push((first, text.trim_end_matches('&').trim_end().to_owned())),
        }
    }
    found
}

fn is_command(line: &str) -> bool {
    line.starts_with("warpscope ") || line.contains("| warpscope ")
}

/// A folder with the files that the documents name.
fn folder() -> tempfile::TempDir {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let captures = root.join("traces/captures");
    let folder = tempfile::tempdir().unwrap();
    let copy = |from: &str, to: &str| {
        fs::copy(captures.join(from), folder.path().join(to)).unwrap();
    };
    for name in ["trace.pcapng", "big.pcapng", "capture.pcapng", "run.pcapng"] {
        copy("e1-terminate-stock.pcap", name);
    }
    copy("j3-mid-nfs.pcap.zst", "nfs.pcapng");
    fs::create_dir(folder.path().join("traces")).unwrap();
    copy("c1-crc-server-only.pcap", "traces/trace.pcap");
    for name in ["run.json", "run1.json"] {
        fs::copy(root.join("traces/runs/crc-zero.json"), folder.path().join(name)).unwrap();
    }
    let zipped = Command::new("gzip").arg("-k").arg("trace.pcapng").current_dir(&folder).status();
    assert!(zipped.unwrap().success());
    let cases = folder.path().join("conformance/cases");
    copy_folder(&root.join("conformance/cases"), &cases);
    folder
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => copy_folder(&entry.path(), &to),
            false => drop(fs::copy(entry.path(), to).unwrap()),
        }
    }
}

#[test]
fn every_command_in_the_documents_works() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let program = assert_cmd::cargo::cargo_bin!("warpscope");
    let mut path = vec![PathBuf::from(program.parent().unwrap())];
    path.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap()));
    let path = std::env::join_paths(path).unwrap();
    let folder = folder();
    let (mut faults, mut run) = (Vec::new(), 0);
    for document in DOCUMENTS.split(' ') {
        let text = fs::read_to_string(root.join(document)).unwrap();
        for (line, command) in commands(&text) {
            let command = match PARSED_ONLY.iter().any(|mark| command.contains(mark)) {
                true => {
                    let start = command.find("warpscope ").unwrap_or(0);
                    let end =
                        command[start..].find([';', '|', '>']).unwrap_or(command.len() - start);
                    format!("{} --help", command[start..start + end].trim())
                }
                false => command,
            };
            let output = Command::new("sh")
                .args(["-c", &command])
                .current_dir(&folder)
                .env("PATH", &path)
                .stdin(Stdio::null())
                .output()
                .unwrap();
            run += 1;
            // 1 is a verdict: `check` found something, `replay` a difference.
            if !matches!(output.status.code(), Some(0 | 1)) {
                let stderr = String::from_utf8_lossy(&output.stderr);
                faults.push(format!("{document}:{line}: {command}\n{}: {stderr}", output.status));
            }
            if command.contains("dissect -r nfs.pcapng") && output.stdout.is_empty() {
                faults.push(format!("{document}:{line}: {command}\nfinds nothing"));
            }
        }
    }
    assert!(run > 40, "only {run} commands were found");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn the_readme_counts_rightly() {
    let readme = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/README.md")).unwrap();
    let readme = readme.replace(',', "").split_whitespace().collect::<Vec<_>>().join(" ");
    let last = |words: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_warpscope"));
        let output = command.args(words.split(' ')).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let indented = text.lines().filter(|it| it.starts_with("  ")).count();
        (indented, text.lines().last().unwrap().to_owned())
    };
    let (rules, _) = last("rules");
    let (_, cases) = last("conform list");
    let (_, bugs) = last("peer bugs");
    let (cases, instances) = cases.split_once(", ").unwrap();
    let bugs = bugs.split(' ').next().unwrap();
    for claim in [
        format!("{rules} rules from the RFCs"),
        format!("{} conformance cases ({instances})", cases.split(' ').next().unwrap()),
        format!("{bugs} seeded bugs"),
    ] {
        assert!(readme.contains(&claim), "README.md should say: {claim}");
    }
}

/// The demo is one screen and a half, and each command in it has something to say.
#[test]
fn the_demo_tells_its_story() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut demo = Command::new(root.join("scripts/demo"));
    let output = demo.arg(assert_cmd::cargo::cargo_bin!("warpscope")).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    let lines = text.lines().count();
    assert!((40..=70).contains(&lines), "{lines} lines:\n{text}");
    let wide = text.lines().find(|line| !line.starts_with('$') && line.chars().count() > 100);
    assert_eq!(wide, None, "{text}");
    for expected in [
        "Read Response STag=",
        "refuses the Write of the initiator",
        "rdmap-terminate-echo",
        "Latency: 0.089290000 seconds",
        "the CRC field is sent as 0",
        "Now try:",
    ] {
        assert!(text.contains(expected), "no {expected} in\n{text}");
    }
    for part in text.split("\n$ ").skip(1) {
        assert!(part.lines().nth(1).is_some_and(|line| !line.is_empty()), "{part}");
    }
}

/// Words in backquotes that name a file or folder: of the workspace, or of a crate's `src`.
#[test]
fn every_path_in_the_architecture_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let crates = " wire/src dissector/src reference-peer/src reference-peer/nfs/src conformance/src tui/src src";
    let mut missing = Vec::new();
    for document in ["ARCHITECTURE.md", "CONTRIBUTING.md"] {
        let text = fs::read_to_string(root.join(document)).unwrap();
        for (at, line) in text.lines().enumerate() {
            for word in line.split('`').skip(1).step_by(2) {
                let begins = word.split('/').next().filter(|it| it.len() < word.len());
                let within = begins.is_some_and(|it| !it.is_empty() && root.join(it).is_dir());
                let named = within || word.ends_with(".rs") || word.ends_with('/');
                let whole = word != "mod.rs" && !word.contains([' ', '*', '{', ':', '<']);
                if named
                    && whole
                    && !crates.split(' ').any(|base| root.join(base).join(word).exists())
                {
                    missing.push(format!("{document}:{}: {word}", at + 1));
                }
            }
        }
    }
    assert!(missing.is_empty(), "not there:\n{}", missing.join("\n"));
}
