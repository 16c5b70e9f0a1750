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
    assert_eq!(error, "a.yaml:2:1: duplicate key `a`\n  2 | a: 2\n    | ^");
    for text in ["", "a: [1\n", "a: *b\n", "a: &b 1\n", "---\na\n---\nb\n", "? [a]\n: 1\n", "\u{0}"]
    {
        let error = read(text).unwrap_err();
        assert!(error.starts_with("a.yaml:"), "{error}");
        assert!(!error.contains(":0:"), "{error}");
    }
}

#[test]
fn the_nearest_name_is_offered_or_all_are_listed() {
    let known = ["queue_number", "message_offset"];
    assert_eq!(unknown("no", "queue_numbr", &known), "no; did you mean `queue_number`?");
    assert_eq!(unknown("no", "zzz", &known), "no; expected one of queue_number, message_offset");
    let many: Vec<String> = (0..30).map(|it| format!("name{it:02}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let words = unknown_of("no", "zzz", &many, "warpscope peer bugs");
    assert!(words.ends_with("name23, or 6 others: `warpscope peer bugs` lists all"), "{words}");
}

#[test]
fn what_is_not_yaml_is_told_in_plain_words_where_to_look() {
    #[track_caller]
    fn assert_error(text: &str, expected: &str) {
        let error = read(text).unwrap_err();
        let first = error.lines().next().unwrap();
        let (place, what) = expected.split_once(' ').unwrap();
        assert_eq!(first, format!("a.yaml:{place} this is not YAML: {what}"));
    }
    let blank = "missing a space after the `:`";
    assert_error("title:A\ncovers: [x]\n", &format!("1:6: {blank}"));
    assert_error("id: x\ntitle:A\ncovers: [x]\n", &format!("2:6: {blank}"));
    assert_error("steps:\n- expect: closed\n  within:2s\n- wait: 1s\n", &format!("3:9: {blank}"));
    assert_error("steps:\n- send:{send: [1]}\n", &format!("2:7: {blank}"));
    let colon = "text that contains `: ` must be in quotes";
    assert_error("id: x\ntitle: A case: wrong\n", &format!("2:14: {colon}"));
    assert_error("steps:\n- note: a: b\n  wait: 1s\n", &format!("2:10: {colon}"));
    let brace = "2:9: this `{` is not closed";
    assert_error("steps:\n- send: {send: {mo: 1}\n- expect: closed\n", brace);
    assert_error("steps:\n- send: {send: {mo: 1}\n", brace);
    assert_error("covers: [A, B\ntitle: t\n", "1:9: this `[` is not closed");
    assert_error("steps:\n- send: {send: [1}}\n", "2:16: this `[` is not closed");
    assert_error("a: {b: 1 c: 2}\n", "1:11: missing a comma or a bracket before this");
    assert_error("a: {b: 1}}\n", "1:10: this closes a bracket that was not opened");
    let quote = "2:8: this quote is not closed";
    assert_error("id: x\ntitle: \"an open quote\ncovers: [x]\n", quote);
    assert_error("id: x\ntitle: 'an open quote\n", quote);
    assert!(read("title: 'it's\n").unwrap_err().contains("inside '...', write '' for a quote"));
    let left = "the indentation does not match the lines around it";
    assert_error("steps:\n- expect: closed\n   within: 2s\n", &format!("3:4: {left}"));
    assert_error("steps:\n- expect: closed\n within: 2s\n", &format!("3:2: {left}"));
    assert_error("id: x\n  title: y\n", &format!("2:3: {left}"));
    assert_error("id x\ntitle: t\n", "1:3: missing a `:` here");
    assert_error("id: x\nsteps\n- wait: 1s\n", "2:6: missing a `:` here");
    assert_error("a:\n\t- b\n", "2:2: found a tab: indent with spaces");
    assert_error("a: @b\n", "1:4: text that begins with `@` must be in quotes");
}

#[test]
fn what_is_no_text_is_told_where_it_stands() {
    let error = Source::of_bytes("a.yaml", b"id: x\ntitle: \xe4\n".to_vec()).unwrap_err();
    let message = error.to_string();
    let expected = "a.yaml:2:8: this is not text: the byte 0xe4 is not UTF-8\n  2 | title: ";
    assert!(message.starts_with(expected), "{message}");
    let good = Source::of_bytes("a.yaml", "title: \u{e4}".into()).unwrap();
    assert_eq!(good.text(), "title: \u{e4}");
}
