//! `follow`.

use super::program::{Folder, has, printed, refused, run, shipped};
use quick_xml::events::{BytesStart, Event};

const TERMINATES: &str = "captures/e1-terminate-stock.pcap";
const NFS: &str = "captures/g-nfs-v3-cut.pcap.zst";

/// `follow` a shipped capture.
fn follow(capture: &str, arguments: &str) -> String {
    format!("follow {} {arguments}", shipped(capture))
}

#[test]
fn without_a_number_the_connections_are_listed() {
    has(&printed(follow(NFS, "")), &["10.66.0.1:20049", "no iWARP", "warpscope follow "]);
}

#[test]
fn a_ladder_is_plain_in_a_pipe() {
    let text = printed(follow(TERMINATES, "2"));
    assert!(!text.contains('\u{1b}'), "{text}");
    has(&text, &["─▶", "◀─", "Write #1: 256 bytes", "refuses the Write"]);
    let lane = text.lines().filter(|line| line.ends_with('│'));
    let widths: Vec<usize> = lane.map(|line| line.chars().count()).collect();
    assert!(widths.len() > 8 && widths.iter().all(|width| *width == widths[0]), "{text}");
    assert!(widths[0] <= 120);
}

#[test]
fn a_limit_says_what_is_left_out() {
    let text = printed(follow(NFS, "2 --limit 3"));
    has(&text, &["left out because of --limit: ", " call"]);
    let folder = Folder::new();
    run(follow(NFS, &format!("2 --limit 10 --html {folder}/a.html"))).with(0);
    has(&folder.read("a.html"), &["Left out: ", "10 arrows"]);
}

#[test]
fn a_number_that_is_not_there_is_refused() {
    has(&refused(follow(NFS, "77")), &["no connection 77", "lists the connections"]);
    run(follow(NFS, "2 --from 9 --to 8")).with(2);
}

/// The connection may be in the part that is damaged.
#[test]
fn a_number_that_is_not_there_is_no_excuse_for_damage() {
    let folder = Folder::new();
    let whole = std::fs::read(shipped(TERMINATES)).unwrap();
    let cut = folder.write("cut.pcap", &whole[..2000]);
    let ended = run(format!("follow {cut} 7")).with(1);
    assert_eq!(ended.out, "");
    has(
        &ended.err,
        &["cut.pcap: the capture is cut off", "no connection 7 in the part that could"],
    );
    // Nothing of it could be read.
    let cut = folder.write("cut.pcap", &whole[..30]);
    has(&run(format!("follow {cut} 7")).with(2).err, &["no frame could be read"]);
}

/// An element's name, and its attributes with their values.
type Element = (String, Vec<(String, String)>);

/// What may be written for a character that means something.
const ENTITIES: [&str; 5] = ["amp", "lt", "gt", "quot", "#39"];

fn element(start: &BytesStart<'_>) -> Element {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    let attributes = start.attributes().map(|attribute| {
        let attribute = attribute.unwrap();
        let value = text(&attribute.value);
        for entity in value.split('&').skip(1) {
            let known = ENTITIES.iter().any(|known| entity.starts_with(&format!("{known};")));
            assert!(known && !value.contains('<'), "{value}");
        }
        (text(attribute.key.as_ref()), value)
    });
    (text(start.name().as_ref()), attributes.collect())
}

/// The elements of a document that is well-formed XML, with no entities but the known ones, and with
/// neither entities nor elements in styles and scripts.
fn elements(document: &str) -> Vec<Element> {
    let (mut reader, mut open) = (quick_xml::Reader::from_str(document), 0);
    let mut elements: Vec<Element> = Vec::new();
    loop {
        let is_code = elements.last().is_some_and(|(name, _)| name == "style" || name == "script");
        match reader.read_event().unwrap() {
            Event::Start(start) => {
                open += 1;
                elements.push(element(&start));
            }
            Event::End(_) => open -= 1,
            Event::Empty(start) => elements.push(element(&start)),
            Event::GeneralRef(entity) => {
                assert!(!is_code && ENTITIES.contains(&&*entity.decode().unwrap()), "{entity:?}");
            }
            Event::Text(_) | Event::DocType(_) => {}
            Event::Eof => break,
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(open, 0, "all that is opened is closed");
    elements
}

/// Fails when a document leads out of itself.
fn self_contained(document: &str) {
    let foreign = ["link", "img", "iframe", "object", "embed", "base", "image", "use"];
    let leads = ["src", "href", "data", "action", "srcset", "poster", "style"];
    for (name, attributes) in elements(document) {
        assert!(!foreign.contains(&&*name), "{name}");
        for (attribute, value) in attributes {
            if leads.contains(&&*attribute) {
                assert!(attribute == "href" && value.starts_with('#'), "{attribute}={value}");
            }
            assert!(!attribute.starts_with("on"), "{attribute}");
        }
    }
    let without_namespace = document.replace("http://www.w3.org/2000/svg", "");
    for reference in ["://", "url(", "@import", "fetch", "XMLHttp", "import("] {
        assert!(!without_namespace.contains(reference), "{reference}");
    }
    has(document, &["prefers-color-scheme: dark"]);
}

#[test]
fn page_and_picture_need_nothing_but_themselves() {
    let folder = Folder::new();
    for (file, flow, least) in [
        (NFS, "2", 90),
        (TERMINATES, "2", 8),
        ("captures/i1-netem-loss-reorder.pcap.zst", "0", 100),
        ("synthetic/rfc7306.pcap", "0", 10),
    ] {
        let line =
            follow(file, &format!("{flow} --force --html {folder}/a.html --svg {folder}/a.svg"));
        assert_eq!(printed(line), "");
        let page = folder.read("a.html");
        self_contained(&page);
        let picture = folder.read("a.svg");
        self_contained(&picture);
        // Every kind of arrow has its colour.
        let groups = elements(&picture).into_iter().filter(|(name, _)| name == "g");
        for (_, class) in groups.flat_map(|(_, all)| all).filter(|(name, _)| name == "class") {
            let words = class.split(' ').map(|word| format!(".{word} "));
            words.for_each(|word| assert!(picture.contains(&word), "no style for {word}"));
        }
        let elements = elements(&page);
        let values = |element: Option<&str>, attribute: &str| -> Vec<&str> {
            let of = elements.iter().filter(|(name, _)| element.is_none_or(|it| it == name));
            let all = of.flat_map(|(_, attributes)| attributes);
            all.filter(|(name, _)| name == attribute).map(|(_, value)| &**value).collect()
        };
        let rows = values(Some("li"), "id");
        assert!(rows.len() >= least, "{file}: {} rows", rows.len());
        for place in values(None, "href") {
            assert!(rows.contains(&&place[1..]), "{place} leads nowhere");
        }
    }
}
