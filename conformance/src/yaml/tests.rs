use super::*;

fn read(text: &str) -> Result<Node, String> {
    parse(&Source::new("a.yaml", text)).map_err(|error| error.to_string())
}

#[test]
fn every_part_has_its_place() {
    let node = read("a: 0x1_0\nb:\n  - {c: \"7\", d: on}\n").unwrap();
    let (key, value) = &node.map().unwrap()[0];
    assert_eq!(
        (key.place, value.place),
        (Place { line: 1, column: 1 }, Place { line: 1, column: 4 })
    );
    assert_eq!(value.number(), Some(16));
    let inner = &node.of("b").unwrap().list().unwrap()[0];
    assert_eq!(inner.place, Place { line: 3, column: 5 });
    assert_eq!(inner.of("c").unwrap().number(), None, "a text in quotes is no number");
    assert_eq!(inner.of("d").unwrap().truth(), Some(true));
}

#[test]
fn what_is_wrong_has_its_place_and_line() {
    let error = read("a: 1\na: 2\n").unwrap_err();
    assert_eq!(error, "a.yaml:2:1: the key `a` stands here a second time\n  2 | a: 2\n    | ^");
    for text in ["", "a: [1\n", "a: *b\n", "a: &b 1\n", "---\na\n---\nb\n", "? [a]\n: 1\n", "\u{0}"]
    {
        let error = read(text).unwrap_err();
        assert!(error.starts_with("a.yaml:"), "{error}");
        assert!(!error.contains(":0:"), "{error}");
    }
}

#[test]
fn the_nearest_name_is_offered() {
    let known = ["queue_number", "message_offset"];
    assert_eq!(nearest("queue_numbr", known), Some("queue_number"));
    assert_eq!(nearest("zzz", known), None);
    assert!(unknown("no", "zzz", &known).contains("there are queue_number, message_offset"));
}
