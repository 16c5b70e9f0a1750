//! The order of the workspace: which crate may use which, what every crate's manifest and source must
//! have, and what no source file may have. Each failure says what to do.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "these are tests")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use proc_macro2::{TokenStream, TokenTree};
use serde_json::Value;

/// The crates, by directory, and the crates that each may use. The root (`""`) is the binary.
/// A crate that is not in the workspace does no harm.
const CRATES: &[(&str, &str)] = &[
    (
        "",
        "agents/protocol text yaml wire dissector replay reference-peer reference-peer/nfs conformance/requirements \
         conformance tui traces",
    ),
    ("agents/protocol", ""),
    ("text", ""),
    ("yaml", "text"),
    ("wire", ""),
    ("traces", "wire"),
    ("dissector", "text wire"),
    ("replay", "yaml wire dissector"),
    ("reference-peer", "agents/protocol text wire"),
    ("reference-peer/nfs", "wire reference-peer"),
    ("conformance/requirements", ""),
    ("conformance", "agents/protocol text yaml wire dissector conformance/requirements"),
    ("tui", "text wire dissector"),
];

/// The crates that any other may use in its tests.
const TEST_CRATES: &[&str] = &["traces", "conformance/requirements"];

/// Crates that judge what another does, in that crate's tests alone.
const JUDGES: &[(&str, &str)] =
    &[("reference-peer", "dissector"), ("reference-peer/nfs", "dissector")];

/// The only crates that `wire` is built with: none of them does I/O or reads a clock.
const WIRE_IS_BUILT_WITH: &[&str] = &["crc-fast", "nom", "strum", "thiserror"];

/// The longest that a source file may be.
const MOST_LINES: usize = 800;

/// What `cargo metadata` says, which needs no network for these arguments.
fn metadata(arguments: &[&str]) -> Value {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked", "--offline"])
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs: it runs this test");
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "cargo metadata failed: {complaint}");
    serde_json::from_slice(&output.stdout).expect("cargo metadata prints its JSON")
}

/// The workspace's own packages, by directory.
fn crates() -> (PathBuf, BTreeMap<String, Value>) {
    let metadata = metadata(&["--no-deps"]);
    let root = PathBuf::from(text(&metadata["workspace_root"]));
    let with_place = |package: &Value| {
        let manifest = Path::new(text(&package["manifest_path"]));
        let directory = manifest.parent().expect("a manifest lies somewhere");
        (place_of(&root, directory), package.clone())
    };
    let crates = list(&metadata["packages"]).iter().map(with_place).collect();
    (root, crates)
}

fn text(value: &Value) -> &str {
    value.as_str().expect("cargo metadata has a text here")
}

fn list(value: &Value) -> &[Value] {
    value.as_array().expect("cargo metadata has a list here")
}

/// The place of a directory in the workspace.
fn place_of(root: &Path, directory: &Path) -> String {
    let inside = directory.strip_prefix(root).unwrap_or(directory);
    inside.to_string_lossy().replace('\\', "/")
}

/// Says all of `faults` at once, if there are any.
fn no_faults(faults: impl IntoIterator<Item = String>) {
    let faults: Vec<String> = faults.into_iter().collect();
    assert!(faults.is_empty(), "\n* {}\n", faults.join("\n* "));
}

#[test]
fn crates_use_only_the_crates_below_them() {
    let (root, crates) = crates();
    let mut faults = Vec::new();
    for (user, package) in &crates {
        let Some((_, may_use)) = CRATES.iter().find(|(place, _)| place == user) else {
            faults.push(format!(
                "{user} is a crate that no arrow is known of: give it one in CRATES"
            ));
            continue;
        };
        for dependency in list(&package["dependencies"]) {
            let Some(path) = dependency["path"].as_str() else { continue };
            let used = place_of(&root, Path::new(path));
            let in_tests = dependency["kind"] == "dev";
            let allowed = may_use.split(' ').any(|it| it == used)
                || (in_tests && (TEST_CRATES.contains(&used.as_str()) || used == *user))
                || (in_tests && JUDGES.contains(&(user.as_str(), used.as_str())));
            if !allowed {
                faults.push(forbidden(user, &used, may_use));
            }
        }
    }
    no_faults(faults);
}

/// What to do about an arrow that must not be.
fn forbidden(user: &str, used: &str, may_use: &str) -> String {
    let why = match (user, used) {
        (_, "") => {
            "nothing uses the binary: move what you need out of src/ into a library".to_owned()
        }
        ("conformance", "reference-peer") | ("reference-peer", "conformance") => {
            "these two meet over a socket, as with any other target, so that they cannot be wrong \
             together: move what both need into wire, or write it twice"
                .to_owned()
        }
        _ => format!(
            "it may use [{may_use}]: move what you need into one of these, or hand it in as an \
             argument"
        ),
    };
    let used = if used.is_empty() { "the binary" } else { used };
    format!("{user}/Cargo.toml uses {used}: {why}")
}

#[test]
fn wire_does_no_input_or_output() {
    let (_, crates) = crates();
    let Some(wire) = crates.get("wire") else { return };
    let built_with = list(&wire["dependencies"]).iter().filter(|it| it["kind"] != "dev");
    let names = built_with.map(|it| text(&it["name"]));
    let strangers = names.filter(|name| !WIRE_IS_BUILT_WITH.contains(name));
    no_faults(strangers.map(|name| {
        format!(
            "wire/Cargo.toml uses {name}, and wire is a codec without I/O and clock: if the crate has \
             neither, add it to WIRE_IS_BUILT_WITH; if it has, use it in another crate"
        )
    }));
}

#[test]
fn the_stated_rust_version_is_enough_for_every_dependency() {
    let host = Command::new("rustc").arg("-vV").output().expect("rustc runs").stdout;
    let host = String::from_utf8(host).unwrap();
    let host = host.lines().find_map(|line| line.strip_prefix("host: ")).expect("rustc has a host");
    let (_, crates) = crates();
    let stated = text(&crates[""]["rust_version"]);
    let metadata = metadata(&["--filter-platform", host]);
    let newer = list(&metadata["packages"]).iter().filter_map(|package| {
        let needed = package["rust_version"].as_str()?;
        (numbers(needed) > numbers(stated)).then(|| {
            format!(
                "{} needs Rust {needed} and Cargo.toml states {stated}: raise rust-version there, \
                 or `cargo update` to a version that needs less",
                text(&package["name"])
            )
        })
    });
    no_faults(newer);
}

/// `1.89` as numbers that compare; a missing third number is 0.
fn numbers(version: &str) -> Vec<u32> {
    let mut numbers: Vec<u32> = version.split('.').map(|part| part.parse().unwrap()).collect();
    numbers.resize(3, 0);
    numbers
}

#[test]
fn every_crate_takes_the_lints_of_the_workspace() {
    let (root, crates) = crates();
    let mut faults = Vec::new();
    let manifest = std::fs::read_to_string(root.join("Cargo.toml")).unwrap();
    if !section_says(&manifest, "[workspace.lints.rust]", "unsafe_code=\"forbid\"") {
        faults.push(
            "Cargo.toml: put `unsafe_code = \"forbid\"` back under [workspace.lints.rust]".into(),
        );
    }
    for (place, package) in &crates {
        let manifest = std::fs::read_to_string(text(&package["manifest_path"])).unwrap();
        if !section_says(&manifest, "[lints]", "workspace=true") {
            faults.push(format!(
                "{} forbids no unsafe code: add the section [lints] with `workspace = true`",
                Path::new(place).join("Cargo.toml").display()
            ));
        }
    }
    no_faults(faults);
}

/// Whether a section of a manifest has a line, blanks apart.
fn section_says(manifest: &str, section: &str, line: &str) -> bool {
    let mut lines = manifest.lines().map(|it| it.replace([' ', '\t'], ""));
    lines.any(|it| it == section)
        && lines.take_while(|it| !it.starts_with('[')).any(|it| it == line)
}

#[test]
fn no_source_file_is_too_long() {
    let lines = sources().into_iter().map(|(name, text)| (name, text.lines().count()));
    let too_long = lines.filter(|(_, lines)| *lines > MOST_LINES);
    no_faults(too_long.map(|(name, lines)| {
        format!(
            "{name} has {lines} lines, and {MOST_LINES} is the most: split it by what its parts are \
             about (tests go to a file beside it)"
        )
    }));
}

#[test]
fn top_level_modules_do_not_import_each_other_in_a_circle() {
    let (_, crates) = crates();
    let sources = sources();
    let mut faults = Vec::new();
    for place in crates.keys() {
        let imports = imports_between_modules(place, &sources);
        faults.extend(imports.iter().filter_map(|((user, used), file)| {
            let back = way(&imports, used, user)?;
            Some(format!(
                "{file} imports from `{used}`, and {back} from `{user}`: move what both need into a \
                 module below them"
            ))
        }));
    }
    no_faults(faults);
}

/// Which top-level module of a crate imports from which, with a file that does.
type Imports = BTreeMap<(String, String), String>;

/// The imports between the top-level modules of the crate in a directory, its tests apart.
fn imports_between_modules(place: &str, sources: &[(String, String)]) -> Imports {
    let directory = if place.is_empty() { "src/".to_owned() } else { format!("{place}/src/") };
    let files: Vec<(&str, &str, &str)> = sources
        .iter()
        .filter_map(|(name, text)| {
            let inside = name.strip_prefix(&directory)?;
            let module = inside.split('/').next()?.trim_end_matches(".rs");
            let is_test = inside.split('/').any(|part| part.trim_end_matches(".rs") == "tests");
            let text = text.split("\n#[cfg(test)]\n").next()?;
            (!is_test).then_some((name.as_str(), module, text))
        })
        .collect();
    let mut imports = Imports::new();
    for (name, module, text) in &files {
        let is_top_level = *name == format!("{directory}{module}.rs");
        let starts: &[&str] = if is_top_level { &["crate", "super"] } else { &["crate"] };
        let mut names = Vec::new();
        add_first_names(code(name, text), starts, &mut names);
        names.retain(|used| used != module && files.iter().any(|(_, module, _)| module == used));
        for used in names {
            imports.entry(((*module).to_owned(), used)).or_insert_with(|| (*name).to_owned());
        }
    }
    imports
}

/// Adds the first names of the paths that begin so: `a` of `crate::a::b`, and `a` and `c` of
/// `crate::{a::b, c}`.
fn add_first_names(code: TokenStream, starts: &[&str], names: &mut Vec<String>) {
    let tokens: Vec<TokenTree> = code.into_iter().collect();
    for (at, token) in tokens.iter().enumerate() {
        let begins = starts.iter().any(|start| token.to_string() == *start)
            && tokens[at + 1..].iter().take(2).all(|colon| colon.to_string() == ":");
        match tokens.get(at + 3).filter(|_| begins) {
            Some(TokenTree::Group(group)) => {
                let inside: Vec<TokenTree> = group.stream().into_iter().collect();
                let paths = inside.split(|token| token.to_string() == ",");
                names.extend(paths.filter_map(|path| Some(path.first()?.to_string())));
            }
            Some(name) => names.push(name.to_string()),
            None => {}
        }
        if let TokenTree::Group(group) = token {
            add_first_names(group.stream(), starts, names);
        }
    }
}

/// A file through which one module reaches another, directly or over others: the last one.
fn way<'a>(imports: &'a Imports, from: &str, to: &str) -> Option<&'a str> {
    let mut reached = vec![from];
    let mut at = 0;
    while let Some(module) = reached.get(at).copied() {
        for ((user, used), file) in imports {
            if user == module && used == to {
                return Some(file);
            }
            if user == module && !reached.contains(&used.as_str()) {
                reached.push(used);
            }
        }
        at += 1;
    }
    None
}

#[test]
fn mod_files_hold_no_logic() {
    let mod_files = sources().into_iter().filter(|(name, _)| name.ends_with("mod.rs"));
    let with_logic = mod_files.filter(|(name, text)| line_of(code(name, text), "fn").is_some());
    no_faults(
        with_logic
            .map(|(name, _)| format!("{name} defines functions: move them to a file with a name")),
    );
}

#[test]
fn no_source_file_has_unsafe_code() {
    let with_unsafe = sources().into_iter().filter_map(|(name, text)| {
        let line = line_of(code(&name, &text), "unsafe")?;
        Some(format!("{name}:{line}: unsafe code: find a safe way, or a crate that has one"))
    });
    no_faults(with_unsafe);
}

/// Every Rust file of the project: its name in the workspace, and its text.
fn sources() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    let mut directories = vec![root.to_owned()];
    while let Some(directory) = directories.pop() {
        for entry in std::fs::read_dir(directory).unwrap() {
            let entry = entry.unwrap();
            let path = entry.path();
            let name = entry.file_name().to_string_lossy().into_owned();
            if entry.file_type().unwrap().is_dir() {
                // cargo marks what it builds into, wherever that is.
                let built = name == "target" || path.join("CACHEDIR.TAG").exists();
                if !built && !name.starts_with('.') {
                    directories.push(path);
                }
            } else if name.ends_with(".rs") {
                found.push((place_of(root, &path), std::fs::read_to_string(&path).unwrap()));
            }
        }
    }
    found.sort();
    assert!(found.len() > 1, "no sources found in {}", root.display());
    found
}

/// The tokens of a file.
fn code(name: &str, text: &str) -> TokenStream {
    text.parse().unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The line of the first word of this kind.
fn line_of(code: TokenStream, word: &str) -> Option<usize> {
    code.into_iter().find_map(|token| match token {
        TokenTree::Group(group) => line_of(group.stream(), word),
        TokenTree::Ident(name) if name == word => Some(name.span().start().line),
        _ => None,
    })
}

/// The platform that releases are for.
const PLATFORM: &str = "x86_64-unknown-linux-gnu";

/// What the program is built of beside its own crates: names, and whether their sources have `unsafe`.
fn built_of() -> BTreeMap<String, bool> {
    let tree = Command::new(env!("CARGO"))
        .args(["tree", "--locked", "--offline", "--package", "warpscope", "--prefix", "none"])
        .args([
            "--edges",
            "normal,build",
            "--target",
            "x86_64-unknown-linux-gnu",
            "--format",
            "{p}",
        ])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs: it runs this test");
    assert!(tree.status.success(), "{}", String::from_utf8_lossy(&tree.stderr));
    let tree = String::from_utf8_lossy(&tree.stdout).into_owned();
    let built = |name: &str, version: &str| {
        tree.lines().any(|line| line.split(' ').take(2).eq([name, &format!("v{version}")]))
    };
    let mut crates = BTreeMap::new();
    for package in list(&metadata(&["--filter-platform", PLATFORM])["packages"]) {
        let (name, version) = (text(&package["name"]), text(&package["version"]));
        if package["source"].is_null() || !built(name, version) {
            continue;
        }
        let folder = Path::new(text(&package["manifest_path"])).parent().expect("it has a folder");
        *crates.entry(name.to_owned()).or_insert(false) |= has_unsafe(folder);
    }
    crates
}

/// Whether a line of code of a folder begins an unsafe block, function, trait or implementation.
fn has_unsafe(folder: &Path) -> bool {
    std::fs::read_dir(folder).unwrap().flatten().any(|entry| {
        let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
        if path.is_dir() {
            return !["tests", "benches", "examples"].contains(&&*name) && has_unsafe(&path);
        }
        let text = String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned();
        name.ends_with(".rs")
            && text.lines().map(str::trim_start).filter(|line| !line.starts_with("//")).any(
                |line| {
                    let what = ["{", "fn", "impl", "trait", "extern"];
                    line.match_indices("unsafe ").any(|(at, word)| {
                        let behind = line.get(at + word.len()..).unwrap_or_default();
                        what.iter().any(|what| behind.starts_with(what))
                    })
                },
            )
    })
}

/// docs/dependencies.md lists every crate that is built in, and whether it has `unsafe`.
#[test]
fn dependencies_are_listed() {
    let place = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/dependencies.md");
    let built = built_of();
    let mut document = std::fs::read_to_string(place).unwrap();
    for (name, wanted) in [("unsafe", true), ("safe", false)] {
        let names = built.iter().filter(|(_, has)| **has == wanted);
        let names: Vec<String> = names.map(|(name, _)| format!("`{name}`")).collect();
        let lines: Vec<String> = names.chunks(8).map(|names| names.join(", ")).collect();
        let (start, end) = (format!("<!-- {name} -->\n"), "\n<!-- end -->");
        let (before, rest) = document.split_once(&start).unwrap();
        let (listed, behind) = rest.split_once(end).unwrap();
        let now = lines.join(",\n");
        if std::env::var_os("UPDATE_DOCS").is_none() {
            let known: Vec<&str> = listed.split([',', '\n']).map(str::trim).collect();
            no_faults(names.iter().filter(|it| !known.contains(&it.as_str())).map(|it| {
                format!("{it} is new in the list `{name}`: look at it; UPDATE_DOCS=1 adds it")
            }));
            assert_eq!(listed, now, "UPDATE_DOCS=1 writes the lists anew");
        }
        document = format!("{before}{start}{now}{end}{behind}");
    }
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(place, document).unwrap();
    }
    let text = std::fs::read_to_string(place).unwrap();
    let table = text.lines().filter(|line| line.starts_with("| `"));
    let named = table
        .flat_map(|line| line.split('|').nth(1).unwrap_or_default().split('`').skip(1).step_by(2));
    no_faults(
        named
            .filter(|name| !built.contains_key(*name))
            .map(|name| format!("{name} is said to read input, and is not built in")),
    );
}

#[test]
fn comments_and_strings_are_no_code() {
    let text = "use crate::{a::b, c}; // crate::no unsafe\nconst TEXT: &str = \"crate::no unsafe\";\n\
                fn f() { crate::d::e(super::g, crate::h!(), '\"') /* unsafe */ }\nunsafe fn i() {}";
    let mut names = Vec::new();
    add_first_names(code("x.rs", text), &["crate", "super"], &mut names);
    assert_eq!(names, ["a", "c", "d", "g", "h"]);
    assert_eq!(line_of(code("x.rs", text), "unsafe"), Some(4));
}
