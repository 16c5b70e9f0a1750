//! `-T json` and `-T ndjson`.

use super::dissected;
use serde_json::{Value, json};

#[test]
fn an_array_in_the_layout_of_tshark() {
    let text = dissected(&["-T", "json"]);
    let start = "[\n  {\n    \"_index\": \"packets-2023-11-14\",\n    \"_type\": \"doc\",\n    \
                 \"_score\": null,\n    \"_source\": {\n      \"layers\": {\n        \"frame\": {\n";
    assert!(text.starts_with(start), "{text}");
    assert!(text.ends_with("\n  }\n]\n"), "{text}");
    let frames: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(frames.as_array().unwrap().len(), 10);
    let layers = &frames[0]["_source"]["layers"];
    assert_eq!(layers["frame"]["frame.number"], "1");
    assert_eq!(layers["ip"]["ip.addr"], json!(["10.0.0.2", "10.0.0.1"]));
    assert_eq!(layers["ip"]["ip.flags"], "0x02");
    assert_eq!(layers["ip"]["ip.flags_tree"]["ip.flags.df"], "1");
    assert_eq!(layers["tcp"]["tcp.flags_tree"]["tcp.flags.syn"], "1");
}

#[test]
fn bytes_with_their_places() {
    let text = dissected(&["-T", "json", "-x", "-c", "1"]);
    let frames: Value = serde_json::from_str(&text).unwrap();
    let layers = &frames[0]["_source"]["layers"];
    assert_eq!(layers["frame_raw"][2], 54);
    assert_eq!(layers["ip"]["ip.version_raw"], json!(["4", 14, 1, 240, 4]));
    assert_eq!(layers["ip"]["ip.src_raw"], json!(["0a000002", 26, 4, 0, 32]));
    assert_eq!(layers["tcp"]["tcp.srcport_raw"], json!(["9c40", 34, 2, 0, 5]));
}

#[test]
fn an_object_a_line() {
    let text = dissected(&["-T", "ndjson"]);
    assert!(text.starts_with("{\"frame\":1,\"layers\":{\"frame\":{"), "{text}");
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 10);
    assert_eq!(lines[8]["frame"], 9);
    assert_eq!(lines[8]["layers"]["arp"]["arp.opcode"], "1");
}

#[test]
fn some_fields_as_arrays() {
    let fields = ["-c", "1", "-e", "ip.addr", "-e", "arp.opcode", "-T"];
    let text = dissected(&[&fields[..], &["json"]].concat());
    let frames: Value = serde_json::from_str(&text).unwrap();
    let expected = json!({ "ip.addr": ["10.0.0.2", "10.0.0.1"] });
    assert_eq!(frames[0]["_source"]["layers"], expected);
    let text = dissected(&[&fields[..], &["ndjson"]].concat());
    let expected = "{\"frame\":1,\"layers\":{\"ip.addr\":[\"10.0.0.2\",\"10.0.0.1\"]}}\n";
    assert_eq!(text, expected);
}

#[test]
fn no_frames_are_an_empty_array() {
    assert_eq!(dissected(&["-T", "json", "-Y", "udp"]), "[]\n");
    assert_eq!(dissected(&["-T", "ndjson", "-Y", "udp"]), "");
}
