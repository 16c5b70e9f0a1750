//! `follow`.

use super::warpscope;
use std::path::PathBuf;

fn capture(name: &str) -> String {
    let traces = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("traces");
    traces.join(name).to_string_lossy().into_owned()
}

fn printed(arguments: &[&str]) -> String {
    let output = warpscope(arguments).assert().success().stderr("").get_output().stdout.clone();
    String::from_utf8(output).unwrap()
}

const TERMINATES: &str = "captures/e1-terminate-stock.pcap";
const NFS: &str = "captures/g-nfs-v3-cut.pcap.zst";

#[test]
fn without_a_number_the_connections_are_listed() {
    let text = printed(&["follow", &capture(NFS)]);
    assert!(text.contains("10.66.0.1:20049") && text.contains("no iWARP"), "{text}");
    assert!(text.contains("warpscope follow "), "{text}");
}

#[test]
fn a_ladder_is_plain_in_a_pipe() {
    let text = printed(&["follow", &capture(TERMINATES), "2"]);
    assert!(!text.contains('\u{1b}'), "{text}");
    for words in
        ["\u{2500}\u{25b6}", "\u{25c0}\u{2500}", "Write #1: 256 bytes", "refuses the Write"]
    {
        assert!(text.contains(words), "{words} in {text}");
    }
    let lane = text.lines().filter(|line| line.ends_with('\u{2502}'));
    let widths: Vec<usize> = lane.map(|line| line.chars().count()).collect();
    assert!(widths.len() > 8 && widths.iter().all(|width| *width == widths[0]), "{text}");
    assert!(widths[0] <= 120);
}

#[test]
fn a_limit_says_what_is_left_out() {
    let text = printed(&["follow", &capture(NFS), "2", "--limit", "3"]);
    assert!(text.contains("left out because of --limit: ") && text.contains("RPC call"), "{text}");
}

#[test]
fn a_number_that_is_not_there_is_refused() {
    let file = capture(NFS);
    let output =
        warpscope(&["follow", &file, "77"]).assert().code(2).stdout("").get_output().clone();
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.contains("no connection 77") && text.contains("lists what there is"), "{text}");
    warpscope(&["follow", &file, "2", "--from", "9", "--to", "8"]).assert().code(2);
}

/// The text of a document whose tags all close in the right order.
///
/// Fails on anything that is not well-formed: an unknown entity, a stray `<` or `&`, an attribute
/// without quotes, or one that comes twice.
fn checked(document: &str) -> Vec<(String, Vec<(String, String)>)> {
    let mut open: Vec<String> = Vec::new();
    let mut elements = Vec::new();
    let mut rest = document;
    while let Some(at) = rest.find('<') {
        entities(&rest[..at]);
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix("!DOCTYPE html>") {
            rest = after;
            continue;
        }
        let end = rest.find('>').unwrap();
        let (tag, after) = (&rest[..end], &rest[end + 1..]);
        rest = after;
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop().as_deref(), Some(name), "</{name}> closes what is open");
            continue;
        }
        let (tag, empty) = match tag.strip_suffix('/') {
            Some(tag) => (tag, true),
            None => (tag, false),
        };
        let (name, attributes) = tag.split_once(' ').unwrap_or((tag, ""));
        assert!(!name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric()));
        elements.push((name.to_owned(), self::attributes(attributes)));
        if !empty {
            open.push(name.to_owned());
        }
        if matches!(name, "style" | "script") {
            let end = rest.find("</").unwrap();
            assert!(!rest[..end].contains(['<', '&']), "{name} must be XML too");
        }
    }
    assert!(open.is_empty(), "{open:?} are left open");
    elements
}

fn attributes(mut text: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    while !text.trim().is_empty() {
        let (name, rest) = text.trim_start().split_once("=\"").unwrap();
        let (value, rest) = rest.split_once('"').unwrap();
        assert!(name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-'), "{name}");
        entities(value);
        assert!(!found.iter().any(|(other, _)| other == name), "{name} comes twice");
        found.push((name.to_owned(), value.to_owned()));
        text = rest;
    }
    found
}

fn entities(text: &str) {
    for (at, _) in text.match_indices('&') {
        let known = ["&amp;", "&lt;", "&gt;", "&quot;", "&#39;"];
        assert!(known.iter().any(|entity| text[at..].starts_with(entity)), "{}", &text[at..]);
    }
}

/// Fails when a document leads out of itself.
fn self_contained(document: &str) {
    for (name, attributes) in checked(document) {
        assert!(
            !["link", "img", "iframe", "object", "embed", "base", "image", "use"]
                .contains(&name.as_str())
        );
        for (attribute, value) in attributes {
            let leads = ["src", "href", "data", "action", "srcset", "poster", "style"];
            if leads.contains(&attribute.as_str()) {
                assert!(attribute == "href" && value.starts_with('#'), "{attribute}={value}");
            }
            assert!(!attribute.starts_with("on"), "{attribute}");
        }
    }
    let without_namespace = document.replace("http://www.w3.org/2000/svg", "");
    for reference in ["://", "url(", "@import", "fetch", "XMLHttp", "import("] {
        assert!(!without_namespace.contains(reference), "{reference}");
    }
}

#[test]
fn page_and_picture_need_nothing_but_themselves() {
    let folder = tempfile::tempdir().unwrap();
    let (page, picture) = (folder.path().join("a.html"), folder.path().join("a.svg"));
    for (file, flow, least) in [
        (NFS, "2", 90),
        (TERMINATES, "2", 8),
        ("captures/i1-netem-loss-reorder.pcap.zst", "0", 100),
        ("synthetic/rfc7306.pcap", "0", 10),
    ] {
        let file = capture(file);
        let mut command = warpscope(&["follow", &file, flow]);
        command.arg("--html").arg(&page).arg("--svg").arg(&picture);
        command.assert().success().stdout("").stderr("");
        let page = std::fs::read_to_string(&page).unwrap();
        self_contained(&page);
        let ids: Vec<String> = checked(&page)
            .into_iter()
            .filter(|(name, _)| name == "li")
            .filter_map(|(_, it)| it.into_iter().find(|(name, _)| name == "id"))
            .map(|(_, id)| id)
            .collect();
        assert!(ids.len() >= least, "{file}: {} rows", ids.len());
        for (_, attributes) in checked(&page) {
            for (name, value) in attributes {
                if name == "href" {
                    assert!(ids.iter().any(|id| *id == value[1..]), "{value} leads nowhere");
                }
            }
        }
        let picture = std::fs::read_to_string(&picture).unwrap();
        self_contained(&picture);
        assert!(page.contains("prefers-color-scheme: dark"));
        assert!(picture.contains("prefers-color-scheme: dark"));
    }
}

#[test]
fn a_long_conversation_says_what_is_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("a.html");
    let mut command = warpscope(&["follow", &capture(NFS), "2", "--limit", "10", "--html"]);
    command.arg(&page).assert().success();
    let page = std::fs::read_to_string(&page).unwrap();
    assert!(page.contains("Left out: ") && page.contains("10 arrows"), "{page}");
}
