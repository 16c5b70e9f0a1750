//! docs/robustness.md: what it says is what the tests find.

const PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/robustness.md");

/// The part of the document between the marks of this name.
pub(crate) fn part(name: &str) -> String {
    let text = std::fs::read_to_string(PATH).unwrap();
    let (_, rest) = text.split_once(&format!("<!-- {name} -->\n")).unwrap();
    rest.split_once("\n<!-- end -->").unwrap().0.to_owned()
}

/// Whether the document is to be written anew.
pub(crate) fn writes() -> bool {
    std::env::var_os("UPDATE_DOCS").is_some()
}

/// Compares a table of figures with the document's, which has the same columns, and these rows among others;
/// figures are of a machine. With `UPDATE_DOCS`, the table is written.
pub(crate) fn figures(name: &str, table: &str) {
    let before = part(name);
    if writes() {
        let text = std::fs::read_to_string(PATH).unwrap();
        std::fs::write(PATH, text.replace(&before, table)).unwrap();
        return;
    }
    let first = |line: &str| line.split(" | ").next().unwrap_or_default().to_owned();
    let known: Vec<String> = before.lines().skip(1).map(first).collect();
    assert_eq!(before.lines().next(), table.lines().next(), "UPDATE_DOCS=1 writes the table anew");
    for row in table.lines().skip(1).map(first) {
        assert!(known.contains(&row), "{row}: UPDATE_DOCS=1 writes the table anew");
    }
}

/// Compares a table with the document's; with `UPDATE_DOCS`, it is written.
pub(crate) fn same(name: &str, table: &str) {
    if writes() {
        return figures(name, table);
    }
    for (is, was) in table.lines().zip(part(name).lines()) {
        assert_eq!(is, was, "UPDATE_DOCS=1 writes the table anew");
    }
    assert_eq!(table.lines().count(), part(name).lines().count());
}
